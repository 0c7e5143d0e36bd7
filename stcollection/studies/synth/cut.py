"""The assessors' cut: queries that are left out of an edition, why, and how many of each origin stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.errors import BadInput, translate
from stcollection.io.files import lines


class Share(NamedTuple):
    """Of the queries of an origin (``all`` is the last row) how many are cut, by reason, and kept.

    :param share: kept / queries; None where an edition has none.
    """

    origin: str
    queries: int
    unreasonable: int
    few: int
    many: int
    kept: int
    share: float | None


class KeptQueries(NamedTuple):
    """What a derived edition holds."""

    queries: int
    judgments: int


def read_marks(path: Path) -> list[tuple[str, str]]:
    """Names of queries, one a line, each with a note behind a tab, if any; empty lines and those that begin with # do not count.

    :raises BadInput: not UTF-8, or a name with a blank in it. :raises OSError: it cannot be read.
    """
    marks = []
    for number, line in lines(path):
        if line.startswith("#"):
            continue
        name, _, note = line.partition("\t")
        if not name.strip() or any(sign.isspace() for sign in name.strip()):
            hint = "One query a line; a note goes behind a tab."
            raise BadInput(f"{path}:{number}: {name.strip()[:60]!r} is no name of a query", hint=hint, sqlstate="IR301")
        marks.append((name.strip(), note.strip()))
    return marks


@translate()
def cut(
    conn: psycopg.Connection,
    edition: str,
    *,
    unreasonable: Iterable[tuple[str, str]] = (),
    fewest: int = 5,
    most: int | None = None,
    most_share: float | None = None,
    level: int = 1,
) -> list[Share]:
    """Mark the queries of an edition that are left out (sql/studies/synth/cut_queries.sql); its judgments stay as they are.

    :param unreasonable: name and note of queries that assessors marked; earlier marks stay.
    :param fewest, most: relevant documents (rel >= ``level``) a query must, and may, have. :param most_share: of the judged ones.
    :returns: as :func:`shares`.
    :raises UnknownObject: no such edition or query. :raises BadArgument: a number outside its range.
    """
    marks = list(unreasonable)
    with conn.transaction():
        conn.execute(
            "SELECT * FROM stc.cut_queries(%s, %s::text[], %s::text[], %s, %s, %s, %s)",
            [edition, [name for name, _ in marks], [note for _, note in marks], fewest, most, most_share, level],
        )
        return shares(conn, edition)


@translate()
def shares(conn: psycopg.Connection, edition: str) -> list[Share]:
    """How many queries of each origin an edition's cut keeps, ``human`` first, ``all`` last; all of them where there was none.

    :raises UnknownObject: no such edition.
    """
    with conn.cursor(row_factory=class_row(Share)) as cursor:
        return cursor.execute("SELECT * FROM stc.cut_shares(%s)", [edition]).fetchall()


@translate()
def clear(conn: psycopg.Connection, edition: str) -> int:
    """Take an edition's cut back, marks too. :returns: how many queries were cut. :raises UnknownObject: no such edition."""
    return conn.execute("DELETE FROM stc.query_cuts WHERE edition = stc.edition_key(%s)", [edition]).rowcount


@translate()
def keep(conn: psycopg.Connection, edition: str, *, source: str) -> KeptQueries:
    """Make an edition of the judgments of another whose queries are not cut (sql/analysis/kept_edition.sql).

    :raises UnknownObject: no such source. :raises BadArgument: the new one's name is none, or taken.
    :raises StateError: nothing is left.
    """
    with conn.cursor(row_factory=class_row(KeptQueries)) as cursor:
        row = cursor.execute("SELECT * FROM stc.kept_edition(%s, %s)", [edition, source]).fetchone()
    assert row is not None  # noqa: S101
    return row


def names_of(marks: Sequence[str]) -> list[tuple[str, str]]:
    """Marks as they are typed: a file's (:func:`read_marks`) where there is one of that name, else a query."""
    found: list[tuple[str, str]] = []
    for mark in marks:
        found += read_marks(Path(mark)) if Path(mark).is_file() else [(mark, "")]
    return found
