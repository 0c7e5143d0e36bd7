"""TREC's format of runs: ``query Q0 docno rank score tag``, any white space, more columns and ``#`` lines skipped."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from stcollection.errors import BadArgument
from stcollection.io.files import Progress, bad_line, blocks, clip
from stcollection.io.formats import Exported, RunFile, RunFormat, RunHeader, ScoredRow
from stcollection.io.records import Ranked
from stcollection.io.runs.scores import in_order

_LARGEST = sys.float_info.max
_BATCH = 10_000  # rows that go to COPY at a time
LONGEST = 2000  # bytes of a name; an index of PostgreSQL holds 2,704


def fault(fields: list[bytes]) -> str:
    """What is wrong with the columns of a line, '' if nothing is; trec_eval would take any text for the score 0."""
    if len(fields) < 6:
        return f"{len(fields)} columns, not the six of: query Q0 docno rank score tag"
    try:
        score = float(fields[4])
    except ValueError:
        return f"the score {clip(fields[4])} is no number"
    if not -_LARGEST <= score <= _LARGEST or b"_" in fields[4]:
        return f"the score {clip(fields[4])} is no finite number"
    if (long := max(len(fields[0]), len(fields[2]))) > LONGEST:
        return f"a name of {long:,} bytes; {LONGEST:,} are the most"
    return ""


def rows(path: Path, *, progress: Progress | None = None) -> Iterator[tuple[int, bytes, bytes, bytes, float]]:
    """Line, query, docno, rank and score of each row.

    :raises BadInput: the first line that cannot be read.
    """
    for first, block in blocks(path, progress=progress):
        for line, text in enumerate(block.split(b"\n"), first):
            fields = text.split(None, 5)
            try:
                query, _, docno, rank, score, _ = fields
                value = float(score)
                if not -_LARGEST <= value <= _LARGEST or b"_" in score or len(query) > LONGEST or len(docno) > LONGEST:
                    raise ValueError
            except ValueError:
                if not fields or fields[0].startswith(b"#"):
                    continue
                raise bad_line(path, line, fault(fields), hint="Correct the line; nothing was stored.") from None
            yield line, query, docno, rank, value


def scores(path: Path) -> Iterator[ScoredRow]:
    """Query, docno and score of each row. :raises BadInput: the first line that cannot be read."""
    return ((query, docno, score) for _, query, docno, _, score in rows(path))


def copy_rows(path: Path, *, progress: Progress | None = None) -> Iterator[bytes]:
    """The rows of the temporary table incoming, as COPY takes them in text: line, query, docno, file_rank, rel_score.

    A rank that is no whole number is left out: trec_eval ignores ranks, and so does the collection.

    :raises BadInput: the first line that cannot be read.
    """
    copied: list[bytes] = []
    for line, query, docno, rank, score in rows(path, progress=progress):
        if b"\\" in query or b"\\" in docno:  # COPY's own escape character
            query, docno = query.replace(b"\\", b"\\\\"), docno.replace(b"\\", b"\\\\")
        if not rank.isdigit() or len(rank) > 9:
            rank = rb"\N"
        copied.append(b"%d\t%b\t%b\t%b\t%a\t\\N\t\\N\n" % (line, query, docno, rank, score))
        if len(copied) == _BATCH:
            yield b"".join(copied)
            copied.clear()
    yield b"".join(copied)


def tag(path: Path) -> str | None:
    """The tag of the first line; None where there is none."""
    for _, block in blocks(path):
        for text in block.split(b"\n"):
            fields = text.split()
            if len(fields) >= 6 and not fields[0].startswith(b"#"):
                return fields[5].decode()
    return None


def _read(path: Path, score: str, progress: Progress | None) -> RunFile:
    if score == "comb":
        raise BadArgument(f"{path} has one score, no comb_score", hint="SimpleText's JSON has both; leave --score out.")
    return RunFile(run_id=None, tag=tag(path), manual=None, rows=copy_rows(path, progress=progress))


def _write(rankings: Iterable[list[Ranked]], out: BinaryIO, header: RunHeader) -> Exported:
    """The scores give the same ranks again, by trec_eval too.

    :raises BadArgument: a name holds white space, which the format cannot carry.
    """
    queries = ranked = 0
    name = "_".join(header.name.split())
    for rows in rankings:
        scores = in_order([row.rel_score if header.score == "rel" else row.combined for row in rows], [row.docno for row in rows])
        for row, value in zip(rows, scores, strict=True):
            for one in (row.query, row.docno):
                if not one or any(sign in one for sign in " \t\n\r\v\f"):
                    raise BadArgument(
                        f"the name {one!r} holds white space, which TREC's format cannot carry", hint="Export --format simpletext."
                    )
            out.write(f"{row.query} Q0 {row.docno} {row.rank} {value!r} {name}\n".encode())
        queries, ranked = queries + 1, ranked + len(rows)
    return Exported(run=header.name, queries=queries, ranked=ranked)


FORMAT = RunFormat(
    name="trec",
    title="TREC runs: query Q0 docno rank score tag",
    extensions=(".run", ".txt", ".trec", ".res"),
    recognised="any other text",
    fields={
        "first column": "query",
        "second column": "skipped",
        "third column": "docno",
        "fourth column": "kept as file_rank; ranks are computed from the scores",
        "fifth column": "rel_score",
        "sixth column": "tag",
        "lines that begin with #": "skipped; metadata (ir_metadata) at the head is kept",
    },
    example="runs/trec.run",
    sniff=lambda _text: True,
    read=_read,
    scores=scores,
    write=_write,
)
