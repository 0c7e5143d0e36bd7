"""Cut a source into chunks of whole records, the unit for workers, transactions and resuming."""

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

# The ledger numbers chunks of this size. With another size, a load started by an earlier version could not resume.
CHUNK_BYTES = 2**20
MAX_RECORD_BYTES = 2**24
_LONE_CR = re.compile(rb"\r(?!\n)")  # a line end; its replacement has one byte too, so that chunk offsets do not change
_BOM = b"\xef\xbb\xbf"
_CUT_OFF = "All records before the fault are loaded. Get the file again and load it; stored documents are skipped as duplicates."


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole records of one stream.

    :param number: number in the file, from 0.
    :param offset: bytes of all previous chunks; ids are computed from it, so that they follow the order of the file.
    :param source: the file, and the member of a .zip, for messages.
    :param line: first line of the data in the stream, from 1.
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
    """Yield the chunks of a source; the same bytes always give the same chunks.

    If the source is truncated or damaged, all intact records are yielded first; if it breaks off, all complete chunks.

    :param fields: names of the fields of a record for id, title and text.
    :raises BadInput: unknown format; truncated or damaged; a record over MAX_RECORD_BYTES; no record at all.
    """
    number = offset = 0
    for name, stream in source.members():
        for detected, line, data in _cuts(stream, name, format, fields):
            yield Chunk(number, offset, name, detected, line, data)
            number += 1
            offset += len(data)
    if number == 0:
        raise BadInput(f"{source.name}: contains no document", hint="Check that it is the right file.")


def _cuts(stream: Iterator[bytes], name: str, format_name: str | None, fields: FieldNames) -> Iterator[tuple[Detected, int, bytes]]:
    """Yield format, first line and data of each chunk of a stream."""
    buffer = bytearray()
    problem = _fill(buffer, stream, CHUNK_BYTES)
    if buffer.startswith(_BOM):
        del buffer[: len(_BOM)]
    if not buffer.strip(b"[], \t\r\n"):  # nothing, or an empty array
        if problem:
            raise problem
        return
    detected = detect(bytes(buffer), path=name, name=format_name, fields=fields)
    if isinstance(detected.splitter, Headed | TableRecords):  # records of lines; other formats need no line ends, or only LF
        buffer[:] = _LONE_CR.sub(b"\n", buffer)
        stream = (_LONE_CR.sub(b"\n", block) for block in stream)
    line, size, ending = 1, CHUNK_BYTES, b""
    while problem is None:
        problem = _fill(buffer, stream, size)
        if len(buffer) < size:
            break
        end = detected.splitter.cut(buffer, size)
        if end == 0:
            if size >= MAX_RECORD_BYTES:
                raise BadInput(
                    f"{name}:{line}: a record of more than {MAX_RECORD_BYTES >> 20} MB",
                    hint=f"Check the format ({detected.name}; --format selects another), and for an unclosed quote or bracket.",
                )
            size *= 2
            continue
        data = bytes(buffer[:end])
        yield detected, line, data
        line += data.count(b"\n")
        del buffer[:end]
        size, ending = CHUNK_BYTES, data.rstrip()[-1:] or ending
    if problem is None and not detected.splitter.finished(buffer if buffer.strip() else ending):
        last = line + buffer.rstrip().count(b"\n")
        problem = BadInput(f"{name}:{last}: the file is truncated: its last record or its array does not end", hint=_CUT_OFF)
    rest = bytes(buffer) if problem is None else _whole(buffer, detected)
    if rest.strip():
        yield detected, line, rest
    if problem is not None:
        raise problem


def _fill(buffer: bytearray, stream: Iterator[bytes], size: int) -> StcError | None:
    """Read until the buffer has ``size`` bytes or the stream ends. :returns: the error of the stream, or None."""
    try:
        while len(buffer) < size and (block := next(stream, None)) is not None:
            buffer += block
    except BrokenOff:
        raise
    except StcError as error:
        return error
    return None


def _whole(buffer: bytearray, detected: Detected) -> bytes:
    """Return the whole records at the end of a truncated stream."""
    end = detected.splitter.cut(buffer, len(buffer))
    if isinstance(detected.splitter, LineRecords):  # the last line may only lack its line break
        try:
            for _, record in detected.splitter.records(bytes(buffer[end:])):
                json_object(record, 1)
        except RefusedRecord:
            pass
        else:
            end = len(buffer)
    return bytes(buffer[:end])
