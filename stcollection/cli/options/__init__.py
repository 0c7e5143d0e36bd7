"""Options that several commands share, by what they are about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

Command = TypeVar("Command", bound=Callable[..., Any])


def together(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Make one decorator of several options, which help lists in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def packed(record: type, into: str, **named: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command one record in place of the options that are its fields.

    ``@packed(Interval, "interval")`` below the options makes a command with options alpha and seed take ``interval: Interval``.

    :param record: a dataclass; fields that are no option of the command have their defaults.
    :param into: the parameter that takes it.
    :param named: the field, by an option of another name.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        names = {one.name: one.name for one in fields(record) if one.name not in named.values()} | named

        @wraps(command)
        def taking(*arguments: Any, **given: Any) -> Any:
            packed = {field: given.pop(option) for option, field in names.items() if option in given}
            return command(*arguments, **given, **{into: record(**packed)})

        return taking

    return decorate
