"""Statistics of the judged queries of an edition by origin and form: number, length, judged and relevant documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.db.simulated import note_simulated
from stcollection.errors import StateError, translate
from stcollection.topics.sets import ALL

BY = ("origin", "type")


class OriginStatistics(NamedTuple):
    """One row of the SQL function origin_statistics.

    :param origin: None if queries are not grouped by origin; ``type`` is also None for queries without text.
    :param without_text: number of queries without text; lengths, in words, are over the others, None if there are no others.
    :param pool: number of (query, document) pairs that are judged or only pooled; ``judged`` and ``relevant`` count subsets.
    :param grades: mean number of documents per query with each grade, such as {"0": 85.2}; None if nothing is judged.
    """

    origin: str | None
    type: str | None
    queries: int
    without_text: int
    mean_words: float | None
    min_words: int | None
    max_words: int | None
    pool: int
    judged: int
    relevant: int
    pool_a_query: float
    judged_a_query: float
    relevant_a_query: float
    grades: dict[str, float] | None


@note_simulated("edition")
@translate()
def origin_statistics(
    conn: psycopg.Connection, *, edition: str, by: Sequence[str] = ("origin",), level: int = 1, queries: str = ALL
) -> list[OriginStatistics]:
    """Return statistics of the query groups, human queries first (sql/analysis/origin_statistics.sql).

    :param by: one or both of BY; if empty, one row for all queries.
    :param level: the lowest grade that counts as relevant.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: the edition or the set does not exist.
    :raises BadArgument: ``by`` contains another word.
    :raises StateError: the edition judges no query.
    """
    with conn.cursor(row_factory=class_row(OriginStatistics)) as cursor:
        rows = cursor.execute(
            "SELECT * FROM stc.origin_statistics(%s, %s::text[], %s, %s)", [edition, list(by), level, queries]
        ).fetchall()
    if not rows:
        raise StateError(f"{edition!r} judges no query", hint="Import judgments with 'stc qrels import'.", sqlstate="IR405")
    return rows
