"""Read queries from a table with or without a header: CSV and TSV."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from stcollection.counts import counted
from stcollection.errors import BadInput
from stcollection.io.corpus.fields import DEFAULT, FieldNames, folded, unread
from stcollection.io.files import bad_line, clip
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord
from stcollection.io.tables import DELIMITERS, TableLayout, first_row, layout_of
from stcollection.io.topics.columns import FIELDS, KNOWN, are_queries, query_of

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_HEAD, _SAMPLE = 100_000, 50  # characters and rows used to detect a table
_BARE = re.compile(r'(?:"[^"\s]{1,50}"|[^\s,;"]{1,50})([,;])(.*)')  # a row without a header: an id, a comma and a text
_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")
_OTHERS = "For other tables use 'stc load --as qrels', 'stc load --as runs' or 'stc load --as scores'."
_NO_HEADER = f"If the first row is a query, number the columns: --map query=1,text=2. {_OTHERS}"


class QueryTable:
    """A text as a table of queries.

    :param layout: None if the text is not a table of several columns. :param rows: the first rows.
    """

    def __init__(self, text: str) -> None:
        blank = _BLANK_LINES.match(text)
        self.text = text[blank.end() if blank else 0 :]
        self.before = text.count("\n", 0, len(text) - len(self.text))
        head = self.text[:_HEAD]
        self.layout = layout_of(head) or _named_layout(head)
        self.rows = [] if self.layout is None else [row for _, row in islice(self.layout.rows(head), _SAMPLE)]
        self.names = [cell.strip().strip('"') for cell in self.rows[0]] if self.rows else []

    @property
    def named(self) -> bool:
        """True if the first row names the id and the text of queries."""
        return are_queries(self.names)

    @property
    def bare(self) -> str | None:
        """The separator of ids and texts in a table without header; None for other tables."""
        first, *_ = self.text.split("\n", 1)
        if "\t" in first:
            rows = [line.split("\t") for line in self._lines() if "\t" in line]
            return "\t" if first_row(rows, KNOWN) == "values" else None
        sign = _separator(self._lines())
        rows = [line.split(sign, 1) for line in self._lines() if sign in line] if sign else []
        return sign if rows and first_row(rows, KNOWN) == "values" else None

    def _lines(self) -> list[str]:
        return [row for row in self.text[:_HEAD].split("\n")[:_SAMPLE] if row.strip()]

    def mapped(self, fields: FieldNames) -> bool:
        """Return True if a map applies to this table: it is for queries only, or one of its names is in the first row."""
        own = fields.given("queries")
        keys = set(map(folded, self.names))
        return bool(own) and (not fields.foreign("queries") or any(folded(name) in keys for name in own.values()))

    def problem(self, place: str, fields: FieldNames = DEFAULT) -> BadInput | None:
        """Return the error for a header that does not name an id and a text, or may be a query; None for other tables.

        :param place: the file, for messages.
        """
        if self.layout is None or self.named or self.mapped(fields):
            return None
        first = first_row(self.rows, KNOWN)
        if first == "values":
            return None
        sample = [dict(zip(self.names, row, strict=False)) for row in self.rows[1:]]
        present = [name for name in self.names if name]
        missing = {
            part: noun
            for part, noun, other in (("query", "id", "query"), ("text", "text", "qid"))
            if not are_queries([*present, other])
        }
        advice = _OTHERS if first == "names" else _NO_HEADER
        return unread(f"{place}:{self.before + 1}", "queries", missing, self.names, sample, what="column", advice=advice)


def _named_layout(head: str) -> TableLayout | None:
    """Return the layout by a first line that names the columns, for a table in which most rows have another width."""
    first = head.partition("\n")[0]
    cells = {sign: first.split(sign) for sign in DELIMITERS}
    return next((TableLayout(sign, len(names), quoted=True) for sign, names in cells.items() if are_queries(names)), None)


def _separator(rows: list[str]) -> str | None:
    """Return the comma or semicolon between ids and texts in rows without a header; None if they are something else."""
    matches = [_BARE.fullmatch(row) for row in rows]
    first = matches[0] if matches else None
    if first is None:
        return None
    fits = [match for match in matches if match is not None and match[1] == first[1]]
    texts = [match[2].strip() for match in fits if match[2].strip()]
    if 2 * len(texts) <= len(rows) or all(NUMBER.fullmatch(text) or _BARE.fullmatch(text) for text in texts):
        return None
    return first[1]


def _sniff(text: str) -> bool:
    if text.lstrip()[:1] in ("{", "[", "<"):
        return False
    table = QueryTable(text)
    return table.named or table.bare in (",", ";")


def read(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    """Yield the queries of a table.

    :raises BadInput: a row of another width, or without id or text; no column for the id or the text.
    """
    table = QueryTable(text)
    if problem := table.problem(str(path), options.fields):
        raise problem
    if not table.named and not table.mapped(options.fields):
        yield from _bare_rows(path, table)
        return
    for line, cells in named_rows(path, table, options.fields):
        one_line = {name: " ".join(cell.split()) if "\n" in cell else cell for name, cell in cells.items()}
        yield query_of(path, line, one_line, options, what="column")


def named_rows(path: Path, table: QueryTable, fields: FieldNames) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a table by column, with their lines. A map that numbers the columns reads the first row too.

    :raises BadInput: a row of another width; a repeated column.
    """
    layout = table.layout or TableLayout(table.bare or "\t", 2, quoted=True)
    names = table.names
    if numbered := fields.numbered("queries", names, layout.width):
        names = [str(at) for at in range(1, layout.width + 1)]
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise bad_line(path, table.before + 1, f"the header has {', '.join(twice)} more than once", hint="Rename the columns.")
    for at, row in islice(layout.rows(table.text), 0 if numbered else 1, None):
        line = table.before + at + 1
        yield line, _cells(path, line, row, names, layout)


def _cells(path: Path, line: int, row: list[str], names: list[str], layout: TableLayout) -> dict[str, str]:
    """Return the cells of a row by column."""
    if len(row) > 2 == layout.width:  # commas in unquoted text
        row = [row[0], layout.delimiter.join(row[1:])]
    if len(row) != layout.width:
        raise bad_line(
            path,
            line,
            f"{counted(len(row), 'column')}, not {layout.width}: {clip(layout.delimiter.join(row))}",
            hint=f"Put text that contains {layout.delimiter!r} in double quotes. Nothing was stored.",
        )
    return {name: cell.strip() for name, cell in zip(names, row, strict=True) if name}


def _bare_rows(path: Path, table: QueryTable) -> Iterator[QueryRecord]:
    """Yield the queries of a table without header: an id, a separator and a text that may contain the separator."""
    sign = table.bare or "\t"
    if sign == "\t":
        for line, row in enumerate(io.StringIO(table.text), table.before + 1):
            if not row.strip():
                continue
            query, tab, text = row.partition("\t")
            if not (tab and query.strip() and text.strip()):
                raise bad_line(
                    path, line, f"not an id, a tab and a text: {clip(row)}", hint="Correct the line. Nothing was stored."
                )
            yield QueryRecord(line=line, query=query.strip(), text=text.strip())
        return
    layout = TableLayout(sign, 2, quoted=True)
    for at, cells in layout.rows(table.text):
        line = table.before + at + 1
        yield query_of(path, line, _cells(path, line, cells, ["query_id", "query"], layout), QueryOptions(), what="column")


FORMAT = TopicFormat(
    name="csv",
    title="CSV of id and text, or a table with a header",
    extensions=(".csv", ".tsv"),
    recognised="an id, a comma or semicolon and a text; or a header with qid and query",
    fields=FIELDS,
    example="topics/queries.csv",
    sniff=_sniff,
    read=read,
    renamed=True,
)
