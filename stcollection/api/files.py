"""Frames and iterators as input instead of files: written to a temporary file for the file readers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from stcollection.api.frames import Columns, columns_of
from stcollection.errors import BadArgument, StcError
from stcollection.io.irdatasets import to_json
from stcollection.io.qrels.table import NAMES

# Names of the grade, except "score", which is also a column of runs.
_GRADES = set(NAMES["rel"]) - {"score"}
Rows = Iterable[Mapping[str, Any]]
Data = Any  # a path, a frame of pandas or polars, a mapping of columns, or an iterable of mappings


def is_path(source: object) -> bool:
    """Return True if the argument names a file or ``irds:NAME``."""
    return isinstance(source, str | Path)


def sources_of(given: Sequence[Any]) -> list[Any]:
    """Return the paths, frames and iterators among a method's arguments; lists of paths are flattened.

    :raises BadArgument: there are no arguments.
    """
    found = [
        one
        for source in given
        for one in (source if isinstance(source, list | tuple) and source and all(map(is_path, source)) else [source])
    ]
    if not found:
        raise BadArgument("no data to load", hint="Give a path, a frame, or an iterator of dicts.")
    return found


def rows_of(frame: Any) -> Rows:
    """Return the rows of a frame, a mapping of columns, or an iterable, which is read once."""
    if isinstance(frame, Mapping) or hasattr(frame, "columns") or hasattr(frame, "to_dataframe"):
        columns: Columns = columns_of(frame)
        return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    if not isinstance(frame, Iterable):
        raise BadArgument(f"{frame!r} is not a frame or iterable", hint="Give a path, a frame, or an iterator of dicts.")
    return (row._asdict() if hasattr(row, "_asdict") else row for row in frame)


@contextmanager
def as_file(rows: Rows, name: str) -> Iterator[Path]:
    """Write rows to a temporary JSON Lines file. Errors raised in the block refer to the file as ``name``.

    :raises BadArgument: a row is not a mapping.
    """
    with tempfile.TemporaryDirectory(prefix="stc-rows-") as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("wb") as out:
            for number, row in enumerate(rows, 1):
                if not isinstance(row, Mapping):
                    hint = "Give a frame, or rows as dicts."
                    raise BadArgument(f"{name}: row {number} is a {type(row).__name__}, not a mapping", hint=hint)
                out.write(orjson.dumps({str(key): value for key, value in row.items()}, default=to_json) + b"\n")
        try:
            yield path
        except StcError as error:
            error.message = error.message.replace(str(path), name)
            error.args = (error.message,)
            raise


def query_rows(topics: Any) -> Rows:
    """Return the rows of topics, also from a mapping of query ids to texts."""
    if isinstance(topics, Mapping) and all(isinstance(text, str) for text in topics.values()):
        return ({"qid": query, "query": text} for query, text in topics.items())
    return rows_of(topics)


def judgment_rows(judgments: Any) -> Rows:
    """Return the rows of judgments.

    :raises BadArgument: the rows look like a run.
    """
    rows = iter(rows_of(judgments))
    first = next(rows, None)
    names = {str(name).lower() for name in first} if isinstance(first, Mapping) else set()
    if "rank" in names and names.isdisjoint(_GRADES):
        raise BadArgument(
            f"this looks like a run: its columns are {', '.join(map(str, first or ()))}",
            hint="Store a run with c.runs.add(frame, name); judgments have the columns qid, docno and label.",
        )
    return chain([] if first is None else [first], rows)
