"""Owners with their keys, bots that owners submit, and the files of these."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

PENDING = sa.text("state IN ('submitted', 'building', 'qualifying')")


def upgrade() -> None:
    """Bring the schema from the revision before to this one."""
    _owners()
    _bots()
    _blobs()
    _submissions()


def _owners() -> None:
    op.create_table(
        "owners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("most_bots", sa.Integer(), nullable=False),
        sa.Column("most_hourly", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("removed_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owners")),
        sa.UniqueConstraint("name", name=op.f("uq_owners_name")),
    )
    op.create_table(
        "owner_keys",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=True),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_owner_keys_owner_id_owners")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owner_keys")),
        sa.UniqueConstraint("prefix", name=op.f("uq_owner_keys_prefix")),
        sa.UniqueConstraint("sha256", name=op.f("uq_owner_keys_sha256")),
    )
    op.create_index(op.f("ix_owner_keys_owner_id"), "owner_keys", ["owner_id"])
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )


def _bots() -> None:
    with op.batch_alter_table("bots") as batch_op:
        batch_op.add_column(sa.Column("owner_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("promoted", sa.Integer(), nullable=True))
        batch_op.create_foreign_key(batch_op.f("fk_bots_owner_id_owners"), "owners", ["owner_id"], ["id"])
        batch_op.create_index(batch_op.f("ix_bots_owner_id"), ["owner_id"], unique=False)
    with op.batch_alter_table("bot_versions") as batch_op:
        batch_op.add_column(sa.Column("tree", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("variants", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("description", sa.Text(), nullable=True))


def _blobs() -> None:
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("parts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_blobs")),
    )
    op.create_table(
        "blob_parts",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", "number", name=op.f("pk_blob_parts")),
    )


def _submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_version_id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tree", sa.Text(), nullable=False),
        sa.Column("built", sa.Text(), nullable=True),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("promote", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("report", sa.Text(), nullable=True),
        sa.Column("submitted_at", sa.Double(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("claim", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("retry_at", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "state IN ('submitted', 'building', 'qualifying', 'qualified', 'failed', 'withdrawn')",
            name=op.f("ck_submissions_state"),
        ),
        sa.ForeignKeyConstraint(["bot_version_id"], ["bot_versions.id"], name=op.f("fk_submissions_bot_version_id_bot_versions")),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_submissions_owner_id_owners")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("bot_version_id", name=op.f("uq_submissions_bot_version_id")),
    )
    op.create_index(op.f("ix_submissions_owner_id_submitted_at"), "submissions", ["owner_id", "submitted_at"])
    op.create_index("ix_submissions_pending", "submissions", ["id"], sqlite_where=PENDING, postgresql_where=PENDING)


def downgrade() -> None:
    """Take the revision back. Bots that owners have submitted stay as bots that cannot be started."""
    op.drop_table("submissions")
    op.drop_table("blob_parts")
    op.drop_table("blobs")
    with op.batch_alter_table("bot_versions") as batch_op:
        batch_op.drop_column("description")
        batch_op.drop_column("variants")
        batch_op.drop_column("tree")
    with op.batch_alter_table("bots") as batch_op:
        batch_op.drop_index(batch_op.f("ix_bots_owner_id"))
        batch_op.drop_constraint(batch_op.f("fk_bots_owner_id_owners"), type_="foreignkey")
        batch_op.drop_column("promoted")
        batch_op.drop_column("owner_id")
    op.drop_table("secrets")
    op.drop_table("owner_keys")
    op.drop_table("owners")
