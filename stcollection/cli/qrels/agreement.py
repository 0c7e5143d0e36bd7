"""The command ``stc qrels agreement``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import click

from stcollection.cli.options.agreement import (
    SHOWN,
    AgreementIntervals,
    AgreementSides,
    AgreementTable,
    side_options,
    table_options,
)
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.qrels import agreement as agreeing
from stcollection.qrels.agreement import (
    MEASURES,
    Agreement,
    Alpha,
    Bootstrap,
    Confusion,
    GradeAgreement,
    ranked,
    side_name,
)
from stcollection.topics.sets import ALL

_MACHINE = ("json", "csv")


@click.command("agreement")
@side_options
@click.option("--min-grade", "binary_from", type=int, default=1, show_default=True, help="Lowest grade that counts as relevant.")
@table_options
@click.pass_obj
def command(
    settings: Settings,
    /,
    *,
    sides: AgreementSides,
    binary_from: int,
    table: AgreementTable,
    intervals: AgreementIntervals,
) -> None:
    """Measure how far the judgments of OTHERS agree with those of REFERENCE, on documents that both graded. Ranks the results.

    Each argument is EDITION, EDITION:ORIGIN (human, llm, knn), EDITION:ORIGIN/ANNOTATOR or EDITION:/ANNOTATOR. For names that
    contain these signs, use {"edition": …, "origin": …, "annotator": …}. pool:POOL and pool:POOL/ANNOTATOR are the grades on the
    sheets of a pool, before they are submitted. Without OTHERS, compares the annotators of the edition or pool:
    those of other origins with the human judgments or, if all have one origin, each pair.
    """
    by, style, bootstrap = table.by or "all", table.style, intervals.bootstrap
    show = _table(table.shows, by=by, more=bool(bootstrap or table.measures))
    reference, others, every, queries = sides.reference, sides.others, sides.every, sides.queries
    with connect(settings) as conn:
        if sides.origin is not None or sides.annotator is not None:
            reference = side_name(conn, reference, origin=sides.origin, annotator=sides.annotator)
        if show == "alpha":
            found = agreeing.alpha(conn, [reference, *others], by=by, queries=queries)
            _note_none(found, queries)
            headers = [by, *Alpha._fields[1:]][by == "all" :]
            click.echo(render([one[by == "all" :] for one in found], headers, style=style))
        elif show == "grades":
            by_grade = agreeing.grades(conn, reference, others, every=every, queries=queries)
            _note_none(by_grade, queries)
            click.echo(render(by_grade, GradeAgreement._fields, style=style))
        elif show == "confusion":
            cells = agreeing.confusion(conn, reference, others, every=every, queries=queries)
            _note_none(cells, queries)
            _print_confusion(cells, by=by, style=style)
        else:
            wanted = _wanted(table.measures)
            rows = agreeing.agreement(
                conn,
                reference,
                others,
                binary_from=binary_from,
                by=by,
                every=every,
                queries=queries,
                bootstrap=bootstrap,
                measures=wanted,
            )
            _print_measures(rows, wanted, by=by, style=style, bootstrap=bootstrap)


def _table(shows: tuple[str, ...], *, by: str, more: bool) -> str:
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


def _wanted(measures: tuple[str, ...]) -> list[str]:
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
