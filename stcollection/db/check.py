"""Check that the rows of a collection agree, and that its indexes match them (sql/db/collection_problems.sql)."""

from __future__ import annotations

from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate


class CollectionProblem(NamedTuple):
    """Rows that contradict others, or an index that does not match its rows.

    :param problem: ``duplicate``, ``orphan``, ``incomplete``, ``stale index`` or ``invalid index``.
    :param relation: the table; for a vector index its model and field.
    :param rows: number of duplicate names, of rows that refer to missing ones, or of documents; None for an index.
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
    with conn.cursor(row_factory=class_row(CollectionProblem)) as cursor:
        return cursor.execute("SELECT * FROM stc.collection_problems()").fetchall()
