"""The command ``stc coverage compute``."""

from __future__ import annotations

import importlib.util
from typing import Any

import click

from stcollection.cli.coverage._text import KINDS, show
from stcollection.cli.output import Progress, format_option
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from stcollection.studies.coverage.records import WITHIN, Coverage, Kind, Options
from stcollection.studies.coverage.store import Asked, a_text, covered, long_queries, stored_queries


@click.command("compute")
@click.argument("names", metavar="[QUERY]...", nargs=-1)
@click.option("--text", metavar="TEXT", help="Any text, in the place of stored queries.")
@click.option("--as", "name", metavar="NAME", help="What to keep it under, of one text or query.  [default: the query's name]")
@click.option("--documents", type=int, default=100, show_default=True, help="How many of the nearest abstracts.")
@click.option("--topics", type=int, default=10, show_default=True, help="Of LDA.")
@click.option("--words", type=int, default=3, show_default=True, help="That stand for a topic; an itemset's at most.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of LDA.")
@click.option(
    "--support", type=float, metavar="SHARE",
    help="The least share of abstracts with a frequent itemset, a concept.  [default: the greatest that gives tens of itemsets]",
)  # fmt: skip
@click.option(
    "--within", type=click.Choice(WITHIN), default="text", show_default=True,
    help="Count documents with the words in title or abstract (text), or in the abstract.",
)  # fmt: skip
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Show these; repeat it.  [default: lda]")
@click.option("--all", "whole", is_flag=True, help="Show all kinds.")
@click.option("--model", metavar="NAME", help="Of the vectors.  [default: the collection's]")
@click.option("--store/--no-store", default=True, show_default=True, help="Keep what is found.")
@click.option("--again", is_flag=True, help="Find and count anew what is stored.")
@format_option
@click.pass_obj
def command(
    settings: Settings, /, names: tuple[str, ...], text: str | None, name: str | None, kinds: tuple[Kind, ...], whole: bool,
    model: str | None, store: bool, again: bool, style: str, **options: Any,
) -> None:  # fmt: skip
    """Tell what the abstracts nearest to a text are about, and how many documents of the whole corpus are about each topic.

    QUERY are stored queries; without any, and without --text, the long ones of the collection: those named as SimpleText names them
    (G01.C1), or where there are none, those of 10 words and more.

    A topic is some words: the heaviest of a topic of LDA, a frequent itemset of the abstracts, or the words of a formal concept.
    Its count is of documents that hold all of them, from the text index, now. Topics are sorted by count, those from the third
    quartile on are marked frequent, those up to the first rare. What is stored is shown again while text, options, nearest
    abstracts and corpus are the same.
    """
    if text is not None and names:
        raise BadArgument("a text and stored queries", hint="Give one of the two.", sqlstate="IR202")
    if name is not None and (not name.strip() or "\x00" in name or len(name) > 200):
        raise BadArgument(f"no name to keep it under: {name[:20]!r}", hint="Give --as a word.", sqlstate="IR202")
    wanted = Options(**options).checked()
    needed()
    with connect(settings, autocommit=True) as conn:
        asked = (
            [a_text(text)]
            if text is not None
            else stored_queries(conn, list(dict.fromkeys(names)))
            if names
            else long_queries(conn)
        )
        if not asked:
            raise StateError("the collection has no long queries", hint="Name stored queries, or give --text.", sqlstate="IR405")
        if name is not None:
            if len(asked) > 1:
                raise BadArgument(f"one name for {len(asked):,} queries", hint="--as is for one.", sqlstate="IR202")
            asked = [asked[0]._replace(coverage=name)]
        done: list[tuple[Asked, Coverage]] = []
        with Progress("topics of", unit="queries") as told:
            for at, one in enumerate(asked):
                told(at, len(asked), one.coverage)
                done.append((one, covered(conn, one, options=wanted, model=model, store=store, again=again)))
    show([(one.coverage, found) for one, found in done], kinds=KINDS if whole else kinds or ("lda",), style=style)


def needed() -> None:
    """:raises StateError: a library that it needs is missing."""
    missing = [name for name in ("mlxtend", "concepts") if importlib.util.find_spec(name) is None]
    if missing:
        raise StateError(f"topic coverage needs {', '.join(missing)}", hint="pip install 'stcollection[explore]'", sqlstate="IR404")
