"""Encode whole arrays of vectors for PostgreSQL's binary COPY."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from stcollection.vectors.model import Vectors

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"


def decoded(sent: bytes, dim: int, *, half: bool = False) -> Vectors:
    """Return vectors from what vector_send returned, one after another. :param half: halfvec_send. :returns: float32[n, dim]."""
    layout = np.dtype([("header", "V4"), ("v", ">f2" if half else ">f4", (dim,))])
    return np.frombuffer(sent, dtype=layout)["v"].astype(np.float32)


def sparse_records(
    ids: npt.NDArray[np.int64],
    field: str | None,
    dim: int,
    starts: npt.NDArray[np.int64],
    terms: npt.NDArray[np.int32],
    weights: Vectors,
) -> bytes:
    """Return the tuples (id bigint, field text, v sparsevec) of documents as bytes.

    :param field: None omits it. :param starts, terms, weights: compressed rows; the terms of a row ascend.
    """
    name = (field or "").encode()
    named = struct.pack(f">i{len(name)}s", len(name), name) if field else b""
    numbers, values = terms.astype(">i4"), weights.astype(">f4")
    parts: list[bytes] = []
    for doc, start, stop in zip(ids.tolist(), starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        n = stop - start
        parts += (
            struct.pack(">hiq", 3 if field else 2, 8, doc),
            named,
            struct.pack(">iiii", 12 + 8 * n, dim, n, 0),
            numbers[start:stop].tobytes(),
            values[start:stop].tobytes(),
        )
    return b"".join(parts)


def records(ids: npt.NDArray[np.int64], field: str | None, vectors: Vectors) -> bytes:
    """Return the tuples (id bigint, field text, v vector) of documents as bytes.

    :param ids: int64[n]. :param field: None omits it. :param vectors: float32[n, dim].
    """
    name, dim = (field or "").encode(), vectors.shape[1]
    named = [("field_bytes", ">i4"), ("field", f"S{len(name)}")] if field else []
    layout = np.dtype(
        [
            ("columns", ">i2"), ("id_bytes", ">i4"), ("id", ">i8"), *named,
            ("v_bytes", ">i4"), ("dim", ">i2"), ("unused", ">i2"), ("v", ">f4", (dim,)),
        ]
    )  # fmt: skip
    table = np.zeros(len(ids), dtype=layout)
    table["columns"], table["id_bytes"], table["v_bytes"] = 3 if field else 2, 8, 4 + 4 * dim
    table["id"], table["dim"], table["v"] = ids, dim, vectors
    if field:
        table["field_bytes"], table["field"] = len(name), name
    return table.tobytes()
