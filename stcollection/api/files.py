"""Frames and iterators in the place of files: written to a temporary file that the readers of files read."""

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
from stcollection.io.irdatasets import plain
from stcollection.io.qrels.table import NAMES

# What the grade is called, but for "score", which runs have too.
_GRADES = set(NAMES["rel"]) - {"score"}
Rows = Iterable[Mapping[str, Any]]
Data = Any  # a path, a frame of pandas or polars, a mapping of columns, or an iterable of mappings


def is_path(source: object) -> bool:
    """Whether this names a file, or ``irds:NAME``."""
    return isinstance(source, str | Path)


def sources_of(given: Sequence[Any]) -> list[Any]:
    """The paths, frames and iterators that a method was given; a list of paths counts as the paths.

    :raises BadArgument: there is nothing.
    """
    found = [
        one
        for source in given
        for one in (source if isinstance(source, list | tuple) and source and all(map(is_path, source)) else [source])
    ]
    if not found:
        raise BadArgument("there is nothing to load", hint="Give a path, a frame, or an iterator of dicts.")
    return found


def rows_of(frame: Any) -> Rows:
    """The rows of a frame, of a mapping of columns, or of an iterable, which is read once."""
    if isinstance(frame, Mapping) or hasattr(frame, "columns") or hasattr(frame, "to_dataframe"):
        columns: Columns = columns_of(frame)
        return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    if not isinstance(frame, Iterable):
        raise BadArgument(f"{frame!r} is no data", hint="Give a path, a frame, or an iterator of dicts.")
    return (row._asdict() if hasattr(row, "_asdict") else row for row in frame)


@contextmanager
def as_file(rows: Rows, name: str) -> Iterator[Path]:
    """A temporary file of JSON lines; errors that are raised meanwhile name it by ``name``.

    :raises BadArgument: a row is not a mapping.
    """
    with tempfile.TemporaryDirectory(prefix="stc-rows-") as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("wb") as out:
            for number, row in enumerate(rows, 1):
                if not isinstance(row, Mapping):
                    hint = "Give a frame, or rows as dicts."
                    raise BadArgument(f"{name}: row {number} is a {type(row).__name__}, not a mapping", hint=hint)
                out.write(orjson.dumps({str(key): value for key, value in row.items()}, default=plain) + b"\n")
        try:
            yield path
        except StcError as error:
            error.message = error.message.replace(str(path), name)
            error.args = (error.message,)
            raise


def query_rows(topics: Any) -> Rows:
    """The rows of topics; those of texts by ids too."""
    if isinstance(topics, Mapping) and all(isinstance(text, str) for text in topics.values()):
        return ({"qid": query, "query": text} for query, text in topics.items())
    return rows_of(topics)


def judgment_rows(judgments: Any) -> Rows:
    """The rows of judgments.

    :raises BadArgument: they are those of a run.
    """
    rows = iter(rows_of(judgments))
    first = next(rows, None)
    names = {str(name).lower() for name in first} if isinstance(first, Mapping) else set()
    if "rank" in names and names.isdisjoint(_GRADES):
        raise BadArgument(
            f"this looks like a run: its columns are {', '.join(map(str, first or ()))}",
            hint="c.runs.add(frame, name) stores a run; judgments have qid, docno and label.",
        )
    return chain([] if first is None else [first], rows)
