"""The commands ``stc answers score`` and ``stc answers leaderboard``."""

from __future__ import annotations

from typing import Annotated, Any

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.studies.answers.commands.text import parameters
from stcollection.studies.answers.scores import AnswerMean, AnswerPlace, AnswerScore, leaderboard, means, scores

_NAMES = ("run", "method", "params", "queries", "abstained", "precision", "recall", "F1", "95 % interval", "p", "corrected")


@command(scores)
def score_command(
    call: Call[list[AnswerScore]],
    *,
    per_query: Annotated[bool, Option("-q", help="Also print each query.")] = False,
    style: Style = "table",
) -> None:
    """Print mean precision, recall and F1 of the documents that RUN returns; with -q, also of each query.

    micro: over all documents together. Queries without gold are left out of the means and counted.
    """
    with connect(call.settings) as conn:
        rows: list[Any] = [*call(conn)] if per_query else [mean[1:] for mean in means(conn, [call.given["run"]])]
    headers = AnswerScore._fields if per_query else AnswerMean._fields[1:]
    click.echo(render(rows, headers, style=style))


@command(leaderboard)
def leaderboard_command(call: Call[list[AnswerPlace]], *, style: Style = "table") -> None:
    """Rank the runs on a split of SET by mean F1.

    The 95 % interval of F1 is a BCa bootstrap over queries. p is from a two-sided randomisation test of F1 by query against the
    best run or the baseline; corrected p uses Holm's method over the runs.
    """
    places = call.once()
    if not places:
        aside("no run over this split yet")
    if style in ("json", "csv"):
        rows: list[Any] = [place if style == "json" else place._replace(params=parameters(place.params)) for place in places]  # type: ignore[arg-type]
        click.echo(render(rows, AnswerPlace._fields, style=style))
        return
    part = [call.given["by"]] if "by" in call.given else []
    rows = [
        (
            *([place.part] if part else []),
            place.run,
            place.method,
            parameters(place.params),
            place.queries,
            place.abstained,
            place.precision,
            place.recall,
            place.f1,
            None if place.low is None else f"{place.low:.4f} … {place.high:.4f}",
            _p(place.p),
            _p(place.corrected),
        )
        for place in places
    ]
    click.echo(render(rows, [*part, *_NAMES], style=style))
    left = {place.part: place.without_gold for place in places if place.without_gold}
    if left:
        aside(f"queries without gold, left out: {sum(left.values()):,}")


def _p(value: float | None) -> str | None:
    if value is None:
        return None
    return "<.0001" if value < 0.00005 else f"{value:.4f}"
