"""The command ``stc evaluation measures``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.evaluation.kinds import SOURCES, described


@click.command("measures")
@format_option
def command(style: str) -> None:
    """List the measures: names in ir_measures and trec_eval, definition, source."""
    rows = [(*names, f"{source}: {SOURCES[source]}" if style in ("json", "csv") else source) for *names, source in described()]
    click.echo(render(rows, ["ir_measures", "trec_eval", "definition", "in", "source"], style=style))
