"""Upgrades of tables (Alembic) and code (sql/) are complete or change nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
from alembic.script import ScriptDirectory

from stcollection.db import created
from stcollection.db.step import configuration, head, revisions
from tests.columns import partitioned, tables

# Tables that a later revision drops.
DROPPED = {"st1_rankings"}
# One run or several; a vector, or words, for which an error asks for an embedding.
OVERLOADED = {
    "ndcg", "precision_at", "recall_at", "reciprocal_rank", "average_precision", "bpref", "judged_at",
    "dense_search", "knn", "passage_search", "passage_snippet", "rocchio_search",
}  # fmt: skip


def test_the_tables_read_from_the_migrations_are_those_of_a_collection(conn: psycopg.Connection) -> None:
    assert created.tables().keys() - DROPPED == {*tables(conn)}
    parts: dict[str, list[str]] = dict(
        conn.execute(
            "SELECT p.relname, array_agg(c.relname ORDER BY c.relname)"
            "  FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent"
            " JOIN pg_class c ON c.oid = i.inhrelid WHERE p.relnamespace::regnamespace::text IN ('public', 'stc', 'stc_all')"
            " AND p.relkind = 'p' GROUP BY 1"
        ).fetchall()
    )
    assert parts.keys() == {*partitioned(conn)}
    # The partition _open has the name of the table since revision 0036.
    assert {name: [name, parts_[1]] for name, parts_ in created.tables().items() if parts_} == parts


UNDESCRIBED = """
SELECT c.oid::regclass::text, a.attname
  FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.relnamespace::regnamespace::text IN ('public', 'stc', 'stc_all') AND c.relkind IN ('r', 'p')
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
   AND (obj_description(c.oid, 'pg_class') IS NULL OR coalesce(col_description(c.oid, a.attnum), '') = '')
"""


def test_every_table_and_every_column_has_a_comment(conn: psycopg.Connection) -> None:
    assert conn.execute(UNDESCRIBED).fetchall() == [], "describe a new column in sql/STAGE/STAGE_comments.sql"
    conn.execute("SELECT stc.add_vector_model('other', 'a/model', 8)")
    assert conn.execute(UNDESCRIBED).fetchall() == []
    described = "SELECT col_description('dblp_v_other'::regclass, 2), col_description('dblp_v'::regclass, 2)"
    copy, original = conn.execute(described).fetchall()[0]
    assert copy == original


COMMENTS = """
SELECT t.relation, t.attribute, t.comment, c.oid IS NULL,
       CASE WHEN t.attribute IS NULL THEN obj_description(c.oid, 'pg_class') ELSE col_description(c.oid, a.attnum) END
  FROM stc.table_comments() t
  LEFT JOIN pg_class c ON c.relname = t.relation AND c.relkind IN ('r', 'p')
       AND c.relnamespace::regnamespace::text IN ('public', 'stc', 'stc_all')
  LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = t.attribute
"""


def test_comments_are_those_of_sql_one_each(conn: psycopg.Connection) -> None:
    rows = conn.execute(COMMENTS).fetchall()
    assert [row for row in rows if row[3] or row[2] != row[4]] == [], "a comment of a table or column that does not exist"
    assert len({row[:2] for row in rows}) == len({*rows})
    described = conn.execute(
        "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
        "   AND c.relnamespace::regnamespace::text IN ('public', 'stc', 'stc_all')"
    ).fetchall()
    assert set(described) == {row[:2] for row in rows if row[1] is not None}, "describe each column in sql/STAGE/STAGE_comments.sql"


def test_an_upgrade_renews_comments(conn: psycopg.Connection) -> None:
    conn.execute("COMMENT ON TABLE dblp IS 'old'")
    conn.execute("COMMENT ON COLUMN qrels_judgments.rel IS NULL")
    conn.execute("COMMENT ON SCHEMA stc IS 'old'")
    done = conn.execute("SELECT stc.copy_comments()").fetchone()
    assert done is not None
    assert done[0] == 3
    assert conn.execute("SELECT stc.copy_comments()").fetchone() == (0,)
    assert [row for row in conn.execute(COMMENTS).fetchall() if row[2] != row[4]] == []


def test_revisions_are_read_as_alembic_reads_them() -> None:
    scripts = ScriptDirectory.from_config(configuration())
    assert revisions() == tuple((script.revision, Path(script.path)) for script in scripts.walk_revisions())
    assert head() == scripts.get_current_head()


def test_a_command_starts_without_alembic() -> None:
    code = "import sys, stcollection.cli; sys.exit('alembic' in sys.modules or 'sqlalchemy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_function_of_ours_is_overloaded(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT proname FROM pg_proc p WHERE pronamespace IN ('public'::regnamespace, 'stc'::regnamespace) AND NOT EXISTS"
        " (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
        " GROUP BY 1 HAVING count(*) > 1"
    ).fetchall()
    assert {name for (name,) in rows} == OVERLOADED
