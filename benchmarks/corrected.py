"""Corrected scores: coverage and width of the intervals beside judgments by people alone: ``python -m benchmarks corrected``.

1. Pairs: the share of relevant documents (grade 2 or 3) of the 4,423 pairs of LLMJudge, by each of its 11 judges and by NIST.
2. Queries: nDCG@10 of four runs of TREC 2021 (53 queries). The labels of a judge are drawn for each judged document from its
   grades for documents of the same grade in LLMJudge.

3. Documents: DCG@10 of these runs, where people judge a random 10 or 30 % of the documents that a run ranks in the first ten of a
   query. 400 queries for each judge are drawn from the 53, with new labels, and cut into draws of n.

A population is drawn with replacement, so that the true mean is known; n of its items have judgments by people. Goals: 95 %
intervals that contain the true mean in 93 to 97 % of the draws, and narrower than those of people alone. The estimates are compared
with those of ppi-python, where it is installed.
"""

from __future__ import annotations

import gzip
import math
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psycopg
import pytrec_eval
import scipy.stats

from benchmarks.common import collection, data, dsn, server, tell
from stcollection.analysis.corrected import CorrectedScore, corrected_scores
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs

DRAWS, SIZE = 400, 500
SAMPLES = (25, 50, 100, 200)
RUNS = 4
COPIES, SHARES, DEPTH = 400, (0.1, 0.3), 10
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
        for share in SHARES:
            rankings(conn, people, judges, share)


def pairs(conn: psycopg.Connection, people: dict[str, dict[str, int]], judges: dict[str, Any]) -> None:
    keys = [(query, doc) for query, docs in people.items() for doc in docs]
    y = np.array([people[query][doc] >= 2 for query, doc in keys], dtype=float)
    f = {name: np.array([labels[query].get(doc, 0) >= 2 for query, doc in keys], dtype=float) for name, labels in judges.items()}
    report(conn, "pairs", {name: (y, values) for name, values in f.items()}, size=2000)


def queries(conn: psycopg.Connection, people: dict[str, dict[str, int]], judges: dict[str, Any]) -> None:
    true, ranked = deep_learning()
    draw = np.random.default_rng(1)
    items: dict[str, tuple[Any, Any]] = {}
    for judge, labels in judges.items():
        by_grade = grades_given(people, labels)
        noisy = {query: {doc: int(draw.choice(by_grade[grade])) for doc, grade in docs.items()} for query, docs in true.items()}
        for name, ranking in ranked.items():
            items[f"{judge} {name}"] = (ndcg(true, ranking), ndcg(noisy, ranking))
    report(conn, "queries", items, size=SIZE)


def deep_learning() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Return the judgments and some runs of TREC 2021."""
    folder = data() / "trec-dl" / "dl21"
    return qrels(folder / "nist.qrels"), {path.name: run(path) for path in sorted((folder / "runs").iterdir())[:: 32 // RUNS]}


def grades_given(people: dict[str, dict[str, int]], labels: dict[str, dict[str, int]]) -> dict[int, list[int]]:
    """Return a judge's grades for the documents of each grade by people."""
    by_grade: dict[int, list[int]] = defaultdict(list)
    for query, docs in people.items():
        for doc, grade in docs.items():
            by_grade[grade].append(labels[query].get(doc, 0))
    return by_grade


def rankings(conn: psycopg.Connection, people: dict[str, dict[str, int]], judges: dict[str, Any], share: float) -> None:
    """Print coverage and width of stc.corrected_scores for samples of documents."""
    true, ranked = deep_learning()
    draw, topics = np.random.default_rng(3), sorted(true)
    best = {
        (name, topic): sorted(of.get(topic, {}), key=lambda doc: -of[topic][doc])[:DEPTH]
        for name, of in ranked.items()
        for topic in topics
    }
    pool = {topic: sorted({doc for name in ranked for doc in best[name, topic]}) for topic in topics}
    grade = {(topic, doc): max(true[topic].get(doc, 0), 0) for topic in topics for doc in pool[topic]}
    copies = [(f"b{at:04}", topics[which]) for at, which in enumerate(draw.integers(0, len(topics), COPIES * len(judges)))]
    drawn = {copy: set(draw.permutation(pool[topic])[: math.ceil(share * len(pool[topic]))]) for copy, topic in copies}
    given = [grades_given(people, labels) for labels in judges.values()]
    labels = {
        (copy, doc): int(draw.choice(given[at // COPIES][grade[topic, doc]]))
        for at, (copy, topic) in enumerate(copies)
        for doc in pool[topic]
    }
    by_people = [
        (copy, f"0 {doc} all {grade[topic, doc] if doc in drawn[copy] else -1}") for copy, topic in copies for doc in pool[topic]
    ]
    kept: dict[tuple[int, bool], list[tuple[Any, ...]]] = defaultdict(list)
    off = 0.0
    with conn.transaction(force_rollback=True), TemporaryDirectory() as folder:
        for name in ranked:
            lines = [
                (copy, f"Q0 {doc} {rank} {-rank} {name}") for copy, topic in copies for rank, doc in enumerate(best[name, topic], 1)
            ]
            for _ in import_runs(conn, [write(folder, f"{name}.run", lines)]):
                pass
        import_qrels(conn, write(folder, "people.qrels", by_people), edition="people")
        import_qrels(
            conn, write(folder, "labels.qrels", [(copy, f"0 {doc} {of}") for (copy, doc), of in labels.items()]), edition="labels"
        )
        conn.execute("ANALYZE")
        estimate = partial(corrected_scores, conn, labels="labels", people="people", measure="DCG@10")
        for n, baseline in product(SAMPLES, (None, min(ranked))):
            quantile = scipy.stats.t(n - 1).ppf(0.975)
            for start in range(0, len(copies), n):
                some = copies[start : start + n]
                rows = estimate(baseline=baseline, queries=",".join(copy for copy, _ in some))
                for row in rows:
                    truth = dcg(best, row.run, grade, topics) - (dcg(best, baseline, grade, topics) if baseline else 0)
                    half, width = quantile * row.people_se, (row.high - row.low) / 2
                    hits = row.low <= truth <= row.high, abs(row.by_people - truth) <= half
                    kept[n, baseline is not None].append((*hits, width / half, row.weight, (row.worth or row.n) / row.n))
                if baseline is None:
                    off = max(off, weighted(rows[0], some, pool, best, grade, labels, drawn))
    for (n, differs), found in kept.items():
        hits, alone, widths, weights, worth = zip(*found, strict=True)
        what = f"DCG@10{', differences' if differs else ''}, {share:.0%} of the documents of {n} queries by people"
        tell(f"{what}: coverage", f"{np.mean(hits):.1%}", f"{np.mean(alone):.1%}", wanted="93 to 97 %")
        tell(f"{what}: width", f"{np.median(widths):.2f}", "1.00 people alone", wanted="below 1")
        tell(f"{what}: worth", f"{np.median(worth):.1f} times the documents", f"weight {np.median(weights):.2f}")
    tell(f"DCG@10, {share:.0%} of the documents: estimate, less ppi-python's weighted mean", f"{off:.0e}", wanted="0")


def write(folder: str, name: str, lines: Iterable[tuple[str, str]]) -> Path:
    path = Path(folder) / name
    path.write_text("".join(f"{query} {rest}\n" for query, rest in lines))
    return path


def dcg(best: dict[tuple[str, str], list[str]], run: str, grade: dict[tuple[str, str], int], topics: list[str]) -> float:
    """Return the mean DCG@10 over the topics."""
    return sum(grade[topic, doc] / math.log2(rank + 1) for topic in topics for rank, doc in enumerate(best[run, topic], 1)) / len(
        topics
    )


def weighted(
    row: CorrectedScore, copies: list[tuple[str, str]], pool: Any, best: Any, grade: Any, labels: Any, drawn: Any
) -> float:
    """Return the difference between an estimate and ppi-python's weighted mean over pairs; NaN if it is not installed."""
    try:
        from ppi_py import ppi_mean_pointestimate
    except ImportError:
        return float("nan")
    discounts = {topic: {doc: 1 / math.log2(at + 2) for at, doc in enumerate(best[row.run, topic])} for _, topic in copies}
    pairs = [(copy, topic, doc, discounts[topic].get(doc, 0.0)) for copy, topic in copies for doc in pool[topic]]
    y = np.array([discount * grade[topic, doc] for _, topic, doc, discount in pairs])
    f = np.array([discount * labels[copy, doc] for copy, _, doc, discount in pairs])
    seen = np.array([doc in drawn[copy] for copy, _, doc, _ in pairs])
    weights = np.array([len(pool[topic]) / len(drawn[copy]) for copy, topic, _, _ in pairs])
    theirs = ppi_mean_pointestimate(y[seen], f[seen], f, lam=row.weight, w=weights[seen])
    return abs(float(np.squeeze(theirs)) * len(pairs) / len(copies) - row.corrected)


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
