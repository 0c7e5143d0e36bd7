"""Correct judgments of an edition in a new version of it (sql/qrels/correct_edition.sql)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.db.connection import vacuum
from stcollection.declared import INTERNAL, Option
from stcollection.errors import BadArgument, translate
from stcollection.io.files import clip
from stcollection.qrels.parameters import ChangedEdition
from stcollection.qrels.sheets import BadSheet, SheetFault, plain, sheet_rows

_GRADE = re.compile(r"(-?[0-9]{1,4})(?:\.0*)?")  # a spreadsheet may write 1.0
COLUMNS = ("query", "doc", "rel", "why")


class Correction(NamedTuple):
    """The right grade of a document, and why. :param line: of the sheet; 1 without a sheet."""

    line: int
    query: str
    doc: str
    rel: int
    why: str


def read_corrections(path: Path) -> list[Correction]:
    """Read a sheet with the columns query, doc, rel and why: CSV (separated by commas, semicolons or tabs) or JSON lines.

    :raises BadSheet: lines without a query, document, integer grade or reason; all of them are listed.
    :raises BadInput: the file is no sheet.
    """
    corrections: list[Correction] = []
    faults: list[SheetFault] = []
    for line, row in sheet_rows(path, COLUMNS):
        if isinstance(row, str):
            faults.append(SheetFault(line, row))
            continue
        query, doc, rel, why = ("" if row.get(name) is None else str(row[name]).strip() for name in COLUMNS)
        missing = [name for name, cell in zip(COLUMNS, (query, doc, rel, why), strict=True) if not cell]
        grade = _GRADE.fullmatch(rel)
        if missing:
            faults.append(SheetFault(line, f"no {' and no '.join(missing)}"))
        elif grade is None:
            faults.append(SheetFault(line, f"{clip(rel)} is not a grade"))
        else:
            corrections.append(Correction(line, query, doc, int(grade[1]), plain(why)))
    if faults:
        raise BadSheet(path, faults)
    return corrections


@translate()
def correct(
    conn: psycopg.Connection,
    edition: ChangedEdition,
    corrections: Annotated[Sequence[Correction], INTERNAL],
    *,
    version: Annotated[str | None, Option("--into", metavar="NAME", default="EDITION-v2, -v3, …")] = None,
    annotator: Annotated[str, Option("--by")] = "correction",
    unjudged: Annotated[bool, Option("--add")] = False,
    sheet: Annotated[Path | None, INTERNAL] = None,
) -> str:
    """Correct judgments of an edition in a new version of it. :returns: the version's name.

    The edition itself does not change: a sealed one keeps its seal. The version is not sealed, and hidden if the edition is.

    :param version: Name of the new version.
    :param annotator: Annotator of the new judgments.
    :param unjudged: Also judge documents that the edition does not judge.
    :param sheet: the file that the corrections are from, for messages.
    :raises UnknownObject: the edition is not stored.
    :raises BadSheet, BadArgument: the corrections of a sheet, or others, do not fit the edition. Nothing is stored.
    """
    given = Jsonb([correction._asdict() for correction in corrections])
    with conn.transaction():
        rows = conn.execute("SELECT line, fault FROM stc.correction_faults(%s, %s, %s)", [edition, given, unjudged]).fetchall()
        if rows and sheet is not None:
            raise BadSheet(sheet, [SheetFault(*row) for row in rows])
        if rows:
            hint = "--add judges a document for the first time." if "is not judged" in rows[0][1] else _HINT
            raise BadArgument(str(rows[0][1]), hint=hint)
        row = conn.execute(
            "SELECT stc.correct_edition(%s, %s, %s, %s, %s)", [edition, given, version, annotator, unjudged]
        ).fetchone()
    vacuum(conn, "qrels_judgments")
    assert row is not None  # noqa: S101
    return str(row[0])


_HINT = "'stc export qrels' prints the judgments of the edition."
