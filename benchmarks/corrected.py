"""Corrected scores: coverage and width of the intervals beside judgments by people alone: ``python -m benchmarks corrected``.

1. Pairs: the share of relevant documents (grade 2 or 3) of the 4,423 pairs of LLMJudge, by each of its 11 judges and by NIST.
2. Queries: nDCG@10 of four runs of TREC 2021 (53 queries). The labels of a judge are drawn for each judged document from its
   grades for documents of the same grade in LLMJudge.

A population is drawn with replacement, so that the true mean is known; n of its items have judgments by people. Goals: 95 %
intervals that contain the true mean in 93 to 97 % of the draws, and narrower than those of people alone. The estimates are compared
with those of ppi-python, where it is installed.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytrec_eval
import scipy.stats

from benchmarks.common import collection, data, dsn, server, tell

DRAWS, SIZE = 400, 500
SAMPLES = (25, 50, 100, 200)
RUNS = 4
_ESTIMATES = (
    "SELECT c.corrected, c.low, c.high, c.weight, c.worth FROM unnest(%s::text[]) WITH ORDINALITY AS d (draw, i)"
    " CROSS JOIN LATERAL (SELECT d.draw::jsonb) j (v)"
    " CROSS JOIN LATERAL stc.corrected_mean(ARRAY(SELECT jsonb_array_elements(j.v -> 0)::float8),"
    " ARRAY(SELECT jsonb_array_elements(j.v -> 1)::float8), ARRAY(SELECT jsonb_array_elements(j.v -> 2)::float8)) c ORDER BY d.i"
)


def qrels(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, doc, grade = line.split()
        grades[query][doc] = int(grade)
    return grades


def main() -> None:
    folder = data() / "llmjudge"
    people = qrels(folder / "llmjudge_test_qrel_idx.txt")
    judges = {path.stem: qrels(path) for path in sorted((folder / "labels").glob("*.txt"))}
    with server() as at, collection(at, "bench_corrected") as settings, psycopg.connect(dsn(settings)) as conn:
        pairs(conn, people, judges)
        queries(conn, people, judges)


def pairs(conn: psycopg.Connection, people: dict[str, dict[str, int]], judges: dict[str, Any]) -> None:
    keys = [(query, doc) for query, docs in people.items() for doc in docs]
    y = np.array([people[query][doc] >= 2 for query, doc in keys], dtype=float)
    f = {name: np.array([labels[query].get(doc, 0) >= 2 for query, doc in keys], dtype=float) for name, labels in judges.items()}
    report(conn, "pairs", {name: (y, values) for name, values in f.items()}, size=2000)


def queries(conn: psycopg.Connection, people: dict[str, dict[str, int]], judges: dict[str, Any]) -> None:
    folder = data() / "trec-dl" / "dl21"
    true = qrels(folder / "nist.qrels")
    rankings = {path.name: run(path) for path in sorted((folder / "runs").iterdir())[:: 32 // RUNS]}
    draw = np.random.default_rng(1)
    items: dict[str, tuple[Any, Any]] = {}
    for judge, labels in judges.items():
        by_grade: dict[int, list[int]] = defaultdict(list)
        for query, docs in people.items():
            for doc, grade in docs.items():
                by_grade[grade].append(labels[query].get(doc, 0))
        noisy = {query: {doc: int(draw.choice(by_grade[grade])) for doc, grade in docs.items()} for query, docs in true.items()}
        for name, ranking in rankings.items():
            items[f"{judge} {name}"] = (ndcg(true, ranking), ndcg(noisy, ranking))
    report(conn, "queries", items, size=SIZE)


def run(path: Path) -> dict[str, dict[str, float]]:
    ranking: dict[str, dict[str, float]] = defaultdict(dict)
    with gzip.open(path, "rt") as file:
        for line in file:
            query, _, doc, _, score, _ = line.split()
            ranking[query][doc] = float(score)
    return ranking


def ndcg(judged: dict[str, dict[str, int]], ranking: dict[str, dict[str, float]]) -> Any:
    found = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"}).evaluate(ranking)
    return np.array([found.get(query, {}).get("ndcg_cut_10", 0.0) for query in sorted(judged)])


def report(conn: psycopg.Connection, what: str, items: dict[str, tuple[Any, Any]], *, size: int) -> None:
    """Draw populations for each kind of labels, and print coverage and width for each number of judgments."""
    random = np.random.default_rng(2)
    each = max(1, 11 * DRAWS // len(items))
    for n in SAMPLES:
        covered, alone, widths, worth, weights, off = [], [], [], [], [], 0.0
        for y, f in items.values():
            drawn = [random.integers(0, len(y), size) for _ in range(each)]
            texts = [f"[{y[at[:n]].tolist()},{f[at[:n]].tolist()},{f[at[n:]].tolist()}]" for at in drawn]
            rows = conn.execute(_ESTIMATES, [texts]).fetchall()
            quantile = scipy.stats.t(n - 1).ppf(0.975)
            for at, (_, low, high, weight, more) in zip(drawn, rows, strict=True):
                sample = y[at[:n]]
                half = quantile * sample.std(ddof=1) / np.sqrt(n)
                covered.append(low <= y.mean() <= high)
                alone.append(abs(sample.mean() - y.mean()) <= half)
                if half > 0:
                    widths.append((high - low) / (2 * half))
                worth.append(more or n)
                weights.append(weight)
            off = max(off, difference(y, f, drawn[0], n, rows[0]))
        tell(f"{what}: {n} of {size} by people: coverage", f"{np.mean(covered):.1%}", f"{np.mean(alone):.1%}", wanted="93 to 97 %")
        tell(f"{what}: {n} of {size} by people: width", f"{np.median(widths):.2f}", "1.00 people alone", wanted="below 1")
        tell(f"{what}: {n} of {size} by people: worth", f"{np.median(worth):.0f} judgments", f"weight {np.median(weights):.2f}")
        tell(f"{what}: {n} of {size} by people: estimate, less ppi-python's", f"{off:.0e}", wanted="0")


def difference(y: Any, f: Any, at: Any, n: int, row: Any) -> float:
    """Return the difference between an estimate and ppi-python's; NaN if it is not installed."""
    try:
        from ppi_py import ppi_mean_pointestimate
    except ImportError:
        return float("nan")
    theirs = ppi_mean_pointestimate(y[at[:n]], f[at[:n]], f[at[n:]])
    return abs(float(np.squeeze(theirs)) - float(row[0]))
