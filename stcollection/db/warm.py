"""Read what searches read into memory, in order, which a disk does many times as fast as the searches would."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

from stcollection.cells import HtmlFields
from stcollection.db.connection import connect
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.rows import records
from stcollection.db.settings import Settings
from stcollection.db.tuning import memory_mib
from stcollection.errors import translate

# In the order of sql/db/search_files.sql.
PARTS = ("text index", "filters", "vector indexes", "vectors", "texts")

_BLOCK = 2**22
_MEMINFO = Path("/proc/meminfo")


@dataclass(frozen=True, kw_only=True)
class Warmed(HtmlFields):
    """A part of a collection that was read.

    :param part: one of ``PARTS``. :param bytes: its size.
    :param read: bytes read of it; fewer if memory was full, or for indexes of another server.
    """

    part: str
    bytes: int
    read: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class _File:
    """A row of sql/db/search_files.sql."""

    part: str
    relation: str
    is_table: bool
    bytes: int
    file: str


@translate()
def warm(
    settings: Settings, *, parts: Sequence[str] = PARTS, progress: Callable[[int, int | None], None] | None = None
) -> list[Warmed]:
    """Read the indexes, vectors and texts of a collection into memory, as far as they fit, the most useful first.

    Nothing changes. Files of the embedded server are read as files. Another server reads its tables, but not its indexes; the
    extension pg_prewarm reads both: ``SELECT pg_prewarm(relation, 'read') FROM stc.search_files()``.

    :param parts: some of ``PARTS``. :param progress: called with the bytes read so far, and all.
    :returns: the parts, in the order in which they were read.
    :raises StateError: the collection is distributed.
    """
    with connect(settings) as conn:
        conn.autocommit = True
        conn.execute("SELECT stc.refuse_distributed('reading a collection into memory')")
        files = records(
            conn,
            _File,
            "SELECT part, relation::text, is_table, bytes, file FROM stc.search_files() WHERE part = ANY (%s)",
            [list(parts)],
        )
        reads = _local(settings) if settings.embedded else _remote(conn)
        room, total, finished = _memory(settings, conn), sum(file.bytes for file in files), 0
        warmed: dict[str, Warmed] = {}
        for file in files:
            began, read = time.monotonic(), 0
            for size in reads(file, room - finished):
                read += size
                if progress:
                    progress(finished + read, total)
            finished += read
            before = warmed.get(file.part, Warmed(part=file.part, bytes=0, read=0, seconds=0))
            warmed[file.part] = Warmed(
                part=file.part,
                bytes=before.bytes + file.bytes,
                read=before.read + read,
                seconds=before.seconds + time.monotonic() - began,
            )
    return list(warmed.values())


def _memory(settings: Settings, conn: psycopg.Connection) -> int:
    """Return the bytes that files can take in memory.

    For the embedded server nine tenths of what is available, without the server's own buffers, which fill up later; reading more
    would displace what was read first. For another server what it expects.
    """
    [(buffers, cached)] = conn.execute(
        "SELECT pg_size_bytes(current_setting('shared_buffers')), pg_size_bytes(current_setting('effective_cache_size'))"
    ).fetchall()
    if not settings.embedded:
        return int(cached)
    lines = _MEMINFO.read_text().splitlines() if _MEMINFO.exists() else []
    available = [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return max(0, min([*available, memory_mib() * 2**20]) * 9 // 10 - int(buffers))


def _local(settings: Settings) -> Callable[[_File, int], Iterator[int]]:
    """Return a function that reads at most some bytes of a relation's files, and yields the sizes of what it read."""
    folder = EmbeddedServer(settings.home).data

    def read(relation: _File, room: int) -> Iterator[int]:
        for segment in count():  # PostgreSQL divides a relation into files of 1 GB
            path = folder / (f"{relation.file}.{segment}" if segment else relation.file)
            try:
                file = path.open("rb", buffering=0)
            except FileNotFoundError:  # the last one, or the index was rebuilt meanwhile
                return
            with file:
                while room > 0 and (block := file.read(min(room, _BLOCK))):
                    room -= len(block)
                    yield len(block)

    return read


def _remote(conn: psycopg.Connection) -> Callable[[_File, int], Iterator[int]]:
    """Return a function that lets the server read a table if it fits, and yields its size; no statement reads an index."""

    def read(file: _File, room: int) -> Iterator[int]:
        if file.bytes <= room and file.is_table and not file.relation.startswith("pg_toast"):
            conn.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.SQL(file.relation)))  # a regclass is quoted as necessary
            yield file.bytes

    return read
