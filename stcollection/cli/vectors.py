"""``stc vectors``: embeddings and their indexes."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.indexing import audit_, index_, status_
from stcollection.cli.output import Progress, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors import BACKENDS, PRECISIONS
from stcollection.vectors.embed import embed
from stcollection.vectors.export import export
from stcollection.vectors.npy import load_npy
from stcollection.vectors.parquet import load_parquet
from stcollection.vectors.passages import WAYS, cut, embed_passages
from stcollection.vectors.queries import embed_queries
from stcollection.vectors.store import DOCUMENT_FIELDS, FIELDS


@click.group()
def vectors() -> None:
    """Embeddings of titles, abstracts and queries, and their indexes."""


_SHORT = click.option("--model", metavar="SHORT", help="The model's name in the collection.  [default: the collection's first]")
_PREFIXES = (
    click.option("--query-prefix", metavar="TEXT", help="What the model wants before each query, as 'query: '."),
    click.option("--passage-prefix", metavar="TEXT", help="What it wants before each document's text, as 'passage: '."),
)


@vectors.command("embed")
@click.option(
    "--model", metavar="NAME", help="A sentence-transformers name in the local cache, or a folder.  [default: all-MiniLM-L6-v2]"
)
@click.option("--as", "short", metavar="SHORT", help="The model's name in the collection.  [default: derived from --model]")
@click.option(
    "--field", "fields", type=click.Choice(DOCUMENT_FIELDS), multiple=True,
    help="Repeat it for several; content is title and abstract as one text.  [default: title and abstract]",
)  # fmt: skip
@_PREFIXES[0]
@_PREFIXES[1]
@click.option(
    "--precision", type=click.Choice(PRECISIONS), default="auto", show_default=True,
    help="Of documents; queries are in fp32. auto is bf16 on a CPU that computes it, else fp32.",
)  # fmt: skip
@click.option("--backend", type=click.Choice(BACKENDS), default="torch", show_default=True, help="openvino is an extra, for CPUs.")
@click.option("--batch", type=click.IntRange(min=1), help="Texts a forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option("--rows", type=click.IntRange(min=1), help="Documents a commit.  [default: 8 batches, at least 256]")
@click.pass_obj
def embed_(
    settings: Settings,
    model: str | None,
    short: str | None,
    fields: tuple[str, ...],
    query_prefix: str | None,
    passage_prefix: str | None,
    precision: str,
    backend: str,
    batch: int | None,
    rows: int | None,
) -> None:
    """Embed titles, abstracts and the queries of the topics, on a GPU when there is one.

    What has its vectors is left alone; a run that was interrupted goes on where it stopped, and several may run at once.
    The prefixes are those that the model itself names, if none are given; they are stored, and taken for all later texts.
    """
    with connect(settings) as conn:
        with Progress("embed", unit="documents") as bar:
            done = embed(
                conn, model=model, short=short, fields=fields or FIELDS, query_prefix=query_prefix, passage_prefix=passage_prefix,
                precision=precision, backend=backend, batch=batch, rows=rows, progress=bar,
            )  # fmt: skip
        queries = embed_queries(conn, model=done.model)
    if done.documents:
        rate = f", {done.documents / done.seconds:,.0f} a second" if done.seconds >= 1 else ""
        made = {"titles": done.titles, "abstracts": done.abstracts, "titles with abstracts": done.contents}
        what = ", ".join(f"{number:,} {name}" for name, number in made.items() if number)
        click.echo(f"embedded {done.documents:,} documents ({what}) by {done.model}{rate}")
    else:
        click.echo(f"all documents have their vectors by {done.model}")
    if queries:
        click.echo(f"embedded {queries:,} queries")


@vectors.command("passages")
@click.option("--by", type=click.Choice(WAYS), default="sentence", show_default=True, help="What a passage is.")
@click.option("--size", type=click.IntRange(1, 10_000), metavar="WORDS", help="Of a window.  [default: 64]")
@click.option(
    "--step", type=click.IntRange(1, 10_000), metavar="WORDS", help="From one window to the next.  [default: half of --size]"
)
@click.option("--replace", is_flag=True, help="Throw away passages that were cut another way, with their vectors and indexes.")
@click.option("--model", metavar="NAME", help="As for embed.  [default: all-MiniLM-L6-v2]")
@click.option("--as", "short", metavar="SHORT", help="The model's name in the collection.  [default: derived from --model]")
@click.option("--batch", type=click.IntRange(min=1), help="Texts a forward pass.  [default: 16 on a CPU, 256 on a GPU]")
@click.option("--rows", type=click.IntRange(min=1), help="Passages a commit.  [default: 16 batches, at least 512]")
@click.option("--no-embed", is_flag=True, help="Cut the abstracts, but do not embed the passages.")
@click.pass_obj
def passages_(
    settings: Settings,
    by: str,
    size: int | None,
    step: int | None,
    replace: bool,
    model: str | None,
    short: str | None,
    batch: int | None,
    rows: int | None,
    no_embed: bool,
) -> None:
    """Cut abstracts into passages, sentences or windows of words, and embed these.

    What has been done is left alone; a run that was interrupted goes on where it stopped. Then 'stc vectors index --field passage'.
    """
    with connect(settings) as conn:
        with Progress("cut", unit="documents") as bar:
            done = cut(conn, by=by, size=size, step=step, replace=replace, progress=bar)
        what = f"cut {done.documents:,} abstracts into {done.passages:,} passages" if done.documents else "all abstracts are cut"
        click.echo(f"{what} by {done.how}")
        if no_embed:
            return
        with Progress("embed", unit="passages") as bar:
            made = embed_passages(conn, model=model, short=short, batch=batch, rows=rows, progress=bar)
    if made.passages:
        rate = f", {made.passages / made.seconds:,.0f} a second" if made.seconds >= 1 else ""
        click.echo(f"embedded {made.passages:,} passages by {made.model}{rate}")
    else:
        click.echo(f"all passages have their vectors by {made.model}")


@vectors.command("import")
@click.argument("vectors_file", metavar="VECTORS", type=click.Path(path_type=Path))
@click.argument("ids_file", metavar="[IDS.npy]", required=False, type=click.Path(path_type=Path))
@click.option("--field", type=click.Choice(DOCUMENT_FIELDS), required=True, help="What they are the vectors of.")
@click.option("--model", metavar="SHORT", help="The name in the collection of the model they are by.  [default: minilm]")
@click.option("--name", metavar="NAME", help="Of a new model: its sentence-transformers name or folder, to embed queries by.")
@_PREFIXES[0]
@_PREFIXES[1]
@click.option("--docnos", type=click.Path(path_type=Path), help="A text file of a docno a line, in place of IDS.npy.")
@click.option("--column", metavar="NAME", help="Of a Parquet file: the vectors.  [default: vector, or the only list of floats]")
@click.option("--skip", is_flag=True, help="Leave out vectors of unknown documents, and zeros, instead of refusing the file.")
@click.pass_obj
def import_(
    settings: Settings,
    vectors_file: Path,
    ids_file: Path | None,
    field: str,
    model: str | None,
    name: str | None,
    query_prefix: str | None,
    passage_prefix: str | None,
    docnos: Path | None,
    column: str | None,
    skip: bool,
) -> None:
    """Import vectors made elsewhere, all of a file or nothing.

    VECTORS is an .npy of float[n, dim] with IDS.npy, integer[n] of ids or strings[n] of docnos; or a .parquet with a column id or
    docno and one of lists of floats.
    """
    with connect(settings) as conn, Progress("import", unit="vectors") as bar:
        if vectors_file.suffix == ".parquet":
            if ids_file or docnos:
                raise click.UsageError("a Parquet file has its ids, or docnos, in a column of its own")
            done = load_parquet(
                conn, path=vectors_file, column=column, field=field, model=model, name=name, query_prefix=query_prefix,
                passage_prefix=passage_prefix, skip=skip, progress=bar,
            )  # fmt: skip
        else:
            done = load_npy(
                conn, vectors=vectors_file, ids=ids_file, docnos=docnos, field=field, model=model, name=name,
                query_prefix=query_prefix, passage_prefix=passage_prefix, skip=skip, progress=bar,
            )  # fmt: skip
    left_out = f"; left out: {done.unknown:,} of unknown documents, {done.empty:,} of zeros" if done.unknown or done.empty else ""
    click.echo(f"stored {done.stored:,} {field} vectors of {done.model}{left_out}")


@vectors.command("export")
@click.argument("out", metavar="VECTORS", type=click.Path(path_type=Path))
@click.argument("ids_file", metavar="[IDS.npy]", required=False, type=click.Path(path_type=Path))
@click.option("--field", type=click.Choice(DOCUMENT_FIELDS), required=True, help="What they are the vectors of.")
@_SHORT
@click.pass_obj
def export_(settings: Settings, out: Path, ids_file: Path | None, field: str, model: str | None) -> None:
    """Export stored vectors, to the last bit: an .npy of float32[n, dim] and IDS.npy, or a .parquet of id, docno and vector."""
    with connect(settings) as conn, Progress("export", unit="vectors") as bar:
        done = export(conn, out=out, ids=ids_file, field=field, model=model, progress=bar)
    click.echo(f"wrote {done.vectors:,} {field} vectors of {done.model}, of {done.dim:,} dimensions")


@vectors.command("models")
@format_option
@click.pass_obj
def models_(settings: Settings, style: str) -> None:
    """List the models with their vectors and indexes."""
    with connect(settings) as conn, conn.cursor() as cursor:
        rows = cursor.execute("SELECT * FROM model_overview()").fetchall()
        headers = [column.name for column in cursor.description or ()]
    if style != "table":
        click.echo(render(rows, headers, style=style))
        return
    for row in rows:  # a block each: side by side they would not fit
        known = dict(zip(headers, row, strict=True))
        known["made_by"] = ", ".join(known["made_by"])
        for prefix in ("query_prefix", "passage_prefix"):
            known[prefix] = repr(known[prefix]) if known[prefix] else None
        click.echo(f"{known.pop('model')}")
        for name, value in known.items():
            if value not in (None, "", 0):
                click.echo(f"  {name.replace('_', ' '):<15} {f'{value:,}' if isinstance(value, int) else value}")


@vectors.command("drop")
@click.argument("model", metavar="SHORT")
@click.pass_obj
def drop_(settings: Settings, model: str) -> None:
    """Drop a model with its tables: vectors, indexes, remembered queries. The default model's stay."""
    with connect(settings) as conn:
        conn.execute("SELECT drop_vector_model(%s)", [model])
    click.echo(f"dropped {model} and its vectors")


for command in (index_, audit_, status_):
    vectors.add_command(command)
