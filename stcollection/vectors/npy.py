"""Import vectors from NumPy files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.vectors.incoming import DEFAULT, ROWS, ForeignModel, Ids, ImportedVectors, VectorFile, take


def load_npy(
    conn: psycopg.Connection,
    *,
    vectors: Path,
    ids: Path | None = None,
    docnos: Path | None = None,
    field: str,
    made_by: ForeignModel = DEFAULT,
    skip: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> ImportedVectors:
    """Store the vectors of a file for a field, all or none; see :func:`stcollection.vectors.incoming.take`.

    :param vectors: float16, float32 or float64[n, dim].
    :param ids: the document of each row: integer[n] of dblp.id, or strings[n] of docno; for the field query its query id.
    :param docnos: instead of ids, a text file with one docno or query id per line.
    :raises BadInput: a file is not such an array, or the lengths differ; otherwise as ``take``.
    """
    table = _array(vectors, "f", 2, "floating-point [n, dim]")
    names = read_ids(vectors, ids, docnos)
    if len(table) != len(names):
        raise BadInput(
            f"{vectors} has {counted(len(table), 'row')}, {ids or docnos} has {len(names):,}",
            hint="Give files with the same number of rows: row i of one belongs to row i of the other.",
        )

    def parts() -> Iterator[npt.NDArray[Any]]:
        for start in range(0, len(table), ROWS):
            yield table[start : start + ROWS]

    source = VectorFile(label=str(vectors), names=names, dim=table.shape[1], parts=parts)
    return take(conn, source, field=field, made_by=made_by, skip=skip, progress=progress)


def read_ids(vectors: Path, ids: Path | None, docnos: Path | None) -> Ids | list[str]:
    """Return the ids of a file of vectors from one of two other files. :raises BadArgument: both are given, or none."""
    if (ids is None) == (docnos is None):
        raise BadArgument(f"no ids for the vectors of {vectors}", hint="Give an .npy of ids or docnos, or --docnos FILE.")
    return _names(ids) if ids is not None else _lines(docnos or vectors)


def _array(path: Path, kinds: str, dimensions: int, expected: str) -> npt.NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise BadInput(
            f"{path} is not a NumPy array file: {str(error).splitlines()[0]}", hint="Write it with numpy.save."
        ) from error
    if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds or array.ndim != dimensions:
        what = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else "an archive of arrays"
        raise BadInput(f"{path} contains {what}, not {expected}", hint="Name the vectors first, then the ids.")
    return array


def _names(path: Path) -> Ids | list[str]:
    array = _array(path, "iuU", 1, "integer or string [n]")
    return [str(name) for name in array] if array.dtype.kind == "U" else as_ids(path, array)


def as_ids(path: Path, ids: npt.NDArray[Any]) -> Ids:
    """Return the ids as PostgreSQL's bigint."""
    if ids.dtype.kind == "u" and len(ids) and int(ids.max()) >= 2**63:
        raise BadInput(f"{path}: {int(ids.max())} is not a document id", hint="Use ids below 2^63.")
    return np.asarray(ids, dtype=np.int64)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8", hint="Give a text file with one id per line.", sqlstate="IR303") from error
