"""The command ``stc vectors status``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.audit import Status, status


@click.command("status")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """Report the vectors of each model and field, their index, the last audit, and whether it is still valid."""
    with connect(settings) as conn:
        found = status(conn)
    headers = ["model", "field", "index", "effort", "recall", "rows", "rows now", "MB", "stale"]
    if style in ("json", "csv"):
        names = list(Status.__dataclass_fields__)
        click.echo(render([[getattr(one, name) for name in names] for one in found], names, style=style))
        return
    click.echo(render([_stated(one) for one in found], headers, style=style))
    for one in found:
        if one.advice:
            click.echo(f"{one.model} {one.field}: {one.advice}")


def _stated(one: Status) -> tuple[object, ...]:
    parameters = {
        "ivfflat": f" {counted(one.lists or 0, 'list')}",
        "hnsw": f" m {one.m}, ef_construction {one.ef_construction}",
        "diskann": "",
        None: "",
    }
    return (
        one.model,
        one.field,
        f"{one.kind or 'none'}{' bits' if one.bits else ' half' if one.half else ''}{parameters[one.kind]}",
        one.effort,
        None if one.recall is None else f"{one.recall:.3f} of {one.recall_k}",
        one.rows,
        one.rows_now,
        None if one.bytes is None else round(one.bytes / 1e6),
        "yes" if one.stale else None if one.stale is None else "no",
    )
