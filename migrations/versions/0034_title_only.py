"""The titles of documents without abstract may have a separate vector index (sql/vectors/index_vectors.sql)."""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_FIELDS = "field IN ('title', 'abstract', 'content', 'passage', 'title_only')"


def upgrade() -> None:
    op.drop_constraint(op.f("vector_indexes_field_check"), "vector_indexes", schema="stc")
    op.create_check_constraint(op.f("vector_indexes_field_check"), "vector_indexes", _FIELDS, schema="stc")


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
