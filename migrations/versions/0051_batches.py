"""A pool can be judged in batches: each of its documents has the number of a batch, 0 without such an order."""

from __future__ import annotations

from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

LOCKS = {"qrels_pool_documents": "ACCESS EXCLUSIVE"}


def upgrade() -> None:
    op.execute("ALTER TABLE stc_all.qrels_pool_documents ADD COLUMN IF NOT EXISTS batch integer NOT NULL DEFAULT 0")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
