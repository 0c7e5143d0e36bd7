"""Options that name an edition, say what it is, and how its grades are mapped.

An edition is named by its argument or by ``--edition``, after the command or before it: ``stc --edition test …``. Commands that
change nothing take the only edition of the collection where none is named.
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
    """The edition that is named, wherever it is."""
    kept: str | None = ctx.meta.get(EDITION)
    if isinstance(parameter, click.Argument) and None not in (name, kept) and name != kept:
        raise click.UsageError(f"two editions are named, {name!r} and {kept!r}: name one", ctx)
    return name if name is not None else kept


def _needed(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    found = named_edition(ctx, parameter, name)
    if found is None and not ctx.resilient_parsing:
        raise click.MissingParameter(ctx=ctx, param=parameter)
    return found


def _or_the_only(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
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
        help="The edition, in place of the argument.",
    )
    return together(
        click.argument("edition", required=False, metavar=metavar, callback=callback, shell_complete=complete_editions), beside
    )


#: Of commands that read judgments: the edition named, or the only one.
edition_option = _option(
    _or_the_only, "The edition of the judgments.  ['stc qrels editions' lists them; default: the only one, where there is one]"
)
edition_argument = _argument(_or_the_only, "[EDITION]")
#: Of commands that change an edition: it has to be named.
changed_edition_argument = _argument(_needed, "EDITION")
any_edition_argument = _argument(named_edition, "[EDITION]")


def needed_edition_option(help_: str) -> Callable[[Any], Any]:
    """``--edition`` of a command that makes or changes one: it has to be named."""
    return _option(_needed, f"{help_}  [required]")


def any_edition_option(help_: str) -> Callable[[Any], Any]:
    """``--edition`` of a command that has another default than an edition."""
    return _option(named_edition, help_)


map_option = click.option(
    "--map",
    "grades",
    callback=lambda _, __, text: None if text is None else read_grades(text),
    metavar="GRADES",
    help="The grade to store for each one of the source, as 1=4,2=3,3=2,4=1,-1=0 for Cranfield's degrees; simpletext-2022 is"
    " 0=0,1=0,2=1,3=1,4=2,5=2.  [default: as they are]",
)
_facts_options = together(
    click.option("--description", help="What it is, in words."),
    click.option("--split", type=click.Choice(["train", "test"]), help="Whether it is to train on or to test on."),
    click.option("--year", type=click.IntRange(1900, 2999), help="The year of the track it is of."),
)


def facts_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that say what an edition is, which the command gets as ``facts``."""
    return _facts_options(packed(EditionFacts, "facts")(command))
