"""Judgments as tables: lines of columns, with or without a header that names them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from stcollection.errors import BadInput
from stcollection.io.files import bad_line, lines

HINT = "Correct the line; nothing was stored."
# What the columns are called in headers, and in --columns; _ is a column to skip.
NAMES = {
    "query": ("query", "query_id", "qid", "topic", "topic_id"),
    "doc": ("doc", "docno", "doc_id", "docid", "document"),
    "rel": ("rel", "relevance", "grade", "label", "judgment", "judgement", "qrel"),
    "origin": ("origin",),
    "annotator": ("annotator", "assessor"),
    "simulated": ("simulated",),
}
_MEANING = {name: column for column, names in NAMES.items() for name in names}
ITER = {"0", "Q0"}
_SPACE = re.compile(r"[ \t\v\f\r]+")  # C's isspace, by which trec_eval splits columns: a no-break space belongs to the name
_GRADE = re.compile(r"([+-]?[0-9]{1,9})(?:\.0*)?")  # some tools write 1.0
Row = tuple[int, list[str]]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What the columns of a table are.

    :param names: keys of NAMES, ``_`` for a column to skip. Without ``rel`` each document is relevant with grade 1.
    :param unpad: numbers of queries and documents are padded by zeros.
    """

    names: list[str]
    unpad: bool = False


class Table:
    """A file of judgments; lines that begin with ``#`` are comments.

    :raises BadInput: it has no line with a judgment.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        first = next(self._lines(), None)
        if first is None:
            raise self._empty()
        self.delimiter = _delimiter(first[1])
        self.line, self.first = next(self._rows())
        if self.header is not None and next(islice(self._lines(), 1, None), None) is None:
            raise self._empty()

    def _empty(self) -> BadInput:
        return BadInput(f"{self.path}: holds no judgment", hint="Is it the right file?", sqlstate="IR301")

    @cached_property
    def header(self) -> list[str] | None:
        """What the columns are by the first line; None if it is not a header."""
        return _meanings(self.first)

    def rows(self) -> Iterator[Row]:
        """The cells of each line from the beginning, without the header."""
        return islice(self._rows(), int(self.header is not None), None)

    def _lines(self) -> Iterator[tuple[int, str]]:
        return ((line, text) for line, text in lines(self.path) if not text.startswith("#"))

    def _rows(self) -> Iterator[Row]:
        for line, text in self._lines():
            try:
                yield line, _cells(text, self.delimiter)
            except csv.Error as error:
                raise bad_line(self.path, line, f"no row of a CSV file ({error})", hint=HINT) from error


def grade(text: str) -> int | None:
    """The grade that a text is, None if it is not one."""
    found = _GRADE.fullmatch(text)
    return int(found[1]) if found is not None and -32768 <= int(found[1]) <= 32767 else None


def _delimiter(first: str) -> str | None:
    """A comma or semicolon if the first line is a header with it; None is white space."""
    return next((sign for sign in ",;" if sign in first and _meanings(first.split(sign)) is not None), None)


def _cells(text: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return _SPACE.split(text.strip(" \t\v\f\r"))
    return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter))]


def _meanings(names: list[str]) -> list[str] | None:
    """What the columns of a header are; None if the line is not a header."""
    columns = [_MEANING.get(name.strip().strip('"').lower(), "_") for name in names]
    if columns.count("query") > 1:  # a topic beside it
        columns = ["_" if name.strip().lower().startswith("topic") else column for name, column in zip(names, columns, strict=True)]
    return columns if {"query", "doc"} <= set(columns) else None
