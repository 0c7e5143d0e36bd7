"""Indexes of the impacts of sparse vectors, by pg_textsearch."""

from __future__ import annotations

from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

LOCKS = {"vector_indexes": "ACCESS EXCLUSIVE"}

KINDS = """
-- squawk-ignore ban-drop-constraint
ALTER TABLE stc.vector_indexes DROP CONSTRAINT vector_indexes_kind_check;
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE stc.vector_indexes ADD CONSTRAINT vector_indexes_kind_check
    CHECK (kind IN ('ivfflat', 'hnsw', 'diskann', 'impact'));
"""


def upgrade() -> None:
    op.execute(KINDS)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
