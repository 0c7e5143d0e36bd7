"""Groups of runs that are not significantly different from the best run of their group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_uppercase

import psycopg

from stcollection.analysis.marks import MarkedRun
from stcollection.analysis.significance import STUDENT_TEST, PairedTest, compare
from stcollection.evaluation.measures import Measure
from stcollection.topics.sets import ALL


def tie_groups(lines: Sequence[MarkedRun], column: int) -> dict[str, str]:
    """Group the runs of a leaderboard without baseline by the marks of one measure.

    Group A has the best run and every run that it does not beat significantly. Group B has the best of the other runs and every
    remaining run that this one does not beat, and so on. Two runs of a group may still differ significantly from each other.

    :param column: index of the measure. :returns: group by run; a run without a value has none.
    """
    rest = [line for line in lines if line.letter and not math.isnan(line.cells[column].value)]
    rest.sort(key=lambda line: -line.cells[column].value)
    found: dict[str, str] = {}
    for group in ascii_uppercase:
        if not rest:
            break
        beaten = rest[0].cells[column].mark
        found |= {line.run: group for line in rest if line.letter not in beaten}
        rest = [line for line in rest if line.letter in beaten]
    return found


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
