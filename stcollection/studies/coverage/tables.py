"""Tables of coverages."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

import click

from stcollection.cells import on_one_line
from stcollection.cli.output import render
from stcollection.counts import counted
from stcollection.studies.coverage.records import Coverage, Kind

COLUMNS = ("coverage", "kind", "place", "words", "weight", "count", "mark")


def show_extremes(coverages: list[tuple[str, Coverage]], *, style: str) -> None:
    """Print one row per coverage: the words of its most frequent LDA topic and of its rarest, with their counts."""
    headers = ["coverage", "frequent", "frequent count", "rare", "rare count"]
    rows = []
    for name, coverage in coverages:
        topics = sorted(coverage.of("lda"), key=lambda topic: topic.count, reverse=True)
        ends = [topics[0], topics[-1]] if len(topics) > 1 else [*topics, None, None][:2]
        rows.append([name, *(cell for end in ends for cell in ((", ".join(end.words), end.count) if end else (None, None)))])
    click.echo(render(rows, headers if style == "table" else [header.replace(" ", "_") for header in headers], style=style))


def show(coverages: list[tuple[str, Coverage]], *, kinds: Sequence[Kind], style: str) -> None:
    """Print coverages: one table for machine formats, one table per coverage and kind for people."""
    if style != "table":
        rows = [
            (name, kind, topic.place, [*topic.words] if style == "json" else " ".join(topic.words), topic.weight, topic.count, mark)
            for name, coverage in coverages
            for kind in kinds
            for topic, mark in coverage.marked(kind)
        ]
        click.echo(render(rows, COLUMNS, style=style))
        return
    width = max(40, min(shutil.get_terminal_size().columns, 132))
    for name, coverage in coverages:
        stored = ", as stored" if coverage.stored else ""
        click.echo(f"{name}: {counted(len(coverage.docs), 'abstract')}, support {coverage.support:g}{stored}")
        text = on_one_line(coverage.text)
        click.echo(textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ", max_lines=4, placeholder=" …"))
        for note in coverage.notes:
            click.echo(f"  {note}")
        for kind in kinds:
            listed = [(kind, ", ".join(topic.words), topic.weight, topic.count, mark) for topic, mark in coverage.marked(kind)]
            click.echo("\n" + render(listed, ["kind", "words", "weight", "count", "mark"], style=style))
        click.echo()
