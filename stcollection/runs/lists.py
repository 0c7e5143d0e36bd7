"""Rank the documents of a run file, and copy them as ranked lists (``stc.ranked_lists``) instead of row by row."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import psycopg

from stcollection.errors import BadInput
from stcollection.io.formats import RunColumns, RunFile
from stcollection.runs.policies import UNKNOWN_OR_FEW
from stcollection.topics.known import settle_policy

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COPY = "COPY pg_temp.incoming_lists (query, first, docs, rel_scores, file_ranks) FROM STDIN (FORMAT BINARY)"
_EXCLUDED = "SELECT EXISTS (SELECT FROM pg_temp.incoming_lists i JOIN stc.st1_queries q ON q.id = i.query AND q.excluded && i.docs)"
_BEGIN, _END = b"PGCOPY\n\xff\r\n\0" + bytes(8), struct.pack(">h", -1)
_TYPES = {"i8": 20, "f8": 701, "i4": 23}  # oids of the types of elements
_PIECE = 100  # lists per piece for COPY


@dataclass(frozen=True)
class NewNames:
    """Numbers of documents and queries that were stored by name."""

    documents: int = 0
    queries: int = 0


def stage_lists(
    conn: psycopg.Connection, file: RunFile, *, source: str, unknown_documents: str, unknown_queries: str
) -> NewNames | None:
    """Copy the ranked lists of a run into the temporary table incoming_lists, by trec_eval 9's rule.

    :param source: the file, for messages. :param unknown_documents, unknown_queries: policies for names that are not stored.
    :returns: None if the rows have to be stored, or refused, one by one: the format has no columns, a row is unusual or invalid, a
        query has a document twice or one that is left out for it, or a policy refuses or skips an unknown name. Nothing has
        changed then.
    """
    columns = file.columns() if file.columns is not None else None
    if columns is None or _repeated(columns) or not {unknown_documents, unknown_queries} <= {*UNKNOWN_OR_FEW}:
        return None
    new = None
    try:
        with conn.transaction():
            new = _stage(conn, columns, source, unknown_documents, unknown_queries)
            if new is None:
                raise psycopg.Rollback
    except BadInput:
        return None
    except psycopg.Error as error:
        if not (error.sqlstate or "").startswith("IR"):
            raise
        return None
    return new


def _stage(conn: psycopg.Connection, columns: RunColumns, source: str, documents: str, queries: str) -> NewNames | None:
    names = [b" ".join(names).decode() for names in (columns.queries, columns.docnos)]
    new = NewNames()
    query_ids, doc_ids, length = _keys(conn, names)
    unknown = {policy for policy, ids in ((queries, query_ids), (documents, doc_ids)) if ids and None in ids}
    if unknown and unknown <= {"stub", "few"}:
        new = _store_names(conn, columns, source, documents, queries)
        query_ids, doc_ids, length = _keys(conn, names)
    if length is None or None in query_ids or None in doc_ids:
        return None
    conn.execute("SELECT stc.stage_lists()")
    with conn.cursor().copy(_COPY) as copy:
        copy.write(_BEGIN)
        for piece in _pieces(columns, query_ids, doc_ids, length):
            copy.write(piece)
        copy.write(_END)
    return None if conn.execute(_EXCLUDED).fetchone() == (True,) else new


def _keys(conn: psycopg.Connection, names: list[str]) -> tuple[list[int], list[int], int | None]:
    with conn.cursor(binary=True) as cursor:
        return cursor.execute("SELECT * FROM stc.ranking_keys(%s, %s)", names).fetchone() or ([], [], None)


def _store_names(conn: psycopg.Connection, columns: RunColumns, source: str, documents: str, queries: str) -> NewNames:
    """Store unknown names by policy, from the first row of each query and each document."""
    import numpy as np

    rows = np.union1d(*(np.unique(codes, return_index=True)[1] for codes in (columns.query, columns.doc)))
    pairs = zip(columns.query[rows].tolist(), columns.doc[rows].tolist(), strict=True)
    lines = [columns.queries[query] + b"\t" + columns.docnos[doc] + b"\n" for query, doc in pairs]
    conn.execute("SELECT stc.stage_incoming()")
    with conn.cursor().copy("COPY pg_temp.incoming (query, docno) FROM STDIN") as copy:
        copy.write(b"".join(lines).replace(b"\\", b"\\\\"))
    policy = settle_policy(conn, source, queries)
    settle = "SELECT new_documents, new_queries FROM stc.resolve_incoming(%s, %s, %s)"
    new = conn.execute(settle, [source, documents, policy]).fetchone() or (0, 0)
    conn.execute("DROP TABLE pg_temp.incoming")
    return NewNames(*new)


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

    elements = np.empty(len(values), [("size", ">i4"), ("value", f">{kind}")])
    elements["size"], elements["value"] = int(kind[1]), values
    return elements


def _array(elements: NDArray[Any], kind: str) -> bytes:
    """Return a column with an array: its size in bytes, dimensions, flags, type, and for each dimension length and lower bound."""
    dimensions = (len(elements), 1) if len(elements) else ()
    head = struct.pack(f">{3 + len(dimensions)}i", len(dimensions) // 2, 0, _TYPES[kind], *dimensions)
    return struct.pack(">i", len(head) + elements.nbytes) + head + elements.tobytes()
