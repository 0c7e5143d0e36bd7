"""Models of learned sparse retrieval: their vectors are sparsevec, and their vocabulary is stored."""

from __future__ import annotations

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

LOCKS = {"vector_models": "ACCESS EXCLUSIVE"}

TABLES = """
-- squawk-ignore ban-drop-constraint
ALTER TABLE stc.vector_models DROP CONSTRAINT vector_models_storage_check;
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE stc.vector_models ADD CONSTRAINT vector_models_storage_check
    CHECK (storage IN ('vector', 'halfvec', 'sparsevec'));
CREATE TABLE stc.vector_terms (
    model text COLLATE "C" REFERENCES stc.vector_models ON DELETE CASCADE,
    term integer,
    word text COLLATE "C" NOT NULL,
    PRIMARY KEY (model, term),
    UNIQUE (model, word)
);
"""


def upgrade() -> None:
    op.execute(TABLES)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
