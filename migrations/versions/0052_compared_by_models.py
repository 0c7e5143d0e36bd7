"""Comparisons of two documents keep the answers of a language model that made them."""

from __future__ import annotations

from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

LOCKS = {"qrels_comparisons": "ACCESS EXCLUSIVE"}


def upgrade() -> None:
    op.execute("ALTER TABLE stc_all.qrels_comparisons ADD COLUMN answers jsonb")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
