"""Import and export subtopic judgments, from which measures of diversity are computed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, BinaryIO

import psycopg
from psycopg.rows import class_row

from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.db.simulated import note_simulated
from stcollection.declared import INTERNAL
from stcollection.errors import translate
from stcollection.io.places import path_text, place
from stcollection.io.qrels.subtopics import SubtopicJudgment, read_subtopics, write_subtopics
from stcollection.qrels.editions import NOTHING_SAID, EditionFacts, describe
from stcollection.qrels.parameters import GrowingEdition, HiddenEdition
from stcollection.qrels.sources import digest
from stcollection.runs.policies import UnknownDocuments, UnknownQueries
from stcollection.topics.known import settle_policy
from stcollection.topics.sets import ALL

_COPY = "COPY pg_temp.incoming (line, query, subtopic, docno, rel) FROM STDIN"


@dataclass(frozen=True, kw_only=True)
class ImportedSubtopics(HtmlFields):
    """Counts of one imported file of subtopic judgments.

    :param subtopics: summed over the queries. :param judgments: in the file, without duplicates and skipped lines.
    :param unchanged: already stored. :param duplicates: repeated lines of the file.
    """

    queries: int = 0
    subtopics: int = 0
    judgments: int = 0
    added: int = 0
    unchanged: int = 0
    duplicates: int = 0
    new_documents: int = 0
    skipped_documents: int = 0
    new_queries: int = 0
    skipped_queries: int = 0
    seconds: float = 0.0


@translate()
def import_subtopics(
    conn: psycopg.Connection,
    path: Annotated[Path | str, INTERNAL],
    *,
    edition: GrowingEdition,
    unknown_documents: UnknownDocuments = "few",
    unknown_queries: UnknownQueries = "few",
    facts: EditionFacts = NOTHING_SAID,
    hidden: HiddenEdition = None,
) -> ImportedSubtopics:
    """Add the subtopic judgments of one file, all or none, to an edition, which is created if necessary.

    Stored judgments do not change, so the same file can be imported again.

    :param path: lines ``query subtopic doc grade``, or ``irds:NAME``.
    :param facts: description of the edition.
    :raises BadInput: an invalid line; a second grade for a document and subtopic; a file without subtopics.
    :raises StateError: the edition is sealed.
    """
    path = Path(path)
    began, sha256 = time.monotonic(), digest(path)
    with conn.transaction(), conn.cursor(row_factory=class_row(ImportedSubtopics)) as cursor:
        conn.execute("SELECT stc.stage_subtopics()")
        with cursor.copy(_COPY) as copy:
            for judgment in read_subtopics(path):
                copy.write_row((judgment.line, judgment.query, judgment.subtopic, judgment.doc, judgment.rel))
        unknown_queries = settle_policy(conn, path_text(path), unknown_queries)
        hide = facts.split == "test" if hidden is None else hidden
        cursor.execute(
            "SELECT *, 0 AS seconds FROM stc.import_subtopics(%s, %s, %s, %s, %s, %s, %s)",
            [edition, path_text(path), place(path), sha256, unknown_documents, unknown_queries, hide],
        )
        imported = cursor.fetchone() or ImportedSubtopics()
        if facts != NOTHING_SAID:
            describe(conn, edition, description=facts.description, split=facts.split, year=facts.year, anew=False)
    if imported.added:
        vacuum(conn, "qrels_subtopics")
    return replace(imported, seconds=time.monotonic() - began)


@note_simulated("edition")
@translate()
def export_subtopics(conn: psycopg.Connection, edition: str, out: BinaryIO, *, queries: str = ALL) -> int:
    """Write the subtopic judgments of an edition as lines ``query subtopic doc grade``. :returns: their number.

    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: the edition or the set is not stored.
    :raises BadArgument: a name contains white space, which the format cannot represent.
    """
    conn.execute("SELECT stc.edition_key(%s)", [edition])
    with conn.transaction(), conn.cursor(name="edition_subtopics", row_factory=class_row(SubtopicJudgment)) as cursor:
        cursor.itersize = 10_000
        cursor.execute("SELECT query, subtopic, docno AS doc, rel FROM stc.edition_subtopics(%s, %s)", [edition, queries])
        return write_subtopics(cursor, out)
