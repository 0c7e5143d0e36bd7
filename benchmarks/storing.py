"""Store runs, judgments and vectors, compared with COPY of the same rows into a bare table whose indexes are built afterwards.

A run of 300 queries × 1,000 documents is stored by every path of the product, with 10 and with 1,000 runs of 300 × 20 documents
already stored. The anchor copies the rows into a table without constraints, and then builds three indexes. pytrec_eval reads and
scores the file of the run. Each round measures all of them; the table shows medians of seconds and of the ratios to the anchor. Of
a restored dump and an opened bundle, it shows the seconds with two such runs minus those with one, so that both contain the same
documents. Then come the operations that read or remove runs. A participant's session stores and reads runs under row policies.
--documents 4960000 measures at that size.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import psycopg
import pytrec_eval

from benchmarks.common import collection, exists, server, tell, timed
from benchmarks.scoring import connection, forget, kept_out
from stcollection.bundle.make import make_bundle
from stcollection.bundle.open import open_bundle
from stcollection.corpus.removal import remove_documents
from stcollection.counts import counted
from stcollection.db.backup.dump import dump
from stcollection.db.backup.restore import restore
from stcollection.db.collections import drop
from stcollection.db.members import add_member, drop_member
from stcollection.db.settings import Settings
from stcollection.evaluation.score import RunStanding, judge, leaderboard
from stcollection.qrels.editions import drop_edition
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import ImportOptions, import_runs
from stcollection.vectors.npy import load_npy

DOCUMENTS, STAGES, ROUNDS, LARGE = 110_293, (10, 1000), 3, 5_000_000
QUERIES, DEPTH, STORED, JUDGED, RERANKED = 300, 1000, 20, 100, 100
VECTORS, DIMENSIONS = 100_000, 384
PARTICIPANT, TEAM = "bench_participant", "bench"
MADE, ANCHOR = "made", "COPY into a bare table, then three indexes"
RUN = "run, query, doc, rank, rel_score"
RUN_INDEXES = ("(query, doc, run) INCLUDE (rank)", "(run, query, rank) INCLUDE (doc)", "(doc)")
# Each query has a permutation of all documents; the document at a rank is drawn from the next five.
RANKED = """SELECT {run}::integer AS run, q::integer AS query,
       1 + (q * 7919 + (5 * g - 1 - floor(5 * random())::bigint) * 104729) % {documents} AS doc, g::integer AS rank,
       ({depth} - g + random()) / {depth} AS rel_score
  FROM generate_series(1::bigint, {queries}) q, generate_series(1::bigint, {depth}) g ORDER BY q, g"""
JUDGMENTS = """SELECT {edition} AS edition, q AS query, 1 + (q * 7919 + g * 104729) % {documents} AS doc, g % 3 AS rel
  FROM generate_series(1::bigint, {queries}) q, generate_series(0::bigint, {depth} - 1) g ORDER BY random()"""
BY_QUERY = "SELECT query, array_agg(doc ORDER BY rank), array_agg(rel_score ORDER BY rank) FROM new_run GROUP BY 1"
ONE_QUERY = "SELECT * FROM stc.st1_rankings WHERE run = (SELECT id FROM st1_runs WHERE run = 'large1') AND query = 7 ORDER BY rank"
PLAN = """EXPLAIN (SUMMARY, FORMAT JSON) SELECT r.run, r.query, array_agg(r.rank) FROM stc.st1_rankings r
  JOIN qrels_judgments j ON j.query = r.query AND j.doc = r.doc AND j.edition = 1
 WHERE r.run = ANY (ARRAY(SELECT id FROM st1_runs)) GROUP BY 1, 2"""


@dataclass(frozen=True)
class Bench:
    """A collection with stored runs. Its session has the rows of one more run in the table ``new_run``.

    :param participant: session of a role with a team, to which row policies apply.
    """

    settings: Settings
    conn: psycopg.Connection
    participant: psycopg.Connection
    folder: Path
    documents: int
    stored: int

    @property
    def file(self) -> Path:
        return self.folder / "new.run"

    def do(self, statement: str, *arguments: object) -> None:
        self.conn.execute(statement.encode(), arguments or None)

    def number(self, query: str) -> int:
        row = self.conn.execute(query.encode()).fetchone()
        return int(row[0]) if row else 0

    def ranked(self, run: int, depth: int) -> str:
        return RANKED.format(run=run, documents=self.documents, queries=QUERIES, depth=depth)

    def judgments(self, edition: int, depth: int) -> str:
        return JUDGMENTS.format(edition=edition, documents=self.documents, queries=QUERIES, depth=depth)

    def read(self, query: str, form: str = "") -> bytes:
        with self.conn.cursor().copy(f"COPY ({query}) TO STDOUT {form}".encode()) as copy:
            return b"".join(bytes(block) for block in copy)

    def write(self, rows: bytes, table: str, form: str = "") -> None:
        with self.conn.cursor().copy(f"COPY {table} FROM STDIN {form}".encode()) as copy:
            copy.write(rows)

    def remove(self, *runs: str) -> None:
        self.do("SELECT drop_runs(%s)", list(runs))

    def stc(self, *arguments: str) -> None:
        where = {"STC_HOME": str(self.settings.home)} if self.settings.dsn is None else {"STC_DSN": self.settings.dsn}
        command = [sys.executable, "-m", "stcollection", "--db", self.settings.db, *arguments]
        subprocess.run(command, env={**os.environ, **where}, check=True, capture_output=True)


@contextmanager
def participant(settings: Settings, conn: psycopg.Connection) -> Iterator[psycopg.Connection]:
    add_member(conn, PARTICIPANT, kind="participant", team=TEAM, password=PARTICIPANT)
    try:
        with connection(settings) as theirs:
            theirs.execute(f"SET ROLE {PARTICIPANT}".encode())
            yield theirs
    finally:
        drop_member(conn, PARTICIPANT)


def fill(bench: Bench) -> None:
    """Store documents, queries, judgments and runs; print the bytes of a ranked row."""
    bench.do(f"INSERT INTO dblp (id, docno, doc) SELECT g, g, '{{}}' FROM generate_series(1, {bench.documents}) g")
    bench.do(f"INSERT INTO st1_queries (query, text) SELECT 'q' || g, 'words ' || g FROM generate_series(1, {QUERIES}) g")
    edition = bench.number("INSERT INTO stc_all.qrels_editions (edition) VALUES ('judged') RETURNING id")
    bench.do(f"INSERT INTO qrels_judgments (edition, query, doc, rel) {bench.judgments(edition, JUDGED)}")
    bench.do("VACUUM (ANALYZE)")
    before = bench.number("SELECT pg_database_size(current_database())")
    rows = generate(bench, "stored", bench.stored, STORED)
    bench.do("VACUUM (ANALYZE)")
    size = bench.number("SELECT pg_database_size(current_database())") - before
    tell(f"bytes a ranked row with indexes, {rows:,} rows", f"{size / rows:.0f}", "", None, "at most 115")
    bench.do(f"CREATE TEMPORARY TABLE new_run AS {bench.ranked(0, DEPTH)}")
    bench.do("ANALYZE new_run")
    line = "concat_ws(' ', 'q' || query, 'Q0', doc, rank, rel_score, 'new')"
    bench.file.write_bytes(bench.read(f"SELECT {line} FROM new_run ORDER BY query, rank"))


def generate(bench: Bench, name: str, runs: int, depth: int) -> int:
    """Store generated runs and return their number of rows."""
    columns = ", ".join(f"array_agg({one})" for one in ("query", "doc", "rank", "rel_score"))
    stored = 0
    for turn in range(1, runs + 1):
        run = bench.number(f"INSERT INTO st1_runs (run) VALUES ('{name}{turn}') RETURNING id")
        stored += bench.number(f"SELECT stc.store_rankings({run}, {columns}) FROM ({bench.ranked(run, depth)}) r")
    assert stored == runs * QUERIES * depth, stored
    return stored


def bare(bench: Bench, columns: str, table: str, rows: bytes, indexes: Sequence[str], form: str = "") -> float:
    """Return the seconds to copy rows into a bare table with columns like those of ``table``, and to build its indexes."""
    bench.do(f"CREATE TABLE public.bare AS SELECT {columns} FROM {table} LIMIT 0")

    def call() -> None:
        bench.write(rows, "public.bare", form)
        for index in indexes:
            bench.do(f"CREATE INDEX ON public.bare {index}")

    try:
        bench.do("CHECKPOINT")
        return timed(call)
    finally:
        bench.do("DROP TABLE public.bare")


def pytrec(file: Path, judged: dict[str, dict[str, int]]) -> None:
    run: dict[str, dict[str, float]] = defaultdict(dict)
    with file.open() as lines:
        for query, _, doc, _, score, _ in map(str.split, lines):
            run[query][doc] = float(score)
    pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg_cut_10", "recip_rank", "P_10"}).evaluate(run)


def paths(bench: Bench) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each path that stores a run called ``made``. Its tables and arguments are ready when it is yielded."""
    conn, new = bench.conn, f"INSERT INTO st1_runs (run) VALUES ('{MADE}') RETURNING id"
    yield "stc load --as runs, command", lambda: bench.stc("load", "--as", "runs", str(bench.file), "--name", MADE)
    yield "stcollection.runs.load.import_runs", lambda: list(import_runs(conn, [bench.file], name=MADE))
    run = bench.number(new)
    insert = f"INSERT INTO stc.st1_rankings ({RUN}) SELECT {run}, query, doc, rank, rel_score FROM new_run"
    yield "INSERT … SELECT into stc.st1_rankings", lambda: bench.do(insert)
    rows = bench.read(f"SELECT {bench.number(new)}, query, doc, rank, rel_score FROM new_run")
    yield "COPY into stc.st1_rankings", lambda: bench.write(rows, f"stc.st1_rankings ({RUN})")
    options, theirs = ImportOptions(team=TEAM), replace(bench, conn=bench.participant)
    yield "import_runs, as a participant", lambda: list(import_runs(theirs.conn, [bench.file], name=MADE, options=options))
    begin = f"SELECT unfinished FROM stc.resume_run('{MADE}', 'bm25', {DEPTH}, NULL, false, NULL, NULL, 'all', 'query', 64, false)"
    unfinished = bench.number(begin)
    bench.do(f"INSERT INTO stc.unfinished_rankings (unfinished, query, docs, scores) SELECT {unfinished}, * FROM ({BY_QUERY}) q")
    yield "finish_run, after the searches", lambda: bench.do(f"SELECT stc.finish_run({unfinished}, NULL, false)")
    yield "fuse_runs, two runs", lambda: bench.do(f"SELECT fuse_runs('{MADE}', '{{large1,large2}}')")
    top = bench.conn.execute(
        "SELECT r.run, array_agg(r.query), array_agg(r.doc), array_agg(random()) FROM stc.st1_rankings r JOIN st1_runs n"
        " ON n.id = r.run AND n.run = 'large1' AND r.rank <= %s GROUP BY 1",
        [RERANKED],
    ).fetchone()
    rerank = f"SELECT stc.rerank_store('{MADE}', %s, %s, %s, %s, '{{}}')"
    yield f"rerank_store, {RERANKED} new scores a query", lambda: bench.do(rerank, *(top or ()))


def stored(bench: Bench, rounds: int, *, archived: bool) -> None:
    """Time the anchor, pytrec_eval and all paths in each round. :param archived: also of restored dumps and opened bundles."""
    generate(bench, "large", 2, DEPTH)
    bench.do("VACUUM (ANALYZE) stc.ranked_lists")
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for query, doc, rel in bench.conn.execute("SELECT 'q' || query, doc::text, rel FROM qrels_judgments"):
        judged[query][doc] = rel
    rows = bench.read("SELECT * FROM new_run")
    times: dict[str, list[float]] = defaultdict(list)
    for turn in range(rounds):
        times[ANCHOR].append(bare(bench, RUN, "stc.st1_rankings", rows, RUN_INDEXES))
        times["pytrec_eval reads and scores the file"].append(timed(lambda: pytrec(bench.file, judged)))
        for name, call in paths(bench):
            bench.do("CHECKPOINT")
            times[name].append(timed(call))
            bench.remove(MADE)
            bench.do("VACUUM stc.ranked_lists")
            print(f"round {turn + 1}, {name}: {times[name][-1]:.1f} s", file=sys.stderr)
        if archived:
            for name, seconds in archives(bench).items():
                times[name].append(seconds)
    show(times, f", {counted(bench.stored, 'run')}", "at most 2")


def show(times: Mapping[str, Sequence[float]], beside: str, goal: str) -> None:
    """Print medians of seconds and of the ratios to the anchor, which is the first entry."""
    anchor, *others = times.items()
    for name, seconds in (anchor, *others):
        ratio = statistics.median(one / base for one, base in zip(seconds, anchor[1], strict=True))
        wanted = "" if name == anchor[0] or name.startswith("pytrec") else goal
        tell(f"{name}{beside}", f"{statistics.median(seconds):.2f} s", f"{statistics.median(anchor[1]):.2f} s", ratio, wanted)


def archives(bench: Bench) -> dict[str, float]:
    """Return the additional seconds that a restore and the opening of a bundle take for a second large run.

    A bundle names the documents of all its runs once, and opening it stores them: most are in the first large run.
    """
    there, times = replace(bench.settings, db="bench_storing_opened"), defaultdict[str, list[float]](list)
    for which in ("with", "without"):
        if which == "without":
            bench.remove("large2")
        dump(bench.settings, bench.folder / which)
        make_bundle(bench.conn, bench.folder / f"{which}.zip")
        for name, call in (
            ("restore of a dump", lambda: restore(there, bench.folder / which)),  # noqa: B023
            ("bundle open", lambda: open_bundle(there, bench.folder / f"{which}.zip")),  # noqa: B023
        ):
            if exists(there, there.db):
                drop(there)
            times[name].append(timed(call))
        drop(there)
        shutil.rmtree(bench.folder / which)
        (bench.folder / f"{which}.zip").unlink()
    bench.remove("large1")
    generate(bench, "large", 2, DEPTH)
    return {f"{name}, the share of the run": first - second for name, (first, second) in times.items()}


def reads(bench: Bench, large: int) -> None:
    """Time what reads or removes runs, which must not become slower."""
    conn = bench.conn

    def told(what: str, call: Callable[[], object], *, before: Callable[[], object] | None = None, times: int = 3) -> None:
        seconds = []
        for _ in range(times):
            if before is not None:
                before()
            seconds.append(timed(call))
        middle = statistics.median(seconds)
        tell(f"{what}, {counted(bench.stored, 'run')}", f"{middle:.2f} s" if middle > 1 else f"{1000 * middle:.1f} ms")

    def board(*runs: str) -> list[RunStanding]:
        return leaderboard(conn, edition="judged", runs=runs)

    def undone(call: Callable[[], object]) -> None:
        with conn.transaction(force_rollback=True):
            call()

    for what, runs in (("one run", ["large1"]), ("all runs", [])):
        forget(conn)
        told(f"score {what}, cold", lambda: kept_out(conn, lambda: board(*runs)))  # noqa: B023
        told(f"store the scores of {what}", lambda: judge(conn, edition="judged", runs=runs), before=lambda: forget(conn))  # noqa: B023
        bench.do("VACUUM (ANALYZE) stc_all.judged_rankings, stc_all.judged_scores")
        told(f"score {what}, stored", lambda: board(*runs), times=9)  # noqa: B023
    told("pool of depth 10, all runs", lambda: undone(lambda: bench.do("SELECT stc.make_pool('bench')")))
    docs = iter(range(1, 10**6, 7))
    told("removal of a document", lambda: undone(lambda: remove_documents(conn, [str(next(docs))])), times=9)
    for who, one in (("", bench), (", as a participant", replace(bench, conn=bench.participant))):
        told(f"leaderboard{who}", lambda: leaderboard(one.conn, edition="judged"), times=9)  # noqa: B023
        for rows_of in ("stc.st1_rankings WHERE doc = {}", "stc.rankings_of(ARRAY[{}]::bigint[])"):
            told(f"rows of a document, {rows_of}{who}", lambda: one.do(f"SELECT * FROM {rows_of.format(next(docs))}"), times=9)  # noqa: B023
        told(f"one query of one run by rank{who}", lambda: one.do(ONE_QUERY), times=51)  # noqa: B023
        plans = [plan for _ in range(9) for (plan,) in one.conn.execute(PLAN.encode())]
        milliseconds = f"{statistics.median(plan[0]['Planning Time'] for plan in plans):.1f} ms"
        tell(f"planning a join with judgments{who}, {counted(bench.stored, 'run')}", milliseconds, wanted="at most 5 ms")
    rows = generate(bench, "dropped", 1, large // QUERIES)
    bench.do("VACUUM (ANALYZE) stc.ranked_lists")
    told(f"drop a run of {rows:,} rows", lambda: bench.remove("dropped1"), times=1)


def imports(bench: Bench, rounds: int) -> None:
    """Time the imports of judgments and of vectors."""
    qrels, vectors, ids = (bench.folder / name for name in ("new.qrels", "v.npy", "ids.npy"))
    bench.do(f"CREATE TEMPORARY TABLE new_qrels AS {bench.judgments(1, DEPTH)}")
    qrels.write_bytes(bench.read("SELECT concat_ws(' ', 'q' || query, 0, doc, rel) FROM new_qrels"))
    copied, judgments = bench.read("SELECT '@', query, doc, rel FROM new_qrels"), "qrels_judgments (edition, query, doc, rel)"

    def made() -> int:
        return bench.number(f"INSERT INTO qrels_editions (edition) VALUES ('{MADE}') RETURNING id")

    random, number = np.random.default_rng(1), min(VECTORS, bench.documents)
    np.save(vectors, random.standard_normal((number, DIMENSIONS)).astype(np.float16))
    np.save(ids, random.permutation(bench.documents)[:number] + 1)
    _import(
        bench,
        rounds,
        "public.qrels_judgments",
        lambda: drop_edition(bench.conn, MADE),
        import_qrels=lambda: import_qrels(bench.conn, qrels, edition=MADE),
        stc_qrels_import=lambda: bench.stc("load", "--as", "qrels", str(qrels), "--edition", MADE),
        INSERT_SELECT=lambda: bench.do(f"INSERT INTO {judgments} SELECT {made()}, query, doc, rel FROM new_qrels"),
        COPY_by_psql=lambda: bench.write(copied.replace(b"@", b"%d" % made()), judgments),
    )
    _import(
        bench,
        rounds,
        "dblp_v",
        lambda: bench.do("TRUNCATE dblp_v"),
        load_npy=lambda: load_npy(bench.conn, vectors=vectors, ids=ids, field="abstract"),
        stc_vectors_import=lambda: bench.stc("load", "--as", "vectors", str(vectors), str(ids), "--field", "abstract"),
    )


def _import(bench: Bench, rounds: int, table: str, undo: Callable[[], object], **ways: Callable[[], object]) -> None:
    before = bench.number(f"SELECT count(*) FROM {table}")
    next(iter(ways.values()))()
    rows = bench.read(f"SELECT * FROM {table} OFFSET {before}", "(FORMAT BINARY)")
    stored = bench.number(f"SELECT count(*) FROM {table}") - before
    found = bench.conn.execute("SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass", [table])
    indexes = [definition.split(" USING btree ")[1] for (definition,) in found]
    undo()
    times = defaultdict[str, list[float]](list)
    for _ in range(rounds):
        anchor = f"COPY of {stored:,} rows of {table}, then its indexes"
        times[anchor].append(bare(bench, "*", table, rows, indexes, "(FORMAT BINARY)"))
        for name, call in ways.items():
            times[name.replace("_", " ")].append(timed(call))
            undo()
            bench.do(f"VACUUM {table}")
    show(times, "", "at most 3")


def main(
    *, documents: int = DOCUMENTS, stages: Sequence[int] = STAGES, rounds: int = ROUNDS, large: int = LARGE, runs_too: bool = True
) -> None:
    with server() as running, tempfile.TemporaryDirectory() as folder:
        for runs in stages:
            with (
                collection(running, "bench_storing") as settings,
                connection(settings) as conn,
                participant(settings, conn) as theirs,
            ):
                bench = Bench(settings, conn, theirs, Path(folder), documents, runs)
                fill(bench)
                if runs_too:
                    stored(bench, rounds, archived=runs == min(stages))
                    reads(bench, large)
                if runs == min(stages):
                    imports(bench, rounds)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--documents", type=int, default=DOCUMENTS, help="Number of documents.  [default: %(default)s]")
    arguments.add_argument("--runs", type=int, nargs="+", default=STAGES, help="Numbers of stored runs.  [default: 10 1000]")
    arguments.add_argument("--rounds", type=int, default=ROUNDS, help="Number of rounds.  [default: %(default)s]")
    arguments.add_argument("--large", type=int, default=LARGE, help="Rows of the run that is dropped.  [default: %(default)s]")
    arguments.add_argument("--imports", action="store_true", help="Measure only the imports of judgments and of vectors.")
    given = arguments.parse_args()
    main(documents=given.documents, stages=given.runs, rounds=given.rounds, large=given.large, runs_too=not given.imports)
