"""Figures of attempts, for monitoring."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema from the revision before to this one."""
    op.add_column("attempts", sa.Column("figures", sa.Text(), nullable=True))


def downgrade() -> None:
    """Bring it back."""
    with op.batch_alter_table("attempts") as table:
        table.drop_column("figures")
