"""Conversion of rows to frames of pandas or polars and back. Neither package is imported unless it is used."""

from __future__ import annotations

import datetime
import decimal
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, get_args
from weakref import WeakKeyDictionary

import psycopg

from stcollection.errors import BadArgument, BadInput
from stcollection.extras import load_module

Kind = Literal["pandas", "polars"]
Columns = dict[str, list[Any]]
_F = TypeVar("_F")
_warned: WeakKeyDictionary[psycopg.Connection, set[str]] = WeakKeyDictionary()


def checked(kind: str) -> str:
    """Return the kind of frame if it is known.

    :raises BadArgument: the kind is unknown.
    """
    if kind not in get_args(Kind):
        raise BadArgument(f"unknown kind of frame {kind!r}", hint=f"Use {' or '.join(get_args(Kind))}.")
    return kind


def frame_of(names: Sequence[str], rows: Iterable[Sequence[Any]], kind: str, *, types: Mapping[str, type] | None = None) -> Any:
    """Return rows as a frame.

    :param types: types (str, int, float, bool) of columns, needed if there are no rows or NULLs. A column of integers with NULLs
        becomes pandas' ``Int64``.
    """
    rows = list(rows)
    columns = dict(zip(names, (list(values) for values in zip(*rows, strict=True)) if rows else ([] for _ in names), strict=True))
    types = types or {}
    if checked(kind) == "polars":
        pl = load_module("polars")
        dtypes = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
        return pl.DataFrame(
            {
                name: pl.Series(name, values, dtype=dtypes.get(types.get(name, object)), strict=False)
                for name, values in columns.items()
            }
        )
    pd = load_module("pandas")
    return pd.DataFrame({name: _pandas_series(pd, values, types.get(name)) for name, values in columns.items()})


def noted(frame: _F, conn: psycopg.Connection, note: str | None) -> _F:
    """Mark a pandas frame as showing simulated data: ``frame.attrs["simulated"]``.

    polars frames have no attributes; a ``UserWarning`` is issued instead, once per connection and note.
    """
    if note is not None:
        if hasattr(frame, "attrs"):
            frame.attrs["simulated"] = note
        elif note not in (warned := _warned.setdefault(conn, set())):
            warned.add(note)
            warnings.warn(note, UserWarning, stacklevel=5)
    return frame


def _pandas_series(pd: Any, values: list[Any], of: type | None) -> Any:
    dtype: Any = None
    if of is int or of is bool:
        dtype = {int: "Int64", bool: "boolean"}[of] if None in values else of
    elif of is str:
        dtype = object if not values else "str" if None not in values else None  # pandas 2 would write None as 'None'
    elif of is float:
        dtype = "float64"
    return pd.Series(values, dtype=dtype)


# Python types of PostgreSQL's types in a frame; other values stay as psycopg returns them.
_OIDS: dict[int, type] = {
    16: bool, 20: int, 21: int, 23: int, 26: int, 25: str, 1042: str, 1043: str, 19: str, 700: float, 701: float, 1700: float,
}  # fmt: skip


def frame_of_cursor(cursor: psycopg.Cursor[Any], kind: str) -> Any:
    """Return a statement's rows as a frame, with ``numeric`` as float; None for a statement without a result."""
    checked(kind)
    if cursor.description is None:
        return None
    names = [column.name for column in cursor.description]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise BadArgument(
            f"two columns are named {sorted(repeated)[0]}", hint="Rename one with AS: columns of a frame need distinct names."
        )
    types = {column.name: _OIDS[column.type_code] for column in cursor.description if column.type_code in _OIDS}
    numeric = [column.type_code == 1700 for column in cursor.description]
    rows: list[Sequence[Any]] = cursor.fetchall()
    if any(numeric):
        rows = [
            [float(value) if decimals and value is not None else value for value, decimals in zip(row, numeric, strict=True)]
            for row in rows
        ]
    return frame_of(names, rows, kind, types=types)


def columns_of(frame: Any) -> Columns:
    """Return the columns of a pandas or polars frame, a mapping of columns, or a sequence of mappings or named tuples.

    Nested scores (``{"q1": {"d1": 2.5}}``) become the columns qid, docno and score; a run of ranx becomes q_id, doc_id and score.
    Missing values of pandas (NaN, NaT, NA) become None.

    :raises BadArgument: the argument is of another type.
    """
    module = type(frame).__module__.partition(".")[0]
    if module == "pandas" and hasattr(frame, "columns"):
        return {
            str(name): [None if missing else value for value, missing in zip(frame[name].tolist(), frame[name].isna(), strict=True)]
            for name in frame.columns
        }
    if hasattr(frame, "to_dataframe"):  # a run or judgments of ranx
        return columns_of(frame.to_dataframe())
    if module == "polars" and hasattr(frame, "columns"):
        return dict(frame.to_dict(as_series=False))
    if isinstance(frame, Mapping) and frame and all(isinstance(documents, Mapping) for documents in frame.values()):
        ranked = [(query, doc, number) for query, documents in frame.items() for doc, number in documents.items()]
        return {name: [row[at] for row in ranked] for at, name in enumerate(("qid", "docno", "score"))}
    if isinstance(frame, Mapping):
        return {str(name): list(values) for name, values in frame.items()}
    if isinstance(frame, Iterable) and not isinstance(frame, str | bytes):
        rows = [row if isinstance(row, Mapping) else row._asdict() if hasattr(row, "_asdict") else None for row in frame]
        if None not in rows:
            names = list(dict.fromkeys(name for row in rows if row is not None for name in row))
            return {name: [row.get(name) for row in rows if row is not None] for name in names}
    raise BadArgument(
        f"a {type(frame).__name__} is not a frame",
        hint="Give a pandas or polars frame, a mapping of columns, or a list of mappings or named tuples.",
    )


def column(columns: Columns, *names: str) -> list[Any]:
    """Return the first of the named columns that exists.

    :raises BadArgument: none of them exists.
    """
    for name in names:
        if name in columns:
            return columns[name]
    there = ", ".join(columns) or "none"
    raise BadArgument(f"the frame has no column {' or '.join(names)}", hint=f"Its columns are {there}.")


def texts(values: Sequence[Any], name: str) -> list[str]:
    """Return identifiers and texts as strings; integers in decimal.

    :raises BadInput: a value is missing, or is neither text nor an integer.
    """
    told: list[str] = []
    for row, value in enumerate(values, 1):
        if isinstance(value, float) and value.is_integer():  # pandas turns integers into floats if one is missing
            value = int(value)
        if isinstance(value, bool) or not (isinstance(value, str | int) or hasattr(value, "__index__")):
            raise BadInput(f"row {row}: {name} is {value!r}", hint=f"{name} must be text; nothing was stored.")
        told.append(value if isinstance(value, str) else str(int(value)))
    return told


SQL_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"), (int, "bigint"), (float, "double precision"), (decimal.Decimal, "numeric"), (str, "text"),
    (datetime.datetime, "timestamptz"), (datetime.date, "date"), (bytes, "bytea"), (list, "jsonb"), (tuple, "jsonb"),
    (dict, "jsonb"),
)  # fmt: skip
