"""Options that name an edition, describe it, and map its grades.

An edition is named by an argument or by ``--edition``, after the command or before it: ``stc --edition test …``. Without a name,
commands that change nothing use the only edition of the collection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.cli.options.completion import complete_editions
from stcollection.cli.options.everywhere import EDITION, keep_edition
from stcollection.cli.quiet import aside
from stcollection.db.connection import connect
from stcollection.io.qrels.judgments import read_grades
from stcollection.qrels.editions import EditionFacts, only_edition


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
            found = only_edition(conn)
        aside(f"edition {found!r}, the only one")
    return found


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


#: For commands that read judgments: the named edition, or the only one.
edition_option = _option(or_the_only, "Edition of the judgments.  ['stc qrels editions' lists them; default: the only edition]")
edition_argument = _argument(or_the_only, "[EDITION]")
#: For commands that change an edition: the name is required.
changed_edition_argument = _argument(needed_edition, "EDITION")
any_edition_argument = _argument(named_edition, "[EDITION]")


def needed_edition_option(help_: str) -> Callable[[Any], Any]:
    """``--edition`` of a command that creates or changes an edition: the name is required."""
    return _option(needed_edition, f"{help_}  [required]")


def any_edition_option(help_: str) -> Callable[[Any], Any]:
    """``--edition`` of a command with a default other than the only edition."""
    return _option(named_edition, help_)


map_option = click.option(
    "--map",
    "grades",
    callback=lambda _, __, text: None if text is None else read_grades(text),
    metavar="GRADES",
    help="Grade to store for each grade of the source: 1=4,2=3,3=2,4=1,-1=0 for Cranfield's degrees; simpletext-2022 means "
    "0=0,1=0,2=1,3=1,4=2,5=2.  [default: unchanged]",
)
_facts_options = together(
    click.option("--description", help="Description of the edition."),
    click.option("--split", type=click.Choice(["train", "test"]), help="Purpose of the edition: training or testing."),
    click.option("--year", type=click.IntRange(1900, 2999), help="Year of the track."),
)


no_hide_option = click.option(
    "--no-hide",
    "hidden",
    type=bool,
    flag_value=False,
    default=None,  # None: hide an edition whose split is test. Also None if another command calls this one.
    help="Do not hide a new edition of --split test from participants and readers.",
)


def facts_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that describe an edition, passed to the command as ``facts``."""
    return _facts_options(packed(EditionFacts, "facts")(command))
