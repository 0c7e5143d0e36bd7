"""The ledger of loaded corpus files, their rejects, and the counts of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import psycopg

from stcollection.corpus.parsing import FIRST_STAYS
from stcollection.counts import counted
from stcollection.db.connection import headed
from stcollection.db.ledger import LedgerFile
from stcollection.errors import translate


class LoadSource(NamedTuple):
    """The file of a load, for the ledger. :param sha256: None for standard input. :param format: with the map of its fields."""

    path: str
    sha256: str | None
    size: int | None
    format: str


class Begun(NamedTuple):
    """A file in the ledger whose load is unfinished. :param chunks: numbers of its committed chunks."""

    file: int
    chunks: Sequence[int]


class LedgerEntry(NamedTuple):
    """A loaded file. :param file: its number in the ledger."""

    file: int
    format: str
    documents: int
    duplicates: int
    rejects: int
    seconds: float
    finished: datetime


_ENTRY = "SELECT file, format, documents, duplicates, rejects, seconds, finished FROM stc.corpus_ledger WHERE state = 'loaded' AND "


@translate()
def entry(conn: psycopg.Connection, sha256: str, *, format: str | None = None) -> LedgerEntry | None:  # noqa: A002
    """Return the loaded file with this SHA-256; None if no such file was loaded, or all of its records were rejected.

    :param format: the format it was loaded as; None accepts any.
    """
    row = conn.execute(
        _ENTRY + "documents + duplicates > 0 AND sha256 = %s AND format = coalesce(%s, format) ORDER BY file LIMIT 1",
        [sha256, format],
    ).fetchone()
    return LedgerEntry(*row) if row else None


class FileChanges(NamedTuple):
    """A file compared with the previously loaded version of the same path.

    :param earlier: SHA-256 of the previous version. :param common: documents in both.
    :param gone: documents that only the previous version has and that are still in the corpus.
    """

    earlier: str
    added: int
    common: int
    gone: int


@translate()
def changes(conn: psycopg.Connection, file: int) -> FileChanges | None:
    """Compare a loaded file with the previously loaded version of the same path; None without such a version."""
    row = conn.execute("SELECT * FROM stc.corpus_changes(%s)", [file]).fetchone()
    return FileChanges(*row) if row and row[0] is not None else None


@translate()
def resume(conn: psycopg.Connection, source: LoadSource) -> Begun | None:
    """Return the entry of a file whose load is unfinished; None if there is nothing to resume.

    :raises BadArgument: the earlier load of the file started with another format.
    """
    [(file, chunks)] = conn.execute("SELECT * FROM stc.corpus_resume(%s, %s, %s)", [source.path, source.sha256, source.format])
    return None if file is None else Begun(file, chunks)


def begin(conn: psycopg.Connection, source: LoadSource) -> int:
    """Add a file to the ledger, in the transaction that stores its first documents. :returns: its number."""
    [(file,)] = conn.execute("SELECT stc.corpus_begin(%s, %s, %s, %s)", source)
    return int(file)


@translate()
def reopen(conn: psycopg.Connection, file: int, *, following: Sequence[str]) -> bool:
    """Prepare a loaded file to be loaded again; return False if the stored documents are those of the file.

    :param following: paths that are loaded after the file.
    """
    [(reopened,)] = conn.execute("SELECT stc.corpus_reopen(%s, %s::text[], %s)", [file, list(following), FIRST_STAYS])
    return bool(reopened)


@translate()
def finish(conn: psycopg.Connection, file: int, *, seconds: float, sha256: str | None, size: int | None) -> LedgerEntry:
    """Mark a file of the ledger as loaded.

    :param sha256, size: of standard input. None for other sources, where they are known from the start.
    """
    conn.execute("SELECT stc.corpus_finish(%s, %s, %s, %s)", [file, seconds, sha256, size])
    row = conn.execute(_ENTRY + "file = %s", [file]).fetchone()
    assert row is not None  # noqa: S101
    return LedgerEntry(*row)


@translate()
def status(conn: psycopg.Connection) -> list[tuple[str, int]]:
    """Count documents, abstracts, distinct authors and citations, without stubs."""
    return conn.execute("SELECT what, count FROM stc.corpus_status()").fetchall()


class CorpusSize(NamedTuple):
    """Documents, and those with an abstract. :param estimated: the number of abstracts is."""

    documents: int
    abstracts: int
    estimated: bool


@translate()
def size(conn: psycopg.Connection) -> CorpusSize:
    """Return the number of documents and abstracts, without stubs; quickly also in a large collection."""
    [row] = conn.execute("SELECT documents, abstracts, estimated FROM stc.corpus_size()").fetchall()
    return CorpusSize(*row)


@translate()
def files(conn: psycopg.Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return headers and rows of the ledger, in load order."""
    return headed(
        conn, "SELECT path, format, state, documents, duplicates, rejects, seconds, sha256, finished FROM stc.corpus_ledger"
    )


@translate()
def ledger_files(conn: psycopg.Connection) -> list[LedgerFile]:
    """Return the files of the ledger, in load order."""
    rows = conn.execute(
        "SELECT file, path, sha256, coalesce(finished, started), state, documents FROM stc.corpus_ledger"
    ).fetchall()
    return [
        LedgerFile(file, path, sha256, loaded, f"{state} {loaded:%F %R}, {counted(documents, 'document')}")
        for file, path, sha256, loaded, state, documents in rows
    ]


@translate()
def rejects(conn: psycopg.Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return headers and rows of the rejected records, ordered by file and line."""
    return headed(
        conn,
        "SELECT f.path, r.line, r.docno, r.reason FROM stc.corpus_rejects r JOIN stc.corpus_files f ON f.id = r.file"
        " ORDER BY f.id, r.line",
    )
