"""Options of commands that read files of runs, judgments or scores."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from stcollection.errors import BadArgument
from stcollection.qrels.parameters import RELEVANCE
from stcollection.runs.policies import UNKNOWN_DOCUMENTS, UNKNOWN_OR_FEW, UNKNOWN_QUERIES

FILE = click.Path(path_type=Path)  # a missing file is reported like any other error
_STDOUT = "-"


class OutputPath(click.Path):
    """A file or folder to write. ``-`` is standard output, passed to the command as None, and ``./-`` a file of that name.

    :param stdout: the command can write to standard output; otherwise ``-`` is an error.
    :param folder: a folder can be written.
    """

    def __init__(self, *, stdout: bool = False, folder: bool = False) -> None:
        super().__init__(dir_okay=folder, path_type=Path)
        self._stdout = stdout

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value != _STDOUT:
            return super().convert(value, param, ctx)
        if self._stdout:
            return None
        raise BadArgument(
            "'-' is standard output, and this command writes a file", hint="Give the name of a file; ./- is a file named -."
        )


def _into_terminal(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Do not fill a terminal with a whole file unless the user asks for it."""
    given = ctx.get_parameter_source(parameter.name or "") is not ParameterSource.DEFAULT
    if path is None and not given and sys.stdout.isatty() and not ctx.resilient_parsing:
        raise BadArgument(
            "the output is a whole file, and standard output is a terminal",
            hint=f"Write it to a file with --out FILE, or print it here with --out {_STDOUT}.",
        )
    return path


export_option = click.option(
    "--out",
    type=OutputPath(stdout=True),
    callback=_into_terminal,
    is_eager=True,  # before the collection is read
    metavar="FILE",
    help="Write to FILE; - is standard output.  [default: standard output, unless it is a terminal]",
)
relevance_option = click.option(
    "--relevance",
    type=click.IntRange(-32768, 32767),
    metavar="N",
    help=f"{RELEVANCE.help}  [default: {RELEVANCE.default}]",
)
unknown_docs_option = click.option(
    "--unknown-docs",
    "unknown_documents",
    type=click.Choice(UNKNOWN_OR_FEW),
    default="few",
    show_default=True,
    help=UNKNOWN_DOCUMENTS.help,
)
unknown_queries_option = click.option(
    "--unknown-queries",
    "unknown_queries",
    type=click.Choice(UNKNOWN_OR_FEW),
    default="few",
    show_default=True,
    help=UNKNOWN_QUERIES.help,
)
