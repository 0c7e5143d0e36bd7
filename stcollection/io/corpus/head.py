"""The beginning of a stream of documents, used to detect its format."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.documents import RefusedRecord
from stcollection.io.corpus.split import LineRecords, Nested, Pretty, Splitter

_SAMPLE = 20  # number of records to examine
_NAME = re.compile(rb'"([A-Za-z_]{1,50})"\s*:')
_OPENING = re.compile(rb"\s*?(\[?)[\s,]*?([^\S\n]*)(?=\{)")


class Head:
    """The first bytes of a stream, without a byte order mark."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.start = data.lstrip()

    @cached_property
    def json(self) -> Splitter | None:
        """The splitter for the layout of JSON: one object per line, indented objects, or any other; None if not JSON."""
        if self.start[:1] not in (b"{", b"["):
            return None
        opening = _OPENING.match(self.data)
        if opening is None:  # an array whose first element is not an object: empty, or with other values
            return Nested(self._array) if b"{" in self.data else LineRecords(self._array)
        array = bool(opening[1])
        begun = self.data[opening.end() :]
        first, _, rest = begun.partition(b"\n")
        deeper = len(rest) - len(rest.lstrip(b" \t")) > len(opening[2])
        if first.strip() == b"{" and deeper:
            pretty = Pretty(array, opening[2])
            end = pretty.cut(begun, len(begun))
            if end and any(_readable(record) for _, record in pretty.records(begun[:end])):
                return pretty
        lines, nested = LineRecords(array), Nested(array)
        by_line = (_readable(record) for (_, record), _ in zip(lines.records(begun), range(_SAMPLE), strict=False))
        if next(by_line, None):
            return lines
        # The first line is broken, or the first object has several lines, of which one may be a whole inner object.
        first_object = next((record for _, record in nested.records(begun)), b"")
        return nested if _readable(first_object) or not any(by_line) else lines

    @property
    def _array(self) -> bool:
        return self.start.startswith(b"[")

    @cached_property
    def sample(self) -> list[dict[str, Any]]:
        """The first JSON objects."""
        return [] if self.json is None else self._sample(self.json) or self._sample(Nested(self._array))

    def _sample(self, splitter: Splitter) -> list[dict[str, Any]]:
        records = zip(splitter.records(self.data), range(_SAMPLE), strict=False)
        return [value for (_, record), _ in records if (value := _readable(record))]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The field names of the first JSON objects."""
        return frozenset(key for value in self.sample for key in value)

    @cached_property
    def names(self) -> frozenset[str]:
        """As ``keys``; if the first object is longer than the beginning, all names in it, including those of nested objects."""
        if self.keys or self.start[:1] not in (b"{", b"["):
            return self.keys
        return frozenset(name.decode("utf-8", "replace") for name in _NAME.findall(self.start))


def _readable(record: bytes) -> dict[str, Any] | None:
    try:
        return json_object(record, 1)[0]
    except RefusedRecord:
        return None
