"""The command ``stc evaluation measures``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.evaluation.kinds import GROUPS, KINDS, SOURCES


@click.command("measures")
@format_option
def command(style: str) -> None:
    """The measures there are: names in both families, definition, source."""
    rows = []
    for kind in KINDS.values():
        named = ", ".join(f"{one.name}=…" for one in kind.parameters) if kind.takes in ("nothing", "p") else ""
        suffix = {"cutoff": "@k", "share": "@x"}.get(kind.takes, f"({named})" if named else "")
        shown = {"cutoff": "_k", "share": "_x", "numbers": "[.a,b,…]", "gains": "[.grade=gain,…]", "p": "[.p=…]"}.get(
            kind.takes, ""
        )
        groups = ", ".join(group for group, kinds in GROUPS.items() if kind.name in kinds)
        name = "" if kind.groups is None else kind.name + shown
        source = f"{kind.source}: {SOURCES[kind.source]}" if style in ("json", "csv") else kind.source
        rows.append((kind.ir + suffix if kind.ir else "", name, kind.definition, groups, source))
    click.echo(render(rows, ["ir_measures", "trec_eval", "definition", "in", "source"], style=style))
