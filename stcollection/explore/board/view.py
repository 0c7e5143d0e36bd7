"""The view Leaderboard: runs ranked and tested, all pairs, two runs by query, a run, hard queries, figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from stcollection.analysis.board import DRAWS, board
from stcollection.analysis.board_text import describe_marks, render_board
from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.drill import QueryScore
from stcollection.analysis.rendering import render as render_rows
from stcollection.analysis.significance import TESTS
from stcollection.errors import StcError
from stcollection.explore.board.marks import written
from stcollection.explore.board.parts import PARTS, BoardPart
from stcollection.explore.board.request import (
    ALPHA,
    BELOW,
    OFFERED,
    PATH,
    TICKED,
    BoardState,
    Choices,
    address,
    board_state,
    choices,
    measure_names,
    read_state,
)
from stcollection.explore.charts import text_file
from stcollection.explore.templates import render
from stcollection.explore.views import Site, View, page, plain, while_connected
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.faults import status, timely
from stcollection.web.words import n, t

NAME = "leaderboard"
_FRESH_SECONDS = 10.0
_TITLES = {
    "": later("Table"),
    "pairs": later("All pairs"),
    "compare": later("Compare two runs"),
    "hard": later("Hard queries"),
    "variation": later("Variation"),
    "corrected": later("Corrected scores"),
    "figures": later("Figures"),
}


_OLD = {"pair": "/compare", "run": "/run", "below": "/hard"}  # parameters of the former tab, by the page that has them now


class BoardPages:
    """Answers the requests of the view."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def show(self, request: Request, *, name: str) -> Response:
        """Answer with a page. :param name: one of PARTS."""
        given = read_state(request.query_params)
        if name == "" and (moved := next((page for old, page in _OLD.items() if given[old]), None)):
            return RedirectResponse(f"{PATH}{moved}?{request.url.query}", 302)
        desk = self._site.desk(request)
        known: Choices | None = None
        shown = BoardPart({}, {}, None)
        error: StcError | None = None
        try:
            known = await _known(desk, given)
            if known.editions or given["edition"]:
                shown = await while_connected(request, PARTS[name](desk, board_state(given, known)))
        except StcError as problem:
            error = timely(problem, desk.seconds)
            if known is None:
                raise
        return await page(
            self._site,
            request,
            f"board/{name or 'table'}.html",
            code=status(error) if error else 200,
            title=given["run"] if name == "run" else t(_TITLES[name]) if name else None,
            error=error,
            note=shown.note,
            written=written,
            record_href=f"{PATH}/{name}.json?{request.url.query}" if name else f"{PATH}.json?{request.url.query}",
            **_form_values(name, given, known),
            **shown.values,
        )

    async def record(self, request: Request, *, name: str) -> Response:
        """Answer with the record that a page shows."""
        desk, here = await self._state(request)
        shown = await PARTS[name](desk, here)
        return JSONResponse(plain(shown.record | {"simulated": shown.note}))

    async def file(self, request: Request, *, kind: str) -> Response:
        """Answer with the leaderboard as the command prints it. :param kind: ``csv`` or ``latex``."""
        desk, here = await self._state(request)
        made = await desk.ask(board, here.request)
        asked = made.asked
        note = describe_marks(made.marked, test=asked.paired, baseline=asked.baseline, queries=asked.queries)
        text = render_board(made.marked, asked.measures, digits=4, style=kind, note=note, simulated=made.simulated)
        return text_file("leaderboard.csv" if kind == "csv" else "leaderboard.tex", f"{text}\n")

    async def pairs_file(self, request: Request) -> Response:
        """Answer with the tests of all pairs as CSV."""
        desk, here = await self._state(request)
        tests = (await PARTS["pairs"](desk, here)).values["compared"]
        text = render_rows(tests.table(), list(tests.columns), style="csv", simulated=tests.simulated)
        return text_file("pairs.csv", f"{text}\n")

    async def queries_file(self, request: Request) -> Response:
        """Answer with two runs by query as CSV."""
        desk, here = await self._state(request)
        shown = await PARTS["compare"](desk, here)
        rows = shown.values["compared"].rows
        text = render_rows(rows, QueryScore._fields, style="csv", simulated=shown.note)
        return text_file("queries.csv", f"{text}\n")

    async def figure(self, request: Request, *, name: str, kind: str) -> Response:
        """Answer with a figure. :param name: ``means``, ``reading`` or ``histogram``. :param kind: ``svg`` or ``csv``."""
        desk, here = await self._state(request)
        shown = await PARTS["compare" if name == "histogram" else "figures"](desk, here)
        if kind == "csv":
            rows = shown.record[name]
            headers = list(rows[0]) if rows else []
            text = render_rows([list(row.values()) for row in plain(rows)], headers, style="csv", simulated=shown.note)
            return text_file(f"{name}.csv", f"{text}\n")
        drawn = shown.values["shown"].histogram if name == "histogram" else shown.values["drawings"].get(name)
        if drawn is None:
            raise HTTPException(404)
        below = t("difference in {measure}", measure=str(here.by))
        svg = render("board/svg.html", figure=name, drawn=drawn, title=t("Queries by difference"), below=below)
        return Response(svg, media_type="image/svg+xml", headers={"content-disposition": f'attachment; filename="{name}.svg"'})

    async def _state(self, request: Request) -> tuple[Desk, BoardState]:
        desk, given = self._site.desk(request), read_state(request.query_params)
        return desk, board_state(given, await _known(desk, given))


async def _known(desk: Desk, given: dict[str, str]) -> Choices:
    """Return the choices of the form, and put the default edition into an address without one."""
    known = await desk.ask_often(choices, seconds=_FRESH_SECONDS)
    if given["edition"] and given["edition"] not in [edition.edition for edition in known.editions]:
        known = await desk.ask(choices)  # it may be new
    given["edition"] = given["edition"] or known.edition() or ""
    return known


def _form_values(name: str, given: Mapping[str, str], known: Choices) -> dict[str, Any]:
    """Return what the form and the links between the pages show."""
    ticked, typed = measure_names(given["measures"])
    shown = list(dict.fromkeys([*ticked, *typed, *filter(None, [given["by"]])]))
    return {
        "view": NAME,
        "section": name,
        "path": f"{PATH}/{name}" if name else PATH,
        "given": given,
        "known": known,
        "link": partial(address, given),
        "sections": [(part, t(title)) for part, title in _TITLES.items()],
        "sets": known.sets(given["edition"]),
        "editions": [
            (
                edition.edition,
                n("{edition}, {count:,} query", "{edition}, {count:,} queries", edition.queries, edition=edition.edition),
            )
            for edition in known.editions
        ],
        "measures": shown,
        "offered": OFFERED,
        "ticked": ticked,
        "usual": ",".join(TICKED),
        "typed": ", ".join(typed),
        "teams": sorted({team for team, _ in known.runs.values() if team}),
        "families": sorted({family for _, family in known.runs.values() if family}),
        "tests": TESTS,
        "corrections": list(CORRECTIONS),
        "alpha": ALPHA,
        "draws": DRAWS,
        "below_usual": BELOW,
    }


def _routes(site: Site) -> Sequence[BaseRoute]:
    pages = BoardPages(site)
    drawings = [
        (name, kind)
        for name in ("means", "reading", "histogram")
        for kind in ("svg", "csv")
        if (name, kind) != ("histogram", "csv")
    ]
    return [
        *(Route(f"{PATH}/{name}" if name else PATH, partial(pages.show, name=name)) for name in PARTS),
        *(Route(f"{PATH}/{name}.json" if name else f"{PATH}.json", partial(pages.record, name=name)) for name in PARTS),
        Route(f"{PATH}.csv", partial(pages.file, kind="csv")),
        Route(f"{PATH}.tex", partial(pages.file, kind="latex")),
        Route(f"{PATH}/pairs.csv", pages.pairs_file),
        Route(f"{PATH}/compare.csv", pages.queries_file),
        *(Route(f"{PATH}/{name}.{kind}", partial(pages.figure, name=name, kind=kind)) for name, kind in drawings),
    ]


VIEW = View(name=NAME, title=later("Leaderboard"), routes=_routes)
