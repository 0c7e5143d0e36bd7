"""Recognise queries in a tab-separated table of id and text."""

from __future__ import annotations

from stcollection.counts import counted
from stcollection.io.formats import TopicFormat
from stcollection.io.topics.table import NUMBER, QueryTable, read


def other_table(text: str) -> str:
    """Return why a tab-separated table is not a list of queries (too many columns, numbers instead of text); '' if it is."""
    if "\t" not in text.lstrip().partition("\n")[0]:
        return ""
    rows = [[cell.strip() for cell in line.split("\t")] for line in text.split("\n") if line.strip()]
    fewest = min(map(len, rows))  # some texts may contain a tab, but not all
    if fewest > 2:
        if fewest == 3 and any(row[1] == "all" for row in rows):
            return "a table of scores, as trec_eval prints it, not queries"
        return "" if QueryTable(text).problem("") else f"a table of {counted(fewest, 'column')}, not the two of: id text"
    texts = [row[1] for row in rows[1:] or rows if len(row) == 2]
    return "a table of numbers, not queries" if texts and all(map(NUMBER.fullmatch, texts)) else ""


def _sniff(text: str) -> bool:
    if "\t" not in text.lstrip().partition("\n")[0] or other_table(text):
        return False
    table = QueryTable(text)
    return table.bare == "\t" or (table.named and len(table.names) == 2)


FORMAT = TopicFormat(
    name="tsv",
    title="tab-separated, id and text",
    extensions=(".tsv", ".txt"),
    recognised="two columns separated by a tab, the second not all numbers",
    fields={"first column": "query, required", "second column": "text, required", "a header": "as for csv"},
    example="topics/queries.tsv",
    sniff=_sniff,
    read=read,
    renamed=True,
)
