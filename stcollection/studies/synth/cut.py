"""The assessors' cut: queries excluded from an edition, the reasons, and the number kept per origin."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import only_record, records
from stcollection.db.simulated import note_simulated
from stcollection.declared import INTERNAL, AllowedRange, Option, declare
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.io.files import lines
from stcollection.studies.synth.parameters import Level
from stcollection.topics.sets import ALL


class Share(NamedTuple):
    """Number of queries of an origin that are cut, by reason, and kept; ``all`` is the last row.

    :param share: kept / queries; None if the edition has no queries.
    """

    origin: str
    queries: int
    unreasonable: int
    few: int
    many: int
    kept: int
    share: float | None


class KeptQueries(NamedTuple):
    """The contents of a derived edition."""

    queries: int
    judgments: int


def read_marks(path: Path) -> list[tuple[str, str]]:
    """Read names of queries, one per line, with an optional note after a tab; empty lines and lines that start with # are ignored.

    :raises BadInput: the file is not UTF-8, or a name contains a blank.
    :raises OSError: it cannot be read.
    """
    marks = []
    for number, line in lines(path):
        if line.startswith("#"):
            continue
        name, _, note = line.partition("\t")
        if not name.strip() or any(sign.isspace() for sign in name.strip()):
            hint = "Write one query per line; a note follows after a tab."
            raise BadInput(f"{path}:{number}: {name.strip()[:60]!r} is not a query name", hint=hint)
        marks.append((name.strip(), note.strip()))
    return marks


@declare
@note_simulated("edition")
@translate()
def cut(
    conn: psycopg.Connection,
    edition: Annotated[str, Option("EDITION")],
    *,
    unreasonable: Annotated[Iterable[tuple[str, str]], INTERNAL] = (),
    fewest: Annotated[int, AllowedRange(ge=0, le=2**31 - 1), Option("--min-relevant")] = 5,
    most: Annotated[int | None, INTERNAL] = None,
    most_share: Annotated[float | None, INTERNAL] = None,
    level: Level = 1,
) -> list[Share]:
    """Mark queries as excluded from an edition (synth/sql/cut_queries.sql); its judgments do not change.

    :param unreasonable: name and note of queries that assessors marked; earlier marks are kept.
    :param fewest: Smallest number of relevant documents per query.
    :param most: largest number. :param most_share: largest share of relevant documents among the judged ones.
    :returns: as :func:`shares`.
    :raises UnknownObject: the edition or a query does not exist.
    :raises BadArgument: a number is outside its range.
    """
    marks = list(unreasonable)
    with conn.transaction():
        conn.execute(
            "SELECT * FROM stc.cut_queries(%s, %s::text[], %s::text[], %s, %s, %s, %s)",
            [edition, [name for name, _ in marks], [note for _, note in marks], fewest, most, most_share, level],
        )
        return shares(conn, edition)


@translate()
def shares(conn: psycopg.Connection, edition: str, *, queries: str = ALL) -> list[Share]:
    """Return how many queries of each origin an edition's cut keeps, ``human`` first, ``all`` last; all of them without a cut.

    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: the edition or the set does not exist.
    """
    return records(conn, Share, "SELECT * FROM stc.cut_shares(%s, %s)", [edition, queries])


@translate()
def clear_cut(conn: psycopg.Connection, edition: str) -> int:
    """Undo an edition's cut, including marks.

    :returns: number of queries that were cut.
    :raises UnknownObject: the edition does not exist.
    """
    return conn.execute("DELETE FROM stc_all.query_cuts WHERE edition = stc.edition_key(%s)", [edition]).rowcount


@translate()
def keep_queries(conn: psycopg.Connection, edition: str, *, source: str) -> KeptQueries:
    """Create an edition with the judgments of another whose queries are not cut (sql/analysis/kept_edition.sql).

    :raises UnknownObject: the source does not exist.
    :raises BadArgument: the new name is not valid, or is taken.
    :raises StateError: nothing is left.
    """
    return only_record(conn, KeptQueries, "SELECT * FROM stc.kept_edition(%s, %s)", [edition, source])


def parse_most(text: str | None) -> tuple[int | None, float | None]:
    """Parse a typed maximum: a number of documents (60), or a share of the judged ones (0.6 or 60%).

    :raises BadArgument: the text is neither.
    """
    if text is None:
        return None, None
    try:
        if text.isascii() and text.isdigit():
            return int(text), None
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        hint = "Give a number of documents such as 60, or a share of the judged ones: 0.6 or 60%."
        raise BadArgument(f"{text!r} is not a number or share of documents", hint=hint)
    return None, share


def parse_marks(marks: Sequence[str]) -> list[tuple[str, str]]:
    """Parse typed marks: the content of a file (:func:`read_marks`) if one of that name exists, else a query name."""
    parsed: list[tuple[str, str]] = []
    for mark in marks:
        parsed += read_marks(Path(mark)) if Path(mark).is_file() else [(mark, "")]
    return parsed
