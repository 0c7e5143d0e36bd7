"""Assessors' sheets as files: out, blind; back in, every fault told by its line; and submitted as judgments.

A CSV sheet is opened in spreadsheets. A cell that such a program would take for a formula (it begins with ``= + - @``, a tab or a
line break) gets an apostrophe before it, and so does one that begins with an apostrophe: taking one away gives back what was there.
What comes back is read by ``token`` alone, which no program takes for a number or a date; query, document and texts are there to be
read by people, and may come back changed or not at all.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson
import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.cells import FORMULA
from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.io.files import clip, read_text

LAYOUTS = ("csv", "jsonl")
COLUMNS = ("token", "topic", "topic_text", "query", "query_text", "doc", "title", "abstract", "grade", "note")
_FORMULA = (*FORMULA, "'")
_GRADE = re.compile(r"([0-9])(?:\.0*)?")  # a spreadsheet may write 1.0
_HINT = "Correct these lines; nothing was stored."


class SheetLine(NamedTuple):
    """One line of a sheet that comes back. :param rel: None where nothing was judged."""

    line: int
    token: str
    rel: int | None
    note: str


class SheetFault(NamedTuple):
    """One error in a sheet.

    :param line: from 1; of a record over several lines the first.
    """

    line: int
    what: str


class BadSheet(BadInput):
    """A sheet that was not taken, with all that is wrong with it in :attr:`faults`."""

    def __init__(self, path: Path, faults: Sequence[SheetFault]) -> None:
        first = f"{path}:{faults[0].line}: {faults[0].what}"
        more = f"; {len(faults) - 1:,} more faults" if len(faults) > 1 else ""
        super().__init__(first + more, hint=_HINT, sqlstate="IR301")
        self.faults = list(faults)


@dataclass(frozen=True, kw_only=True)
class Filled:
    """The counts of a sheet that was filled in.

    :param graded: new grades. :param regraded: other than before. :param blank: lines without a grade.
    """

    graded: int
    regraded: int
    unchanged: int
    blank: int


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """The counts of sheets that became judgments.

    :param judgments: grades on the sheets. :param left_open: documents the annotators were to judge and have not.
    """

    judgments: int
    added: int
    unchanged: int
    left_open: int


def plain(text: str | None) -> str:
    """A text without what a terminal or a spreadsheet would obey: each run of control characters, of invisible ones that turn the
    direction of writing, and of other unprintable ones becomes a blank; line breaks too."""
    signs = (" " if unicodedata.category(sign) in _UNSEEN and sign not in _JOINERS else sign for sign in text or "")
    return " ".join("".join(signs).split())


_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_JOINERS = {"\N{ZERO WIDTH NON-JOINER}", "\N{ZERO WIDTH JOINER}"}  # Persian, Hindi and others are written with them


def guarded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; see the module."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def unguarded(cell: str) -> str:
    """What was guarded, as it was."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def sheet_files(out: Path, people: Sequence[str], *, layout: str, single: bool) -> dict[str, Path]:
    """The file of each annotator's sheet: ``out`` itself for one, a file in the folder ``out`` for each of several.

    :param single: one sheet was asked for, so that ``out`` is its file. The folder is made if it is not there.
    :raises BadArgument: ``out`` is a file, or two names would be one file.
    """
    if single or (len(people) == 1 and not out.is_dir()):
        return {people[0]: out}
    if out.exists() and not out.is_dir():
        raise BadArgument(f"{out} is a file", hint="Several sheets go to a folder.")
    out.mkdir(parents=True, exist_ok=True)
    files = {one: out / f"{_file_name(one)}.{layout}" for one in people}
    if len(set(files.values())) < len(files):
        raise BadArgument("two annotators' sheets would be one file", hint="Export them one by one, with --annotator.")
    return files


def _file_name(annotator: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in annotator)


@translate()
def export_sheet(conn: psycopg.Connection, pool: str, out: BinaryIO, *, annotator: str, layout: str = "csv") -> int:
    """Write the sheet of an annotator, in the order of the sheet, with the grades so far; returns how many documents it has.

    CSV is UTF-8 with a byte order mark, by which spreadsheets know it. JSON lines hold the texts without guards.

    :raises UnknownObject: there is no such pool. :raises BadArgument: the pool is not shared with the annotator.
    """
    if layout == "csv":
        out.write("\N{BYTE ORDER MARK}".encode())
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    written = 0
    try:
        table = csv.writer(text, lineterminator="\r\n")
        if layout == "csv":
            table.writerow(COLUMNS)
        with conn.transaction(), conn.cursor(name="pool_sheet") as cursor:
            cursor.itersize = 1000
            cursor.execute(
                "SELECT token, topic, topic_text, query, query_text, docno, title, abstract, rel, note FROM stc.pool_sheet(%s, %s)",
                [pool, annotator],
            )
            for *names, rel, note in cursor:
                cells: list[Any] = [plain(name) for name in names]
                if layout == "csv":
                    table.writerow([*map(guarded, cells), "" if rel is None else rel, guarded(plain(note))])
                else:
                    row = dict(zip(COLUMNS, [*cells, rel, plain(note)], strict=True))
                    text.write(orjson.dumps(row).decode() + "\n")
                written += 1
    finally:
        text.detach()
    return written


@translate()
def import_sheet(conn: psycopg.Connection, pool: str, path: Path, *, annotator: str) -> Filled:
    """Take the grades and notes of a sheet that comes back, all or none. A blank grade is not judged yet, and takes none away.

    CSV (separated by commas, semicolons or tabs) or JSON lines, told by the first character.

    :raises BadSheet: lines that are not of the annotator's sheet, twice there, outside the scale, against a submitted judgment.
    :raises UnknownObject: there is no such pool. :raises BadArgument: the pool is not shared with the annotator.
    """
    lines, faults = read_sheet(path)
    given = Jsonb([line._asdict() for line in lines])
    with conn.transaction():
        found = conn.execute("SELECT line, fault FROM stc.sheet_faults(%s, %s, %s)", [pool, annotator, given]).fetchall()
        faults = sorted([*faults, *(SheetFault(*row) for row in found)])
        if faults:
            raise BadSheet(path, faults)
        with conn.cursor(row_factory=class_row(Filled)) as cursor:
            [row] = cursor.execute("SELECT * FROM stc.fill_sheet(%s, %s, %s)", [pool, annotator, given]).fetchall()
    return row


@translate()
def submit_pool(conn: psycopg.Connection, pool: str, *, edition: str, annotators: Sequence[str] = ()) -> Submitted:
    """Make the grades on the sheets judgments of an edition, in one transaction. Again adds nothing.

    :param annotators: their sheets; all if empty.
    :raises BadInput: the edition has other grades by the same annotators; the first is named.
    :raises UnknownObject: there is no such pool. :raises BadArgument: an annotator has judged nothing.
    :raises StateError: nobody has.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Submitted)) as cursor:
        [row] = cursor.execute("SELECT * FROM stc.submit_pool(%s, %s, %s)", [pool, edition, list(annotators)]).fetchall()
    if row.added:
        vacuum(conn, "qrels_judgments")
    return row


def read_sheet(path: Path) -> tuple[list[SheetLine], list[SheetFault]]:
    """The lines of a sheet, and what is wrong with others.

    :raises BadInput: it cannot be read as a sheet at all: empty, not UTF-8, without the columns token and grade.
    """
    text = read_text(path)
    if not text.strip():
        raise BadInput(f"{path}: holds no line", hint="Is it the right file?", sqlstate="IR301")
    read = _json(text) if text.lstrip().startswith("{") else _csv(path, text)
    lines: list[SheetLine] = []
    faults: list[SheetFault] = []
    for number, row in read:
        if isinstance(row, str):
            faults.append(SheetFault(number, row))
            continue
        token, grade, note = (str(_or_blank(row.get(name))).strip() for name in ("token", "grade", "note"))
        note = plain(note)
        matched = _GRADE.fullmatch(grade)
        if not token:
            faults.append(SheetFault(number, "no token"))
        elif grade and not matched:
            faults.append(SheetFault(number, f"{clip(grade)} is no grade"))
        else:
            lines.append(SheetLine(number, token, int(matched[1]) if matched else None, note))
    return lines, faults


def _or_blank(value: object) -> object:
    return "" if value is None else value


def _json(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    for number, line in enumerate(io.StringIO(text), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield number, f"no JSON: {error}"
            continue
        yield number, row if isinstance(row, dict) and "token" in row else "no object with a token"


def _csv(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # of the process: raised, never lowered under another reader
    try:
        names = [name.strip().lower() for name in next(reader)]
        if not {"token", "grade"} <= set(names):
            raise BadInput(
                f"{path}:1: the columns token and grade are not there",
                hint="The first line names the columns, as exported.",
                sqlstate="IR301",
            )
        before = reader.line_num
        for row in reader:
            number, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                yield number, f"{len(row)} columns, not the {len(names)} of the first line"
                continue
            yield number, {name: unguarded(cell) for name, cell in zip(names, row, strict=True)}
    except csv.Error as error:
        yield reader.line_num, f"no CSV: {error}"
