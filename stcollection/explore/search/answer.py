"""Run the search of an address: documents, neighbours of a document, or documents like an article; and its facets."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pgvector import Vector

from stcollection.explore.marks import MARKED
from stcollection.explore.search import asking
from stcollection.explore.search.asking import JudgedResults, SearchPage, SearchRequest, Shown
from stcollection.explore.search.request import read
from stcollection.explore.views import plain
from stcollection.retrieval.explain import FacetCount
from stcollection.retrieval.explain import facets as count_facets
from stcollection.vectors.store import DOCUMENT_FIELDS
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding, needed
from stcollection.web.words import n, t


@dataclass(frozen=True, kw_only=True)
class SearchAnswer:
    """What an address shows.

    :param found: documents of a search, else None. :param like: title of a document or an article, and the documents like it.
    :param doc: dblp.id of the document that they are neighbours of, by ``field``; None: they are like an article.
    """

    request: SearchRequest
    vector: Vector | None
    found: SearchPage | None
    like: tuple[str, list[Shown]] | None
    doc: int | None
    field: str
    seconds: float

    @property
    def rows(self) -> list[Shown]:
        """All documents on the page, in the order of the page; those of several systems once."""
        if self.like is not None:
            return self.like[1]
        assert self.found is not None  # noqa: S101
        return list({row.doc: row for row in (self.found.beside or self.found.rows)}.values())

    @property
    def judged(self) -> Mapping[int, Sequence[JudgedResults]]:
        return self.found.judged if self.found else {}


def near_field(value: Any) -> str:
    """Return the field that neighbours are found by, title if the value is not a field."""
    return str(value) if value in DOCUMENT_FIELDS else "title"


async def requested(desk: Desk, state: Mapping[str, Any], *, blank: bool = False) -> SearchRequest:
    """Read the search of an address, and whether it needs the vector of the query."""
    request = read(state, blank=blank)
    return replace(request, dense=await needed(desk, *request.systems))


async def answer(desk: Desk, state: Mapping[str, Any], *, licences: Sequence[str] = ()) -> SearchAnswer:
    """Run the search of an address. :param licences: only documents with these licences have a snippet; empty: all.

    :raises StcError: the address or the search is invalid.
    """
    began = time.perf_counter()
    near = str(state["near"])
    doc = int(near) if near.isdecimal() else None
    field = near_field(state["field"])
    topic = None if doc is not None else state["article"]
    request = await requested(desk, state, blank=bool(doc is not None or topic))
    embedding = Embedding.of(desk)
    vector, found, like = None, None, None
    if doc is not None:
        like = await desk.ask(asking.neighbours, doc, field, request.k, request.model)
    elif topic:
        if request.dense:
            await embedding.remember_article(desk, topic, request.model, system=request.system)
        like = await desk.ask(asking.like_article, topic, request)
    else:
        vectors = await embedding.vectors(request.text, request.model, request.systems) if request.dense else {}
        vector = vectors.get(request.system)
        found = await desk.ask(asking.find, request, vectors, licences=licences)
    return SearchAnswer(
        request=request, vector=vector, found=found, like=like, doc=doc, field=field, seconds=time.perf_counter() - began
    )


async def count(desk: Desk, made: SearchAnswer) -> list[FacetCount]:
    """Count the facets of a search, after its documents, which do not wait for them."""
    assert made.found is not None  # noqa: S101
    return await desk.ask_behind(count_facets, made.request, made.vector, made.found.ranked)


def summary(made: SearchAnswer) -> str:
    """Return how many documents were found, by what, and in which time."""
    took, count = 1000 * made.seconds, len(made.rows)
    if made.doc is not None:
        return n(
            "{count} document, by embedding, in {time:,.0f} ms.",
            "{count} documents, by embedding, in {time:,.0f} ms.",
            count,
            time=took,
        )
    if made.request.beside and made.found:
        return n(
            "First document of {systems} systems, in {time:,.0f} ms.",
            "First {count} documents of {systems} systems, in {time:,.0f} ms.",
            made.request.k,
            systems=len(made.request.systems),
            time=took,
        )
    text = n(
        "{count} document, by {system}, in {time:,.0f} ms.",
        "{count} documents, by {system}, in {time:,.0f} ms.",
        count,
        system=made.request.system,
        time=took,
    )
    odd = made.found is not None and made.request.text.count('"') % 2 == 1
    return " ".join((text, t("The unbalanced quotation mark was ignored."))) if odd else text


def record(made: SearchAnswer, counted: Sequence[FacetCount], *, snippets: bool) -> dict[str, Any]:
    """Return what the page shows, for programs. :param snippets: with the best sentence of each document."""
    rows = made.found.beside or made.found.rows if made.found else made.rows
    return {
        "query": made.request.text,
        "system": made.request.system,
        "filter": made.request.filter,
        "near": made.doc,
        "like": made.like[0] if made.like else None,
        "documents": [_document(row, made.judged.get(row.doc, ()), snippets=snippets) for row in rows],
        "facets": plain(counted),
        "sql": made.found.statement if made.found else None,
    }


def _document(row: Shown, judged: Sequence[JudgedResults], *, snippets: bool) -> dict[str, Any]:
    texts = {
        name: None if text is None else MARKED.sub(r"\1", text) for name, text in (("title", row.title), ("snippet", row.snippet))
    }
    made: dict[str, Any] = plain(row)
    return made | texts | ({} if snippets else {"snippet": None}) | {"judged": plain(judged)}
