"""The command ``stc topics load``."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import click

from stcollection.cli.options.formats import FormatName, query_map_option
from stcollection.cli.options.queries import warn_of_long
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.corpus.fields import FieldNames
from stcollection.io.topics.queries import FIELDS, NUMBERS
from stcollection.topics.load import ON_DUPLICATE, LoadedTopics, load

FILE = click.Path(path_type=Path)  # a missing file is reported like any other error


@click.command("load")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--format", "layout", type=FormatName("topics"), help="Format of the files.  [default: recognised]")
@query_map_option
@click.option(
    "--field", type=click.Choice(FIELDS), default="title", show_default=True, help="Part of a TREC topic that becomes the query."
)
@click.option(
    "--number",
    type=click.Choice(NUMBERS),
    help="Name of a SMART query: its .I or its position.  [default: position if the .I are zero-padded and have gaps, as in "
    "Cranfield; else .I]",
)
@click.option(
    "--origin", metavar="NAME", help="Origin of the queries, such as gpt-4.  [default: human for new queries; others are unchanged]"
)
@click.option(
    "--on-duplicate",
    type=click.Choice(ON_DUPLICATE),
    default="error",
    show_default=True,
    help="If the files have two texts for one query: stop, or use the first or the last.",
)
@click.option("--replace", is_flag=True, help="Replace stored texts that differ; otherwise that is an error.")
@click.pass_obj
def command(
    settings: Settings,
    files: tuple[Path, ...],
    layout: str | None,
    fields: FieldNames,
    field: str,
    number: str | None,
    origin: str | None,
    on_duplicate: str,
    replace: bool,
) -> None:
    """Load topics and queries from files, all or none: SimpleText CSV or JSON, TREC topics, CSV, TSV, JSON lines, Parquet, SMART.

    Files may be plain or compressed; irds:NAME loads the queries of an ir_datasets collection. Stored queries change nothing. A
    query that was known only from a run or from judgments gets its text.
    """
    with connect(settings) as conn:
        done = load(
            conn,
            [Path(file) for file in files],
            layout=layout,
            field=field,
            number=number,
            fields=fields,
            origin=origin,
            on_duplicate=on_duplicate,
            replace=replace,
        )
    for file, how in zip(files, done.formats, strict=True):
        click.echo(f"{file}: read as {how}")
    click.echo(_told(done))
    _warn(done)


def _warn(done: LoadedTopics) -> None:
    if done.apart:
        pairs = ", ".join(f"{stub!r} is {query!r} here" for stub, query in islice(done.apart.items(), 3))
        click.echo(
            f"stc: {counted(len(done.apart), 'query')} of judgments or runs without text may be spelled in another way: {pairs}."
            " Spell the ids alike and import the judgments and runs again.",
            err=True,
        )
    warn_of_long(done.long)
    if done.gone:
        stays = counted(done.gone, "query of the earlier file stays", "queries of the earlier file stay")
        click.echo(f"     {stays}: stc topics remove --file {done.earlier[0][:12]}")


def _told(done: LoadedTopics) -> str:
    told = [counted(done.queries, "query") + (f" of {counted(done.topics, 'topic')}" if done.topics else "")]
    for count, what in (
        (done.added, "added"),
        (done.filled, "stubs filled"),
        (done.changed, "changed"),
        (done.duplicates, "further texts ignored"),
        (done.queries - done.added - done.filled - done.changed, "unchanged"),
    ):
        if count:
            told.append(f"{count:,} {what}")
    return ", ".join(told)
