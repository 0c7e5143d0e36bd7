"""Database access of the search tab: functions of a connection that call SQL functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import class_row, namedtuple_row
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, UnknownObject
from stcollection.retrieval import EMBEDDING, SYSTEMS
from stcollection.vectors.store import registered

STORED = 500  # stored queries offered in the list; any other name can be typed


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A search. :param filter: filter of ``system_search``, or None. :param model: a short name; None for the default."""

    text: str
    system: str
    k: int
    filter: dict[str, Any] | None
    model: str | None

    @property
    def dense(self) -> bool:
        return self.system in EMBEDDING


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A document on the page. :param title, snippet: words of the query are enclosed in U+E000 and U+E001."""

    rank: int
    score: float
    doc: int
    docno: str | None
    year: int | None
    venue: str | None
    citations: int | None
    title: str | None
    snippet: str | None
    authors: list[str] | None
    author_count: int


class JudgedResults(NamedTuple):
    edition: str
    query: str
    rel: int
    origin: str


class SearchOptions(NamedTuple):
    """Choices in the search form.

    :param systems: by name, why the system is unavailable, or None. :param models: short names, the default first.
    """

    systems: dict[str, str | None]
    models: list[str]
    stored: list[tuple[str, str]]
    readability: bool


class SearchPage(NamedTuple):
    """One page of search results.

    :param statement: SQL that returns the same page. :param judged: judgments by dblp.id.
    """

    rows: list[Shown]
    judged: dict[int, list[JudgedResults]]
    statement: str


class Why(NamedTuple):
    """Explanation of a result; see the SQL functions called by :func:`why`."""

    abstract: str | None
    parts: list[Any]
    words: list[Any]
    cosines: list[Any]
    passage: str | None
    measures: dict[str, float]


def options(conn: psycopg.Connection) -> SearchOptions:
    """Return the choices available in this collection."""
    default = registered(conn).model
    models = [name for (name,) in conn.execute("SELECT model FROM stc.vector_models ORDER BY model <> %s, model", [default])] or [
        default
    ]
    lacking: dict[str, bool] = dict(
        conn.execute(
            "SELECT f, bool_and(stc.vectors_missing(stc.vector_model(m), f)) FROM unnest(%s::text[]) m,"
            " unnest('{title,abstract,content,passage}'::text[]) f GROUP BY f",
            [models],
        ).fetchall()
    )
    indexed = conn.execute("SELECT FROM stc.text_index").fetchone() is not None
    systems: dict[str, str | None] = {}
    for system in SYSTEMS:
        field = system.partition("-")[2]
        why = "no text index" if system in ("bm25", "rm3", "hybrid") and not indexed else None
        if field and lacking[field]:
            why = f"no {field} vectors"
        elif system == "hybrid" and lacking["title"] and lacking["abstract"]:
            why = "no vectors"
        systems[system] = why
    stored = conn.execute(
        "SELECT query, left(text, 100) FROM st1_queries WHERE text IS NOT NULL ORDER BY origin <> 'human', query LIMIT %s", [STORED]
    ).fetchall()
    measured = conn.execute("SELECT FROM st1_complexity_metrics LIMIT 1").fetchone() is not None
    return SearchOptions(systems, models, stored, measured)


def find(conn: psycopg.Connection, asked: SearchRequest, vector: str | None) -> SearchPage:
    """Run a search. :param vector: vector of the query, if the system needs it.

    :raises UnknownObject: no document has the venue of the filter. Other errors as the SQL function search_shown.
    """
    narrowing = None if asked.filter is None else Jsonb(asked.filter)
    with conn.cursor(row_factory=class_row(Shown)) as cursor:
        rows = cursor.execute(
            "SELECT * FROM stc.search_shown(%s, %s, %s, %s::vector, %s, %s)",
            [asked.text, asked.system, asked.k, vector, narrowing, asked.model],
        ).fetchall()
    if not rows and asked.filter and "venue" in asked.filter:
        _known_venue(conn, asked.filter["venue"])
    said = conn.execute(
        "SELECT search_statement(%s, %s, %s, %s, %s)", [asked.text, asked.system, asked.k, narrowing, asked.model]
    ).fetchone()
    return SearchPage(rows, _judged(conn, asked.text, [row.doc for row in rows]), said[0] if said else "")


def _judged(conn: psycopg.Connection, text: str, docs: Sequence[int]) -> dict[int, list[JudgedResults]]:
    judged: dict[int, list[JudgedResults]] = defaultdict(list)
    for doc, *rest in conn.execute("SELECT doc, edition, query, rel, origin FROM stc.text_judgments(%s, %s)", [text, list(docs)]):
        judged[doc].append(JudgedResults(*rest))
    return judged


def _known_venue(conn: psycopg.Connection, venue: str) -> None:
    known = conn.execute(
        "SELECT FROM dblp_facts WHERE venue ILIKE %s LIMIT 1"
        if "%" in venue
        else "SELECT FROM dblp_facts WHERE lower(venue) = lower(%s) LIMIT 1",
        [venue],
    ).fetchone()
    if known is None:
        raise UnknownObject(f"no document has the venue {venue!r}", hint="Case is ignored; % matches any text, as in %retrieval%.")


def why(conn: psycopg.Connection, asked: SearchRequest, doc: int, vector: str | None) -> Why:
    """Explain the rank of a document. :raises UnknownObject: the document does not exist."""
    with conn.cursor(row_factory=namedtuple_row) as cursor:
        parts = words = cosines = []
        passage = None
        if asked.system == "hybrid":
            parts = cursor.execute(
                "SELECT ranking, rank, score, added FROM stc.search_parts(%s, %s, %s::vector, %s, %s, %s)",
                [asked.text, [doc], vector, None if asked.filter is None else Jsonb(asked.filter), asked.model, asked.k],
            ).fetchall()
        if asked.system in ("hybrid", "bm25", "rm3", "boolean"):
            words = cursor.execute("SELECT word, qtf, tf, df, added FROM stc.bm25_words(%s, %s)", [asked.text, doc]).fetchall()
        if vector is not None:
            cosines = cursor.execute(
                "SELECT * FROM stc.document_cosines(%s, %s::vector, %s)", [doc, vector, asked.model]
            ).fetchall()
            best = cursor.execute(
                "SELECT passage FROM passage_snippet(%s, %s::vector, 1, %s)", [doc, vector, asked.model]
            ).fetchone()
            passage = best[0] if best else None
    row = conn.execute(
        "SELECT stc.mark_words(t.abstract, stc.query_marks(%s)), to_json(m) FROM dblp_text t LEFT JOIN document_measures m"
        " ON m.id = t.id"
        " WHERE t.id = %s",
        [asked.text, doc],
    ).fetchone()
    if row is None:
        raise UnknownObject(f"there is no document {doc}", hint="It may have been removed: search again.", sqlstate="IR104")
    measures = {name: value for name, value in (row[1] or {}).items() if isinstance(value, int | float)}
    return Why(row[0], parts, words, cosines, passage, measures)


def neighbours(conn: psycopg.Connection, doc: int, field: str, k: int, model: str | None) -> tuple[str, list[Shown]]:
    """Return the title of a document, and its k nearest neighbours.

    :raises UnknownObject: the document does not exist. :raises StateError: it has no vector.
    """
    title = conn.execute("SELECT t.title FROM dblp_text t WHERE t.id = %s", [doc]).fetchone()
    with conn.cursor(row_factory=class_row(Shown)) as cursor:
        rows = cursor.execute(
            "SELECT n.rank, n.score, n.doc, d.docno, f.year, f.venue, f.n_citation AS citations, t.title,"
            " stc.best_sentence(t.abstract, '{}') AS snippet, NULL::text[] AS authors, 0 AS author_count"
            "  FROM document_neighbours(%s, %s, %s, %s) n JOIN dblp d ON d.id = n.doc LEFT JOIN dblp_facts f ON f.id = n.doc"
            "  LEFT JOIN dblp_text t ON t.id = n.doc ORDER BY n.rank",
            [doc, k, field, model],
        ).fetchall()
    return (title[0] if title else None) or f"document {doc}", rows


def stored_text(conn: psycopg.Connection, query: str) -> str:
    """Return the text of a stored query. :raises UnknownObject: the query does not exist, or has no text."""
    row = conn.execute("SELECT text FROM st1_queries WHERE query = %s", [query]).fetchone()
    if row is None or row[0] is None:
        raise UnknownObject(
            f"there is no stored query {query!r}", hint="Select one from the list below the field.", sqlstate="IR103"
        )
    return str(row[0])


def remember(conn: psycopg.Connection, text: str, model: str | None, vector: str) -> None:
    """Store the vector of a query for embed_query in psql. Do nothing if the role cannot write."""
    space = registered(conn, model)
    if conn.execute("SELECT has_table_privilege('query_v', 'INSERT')").fetchone() == (True,):
        conn.execute(
            "INSERT INTO query_v (model, text, v) SELECT model, %s, %s::vector FROM stc.vector_models WHERE model = %s"
            " ON CONFLICT DO NOTHING",
            [text, vector, space.model],
        )


def narrowing(
    *, years: tuple[int | None, int | None], grade: float | None, citations: int | None, venue: str
) -> dict[str, Any] | None:
    """Return the form's filter, None if it is empty.

    :param grade: maximum Flesch-Kincaid grade. :param citations: minimum number of citations.
    :raises BadArgument: the years are reversed, or a number is negative.
    """
    first, last = years
    if first is not None and last is not None and first > last:
        raise BadArgument(f"the first year {first} is after the last {last}", hint=f"Enter {last} to {first}.", sqlstate="IR202")
    if citations is not None and citations < 0:
        raise BadArgument(f"the minimum number of citations is {citations}", hint="Enter 0 or more.", sqlstate="IR202")
    made: dict[str, Any] = {}
    if first is not None or last is not None:
        made["year"] = [first, last]
    if grade is not None:
        made["textstat_fkgl"] = [None, grade]
    if citations is not None:
        made["citations"] = [citations, None]
    if venue.strip():
        made["venue"] = venue.strip()
    return made or None
