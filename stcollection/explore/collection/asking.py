"""What the collection holds, from the functions that the status commands print."""

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

_YEARS = "SELECT year, count(*) FROM dblp_facts WHERE year IS NOT NULL GROUP BY year ORDER BY year"


class Corpus(NamedTuple):
    """The figures of the collection tab about the corpus.

    :param counts: as 'stc corpus status' has them. :param years: documents by year, those without one left out.

    :param files: the ledger's headers and rows.
    """

    counts: dict[str, int]
    years: list[tuple[int, int]]
    files: tuple[list[str], list[tuple[object, ...]]]


class EditionCounts(NamedTuple):
    editions: list[EditionOverview]
    runs: list[Run]


class Indexes(NamedTuple):
    """The figures of the collection tab about indexes.

    :param text: what and value of text_status. :param readability: what, count and note of the part of complexity_status.
    """

    text: dict[str, object]
    vectors: list[Status]
    readability: list[tuple[str, int, str | None]]


@translate()
def corpus(conn: psycopg.Connection) -> Corpus:
    """The documents."""
    return Corpus(dict(ledger.status(conn)), conn.execute(_YEARS).fetchall(), ledger.files(conn))


def judged(conn: psycopg.Connection) -> EditionCounts:
    """The editions of the judgments, and the runs."""
    return EditionCounts(editions(conn), runs(conn))


def indexes(conn: psycopg.Connection) -> Indexes:
    """The indexes and what was computed of documents; nothing is audited."""
    computed = [(what, count, note) for part, what, count, note in credibility.status(conn) if part == "readability"]
    return Indexes(dict(text_index.status(conn)), status(conn), computed)
