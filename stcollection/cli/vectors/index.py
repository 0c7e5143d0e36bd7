"""The command ``stc vectors index``."""

from __future__ import annotations

import click
import psycopg

from stcollection.cli.declared import Call, command
from stcollection.cli.options.published import add_published
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.adoption import set_search_effort
from stcollection.db.connection import connect
from stcollection.db.versions import defects
from stcollection.published import VECTOR_INDEX
from stcollection.vectors.index import Indexed
from stcollection.vectors.index import index as build_indexes


@command(build_indexes)
def index_command(call: Call[list[Indexed]], *, published: bool = False) -> None:
    """Build the vector indexes, one per field. An index is skipped if its rows have not changed.

    :param published: Use the settings of the published collection: ivfflat in full precision, rows/1000 lists, 65 probes.
    """
    if published:
        add_published(call.given, VECTOR_INDEX)
    with connect(call.settings) as conn:
        _report(conn, call(conn))


def _report(conn: psycopg.Connection, made: list[Indexed]) -> None:
    """Print the indexes, why they are of their kind, and what is left to do."""
    for index in made:
        what = f"indexed in {index.seconds:.1f} s" if index.built else "the index is up to date"
        click.echo(f"{index.field}: {what}: {counted(index.rows, 'vector')}, {_stated(index)}")
        if index.built and index.reason:
            aside(f"note: {index.kind} for {index.field}: {index.reason}")
    for due in set_search_effort(conn):
        aside(f"note: plain SQL searches the indexes less precisely until the owner of the database runs: {due}")
    if any(index.built and index.kind == "hnsw" for index in made):
        for defect in defects(conn, "vector"):
            aside(f"note: {defect}")


def _stated(index: Indexed) -> str:
    stored = " of bits" if index.bits else " in half precision" if index.half else ""
    return (
        f"{index.kind}{stored}, "
        + {
            "ivfflat": f"{counted(index.lists, 'list')}, {counted(index.effort, 'probe')}" if index.lists else "",
            "hnsw": f"m {index.m}, ef_construction {index.ef_construction}, ef_search {index.effort}",
            "diskann": f"search_list_size {index.effort}",
        }[index.kind]
    )
