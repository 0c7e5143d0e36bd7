"""Options of a filter, for all commands that search: the keys of :class:`stcollection.retrieval.filters.TypedFilter`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.declared import DeclaredParameter
from stcollection.retrieval.filters import TypedFilter, filter_keys


def _option(key: DeclaredParameter) -> Callable[[Any], Any]:
    def read(_: click.Context, __: click.Parameter, value: Any) -> Any:
        return key.read_local(value)

    flag = f"--{key.each.replace('_', '-')}"
    return click.option(flag, key.name, multiple=key.many, metavar=key.option.metavar, help=key.help, callback=read)


filter_options = together(*map(_option, filter_keys()), packed(TypedFilter, "filtering"))
