"""Tables of coverages."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

import click

from stcollection.cli.output import render
from stcollection.counts import counted
from stcollection.studies.coverage.records import Coverage, Kind, marks

COLUMNS = ("coverage", "kind", "place", "words", "weight", "count", "mark")


def clean(text: str) -> str:
    """Replace characters that a terminal would interpret."""
    return " ".join("".join(sign if sign.isprintable() or sign.isspace() else "\ufffd" for sign in text).split())


def rows_of(name: str, found: Coverage, kind: Kind) -> list[tuple[Any, ...]]:
    some = found.of(kind)
    return [
        (name, one.kind, one.place, list(one.words), one.weight, one.count, mark)
        for one, mark in zip(some, marks([one.count for one in some]), strict=True)
    ]


def show_extremes(found: list[tuple[str, Coverage]], *, style: str) -> None:
    """Print one row per coverage: the words of its most frequent LDA topic and of its rarest, with their counts."""
    headers = ["coverage", "frequent", "frequent count", "rare", "rare count"]
    rows = []
    for name, one in found:
        topics = sorted(one.of("lda"), key=lambda topic: topic.count, reverse=True)
        ends = [topics[0], topics[-1]] if len(topics) > 1 else [*topics, None, None][:2]
        rows.append([name, *(cell for end in ends for cell in ((", ".join(end.words), end.count) if end else (None, None)))])
    click.echo(render(rows, headers if style == "table" else [one.replace(" ", "_") for one in headers], style=style))


def show(found: list[tuple[str, Coverage]], *, kinds: Sequence[Kind], style: str) -> None:
    """Print coverages: one table for machine formats, one table per coverage and kind for people."""
    if style == "json":
        rows = [row for name, one in found for kind in kinds for row in rows_of(name, one, kind)]
        click.echo(render(rows, COLUMNS, style=style))
        return
    if style != "table":
        rows = [(*row[:3], " ".join(row[3]), *row[4:]) for name, one in found for kind in kinds for row in rows_of(name, one, kind)]
        click.echo(render(rows, COLUMNS, style=style))
        return
    width = max(40, min(shutil.get_terminal_size().columns, 132))
    for name, one in found:
        again = ", as stored" if one.stored else ""
        click.echo(f"{name}: {counted(len(one.docs), 'abstract')}, support {one.support:g}{again}")
        click.echo(
            textwrap.fill(clean(one.text), width, initial_indent="  ", subsequent_indent="  ", max_lines=4, placeholder=" …")
        )
        for note in one.notes:
            click.echo(f"  {note}")
        for kind in kinds:
            listed = [(row[1], ", ".join(row[3]), row[4], row[5], row[6]) for row in rows_of(name, one, kind)]
            click.echo("\n" + render(listed, ["kind", "words", "weight", "count", "mark"], style=style))
        click.echo()
