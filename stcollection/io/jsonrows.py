"""Read judgments and runs in JSON: objects with query and document, or one object of numbers by query and document.

ranx, pytrec_eval and BEIR use the second form in memory: ``{"q1": {"d1": 2, "d2": 0}}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from stcollection.io.files import bad_line, lines, pieces, read_text
from stcollection.io.topics.records import records

QUERY, DOCUMENT, NUMBER = "query", "doc", "number"  # fields of records from the nested form
_HEAD = 2**16  # bytes used to recognise a file
_MOST = 2**28  # maximum bytes of a file that is not JSON lines
_NAME = r'"(?:[^"\\]|\\.)*+"'
_NESTED = re.compile(rf"\s*\{{\s*{_NAME}\s*:\s*\{{\s*(?:{_NAME}\s*:\s*[-0-9]|\}})")
_FIELD = re.compile(rf"{_NAME}\s*:")


def is_nested(head: str) -> bool:
    """Return True if a text starts with numbers by query and document."""
    return _NESTED.match(head) is not None


def first_fields(head: str) -> list[str]:
    """Return the field names in the first object of a text, in lower case, including those of nested objects."""
    begun = head.partition("}")[0]
    return [match[0].rstrip(": \t\n")[1:-1].lower() for match in _FIELD.finditer(begun)]


def head_of(path: Path) -> str:
    """Return the first characters of a file, without leading white space."""
    text = ""
    for piece in pieces(path):
        text += piece[:_HEAD].decode(errors="ignore")
        if len(text := text.lstrip()) >= 1000:
            break
    return text[:_HEAD]


def json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with their lines; field names are in lower case.

    JSON lines are read line by line. An array, or numbers by query and document, may have at most 256 MB.

    :raises BadInput: not JSON, or not an object, with file and line.
    """
    head = head_of(path)
    if is_nested(head):
        yield from _nested(path)
    elif head.startswith("{") and _is_object(head.partition("\n")[0]):
        for line, text in lines(path):
            try:
                value = orjson.loads(text)
            except orjson.JSONDecodeError as error:
                raise bad_line(path, line, f"not JSON ({error})", hint="Correct the line. Nothing was stored.") from None
            if not isinstance(value, dict):
                raise bad_line(path, line, "not an object", hint="Write one object per line. Nothing was stored.")
            yield line, {name.lower(): content for name, content in value.items()}
    else:
        yield from records(path, read_text(path, most=_MOST))


def _is_object(line: str) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _nested(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        value = orjson.loads(read_text(path, most=_MOST))
    except orjson.JSONDecodeError as error:
        raise bad_line(path, error.lineno, f"not JSON ({error})", hint="Correct the file. Nothing was stored.") from None
    for query, documents in value.items():
        if not isinstance(documents, dict):
            raise bad_line(path, 1, f"query {query} has no object of documents", hint='Write it like this: {"q1": {"d1": 2}}.')
        for document, number in documents.items():
            yield 1, {QUERY: query, DOCUMENT: document, NUMBER: number}
