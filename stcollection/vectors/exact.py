"""Compare many queries with all vectors of a field, which are read once and multiplied in blocks, in single precision.

The server sends the vectors in binary form as it stores them, in half or single precision. Memory does not grow with the
collection: it is a block of vectors per session, their scores, and up to some millions of candidates: 75 MB for 176 queries of
depth 1,000, and at most about 600 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from threading import Event, Lock

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql

from stcollection.db.sessions import another_session
from stcollection.vectors.binary import decoded
from stcollection.vectors.model import Vectors
from stcollection.vectors.store import Model

Ids = npt.NDArray[np.int64]
Block = tuple[Ids, Vectors]  # int64[n], float32[n, dim]

ROWS = 2048  # vectors read and multiplied at once, about
_PAGES = 2048  # of the table, at least, for each session that reads
_QUERIES = 4096  # compared in one pass, and
_KEPT = 1_000_000  # at most this many nearest documents of all of them
_SPARE = 2_000_000  # further candidates, before too many are equally near


class TooManyTies(Exception):
    """Too many documents are equally near: the candidates would not fit into the memory allowed for them."""


def passes(queries: int, k: int) -> Iterator[slice]:
    """Yield the parts of the queries that one pass compares. :param k: number of nearest documents per query."""
    size = max(1, min(_QUERIES, _KEPT // k))
    return (slice(start, start + size) for start in range(0, queries, size))


def nearest(
    conn: psycopg.Connection,
    space: Model,
    field: str,
    queries: Vectors,
    *,
    k: int,
    sessions: int = 1,
    normalized: bool = False,
) -> list[Ids]:
    """Return for each query the ids of documents among which its ``k`` nearest are, by pgvector's inner product, unordered.

    They are few more than k: those whose score is so near to the k-th that rounding could change the order. The caller computes
    their scores with pgvector's operator. Documents as near as the k-th one are included. The connection is in a transaction with
    one snapshot (REPEATABLE READ), which the other sessions share.

    :param field: title, abstract or content.
    :param queries: float32[n, dim], a part that :func:`passes` yields, rounded to half precision if the collection's vectors are.
    :param sessions: number of sessions that read, each a part of the table.
    :param normalized: compare with l2_normalize of the vectors, in the precision in which they are stored.
    :raises TooManyTies: too many documents are equally near, or vectors are too long for single precision.
    """
    rounding = 2.0**-9 if normalized and space.storage == "halfvec" else 0.0
    best, stop = _Nearest(queries, k, normalized=normalized, rounding=rounding), Event()

    def compare(part: Iterator[Block]) -> None:
        try:
            for ids, vectors in part:
                if stop.is_set():
                    return
                best.add(ids, vectors)
        except BaseException:
            stop.set()
            raise

    with _one_thread(), _read(conn, space, field, sessions) as parts:
        if len(parts) == 1:
            compare(parts[0])
            return best.documents()
        with ThreadPoolExecutor(len(parts), thread_name_prefix="stc-vectors") as threads:
            try:
                for task in [threads.submit(compare, part) for part in parts]:
                    task.result()
            finally:
                stop.set()
    return best.documents()


def _one_thread() -> AbstractContextManager[object]:
    """Let BLAS multiply in the thread that calls it.

    The sessions multiply side by side. BLAS's own threads would wait for work between the blocks at the cost of a core.
    """
    try:
        from threadpoolctl import threadpool_limits  # installed with the models
    except ImportError:
        return nullcontext()
    return threadpool_limits(1, user_api="blas")  # type: ignore[no-any-return]


class _Nearest:
    """The candidates of each query so far.

    A sum of d products in single precision differs from the exact one by at most d 2^-24 |x| |y|, in whatever order they are
    added (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1; doubled here). Ours and pgvector's each do. A
    document that is more than twice the sum of both below the k-th is not among the first k.

    :param normalized: divide the vectors by their lengths. :param rounding: a further difference, of the normalized vectors.
    """

    def __init__(self, queries: Vectors, k: int, *, normalized: bool, rounding: float) -> None:
        self._queries, self._k = queries, k
        self._normalized, self._rounding = normalized, rounding
        self._lengths = np.linalg.norm(queries, axis=1)
        self._longest = 0.0
        self._floor = np.full(len(queries), -np.inf, dtype=np.float32)  # lowest score of a candidate
        self._parts: list[tuple[npt.NDArray[np.uint16], Ids, npt.NDArray[np.float32]]] = []
        self._size, self._full = 0, 2 * k * len(queries)
        self._lock = Lock()

    def add(self, ids: Ids, vectors: Vectors) -> None:
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        longest = float(lengths.max())
        if self._normalized:
            vectors /= np.maximum(lengths, np.finfo(np.float32).tiny)[:, None]
            longest = 1.0
        scores = vectors @ self._queries.T
        candidates = np.flatnonzero(scores >= self._floor)
        at, query = np.divmod(candidates, len(self._queries))
        with self._lock:
            self._longest = max(self._longest, longest)
            self._parts.append((query.astype(np.uint16), ids[at], scores.ravel()[candidates]))
            self._size += len(at)
            if self._size > self._full:
                self._reduce()

    def _reduce(self) -> None:
        """Remove candidates that cannot be among the first k any more."""
        query, ids, scores = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        order = np.argsort(query, kind="stable")
        query, ids, scores = query[order], ids[order], scores[order]
        ends = np.cumsum(np.bincount(query, minlength=len(self._queries)))
        for number, of_query in enumerate(np.split(scores, ends[:-1])):
            if len(of_query) > self._k:
                margin = (8 * self._queries.shape[1] * 2.0**-24 * self._longest + self._rounding) * self._lengths[number]
                floor = np.partition(of_query, -self._k)[-self._k] - margin
                if not np.isfinite(floor):
                    raise TooManyTies
                self._floor[number] = np.nextafter(np.float32(floor), np.float32(-np.inf))
        kept = scores >= self._floor[query]
        self._parts, self._size = [(query[kept], ids[kept], scores[kept])], int(kept.sum())
        self._full = 2 * max(self._size, self._k * len(self._queries))
        if self._size > self._k * len(self._queries) + _SPARE:
            raise TooManyTies

    def documents(self) -> list[Ids]:
        if not self._parts:
            return [np.empty(0, dtype=np.int64)] * len(self._queries)
        self._reduce()
        [(query, ids, _)] = self._parts
        return np.split(ids, np.cumsum(np.bincount(query, minlength=len(self._queries)))[:-1])


@contextmanager
def _read(conn: psycopg.Connection, space: Model, field: str, sessions: int) -> Iterator[list[Iterator[Block]]]:
    """Open the sessions; yield what each reads: the vectors on a part of the table's pages."""
    [(pages,)] = conn.execute(
        "SELECT pg_relation_size(to_regclass(quote_ident(%s))) / current_setting('block_size')::integer", [space.relation]
    ).fetchall()
    sessions = max(1, min(sessions, pages // _PAGES))
    snapshot = None if sessions == 1 else conn.execute("SELECT pg_export_snapshot()").fetchall()[0][0]
    with ExitStack() as stack:
        parts: list[Iterator[Block]] = []
        for number in range(sessions):
            session = conn
            if number:
                session = stack.enter_context(another_session(conn))
                session.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                session.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
            first, end = (pages * part // sessions for part in (number, number + 1))
            parts.append(_blocks(session, space, field, first, end))
        yield parts


def _blocks(conn: psycopg.Connection, space: Model, field: str, first: int, end: int) -> Iterator[Block]:
    """Read the vectors on pages of the table, some thousand in each statement, which returns two values: the ids, and the vectors.

    This takes two thirds of the processor time of a binary COPY, and a fifth of the client's, to which COPY sends each row.
    """
    query = sql.SQL(
        "SELECT string_agg(int8send(v.id), ''), string_agg({send}(v.{v}), '') FROM {table} v"
        " WHERE v.{v} IS NOT NULL AND v.ctid >= %s::tid AND v.ctid < %s::tid"
    ).format(send=sql.Identifier(f"{space.storage}_send"), v=sql.Identifier(f"{field}_v"), table=sql.Identifier(space.relation))
    half = space.storage == "halfvec"
    pages = 64
    while first < end:
        here = [f"({page},0)" for page in (first, min(first + pages, end))]
        row = conn.execute(query, here, binary=True).fetchone()
        first += pages
        if row is not None and row[0] is not None:
            ids = np.frombuffer(row[0], dtype=">i8").astype(np.int64)
            pages = max(1, pages * ROWS // len(ids))
            yield ids, decoded(row[1], space.dim, half=half)
