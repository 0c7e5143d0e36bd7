"""``stc vectors index``, ``audit`` and ``status``: the indexes of vectors, and how far they are to be trusted."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.vectors.audit import Measured, Status, cheapest, keep, measure, status
from stcollection.vectors.index import KINDS, index
from stcollection.vectors.store import FIELDS


@click.command("index")
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


def _numbers(_: click.Context, option: click.Parameter, value: str | None) -> list[int] | None:
    """Whole numbers between commas."""
    try:
        return None if value is None else [int(one) for one in value.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers, as 1,2,5,10", param=option) from error


@click.command("audit")
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


@click.command("status")
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
