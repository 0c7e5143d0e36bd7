"""The command that measures the agreement of judgments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Annotated, Any

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options import together
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.declared import AllowedRange, Option
from stcollection.qrels import agreement as agreeing
from stcollection.qrels.agreement import (
    MEASURES,
    RESAMPLED,
    Agreement,
    Alpha,
    Bootstrap,
    Confusion,
    GradeAgreement,
    ranked,
)
from stcollection.qrels.load import ORIGINS
from stcollection.topics.sets import ALL, expression

_MACHINE = ("json", "csv")
SHOWN = ("tau", "accuracy", "binary_accuracy", "kappa", "kappa_quadratic", "alpha_ordinal")
_MEASURES_HELP = f"Measure: {', '.join(MEASURES)}, or all. The first ranks the rows. Repeatable.  [default: {', '.join(SHOWN)}]"


_BY = together(
    click.option(
        "--per-topic", "by", flag_value="topic", help="Print one row per topic. A query without a topic counts as its own topic."
    ),
    click.option("--per-query", "by", flag_value="query", help="Print one row per query."),
)
_TABLES = together(
    *(
        click.option(f"--{name}", "shows", flag_value=name, multiple=True, help=f"Print {what} instead of measures.")
        for name, what in (
            ("confusion", "confusion matrices of grades"),
            ("grades", "precision and recall of each grade"),
            ("alpha", "Krippendorff's alpha of all sides together"),
        )
    )
)


@command(agreeing.agreement)
def agreement_command(
    call: Call[list[Agreement]],
    *,
    origin: Annotated[str | None, Option(choices=ORIGINS)] = None,
    annotator: str | None = None,
    measures: Annotated[
        Sequence[str], Option("-m", each="measure", choices=(*MEASURES, "all"), metavar="MEASURE", help=_MEASURES_HELP)
    ] = (),
    by: Annotated[str | None, _BY],
    shows: Annotated[Sequence[str], _TABLES],
    resamples: Annotated[int | None, AllowedRange(ge=1)] = None,
    seed: Annotated[int, AllowedRange(ge=0)] = 1,
    resample: Annotated[str, Option(choices=RESAMPLED)] = "query",
    level: Annotated[float, AllowedRange(gt=0, lt=1), Option("--confidence")] = 0.95,
    style: Style = "table",
) -> None:
    """Measure how far the judgments of OTHERS agree with those of REFERENCE, on documents that both graded. Ranks the results.

    Each argument is EDITION, EDITION:ORIGIN (human, llm, knn), EDITION:ORIGIN/ANNOTATOR or EDITION:/ANNOTATOR. For names that
    contain these signs, use {"edition": …, "origin": …, "annotator": …}. pool:POOL and pool:POOL/ANNOTATOR are the grades on the
    sheets of a pool, before they are submitted. Without OTHERS, compares the annotators of the edition or pool:
    those of other origins with the human judgments or, if all have one origin, each pair.

    :param origin: Origin of the reference's judgments, instead of EDITION:ORIGIN.
    :param annotator: Annotator of the reference's judgments, instead of EDITION:/ANNOTATOR.
    :param resamples: Compute percentile intervals from N bootstrap resamples.
    :param seed: Seed of the bootstrap.
    :param resample: Unit to resample: queries with all their judgments, topics, or single pairs (which makes intervals too
        narrow).
    :param level: Confidence level of the intervals.
    """
    unit = by or "all"
    bootstrap = None if resamples is None else Bootstrap(resamples=resamples, seed=seed, of=resample, level=level)
    show = _table(shows, by=unit, more=bool(bootstrap or measures))
    reference, queries = call.given["reference"], expression(call.given.get("queries", ALL))
    sides: dict[str, Any] = {name: call.given[name] for name in ("others", "every") if name in call.given} | {"queries": queries}
    with connect(call.settings) as conn:
        if origin is not None or annotator is not None:
            reference = agreeing.side_name(conn, reference, origin=origin, annotator=annotator)
        if show == "alpha":
            alphas = agreeing.alpha(conn, [reference, *call.given.get("others", ())], by=unit, queries=queries)
            _note_none(alphas, queries)
            headers = [unit, *Alpha._fields[1:]][unit == "all" :]
            click.echo(render([row[unit == "all" :] for row in alphas], headers, style=style))
        elif show == "grades":
            grades = agreeing.grades(conn, reference, **sides)
            _note_none(grades, queries)
            click.echo(render(grades, GradeAgreement._fields, style=style))
        elif show == "confusion":
            cells = agreeing.confusion(conn, reference, **sides)
            _note_none(cells, queries)
            _print_confusion(cells, by=unit, style=style)
        else:
            names = _named(measures)
            rows = call(conn, reference=reference, by=unit, bootstrap=bootstrap, measures=names)
            _print_measures(rows, names, by=unit, style=style, bootstrap=bootstrap)


def _table(shows: Sequence[str], *, by: str, more: bool) -> str:
    """Return the requested table.

    :param more: whether measures or intervals are requested as well, which only one table has.
    """
    show = shows[0] if shows else "measures"
    if len(set(shows)) > 1:
        raise click.UsageError("--confusion, --grades and --alpha are three tables: choose one.")
    if show != "measures" and more:
        raise click.UsageError(f"--{show} takes neither --measure nor --resamples.")
    if show == "grades" and by != "all":
        raise click.UsageError("--grades covers all queries.")
    return show


def _note_none(rows: Sequence[Any], queries: str) -> None:
    """Explain an empty table."""
    if not rows:
        aside(f"no document{'' if queries == ALL else ' of these queries'} is graded by both")


def _named(measures: Sequence[str]) -> list[str]:
    """Return the requested measures, each once; those named before ``all`` come first."""
    named = [name for one in measures or SHOWN for name in ([*MEASURES] if one == "all" else [one])]
    return list(dict.fromkeys(named))


def _print_measures(rows: list[Agreement], measures: list[str], *, by: str, style: str, bootstrap: Bootstrap | None) -> None:
    machine = style in _MACHINE
    several = machine or len({one.reference for one in rows}) > 1
    notes = machine or any(one.note for one in rows)
    if not several and rows:
        aside(f"against {rows[0].reference}\n")
    headers = ["reference"] * several + ["other"] + [by] * (by != "all") + ["queries", "pairs", "grades"]
    for measure in measures:
        headers.append(measure)
        if bootstrap:
            headers += [f"{measure}_low", f"{measure}_high"] if machine else [f"{100 * bootstrap.level:g} %"]
    lines = []
    for one in ranked(rows, measures[0]):
        line: list[Any] = [one.reference] * several + [one.other] + [one.unit] * (by != "all")
        line += [one.queries, one.pairs, one.grades]
        for measure in measures:
            line.append(one.value(measure))
            if bootstrap:
                low, high = (one.intervals or {}).get(measure, (None, None))
                line += [low, high] if machine else [None if low is None or high is None else f"{low:.3f} … {high:.3f}"]
        lines.append(line + [one.note or (None if machine else "")] * notes)
    click.echo(render(lines, headers + ["note"] * notes, style=style))


def _print_confusion(rows: list[Confusion], *, by: str, style: str) -> None:
    """Return rows for programs, and for people one matrix per comparison (and unit), with the reference in rows."""

    def key(one: Confusion) -> tuple[int, str]:
        return one.place, one.topic if by == "topic" else one.query if by == "query" else ""

    groups = [(unit, list(group)) for (_, unit), group in groupby(sorted(rows, key=key), key=key)]
    if style in _MACHINE:
        lines = [
            (group[0].reference, group[0].other, *([unit] if by != "all" else []), x, y, n)
            for unit, group in groups
            for (x, y), n in sorted(_cells(group).items())
        ]
        headers = ["reference", "other", *([by] if by != "all" else []), "reference_rel", "other_rel", "pairs"]
        click.echo(render(lines, headers, style=style))
        return
    for unit, group in groups:
        cells = _cells(group)
        rels = sorted({rel for cell in cells for rel in cell})
        click.echo(f"{group[0].reference} (rows), {group[0].other} (columns){f', {unit}' if unit else ''}\n")
        matrix = [[rel, *(cells.get((rel, other), 0) for other in rels)] for rel in rels]
        click.echo(render(matrix, ["", *map(str, rels)], style=style) + "\n")


def _cells(rows: Iterable[Confusion]) -> dict[tuple[int, int], int]:
    cells: dict[tuple[int, int], int] = {}
    for one in rows:
        cell = one.reference_rel, one.other_rel
        cells[cell] = cells.get(cell, 0) + one.pairs
    return cells
