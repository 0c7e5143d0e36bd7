"""Rows of vectors are stored inline up to 8 KB, not in TOAST above 2 KB, so that exact searches read them faster.

Only the attribute changes. Stored rows move when they are rewritten (docs/howto/vectors.md).
"""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

# Takes SHARE UPDATE EXCLUSIVE, so readers and writers continue. Each model has its own tables.
INLINE = """
DO $inline$
DECLARE
    relation regclass;
BEGIN
    FOR relation IN
        SELECT to_regclass(format('public.%I', name))
          FROM (SELECT unnest(ARRAY['dblp_v', 'dblp_p', 'query_v'])
                 UNION SELECT m.relation FROM stc.vector_models m
                 UNION SELECT regexp_replace(m.relation, '^dblp_v', 'dblp_p') FROM stc.vector_models m) r (name)
         WHERE to_regclass(format('public.%I', name)) IS NOT NULL
         ORDER BY name
    LOOP
        EXECUTE format('ALTER TABLE %s SET (toast_tuple_target = 8160)', relation);
    END LOOP;
END
$inline$
"""
LOCKS = dict.fromkeys(("dblp_p", "dblp_v", "query_v"), "SHARE UPDATE EXCLUSIVE")


def upgrade() -> None:
    op.execute(INLINE)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
