"""Commands that load, export and list annotations."""

from __future__ import annotations

import os
from pathlib import Path

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.options.files import FILE, export_option
from stcollection.cli.output import output, printable, render
from stcollection.complexity.annotations import AnnotationOverview, export_annotations, load_annotations, overview
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.io.files import read_text


@click.command("load")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--replace", is_flag=True, help="Replace a different grade by the same annotator; otherwise that is an error.")
@click.option("--simulated", is_flag=True, help="Mark the annotators as simulated: the grades were made up.")
@click.pass_obj
def load_command(settings: Settings, files: tuple[Path, ...], replace: bool, simulated: bool) -> None:
    """Load grades from CSV files with the columns doc_id, annotator, group, complexity and credibility.

    Grades are 0, 1 or 2; a blank is no grade. Columns are separated by commas, semicolons or tabs. Each file is loaded completely
    or not at all. Grades that are already stored change nothing; a different grade is an error without --replace.
    """
    with connect(settings) as conn:
        for file in files:
            source = printable(os.fsencode(file).decode("utf-8", "backslashreplace"))
            done = load_annotations(conn, read_text(file), source=source, replace_grades=replace, simulated=simulated)
            who = f"{counted(done.documents, 'document')} by {counted(done.annotators, 'annotator')}"
            told = [f"{source}: {counted(done.grades, 'grade')} of {who}, {done.added:,} added"]
            for count, what in (
                (done.changed, "changed"),
                (done.unchanged, "stored already"),
                (done.duplicates, "duplicates"),
            ):
                if count:
                    told.append(f"{count:,} {what}")
            if done.blank:
                told.append(f"{counted(done.blank, 'line')} without a grade")
            if done.ignored:
                told.append(f"columns ignored: {printable(', '.join(map(repr, done.ignored)))}")
            click.echo("; ".join(told))


@click.command("export")
@export_option
@click.pass_obj
def export_command(settings: Settings, out: Path | None) -> None:
    """Export all grades as CSV, in the format that 'load' reads."""
    with connect(settings) as conn, output(out) as file:
        count = export_annotations(conn, file)
    if out is not None:
        click.echo(f"{out}: {counted(count, 'line')}")


@command(overview)
def status_command(call: Call[list[AnnotationOverview]], *, style: Style = "table") -> None:
    """List the groups of annotators, what they graded, and how often they gave each grade."""
    rows = call.once()
    names = [one.names if style == "json" else ", ".join(one.names) for one in rows]
    click.echo(render([(*one[:-1], told) for one, told in zip(rows, names, strict=True)], AnnotationOverview._fields, style=style))
