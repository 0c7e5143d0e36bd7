"""What a collection contains: an overview with problems to repair, statistics of the documents, and the state of the indexes."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import NamedTuple

import psycopg

from stcollection.complexity import credibility
from stcollection.corpus import ledger
from stcollection.db.roles import sees_all_rows
from stcollection.db.status import disk_usage
from stcollection.errors import translate
from stcollection.evaluation.score import leaderboard, unscored_runs
from stcollection.qrels.editions import EditionOverview, editions
from stcollection.qrels.pools import PoolOverview, pools
from stcollection.runs.listing import RunOverview, runs
from stcollection.text import index as text_index
from stcollection.texts import later
from stcollection.vectors.audit import Status, status

LATEST = 8  # runs listed
_COUNTED = 20_000  # documents whose authors, citations and abstracts without measures are counted: reading them takes .2 s
ANNOTATORS = 12  # annotators listed

_TOPICS = "SELECT count(*), count(DISTINCT topic) FROM queries"
_YEARS = "SELECT min(year), max(year) FROM dblp_facts WHERE year > 0"  # some sources write 0 for an unknown year
_COMPUTED = "SELECT count(*) FROM st1_complexity_metrics"
_DOCUMENTS_BY_YEAR = "SELECT year, count(*) FROM dblp_facts WHERE year > 0 GROUP BY year ORDER BY year"
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
    """Something to repair, or a next step.

    :param what: a text with placeholders, in English. :param action: the command that repairs it, or None.
    :param values: for the placeholders.
    """

    what: str
    action: str | None
    values: dict[str, str] = {}  # noqa: RUF012  nobody changes it

    def __str__(self) -> str:
        return self.what.format(**self.values)


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A collection at a glance.

    :param size: documents and abstracts. :param years: first and last year, each None without documents that have a year.
    :param latest: runs, the newest first. :param runs: number of runs.
    :param pools: those that the role may see; none for readers and participants.
    :param unscored: by edition, the runs whose scores the next command computes again; empty for readers and participants.
    :param text: the state of the text index (sql/text/text_status.sql). :param vectors: of each model and field.
    :param problems: faults that make searches incomplete. :param next: the problems, then the next steps.
    """

    size: ledger.CorpusSize
    queries: int
    topics: int
    years: tuple[int | None, int | None]
    editions: list[EditionOverview]
    latest: list[RunOverview]
    runs: int
    judges: list[AnnotatorCounts]
    pools: list[PoolOverview]
    unscored: dict[str, list[str]]
    text: dict[str, object]
    vectors: list[Status]
    problems: list[Repair]
    next: list[Repair]


@dataclass(frozen=True, kw_only=True)
class CollectionStatus(Overview):
    """An overview, with values that take longer to read in a large collection.

    :param judged: by edition, the run with the smallest Judged@10 and this share; only editions with stored scores of all runs.
    :param readable: abstracts with readability measures; not counted in a large collection. :param disk: bytes.
    """

    judged: dict[str, tuple[str, float]]
    readable: int | None
    disk: int


@translate()
def overview(conn: psycopg.Connection) -> Overview:
    """Return the overview of a collection, as far as the role can see it."""
    size = ledger.size(conn)
    stored = runs(conn)
    [(queries, topics)] = conn.execute(_TOPICS).fetchall()
    [(first, last)] = conn.execute(_YEARS).fetchall()
    may = sees_all_rows(conn)
    judgments, unscored = editions(conn), unscored_runs(conn)
    text, vectors = dict(text_index.status(conn)), status(conn, estimate=True)
    repairs = problems(size.documents, text, vectors)
    made = pools(conn) if may else []
    return Overview(
        size=size,
        queries=queries,
        topics=topics,
        years=(first, last),
        editions=judgments,
        latest=sorted(stored, key=lambda run: run.made, reverse=True)[:LATEST],
        runs=len(stored),
        judges=[AnnotatorCounts(*row) for row in conn.execute(_JUDGED, [ANNOTATORS])],
        pools=made,
        unscored=unscored,
        text=text,
        vectors=vectors,
        problems=repairs,
        next=repairs + _next_steps(size.documents, queries, len(stored), judgments, unscored, made, embedded=bool(vectors)),
    )


@translate()
def collection_status(conn: psycopg.Connection) -> CollectionStatus:
    """Return the overview of a collection with its disk usage and how far runs are judged, as far as the role can see it."""
    seen = overview(conn)
    may = sees_all_rows(conn)
    scored = [edition.edition for edition in seen.editions if may and edition.edition not in seen.unscored]
    return CollectionStatus(
        **vars(seen),
        judged=_least_judged(conn, scored),
        readable=None if seen.size.estimated else conn.execute(_COMPUTED).fetchall()[0][0],
        disk=sum(size for _, size in disk_usage(conn)),
    )


def _least_judged(conn: psycopg.Connection, editions: list[str]) -> dict[str, tuple[str, float]]:
    """Return, by edition, the run with the smallest share of judged documents among its first ten, and this share."""
    boards = {edition: leaderboard(conn, edition, measures=["Judged@10"]) for edition in editions}
    standings = {edition: board[-1] for edition, board in boards.items() if board}
    return {edition: (standing.run, standing.values[0]) for edition, standing in standings.items()}


def _next_steps(
    documents: int,
    queries: int,
    runs: int,
    judgments: list[EditionOverview],
    unscored: dict[str, list[str]],
    made: list[PoolOverview],
    *,
    embedded: bool,
) -> list[Repair]:
    """Return what a person does next, in the order of the stages."""
    steps = []
    if documents and not queries:
        steps.append(Repair(later("No queries are loaded."), "stc load --as topics FILE"))
    if documents and queries and not runs:
        steps.append(Repair(later("No run is stored."), "stc run --all" if embedded else "stc run bm25"))
    steps += [
        Repair(
            later("{judged} of {documents} documents of the pool {pool} are judged."),
            f"stc judge {shlex.quote(pool.pool)} --annotator NAME",
            {"judged": f"{pool.judged:,}", "documents": f"{pool.documents:,}", "pool": pool.pool},
        )
        for pool in made
        if pool.judged < pool.documents
    ]
    if runs and not judgments and not made:
        steps.append(Repair(later("No judgments are stored."), "stc load --as qrels FILE --edition NAME"))
    steps += [
        Repair(
            later("Runs to score by the edition {edition}: {count}."),
            f"stc score --edition {shlex.quote(edition)}",
            {"edition": edition, "count": f"{len(names):,}"},
        )
        for edition, names in unscored.items()
    ]
    return steps


def problems(documents: int, text: dict[str, object], vectors: list[Status]) -> list[Repair]:
    """Return what keeps searches from being complete, each with its command.

    :param documents: number of documents. :param text: from the text index's status. :param vectors: from the vectors' status.
    """
    if not documents:
        return [Repair(later("No documents are loaded."), "stc load FOLDER")]
    repairs = []
    if text.get("built") is None:
        repairs.append(Repair(later("The text index is missing: BM25 and hybrid search need it."), "stc index"))
    elif not text.get("sound"):
        stale = later("The text index is stale: results may be incomplete.")
        inconsistent = later("The text index is inconsistent: results may be incomplete.")
        repairs.append(Repair(stale if text.get("stale") else inconsistent, "stc index"))
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

    :param counts: as 'stc show corpus' prints them; of a large collection (``large``), only documents and abstracts.
    :param years: (year, documents); documents without a year are omitted. :param files: headers and rows of the ledger.
    :param estimated: the number of abstracts is.
    """

    counts: dict[str, int]
    years: list[tuple[int, int]]
    files: tuple[list[str], list[tuple[object, ...]]]
    estimated: bool = False
    large: bool = False


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
    """Return statistics of the documents. Authors and citations of a large collection take seconds to minutes to count."""
    size = ledger.size(conn)
    large = size.documents > _COUNTED
    counts = {"documents": size.documents, "abstracts": size.abstracts} if large else dict(ledger.status(conn))
    return Corpus(counts, conn.execute(_DOCUMENTS_BY_YEAR).fetchall(), ledger.files(conn), size.estimated, large)


def judged(conn: psycopg.Connection) -> EditionCounts:
    """Return the editions and the runs."""
    return EditionCounts(editions(conn), runs(conn))


def indexes(conn: psycopg.Connection) -> Indexes:
    """Return the state of indexes and readability measures.

    Runs no recall audit. Abstracts without measures are not counted in a large collection, because all would be read.
    """
    if ledger.size(conn).documents > _COUNTED:
        [(count,)] = conn.execute(_COMPUTED).fetchall()
        computed: list[tuple[str, int, str | None]] = [("computed", count, None)]
    else:
        computed = [(what, count, note) for part, what, count, note in credibility.status(conn) if part == "readability"]
    return Indexes(dict(text_index.status(conn)), status(conn, estimate=True), computed)
