"""The commands ``stc vectors index`` and ``stc vectors audit``."""

from __future__ import annotations

from typing import Annotated

import click
import psycopg

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.published import add_published
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.adoption import set_search_effort
from stcollection.db.connection import connect
from stcollection.db.versions import defects
from stcollection.declared import AllowedRange
from stcollection.published import VECTOR_INDEX
from stcollection.vectors.audit import Measured, cheapest, keep, measure
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
            "impact": f"{counted(index.effort, 'candidate')}",
        }[index.kind]
    )


@command(measure)
def audit_command(
    call: Call[list[Measured]],
    *,
    recall: Annotated[float, AllowedRange(gt=0, le=1)] = 0.95,
    dry_run: bool = False,
    style: Style = "table",
) -> None:
    """Measure recall and speed of an index against the exact scan, and store the smallest sufficient effort as its default.

    Uses queries of the topics if enough of them have vectors, else documents. If no effort reaches --recall, nothing is stored.

    :param recall: Recall to reach. :param dry_run: Measure, but store nothing.
    """
    field, k = call.group("field"), call.group("k")
    with connect(call.settings) as conn:
        measured = call(conn)
        rows = [(row.effort, row.recall, row.ms, row.ms_p95, row.sampled, row.source) for row in measured]
        click.echo(render(rows, ["effort", f"recall@{k}", "ms", "ms p95", "queries", "source"], style=style))
        chosen = cheapest(measured, recall=recall)
        if not dry_run:
            keep(conn, chosen, field=field, k=k, model=call.group("model"))
    effect = "would become" if dry_run else "is now"
    aside(f"effort {chosen.effort:,}, recall@{k} {chosen.recall:.4f}, {effect} the default of searches by {field}")
