"""Commands that correct judgments, and show the effect of another edition on scores and ranks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import click
import orjson

from stcollection.analysis.impact import Impact, QueryShift, Shift, impact, impact_queries
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.measures import one_measure_option
from stcollection.cli.output import marked, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange, Option
from stcollection.errors import StateError
from stcollection.qrels.corrections import Correction, correct, read_corrections
from stcollection.qrels.diff import JudgmentChange, changes

_SHOWN = 5  # number of runs that moved most


@command(impact)
def impact_command(
    call: Call[Impact],
    *,
    measure: Annotated[Any, one_measure_option("Measure that ranks the runs: nDCG@10 or ndcg_cut_10, AP, P@20, …")],
    per_query: Annotated[bool, Option("-q")] = False,
    style: Style = "table",
) -> None:
    """Show how scores and the ranking of systems change if edition B replaces edition A.

    Scores every stored run on both editions and prints the shifts of its mean and rank. Compares the two rankings by Kendall's
    tau-b, tau_ap (A is the reference) and rank-biased overlap.

    :param per_query: Print the shift of each run on each query, largest first.
    """
    a, b = call.given["a"], call.given["b"]
    given = {name: value for name, value in call.arguments().items() if name != "p"}
    with connect(call.settings) as conn:
        if per_query:
            shifts = impact_queries(conn, **given, measure=measure)
            names = [field.replace("value_a", a).replace("value_b", b) for field in QueryShift._fields]
            click.echo(render(shifts, names if style in ("table", "markdown", "latex") else list(QueryShift._fields), style=style))
            return
        scored = call(conn, measure=measure)
    if style == "csv":
        click.echo(render(scored.runs, list(Shift._fields), style=style))
    elif style == "json":
        record = {
            "a": a, "b": b, "measure": str(measure), "kendall_tau": scored.kendall_tau, "tau_ap": scored.tau_ap, "rbo": scored.rbo,
            "runs": [row._asdict() for row in scored.runs],
        }  # fmt: skip
        click.echo(orjson.dumps(marked(record), option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(_impact_text(scored, a, b, str(measure), style))


def _impact_text(scored: Impact, a: str, b: str, measure: str, style: str) -> str:
    rows = [(row.run, row.value_a, row.value_b, row.shift, row.rank_a, row.rank_b, _moved(row)) for row in scored.runs]
    headers = ["run", f"{measure} by {a}", f"by {b}", "shift", f"rank by {a}", f"by {b}", "moved"]
    over = sorted({(row.queries_a, row.queries_b) for row in scored.runs})
    queries = ", ".join(counted(x, "query") if x == y else f"{x:,} and {counted(y, 'query')}" for x, y in over)
    values = [("Kendall's tau-b", scored.kendall_tau), ("tau_ap", scored.tau_ap), ("RBO", scored.rbo)]
    figures = ", ".join(f"{name} {'–' if value is None else f'{value:.4f}'}" for name, value in values)
    lines = [render(rows, headers, style=style), "", f"{counted(len(rows), 'run')} on {queries}: {figures}"]
    movers = sorted((row for row in scored.runs if row.rank_a != row.rank_b), key=lambda row: -abs(row.rank_a - row.rank_b))
    if movers:
        lines.append("moved most: " + ", ".join(f"{row.run} {row.rank_a} → {row.rank_b}" for row in movers[:_SHOWN]))
    return "\n".join(lines)


def _moved(row: Shift) -> str:
    """Return ``+2`` for a gain of two ranks."""
    return f"{row.rank_a - row.rank_b:+d}" if row.rank_a != row.rank_b else ""


@command(correct)
def correct_command(
    call: Call[str],
    *,
    query: Annotated[str | None, Option(metavar="QUERY")] = None,
    doc: Annotated[str | None, Option(metavar="DOC")] = None,
    rel: Annotated[int | None, AllowedRange(ge=-9999, le=9999), Option(metavar="GRADE")] = None,
    why: Annotated[str | None, Option(metavar="TEXT")] = None,
    sheet: Path | None = None,
    measure: Annotated[Any, one_measure_option("Measure by which to show the changes of scores and ranks.")],
    style: Style = "table",
) -> None:
    """Correct judgments of an EDITION in a new version of it, and show what that changes in scores and ranks.

    EDITION itself does not change: a sealed edition keeps its seal. The version is a copy in which the corrections take precedence
    over all other judgments, with their reasons. It is hidden if EDITION is, and can be corrected again.

    :param query: Query of the judgment.
    :param doc: Document of the judgment.
    :param rel: The right grade.
    :param why: Reason, stored with the new judgment.
    :param sheet: Correct the judgments in FILE: CSV or JSON lines with the columns query, doc, rel and why.
    """
    if sheet is not None:
        if (query, doc, rel, why) != (None,) * 4:
            raise click.UsageError("--sheet takes its corrections from the file: omit --query, --doc, --rel and --why")
        corrections = read_corrections(sheet)
    elif query is None or doc is None or rel is None or why is None:
        raise click.UsageError("give --query, --doc, --rel and --why, or --sheet FILE")
    else:
        corrections = [Correction(1, query, doc, rel, why)]
    edition = call.given["edition"]
    with connect(call.settings) as conn:
        name = call(conn, corrections=corrections, sheet=sheet)
        differing = changes(conn, edition, name)
        try:
            moved = impact(conn, edition, name, measure=measure)
        except StateError:  # no run is stored
            moved = Impact(runs=[], kendall_tau=None, tau_ap=None, rbo=None)
    _show(edition, name, differing, moved, str(measure), style)


def _show(edition: str, name: str, differing: Sequence[JudgmentChange], moved: Impact, measure: str, style: str) -> None:
    if style == "json":
        record = {
            "edition": name,
            "corrects": edition,
            "judgments": [row._asdict() for row in differing],
            "measure": measure,
            "runs": [row._asdict() for row in moved.runs],
        }
        click.echo(orjson.dumps(marked(record), option=orjson.OPT_INDENT_2).decode())
        return
    click.echo(render(differing, JudgmentChange._fields, style=style))
    if style == "csv":
        return
    click.echo(f"\n{name}: {edition} with {counted(len(differing), 'correction')}; {edition} does not change\n")
    shifted = [row for row in moved.runs if row.shift or row.rank_a != row.rank_b]
    if shifted:
        click.echo(_impact_text(replace(moved, runs=shifted), edition, name, measure, style) + "\n")
    unmoved = len(moved.runs) - len(shifted)
    if unmoved or not moved.runs:
        click.echo(
            f"{counted(unmoved, 'run')} with the same {measure} and rank" if unmoved else "No run is stored: no score changes"
        )
    click.echo(f"To publish it: stc publish seal {shlex.quote(name)}")
