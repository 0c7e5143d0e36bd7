"""Commands on stored vectors: ``stc vectors convert``, ``drop``, ``export``, ``models`` and ``status``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import ProgressBar, render
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.declared import Option
from stcollection.vectors.audit import Status, status
from stcollection.vectors.convert import Converted, convert
from stcollection.vectors.export import export
from stcollection.vectors.store import DOCUMENT_FIELDS, drop, models


@command(convert)
def convert_command(call: Call[Converted], *, half: Annotated[bool | None, Option("--half/--full")] = None) -> None:
    """Store a model's vectors in half or full precision, and rebuild its indexes. Readers wait while its tables are rewritten.

    New models use half precision in a corpus of more than a million documents, and above 2,000 dimensions.

    :param half: Precision of the stored vectors; half takes half the space. Required.
    """
    if half is None:
        raise click.UsageError("choose --half or --full")
    converted = call.once(half=half)
    precision = "half" if half else "full"
    click.echo(
        f"the vectors of {converted.model} are {'now' if converted.converted else 'already'} stored in {precision} precision"
    )
    for index in converted.indexes:
        if index.built:
            click.echo(f"{index.field}: indexed in {index.seconds:.1f} s: {counted(index.rows, 'vector')}, {index.kind}")


@command(drop)
def drop_command(call: Call[None], *, model: Annotated[str, Option("SHORT")]) -> None:
    """Drop the model SHORT with its vectors, indexes and cached queries. The default model cannot be dropped."""
    call.once(model=model)
    click.echo(f"dropped {model} and its vectors")


@click.command("export")
@click.argument("out", metavar="VECTORS", type=OutputPath())
@click.argument("ids_file", metavar="[IDS.npy]", required=False, type=OutputPath())
@click.option("--field", type=click.Choice(DOCUMENT_FIELDS), required=True, help="Field of the vectors.")
@click.option("--model", metavar="SHORT", help="Name of the model in the collection.  [default: the collection's first]")
@click.pass_obj
def export_command(settings: Settings, out: Path, ids_file: Path | None, field: str, model: str | None) -> None:
    """Export stored vectors without loss: an .npy of float32[n, dim] and IDS.npy, or a .parquet of id, docno and vector.

    Sparse vectors are an .npz of SciPy and IDS.npy, or a .jsonl of Pyserini, {"id": ..., "vector": {term: weight}}.
    """
    with connect(settings) as conn, ProgressBar("export", unit="vectors") as bar:
        exported = export(conn, out=out, ids=ids_file, field=field, model=model, progress=bar)
    click.echo(f"wrote {exported.vectors:,} {field} vectors of {exported.model}, of {counted(exported.dim, 'dimension')}")


@command(models)
def models_command(call: Call[tuple[list[str], list[tuple[Any, ...]]]], *, style: Style = "table") -> None:
    """List the models with their vectors and indexes."""
    headers, rows = call.once()
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


@command(status, omit=("estimate",))
def status_command(call: Call[list[Status]], *, style: Style = "table") -> None:
    """Report the vectors of each model and field, their index, the last audit, and whether it is still valid."""
    rows = call.once()
    headers = ["model", "field", "index", "effort", "recall", "rows", "rows now", "MB", "stale"]
    if style in ("json", "csv"):
        names = list(Status.__dataclass_fields__)
        click.echo(render([[getattr(row, name) for name in names] for row in rows], names, style=style))
        return
    click.echo(render([_stated(row) for row in rows], headers, style=style))
    for row in rows:
        if row.advice:
            click.echo(f"{row.model} {row.field}: {row.advice}")


def _stated(row: Status) -> tuple[object, ...]:
    parameters = {
        "ivfflat": f" {counted(row.lists or 0, 'list')}",
        "hnsw": f" m {row.m}, ef_construction {row.ef_construction}",
        "diskann": "",
        "impact": "",
        None: "",
    }
    return (
        row.model,
        row.field,
        f"{row.kind or 'none'}{' bits' if row.bits else ' half' if row.half else ''}{parameters[row.kind]}",
        row.effort,
        None if row.recall is None else f"{row.recall:.3f} of {row.recall_k}",
        row.rows,
        row.rows_now,
        None if row.bytes is None else round(row.bytes / 1e6),
        "yes" if row.stale else None if row.stale is None else "no",
    )
