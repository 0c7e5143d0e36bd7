"""Groups of ties: each group has the best remaining run and the runs that it does not beat."""

from __future__ import annotations

import math

from stcollection.analysis.marks import MarkedMean, MarkedRun
from stcollection.analysis.tie_groups import tie_groups


def line(run: str, letter: str, value: float, mark: str) -> MarkedRun:
    return MarkedRun(run, letter, (MarkedMean(value, mark, math.nan, False),))


def test_the_best_run_decides_who_is_in_its_group() -> None:
    """b beats d, but both are in the group of a, which beats neither. c has a lower mean than a, and a beats it."""
    lines = [line("a", "a", 0.9, "c"), line("b", "b", 0.8, "d"), line("c", "c", 0.7, ""), line("d", "d", 0.6, "")]
    assert tie_groups(lines, 0) == {"a": "A", "b": "A", "d": "A", "c": "B"}


def test_any_order_of_the_lines_and_runs_without_a_value() -> None:
    lines = [line("low", "b", 0.1, ""), line("none", "c", math.nan, ""), line("high", "a", 0.5, "b")]
    assert tie_groups(lines, 0) == {"high": "A", "low": "B"}


def test_without_letters_there_are_no_groups() -> None:
    assert tie_groups([line("run", "", 0.5, "†")], 0) == {}
