"""Options of rankings that admit ties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from stcollection.analysis.ties import MOST, MOST_SEED, USUAL, TieRules
from stcollection.cli.options import packed, together


@dataclass(frozen=True, kw_only=True)
class TieRequest:
    """The values of ``--ties`` and its options; None is the default of :class:`TieRules`.

    :param ties: rank with ties. :param pairs: print pairs of runs.
    """

    ties: bool = False
    pairs: bool = False
    alpha: float | None = None
    resamples: int | None = None
    seed: int | None = None
    power: float | None = None

    @property
    def rules(self) -> TieRules:
        """Return the given values, and defaults for the others."""
        given = {name: getattr(self, name) for name in ("alpha", "resamples", "seed", "power")}
        return TieRules(**{name: value for name, value in given.items() if value is not None})

    def check(self) -> None:
        """Refuse options of ``--ties`` without it."""
        used = [
            f"--{name}" for name in ("pairs", "alpha", "resamples", "seed", "power") if getattr(self, name) not in (None, False)
        ]
        if used and not self.ties:
            raise click.UsageError(f"{used[0]} needs --ties.")


_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_options = together(
    click.option("--ties", is_flag=True, help="Print intervals of ranks and groups of runs that do not differ significantly."),
    click.option("--pairs", is_flag=True, help="With --ties: print all pairs of runs instead."),
    click.option("--alpha", type=_SHARE, help=f"With --ties: intervals have confidence 1 − alpha.  [default: {USUAL.alpha}]"),
    click.option(
        "--resamples",
        type=click.IntRange(100, MOST),
        help=f"With --ties: bootstrap resamples of the queries.  [default: {USUAL.resamples}]",
    ),
    click.option("--seed", type=click.IntRange(0, MOST_SEED), help=f"With --ties: seed of the bootstrap.  [default: {USUAL.seed}]"),
    click.option(
        "--power",
        type=_SHARE,
        help=f"With --ties: chance of separating two runs, for the number of queries needed.  [default: {USUAL.power}]",
    ),
)


def ties_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--ties`` and its options, passed to the command as ``tied``."""
    return _options(packed(TieRequest, "tied")(command))
