"""Groups of runs that are not significantly different from the best run of their group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_uppercase

import numpy as np
import psycopg

from stcollection.analysis.marks import MarkedRun
from stcollection.analysis.rank_intervals import rank_bounds
from stcollection.analysis.significance import STUDENT_TEST, PairedTest, compare
from stcollection.evaluation.measures import Measure
from stcollection.topics.sets import ALL


def tie_groups(lines: Sequence[MarkedRun], column: int) -> dict[str, str]:
    """Group the runs of a leaderboard without baseline by the marks of one measure.

    Group A has the best run and every run that it does not beat significantly. Group B has the best of the other runs and every
    remaining run that this one does not beat, and so on. Two runs of a group may still differ significantly from each other.

    :param column: index of the measure. :returns: group by run; a run without a value has none.
    """
    runs, beats = _marked(lines, column)
    return dict(zip(runs, ranked_groups(beats), strict=True))


def _marked(lines: Sequence[MarkedRun], column: int) -> tuple[list[str], list[list[bool]]]:
    """Return the runs with a value, best first, and whether the run of the row is significantly better than that of the column."""
    there = [line for line in lines if line.letter and not math.isnan(line.cells[column].value)]
    there.sort(key=lambda line: -line.cells[column].value)
    return [line.run for line in there], [[other.letter in line.cells[column].mark for other in there] for line in there]


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


def rank_spans(lines: Sequence[MarkedRun], column: int) -> dict[str, tuple[int, int]]:
    """Return the first and last rank of each run that the marks of one measure allow, by run; for a board without baseline.

    The intervals hold for all runs together with confidence 1 − alpha if the correction bounds the chance of one or more false
    findings, as Holm's does; see :mod:`~stcollection.analysis.rank_intervals`.
    """
    runs, beats = _marked(lines, column)
    low, high = rank_bounds(np.array(beats, dtype=np.bool_).reshape(len(runs), len(runs)))
    return {run: (int(first), int(last)) for run, first, last in zip(runs, low, high, strict=True)}


def top_group(
    conn: psycopg.Connection,
    *,
    best: str,
    edition: str,
    measure: Measure,
    runs: Sequence[str] = (),
    test: PairedTest = STUDENT_TEST,
    queries: str = ALL,
) -> dict[str, str]:
    """Return group A of a leaderboard: the best run, and the runs that it does not beat when all are compared with it.

    :param best: the run with the highest mean. :param runs: names in st1_runs; all if empty.
    :raises UnknownObject, BadArgument: as for :func:`~stcollection.analysis.significance.compare`.
    """
    found = compare(conn, edition=edition, measures=[measure], runs=runs, baseline=best, test=test, queries=queries)
    return {best: "A"} | {one.run: "A" for one in found if not (one.corrected < test.alpha and one.difference < 0)}
