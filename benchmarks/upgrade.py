"""Longest wait of readers during ``stc db upgrade`` of a large collection of version 0.2, one reader per table.

A database of revision 0035 (tests/db/releases) is filled by SQL: ``STC_BENCH_ROWS`` rankings and judgments (by default 2,000,000)
and a third as many documents, scores, preferences, pool documents and answers of language models. Each reader selects a row of its
table every 50 ms. Goal: no reader waits for more than a second.
"""

from __future__ import annotations

import os
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
from psycopg import sql

from benchmarks.common import REPOSITORY, exists, server, tell
from stcollection.db.backup import programs
from stcollection.db.connection import conninfo, maintenance
from stcollection.db.roles import create_roles
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade

ROWS = int(os.environ.get("STC_BENCH_ROWS", "2000000"))
RELEASE = "0035"
TABLES = (
    "dblp", "dblp_facts", "dblp_text", "st1_queries", "st1_runs", "st1_rankings", "st1_scores", "qrels_editions",
    "qrels_judgments", "qrels_preferences", "qrels_pool_documents", "llm_answers", "text_index", "stc_objects",
)  # fmt: skip
_EVERY = 0.05
# :d documents, :q queries with at most 1,000 ranked documents each per run.
_FILL = """
SET session_replication_role = replica;
INSERT INTO dblp (id, docno, doc) SELECT 900000000 + g, 900000000 + g, jsonb_build_object('id', 900000000 + g, 'title', 'made up')
  FROM generate_series(1, %(docs)s) g;
INSERT INTO dblp_facts (id, year, n_citation) SELECT 900000000 + g, 1990 + g %% 30, g %% 100 FROM generate_series(1, %(docs)s) g;
INSERT INTO st1_queries (query, text) SELECT 'made-' || g, 'query ' || g FROM generate_series(1, 200) g;
INSERT INTO st1_runs (run, family) SELECT 'made-' || g, 'lexical' FROM generate_series(1, %(rows)s / 200000) g;
INSERT INTO st1_rankings (run, query, doc, rank, rel_score)
SELECT r.id, q.id, 900000000 + 1 + (g * 7919 + q.id * 104729 + r.id) %% %(docs)s, g, 1000 - g
  FROM st1_runs r, st1_queries q, generate_series(1, 1000) g WHERE r.run LIKE 'made-%%' AND q.query LIKE 'made-%%'
    ON CONFLICT DO NOTHING;
INSERT INTO qrels_editions (edition) VALUES ('made up');
INSERT INTO qrels_judgments (edition, query, doc, rel, annotator, similarity, hidden)
SELECT e.id, q.id, 900000000 + g, g %% 3, 'person ' || g %% 7, 0.5, false
  FROM qrels_editions e, st1_queries q, generate_series(1, %(rows)s / 200) g WHERE e.edition = 'made up' AND q.query LIKE 'made-%%';
INSERT INTO qrels_preferences (edition, query, annotator, subgroup, doc, rel, hidden)
SELECT e.id, q.id, 'a', 'b', 900000000 + g, 1, false
  FROM qrels_editions e, st1_queries q, generate_series(1, %(rows)s / 600) g WHERE e.edition = 'made up' AND q.query LIKE 'made-%%';
INSERT INTO st1_scores (edition, run, query, measure, value, hidden)
SELECT e.id, r.id, q.id, 'm' || g, 0.5, false
  FROM qrels_editions e, st1_runs r, st1_queries q, generate_series(1, 330) g
 WHERE e.edition = 'made up' AND r.run LIKE 'made-%%' AND q.query LIKE 'made-%%';
INSERT INTO qrels_pools (pool, method) VALUES ('made up', 'depth');
INSERT INTO qrels_pool_documents (pool, query, doc, position, runs, teams, best_rank)
SELECT p.id, q.id, 900000000 + g, g, 1, 1, g
  FROM qrels_pools p, st1_queries q, generate_series(1, %(rows)s / 600) g WHERE p.pool = 'made up' AND q.query LIKE 'made-%%';
INSERT INTO llm_prompts (name, sha256, template) VALUES ('made up', 'x', 'x');
INSERT INTO llm_judges (edition, model, prompt, annotator) SELECT e.id, 'm', p.id, 'm'
  FROM qrels_editions e, llm_prompts p WHERE e.edition = 'made up' AND p.name = 'made up';
INSERT INTO llm_answers (judge, query, doc, answer, rel, attempts, seconds)
SELECT j.id, q.id, 900000000 + g, '1', 1, 1, 1
  FROM llm_judges j, st1_queries q, generate_series(1, %(rows)s / 600) g WHERE j.model = 'm' AND q.query LIKE 'made-%%';
"""


def main() -> None:
    with server() as settings:
        filled = replace(settings, db=f"upgrade_of_{RELEASE}_{ROWS}")
        if not exists(settings, filled.db):
            _make(filled)
        with _copy(filled) as there:
            started = time.perf_counter()
            with Readers(there) as readers:
                upgrade(there)
            tell(f"upgrade of {ROWS:,} rankings and judgments", f"{time.perf_counter() - started:.1f} s")
            for table, longest in sorted(readers.longest.items(), key=lambda one: -one[1]):
                tell(f"longest wait for {table}", f"{longest * 1000:.0f} ms", f"{readers.reads[table]} reads")
            for error, times in readers.errors.items():
                tell(f"errors {error}", str(times))


def _make(filled: Settings) -> None:
    with maintenance(filled) as admin:
        create_roles(admin)
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(filled.db)))
        admin.execute(sql.SQL("COMMENT ON DATABASE {} IS 'stcollection'").format(sql.Identifier(filled.db)))
    env, dbname = programs.environment(conninfo(filled))
    psql = str(Path(programs.find("pg_dump", server=18)).with_name("psql"))
    with tarfile.open(REPOSITORY / "tests" / "db" / "releases" / "databases.tar.xz") as archive:
        member = archive.extractfile(f"{RELEASE}.sql")
        assert member is not None
        command = [psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", dbname, "-f", "-"]
        subprocess.run(command, input=member.read(), env=env, check=True, capture_output=True)
    with psycopg.connect(conninfo(filled), autocommit=True) as conn:
        conn.execute("SET search_path = stc, public; SELECT own_objects(), grant_rights(), put_policies()")  # of version 0.2
        fill(conn, ROWS)
        conn.execute("VACUUM ANALYZE")


def fill(conn: psycopg.Connection, rows: int) -> None:
    """Add rows to a database of version 0.2. :param rows: of rankings and of judgments; at least 200,000."""
    text = psycopg.ClientCursor(conn).mogrify(_FILL, {"rows": rows, "docs": rows // 3})
    conn.execute(text.encode())
    conn.execute("RESET session_replication_role")


@contextmanager
def _copy(filled: Settings) -> Iterator[Settings]:
    there = replace(filled, db=f"{filled.db}_copy")
    with maintenance(filled) as admin:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(there.db)))
        admin.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(sql.Identifier(there.db), sql.Identifier(filled.db))
        )
        admin.execute(sql.SQL("COMMENT ON DATABASE {} IS 'stcollection'").format(sql.Identifier(there.db)))
        try:
            yield there
        finally:
            if "STC_BENCH_KEEP" not in os.environ:
                admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(there.db)))


class Readers:
    """Context manager: one session per table that reads a row every 50 ms.

    :ivar longest: seconds of the longest read per table. :ivar reads: number of reads. :ivar errors: SQLSTATEs and their number.
    """

    def __init__(self, settings: Settings) -> None:
        self.longest: dict[str, float] = dict.fromkeys(TABLES, 0.0)
        self.reads: dict[str, int] = dict.fromkeys(TABLES, 0)
        self.errors: dict[str, int] = {}
        self._done = threading.Event()
        self._dsn = conninfo(settings)
        self._threads = [threading.Thread(target=self._read, args=[table]) for table in TABLES]

    def __enter__(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _read(self, table: str) -> None:
        query = sql.SQL("SELECT FROM {} LIMIT 1").format(sql.Identifier(table))
        options = "-c search_path=stc,public,stc_all"
        with psycopg.connect(self._dsn, autocommit=True, prepare_threshold=None, options=options) as conn:
            while not self._done.wait(_EVERY):
                started = time.perf_counter()
                try:
                    conn.execute(query)
                except psycopg.Error as error:
                    self.errors[f"{table} {error.sqlstate}"] = self.errors.get(f"{table} {error.sqlstate}", 0) + 1
                self.longest[table] = max(self.longest[table], time.perf_counter() - started)
                self.reads[table] += 1
