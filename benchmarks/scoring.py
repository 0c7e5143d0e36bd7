"""Scoring stored runs by the seven official measures, nothing stored of earlier scores, beside pytrec_eval.

1. The 32 runs of TREC 2021 Deep Learning, as leaderboard: means over its 53 queries. The peer has runs and judgments in memory, as
   the dictionaries it takes, and is asked for the same means: with an evaluator for each run, as pytrec_eval must be used (issue 38
   there), and with one for all, which the fork pytrec_eval-terrier allows. Then it has to fetch the runs from the database first.
2. 200 runs × 50 queries × 1,000 ranks, generated. A system ranks 4,000 candidates a query by their quality and noise of its own;
   117 documents a query are judged, drawn from the top tens of forty systems, so most runs find most of them.

Before the rounds the means of both are compared: other numbers would make it a benchmark of nothing.
"""

from __future__ import annotations

import argparse
import gzip
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytrec_eval

from benchmarks.common import collection, data, paired, server, tell
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.score import Standing, leaderboard
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs

ROUNDS = 15
RUNS, QUERIES, DEPTH, CANDIDATES, JUDGED = 200, 50, 1000, 4000, 117
SAMPLE = 10  # of the generated runs, for the peer: all of them would fill its memory

Run = dict[str, dict[str, float]]
Judgments = dict[str, dict[str, int]]


def pytrec(runs: dict[str, Run], judged: Judgments, *, evaluator: str = "each") -> list[Standing]:
    """The leaderboard by pytrec_eval, under -c. :param evaluator: a fresh one for ``each`` run, or ``one`` for all."""
    names = {measure.trec_eval for measure in OFFICIAL}
    shared = pytrec_eval.RelevanceEvaluator(judged, names)
    standings = []
    for name, run in runs.items():
        values = (shared if evaluator == "one" else pytrec_eval.RelevanceEvaluator(judged, names)).evaluate(run).values()
        standings.append(Standing(name, tuple(sum(by[m.trec_eval] for by in values) / len(judged) for m in OFFICIAL)))
    return sorted(standings, key=lambda one: (-one.values[0], one.run))


def fetch(conn: psycopg.Connection) -> dict[str, Run]:
    """The stored runs, as pytrec_eval takes them."""
    runs: dict[str, Run] = defaultdict(lambda: defaultdict(dict))
    for run, query, docno, score in conn.execute("SELECT run, query, docno, rel_score FROM rankings"):
        runs[run][query][docno] = score
    return runs


def agree(ours: Sequence[Standing], theirs: Sequence[Standing]) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.run == other.run
        assert np.allclose(mine.values, other.values, rtol=0, atol=1e-9), (mine, other)


@contextmanager
def connection(settings: Settings) -> Iterator[psycopg.Connection]:
    with connect(settings, autocommit=True) as conn:
        conn.execute(f"SET max_parallel_workers_per_gather = {max(1, (os.cpu_count() or 2) - 1)}")  # beside the one that asks
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

    def ours() -> list[Standing]:
        return leaderboard(conn, edition="dl21")

    agree(ours(), pytrec(runs, judged))
    agree(ours(), pytrec(fetch(conn), judged))
    each = paired(ours, lambda: pytrec(runs, judged), rounds=ROUNDS, warm=2)
    one = paired(ours, lambda: pytrec(runs, judged, evaluator="one"), rounds=ROUNDS)
    fetched = paired(ours, lambda: pytrec(fetch(conn), judged), rounds=5)
    what = f"DL21, {len(runs)} runs, {ranked:,} rows"
    for peer, pair, wanted in (
        ("pytrec_eval", each, "at most 0.33"),
        ("pytrec_eval, one evaluator", one, ""),
        ("fetch, pytrec_eval", fetched, "at most 0.05"),
    ):
        tell(f"{what}: {peer}", f"{pair.ours * 1e3:.1f} ms", f"{pair.peer * 1e3:.1f} ms", pair.ratio, wanted)


def generate(conn: psycopg.Connection) -> tuple[dict[str, Run], Judgments, float]:
    """Store the generated runs. :returns: some of them and the judgments, in memory, and the share of the judged a run finds."""
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
        cursor.execute("INSERT INTO qrels_editions (edition) VALUES ('generated')")
        with cursor.copy("COPY qrels_judgments (edition, query, doc, rel) FROM STDIN") as copy:
            for key, query in enumerate(queries, 1):
                for docno, rel in judged[query].items():
                    copy.write_row((1, key, int(docno), rel))
        with bulk(conn), cursor.copy("COPY st1_rankings (run, query, doc, rank, rel_score) FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
            for run in range(RUNS):
                copy.write(binary(run + 1, np.take_along_axis(docs, top[run], axis=1)).tobytes())
            copy.write(b"\xff\xff")
    conn.execute("VACUUM (ANALYZE)")
    found = np.mean([
        np.isin(np.take_along_axis(docs, top[run], axis=1)[number], [int(doc) for doc in judged[query]]).sum() / JUDGED
        for run in range(SAMPLE)
        for number, query in enumerate(queries)
    ])  # fmt: skip
    sample: dict[str, Run] = {
        names[run]: {
            query: {str(docs[number, doc]): 1.0 / (rank + 1) for rank, doc in enumerate(top[run, number])}
            for number, query in enumerate(queries)
        }
        for run in range(SAMPLE)
    }
    return sample, judged, float(found)


def binary(run: int, docs: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, Any]:
    """Rows of COPY's binary format: run, query, doc, rank, 1 / rank, each with its length before it."""
    columns = (("run", ">i4"), ("query", ">i4"), ("doc", ">i8"), ("rank", ">i4"), ("score", ">f8"))
    fields = [("columns", ">i2"), *(part for name, kind in columns for part in ((f"{name}_length", ">i4"), (name, kind)))]
    rows = np.empty(docs.shape, dtype=fields)
    rows["columns"] = len(columns)
    for name, kind in columns:
        rows[f"{name}_length"] = np.dtype(kind).itemsize
    rows["run"], rows["query"], rows["doc"] = run, np.arange(1, len(docs) + 1)[:, None], docs
    rows["rank"] = np.arange(1, docs.shape[1] + 1)
    rows["score"] = 1.0 / rows["rank"]
    return rows


@contextmanager
def bulk(conn: psycopg.Connection) -> Iterator[None]:
    """Take the constraints of st1_rankings away and put them back as they were: a sort for each index, not ten million descents."""
    constraints = conn.execute(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conrelid = 'st1_rankings'::regclass AND contype IN ('p', 'u', 'f') ORDER BY contype = 'f'"
    ).fetchall()
    for name, _ in reversed(constraints):
        conn.execute(f'ALTER TABLE st1_rankings DROP CONSTRAINT "{name}"')
    yield
    for name, definition in constraints:
        conn.execute(f'ALTER TABLE st1_rankings ADD CONSTRAINT "{name}" {definition}')


def generated(conn: psycopg.Connection) -> None:
    sample, judged, found = generate(conn)
    theirs = pytrec(sample, judged)
    agree([one for one in leaderboard(conn, edition="generated") if one.run in sample], theirs)
    pair = paired(lambda: leaderboard(conn, edition="generated"), lambda: pytrec(sample, judged), rounds=7)
    rows = RUNS * QUERIES * DEPTH
    ours, peer = rows / pair.ours, SAMPLE * QUERIES * DEPTH / pair.peer
    print(f"{RUNS} runs × {QUERIES} queries × {DEPTH} ranks; a run finds {found:.0%} of the {JUDGED} judged documents of a query")
    tell(
        f"{rows:,} ranked rows: rows a second, pytrec_eval on {SAMPLE} runs",
        f"{ours / 1e6:.1f} M/s", f"{peer / 1e6:.1f} M/s", peer / ours, "at least 10 M/s",
    )  # fmt: skip


def main() -> None:
    with server() as running:
        with collection(running, "bench_dl21") as settings, connection(settings) as conn:
            dl21(conn, data() / "trec-dl" / "dl21")
        with collection(running, "bench_generated") as settings, connection(settings) as conn:
            generated(conn)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--dsn", help="a server to use instead of an embedded one  [STC_DSN]")
    if (chosen := arguments.parse_args().dsn) is not None:
        os.environ["STC_DSN"] = chosen
    main()
