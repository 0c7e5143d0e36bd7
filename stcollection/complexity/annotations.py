"""People's grades of documents for complexity and credibility, 0 to 2: import from CSV and export."""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.db.simulated import note_simulated
from stcollection.errors import BadInput, translate

ASPECTS = ("complexity", "credibility")
COLUMNS = ("doc_id", "annotator", "group", *ASPECTS)
_GRADE = re.compile(r"([0-2])(?:\.0*)?")  # a spreadsheet may write 1.0
_HEADER = "The first line must name the columns: doc_id,annotator,group,complexity,credibility; one of the last two may be missing."
_COPY = "COPY pg_temp.incoming_annotations (line, docno, annotator, annotator_group, aspect, grade) FROM STDIN"


class AnnotationGrade(NamedTuple):
    """One grade of a file. :param line: line of the file, from 1. :param grade: 0, 1 or 2."""

    line: int
    docno: str
    annotator: str
    group: str
    aspect: str
    grade: int


class AnnotationSheet(NamedTuple):
    """A file of grades. :param ignored: columns that are not in COLUMNS. :param blank: number of lines without a grade."""

    grades: list[AnnotationGrade]
    ignored: list[str]
    blank: int


class AnnotationOverview(NamedTuple):
    """One row of annotation_overview: a group and an aspect. :param names: its annotators."""

    group: str
    aspect: str
    annotators: int
    documents: int
    grades: int
    grade_0: int
    grade_1: int
    grade_2: int
    mean: float
    names: list[str]


@dataclass(frozen=True, kw_only=True)
class LoadedAnnotations:
    """Counts of what load_annotations did with one file.

    :param grades: grades in the file, without duplicates.
    :param unchanged: grades that were already stored.
    :param changed: stored grades that were replaced.
    :param ignored: columns that were not read.
    :param blank: number of lines without a grade.
    """

    grades: int
    documents: int
    annotators: int
    added: int
    changed: int
    unchanged: int
    duplicates: int
    ignored: tuple[str, ...] = ()
    blank: int = 0
    seconds: float = 0.0


@translate()
def load_annotations(
    conn: psycopg.Connection, text: str, *, source: str, replace_grades: bool = False, simulated: bool = False
) -> LoadedAnnotations:
    """Import the grades of one CSV file; either all grades or none are stored. Grades that are already stored change nothing.

    :param text: content of the file, as returned by :func:`~stcollection.io.files.read_text`.
    :param source: name of the file, used in messages and stored with the grades.
    :param replace_grades: replace a different stored grade instead of raising an error.
    :param simulated: mark the annotators as simulated. False leaves the mark of a stored annotator unchanged.
    :raises BadInput: a line cannot be read, a grade is invalid, a document is unknown, an annotator has two groups, or an
        annotator gave a document two grades; with file and line.
    :raises StateError: no line has a grade.
    """
    began = time.monotonic()
    sheet = read_annotations(text, source=source)
    with conn.transaction(), conn.cursor(row_factory=class_row(LoadedAnnotations)) as cursor:
        conn.execute("SELECT stc.stage_annotations()")
        with cursor.copy(_COPY) as copy:
            for grade in sheet.grades:
                copy.write_row(grade)
        [loaded] = cursor.execute("SELECT * FROM stc.import_annotations(%s, %s)", [source, replace_grades]).fetchall()
        if simulated:
            names = list({grade.annotator for grade in sheet.grades})
            conn.execute("UPDATE stc_all.annotators SET simulated = true WHERE annotator = ANY (%s)", [names])
    if loaded.added or loaded.changed:
        vacuum(conn, "stc_all.annotations")
    return replace(loaded, ignored=tuple(sheet.ignored), blank=sheet.blank, seconds=time.monotonic() - began)


def read_annotations(text: str, *, source: str) -> AnnotationSheet:
    """Read grades from CSV with a header, separated by commas, semicolons or tabs.

    :raises BadInput: the text is empty, the header is wrong, or a line cannot be read; with ``source`` and line.
    """
    if not text.strip():
        raise BadInput(f"{source}: the file is empty", hint=_HEADER)
    grades: list[AnnotationGrade] = []
    blank = 0
    rows = _rows(source, text)
    first, header = next(rows)
    names = ["doc_id" if name == "docno" else name for name in (cell.strip().lower() for cell in header)]
    _check_header(source, first, names)
    aspects = [name for name in ASPECTS if name in names]
    for line, cells in rows:
        if len(cells) != len(names):
            what = f"{counted(len(cells), 'column')} instead of {len(names)} as in the first line"
            raise _bad_line(source, line, what, hint="Put quotes around values that contain the separator.")
        row = dict(zip(names, map(str.strip, cells), strict=True))
        row_grades = [grade for aspect in aspects if (grade := _grade(source, line, row, aspect)) is not None]
        grades += row_grades
        blank += not row_grades
    return AnnotationSheet(grades, [name for name in names if name not in COLUMNS], blank)


def _bad_line(source: str, line: int, what: str, *, hint: str) -> BadInput:
    return BadInput(f"{source}:{line}: {what}", hint=hint)


def _clip(value: str, width: int = 60) -> str:
    return repr(value if len(value) <= width else value[: width - 1] + "…")


def _rows(source: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-empty lines with their numbers, from 1; for a record over several lines, the first number."""
    first = text.lstrip("\r\n").partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # process-wide: only raised, as other readers may need it
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                yield line, cells
    except csv.Error as error:
        raise _bad_line(source, before + 1, f"not valid CSV: {error}", hint="Check for a quote that is never closed.") from error


def _check_header(source: str, line: int, names: list[str]) -> None:
    twice = [name for name in COLUMNS if names.count(name) > 1]
    missing = [name for name in COLUMNS[:3] if name not in names]
    if twice:
        raise _bad_line(
            source, line, f"the column {twice[0]} appears twice", hint="doc_id and docno are two names of the same column."
        )
    if missing:
        raise _bad_line(source, line, f"no column {', '.join(missing)} in {_clip(', '.join(names), 100)}", hint=_HEADER)
    if not set(ASPECTS) & set(names):
        raise _bad_line(source, line, "neither a column complexity nor credibility", hint=_HEADER)


def _grade(source: str, line: int, row: dict[str, str], aspect: str) -> AnnotationGrade | None:
    cell = row[aspect]
    if not cell:
        return None
    for name in COLUMNS[:3]:
        if not row[name]:
            raise _bad_line(
                source, line, f"a grade without {name}", hint="Each grade needs a document, an annotator and the annotator's group."
            )
        if not row[name].isprintable():
            raise _bad_line(source, line, f"{name} {_clip(row[name])} has characters that cannot be printed", hint="Remove them.")
    matched = _GRADE.fullmatch(cell)
    if not matched:
        raise _bad_line(
            source, line, f"{aspect} {_clip(cell)}", hint=f"A grade of {aspect} must be 0, 1 or 2; leave it blank if there is none."
        )
    return AnnotationGrade(line, row["doc_id"], row["annotator"], row["group"], aspect, int(matched[1]))


@translate()
def export_annotations(conn: psycopg.Connection, out: BinaryIO) -> int:
    """Write all grades as CSV that load_annotations reads, by document and annotator; return the number of lines of grades."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    written = 0
    try:
        table: Any = csv.writer(text, lineterminator="\n")
        table.writerow(COLUMNS)
        with conn.transaction(), conn.cursor(name="annotation_sheets") as cursor:
            cursor.itersize = 10_000
            cursor.execute(
                "SELECT docno, annotator, annotator_group, complexity, credibility FROM stc_all.annotation_sheets"
                ' ORDER BY docno COLLATE "C", annotator COLLATE "C"'
            )
            for row in cursor:
                table.writerow(row)
                written += 1
    finally:
        text.detach()
    return written


@note_simulated(annotations=True)
@translate()
def overview(conn: psycopg.Connection) -> list[AnnotationOverview]:
    """Return the groups of annotators with counts of their grades, by aspect and group."""
    with conn.cursor() as cursor:
        rows = cursor.execute('SELECT * FROM stc_all.annotation_overview ORDER BY aspect, annotator_group COLLATE "C"').fetchall()
    return [AnnotationOverview(*row) for row in rows]
