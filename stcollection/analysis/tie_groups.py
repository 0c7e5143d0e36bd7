"""Groups of runs that are not significantly different from the best run of their group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_uppercase

from stcollection.analysis.marks import MarkedRun
from stcollection.analysis.significance import RunComparison


def tie_groups(lines: Sequence[MarkedRun], column: int) -> dict[str, str]:
    """Group the runs of a leaderboard without baseline by the marks of one measure.

    Group A has the best run and every run that it does not beat significantly. Group B has the best of the other runs and every
    remaining run that this one does not beat, and so on. Two runs of a group may still differ significantly from each other.

    :param column: index of the measure. :returns: group by run; a run without a value has none.
    """
    rated = [line for line in lines if line.letter and not math.isnan(line.cells[column].value)]
    rated.sort(key=lambda line: -line.cells[column].value)
    beats = [[other.letter in line.cells[column].mark for other in rated] for line in rated]
    return dict(zip((line.run for line in rated), ranked_groups(beats), strict=True))


def pair_groups(runs: Sequence[str], pairs: Sequence[RunComparison], *, alpha: float) -> dict[str, str]:
    """Group runs as :func:`tie_groups` does, by tests of all pairs. :param runs: best first."""
    won = {(pair.run, pair.against) for pair in pairs if pair.corrected < alpha and pair.difference > 0}
    won |= {(pair.against, pair.run) for pair in pairs if pair.corrected < alpha and pair.difference < 0}
    return dict(zip(runs, ranked_groups([[(run, other) in won for other in runs] for run in runs]), strict=True))


def ranked_groups(beats: Sequence[Sequence[bool]]) -> list[str]:
    """Return the groups of :func:`tie_groups` of runs that are sorted, best first: A to Z, then AA, AB and so on.

    :param beats: whether the run of the row is significantly better than the run of the column.
    """
    groups = [""] * len(beats)
    rest, names = list(range(len(beats))), (a + b for a in ("", *ascii_uppercase) for b in ascii_uppercase)
    while rest:
        group, best = next(names), rest[0]
        for run in rest:
            groups[run] = groups[run] if beats[best][run] else group
        rest = [run for run in rest if beats[best][run]]
    return groups


def undefeated(best: str, tests: Sequence[RunComparison], *, alpha: float) -> dict[str, str]:
    """Return group A: the best run, and the runs that it does not beat. :param tests: of each run with the best."""
    return {best: "A"} | {pair.run: "A" for pair in tests if not (pair.corrected < alpha and pair.difference < 0)}
