"""The option ``--filter`` of commands that search: keys of :class:`stcollection.retrieval.filters.TypedFilter`, or JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import click

from stcollection.declared import DeclaredParameter
from stcollection.errors import BadArgument
from stcollection.retrieval.filters import filter_keys

FILTER = "filter_keys"  # the parameter of a command: values by the names of the record's fields
_RAW = "filter"  # the key for a filter in JSON
_MEASURES = "readability"  # its values are MEASURE=RANGE
_NUMBER = re.compile(r"\d")
_KEYS = {key.each.replace("_", "-"): key for key in filter_keys()}
_KEYS["text"] = _KEYS.pop("with-text")  # as in SQL


def _form(name: str, key: DeclaredParameter) -> str:
    return f"{name}={key.option.metavar or 'TEXT'}"


_FORMS = ", ".join([*(_form(name, _KEYS[name]) for name in _KEYS if name not in (_RAW, _MEASURES, "credibility")), "MEASURE=RANGE"])


def read_keys(_: click.Context | None, __: click.Parameter | None, texts: Sequence[str]) -> dict[str, Any]:
    """Return the values by the names of the record's fields, as the callback of the option.

    :raises BadArgument: the name is not a key, or a key with one value is repeated.
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (_RAW, "=", text) if text.lstrip().startswith("{") else text.partition("=")
        key = _KEYS.get(name.strip().replace("_", "-"))
        if key is None and _NUMBER.search(value) and not get_close_matches(name, _KEYS, n=1):
            key, value = _KEYS[_MEASURES], text  # the database knows the measures
        if key is None or not equals:
            near = get_close_matches(name, _KEYS, n=1)
            hint = f"Did you mean {_form(near[0], _KEYS[near[0]])}?" if near else f"Write {_FORMS}, or a filter in JSON."
            fault = (
                f"the filter {text[:80]!r} is neither KEY=VALUE nor JSON" if not equals else f"a filter has no key {name[:80]!r}"
            )
            raise BadArgument(fault, hint=hint)
        if key.many:
            values.setdefault(key.name, []).append(value)
        elif key.name in values:
            hint = "Give a range, such as year=2015..2020." if key.option.metavar == "RANGE" else "Give it once."
            raise BadArgument(f"the filter {name} is repeated", hint=hint)
        else:
            values[key.name] = value
    return values


def filter_word(key: DeclaredParameter, value: str | None) -> str:
    """Return a key as typed, with its value."""
    name = next(name for name in _KEYS if _KEYS[name].name == key.name)
    return f"--filter {value or 'JSON'}" if name == _RAW else f"--filter {name}={value or ''}"


def _complete(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    return [f"{name}=" for name in _KEYS if name.startswith(typed) and name != _RAW]


def filter_option() -> click.Option:
    """Return the option, whose value is the parameter FILTER."""
    return click.Option(
        ["--filter", FILTER],
        multiple=True,
        metavar="KEY=VALUE",
        callback=read_keys,
        shell_complete=_complete,
        help=f"Only documents that match: {_FORMS}, or a filter in the JSON of the SQL functions. Ranges are 2015..2020, 2015.. or "
        "2018. Repeatable.",
    )
