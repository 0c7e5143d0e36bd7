"""Commands that load files of topics, articles and origins, and remove queries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.options.files import FILE
from stcollection.cli.options.formats import FormatName, query_map_option
from stcollection.cli.options.queries import warn_of_long
from stcollection.cli.options.removal import DryRun, Yes, file_option, preview
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.topics.articles import LoadedArticles, load_articles
from stcollection.topics.excluded import ExcludedCounts, set_excluded
from stcollection.topics.load import LoadedTopics, load
from stcollection.topics.origins import OriginCounts, set_origins
from stcollection.topics.removal import QueryRemoval, remove_queries

_FORMAT = click.option("--format", "layout", type=FormatName("topics"), help="Format of the files.  [default: recognised]")


@command(load)
def load_command(
    call: Call[LoadedTopics],
    *,
    files: Annotated[Sequence[Path], click.argument("files", nargs=-1, required=True, type=FILE)],
    layout: Annotated[str | None, _FORMAT],
    fields: Annotated[Any, query_map_option],
) -> None:
    """Load topics and queries from files, all or none: SimpleText CSV or JSON, TREC topics, CSV, TSV, JSON lines, Parquet, SMART.

    Files may be plain or compressed; irds:NAME loads the queries of an ir_datasets collection. Stored queries change nothing. A
    query that was known only from a run or from judgments gets its text.
    """
    loaded = call.once(paths=[Path(file) for file in files], layout=layout, fields=fields)
    for file, how in zip(files, loaded.formats, strict=True):
        click.echo(f"{file}: read as {how}")
    click.echo(_counts(loaded))
    _warn(loaded)


def _counts(loaded: LoadedTopics) -> str:
    counts = (
        (loaded.added, "added"),
        (loaded.filled, "stubs filled"),
        (loaded.changed, "changed"),
        (loaded.duplicates, "further texts ignored"),
        (loaded.queries - loaded.added - loaded.filled - loaded.changed, "unchanged"),
    )
    total = counted(loaded.queries, "query") + (f" of {counted(loaded.topics, 'topic')}" if loaded.topics else "")
    return ", ".join([total, *(f"{count:,} {what}" for count, what in counts if count)])


def _warn(loaded: LoadedTopics) -> None:
    if loaded.apart:
        pairs = ", ".join(f"{stub!r} is {query!r} here" for stub, query in islice(loaded.apart.items(), 3))
        click.echo(
            f"stc: {counted(len(loaded.apart), 'query')} of judgments or runs without text may be spelled in another way: {pairs}."
            " Spell the ids alike and import the judgments and runs again.",
            err=True,
        )
    if loaded.excluded:
        aside(f"{counted(loaded.excluded, 'document')} left out for queries (excluded_ids)")
    if loaded.lacking:
        aside(f"{counted(loaded.lacking, 'document')} of excluded_ids not stored; load the file again after the corpus")
    warn_of_long(loaded.long)
    if loaded.gone:
        stays = counted(loaded.gone, "query of the earlier file stays", "queries of the earlier file stay")
        click.echo(f"     {stays}: stc drop queries --file {loaded.earlier[0][:12]}")


@command(load_articles)
def articles_command(
    call: Call[LoadedArticles],
    *,
    paths: Annotated[Sequence[Path], click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=FILE)],
) -> None:
    """Load the press articles of topics, all or none: text, Markdown or HTML files, folders of them, or JSON lines.

    A text, Markdown or HTML file is named after its topic: G01.txt, topicG02.md, G03.html. The fields of JSON lines
    are topic_id, article, title, url, source and date. Loading the same files again changes nothing.
    """
    loaded = call.once(paths=paths)
    counts = [(loaded.added, "added"), (loaded.changed, "changed"), (loaded.unchanged, "unchanged")]
    click.echo(", ".join([counted(loaded.articles, "article"), *(f"{count:,} {what}" for count, what in counts if count)]))
    if loaded.ignored:
        more = f" and {len(loaded.ignored) - 3:,} more" if len(loaded.ignored) > 3 else ""
        aside(f"ignored, because they are not text, Markdown or HTML: {', '.join(loaded.ignored[:3])}{more}")


@command(set_origins)
def origins_command(call: Call[OriginCounts]) -> None:
    """Set the origin of queries from FILE: lines of query, origin (human, t5, gpt-4, …) and, if known, model and source docno.

    Columns are separated by tabs or commas, with or without a header. The table of TREC 2023 Deep Learning (qid, Synthetic,
    isGPT4) is recognised. Files may be plain or compressed. All lines or none are stored; queries that are not in FILE do not
    change.
    """
    counts = call.once()
    origins = ", ".join(f"{count:,} {name}" for name, count in counts.origins.items())
    click.echo(f"{call.given['path']}: {counted(counts.queries, 'query')}, {origins}; {counts.changed:,} changed")


@command(set_excluded)
def excluded_command(call: Call[ExcludedCounts]) -> None:
    """Leave documents out for queries, such as the document that a query was taken from: FILE has lines of query and docno.

    They are not searched for these queries, stored in runs, pooled or scored; runs that rank them lose them. Columns are separated
    by tabs, commas or blanks, with or without a header; JSON lines with excluded_ids (BRIGHT) are read too. The documents of a
    query replace those of an earlier file; a query alone has none. The view excluded_documents lists them.
    """
    counts = call.once()
    excluded = f"{counted(counts.documents, 'document')} left out for {counted(counts.queries, 'query')}"
    removed = f"; {counted(counts.runs, 'stored run')} lost such documents" if counts.runs else ""
    click.echo(f"{call.given['path']}: {excluded}{removed}")
    if counts.unknown:
        aside(f"{counted(counts.unknown, 'document')} not stored; load the file again after the corpus")
    if counts.judged:
        aside(
            f"editions judge {counted(counts.judged, 'of these pairs', 'of these pairs')} relevant; no run can find them any more"
        )


@command(remove_queries)
def remove_command(
    call: Call[QueryRemoval],
    *,
    queries: Annotated[Sequence[str], click.argument("queries", metavar="[QUERY]...", nargs=-1)],
    files: Annotated[Sequence[str], file_option("stc show topic-files")],
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Remove queries: those of a loaded file or a topic, those with the names QUERY, or stubs.

    Queries in judgments or runs become stubs, so judgments, rankings and scores do not change; loading the file again restores
    their text. The command prints what depends on the queries and prompts for confirmation.
    """
    topics, stubs = call.given.get("topics"), call.given.get("stubs", False)
    planned = call.once(queries=queries, files=files, dry_run=True)
    click.echo("\n".join(preview(planned, "stubs" if stubs else "queries")))
    if dry_run or not (planned.files or topics or planned.removed or (planned.kept and not stubs)):
        return
    if not yes:
        click.confirm("Remove them?", abort=True)
    removed = call.once(queries=queries, files=files)
    topics_too = f" and {counted(removed.topics, 'topic')}" if removed.topics else ""
    stubs_left = counted(removed.kept, "became a stub", "became stubs")
    click.echo(f"removed {counted(removed.removed, 'query')}{topics_too}; {stubs_left}")
