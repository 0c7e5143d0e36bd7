"""Read Parquet as JSON lines, one object per row with the names of the columns. Requires pyarrow."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from stcollection.extras import load_module
from stcollection.io.compression import Damaged

MAGIC = b"PAR1"
_ROWS = 1000  # rows per piece


def lines(file: BinaryIO, name: str, *, progress: Callable[[float], None] | None = None) -> Iterator[bytes]:
    """Yield the rows of a file as JSON lines, in pieces; memory holds at most one row group.

    :param progress: called with the share of rows read.
    :raises StateError: pyarrow is not installed.
    :raises Damaged: the file is truncated or damaged.
    """
    library = load_module("pyarrow.parquet", what=f"{name}: Parquet")
    arrow_error = importlib.import_module("pyarrow").ArrowException
    try:
        file.seek(0)
        table = library.ParquetFile(file)
        read = 0
        for batch in table.iter_batches(batch_size=_ROWS):
            read += batch.num_rows
            if progress is not None:
                progress(read / table.metadata.num_rows)
            yield b"".join(orjson.dumps(row, default=_plain, option=orjson.OPT_APPEND_NEWLINE) for row in batch.to_pylist())
    except (arrow_error, OSError, UnicodeDecodeError) as error:
        raise Damaged(f"cannot be read as Parquet: {' '.join(str(error).split())[:200]}") from error


def _plain(value: Any) -> str:
    """Convert a value without a JSON type to text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
