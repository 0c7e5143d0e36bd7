"""Checks and notes shared by the commands that read run files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stcollection.cli.errors import print_waiting
from stcollection.cli.output import keep_note, print_simulated
from stcollection.db.settings import Settings, named
from stcollection.db.watch import Watch
from stcollection.errors import BadArgument

if TYPE_CHECKING:
    from stcollection.cli.declared import Call
    from stcollection.cli.merged import Typed
    from stcollection.evaluation.files.score import FileScores

_JUDGED = ("--columns", "--on-duplicate", "--best-grade", "--relevance")  # options for files alone


def are_files(typed: Typed) -> bool:
    """Return True if the arguments are files, and False if they are names of stored runs, which an edition shows too.

    :raises BadArgument: some are files and some are not, or a name is that of a file and of a stored run.
    """
    files = [name for name in typed.names if name == "-" or os.sep in name or Path(name).exists()]
    if files and typed.has("--edition"):
        raise BadArgument(
            f"{files[0]} is a file, and --edition names stored judgments",
            hint=f"Store the run with 'stc load --as runs {files[0]}', or name a file of judgments instead of --edition.",
        )
    if files and len(files) < len(typed.names) and not typed.has(*_JUDGED):
        other = next(name for name in typed.names if name not in files)
        raise BadArgument(
            f"{files[0]} is a file, and the file {other} does not exist",
            hint="Name run files followed by the file of judgments, or stored runs only.",
        )
    if not files and not typed.has(*_JUDGED):
        return False
    _check_names(typed, [name for name in files if name != "-" and os.sep not in name])
    return True


def _check_names(typed: Typed, files: list[str]) -> None:
    """Refuse the name of a file that is also the name of a stored run."""
    settings = _settings(typed)
    if not files or settings is None:
        return
    from stcollection.db.stored import stored_names  # imports the database driver

    for file in files:
        if file in stored_names(settings, "runs", start=file):
            raise BadArgument(
                f"{file!r} is a file and a stored run", hint=f"./{file} is the file; with --edition, names are stored runs."
            )


def _settings(typed: Typed) -> Settings | None:
    settings: Settings | None = typed.ctx.obj
    return named(settings, typed.options["--db"]) if settings is not None and typed.has("--db") else settings


def watch(typed: Typed) -> None:
    """Report waiting, as for other commands on a collection."""
    settings, root = _settings(typed), typed.ctx.find_root()
    if settings is not None and root is not typed.ctx and not root.resilient_parsing:
        root.with_resource(Watch(settings, tell=print_waiting))


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
