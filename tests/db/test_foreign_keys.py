"""Every foreign key that a delete or drop follows has an index; otherwise each deleted row reads the whole table."""

from __future__ import annotations

import psycopg

# The first column of the key leads the index. A partial index helps if it only leaves out NULL, which matches no key.
WITHOUT = """
SELECT c.conrelid::regclass::text, a.attname::text, c.confrelid::regclass::text
  FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
 WHERE c.contype = 'f'
   AND NOT EXISTS (
       SELECT FROM pg_index i
        WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1]
          AND coalesce(pg_get_expr(i.indpred, i.indrelid), '') IN ('', format('(%I IS NOT NULL)', a.attname)))
 ORDER BY 1, 2
"""
# Nothing deletes prompts of language models, or the libraries and data that computed readability.
KEPT = {"llm_prompts", "complexity_resources"}


def test_every_foreign_key_that_a_delete_follows_has_an_index(conn: psycopg.Connection) -> None:
    found = conn.execute(WITHOUT.encode()).fetchall()
    assert {referenced.removeprefix("stc.") for _, _, referenced in found} == KEPT, found


def test_a_key_without_an_index_is_found(conn: psycopg.Connection) -> None:
    conn.execute("DROP INDEX stc.st1_queries_source_idx")
    found = conn.execute(WITHOUT.encode()).fetchall()
    assert [row for row in found if row[1] == "source"] == [("stc.st1_queries", "source", "dblp")]
