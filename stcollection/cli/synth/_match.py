"""How well selected queries match their target, as a table and notes."""

from __future__ import annotations

import math

from stcollection.cli.output import render
from stcollection.counts import counted
from stcollection.studies.synth.choose import Match, Taken

DISTANCES = ["of", "target", "before", "after", "TV before", "TV after", "W1 before", "W1 after"]


def notes(found: Match, taken: list[Taken]) -> list[str]:
    chosen = found.after.pairs
    told = [
        f"\n{chosen:,} of {counted(found.before.pairs, 'query')} of {found.origin},"
        f" like {counted(found.target.pairs, 'judgment')} of "
        f"{found.like} (grade {found.level} or more), seed {found.seed}; {found.exact:,} match exactly, the others differ "
        f"by {counted(found.moved, 'word')} in all"
    ]
    if chosen < found.requested:
        told.append(f"{found.requested:,} requested: no more passages have a query of {found.origin}")
    if found.without_text:
        told.append(
            f"{counted(found.without_text, 'relevant judgment is', 'relevant judgments are')} not part of the target:"
            " their query or document has no text"
        )
    for one in taken:
        if one.origin != found.origin:
            lacking = f"; {one.missing:,} of the passages have none" if one.missing else ""
            told.append(f"{counted(one.chosen, 'query')} of {one.origin} of the same passages{lacking}")
    return told


def number(value: str | float | None) -> str | float | None:
    """Return None for the mean of nothing, which JSON cannot represent."""
    return None if isinstance(value, float) and math.isnan(value) else value


def distances(found: Match, style: str) -> str:
    rows = [tuple(number(value) for value in row) for row in found.distances()]
    return render(rows, DISTANCES, style=style)
