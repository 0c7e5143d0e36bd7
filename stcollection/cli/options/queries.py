"""The option that restricts a command to a set of queries, and a warning of long ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from stcollection.cli.options.completion import complete_sets
from stcollection.counts import counted
from stcollection.topics.sets import ALL, SETS, expression


def set_option(use: str, *, default: str | None = ALL, if_omitted: str | None = ALL) -> Callable[..., Any]:
    """Return the option ``--queries`` of a command.

    :param use: use of the queries by the command, for the help.
    :param default: default to show in the help. :param if_omitted: value of the parameter without the option.
    """
    return click.option(
        "--queries",
        metavar="SET",
        default=if_omitted,
        callback=lambda _, __, text: text if text is None else expression(text),
        shell_complete=complete_sets,
        help=f"{use}: {SETS}.  [default: {default}]",
    )


queries_option = set_option("Use only the queries of a set")


def warn_of_long(queries: Sequence[str]) -> None:
    """Warn of queries that searches of words do not read completely."""
    if queries:
        from stcollection.runs.faults import few  # slow to import
        from stcollection.topics.load import SEARCHED

        what = f"{counted(len(queries), 'query')} ({few(queries)}) of more than {SEARCHED:,} characters"
        click.echo(f"stc: {what}: searches of words read the first {SEARCHED:,}, to the end of a word", err=True)
