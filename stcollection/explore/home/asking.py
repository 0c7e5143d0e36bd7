"""What the home tab shows: counts, problems, editions, runs, who judged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import psycopg

from stcollection.corpus import ledger
from stcollection.errors import translate
from stcollection.qrels.editions import EditionOverview, editions
from stcollection.runs.listing import RunOverview, runs
from stcollection.text import index as text_index
from stcollection.vectors.audit import Status, status
from stcollection.web.words import later

LATEST = 8  # runs listed
ANNOTATORS = 12  # annotators listed

_TOPICS = "SELECT count(*), count(DISTINCT topic) FROM queries"
_YEARS = "SELECT min(year), max(year) FROM dblp_facts"
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

    @property
    def newest(self) -> datetime | None:
        """Return when the newest run was stored."""
        return self.latest[0].made if self.latest else None


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
        latest=sorted(stored, key=lambda one: one.made, reverse=True)[:LATEST],
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
    found = []
    if text.get("built") is None:
        found.append(Repair(later("The text index is missing: BM25 and hybrid search need it."), "stc text index"))
    elif not text.get("sound"):
        stale = later("The text index is stale: results may be incomplete.")
        inconsistent = later("The text index is inconsistent: results may be incomplete.")
        found.append(Repair(stale if text.get("stale") else inconsistent, "stc text index"))
    if not vectors:
        found.append(Repair(later("There are no embeddings: dense and hybrid search need them."), "stc vectors embed"))
    found += [
        Repair(
            later("The index of the {field} embeddings of {model} is stale."),
            "stc vectors index",
            {"field": one.field, "model": one.model},
        )
        for one in vectors
        if one.stale
    ]
    return found
