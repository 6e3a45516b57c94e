"""What was asked and answered around each fault."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema from the revision before to this one."""
    op.create_table(
        "fault_logs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("bot", sa.Text(), nullable=False),
        sa.Column("set_number", sa.Integer(), nullable=False),
        sa.Column("seating", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("move", sa.Integer(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("exchanges", sa.Text(), nullable=False),
        sa.Column("logged_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_fault_logs_attempt_id_attempts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fault_logs")),
        sa.UniqueConstraint(
            "attempt_id",
            "set_number",
            "seating",
            "seat",
            "deal",
            "move",
            name=op.f("uq_fault_logs_attempt_id_set_number_seating_seat_deal_move"),
        ),
    )
    with op.batch_alter_table("fault_logs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_fault_logs_bot"), ["bot"], unique=False)


def downgrade() -> None:
    """Bring the schema back to the revision before."""
    with op.batch_alter_table("fault_logs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_fault_logs_bot"))
    op.drop_table("fault_logs")
