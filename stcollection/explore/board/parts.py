"""What each page of the leaderboard shows, and its record for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from stcollection.analysis.board import no_runs, reading, standings
from stcollection.analysis.corrected import cautions, corrected_scores
from stcollection.analysis.document_measures import MEASURES as OF_DOCUMENTS
from stcollection.analysis.drill import hard_queries
from stcollection.analysis.records import SystemScore
from stcollection.analysis.significance import compare
from stcollection.analysis.variation import run_variation, topic_variation
from stcollection.db.simulated import simulated_note
from stcollection.errors import UnknownObject
from stcollection.explore.board import card, figures, pair
from stcollection.explore.board.corrected import columns, corrected_table, size_texts
from stcollection.explore.board.pairs import pair_table
from stcollection.explore.board.request import (
    BELOW,
    BoardState,
    address,
    command,
    corrected_command,
    corrected_statement,
    count,
    number,
    statements,
)
from stcollection.explore.board.table import PAGE, board_record, board_table, filtered, interval_name
from stcollection.explore.measures import title_of
from stcollection.explore.views import plain
from stcollection.texts import later
from stcollection.web.desk import Desk
from stcollection.web.words import t


class BoardPart(NamedTuple):
    """What a page shows. :param values: of its template. :param record: the same for programs. :param note: on simulated data."""

    values: Mapping[str, Any]
    record: Any
    note: str | None


Part = Callable[[Desk, BoardState], Coroutine[Any, Any, BoardPart]]


async def _table(desk: Desk, here: BoardState) -> BoardPart:
    made = await desk.ask(standings, here.request, here.by)
    shown = board_table(made, here.given)
    runs = filtered(made, here.given)[shown.start : shown.start + PAGE]
    kept = {name: here.given[name] for name in ("filter", "team", "family", "sort", "order")}
    return BoardPart(
        {
            "made": made,
            "table": shown,
            "command": command(here.request),
            "statements": statements(here.request),
            "pages": _pages(here.given, "", shown.start, shown.matching, kept),
        },
        board_record(made, runs),
        made.simulated,
    )


async def _pairs(desk: Desk, here: BoardState) -> BoardPart:
    asked = here.request
    tests = await desk.ask(
        compare,
        asked.runs,
        edition=asked.edition,
        measures=[here.by],
        baseline=asked.baseline,
        queries=asked.queries,
        test=asked.paired,
    )
    shown = pair_table(tests, here.given, alpha=asked.alpha, baseline=asked.baseline)
    return BoardPart({"compared": tests, "table": shown, "asked": asked}, {"pairs": plain(list(tests))}, tests.simulated)


async def _compare(desk: Desk, here: BoardState) -> BoardPart:
    asked = here.request
    compared = await desk.ask(pair.comparison, here, on=here.given["on"], depth=pair.depth_of(here.given))
    shown = pair.pair_page(compared, here.given, alpha=asked.alpha)
    kept = {"pair": compared.run, "against": compared.against} | {
        name: here.given[name] for name in ("low", "high", "order", "depth")
    }
    values = {
        "compared": compared,
        "shown": shown,
        "depths": pair.DEPTHS,
        "kept": kept,
        "query_link": lambda query: address(here.given, "/compare", **kept, start=here.given["start"], on=query) + "#documents",
        "depth_link": lambda depth: address(here.given, "/compare", **kept | {"depth": depth}, on=here.given["on"]) + "#documents",
        "pages": _pages(here.given, "/compare", shown.start, shown.matching, kept),
    }
    record = {
        "run": compared.run,
        "against": compared.against or None,
        "measure": str(here.by),
        "comparison": plain(compared.tested),
        "queries": plain(compared.rows),
        "on": here.given["on"] or None,
        "documents": plain(compared.documents),
    }
    return BoardPart(values, record, await desk.ask(simulated_note, [asked.edition]))


async def _run(desk: Desk, here: BoardState) -> BoardPart:
    made = await desk.ask(card.run_page, here, here.given["run"])
    values = {
        "made": made,
        "facts": card.facts(made.card),
        "scores": card.scores(made.card),
        "checks": card.checks(made.card),
        "metadata": json.dumps(made.card.facts.metadata, indent=2, ensure_ascii=False),
        "search_link": partial(_search_link, str(made.card.facts.params.get("system") or "")),
        "query_link": lambda query: address(here.given, "/compare", pair=made.card.facts.run, on=query) + "#documents",
    }
    return BoardPart(values, plain(made), await desk.ask(simulated_note, [edition.edition for edition in made.card.scores]))


async def _hard(desk: Desk, here: BoardState) -> BoardPart:
    asked, below = here.request, number(later("the threshold is {value!r}"), here.given["below"], BELOW)
    rows = await desk.ask(
        hard_queries, edition=asked.edition, measure=str(here.by), below=below, runs=asked.runs, queries=asked.queries
    )
    start = count(later("the first row is {value!r}"), here.given["start"], 0)
    values = {
        "rows": rows[start : start + PAGE],
        "found": len(rows),
        "below": below,
        "search_link": partial(_search_link, ""),
        "pages": _pages(here.given, "/hard", start, len(rows), {"below": here.given["below"]}),
    }
    return BoardPart(values, {"below": below, "queries": plain(rows)}, await desk.ask(simulated_note, [asked.edition]))


async def _figures(desk: Desk, here: BoardState) -> BoardPart:
    made = await desk.ask(standings, here.request, here.by)
    document = _document(here.given)
    read = await desk.ask(reading, here.request, here.by, document)
    runs = list(made.means)[:PAGE]
    drawings = {"means": figures.means(made, runs)} if made.scores else {}
    if read.lacking is None:
        drawings["reading"] = figures.reading(read)
    values = {
        "drawings": drawings,
        "read": read,
        "total": len(made.means),
        "drawn": len(runs),
        "documents": [(name, title_of(name)) for name in OF_DOCUMENTS],
    }
    record = {"means": [_interval(score) for score in made.scores.values()], "document": document, "reading": plain(read.read)}
    return BoardPart(values | {"document": document}, record, made.simulated)


async def _corrected(desk: Desk, here: BoardState) -> BoardPart:
    asked, people, baseline = here.request, here.given["people"], here.given["baseline"] or None
    if not people:
        return BoardPart({"rows": []}, {"runs": [], "differences": []}, None)
    how: dict[str, Any] = {"labels": asked.edition, "people": people, "measure": here.by}
    how |= {"alpha": asked.alpha, "queries": asked.queries}
    scores = await desk.ask(corrected_scores, asked.runs, **how)
    differences = await desk.ask(corrected_scores, asked.runs, **how, baseline=baseline) if baseline else []
    values = {
        "rows": corrected_table(scores, differences),
        "columns": columns(),
        "cautions": cautions(scores),
        "interval": interval_name(asked.alpha),
        "command": corrected_command(asked, here.by, people, baseline),
        "statement": corrected_statement(asked, here.by, people, baseline),
    }
    return BoardPart(values | size_texts(scores), plain({"runs": [*scores], "differences": [*differences]}), scores.simulated)


async def _variation(desk: Desk, here: BoardState) -> BoardPart:
    asked = here.request
    how: dict[str, Any] = {"measure": here.by, "queries": asked.queries}
    runs = await desk.ask(run_variation, asked.edition, runs=asked.runs, baseline=here.given["baseline"] or None, **how)
    if not runs:
        raise no_runs()
    run = here.given["run"] or runs[0].run
    topics = await desk.ask(topic_variation, asked.edition, runs=(run,), **how)
    rows = sorted(topics, key=lambda row: (-row.variance, row.topic))
    start = count(later("the first row is {value!r}"), here.given["start"], 0)
    values = {
        "runs": runs,
        "topics": rows[start : start + PAGE],
        "chosen": run,
        "run_link": lambda name: address(here.given, "/variation", run=name) + "#topics",
        "query_link": lambda name, query: address(here.given, "/compare", pair=name, on=query) + "#documents",
        "pages": _pages(here.given, "/variation", start, len(rows), {"run": run}),
    }
    return BoardPart(values, plain({"runs": [*runs], "topics": rows}), runs.simulated)


PARTS: dict[str, Part] = {
    "": _table,
    "pairs": _pairs,
    "compare": _compare,
    "run": _run,
    "hard": _hard,
    "variation": _variation,
    "corrected": _corrected,
    "figures": _figures,
}


def _pages(given: Mapping[str, str], part: str, start: int, matching: int, kept: Mapping[str, str]) -> dict[str, str | None]:
    """Return which rows a table shows, and links to the rows before and after."""
    last = min(start + PAGE, matching)
    return {
        "said": t("{first:,} to {last:,} of {count:,}", first=start + 1, last=last, count=matching) if matching > PAGE else None,
        "before": address(given, part, **kept, start=max(0, start - PAGE) or None) if start else None,
        "after": address(given, part, **kept, start=start + PAGE) if last < matching else None,
    }


def _search_link(system: str, text: str) -> str:
    return f"/search?{urlencode({'q': text} | ({'system': system} if system else {}))}"


def _document(given: Mapping[str, str]) -> str:
    """Return the document measure of the scatter plot. :raises UnknownObject: there is no such measure."""
    name = given["document"] or "textstat_fkgl"
    if name not in OF_DOCUMENTS:
        raise UnknownObject(
            later("there is no document measure {name!r}", name=name[:80]), hint=later("Choose one of the list."), sqlstate="IR108"
        )
    return name


def _interval(score: SystemScore) -> dict[str, Any]:
    return {name: value for name, value in score._asdict().items() if name != "values"}
