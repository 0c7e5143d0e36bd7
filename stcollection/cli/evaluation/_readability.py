"""Tables of readability, and its columns in a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stcollection.cli.output import render
from stcollection.evaluation.readability import Readability

# Column headings for people, with the number of decimals.
HEADINGS = {
    "refs": ("refs", 2), "vocabulary": ("vocab", 1), "long_ratio": ("long", 4), "complex_ratio": ("complex", 4),
    "fkgl": ("FKGL", 2), "fkgl_median": ("FKGL median", 2), "citations": ("citations", 1), "citation_percentile": ("percentile", 1),
}  # fmt: skip
OFFICIAL = ("refs", "vocabulary", "long_ratio", "complex_ratio", "fkgl", "fkgl_median")
LAYOUTS = {"table": "simple", "markdown": "github", "latex": "latex_booktabs"}


def table(rows: Sequence[Sequence[Any]], fields: Sequence[str], *, style: str) -> str:
    """Return rows as text. JSON and CSV have full values and field names; other formats have headings and rounded values.

    Fields that are not measures of readability have four decimals, as elsewhere.
    """
    if style in ("json", "csv"):
        return render(rows, fields, style=style)
    from tabulate import tabulate

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
    """Return the columns of readability for a leaderboard, over the queries of an edition."""

    FIELDS = ("coverage", *OFFICIAL)

    def __init__(self, found: Sequence[Readability]) -> None:
        self._found = {one.run: one for one in found}

    def __getitem__(self, run: str) -> tuple[float | None, ...]:
        """Return for one run: the share of its documents that have readability, then the official columns."""
        one = self._found[run]
        covered = one.measured / one.documents if one.documents else None
        return (covered, *(getattr(one, name) for name in OFFICIAL))
