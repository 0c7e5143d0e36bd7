"""Options of a filter, for all commands that search: the keys of :class:`stcollection.retrieval.filters.TypedFilter`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.retrieval.filters import FilterKey, TypedFilter, filter_keys


def _option(key: FilterKey) -> Callable[[Any], Any]:
    def read(_: click.Context, __: click.Parameter, value: Any) -> Any:
        return key.option.reads(value) if value and key.option.reads else value

    flag = f"--{key.name.replace('_', '-')}"
    return click.option(flag, key.field, multiple=key.many, metavar=key.option.metavar, help=key.help, callback=read)


filter_options = together(*map(_option, filter_keys()), packed(TypedFilter, "filtering"))
