"""The schema, as SQLAlchemy Core tables. Change it together with a new revision under migrations/versions.

JSON is kept as text: what was written is what is read, byte for byte, on either database. Times are Unix seconds.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

bots = Table(
    "bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("removed_at", Double),
)

bot_versions = Table(
    "bot_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bot_id", ForeignKey("bots.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("run", Text),  # null: remote
    Column("cwd", Text),
    Column("created_at", Double, nullable=False),
    UniqueConstraint("bot_id", "version"),
)

bot_tokens = Table(
    "bot_tokens",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("bot_version_id", ForeignKey("bot_versions.id"), nullable=False, index=True),
    Column("role", Integer, nullable=False),  # 0: the bot's own, 1: its partner's
    Column("created_at", Double, nullable=False),
    Column("revoked_at", Double),
    CheckConstraint("role IN (0, 1)", name="role"),
)

leagues = Table(
    "leagues",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("key", LargeBinary, nullable=False),
    Column("commitment", Text, nullable=False),
    Column("sets", Integer, nullable=False),
    Column("clock", Text, nullable=False),
    Column("remote_sets", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("revealed_at", Double),
)

league_variants = Table(
    "league_variants",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("league_id", ForeignKey("leagues.id"), nullable=False),
    Column("label", Text, nullable=False),
    Column("variant", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("seatings", Text, nullable=False),
    UniqueConstraint("league_id", "label"),
)

league_bots = Table(
    "league_bots",
    metadata,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("bot_version_id", ForeignKey("bot_versions.id"), primary_key=True),
)

_open = text("completed_at IS NULL")

matches = Table(
    "matches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),  # "{league}/{label}/{n}": what everybody else calls its id
    Column("league_id", ForeignKey("leagues.id"), nullable=False),
    Column("league_variant_id", ForeignKey("league_variants.id"), nullable=False, index=True),
    Column("n", Integer, nullable=False),
    Column("variant", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("clock", Text, nullable=False),
    Column("seatings", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("sets", Integer, nullable=False),
    Column("commitment", Text, nullable=False),
    Column("games_total", Integer, nullable=False),
    Column("games_done", Integer, nullable=False),
    Column("sets_done", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("completed_at", Double),
    Column("claim", Text),  # token of the attempt that holds the lease
    Column("lease_until", Double),
    CheckConstraint("mode IN ('duplicate', 'single')", name="mode"),
    CheckConstraint("games_done <= games_total", name="games"),
    Index(None, "league_id", "id"),
    # What is still to be played, however much has been.
    Index("ix_matches_open", "league_id", "id", sqlite_where=_open, postgresql_where=_open),
)

match_bots = Table(
    "match_bots",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("position", Integer, primary_key=True),  # the line-up index
    Column("bot_version_id", ForeignKey("bot_versions.id"), nullable=False, index=True),
    sqlite_with_rowid=False,
)

# Clustered by match, set, seating: results and the sets of a match are read in one sweep. The moves, which are a
# hundred times longer, are a table of their own, so that the sweep does not wade through them.
games = Table(
    "games",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("set_number", Integer, primary_key=True),
    Column("seating", Integer, primary_key=True),  # position in the match's list of seatings
    Column("dealer", Integer, nullable=False),
    Column("points", Text, nullable=False),
    Column("places", Text, nullable=False),
    Column("deals", Integer, nullable=False),
    Column("end_reason", Text, nullable=False),
    Column("forfeits", Text, nullable=False),
    Column("faults", Text, nullable=False),
    Column("stored_at", Double, nullable=False),
    sqlite_with_rowid=False,
)

game_records = Table(
    "game_records",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("set_number", Integer, primary_key=True),
    Column("seating", Integer, primary_key=True),
    Column("record", Text, nullable=False),
    Column("times", Text),
    ForeignKeyConstraint(
        ["match_id", "set_number", "seating"],
        ["games.match_id", "games.set_number", "games.seating"],
        name="fk_game_records_game",
    ),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("token", Text, nullable=False, unique=True),
    Column("worker", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("progress_at", Double),
    Column("games", Integer, nullable=False),
    Column("ended_at", Double),
    Column("outcome", Text),
    Column("detail", Text, nullable=False),
    Column("figures", Text),  # decisions, faults and times so far, for monitoring
)

attempt_voids = Table(
    "attempt_voids",
    metadata,
    Column("attempt_id", ForeignKey("attempts.id"), primary_key=True),
    Column("cause", Text, primary_key=True),
    Column("games", Integer, nullable=False),
    Column("detail", Text, nullable=False),
)

bot_logs = Table(
    "bot_logs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("attempt_id", ForeignKey("attempts.id"), nullable=False, index=True),
    Column("bot", Text, nullable=False, index=True),
    Column("seat", Integer, nullable=False),
    Column("seating", Text, nullable=False),
    Column("exit_code", Integer),
    Column("tail", Text, nullable=False),
    Column("logged_at", Double, nullable=False),
)
