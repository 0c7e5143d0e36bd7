"""Confidence intervals of means over queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from stcollection.analysis import paired
from stcollection.analysis.paired import Floats
from stcollection.declared import AllowedRange, Option, check_fields

INTERVALS = {"t": "Student's t", "bootstrap": "BCa bootstrap"}


@dataclass(frozen=True)
class Interval:
    """How the interval of a mean is computed.

    :param kind: Interval of the mean over queries: Student's t, or BCa bootstrap.
    :param alpha: The interval has confidence 1 − alpha.
    :param resamples: Bootstrap resamples.
    :param seed: Seed of the bootstrap.
    :raises BadArgument: a value is outside its range.
    """

    kind: Annotated[Literal["t", "bootstrap"], Option(each="interval")] = "t"
    alpha: Annotated[float, AllowedRange(gt=0, lt=1)] = 0.05
    resamples: Annotated[int, AllowedRange(ge=1)] = 100_000
    seed: Annotated[int, AllowedRange(ge=0)] = 0

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def name(self) -> str:
        """Return the column heading, such as ``95% interval``."""
        return f"{100 * (1 - self.alpha):.6g}% interval"

    @property
    def method(self) -> str:
        """Return the kind in words."""
        return INTERVALS[self.kind]

    def of(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of the means of float[queries, columns]; NaN for fewer than two values."""
        if self.kind == "t":
            return paired.t_interval(values, alpha=self.alpha)
        return paired.bootstrap(values, resamples=self.resamples, seed=self.seed, alpha=self.alpha)[1:]


STUDENT = Interval()
