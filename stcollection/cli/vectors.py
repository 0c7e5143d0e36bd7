"""``stc vectors``: embeddings and their indexes."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.output import Progress
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.embed import embed
from stcollection.vectors.index import KINDS, index
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
@click.option(
    "--field", "fields", type=click.Choice([*FIELDS, "content", "passage"]), multiple=True,
    help="Repeat it for several.  [default: title and abstract]",
)  # fmt: skip
@click.option("--kind", type=click.Choice(KINDS), default="ivfflat", show_default=True, help="diskann takes vectorscale.")
@click.option("--half", is_flag=True, help="Index in half precision, in half the space.")
@click.option("--lists", type=click.IntRange(1, 32768), help="Of ivfflat.  [default: rows/1000 up to a million rows, √rows above]")
@click.option("--m", type=click.IntRange(2, 100), help="Of hnsw: links a vector.  [default: 16]")
@click.option("--ef-construction", type=click.IntRange(4, 1000), help="Of hnsw.  [default: 64]")
@click.option(
    "--effort", type=click.IntRange(1, 32768),
    help="How hard searches look: probes of ivfflat, ef_search of hnsw, search_list_size of diskann."
    "  [default: √lists, at least 10; 100 for hnsw and diskann]",
)  # fmt: skip
@click.option("--preset", type=click.Choice(["published"]), help="As the collection's paper has it: rows/1000 lists, 65 probes.")
@click.option("--rebuild", is_flag=True, help="Build anew also what is current.")
@click.pass_obj
def index_(
    settings: Settings,
    model: str | None,
    fields: tuple[str, ...],
    kind: str,
    half: bool,
    lists: int | None,
    m: int | None,
    ef_construction: int | None,
    effort: int | None,
    preset: str | None,
    rebuild: bool,
) -> None:
    """Build the indexes, one a field. An index whose rows have not changed since is current and left alone."""
    with connect(settings) as conn:
        for one in index(
            conn, model=model, fields=fields or FIELDS, kind=kind, half=half, lists=lists, m=m, ef_construction=ef_construction,
            effort=effort, preset=preset, rebuild=rebuild,
        ):  # fmt: skip
            what = f"indexed in {one.seconds:.1f} s" if one.built else "the index is current"
            how = {
                "ivfflat": f"{one.lists:,} lists, {one.effort:,} probes" if one.lists else "",
                "hnsw": f"m {one.m}, ef_construction {one.ef_construction}, ef_search {one.effort}",
                "diskann": f"search_list_size {one.effort}",
            }[one.kind]
            click.echo(f"{one.field}: {what}: {one.rows:,} vectors, {one.kind}{' in half precision' if one.half else ''}, {how}")


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
