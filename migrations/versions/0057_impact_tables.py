"""Texts of indexes of impacts in separate tables, so that a build does not rewrite the vectors.

An index of an earlier revision is set aside: searches compare all vectors until 'stc vectors index' builds it again, which
also drops the column that it read.
"""

from __future__ import annotations

from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None

# The new column is NULL in all rows, so none is written.
LOCKS = {"vector_indexes": "ACCESS EXCLUSIVE"}

SET_ASIDE = """
DO $$
DECLARE
    index record;
BEGIN
    -- Not dropped: rolling back the DROP of such an index may crash other sessions.
    FOR index IN SELECT c.oid::regclass AS name, c.relname FROM pg_class c JOIN pg_am a ON a.oid = c.relam
                  WHERE a.amname = 'bm25' AND c.relnamespace = 'public'::regnamespace
                    AND c.relname ~ '^dblp_v.*_(title|abstract|content)_impact$' LOOP
        EXECUTE format('ALTER INDEX %s RENAME TO %I', index.name, index.relname || 's');
    END LOOP;
END
$$
"""


def upgrade() -> None:
    op.execute("ALTER TABLE stc.vector_indexes ADD COLUMN idf real[]")
    op.execute(SET_ASIDE)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
