"""Tables of bounds and of left-out runs, by measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stcollection.cli.output import render


def table(found: Sequence[tuple[str, tuple[Any, ...]]], fields: Sequence[str], style: str, *, alone: bool) -> str:
    """Return a table of what was found, in that style.

    :param alone: without the column that says nothing: who is left out where that is the run, the query where there is none.
    """
    skip = {"left_out", "query"} if alone else set()
    several = style in ("json", "csv") or len({measure for measure, _ in found}) > 1
    rows = [
        (*([measure] if several else []), *(value for name, value in zip(fields, row, strict=True) if name not in skip))
        for measure, row in found
    ]
    names = [name if style in ("json", "csv") else name.replace("_", " ") for name in fields if name not in skip]
    return render(rows, ["measure", *names] if several else names, style=style)
