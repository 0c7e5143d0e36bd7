"""Rank the documents of a run file, and copy them as ranked lists (``stc.ranked_lists``) instead of row by row."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import psycopg

from stcollection.io.formats import RunColumns, RunFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COPY = "COPY pg_temp.incoming_lists (query, first, docs, rel_scores, file_ranks) FROM STDIN (FORMAT BINARY)"
_BEGIN, _END = b"PGCOPY\n\xff\r\n\0" + bytes(8), struct.pack(">h", -1)
_TYPES = {"i8": 20, "f8": 701, "i4": 23}  # oids of the types of elements
_PIECE = 100  # lists per piece for COPY


def stage_lists(conn: psycopg.Connection, file: RunFile) -> bool:
    """Copy the ranked lists of a run into the temporary table incoming_lists, by trec_eval 9's rule.

    :returns: False if the rows have to be stored one by one: the format has no columns, a row is unusual or invalid, a query has a
        document twice, or a query or document is not stored.
    """
    columns = file.columns() if file.columns is not None else None
    if columns is None or _repeated(columns):
        return False
    names = [b" ".join(names).decode() for names in (columns.queries, columns.docnos)]
    with conn.cursor(binary=True) as cursor:
        query_ids, doc_ids, length = cursor.execute("SELECT * FROM stc.ranking_keys(%s, %s)", names).fetchone() or ([], [], None)
    if length is None or None in query_ids or None in doc_ids:
        return False
    conn.execute("SELECT stc.stage_lists()")
    with conn.cursor().copy(_COPY) as copy:
        copy.write(_BEGIN)
        for piece in _pieces(columns, query_ids, doc_ids, length):
            copy.write(piece)
        copy.write(_END)
    return True


def _repeated(columns: RunColumns) -> bool:
    """Return True if a query has a document twice."""
    import numpy as np

    pairs = columns.query.astype(np.int64) * len(columns.docnos) + columns.doc
    pairs.sort()
    return bool((pairs[1:] == pairs[:-1]).any())


def _ranked(columns: RunColumns, query: NDArray[Any]) -> NDArray[Any]:
    """Return the order of the rows: by query, score in single precision descending, and docno descending as bytes."""
    import numpy as np

    with np.errstate(over="ignore"):  # as in trec_score, large scores become infinite
        score = -columns.score.astype(np.float32)
    order = np.lexsort((score, query))
    tied = (query[order][1:] == query[order][:-1]) & (score[order][1:] == score[order][:-1])
    if tied.any():
        docs = np.unique(columns.doc[np.concatenate([order[1:][tied], order[:-1][tied]])])
        place = np.zeros(len(columns.docnos), np.int32)
        place[sorted(docs, key=columns.docnos.__getitem__, reverse=True)] = np.arange(len(docs))
        order = np.lexsort((place[columns.doc], score, query))
    return order


def _pieces(columns: RunColumns, query_ids: list[int], doc_ids: list[int], length: int) -> Any:
    """Yield ranked lists in the binary format of COPY, several at once."""
    import numpy as np

    query = np.array(query_ids, np.int32)[columns.query]
    order = _ranked(columns, query)
    query = query[order]
    begins = np.flatnonzero(np.concatenate([[True], query[1:] != query[:-1]]))
    rank = np.arange(len(query)) - np.repeat(begins, np.diff(begins, append=len(query))) + 1
    starts = np.flatnonzero((rank - 1) % length == 0)
    numbered = np.logical_and.reduceat(columns.rank[order] == rank, starts)
    docs = _elements(np.array(doc_ids)[columns.doc][order], "i8")
    scores = _elements(columns.score[order], "f8")
    ranks = _elements(columns.rank[order], "i4")
    rows = zip(
        pairwise([*starts.tolist(), len(query)]), query[starts].tolist(), rank[starts].tolist(), numbered.tolist(), strict=True
    )
    piece: list[bytes] = []
    for (begin, end), number, first, is_numbered in rows:
        piece += [
            struct.pack(">hiiii", 5, 4, number, 4, first),
            _array(docs[begin:end], "i8"),
            _array(scores[begin:end], "f8"),
            _array(ranks[begin : begin if is_numbered else end], "i4"),
        ]
        if len(piece) >= 4 * _PIECE:
            yield b"".join(piece)
            piece.clear()
    yield b"".join(piece)


def _elements(values: NDArray[Any], kind: str) -> NDArray[Any]:
    """Return values as elements of an array in the binary format: size in bytes and value, both big endian."""
    import numpy as np

    found = np.empty(len(values), [("size", ">i4"), ("value", f">{kind}")])
    found["size"], found["value"] = int(kind[1]), values
    return found


def _array(elements: NDArray[Any], kind: str) -> bytes:
    """Return a column with an array: its size in bytes, dimensions, flags, type, and for each dimension length and lower bound."""
    dimensions = (len(elements), 1) if len(elements) else ()
    head = struct.pack(f">{3 + len(dimensions)}i", len(dimensions) // 2, 0, _TYPES[kind], *dimensions)
    return struct.pack(">i", len(head) + elements.nbytes) + head + elements.tobytes()
