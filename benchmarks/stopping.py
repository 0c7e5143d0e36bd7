"""Estimates of missing relevant documents, and of what stopping does to the ranking of runs: ``python -m benchmarks stopping``.

Cranfield and CACM with the runs of the recipes of docs/examples, pools of depth 20, and TREC 2021 Deep Learning, depth 10. All
documents of a pool count as judged: Cranfield and CACM list the relevant ones only. A share of each pool is judged

- document by document, drawn from all queries
- query by query, as one assessor judges a sheet
- rank by rank, from the first of all runs on, as no sheet shows them

For each, what the rest contains is estimated from the judged documents:

1. by stcollection.analysis.stopping
2. by the hypergeometric distribution of Callaghan & Müller-Hansen (Systematic Reviews 9, 2020), as if judged documents were a
   random sample
3. by capture and recapture (Chao, Biometrics 43, 1987): the runs are the captures of a relevant document

Printed are the share of 95 % intervals that contain the true number (of 1 also for single queries), the mean error and the mean
width as shares of that number, and, for the ranking by AP, the expected tau beside the true one, with the share of the pairs that
turned among those that could. The figure is build/stopping.svg. Where pyterrier-tar is installed, its Quant and Chao check 1 and 3.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg
from scipy.stats import hypergeom, kendalltau

from benchmarks.common import REPOSITORY, collection, data, server, tell
from stcollection.analysis.pool_model import Booleans, Evidence, chances, read_evidence
from stcollection.analysis.pool_scores import expected_scores
from stcollection.analysis.stopping import interval, stopping_now
from stcollection.build.build import build
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import AP
from stcollection.qrels.pools import PoolRules, make_pool

#: Folder of the data, recipe, edition, depth of the pool, lowest relevant grade.
POOLS = {
    "Cranfield": ("cranfield", "cranfield", "judged", 20, 1),
    "CACM": ("cacm", "cacm", "train", 20, 1),
    "TREC 2021": ("trec-dl/dl21", "dl21", "nist", 10, 2),
}
SHARES, SAMPLES = (0.05, 0.1, 0.2, 0.4, 0.7), 20
ORDERS = ("by document", "by query", "by rank")


class Estimate(NamedTuple):
    """An estimated number of missing documents, with its interval."""

    missing: float
    low: float
    high: float


@contextmanager
def built(running: Settings, name: str) -> Iterator[psycopg.Connection]:
    """Build a collection with a pool, the first time. Yield a connection."""
    folder, recipe, *_ = POOLS[name]
    with collection(running, f"bench_stopping_{recipe}") as settings, tempfile.TemporaryDirectory() as place:
        for path in (data() / folder).iterdir():
            (Path(place) / path.name).symlink_to(path)
        text = (REPOSITORY / "docs" / "examples" / "recipes" / f"{recipe}.toml").read_text(encoding="utf-8")
        file = Path(place) / "recipe.toml"
        file.write_text(text, encoding="utf-8")
        build(settings, file)
        with connect(settings, autocommit=True) as conn:
            yield conn


def complete(conn: psycopg.Connection, name: str) -> Evidence:
    """Return the documents of a pool with all their grades."""
    *_, edition, depth, _ = POOLS[name]
    judged = [
        query for (query,) in conn.execute("SELECT query FROM stc.st1_queries WHERE id = ANY (stc.edition_queries(%s))", [edition])
    ]
    make_pool(conn, "pool", rules=PoolRules(depth=depth), queries=judged)
    evidence = read_evidence(conn, "pool", edition=edition, labels=None)
    return replace(evidence, grade=np.nan_to_num(evidence.grade))


def judged_first(evidence: Evidence, order: str, share: float, rng: np.random.Generator) -> Booleans:
    """Return which documents are judged."""
    size = len(evidence.query)
    if order == "by query":
        key = rng.permutation(len(evidence.names))[evidence.query].astype(float)
    else:
        best = np.where(evidence.ranks > 0, evidence.ranks, evidence.depth).min(axis=1)
        key = best.astype(float) if order == "by rank" else np.zeros(size)
    judged = np.zeros(size, bool)
    judged[np.lexsort((rng.random(size), key))[: round(share * size)]] = True
    return judged


def by_model(evidence: Evidence, good: Booleans) -> tuple[Estimate, list[Estimate]]:
    """Return the estimate for all queries, and those of each."""
    model = chances(evidence, good)
    unjudged = np.bincount(evidence.query[~evidence.judged], minlength=len(evidence.names))
    missing = float(model.missing.sum())
    every = Estimate(missing, *interval(int(unjudged.sum()), missing, float(model.variance.sum()) + model.shared_variance))
    rows = zip(unjudged.tolist(), model.missing.tolist(), model.variance.tolist(), strict=True)
    return every, [Estimate(mean, *interval(size, mean, variance)) for size, mean, variance in rows]


def by_sample(evidence: Evidence, good: Booleans) -> Estimate:
    """Return the numbers of relevant documents that the sample does not exclude, each side at 2.5 %."""
    size, drawn, found = len(good), int(evidence.judged.sum()), int(good.sum())
    totals = np.arange(found, size - drawn + found + 1)
    low = totals[hypergeom.sf(found - 1, size, totals, drawn) > 0.025].min()
    high = totals[hypergeom.cdf(found, size, totals, drawn) > 0.025].max()
    return Estimate(found / drawn * (size - drawn), low - found, high - found)


def by_capture(evidence: Evidence, good: Booleans) -> Estimate:
    """Return Chao's lower bound with its log-normal interval."""
    captures = (evidence.ranks[good] > 0).sum(axis=1)
    once, twice = int((captures == 1).sum()), int((captures == 2).sum())
    if twice == 0:
        return Estimate(once * max(once - 1, 0) / 2, 0, np.inf)
    ratio = once / twice
    missing = once * once / (2 * twice)
    if missing == 0:
        return Estimate(0, 0, 0)
    variance = twice * (ratio**4 / 4 + ratio**3 + ratio**2 / 2)
    spread = np.exp(1.96 * np.sqrt(np.log1p(variance / missing**2)))
    return Estimate(missing, missing / spread, missing * spread)


def replay(name: str, evidence: Evidence) -> dict[str, list[tuple[float, float, float, float]]]:
    """Print the results of a pool. Return (share, mean estimate / true number, low, high) by order."""
    relevant, truth = POOLS[name][-1], evidence.grade
    curves: dict[str, list[tuple[float, float, float, float]]] = {}
    rng, all_good = np.random.default_rng(1), truth >= relevant
    full = expected_scores(evidence, chances(evidence, all_good), AP, all_good).now
    for order in ORDERS:
        for share in SHARES:
            found: dict[str, list[tuple[bool, float, float]]] = {"model": [], "sample": [], "capture": []}
            single, taus, turned, bands = [], [], [], []
            for _ in range(SAMPLES if order != "by rank" else 5):
                judged = judged_first(evidence, order, share, rng)
                seen = replace(evidence, grade=np.where(judged, truth, np.nan))
                good = judged & (truth >= relevant)
                rest = evidence.per_query((truth >= relevant).astype(float), ~judged)
                total = max(rest.sum(), 1)
                every, each = by_model(seen, good)
                for method, one in (("model", every), ("sample", by_sample(seen, good)), ("capture", by_capture(seen, good))):
                    found[method].append((one.low <= rest.sum() <= one.high, one.missing / total - 1, (one.high - one.low) / total))
                bands.append((every.missing / total, every.low / total, every.high / total))
                single += [one.low <= number <= one.high for one, number in zip(each, rest, strict=True)]
                scores = expected_scores(seen, chances(seen, good), AP, good)
                tau, unsettled = stopping_now(scores)
                taus.append((tau, float(kendalltau(scores.now, full).statistic)))
                turned.append(_turned(scores.now, full, unsettled))
            head = f"{name}, {order}, {share:.0%} judged"
            for method, rows in found.items():
                covered, error, width = np.mean(rows, axis=0)
                tell(f"{head}: {method}: intervals, error, width", f"{covered:.0%}", f"{error:+.2f}  {width:.2f}")
            tell("  model: intervals of single queries", f"{np.mean(single):.1%}", wanted="95 %")
            expected, actual = np.mean(taus, axis=0)
            tell("  tau expected, true; turned of open and other pairs", f"{expected:.3f}", f"{actual:.3f}  {_rates(turned)}")
            curves.setdefault(order, []).append((share, *np.mean(bands, axis=0)))
    return curves


def _turned(now: Any, full: Any, unsettled: Booleans) -> tuple[int, int, int, int]:
    first, other = np.triu_indices(len(now), 1)
    wrong = (now[first] - now[other]) * (full[first] - full[other]) < 0
    return int(wrong[unsettled].sum()), int(unsettled.sum()), int(wrong[~unsettled].sum()), int((~unsettled).sum())


def _rates(turned: list[tuple[int, int, int, int]]) -> str:
    a, b, c, d = np.sum(turned, axis=0)
    return f"{a / max(b, 1):.0%} of {b / len(turned):.0f}, {c / max(d, 1):.0%} of {d / len(turned):.0f}"


def check(evidence: Evidence, relevant: int) -> None:
    """Compare the sum of the chances, and Chao's number, with those of pyterrier-tar."""
    try:
        import pandas as pd
        import pyterrier_tar as tar  # type: ignore[import-not-found]
    except ImportError:
        return
    truth, judged = evidence.grade, judged_first(evidence, "by document", 0.3, np.random.default_rng(2))
    seen, good = replace(evidence, grade=np.where(judged, truth, np.nan)), judged & (truth >= relevant)
    chance, order = chances(seen, good).chance, np.argsort(~judged, kind="stable")
    columns = {
        "qid": "1",
        "docno": order.astype(str),
        "rank": np.arange(len(order)),
        "label": (truth >= relevant)[order].astype(int),
        "score": chance[order],
        "capture_count": np.maximum((evidence.ranks > 0).sum(axis=1), 1)[order],
    }
    frame, stop = pd.DataFrame(columns), int(judged.sum())
    trace = tar.Quant(1.0, batch_size=stop, initial_documents=stop, min_documents=1).calculation_trace(frame, index=stop)
    recall, known = float(trace["estimated_recall"].iloc[0]), float(chance[judged].sum())
    off = known * (1 - recall) / recall - float(chance[~judged].sum())
    tell("sum of the chances of unjudged documents, less that of Quant", f"{off:.0e}", wanted="0")
    trace = tar.Chao(1.0, batch_size=stop, initial_documents=stop).calculation_trace(frame, index=stop)
    off = float(trace["estimated_unseen"].iloc[0]) - by_capture(seen, good).missing
    tell("Chao's number, less pyterrier-tar's", f"{off:.0e}", wanted="0")


def figure(curves: dict[str, dict[str, list[tuple[float, float, float, float]]]], path: Path) -> None:
    import matplotlib.pyplot as plt

    drawing, axes = plt.subplots(1, len(curves), figsize=(4 * len(curves), 3.5), sharey=True)
    for panel, (name, lines) in zip(axes, curves.items(), strict=True):
        for order, rows in lines.items():
            share, mean, low, high = np.transpose(rows)
            [line] = panel.plot(100 * share, mean, "o-", label=order)
            panel.fill_between(100 * share, low, high, alpha=0.15, color=line.get_color())
        panel.axhline(1, color="black", linewidth=0.8)
        panel.set(title=name, xlabel="share of the pool judged, %", ylim=(0, 2.5))
    axes[0].set_ylabel("estimated / true number of missing documents")
    axes[0].legend()
    drawing.savefig(path, bbox_inches="tight")
    print(path)


def main() -> None:
    curves = {}
    with server() as running:
        for name in POOLS:
            with built(running, name) as conn:
                evidence = complete(conn, name)
            check(evidence, POOLS[name][-1])
            curves[name] = replay(name, evidence)
    figure(curves, REPOSITORY / "build" / "stopping.svg")


if __name__ == "__main__":
    main()
