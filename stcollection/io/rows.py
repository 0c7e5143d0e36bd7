"""Documents from a data frame or an iterator, as a source of JSON lines."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from stcollection.errors import BadInput
from stcollection.io.irdatasets import to_json
from stcollection.io.streams import Source

_BLOCK = 2**18


class RowSource(Source):
    """Rows as JSON lines in a temporary file, because they are read twice (for the checksum first) and an iterator only once.

    :param rows: mappings of names to values. :param name: name for the ledger and messages.
    :raises BadInput: a row is not a mapping.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]], name: str) -> None:
        self.path = self.name = name
        self.position = 0
        self._file = tempfile.TemporaryFile(prefix="stc-rows-")  # noqa: SIM115
        digest, size = hashlib.sha256(), 0
        for number, row in enumerate(rows, 1):
            if not isinstance(row, Mapping):
                raise BadInput(f"{name}:{number}: a {type(row).__name__}, not a mapping", hint="Give rows as dicts: {'docno': …}.")
            line = orjson.dumps({str(key): value for key, value in row.items() if value is not None}, default=to_json) + b"\n"
            self._file.write(line)
            digest.update(line)
            size += len(line)
        self.size: int | None = size
        self._digest = digest.hexdigest()

    @property
    def where(self) -> str:
        return self.name

    def sha256(self) -> str:
        return self._digest

    def members(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        yield self.name, self._read()

    def _read(self) -> Iterator[bytes]:
        self._file.seek(0)
        while block := self._file.read(_BLOCK):
            self.position += len(block)
            yield block
