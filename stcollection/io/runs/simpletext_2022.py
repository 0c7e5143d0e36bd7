"""SimpleText's format of runs of 2022: tab-separated, with passages and without scores."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import BinaryIO

from stcollection.errors import BadArgument
from stcollection.io.formats import Exported, RunFormat, RunHeader
from stcollection.io.records import Ranked
from stcollection.io.runs.simpletext import COLUMNS_2022, FIELDS, MOST_2022, is_tsv, read

_BREAK = re.compile(r"[\t\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # what one reader or another takes for the end of a cell or line


def _write(rankings: Iterable[list[Ranked]], out: BinaryIO, header: RunHeader) -> Exported:
    """A header, then one line a passage, best documents first.

    The order of the lines is the only record of the ranking: imported again it has the same ranks, and 1 / rank for scores;
    comb_score is lost. A topic has at most 100 distinct documents: its queries get them rank by rank in turn, and each ranking is
    cut where it would need one more (:attr:`Exported.cut`). A passage of several lines becomes as many passages of the document, as
    it came in; tabs and other line ends in it become blanks. What was retrieved for a topic as such has query_id 0.

    :raises BadArgument: the name of a topic, query or document that a cell cannot carry.
    """
    kept: dict[str, list[Ranked]] = {}
    total = 0
    for rows in rankings:
        kept[rows[0].query], total = rows[:MOST_2022], total + len(rows)
    _bound(kept)
    out.write(("\t".join(COLUMNS_2022) + "\n").encode())
    ranked = without = 0
    for rows in kept.values():
        for row in rows:
            ranked, without = ranked + 1, without + (not row.passage)
            query = "0" if row.query == row.topic else row.query
            names = [_name(one) for one in (header.run_id, row.topic, query, row.docno)]
            for passage in _passages(row.passage):
                out.write("\t".join([names[0], str(int(header.manual)), *names[1:], passage]).encode() + b"\n")
    return Exported(run=header.name, queries=len(kept), ranked=ranked, without_passage=without, cut=total - ranked)


def _bound(kept: dict[str, list[Ranked]]) -> None:
    """Cut the rankings so that no topic has more than 100 distinct documents."""
    by_topic: defaultdict[str, list[list[Ranked]]] = defaultdict(list)
    for rows in kept.values():
        by_topic[rows[0].topic].append(rows)
    for rankings in by_topic.values():
        documents: set[str] = set()
        for place in range(MOST_2022):
            for rows in rankings:
                if place >= len(rows):
                    continue
                if rows[place].docno not in documents and len(documents) == MOST_2022:
                    del rows[place:]
                else:
                    documents.add(rows[place].docno)


def _name(name: str) -> str:
    if not name or name != name.strip() or "\n" in name or _BREAK.search(name) or name.startswith('"'):
        raise BadArgument(
            f"the name {name!r} is none that a line of tab-separated cells can carry", hint="Export --format simpletext."
        )
    return name


def _passages(passage: str | None) -> Iterable[str]:
    """The cells of a document's passages; one that is empty where it has none."""
    lines = [_BREAK.sub(" ", line).strip() for line in (passage or "").split("\n")]
    return [_quoted(line) for line in dict.fromkeys(lines) if line] or [""]


def _quoted(cell: str) -> str:
    """A cell that begins with a quote, as readers of CSV want it."""
    return '"' + cell.replace('"', '""') + '"' if cell.startswith('"') else cell


FORMAT = RunFormat(
    name="simpletext-2022",
    title="SimpleText runs of 2022, tab-separated",
    extensions=(".tsv", ".txt"),
    recognised="a header with doc_id, separated by tabs",
    fields={**FIELDS, "rank": "rank; without it the order of the file"},
    example="runs/simpletext-2022.tsv",
    sniff=lambda text: is_tsv(text.lstrip().partition("\n")[0]),
    read=read,
    write=_write,
    passages=True,
)
