"""``stc score --labels LLM --correct-with HUMAN``."""

from __future__ import annotations

import click

from stcollection.analysis.corrected import CorrectedScore, cautions, corrected_scores
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.declared import RecordTable


@command(corrected_scores)
def corrected_command(call: Call[RecordTable[CorrectedScore]], *, style: Style = "table") -> None:
    rows = call.once()
    if style in ("json", "csv"):
        click.echo(render(rows.table(), list(rows.columns), style=style))
        return
    names = ["run", "corrected", "low", "high", "weight", "by labels", "by people", "worth"]
    cells = [(*row[:4], row.weight, row.by_labels, row.by_people, row.worth and round(row.worth)) for row in rows]
    click.echo(render(cells, names, style=style))
    if rows:
        first = rows[0]
        units = {"query": "queries", "pair": "documents"}[first.unit]
        aside(
            f"{first.labelled:,} {units} with labels, {first.n:,} of them judged by people. "
            f"worth: {units} that people would have to judge for an interval as narrow."
        )
    for caution in cautions(rows):
        aside(caution)
