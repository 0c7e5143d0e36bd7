"""The command ``stc complexity annotations correlate``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.analysis.annotation_correlations import Correlation, correlate
from stcollection.analysis.annotations import ALL, AnnotationBootstrap, graded
from stcollection.cli.complexity.annotations._text import MACHINE, interval, interval_header, p_header, p_value, tell_empty
from stcollection.cli.options.annotations import aspect_option, bootstrap_options, group_option, measure_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("correlate")
@aspect_option
@measure_option
@group_option
@bootstrap_options
@format_option
@click.pass_obj
def command(
    settings: Settings,
    /,
    aspect: str,
    measures: tuple[str, ...],
    groups: tuple[str, ...],
    style: str,
    bootstrap: AnnotationBootstrap,
) -> None:
    """Correlate each measure with the grades: Spearman's rho and Kendall's tau-b, by group of annotators and over all.

    Intervals are percentiles of a bootstrap over documents. p is from a permutation test, with Holm's correction over the measures
    of a group.
    """
    with connect(settings) as conn:
        grades = graded(conn, aspect=aspect, measures=measures, groups=groups)
    rows = correlate(grades, bootstrap=bootstrap)
    notes = any(one.note for one in rows) or style in MACHINE
    headers = ["measure", "group", "n", "documents"]
    for name in ("spearman", "kendall"):
        headers += [name, *interval_header(f"{name}_", bootstrap, style), *p_header(name, style)]
    click.echo(render([_correlation_line(one, style, notes) for one in rows], headers + ["note"] * notes, style=style))
    tell_empty(grades.empty())


def _correlation_line(one: Correlation, style: str, notes: bool) -> list[Any]:
    line: list[Any] = [one.measure, one.group or ALL, one.n, one.documents]
    for value in (one.spearman, one.kendall):
        line += [value.value, *interval(value.low, value.high, style), *p_value(value, style)]
    return line + [one.note] * notes
