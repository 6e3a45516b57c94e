"""The first schema: bots, leagues, matches, games, attempts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema from the revision before to this one."""
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("name", name=op.f("uq_bots_name")),
    )
    op.create_table(
        "leagues",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sa.Text(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.Column("clock", sa.Text(), nullable=False),
        sa.Column("remote_sets", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("revealed_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leagues")),
        sa.UniqueConstraint("name", name=op.f("uq_leagues_name")),
    )
    op.create_table(
        "bot_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("run", sa.Text(), nullable=True),
        sa.Column("cwd", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_bot_versions_bot_id_bots")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot_versions")),
        sa.UniqueConstraint("bot_id", "version", name=op.f("uq_bot_versions_bot_id_version")),
    )
    op.create_table(
        "league_variants",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("seatings", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name=op.f("fk_league_variants_league_id_leagues")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_league_variants")),
        sa.UniqueConstraint("league_id", "label", name=op.f("uq_league_variants_league_id_label")),
    )
    op.create_table(
        "bot_tokens",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("bot_version_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.CheckConstraint("role IN (0, 1)", name=op.f("ck_bot_tokens_role")),
        sa.ForeignKeyConstraint(["bot_version_id"], ["bot_versions.id"], name=op.f("fk_bot_tokens_bot_version_id_bot_versions")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_bot_tokens")),
    )
    with op.batch_alter_table("bot_tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bot_tokens_bot_version_id"), ["bot_version_id"], unique=False)

    op.create_table(
        "league_bots",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("bot_version_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["bot_version_id"], ["bot_versions.id"], name=op.f("fk_league_bots_bot_version_id_bot_versions")),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name=op.f("fk_league_bots_league_id_leagues")),
        sa.PrimaryKeyConstraint("league_id", "bot_version_id", name=op.f("pk_league_bots")),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("league_variant_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("clock", sa.Text(), nullable=False),
        sa.Column("seatings", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.Column("commitment", sa.Text(), nullable=False),
        sa.Column("games_total", sa.Integer(), nullable=False),
        sa.Column("games_done", sa.Integer(), nullable=False),
        sa.Column("sets_done", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("completed_at", sa.Double(), nullable=True),
        sa.Column("claim", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.CheckConstraint("mode IN ('duplicate', 'single')", name=op.f("ck_matches_mode")),
        sa.CheckConstraint("games_done <= games_total", name=op.f("ck_matches_games")),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name=op.f("fk_matches_league_id_leagues")),
        sa.ForeignKeyConstraint(
            ["league_variant_id"], ["league_variants.id"], name=op.f("fk_matches_league_variant_id_league_variants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("name", name=op.f("uq_matches_name")),
    )
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_matches_league_id_id"), ["league_id", "id"], unique=False)
        batch_op.create_index(
            "ix_matches_open",
            ["league_id", "id"],
            unique=False,
            sqlite_where=sa.text("completed_at IS NULL"),
            postgresql_where=sa.text("completed_at IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_matches_league_variant_id"), ["league_variant_id"], unique=False)

    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("progress_at", sa.Double(), nullable=True),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_attempts_match_id_matches")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
        sa.UniqueConstraint("token", name=op.f("uq_attempts_token")),
    )
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_attempts_match_id"), ["match_id"], unique=False)

    op.create_table(
        "games",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("set_number", sa.Integer(), nullable=False),
        sa.Column("seating", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.Integer(), nullable=False),
        sa.Column("points", sa.Text(), nullable=False),
        sa.Column("places", sa.Text(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("end_reason", sa.Text(), nullable=False),
        sa.Column("forfeits", sa.Text(), nullable=False),
        sa.Column("faults", sa.Text(), nullable=False),
        sa.Column("stored_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_games_match_id_matches")),
        sa.PrimaryKeyConstraint("match_id", "set_number", "seating", name=op.f("pk_games")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "match_bots",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("bot_version_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["bot_version_id"], ["bot_versions.id"], name=op.f("fk_match_bots_bot_version_id_bot_versions")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_match_bots_match_id_matches")),
        sa.PrimaryKeyConstraint("match_id", "position", name=op.f("pk_match_bots")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("match_bots", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_match_bots_bot_version_id"), ["bot_version_id"], unique=False)

    op.create_table(
        "attempt_voids",
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_attempt_voids_attempt_id_attempts")),
        sa.PrimaryKeyConstraint("attempt_id", "cause", name=op.f("pk_attempt_voids")),
    )
    op.create_table(
        "bot_logs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("bot", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("seating", sa.Text(), nullable=False),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("tail", sa.Text(), nullable=False),
        sa.Column("logged_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_bot_logs_attempt_id_attempts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot_logs")),
    )
    with op.batch_alter_table("bot_logs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bot_logs_attempt_id"), ["attempt_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_bot_logs_bot"), ["bot"], unique=False)

    op.create_table(
        "game_records",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("set_number", sa.Integer(), nullable=False),
        sa.Column("seating", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("times", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id", "set_number", "seating"],
            ["games.match_id", "games.set_number", "games.seating"],
            name="fk_game_records_game",
        ),
        sa.PrimaryKeyConstraint("match_id", "set_number", "seating", name=op.f("pk_game_records")),
    )


def downgrade() -> None:
    """Bring the schema back to the revision before."""
    op.drop_table("game_records")
    with op.batch_alter_table("bot_logs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bot_logs_bot"))
        batch_op.drop_index(batch_op.f("ix_bot_logs_attempt_id"))

    op.drop_table("bot_logs")
    op.drop_table("attempt_voids")
    with op.batch_alter_table("match_bots", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_match_bots_bot_version_id"))

    op.drop_table("match_bots")
    op.drop_table("games")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_attempts_match_id"))

    op.drop_table("attempts")
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_matches_league_variant_id"))
        batch_op.drop_index(batch_op.f("ix_matches_league_id_id"))
        batch_op.drop_index("ix_matches_open")

    op.drop_table("matches")
    op.drop_table("league_bots")
    with op.batch_alter_table("bot_tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bot_tokens_bot_version_id"))

    op.drop_table("bot_tokens")
    op.drop_table("league_variants")
    op.drop_table("bot_versions")
    op.drop_table("leagues")
    op.drop_table("bots")
