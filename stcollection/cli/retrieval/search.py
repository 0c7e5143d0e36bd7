"""The command ``stc retrieval search``."""

from __future__ import annotations

import dataclasses
import shutil
import textwrap
from collections.abc import Sequence

import click
import psycopg

from stcollection.cli.options.articles import chunk_option
from stcollection.cli.options.filters import filter_options
from stcollection.cli.options.queries import warn_of_long
from stcollection.cli.output import format_option, render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from stcollection.retrieval import EMBEDDING, SYSTEMS
from stcollection.retrieval.filters import TypedFilter
from stcollection.retrieval.run import check_corpus, check_systems
from stcollection.retrieval.search import FoundDocument, search, search_article
from stcollection.topics.load import SEARCHED

_WIDTH = 100


@click.command("search")
@click.argument("text", required=False)
@click.option("--article", metavar="TOPIC", help="Search with the article of TOPIC instead of a TEXT.")
@chunk_option
@click.option("--system", type=click.Choice(SYSTEMS), default="hybrid", show_default=True, help="System that ranks the documents.")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Number of documents to show.")
@click.option("--model", metavar="SHORT", help="Name of the embedding model in the collection.  [default: the collection's first]")
@filter_options
@format_option
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
@click.pass_obj
def command(
    settings: Settings,
    /,
    text: str | None,
    article: str | None,
    chunk: int,
    system: str,
    k: int,
    model: str | None,
    filtering: TypedFilter,
    style: str,
    as_json: bool,
) -> None:
    """Search the documents with a query TEXT: print rank, score, name, year, title, and a sentence of the abstract.

    --article TOPIC finds documents like the press article of a topic: it is split into chunks, and their rankings are fused.
    """
    if (text is None) == (article is None):
        raise click.UsageError("give a query TEXT, or --article TOPIC")
    if text is not None and len(text) > SEARCHED and not system.startswith("dense"):
        warn_of_long(["TEXT"])
    with connect(settings) as conn:
        if system in EMBEDDING:  # before the model is loaded
            _check(conn, system, model)
        if article is not None:
            found = search_article(conn, article, system=system, k=k, chunk=chunk, model=model, filter=filtering)
        else:
            found = search(conn, text or "", system=system, k=k, model=model, filter=filtering)
    if as_json or style != "table":
        fields = [field.name for field in dataclasses.fields(FoundDocument)]
        rows = [[getattr(one, name) for name in fields] for one in found]
        click.echo(render(rows, fields, style="json" if as_json else style))
    elif found:
        click.echo("\n".join(_lines(found, min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns))))
    else:
        aside("nothing found")


def _check(conn: psycopg.Connection, system: str, model: str | None) -> None:
    check_corpus(conn)
    try:
        check_systems(conn, [system], model=model)
    except StateError as error:
        raise StateError(
            error.message, hint=f"{error.hint} --system bm25 searches without vectors.", sqlstate=error.sqlstate
        ) from error


def _lines(found: Sequence[FoundDocument], width: int) -> list[str]:
    """Return one line per document, followed by its title and its snippet, indented."""
    names = max(len(one.docno) for one in found)
    lines: list[str] = []
    for one in found:
        head = f"{one.rank:>3}  {one.score:8.4f}  {one.docno:<{names}}  {one.year or '':>4}  "
        indent = " " * min(len(head), width // 2)
        lines += textwrap.wrap(one.title or "(no title)", width, initial_indent=head, subsequent_indent=indent, max_lines=3)
        snippet = textwrap.wrap(
            one.snippet or "", width, initial_indent=indent, subsequent_indent=indent, max_lines=3, placeholder=" …"
        )
        lines += [click.style(line, dim=True) for line in snippet]
    return lines
