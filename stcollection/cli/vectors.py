"""``stc vectors``: embeddings and their indexes."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.output import Progress
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.embed import embed
from stcollection.vectors.index import index
from stcollection.vectors.npy import load_npy
from stcollection.vectors.queries import embed_queries
from stcollection.vectors.store import FIELDS


@click.group()
def vectors() -> None:
    """Embeddings of titles, abstracts and queries, and their indexes."""


@vectors.command("embed")
@click.option(
    "--model", metavar="NAME", help="A sentence-transformers name in the local cache, or a folder.  [default: all-MiniLM-L6-v2]"
)
@click.option("--as", "short", metavar="SHORT", help="The model's name in the collection.  [default: derived from --model]")
@click.option("--batch", type=click.IntRange(min=1), help="Texts a forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option("--rows", type=click.IntRange(min=1), help="Documents a commit.  [default: 8 batches, at least 256]")
@click.pass_obj
def embed_(settings: Settings, model: str | None, short: str | None, batch: int | None, rows: int | None) -> None:
    """Embed titles, abstracts and the queries of the topics, on a GPU when there is one.

    What has its vectors is left alone; a run that was interrupted goes on where it stopped, and several may run at once.
    """
    with connect(settings) as conn:
        with Progress("embed", unit="doc") as bar:
            done = embed(conn, model=model, short=short, batch=batch, rows=rows, progress=bar)
        queries = embed_queries(conn, model=done.model)
    if done.documents:
        rate = f", {done.documents / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
        what = f"{done.documents:,} documents ({done.titles:,} titles, {done.abstracts:,} abstracts)"
        click.echo(f"embedded {what} by {done.model}{rate}")
    else:
        click.echo(f"all documents have their vectors by {done.model}")
    if queries:
        click.echo(f"embedded {queries:,} queries")


@vectors.command("index")
@click.option("--model", metavar="SHORT", help="The model's name in the collection.  [default: the collection's first]")
@click.option("--field", "fields", type=click.Choice(FIELDS), multiple=True, help="Repeat it for several.  [default: both]")
@click.option("--lists", type=click.IntRange(1, 32768), help="[default: rows/1000 up to a million rows, √rows above]")
@click.option("--probes", type=click.IntRange(1, 32768), help="Lists a search looks into.  [default: √lists]")
@click.option("--preset", type=click.Choice(["published"]), help="As the collection's paper has it: rows/1000 lists, 65 probes.")
@click.option("--rebuild", is_flag=True, help="Build anew also what is current.")
@click.pass_obj
def index_(
    settings: Settings,
    model: str | None,
    fields: tuple[str, ...],
    lists: int | None,
    probes: int | None,
    preset: str | None,
    rebuild: bool,
) -> None:
    """Build the ivfflat indexes. An index whose rows have not changed since is current and left alone."""
    with connect(settings) as conn:
        for one in index(conn, model=model, fields=fields or FIELDS, lists=lists, probes=probes, preset=preset, rebuild=rebuild):
            what = f"indexed in {one.seconds:.1f} s" if one.built else "the index is current"
            click.echo(f"{one.field}: {what}: {one.rows:,} vectors, {one.lists:,} lists, {one.probes:,} probes")


@vectors.command("import")
@click.argument("vectors_file", metavar="VECTORS.npy", type=click.Path(path_type=Path))
@click.argument("ids_file", metavar="IDS.npy", type=click.Path(path_type=Path))
@click.option("--field", type=click.Choice(FIELDS), required=True, help="What they are the vectors of.")
@click.option("--model", metavar="SHORT", help="The name in the collection of the model they are by.  [default: minilm]")
@click.pass_obj
def import_(settings: Settings, vectors_file: Path, ids_file: Path, field: str, model: str | None) -> None:
    """Import vectors made elsewhere: row i of VECTORS.npy (float[n, dim]) is that of document i of IDS.npy (integer[n])."""
    with connect(settings) as conn, Progress("import", unit="vector") as bar:
        done = load_npy(conn, vectors=vectors_file, ids=ids_file, field=field, model=model, progress=bar)
    left_out = f"; left out: {done.unknown:,} of unknown documents, {done.empty:,} of zeros" if done.unknown or done.empty else ""
    click.echo(f"stored {done.stored:,} {field} vectors of {done.model}{left_out}")
