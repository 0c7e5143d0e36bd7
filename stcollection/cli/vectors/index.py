"""The command ``stc vectors index``."""

from __future__ import annotations

import click
import psycopg

from stcollection.cli.options import packed
from stcollection.cli.options.published import published_option
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.adoption import set_search_effort
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.db.versions import defects
from stcollection.published import VECTOR_INDEX
from stcollection.vectors.index import KINDS, Indexed, IndexOptions, index
from stcollection.vectors.store import FIELDS


@click.command("index")
@click.option("--model", metavar="SHORT", help="Name of the model in the collection.  [default: the collection's first]")
@click.option(
    "--field",
    "fields",
    type=click.Choice([*FIELDS, "content", "passage", "title_only"]),
    multiple=True,
    help="Field to index. Repeatable.  [default: title and abstract]",
)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    help="Kind of index; diskann needs vectorscale.  [default: that of the present index; for a first one hnsw from 100,000 "
    "vectors on if its graph fits into memory, else ivfflat]",
)
@click.option(
    "--half/--full",
    default=None,
    help="Precision of the index; half takes half the space.  [default: half above a million vectors]",
)
@click.option("--bits", is_flag=True, default=None, help="Index one bit per value; searches compare 500 + 20 k vectors exactly.")
@click.option(
    "--lists",
    type=click.IntRange(1, 32768),
    help="Number of lists, for ivfflat.  [default: rows/1000 up to a million rows, √rows above]",
)
@click.option("--m", type=click.IntRange(2, 100), help="Links per vector, for hnsw.  [default: 16]")
@click.option(
    "--ef-construction", type=click.IntRange(4, 1000), help="Size of the candidate list while building, for hnsw.  [default: 64]"
)
@click.option(
    "--effort",
    type=click.IntRange(1, 32768),
    help="Search effort: probes of ivfflat, ef_search of hnsw, search_list_size of diskann.  [default: √lists, at least 10; "
    "100 for hnsw and diskann]",
)
@click.option(
    "--preset", type=click.Choice(["published"]), help="Settings of the published collection: rows/1000 lists, 65 probes."
)
@click.option("--rebuild", is_flag=True, help="Rebuild even if up to date.")
@published_option(VECTOR_INDEX)
@packed(IndexOptions, "options")
@click.pass_obj
def command(
    settings: Settings,
    model: str | None,
    fields: tuple[str, ...],
    options: IndexOptions,
    rebuild: bool,
) -> None:
    """Build the vector indexes, one per field. An index is skipped if its rows have not changed."""
    with connect(settings) as conn:
        _report(conn, index(conn, model=model, fields=fields or FIELDS, options=options, rebuild=rebuild))


def _report(conn: psycopg.Connection, made: list[Indexed]) -> None:
    """Print the indexes, why they are of their kind, and what is left to do."""
    for one in made:
        what = f"indexed in {one.seconds:.1f} s" if one.built else "the index is up to date"
        click.echo(f"{one.field}: {what}: {counted(one.rows, 'vector')}, {_stated(one)}")
        if one.built and one.reason:
            aside(f"note: {one.kind} for {one.field}: {one.reason}")
    for due in set_search_effort(conn):
        aside(f"note: plain SQL searches the indexes less precisely until the owner of the database runs: {due}")
    if any(one.built and one.kind == "hnsw" for one in made):
        for defect in defects(conn, "vector"):
            aside(f"note: {defect}")


def _stated(one: Indexed) -> str:
    stored = " of bits" if one.bits else " in half precision" if one.half else ""
    return (
        f"{one.kind}{stored}, "
        + {
            "ivfflat": f"{counted(one.lists, 'list')}, {counted(one.effort, 'probe')}" if one.lists else "",
            "hnsw": f"m {one.m}, ef_construction {one.ef_construction}, ef_search {one.effort}",
            "diskann": f"search_list_size {one.effort}",
        }[one.kind]
    )
