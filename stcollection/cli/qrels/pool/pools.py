"""Commands that make, show and remove pools, and choose what assessors see."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.files import FILE
from stcollection.cli.options.queries import set_option
from stcollection.cli.options.removal import Yes
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.declared import Option
from stcollection.errors import BadArgument
from stcollection.io.files import read_text
from stcollection.qrels import pools as stored
from stcollection.qrels.guidelines import set_guidelines
from stcollection.qrels.labels import show_labels
from stcollection.qrels.metadata import pool_metadata, set_metadata
from stcollection.runs.listing import stored_runs
from stcollection.topics.sets import ALL

View = Literal["runs", "queries", "teams", "depth"]


@command(stored.make_pool)
def make_command(call: Call[stored.MadePool], *, guidelines: Path | None = None) -> None:
    """Make a pool from the top documents of runs. Without RUN, use all stored runs.

    Equal seeds give the same pool in the same order, on any server.

    :param guidelines: Text file with guidelines that assessors read beside each document.
    """
    name = call.given["name"]
    with connect(call.settings) as conn, conn.transaction():
        if stored_runs(conn, [name]):
            hint = "The name of the new pool comes first: stc pool make NAME RUN…"
            raise BadArgument(f"{name!r} is the name of a run", hint=hint)
        made = call(conn)
        if guidelines is not None:
            set_guidelines(conn, name, read_text(guidelines))
    click.echo(f"{name}: {counted(made.documents, 'document')} for {counted(made.pooled_queries, 'query')}")
    if made.without_text:
        aside(f"{made.without_text:,} of them have no text in the collection to judge them by")
    aside(f"Next: stc judge {shlex.quote(name)} --annotator NAME")


@command(stored.pools)
def list_command(call: Call[list[stored.PoolOverview]], *, style: Style = "table") -> None:
    """List the pools and the progress of their assessment."""
    pools = call.once()
    if style == "json":
        click.echo(render(pools, list(stored.PoolOverview._fields), style="json"))
        return
    rows = [
        (
            pool.pool,
            pool.method,
            len(pool.params["runs"]),
            pool.queries,
            pool.documents,
            pool.judged,
            ", ".join(pool.annotators) + (" (simulated)" if pool.simulated else ""),
            pool.grades,
            pool.submitted,
            pool.made.date(),
        )
        for pool in pools
    ]
    names = ["pool", "method", "runs", "queries", "documents", "judged", "annotators", "grades", "submitted", "made"]
    click.echo(render(rows, names, style=style))


@command(stored.contributions)
def show_command(
    call: Call[list[stored.Contribution]],
    *,
    by: View = "runs",
    queries: Annotated[str, set_option("With --by queries: show only the queries of a set")],
    style: Style = "table",
) -> None:
    """Show the contents of the pool NAME and who contributed them.

    unique: no other run of the pool has the document within the depth; (team): no run of another team.

    :param by: View: contribution of each run, each query, overlap of teams, or yield of each depth.
    """
    if queries != ALL and by != "queries":
        raise BadArgument(f"--by {by} shows all queries of the pool, not the set {queries!r}", hint="Add --by queries.")
    rows: list[Any]
    with connect(call.settings) as conn:
        if by == "runs":
            rows = list(call(conn))
            names = ["run", "team", "documents", "unique", "unique (team)", "judged", "relevant", "unique relevant",
                     "unique relevant (team)"]  # fmt: skip
        elif by == "queries":
            rows = list(stored.pool_queries(conn, **call.given, queries=queries))
            names = ["query", "text", "documents", "judged", "relevant"]
        elif by == "teams":
            teams, common = stored.overlap(conn, call.given["name"])
            rows = [(team, *counts) for team, counts in zip(teams, common, strict=True)]
            names = ["team", *teams]
        else:
            rows = list(stored.depths(conn, **call.given))
            names = ["depth", "documents", "judged", "relevant", "estimate"]
            if all(row.estimate is None for row in rows):
                rows, names = [row[:4] for row in rows], names[:4]
    click.echo(render(rows, names, style=style))


@command(stored.drop_pool)
def drop_command(call: Call[int], *, yes: Yes = False) -> None:
    """Remove the pool NAME with its sheets. Submitted judgments stay in their editions."""
    name = call.given["name"]
    if not yes:
        click.confirm(f"Remove the pool {name!r}?", abort=True)
    count = call.once()
    click.echo(f"removed the pool {name!r}: {counted(count, 'document')}")


@command(show_labels)
def labels_command(
    call: Call[None],
    *,
    show_llm: Annotated[str | None, Option(metavar="EDITION")] = None,
    off: bool = False,
) -> None:
    """Choose whether assessors of the pool NAME see a language model's labels on the page.

    Each decision is stored with the label that was shown, and whether it was visible before the decision.

    :param show_llm: Show the grades that a language model gave in EDITION.
    :param off: Show no labels, which is the default of a pool.
    """
    if off == (show_llm is not None):
        raise click.UsageError("use either --show-llm EDITION or --off")
    call.once(edition=show_llm)
    when = "beside each document" if call.given.get("beside") else "after the assessor's own decision"
    click.echo(f"{call.given['pool']}: no labels" if off else f"{call.given['pool']}: labels of {show_llm}, {when}")


@command(set_metadata)
def metadata_command(call: Call[None]) -> None:
    """Show assessors of the pool NAME fields of each document besides title and abstract. Without FIELD, show none.

    Sheets on the page, in the terminal and in files have these fields. They are a choice of presentation: the number of a document
    lets an assessor look up the rest.
    """
    with connect(call.settings) as conn:
        call(conn)
        fields = pool_metadata(conn, call.given["pool"])
    click.echo(f"{call.given['pool']}: {', '.join(['title', 'abstract', *fields])}")


@click.command("guide")
@click.argument("name")
@click.argument("file", type=FILE)
@click.pass_obj
def guide_command(settings: Settings, name: str, file: Path) -> None:
    """Store the guidelines of the pool NAME from a text FILE. Assessors read them beside each document.

    The text is shown without formatting. An empty file restores the default text.
    """
    text = read_text(file)
    with connect(settings) as conn:
        set_guidelines(conn, name, text)
    click.echo(f"{name}: guidelines of {counted(len(text.split()), 'word')}")
