"""Read queries from a tab-separated table of id and text."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from stcollection.io.files import bad_line, clip
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def _read(path: Path, text: str, _options: QueryOptions) -> Iterator[QueryRecord]:
    for line, row in enumerate(io.StringIO(text), 1):
        if not row.strip():
            continue
        query, tab, rest = row.partition("\t")
        if line == 1 and query.strip().lower() in ("qid", "query_id", "id", "topic_id"):
            continue
        if not tab or not query.strip() or not rest.strip():
            raise bad_line(path, line, f"not an id, a tab and a text: {clip(row)}", hint="Correct the line. Nothing was stored.")
        yield QueryRecord(line=line, query=query.strip(), text=rest.strip())


def other_table(text: str) -> str:
    """Return why a tab-separated table is not a list of queries (too many columns, numbers instead of text); '' if it is."""
    if "\t" not in text.lstrip().partition("\n")[0]:
        return ""
    rows = [[cell.strip() for cell in line.split("\t")] for line in text.split("\n") if line.strip()]
    fewest = min(map(len, rows))  # some texts may contain a tab, but not all
    if fewest > 2:
        if fewest == 3 and any(row[1] == "all" for row in rows):
            return "a table of scores, as trec_eval prints it, not queries"
        return f"a table of {fewest} columns, not the two of: id text"
    texts = [row[1] for row in rows[1:] or rows if len(row) == 2]
    return "a table of numbers, not queries" if texts and all(map(NUMBER.fullmatch, texts)) else ""


def _sniff(text: str) -> bool:
    return "\t" in text.lstrip().partition("\n")[0] and not other_table(text)


FORMAT = TopicFormat(
    name="tsv",
    title="tab-separated, id and text",
    extensions=(".tsv", ".txt"),
    recognised="two columns separated by a tab, the second not all numbers",
    fields={"first column": "query, required", "second column": "text, required"},
    example="topics/queries.tsv",
    sniff=_sniff,
    read=_read,
)
