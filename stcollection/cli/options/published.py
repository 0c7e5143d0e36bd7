"""The option ``--published``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource

from stcollection.errors import BadArgument
from stcollection.published import PublishedStep

_GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def published_option(step: PublishedStep, *, passed: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--published``, which sets the options of a step. An option with another value is an error that names both.

    :param passed: pass ``published`` to the command.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def taking(*arguments: Any, **given: Any) -> Any:
            if given["published"]:
                take_published(click.get_current_context(), step, given)
            if not passed:
                del given["published"]
            return command(*arguments, **given)

        return published_flag(step)(taking)

    return decorate


def published_flag(step: PublishedStep) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    help_ = f"Use the settings of the published collection: {step.about}."
    return click.option("--published", is_flag=True, help=help_)


def take_published(ctx: click.Context, step: PublishedStep, given: dict[str, Any]) -> None:
    """Set the values of a step. :raises BadArgument: an option was typed with another value."""
    options = {one.name: one for one in ctx.command.params if isinstance(one, click.Option)}
    for name, value in step.options.items():
        if name not in given:
            continue
        if ctx.get_parameter_source(name) in _GIVEN and _plain(given[name]) != _plain(value):
            typed = _typed(options[name], given[name])
            uses = f"--published means: {step.about}" if value is None else f"--published uses {_typed(options[name], value)}"
            raise BadArgument(f"--published and {typed} exclude each other", hint=f"{uses}. Omit one of them.")
        if value is not None:
            given[name] = value


def add_published(given: dict[str, Any], step: PublishedStep) -> None:
    """Add the values of a step to those that the options of a declared command give."""
    settings = dict.fromkeys(step.options) | given
    take_published(click.get_current_context(), step, settings)
    given |= {name: value for name, value in settings.items() if value is not None}


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, tuple) else value


def _typed(option: click.Option, value: object) -> str:
    """Return an option as typed, such as ``--lists 100`` or ``--half``."""
    if isinstance(value, bool):
        return (option.opts if value or not option.secondary_opts else option.secondary_opts)[0]
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{option.opts[0]} {one}" for one in values)
