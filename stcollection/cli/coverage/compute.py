"""The command ``stc coverage compute``."""

from __future__ import annotations

import click

from stcollection.cli.coverage._text import KINDS, CoverageKeeping, CoverageTable, show
from stcollection.cli.options import packed
from stcollection.cli.options.coverage import coverage_options
from stcollection.cli.output import ProgressBar, format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.coverage.records import Coverage, CoverageOptions
from stcollection.studies.coverage.store import chosen, covered


@click.command("compute")
@click.argument("names", metavar="[QUERY]...", nargs=-1)
@click.option("--text", metavar="TEXT", help="Any text, in the place of stored queries.")
@click.option("--as", "name", metavar="NAME", help="What to keep it under, of one text or query.  [default: the query's name]")
@coverage_options
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Show these; repeat it.  [default: lda]")
@click.option("--all", "whole", is_flag=True, help="Show all kinds.")
@click.option("--model", metavar="NAME", help="Of the vectors.  [default: the collection's]")
@click.option("--store/--no-store", default=True, show_default=True, help="Keep what is found.")
@click.option("--again", is_flag=True, help="Find and count anew what is stored.")
@format_option
@packed(CoverageTable, "table")
@packed(CoverageKeeping, "keeping")
@click.pass_obj
def command(
    settings: Settings,
    /,
    names: tuple[str, ...],
    text: str | None,
    name: str | None,
    options: CoverageOptions,
    table: CoverageTable,
    model: str | None,
    keeping: CoverageKeeping,
) -> None:
    """Tell what the abstracts nearest to a text are about, and how many documents of the whole corpus are about each topic.

    QUERY are stored queries; without any, and without --text, the long ones of the collection: those named as SimpleText names them
    (G01.C1), or where there are none, those of 10 words and more.

    A topic is some words: the heaviest of a topic of LDA, a frequent itemset of the abstracts, or the words of a formal concept.
    Its count is of documents that hold all of them, from the text index, now. Topics are sorted by count, those from the third
    quartile on are marked frequent, those up to the first rare. What is stored is shown again while text, options, nearest
    abstracts and corpus are the same.
    """
    wanted = options.checked()
    with connect(settings, autocommit=True) as conn:
        asked = chosen(conn, names=names, text=text, name=name)
        done: list[tuple[str, Coverage]] = []
        with ProgressBar("topics of", unit="queries") as told:
            for at, one in enumerate(asked):
                told(at, len(asked), one.coverage)
                done.append((one.coverage, covered(conn, one, options=wanted, model=model, **vars(keeping))))
    show(done, kinds=table.wanted, style=table.style)
