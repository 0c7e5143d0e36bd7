"""The titles of documents without abstract may have a separate vector index (sql/vectors/index_vectors.sql)."""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

NAME = "vector_indexes_field_check"


def upgrade() -> None:
    # The table has a row for each index, so that checking them takes a moment.
    op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE stc.vector_indexes DROP CONSTRAINT {NAME}")
    op.execute(
        f"-- squawk-ignore constraint-missing-not-valid\nALTER TABLE stc.vector_indexes ADD CONSTRAINT {NAME}"
        " CHECK (field IN ('title', 'abstract', 'content', 'passage', 'title_only'))"
    )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
