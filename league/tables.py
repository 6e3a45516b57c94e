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

owners = Table(
    "owners",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("most_bots", Integer, nullable=False),
    Column("most_hourly", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("removed_at", Double),
)

owner_keys = Table(
    "owner_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("owner_id", ForeignKey("owners.id"), nullable=False, index=True),
    Column("prefix", Text, nullable=False, unique=True),
    Column("sha256", Text, nullable=False, unique=True),
    Column("label", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("used_at", Double),
    Column("revoked_at", Double),
)

bots = Table(
    "bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("removed_at", Double),
    Column("owner_id", ForeignKey("owners.id"), index=True),  # null: the organiser's own, whose files are trusted
    Column("promoted", Integer),  # of an owner's bot: the version that new leagues are made with
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
    Column("tree", Text),  # SHA-256 of a hosted version's files, as they are played
    Column("variants", Text),  # null: all
    Column("description", Text),
    UniqueConstraint("bot_id", "version"),
)

# What a program draws once and every process of it must know.
secrets = Table(
    "secrets",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

# Files, by the SHA-256 of their content. Parts are written one by one, and count once the blob's own row is there.
blobs = Table(
    "blobs",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("parts", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
)

blob_parts = Table(
    "blob_parts",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),  # a mebibyte of the content, compressed by zlib
)

_pending = text("state IN ('submitted', 'building', 'qualifying')")

submissions = Table(
    "submissions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bot_version_id", ForeignKey("bot_versions.id"), nullable=False, unique=True),
    Column("owner_id", ForeignKey("owners.id"), nullable=False),
    Column("state", Text, nullable=False),
    Column("tree", Text, nullable=False),  # as submitted
    Column("built", Text),  # as played
    Column("manifest", Text, nullable=False),
    Column("promote", Integer, nullable=False),  # whether it becomes the bot's version once it is qualified
    Column("reason", Text, nullable=False),  # why it failed, in a sentence
    Column("note", Text, nullable=False),  # what keeps it from being qualified, by no fault of its own
    Column("report", Text),
    Column("submitted_at", Double, nullable=False),
    Column("started_at", Double),
    Column("ended_at", Double),
    Column("claim", Text),
    Column("lease_until", Double),
    Column("tries", Integer, nullable=False),  # in a row that came to nothing
    Column("retry_at", Double),
    CheckConstraint(
        "state IN ('submitted', 'building', 'qualifying', 'qualified', 'failed', 'withdrawn')",
        name="state",
    ),
    Index(None, "owner_id", "submitted_at"),
    Index("ix_submissions_pending", "id", sqlite_where=_pending, postgresql_where=_pending),
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

series = Table(
    "series",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("period", Double, nullable=False),  # seconds
    Column("next_start", Double, nullable=False),
    Column("template", Text, nullable=False),  # what each season's league is made of
    Column("bots", Text),  # names; null: every bot that there is
    Column("joins", Integer, nullable=False),  # whether new versions join the season that is being played
    Column("created_at", Double, nullable=False),
    Column("stopped_at", Double),
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
    Column("precision", Double),  # Elo; null: a plain round robin
    Column("max_sets", Integer),  # of one pairing, where there is a precision
    Column("origin", Text),  # the name that its match keys were made with, where a restored league has another now
    Column("series_id", ForeignKey("series.id")),
    Column("season", Integer),
    UniqueConstraint("series_id", "season"),
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
    Column("stage", Integer, nullable=False, server_default="0"),  # 0: from the start; then 1, 2 … in the order of joining
    Column("added_at", Double),
    Column("withdrawn_at", Double),
)

# What was decided when a round of a league with a precision was over: the matches of the next, or that none are needed.
league_rounds = Table(
    "league_rounds",
    metadata,
    Column("league_variant_id", ForeignKey("league_variants.id"), primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("decision", Text, nullable=False),
    Column("decided_at", Double, nullable=False),
    sqlite_with_rowid=False,
)

_open = text("completed_at IS NULL")
_done = text("completed_at IS NOT NULL")

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
    Column("dropped_at", Double),  # a bot of it was withdrawn before it was complete
    Column("changes", Integer, nullable=False, server_default="0"),  # grows with every complete set, and when games are exchanged
    CheckConstraint("mode IN ('duplicate', 'single')", name="mode"),
    CheckConstraint("games_done <= games_total", name="games"),
    # A league's matches in order, and whether anything has changed in a range of them.
    Index(None, "league_id", "id", "changes"),
    # What is still to be played, however much has been.
    Index("ix_matches_open", "league_id", "id", sqlite_where=_open, postgresql_where=_open),
    # What has been played, with all that progress sums up.
    Index(
        "ix_matches_complete", "league_id", "league_variant_id", "games_total", "sets", sqlite_where=_done, postgresql_where=_done
    ),
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
    Column("attempt_id", ForeignKey("attempts.id")),  # that reported it; null: from before that was noted
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

# Tables of standings of large leagues, worked out from the games: what is lost of them is worked out again.
tabulations = Table(
    "tabulations",
    metadata,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("label", Text, primary_key=True),  # of the variant; empty: all together
    Column("lease_until", Double, nullable=False),  # of who is working it out
    Column("format", Integer),  # null, with what follows: it is being worked out for the first time
    Column("sets", Integer),
    Column("members", Text),
    Column("made_at", Double),
    Column("seconds", Double),
)

tabulation_parts = Table(
    "tabulation_parts",
    metadata,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("label", Text, primary_key=True),
    Column("part", Text, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

# What the sets of ranges of a league's matches come to, worked out from the games: what is lost of it is worked out again.
league_sums = Table(
    "league_sums",
    metadata,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # of the range, by row ids
    Column("matches", Integer, nullable=False),  # in the range, when this was read
    Column("changes", Integer, nullable=False),  # the sum of theirs then
    Column("format", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

# What each bot of a complete match did in it, worked out from its record; what is lost of it is worked out again.
match_habits = Table(
    "match_habits",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("position", Integer, primary_key=True),  # the line-up index
    Column("completed_at", Double, nullable=False),  # as the match had it then: games that were exchanged since count anew
    Column("format", Integer, nullable=False),
    Column("habits", Text, nullable=False),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("token", Text, nullable=False, unique=True),
    Column("worker", Text, nullable=False, index=True),  # name of its process
    Column("host", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("progress_at", Double),
    Column("games", Integer, nullable=False),
    Column("ended_at", Double),
    Column("outcome", Text),
    Column("detail", Text, nullable=False),
    Column("late", Text),  # JSON: games in which it was too late, by line-up index; null: none
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

fault_logs = Table(
    "fault_logs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("attempt_id", ForeignKey("attempts.id"), nullable=False),
    Column("bot", Text, nullable=False, index=True),
    Column("set_number", Integer, nullable=False),
    Column("seating", Text, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("deal", Integer, nullable=False),
    Column("move", Integer, nullable=False),
    Column("cause", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("exchanges", Text, nullable=False),  # JSON
    Column("logged_at", Double, nullable=False),
    UniqueConstraint("attempt_id", "set_number", "seating", "seat", "deal", "move"),
)

# A worker is a data folder on a host: its processes come and go, what makes it slow stays.
workers = Table(
    "workers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("uuid", Text, nullable=False, unique=True),
    Column("host", Text, nullable=False),  # for display only: several may have one name
    Column("created_at", Double, nullable=False),
    Column("quarantined_at", Double),
    Column("reason", Text, nullable=False),
    Column("block_from", Integer, nullable=False),  # attempts after this one are those in hand for judging it
    Column("looks", Integer, nullable=False),  # how often these have been looked at
)

worker_processes = Table(
    "worker_processes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("worker_id", ForeignKey("workers.id"), nullable=False, index=True),
    Column("name", Text, nullable=False, unique=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("heartbeat_at", Double, nullable=False),
    Column("ended_at", Double),
)

# Games that do not count (any more): out of the results, but not out of the world.
set_aside = Table(
    "set_aside",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("set_number", Integer, nullable=False),
    Column("seating", Integer, nullable=False),
    Column("dealer", Integer, nullable=False),
    Column("points", Text, nullable=False),
    Column("places", Text, nullable=False),
    Column("deals", Integer, nullable=False),
    Column("end_reason", Text, nullable=False),
    Column("forfeits", Text, nullable=False),
    Column("faults", Text, nullable=False),
    Column("stored_at", Double, nullable=False),
    Column("attempt_id", ForeignKey("attempts.id")),
    Column("record", Text, nullable=False),
    Column("times", Text),
    Column("worker_id", ForeignKey("workers.id"), nullable=False, index=True),  # for whose sake it was set aside
    Column("reason", Text, nullable=False),
    Column("set_aside_at", Double, nullable=False),
    Column("restored_at", Double),  # when it was made to count again
)
