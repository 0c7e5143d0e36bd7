"""Settings of rankings that admit ties; separate, so that commands offer them without importing numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stcollection.declared import AllowedRange, check_fields

MOST = 1_000_000  # resamples
MOST_SEED = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class TieRules:
    """How runs are compared.

    :param alpha: Intervals have confidence 1 − alpha.
    :param resamples: Bootstrap resamples of the queries.
    :param seed: Seed of the bootstrap.
    :param power: Chance of separating two runs, for the number of queries needed.
    :raises BadArgument: a value is outside its range.
    """

    alpha: Annotated[float, AllowedRange(gt=0, lt=1)] = 0.05
    resamples: Annotated[int, AllowedRange(ge=100, le=MOST)] = 10_000
    seed: Annotated[int, AllowedRange(ge=0, le=MOST_SEED)] = 0
    power: Annotated[float, AllowedRange(gt=0, lt=1)] = 0.8

    def __post_init__(self) -> None:
        check_fields(self)


USUAL = TieRules()
