"""A source as chunks of whole records: the unit that is sent to a worker, stored in one transaction, and resumed from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stcollection.errors import BadInput, StcError
from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.detect import Detected, detect
from stcollection.io.corpus.documents import RefusedRecord
from stcollection.io.corpus.fields import DEFAULT, FieldNames
from stcollection.io.corpus.split import Headed, LineRecords
from stcollection.io.corpus.table import TableRecords
from stcollection.io.streams import BrokenOff, Source

# The ledger numbers chunks of this size: with another one, a load that an earlier version began would not find its place again.
CHUNK_BYTES = 2**20
MAX_RECORD_BYTES = 2**24
_LONE_CR = re.compile(rb"\r(?!\n)")  # a line end; replaced by one byte, so that chunks stay where they are
_BOM = b"\xef\xbb\xbf"
_CUT_OFF = "What is whole before it is loaded. Get the file again and load it: documents that are in are skipped as duplicates."


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole records of one stream.

    :param number: in the file, from 0.
    :param offset: bytes of all chunks before it; what makes ids follow the order of the file.
    :param source: the file, and the member of a .zip, for messages.
    :param line: of the stream, 1-based, where the data begins.
    """

    number: int
    offset: int
    source: str
    format: Detected
    line: int
    data: bytes

    def __str__(self) -> str:
        return f"{self.source} from line {self.line}"


def chunks(source: Source, *, format: str | None, fields: FieldNames = DEFAULT) -> Iterator[Chunk]:  # noqa: A002
    """The chunks of a source: the same ones for the same bytes.

    :param fields: which fields of a record are its id, title and text.

    Where the source is cut off or damaged, all whole records before that come out first; where it breaks off, all whole chunks.

    :raises BadInput: of no known format; cut off; damaged; a record over MAX_RECORD_BYTES; no record at all.
    """
    number = offset = 0
    for name, stream in source.members():
        for made, line, data in _cuts(stream, name, format, fields):
            yield Chunk(number, offset, name, made, line, data)
            number += 1
            offset += len(data)
    if number == 0:
        raise BadInput(f"{source.name}: it holds no document", hint="Is it the right file?")


def _cuts(stream: Iterator[bytes], name: str, wanted: str | None, fields: FieldNames) -> Iterator[tuple[Detected, int, bytes]]:
    """Format, first line and data of each chunk of a stream."""
    buffer = bytearray()
    problem = _fill(buffer, stream, CHUNK_BYTES)
    if buffer.startswith(_BOM):
        del buffer[: len(_BOM)]
    if not buffer.strip(b"[], \t\r\n"):  # nothing, or an empty array
        if problem:
            raise problem
        return
    made = detect(bytes(buffer), path=name, name=wanted, fields=fields)
    if isinstance(made.splitter, Headed | TableRecords):  # its records are lines; the others do not need line ends, or only LF
        buffer[:] = _LONE_CR.sub(b"\n", buffer)
        stream = (_LONE_CR.sub(b"\n", block) for block in stream)
    line, size, ending = 1, CHUNK_BYTES, b""
    while problem is None:
        problem = _fill(buffer, stream, size)
        if len(buffer) < size:
            break
        end = made.splitter.cut(buffer, size)
        if end == 0:
            if size >= MAX_RECORD_BYTES:
                raise BadInput(
                    f"{name}:{line}: a record of more than {MAX_RECORD_BYTES >> 20} MB",
                    hint=f"Is it {made.name}? --format names another. Is a quote or a bracket not closed?",
                )
            size *= 2
            continue
        data = bytes(buffer[:end])
        yield made, line, data
        line += data.count(b"\n")
        del buffer[:end]
        size, ending = CHUNK_BYTES, data.rstrip()[-1:] or ending
    if problem is None and not made.splitter.finished(buffer if buffer.strip() else ending):
        last = line + buffer.rstrip().count(b"\n")
        problem = BadInput(f"{name}:{last}: the file is cut off: its last record or its array does not end", hint=_CUT_OFF)
    rest = bytes(buffer) if problem is None else _whole(buffer, made)
    if rest.strip():
        yield made, line, rest
    if problem is not None:
        raise problem


def _fill(buffer: bytearray, stream: Iterator[bytes], size: int) -> StcError | None:
    """Read until the buffer holds ``size`` bytes or the stream ends. :returns: what went wrong with the stream."""
    try:
        while len(buffer) < size and (block := next(stream, None)) is not None:
            buffer += block
    except BrokenOff:
        raise
    except StcError as error:
        return error
    return None


def _whole(buffer: bytearray, made: Detected) -> bytes:
    """The whole records of the end of a stream that is cut off."""
    end = made.splitter.cut(buffer, len(buffer))
    if isinstance(made.splitter, LineRecords):  # the last line may lack but its line break
        try:
            for _, record in made.splitter.records(bytes(buffer[end:])):
                json_object(record, 1)
        except RefusedRecord:
            pass
        else:
            end = len(buffer)
    return bytes(buffer[:end])
