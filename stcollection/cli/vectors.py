"""``stc vectors``: embeddings and their indexes."""

from __future__ import annotations

from pathlib import Path

import click

from stcollection.cli.output import Progress, format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.audit import Measured, Status, cheapest, keep, measure, status
from stcollection.vectors.embed import embed
from stcollection.vectors.export import export
from stcollection.vectors.index import KINDS, index
from stcollection.vectors.model import BACKENDS, PRECISIONS
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
        with Progress("embed", unit="doc") as bar:
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
    with connect(settings) as conn, Progress("import", unit="vector") as bar:
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
    with connect(settings) as conn, Progress("export", unit="vector") as bar:
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
        with Progress("cut", unit="doc") as bar:
            done = cut(conn, by=by, size=size, step=step, replace=replace, progress=bar)
        what = f"cut {done.documents:,} abstracts into {done.passages:,} passages" if done.documents else "all abstracts are cut"
        click.echo(f"{what} by {done.how}")
        if no_embed:
            return
        with Progress("embed", unit="passage") as bar:
            made = embed_passages(conn, model=model, short=short, batch=batch, rows=rows, progress=bar)
    if made.passages:
        rate = f", {made.passages / made.seconds:,.0f} a second" if made.seconds >= 1 else ""
        click.echo(f"embedded {made.passages:,} passages by {made.model}{rate}")
    else:
        click.echo(f"all passages have their vectors by {made.model}")


def _numbers(_: click.Context, option: click.Parameter, value: str | None) -> list[int] | None:
    """Whole numbers between commas."""
    try:
        return None if value is None else [int(one) for one in value.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers, as 1,2,5,10", param=option) from error


@vectors.command("audit")
@click.option("--model", metavar="SHORT", help="The model's name in the collection.  [default: the collection's first]")
@click.option(
    "--field", type=click.Choice([*FIELDS, "content", "passage"]), required=True, help="Whose index."
)  # fmt: skip
@click.option("--k", type=click.IntRange(min=1), default=10, show_default=True, help="Recall of the first so many.")
@click.option("--queries", type=click.IntRange(min=1), default=100, show_default=True, help="How many to ask.")
@click.option("--recall", type=click.FloatRange(0, 1, min_open=True), default=0.95, show_default=True, help="What is wanted.")
@click.option("--grid", callback=_numbers, metavar="N,N,…", help="Efforts to try.  [default: by the kind of the index]")
@click.option("--seed", type=int, default=1, show_default=True, help="Draws the sample of queries.")
@click.option("--dry-run", is_flag=True, help="Measure, but store nothing.")
@format_option
@click.pass_obj
def audit_(
    settings: Settings,
    model: str | None,
    field: str,
    k: int,
    queries: int,
    recall: float,
    grid: list[int] | None,
    seed: int,
    dry_run: bool,
    style: str,
) -> None:
    """Measure what an index finds against the exact scan, and how fast; make the least effort that finds enough its default.

    Queries are those of the topics, where as many have vectors, else documents. Where no effort reaches --recall nothing is stored.
    """
    with connect(settings) as conn:
        measured = measure(conn, field=field, model=model, k=k, queries=queries, efforts=grid, seed=seed)
        click.echo(
            render([_audited(one) for one in measured], ["effort", f"recall@{k}", "ms", "ms p95", "queries", "source"], style=style)
        )
        chosen = cheapest(measured, recall=recall)
        if not dry_run:
            keep(conn, chosen, field=field, k=k, model=model)
    verb = "would be" if dry_run else "is now"
    click.echo(f"effort {chosen.effort:,}, recall@{k} {chosen.recall:.4f}, {verb} what searches by {field} take", err=True)


def _audited(one: Measured) -> tuple[object, ...]:
    return (one.effort, one.recall, one.ms, one.ms_p95, one.sampled, one.source)


@vectors.command("status")
@format_option
@click.pass_obj
def status_(settings: Settings, style: str) -> None:
    """The vectors of each model and field: how they are indexed, what the last audit found, whether that still holds."""
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
        "ivfflat": f" {one.lists} lists", "hnsw": f" m {one.m}, ef_construction {one.ef_construction}", "diskann": "", None: ""
    }  # fmt: skip
    return (
        one.model, one.field, f"{one.kind or 'none'}{' half' if one.half else ''}{parameters[one.kind]}", one.effort,
        None if one.recall is None else f"{one.recall:.3f} of {one.recall_k}", one.rows, one.rows_now,
        None if one.bytes is None else round(one.bytes / 1e6), "yes" if one.stale else None if one.stale is None else "no",
    )  # fmt: skip
