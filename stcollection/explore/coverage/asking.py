"""Work of the topic coverage tab, in a thread beside the page."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module

import psycopg

from stcollection.errors import StcError, translate
from stcollection.explore.marks import marked
from stcollection.studies.coverage.cover import find_documents
from stcollection.studies.coverage.records import Coverage, CoverageOptions, WordDocument
from stcollection.studies.coverage.store import CoverageRequest, get_coverage

SHOWN = 20  # documents listed per topic
_SLOW = ("sklearn.decomposition", "mlxtend.frequent_patterns", "concepts")


class Left(StcError):
    """Raised in the worker thread after the reader cancelled the task."""


class Work:
    """State shared by the page and its worker thread: the steps begun so far, and whether the reader cancelled."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.left = threading.Event()

    def tell(self, step: str) -> None:
        if self.left.is_set():
            raise Left("cancelled")
        self.steps.append(step)


@cache
def warm() -> None:
    """Import the packages for LDA and itemsets in the background: this takes seconds, once per process."""
    threading.Thread(target=lambda: [import_module(name) for name in _SLOW], daemon=True).start()


def find(conn: psycopg.Connection, asked: CoverageRequest, options: CoverageOptions, work: Work) -> Coverage:
    return get_coverage(conn, asked, options=options.checked(), store=False, on_step=work.tell)


@translate()
def holding(conn: psycopg.Connection, words: Sequence[str], within: str) -> tuple[list[WordDocument], dict[str, int]]:
    """Return the first documents with some words, which are marked, and dblp.id of each docno."""
    rows = find_documents(conn, words, k=SHOWN, within=within)
    texts = iter(marked(conn, [text for row in rows for text in (row.title, row.abstract)], words=words))
    rows = [row._replace(title=next(texts), abstract=next(texts)) for row in rows]
    ids = conn.execute("SELECT docno, doc FROM documents WHERE docno = ANY(%s)", [[one.docno for one in rows]]).fetchall()
    return rows, dict(ids)
