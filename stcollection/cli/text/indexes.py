"""Commands that build the text index and its configurations."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.versions import defects
from stcollection.published import TEXT_INDEX
from stcollection.text.configure import Configured, configure
from stcollection.text.index import TextIndex, index, status


@command(configure)
def configure_command(call: Call[Configured]) -> None:
    """Create a text search configuration NAME. 'stc index --config NAME' uses it for texts and queries."""
    name = call.given["name"]
    with connect(call.settings, autocommit=True) as conn:
        made = call(conn, settings=call.settings)
    what = [f"{counted(made.entries, 'entry')}"] if made.entries else []
    what += [f"{counted(made.stop, 'stop word')}"] if made.stop is not None else []
    click.echo(f"created the configuration {name}: {', '.join(what)}")
    if made.kept:
        click.echo(f"the text index still uses the previous one, now named {made.kept}")
    click.echo(f"To use the new one: stc index --config {name}")


@command(index, published=TEXT_INDEX)
def index_command(call: Call[TextIndex]) -> None:
    """Build the indexes of titles and abstracts: GIN for words, BM25 for ranking."""
    with connect(call.settings, autocommit=True) as conn:
        built = call(conn)
        known = defects(conn, "pg_textsearch") if built.built and built.engine == "pg_textsearch" else []
    what = "indexed" if built.built else "the index is current:"
    click.echo(
        f"{what} {counted(built.documents, 'document')}, {counted(built.tokens, 'token')};"
        f" BM25 by {built.engine}, configuration {built.config}, words {built.words}"
    )
    for defect in known:
        if not defect.own:
            aside(f"note: {defect}")


@command(status)
def status_command(call: Call[list[tuple[str, object]]], *, style: Style = "table") -> None:
    """Report whether the text indexes are up to date and find every document."""
    click.echo(render(call.once(verify=True), ["what", "value"], style=style))
