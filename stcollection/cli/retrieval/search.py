"""The command ``stc search``."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import Annotated

import click
import psycopg

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.queries import warn_of_long
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.declared import Option, RecordTable, field_names
from stcollection.errors import StateError
from stcollection.retrieval.run import check_corpus, check_systems
from stcollection.retrieval.search import FoundDocument, excluded_note, search, search_article
from stcollection.retrieval.settings import CHUNK, ChunkWords
from stcollection.retrieval.systems import needs_vector
from stcollection.topics.load import SEARCHED

_WIDTH = 100


@command(search)
def search_command(
    call: Call[RecordTable[FoundDocument]],
    *,
    query: Annotated[str | None, Option("TEXT")] = None,
    article: Annotated[str | None, Option(metavar="TOPIC")] = None,
    chunk: ChunkWords = CHUNK,
    style: Style = "table",
) -> None:
    """Search the documents with a query TEXT: print rank, score, name, year, title, and a sentence of the abstract.

    --article TOPIC finds documents like the press article of a topic: it is split into chunks, and their rankings are fused.

    :param article: Search with the article of TOPIC instead of a TEXT."""
    if (query is None) == (article is None):
        raise click.UsageError("give a query TEXT, or --article TOPIC")
    system = call.group("system")
    if query is not None and len(query) > SEARCHED and not system.startswith("dense"):
        warn_of_long(["TEXT"])
    with connect(call.settings) as conn:
        if needs_vector(conn, system):  # before the model is loaded
            _check(conn, system, call.group("model"))
        if article is not None:
            documents = search_article(conn, article, chunk=chunk, **call.arguments())
        else:
            documents = call(conn, query=query)
            if (note := excluded_note(conn, query or "", call.group("filter"))) is not None:
                aside(note)
    if style != "table":
        fields = field_names(FoundDocument)
        rows = [[getattr(document, name) for name in fields] for document in documents]
        click.echo(render(rows, fields, style=style))
    elif documents:
        click.echo("\n".join(_lines(documents, min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns))))
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


def _lines(documents: Sequence[FoundDocument], width: int) -> list[str]:
    """Return one line per document, followed by its title and its snippet, indented."""
    names = max(len(document.docno) for document in documents)
    lines: list[str] = []
    for document in documents:
        head = f"{document.rank:>3}  {document.score:8.4f}  {document.docno:<{names}}  {document.year or '':>4}  "
        indent = " " * min(len(head), width // 2)
        lines += textwrap.wrap(document.title or "(no title)", width, initial_indent=head, subsequent_indent=indent, max_lines=3)
        snippet = textwrap.wrap(
            document.snippet or "", width, initial_indent=indent, subsequent_indent=indent, max_lines=3, placeholder=" …"
        )
        lines += [click.style(line, dim=True) for line in snippet]
    return lines
