"""Read JSON files of records, an array or consecutive objects, with line numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stcollection.errors import BadInput
from stcollection.io.files import bad_line, clip

_LISTS = ("excluded_ids", "excluded")  # BRIGHT's name, and ours
_NONE = ("N/A",)  # BRIGHT's list of a query without such documents
_BLANK = re.compile(r"[\s,]*")


def records(path: Path, text: str, *, lower: bool = True) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON array or of JSON lines, with their first lines (from 1).

    ``NaN`` and ``Infinity`` become floats.

    :param lower: convert names to lower case.
    :raises BadInput: not JSON, or not an object; an array that is not closed.
    """
    decoder = json.JSONDecoder()
    at = _BLANK.match(text).end()  # type: ignore[union-attr]
    array = text[at : at + 1] == "["
    at += array
    line, counted = 1, 0
    while True:
        at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
        line += text.count("\n", counted, at)
        counted = at
        if array and text[at : at + 1] == "]":
            trailing = text[at + 1 :].strip()
            if trailing:
                raise bad_line(path, line, f"text after the array: {clip(trailing)}", hint="Write one JSON array per file.")
            return
        if at == len(text):
            if array:
                raise bad_line(path, line, "the JSON array is not closed: the file is truncated", hint="Get the file again.")
            return
        try:
            record, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise _not_json(path, error, text) from error
        except (ValueError, RecursionError) as error:  # a number with thousands of digits, nesting a thousand deep
            raise bad_line(path, line, f"not a record ({error})", hint="Correct it. Nothing was stored.") from error
        if not isinstance(record, dict):
            raise bad_line(path, line, f"not an object: {clip(record)}", hint='Write each record as an object: {"query_id": …}.')
        yield line, {str(name).lower() if lower else str(name): value for name, value in record.items()}
        at = end


def _not_json(path: Path, error: json.JSONDecodeError, text: str) -> BadInput:
    if error.pos >= len(text.rstrip()):
        return bad_line(path, error.lineno, "the JSON ends in the middle of a record", hint="Get the file again.")
    return bad_line(path, error.lineno, f"not JSON ({error.msg}, column {error.colno})", hint="Correct it. Nothing was stored.")


def excluded_ids(record: dict[str, Any]) -> tuple[str, ...] | None:
    """Return the docnos that a record of a query excludes; None if it has no list of them."""
    named = next((record[name] for name in _LISTS if isinstance(record.get(name), list)), None)
    docnos = None if named is None else tuple(str(docno).strip() for docno in named)
    return () if docnos == _NONE else docnos
