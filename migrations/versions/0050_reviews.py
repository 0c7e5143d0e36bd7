"""Judged documents have a review status, separate from their grades: who marked them open, in review or settled, and when."""

from __future__ import annotations

from alembic import op

from stcollection.names import PATTERN

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

# The foreign key locks the table that it refers to.
LOCKS = {"qrels_pool_documents": "SHARE ROW EXCLUSIVE"}

TABLE = """
CREATE TABLE stc_all.qrels_reviews (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool integer NOT NULL,
    query integer NOT NULL,
    doc bigint NOT NULL,
    state text NOT NULL CONSTRAINT qrels_reviews_state_check CHECK (state IN ('open', 'in-review', 'settled')),
    reviewer text COLLATE "C" NOT NULL
        CONSTRAINT qrels_reviews_reviewer_name_check
        CHECK (length(reviewer) BETWEEN 1 AND 200 AND reviewer !~ '<unprintable>'),
    note text,
    marked timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT qrels_reviews_doc_fkey FOREIGN KEY (pool, query, doc)
        REFERENCES stc_all.qrels_pool_documents (pool, query, doc) ON DELETE CASCADE
);
CREATE INDEX qrels_reviews_doc_idx ON stc_all.qrels_reviews (pool, query, doc);
"""


def upgrade() -> None:
    op.execute(TABLE.replace("<unprintable>", PATTERN))


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
