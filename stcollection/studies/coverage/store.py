"""Store coverages under names, and reuse them if nothing has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from hashlib import sha256
from importlib.util import find_spec
from typing import Annotated, Any, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.db.idle import Caller, call_here
from stcollection.declared import Option
from stcollection.errors import BadArgument, StateError, UnknownObject, translate
from stcollection.studies.coverage.cover import OnStep, cover, state_of
from stcollection.studies.coverage.near import nearest
from stcollection.studies.coverage.records import Coverage, CoverageOptions, Topic
from stcollection.vectors.model import Encoder

_OF_SET = "SELECT q.query, q.text FROM query_set(%s) JOIN st1_queries q USING (id) WHERE q.text ~ '\\S'"


class CoverageRequest(NamedTuple):
    """A coverage to compute.

    :param coverage: the name it is stored under.
    :param query: the query that the text belongs to; None for any other text.
    """

    coverage: str
    query: str | None
    text: str


class KeptCoverage(NamedTuple):
    coverage: str
    query: str | None
    text: str
    documents: int
    options: CoverageOptions
    topics: int
    itemsets: int
    concepts: int
    made: datetime


@translate()
def long_queries(conn: psycopg.Connection) -> list[CoverageRequest]:
    """Return the long queries of the collection (sql/topics/long_queries.sql)."""
    return [CoverageRequest(query, query, text) for query, text in conn.execute("SELECT query, text FROM stc.long_queries()")]


@translate()
def stored_queries(conn: psycopg.Connection, names: list[str]) -> list[CoverageRequest]:
    """Return stored queries by name, in the given order.

    :raises UnknownObject: a query does not exist.
    :raises StateError: a query has no text.
    """
    return [
        CoverageRequest(query, query, text)
        for query, text in conn.execute("SELECT query, text FROM stc.coverage_queries(%s)", [names])
    ]


def _of_set(conn: psycopg.Connection, queries: str) -> list[CoverageRequest]:
    rows = conn.execute(_OF_SET, [queries]).fetchall()
    if not rows:
        fault = f"no query of the set {queries[:80]!r} has a text"
        raise StateError(fault, hint="Load the topics of the queries.", sqlstate="IR405")
    return [CoverageRequest(query, query, text) for query, text in rows]


def make_request(text: str, name: str | None = None) -> CoverageRequest:
    """Return a request for a text, with a name derived from it unless given."""
    return CoverageRequest(name or f"text-{sha256(text.encode()).hexdigest()[:8]}", None, text)


def select_requests(
    conn: psycopg.Connection,
    *,
    names: Annotated[Sequence[str], Option("[QUERY]...")] = (),
    queries: str | None = None,
    text: Annotated[str | None, Option(metavar="TEXT")] = None,
    name: Annotated[str | None, Option("--as", metavar="NAME", default="the query's name")] = None,
) -> list[CoverageRequest]:
    """Return requests for a text, or for stored queries; for the long queries of the collection if neither is given.

    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`), of which those with a text are used.
    :param text: Use this text instead of stored queries.
    :param name: Name to store the result under, for one text or query.
    :raises BadArgument: more than one of a text, names and a set is given, or the name is not usable.
    :raises UnknownObject: a query or the set does not exist.
    :raises StateError: there are no long queries, or a library is missing.
    """
    if bool(names) + (text is not None) + (queries is not None) > 1:
        fault = "both a text and stored queries are given" if text is not None else "both names of queries and a set are given"
        raise BadArgument(fault, hint="Give only one of the two.")
    if name is not None and (not name.strip() or "\x00" in name or len(name) > 200):
        raise BadArgument(f"{name[:20]!r} cannot be used as a name", hint="Give a word with --as.")
    if missing := [library for library in ("mlxtend", "concepts") if find_spec(library) is None]:
        raise StateError(f"topic coverage needs {', '.join(missing)}", hint="pip install 'stcollection[explore]'", sqlstate="IR404")
    if text is not None:
        return [make_request(text, name)]
    requests = stored_queries(conn, [*dict.fromkeys(names)]) if names else _of_set(conn, queries) if queries else long_queries(conn)
    if not requests:
        raise StateError("the collection has no long queries", hint="Name stored queries, or give --text.", sqlstate="IR405")
    if name is not None and len(requests) > 1:
        raise BadArgument(f"one name is given for {counted(len(requests), 'query')}", hint="Use --as with one query only.")
    return requests if name is None else [requests[0]._replace(coverage=name)]


def get_coverage(
    conn: psycopg.Connection,
    request: CoverageRequest,
    *,
    options: CoverageOptions = CoverageOptions(),  # noqa: B008
    model: str | Encoder | None = None,
    store: bool = True,
    again: bool = False,
    on_step: OnStep | None = None,
    call: Caller = call_here,
) -> Coverage:
    """Return the topics of a text, stored or newly computed.

    The coverage stored under the name is returned if text, options, nearest abstracts and state of the corpus are the same.

    :param store: store a new result, and replace the one stored under the name.
    :param again: compute in any case.
    :raises StcError: as for :func:`~stcollection.studies.coverage.cover.cover`.
    """
    options = options.checked()
    near = nearest(conn, request.text, documents=options.documents, model=model)
    if not again:
        before = _kept(conn, request.coverage)
        same = before is not None and (before.text, before.model, before.docs, before.options) == (request.text, *near, options)
        if before is not None and same and before.state is not None and before.state == state_of(conn):
            return replace(before, stored=True)
    coverage = cover(conn, request.text, options=options, model=model, near=near, on_step=on_step, call=call)
    if store:
        store_coverage(conn, request, coverage)
    return coverage


@translate()
def store_coverage(conn: psycopg.Connection, request: CoverageRequest, coverage: Coverage) -> None:
    """Store a coverage, and replace the one stored under its name."""
    params = asdict(coverage.options) | {"least": coverage.support, "state": coverage.state, "notes": coverage.notes}
    topics = [asdict(topic) for topic in coverage.topics]
    with conn.transaction():
        conn.execute(
            "SELECT stc.coverage_keep(%s, %s, %s, %s, %s, %s, %s)",
            [request.coverage, request.query, coverage.text, coverage.model, coverage.docs, Jsonb(params), Jsonb(topics)],
        )


@translate()
def list_coverages(conn: psycopg.Connection) -> list[KeptCoverage]:
    """Return all stored coverages, by name."""
    rows = conn.execute(
        "SELECT coverage, query, text, documents, params, topics, itemsets, concepts, made FROM stc.coverage_overview()"
    )
    return [
        KeptCoverage(name, query, text, documents, _options(params), *rest) for name, query, text, documents, params, *rest in rows
    ]


def load_coverage(conn: psycopg.Connection, name: Annotated[str, Option("NAME")]) -> Coverage:
    """Return a stored coverage by its name, without recounting. :raises UnknownObject: it does not exist."""
    coverage = _kept(conn, name)
    if coverage is None:
        raise UnknownObject(f"no coverage {name!r}", hint="'stc show coverages' lists them.", sqlstate="IR114")
    return replace(coverage, stored=True)


@translate()
def drop_coverage(conn: psycopg.Connection, name: Annotated[str, Option("NAME")]) -> None:
    """Delete a stored coverage. :raises UnknownObject: it does not exist."""
    with conn.transaction():
        gone = conn.execute("DELETE FROM stc.coverages WHERE coverage = %s RETURNING id", [name]).fetchone()
    if gone is None:
        raise UnknownObject(f"no coverage {name!r}", hint="'stc show coverages' lists them.", sqlstate="IR114")


@translate()
def _kept(conn: psycopg.Connection, name: str) -> Coverage | None:
    row = conn.execute("SELECT id, text, model, docs, params FROM stc.coverages WHERE coverage = %s", [name]).fetchone()
    if row is None:
        return None
    key, text, model, docs, params = row
    topics = conn.execute(
        "SELECT kind, place, words, weight, count FROM stc.coverage_topics WHERE coverage = %s ORDER BY kind, place", [key]
    ).fetchall()
    return Coverage(
        text=text,
        model=model,
        options=_options(params),
        docs=docs,
        support=params["least"],
        state=params["state"],
        topics=[Topic(kind, place, tuple(words), weight, count) for kind, place, words, weight, count in topics],
        notes=params["notes"],
    )


def _options(params: dict[str, Any]) -> CoverageOptions:
    before = {"stop_words": False, "max_df": 1.0}  # of results stored before these options existed
    return CoverageOptions(**{name: (before | params)[name] for name in asdict(CoverageOptions())})
