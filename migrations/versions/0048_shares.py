"""A pool stores who judges each document, so that a decision reads one query of a shared pool and not all of them.

Until now the division was computed from the pool for each call, by the same rule.
"""

from __future__ import annotations

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

LOCKS = {"qrels_pool_documents": "ACCESS EXCLUSIVE"}

# The rule of sql/qrels/share_pool.sql. Only documents of shared pools change: some thousands. Organisers can write any value into
# params, and a value that share_pool does not store must not stop the upgrade.
DIVIDE = """
WITH shared AS (
    SELECT p.id AS pool, p.params ->> 'seed' AS seed, s.people,
           CASE WHEN cardinality(s.people) > 1 AND jsonb_typeof(p.params #> '{shares,overlap}') = 'number'
                THEN least(greatest((p.params #>> '{shares,overlap}')::numeric, 0), 1) ELSE 0 END AS overlap
      FROM stc_all.qrels_pools p
     CROSS JOIN LATERAL (SELECT ARRAY(SELECT jsonb_array_elements_text(
               CASE jsonb_typeof(p.params #> '{shares,annotators}') WHEN 'array' THEN p.params #> '{shares,annotators}'
                    ELSE '[]' END)) AS people) s
     WHERE s.people <> '{}'),
numbered AS (
    SELECT s.*, d.query, d.doc,
           row_number() OVER (PARTITION BY s.pool ORDER BY md5(concat_ws(':', 'share', s.seed, q.query)) COLLATE "C", q.query,
                                                           d.position)::integer AS number
      FROM shared s
      JOIN stc_all.qrels_pool_documents d ON d.pool = s.pool
      JOIN stc.st1_queries q ON q.id = d.query),
counted AS (
    SELECT n.*, cardinality(n.people) AS n, floor(n.number * n.overlap)::integer AS pairs,
           floor((n.number - 1) * n.overlap)::integer AS pairs_before
      FROM numbered n)
UPDATE stc_all.qrels_pool_documents d
   SET annotators = CASE WHEN c.pairs > c.pairs_before
                         THEN ARRAY[c.people[1 + (c.pairs - 1) % c.n],
                                    c.people[1 + (c.pairs + (c.pairs - 1) / c.n % (c.n - 1)) % c.n]]
                         ELSE ARRAY[c.people[1 + (c.number - c.pairs - 1) % c.n]] END
  FROM counted c
 WHERE d.pool = c.pool AND d.query = c.query AND d.doc = c.doc
"""


def upgrade() -> None:
    op.execute('ALTER TABLE stc_all.qrels_pool_documents ADD COLUMN IF NOT EXISTS annotators text[] COLLATE "C"')
    op.execute(DIVIDE)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
