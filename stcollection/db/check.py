"""Check rows and indexes of a collection (sql/db/collection_problems.sql), and that nobody replaced its functions."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from stcollection.db.objects import drift, registered
from stcollection.db.rows import records
from stcollection.errors import translate


class CollectionProblem(NamedTuple):
    """Rows that contradict others, or an index that does not match its rows.

    :param problem: ``duplicate``, ``orphan``, ``wrong ranks``, ``incomplete``, ``stale index``, ``invalid index``, ``replaced`` or
        ``same name``.
    :param relation: the table or function; for a vector index its model and field.
    :param rows: number of duplicate names, of rows that refer to missing ones, of rankings, or of documents; None for an index.
    :param examples: at most five docnos, ids or names. :param advice: the next step.
    """

    problem: str
    relation: str
    rows: int | None
    examples: list[str]
    advice: str

    def cells(self) -> tuple[str, str, int | None, str, str]:
        """Return the fields for a table, with the examples as one text."""
        return self.problem, self.relation, self.rows, ", ".join(self.examples), self.advice


@translate()
def problems(conn: psycopg.Connection) -> list[CollectionProblem]:
    """Return the problems of a collection, on one server or distributed; empty without problems."""
    rows = records(conn, CollectionProblem, "SELECT * FROM stc.collection_problems()")
    return rows + code_problems(conn)


# Functions of others in our schemas that have the name of one of ours: a call may mean them.
_SAME_NAME = """
SELECT p.oid::regprocedure::text FROM pg_proc p
 WHERE p.pronamespace IN ('public'::regnamespace, 'stc'::regnamespace)
   AND p.proname IN (SELECT r.proname FROM stc.collection_objects() o JOIN pg_proc r ON r.oid = o.oid WHERE o.kind = 'ROUTINE')
   AND p.oid NOT IN (SELECT o.oid FROM stc.collection_objects() o WHERE o.kind = 'ROUTINE' AND o.oid IS NOT NULL)
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
 ORDER BY 1
"""


def code_problems(conn: psycopg.Connection) -> list[CollectionProblem]:
    """Return functions and views of the collection that someone replaced or dropped, and functions that share their names."""
    restore = (
        f"'stc --db {conn.info.dbname} db upgrade --force' restores the collection's own; create yours in a schema of your own"
    )
    known = registered(conn)
    changed = [
        CollectionProblem("replaced", obj.partition(" ")[2], None, [path], f"{restore}: 'stc psql --schema mine'.")
        for path in drift(conn)
        for obj in known[path]
    ]
    for (name,) in conn.execute(_SAME_NAME).fetchall():
        advice = f"Move it to a schema of your own: ALTER FUNCTION {name} SET SCHEMA mine;"
        changed.append(CollectionProblem("same name", name, None, [], advice))
    return changed
