"""The editions of the judgments: what they hold, and out of the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, NamedTuple

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, StateError, translate
from stcollection.io import registry
from stcollection.io.records import Judgment
from stcollection.qrels.simulated import simulated_note


class EditionOverview(NamedTuple):
    """One row of edition_overview.

    :param judgments: one per query and document; grades and origins count these. :param rows: all that are stored.
    :param split: ``train`` or ``test``; None is neither. :param scale: ``{theirs: ours}``; None: the grades are as they were.
    :param sealed: when it was closed for good, with the SHA-256 of what it said; None is open.
    :param hidden: from participants and readers.
    :param released: when it was shown to them; None: it never was hidden, or still is.
    :param simulated: some of its judgments were made up.
    """

    edition: str
    description: str | None
    queries: int
    judgments: int
    grades: dict[str, int]
    origins: dict[str, int]
    rows: int
    made: datetime
    split: str | None
    year: int | None
    scale: dict[str, int] | None
    sealed: datetime | None
    fingerprint: str | None
    hidden: bool
    released: datetime | None
    simulated: bool


class Sealed(NamedTuple):
    """An edition after sealing.

    :param fingerprint: SHA-256 of what ``export_qrels`` writes. :param already: it was sealed before.
    """

    judgments: int
    fingerprint: str
    sealed: datetime
    already: bool


class Verified(NamedTuple):
    """An edition whose fingerprint was compared.

    :param computed: the fingerprint of what it says now. :param intact: None for an open edition.
    """

    edition: str
    judgments: int
    sealed: datetime | None
    fingerprint: str | None
    computed: str
    intact: bool | None


@translate()
def editions(conn: psycopg.Connection) -> list[EditionOverview]:
    """The stored editions, by name."""
    with conn.cursor(row_factory=class_row(EditionOverview)) as cursor:
        return cursor.execute("SELECT * FROM edition_overview ORDER BY edition").fetchall()


@translate()
def only_edition(conn: psycopg.Connection) -> str:
    """Return the name of the only edition of the collection.

    :raises StateError: no edition exists.
    :raises BadArgument: several exist.
    """
    names = [name for (name,) in conn.execute("SELECT edition FROM qrels_editions ORDER BY edition")]
    if not names:
        raise StateError(
            "there are no judgments yet", hint="'stc qrels import FILE --edition NAME' adds an edition of them.", sqlstate="IR405"
        )
    if len(names) > 1:
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        raise BadArgument(f"which edition? There are {shown}", hint="Name one with --edition.", sqlstate="IR202")
    return str(names[0])


@translate()
def drop_edition(conn: psycopg.Connection, edition: str, *, even_sealed: bool = False) -> int:
    """Remove an edition with all its judgments, and tell how many they were.

    :raises UnknownObject: there is no such edition.
    :raises StateError: it is sealed, and even_sealed is not set.
    """
    with conn.transaction():
        row = conn.execute("SELECT stc.drop_edition(%s, %s)", [edition, even_sealed]).fetchone()
        return int(row[0]) if row else 0


@translate()
def seal(conn: psycopg.Connection, edition: str) -> Sealed:
    """Close an edition for good: nothing is added to it any more, and the SHA-256 of what it says is kept.

    :raises UnknownObject: there is no such edition.
    :raises StateError: it has no judgment.
    :raises BadArgument: a name holds white space, which TREC's format cannot carry.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Sealed)) as cursor:
        row = cursor.execute("SELECT * FROM seal_edition(%s)", [edition]).fetchone()
    assert row is not None  # noqa: S101
    return row


@translate()
def verify(conn: psycopg.Connection, edition: str | None = None) -> list[Verified]:
    """Whether sealed editions still say what they said, by name; of all editions, or of one.

    :raises UnknownObject: there is no such edition.
    """
    with conn.cursor(row_factory=class_row(Verified)) as cursor:
        return cursor.execute("SELECT * FROM verify_editions(%s)", [edition]).fetchall()


@dataclass(frozen=True, kw_only=True)
class EditionFacts:
    """What is said of an edition; None says nothing. :param split: ``train`` or ``test``. :param year: of the track."""

    description: str | None = None
    split: str | None = None
    year: int | None = None


NOTHING_SAID = EditionFacts()


@translate()
def describe(
    conn: psycopg.Connection,
    edition: str,
    *,
    description: str | None = None,
    split: str | None = None,
    year: int | None = None,
    scale: Mapping[int, int] | None = None,
    anew: bool = True,
) -> None:
    """Say of an edition what it is; None leaves what there is.

    :param split: ``train`` or ``test``. :param year: of the track.
    :param scale: the mapping its grades came by; it changes no grade, and is not said twice.
    :param anew: False refuses another split or year than is said already.
    :raises UnknownObject: there is no such edition.
    :raises BadArgument: no such split, or what is said already otherwise.
    :raises StateError: it is sealed; its description alone may change.
    """
    with conn.transaction():
        conn.execute(
            "SELECT stc.describe_edition(%s, %s, %s, %s, %s, %s)", [edition, description, split, year, as_scale(scale), anew]
        )


def as_scale(grades: Mapping[int, int] | None) -> Jsonb | None:
    """A mapping of grades as qrels_editions.scale holds it."""
    return None if grades is None else Jsonb({str(theirs): grades[theirs] for theirs in sorted(grades)})


@translate()
def export_qrels(conn: psycopg.Connection, edition: str, out: BinaryIO, *, layout: str = "trec") -> int:
    """Write what an edition says, one judgment per query and document, by query and document; returns how many.

    :param layout: a format of :data:`~stcollection.io.registry.QRELS` that can be written: ``trec`` (query 0 doc grade) or
        ``csv`` (topic, query, doc, rel, origin, with a header). CSV of a simulated edition has a column ``simulated``; TREC's
        format has no place for it.
    :raises UnknownObject: there is no such edition.
    :raises BadArgument: a name holds white space, which TREC's format cannot carry.
    """
    write = registry.qrels_format(layout).write
    if write is None:
        raise registry.unknown("qrels", layout, written=True)
    conn.execute("SELECT stc.edition_key(%s)", [edition])
    simulated = simulated_note(conn, [edition]) is not None
    with conn.transaction(), conn.cursor(name="edition_judgments") as cursor:
        cursor.itersize = 10_000
        cursor.execute("SELECT topic, query, docno, rel, origin FROM stc.edition_judgments(%s)", [edition])
        judgments = (
            Judgment(topic=topic, query=query, doc=doc, rel=rel, origin=origin) for topic, query, doc, rel, origin in cursor
        )
        return write(judgments, out, simulated)
