"""Commands that print tables about the documents and their files."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render
from stcollection.corpus.ledger import files, rejects, status
from stcollection.corpus.licences import licence_counts
from stcollection.corpus.snapshots import changes_between, snapshots

Table = tuple[list[str], list[tuple[Any, ...]]]


def _print(call: Call[Table], style: str) -> None:
    headers, rows = call.once()
    click.echo(render(rows, headers, style=style))


@command(changes_between)
def changes_command(call: Call[Table], *, style: Style = "table") -> None:
    """List the documents added and removed between two days (YYYY-MM-DD), by the last snapshots up to them."""
    _print(call, style)


@command(files)
def files_command(call: Call[Table], *, style: Style = "table") -> None:
    """List the loaded files with their counts."""
    _print(call, style)


@command(licence_counts)
def licences_command(call: Call[Table], *, style: Style = "table") -> None:
    """Count documents by data source and by the licence that their records state."""
    _print(call, style)


@command(rejects)
def rejects_command(call: Call[Table], *, style: Style = "table") -> None:
    """List the records that could not be stored, with file, line and reason."""
    _print(call, style)


@command(snapshots)
def snapshots_command(call: Call[Table], *, style: Style = "table") -> None:
    """List the snapshots ('stc load --as corpus --date') with the documents added and removed since the previous one."""
    _print(call, style)


@command(status)
def status_command(call: Call[list[tuple[str, int]]], *, style: Style = "table") -> None:
    """Count documents, abstracts, authors and citations, as in the published description of the collection."""
    click.echo(render(call.once(), ["what", "count"], style=style))
