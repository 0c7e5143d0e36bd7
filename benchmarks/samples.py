"""Measures estimated from samples of judged pools: bias, intervals and Kendall's tau: ``python -m benchmarks samples``.

In both collections the whole pool is judged, so the values that samples should estimate are known:

- TREC 2021 Deep Learning: 32 passage runs, 53 queries, the 10,828 judged documents
- Cranfield: nine runs, 225 queries, the first 50 documents of each. Documents that cranqrel does not list are not relevant

1. Samples of all documents with best rank 1 to 5, 30 % of ranks 6 to 20 and 10 % of the others; every fourth run. For each measure:
   the mean error, in standard errors of that mean over the samples. For measures with intervals: the share of 95 % intervals that
   contain the value from all judgments, and the mean standard error divided by the standard deviation of the estimates. Then the
   same for pooled values.
2. Kendall's tau of the ranking of runs with that from all judgments, against the share of documents judged, for each measure, and
   for AP and nDCG that count other documents as not relevant. The figure is build/samples.svg.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psycopg
from numpy.typing import NDArray
from scipy.stats import kendalltau

from benchmarks.common import REPOSITORY, collection, data, server, tell
from stcollection.db.connection import connect
from stcollection.evaluation.sampled import NORMAL
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.load import import_runs

MEASURES = {"xinfAP": "AP", "infNDCG": "nDCG", "ipw_P@10": "P@10", "ipw_R@50": "R@50", "ipw_nDCG@10": "nDCG@10"}
RATES, SAMPLES = (1.0, 0.3, 0.1), 100
SHARES, TAU_SAMPLES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7), 4

# Documents by the stratum of their best rank in any run: 1 to 5, 6 to 20, others.
POOL = """
CREATE TEMP TABLE pool AS
SELECT p.query, p.doc, p.rel, CASE WHEN p.best <= 5 THEN 1 WHEN p.best <= 20 THEN 2 ELSE 3 END AS stratum,
       CASE WHEN p.rel > 0 THEN 1 END AS relevant
  FROM (SELECT j.query, j.doc, j.rel, coalesce(min(k.rank), 1000) AS best
          FROM qrels j LEFT JOIN st1_rankings k USING (query, doc)
         WHERE j.edition = (SELECT e.id FROM qrels_editions e WHERE e.edition = 'full')
         GROUP BY j.query, j.doc, j.rel) p
"""
DRAW = """
WITH edition AS (INSERT INTO qrels_editions (edition) VALUES ('sample') RETURNING id),
drawn AS MATERIALIZED (
    SELECT p.*, row_number() OVER (PARTITION BY p.query, p.stratum ORDER BY random())
                <= ceil(count(*) OVER (PARTITION BY p.query, p.stratum) * (%(rates)s::float[])[p.stratum] - 1e-9) AS drawn
      FROM pool p),
strata AS (
    INSERT INTO qrels_strata (edition, query, doc, stratum, drawn)
    SELECT e.id, d.query, d.doc, d.stratum::text, d.drawn FROM edition e CROSS JOIN drawn d)
INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, d.query, d.doc, d.rel FROM edition e CROSS JOIN drawn d
 WHERE d.drawn
"""
ESTIMATES = """
SELECT array_agg(m.value ORDER BY m.place, m.run), array_agg(m.error ORDER BY m.place, m.run)
  FROM (SELECT array_position(%(measures)s, s.measure) AS place, s.run, avg(s.value) AS value,
               CASE WHEN count(s.standard_error) = count(*) THEN sqrt(sum(s.standard_error ^ 2)) / count(*)
                    ELSE 'NaN' END AS error
          FROM stc.sampled_scores(%(runs)s, 'sample', %(measures)s, pooled => %(pooled)s) s GROUP BY 1, 2) m
"""


PLAIN = "SELECT value FROM mean_scores('{}', 'sample', '{AP,nDCG}') ORDER BY measure, run"
# Cranfield's judgments list relevant documents only.
NOT_LISTED = """
INSERT INTO qrels_judgments (edition, query, doc, rel)
SELECT DISTINCT e.id, k.query, k.doc, 0 FROM qrels_editions e CROSS JOIN st1_rankings k
 WHERE e.edition = 'full' AND k.rank <= 50 AND EXISTS (SELECT FROM qrels j WHERE j.edition = e.id AND j.query = k.query)
   AND NOT EXISTS (SELECT FROM qrels j WHERE j.edition = e.id AND j.query = k.query AND j.doc = k.doc)
"""


class Sample(NamedTuple):
    """Estimates by measure and run, their standard errors, the share of the pool that was judged; AP and nDCG without strata."""

    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    judged: float
    plain: NDArray[np.float64]


def draw(
    conn: psycopg.Connection,
    rates: Sequence[float],
    *,
    measures: Sequence[str],
    plain: bool = False,
    runs: Sequence[str] = (),
    pooled: bool = False,
) -> Sample:
    """Draw a sample, estimate the measures from it, and forget it. :param plain: also score without regard to the strata."""
    with conn.transaction(force_rollback=True):
        judged = conn.execute(DRAW, {"rates": list(rates)}).rowcount
        conn.execute("ANALYZE qrels_strata, qrels_judgments")
        [[size]] = conn.execute("SELECT count(*) FROM pool").fetchall()
        [[values, errors]] = conn.execute(ESTIMATES, {"measures": list(measures), "runs": list(runs), "pooled": pooled}).fetchall()
        scores = conn.execute(PLAIN).fetchall() if plain else []
    shape = len(measures), -1
    others = np.reshape([value for (value,) in scores], (2, -1))
    return Sample(np.reshape(values, shape), np.reshape(errors, shape), judged / size, others)


def intervals(name: str, conn: psycopg.Connection, *, pooled: bool) -> None:
    runs = [run for (run,) in conn.execute("SELECT run FROM st1_runs ORDER BY run").fetchall()][::4]
    sample = partial(draw, conn, measures=tuple(MEASURES), runs=runs, pooled=pooled)
    truth = sample((1, 1, 1)).values
    samples = [sample(RATES) for _ in range(SAMPLES)]
    values, errors = np.stack([one.values for one in samples]), np.stack([one.errors for one in samples])
    off = values - truth
    for at, measure in enumerate(MEASURES):
        mean = off[:, at].mean(axis=1)  # of each sample: the errors of its runs are not independent
        bias, noise = mean.mean(), mean.std(ddof=1) / np.sqrt(len(mean))
        covered = (np.abs(off[:, at]) <= NORMAL * errors[:, at]).mean()
        deviation = values[:, at].std(axis=0, ddof=1).mean()
        kind = "pooled " if pooled else ""
        tell(
            f"{name}: {kind}{measure}, {samples[0].judged:.0%} judged: bias, in standard errors",
            f"{bias:+.4f}",
            f"{bias / noise:+.1f}",
        )
        if np.isnan(errors[:, at]).all():
            continue
        tell("  intervals that contain the value", f"{covered:.1%}", wanted="93 % to 97 %")
        tell(
            "  mean standard error / deviation", f"{errors[:, at].mean():.4f}", f"{deviation:.4f}", errors[:, at].mean() / deviation
        )


def correlations(name: str, conn: psycopg.Connection) -> dict[str, list[tuple[float, float]]]:
    """Return (share judged, mean tau) by measure."""
    sample = partial(draw, conn, measures=("xinfAP", "infNDCG"), plain=True)
    whole = sample((1, 1, 1))
    curves: dict[str, list[tuple[float, float]]] = {}
    for share in SHARES:
        samples = [sample([share] * 3) for _ in range(TAU_SAMPLES)]
        judged = float(np.mean([one.judged for one in samples]))
        for measure, at, kind in (("xinfAP", 0, "values"), ("infNDCG", 1, "values"), ("AP", 0, "plain"), ("nDCG", 1, "plain")):
            taus = [kendalltau(getattr(one, kind)[at], getattr(whole, kind)[at]).statistic for one in samples]
            curves.setdefault(measure, []).append((judged, float(np.mean(taus))))
            tell(f"{name}: tau of {measure}, {judged:.0%} judged", f"{curves[measure][-1][1]:.3f}")
    return curves


def figure(curves: dict[str, dict[str, list[tuple[float, float]]]], path: Path) -> None:
    import matplotlib.pyplot as plt

    drawing, axes = plt.subplots(1, len(curves), figsize=(5 * len(curves), 3.5), sharey=True)
    for panel, (name, lines) in zip(axes, curves.items(), strict=True):
        for measure, points in lines.items():
            panel.plot(
                *zip(*((100 * share, tau) for share, tau in points), strict=True),
                "o-" if measure in MEASURES else "o--",
                label=measure,
            )
        panel.set(title=name, xlabel="share of the pool judged, %")
    axes[0].set_ylabel("Kendall's tau with the ranking of all judgments")
    axes[0].legend()
    drawing.savefig(path, bbox_inches="tight")
    print(path)


def deep_learning(conn: psycopg.Connection, folder: Path) -> None:
    for _ in import_runs(conn, sorted((folder / "dl21" / "runs").glob("*.gz"))):
        pass
    import_qrels(conn, folder / "dl21" / "nist.qrels", edition="full")


def cranfield(conn: psycopg.Connection, folder: Path) -> None:
    for _ in import_runs(conn, sorted((folder / "runs").glob("*.txt"))):
        pass
    import_qrels(conn, folder / "cranqrel", edition="full", options=JudgmentOptions(best_grade=1))
    conn.execute(NOT_LISTED)


def main() -> None:
    curves = {}
    for name, fill, folder in (("DL 2021", deep_learning, "trec-dl"), ("Cranfield", cranfield, "cranfield")):
        with server() as running, collection(running, "bench_samples") as settings, connect(settings, autocommit=True) as conn:
            conn.execute("SET search_path = stc_all, stc, public, pg_temp")
            fill(conn, data() / folder)
            conn.execute(POOL)
            conn.execute("ANALYZE")
            conn.execute("SELECT setseed(0.5)")
            for pooled in (False, True):
                intervals(name, conn, pooled=pooled)
            curves[name] = correlations(name, conn)
    figure(curves, REPOSITORY / "build" / "samples.svg")


if __name__ == "__main__":
    main()
