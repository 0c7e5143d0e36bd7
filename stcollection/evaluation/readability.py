"""How readable and credible what stored runs retrieve is. The numbers are SQL functions (sql/evaluation/run_readability.sql)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import translate

GRADE_LEVELS = ("textstat_fkgl", "cmu_fkgl")
_ROWS = (
    "refs, vocabulary, long_ratio, complex_ratio, fkgl, fkgl_median, citations, citation_percentile"
    " FROM {}_readability(%s::text[], %s::integer, %s, %s)"
)
_RUNS = "SELECT run, queries, documents, measured, listing, " + _ROWS.format("run")
_QUERIES = "SELECT run, query, documents, measured, listing, " + _ROWS.format("query")


class Readability(NamedTuple):
    """Of a run, over the documents of rank k or better of each query; one retrieved for two queries counts twice.

    :param queries: that it has documents for.
    :param documents: ranked; ``measured``: those with readability, ``listing``: those whose record lists references.
    :param refs: mean number of references of those listing them.
    :param vocabulary: different words of an abstract; this and what follows up to fkgl_median is of the documents measured.
    :param long_ratio: words of 7 characters or more, of complex_ratio 3 syllables or more, by words: mean of the documents' ratios.
    :param fkgl: mean Flesch-Kincaid grade level, years of US school; then the median.
    :param citations: mean number; ``citation_percentile``: mean, 0 to 100, among documents of the same year and field.

    None: of no document.
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
    """The same of one query of a run."""

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


#: The fields that are means (or the median), of which runs can be compared.
VALUES = QueryReadability._fields[5:]


@translate()
def readability(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str] = (),
    k: int = 10,
    edition: str | None = None,
    measure: str = "textstat_fkgl",
) -> list[Readability]:
    """What runs retrieve, a row a run, by name; a run without a document has a row of none.

    :param runs: all if empty. :param k: documents a query. :param edition: only the queries it judges; all if None.
    :param measure: one of GRADE_LEVELS.
    :raises UnknownObject: a run, the edition or the measure is not there. :raises BadArgument: k below 1.
    :raises StateError: no readability has been computed.
    """
    with conn.cursor(row_factory=class_row(Readability)) as cursor:
        return cursor.execute(_RUNS.encode(), [list(runs), k, edition, measure]).fetchall()


@translate()
def query_readability(
    conn: psycopg.Connection,
    *,
    runs: Sequence[str] = (),
    k: int = 10,
    edition: str | None = None,
    measure: str = "textstat_fkgl",
) -> list[QueryReadability]:
    """The same query by query, by run and query; a query that a run has nothing for has no row.

    Parameters and errors are those of :func:`readability`.
    """
    with conn.cursor(row_factory=class_row(QueryReadability)) as cursor:
        return cursor.execute(_QUERIES.encode(), [list(runs), k, edition, measure]).fetchall()
