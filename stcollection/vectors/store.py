"""Vectors into the collection, and the models they are by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.rows import class_row

from stcollection.errors import StateError, UnknownObject
from stcollection.vectors.binary import HEADER, TRAILER, records
from stcollection.vectors.model import Encoder, Vectors

FIELDS = ("title", "abstract")


@dataclass(frozen=True, kw_only=True)
class Model:
    """A row of the registry. :param relation: the table of its vectors."""

    model: str
    name: str
    revision: str | None
    dim: int
    max_tokens: int | None
    relation: str


class Stored(NamedTuple):
    """:param unknown: vectors of documents that are not in the corpus; left out."""

    stored: int
    unknown: int


def registered(conn: psycopg.Connection, model: str | None = None) -> Model:
    """The registry row of a model by its short name; of the default one for None.

    :raises UnknownObject: there is no such model.
    """
    with conn.cursor(row_factory=class_row(Model)) as cursor:
        row = cursor.execute("SELECT model, name, revision, dim, max_tokens, relation FROM vector_model(%s)", [model]).fetchone()
    if row is None:  # a row function has one row
        raise UnknownObject(f"there are no vectors of a model {model}", sqlstate="IR105")
    return row


def register(conn: psycopg.Connection, encoder: Encoder) -> Model:
    """Make sure that a model is registered and has its table.

    :raises StateError: another model or dimension is registered under its short name.
    """
    conn.execute(
        "SELECT add_vector_model(%s, %s, %s, %s, %s)",
        [encoder.short, encoder.name, encoder.dim, encoder.max_tokens, encoder.revision],
    )
    return registered(conn, encoder.short)


def store(
    conn: psycopg.Connection, parts: Iterable[tuple[str, npt.NDArray[np.int64], Vectors]], *, model: str, replace: bool = False
) -> Stored:
    """Store vectors; within the caller's transaction.

    :param parts: field, int64[n] of document ids, float32[n, dim]; a document once a field.
    :param replace: take them in the place of stored ones.
    """
    conn.execute("SELECT stage_vectors()")
    with conn.cursor().copy("COPY pg_temp.incoming_vectors (id, field, v) FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(HEADER)
        for field, ids, vectors in parts:
            if len(ids):
                copy.write(records(ids, field, vectors))
        copy.write(TRAILER)
    row = conn.execute("SELECT stored, unknown FROM store_vectors(%s, %s)", [model, replace]).fetchone()
    return Stored(*row) if row else Stored(0, 0)


def require_idle(conn: psycopg.Connection) -> None:
    """What commits batch by batch cannot do so within the caller's transaction."""
    if conn.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        raise StateError("embedding commits batch by batch and cannot do so within a transaction", hint="Commit before.")
