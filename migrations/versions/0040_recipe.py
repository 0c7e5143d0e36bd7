"""The registry of embedding models keeps the recipe of a model that was trained here."""

from __future__ import annotations

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

LOCKS = {"vector_models": "ACCESS EXCLUSIVE"}


def upgrade() -> None:
    op.execute("ALTER TABLE stc.vector_models ADD COLUMN IF NOT EXISTS recipe jsonb")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
