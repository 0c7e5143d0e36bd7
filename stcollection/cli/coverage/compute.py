"""The command ``stc coverage compute``."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.coverage._text import KINDS, show
from stcollection.cli.output import ProgressBar, format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.studies.coverage.records import WITHIN, Coverage, CoverageOptions, Kind
from stcollection.studies.coverage.store import chosen, covered


@click.command("compute")
@click.argument("names", metavar="[QUERY]...", nargs=-1)
@click.option("--text", metavar="TEXT", help="Any text, in the place of stored queries.")
@click.option("--as", "name", metavar="NAME", help="What to keep it under, of one text or query.  [default: the query's name]")
@click.option("--documents", type=int, default=100, show_default=True, help="How many of the nearest abstracts.")
@click.option("--topics", type=int, default=10, show_default=True, help="Of LDA.")
@click.option("--words", type=int, default=3, show_default=True, help="That stand for a topic; an itemset's at most.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of LDA.")
@click.option(
    "--support",
    type=float,
    metavar="SHARE",
    help="The least share of abstracts with a frequent itemset, a concept.  [default: the greatest that gives tens of itemsets]",
)
@click.option(
    "--within",
    type=click.Choice(WITHIN),
    default="text",
    show_default=True,
    help="Count documents with the words in title or abstract (text), or in the abstract.",
)
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Show these; repeat it.  [default: lda]")
@click.option("--all", "whole", is_flag=True, help="Show all kinds.")
@click.option("--model", metavar="NAME", help="Of the vectors.  [default: the collection's]")
@click.option("--store/--no-store", default=True, show_default=True, help="Keep what is found.")
@click.option("--again", is_flag=True, help="Find and count anew what is stored.")
@format_option
@click.pass_obj
def command(
    settings: Settings,
    /,
    names: tuple[str, ...],
    text: str | None,
    name: str | None,
    kinds: tuple[Kind, ...],
    whole: bool,
    model: str | None,
    store: bool,
    again: bool,
    style: str,
    **options: Any,
) -> None:
    """Tell what the abstracts nearest to a text are about, and how many documents of the whole corpus are about each topic.

    QUERY are stored queries; without any, and without --text, the long ones of the collection: those named as SimpleText names them
    (G01.C1), or where there are none, those of 10 words and more.

    A topic is some words: the heaviest of a topic of LDA, a frequent itemset of the abstracts, or the words of a formal concept.
    Its count is of documents that hold all of them, from the text index, now. Topics are sorted by count, those from the third
    quartile on are marked frequent, those up to the first rare. What is stored is shown again while text, options, nearest
    abstracts and corpus are the same.
    """
    wanted = CoverageOptions(**options).checked()
    with connect(settings, autocommit=True) as conn:
        asked = chosen(conn, names=names, text=text, name=name)
        done: list[tuple[str, Coverage]] = []
        with ProgressBar("topics of", unit="queries") as told:
            for at, one in enumerate(asked):
                told(at, len(asked), one.coverage)
                done.append((one.coverage, covered(conn, one, options=wanted, model=model, store=store, again=again)))
    show(done, kinds=KINDS if whole else kinds or ("lda",), style=style)
