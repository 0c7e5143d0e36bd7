"""Import preference judgments from trec_eval's prefs files.

A line is ``query group subgroup doc level``, separated by white space. Within a subgroup of a judgment group, a document with a
larger level is preferred to one with a smaller level; level 0 means not relevant. Lines that begin with ``#`` are comments.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import psycopg
from psycopg.rows import class_row

from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.declared import INTERNAL, Option
from stcollection.errors import BadInput, translate
from stcollection.io.files import bad_line, clip, is_comment, lines, sha256
from stcollection.io.runs.simpletext import number
from stcollection.runs.policies import UnknownDocuments, UnknownQueries
from stcollection.topics.known import settle_policy

_COPY = "COPY pg_temp.incoming (line, query, annotator, subgroup, docno, rel_score) FROM STDIN"
_COLUMNS = 5
_HINT = "Write each line as: query group subgroup document level. Nothing was stored."


@dataclass(frozen=True, kw_only=True)
class Level:
    """Preference level of a document. :param rel: 0 or more; only the order in the subgroup matters, and whether it is 0."""

    line: int
    query: str
    annotator: str
    subgroup: str
    doc: str
    rel: float


@dataclass(frozen=True, kw_only=True)
class ImportedPreferences:
    """Counts of one imported file of preferences.

    :param groups: judgment groups, summed over queries. :param levels: levels in the file, without duplicates and skipped lines.
    :param unchanged: already stored. :param duplicates: repeated lines of the file.
    """

    queries: int = 0
    groups: int = 0
    levels: int = 0
    added: int = 0
    unchanged: int = 0
    duplicates: int = 0
    new_documents: int = 0
    skipped_documents: int = 0
    new_queries: int = 0
    skipped_queries: int = 0
    seconds: float = 0.0


def read_preferences(path: Path) -> list[Level]:
    """Return the levels of a prefs file, in the order of the file.

    :raises BadInput: an invalid line, or a file without preferences.
    """
    levels = []
    for line, text in lines(path):
        if is_comment(text):
            continue
        cells = text.split()
        if len(cells) != _COLUMNS:
            raise bad_line(path, line, f"{counted(len(cells), 'column')}, not {_COLUMNS}", hint=_HINT)
        query, annotator, subgroup, doc, level = cells
        levels.append(Level(line=line, query=query, annotator=annotator, subgroup=subgroup, doc=doc, rel=_level(path, line, level)))
    if not levels:
        raise BadInput(f"{path}: contains no preference", hint="Check that it is the right file.")
    return levels


def _level(path: Path, line: int, cell: str) -> float:
    level = number(cell)
    if not 0 <= level < math.inf or "_" in cell:
        raise bad_line(path, line, f"the level {clip(cell)} is not a number of at least 0", hint=_HINT)
    return level


@translate()
def import_preferences(
    conn: psycopg.Connection,
    path: Annotated[Path, INTERNAL],
    *,
    edition: Annotated[str, Option(metavar="EDITION", help="Edition to add the preferences to; created if it does not exist.")],
    unknown_documents: UnknownDocuments = "few",
    unknown_queries: UnknownQueries = "few",
) -> ImportedPreferences:
    """Add the preferences of one file, all or none, to an edition, which is created if necessary.

    Stored preferences do not change, so the same file can be imported again.

    :raises BadInput: an invalid line; a second level in the same subgroup; a group that contradicts itself.
    """
    began, digest = time.monotonic(), sha256(path)
    levels = read_preferences(path)
    with conn.transaction(), conn.cursor(row_factory=class_row(ImportedPreferences)) as cursor:
        conn.execute("SELECT stc.stage_preferences()")
        with cursor.copy(_COPY) as copy:
            for level in levels:
                copy.write_row((level.line, level.query, level.annotator, level.subgroup, level.doc, level.rel))
        unknown_queries = settle_policy(conn, str(path), unknown_queries)
        cursor.execute(
            "SELECT *, 0 AS seconds FROM stc.import_preferences(%s, %s, %s, %s, %s)",
            [edition, str(path), digest, unknown_documents, unknown_queries],
        )
        imported = cursor.fetchone() or ImportedPreferences()
    if imported.added:
        vacuum(conn, "qrels_preferences")
    return replace(imported, seconds=time.monotonic() - began)
