"""Options of a filter, for all commands that search: the keys of :class:`stcollection.retrieval.filters.TypedFilter`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stcollection.cli.options import packed, together
from stcollection.retrieval.filters import FilterKey, TypedFilter, filter_keys


def _names(_: click.Context, __: click.Parameter, path: Path | None) -> list[str]:
    """Read the lines of a file."""
    if path is None:
        return []
    with click.open_file(str(path), encoding="utf-8") as lines:
        return list(lines) or [""]


def _option(key: FilterKey) -> Callable[[Any], Any]:
    flag = f"--{key.name.replace('_', '-')}"
    if key.field == "docnos":
        file = click.Path(path_type=Path, allow_dash=True)
        return click.option(flag, type=file, callback=_names, help="Only documents named in a file, one docno per line.")
    return click.option(flag, key.field, multiple=key.many, metavar=key.read.metavar, help=key.help)


filter_options = together(*map(_option, filter_keys()), packed(TypedFilter, "filtering"))
