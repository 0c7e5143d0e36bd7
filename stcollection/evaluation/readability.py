"""Readability and credibility of the documents that stored runs retrieve (sql/evaluation/run_readability.sql)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, columns_of, declare
from stcollection.errors import translate
from stcollection.evaluation.parameters import QuerySet, Runs, runs_of, set_of
from stcollection.topics.sets import ALL

if TYPE_CHECKING:
    import psycopg

GradeLevel = Literal["textstat_fkgl", "cmu_fkgl"]
_ROWS = (
    "refs, vocabulary, long_ratio, complex_ratio, fkgl, fkgl_median, citations, citation_percentile"
    " FROM {}_readability(%s::text[], %s::integer, %s, %s, %s)"
)
_RUNS = "SELECT run, queries, documents, measured, listing, " + _ROWS.format("run")
_QUERIES = "SELECT run, query, documents, measured, listing, " + _ROWS.format("query")


class Readability(NamedTuple):
    """Means of one run over the documents it ranks up to k; a document retrieved for two queries counts twice.

    A value is None if no document has it.

    :param queries: number of queries that the run has documents for.
    :param documents: number of ranked documents.
    :param measured: number of documents with readability.
    :param listing: number of documents whose record lists references.
    :param refs: mean number of references, over documents that list them.
    :param vocabulary: number of distinct words of an abstract; this and the fields up to fkgl_median cover the measured documents.
    :param long_ratio: share of words with 7 or more characters, averaged over documents.
    :param complex_ratio: share of words with 3 or more syllables, averaged over documents.
    :param fkgl: mean Flesch-Kincaid grade level, years of US school; ``fkgl_median`` is the median.
    :param citations: mean number of citations.
    :param citation_percentile: mean percentile, 0 to 100, among documents of the same year and field.
    """

    run: str
    queries: int
    documents: int
    measured: int
    listing: int
    refs: float | None
    vocabulary: float | None
    long_ratio: float | None
    complex_ratio: float | None
    fkgl: float | None
    fkgl_median: float | None
    citations: float | None
    citation_percentile: float | None


class QueryReadability(NamedTuple):
    """The same values for one query of a run."""

    run: str
    query: str
    documents: int
    measured: int
    listing: int
    refs: float | None
    vocabulary: float | None
    long_ratio: float | None
    complex_ratio: float | None
    fkgl: float | None
    fkgl_median: float | None
    citations: float | None
    citation_percentile: float | None


#: The fields that are means (or the median), by which runs can be compared.
VALUES = QueryReadability._fields[5:]


@note_simulated("edition")
@translate()
def readability(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str] = (),
    k: int = 10,
    edition: str | None = None,
    measure: str = "textstat_fkgl",
    queries: str = ALL,
) -> list[Readability]:
    """Return the readability of the documents that runs retrieve, one row per run, by name.

    A run without documents has a row without values.

    :param runs: names; all if empty.
    :param k: number of documents per query.
    :param edition: use only the queries it judges; None: all queries.
    :param measure: a GradeLevel.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: a run, the edition, the measure or the set does not exist.
    :raises BadArgument: k is below 1.
    :raises StateError: no readability has been computed.
    """
    from psycopg.rows import class_row

    with conn.cursor(row_factory=class_row(Readability)) as cursor:
        return cursor.execute(_RUNS.encode(), [list(runs), k, edition, measure, queries]).fetchall()


@note_simulated("edition")
@translate()
def query_readability(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str] = (),
    k: int = 10,
    edition: str | None = None,
    measure: str = "textstat_fkgl",
    queries: str = ALL,
) -> list[QueryReadability]:
    """Return the same values per run and query, sorted by both. A query for which a run has nothing has no row.

    Parameters and errors are those of :func:`readability`.
    """
    from psycopg.rows import class_row

    with conn.cursor(row_factory=class_row(QueryReadability)) as cursor:
        return cursor.execute(_QUERIES.encode(), [list(runs), k, edition, measure, queries]).fetchall()


@declare
@note_simulated("edition")
def read_readability(
    conn: psycopg.Connection,
    runs: Runs = None,
    *,
    k: Annotated[int, AllowedRange(ge=1, le=2**31 - 1), Option("--cutoff")] = 10,
    edition: Annotated[str | None, Option(metavar="EDITION", default="all queries of the runs")] = None,
    queries: QuerySet = ALL,
    measure: Annotated[GradeLevel | str, Option("-m")] = "textstat_fkgl",
    per_query: Annotated[bool, Option("-q")] = False,
) -> RecordTable[Any]:
    """Report the readability and credibility of the top documents of runs. Without runs, report all runs.

    Each row is a run, with the fields of :class:`Readability`, or a run and a query.

    :param k: Number of documents per query.
    :param edition: Use only the queries judged in EDITION.
    :param measure: Version of the Flesch-Kincaid grade level.
    :param per_query: Print one row per query of each run.
    :raises StcError: as for :func:`readability`.
    """
    read: Any = query_readability if per_query else readability
    rows = read(conn, runs=runs_of(runs), k=k, edition=edition, measure=measure, queries=set_of(queries))
    return RecordTable(rows, columns=columns_of(QueryReadability if per_query else Readability))
