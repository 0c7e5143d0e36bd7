"""Write SimpleText runs in the format of 2022: tab-separated, with passages and without scores."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import BinaryIO

from stcollection.errors import BadArgument
from stcollection.io.formats import Exported, RunFormat, RunHeader
from stcollection.io.records import Ranked
from stcollection.io.runs.simpletext import COLUMNS_2022, FIELDS, MOST_2022, is_tsv, read

_BREAK = re.compile(r"[\t\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # characters that some readers treat as the end of a cell or line


def _write(rankings: Iterable[list[Ranked]], out: BinaryIO, header: RunHeader) -> Exported:
    """Write a header, then one line per passage, best documents first.

    Only the order of the lines represents the ranking: an import restores the ranks, with scores 1 / rank and without comb_score.
    A topic has at most 100 distinct documents. Its queries take them in turn, rank by rank, and each ranking is cut when it would
    need one more (:attr:`Exported.cut`). A passage of several lines becomes several passages of the document; tabs and other line
    ends in it become spaces. Documents retrieved for the topic itself have query_id 0.

    :raises BadArgument: a cell cannot represent the name of a topic, query or document.
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
            names = [_name(name) for name in (header.run_id, row.topic, query, row.docno)]
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
            f"tab-separated cells cannot represent the name {name!r}", hint="'stc export run --format simpletext' can."
        )
    return name


def _passages(passage: str | None) -> Iterable[str]:
    """Return the cells of a document's passages; a single empty cell without passages."""
    lines = [_BREAK.sub(" ", line).strip() for line in (passage or "").split("\n")]
    return [_quoted(line) for line in dict.fromkeys(lines) if line] or [""]


def _quoted(cell: str) -> str:
    """Quote a cell that begins with a quote, as CSV requires."""
    return '"' + cell.replace('"', '""') + '"' if cell.startswith('"') else cell


FORMAT = RunFormat(
    name="simpletext-2022",
    title="SimpleText runs of 2022, tab-separated",
    extensions=(".tsv", ".txt"),
    recognised="a header with doc_id, separated by tabs",
    fields={**FIELDS, "rank": "rank; without it, the order of the file"},
    example="runs/simpletext-2022.tsv",
    sniff=lambda text: is_tsv(text.lstrip().partition("\n")[0]),
    read=read,
    write=_write,
    passages=True,
)
