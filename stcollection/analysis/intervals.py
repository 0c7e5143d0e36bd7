"""Confidence intervals of means over queries."""

from __future__ import annotations

from dataclasses import dataclass

from stcollection.analysis import paired
from stcollection.analysis.paired import Floats
from stcollection.errors import BadArgument

INTERVALS = {"t": "Student's t", "bootstrap": "BCa bootstrap"}


@dataclass(frozen=True)
class Interval:
    """How the interval of a mean is computed.

    :param kind: one of INTERVALS. :param alpha: the interval has confidence 1 - alpha.
    :param resamples, seed: of the bootstrap.
    :raises BadArgument: a value outside its range.
    """

    kind: str = "t"
    alpha: float = 0.05
    resamples: int = 100_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in INTERVALS:
            raise BadArgument(f"an interval by {self.kind!r}", hint=f"It is one of {', '.join(INTERVALS)}.", sqlstate="IR202")
        if not 0 < self.alpha < 1:
            raise BadArgument(f"alpha is {self.alpha}", hint="It is between 0 and 1; .05 is the custom.", sqlstate="IR202")
        if self.resamples < 1 or self.seed < 0:
            told = f"{self.resamples} resamples by the seed {self.seed}"
            raise BadArgument(told, hint="1 or more, by 0 or more.", sqlstate="IR202")

    @property
    def name(self) -> str:
        """``95% interval``."""
        return f"{100 * (1 - self.alpha):.6g}% interval"

    @property
    def method(self) -> str:
        """The kind as people write it."""
        return INTERVALS[self.kind]

    def of(self, values: Floats) -> tuple[Floats, Floats]:
        """The ends of the intervals of the means of float[queries, columns]; NaN for fewer than two values."""
        if self.kind == "t":
            return paired.t_interval(values, alpha=self.alpha)
        return paired.bootstrap(values, resamples=self.resamples, seed=self.seed, alpha=self.alpha)[1:]


STUDENT = Interval()
