"""The view Search: a query, its documents with facets and explanations, systems side by side, similar documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.corpus.references import references
from stcollection.errors import StcError
from stcollection.explore.access.form import read_form
from stcollection.explore.search import asking
from stcollection.explore.search.answer import SearchAnswer, answer, count, record, requested, summary
from stcollection.explore.search.asking import SearchRequest
from stcollection.explore.search.beside import columns, moves, overlap
from stcollection.explore.search.choices import SearchOptions, choices, warm
from stcollection.explore.search.compared import SearchComparison, chosen_editions, compare, comparison_record
from stcollection.explore.search.facets import basis, facets, filter_links
from stcollection.explore.search.request import MOST_BESIDE, PATH, RESULTS, STARTING, address, read, read_state
from stcollection.explore.search.why import bars, measures, tables
from stcollection.explore.templates import quoted, render
from stcollection.explore.views import Site, View, page, while_connected
from stcollection.io.bibliography import FORMATS, source_link
from stcollection.qrels.editions import editions
from stcollection.retrieval import explain
from stcollection.retrieval.systems import model_of
from stcollection.texts import later
from stcollection.topics.save import save_query
from stcollection.vectors.queries import remember_query, short
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding
from stcollection.web.faults import status, timely
from stcollection.web.words import t

NAME = "search"
_TYPES = {"csv": "text/csv", "bib": "application/x-bibtex", "ris": "application/x-research-info-systems"}
_STORED = 200  # stored queries in the list; words find the others


class SearchPages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def documents(self, request: Request) -> Response:
        """Answer with the page of a search, or with the empty form and examples."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        here = await choices(desk)
        state["system"] = state["system"] or here.default
        shown = form_values(state, here)
        if not any(state[name] for name in STARTING):
            if here.systems.get(state["system"], here.systems["bm25"]).vector:
                with suppress(StcError):
                    warm(Embedding.of(desk), here)
            return await page(self._site, request, "search/page.html", title=None, error=None, answer=None, **shown)
        try:
            made = await while_connected(request, answer(desk, state))
        except StcError as error:
            error = timely(error, desk.seconds)
            return await page(
                self._site, request, "search/page.html", code=status(error), title=_title(state), error=error, answer=None, **shown
            )
        counting = partial(self._facets, desk, made, state) if made.found else None
        return await page(
            self._site,
            request,
            "search/page.html",
            last=counting,
            title=_title(state),
            error=None,
            **shown,
            **answer_values(made, state),
        )

    async def _facets(self, desk: Desk, made: SearchAnswer, state: Mapping[str, Any]) -> str:
        try:
            counted = await count(desk, made)
        except StcError as error:
            return render("search/facets.html", error=timely(error, desk.seconds))
        return render("search/facets.html", error=None, basis=basis(made.request, counted), facets=facets(state, counted))

    async def compare(self, request: Request, *, kind: str = "html") -> Response:
        """Answer with the rankings of a search, aligned by document, and the grades of editions. :param kind: or ``json``."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        shown: dict[str, Any] = {"error": None}
        try:
            state["system"] = state["system"] or (await choices(desk)).default
            stored = [edition.edition for edition in await desk.ask(editions)]
            chosen = chosen_editions(state["editions"], stored)
            made = await while_connected(request, answer(desk, {**state, "near": "", "article": ""}))
            assert made.found is not None  # noqa: S101  (neither of the two that find something else)
            compared = compare(made.request, made.found, chosen)
            if kind == "json":
                return JSONResponse(comparison_record(made.request, compared))
            shown |= comparison_values(made.request, compared, stored, state)
        except StcError as error:
            if kind == "json":
                raise
            shown["error"] = timely(error, desk.seconds)
        return await page(
            self._site,
            request,
            "search/compare.html",
            code=status(shown["error"]) if shown["error"] else 200,
            title=_title(state),
            view=NAME,
            path=PATH,
            state=state,
            link=partial(address, state),
            quoted=quoted,
            grade=grade,
            **shown,
        )

    async def export(self, request: Request, *, kind: str) -> Response:
        """Answer with the documents of a search as JSON, CSV, BibTeX or RIS."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        state["system"] = state["system"] or (await choices(desk)).default
        made = await answer(desk, state, licences=desk.licences)
        if kind == "json":
            counted = await count(desk, made) if made.found else []
            return JSONResponse(record(made, counted, snippets=made.found is not None or not desk.licences))
        text = FORMATS[kind](await desk.ask(references, [row.doc for row in made.rows], desk.licences))
        headers = {"content-disposition": f'attachment; filename="results.{kind}"'}
        return Response(text, media_type=f"{_TYPES[kind]}; charset=utf-8", headers=headers)

    async def panel(self, request: Request, *, what: str) -> Response:
        """Answer with the abstract, the explanation or the citation of a document."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        values = await self._panel(desk, state, what, _key(request.query_params.get("doc", "")))
        back = address(state) if any(state[name] for name in STARTING) else None
        return await page(self._site, request, "search/panel.html", title=None, view=NAME, what=what, back=back, **values)

    async def _panel(self, desk: Desk, state: Mapping[str, Any], what: str, doc: int) -> dict[str, Any]:
        if what == "cite":
            listed = await desk.ask(references, [doc], desk.licences)
            if not listed:
                raise explain.no_document(doc)
            return {
                "citations": [(kind, title, FORMATS[kind](listed).strip()) for kind, title in (("bib", "BibTeX"), ("ris", "RIS"))]
            }
        if what == "abstract":
            return {"abstract": await desk.ask(asking.abstract, state["q"], doc)}
        request = await requested(desk, state)
        embedding = Embedding.of(desk)
        vector = await embedding.vector(request.text, request.model, system=request.system) if request.dense else None
        why = await desk.ask(explain.why, request, doc, vector)
        readability, about = measures(why)
        return {
            "bars": bars(why),
            "tables": tables(why),
            "stages": why.stages,
            "passage": why.passage,
            "readability": readability,
            "about": about,
            "unranked": request.system == "hybrid" and not why.parts,
        }

    async def queries(self, request: Request) -> Response:
        """Answer with stored queries, and with the topics that have an article."""
        desk, words = self._site.desk(request), request.query_params.get("words", "")
        state = read_state(request.query_params)
        stored = await desk.ask(asking.stored_queries, words, _STORED)
        articles = (await choices(desk)).articles
        return await page(
            self._site,
            request,
            "search/queries.html",
            title=t("Stored queries"),
            view=NAME,
            words=words,
            stored=stored,
            articles=articles,
            most=_STORED,
            state=state,
            link=partial(address, state),
            path=PATH,
        )

    async def vector(self, request: Request) -> Response:
        """Store the vector of a query, so that its SQL runs without the embedding service."""
        desk, state = self._site.desk(request), read_state(request.query_params)
        try:
            asked = read(state)
            for system in asked.systems:
                made = await Embedding.of(desk).vector(asked.text, asked.model, system=system)
                used = short(await desk.ask(model_of, system, asked.model))
                await desk.write(remember_query, asked.text, used, made)
            note = t("The vector of this query is stored in query_v, so the SQL runs without the embedding service.")
        except StcError as error:
            note = t(
                "The vector of this query could not be stored ({error}). To run the SQL, start {command}.",
                error=error.message,
                command="'stc serve embeddings'",
            )
        return await page(self._site, request, "search/saved.html", title=None, view=NAME, note=note, error=None)

    async def save(self, request: Request) -> Response:
        """Store the text of a search as a query."""
        desk = self._site.desk(request)
        fields = await read_form(request.scope, request.receive)
        name = fields.get("name", "")
        await desk.write(save_query, name, fields.get("q", ""), topic=fields.get("topic", ""))
        note = t("Stored as the query {name}.", name=name.strip())
        return await page(self._site, request, "search/saved.html", title=None, view=NAME, note=note, error=None)


def _title(state: Mapping[str, Any]) -> str:
    """Return what the window's title names: the query, the article or the document."""
    return str(state["q"] or state["article"] or state["near"])[:80]


def _key(text: str) -> int:
    """Return a dblp.id. :raises UnknownObject: it is not a number."""
    if not text.isdecimal() or int(text) >= 2**63:
        raise explain.no_document(int(text) if text.isdecimal() else -1)
    return int(text)


def form_values(state: Mapping[str, Any], here: SearchOptions) -> dict[str, Any]:
    """Return what the form shows."""
    systems = [
        (name, t(known.title) if known.maker is None else known.title, known.problem and t(known.problem))
        for name, known in here.systems.items()
    ]
    return {
        "view": NAME,
        "state": state,
        "here": here,
        "systems": systems,
        "beside": state["beside"].split(","),
        "counts": RESULTS,
        "most_beside": MOST_BESIDE,
        "chips": filter_links(state),
        "link": partial(address, state),
        "path": PATH,
    }


def answer_values(made: SearchAnswer, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the results show."""
    compared = made.found is not None and bool(made.request.beside)
    return {
        "answer": made,
        "summary": summary(made),
        "columns": columns(made.request, made.found) if made.found and compared else {},
        "overlap": overlap(made.request, made.found) if made.found and compared else None,
        "source_link": source_link,
        "grade": grade,
        "author": lambda name: address({"q": state["q"], "system": state["system"], "author": name}),
        "panel": partial(_panel_address, state),
        "more": _more(made),
        "compare": address(state, f"{PATH}/compare"),
    }


def comparison_values(
    request: SearchRequest, compared: SearchComparison, stored: Sequence[str], state: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the page of a comparison shows."""

    def toggled(edition: str) -> str:
        others = [name for name in stored if (name in compared.editions) != (name == edition)]
        return address(state, f"{PATH}/compare", editions=",".join(others) if others and others != list(stored) else None)

    return {
        "compared": compared,
        "k": request.k,
        "rows": [(row, moves(row.ranks, request.system)) for row in compared.documents],
        "stored": [(name, name in compared.editions, toggled(name)) for name in stored],
    }


def grade(rel: int) -> str:
    """Return a grade in words, so that colour is not the only sign."""
    if rel > 0:
        return t("relevant ({grade})", grade=rel)
    return t("not relevant (0)") if rel == 0 else t("unjudgeable ({grade})", grade=rel)


def _panel_address(state: Mapping[str, Any], what: str, doc: int) -> str:
    return address(state, f"{PATH}/{what}", near=None, field=None, beside=None) + f"&doc={doc}"


def _more(made: SearchAnswer) -> str | None:
    """Return the next larger number of results, if there may be more documents; None otherwise."""
    if made.found is None or made.request.beside or len(made.found.rows) < made.request.k:
        return None
    return next((many for many in RESULTS if int(many) > made.request.k), None)


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = SearchPages(site)
    return [
        Route(PATH, pages.documents),
        *(Route(f"{PATH}.{kind}", partial(pages.export, kind=kind)) for kind in ("json", *FORMATS)),
        Route(f"{PATH}/queries", pages.queries),
        Route(f"{PATH}/vector", pages.vector, methods=["POST"]),
        Route(f"{PATH}/save", pages.save, methods=["POST"]),
        Route(f"{PATH}/compare", pages.compare),
        Route(f"{PATH}/compare.json", partial(pages.compare, kind="json")),
        *(Route(f"{PATH}/{what}", partial(pages.panel, what=what)) for what in ("abstract", "why", "cite")),
    ]


VIEW = View(name=NAME, title=later("Search"), routes=_routes)
