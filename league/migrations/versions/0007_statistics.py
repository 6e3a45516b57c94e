"""Tables of standings that were worked out before, and what bots did in their matches."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema from the revision before to this one."""
    op.create_table(
        "tabulations",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("format", sa.Integer(), nullable=True),
        sa.Column("sets", sa.Integer(), nullable=True),
        sa.Column("members", sa.Text(), nullable=True),
        sa.Column("made_at", sa.Double(), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name=op.f("fk_tabulations_league_id_leagues")),
        sa.PrimaryKeyConstraint("league_id", "label", name=op.f("pk_tabulations")),
    )
    op.create_table(
        "tabulation_parts",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name=op.f("fk_tabulation_parts_league_id_leagues")),
        sa.PrimaryKeyConstraint("league_id", "label", "part", name=op.f("pk_tabulation_parts")),
    )
    op.create_table(
        "match_habits",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("completed_at", sa.Double(), nullable=False),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("habits", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_match_habits_match_id_matches")),
        sa.PrimaryKeyConstraint("match_id", "position", name=op.f("pk_match_habits")),
    )
    done = sa.text("completed_at IS NOT NULL")
    columns = ["league_id", "league_variant_id", "games_total", "sets"]
    op.create_index("ix_matches_complete", "matches", columns, sqlite_where=done, postgresql_where=done)


def downgrade() -> None:
    """Bring the schema back to the revision before."""
    op.drop_index("ix_matches_complete", table_name="matches")
    op.drop_table("match_habits")
    op.drop_table("tabulation_parts")
    op.drop_table("tabulations")
