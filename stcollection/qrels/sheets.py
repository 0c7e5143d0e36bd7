"""Export assessors' sheets without runs and ranks, import them with a check of every line, and submit them as judgments.

CSV sheets are opened in spreadsheet programs. A cell that such a program would interpret as a formula (it begins with ``= + - @``,
a tab or a line break) gets a leading apostrophe, and so does a cell that begins with an apostrophe; the import removes it again.
The import identifies documents by ``token`` only, which no program converts to a number or a date. Query, document and texts are
for the assessor and may be changed or missing in the returned sheet.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple

import orjson
import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.cells import FORMULA
from stcollection.corpus.licences import known_licences
from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.db.rows import records
from stcollection.declared import Option
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.io.files import clip, read_text
from stcollection.qrels.parameters import GrowingEdition, PoolName

LAYOUTS = ("csv", "jsonl")
COLUMNS = (
    "token", "topic", "topic_text", "article", "article_origin", "query", "query_text", "doc", "title", "abstract", "grade", "note",
)  # fmt: skip
_LONGEST_CELL = 32_000  # characters; spreadsheet programs read 32,767
_FORMULA = (*FORMULA, "'")
_GRADE = re.compile(r"([0-9])(?:\.0*)?")  # a spreadsheet may write 1.0
_HINT = "Correct these lines; nothing was stored."


class SheetLine(NamedTuple):
    """One line of a returned sheet. :param rel: the grade; None if blank."""

    line: int
    token: str
    rel: int | None
    note: str


class SheetFault(NamedTuple):
    """One error in a sheet.

    :param line: from 1; the first line of a record that spans several.
    """

    line: int
    what: str


class BadSheet(BadInput):
    """A sheet was refused; :attr:`faults` lists all its errors."""

    def __init__(self, path: Path, faults: Sequence[SheetFault]) -> None:
        first = f"{path}:{faults[0].line}: {faults[0].what}"
        more = f"; {counted(len(faults) - 1, 'more fault')}" if len(faults) > 1 else ""
        super().__init__(first + more, hint=_HINT)
        self.faults = list(faults)


@dataclass(frozen=True, kw_only=True)
class Filled:
    """Counts of an imported sheet.

    :param graded: new grades. :param regraded: changed grades. :param blank: lines without a grade.
    """

    graded: int
    regraded: int
    unchanged: int
    blank: int


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """Counts of submitted sheets.

    :param judgments: grades on the sheets. :param left_open: documents on the sheets without a grade.
    """

    judgments: int
    added: int
    unchanged: int
    left_open: int


def plain(text: str | None) -> str:
    """Return the text on one line, safe for terminals and spreadsheets.

    Control characters, direction marks, other unprintable characters and line breaks become spaces; runs of spaces become one.
    """
    signs = (" " if unicodedata.category(sign) in _UNSEEN and sign not in _JOINERS else sign for sign in text or "")
    return " ".join("".join(signs).split())


_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_JOINERS = {"\N{ZERO WIDTH NON-JOINER}", "\N{ZERO WIDTH JOINER}"}  # Persian, Hindi and others are written with them


def guarded(cell: str) -> str:
    """Return the cell with a leading apostrophe if a spreadsheet would interpret it as a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _fitted(cell: str) -> str:
    """Return a cell that spreadsheet programs read whole: a longer one ends with its last whole word and ``…``."""
    if len(cell) <= _LONGEST_CELL:
        return cell
    head = cell[:_LONGEST_CELL]
    at = max(head.rfind(blank) for blank in (" ", "\n"))
    return (head[:at] if at > 0 else head[:-1]) + "…"


def unguarded(cell: str) -> str:
    """Remove the apostrophe that :func:`guarded` added."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def sheet_files(out: Path, people: Sequence[str], *, layout: str, single: bool) -> dict[str, Path]:
    """Return the file of each annotator's sheet: ``out`` itself for one sheet, else files in the folder ``out``.

    :param single: one sheet was requested, so ``out`` is its file. Otherwise the folder is created if necessary.
    :raises BadArgument: ``out`` is a file, or two annotators would get the same file name.
    """
    if single or (len(people) == 1 and not out.is_dir()):
        return {people[0]: out}
    if out.exists() and not out.is_dir():
        raise BadArgument(f"{out} is a file", hint="Name a folder for several sheets.")
    out.mkdir(parents=True, exist_ok=True)
    files = {annotator: out / f"{_file_name(annotator)}.{layout}" for annotator in people}
    if len(set(files.values())) < len(files):
        raise BadArgument("two annotators would get the same file name", hint="Export them one by one, with --annotator.")
    return files


def _file_name(annotator: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in annotator)


@translate()
def export_sheet(
    conn: psycopg.Connection, pool: str, out: BinaryIO, *, annotator: str, layout: str = "csv", licences: Sequence[str] = ()
) -> int:
    """Write the sheet of an annotator, in sheet order, with its current grades. :returns: the number of documents.

    After the abstract come the fields of the document that the pool shows (:mod:`stcollection.qrels.metadata`).
    The article of a topic is in the first row of each of its queries only. In CSV it is cut to the length of a cell.

    CSV is UTF-8 with a byte order mark, by which spreadsheets detect it. JSON lines contain the texts without added apostrophes.

    :param licences: only documents with these licences; empty writes all.
    :raises UnknownObject: the pool is not stored, or no document has the licence.
    :raises BadArgument: the pool is not shared with the annotator.
    """
    known = known_licences(conn, licences)
    with conn.transaction(), conn.cursor(name="pool_sheet") as cursor:
        row = conn.execute("SELECT params -> 'metadata' FROM stc_all.qrels_pools WHERE id = stc.pool_key(%s)", [pool]).fetchone()
        fields = tuple(row[0] or ()) if row else ()
        cursor.itersize = 1000
        cursor.execute(
            "SELECT token, topic, topic_text, CASE WHEN first THEN article END, CASE WHEN first THEN article_origin END, query,"
            "       query_text, docno, title, abstract, metadata, rel, note"
            "  FROM (SELECT s.*, row_number() OVER (PARTITION BY s.query ORDER BY s.place) = 1 AS first"
            "          FROM stc.pool_sheet(%(pool)s, %(annotator)s) s"
            "         WHERE %(licences)s::text[] IS NULL OR stc.has_licence(s.docno, %(licences)s)) s ORDER BY place",
            {"pool": pool, "annotator": annotator, "licences": known},
        )
        rows = (
            (*map(plain, texts), *(_cell(metadata.get(field)) for field in fields), rel, plain(note))
            for *texts, metadata, rel, note in cursor
        )
        return write_sheet(out, (*COLUMNS[:-2], *fields, *COLUMNS[-2:]), rows, layout=layout)


def _cell(value: Any) -> Any:
    """Return a field of a document for a cell: texts by :func:`plain`, lists separated by semicolons."""
    return value if value is None or isinstance(value, int) else plain("; ".join(value) if isinstance(value, list) else value)


def write_sheet(out: BinaryIO, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, layout: str) -> int:
    """Write a sheet; texts of CSV are guarded and cut to the length of a cell. :returns: the number of rows.

    :param rows: texts by :func:`plain`, numbers, and None for an empty cell.
    """
    if layout == "csv":
        out.write("\N{BYTE ORDER MARK}".encode())
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    written = 0
    try:
        table = csv.writer(text, lineterminator="\r\n")
        if layout == "csv":
            table.writerow(columns)
        for row in rows:
            if layout == "csv":
                cells = ("" if cell is None else cell for cell in row)
                table.writerow([_fitted(guarded(cell)) if isinstance(cell, str) else cell for cell in cells])
            else:
                text.write(orjson.dumps(dict(zip(columns, row, strict=True))).decode() + "\n")
            written += 1
    finally:
        text.detach()
    return written


@translate()
def import_sheet(conn: psycopg.Connection, pool: PoolName, path: Annotated[Path, Option("FILE")], *, annotator: str) -> Filled:
    """Import the grades and notes of a returned sheet, all or none. A blank grade changes nothing.

    The first character distinguishes CSV (separated by commas, semicolons or tabs) from JSON lines.

    :param annotator: Name of the annotator of the sheet.
    :raises BadSheet: lines that are not on the annotator's sheet, repeated, outside the scale, or contradict a submitted judgment.
    :raises UnknownObject: the pool is not stored. :raises BadArgument: the pool is not shared with the annotator.
    """
    lines, faults = read_sheet(path)
    given = Jsonb([line._asdict() for line in lines])
    with conn.transaction():
        rows = conn.execute("SELECT line, fault FROM stc.sheet_faults(%s, %s, %s)", [pool, annotator, given]).fetchall()
        faults = sorted([*faults, *(SheetFault(*row) for row in rows)])
        if faults:
            raise BadSheet(path, faults)
        [row] = records(conn, Filled, "SELECT * FROM stc.fill_sheet(%s, %s, %s)", [pool, annotator, given])
    return row


@translate()
def submit_pool(
    conn: psycopg.Connection,
    pool: PoolName,
    *,
    edition: GrowingEdition,
    annotators: Annotated[Sequence[str], Option(each="annotator", default="all")] = (),
) -> Submitted:
    """Submit the grades on the sheets as judgments of an edition, in one transaction; repeating it adds nothing.

    :param annotators: Submit the sheet of this annotator. Repeatable.
    :raises BadInput: the edition has other grades by the same annotators; the message names the first.
    :raises UnknownObject: the pool is not stored. :raises BadArgument: an annotator has judged nothing.
    :raises StateError: no annotator has judged anything.
    """
    with conn.transaction(), conn.cursor(row_factory=class_row(Submitted)) as cursor:
        [row] = cursor.execute("SELECT * FROM stc.submit_pool(%s, %s, %s)", [pool, edition, list(annotators)]).fetchall()
    if row.added:
        vacuum(conn, "qrels_judgments")
    return row


def read_sheet(path: Path) -> tuple[list[SheetLine], list[SheetFault]]:
    """Read a sheet into valid lines and faults.

    :raises BadInput: the file is not a sheet: empty, not UTF-8, or without the columns token and grade.
    """
    lines: list[SheetLine] = []
    faults: list[SheetFault] = []
    for number, row in sheet_rows(path, ("token", "grade")):
        if isinstance(row, str):
            faults.append(SheetFault(number, row))
            continue
        token, grade, note = (str(_or_blank(row.get(name))).strip() for name in ("token", "grade", "note"))
        note = plain(note)
        matched = _GRADE.fullmatch(grade)
        if not token:
            faults.append(SheetFault(number, "no token"))
        elif grade and not matched:
            faults.append(SheetFault(number, f"{clip(grade)} is not a grade"))
        else:
            lines.append(SheetLine(number, token, int(matched[1]) if matched else None, note))
    return lines, faults


def sheet_rows(path: Path, needed: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """Yield the rows of a sheet with their line numbers: by column, or a text that says what is wrong with the line.

    :param needed: columns without which the file is no sheet.
    :raises BadInput: the file is not a sheet: empty, not UTF-8, or without these columns.
    """
    text = read_text(path)
    if not text.strip():
        raise BadInput(f"{path}: the file is empty", hint="Check that it is the right file.")
    return _json(text, needed[0]) if text.lstrip().startswith("{") else _csv(path, text, needed)


def _or_blank(value: object) -> object:
    return "" if value is None else value


def _json(text: str, needed: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    for number, line in enumerate(io.StringIO(text), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield number, f"not JSON: {error}"
            continue
        yield number, row if isinstance(row, dict) and needed in row else f"not a JSON object with a {needed}"


def _csv(path: Path, text: str, needed: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # process-wide: never lower it, another reader may need it
    try:
        names = [name.strip().lower() for name in next(reader)]
        if not set(needed) <= set(names):
            raise BadInput(
                f"{path}:1: the columns {', '.join(needed[:-1])} and {needed[-1]} are missing",
                hint="The first line names the columns; keep that of an exported sheet.",
            )
        before = reader.line_num
        for row in reader:
            number, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                yield number, f"{counted(len(row), 'column')}, not the {len(names)} of the first line"
                continue
            yield number, {name: unguarded(cell) for name, cell in zip(names, row, strict=True)}
    except csv.Error as error:
        yield reader.line_num, f"not CSV: {error}"
