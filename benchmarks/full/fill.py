"""Fill the collection, and measure each step per document, at a fraction of the size and at full size."""

from __future__ import annotations

import statistics
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import psutil  # type: ignore[import-untyped, unused-ignore]
import psycopg

from benchmarks.common import collection, dsn, tell, timed
from benchmarks.full.documents import STRIDE, Seeds
from stcollection.corpus.load import load
from stcollection.db.settings import Settings
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.npy import load_npy

BARE = {  # table: the stored columns that a load fills
    "dblp": "id, docno, doc, stub",
    "dblp_text": "id, title, abstract",
}


def loaded(settings: Settings, files: Sequence[Path]) -> None:
    """Load files; compare with a raw COPY, and the time of the first and the last third of the files."""
    with memory() as peak:
        done = load(dsn(settings), [str(file) for file in files])
    documents, seconds = sum(one.documents for one in done), sum(one.seconds for one in done)
    with psycopg.connect(dsn(settings), autocommit=True) as conn:
        bare = copied(conn)
    each = seconds / documents
    tell(f"load of {documents:,} documents", f"{seconds:.0f} s", f"{1e6 * each:.0f} µs per document")
    tell("load beside a raw COPY of the prepared rows", f"{1e6 * each:.0f} µs", f"{1e6 * bare:.0f} µs", each / bare)
    if len(done) > 3:  # the first file also waits for the workers to start
        third = max(1, len(done) // 3)
        first, last = (statistics.mean(one.seconds for one in some) for some in (done[1 : 1 + third], done[-third:]))
        tell("time per file, last third to first third", f"{last / first:.2f} ×", "", None, "at most 1.15")
    tell("memory of the loader, and of its largest worker", f"{peak[0] / 2**20:.0f} MB", f"{peak[1] / 2**20:.0f} MB")


@contextmanager
def memory() -> Iterator[list[int]]:
    """Yield the bytes by which this process grew at most, and the bytes of its largest child, sampled twice a second."""
    own = psutil.Process()
    before, peak, ended = own.memory_info().rss, [0, 0], threading.Event()

    def sample() -> None:
        while not ended.wait(0.5):
            with suppress(psutil.Error):
                peak[0] = max(peak[0], own.memory_info().rss - before)
                peak[1] = max([peak[1], *(one.memory_info().rss for one in own.children(recursive=True))])

    watcher = threading.Thread(target=sample)
    watcher.start()
    try:
        yield peak
    finally:
        ended.set()
        watcher.join()


def number(conn: psycopg.Connection, query: str) -> int:
    """Return the value of a query with one row and column."""
    row = conn.execute(query.encode()).fetchone()
    return int(row[0]) if row else 0


def copied(conn: psycopg.Connection) -> float:
    """Return seconds per document of a raw COPY of prepared rows of dblp and dblp_text, with their indexes; the last copy."""
    after = number(conn, "SELECT max(id) FROM dblp") - STRIDE
    seconds, rows = 0.0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        for table, columns in BARE.items():
            file = folder / f"{table}.copy"
            conn.execute(f"COPY (SELECT {columns} FROM {table} WHERE id > {after}) TO '{file}' (FORMAT BINARY)".encode())
            conn.execute(f"CREATE TABLE bare_{table} (LIKE {table} INCLUDING GENERATED INCLUDING INDEXES)".encode())
            statement = f"COPY bare_{table} ({columns}) FROM '{file}' (FORMAT BINARY)".encode()
            seconds += timed(lambda: conn.execute(statement))  # noqa: B023
            rows = number(conn, f"SELECT count(*) FROM bare_{table}")
            conn.execute(f"DROP TABLE bare_{table}".encode())
    return seconds / rows


def text_indexed(conn: psycopg.Connection) -> None:
    documents = number(conn, "SELECT count(*) FROM dblp_text")
    with peak_of(conn) as peak:
        seconds = timed(lambda: conn.execute("CALL stc.index_text()"))
    tell(f"text index of {documents:,} documents", f"{seconds:.0f} s", f"{1e6 * seconds / documents:.0f} µs per document")
    tell("peak memory of its server process", peak[0])
    seconds = timed(lambda: conn.execute("VACUUM (ANALYZE) dblp, dblp_text, dblp_facts"))
    tell("VACUUM (ANALYZE)", f"{seconds:.0f} s")


@contextmanager
def peak_of(conn: psycopg.Connection) -> Iterator[list[str]]:
    """Yield a list that then has the peak memory of the connection's server process, without shared memory if it is known."""
    peak: list[str] = []
    yield peak
    if psutil.pid_exists(conn.info.backend_pid):
        said = Path(f"/proc/{conn.info.backend_pid}/status").read_text()
        named = (line.split() for line in said.splitlines() if line.startswith(("VmHWM:", "RssShmem:")))
        values = {words[0].rstrip(":"): int(words[1]) / 1024 for words in named}
        peak.append(f"{values.get('VmHWM', 0):.0f} MB ({values.get('RssShmem', 0):.0f} MB shared)")
    else:
        peak.append("not known")


def small(at: Settings, files: Sequence[Path]) -> None:
    """Load and index some of the files in a separate collection, for comparison."""
    with collection(at, "bench_full_small") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
        loaded(settings, files)
        text_indexed(conn)


def vectors_stored(conn: psycopg.Connection, seeds: Seeds, folder: Path, copies: int) -> None:
    """Store vectors of titles and abstracts, copy by copy. A marker file tells which copies are stored."""
    stored, seconds = 0, 0.0
    for copy in range(copies):
        marker = folder / f"vectors-{copy:03}"
        if marker.exists():
            continue
        for field, (ids, vectors) in (("abstract", seeds.abstracts(copy)), ("title", seeds.titles(copy))):
            np.save(folder / "v.npy", vectors)
            np.save(folder / "ids.npy", ids)
            done = load_npy(conn, vectors=folder / "v.npy", ids=folder / "ids.npy", field=field)
            stored, seconds = stored + done.stored, seconds + done.seconds
        marker.touch()
    if stored:
        tell(f"{stored:,} vectors of titles and abstracts stored", f"{seconds:.0f} s", f"{stored / seconds:,.0f} per second")
    conn.execute("VACUUM (ANALYZE) dblp_v")


def titles_indexed(conn: psycopg.Connection) -> None:
    [made] = index(conn, fields=["title"], options=IndexOptions(kind="ivfflat"))
    tell(
        f"{made.rows:,} vectors, {made.lists} lists", f"{made.seconds:.0f} s", f"{1e6 * made.seconds / made.rows:.0f} µs per vector"
    )


def disk(conn: psycopg.Connection) -> None:
    """Tell the size of the largest tables, each with its TOAST table, and indexes, and of the whole collection."""
    documents = number(conn, "SELECT count(*) FROM dblp")
    rows = conn.execute(
        "SELECT CASE relkind WHEN 'i' THEN 'index ' ELSE 'table ' END || relname,"
        " CASE relkind WHEN 'i' THEN pg_relation_size(oid) ELSE pg_table_size(oid) END AS bytes FROM pg_class"
        " WHERE relnamespace IN ('public'::regnamespace, 'stc'::regnamespace) AND relkind IN ('r', 'i')"
        " ORDER BY bytes DESC LIMIT 15"
    ).fetchall()
    whole = conn.execute("SELECT pg_database_size(current_database())").fetchone()
    for name, size in [*rows, ("the whole collection", whole[0] if whole else 0)]:
        goal = "at most 45 GB" if name.startswith("the whole") and documents > 4_000_000 else ""
        tell(name, f"{size / 1e9:.2f} GB", f"{size / documents:,.0f} bytes per document", None, goal)
