"""Write stored sparse vectors as Pyserini's JSON lines or as a SciPy matrix with a file of ids."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np
import orjson
import psycopg
from psycopg import sql

from stcollection.errors import StateError
from stcollection.vectors.binary import HEADER, TRAILER
from stcollection.vectors.model import Vectors
from stcollection.vectors.store import Model

Row = tuple[int, str, np.ndarray, Vectors]
_STEP = 1000  # rows between reports of progress


def write_sparse(
    conn: psycopg.Connection,
    parts: list[Path],
    query: sql.Composed,
    space: Model,
    total: int,
    progress: Callable[[int, int | None], None] | None,
) -> None:
    """Write the rows of a binary COPY of (id bigint, docno text, v sparsevec): JSON lines into one part, or a matrix and ids.

    :raises StateError: JSON lines of a model without vocabulary.
    """
    rows = _told(_rows(conn, query), total, progress)
    if len(parts) == 1:
        words: dict[int, str] = dict(
            conn.execute("SELECT term, word FROM stc.vector_terms WHERE model = %s", [space.model]).fetchall()
        )
        if not words:
            raise StateError(
                f"the vocabulary of {space.model} is not stored", hint="Export VECTORS.npz and IDS.npy.", sqlstate="IR405"
            )
        _lines(parts[0], rows, words)
    else:
        _matrix(parts[0], parts[1], rows, space.dim)


def _rows(conn: psycopg.Connection, query: sql.Composed) -> Iterator[Row]:
    """Yield the id, the docno, the terms from 0 and the weights of each message of the server, which is one row."""
    with conn.cursor().copy(query) as copy:
        for message in copy:
            row = bytes(message).removeprefix(HEADER)
            if row and row != TRAILER:
                doc, length = struct.unpack_from(">qi", row, 6)
                at = 18 + length
                (terms,) = struct.unpack_from(">i", row, at + 8)
                numbers = np.frombuffer(row, ">i4", terms, at + 16).astype(np.int32)
                yield doc, row[18:at].decode(), numbers, np.frombuffer(row, ">f4", terms, at + 16 + 4 * terms).astype(np.float32)


def _told(rows: Iterator[Row], total: int, progress: Callable[[int, int | None], None] | None) -> Iterator[Row]:
    for written, row in zip(count(1), rows, strict=False):
        yield row
        if progress and (written % _STEP == 0 or written == total):
            progress(written, total)


def _lines(out: Path, rows: Iterator[Row], words: dict[int, str]) -> None:
    with out.open("wb") as file:
        for _, docno, terms, weights in rows:
            vector = {words[term]: weight for term, weight in zip(terms.tolist(), weights, strict=True)}
            line = {"id": docno, "contents": "", "vector": vector}
            file.write(orjson.dumps(line, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE))


def _matrix(out: Path, ids: Path, rows: Iterator[Row], dim: int) -> None:
    from scipy import sparse  # imported late: loading takes a while

    docs: list[int] = []
    terms: list[np.ndarray] = []
    weights: list[Vectors] = []
    for doc, _, numbers, values in rows:
        docs.append(doc)
        terms.append(numbers)
        weights.append(values)
    starts = np.concatenate([[0], np.cumsum([len(some) for some in terms])])
    matrix = sparse.csr_matrix((np.concatenate(weights), np.concatenate(terms), starts), shape=(len(docs), dim))
    with out.open("wb") as file, ids.open("wb") as names:
        sparse.save_npz(file, matrix)
        np.save(names, np.array(docs, dtype="<i8"))
