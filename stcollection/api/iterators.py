"""Iterators over documents, queries, judgments and rankings, as in ir_datasets. Rows are streamed from the server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Generic, LiteralString, TypeVar, overload

import psycopg

from stcollection.api.records import Document, Qrel, Query, ScoredDoc
from stcollection.db.sessions import open_session
from stcollection.errors import BadArgument, UnknownObject, translate

Connect = Callable[[], psycopg.Connection]
T = TypeVar("T", bound=tuple[Any, ...])

_AT_ONCE = 2000  # rows fetched at a time

_DOCUMENTS: LiteralString = (
    "SELECT d.docno, coalesce(t.title, ''), coalesce(t.abstract, ''), coalesce(f.venue, ''), f.year"
    " FROM dblp d LEFT JOIN dblp_text t ON t.id = d.id LEFT JOIN dblp_facts f ON f.id = d.id WHERE NOT d.stub"
)
# Condition: query q is judged in the edition; true for all queries if no edition is given.
_JUDGED: LiteralString = (
    " (%(edition)s::text IS NULL OR q.id IN (SELECT j.query FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition"
    " WHERE e.edition = %(edition)s))"
)


def connect(dsn: str) -> psycopg.Connection:
    """Open a separate connection for an iterator, so that an unfinished iterator does not block the collection's connection."""
    with translate():
        return open_session(dsn)


class Rows(Generic[T]):
    """An iterator over the rows of a statement, with a server-side cursor on a separate connection and constant memory.

    It can be sliced like the iterators of ir_datasets: ``rows[10:20]``, ``rows[::100]``, ``rows[-1]``. The server skips other rows.

    :param statement: must have a deterministic order.
    """

    def __init__(
        self,
        connect: Connect,
        make: Callable[..., T],
        statement: LiteralString,
        arguments: dict[str, Any],
        *,
        places: range | None = None,
    ) -> None:
        self._connect = connect
        self._make = make
        self._statement = statement
        self._arguments = arguments
        self._places = places
        self._rows: Iterator[T] | None = None

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        if self._rows is None:
            self._rows = _stream(self._connect, self._make, self._statement, self._arguments, self._places)
        return next(self._rows)

    def count(self) -> int:
        """Return the number of rows. There is no ``len()``, because ``list()`` would call it and count the rows first."""
        return len(self._range())

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> Rows[T]: ...
    def __getitem__(self, key: int | slice) -> T | Rows[T]:
        places = self._range()
        if isinstance(key, slice):
            if (key.step or 1) < 1:
                raise BadArgument(f"the step is {key.step}", hint="Use 1 or more.")
            return Rows(self._connect, self._make, self._statement, self._arguments, places=places[key])
        place = places[key]
        return next(Rows(self._connect, self._make, self._statement, self._arguments, places=range(place, place + 1)))

    def _range(self) -> range:
        """Return the positions of these rows among the statement's rows."""
        if self._places is None:
            with closing(self._connect()) as conn, translate():
                row = conn.execute(f"SELECT count(*) FROM ({self._statement}) s", self._arguments).fetchone()  # noqa: S608  (ours)
            self._places = range(row[0] if row else 0)
        return self._places


def _stream(
    connect: Connect, make: Callable[..., T], statement: LiteralString, arguments: dict[str, Any], places: range | None
) -> Iterator[T]:
    """Yield the rows at some positions, all if None.

    This is not a method: without a reference to itself, the generator closes its connection as soon as it is deleted.
    """
    if places is not None:
        if not places:
            return
        statement += " OFFSET %(first)s LIMIT %(most)s"
        arguments = {**arguments, "first": places[0], "most": places[-1] - places[0] + 1}
    with closing(connect()) as conn, translate(), conn.transaction(), conn.cursor(name="rows") as cursor:
        cursor.itersize = _AT_ONCE
        cursor.execute(statement, arguments)
        for row in islice(cursor, 0, None, places.step if places else 1):
            yield make(*row)


def documents(connect: Connect) -> Rows[Document]:
    """Iterate over the documents of the corpus, by id, without stubs."""
    return Rows(connect, Document, _DOCUMENTS + " ORDER BY d.id", {})


def queries(connect: Connect, edition: str | None) -> Rows[Query]:
    """Iterate over the queries with a text, in the order they were stored; with an edition, only those it judges."""
    statement: LiteralString = "SELECT q.query, q.text FROM st1_queries q WHERE q.text IS NOT NULL AND" + _JUDGED + " ORDER BY q.id"  # noqa: S608
    return Rows(connect, Query, statement, {"edition": edition})


def judgments(connect: Connect, edition: str) -> Rows[Qrel]:
    """Iterate over the judgments of an edition, by query and docno."""
    statement: LiteralString = "SELECT query, docno, rel, '0' FROM stc.edition_judgments(%(edition)s)"
    return Rows(connect, Qrel, statement, {"edition": edition})


def ranked(connect: Connect, run: str, edition: str | None) -> Rows[ScoredDoc]:
    """Iterate over the documents of a run, by query and rank; with an edition, only for the queries it judges."""
    ranking: LiteralString = (
        "SELECT q.query, d.docno, r.rel_score FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run"
        " JOIN st1_queries q ON q.id = r.query JOIN dblp d ON d.id = r.doc WHERE n.run = %(run)s AND"
    )
    statement = ranking + _JUDGED + " ORDER BY q.query, r.rank"
    return Rows(connect, ScoredDoc, statement, {"run": run, "edition": edition})


@translate()
def require_edition(conn: psycopg.Connection, edition: str) -> None:
    """Check that an edition exists.

    :raises UnknownObject: it does not exist.
    """
    stored = [one for (one,) in conn.execute("SELECT edition FROM qrels_editions ORDER BY edition")]
    if edition not in stored:
        hint = f"Editions: {', '.join(stored)}." if stored else "No edition exists; 'stc load --as qrels' creates one."
        raise UnknownObject(f"there is no edition {edition!r}", hint=hint, sqlstate="IR102")


class Store:
    """Documents by docno, like a docstore of ir_datasets. Each call runs one SQL statement."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    def get(self, doc_id: str) -> Document:
        """Return one document.

        :raises KeyError: the document does not exist, as in ir_datasets.
        """
        return self.get_many([doc_id])[doc_id]

    def get_many(self, doc_ids: Iterable[str]) -> dict[str, Document]:
        """Return the documents that exist, by docno, in the requested order."""
        return {one.doc_id: one for one in self.get_many_iter(doc_ids)}

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[Document]:
        """Iterate over the documents that exist, in the requested order, fetched in batches."""
        wanted = iter(dict.fromkeys(doc_ids))
        while some := list(islice(wanted, _AT_ONCE)):
            found = self._found(some)
            yield from (found[one] for one in some if one in found)

    @translate()
    def _found(self, docnos: Sequence[str]) -> dict[str, Document]:
        with closing(self._connect()) as conn:
            rows = conn.execute(_DOCUMENTS + " AND d.docno = ANY (%s)", [list(docnos)])
            return {row[0]: Document(*row) for row in rows}
