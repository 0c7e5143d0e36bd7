"""Statistics of the judged queries of an edition by origin and form: number, length, judged and relevant documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.parameters import EditionArgument, Grade, QuerySet, set_of
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


@declare
@note_simulated("edition")
@translate()
def origin_statistics(
    conn: psycopg.Connection,
    *,
    edition: EditionArgument,
    by: Annotated[Sequence[str], Option(metavar="WORDS", separated=True)] = ("origin",),
    level: Annotated[int, Grade, Option("-l", "--min-grade")] = 1,
    queries: QuerySet = ALL,
) -> list[OriginStatistics]:
    """Return statistics of the query groups, human queries first (sql/analysis/origin_statistics.sql).

    Without a grouping, return one row for all queries.

    :param by: Grouping: origin, type, or origin,type.
    :param level: Lowest grade that counts as relevant. Gains do not change.
    :raises UnknownObject: the edition or the set does not exist.
    :raises BadArgument: ``by`` contains another word.
    :raises StateError: the edition judges no query.
    """
    for name in by:
        if name not in BY:
            raise BadArgument(f"queries by {name!r}", hint="Group by origin, type, or origin,type.")
    arguments = [edition, list(by), level, set_of(queries)]
    rows = records(conn, OriginStatistics, "SELECT * FROM stc.origin_statistics(%s, %s::text[], %s, %s)", arguments)
    if not rows:
        raise StateError(f"{edition!r} judges no query", hint="Import judgments with 'stc load --as qrels'.", sqlstate="IR405")
    return rows
