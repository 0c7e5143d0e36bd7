"""Options that name an edition.

An edition is named by an argument or by ``--edition``, after the command or before it: ``stc --edition test …``. Without a name,
commands that change nothing use the only edition of the collection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import together
from stcollection.cli.options.completion import complete_editions
from stcollection.cli.options.everywhere import EDITION, keep_edition
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.declared import REQUIRED, DeclaredParameter
from stcollection.qrels.editions import only_edition

ONLY = "the only edition"  # the default of a declared edition that is read


def named_edition(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Return the edition that the argument or an option names."""
    kept: str | None = ctx.meta.get(EDITION)
    if isinstance(parameter, click.Argument) and None not in (name, kept) and name != kept:
        raise click.UsageError(f"two editions are named, {name!r} and {kept!r}: name one", ctx)
    return name if name is not None else kept


def needed_edition(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    found = named_edition(ctx, parameter, name)
    if found is None and not ctx.resilient_parsing:
        raise click.MissingParameter(ctx=ctx, param=parameter)
    return found


def or_the_only(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    found = named_edition(ctx, parameter, name)
    if found is None and not ctx.resilient_parsing:
        with connect(ctx.obj) as conn:
            found = only_edition(conn, beside=[name for names in ctx.params.values() if isinstance(names, tuple) for name in names])
        aside(f"edition {found!r}, the only one")
    return found


def named_by(parameter: DeclaredParameter) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Return the callback of a declared edition: required, the only one by default, or none by default."""
    if parameter.option.default == ONLY:
        return or_the_only
    return needed_edition if parameter.default is REQUIRED else named_edition


def declared_argument(parameter: DeclaredParameter) -> Callable[[Any], Any]:
    """Return the argument of a declared edition, with the option ``--edition`` that can stand instead of it."""
    callback = named_by(parameter)
    return _argument(callback, "EDITION" if callback is needed_edition else "[EDITION]")


def _option(callback: Callable[..., Any], help_: str, **more: Any) -> Callable[[Any], Any]:
    return click.option("--edition", metavar="EDITION", callback=callback, help=help_, shell_complete=complete_editions, **more)


def _argument(callback: Callable[..., Any], metavar: str) -> Callable[[Any], Any]:
    beside = click.option(
        "--edition",
        "edition_option",
        callback=keep_edition,
        expose_value=False,
        is_eager=True,
        hidden=True,
        shell_complete=complete_editions,
        help="Edition, instead of the argument.",
    )
    return together(
        click.argument("edition", required=False, metavar=metavar, callback=callback, shell_complete=complete_editions), beside
    )


def needed_edition_option(help_: str) -> Callable[[Any], Any]:
    """``--edition`` of a command that creates or changes an edition: the name is required."""
    return _option(needed_edition, f"{help_}  [required]")
