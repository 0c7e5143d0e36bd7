"""What a collection contains: an overview with problems to repair, statistics of the documents, and the state of the indexes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import psycopg

from stcollection.complexity import credibility
from stcollection.corpus import ledger
from stcollection.errors import translate
from stcollection.qrels.editions import EditionOverview, editions
from stcollection.runs.listing import RunOverview, runs
from stcollection.text import index as text_index
from stcollection.texts import later
from stcollection.vectors.audit import Status, status

LATEST = 8  # runs listed
ANNOTATORS = 12  # annotators listed

_TOPICS = "SELECT count(*), count(DISTINCT topic) FROM queries"
_YEARS = "SELECT min(year), max(year) FROM dblp_facts"
_COMPUTED = "SELECT count(*) FROM st1_complexity_metrics"
_DOCUMENTS_BY_YEAR = "SELECT year, count(*) FROM dblp_facts WHERE year IS NOT NULL GROUP BY year ORDER BY year"
_JUDGED = (
    "SELECT annotator, origin, array_agg(DISTINCT edition ORDER BY edition), count(*) FROM judgments"
    " GROUP BY annotator, origin ORDER BY count(*) DESC, annotator LIMIT %s"
)


class AnnotatorCounts(NamedTuple):
    """Judgments by one annotator. :param annotator: None if judgments have none. :param editions: ordered by name."""

    annotator: str | None
    origin: str
    editions: list[str]
    judgments: int


class Repair(NamedTuple):
    """Something to repair.

    :param what: a text with placeholders, in English. :param action: the command that repairs it, or None.
    :param values: for the placeholders.
    """

    what: str
    action: str | None
    values: dict[str, str] = {}  # noqa: RUF012  nobody changes it


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A collection at a glance.

    :param size: documents and abstracts. :param years: first and last year, each None without documents that have a year.
    :param latest: runs, the newest first. :param runs: number of runs. :param pools: number of pools; 0 for
        readers and participants.
    """

    size: ledger.CorpusSize
    queries: int
    topics: int
    years: tuple[int | None, int | None]
    editions: list[EditionOverview]
    latest: list[RunOverview]
    runs: int
    judges: list[AnnotatorCounts]
    pools: int
    problems: list[Repair]


@translate()
def overview(conn: psycopg.Connection) -> Overview:
    """Return the overview of a collection, as far as the role can see it."""
    size = ledger.size(conn)
    stored = runs(conn)
    [(queries, topics)] = conn.execute(_TOPICS).fetchall()
    [(first, last)] = conn.execute(_YEARS).fetchall()
    [(may,)] = conn.execute("SELECT stc.sees_all_rows()").fetchall()
    [(pools,)] = conn.execute("SELECT count(*) FROM stc_all.qrels_pools").fetchall() if may else [(0,)]
    return Overview(
        size=size,
        queries=queries,
        topics=topics,
        years=(first, last),
        editions=editions(conn),
        latest=sorted(stored, key=lambda run: run.made, reverse=True)[:LATEST],
        runs=len(stored),
        judges=[AnnotatorCounts(*row) for row in conn.execute(_JUDGED, [ANNOTATORS])],
        pools=pools,
        problems=problems(size.documents, dict(text_index.status(conn)), status(conn, estimate=True)),
    )


def problems(documents: int, text: dict[str, object], vectors: list[Status]) -> list[Repair]:
    """Return what keeps searches from being complete, each with its command.

    :param documents: number of documents. :param text: from the text index's status. :param vectors: from the vectors' status.
    """
    if not documents:
        return [Repair(later("No documents are loaded."), "stc load FOLDER")]
    repairs = []
    if text.get("built") is None:
        repairs.append(Repair(later("The text index is missing: BM25 and hybrid search need it."), "stc text index"))
    elif not text.get("sound"):
        stale = later("The text index is stale: results may be incomplete.")
        inconsistent = later("The text index is inconsistent: results may be incomplete.")
        repairs.append(Repair(stale if text.get("stale") else inconsistent, "stc text index"))
    if not vectors:
        repairs.append(Repair(later("There are no embeddings: dense and hybrid search need them."), "stc vectors embed"))
    repairs += [
        Repair(
            later("The index of the {field} embeddings of {model} is stale."),
            "stc vectors index",
            {"field": index.field, "model": index.model},
        )
        for index in vectors
        if index.stale
    ]
    return repairs


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
    runs: list[RunOverview]


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
    return Corpus(counts, conn.execute(_DOCUMENTS_BY_YEAR).fetchall(), ledger.files(conn), size.estimated)


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
