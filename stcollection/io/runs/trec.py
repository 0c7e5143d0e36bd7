"""Read and write TREC runs: ``query Q0 docno rank score tag`` with any white space; further columns and ``#`` lines are skipped."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.io.columns import columns_of, numbers_of, parts_of
from stcollection.io.files import Progress, bad_line, blocks, clip, doubtful_comments, is_comment
from stcollection.io.formats import Exported, RunColumns, RunFile, RunFormat, RunHeader, ScoredRow
from stcollection.io.records import Ranked
from stcollection.io.runs.scores import in_order

_LARGEST = sys.float_info.max
_HASH = ord("#")
_BATCH = 10_000  # rows per piece for COPY
_MOST = 5_000_000  # rows in memory
_DIGITS = 9  # of a rank
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
        yield from _rows(path, first, block)


def _rows(path: Path, first: int, block: bytes) -> Iterator[tuple[int, bytes, bytes, bytes, float]]:
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


def columns(path: Path, *, progress: Progress | None = None) -> RunColumns | None:
    """Return the rows as columns.

    :returns: None if a line is invalid (:func:`rows` raises its error), if a rank is not an integer, and for more than 5 million
        rows, because all are in memory.
    """
    import numpy as np  # slow to import

    codes: list[defaultdict[bytes, int]] = [defaultdict(count().__next__) for _ in range(3)]  # queries, docnos, ranks
    parts: list[list[Any]] = [[], [], [], []]
    number = 0
    try:
        for part in chain.from_iterable(parts_of(block) for _, block in blocks(path, progress=progress)):
            *names, scores = _columns(path, part)
            number += len(scores)
            if number > _MOST:
                return None
            for column, code, fields in zip(parts, codes, names, strict=False):
                column.append(np.fromiter(map(code.__getitem__, fields), np.int32, len(fields)))
            parts[3].append(np.array(scores, float))
    except BadInput:
        return None
    queries, docnos, ranks = codes
    if not number or not all(rank.isdigit() and len(rank) <= _DIGITS for rank in ranks):
        return None
    if max(len(max(queries, key=len)), len(max(docnos, key=len))) > LONGEST:
        return None
    query, doc, rank, score = map(np.concatenate, parts)
    numbers = np.fromiter(map(int, ranks), np.int32, len(ranks))
    if not np.isfinite(score).all():
        return None
    return RunColumns(queries=list(queries), docnos=list(docnos), query=query, doc=doc, rank=numbers[rank], score=score)


def _columns(path: Path, block: bytes) -> tuple[Sequence[bytes], Sequence[bytes], Sequence[bytes], Sequence[float]]:
    """Return the columns query, docno, rank and score of a block. Infinite scores and names of any length are not refused."""
    if (fields := columns_of(block, 6)) is not None:
        query, _, docno, rank, score, _ = fields
        values = numbers_of(score)
        if values is not None and not (b"#" in block and any(name[0] == _HASH for name in query)):
            return query, docno, rank, values
    rows = list(_rows(path, 1, block))
    return [row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows], [row[4] for row in rows]


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
        if not rank.isdigit() or len(rank) > _DIGITS:
            rank = rb"\N"
        copied.append(b"%d\t%b\t%b\t%b\t%a\t\\N\t\\N\n" % (line, query, docno, rank, score))
        if len(copied) == _BATCH:
            yield b"".join(copied)
            copied.clear()
    yield b"".join(copied)


def tag(path: Path) -> str | None:
    """Return the tag of the last line, as trec_eval does; None without one."""
    last = None
    for _, block in blocks(path):
        for text in _backwards(block):
            fields = text.split()
            if len(fields) >= 6 and not is_comment(fields[0]):
                last = fields[5].decode()
                break
    return last


def _backwards(block: bytes) -> Iterator[bytes]:
    """Yield the lines of a block, the last one first."""
    end = len(block)
    while end >= 0:
        start = block.rfind(b"\n", 0, end) + 1
        yield block[start:end]
        end = start - 1


def _read(path: Path, score: str, progress: Progress | None) -> RunFile:
    if score == "comb":
        raise BadArgument(f"{path} has one score, no comb_score", hint="SimpleText's JSON has both; omit --score.")
    return RunFile(
        run_id=None,
        tag=tag(path),
        manual=None,
        rows=copy_rows(path, progress=progress),
        columns=partial(columns, path, progress=progress),
    )


def _write(rankings: Iterable[list[Ranked]], out: BinaryIO, header: RunHeader) -> Exported:
    """Write a run with scores that reproduce its ranks, also in trec_eval.

    :raises BadArgument: a name contains white space, which the format cannot represent.
    """
    queries = ranked = 0
    name = "_".join(header.name.split())
    for rows in rankings:
        scores = in_order([row.rel_score if header.score == "rel" else row.combined for row in rows], [row.docno for row in rows])
        for row, value in zip(rows, scores, strict=True):
            for identifier in (row.query, row.docno):
                if not identifier or any(sign in identifier for sign in " \t\n\r\v\f"):
                    raise BadArgument(
                        f"the name {identifier!r} contains white space, which TREC's format cannot represent",
                        hint="'stc export run --format simpletext' can.",
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
