"""Vectors made elsewhere, from NumPy files."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql

from stcollection.errors import BadArgument, BadInput, UnknownObject, translate
from stcollection.vectors.model import DEFAULT_NAME, DEFAULT_SHORT
from stcollection.vectors.store import FIELDS, registered, require_idle, store

_ROWS = 20_000  # a commit: 30 MB of 384 dimensions


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What an import did.

    :param unknown: rows of documents that are not in the corpus. :param empty: rows of zeros, which have no direction.
        Both are left out.
    """

    model: str
    stored: int
    unknown: int
    empty: int
    seconds: float


@translate()
def load_npy(
    conn: psycopg.Connection,
    *,
    vectors: Path,
    ids: Path,
    field: str,
    model: str | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Imported:
    """Store the vectors of a file as those of a field, in the place of stored ones; brought to length 1. Commits by the 20,000.

    :param vectors: float16, float32 or float64[n, dim]. :param ids: integer[n], the document (dblp.id) of each row.
    :param field: ``title`` or ``abstract``.
    :param model: short name of the model they are by; None is the default one. A new one is registered with their dimension.
    :raises BadInput: a file is no such array, the two do not agree, a document occurs twice, a vector is not finite.
    :raises StateError: the model has another dimension.
    """
    require_idle(conn)
    began = time.monotonic()
    if field not in FIELDS:
        raise UnknownObject(
            f"there are no vectors of a field {field}", hint=f"The fields are {' and '.join(FIELDS)}.", sqlstate="IR106"
        )
    table, names = _array(vectors, "f", 2, "floating-point [n, dim]"), _array(ids, "iu", 1, "integer [n]")
    if len(table) != len(names):
        raise BadInput(
            f"{vectors} has {len(table):,} rows, {ids} has {len(names):,}", hint="Row i of one belongs to row i of the other."
        )
    names = _documents(ids, names)
    with conn.transaction():
        short = model or registered(conn).model
        known = conn.execute("SELECT name FROM vector_models WHERE model = %s", [short]).fetchone()
        name = known[0] if known else DEFAULT_NAME if short == DEFAULT_SHORT else short
        conn.execute("SELECT add_vector_model(%s, %s, %s)", [short, name, table.shape[1]])
        space = registered(conn, short)
    stored = unknown = empty = 0
    for start in range(0, len(table), _ROWS):
        part = np.asarray(table[start : start + _ROWS], dtype=np.float32)
        norms = np.linalg.norm(part.astype(np.float64), axis=1)
        if not np.isfinite(norms).all():
            row = start + int(np.flatnonzero(~np.isfinite(norms))[0])
            raise BadInput(f"{vectors}: row {row:,} (document {names[row]}) is not finite", hint="What came before it is stored.")
        some = norms > 0
        unit = (part[some] / norms[some, None]).astype(np.float32)
        with conn.transaction():
            done = store(conn, [(field, names[start : start + _ROWS][some], unit)], model=short, replace=True)
        stored, unknown, empty = stored + done.stored, unknown + done.unknown, empty + int((~some).sum())
        if progress:
            progress(start + len(part), len(table))
    with conn.transaction():
        conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(space.relation)))
    return Imported(model=short, stored=stored, unknown=unknown, empty=empty, seconds=time.monotonic() - began)


def _array(path: Path, kinds: str, dimensions: int, wanted: str) -> npt.NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise BadInput(f"{path} is not a NumPy array file: {str(error).splitlines()[0]}", hint="Write it by numpy.save.") from error
    if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds or array.ndim != dimensions:
        what = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else "an archive of arrays"
        raise BadInput(f"{path} holds {what}, not {wanted}", hint="The vectors come first, then the ids.")
    return array


def _documents(path: Path, ids: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The ids as PostgreSQL's bigint, each once."""
    if ids.dtype.kind == "u" and len(ids) and int(ids.max()) >= 2**63:
        raise BadInput(f"{path}: {int(ids.max())} is no document id", hint="Ids are below 2^63.")
    documents = np.asarray(ids, dtype=np.int64)
    distinct, counts = np.unique(documents, return_counts=True)
    if len(distinct) < len(documents):
        raise BadInput(
            f"{path}: document {distinct[counts > 1][0]} occurs twice", hint="A document has one vector a field.", sqlstate="IR302"
        )
    if len(documents) == 0:
        raise BadArgument(f"{path} holds no id", hint="There is nothing to import.")
    return documents
