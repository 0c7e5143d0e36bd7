"""Options that several commands share, grouped by subject."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def together(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Combine several options into one decorator; help lists them in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def declared_by(option: Callable[[Any], Any]) -> list[click.Parameter]:
    """Return the parameters that an option or argument of click adds to a command."""
    return [*click.command()(option(lambda: None)).params]


def separated(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
    """Split texts at commas, as the callback of an option that can be repeated."""
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip())


def packed(record: type, into: str, **named: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Pass options to a command as one record.

    ``@packed(Interval, "interval")`` below the options lets a command with the options alpha and seed take ``interval: Interval``.

    :param record: a dataclass; fields without an option keep their defaults.
    :param into: the parameter of the command that takes the record.
    :param named: options whose field has another name, as option=field.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        names = {one.name: one.name for one in fields(record) if one.name not in named.values()} | named

        @wraps(command)
        def taking(*arguments: Any, **given: Any) -> Any:
            packed = {field: given.pop(option) for option, field in names.items() if option in given}
            return command(*arguments, **given, **{into: record(**packed)})

        return taking

    return decorate
