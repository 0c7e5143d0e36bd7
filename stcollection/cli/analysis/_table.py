"""Tables of score bounds and of runs left out of the pool, by measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stcollection.cli.output import render


def table(found: Sequence[tuple[str, tuple[Any, ...]]], fields: Sequence[str], style: str, *, alone: bool) -> str:
    """Return a table in the given style.

    :param alone: drop the columns left_out and query, which repeat the run or are empty.
    """
    skip = {"left_out", "query"} if alone else set()
    several = style in ("json", "csv") or len({measure for measure, _ in found}) > 1
    rows = [
        (*([measure] if several else []), *(value for name, value in zip(fields, row, strict=True) if name not in skip))
        for measure, row in found
    ]
    names = [name if style in ("json", "csv") else name.replace("_", " ") for name in fields if name not in skip]
    return render(rows, ["measure", *names] if several else names, style=style)
