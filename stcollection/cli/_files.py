"""Checks and notes shared by the commands that read run files."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.declared import Call
from stcollection.cli.output import keep_note, print_simulated
from stcollection.evaluation.files.score import FileScores


def check_named(call: Call[Any]) -> None:
    """Refuse a single file: the last one is the judgments."""
    if not call.given.get("runs"):
        raise click.UsageError("Name at least one run file, followed by the file of judgments.")


def print_notes(found: FileScores, *, printed: bool = False) -> None:
    """Print the notes on stderr, and register the note on simulated judgments for the output.

    :param printed: the output has trec_eval's format, which has no place for the note.
    """
    for note in found.notes:
        click.echo(f"stc: {note}", err=True)
    if found.simulated is not None:
        keep_note(found.simulated)
        if printed:
            print_simulated()
