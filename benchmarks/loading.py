"""Load ACM-CR, including text indexes, compared with a COPY of the same, prepared rows into the same tables.

The peer is the fastest way for rows that are already on disk: ``COPY dblp``, then ``COPY dblp_text``, over one connection. Ours
starts from the compressed JSON. Both end with ``CALL index_text()``. Memory is the sum of the resident memory of our processes,
so shared pages are counted several times.
"""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
import psycopg

from benchmarks.common import collection, data, dsn, server, tell, timed
from stcollection.corpus.copying import dblp_rows, dblp_text_rows
from stcollection.corpus.parsing import parse
from stcollection.io.corpus.chunks import chunks
from stcollection.io.records import DocumentRecord
from stcollection.io.streams import Source

ROUNDS = 3
COPIES = {
    "dblp": "COPY dblp (id, docno, doc) FROM STDIN (FORMAT BINARY)",
    "dblp_text": "COPY dblp_text (id, title, abstract) FROM STDIN (FORMAT BINARY)",
}


@dataclass
class Memory:
    """Samples of the resident memory, in megabytes, of a process and its descendants."""

    samples: list[float] = field(default_factory=list)

    def watch(self, process: subprocess.Popen[bytes]) -> None:
        root = psutil.Process(process.pid)
        while process.poll() is None:
            with contextlib.suppress(psutil.Error):  # a process has just ended
                self.samples.append(sum(one.memory_info().rss for one in (root, *root.children(recursive=True))) / 2**20)
            time.sleep(0.05)

    @property
    def peak(self) -> float:
        return max(self.samples)

    @property
    def thirds(self) -> tuple[float, float]:
        third = len(self.samples) // 3
        return max(self.samples[:third]), max(self.samples[-third:])


def prepare(corpus: Path, folder: Path) -> int:
    """Write the rows as two COPY streams. :returns: number of documents."""
    documents = [(one.number or 0, one) for one in _documents(corpus)]
    (folder / "dblp").write_bytes(dblp_rows(documents))
    (folder / "dblp_text").write_bytes(dblp_text_rows(documents))
    return len(documents)


def _documents(corpus: Path) -> Iterator[DocumentRecord]:
    for chunk in chunks(Source(str(corpus)), format=None):
        yield from parse(chunk, on_duplicate="skip").documents.values()


def copy(conn: psycopg.Connection, folder: Path) -> None:
    for table, statement in COPIES.items():
        with conn.cursor().copy(statement.encode()) as stream, (folder / table).open("rb") as file:
            while block := file.read(2**20):
                stream.write(block)


def load(where: str, corpus: Path, memory: Memory) -> None:
    code = "import sys; from stcollection.corpus.load import load; load(sys.argv[1], [sys.argv[2]])"
    process = subprocess.Popen([sys.executable, "-c", code, where, str(corpus)])
    watcher = threading.Thread(target=memory.watch, args=(process,))
    watcher.start()
    watcher.join()
    if process.returncode:
        raise SystemExit("the load failed")


def main() -> None:
    corpus = data() / "acm-cr" / "acmcr.dblp-v12.json.zst"
    ours: list[tuple[float, float]] = []
    peer: list[tuple[float, float]] = []
    memory = Memory()
    with tempfile.TemporaryDirectory() as name, server() as at:
        folder = Path(name)
        count = prepare(corpus, folder)
        for number in range(ROUNDS):
            for which in ("ours", "peer")[:: 1 if number % 2 == 0 else -1]:
                with collection(at, "bench_loading") as settings, psycopg.connect(dsn(settings), autocommit=True) as conn:
                    conn.execute("CHECKPOINT")
                    if which == "ours":
                        memory = Memory()
                        rows = timed(partial(load, dsn(settings), corpus, memory))
                    else:
                        rows = timed(partial(copy, conn, folder))
                    times = rows, timed(partial(conn.execute, "CALL stc.index_text()"))
                    (ours if which == "ours" else peer).append(times)
                    print(f"round {number + 1}, {which}: rows {times[0]:.1f} s, indexes {times[1]:.1f} s", file=sys.stderr)
                    assert conn.execute("SELECT count(*) FROM dblp_text").fetchone() == (count,)
    _tell(count, ours, peer, memory)


def _tell(count: int, ours: list[tuple[float, float]], peer: list[tuple[float, float]], memory: Memory) -> None:
    def median(values: list[float]) -> float:
        return statistics.median(values)

    whole, whole_peer = median([sum(one) for one in ours]), median([sum(one) for one in peer])
    ratio = median([sum(one) / sum(other) for one, other in zip(ours, peer, strict=True)])
    rows, rows_peer = median([one[0] for one in ours]), median([one[0] for one in peer])
    tell(f"load and index {count:,} documents", f"{whole:.1f} s", f"one COPY: {whole_peer:.1f} s", ratio, "at most 1.1")
    tell("  rows only", f"{rows:.1f} s", f"{rows_peer:.1f} s", median([a[0] / b[0] for a, b in zip(ours, peer, strict=True)]))
    tell("  documents per second, indexes included", f"{count / whole:,.0f}", f"{count / whole_peer:,.0f}", None, "over 2,000")
    early, late = memory.thirds
    tell(
        "  memory of all processes, peak (first, last third)",
        f"{memory.peak:.0f} MB",
        f"{early:.0f}, {late:.0f} MB",
        None,
        "under 500, flat",
    )


if __name__ == "__main__":
    main()
