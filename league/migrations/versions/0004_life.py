"""The life of leagues: seasons, bots that join and leave, rounds towards a precision, restored leagues."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema from the revision before to this one."""
    op.create_table(
        "series",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("period", sa.Double(), nullable=False),
        sa.Column("next_start", sa.Double(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("bots", sa.Text(), nullable=True),
        sa.Column("joins", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("stopped_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
        sa.UniqueConstraint("name", name=op.f("uq_series_name")),
    )
    with op.batch_alter_table("leagues", schema=None) as batch_op:
        batch_op.add_column(sa.Column("precision", sa.Double(), nullable=True))
        batch_op.add_column(sa.Column("max_sets", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("origin", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("series_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("season", sa.Integer(), nullable=True))
        batch_op.create_foreign_key(op.f("fk_leagues_series_id_series"), "series", ["series_id"], ["id"])
        batch_op.create_unique_constraint(op.f("uq_leagues_series_id_season"), ["series_id", "season"])
    with op.batch_alter_table("league_bots", schema=None) as batch_op:
        batch_op.add_column(sa.Column("stage", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("added_at", sa.Double(), nullable=True))
        batch_op.add_column(sa.Column("withdrawn_at", sa.Double(), nullable=True))
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.add_column(sa.Column("dropped_at", sa.Double(), nullable=True))
    op.create_table(
        "league_rounds",
        sa.Column("league_variant_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["league_variant_id"], ["league_variants.id"], name=op.f("fk_league_rounds_league_variant_id_league_variants")
        ),
        sa.PrimaryKeyConstraint("league_variant_id", "round", name=op.f("pk_league_rounds")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Bring the schema back to the revision before."""
    op.drop_table("league_rounds")
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_column("dropped_at")
    with op.batch_alter_table("league_bots", schema=None) as batch_op:
        batch_op.drop_column("withdrawn_at")
        batch_op.drop_column("added_at")
        batch_op.drop_column("stage")
    with op.batch_alter_table("leagues", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("uq_leagues_series_id_season"), type_="unique")
        batch_op.drop_constraint(op.f("fk_leagues_series_id_series"), type_="foreignkey")
        for name in ("season", "series_id", "origin", "max_sets", "precision"):
            batch_op.drop_column(name)
    op.drop_table("series")
