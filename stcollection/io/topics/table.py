"""Read queries from a table: CSV of id and text without a header, or any table whose header names both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from stcollection.io.files import bad_line, clip
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord
from stcollection.io.tables import TableLayout, header_of
from stcollection.io.topics.columns import FIELDS, are_queries, query_of
from stcollection.io.topics.tsv import NUMBER

_HEAD, _SAMPLE = 100_000, 50  # characters and rows used to detect a table
_BARE = re.compile(r'(?:"[^"\s]{1,50}"|[^\s,;"]{1,50})([,;])(.*)')  # a row without a header: an id, a comma and a text


def _header(text: str) -> tuple[TableLayout, list[str]] | None:
    """Return the layout of a table with a header, and its column names in lower case."""
    layout, names = header_of(text.lstrip()[:_HEAD])
    return (layout, names) if layout is not None and are_queries(names) else None


def _delimiter(text: str) -> str | None:
    """Return the delimiter between ids and texts in a table without a header; None if it is not such a table."""
    rows = [row for row in text.lstrip()[:_HEAD].split("\n")[:_SAMPLE] if row.strip()]
    found = [_BARE.fullmatch(row) for row in rows]
    first = found[0] if found else None
    if first is None or "\t" in rows[0]:
        return None
    fits = [one for one in found if one is not None and one[1] == first[1]]
    texts = [one[2].strip() for one in fits if one[2].strip()]
    if 2 * len(texts) <= len(rows) or all(NUMBER.fullmatch(one) or _BARE.fullmatch(one) for one in texts):
        return None
    return first[1]


def _sniff(text: str) -> bool:
    return text.lstrip()[:1] not in ("{", "[", "<") and (_header(text) is not None or _delimiter(text) is not None)


def _read(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    before = text[: len(text) - len(text.lstrip())].count("\n")
    found = _header(text)
    layout, names = found or (TableLayout(_delimiter(text) or ",", 2, quoted=True), ["query_id", "query"])
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise bad_line(path, before + 1, f"the header has {', '.join(twice)} more than once", hint="Rename the columns.")
    rows = layout.rows(text.lstrip())
    if found is not None:
        next(rows)
    for line, row in rows:
        if len(row) > 2 == layout.width:  # commas in unquoted text
            row = [row[0], layout.delimiter.join(row[1:])]
        if len(row) != layout.width:
            raise bad_line(
                path,
                before + line + 1,
                f"{len(row)} columns, not {layout.width}: {clip(layout.delimiter.join(row))}",
                hint=f"Put text that contains {layout.delimiter!r} in double quotes. Nothing was stored.",
            )
        cells = {name: " ".join(cell.split()) for name, cell in zip(names, row, strict=True) if name}
        yield query_of(path, before + line + 1, cells, options)


FORMAT = TopicFormat(
    name="csv",
    title="CSV of id and text, or a table with a header",
    extensions=(".csv", ".tsv"),
    recognised="an id, a comma or semicolon and a text; or a header with qid and query",
    fields=FIELDS,
    example="topics/queries.csv",
    sniff=_sniff,
    read=_read,
)
