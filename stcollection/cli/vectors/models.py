"""The command ``stc vectors models``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.output import format_option, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.store import models


@click.command("models")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the models with their vectors and indexes."""
    with connect(settings) as conn:
        headers, rows = models(conn)
    if style != "table":
        click.echo(render(rows, headers, style=style))
        return
    for row in rows:  # one block per model: a table would be too wide
        known = dict(zip(headers, row, strict=True))
        known["made_by"] = ", ".join(known["made_by"])
        known.update(_trained(known.pop("recipe") or {}))
        for prefix in ("query_prefix", "passage_prefix"):
            known[prefix] = repr(known[prefix]) if known[prefix] else None
        click.echo(f"{known.pop('model')}")
        for name, value in known.items():
            if value not in (None, "", 0):
                click.echo(f"  {name.replace('_', ' '):<15} {f'{value:,}' if isinstance(value, int) else value}")


def _trained(recipe: dict[str, Any]) -> dict[str, str]:
    """Return the recipe of a trained model in short; ``--format json`` prints it whole."""
    if not recipe:
        return {}
    base, edition, options = recipe["base"], recipe["edition"], recipe["options"]
    return {
        "trained_from": f"{base['model']} ({base['revision']})",
        "trained_on": f"{recipe['field']} of {edition['edition']} (sha256 {edition['sha256'][:12]}):"
        f" {counted(len(recipe['queries']), 'query')}, {len(recipe['held_out'])} held out",
        "training": f"epoch {recipe['kept_epoch']} of {len(recipe['ndcg']) - 1}, rate {options['rate']:g}, seed {options['seed']}",
    }
