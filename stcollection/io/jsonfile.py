"""Read JSON files of records to the end despite errors, and report the line and the faults of each record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stcollection.counts import counted
from stcollection.io.files import clip

_BLANK = re.compile(r"[\s,]*")
_NEXT = re.compile(r"\n[ \t,]*\{")  # where reading resumes after a broken record
_MOST_BROKEN = 1000
_MOST_READ = 20_000_000_000  # limit of characters that json rereads to find the lines of broken records


@dataclass(frozen=True, kw_only=True)
class Item:
    """One record of a file.

    :param line: its first line, from 1.
    :param record: None if it cannot be read; column names are in lower case.
    :param broken: why it cannot be imported; '' if it can.
    :param odd: deviations that a strict reader refuses although the meaning is clear.
    """

    line: int
    record: dict[str, Any] | None = None
    broken: str = ""
    odd: tuple[str, ...] = ()


def parse_items(text: str) -> Iterator[Item]:
    """Yield the records of a JSON array or of JSON lines.

    A broken record is reported, and reading resumes at the next line that starts a record. It stops after 1,000 broken records
    (fewer in a file of more than 20 million characters).
    """
    reader = _Reader(text)
    most = max(20, min(_MOST_BROKEN, _MOST_READ // (len(text) + 1)))
    while True:
        item = reader.next()
        if item is None:
            return
        yield item
        reader.broken += bool(item.broken)
        if reader.broken == most:
            yield Item(line=item.line, broken=f"{counted(most, 'record is', 'records are')} broken; the rest was not read")
            return


class _Reader:
    """Position in the text, and state of the records so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.broken = 0
        self._end_of_text = len(text.rstrip())
        self._repeated: list[str] = []
        self._decoder = json.JSONDecoder(object_pairs_hook=self._pairs)
        self._line, self._counted = 1, 0
        self._at = len(text) - len(text.lstrip())
        self._array = text[self._at : self._at + 1] == "["
        self._lines = not self._array and self._at < len(text)
        self._at += self._array
        self._before = 0  # records of the array so far
        self._resumed = False  # True after a broken record, where commas cannot be checked

    def _pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for column, value in pairs:
            column = column.lower()
            if column in record:
                self._repeated.append(column)
            record[column] = value
        return record

    def _lineno(self, at: int) -> int:
        """Return the line of a position, which must not decrease between calls."""
        self._line += self.text.count("\n", self._counted, at)
        self._counted = at
        return self._line

    def next(self) -> Item | None:
        text, behind = self.text, self._at
        self._at = _BLANK.match(text, behind).end()  # type: ignore[union-attr]
        at, commas = self._at, text.count(",", behind, self._at)
        line = self._lineno(at)
        if self._array and text[at : at + 1] == "]":
            return self._end(line, commas)
        if at == len(text):
            self._at = at
            if self._array:
                self._array = False
                return Item(line=line, broken="the JSON array is not closed: the file is truncated")
            return None
        odd: list[str] = []
        if self._lines:
            odd.append("JSON lines; the track requires one array, in [ and ]")
            self._lines = False
        elif self._array and not self._resumed and commas != min(self._before, 1):
            odd.append(f"{counted(commas, 'comma')} before the record" if commas else "no comma before the record")
        self._before += 1
        self._resumed = False
        return self._record(line, odd)

    def _record(self, line: int, odd: list[str]) -> Item:
        self._repeated.clear()
        at = self._at
        try:
            record, self._at = self._decoder.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            return self._skip(line, error.pos, error.msg, odd)
        except (ValueError, RecursionError) as error:  # a number with thousands of digits, nesting a thousand deep
            return self._skip(line, at + 1, str(error), odd)
        if not isinstance(record, dict):
            return Item(line=line, broken=f"not an object: {clip(record)}", odd=tuple(odd))
        broken = f"{', '.join(sorted(set(self._repeated)))} repeated in the record" if self._repeated else ""
        return Item(line=line, record=record, broken=broken, odd=tuple(odd))

    def _skip(self, line: int, error: int, what: str, odd: list[str]) -> Item:
        text, at = self.text, self._at
        if error >= self._end_of_text or what.startswith("Unterminated"):  # a string must end on its line
            self._at, self._array = len(text), False
            return Item(line=line, broken="the JSON ends in the middle of a record: the file is truncated", odd=tuple(odd))
        match = _NEXT.search(text, max(at + 1, text.rfind("\n", at + 1, error + 1)))
        self._at = match.start() if match else len(text)
        self._resumed = True
        if match is None:
            self._array = False
        start = text.rfind("\n", 0, error) + 1
        place = line + text.count("\n", at, error)
        return Item(line=place, broken=f"not JSON ({what}, column {error - start + 1})", odd=tuple(odd))

    def _end(self, line: int, commas: int) -> Item | None:
        """Handle the end of the array."""
        text = self.text
        self._at += 1
        behind = text[self._at :].lstrip()
        odd = ("a comma after the last record",) if commas and self._before and not self._resumed else ()
        self._at, self._before = len(text) - len(behind), 0
        if not behind:
            self._array = False
            self._at = len(text)
            return Item(line=line, odd=odd) if odd else None
        if behind[0] == "[":
            self._at += 1
            return Item(line=self._lineno(self._at), broken="a second array: use one array per file", odd=odd)
        self._at, self._array = len(text), False
        return Item(line=line, broken=f"text after the array: {clip(behind)}", odd=odd)
