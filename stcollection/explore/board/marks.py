"""Positions of marks in drawings that templates make, and numbers with the digits that their intervals justify."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from stcollection.web.words import whole

MOST_DIGITS = 3
_TICKS = 5


def digits(widths: Iterable[float]) -> int:
    """Return how many decimals means deserve: one more than the first digit of the narrowest interval, 2 or 3.

    :param widths: of the intervals; NaN is ignored.
    """
    known = [width for width in widths if width > 0]
    return max(2, min(MOST_DIGITS, 1 + math.ceil(-math.log10(min(known)) - 1e-9))) if known else MOST_DIGITS


def written(value: float | None, places: int, *, sign: bool = False) -> str:
    """Return a number as a text, – for none. Numbers of 100 or more are rounded to integers."""
    if value is None or math.isnan(value):
        return "–"
    if abs(value) >= 100:
        return whole(round(value))
    return f"{value:{'+' if sign else ''}.{places}f}"


class AxisScale(NamedTuple):
    """A linear axis. :param low, high: its ends. :param start, end: their positions in the drawing."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], *, start: float, end: float, zero: bool = False) -> AxisScale:
        """Return the axis of some values; with ``zero`` it includes 0."""
        known = [value for value in values if math.isfinite(value)] + ([0.0] if zero else [])
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        return cls(low, high if high > low else low + 1, start, end)

    def at(self, value: float) -> float:
        """Return the position of a value."""
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 2)

    def ticks(self) -> list[tuple[float, str]]:
        """Return positions and labels of a few round numbers."""
        step = nice((self.high - self.low) / _TICKS)
        places = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(self.at(number * step), f"{number * step:.{places}f}") for number in range(first, last + 1)]


def nice(step: float) -> float:
    """Return the next number above that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(round(times * power, 12) for times in (1, 2, 5, 10) if times * power >= step * (1 - 1e-9))


class IntervalMark(NamedTuple):
    """A mean with its interval. :param low, high: None without an interval."""

    start: float
    width: float
    at: float
    low: float | None
    high: float | None


def interval_mark(scale: AxisScale, mean: float, low: float, high: float) -> IntervalMark | None:
    """Return the bar of a mean from 0, and its interval; None without a mean."""
    if math.isnan(mean):
        return None
    ends = sorted((scale.at(0.0), scale.at(mean)))
    known = not math.isnan(low)
    return IntervalMark(
        ends[0], round(ends[1] - ends[0], 2), scale.at(mean), scale.at(low) if known else None, scale.at(high) if known else None
    )


class DifferenceBin(NamedTuple):
    """A bar of a histogram. :param low, high: a loss includes its lower end, a gain its upper one; equal for ties."""

    low: float
    high: float
    queries: int


def bins(values: Sequence[float], *, most: int = 10) -> list[DifferenceBin]:
    """Return a histogram about 0: losses, ties, gains. :param most: number of bars on either side."""
    largest = max(map(abs, values), default=0.0)
    step = nice(largest / most) if largest > 0 else 1.0
    sides = max(1, math.ceil(largest / step - 1e-9))
    edges = [round(step * place, 12) for place in range(sides + 1)]
    losses = [(-high, -low) for low, high in pairwise(edges)][::-1]
    spans = [*losses, (0.0, 0.0), *pairwise(edges)]
    return [DifferenceBin(low, high, sum(within(value, low, high) for value in values)) for low, high in spans]


def within(value: float, low: float, high: float) -> bool:
    """Return True if a difference belongs to a bar of :func:`bins`, or lies in a range about 0, ends included."""
    if low >= 0 < high:
        return low < value <= high
    if high <= 0 > low:
        return low <= value < high
    return low <= value <= high
