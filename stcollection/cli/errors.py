"""Errors of commands: two lines on stderr and an exit code."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from stcollection.cli.output import printable
from stcollection.db.settings import read_settings
from stcollection.errors import BadArgument, DatabaseError, ProgramFailed, StcError, from_postgres, hint_of

_waited: list[tuple[str, str]] = []  # the last report of the watch: an error after a lock timeout repeats it


def print_waiting(sentence: str, hint: str) -> None:
    """Print that the command waits, and for which session. Works beside progress bars and from another thread."""
    from tqdm import tqdm

    _waited[:] = [(sentence, hint)]
    tqdm.write(f"stc: {printable(sentence)}\n     {printable(hint)}", file=sys.stderr)
    sys.stderr.flush()


def unanswered(cause: BaseException | None) -> int:
    """Print the end of a question that was answered with no, interrupted by ctrl-C, or not answered.

    :returns: the exit code.
    """
    if isinstance(cause, KeyboardInterrupt):
        return interrupted()
    if isinstance(cause, EOFError):
        click.echo("\nstc: no answer, nothing was changed\n     --yes skips the prompt.", err=True)
        return 1
    click.echo("stc: nothing was changed", err=True)
    return 0


def interrupted() -> int:
    """Print that ctrl-C ended the command.

    :returns: the exit code.
    """
    click.echo("stc: interrupted; committed work is kept: run the same command again to continue", err=True)
    return 130


def is_reported(error: Exception) -> bool:
    """Return True for an error that is reported in two lines; others show a traceback."""
    if isinstance(error, StcError | OSError | UnicodeEncodeError):
        return True
    from psycopg import Error  # not at module level: help and completion need no database driver

    return isinstance(error, Error)


@contextmanager
def print_faults(sheet: Path) -> Iterator[None]:
    """Print all errors of a refused sheet except the first, which the command's error message names."""
    from stcollection.qrels.sheets import BadSheet  # not at module level: few commands read sheets

    try:
        yield
    except BadSheet as error:
        for fault in error.faults[1:]:
            click.echo(f"{sheet}:{fault.line}: {fault.what}", err=True)
        raise


def print_error(error: Exception) -> int:
    """Print an error and its next step.

    :returns: the exit code.
    """
    if isinstance(error, UnicodeEncodeError):  # bytes of an argument or of the name of a file
        error = BadArgument(
            f"the text {error.object[:60]!r} contains bytes that are not UTF-8",
            hint="Give texts in UTF-8, and rename files whose names are not.",
        )
    elif isinstance(error, FileNotFoundError):
        error = BadArgument(f"the file {error.filename} does not exist", hint="Give the path of an existing file.")
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        error = DatabaseError(f"{where}{error.strerror or error}", hint=hint_of("53100") if full else None)
    elif not isinstance(error, StcError):
        from psycopg import Error

        assert isinstance(error, Error)
        error = from_postgres(error)
    if error.sqlstate == "55P03" and _waited and error.hint:
        sentence, way_on = _waited[-1]
        error = DatabaseError(
            f"{error.message}, after {sentence}", hint=f"{way_on.partition('. ')[0]}. {error.hint}", sqlstate="55P03"
        )
    if isinstance(error, DatabaseError) and error.sqlstate is None and not isinstance(error, ProgramFailed):
        error = _from_log(error)
    click.echo(f"stc: {printable(error.message)}", err=True)  # names of files may contain control sequences of terminals
    if error.hint:
        click.echo(f"     {printable(error.hint)}", err=True)
    return error.exit_code


def _from_log(error: DatabaseError) -> DatabaseError:
    """If the embedded server stopped, replace the error by the reason in its log, such as a full disk."""
    from stcollection.db.embedded import EmbeddedServer

    settings = read_settings()
    if not settings.embedded:
        return error
    words = EmbeddedServer(settings.home).last_words()
    if not any(word in words for word in ("PANIC", "FATAL", "No space left")) or not _is_recent(words):
        return error
    full = "Free some disk space, then run" if "No space left" in words else "Run"
    return DatabaseError(f"the server stopped: {words}", hint=f"{full} the same command again: committed work is kept.")


def _is_recent(line: str) -> bool:
    """Return whether a line of the server's log is at most a minute old. A killed server logs no reason."""
    try:
        said = datetime.strptime(line[:19], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return True
    return datetime.now(UTC) - said < timedelta(minutes=1)
