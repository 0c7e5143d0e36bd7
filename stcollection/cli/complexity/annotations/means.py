"""The command ``stc complexity annotations means``."""

from __future__ import annotations

import click

from stcollection.analysis import annotations as analysis
from stcollection.analysis.annotations import ALL
from stcollection.cli.complexity.annotations._text import tell_empty
from stcollection.cli.options.annotations import aspect_option, group_option, measure_option
from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("means")
@aspect_option
@measure_option
@group_option
@format_option
@click.pass_obj
def command(settings: Settings, aspect: str, measures: tuple[str, ...], groups: tuple[str, ...], style: str) -> None:
    """Report each measure at each grade, by group of annotators: mean, n, standard error.

    n counts documents, once per grade and group; 'grades' counts the grades given to them.
    """
    with connect(settings) as conn:
        rows = analysis.means(conn, aspect=aspect, measures=measures, groups=groups)
        empty = [
            name
            for name in analysis.measures_of(conn, aspect=aspect, measures=measures)
            if all(one.measure != name for one in rows)
        ]
    if len({one.group for one in rows} - {None}) == 1:  # one group is the same as all
        rows[:] = [one for one in rows if one.group is not None]
    lines = [(one.measure, one.group or ALL, *one[2:]) for one in rows]
    click.echo(render(lines, analysis.AnnotationMean._fields, style=style))
    tell_empty(empty)
