"""Read SMART queries: ``.I`` number, then fields that start with a dot and a letter (CACM, Cranfield, …); ``*FIND`` of TIME."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from stcollection.io.corpus.smart import fields_of, unpadded
from stcollection.io.files import bad_line, clip
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord

_SMART = re.compile(r"^\.I\s+(\S+)[^\n]*\n(.*?)(?=^\.I\s|\Z)", re.MULTILINE | re.DOTALL)
_FIND = re.compile(r"^\*FIND[ \t]*(\S*)[^\n]*\n(.*?)(?=^\*(?:FIND|STOP)\b|\Z)", re.MULTILINE | re.DOTALL)


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
        fields = fields_of(block[2].split("\n"))
        content = " ".join(" ".join((*fields.get("T", ()), *fields.get("W", ()))).split())
        if not content:
            raise bad_line(path, line, f"query {block[1]} has no text under .T or .W", hint="Correct it. Nothing was stored.")
        yield QueryRecord(line=line, query=str(place if number == "position" else int(block[1])), text=content)


def _read_time(path: Path, text: str, _options: QueryOptions) -> Iterator[QueryRecord]:
    for block in _FIND.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        content = " ".join(block[2].split())
        if not block[1] or not content:
            what = f"query {block[1]} has no text" if block[1] else "*FIND without a number"
            raise bad_line(path, line, what, hint="Correct it. Nothing was stored.")
        yield QueryRecord(line=line, query=unpadded(block[1]), text=content)


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

TIME = TopicFormat(
    name="time",
    title="queries of TIME of the Glasgow collections",
    extensions=(".que",),
    recognised="*FIND and a number on the first line",
    fields={"*FIND": "query, without leading zeros, required", "other lines": "text, required"},
    example="topics/time.que",
    sniff=lambda text: re.match(r"\*FIND\s+\d", text.lstrip()) is not None,
    read=_read_time,
)
