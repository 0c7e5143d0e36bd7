"""The view Judging: judge the documents of a pool, blind and by keyboard, on the same sheets as ``stc judge``.

The address has the pool, the annotator and the document, so the server keeps no session. Scripts send each decision with an id, and
keep it in the browser until its answer comes.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.explore.access.form import read_form, read_json
from stcollection.explore.judging import panels
from stcollection.explore.judging.decisions import SKIP, UNDECIDED, Flushed, flush, identity, queued, seconds
from stcollection.explore.judging.organising import PoolPages
from stcollection.explore.judging.pairs import PairPages, holder
from stcollection.explore.judging.request import PATH, JudgingState, read_state
from stcollection.explore.judging.texts import (
    KEYS,
    SHORT_ARTICLE,
    announced,
    division,
    finished,
    labelled,
    marked,
    metadata,
    paragraphs,
    progress_text,
    said,
    scale,
    simulated,
)
from stcollection.explore.templates import render
from stcollection.explore.views import Site, View, answer, page, plain
from stcollection.plugins import sections
from stcollection.qrels import judging as work
from stcollection.qrels.guidelines import default_guidelines
from stcollection.qrels.judging import JudgingSession, SentDecision, SheetPage, SheetPlace, judging_session
from stcollection.qrels.pools import OfQuery, PoolOverview, pool_queries, pools
from stcollection.qrels.sheets import plain as one_line
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely
from stcollection.web.hands import Hands, Holder
from stcollection.web.words import n, t

NAME = "judging"
_WORDS = {SKIP: later("Skipped."), UNDECIDED: later("Stored: cannot decide.")}
_BACK, _UNDO = "back", "undo"
_NAMELESS = BadArgument(later("the name is empty"), hint=later("Enter your name: each judgment is stored with its annotator."))
_FIELDS, _LONGEST_FORM = 16, 32_768  # a note of 1,000 characters takes up to 12,000 bytes
_WINDOW_SECONDS = 600.0  # a page's reservation of a document, which each decision renews
_NUMBER = re.compile("[0-9]{1,9}")
_MOST_HAVE = 3 * work.AHEAD


@dataclass(frozen=True, kw_only=True)
class Pressed:
    """What a form or a key sends about the document on the screen.

    :param again: the reader went back to it. :param have: tokens of documents that the browser has.
    :param last: id of the decision that undo removes. :param window: id of the browser window.
    :param documents: number of documents of the sheet, which the page was sent with.
    """

    key: str
    place: SheetPlace | None
    fields: Mapping[str, str]
    again: bool
    have: Sequence[str]
    last: str
    window: str
    documents: int | None


class SheetPages:
    """Answers the requests for an annotator's sheet."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def _state(self, request: Request) -> JudgingState:
        return read_state(request.query_params, self._site.desk(request).guest)

    async def sheet(self, request: Request) -> Response:
        """Answer with the document of the address, or the next one; without an annotator with the form that starts judging."""
        desk, state = self._site.desk(request), self._state(request)
        if not state.annotator:
            return await self._entry(request, desk, state, error=_NAMELESS if "annotator" in request.query_params else None)
        try:
            here, shown = await _opened(desk, state)
            state = state._replace(of=here.query or "")
            values = await _sheet(desk, state, shown, again=bool(state.place and shown.paper and shown.paper.changed))
        except StcError as error:
            return await self._entry(request, desk, state, error=error)
        return await page(
            self._site,
            request,
            "judging/sheet.html",
            title=_title(state),
            view=NAME,
            guidelines=here.guidelines or default_guidelines(scale(here.grades), t=t),
            keys=KEYS,
            told=announced(shown.paper) if shown.paper else "",
            **{**await panels.frame(desk, state), **values},
        )

    async def record(self, request: Request) -> Response:
        """Answer with the record that the page shows."""
        desk, state = self._site.desk(request), self._state(request)
        if not state.annotator:
            return JSONResponse(plain({"pools": await desk.ask(pools)}))
        here, shown = await _opened(desk, state)
        return JSONResponse(plain({"session": here, "sheet": shown}))

    async def _entry(self, request: Request, desk: Desk, state: JudgingState, *, error: StcError | None = None) -> Response:
        """Answer with the form that starts judging, and the selected pool."""
        rows: Sequence[OfQuery] = ()
        listed: Sequence[PoolOverview] = ()
        chosen = None
        try:
            listed = await desk.ask(pools)
            chosen = next((pool for pool in listed if pool.pool == state.pool), None)
            if chosen is None and state.pool and error is None:
                raise UnknownObject(later("there is no pool {pool!r}", pool=state.pool), hint=later("Select a pool."))
            chosen = chosen or (listed[0] if listed and not state.pool else None)
            if chosen is not None and desk.guest is None:
                rows = await desk.ask(pool_queries, chosen.pool, queries=state.queries)
        except StcError as problem:
            error = error or problem
        error = error and timely(error, desk.seconds)
        return await page(
            self._site,
            request,
            "judging/entry.html",
            code=status(error) if error else 200,
            title=None,
            view=NAME,
            error=error,
            pools=listed,
            chosen=chosen,
            division=chosen and division(chosen),
            rows=rows,
            simulated=simulated(listed),
            path=PATH,
            plain=one_line,
            **await panels.frame(desk, state),
        )

    async def article(self, request: Request) -> Response:
        """Answer with the article of a document's topic."""
        desk, state = self._site.desk(request), self._state(request)
        paper = await desk.ask(work.paper, state.pool, state.annotator, state.doc, state.at or None)
        return await page(
            self._site, request, "judging/article.html", title=None, view=NAME, paper=paper, plain=one_line, paragraphs=paragraphs
        )

    async def queries(self, request: Request) -> Response:
        """Answer with the annotator's progress by query."""
        desk, state = self._site.desk(request), self._state(request)
        rows = await desk.ask(work.progress, state.pool, state.annotator, state.queries)
        return await page(
            self._site,
            request,
            "judging/queries.html",
            title=_title(state),
            view=NAME,
            rows=rows,
            plain=one_line,
            **await panels.frame(desk, state),
        )

    async def press(self, request: Request) -> Response:
        """Store a decision or an undo, and answer with the next document: as JSON to scripts, else by leading to its page."""
        desk, state = self._site.desk(request), self._state(request)
        fields = await read_form(request.scope, request.receive, fields=_FIELDS, longest=_LONGEST_FORM)
        pressed, scripted = _pressed(fields), fields.get("scripted") == "1"
        try:
            made = await _done(desk, state, pressed)
        except StcError as error:
            error = timely(error, desk.seconds)
            if not scripted:
                raise
            given = identity(fields)
            gone = [given] if given and isinstance(error, BadArgument | UnknownObject) else []
            return answer(request, {"error": _alert(error), "ids": gone, "told": t("Not stored.")}, status(error))
        if not scripted:
            place = made.place
            target = state._replace(doc=place.token if place else "", at=place.query if place else "", last=made.undo or "")
            return RedirectResponse(target.link(), 303)
        return await _drawn(request, desk, state, pressed, made)

    async def kept(self, request: Request) -> Response:
        """Store the decisions that a browser kept, reserve the document on its screen, and answer with further documents."""
        desk, state = self._site.desk(request), self._state(request)
        sent = await read_json(request.scope, request.receive)
        pressed = _pressed({name: value for name, value in sent.items() if isinstance(value, str)})
        try:
            done = await _flushed(desk, sent)
            made = Moved(ids=done.ids, told=_told(done), place=pressed.place, again=pressed.again)
            place = pressed.place
            if place is None or (not made.again and not _free(desk, state, place, pressed.window)):
                return await _drawn(request, desk, state, replace(pressed, place=None), replace(made, place=None))
            shown = await _next(desk, state, pressed, made)
        except StcError as error:
            error = timely(error, desk.seconds)
            return answer(request, {"error": _alert(error), "ids": []}, status(error))
        trouble = _alert(done.trouble) if done.trouble else None
        return answer(
            request,
            {
                "ids": made.ids,
                "told": made.told,
                "ahead": _ahead(state, shown),
                "progress": progress_text(shown.counts),
                "error": trouble,
            },
        )

    async def leave(self, request: Request) -> Response:
        """Release the document of a window that closes."""
        desk = self._site.desk(request)
        fields = await read_form(request.scope, request.receive)
        window = fields.get("window", "")
        Hands.of(desk).let_go(_holder(window))
        Hands.of(desk).let_go(holder(window))
        return Response(status_code=204)


@dataclass(frozen=True, kw_only=True)
class Moved:
    """What became of a key. :param ids: decisions that the browser can forget. :param undo: id that undo can remove now.

    :param told: text to announce. :param place: the document to show; None: the next one. :param again: it was decided before.
    """

    ids: Sequence[str] = ()
    undo: str | None = None
    told: str = ""
    place: SheetPlace | None = None
    again: bool = False


async def _opened(desk: Desk, state: JudgingState) -> tuple[JudgingSession, SheetPage]:
    """Check that the annotator can judge, and return the document of the address, or the next one that no window shows."""
    if not state.pool:
        raise BadArgument(later("no pool is selected"), hint=later("Select a pool."))
    here = await desk.ask(judging_session, state.pool, state.annotator, state.of or None, state.queries)
    passed = [] if state.place else Hands.of(desk).everywhere(here.pool, here.annotator)
    shown = await desk.ask(
        work.sheet_page,
        here.pool,
        here.annotator,
        place=state.place,
        query=here.query,
        queries=here.queries,
        passed=passed,
    )
    return here, shown


async def _sheet(desk: Desk, state: JudgingState, shown: SheetPage, *, again: bool) -> dict[str, Any]:
    """Return what a document shows, or what is said if nothing is left."""
    paper, done = shown.paper, None
    if paper is None:
        rows = await desk.ask(work.progress, state.pool, state.annotator, state.queries)
        done = finished(rows, pool=state.pool, query=state.of or None, queries=state.queries)
    return {**_paper(state, shown, again=again), "done": done}


def _paper(state: JudgingState, shown: SheetPage, *, again: bool) -> dict[str, Any]:
    paper = shown.paper
    return {
        "state": state,
        "grades": scale(shown.grades),
        "paper": paper,
        "done": None,
        "again": again,
        "progress": progress_text(shown.counts),
        "counts": shown.counts,
        "decision": secrets.token_hex(8),
        "said": said(paper) if paper else "",
        "label": labelled(paper.label) if paper else "",
        "marked": marked,
        "metadata": metadata,
        "plain": one_line,
        "paragraphs": paragraphs,
        "short": SHORT_ARTICLE,
    }


def _ahead(state: JudgingState, shown: SheetPage) -> list[dict[str, str]]:
    """Return the documents that a browser shows if it loses its connection."""
    return [
        {"token": paper.token, "html": render("judging/paper.html", **_paper(state, replace(shown, paper=paper), again=False))}
        for paper in shown.ahead
    ]


def _alert(error: StcError) -> str:
    return render("judging/alert.html", error=error)


async def _drawn(request: Request, desk: Desk, state: JudgingState, pressed: Pressed, made: Moved) -> Response:
    """Answer a script with the document to show next, and with further ones for a lost connection."""
    record: dict[str, object] = {"ids": made.ids, "undo": made.undo}
    try:
        shown = await _next(desk, state, pressed, made)
        html = render("judging/paper.html", **await _sheet(desk, state, shown, again=made.again))
    except StcError as error:
        error = timely(error, desk.seconds)
        told = made.told + t("The next document could not be loaded.")
        return answer(request, {**record, "error": _alert(error), "told": told})
    told = made.told + (announced(shown.paper) if shown.paper else t("Nothing left to judge here") + ".")
    return answer(request, {**record, "html": html, "told": told, "ahead": _ahead(state, shown)})


async def _next(desk: Desk, state: JudgingState, pressed: Pressed, made: Moved) -> SheetPage:
    """Reserve and return the document to show, with some of the following ones."""
    hands, holder = Hands.of(desk), _holder(pressed.window)
    missing = work.AHEAD - len(pressed.have)
    while True:
        shown = await desk.ask(
            work.sheet_page,
            state.pool,
            state.annotator,
            place=made.place,
            query=state.of or None,
            queries=state.queries,
            near=pressed.place.query if pressed.place else None,
            passed=hands.elsewhere(state.pool, state.annotator, holder),
            have=pressed.have,
            most=missing if missing > 1 else 0,  # every second time, as finding them may read much of the sheet
            documents=pressed.documents,
        )
        if shown.paper is None:
            hands.let_go(holder)
            return shown
        if not pressed.window or hands.take(state.pool, state.annotator, shown.paper.token, holder) or made.place is not None:
            return shown


def _holder(window: str) -> Holder:
    return Holder(window, window, _WINDOW_SECONDS)


def _free(desk: Desk, state: JudgingState, place: SheetPlace, window: str) -> bool:
    """Reserve a document; return False if another window shows it."""
    return Hands.of(desk).take(state.pool, state.annotator, place.token, _holder(window))


async def _done(desk: Desk, state: JudgingState, pressed: Pressed) -> Moved:
    """Carry out a key. Return the result and the document to show; None means the next one."""
    if pressed.key == _BACK:
        return await _back(desk, state, pressed)
    if pressed.key == _UNDO:
        return await _undo(desk, state, pressed)
    if pressed.place is None:
        raise BadArgument(later("no document is named"), hint=later("Reload the page and start again."))
    return await _decide(desk, state, pressed, pressed.place)


def _pressed(fields: Mapping[str, str]) -> Pressed:
    token, query, documents = fields.get("token", ""), fields.get("query", ""), fields.get("documents", "")
    return Pressed(
        key=fields.get("key", ""),
        place=SheetPlace(query, token) if token and query else None,
        fields=fields,
        again=fields.get("again") == "1",
        have=[token for token in fields.get("have", "").split(",") if token][:_MOST_HAVE],
        last=fields.get("last", ""),
        window=fields.get("window", "")[:80],
        documents=int(documents) if _NUMBER.fullmatch(documents) else None,
    )


async def _back(desk: Desk, state: JudgingState, pressed: Pressed) -> Moved:
    token, query = (pressed.place.token, pressed.place.query) if pressed.place else ("", None)
    earlier = await desk.ask(work.place_before, state.pool, state.annotator, token, again=pressed.again, query=query)
    if earlier is None:
        return Moved(told=t("There is no earlier document.") + " ", place=pressed.place, again=pressed.again)
    return Moved(told=t("Back.") + " ", place=earlier, again=True)


async def _undo(desk: Desk, state: JudgingState, pressed: Pressed) -> Moved:
    done = await desk.write(work.undo, state.pool, state.annotator, pressed.last) if pressed.last else None
    if done is None:
        return Moved(
            ids=[pressed.last], told=t("There is nothing to undo on this page.") + " ", place=pressed.place, again=pressed.again
        )
    first = t("Undone.") if done.undone else t("Not undone: the judgment was submitted or changed elsewhere.")
    paper = await desk.ask(work.paper, state.pool, state.annotator, done.token, done.query)
    return Moved(told=first + " ", place=SheetPlace(done.query, done.token), again=paper.changed is not None)


async def _decide(desk: Desk, state: JudgingState, pressed: Pressed, place: SheetPlace) -> Moved:
    """Store a decision."""
    sent, key = pressed.fields, pressed.key
    given = identity(sent)
    ids = [given] if given else []
    if key == SKIP and sent.get("decided") == "1" and sent.get("note", "") == sent.get("before", ""):
        return Moved(ids=ids)
    if key not in (SKIP, UNDECIDED) and not (key.isdecimal() and key.isascii() and len(key) == 1):
        raise BadArgument(later("{grade!r} is not a grade", grade=key[:20]), hint=later("Press one of the buttons."))
    decision = _decision(state, pressed, place, given)
    stored = await desk.write(work.store_decision, decision)
    if stored is None:
        told = t("Not stored: this document was judged in another tab or terminal.")
        return Moved(ids=ids, told=told + " ", place=place, again=True)
    told = (t(_WORDS[key]) if key in _WORDS else t("Graded {grade}.", grade=decision.rel)) + " "
    if stored.label and not sent.get("label"):  # shown after the annotator's own decision
        told += f"{labelled(stored.label)}. "
    return Moved(ids=ids, undo=given, told=told)


def _decision(state: JudgingState, pressed: Pressed, place: SheetPlace, given: str | None) -> SentDecision:
    """Return the decision that a form sends. An unchanged note is not stored again."""
    sent, key = pressed.fields, pressed.key
    found = queued(
        {
            "queue": [
                {
                    **sent,
                    "id": given or secrets.token_hex(8),
                    "pool": state.pool,
                    "annotator": state.annotator,
                    "note": None if sent.get("note", "") == sent.get("before", "") else sent.get("note", ""),
                    "seconds": _seconds(sent.get("seconds", "")) if key != SKIP else None,
                }
            ]
        }
    )
    if not found:
        raise BadArgument(later("the decision cannot be read"), hint=later("Reload the page and start again."))
    return replace(found[0], query=place.query)


def _seconds(text: str) -> float | None:
    try:
        return seconds({"seconds": float(text)})
    except ValueError:
        return None


async def _flushed(desk: Desk, sent: Mapping[str, Any]) -> Flushed:
    """Store the decisions that a browser kept."""
    found = queued(sent)
    if desk.guest is not None:  # decisions that somebody else made in this browser stay there
        own = desk.guest.pool, desk.guest.annotator
        found = [one for one in found if (one.pool, one.annotator) == own]
    return await desk.write(flush, found) if found else Flushed(stored=0, ids=(), rejected=(), trouble=None)


def _told(done: Flushed) -> str:
    """Return what became of decisions that a browser kept."""
    told = []
    if done.stored:
        told.append(
            n(
                "{count:,} decision that the browser kept is stored.",
                "{count:,} decisions that the browser kept are stored.",
                done.stored,
            )
        )
    told += [t("Not stored: {reason}.", reason=reason) for reason in dict.fromkeys(done.rejected)]
    return "".join(f"{text} " for text in told)


def _title(state: JudgingState) -> str:
    return one_line(state.pool)


def _routes(site: Site) -> Sequence[BaseRoute]:
    sheets, pairs, organising = SheetPages(site), PairPages(site), panels.PanelPages(site)
    return [
        Route(PATH, sheets.sheet),
        Route(f"{PATH}.json", sheets.record),
        Route(f"{PATH}/queries", sheets.queries),
        Route(f"{PATH}/article", sheets.article),
        Route(f"{PATH}/press", sheets.press, methods=["POST"]),
        Route(f"{PATH}/kept", sheets.kept, methods=["POST"]),
        Route(f"{PATH}/leave", sheets.leave, methods=["POST"]),
        *pairs.routes(),
        *organising.routes(),
        *PoolPages(site).routes(),
        *(route for part in sections(NAME) for route in part.routes(site)),
    ]


VIEW = View(name=NAME, title=later("Judging"), routes=_routes, guests=True)
