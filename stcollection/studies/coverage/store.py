"""Coverages kept under names, and taken again where nothing has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from hashlib import sha256
from importlib.util import find_spec
from typing import Any, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, StateError, UnknownObject, translate
from stcollection.studies.coverage.cover import Tell, cover, state_of
from stcollection.studies.coverage.near import nearest
from stcollection.studies.coverage.records import Coverage, CoverageOptions, Topic
from stcollection.vectors.model import Encoder


class CoverageRequest(NamedTuple):
    """A coverage to compute.

    :param coverage: the name it is kept under. :param query: whose text it is; None for a text of its own.
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
    """The long queries of the collection (sql/studies/coverage/coverage_long_queries.sql)."""
    return [
        CoverageRequest(query, query, text) for query, text in conn.execute("SELECT query, text FROM stc.coverage_long_queries()")
    ]


@translate()
def stored_queries(conn: psycopg.Connection, names: list[str]) -> list[CoverageRequest]:
    """Stored queries by name, in their order.

    :raises UnknownObject: there is no such query. :raises StateError: one has no text.
    """
    return [
        CoverageRequest(query, query, text)
        for query, text in conn.execute("SELECT query, text FROM stc.coverage_queries(%s)", [names])
    ]


def a_text(text: str, name: str | None = None) -> CoverageRequest:
    """A text of its own, under a name that is made of it unless there is one."""
    return CoverageRequest(name or f"text-{sha256(text.encode()).hexdigest()[:8]}", None, text)


def chosen(
    conn: psycopg.Connection, *, names: Sequence[str] = (), text: str | None = None, name: str | None = None
) -> list[CoverageRequest]:
    """What to cover: a text, or stored queries; the long queries of the collection if neither is given.

    :param name: to keep the coverage of a single text or query under.
    :raises BadArgument: a text and queries, or a name that does not fit. :raises UnknownObject: there is no such query.
    :raises StateError: there are no long queries, or a library is missing.
    """
    if text is not None and names:
        raise BadArgument("a text and stored queries", hint="Give one of the two.", sqlstate="IR202")
    if name is not None and (not name.strip() or "\x00" in name or len(name) > 200):
        raise BadArgument(f"no name to keep it under: {name[:20]!r}", hint="Give --as a word.", sqlstate="IR202")
    if missing := [library for library in ("mlxtend", "concepts") if find_spec(library) is None]:
        raise StateError(f"topic coverage needs {', '.join(missing)}", hint="pip install 'stcollection[explore]'", sqlstate="IR404")
    if text is not None:
        return [a_text(text, name)]
    asked = stored_queries(conn, list(dict.fromkeys(names))) if names else long_queries(conn)
    if not asked:
        raise StateError("the collection has no long queries", hint="Name stored queries, or give --text.", sqlstate="IR405")
    if name is not None and len(asked) > 1:
        raise BadArgument(f"one name for {len(asked):,} queries", hint="--as is for one.", sqlstate="IR202")
    return asked if name is None else [asked[0]._replace(coverage=name)]


def covered(
    conn: psycopg.Connection,
    asked: CoverageRequest,
    *,
    options: CoverageOptions = CoverageOptions(),  # noqa: B008
    model: str | Encoder | None = None,
    store: bool = True,
    again: bool = False,
    tell: Tell | None = None,
) -> Coverage:
    """The topics of a text: those stored under its name if they are of the same text, options, nearest abstracts and state of the
    corpus; else found now.

    :param store: keep what is found, in the place of what is stored under the name. :param again: find them in any case.
    Raises as :func:`~stcollection.studies.coverage.cover.cover`.
    """
    options = options.checked()
    near = nearest(conn, asked.text, documents=options.documents, model=model)
    if not again:
        before = _kept(conn, asked.coverage)
        same = before is not None and (before.text, before.model, before.docs, before.options) == (asked.text, *near, options)
        if before is not None and same and before.state is not None and before.state == state_of(conn):
            return replace(before, stored=True)
    done = cover(conn, asked.text, options=options, model=model, near=near, tell=tell)
    if store:
        keep(conn, asked, done)
    return done


@translate()
def keep(conn: psycopg.Connection, asked: CoverageRequest, done: Coverage) -> None:
    """Store a coverage, in the place of what is stored under its name."""
    params = asdict(done.options) | {"least": done.support, "state": done.state, "notes": done.notes}
    topics = [asdict(one) for one in done.topics]
    with conn.transaction():
        conn.execute(
            "SELECT stc.coverage_keep(%s, %s, %s, %s, %s, %s, %s)",
            [asked.coverage, asked.query, done.text, done.model, done.docs, Jsonb(params), Jsonb(topics)],
        )


@translate()
def kept(conn: psycopg.Connection) -> list[KeptCoverage]:
    """All that are stored, by name."""
    rows = conn.execute(
        "SELECT coverage, query, text, documents, params, topics, itemsets, concepts, made FROM stc.coverage_overview()"
    )
    return [
        KeptCoverage(name, query, text, documents, _options(params), *rest) for name, query, text, documents, params, *rest in rows
    ]


def taken(conn: psycopg.Connection, name: str) -> Coverage:
    """A stored coverage by its name, as it was counted. :raises UnknownObject: there is none."""
    found = _kept(conn, name)
    if found is None:
        raise UnknownObject(f"no coverage {name!r}", hint="'stc coverage list' lists them.", sqlstate="IR114")
    return replace(found, stored=True)


@translate()
def drop(conn: psycopg.Connection, name: str) -> None:
    """Forget a stored coverage. :raises UnknownObject: there is none."""
    with conn.transaction():
        gone = conn.execute("DELETE FROM stc.coverages WHERE coverage = %s RETURNING id", [name]).fetchone()
    if gone is None:
        raise UnknownObject(f"no coverage {name!r}", hint="'stc coverage list' lists them.", sqlstate="IR114")


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
    return CoverageOptions(**{name: params[name] for name in asdict(CoverageOptions())})
