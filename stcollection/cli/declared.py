"""Commands from declarations: a function of the library, and a function that prints what it returns.

``@command(leaderboard)`` above ``def leaderboard_command(call, *, digits: Annotated[int, AllowedRange(ge=1, le=6)] = 4, …)`` makes
a command with the options of both. Its body calls ``call(conn)`` and prints.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import click
from click.core import ParameterSource

from stcollection.cli.options.completion import BY_NAME
from stcollection.cli.options.files import FILE, OutputPath
from stcollection.cli.output import FORMATS, keep_raw
from stcollection.db.settings import Settings
from stcollection.declared import REQUIRED, DeclaredParameter, Option, arguments, parameters, prose, reword
from stcollection.errors import StcError

R = TypeVar("R")

#: The parameter ``style`` of a command is --format, which comes with --raw.
Style = Annotated[str, Option("--format", help="Output format.")]

_STYLE, _EDITION, _OUT = "style", "edition", "out"


class Call(Generic[R]):
    """The values of a command's options for a function of the library.

    :param given: values by the name of the parameter; those that are not typed are omitted.
    """

    def __init__(self, function: Callable[..., R], settings: Settings, given: Mapping[str, Any]) -> None:
        self._function, self.settings, self.given = function, settings, dict(given)

    def __call__(self, conn: Any, **more: Any) -> R:
        """Call the function. :param more: keyword arguments that no option gives, such as ``progress``."""
        return self._function(conn, **(arguments(self._function, self.given, local=True) | more))

    def group(self, name: str) -> Any:
        """Return the dataclass that a parameter of the function gets."""
        return arguments(self._function, self.given, local=True).get(
            name, inspect.signature(self._function).parameters[name].default
        )

    def typed(self, *names: str) -> list[str]:
        """Return those of some options of the running command that the user typed, as ``--alpha``."""
        options = {parameter.name: parameter.opts[-1] for parameter in click.get_current_context().command.params}
        return [options[name] for name in names if _is_typed(name)]


def command(function: Callable[..., R]) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a declared function, from the function that prints its result.

    A parameter of the printing function replaces that of the same name.
    """

    def make(printer: Callable[..., None]) -> click.Command:
        own = parameters(printer)
        theirs = [parameter for parameter in parameters(function) if parameter.name not in {mine.name for mine in own}]
        params = [part for parameter in (*theirs, *own) for part in _click(parameter)]

        @click.pass_obj
        def run(settings: Settings, /, **given: Any) -> None:
            shown = arguments(
                printer, {parameter.name: given.pop(parameter.name) for parameter in own if parameter.name in given}, local=True
            )
            values = {name: value for name, value in given.items() if _is_given(name, value)}
            try:
                printer(Call(function, settings, values), **shown)
            except StcError as error:
                reword(error, [*theirs, *own], spelled)
                raise

        own_module = printer.__name__ == "command"  # which then has the name of the command
        name = printer.__module__.rpartition(".")[2] if own_module else printer.__name__.removesuffix("_command")
        made = click.Command(
            name.rstrip("_").replace("_", "-"), params=params, callback=run, help=prose(printer) or prose(function)
        )
        made.declared = (function, printer)  # type: ignore[attr-defined]
        return made

    return make


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return a parameter as typed: ``--max-rank 5``, ``--judged-only``, ``RUN``."""
    if parameter.option.argument is not None:
        return value or parameter.option.argument
    names = [part for name in _names(parameter) for part in name.split("/") if part.startswith("--")]
    if parameter.kind is bool:
        return names[-1 if value == "false" and len(names) > 1 else 0]
    return names[0] if value is None else f"{names[0]} {value}"


def _is_given(name: str, value: Any) -> bool:
    """Return True for a value that the user typed, or that another command passes by ``ctx.invoke``."""
    ctx = click.get_current_context()
    if ctx.get_parameter_source(name) is None or name == _EDITION:
        return value not in (None, (), *(parameter.default for parameter in ctx.command.params if parameter.name == name))
    return _is_typed(name)


def _is_typed(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def _names(parameter: DeclaredParameter) -> list[str]:
    """Return the options of a parameter as click declares them: ``-m``, ``--measure``, or ``-c/-r``, ``--complete/--retrieved``."""
    flags = list(parameter.option.flags)
    return flags if any(flag.startswith("--") for flag in flags) else [*flags, f"--{parameter.each.replace('_', '-')}"]


def _click(parameter: DeclaredParameter) -> list[click.Parameter]:
    """Return the parameter of click; two for ``style``, which brings ``--raw``."""
    option, name = parameter.option, parameter.name
    kind = _type(parameter)
    if option.argument is not None:
        required = parameter.default is REQUIRED
        metavar = option.argument if option.argument.endswith("...") else None  # else click's, with brackets if it is optional
        return [click.Argument([name], nargs=-1 if parameter.many else 1, required=required, type=kind, metavar=metavar)]
    more: dict[str, Any] = {"type": kind, "default": None, "multiple": parameter.many}
    if parameter.kind is bool:
        more = {"is_flag": True, "default": None if parameter.default is None else parameter.default}
    elif parameter.default is not REQUIRED and not parameter.many:
        more["default"] = parameter.default
    made = click.Option([*_names(parameter), name], help=_help(parameter), metavar=option.metavar, **more)
    made._custom_shell_complete = BY_NAME.get(name)
    if name == _EDITION:
        from stcollection.cli.options.editions import or_the_only

        made.callback = or_the_only
    return [made, _raw()] if name == _STYLE else [made]


def _type(parameter: DeclaredParameter) -> Any:
    if parameter.name == _STYLE:
        return click.Choice(parameter.choices or FORMATS)
    if parameter.choices:
        return click.Choice(parameter.choices)
    limits = parameter.bounds
    if limits is not None and parameter.kind is int:
        least, most = (None if limit is None else int(limit) for limit in (limits.ge, limits.le))
        return click.IntRange(least, most)
    if limits is not None:
        low, high = (limits.ge if limits.gt is None else limits.gt), (limits.le if limits.lt is None else limits.lt)
        return click.FloatRange(low, high, min_open=limits.gt is not None, max_open=limits.lt is not None)
    if parameter.kind is Path:
        return OutputPath(stdout=parameter.default is None) if parameter.name == _OUT else FILE
    return {int: click.INT, float: click.FLOAT}.get(parameter.kind, click.STRING)


def _help(parameter: DeclaredParameter) -> str:
    """Return the help with the default, and the command that lists the values."""
    option, default = parameter.option, parameter.option.default
    if default is None and not any(parameter.default is plain for plain in (REQUIRED, None, (), False)):
        default = _default(parameter)
    notes = [f"'stc {option.listed}' lists them"] if option.listed else []
    notes += [f"default: {default}"] if default is not None else []
    return f"{parameter.help}  [{'; '.join(notes)}]" if notes else parameter.help


def _default(parameter: DeclaredParameter) -> str:
    if parameter.kind is bool:
        return _names(parameter)[-1].split("/")[0].lstrip("-")
    values = parameter.default if isinstance(parameter.default, tuple) else [parameter.default]
    return ", ".join(map(str, values))


def _raw() -> click.Option:
    return click.Option(
        ["--raw", "raw_cells"],
        is_flag=True,
        expose_value=False,
        callback=keep_raw,
        help="With --format csv: do not escape cells that a spreadsheet would read as formulas.",
    )
