"""The command ``stc coverage compute``."""

from __future__ import annotations

import click

from stcollection.cli.coverage._text import KINDS, CoverageKeeping, CoverageTable, show, show_extremes
from stcollection.cli.options import packed
from stcollection.cli.options.coverage import coverage_options
from stcollection.cli.options.queries import set_option
from stcollection.cli.output import ProgressBar, format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.coverage.records import Coverage, CoverageOptions
from stcollection.studies.coverage.store import get_coverage, select_requests


@click.command("compute")
@click.argument("names", metavar="[QUERY]...", nargs=-1)
@set_option("Use the queries of a set that have a text", default="type:long", if_omitted=None)
@click.option("--text", metavar="TEXT", help="Use this text instead of stored queries.")
@click.option(
    "--as", "name", metavar="NAME", help="Name to store the result under, for one text or query.  [default: the query's name]"
)
@coverage_options
@click.option(
    "--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Kind of topics to show. Repeatable.  [default: lda]"
)
@click.option("--all", "whole", is_flag=True, help="Show all kinds.")
@click.option("--model", metavar="NAME", help="Embedding model.  [default: the collection's]")
@click.option("--store/--no-store", default=True, show_default=True, help="Store the result.")
@click.option("--recompute", "again", is_flag=True, help="Recompute stored results.")
@click.option("--extremes", is_flag=True, help="Print one row per query: the most frequent LDA topic and the rarest.")
@format_option
@packed(CoverageTable, "table")
@packed(CoverageKeeping, "keeping")
@click.pass_obj
def command(
    settings: Settings,
    /,
    names: tuple[str, ...],
    queries: str | None,
    text: str | None,
    name: str | None,
    options: CoverageOptions,
    table: CoverageTable,
    model: str | None,
    keeping: CoverageKeeping,
    extremes: bool,
) -> None:
    """Find the topics of the abstracts nearest to a text, and count the documents of the whole corpus on each topic.

    QUERY is a stored query. Without QUERY, --queries and --text, uses the long queries: those with SimpleText names (G01.C1). In a
    collection without such names, these are queries of at least 10 words.

    A topic is a set of words: the heaviest words of an LDA topic, a frequent itemset of the abstracts, or the words of a formal
    concept. Its count is the number of documents that contain all the words, from the text index. Topics are sorted by count; the
    top quartile is marked frequent and the bottom quartile rare. A stored result is reused while the text, the options, the
    nearest abstracts and the corpus are unchanged.
    """
    wanted = options.checked()
    with connect(settings, autocommit=True) as conn:
        asked = select_requests(conn, names=names, queries=queries, text=text, name=name)
        done: list[tuple[str, Coverage]] = []
        with ProgressBar("topics of", unit="queries") as told:
            for at, one in enumerate(asked):
                told(at, len(asked), one.coverage)
                done.append((one.coverage, get_coverage(conn, one, options=wanted, model=model, **vars(keeping))))
    if extremes:
        show_extremes(done, style=table.style)
        return
    show(done, kinds=table.wanted, style=table.style)
