"""Sums by set that are kept, and what tells whether they still hold."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema from the revision before to this one."""
    op.create_table(
        "league_sums",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name=op.f("fk_league_sums_league_id_leagues")),
        sa.PrimaryKeyConstraint("league_id", "number", name=op.f("pk_league_sums")),
    )
    op.add_column("matches", sa.Column("changes", sa.Integer(), server_default="0", nullable=False))
    op.drop_index("ix_matches_league_id_id", table_name="matches")
    op.create_index("ix_matches_league_id_id_changes", "matches", ["league_id", "id", "changes"])


def downgrade() -> None:
    """Bring the schema back to the revision before."""
    op.drop_index("ix_matches_league_id_id_changes", table_name="matches")
    op.create_index("ix_matches_league_id_id", "matches", ["league_id", "id"])
    op.drop_column("matches", "changes")
    op.drop_table("league_sums")
