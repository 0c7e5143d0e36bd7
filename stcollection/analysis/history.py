"""The collection over time: documents by year of publication, and editions by year of the campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import psycopg

from stcollection.analysis.collection_records import CollectionHistory, DocumentYears, EditionHistory, YearCount
from stcollection.counts import counted
from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated, simulated_note
from stcollection.declared import Option, declare
from stcollection.errors import StateError, translate


@translate()
def document_years(conn: psycopg.Connection) -> DocumentYears:
    """Count the documents by year (sql/analysis/documents_by_year.sql).

    :raises StateError: no document has a plausible year.
    """
    rows = conn.execute("SELECT year, documents, abstracts FROM stc.documents_by_year()").fetchall()
    years = [YearCount(*row) for row in rows if row[0] is not None]
    without = sum(row[1] for row in rows if row[0] is None)
    if not years:
        lack = f"{counted(without, 'document')}, none with a year" if without else "no document is stored"
        raise StateError(lack, hint="Load documents with the field 'year': 'stc load --as corpus'.", sqlstate="IR405")
    return DocumentYears(years=years, without=without)


@declare
@note_simulated("editions")
@translate()
def edition_history(conn: psycopg.Connection, editions: Annotated[Sequence[str], Option("EDITION")] = ()) -> list[EditionHistory]:
    """Return the editions, oldest first, with their topics, queries and judgments (sql/analysis/edition_history.sql).

    :param editions: Editions; all if empty.
    :raises UnknownObject: an edition does not exist.
    :raises StateError: no edition is stored.
    """
    rows = records(conn, EditionHistory, "SELECT * FROM stc.edition_history(%s::text[])", [list(editions)])
    if not rows:
        raise StateError("no edition is stored", hint="Import judgments with 'stc load --as qrels'.", sqlstate="IR405")
    return rows


def collection_history(conn: psycopg.Connection, editions: Sequence[str] = ()) -> CollectionHistory:
    """Return :func:`edition_history` as a record to draw."""
    rows = edition_history(conn, editions)
    return CollectionHistory(editions=rows, simulated=simulated_note(conn, [row.edition for row in rows]))
