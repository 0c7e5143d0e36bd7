"""List, describe, seal, verify, export and remove editions of the judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.counts import first_of
from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated, simulated_note
from stcollection.declared import INTERNAL, Option, check_fields, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.io import registry
from stcollection.io.qrels import strata
from stcollection.io.qrels.judgments import mapping_of
from stcollection.io.records import Judgment
from stcollection.qrels.parameters import ChangedEdition, Edition, OneEdition, Split, Year
from stcollection.topics.sets import ALL, SetExpression


class EditionOverview(NamedTuple):
    """One row of edition_overview.

    :param judgments: one per query and document; grades and origins count these. :param rows: all stored judgments.
    :param split: ``train``, ``test`` or None. :param scale: ``{theirs: ours}``; None if the grades were not mapped.
    :param sealed: when the edition was sealed; None if it is open. :param fingerprint: SHA-256 of its content at that time.
    :param hidden: True if participants and readers cannot see it.
    :param released: when it was released to them; None if it was never hidden or is still hidden.
    :param simulated: True if some judgments are simulated.
    :param subtopic_judgments: number of judgments by subtopic, which judgments and rows do not include.
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
    subtopic_judgments: int = 0


class Sealed(NamedTuple):
    """An edition after sealing.

    :param fingerprint: SHA-256 of the output of ``export_qrels``. :param already: True if it was already sealed.
    """

    judgments: int
    fingerprint: str
    sealed: datetime
    already: bool


class Verified(NamedTuple):
    """An edition after comparison with its fingerprint.

    :param computed: fingerprint of its current content. :param intact: None for an open edition.
    """

    edition: str
    judgments: int
    sealed: datetime | None
    fingerprint: str | None
    computed: str
    intact: bool | None


@translate()
def editions(conn: psycopg.Connection) -> list[EditionOverview]:
    """Return the stored editions, ordered by name."""
    return records(conn, EditionOverview, "SELECT * FROM edition_overview ORDER BY edition")


@translate()
def only_edition(conn: psycopg.Connection, *, beside: Sequence[Any] = ()) -> str:
    """Return the name of the only edition of the collection.

    :param beside: names that were given as something else; an edition among them is mentioned in the error.
    :raises StateError: no edition exists.
    :raises BadArgument: several exist.
    """
    names = [name for (name,) in conn.execute("SELECT edition FROM qrels_editions ORDER BY edition")]
    if not names:
        raise StateError(
            "there are no judgments yet", hint="'stc load --as qrels FILE --edition NAME' imports an edition.", sqlstate="IR405"
        )
    if len(names) > 1:
        meant = next((f" {name}, not as an argument" for name in names if name in beside), "")
        raise BadArgument(f"the collection has several editions: {first_of(names, 8)}", hint=f"Select one with --edition{meant}.")
    return str(names[0])


@translate()
def check_edition(conn: psycopg.Connection, edition: str) -> None:
    """Check the name of an edition. :raises UnknownObject: no edition has it."""
    conn.execute("SELECT stc.edition_key(%s)", [edition])


@translate()
def drop_edition(conn: psycopg.Connection, edition: str, *, even_sealed: bool = False) -> int:
    """Remove an edition with all its judgments. :returns: their number.

    :raises UnknownObject: the edition is not stored.
    :raises StateError: the edition is sealed, and even_sealed is not set.
    """
    with conn.transaction():
        row = conn.execute("SELECT stc.drop_edition(%s, %s)", [edition, even_sealed]).fetchone()
        return int(row[0]) if row else 0


@translate()
def seal(conn: psycopg.Connection, edition: ChangedEdition) -> Sealed:
    """Seal an edition: it accepts no further judgments, and the SHA-256 of its content is stored.

    :raises UnknownObject: the edition is not stored.
    :raises StateError: the edition has no judgment.
    :raises BadArgument: a name contains white space, which TREC's format cannot represent.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Sealed)) as cursor:
        row = cursor.execute("SELECT * FROM seal_edition(%s)", [edition]).fetchone()
    assert row is not None  # noqa: S101
    return row


@note_simulated("edition")
@translate()
def verify(conn: psycopg.Connection, edition: OneEdition = None) -> list[Verified]:
    """Compare sealed editions with their fingerprints; return all editions ordered by name, or one.

    :raises UnknownObject: the edition is not stored.
    """
    return records(conn, Verified, "SELECT * FROM verify_editions(%s)", [edition])


@dataclass(frozen=True, kw_only=True)
class EditionFacts:
    """Description of an edition; None means not given.

    :param description: Description of the edition.
    """

    description: str | None = None
    split: Split = None
    year: Year = None

    def __post_init__(self) -> None:
        check_fields(self)


NOTHING_SAID = EditionFacts()
if TYPE_CHECKING:
    Scale = Mapping[int, int] | None
else:
    Scale = Annotated[str | None, Option(metavar="GRADES", reads=mapping_of)]  # interfaces take it as text


@declare
@translate()
def describe(
    conn: psycopg.Connection,
    edition: ChangedEdition,
    *,
    description: str | None = None,
    split: Split = None,
    year: Year = None,
    scale: Scale = None,
    anew: Annotated[bool, INTERNAL] = True,
) -> None:
    """Set the description, split, year and scale of an edition; None keeps the stored value.

    :param description: Description of the edition.
    :param scale: Mapping of its grades, if they were mapped before import; syntax as for 'stc load --as qrels --map'.
    :param anew: False refuses to change a stored split or year.
    :raises UnknownObject: the edition is not stored.
    :raises BadArgument: unknown split, or a stored value that must not change.
    :raises StateError: the edition is sealed; only its description can change.
    """
    with conn.transaction():
        conn.execute(
            "SELECT stc.describe_edition(%s, %s, %s, %s, %s, %s)", [edition, description, split, year, as_scale(scale), anew]
        )


def as_scale(grades: Mapping[int, int] | None) -> Jsonb | None:
    """Return a mapping of grades as stored in qrels_editions.scale."""
    return None if grades is None else Jsonb({str(theirs): grades[theirs] for theirs in sorted(grades)})


@note_simulated("edition")
@translate()
def export_qrels(
    conn: psycopg.Connection,
    edition: Edition,
    out: BinaryIO,
    *,
    layout: Annotated[str, INTERNAL] = "trec",
    queries: SetExpression = ALL,
) -> int:
    """Write an edition, one judgment per query and document, ordered by both. :returns: their number.

    :param layout: a format of :data:`~stcollection.io.registry.QRELS` that can be written: ``trec`` (query 0 doc grade), ``strata``
        (query 0 doc stratum grade, of a sampled pool) or ``csv`` (topic, query, doc, rel, origin, with a header). CSV of a
        simulated edition has a column ``simulated``, which TREC's format cannot represent.
    :raises UnknownObject: the edition or the set is not stored.
    :raises BadArgument: a name contains white space, which TREC's format cannot represent.
    """
    write = registry.qrels_format(layout).write
    if write is None:
        raise registry.unknown_format("qrels", layout, written=True)
    conn.execute("SELECT stc.edition_key(%s)", [edition])
    simulated = simulated_note(conn, [edition]) is not None
    with conn.transaction(), conn.cursor(name="edition_judgments") as cursor:
        cursor.itersize = 10_000
        if layout == strata.FORMAT.name:
            cursor.execute("SELECT query, docno, rel, stratum FROM stc.edition_strata(%s, %s)", [edition, queries])
            judgments = (Judgment(query=query, doc=doc, rel=rel, stratum=stratum) for query, doc, rel, stratum in cursor)
        else:
            cursor.execute("SELECT topic, query, docno, rel, origin FROM stc.edition_judgments(%s, %s)", [edition, queries])
            judgments = (
                Judgment(topic=topic, query=query, doc=doc, rel=rel, origin=origin) for topic, query, doc, rel, origin in cursor
            )
        return write(judgments, out, simulated)
