"""Read and write TREC runs: ``query Q0 docno rank score tag`` with any white space; further columns and ``#`` lines are skipped."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.io.files import Progress, bad_line, blocks, clip, doubtful_comments, is_comment
from stcollection.io.formats import Exported, RunFile, RunFormat, RunHeader, ScoredRow
from stcollection.io.records import Ranked
from stcollection.io.runs.scores import in_order

_LARGEST = sys.float_info.max
_HASH = ord("#")
_BATCH = 10_000  # rows per piece for COPY
LONGEST = 2000  # maximum bytes of a name; an index entry of PostgreSQL has at most 2,704 bytes


def fault(fields: list[bytes]) -> str:
    """Return the fault of a line, '' if it is valid. (trec_eval would read a score that is not a number as 0.)"""
    if len(fields) < 6:
        return f"{counted(len(fields), 'column')}, not the six of: query Q0 docno rank score tag"
    try:
        score = float(fields[4])
    except ValueError:
        return f"the score {clip(fields[4])} is not a number"
    if not -_LARGEST <= score <= _LARGEST or b"_" in fields[4]:
        return f"the score {clip(fields[4])} is not a finite number"
    if (long := max(len(fields[0]), len(fields[2]))) > LONGEST:
        return f"a name of {counted(long, 'byte')}; at most {LONGEST:,} are allowed"
    return ""


def rows(path: Path, *, progress: Progress | None = None) -> Iterator[tuple[int, bytes, bytes, bytes, float]]:
    """Yield line, query, docno, rank and score of each row.

    :raises BadInput: an invalid line.
    """
    for first, block in blocks(path, progress=progress):
        for line, text in enumerate(block.split(b"\n"), first):
            fields = text.split(None, 5)
            try:
                query, _, docno, rank, score, _ = fields
                value = float(score)
                if not -_LARGEST <= value <= _LARGEST or b"_" in score or len(query) > LONGEST or len(docno) > LONGEST:
                    raise ValueError
                if query[0] == _HASH:
                    continue
            except ValueError:
                if not fields or is_comment(fields[0]):
                    continue
                raise bad_line(path, line, fault(fields), hint="Correct the line. Nothing was stored.") from None
            yield line, query, docno, rank, value


def warning(path: Path) -> str:
    """Return a warning about comments that could be rows; '' without any."""
    return doubtful_comments(path, lambda comment: not fault(comment.split(None, 5)))


def scores(path: Path) -> Iterator[ScoredRow]:
    """Yield query, docno and score of each row. :raises BadInput: an invalid line."""
    return ((query, docno, score) for _, query, docno, _, score in rows(path))


def copy_rows(path: Path, *, progress: Progress | None = None) -> Iterator[bytes]:
    """Yield rows for the temporary table incoming in the text format of COPY: line, query, docno, file_rank, rel_score.

    A rank that is not an integer is omitted: trec_eval ignores ranks, and so does the collection.

    :raises BadInput: an invalid line.
    """
    copied: list[bytes] = []
    for line, query, docno, rank, score in rows(path, progress=progress):
        if b"\\" in query or b"\\" in docno:  # the escape character of COPY
            query, docno = query.replace(b"\\", b"\\\\"), docno.replace(b"\\", b"\\\\")
        if not rank.isdigit() or len(rank) > 9:
            rank = rb"\N"
        copied.append(b"%d\t%b\t%b\t%b\t%a\t\\N\t\\N\n" % (line, query, docno, rank, score))
        if len(copied) == _BATCH:
            yield b"".join(copied)
            copied.clear()
    yield b"".join(copied)


def tag(path: Path) -> str | None:
    """Return the tag of the last line, as trec_eval does; None without one."""
    found = None
    for _, block in blocks(path):
        for text in reversed(block.split(b"\n")):
            fields = text.split()
            if len(fields) >= 6 and not is_comment(fields[0]):
                found = fields[5].decode()
                break
    return found


def _read(path: Path, score: str, progress: Progress | None) -> RunFile:
    if score == "comb":
        raise BadArgument(f"{path} has one score, no comb_score", hint="SimpleText's JSON has both; omit --score.")
    return RunFile(run_id=None, tag=tag(path), manual=None, rows=copy_rows(path, progress=progress))


def _write(rankings: Iterable[list[Ranked]], out: BinaryIO, header: RunHeader) -> Exported:
    """Write a run with scores that reproduce its ranks, also in trec_eval.

    :raises BadArgument: a name contains white space, which the format cannot represent.
    """
    queries = ranked = 0
    name = "_".join(header.name.split())
    for rows in rankings:
        scores = in_order([row.rel_score if header.score == "rel" else row.combined for row in rows], [row.docno for row in rows])
        for row, value in zip(rows, scores, strict=True):
            for one in (row.query, row.docno):
                if not one or any(sign in one for sign in " \t\n\r\v\f"):
                    raise BadArgument(
                        f"the name {one!r} contains white space, which TREC's format cannot represent",
                        hint="'stc runs export --format simpletext' can.",
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
        "lines that begin with #": "skipped, also those with six columns; metadata (ir_metadata) in the header is kept",
    },
    example="runs/trec.run",
    sniff=lambda _text: True,
    read=_read,
    scores=scores,
    write=_write,
)
