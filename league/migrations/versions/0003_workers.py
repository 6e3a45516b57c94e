"""Workers and their processes; which attempt reported a game; games set aside."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_REFERENCE = "INTEGER CONSTRAINT fk_games_attempt_id_attempts REFERENCES attempts (id)"


def upgrade() -> None:
    """Bring the schema from the revision before to this one."""
    op.create_table(
        "workers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("quarantined_at", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("block_from", sa.Integer(), nullable=False),
        sa.Column("looks", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
        sa.UniqueConstraint("uuid", name=op.f("uq_workers_uuid")),
    )
    op.create_table(
        "worker_processes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("heartbeat_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name=op.f("fk_worker_processes_worker_id_workers")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker_processes")),
        sa.UniqueConstraint("name", name=op.f("uq_worker_processes_name")),
    )
    op.create_index(op.f("ix_worker_processes_worker_id"), "worker_processes", ["worker_id"])
    op.add_column("attempts", sa.Column("late", sa.Text(), nullable=True))
    op.create_index(op.f("ix_attempts_worker"), "attempts", ["worker"])
    # One statement that both databases know: Alembic would copy the whole table on SQLite, and lose WITHOUT ROWID.
    op.execute(f"ALTER TABLE games ADD COLUMN attempt_id {_REFERENCE}")
    op.create_table(
        "set_aside",
        sa.Column("id", sa.Integer(), nullable=False),
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
        sa.Column("attempt_id", sa.Integer(), nullable=True),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("times", sa.Text(), nullable=True),
        sa.Column("worker_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("set_aside_at", sa.Double(), nullable=False),
        sa.Column("restored_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_set_aside_attempt_id_attempts")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_set_aside_match_id_matches")),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name=op.f("fk_set_aside_worker_id_workers")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_set_aside")),
    )
    op.create_index(op.f("ix_set_aside_match_id"), "set_aside", ["match_id"])
    op.create_index(op.f("ix_set_aside_worker_id"), "set_aside", ["worker_id"])


def downgrade() -> None:
    """Bring the schema back to the revision before."""
    op.drop_index(op.f("ix_set_aside_worker_id"), "set_aside")
    op.drop_index(op.f("ix_set_aside_match_id"), "set_aside")
    op.drop_table("set_aside")
    op.execute("ALTER TABLE games DROP COLUMN attempt_id")
    op.drop_index(op.f("ix_attempts_worker"), "attempts")
    op.drop_column("attempts", "late")
    op.drop_index(op.f("ix_worker_processes_worker_id"), "worker_processes")
    op.drop_table("worker_processes")
    op.drop_table("workers")
