"""Read SMART queries: ``.I`` number, then fields that start with a dot and a letter (CACM, Cranfield, …)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from stcollection.io.files import bad_line, clip
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord

_SMART = re.compile(r"^\.I\s+(\S+)[^\n]*\n(.*?)(?=^\.I\s|\Z)", re.MULTILINE | re.DOTALL)
_SMART_FIELD = re.compile(r"^\.([A-Z])[ \t]*\n(.*?)(?=^\.[A-Z]\b|\Z)", re.MULTILINE | re.DOTALL)


def _number(text: str) -> str:
    names = [block[1] for block in _SMART.finditer(text)]
    gaps = names != [str(place).zfill(len(name)) for place, name in enumerate(names, 1)]
    return "position" if gaps and any(name.startswith("0") for name in names) else "id"


def _read(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    number = options.number or _number(text)
    for place, block in enumerate(_SMART.finditer(text), 1):
        line = text.count("\n", 0, block.start()) + 1
        if not block[1].isdecimal():
            raise bad_line(
                path, line, f".I is followed by {clip(block[1])}, not a number", hint="Correct the line. Nothing was stored."
            )
        fields: dict[str, str] = {}
        for field in _SMART_FIELD.finditer(block[2]):
            fields.setdefault(field[1], " ".join(field[2].split()))
        content = " ".join(filter(None, (fields.get("T"), fields.get("W"))))
        if not content:
            raise bad_line(path, line, f"query {block[1]} has no text under .T or .W", hint="Correct it. Nothing was stored.")
        yield QueryRecord(line=line, query=str(place if number == "position" else int(block[1])), text=content)


FORMAT = TopicFormat(
    name="smart",
    title="SMART queries (CACM, Cranfield, …)",
    extensions=(".qry", ".text", ".smart"),
    recognised=".I and a number on the first line",
    fields={".I": "query, required, or its position (--number)", ".T, .W": "text, one of them required"},
    example="topics/smart.qry",
    sniff=lambda text: re.match(r"\.i\s+\d", text.lstrip().partition("\n")[0].lower()) is not None,
    read=_read,
    note=lambda text, options: f"numbered by {options.number or _number(text)}",
)
