"""Confidence intervals of means over queries."""

from __future__ import annotations

from dataclasses import dataclass

from stcollection.analysis import paired
from stcollection.analysis.paired import Floats
from stcollection.counts import counted
from stcollection.errors import BadArgument

INTERVALS = {"t": "Student's t", "bootstrap": "BCa bootstrap"}


@dataclass(frozen=True)
class Interval:
    """How the interval of a mean is computed.

    :param kind: one of INTERVALS.
    :param alpha: the interval has confidence 1 - alpha.
    :param resamples, seed: settings of the bootstrap.
    :raises BadArgument: a value is outside its range.
    """

    kind: str = "t"
    alpha: float = 0.05
    resamples: int = 100_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in INTERVALS:
            raise BadArgument(
                f"unknown kind of interval {self.kind!r}", hint=f"Use one of {', '.join(INTERVALS)}.", sqlstate="IR202"
            )
        if not 0 < self.alpha < 1:
            raise BadArgument(f"alpha is {self.alpha}", hint="It must lie between 0 and 1; .05 is usual.", sqlstate="IR202")
        if self.resamples < 1 or self.seed < 0:
            setting = f"{counted(self.resamples, 'resample')} with seed {self.seed}"
            raise BadArgument(setting, hint="Use at least 1 resample and a seed of 0 or more.", sqlstate="IR202")

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
