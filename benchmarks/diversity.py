"""Score runs with alpha_nDCG@20 from subtopic judgments, compared with pyndeval and ir_measures.

32 generated runs × 50 queries × 1,000 ranks. Each system ranks 4,000 candidates per query by quality plus its own noise. 400 of the
best 1,000 documents of a query are judged for 5 subtopics, about a tenth of the pairs as relevant. Our values are computed each
time; the last two lines show the time with stored values. The peers have runs and judgments in memory in their own formats:
pyndeval's evaluator is created once, ir_measures' once too. The means are compared before timing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ir_measures
import numpy as np
import psycopg
import pyndeval

from benchmarks.common import collection, paired, server, tell, timed
from benchmarks.scoring import connection, store
from stcollection.evaluation.measures import Measure, parse_measure
from stcollection.evaluation.score import RunStanding, leaderboard

RUNS, QUERIES, DEPTH, CANDIDATES, JUDGED, SUBTOPICS = 32, 50, 1000, 4000, 400, 5
NINE = "ERR_IA@20 nERR_IA@20 alpha_DCG@20 alpha_nDCG@20 NRBP nNRBP StRecall@20 P_IA@20 AP_IA"

Rows = list[tuple[str, str, float]]
Judgments = list[tuple[str, str, str, int]]


def generate(conn: psycopg.Connection) -> tuple[dict[str, Rows], Judgments]:
    """Store runs and judgments, and return them."""
    random = np.random.default_rng(2009)
    quality = random.normal(size=(QUERIES, CANDIDATES))
    top = np.argsort(-(quality + 0.8 * random.normal(size=(RUNS, QUERIES, CANDIDATES))), axis=2)[:, :, :DEPTH]
    docs = random.permutation(QUERIES * CANDIDATES).reshape(QUERIES, CANDIDATES) + 10**9
    judged: Judgments = []
    for number in range(QUERIES):
        pool = docs[number, random.choice(np.argsort(-quality[number])[:1000], JUDGED, replace=False)]
        for place in range(1, SUBTOPICS + 1):
            judged += [(f"q{number}", str(place), str(doc), int(random.random() < 0.1)) for doc in pool]
    with conn.cursor() as cursor:
        with cursor.copy("COPY dblp (id, docno, doc, stub) FROM STDIN") as copy:
            copy.write("".join(f"{doc}\t{doc}\t{{}}\tt\n" for doc in np.sort(docs, axis=None).tolist()))
        cursor.execute("INSERT INTO st1_queries (query) SELECT unnest(%s::text[])", [[f"q{number}" for number in range(QUERIES)]])
        cursor.execute("INSERT INTO st1_runs (run) SELECT unnest(%s::text[])", [[f"system{number}" for number in range(RUNS)]])
        cursor.execute("INSERT INTO stc_all.qrels_editions (edition) VALUES ('generated')")
        with cursor.copy("COPY qrels_subtopics (edition, query, subtopic, doc, rel) FROM STDIN") as copy:
            for query, subtopic, doc, rel in judged:
                copy.write_row((1, int(query[1:]) + 1, subtopic, int(doc), rel))
    for run in range(RUNS):
        store(conn, run + 1, np.take_along_axis(docs, top[run], axis=1))
    conn.execute("VACUUM (ANALYZE)")
    return {
        f"system{run}": [
            (f"q{number}", str(docs[number, doc]), 1.0 / rank)
            for number in range(QUERIES)
            for rank, doc in enumerate(top[run, number], 1)
        ]
        for run in range(RUNS)
    }, judged


def ndeval(runs: dict[str, Rows], judged: Judgments, measure: str) -> Callable[[], dict[str, float]]:
    """Return a function that computes the mean of each run with pyndeval."""
    evaluator = pyndeval.RelevanceEvaluator(judged, [measure])
    return lambda: {name: sum(one[measure] for one in evaluator.evaluate(run).values()) / QUERIES for name, run in runs.items()}


def irm(runs: dict[str, Rows], judged: Judgments, names: str) -> Callable[[], list[dict[Any, float]]]:
    """Return a function that computes the means of each run with ir_measures; runs are scored documents."""
    rows = {name: [ir_measures.ScoredDoc(*row) for row in run] for name, run in runs.items()}
    qrels = [ir_measures.GenericQrel(query, doc, rel, subtopic) for query, subtopic, doc, rel in judged]
    evaluator = ir_measures.evaluator([ir_measures.parse_measure(name) for name in names.split()], qrels)
    return lambda: [evaluator.calc_aggregate(run) for run in rows.values()]


def main() -> None:
    with server() as at, collection(at, "bench_diversity") as settings, connection(settings) as conn:
        runs, judged = generate(conn)

        def board(measures: list[Measure]) -> list[RunStanding]:
            with conn.transaction():  # in a transaction, values are computed and not stored
                return leaderboard(conn, edition="generated", measures=measures)

        def one() -> list[RunStanding]:
            return board([parse_measure("alpha_nDCG@20")])

        theirs = ndeval(runs, judged, "alpha-nDCG@20")
        means = theirs()
        assert all(abs(standing.values[0] - means[standing.run]) < 1e-9 for standing in one())
        rows = RUNS * QUERIES * DEPTH
        for what, ours, name, peer in (
            ("alpha_nDCG@20", one, "pyndeval", theirs),
            ("alpha_nDCG@20", one, "ir_measures", irm(runs, judged, "alpha_nDCG@20")),
            (
                "nine measures",
                lambda: board([parse_measure(name) for name in NINE.split()]),
                "ir_measures",
                irm(runs, judged, NINE),
            ),
        ):
            pair = paired(ours, peer, rounds=5)
            goal = "at most 0.2" if what == "alpha_nDCG@20" else ""
            speed, theirs_speed = (f"{rows / seconds / 1e6:.1f} M/s" for seconds in (pair.ours, pair.peer))
            tell(f"{rows:,} rows, {what}: rows per second, {name}", speed, theirs_speed, pair.ratio, goal)
        nine = [parse_measure(name) for name in NINE.split()]
        tell(
            "first leaderboard, which stores the values",
            f"{timed(partial(leaderboard, conn, edition='generated', measures=nine)):.2f} s",
        )
        tell("later ones, which read them", f"{timed(partial(leaderboard, conn, edition='generated', measures=nine)):.3f} s")


if __name__ == "__main__":
    main()
