"""Options of ``stc`` itself, before and after the command: the collection, the edition, and whether to be quiet."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli.options import together
from stcollection.cli.options.completion import BY_NAME, DB, complete_collections, complete_editions
from stcollection.cli.quiet import be_quiet
from stcollection.db.settings import named

EDITION = "stcollection.edition"  # in the context's meta: the value of an --edition that is no parameter


def keep_edition(ctx: click.Context, _: click.Parameter, name: str | None) -> None:
    """The callback of an ``--edition`` that is no parameter of the command."""
    if name is not None:
        ctx.meta[EDITION] = name


before_options = together(
    click.option(
        "--db",
        metavar="NAME",
        shell_complete=complete_collections,
        help="The collection to work on.  [env: STC_DB; default: the database of STC_DSN, else 'stcollection']",
    ),
    click.option(
        "--edition",
        metavar="EDITION",
        expose_value=False,
        callback=keep_edition,
        shell_complete=complete_editions,
        help="The edition to work on, of commands that take one.",
    ),
    click.option("--quiet", is_flag=True, expose_value=False, callback=be_quiet, help="Print results, warnings and errors alone."),
)


def _collection(ctx: click.Context, _: click.Parameter, name: str | None) -> None:
    ctx.meta[DB] = name or ctx.meta.get(DB)
    if name is not None and ctx.obj is not None:  # None where a shell completes
        ctx.obj = named(ctx.obj, name)


def _options() -> list[click.Option]:
    """New ones for each command, hidden since the help of ``stc`` has them."""
    kept: dict[str, Any] = {"hidden": True, "expose_value": False, "is_eager": True}
    return [
        click.Option(
            ["--db"], metavar="NAME", callback=_collection, shell_complete=complete_collections, help="The collection.", **kept
        ),
        click.Option(["--quiet"], is_flag=True, callback=be_quiet, help="Print no progress and no notes.", **kept),
    ]


def add_everywhere(command: click.Command, *, completed: bool = True) -> click.Command:
    """Add the options to a command that lacks them, and the completion of names to its parameters.

    :param completed: whether parameters called run or edition name one of the collection.
    :returns: the command.
    """
    taken = {option for parameter in command.params for option in parameter.opts}
    command.params += [option for option in _options() if not taken & set(option.opts)]
    for one in command.params if completed else ():
        if one._custom_shell_complete is None and one.name in BY_NAME and one.type is click.STRING:
            one._custom_shell_complete = BY_NAME[one.name]
    return command
