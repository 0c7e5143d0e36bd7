"""``stc score --standard-errors``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.declared import RecordTable
from stcollection.evaluation.sampled import sampled_scores


@command(sampled_scores)
def sampled_command(call: Call[RecordTable[Any]], *, style: Style = "table") -> None:
    rows = call.once()
    names = rows.columns if style in ("json", "csv") else [name.replace("_", " ") for name in rows.columns]
    click.echo(render(rows.table(), list(names), style=style))
    unknown = sorted({row.measure for row in rows if row.standard_error is None})
    if unknown:
        aside(
            f"No interval for {', '.join(unknown)}: the ideal ranking is estimated too, and errors of this estimate are too large."
            " ipw_P@k has one, and --pooled ipw_R@k."
        )
