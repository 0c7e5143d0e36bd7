"""Decode bytes to text, and text to JSON, tolerant of common faults but without guessing."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

from stcollection.io.corpus.documents import NotAnObject, RefusedRecord, storable

# Values in MongoDB shell notation (dblp v13). Strings are matched first, so that the notation inside a string is kept.
_SHELL = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"|Number(?:Int|Long|Decimal)\(\s*"?(-?[0-9.]+)"?\s*\)|(?:ObjectId|ISODate)\(\s*("[^"]*")\s*\)'
)


def utf8(record: bytes, line: int) -> str:
    """Return the text of a record. Surrogates, which some writers encode separately, are kept; see :func:`storable`.

    :raises RefusedRecord: it is not UTF-8; the reason has line and byte.
    """
    try:
        return record.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        start = record.rfind(b"\n", 0, error.start) + 1
        at = line + record.count(b"\n", 0, error.start)
        raise RefusedRecord(
            f"it is not UTF-8: byte 0x{record[error.start]:02X} at position {error.start - start + 1} of line {at}"
            " (iconv -f latin1 -t utf-8 converts a file of that encoding)"
        ) from None


def json_object(record: bytes, line: int) -> tuple[dict[str, Any], bytes, bool]:
    """Return a record as an object, as JSON that PostgreSQL accepts, and whether characters were removed.

    Accepts deviations of real files from JSON: NumberInt(…) etc., U+0000, lone surrogates, control characters in strings, NaN.

    :raises NotAnObject: the record is not a JSON object.
    :raises RefusedRecord: it is not UTF-8.
    """
    value, raw, cleaned = _strict(record), record, False
    if value is None:
        raw = _SHELL.sub(lambda match: match[1] or match[2] or match[0], utf8(record, line)).encode("utf-8", "surrogatepass")
        value = _strict(raw)
    if value is None:
        value, raw = _lenient(raw.decode("utf-8", "surrogatepass"))
        cleaned = True
    if not isinstance(value, dict):
        raise NotAnObject("it is JSON, but not an object")
    return value, raw, cleaned


def is_json(record: bytes) -> bool:
    """Return True if a record is valid JSON of any type."""
    try:
        orjson.loads(record)
    except orjson.JSONDecodeError:
        return False
    return True


def _strict(record: bytes) -> Any:
    """Return the value of a record if it is JSON that PostgreSQL accepts unchanged; else None."""
    if b"\\" in record and b"\\u0000" in record:  # a single byte is found faster
        return None
    try:
        return orjson.loads(record)
    except orjson.JSONDecodeError:
        return None


def _lenient(text: str) -> tuple[Any, bytes]:
    try:
        value = _storable(json.loads(text, strict=False))
    except json.JSONDecodeError as error:
        raise NotAnObject(f"it is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise RefusedRecord("its JSON is nested too deep") from None
    return value, json.dumps(value, ensure_ascii=False).encode()


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _storable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_storable(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
