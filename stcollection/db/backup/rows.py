"""Write and read the rows of a dump: a compressed file per table in ``data/``, in the text format of COPY."""

from __future__ import annotations

import errno
import gzip
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import psycopg
import zstandard
from psycopg import sql

from stcollection.counts import counted
from stcollection.db.backup.inventory import StoredTable
from stcollection.errors import BadInput, ProgramFailed

FOLDER = "data"
_ENDING = ".copy.zst"
_GZIP = ".copy.gz"  # format 2
_LEVEL = 6
_BLOCK = 2**18


@dataclass(frozen=True)
class WrittenTable:
    """A table whose rows were written to a file.

    :param unpacked: bytes of the rows before compression.
    """

    table: StoredTable
    rows: int
    unpacked: int


def file_name(table: str) -> str:
    """Return the path of a table's file in a new dump."""
    return f"{FOLDER}/{table}{_ENDING}"


def stored_name(table: str, files: Collection[str]) -> str:
    """Return the path of a table's file among those of a dump; dumps of format 2 have gzip files."""
    older = f"{FOLDER}/{table}{_GZIP}"
    return older if older in files and file_name(table) not in files else file_name(table)


def save(conn: psycopg.Connection, table: StoredTable, folder: Path, *, query: sql.Composable | None = None) -> WrittenTable:
    """Write the rows of a table.

    :param query: selects the rows; None means all.
    :raises ProgramFailed: the disk is full.
    """
    source = query or sql.SQL("SELECT {} FROM ONLY {}").format(table.listed, table.identifier)
    path = folder / file_name(table.name)
    unpacked = 0
    try:
        packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
        with path.open("wb") as raw, packer.stream_writer(raw) as file, conn.cursor() as cursor:
            with cursor.copy(sql.SQL("COPY ({}) TO STDOUT").format(source)) as rows:
                block = bytearray()
                for row in rows:
                    block += row
                    if len(block) >= _BLOCK:
                        file.write(block)
                        unpacked += len(block)
                        block = bytearray()
                file.write(block)
                unpacked += len(block)
            count = cursor.rowcount
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise full(folder) from error
    return WrittenTable(table, count, unpacked)


def full(folder: Path) -> ProgramFailed:
    """Return the error for a full disk."""
    return ProgramFailed(
        f"the dump failed: No space left on the disk of {folder}", hint="Free some disk space, then run the same command again."
    )


def blocks(path: Path, *, unpacked: int, name: str) -> Iterator[bytes]:
    """Yield the content of a compressed file, up to the size in the manifest.

    :raises BadInput: the file is longer or shorter, or not compressed as its name says.
    """
    left = unpacked
    try:
        with _unpacked(path) as file:
            while block := file.read(min(_BLOCK, left + 1)):
                left -= len(block)
                if left < 0:
                    raise BadInput(
                        f"the file {name} unpacks to more than the {counted(unpacked, 'byte')} of the manifest", hint=_DISTRUST
                    )
                yield block
    except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
        raise BadInput(f"the file {name} cannot be unpacked: {error}", hint=_DISTRUST) from error
    if left:
        raise BadInput(
            f"the file {name} unpacks to {counted(unpacked - left, 'byte')}, not the {unpacked:,} of the manifest", hint=_DISTRUST
        )


def _unpacked(path: Path) -> BinaryIO:
    """Open a compressed file of rows."""
    if path.name.endswith(_GZIP):
        return cast("BinaryIO", gzip.open(path, "rb"))
    return cast("BinaryIO", zstandard.open(path, "rb"))


_DISTRUST = "Do not trust this dump. Get it again, or have a new one made."


def load(conn: psycopg.Connection, table: StoredTable, content: Iterator[bytes]) -> int:
    """Copy rows into a table.

    :returns: their number.
    :raises BadInput: the rows do not match the columns.
    """
    try:
        with conn.cursor() as cursor:
            with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(table.identifier, table.listed)) as copied:
                for block in content:
                    copied.write(block)
            return cursor.rowcount
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        where = f" ({error.diag.context.splitlines()[0]})" if error.diag.context else ""
        raise BadInput(
            f"the rows of {table.qualified} do not match the table: {error.diag.message_primary}{where[:200]}", hint=_DISTRUST
        ) from error
