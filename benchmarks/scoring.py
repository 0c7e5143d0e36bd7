"""Score stored runs with sets of measures, compared with pytrec_eval, ir_measures and ranx: warm, cold, and after adding a run.

1. The leaderboard of the 32 runs of TREC 2021 Deep Learning: means over 53 queries, for SimpleText's seven measures, trec_eval's
   official measures and all of trec_eval's measures. The peers compute the same means and have runs and judgments in memory in
   their own formats. pytrec_eval is timed with one evaluator per run, as its issue 38 requires, with one
   evaluator for all runs, which the fork pytrec_eval-terrier allows, and including fetching the runs from the database.
   ir_measures and ranx, if installed, compute the seven measures; conversion to ranx's format and its compilation are not timed.
2. 200 generated runs × 50 queries × 1,000 ranks. Each system ranks 4,000 candidates per query by quality plus its own noise. 117
   documents per query are judged, sampled from the top ten of forty systems, so most runs retrieve most of them.

Warm: the results of judge_runs are stored. Cold, read-only: nothing is stored before or after. Then the times to store everything,
or one additional run, and to answer. Before timing, the means of both are checked for equality.
--growth measures how costs grow with runs, queries and depth, and writes docs/figures/scoring-growth.csv, which make docs draws.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytrec_eval

from benchmarks.common import REPOSITORY, collection, data, paired, server, tell, timed
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import OFFICIAL, Measure, parse_measures
from stcollection.evaluation.score import RunStanding, judge, leaderboard
from stcollection.plots.canvas import BLUE, ORANGE, VERMILION
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs

_GROWTH = REPOSITORY / "docs" / "figures" / "scoring-growth.csv"
ROUNDS = 15
RUNS, QUERIES, DEPTH, CANDIDATES, JUDGED = 200, 50, 1000, 4000, 117
SAMPLE = 10  # generated runs for the peer, since all would exceed its memory

Run = dict[str, dict[str, float]]
Judgments = dict[str, dict[str, int]]


def wanted(measures: str) -> list[Measure]:
    """Return the measures that both have: pytrec_eval lacks those added in trec_eval 10, and success_1."""
    every = list(OFFICIAL) if measures == "seven" else parse_measures(measures)
    return [one for one in every if one.kind.name not in ("rbp", "rbp_resid", "unj") and one.trec_eval != "success_1"]


def pytrec(runs: dict[str, Run], judged: Judgments, measures: str = "seven", *, evaluator: str = "each") -> list[RunStanding]:
    """Compute the leaderboard with pytrec_eval, as under -c. :param evaluator: a new one for ``each`` run, or ``one`` for all."""
    asked = wanted(measures)
    names = {one.trec_eval for one in asked} if measures == "seven" else {one.kind.name for one in asked}
    shared = pytrec_eval.RelevanceEvaluator(judged, names)
    standings = []
    for name, run in runs.items():
        values = (shared if evaluator == "one" else pytrec_eval.RelevanceEvaluator(judged, names)).evaluate(run).values()
        standings.append(RunStanding(name, tuple(_mean(one, [by[one.trec_eval] for by in values], len(judged)) for one in asked)))
    return sorted(standings, key=lambda one: (-one.values[0], one.run))


def _mean(measure: Measure, values: list[float], queries: int) -> float:
    kind = measure.kind
    if kind.name == "num_q":
        return queries
    if kind.mean == "geometric":
        return math.exp((sum(values) + (queries - len(values)) * math.log(0.00001)) / queries)
    return sum(values) if kind.mean == "sum" else sum(values) / queries


def irm(runs: dict[str, Run], judged: Judgments) -> None:
    """Compute the seven measures with ir_measures."""
    import ir_measures

    evaluator = ir_measures.evaluator([ir_measures.parse_measure(str(one)) for one in OFFICIAL], judged)
    for run in runs.values():
        evaluator.calc_aggregate(run)


def ranx_seven(runs: dict[str, Run], judged: Judgments) -> Callable[[], object]:
    """Return a function that computes the seven measures with ranx. Its data format is prepared here, untimed."""
    import ranx

    qrels = ranx.Qrels({query: {doc: max(rel, 0) for doc, rel in by.items()} for query, by in judged.items()})
    theirs = [ranx.Run(run, name=name) for name, run in runs.items()]
    names = ["ndcg@10", "ndcg@20", "precision@10", "precision@20", "mrr", "bpref", "map"]
    return lambda: [ranx.evaluate(qrels, run, names, make_comparable=True) for run in theirs]


def others(runs: dict[str, Run], judged: Judgments) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield functions that compute the seven measures with the other installed peers."""
    if find_spec("ir_measures"):
        yield "ir_measures", lambda: irm(runs, judged)
    if find_spec("ranx"):
        yield "ranx", ranx_seven(runs, judged)


def fetch(conn: psycopg.Connection) -> dict[str, Run]:
    """Return the stored runs in pytrec_eval's format."""
    runs: dict[str, Run] = defaultdict(lambda: defaultdict(dict))
    for run, query, docno, score in conn.execute("SELECT run, query, docno, rel_score FROM rankings"):
        runs[run][query][docno] = score
    return runs


def kept_out(conn: psycopg.Connection, ours: Callable[[], list[RunStanding]]) -> list[RunStanding]:
    """Return the leaderboard from within a transaction, where no results are stored."""
    with conn.transaction():
        return ours()


def agree(ours: Sequence[RunStanding], theirs: Sequence[RunStanding]) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.run == other.run
        assert np.allclose(mine.values, other.values, rtol=0, atol=1e-9), (mine, other)


@contextmanager
def connection(settings: Settings) -> Iterator[psycopg.Connection]:
    with connect(settings, autocommit=True) as conn:
        conn.execute(f"SET max_parallel_workers_per_gather = {max(1, (os.cpu_count() or 2) - 1)}")  # besides the leader
        yield conn


def dl21(conn: psycopg.Connection, folder: Path) -> None:
    paths = sorted((folder / "runs").glob("*.gz"))
    for _ in import_runs(conn, paths):
        pass
    import_qrels(conn, folder / "nist.qrels", edition="dl21")
    judged: Judgments = defaultdict(dict)
    for line in (folder / "nist.qrels").read_text().splitlines():
        query, _, doc, rel = line.split()
        judged[query][doc] = int(rel)
    runs: dict[str, Run] = {path.name.removesuffix(".gz"): defaultdict(dict) for path in paths}
    for path in paths:
        with gzip.open(path, "rt") as lines:
            for query, _, doc, _, score, _ in map(str.split, lines):
                runs[path.name.removesuffix(".gz")][query][doc] = float(score)
    ranked = sum(len(docs) for run in runs.values() for docs in run.values())

    what = f"DL21, {len(runs)} runs, {ranked:,} rows"
    for measures in ("seven", "official", "all_trec"):
        asked = wanted(measures)

        def ours(asked: list[Measure] = asked) -> list[RunStanding]:
            return leaderboard(conn, edition="dl21", measures=asked)

        def each(measures: str = measures) -> list[RunStanding]:
            return pytrec(runs, judged, measures)

        forget(conn)
        agree(kept_out(conn, ours), each())
        cold = paired(lambda: kept_out(conn, ours), each, rounds=5)
        judge(conn, edition="dl21")
        conn.execute("VACUUM (ANALYZE) stc_all.judged_rankings, stc_all.judged_scores")
        agree(ours(), pytrec(fetch(conn), judged, measures))
        warm = paired(ours, each, rounds=ROUNDS, warm=2)
        one = paired(ours, lambda m=measures: pytrec(runs, judged, m, evaluator="one"), rounds=ROUNDS)  # type: ignore[misc]
        fetched = paired(ours, lambda m=measures: pytrec(fetch(conn), judged, m), rounds=5)  # type: ignore[misc]
        for peer, pair, limit in (
            ("pytrec_eval", warm, "at most 0.33"),
            ("pytrec_eval, one evaluator", one, ""),
            ("fetch, pytrec_eval", fetched, "at most 0.05"),
            ("cold, read-only: pytrec_eval", cold, ""),
        ):
            tell(f"{what}, {measures}: {peer}", f"{pair.ours * 1e3:.1f} ms", f"{pair.peer * 1e3:.1f} ms", pair.ratio, limit)

    def seven() -> list[RunStanding]:
        return leaderboard(conn, edition="dl21")

    for name, other in others(runs, judged):
        pair = paired(seven, other, rounds=3)
        tell(f"{what}, seven: {name}", f"{pair.ours * 1e3:.1f} ms", f"{pair.peer * 1e3:.1f} ms", pair.ratio)
    add_one(conn, "dl21", what)


def forget(conn: psycopg.Connection) -> None:
    conn.execute("TRUNCATE stc_all.judged_runs, stc_all.judged_queries, stc_all.judged_rankings, stc_all.judged_scores")


def add_one(conn: psycopg.Connection, edition: str, what: str) -> None:
    """Time the official measures with no stored results, and with all but one run stored."""
    asked = wanted("official")

    def board() -> None:
        judge(conn, edition=edition)
        leaderboard(conn, edition=edition, measures=asked)

    everything, single = [], []
    for _ in range(3):
        forget(conn)
        everything.append(timed(board))
        conn.execute("DELETE FROM stc_all.judged_runs WHERE run = (SELECT min(id) FROM st1_runs)")
        single.append(timed(board))
    tell(f"{what}, official: store all runs, then answer", f"{statistics.median(everything) * 1e3:.1f} ms")
    tell(f"{what}, official: one additional run", f"{statistics.median(single) * 1e3:.1f} ms")


def generate(conn: psycopg.Connection) -> tuple[dict[str, Run], Judgments, float]:
    """Store generated runs. :returns: a sample of them, the judgments, and the mean share of judged documents in a run."""
    random = np.random.default_rng(2021)
    quality = random.normal(size=(QUERIES, CANDIDATES))
    order = np.argsort(-(quality + 0.8 * random.normal(size=(RUNS, QUERIES, CANDIDATES)).astype(np.float32)), axis=2)
    top = order[:, :, :DEPTH].astype(np.int64)
    docs = random.permutation(QUERIES * CANDIDATES).reshape(QUERIES, CANDIDATES) + 10**9
    names = [f"system{number}" for number in range(RUNS)]
    queries = [f"q{number}" for number in range(QUERIES)]
    judged: Judgments = {}
    for number, query in enumerate(queries):
        pool = random.permutation(np.unique(top[random.choice(RUNS, 40, replace=False), number, :10]))[:JUDGED]
        filler = np.setdiff1d(np.argsort(-quality[number])[: 4 * JUDGED], pool)
        pool = np.concatenate([pool, random.permutation(filler)[: JUDGED - len(pool)]])
        judged[query] = {str(docs[number, doc]): int(rel) for doc, rel in zip(pool, random.choice(3, len(pool)), strict=True)}

    with conn.cursor() as cursor:
        with cursor.copy("COPY dblp (id, docno, doc, stub) FROM STDIN") as copy:
            copy.write("".join(f"{doc}\t{doc}\t{{}}\tt\n" for doc in np.sort(docs, axis=None).tolist()))
        cursor.execute("INSERT INTO st1_queries (query) SELECT unnest(%s::text[])", [queries])
        cursor.execute("INSERT INTO st1_runs (run) SELECT unnest(%s::text[])", [names])
        cursor.execute("INSERT INTO stc_all.qrels_editions (edition) VALUES ('generated')")
        with cursor.copy("COPY qrels_judgments (edition, query, doc, rel) FROM STDIN") as copy:
            for key, query in enumerate(queries, 1):
                for docno, rel in judged[query].items():
                    copy.write_row((1, key, int(docno), rel))
    for run in range(RUNS):
        store(conn, run + 1, np.take_along_axis(docs, top[run], axis=1))
    conn.execute("VACUUM (ANALYZE)")
    found = np.mean(
        [
            np.isin(np.take_along_axis(docs, top[run], axis=1)[number], [int(doc) for doc in judged[query]]).sum() / JUDGED
            for run in range(SAMPLE)
            for number, query in enumerate(queries)
        ]
    )
    sample: dict[str, Run] = {
        names[run]: {
            query: {str(docs[number, doc]): 1.0 / (rank + 1) for rank, doc in enumerate(top[run, number])}
            for number, query in enumerate(queries)
        }
        for run in range(SAMPLE)
    }
    return sample, judged, float(found)


def store(conn: psycopg.Connection, run: int, docs: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    """Store the rankings of a run. :param docs: documents by query, numbered from 1, and rank; the scores are 1 / rank."""
    queries, ranks = (one.ravel() + 1 for one in np.indices(docs.shape))
    given = [run, *(one.tolist() for one in (queries, docs.ravel(), ranks, 1.0 / ranks))]
    conn.execute("SELECT stc.store_rankings(%s, %s::integer[], %s, %s::integer[], %s)", given)


def generated(conn: psycopg.Connection) -> None:
    sample, judged, found = generate(conn)
    rows = RUNS * QUERIES * DEPTH
    print(
        f"{RUNS} runs × {QUERIES} queries × {DEPTH} ranks; a run retrieves {found:.0%} of the {JUDGED} judged documents per query"
    )
    for measures in ("seven", "official", "all_trec"):
        asked = wanted(measures)

        def ours(asked: list[Measure] = asked) -> list[RunStanding]:
            return leaderboard(conn, edition="generated", measures=asked)

        def peer(measures: str = measures) -> list[RunStanding]:
            return pytrec(sample, judged, measures)

        forget(conn)
        agree([one for one in kept_out(conn, ours) if one.run in sample], peer())
        for state in ("cold, read-only", "warm"):
            if state == "warm":
                seconds = timed(lambda: judge(conn, edition="generated"))
                conn.execute("VACUUM (ANALYZE) stc_all.judged_rankings, stc_all.judged_scores")
                agree([one for one in ours() if one.run in sample], peer())
            asking = ours if state == "warm" else lambda: kept_out(conn, ours)
            pair = paired(asking, peer, rounds=7 if state == "warm" else 3)
            speed, theirs = rows / pair.ours, SAMPLE * QUERIES * DEPTH / pair.peer
            tell(
                f"{measures}, {state}: rows per second, pytrec_eval on {SAMPLE} runs",
                f"{speed / 1e6:.1f} M/s",
                f"{theirs / 1e6:.1f} M/s",
                theirs / speed,
                "at least 10 M/s",
            )
    print(f"storing all results takes {seconds:.1f} s")
    ours_seven = timed(lambda: leaderboard(conn, edition="generated"))
    for name, other in others(sample, judged):
        speed, theirs = rows / ours_seven, SAMPLE * QUERIES * DEPTH / statistics.median(timed(other) for _ in range(3))
        tell(
            f"seven, warm: rows per second, {name} on {SAMPLE} runs",
            f"{speed / 1e6:.1f} M/s",
            f"{theirs / 1e6:.1f} M/s",
            theirs / speed,
        )
    add_one(conn, "generated", f"{rows:,} rows")


def growth(conn: psycopg.Connection) -> None:
    """Time warm and cold scoring of generated runs with growing numbers of runs, queries and ranks, one at a time."""
    generate(conn)
    asked = wanted("official")
    rows = []
    for what, steps in (("runs", (25, 50, 100, 200)), ("queries", (12, 25, 50)), ("depth", (120, 240, 480, 1000))):
        for step in steps:
            with conn.transaction(force_rollback=True):
                if what == "queries":
                    conn.execute("SET LOCAL session_replication_role = replica")
                    conn.execute("DELETE FROM qrels_judgments WHERE query > %s", [step])
                    conn.execute("UPDATE stc_all.qrels_editions SET version = version + 1")
                    conn.execute("SET LOCAL session_replication_role = origin")
                elif what == "depth":
                    conn.execute("DELETE FROM stc.ranked_lists WHERE first > %s", [step])
                runs = [
                    name
                    for [name] in conn.execute("SELECT run FROM st1_runs ORDER BY id LIMIT %s", [step if what == "runs" else RUNS])
                ]
                cold = min(timed(lambda r=runs: leaderboard(conn, edition="generated", runs=r, measures=asked)) for _ in range(2))  # type: ignore[misc]
                stored = timed(lambda r=runs: judge(conn, edition="generated", runs=r))  # type: ignore[misc]
                conn.execute("ANALYZE stc_all.judged_scores")
                warm = min(timed(lambda r=runs: leaderboard(conn, edition="generated", runs=r, measures=asked)) for _ in range(5))  # type: ignore[misc]
                rows.append((what, step, cold, stored, warm))
                print(f"{what:>8} {step:>5}  cold {cold:7.3f} s  storing {stored:7.3f} s  warm {warm:7.4f} s", flush=True)
    text = "".join(f"{what},{step},{cold:.4f},{stored:.4f},{warm:.5f}\n" for what, step, cold, stored, warm in rows)
    _GROWTH.write_text("what,number,cold_s,storing_s,warm_s\n" + text)


def draw_growth(picture: Path) -> None:
    """Plot the results of :func:`growth`, with each line labelled at its end."""
    import csv

    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "stcollection", "font.size": 8})
    import matplotlib.pyplot as plt

    with _GROWTH.open() as file:
        rows = list(csv.DictReader(file))
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 2.4), sharey=True, layout="constrained")
    for axis, what in zip(axes, ("runs", "queries", "depth"), strict=True):
        of = [row for row in rows if row["what"] == what]
        for name, told, colour in (("storing", "storing", VERMILION), ("cold", "cold", ORANGE), ("warm", "warm", BLUE)):
            axis.plot([int(row["number"]) for row in of], [float(row[f"{name}_s"]) for row in of], ".-", color=colour)
            if axis is axes[-1]:
                axis.annotate(
                    told,
                    (1, float(of[-1][f"{name}_s"])),
                    xycoords=("axes fraction", "data"),
                    va="center",
                    xytext=(4, 0),
                    textcoords="offset points",
                    color=colour,
                )
        axis.set(xlabel=what, yscale="log", xlim=(0, None))
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("seconds, official measures")
    figure.savefig(picture, metadata={"Date": None})


def main(*, grow: bool = False) -> None:
    with server() as running:
        if grow:
            with collection(running, "bench_growth") as settings, connection(settings) as conn:
                growth(conn)
            return
        with collection(running, "bench_dl21") as settings, connection(settings) as conn:
            dl21(conn, data() / "trec-dl" / "dl21")
        with collection(running, "bench_generated") as settings, connection(settings) as conn:
            generated(conn)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--dsn", help="Use this server instead of an embedded one.  [STC_DSN]")
    arguments.add_argument("--growth", action="store_true", help="Measure how costs grow with runs, queries and depth.")
    given = arguments.parse_args()
    if given.dsn is not None:
        os.environ["STC_DSN"] = given.dsn
    main(grow=given.growth)
