"""The panels of organisers: disagreements, progress and corrections; and the frame of all panels."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

import psycopg
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.analysis.stopping import ONLY_RELEVANT
from stcollection.errors import BadArgument, StcError
from stcollection.explore.access.form import read_form
from stcollection.explore.charts import csv_file
from stcollection.explore.judging.corrections import Effect, Form, corrected, organises
from stcollection.explore.judging.disputes import disputes
from stcollection.explore.judging.progress import MEASURES, drift_rows, people, yields
from stcollection.explore.judging.request import PATH, JudgingState, read_state
from stcollection.explore.judging.texts import metadata, scale
from stcollection.explore.views import Site, page, plain
from stcollection.plugins import sections
from stcollection.qrels import judging as work
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.comparisons import pair_progress
from stcollection.qrels.judging import DifferingGrade, pool_decisions
from stcollection.qrels.metadata import read_metadata
from stcollection.qrels.organise import AssessorProgress, Decision, adjudicate
from stcollection.qrels.pools import pool_queries, pools
from stcollection.qrels.reviews import Review, ReviewState, review, reviews
from stcollection.qrels.sheets import guarded
from stcollection.qrels.sheets import plain as one_line
from stcollection.texts import later
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely
from stcollection.web.words import t

NAME = "judging"
_FRESH_SECONDS = 60.0
_SHOWN = 20  # disputed documents of a page
FIELDS, LONGEST_FORM = 10, 65_536  # of a form
LONGEST_NOTE = 1000
DIGITS = re.compile("[0-9]{1,9}")
_TITLES = {
    "": later("Judge"),
    "pairs": later("Pairs"),
    "disagreements": later("Disagreements"),
    "progress": later("Progress"),
    "pools": later("Pools"),
    "corrections": later("Corrections"),
}
_OF_ORGANISERS = ("pools", "corrections")
_OF_GUESTS = ("", "pairs")  # invited assessors see no grades of others
REVIEWS: dict[ReviewState, str] = {
    "open": later("open"),
    "in-review": later("in review"),
    "settled": later("settled"),
}


async def frame(desk: Desk, state: JudgingState, panel: str = "") -> dict[str, Any]:
    """Return what all panels show: the other panels, and who judges."""
    guest = desk.guest is not None
    titles = _TITLES | {part.name: part.title for part in sections(NAME)}
    names: Sequence[str] = _OF_GUESTS if guest else tuple(titles)
    if not guest and not await desk.ask_often(organises, seconds=_FRESH_SECONDS):
        names = [name for name in names if name not in _OF_ORGANISERS]
    panels = [(name, t(titles[name]), state.sheet().link(name, review=None)) for name in names]
    return {"state": state, "guest": guest, "panels": panels, "panel": panel}


async def nobody(site: Site, request: Request, state: JudgingState, panel: str, text: str) -> Response:
    """Answer with the form that starts judging, for a panel that needs a pool or an annotator. :param text: says so."""
    desk = site.desk(request)
    listed = await desk.ask(pools)
    values = await frame(desk, state, panel)
    return await page(
        site,
        request,
        "judging/nobody.html",
        title=t(_TITLES[panel]),
        view=NAME,
        text=text,
        pools=listed,
        chosen=next((pool for pool in listed if pool.pool == state.pool), None),
        path=state.link(panel).partition("?")[0],
        plain=one_line,
        **values,
    )


class PanelPages:
    """Answers the requests for the panels of organisers."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes of the panels."""
        return [
            Route(f"{PATH}/disagreements", self.disagreements),
            Route(f"{PATH}/disagreements", self.settle, methods=["POST"]),
            Route(f"{PATH}/disagreements.json", self.disagreements_record),
            Route(f"{PATH}/reviews.csv", self.reviews_csv),
            Route(f"{PATH}/reviews.json", self.reviews_record),
            Route(f"{PATH}/progress", self.progress),
            Route(f"{PATH}/progress.json", self.progress_record),
            Route(f"{PATH}/assessors.csv", self.assessors_csv),
            Route(f"{PATH}/decisions.csv", self.decisions_csv),
            Route(f"{PATH}/corrections", self.corrections, methods=["GET", "POST"]),
        ]

    async def _at_pool(self, request: Request) -> tuple[Desk, JudgingState]:
        """Return the state of the address; without a pool with the first one. :raises StcError: the pools cannot be read."""
        desk = self._site.desk(request)
        state = read_state(request.query_params, desk.guest)
        if not state.pool:
            listed = await desk.ask(pools)
            state = state._replace(pool=listed[0].pool if listed else "")
        return desk, state

    async def disagreements(self, request: Request, *, error: StcError | None = None) -> Response:
        """Answer with the documents whose grades differ, and the agreement of the annotators."""
        desk, state = await self._at_pool(request)
        if not state.pool:
            return await nobody(self._site, request, state, "disagreements", t("No pools yet."))
        query = state.of or None
        listed = await desk.ask(pool_queries, state.pool, queries=state.queries)
        pairs, alpha = await desk.ask(work.agreement, state.pool, query, state.queries)
        seen = await desk.ask(_disputed, state, _first(request))
        values = await frame(desk, state, "disagreements")
        return await page(
            self._site,
            request,
            "judging/disagreements.html",
            code=status(error) if error else 200,
            title=t("Disagreements"),
            view=NAME,
            error=error,
            adjudicator=request.query_params.get("adjudicator", "")[:200] or "adjudicator",
            queries=listed,
            pairs=pairs,
            alpha=alpha,
            plain=one_line,
            time=_time,
            undefined=value_or_undefined,
            quoted=shlex.quote(state.pool),
            metadata=metadata,
            reviews=[(name, t(text)) for name, text in REVIEWS.items()],
            **values,
            **seen,
        )

    async def disagreements_record(self, request: Request) -> Response:
        """Answer with the record that the page shows."""
        desk, state = await self._at_pool(request)
        pairs, alpha = await desk.ask(work.agreement, state.pool, state.of or None, state.queries)
        found = await desk.ask(
            work.disagreements,
            state.pool,
            state.of or None,
            state.queries,
            judged_by=state.annotator or None,
            review=_review(state.review),
        )
        return JSONResponse(plain({"pairs": pairs, "alpha": alpha, "grades": found}))

    async def settle(self, request: Request) -> Response:
        """Store a final grade or a review status, and lead back to the list."""
        desk, state = self._site.desk(request), read_state(request.query_params, self._site.desk(request).guest)
        sent = await read_form(request.scope, request.receive, fields=FIELDS, longest=LONGEST_FORM)
        name, grade = sent.get("adjudicator", "").strip(), sent.get("rel", "")
        back = f"{state.link('disagreements')}&{urlencode({'adjudicator': name})}"
        try:
            if not name:
                raise BadArgument(
                    later("the adjudicator's name is empty"),
                    hint=later("Enter it: final grades and review status are stored with it."),
                )
            document = {"query": sent.get("query", ""), "docno": sent.get("docno", "")}
            note = one_line(sent.get("note"))[:LONGEST_NOTE] or None
            if mark := _review(sent.get("review", "")):
                await desk.write(review, state.pool, **document, state=mark, reviewer=name, note=note)
                return RedirectResponse(back, 303)
            if not DIGITS.fullmatch(grade) or len(grade) > 1:
                raise BadArgument(later("{grade!r} is not a grade", grade=grade[:20]), hint=later("Press one of the buttons."))
            await desk.write(
                adjudicate,
                state.pool,
                adjudicator=name,
                **document,
                rel=int(grade),
                note=note,
            )
        except StcError as error:
            return await self.disagreements(request, error=timely(error, desk.seconds))
        return RedirectResponse(back, 303)

    async def reviews_csv(self, request: Request) -> Response:
        """Answer with the review status of documents over time as a file."""
        desk, state = await self._at_pool(request)
        rows = await desk.ask(reviews, state.pool)
        return csv_file("reviews", Review._fields, rows, cell=_guarded)

    async def reviews_record(self, request: Request) -> Response:
        """Answer with the review status of documents over time."""
        desk, state = await self._at_pool(request)
        rows = await desk.ask(reviews, state.pool)
        return JSONResponse(plain({"reviews": rows}))

    async def progress(self, request: Request) -> Response:
        """Answer with the work of each assessor."""
        desk, state = await self._at_pool(request)
        if not state.pool:
            return await nobody(self._site, request, state, "progress", t("No pools yet."))
        rows, alpha = await desk.ask(people, state.pool, state.queries)
        compared = await desk.ask(pair_progress, state.pool, queries=state.queries)
        editions = await desk.ask(work.editions)
        control = request.query_params.get("control", "")
        drifted = await desk.ask(drift_rows, state.pool, control) if control else None
        labels, measure = request.query_params.get("labels", ""), request.query_params.get("measure", "")[:200] or "AP"
        estimate, by_query = await desk.ask(yields, state.pool, state.queries, labels=labels or None, measure=measure)
        everybody, _ = (rows, alpha) if state.queries == ALL else await desk.ask(people, state.pool, ALL)
        values = await frame(desk, state, "progress")
        by_person = {name: list(own) for name, own in groupby(compared, key=lambda row: row.annotator)}
        return await page(
            self._site,
            request,
            "judging/progress.html",
            title=t("Progress"),
            view=NAME,
            rows=rows,
            alpha=alpha,
            compared=by_person,
            editions=editions,
            control=control,
            drifted=drifted,
            labels=labels,
            measure=measure,
            measures=dict.fromkeys([*MEASURES, measure]),
            estimate=estimate,
            only_relevant=ONLY_RELEVANT,
            by_query=by_query,
            names=[shlex.quote(one_line(row.annotator)) for row in everybody] or ["NAME"],
            quoted=shlex.quote(one_line(state.pool)),
            plain=one_line,
            time=_time,
            undefined=value_or_undefined,
            **values,
        )

    async def progress_record(self, request: Request) -> Response:
        """Answer with the record that the page shows."""
        desk, state = await self._at_pool(request)
        rows, alpha = await desk.ask(people, state.pool, state.queries)
        return JSONResponse(plain({"assessors": rows, "alpha": alpha}))

    async def assessors_csv(self, request: Request) -> Response:
        """Answer with the work of each assessor as a file."""
        desk, state = await self._at_pool(request)
        rows, _ = await desk.ask(people, state.pool, state.queries)
        return csv_file("assessors", AssessorProgress._fields, rows, cell=_guarded)

    async def decisions_csv(self, request: Request) -> Response:
        """Answer with all decisions as a file, without documents that the annotator of the address has not judged."""
        desk, state = await self._at_pool(request)
        rows = await desk.ask(pool_decisions, state.pool, state.annotator or None)
        return csv_file("decisions", Decision._fields, rows, cell=_guarded)

    async def corrections(self, request: Request) -> Response:
        """Answer with the form of a correction; to a form that was sent with what the correction changes, or changed."""
        desk = self._site.desk(request)
        sent: Mapping[str, str] = {}
        effect: Effect | None = None
        trouble: StcError | None = None
        if request.method == "POST":
            sent = await read_form(request.scope, request.receive, fields=FIELDS, longest=LONGEST_FORM)
            try:
                effect = await desk.write(corrected, _form(sent), keep=sent.get("keep") == "1")
            except StcError as error:
                trouble = timely(error, desk.seconds)
        may = await desk.ask_often(organises, seconds=_FRESH_SECONDS)
        editions = await desk.ask(work.editions) if may else []
        values = await frame(desk, read_state(request.query_params, desk.guest), "corrections")
        return await page(
            self._site,
            request,
            "judging/corrections.html",
            code=status(trouble) if trouble else 200,
            title=t("Corrections"),
            view=NAME,
            may=may,
            error=trouble,
            editions=editions,
            form=_form({**dict(request.query_params), **sent}),
            effect=effect,
            moved=[one for one in effect.runs if one.shift or one.rank_a != one.rank_b] if effect else [],
            plain=one_line,
            quote=shlex.quote,
            **values,
        )


def _disputed(conn: psycopg.Connection, state: JudgingState, first: int) -> dict[str, Any]:
    """Return the disputed documents of a page, with abstracts and history."""
    own = work.mine(conn, state.pool, state.annotator) if state.annotator else {}
    review = _review(state.review)
    found: list[DifferingGrade] = work.disagreements(conn, state.pool, state.of or None, state.queries, review=review)
    grades = scale(AssessorSheet(conn, state.pool, state.annotator).grades())
    made = disputes(found, own)
    shown = made.open[first : first + _SHOWN]
    documents = [(one.query, one.docno) for one in shown]
    docnos = [docno for _, docno in documents]
    past = work.history(conn, state.pool, documents)
    return {
        "grades": grades,
        "made": made,
        "shown": shown,
        "first": first,
        "size": _SHOWN,
        "abstracts": work.abstracts(conn, docnos),
        "shown_fields": read_metadata(conn, state.pool, docnos),
        "history": {document: [one for one in past if (one.query, one.docno) == document] for document in documents},
        "settled_by": any(one.final_by for one in found),
    }


def _review(text: str) -> ReviewState | None:
    """Return the review status of the address; None without one. :raises BadArgument: there is no such status."""
    if text and text not in REVIEWS:
        raise BadArgument(later("{state!r} is not a review status", state=text[:50]), hint=later("Use open, in-review or settled."))
    return next((state for state in REVIEWS if state == text), None)


def _first(request: Request) -> int:
    text = request.query_params.get("from", "")
    return int(text) if DIGITS.fullmatch(text) else 0


def _form(sent: Mapping[str, str]) -> Form:
    return Form(
        edition=sent.get("edition", ""),
        query=sent.get("query", "").strip(),
        doc=sent.get("doc", "").strip(),
        rel=sent.get("rel", "").strip(),
        why=one_line(sent.get("why")),
        unjudged=sent.get("unjudged") == "1",
    )


def _guarded(value: object) -> object:
    """Return a cell of a file. A text that looks like a number, such as a note, is guarded too."""
    return guarded(value) if isinstance(value, str) else value


def _time(moment: datetime | None) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if moment else ""


def value_or_undefined(value: float | None) -> str:
    """Return an agreement statistic as text."""
    return t("undefined") if value is None else f"{value:.2f}"
