"""Commands in separate processes, blocked within a statement, and the contents of a collection for comparison."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import psycopg
from click.testing import CliRunner
from psycopg import sql

from stcollection import demo
from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.vectors.embed import embed
from tests.acceptance.conftest import environment
from tests.at_once import HEARS, until
from tests.in_process import in_new_words
from tests.vectors.worlds import BagOfWords, clustered, put_vectors

TRAIN, QUERIES = demo.CORPUS.parent / "demo.train.qrels", demo.QUERIES
AGAIN = "Run the same command again: committed work is kept."

# By name, not by id, because rolled-back statements use up numbers of sequences; and without times.
CONTENTS = {
    "documents": "SELECT docno, stub, doc FROM dblp",
    "texts": "SELECT docno, title, abstract, tsv FROM dblp_text t JOIN dblp USING (id)",
    "facts": "SELECT docno, year, n_citation, n_reference FROM dblp_facts JOIN dblp USING (id)",
    "files": "SELECT path, state, documents, duplicates, rejects FROM stc.corpus_ledger",
    "chunks": "SELECT path, chunk, c.documents, c.duplicates, c.rejects FROM stc.corpus_chunks c JOIN stc.corpus_files f"
    " ON f.id = c.file",
    "rejects": "SELECT path, line, docno, reason FROM stc.corpus_rejects r JOIN stc.corpus_files f ON f.id = r.file",
    "lengths": "SELECT docno, tokens FROM stc.text_lengths JOIN dblp USING (id)",
    "lexemes": "SELECT lexeme, documents, occurrences FROM stc.text_lexemes",
    "text index": "SELECT config, k1, b, documents, tokens, engine, stale FROM stc.text_index",
    "vectors": "SELECT docno, title_v::text, abstract_v::text, content_v::text FROM dblp_v JOIN dblp USING (id)",
    "models": "SELECT model, name, dim, relation FROM stc.vector_models",
    "vector indexes": "SELECT model, field, kind, rows FROM stc.vector_indexes",
    "measures": "SELECT docno, textstat_fkgl, read_tok FROM st1_complexity_metrics JOIN dblp USING (id)",
    "topics": "SELECT topic, text FROM st1_topics",
    "queries": "SELECT query, text, origin FROM st1_queries",
    "runs": "SELECT run, team, tag, manual, sha256 FROM st1_runs",
    "rankings": "SELECT run, query, docno, rank, rel_score FROM rankings",
    "editions": "SELECT edition, queries, judgments, grades, origins FROM edition_overview",
    "judgments": "SELECT e.edition, q.query, d.docno, rel, j.origin, annotator, s.docno AS source, similarity"
    " FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition JOIN st1_queries q ON q.id = j.query"
    " JOIN dblp d ON d.id = j.doc LEFT JOIN dblp s ON s.id = j.source_doc",
    "qrels files": "SELECT edition, path, judgments, added FROM stc_all.edition_files",
    "pools": "SELECT p.pool, q.query, docno, m.position FROM stc_all.qrels_pool_documents m JOIN stc_all.qrels_pools p"
    " ON p.id = m.pool"
    " JOIN st1_queries q ON q.id = m.query JOIN dblp d ON d.id = m.doc",
    "sheets": "SELECT doc, annotator, rel, submitted IS NOT NULL FROM stc_all.qrels_assessments",
}


def contents(conn: psycopg.Connection) -> dict[str, list[str]]:
    """Contents of the collection by kind: sorted rows as text."""
    return {
        what: sorted(row[0] for row in conn.execute(f"SELECT t::text FROM ({query}) t".encode()))
        for what, query in CONTENTS.items()
    }


def same(conn: psycopg.Connection, dsn: str) -> None:
    """Check that both collections have the same contents."""
    with psycopg.connect(dsn, autocommit=True) as other:
        assert contents(conn) == contents(other)


class Command:
    """``stc`` as a process; its output is read from files during and after its run."""

    program = HEARS

    def __init__(self, settings: Settings, folder: Path, *arguments: str | Path, **env: str) -> None:
        self.settings = settings
        self._out, self._err = folder / f"out.{time.monotonic_ns()}", folder / f"err.{time.monotonic_ns()}"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-c", self.program, *in_new_words([str(word) for word in arguments])],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment(settings) | env,
                start_new_session=True,
            )

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    def ends(self, code: int = 0) -> Command:
        """Wait for its end and check its exit code."""
        got = self.process.wait(timeout=120)
        assert got == code, f"exit code {got}\n{self.out}\n{self.err}"
        assert "Traceback" not in self.err
        return self

    def refused(self, sentence: str, hint: str, code: int = 5) -> Command:
        """Check that it ends with this exit code and an error message with a hint."""
        self.ends(code)
        told = self.err.strip().splitlines()
        assert told[-2].startswith("stc: "), self.err
        assert sentence in told[-2], self.err
        assert hint in told[-1], self.err
        return self

    def interrupt(self) -> None:
        """Send ctrl-C to all processes of its group, as a terminal does."""
        os.killpg(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


# Sessions of commands without those of their watches.
_OURS = "datname = current_database() AND application_name ~ '^stc .*[[]' AND pid <> pg_backend_pid()"


def waiting(conn: psycopg.Connection) -> list[int]:
    """Sessions of commands that wait for a lock."""
    return [row[0] for row in conn.execute(f"SELECT pid FROM pg_stat_activity WHERE {_OURS} AND wait_event_type = 'Lock'".encode())]


def others(conn: psycopg.Connection) -> int:
    """Other sessions of the database."""
    row = conn.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    ).fetchone()
    return int(row[0]) if row else 0


def end(conn: psycopg.Connection) -> None:
    """Terminate the sessions of commands, as an administrator would."""
    conn.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {_OURS}".encode())


@contextmanager
def held(conn: psycopg.Connection, table: str, mode: str = "SHARE") -> Iterator[psycopg.Connection]:
    """An open transaction that locks a table, so that writers wait; rolled back at the end."""
    with psycopg.connect(conn.info.dsn, application_name="somebody") as keeper:
        keeper.execute(sql.SQL("LOCK TABLE {} IN {} MODE").format(sql.Identifier(*table.split(".")), sql.SQL(mode)))
        try:
            yield keeper
        finally:
            with suppress(psycopg.OperationalError):  # the server may have stopped
                keeper.rollback()


def held_up(conn: psycopg.Connection, command: Command) -> None:
    """Wait until a command waits for a lock."""
    until(lambda: waiting(conn) or command.process.poll() is not None)
    assert command.process.poll() is None, f"it was over before:\n{command.out}\n{command.err}"


def here(dsn: str, *arguments: str | Path) -> None:
    """Run the same command undisturbed in this process."""
    done = CliRunner().invoke(stc, [str(one) for one in arguments], env={"STC_DSN": dsn, "STC_DB": None}, catch_exceptions=False)
    assert done.exit_code == 0, done.output


def trec(path: Path, documents: list[str], *, queries: int = 3, tag: str = "t") -> Path:
    """A run with the queries of the demo."""
    names = [f"D0{number}.1" for number in range(1, queries + 1)]
    path.write_text("".join(f"{q} Q0 {doc} 1 {100 - n}.5 {tag}\n" for q in names for n, doc in enumerate(documents)))
    return path


def stocked(conn: psycopg.Connection, tmp_path: Path) -> None:
    """Documents, queries and judgments of the demo with vectors, a text index, two runs and an assessed pool."""
    dsn = conn.info.dsn
    here(dsn, "corpus", "load", demo.CORPUS)
    here(dsn, "topics", "load", QUERIES)
    here(dsn, "text", "index", "--engine", "portable")  # an index of pg_textsearch must not be copied with a database
    here(dsn, "qrels", "import", "--edition", "train", TRAIN)
    documents = [row[0] for row in conn.execute("SELECT docno FROM dblp WHERE NOT stub ORDER BY docno LIMIT 20")]
    here(dsn, "runs", "import", trec(tmp_path / "one.run", documents[:12]), trec(tmp_path / "two.run", documents[6:]))
    here(dsn, "qrels", "pool", "make", "pool", "--depth", "5")
    conn.execute(
        "INSERT INTO stc_all.qrels_assessments (pool, query, doc, annotator, rel)"
        " SELECT pool, query, doc, 'ann', doc % 3 FROM stc_all.qrels_pool_documents"
    )
    embed(conn, model=BagOfWords("minilm", 384))


FIRST = 10_000_000  # ids of documents with a vector only


def busy(conn: psycopg.Connection, tmp_path: Path) -> None:
    """:func:`stocked` with 3,000 more title vectors, whose full index takes a second to build, and a small index of them."""
    stocked(conn, tmp_path)
    put_vectors(conn, title=dict(enumerate(clustered(3000, seed=7), start=FIRST)))
    here(conn.info.dsn, "vectors", "index", "--field", "title", "--lists", "5")


def vectors(folder: Path, ids: list[int], seed: int = 1) -> tuple[Path, Path]:
    """External vectors: an .npy file and a file with their document ids."""
    made, documents = folder / "made.npy", folder / "ids.npy"
    np.save(documents, np.array(ids, dtype=np.int64))
    np.save(made, np.random.default_rng(seed).normal(size=(len(ids), 384)).astype(np.float32))
    return made, documents
