"""Runs, scores, expansion, readers of the page, and a killed server, at full size."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Sequence

import psycopg

from benchmarks import explore
from benchmarks.common import data, dsn, paired, tell, timed
from benchmarks.full.fill import number
from benchmarks.scoring import Judgments, Run, agree, forget, kept_out, pytrec
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.db.warm import warm
from stcollection.evaluation.score import RunStanding, judge, leaderboard
from stcollection.qrels.editions import drop_edition
from stcollection.qrels.expand import NeighbourRules, expand
from stcollection.retrieval.run import run
from stcollection.runs.listing import drop_runs, stored_runs
from stcollection.topics.load import load as load_topics

SYSTEMS = ("bm25", "rm3", "dense-title", "dense-abstract", "rocchio-abstract", "hybrid")
ALONE = ("bm25", "dense-abstract")  # also measured with one session
RUNS, SAMPLE = 50, 10
EDITION, EXPANSION, JUDGED = "pooled", "pooled-knn", 11_157
READERS = 20


def runs(conn: psycopg.Connection, systems: Sequence[str] = SYSTEMS) -> None:
    """Make a run of SimpleText's 176 queries, 1,000 documents each, with every system."""
    load_topics(conn, [data() / "simpletext" / "simpletext_2024_task1_queries.csv"], on_duplicate="first")
    for system in systems:
        started = time.perf_counter()
        made = run(conn, system=system, name=system, replace=True)
        seconds = time.perf_counter() - started
        tell(f"run by {system}, {made.queries} queries", f"{seconds:.1f} s", f"{made.ranked:,} rows", None, "at most 60 s")
        if system in ALONE:  # what the first run read from the disk is then in memory for both

            def again(workers: int | None) -> float:
                return timed(lambda: run(conn, system=system, name=system, replace=True, workers=workers))  # noqa: B023

            alone, several = again(1), again(None)
            tell(f"run by {system}, again: one session", f"{several:.1f} s", f"{alone:.1f} s", several / alone, "at most 0.62")


def scored(conn: psycopg.Connection) -> None:
    """Score 50 runs, made from those of the systems by moving documents, on pooled judgments with drawn grades."""
    made = [f"made{turn}" for turn in range(1, RUNS + 1)]
    for edition in (EDITION, EXPANSION):
        if number(conn, f"SELECT count(*) FROM qrels_editions WHERE edition = '{edition}'"):
            drop_edition(conn, edition)
    drop_runs(conn, stored_runs(conn, made))
    conn.execute("INSERT INTO st1_runs (run) SELECT 'made' || n FROM generate_series(1, %s) n", [RUNS])
    seconds = timed(lambda: [conn.execute(_MADE.encode(), [turn, ["boolean", *SYSTEMS]]) for turn in range(1, RUNS + 1)])
    rows = number(conn, "SELECT count(*) FROM rankings WHERE run LIKE 'made%'")
    tell(f"{RUNS} runs stored, {rows:,} rows", f"{seconds:.0f} s", f"{rows / seconds / 1e6:.2f} M rows/s")
    conn.execute("INSERT INTO stc_all.qrels_editions (edition) VALUES (%s)", [EDITION])
    conn.execute(_POOLED.encode(), {"edition": EDITION, "most": JUDGED})
    conn.execute("VACUUM (ANALYZE) stc.ranked_lists, qrels_judgments")
    judged: Judgments = defaultdict(dict)
    for query, docno, rel in conn.execute("SELECT query, docno, rel FROM judgments WHERE edition = %s", [EDITION]):
        judged[query][docno] = rel
    sample: dict[str, Run] = defaultdict(lambda: defaultdict(dict))
    for name, query, docno, score in conn.execute(
        "SELECT run, query, docno, score FROM rankings WHERE run = ANY (%s)", [made[:SAMPLE]]
    ):
        sample[name][query][docno] = score
    share = sum(len(docs) for by in sample.values() for docs in by.values())

    def ours() -> list[RunStanding]:
        return leaderboard(conn, edition=EDITION, runs=made)

    forget(conn)
    first = leaderboard(conn, edition=EDITION, runs=made[:SAMPLE])
    agree(first, pytrec(sample, judged))
    forget(conn)
    cold = paired(lambda: kept_out(conn, ours), lambda: pytrec(sample, judged), rounds=3)
    stored = timed(lambda: judge(conn, edition=EDITION, runs=made))
    conn.execute("VACUUM (ANALYZE) stc_all.judged_rankings, stc_all.judged_scores")
    warm = paired(ours, lambda: pytrec(sample, judged), rounds=5)
    for what, pair, goal in (("cold", cold, "at least 10 M/s"), ("cached", warm, "at least 100 M/s")):
        mine, theirs = rows / pair.ours / 1e6, share / pair.peer / 1e6
        tell(
            f"seven measures of {RUNS} runs, {what}: ranked rows per second; pytrec_eval on {SAMPLE} of them",
            f"{mine:.1f} M/s",
            f"{theirs:.1f} M/s",
            theirs / mine,
            goal,
        )
    tell("storing the results", f"{stored:.1f} s")


# A run made from that of a system: each document moves by up to 100 ranks.
_MADE = """
INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)
SELECT s.run, s.query, s.doc, s.place, 1001 - s.place
  FROM (SELECT m.id AS run, r.query, r.doc,
               row_number() OVER (PARTITION BY m.id, r.query ORDER BY r.rank + 200 * random(), r.doc) AS place
          FROM (VALUES (%s::integer)) t (n)
          JOIN st1_runs m ON m.run = 'made' || n
          JOIN st1_runs b ON b.run = (%s::text[])[1 + n %% 7]
          JOIN stc.st1_rankings r ON r.run = b.id) s
"""
_POOLED = """
INSERT INTO qrels_judgments (edition, query, doc, rel)
SELECT e.id, p.query, p.doc, p.doc %% 3
  FROM (SELECT r.query, r.doc, row_number() OVER (PARTITION BY r.query ORDER BY min(r.rank), r.doc) AS place
          FROM stc.st1_rankings r JOIN st1_runs n ON n.id = r.run WHERE n.run NOT LIKE 'made%%' GROUP BY r.query, r.doc) p,
       qrels_editions e
 WHERE e.edition = %(edition)s ORDER BY p.place, p.query LIMIT %(most)s
"""


def expanded(conn: psycopg.Connection) -> None:
    """Expand the pooled judgments to the ten nearest abstracts of each relevant document, with the vector index."""
    rules = NeighbourRules(from_rel=1, field="abstract", effort=None)
    started = time.perf_counter()
    done = expand(conn, edition=EDITION, into=EXPANSION, neighbours=10, threshold=0.8, rules=rules)
    seconds = time.perf_counter() - started
    drop_edition(conn, EXPANSION)
    tell(
        f"expansion of {done.copied:,} judgments, {done.sources:,} relevant documents with an abstract",
        f"{seconds:.1f} s",
        f"{done.added:,} added",
        None,
        "at most 60 s",
    )


def dropped(conn: psycopg.Connection) -> None:
    """Time the removal of one of the runs, and of all 50."""
    before = number(conn, "SELECT pg_total_relation_size('stc.ranked_lists')")
    one = timed(lambda: drop_runs(conn, ["made1"]))
    rest = timed(lambda: drop_runs(conn, [f"made{turn}" for turn in range(2, RUNS + 1)]))
    tell("drop one run, and the other 49", f"{one:.2f} s", f"{rest:.1f} s")
    seconds = timed(lambda: conn.execute("VACUUM (ANALYZE) stc.ranked_lists"))
    after = number(conn, "SELECT pg_total_relation_size('stc.ranked_lists')")
    tell("VACUUM, and size of ranked_lists before and after", f"{seconds:.1f} s", f"{before / 1e9:.2f} → {after / 1e9:.2f} GB")


def read(settings: Settings) -> None:
    """Time searches by 20 readers of the page, after what they read was read into memory as far as it fits."""
    started = time.perf_counter()
    read_before = sum(one.read for one in warm(settings))
    tell("stc db warm", f"{time.perf_counter() - started:.1f} s", f"{read_before / 1e9:.1f} GB")
    explore.measure(settings, users=READERS, goal="p95 at most 300 ms")


def killed(settings: Settings) -> None:
    """Kill the embedded server with SIGKILL while it writes, and time its recovery. Committed rows must be there."""
    server = EmbeddedServer(settings.home)
    with psycopg.connect(dsn(settings), autocommit=True) as conn:
        counted = "SELECT (SELECT count(*) FROM dblp) + (SELECT count(*) FROM stc.st1_rankings)"
        before = number(conn, counted)
        conn.execute("CHECKPOINT")
        conn.execute("CREATE TABLE killed (id bigint)")

    def write() -> None:
        try:
            with psycopg.connect(dsn(settings), autocommit=True) as conn:
                while True:
                    conn.execute("INSERT INTO killed SELECT * FROM generate_series(1, 1000000)")
        except psycopg.OperationalError:
            pass  # the server was killed

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(10)
    pid = server.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    writer.join()

    def started() -> None:
        server.ensure()
        with psycopg.connect(dsn(settings)) as conn:
            conn.execute("SELECT * FROM bm25_search('information retrieval', 10)").fetchall()

    seconds = timed(started)
    with psycopg.connect(dsn(settings), autocommit=True) as conn:
        lost = before - number(conn, counted)
        partial = number(conn, "SELECT count(*) % 1000000 FROM killed")
        conn.execute("DROP TABLE killed")
    tell("kill -9 while writing: start, recovery and a search", f"{seconds:.1f} s", f"{lost} rows lost", None, "at most 60 s")
    assert lost == 0, lost
    assert partial == 0, partial
    server.stop()
    tell("start after a normal stop, and a search", f"{timed(started):.1f} s", "", None, "at most 60 s")
