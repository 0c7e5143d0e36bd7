"""Split a chunk into records by its layout, and where the layout does not fit, by counting brackets.

Most files keep one layout, on which the two fast splitters rely. If a piece is not a JSON object, or a bracket is between two
pieces, the text around it is split again by counting brackets, so that an element that is not an object does not affect others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stcollection.io.corpus.chunks import Chunk
from stcollection.io.corpus.decoding import is_json
from stcollection.io.corpus.documents import DocumentRecord, NotAnObject, RefusedRecord
from stcollection.io.corpus.split import LineRecords, Nested, Pretty
from stcollection.io.formats import Parser

Record = tuple[int, bytes, DocumentRecord | RefusedRecord]

# Allowed text before the first record of a chunk and between records: commas, and the end and start of arrays.
_BEFORE = re.compile(rb"[\s,]*\[?[\s,]*")
_BETWEEN = re.compile(rb"[\s,]*(?:\]\s*\[[\s,]*)?")
_JOINTS, _COMMAS = re.compile(rb"[\[\], \t\r\n]*"), re.compile(rb"[, \t\r\n]*")
_LINE_END = ord("\n")
_WINDOW = 2**16  # bytes after a piece in which the layout must fit again
_ATTEMPTS = 50  # failed attempts per chunk before giving up: the file is probably full of broken records


@dataclass(slots=True)
class _Piece:
    """A part of a chunk that looks like one element by its layout.

    :param start, end: its position in the chunk. :param fits: True if it is an object with only a comma before it.
    """

    start: int
    end: int
    record: Record
    fits: bool


def read(chunk: Chunk) -> Iterator[Record]:
    """Yield the records of a chunk: line, bytes, and the document or the refusal."""
    parser = chunk.format.parser
    splitter = chunk.format.splitter
    if not isinstance(splitter, LineRecords | Pretty):
        for before, record in splitter.records(chunk.data):
            yield _parsed(parser, chunk.line + before, record)
        return
    behind, rest = 0, _pieces(chunk, splitter, parser)
    for piece in rest:
        if not piece.fits:
            yield from _uneven(chunk, splitter, parser, [piece, *rest], behind)
            return
        yield piece.record
        behind = piece.end


def _uneven(
    chunk: Chunk, splitter: LineRecords | Pretty, parser: Parser, pieces: Sequence[_Piece], behind: int
) -> Iterator[Record]:
    """Yield the records of pieces of which some do not fit. :param behind: end of the piece before them."""
    at = failed = 0
    while at < len(pieces):
        piece = pieces[at]
        if piece.fits:
            yield piece.record
            following = at + 1
        else:
            stretch = _stretch(chunk, splitter, parser, pieces, at, behind) if failed < _ATTEMPTS else None
            if stretch is None:
                failed += 1
                stretch = at + 1, _better(chunk, splitter, parser, piece, behind)
            following, records = stretch
            yield from records
        at, behind = following, pieces[following - 1].end


def _parsed(parser: Parser, line: int, record: bytes) -> Record:
    try:
        return line, record, parser(record, line)
    except RefusedRecord as refused:
        return line, record, refused


def _pieces(chunk: Chunk, splitter: LineRecords | Pretty, parser: Parser) -> Iterator[_Piece]:
    data, behind = chunk.data, 0
    around = _JOINTS if splitter.array or isinstance(splitter, Pretty) else _COMMAS
    for before, content in splitter.records(data):
        record = _parsed(parser, chunk.line + before, content)
        if behind and data[behind] == _LINE_END and data.startswith(content, behind + 1):  # nearly all: the next line
            start, fits = behind + 1, _object(record)
        else:
            start = around.match(data, behind).end()  # type: ignore[union-attr]
            between = _BETWEEN if behind else _BEFORE
            fits = between.fullmatch(data, behind, start) is not None and _object(record)
        behind = start + len(content)
        yield _Piece(start, behind, record, fits)


def _stretch(
    chunk: Chunk, splitter: LineRecords | Pretty, parser: Parser, pieces: Sequence[_Piece], at: int, behind: int
) -> tuple[int, Sequence[Record]] | None:
    """Return the records from a piece that does not fit to the next piece where brackets and layout agree, and its index.

    Return None if there is no such piece nearby, for instance if a bracket is not closed: then only this piece is wrong.
    """
    data = chunk.data
    following = at + 1
    elements: list[tuple[int, int]] = []
    for start, end, whole in Nested(splitter.array).elements(data, min(len(data), pieces[at].end + _WINDOW), start=behind):
        if not whole:
            return None
        while following < len(pieces) and pieces[following].start < start:
            following += 1
        if following < len(pieces) and (piece := pieces[following]).fits and (piece.start, piece.end) == (start, end):
            break
        elements.append((start, end))
    else:
        if pieces[at].end + _WINDOW < len(data):
            return None
        following = len(pieces)
    records = _counted(chunk, parser, pieces[at], behind, elements)
    theirs = [piece.record for piece in pieces[at:following]]
    clean = all(_object(record) or is_json(record[1]) for record in records)
    return following, records if clean or sum(map(_object, records)) > sum(map(_object, theirs)) else theirs


def _better(chunk: Chunk, splitter: LineRecords | Pretty, parser: Parser, piece: _Piece, behind: int) -> Sequence[Record]:
    """Return the records of a piece: the objects found by counting brackets, or else the piece itself."""
    if _object(piece.record):
        return [piece.record]
    elements = Nested(splitter.array).elements(chunk.data, piece.end, start=behind)
    records = _counted(chunk, parser, piece, behind, [(start, end) for start, end, _ in elements])
    return records if any(map(_object, records)) else [piece.record]


def _counted(chunk: Chunk, parser: Parser, piece: _Piece, behind: int, elements: Sequence[tuple[int, int]]) -> list[Record]:
    """Return the elements of a piece as records with their line numbers.

    :param behind: position from which lines are counted, before the first piece.
    """
    line, counted = piece.record[0] - chunk.data.count(b"\n", behind, piece.start), behind
    records = []
    for start, end in elements:
        line += chunk.data.count(b"\n", counted, start)
        counted = start
        records.append(_parsed(parser, line, chunk.data[start:end].rstrip()))
    return records


def _object(record: Record) -> bool:
    return not isinstance(record[2], NotAnObject)
