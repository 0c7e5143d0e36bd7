"""Significance tests compared with scipy, and leave-one-run-out compared with pytrec_eval: ``python -m benchmarks significance``.

The data are the 32 passage runs of TREC 2021 with 53 queries; the measure is nDCG@10.

1. 496 pairs × 100,000 permutations, without and with reading the scores from the database. The time per pair is compared with
   scipy.stats.permutation_test (vectorised) on one pair, and the bootstrap (BCa) with scipy.stats.bootstrap.
2. Each of 32 runs left out of a pool of depth 10, and all runs scored again. The peer is pytrec_eval with a new evaluator for each
   left-out run and each scored run; the reduced judgments are prepared in advance.

Before timing, the results of both are checked for equality.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import psycopg
import pytrec_eval
import scipy.stats

from benchmarks.common import collection, data, paired, server, tell, timed
from stcollection.analysis import paired as tests
from stcollection.analysis.reusability import reusability
from stcollection.analysis.significance import Correction, PairedTest, Test, compare
from stcollection.db.connection import connect
from stcollection.evaluation.measures import nDCG
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs

PERMUTATIONS, DEPTH, CUTOFF = 100_000, 10, "ndcg_cut_10"


def scores(conn: psycopg.Connection) -> dict[str, tests.Floats]:
    statement = "SELECT run, array_agg(value ORDER BY query) FROM stc.score_grid('{}', 'dl21', 'nDCG@10') GROUP BY run"
    return {run: np.array(values) for run, values in conn.execute(statement)}


def significance(conn: psycopg.Connection) -> None:
    grid = scores(conn)
    pairs = list(combinations(sorted(grid), 2))
    differences: tests.Floats = np.stack([np.round(grid[a] - grid[b], 12) for a, b in pairs], axis=1)
    of_scipy = {"permutation_type": "samples", "vectorized": True, "n_resamples": PERMUTATIONS, "rng": 1}
    two = [grid[name] for name in pairs[0]]

    def difference(x: tests.Floats, y: tests.Floats, axis: int) -> tests.Floats:
        return np.asarray(np.mean(x, axis=axis) - np.mean(y, axis=axis))

    p = tests.randomisation(differences, permutations=PERMUTATIONS, seed=1)
    theirs = scipy.stats.permutation_test(two, difference, **of_scipy).pvalue
    assert abs(p[0] - theirs) < 10 * np.sqrt(theirs * (1 - theirs) / PERMUTATIONS) + 1e-4, (p[0], theirs)
    pair = paired(
        lambda: tests.randomisation(differences, permutations=PERMUTATIONS, seed=1),
        lambda: scipy.stats.permutation_test(two, difference, **of_scipy),
    )
    each = pair.ours / len(pairs)
    what = f"{len(pairs)} pairs × {len(differences)} queries × {PERMUTATIONS:,}"
    tell(f"randomisation: {what}; scipy: 1 pair", f"{pair.ours * 1e3:.0f} ms", f"{pair.peer * 1e3:.0f} ms")
    tell("randomisation: time per pair", f"{each * 1e3:.2f} ms", f"{pair.peer * 1e3:.0f} ms", pair.ratio / len(pairs), "below 0.01")

    low_high = scipy.stats.bootstrap((differences[:, 0],), np.mean, n_resamples=PERMUTATIONS, method="BCa", rng=1)
    _, low, high = tests.bootstrap(differences[:, :1], resamples=PERMUTATIONS, seed=1, alpha=0.05)
    assert np.allclose((low[0], high[0]), low_high.confidence_interval, rtol=0, atol=1e-9)
    pair = paired(
        lambda: tests.bootstrap(differences, resamples=PERMUTATIONS, seed=1, alpha=0.05),
        lambda: scipy.stats.bootstrap((differences[:, 0],), np.mean, n_resamples=PERMUTATIONS, method="BCa", rng=1),
        rounds=3,
    )
    tell("bootstrap: time per pair", f"{pair.ours / len(pairs) * 1e3:.2f} ms", f"{pair.peer * 1e3:.0f} ms", pair.ratio / len(pairs))

    cases: list[tuple[Test, Correction]] = [
        ("t", "holm"),
        ("wilcoxon", "holm"),
        ("randomisation", "holm"),
        ("randomisation", "hsd"),
        ("bootstrap", "bh"),
    ]
    for test, correction in cases:
        how = PairedTest(kind=test, correction=correction, permutations=PERMUTATIONS)
        call = partial(compare, conn, edition="dl21", measures=[nDCG @ 10], test=how)
        seconds = sorted(timed(call) for _ in range(3))
        tell(f"compare, from the database: {test}, {correction}", f"{seconds[1] * 1e3:.0f} ms")


Ranked = dict[str, dict[str, dict[str, float]]]
Judgments = dict[str, dict[str, int]]


def leaving_out(conn: psycopg.Connection, folder: Path) -> None:
    judged: Judgments = defaultdict(dict)
    for line in (folder / "nist.qrels").read_text().splitlines():
        query, _, doc, rel = line.split()
        judged[query][doc] = int(rel)
    runs: Ranked = {}
    for path in sorted((folder / "runs").glob("*.gz")):
        run = runs[path.stem] = defaultdict(dict)
        with gzip.open(path, "rt") as lines:
            for query, _, doc, _, score, _ in map(str.split, lines):
                run[query][doc] = float(score)
    sole = defaultdict(set)
    for name, query, docno in conn.execute(
        "SELECT c.left_out, c.query, d.docno FROM sole_contributions('dl21', %s) c JOIN dblp d ON d.id = c.doc", [DEPTH]
    ):
        sole[name].add((query, docno))
    left = {
        name: {
            query: {doc: rel for doc, rel in by_doc.items() if (query, doc) not in sole[name]} for query, by_doc in judged.items()
        }
        for name in runs
    }

    def peer() -> dict[tuple[str, str], float]:
        values = {}
        for name, judgments in left.items():
            for run, ranked in runs.items():
                by_query = pytrec_eval.RelevanceEvaluator(judgments, {CUTOFF}).evaluate(ranked)
                values[name, run] = sum(by[CUTOFF] for by in by_query.values()) / len(judged)
        return values

    theirs = peer()
    found = reusability(conn, edition="dl21", measure=nDCG @ 10, depth=DEPTH)
    assert len(found) == len(runs)
    assert all(abs(row.after - theirs[row.run, row.run]) < 1e-9 for row in found)
    pair = paired(lambda: reusability(conn, edition="dl21", measure=nDCG @ 10, depth=DEPTH), peer, rounds=3)
    tell(
        f"{len(runs)} runs left out, one at a time; pytrec_eval",
        f"{pair.ours * 1e3:.0f} ms",
        f"{pair.peer * 1e3:.0f} ms",
        pair.ratio,
    )


def main() -> None:
    folder = data() / "trec-dl" / "dl21"
    with server() as running, collection(running, "bench_significance") as settings, connect(settings, autocommit=True) as conn:
        for _ in import_runs(conn, sorted((folder / "runs").glob("*.gz"))):
            pass
        import_qrels(conn, folder / "nist.qrels", edition="dl21")
        conn.execute("ANALYZE")
        significance(conn)
        leaving_out(conn, folder)


if __name__ == "__main__":
    main()
