"""Vectors made elsewhere into the collection: all of a file or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql

from stcollection.errors import BadArgument, BadInput, UnknownObject, translate
from stcollection.moved import grouped
from stcollection.vectors.model import DEFAULT_NAME, DEFAULT_SHORT, Vectors
from stcollection.vectors.store import DOCUMENT_FIELDS, registered, require_idle, store

ROWS = 20_000  # at once in memory: 30 MB of 384 dimensions
# As near to length 1 as rounding comes (half precision: a thousandth): such rows are stored to the last bit as they are.
_ROUNDING = {"vector": 1e-6, "halfvec": 1e-3}
_HINT_SKIP = "--skip leaves out what cannot be stored."

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class VectorFile:
    """A file of vectors. :param label: its path, for messages. :param names: of the documents, dblp.id or docno, row by row.
    :param parts: the vectors in the order of the names, float[some, dim] at a time.
    """

    label: str
    names: Ids | list[str]
    dim: int
    parts: Callable[[], Iterator[npt.NDArray[np.floating]]]


@dataclass(frozen=True, kw_only=True)
class ForeignModel:
    """What vectors were made with elsewhere.

    :param model: short name of the model they are by; None is the default one. A new one is registered with their dimension.
    :param name: the model's own name, by which queries can be embedded; None is what is stored, else the short name.
    :param query_prefix, passage_prefix: what they were made with, and queries will be; None is what is stored, else nothing.
    """

    model: str | None = None
    name: str | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None


DEFAULT = ForeignModel()


@dataclass(frozen=True, kw_only=True)
class ImportedVectors:
    """What an import did.

    :param unknown: rows of documents that are not in the corpus. :param empty: rows of zeros, which have no direction.
        Both are left out, if they are to be.
    """

    model: str
    stored: int
    unknown: int
    empty: int
    seconds: float


@grouped(made_by=ForeignModel)
@translate()
def take(
    conn: psycopg.Connection,
    source: VectorFile,
    *,
    field: str,
    made_by: ForeignModel = DEFAULT,
    skip: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> ImportedVectors:
    """Store the vectors of a file as those of a field, in the place of stored ones; brought to length 1. One transaction.

    :param field: title, abstract or content.
    :param skip: leave out rows of unknown documents and of zeros, and count them, instead of refusing the file.
    :raises BadInput: a document occurs twice, a vector is not finite or zero.
    :raises UnknownObject: a document is not in the corpus; there is no such field.
    :raises StateError: the model has another dimension, name or prefix.
    """
    require_idle(conn)
    began = time.monotonic()
    if field not in DOCUMENT_FIELDS:
        raise UnknownObject(
            f"there are no vectors of a field {field}", hint=f"The fields are {', '.join(DOCUMENT_FIELDS)}.", sqlstate="IR106"
        )
    _once(source)
    stored = empty = start = 0
    with conn.transaction():
        short = made_by.model or registered(conn).model
        known = conn.execute("SELECT name FROM stc.vector_models WHERE model = %s", [short]).fetchone()
        name = made_by.name or (known[0] if known else DEFAULT_NAME if short == DEFAULT_SHORT else short)
        conn.execute(
            "SELECT stc.add_vector_model(%s, %s, %s, query_prefix => %s, passage_prefix => %s, made_by => 'import')",
            [short, name, source.dim, made_by.query_prefix, made_by.passage_prefix],
        )
        space = registered(conn, short)
        ids, there = _documents(conn, source, skip=skip)
        for part in source.parts():
            rows = slice(start, start + len(part))
            unit, some = _unit(source, part, start, rounding=_ROUNDING[space.storage], skip=skip)
            use = some & there[rows]
            stored += store(conn, [(field, ids[rows][use], unit[use])], model=short, replace=True).stored
            empty += int((there[rows] & ~some).sum())
            start += len(part)
            if progress:
                progress(start, len(source.names))
        conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(space.relation)))
    return ImportedVectors(model=short, stored=stored, unknown=int((~there).sum()), empty=empty, seconds=time.monotonic() - began)


def _once(source: VectorFile) -> None:
    if len(source.names) == 0:
        raise BadArgument(f"{source.label} holds no id", hint="There is nothing to import.")
    distinct, counts = np.unique(np.asarray(source.names), return_counts=True)
    if len(distinct) < len(source.names):
        raise BadInput(
            f"{source.label}: document {distinct[counts > 1][0]} occurs twice",
            hint="A document has one vector a field.",
            sqlstate="IR302",
        )


def _documents(conn: psycopg.Connection, source: VectorFile, *, skip: bool) -> tuple[Ids, npt.NDArray[np.bool_]]:
    """The id of each row's document, and whether it is in the corpus, more than as a stub."""
    kind, column = ("text", "docno") if isinstance(source.names, list) else ("bigint", "id")
    found: list[int | None] = []
    for start in range(0, len(source.names), ROWS):
        some = source.names[start : start + ROWS]
        rows = conn.execute(
            sql.SQL(
                "SELECT d.id FROM unnest(%s::{}[]) WITH ORDINALITY n (name, place)"
                " LEFT JOIN dblp d ON d.{} = n.name AND NOT d.stub ORDER BY n.place"
            ).format(sql.SQL(kind), sql.Identifier(column)),
            [some if isinstance(some, list) else some.tolist()],
        ).fetchall()
        found += [one for (one,) in rows]
    there = np.array([one is not None for one in found])
    if not there.all() and not skip:
        first = int(np.argmin(there))
        raise UnknownObject(
            f"{source.label}: document {source.names[first]} of row {first:,} is not in the corpus,"
            f" as {int((~there).sum()):,} of {len(there):,} are not",
            hint=f"Nothing was stored. Are these ids of this collection (dblp.id, or docno)? {_HINT_SKIP}",
            sqlstate="IR104",
        )
    return np.array([one or 0 for one in found], dtype=np.int64), there


def _unit(
    source: VectorFile, part: npt.NDArray[np.floating], start: int, *, rounding: float, skip: bool
) -> tuple[Vectors, npt.NDArray[np.bool_]]:
    """Rows at length 1, and which of them have a direction at all."""
    table = np.asarray(part, dtype=np.float32)
    norms = np.linalg.norm(table.astype(np.float64), axis=1)
    some = norms > 0
    for wrong, what, hint in (
        (~np.isfinite(norms), "is not finite", "Nothing was stored. Make the vectors again: a NaN or infinity is no direction."),
        (norms == 0, "is all zeros", f"Nothing was stored. Such a vector has no direction. {_HINT_SKIP}"),
    ):
        if wrong.any() and not (skip and what == "is all zeros"):
            row = start + int(np.argmax(wrong))
            raise BadInput(f"{source.label}: row {row:,} (document {source.names[row]}) {what}", hint=hint, sqlstate="IR301")
    scale = np.where(some & (np.abs(norms - 1) > rounding), norms, 1.0)
    return (table / scale[:, None]).astype(np.float32), some
