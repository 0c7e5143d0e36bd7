"""The judged queries of an edition by what made them and by their form: how many, how long, how much is judged and relevant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import StateError, translate

BY = ("origin", "type")


class OriginStatistics(NamedTuple):
    """One row of the SQL function origin_statistics.

    :param origin: None where queries are not grouped by it; ``type`` also for queries without a text.
    :param without_text: of the queries; lengths, in words, are over the others, None where there is none.
    :param pool: pairs of a query and a document, judged or pooled alone; ``judged``, ``relevant`` of them.
    :param grades: documents a query of each grade, as {"0": 85.2}; None where nothing is judged.
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


@translate()
def origin_statistics(
    conn: psycopg.Connection, *, edition: str, by: Sequence[str] = ("origin",), level: int = 1
) -> list[OriginStatistics]:
    """The groups, human queries first (sql/analysis/origin_statistics.sql).

    :param by: of BY, one or both; none: one row for all queries. :param level: the least grade that is relevant.
    :raises UnknownObject: no such edition. :raises BadArgument: another word for by. :raises StateError: it judges no query.
    """
    with conn.cursor(row_factory=class_row(OriginStatistics)) as cursor:
        rows = cursor.execute("SELECT * FROM stc.origin_statistics(%s, %s::text[], %s)", [edition, list(by), level]).fetchall()
    if not rows:
        raise StateError(f"{edition!r} judges no query", hint="'stc qrels import' adds judgments.", sqlstate="IR405")
    return rows
