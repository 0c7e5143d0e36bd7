"""Import and export vectors as Parquet files, with pyarrow (the extra ``parquet``)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.vectors.incoming import DEFAULT, ROWS, ForeignModel, Ids, ImportedVectors, VectorFile, take
from stcollection.vectors.model import Vectors
from stcollection.vectors.npy import as_ids
from stcollection.vectors.store import QUERY


def load_parquet(
    conn: psycopg.Connection,
    *,
    path: Path,
    column: str | None = None,
    field: str,
    made_by: ForeignModel = DEFAULT,
    skip: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> ImportedVectors:
    """Store the vectors of a file for a field, all or none; see :func:`stcollection.vectors.incoming.take`.

    :param path: a file with a column ``id`` (dblp.id) or ``docno``, for the field query one of ``query``, ``query_id``, ``qid`` and
        ``id``; and a column of lists of floats of equal length.
    :param column: the column of vectors; default ``vector``, or the only column of lists of floats.
    :raises BadInput: a column or value is missing, or vectors differ in length; otherwise as ``take``.
    """
    arrow, parquet = modules()
    try:
        file = parquet.ParquetFile(path)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError) as error:
        raise BadInput(
            f"{path} is not a Parquet file: {str(error).splitlines()[0]}", hint="Write it with pyarrow or pandas."
        ) from error
    with file:
        schema = file.schema_arrow
        chosen = _column(path, schema, column)
        names = _names(path, file, schema, field)
        first = next(_parts(path, file, chosen, 1), np.zeros((0, 0), dtype=np.float32))
        source = VectorFile(label=str(path), names=names, dim=first.shape[1], parts=lambda: _parts(path, file, chosen, ROWS))
        return take(conn, source, field=field, made_by=made_by, skip=skip, progress=progress)


class Writer:
    """Write a Parquet file of id, docno and vector (float32 lists of a fixed size) in row groups."""

    def __init__(self, path: Path, dim: int) -> None:
        self._arrow, parquet = modules()
        arrow = self._arrow
        self._dim = dim
        self._schema = arrow.schema(
            [("id", arrow.int64()), ("docno", arrow.string()), ("vector", arrow.list_(arrow.float32(), dim))]
        )
        self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd")

    def write(self, ids: Ids, docnos: Sequence[str], vectors: Vectors) -> None:
        arrow = self._arrow
        lists = arrow.FixedSizeListArray.from_arrays(arrow.array(vectors.reshape(-1)), self._dim)
        columns = [arrow.array(ids), arrow.array(docnos, type=arrow.string()), lists]
        self._writer.write_table(arrow.Table.from_arrays(columns, schema=self._schema))

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._writer.close()


def modules() -> tuple[Any, Any]:
    """Import pyarrow and pyarrow.parquet. :raises BadArgument: they are not installed."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise BadArgument(
            "Parquet needs pyarrow, which is not installed", hint="pip install 'stcollection[parquet]', or use .npy files."
        ) from error


def _column(path: Path, schema: Any, column: str | None) -> str:
    arrow, _ = modules()
    lists = [
        entry.name
        for entry in schema
        if (arrow.types.is_list(entry.type) or arrow.types.is_large_list(entry.type) or arrow.types.is_fixed_size_list(entry.type))
        and arrow.types.is_floating(entry.type.value_type)
    ]
    chosen = column or ("vector" if "vector" in lists else lists[0] if len(lists) == 1 else None)
    if chosen not in lists:
        what = f"no list of floats {column}" if column else "several lists of floats" if lists else "no list of floats"
        raise BadInput(f"{path} has {what}", hint=f"Its lists: {', '.join(lists) or 'none'}. Select the vectors with --column.")
    return str(chosen)


def _names(path: Path, file: Any, schema: Any, field: str) -> Ids | list[str]:
    arrow, _ = modules()
    known = ("query", "query_id", "qid", "id") if field == QUERY else ("id", "docno")
    name = next((option for option in known if option in schema.names), None)
    if name is None:
        raise BadInput(f"{path} has no column {' or '.join(known)}", hint=f"Its columns are {', '.join(schema.names)}.")
    column = file.read(columns=[name]).column(0)
    if column.null_count:
        raise BadInput(f"{path}: a row has no {name}", hint="Give each vector the id of its document or query.")
    if name == "docno" or not arrow.types.is_integer(column.type):
        return [str(docno) for docno in column.to_pylist()]
    return as_ids(path, column.to_numpy())


def _parts(path: Path, file: Any, column: str, rows: int) -> Iterator[npt.NDArray[Any]]:
    before = 0
    for batch in file.iter_batches(batch_size=rows, columns=[column]):
        lists = batch.column(0)
        lengths = np.array(lists.value_lengths().to_pylist(), dtype=object)
        if lists.null_count or len(set(lengths.tolist())) > 1:
            odd = int(np.argmax(lengths != lengths[0])) if lengths[0] is not None else 0
            size = counted(lengths[odd], "dimension") if lengths[odd] else "no dimensions"
            raise BadInput(
                f"{path}: the vector of row {before + odd:,} has {size}; others have a different number",
                hint="Give all vectors the dimension of the model.",
            )
        before += len(lists)
        yield lists.flatten().to_numpy(zero_copy_only=False).reshape(len(lists), -1)
