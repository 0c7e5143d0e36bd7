"""Judgments and runs in JSON: objects with the ids of a query and a document, or one object of numbers by query and document.

The second is what ranx, pytrec_eval and BEIR keep in memory: ``{"q1": {"d1": 2, "d2": 0}}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from stcollection.io.files import bad_line, lines, pieces, read_text
from stcollection.io.topics.records import records

QUERY, DOCUMENT, NUMBER = "query", "doc", "number"  # the fields of a record that comes from numbers by query and document
_HEAD = 2**16  # bytes by which a file is recognised
_MOST = 2**28  # bytes of a file that is not JSON lines
_NAME = r'"(?:[^"\\]|\\.)*+"'
_NESTED = re.compile(rf"\s*\{{\s*{_NAME}\s*:\s*\{{\s*(?:{_NAME}\s*:\s*[-0-9]|\}})")
_FIELD = re.compile(rf"{_NAME}\s*:")


def is_nested(head: str) -> bool:
    """Whether a text begins numbers by query and document."""
    return _NESTED.match(head) is not None


def first_fields(head: str) -> list[str]:
    """The names of the fields in the first object of a text, in lower case; those of objects within it too."""
    begun = head.partition("}")[0]
    return [found[0].rstrip(": \t\n")[1:-1].lower() for found in _FIELD.finditer(begun)]


def head_of(path: Path) -> str:
    """The first characters of a file, without blanks."""
    text = ""
    for piece in pieces(path):
        text += piece[:_HEAD].decode(errors="ignore")
        if len(text := text.lstrip()) >= 1000:
            break
    return text[:_HEAD]


def json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, each with its line; names are in lower case.

    JSON lines are read line by line. An array, or numbers by query and document, may have 256 MB.

    :raises BadInput: what is not JSON, or not an object; with file and line.
    """
    head = head_of(path)
    if is_nested(head):
        yield from _nested(path)
    elif head.startswith("{") and _is_object(head.partition("\n")[0]):
        for line, text in lines(path):
            try:
                value = orjson.loads(text)
            except orjson.JSONDecodeError as error:
                raise bad_line(path, line, f"not JSON ({error})", hint="Correct the line; nothing was stored.") from None
            if not isinstance(value, dict):
                raise bad_line(path, line, "not an object", hint="Each line is an object; nothing was stored.")
            yield line, {name.lower(): one for name, one in value.items()}
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
        raise bad_line(path, error.lineno, f"not JSON ({error})", hint="Correct it; nothing was stored.") from None
    for query, documents in value.items():
        if not isinstance(documents, dict):
            raise bad_line(path, 1, f"query {query} has no object of documents", hint='Like this: {"q1": {"d1": 2}}.')
        for document, number in documents.items():
            yield 1, {QUERY: query, DOCUMENT: document, NUMBER: number}
