"""Pairs: an annotator sees two documents of a query and says which is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.explore.access.form import read_form, read_json
from stcollection.explore.judging import panels
from stcollection.explore.judging.comparisons import kept_comparisons, read, store
from stcollection.explore.judging.decisions import identity, part
from stcollection.explore.judging.request import PATH, JudgingState, read_state
from stcollection.explore.judging.texts import SHORT_ARTICLE, marked, metadata, paragraphs
from stcollection.explore.templates import render
from stcollection.explore.views import Site, answer, page, plain
from stcollection.qrels.comparisons import PairProgress, compare_pair, next_pair, pair_progress, undo_comparison
from stcollection.qrels.judging import JudgingSession, judging_session, shown_pair
from stcollection.qrels.sheets import plain as one_line
from stcollection.texts import later
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely
from stcollection.web.hands import Hands, Holder, reserve_pair
from stcollection.web.words import n, t

PANEL = "pairs"
_WINDOW_SECONDS = 600.0
_FIELDS = 12
# Key, choice, and text of each button.
CHOICES = (
    ("1", "left", later("Document 1 is better")),
    ("2", "right", later("Document 2 is better")),
    ("0", "equal", later("Both equal")),
    ("b", "neither", later("Both not relevant")),
    ("c", "undecided", later("Cannot decide")),
)
# Default keys by action, and their descriptions.
KEYS = {
    "left": ("1", later("document 1 answers the query better")),
    "right": ("2", later("document 2 answers the query better")),
    "equal": ("0", later("both are equally good: neither is preferred")),
    "neither": ("b", later("both are not relevant, and so is each document that was worse than one of them")),
    "undecided": ("c", later("cannot decide: the document that is being placed is left out of the order")),
    "undo": ("u", later("undo the last comparison; press it again to undo the one before")),
    "guide": ("g", later("show or hide the guidelines")),
    "help": ("?", later("show or hide this list")),
}


class PairsFinished(NamedTuple):
    """The end of the comparisons. :param more: others are left."""

    heading: str
    text: str
    more: bool


class PairPages:
    """Answers the requests for pairs."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes of the panel."""
        return [
            Route(f"{PATH}/{PANEL}", self.pair),
            Route(f"{PATH}/{PANEL}.json", self.record),
            Route(f"{PATH}/compare", self.compare, methods=["POST"]),
            Route(f"{PATH}/kept-pairs", self.kept, methods=["POST"]),
        ]

    def _state(self, request: Request) -> JudgingState:
        return read_state(request.query_params, self._site.desk(request).guest)

    async def pair(self, request: Request) -> Response:
        """Answer with the next pair, or with the form that starts judging."""
        desk, state = self._site.desk(request), self._state(request)
        if not (state.pool and state.annotator):
            return await panels.nobody(
                self._site,
                request,
                state,
                PANEL,
                t("Choose a pool and enter your name to compare two documents of a query at a time."),
            )
        here = await desk.ask(judging_session, state.pool, state.annotator, state.of or None, state.queries)
        state = state._replace(of=here.query or "")
        values = await _values(desk, state)
        rows = await desk.ask(pair_progress, state.pool, state.annotator, queries=state.queries)
        return await page(
            self._site,
            request,
            "judging/pairs.html",
            title=t("Pairs"),
            view=panels.NAME,
            guidelines=here.guidelines or "",  # the default is for grades
            keys=KEYS,
            rows=rows,
            **{**await panels.frame(desk, state, PANEL), **values},
        )

    async def record(self, request: Request) -> Response:
        """Answer with the record that the page shows."""
        desk, state = self._site.desk(request), self._state(request)
        rows = await desk.ask(pair_progress, state.pool, state.annotator, queries=state.queries)
        return JSONResponse(plain({"progress": rows}))

    async def compare(self, request: Request) -> Response:
        """Store a comparison or an undo, and answer with the next pair."""
        desk, state = self._site.desk(request), self._state(request)
        fields = await read_form(request.scope, request.receive, fields=_FIELDS)
        scripted, ids = fields.get("scripted") == "1", [one for one in (identity(fields),) if one]
        try:
            told, of = await _done(desk, state, fields)
        except StcError as error:
            error = timely(error, desk.seconds)
            if not scripted:
                raise
            gone = ids if isinstance(error, BadArgument | UnknownObject) else []
            html = render("judging/alert.html", error=error)
            return answer(request, {"error": html, "ids": gone, "told": ""}, status(error))
        if state.of and of and of != state.of:
            state = state._replace(of="")  # the undone comparison is of another query
        if not scripted:
            return RedirectResponse(state.link(PANEL), 303)
        near = of or fields.get("query")
        return await self._drawn(request, desk, state, fields.get("window", ""), told, ids, near=near)

    async def kept(self, request: Request) -> Response:
        """Store the comparisons that a browser kept, and answer with the next pair."""
        desk, state = self._site.desk(request), self._state(request)
        sent = await read_json(request.scope, request.receive)
        told, ids = "", list[str]()
        try:
            if found := kept_comparisons(sent, desk.guest):
                stored, ids = await desk.write(store, found)
                if stored:
                    told = n(
                        "{count} comparison that the browser kept is stored.",
                        "{count} comparisons that the browser kept are stored.",
                        stored,
                    )
                    told += " "
        except StcError as error:
            html = render("judging/alert.html", error=timely(error, desk.seconds))
            return answer(request, {"error": html, "ids": []}, status(error))
        return await self._drawn(request, desk, state, part(sent, "window"), told, ids, near=part(sent, "query"))

    async def _drawn(
        self, request: Request, desk: Desk, state: JudgingState, window: str, told: str, ids: Sequence[str], *, near: str | None
    ) -> Response:
        try:
            values = await _values(desk, state, window, near=near or None)
        except StcError as error:
            html = render("judging/alert.html", error=timely(error, desk.seconds))
            return answer(request, {"error": html, "ids": ids, "told": told})
        html = render("judging/pair.html", guest=desk.guest is not None, **values)
        return answer(request, {"html": html, "ids": ids, "told": told + values["told"], "of": state.of})


async def _done(desk: Desk, state: JudgingState, fields: Mapping[str, str]) -> tuple[str, str | None]:
    """Store a comparison or an undo. Return what to announce, and the query of an undone comparison."""
    if fields.get("choice") == "undo":
        query = await desk.write(undo_comparison, state.pool, state.annotator, query=fields.get("last") or None)
        return (t("Undone.") if query else t("There is nothing to undo.")) + " ", query
    sent = read({**fields, "pool": state.pool, "annotator": state.annotator, "seconds": _seconds(fields.get("seconds", ""))})
    if sent is None:
        raise BadArgument(later("the comparison cannot be read"), hint=later("Reload the page and start again."))
    stored = await desk.write(
        compare_pair, state.pool, state.annotator, sent.pair, sent.choice, seconds=sent.seconds, decision=sent.id
    )
    return ("" if stored else t("Not stored: this pair was compared in another window.") + " "), None


def _seconds(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def holder(window: str) -> Holder:
    """Return the holder of the query of a pair in a browser window."""
    return Holder(f"pairs {window}", f"pairs {window}", _WINDOW_SECONDS)


async def _values(desk: Desk, state: JudgingState, window: str = "", *, near: str | None = None) -> dict[str, Any]:
    """Return what a pair shows, or what is said if nothing is left.

    :param window: the browser window that reserves its query; empty: nothing is reserved.
    :param near: the query of the last comparison: only its documents are read, unless its order is complete.
    """
    here = JudgingSession(
        pool=state.pool, annotator=state.annotator, query=state.of or None, grades={}, guidelines=None, queries=state.queries
    )
    hands = Hands.of(desk)
    if window:
        shown = await reserve_pair(desk, hands, here, here.query, holder(window), near=near)
    else:
        passed = hands.everywhere(here.pool, f"pairs of {here.annotator}")
        shown = await desk.ask(shown_pair, here.pool, here.annotator, here.query, passed, here.queries)
    done = None
    if shown is None:
        left = await desk.ask(next_pair, here.pool, here.annotator, query=here.query, queries=here.queries)
        rows = await desk.ask(pair_progress, here.pool, here.annotator, queries=here.queries)
        done = finished(rows, here, query=here.query, elsewhere=left is not None)
        told, made, most = t("Nothing left to compare here"), sum(row.compared for row in rows), sum(row.remaining for row in rows)
    else:
        told = t("Comparison {number} of query {query}", number=shown.pair.number, query=one_line(shown.pair.query))
        made, most = shown.pair.number - 1, shown.pair.remaining
    return {
        "state": state,
        "shown": shown,
        "done": done,
        "pace": pairs_left(made, most),
        "choices": CHOICES,
        "told": told,
        "marked": marked,
        "metadata": metadata,
        "plain": one_line,
        "paragraphs": paragraphs,
        "short": SHORT_ARTICLE,
    }


def finished(rows: Sequence[PairProgress], here: JudgingSession, *, query: str | None, elsewhere: bool) -> PairsFinished:
    """Return what to say if no pair is left. :param elsewhere: pairs are left that other windows show."""
    others = any(row.remaining for row in rows)
    more = elsewhere or others or here.queries != ALL
    if elsewhere:
        told = t("The remaining pairs are open in another window of yours.")
    elif others:
        told = t("All documents of query {query} are in order. Select another query below.", query=one_line(query))
    elif not any(row.documents > 1 for row in rows):
        told = t("You have no documents to compare in this pool.")
    elif here.queries != ALL:
        told = t("All documents of the set {set} are in order.", set=one_line(here.queries))
        told += " " + t("Clear the field of the query set to compare the others.")
    else:
        told = t("All documents are in order. Thank you!")
    return PairsFinished(t("Nothing left to compare here") if more else t("Done"), told, more)


def pairs_left(made: int, left: int) -> str:
    """Return progress in words, of a query while a pair is shown. :param left: comparisons that can still be needed."""
    if left:
        return t("{made:,} made, at most {left:,} left", made=made, left=left)
    return n("{count:,} comparison made.", "{count:,} comparisons made.", made)
