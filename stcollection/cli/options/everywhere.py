"""Options of ``stc`` that also work after a command: the collection, the edition, the format and ``--quiet``."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import click

from stcollection.cli.options import together
from stcollection.cli.options.completion import BY_NAME, DB, complete_collections, complete_editions
from stcollection.cli.output import STYLE, STYLES
from stcollection.cli.quiet import be_quiet
from stcollection.db.settings import named

#: Placeholders in help, by the name of the parameter.
_ARGUMENTS = {"runs": "RUN", "files": "FILE", "editions": "EDITION", "measures": "MEASURE", "names": "NAME", "paths": "PATH"}
_OPTIONS = {
    **dict.fromkeys(("edition", "edition_name", "human", "llm", "sparse", "into"), "EDITION"),
    **dict.fromkeys(("name", "annotator", "annotators", "model", "source", "config", "base"), "NAME"),
    **dict.fromkeys(("run", "runs"), "RUN"),
    **dict.fromkeys(("origin", "origins"), "ORIGIN"),
    **dict.fromkeys(("measure", "measures"), "MEASURE"),
    **dict.fromkeys(("neighbours", "threshold"), "LIST"),
    **{name: name.upper() for name in ("team", "venue", "family", "pool", "query", "host", "date")},
    "groups": "GROUP",
    "wanted": "MEASURE",
    "names": "MEASURE",
    "thresholds": "LIST",
}

EDITION = "stcollection.edition"  # in the context's meta: the value of an --edition that is no parameter


def keep_edition(ctx: click.Context, _: click.Parameter, name: str | None) -> None:
    """The callback of an ``--edition`` that is not a parameter of the command."""
    if name is not None:
        ctx.meta[EDITION] = name


def _keep_style(ctx: click.Context, _: click.Parameter, style: str | None) -> None:
    if style is not None:
        ctx.meta[STYLE] = style


_style_option = click.option(
    "--format",
    type=click.Choice(STYLES),
    metavar="FORMAT",
    expose_value=False,
    callback=_keep_style,
    help=f"Format of rows, for commands that print some: {', '.join(STYLES[:-1])}, or csv-raw, without the escapes that protect "
    "spreadsheets.  [default: table]",
)
before_options = together(
    click.option(
        "--db",
        metavar="NAME",
        shell_complete=complete_collections,
        help="Collection to use.  [env: STC_DB; default: the database of STC_DSN, else 'stcollection']",
    ),
    click.option(
        "--edition",
        metavar="EDITION",
        expose_value=False,
        callback=keep_edition,
        shell_complete=complete_editions,
        help="Edition to use, for commands that take one.",
    ),
    _style_option,
    click.option("--quiet", is_flag=True, expose_value=False, callback=be_quiet, help="Print only results, warnings and errors."),
)


def _collection(ctx: click.Context, _: click.Parameter, name: str | None) -> None:
    ctx.meta[DB] = name or ctx.meta.get(DB)
    if name is not None and ctx.obj is not None:  # None during shell completion
        ctx.obj = named(ctx.obj, name)


def _options() -> list[click.Option]:
    """Return new options for a command. They are hidden because the help of ``stc`` describes them."""
    kept: dict[str, Any] = {"hidden": True, "expose_value": False, "is_eager": True}
    return [
        click.Option(
            ["--db"], metavar="NAME", callback=_collection, shell_complete=complete_collections, help="Collection to use.", **kept
        ),
        click.Option(["--quiet"], is_flag=True, callback=be_quiet, help="Print no progress and no notes.", **kept),
    ]


class SuggestingChoice(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """A choice whose error suggests the nearest value."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value not in self.choices:
            near = get_close_matches(str(value), map(str, self.choices), n=1)
            suggestion = f"; did you mean {near[0]!r}?" if near else ""
            self.fail(f"{value!r} is not one of {', '.join(map(str, self.choices))}{suggestion}", param, ctx)
        return super().convert(value, param, ctx)


def _metavar(one: click.Parameter) -> str | None:
    """Return the placeholder of a parameter that defines none: N for an integer, RUN... for an argument ``runs``."""
    if isinstance(one, click.Argument):
        singular = _ARGUMENTS.get(one.name or "") if one.nargs == -1 else None
        return singular and (f"{singular}..." if one.required else f"[{singular}]...")
    if not isinstance(one, click.Option) or one.is_flag or one.type is click.BOOL:
        return None
    if one.type is click.STRING:
        return _OPTIONS.get(one.name or "")
    types = {click.types.IntParamType: "N", click.types.FloatParamType: "NUMBER", click.Path: "FILE"}
    return next((metavar for kind, metavar in types.items() if isinstance(one.type, kind)), None)


def also(command: click.Command) -> str:
    """Return the last sentence of a command's help: the options that the help of ``stc`` describes."""
    shared = [option.opts[-1] for option in command.params if isinstance(option, click.Option) and option.hidden]
    names = [name for name in ("--format", "--db", "--quiet") if name in shared]
    return f"Also {', '.join(names[:-1])} and {names[-1]}: 'stc --help' describes them."


def add_everywhere(command: click.Command, *, completed: bool = True) -> click.Command:
    """Add the shared options to a command that lacks them, plain metavars, and the completion of names to its parameters.

    :param completed: whether parameters called run or edition name one of the collection.
    :returns: the command.
    """
    if getattr(command, "has_everywhere", False):
        return command
    taken = {option for parameter in command.params for option in parameter.opts}
    command.params += [option for option in _options() if not taken & set(option.opts)]
    if isinstance(command, click.Group):
        _style_option(command)
    for one in command.params:
        if type(one.type) is click.Choice:
            if isinstance(one, click.Option) and (*one.type.choices,) == STYLES:
                one.hidden = True
            one.type = SuggestingChoice(one.type.choices)
        one.metavar = one.metavar or _metavar(one)
    command.epilog = also(command)
    for one in command.params if completed else ():
        if one._custom_shell_complete is None and one.name in BY_NAME and one.type is click.STRING:
            one._custom_shell_complete = BY_NAME[one.name]
    return command
