"""The collection's contents, from the functions behind the status commands."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from stcollection.complexity import credibility
from stcollection.corpus import ledger
from stcollection.errors import translate
from stcollection.qrels.editions import EditionOverview, editions
from stcollection.runs.listing import RunOverview as Run
from stcollection.runs.listing import runs
from stcollection.text import index as text_index
from stcollection.vectors.audit import Status, status

_COMPUTED = "SELECT count(*) FROM st1_complexity_metrics"
_YEARS = "SELECT year, count(*) FROM dblp_facts WHERE year IS NOT NULL GROUP BY year ORDER BY year"


class Corpus(NamedTuple):
    """Statistics of the corpus.

    :param counts: as 'stc corpus status' prints them; of a large collection, documents and estimated abstracts.
    :param years: (year, documents); documents without a year are omitted. :param files: headers and rows of the ledger.
    :param estimated: the number of abstracts is.
    """

    counts: dict[str, int]
    years: list[tuple[int, int]]
    files: tuple[list[str], list[tuple[object, ...]]]
    estimated: bool = False


class EditionCounts(NamedTuple):
    editions: list[EditionOverview]
    runs: list[Run]


class Indexes(NamedTuple):
    """State of the indexes.

    :param text: rows of text_status as a dictionary. :param readability: (what, count, note) from complexity_status; of a large
        collection, only how many documents have measures.
    """

    text: dict[str, object]
    vectors: list[Status]
    readability: list[tuple[str, int, str | None]]


@translate()
def corpus(conn: psycopg.Connection) -> Corpus:
    """Return statistics of the documents. Authors and citations of a large collection take minutes to count."""
    size = ledger.size(conn)
    counts = {"documents": size.documents, "abstracts": size.abstracts} if size.estimated else dict(ledger.status(conn))
    return Corpus(counts, conn.execute(_YEARS).fetchall(), ledger.files(conn), size.estimated)


def judged(conn: psycopg.Connection) -> EditionCounts:
    """Return the editions and the runs."""
    return EditionCounts(editions(conn), runs(conn))


def indexes(conn: psycopg.Connection) -> Indexes:
    """Return the state of indexes and readability measures.

    Runs no recall audit. Abstracts without measures are not counted in a large collection, because all would be read.
    """
    if ledger.size(conn).estimated:
        [(count,)] = conn.execute(_COMPUTED).fetchall()
        computed: list[tuple[str, int, str | None]] = [("computed", count, None)]
    else:
        computed = [(what, count, note) for part, what, count, note in credibility.status(conn) if part == "readability"]
    return Indexes(dict(text_index.status(conn)), status(conn, estimate=True), computed)
