"""Sources of judgments: the ledger of files, and whether the files have changed since their import."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.db.roles import rows_schema
from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.errors import StcError, translate
from stcollection.io.files import sha256
from stcollection.io.irdatasets import PREFIX
from stcollection.io.places import is_file, path_text, place
from stcollection.io.qrels.judgments import stream_qrels
from stcollection.io.streams import STDIN
from stcollection.qrels.parameters import OneEdition

EDITION = "edition:"  # a source that is another edition


class EditionFile(NamedTuple):
    """One row of edition_files.

    :param path: absolute path; ``irds:NAME``; ``edition:NAME`` for an edition derived from another. :param added: rows added.
    :param sha256: hash of the file or source edition at that time. :param now: current hash of a source edition; None for files.
    """

    edition: str
    path: str
    judgments: int
    added: int
    sha256: str | None
    imported: datetime
    now: str | None


@note_simulated("edition")
@translate()
def sources(conn: psycopg.Connection, edition: OneEdition = None) -> list[EditionFile]:
    """Return the sources of all editions, or of one, in import order.

    :raises UnknownObject: the edition is not stored.
    """
    if edition is not None:
        conn.execute("SELECT stc.edition_key(%s)", [edition])
    return records(
        conn,
        EditionFile,
        sql.SQL(
            "SELECT edition, path, judgments, added, sha256, imported, now FROM {}.edition_files"
            " WHERE %(edition)s::text IS NULL OR edition = %(edition)s ORDER BY id"
        ).format(rows_schema(conn)),
        {"edition": edition},
    )


def state(source: EditionFile) -> str:
    """Return the current state of a source: ``same``, ``changed``, ``gone`` or ``unknown``.

    It is ``unknown`` if there is no file to compare: judgments imported by SQL or from standard input. Devices and pipes are not
    opened: the path is from the collection.
    """
    if source.sha256 is None or source.path == STDIN:
        return "unknown"
    path = Path(source.path)
    if source.path.startswith(EDITION):
        today = source.now
    elif is_file(path) and not path.is_file():
        today = None
    else:
        try:
            today = digest(path)
        except (OSError, StcError):
            today = None
    if today is None:
        return "gone"
    return "same" if today == source.sha256 else "changed"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the lines ``query 0 doc grade`` that ``irds:NAME`` provides, in their order."""
    if not path.as_posix().startswith(PREFIX):
        return sha256(path)
    hashed = hashlib.sha256()
    for judgment in stream_qrels(path):
        hashed.update(f"{judgment.query} 0 {judgment.doc} {judgment.rel}\n".encode())
    return hashed.hexdigest()


@translate()
def changed(conn: psycopg.Connection, path: Path, sha256: str) -> str | None:
    """Return a warning if the file at this path has changed since its last import, else None."""
    row = (
        None
        if place(path) == STDIN
        else conn.execute(
            sql.SQL(
                "SELECT edition, sha256, judgments, imported::date::text FROM {}.edition_files"
                " WHERE path = %s AND sha256 IS NOT NULL ORDER BY id DESC LIMIT 1"
            ).format(rows_schema(conn)),
            [place(path)],
        ).fetchone()
    )
    if row is None or row[1] == sha256:
        return None
    edition, before, judgments, imported = row
    return (
        f"upstream changed: {path_text(path)} is not the file that was imported into {edition!r} on {imported}"
        f" ({counted(judgments, 'judgment')}, SHA-256 {before[:12]}…, now {sha256[:12]}…)"
    )
