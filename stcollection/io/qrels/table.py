"""Read tables of judgments: lines of columns, with or without a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.documents import storable
from stcollection.io.files import bad_line, blocks, is_comment, lines
from stcollection.io.jsonrows import NUMBER, head_of, json_rows

HINT = "Correct the line. Nothing was stored."
# Names of columns in headers and in --columns; _ is a column to skip. Of several, the first listed here is read: a table of
# PyTerrier has both qid and the text of the query, and both docno and an internal number.
NAMES = {
    "query": ("query_id", "qid", "query-id", "q_id", "query", "topic", "topic_id"),
    "doc": ("docno", "doc_id", "doc", "docid", "corpus-id", "corpus_id", "document", "document_id", "did"),
    "rel": ("rel", "relevance", "grade", "label", "score", "judgment", "judgement", "qrel", NUMBER),
    "origin": ("origin",),
    "annotator": ("annotator", "assessor"),
    "simulated": ("simulated",),
    "stratum": (),  # only if named: without the documents that were not drawn, strata have no sizes
}
ITER = {"0", "Q0"}
_JSON = re.compile(r'\{\s*["}]|\[\s*[{\]]')  # an id may begin with a bracket
_SPACE = re.compile(r"[ \t\v\f\r]+")  # trec_eval splits by C's isspace: a no-break space belongs to the name
_UNUSUAL = re.compile(rb"[\x1c-\x1f\x80-\xff]")  # characters that str.split may take for white space, unlike trec_eval
_GRADE = re.compile(r"([+-]?[0-9]{1,9})(?:\.0*)?")  # some tools write 1.0
_RANKED = {"rank", "position", "run", "run_id", "runid", "tag", "system", "rel_score", "comb_score"}
_SCORES = {"score", NUMBER}  # grades or the scores of a run
# Columns of tables about parts of documents, in SimpleText's other tasks for example, and what they contain.
_PARTS = {"terms": re.compile(r"\bterms?\b|definition"), "sentences": re.compile(r"snt|sentence|simplif")}
Row = tuple[int, list[str]]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The columns of a table.

    :param names: keys of NAMES, ``_`` for a column to skip.
    :param unpad: True if numbers of queries and documents have leading zeros.
    :param listed: True if the format lists only relevant documents, without grades: each gets grade 1.
    :param several: True if a line has any number of documents after the query.
    """

    names: list[str]
    unpad: bool = False
    listed: bool = False
    several: bool = False


class Table:
    """A file of judgments; lines that begin with ``#`` are comments.

    :param named: names of columns or fields by key of NAMES, if they are not the usual ones.
    :raises BadInput: the file contains no judgment; a named column is missing.
    """

    def __init__(self, path: Path, named: Mapping[str, str] | None = None) -> None:
        self.path, self.named = path, named or {}
        self.json = is_json(path)
        if self.json:
            self.delimiter, self.line = None, 1
            self.names, self.first = self._begin_json()
            return
        first = next(self._lines(), None)
        if first is None:
            raise self._empty()
        self.delimiter = _delimiter(first[1], self.named)
        self.line, self.first = next(self._rows())
        if self.named and self.header is None:
            raise self._unknown(self.line, self.first if len(self.first) > 1 else re.split("[,;]", self.first[0]), "column")
        if self.header is not None and next(islice(self._lines(), 1, None), None) is None:
            raise self._empty()

    def _empty(self) -> BadInput:
        return BadInput(f"{self.path}: contains no judgment", hint="Check that it is the right file.")

    @cached_property
    def header(self) -> list[str] | None:
        """The columns by the first line, or the fields by the first object; None without names."""
        return _meanings(self.names if self.json else self.first, self.named)

    def _unknown(self, line: int, names: list[str], what: str) -> BadInput:
        """Return the error for a table or objects without the named fields, or without query and document."""
        return bad_line(
            self.path,
            line,
            f"no {what} for the query or the document of judgments; the {what}s are {', '.join(names)}",
            hint=f"Name them, for example 'stc load --as qrels FILE --columns {proposal(names)}'. Nothing was stored.",
        )

    @property
    def columns(self) -> list[str]:
        """The names in the header or in the first object, in lower case; [] without names."""
        return [] if self.header is None else column_names(self.names if self.json else self.first)

    def rows(self) -> Iterator[Row]:
        """Yield the cells of each line from the beginning, without the header."""
        if self.json:
            return self._json_rows()
        return islice(self._rows(), int(self.header is not None), None)

    def _begin_json(self) -> tuple[list[str], list[str]]:
        line, first = next(json_rows(self.path), (1, {}))
        if not first:
            raise self._empty()
        names = list(first)
        if _meanings(names, self.named) is None:
            raise self._unknown(line, names, "field")
        return names, _json_cells(first, names)

    def _json_rows(self) -> Iterator[Row]:
        for line, record in json_rows(self.path):
            yield line, _json_cells(record, self.names)

    def _lines(self) -> Iterator[tuple[int, str]]:
        return ((line, text) for line, text in lines(self.path) if not is_comment(text))

    def _rows(self) -> Iterator[Row]:
        if self.delimiter is None:
            return _split_lines(self.path)
        return self._separated()

    def _separated(self) -> Iterator[Row]:
        for line, text in self._lines():
            try:
                yield line, _cells(text, self.delimiter)
            except csv.Error as error:
                raise bad_line(self.path, line, f"not a row of a CSV file ({error})", hint=HINT) from error


def _split_lines(path: Path) -> Iterator[Row]:
    """Yield the cells of each line of a file separated by white space."""
    for first, block in blocks(path):
        usual = _UNUSUAL.search(block) is None
        for number, text in enumerate(block.decode().split("\n"), first):
            if usual:
                if (cells := text.split()) and not cells[0].startswith("#"):
                    yield number, cells
            elif text.strip() and not is_comment(text):
                yield number, _cells(text, None)


def is_json(path: Path) -> bool:
    """Return True if a file of judgments begins like JSON."""
    return _JSON.match(head_of(path)) is not None


def grade(text: str) -> int | None:
    """Parse a grade; None if the text is not a grade."""
    match = _GRADE.fullmatch(text)
    return int(match[1]) if match is not None and -32768 <= int(match[1]) <= 32767 else None


def _delimiter(first: str, named: Mapping[str, str]) -> str | None:
    """Return the delimiter by which the first line is a header or a judgment; None means white space."""
    for sign in ",;\t":
        cells = _cells(first, sign) if sign in first else []
        if _meanings(cells, named) is not None:
            return sign
        if sign != "\t" and len(cells) in (3, 4) and grade(cells[-1]) is not None and not _SPACE.search(first.strip()):
            return sign
    return None


def _cells(text: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return _SPACE.split(text.strip(" \t\v\f\r"))
    if '"' not in text:
        return [cell.strip() for cell in text.split(delimiter)]
    return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter))]


def _json_cells(record: dict[str, Any], names: list[str]) -> list[str]:
    return [_json_cell(record.get(name)) for name in names]


def _json_cell(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():  # pandas converts integers to floats if a value is missing
        value = int(value)
    return "" if value is None else storable(str(value)).strip()


def read_columns(text: str, known: Collection[str], *, of: str, example: str) -> dict[str, str]:
    """Parse names of columns by part, such as ``query=question,doc=paper,rel=useful``.

    :param known: the parts. :param of: what the columns belong to, for messages.
    :raises BadArgument: invalid syntax, an unknown part, or a part or a column is repeated.
    """
    pairs = [[part.strip() for part in pair.partition("=")[::2]] for pair in text.split(",")]
    columns = {ours: theirs for ours, theirs in pairs if ours in known and theirs}
    if len(set(columns.values())) < len(pairs):
        hint = f"Write for example {example}; names: {', '.join(known)}."
        raise BadArgument(f"{text!r} does not name columns of {of}", hint=hint)
    return columns


def column_names(names: Iterable[str]) -> list[str]:
    """Return the cells of a header as names of columns: in lower case, without quotes and white space around them."""
    return [name.strip().strip('"').lower() for name in names]


def ranked(names: Collection[str]) -> bool:
    """Return True if columns with these names (in lower case) are those of a run: a rank, a tag or a run's score, no grade."""
    return not _RANKED.isdisjoint(names) and (set(NAMES["rel"]) - _SCORES).isdisjoint(names)


def parts(names: Collection[str]) -> str:
    """Return which parts of documents a table with these columns is about, such as ``sentences (source_snt)``; '' if none."""
    for what, pattern in _PARTS.items():
        if matches := [name for name in names if pattern.search(name)]:
            texts = [name for name in matches if not name.endswith("id")]
            return f"{what} ({', '.join(texts or matches)})"
    return ""


def about(names: Collection[str]) -> str:
    """Return a sentence about the columns of a table: their names, and the parts of documents that it is about."""
    what = parts(names)
    return f"the columns are {', '.join(names)}{f', about {what}' if what else ''}"


def proposal(names: list[str]) -> str:
    """Return the likely columns: the query first, the grade last, the document before it."""
    last = len(names) - 1
    return ",".join(f"{part}={names[at]}" for part, at in (("query", 0), ("doc", max(1, last - 1)), ("rel", last)) if at <= last)


def _meanings(names: list[str], named: Mapping[str, str]) -> list[str] | None:
    """Return the columns of a header; None if the line is not a header.

    :param named: names by key of NAMES, instead of the usual ones.
    """
    cleaned = column_names(names)
    columns = ["_"] * len(names)
    if not set(map(str.lower, named.values())) <= set(cleaned):
        return None
    for column, usual in NAMES.items():
        choices = (named[column].lower(),) if column in named else usual
        if (name := next((choice for choice in choices if choice in cleaned), None)) is not None:
            columns[cleaned.index(name)] = column
    return columns if {"query", "doc"} <= set(columns) else None
