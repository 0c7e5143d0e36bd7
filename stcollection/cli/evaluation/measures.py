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
        suffix = {"cutoff": "@k", "share": "@x", "p": "(p=…)"}.get(kind.takes, "")
        shown = {"cutoff": "_k", "share": "_x", "numbers": "[.a,b,…]", "gains": "[.grade=gain,…]", "p": "[.p=…]"}.get(
            kind.takes, ""
        )
        groups = ", ".join(group for group, kinds in GROUPS.items() if kind.name in kinds)
        ours = kind.name in ("binary_rbp", "ndcg_exp", "err", "judged", "recip_rank_cut")
        name = "" if ours else kind.name + shown
        source = f"{kind.source}: {SOURCES[kind.source]}" if style in ("json", "csv") else kind.source
        rows.append((kind.ir + suffix if kind.ir else "", name, kind.definition, groups, source))
    click.echo(render(rows, ["ir_measures", "trec_eval", "definition", "in", "source"], style=style))
