"""What the page adds to the documents of a search: marked words, authors, judgments, and the SQL that returns the same rows."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from html import unescape
from typing import Any, NamedTuple

import psycopg
from pgvector import Vector
from psycopg.types.json import Jsonb

from stcollection.db.rows import records
from stcollection.errors import UnknownObject
from stcollection.explore.marks import marked
from stcollection.retrieval import search as retrieval
from stcollection.retrieval.explain import ScorePart, hybrid_ranking, no_document
from stcollection.retrieval.search import FoundDocument, excluded_here, search, search_article
from stcollection.texts import later
from stcollection.topics.articles import topic_article

_WEAK = 0.3  # cosines of nonsense stay below, of documents about the query above


@dataclass(frozen=True, kw_only=True)
class SearchRequest(retrieval.Search):
    """A search of the page.

    :param filter: JSON for ``system_search``, or None. :param beside: systems to compare with. :param dense: one of the systems
        needs the vector of the query.
    """

    filter: dict[str, Any] | None
    beside: tuple[str, ...] = ()
    dense: bool = False

    @property
    def systems(self) -> tuple[str, ...]:
        return (self.system, *self.beside)


@dataclass(frozen=True, kw_only=True)
class Shown(FoundDocument):
    """A document on the page, in the ranking of a system. In title and snippet, words of the query are marked."""

    system: str
    authors: list[str] | None = None
    author_count: int = 0
    doi: str | None = None
    url: str | None = None


class JudgedResults(NamedTuple):
    edition: str
    query: str
    rel: int
    origin: str


class SearchPage(NamedTuple):
    """One page of search results.

    :param rows: of the system. :param beside: of all systems, if some are compared; then rows is empty.
    :param statement: SQL that returns the same page. :param judged: judgments by dblp.id.
    :param ranked: the documents that facets count, by dblp.id; None if they are not known.
    :param parts: explanations of the scores of the rows, by dblp.id; None: not known.
    :param excluding: a stored query with this text that excludes documents which the search does not exclude, and their number.
    """

    rows: list[Shown]
    beside: list[Shown]
    judged: dict[int, list[JudgedResults]]
    statement: str
    ranked: Sequence[int] | None = None
    parts: Mapping[int, list[ScorePart]] | None = None
    excluding: tuple[str, int] | None = None

    @property
    def weak(self) -> bool:
        """True if nothing matches a hybrid search well: no document on the page has a word of the query or a high cosine."""
        parts = [part for listed in (self.parts or {}).values() for part in listed]
        best = max((part.score or 0 for part in parts if part.ranking == "document"), default=0.0)
        return bool(parts) and best < _WEAK and not any(part.ranking == "bm25" for part in parts)


def find(
    conn: psycopg.Connection, asked: SearchRequest, vectors: Mapping[str, Vector], *, licences: Sequence[str] = ()
) -> SearchPage:
    """Run a search. :param vectors: of the query, by system, if one needs it. :param licences: as :func:`search` has them.

    :raises UnknownObject: no document has the venue of the filter. Other errors as :func:`stcollection.retrieval.search.search`.
    """
    ranking = hybrid_ranking(conn, asked, vectors.get("hybrid")) if asked.systems == ("hybrid",) else None
    ranked = ranking and (ranking.docs[: asked.k], ranking.scores[: asked.k])
    found = {
        system: search(
            conn,
            asked.text,
            system=system,
            k=asked.k,
            filter=asked.filter,
            model=asked.model,
            vector=vectors.get(system),
            ranked=ranked,
            licences=licences,
        )
        for system in asked.systems
    }
    if not any(found.values()) and asked.filter and "venue" in asked.filter:
        _known_venue(conn, asked.filter["venue"])
    rows = [
        shown
        for system, documents in found.items()
        for shown in _shown(conn, documents, asked.text, system, cited=not asked.beside)
    ]
    said = conn.execute(
        "SELECT string_agg(search_statement(%s, u.system, %s, %s, %s), E'\\n\\n' ORDER BY u.place)"
        " FROM unnest(%s::text[]) WITH ORDINALITY u (system, place)",
        [asked.text, asked.k, None if asked.filter is None else Jsonb(asked.filter), asked.model, list(asked.systems)],
    ).fetchone()
    judged = _judged(conn, asked.text, list({row.doc for row in rows}))
    ranked_docs, parts = (array("q", ranking.docs), ranking.parts) if ranking else (None, None)
    shown, beside = ([], rows) if asked.beside else (rows, [])
    excluding = excluded_here(conn, asked.text, asked.filter)
    return SearchPage(shown, beside, judged, said[0] if said else "", ranked_docs, parts, excluding)


def _shown(
    conn: psycopg.Connection, documents: Sequence[FoundDocument], text: str | None, system: str = "", *, cited: bool
) -> list[Shown]:
    """Return documents as the page shows them. :param text: its words are marked. :param cited: add authors and addresses."""
    texts = [text and unescape(text) for row in documents for text in (row.title, row.snippet)]
    parts = iter(texts if text is None else marked(conn, texts, text))
    added = _credits(conn, [one.doc for one in documents]) if cited else {}
    return [
        Shown(
            **{field.name: getattr(one, field.name) for field in fields(FoundDocument)}
            | {"title": next(parts), "snippet": next(parts), "system": system}
            | added.get(one.doc, {})
        )
        for one in documents
    ]


def _credits(conn: psycopg.Connection, docs: Sequence[int]) -> dict[int, dict[str, object]]:
    """Return the first six authors, the number of all, doi and the first url of each document."""
    authors: dict[int, list[str]] = dict(
        conn.execute(
            "SELECT x.doc, array_agg(x.name ORDER BY x.position) FROM dblp_authors x"
            " WHERE x.doc = ANY (%s) AND x.name IS NOT NULL GROUP BY x.doc",
            [list(docs)],
        ).fetchall()
    )
    addresses = conn.execute(
        "SELECT d.id, d.doc ->> 'doi',"
        " d.doc #>> CASE jsonb_typeof(d.doc -> 'url') WHEN 'array' THEN '{url,0}' ELSE '{url}' END::text[]"
        "  FROM dblp d WHERE d.id = ANY (%s)",
        [list(docs)],
    )
    names = {doc: authors.get(doc, []) for doc in docs}
    return {
        doc: {"authors": names[doc][:6] or None, "author_count": len(names[doc]), "doi": doi, "url": url}
        for doc, doi, url in addresses
    }


def abstract(conn: psycopg.Connection, text: str, doc: int) -> str | None:
    """Return the abstract of a document with the words of the query marked. :raises UnknownObject: it does not exist."""
    row = conn.execute("SELECT t.abstract FROM dblp_text t WHERE t.id = %s", [doc]).fetchone()
    if row is None:
        raise no_document(doc)
    return marked(conn, [row[0] and unescape(row[0])], text)[0]


def _judged(conn: psycopg.Connection, text: str, docs: Sequence[int]) -> dict[int, list[JudgedResults]]:
    judged: dict[int, list[JudgedResults]] = defaultdict(list)
    for doc, *rest in conn.execute("SELECT doc, edition, query, rel, origin FROM stc.text_judgments(%s, %s)", [text, list(docs)]):
        judged[doc].append(JudgedResults(*rest))
    return judged


def _known_venue(conn: psycopg.Connection, venue: str | list[str]) -> None:
    names = [venue] if isinstance(venue, str) else venue
    pattern = any("%" in name for name in names)
    known = conn.execute(
        "SELECT 1 FROM dblp_facts WHERE venue ILIKE ANY (%s) LIMIT 1"
        if pattern
        else "SELECT 1 FROM dblp_facts WHERE lower(venue) IN (SELECT lower(x) FROM unnest(%s::text[]) x) LIMIT 1",
        [names],
    ).fetchone()
    if known is None:
        raise UnknownObject(
            later("no document has the venue {venues}", venues=", ".join(map(repr, names))),
            hint=later("Case is ignored; % matches any text, as in %retrieval%."),
        )


def neighbours(conn: psycopg.Connection, doc: int, field: str, k: int, model: str | None) -> tuple[str, list[Shown]]:
    """Return the title of a document, and its k nearest neighbours.

    :raises UnknownObject: the document does not exist. :raises StateError: it has no vector.
    """
    if doc >= 2**63:
        raise no_document(doc)
    title = conn.execute("SELECT t.title FROM dblp_text t WHERE t.id = %s", [doc]).fetchone()
    found = retrieval.neighbours(conn, doc, field=field, k=k, model=model)
    return (title[0] if title else None) or f"document {doc}", _shown(conn, found, None, cited=False)


def like_article(conn: psycopg.Connection, topic: str, asked: SearchRequest) -> tuple[str, list[Shown]]:
    """Return the title of an article, and the documents most like it.

    :raises UnknownObject: the topic is not stored. :raises StateError: it has no article, or a vector cannot be computed.
    """
    found = search_article(conn, topic, system=asked.system, k=asked.k, filter=asked.filter, model=asked.model, embedded=True)
    return topic_article(conn, topic).title or topic, _shown(conn, found, None, cited=False)


class StoredQuery(NamedTuple):
    """A query of the collection that has a text."""

    query: str
    text: str


def stored_queries(conn: psycopg.Connection, words: str, k: int) -> list[StoredQuery]:
    """Return the first k stored queries whose name or text contains some words, those of people first."""
    return records(
        conn,
        StoredQuery,
        "SELECT query, text FROM st1_queries"
        " WHERE text IS NOT NULL AND strpos(lower(query || ' ' || text), lower(%(words)s)) > 0"
        " ORDER BY origin <> 'human', query LIMIT %(k)s",
        {"words": words.strip(), "k": k},
    )
