"""Export the stored vectors of a field to files, bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psycopg
from psycopg import sql

from stcollection.errors import BadArgument, StateError, UnknownObject, translate
from stcollection.io.writing import replace_files
from stcollection.vectors.binary import HEADER, TRAILER
from stcollection.vectors.incoming import ROWS, Ids
from stcollection.vectors.model import Vectors
from stcollection.vectors.parquet import Writer
from stcollection.vectors.sparse import STORAGE
from stcollection.vectors.sparse_export import write_sparse
from stcollection.vectors.store import DOCUMENT_FIELDS, registered, require_idle

Block = tuple[Ids, list[str], Vectors]


@dataclass(frozen=True, kw_only=True)
class ExportedVectors:
    """Counts of an export."""

    model: str
    vectors: int
    dim: int


@translate()
def export(
    conn: psycopg.Connection,
    *,
    out: Path,
    ids: Path | None = None,
    field: str,
    model: str | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> ExportedVectors:
    """Write the vectors of a field in the order of document ids.

    The output is two ``.npy`` files with float32[n, dim] and int64[n], or one Parquet file (id, docno, vector). Sparse vectors are
    a SciPy matrix and ids, or JSON lines of Pyserini. An existing file is replaced after the new one is complete.

    :param out: ``NAME.npy`` or ``NAME.parquet``; of sparse vectors ``NAME.npz`` or ``NAME.jsonl``.
    :param ids: file for the ids, with ``.npy`` and ``.npz`` only.
    :param model: a short name; None uses the default.
    :raises BadArgument: neither kind of file, or no file for the ids.
    :raises StateError: there are no such vectors, or the connection is inside a transaction.
    """
    if field not in DOCUMENT_FIELDS:
        raise UnknownObject(
            f"there are no vectors of a field {field}", hint=f"The fields are {', '.join(DOCUMENT_FIELDS)}.", sqlstate="IR106"
        )
    require_idle(conn)
    with conn.transaction():
        space = registered(conn, model)
    sparse = space.storage == STORAGE
    pair, alone = (".npz", ".jsonl") if sparse else (".npy", ".parquet")
    if out.suffix != (alone if ids is None else pair):
        raise BadArgument(
            f"cannot write {'sparse ' if sparse else ''}vectors to {out}{f' and {ids}' if ids else ''}",
            hint=f"Give VECTORS{pair} and IDS.npy, or VECTORS{alone} alone.",
        )
    files = [file for file in (out, ids) if file is not None]
    with replace_files(*files) as parts, conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")  # so that the count matches the rows
        names = {"v": sql.Identifier(f"{field}_v"), "table": sql.Identifier(space.relation)}
        row = conn.execute(sql.SQL("SELECT count({v}) FROM {table}").format(**names)).fetchone()
        total = int(row[0]) if row else 0
        if total == 0:
            raise StateError(
                f"there are no {field} vectors of {space.model}", hint="'stc vectors embed' makes them.", sqlstate="IR405"
            )
        query = sql.SQL(
            "COPY (SELECT v.id, d.docno, v.{v}::{storage}({dim}) FROM {table} v JOIN dblp d USING (id) WHERE v.{v} IS NOT NULL"
            " ORDER BY v.id) TO STDOUT (FORMAT BINARY)"
        ).format(dim=sql.Literal(space.dim), storage=sql.SQL(STORAGE if sparse else "vector"), **names)
        if sparse:
            write_sparse(conn, parts, query, space, total, progress)
        else:
            write = _npy if ids else _parquet
            write(parts, _blocks(conn, query, space.dim), total, space.dim, progress)
    return ExportedVectors(model=space.model, vectors=total, dim=space.dim)


def _npy(
    parts: list[Path], blocks: Iterator[Block], total: int, dim: int, progress: Callable[[int, int | None], None] | None
) -> None:
    with ExitStack() as stack:
        table, names = (stack.enter_context(part.open("wb")) for part in parts)
        np.lib.format.write_array_header_1_0(table, {"descr": "<f4", "fortran_order": False, "shape": (total, dim)})
        np.lib.format.write_array_header_1_0(names, {"descr": "<i8", "fortran_order": False, "shape": (total,)})
        written = 0
        for ids, _, vectors in blocks:
            names.write(ids.astype("<i8").tobytes())
            table.write(vectors.astype("<f4").tobytes())
            written += len(ids)
            if progress:
                progress(written, total)


def _parquet(
    parts: list[Path], blocks: Iterator[Block], total: int, dim: int, progress: Callable[[int, int | None], None] | None
) -> None:
    with Writer(parts[0], dim) as file:
        written = 0
        for ids, docnos, vectors in blocks:
            file.write(ids, docnos, vectors)
            written += len(ids)
            if progress:
                progress(written, total)


def _blocks(conn: psycopg.Connection, query: sql.Composed, dim: int) -> Iterator[Block]:
    """Yield the rows of a binary COPY of (id bigint, docno text, v vector) in blocks of some thousands.

    A message of the server is a row: 16 bits for the number of columns, then each column with 32 bits for its length. The vector
    has a header of 32 bits.
    """
    tail = 4 * dim
    ids: list[bytes] = []
    docnos: list[str] = []
    vectors: list[bytes] = []
    with conn.cursor().copy(query) as copy:
        for data in copy:
            row = bytes(data).removeprefix(HEADER)
            if row and row != TRAILER:
                ids.append(row[6:14])
                docnos.append(row[18 : -tail - 8].decode())
                vectors.append(row[-tail:])
            if len(ids) == ROWS:
                yield _block(ids, docnos, vectors, dim)
                ids, docnos, vectors = [], [], []
    if ids:
        yield _block(ids, docnos, vectors, dim)


def _block(ids: list[bytes], docnos: list[str], vectors: list[bytes], dim: int) -> Block:
    table = np.frombuffer(b"".join(vectors), dtype=">f4").reshape(-1, dim).astype(np.float32)
    return np.frombuffer(b"".join(ids), dtype=">i8").astype(np.int64), docnos, table
