"""Paired tests of whether two runs retrieve documents of different readability."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import psycopg

from stcollection.analysis import paired
from stcollection.analysis.corrections import holm
from stcollection.analysis.significance import RunComparison
from stcollection.db.simulated import note_simulated
from stcollection.errors import BadArgument
from stcollection.evaluation.readability import VALUES, QueryReadability, query_readability
from stcollection.topics.sets import ALL


@note_simulated("edition")
def compare_readability(
    conn: psycopg.Connection,
    *,
    run: str,
    against: str,
    k: int = 10,
    edition: str | None = None,
    measure: str = "textstat_fkgl",
    alpha: float = 0.05,
    queries: str = ALL,
) -> list[RunComparison]:
    """Test two runs for a difference in each of VALUES, by the paired t-test over the queries for which both have a value.

    :param alpha: intervals have confidence 1 - alpha.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :returns: one comparison per value, in their order; ``corrected`` is Holm's over all of them.
    :raises BadArgument: a run is compared with itself, or k is below 1.
    :raises UnknownObject, StateError: as for :func:`~stcollection.evaluation.readability.readability`.
    """
    if run == against:
        raise BadArgument(f"cannot compare {run} with itself", hint="Name two different runs.")
    rows = query_readability(conn, runs=[run, against], k=k, edition=edition, measure=measure, queries=queries)
    mine, other = ({row.query: row for row in rows if row.run == name} for name in (run, against))
    tests = list(_compare(mine, other, run, against, alpha))
    return [test._replace(corrected=float(p)) for test, p in zip(tests, holm([test.p for test in tests]), strict=True)]


def _compare(
    mine: dict[str, QueryReadability], other: dict[str, QueryReadability], run: str, against: str, alpha: float
) -> Iterator[RunComparison]:
    """Yield the comparisons, not corrected."""
    for name in VALUES:
        both = np.array(
            [
                (getattr(mine[query], name), getattr(other[query], name))
                for query in sorted(mine.keys() & other.keys())
                if getattr(mine[query], name) is not None and getattr(other[query], name) is not None
            ],
            dtype=np.float64,
        ).reshape(-1, 2)
        differences = np.round(both[:, :1] - both[:, 1:], 12)
        summary = paired.summarise(differences)
        d, g = paired.effect_sizes(summary)
        low, high = paired.t_interval(differences, alpha=alpha)
        mean, mean_against = both.mean(axis=0) if len(both) else (np.nan, np.nan)
        yield RunComparison(
            name,
            run,
            against,
            len(both),
            float(mean),
            float(mean_against),
            float(summary.mean[0]),
            float(low[0]),
            float(high[0]),
            float(d[0]),
            float(g[0]),
            int(np.sum(differences > 0)),
            int(np.sum(differences == 0)),
            int(np.sum(differences < 0)),
            float(paired.t_test(differences)[0]),
            float("nan"),
        )
