"""Tables of readability, and its columns in a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabulate import tabulate

from stcollection.cli.output import render
from stcollection.evaluation.readability import Readability

# What people read: the heading of each value, and its decimals.
HEADINGS = {
    "refs": ("refs", 2), "vocabulary": ("vocab", 1), "long_ratio": ("long", 4), "complex_ratio": ("complex", 4),
    "fkgl": ("FKGL", 2), "fkgl_median": ("FKGL median", 2), "citations": ("citations", 1), "citation_percentile": ("percentile", 1),
}  # fmt: skip
OFFICIAL = ("refs", "vocabulary", "long_ratio", "complex_ratio", "fkgl", "fkgl_median")
LAYOUTS = {"table": "simple", "markdown": "github", "latex": "latex_booktabs"}


def table(rows: Sequence[Sequence[Any]], fields: Sequence[str], *, style: str) -> str:
    """Rows as text: values in JSON and CSV in full, by the names of their fields, else under headings, each with its places.

    Fields that are no values of readability have four places, as everywhere.
    """
    if style in ("json", "csv"):
        return render(rows, fields, style=style)
    headings = [HEADINGS.get(name, (name, 4)) for name in fields]
    return tabulate(
        rows,
        headers=[heading for heading, _ in headings],
        tablefmt=LAYOUTS[style],
        intfmt=",",
        missingval="–",
        floatfmt=tuple(f".{places}f" for _, places in headings),
    )


class Beside:
    """The columns of readability beside those of a leaderboard, of the queries of an edition."""

    FIELDS = ("coverage", *OFFICIAL)

    def __init__(self, found: Sequence[Readability]) -> None:
        self._found = {one.run: one for one in found}

    def __getitem__(self, run: str) -> tuple[float | None, ...]:
        """Of a run: the share of its documents that have readability, then the official columns."""
        one = self._found[run]
        covered = one.measured / one.documents if one.documents else None
        return (covered, *(getattr(one, name) for name in OFFICIAL))
