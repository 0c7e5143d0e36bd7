"""Commands from declarations: a function of the library, and a function that prints what it returns.

``@command(leaderboard)`` above ``def leaderboard_command(call, *, digits: Annotated[int, AllowedRange(ge=1, le=6)] = 4, …)`` makes
a command with the options of both. Its body calls ``call(conn)`` and prints. A parameter of the printing function can have an
option of click: ``Annotated[Path | None, export_option]``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Generic, TypeVar

import click
from click.core import ParameterSource

from stcollection.cli.options import declared_by
from stcollection.cli.options.declared import EDITION, click_parameters, option_names
from stcollection.cli.options.filters import FILTER, filter_option, filter_word
from stcollection.cli.options.plots import draw, plot_option
from stcollection.cli.options.published import published_flag, take_published
from stcollection.cli.parameters import name_of
from stcollection.db.settings import Settings
from stcollection.declared import DeclaredParameter, Option, arguments, call, parameters, prose, reword
from stcollection.errors import StcError
from stcollection.published import PublishedStep
from stcollection.retrieval.filters import TypedFilter

R = TypeVar("R")

#: The parameter ``style`` of a command is --format.
Style = Annotated[str, Option("--format", help="Output format.")]


class Call(Generic[R]):
    """The values of a command's options for a function of the library.

    :param given: values by the name of the parameter; those that are not typed are omitted.
    """

    def __init__(self, function: Callable[..., R], settings: Settings, given: Mapping[str, Any]) -> None:
        self._function, self.settings, self.given = function, settings, dict(given)

    def __call__(self, conn: Any, **more: Any) -> R:
        """Call the function. :param more: keyword arguments that no option gives, such as ``progress``."""
        return call(self._function, conn, self.arguments() | more)

    def once(self, **more: Any) -> R:
        """Call the function with a connection that is closed afterwards, for a result that is complete on return."""
        from stcollection.db.connection import connect  # not at module level: help and completion need no database driver

        with connect(self.settings) as conn:
            return self(conn, **more)

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments of the function that options give."""
        return arguments(self._function, self.given, local=True)

    def group(self, name: str) -> Any:
        """Return the dataclass that a parameter of the function gets."""
        return self.arguments().get(name, inspect.signature(self._function).parameters[name].default)

    def typed(self, *names: str) -> list[str]:
        """Return those of some options of the running command that the user typed, as ``--alpha``."""
        options = {parameter.name: parameter.opts[-1] for parameter in click.get_current_context().command.params}
        return [options[name] for name in names if _is_typed(name)]


def command(
    function: Callable[..., R],
    *,
    omit: Sequence[str] = (),
    published: PublishedStep | None = None,
    figure: Callable[[Mapping[str, Any]], str] | None = None,
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a declared function, from the function that prints its result.

    A parameter of the printing function replaces that of the same name.

    :param omit: parameters that the command does not have.
    :param published: the settings of the option ``--published``, which the command then has.
    :param figure: returns the function of :mod:`stcollection.figures` that draws what the command prints, from the values of its
        options. The command then has the option ``--plot``.
    """

    def make(printer: Callable[..., None]) -> click.Command:
        own = parameters(printer)
        mine = {parameter.name for parameter in own}
        by_click = {parameter.name for parameter in own if any(map(callable, parameter.notes))}  # a callback may give a default
        theirs = [parameter for parameter in parameters(function) if parameter.name not in {*omit, *mine}]
        declared = [parameter for parameter in (*theirs, *own) if parameter.group is not TypedFilter]
        params = [part for parameter in declared for part in click_parameters(parameter)]
        params += [] if len(declared) == len(theirs) + len(own) else [filter_option()]
        params += [] if published is None else declared_by(published_flag(published))
        params += [] if figure is None else declared_by(plot_option)

        @click.pass_obj
        def run(settings: Settings, /, **given: Any) -> None:
            chosen: set[str] = set()
            plot = given.pop("plot") if figure is not None else None
            given |= given.pop(FILTER, None) or {}
            if published is not None and given.pop("published"):
                take_published(click.get_current_context(), published, given)
                chosen = {name for name, value in published.options.items() if value is not None}
            values = {name: value for name, value in given.items() if name in chosen or _is_given(name, value)}
            shown = {name: given[name] for name in values.keys() & mine | by_click}
            theirs_given = {name: value for name, value in values.items() if name not in mine}
            try:
                printer(Call(function, settings, theirs_given), **arguments(printer, shown, local=True))
                if figure is not None and plot is not None:
                    draw(settings, plot, figure(values), values)
            except StcError as error:
                reword(error, [*theirs, *own], spelled)
                raise

        listed = [
            f"{parameter.option.argument} is {', '.join(parameter.choices)}." for parameter in declared if is_listed(parameter)
        ]
        help_ = "\n\n".join([prose(printer) or prose(function), *listed])
        made = click.Command(name_of(printer), params=params, callback=run, help=help_)
        made.declared, made.omitted = (function, printer), tuple(omit)  # type: ignore[attr-defined]
        return made

    return make


def is_listed(parameter: DeclaredParameter) -> bool:
    """Return True for an argument whose values the help lists."""
    return parameter.option.argument is not None and bool(parameter.choices)


def spelled(parameter: DeclaredParameter, value: str | None) -> str:
    """Return a parameter as typed: ``--max-rank 5``, ``--judged-only``, ``RUN``."""
    if parameter.group is TypedFilter:
        return filter_word(parameter, value)
    if parameter.option.argument is not None:
        return value or parameter.option.argument
    parts = [part for name in option_names(parameter) for part in name.split("/")]
    names = [part for part in parts if part.startswith("--")] or parts
    if parameter.kind is bool:
        return names[-1 if value == "false" and len(names) > 1 else 0]
    return names[0] if value is None else f"{names[0]} {value}"


def _is_given(name: str, value: Any) -> bool:
    """Return True for a value that the user typed, or that another command passes by ``ctx.invoke``."""
    ctx = click.get_current_context()
    if ctx.get_parameter_source(name) is None or name in (EDITION, "style"):
        return value not in (None, (), *(parameter.default for parameter in ctx.command.params if parameter.name == name))
    return _is_typed(name)


def _is_typed(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
