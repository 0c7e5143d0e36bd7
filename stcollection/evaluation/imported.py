"""Scores computed by others: trec_eval's output, taken in as scores of runs that are not here, or compared with ours.

================================  ============================================================================
``measure query value``           what trec_eval -q prints; the line ``runid all NAME`` names the run
``system measure query value``    several runs in one file
================================  ============================================================================

Lines of the summary (query ``all``) and of text (``relstring``) are no scores; they are counted and left aside. Lines that begin
with ``#`` are comments.
"""

from __future__ import annotations

import csv
import io
import math
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import psycopg
from psycopg.rows import class_row

from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.io.files import bad_line, clip, lines, read_text

_COPY = "COPY pg_temp.incoming_scores (line, run, query, measure, value, family) FROM STDIN"
ALL = "all"  # the query of the summary
_HINT = "A line is: measure query value, or: system measure query value. Nothing was stored."
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, kw_only=True)
class TheirScore:
    """One value of an output of trec_eval.

    :param text: the value as it is printed, from which its precision can be told.
    """

    line: int
    run: str
    measure: str
    query: str
    value: float
    text: str


@dataclass(frozen=True, kw_only=True)
class TrecEvalFile:
    """A file of trec_eval's output.

    :param summary: the lines of the query ``all`` that have a number, num_q among them.
    :param texts: how many lines hold text instead of a number: runid, relstring.
    :param others: how many lines are of other systems than the one asked for.
    """

    scores: list[TheirScore] = field(default_factory=list)
    summary: list[TheirScore] = field(default_factory=list)
    texts: int = 0
    others: int = 0


@dataclass(frozen=True, kw_only=True)
class ImportedScores:
    """What import_scores did with one file.

    :param scores: in the file, without duplicates, skipped lines and summaries. :param unchanged: stored before.
    :param aside: lines of summaries, of text, and of other systems than the one asked for.
    """

    new_documents: ClassVar[int] = 0  # scores name no documents
    skipped_documents: ClassVar[int] = 0
    runs: int = 0
    queries: int = 0
    scores: int = 0
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    duplicates: int = 0
    new_runs: int = 0
    new_queries: int = 0
    skipped_queries: int = 0
    aside: int = 0
    seconds: float = 0.0


def read_output(path: Path, *, run: str | None = None) -> TrecEvalFile:
    """What a file of trec_eval's output says, in its order.

    :param run: the run's name, for a file of one run; None takes the one its line ``runid`` has. In a file of several systems, the
        one whose lines are read; None reads all.
    :raises BadInput: a line that cannot be read; a file without a line, or without one of that system.
    :raises BadArgument: the file does not say whose scores these are.
    """
    rows = [(line, text.split()) for line, text in lines(path) if not text.startswith("#")]
    if not rows:
        raise BadInput(f"{path}: holds no score", hint="Is it the right file?", sqlstate="IR301")
    columns = len(rows[0][1])
    if columns not in (3, 4):
        raise bad_line(path, rows[0][0], f"{columns} columns, not 3 or 4", hint=_HINT)
    found = TrecEvalFile()
    texts = others = 0
    for line, cells in rows:
        if len(cells) != columns:
            raise bad_line(path, line, f"{len(cells)} columns, not the {columns} of the others", hint=_HINT)
        measure, query, text = cells[-3:]
        if columns == 4 and run not in (None, cells[0]):
            others += 1
            continue
        if measure in ("runid", "relstring") or measure.startswith("relstring_"):
            texts += 1
            if measure == "runid" and columns == 3:
                run = run or text
            continue
        if measure == "Q0" or not any(map(str.isalpha, measure)):
            raise bad_line(path, line, f"{clip(measure)} is no name of a measure", hint=_HINT)
        if _NUMBER.fullmatch(text) is None or not math.isfinite(float(text)):
            raise bad_line(path, line, f"the value {clip(text)} is no finite number", hint=_HINT)
        (found.summary if query == ALL else found.scores).append(
            TheirScore(line=line, run=cells[0] if columns == 4 else "", measure=measure, query=query, value=float(text), text=text)
        )
    if columns == 3:
        if run is None:
            raise BadArgument(f"{path} does not say which run it is of", hint="It has no line 'runid'; name the run: --run NAME.")
        scores, summary = ([replace(one, run=run) for one in part] for part in (found.scores, found.summary))
        found = TrecEvalFile(scores=scores, summary=summary)
    elif others == len(rows):
        raise BadInput(f"{path}: holds no score of {run}", hint=f"The first line is of {clip(rows[0][1][0])}.", sqlstate="IR301")
    return replace(found, texts=texts, others=others)


def read_families(path: Path, *, systems: Collection[str] = ()) -> dict[str, str]:
    """The family of each system: a table with a header, by tab or comma; the first column is the system, the second its family.

    :param systems: a first row that names one of them is no header.
    :raises BadInput: a row that cannot be read, or a second one of a system.
    """
    text = read_text(path)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text.partition("\n")[0] else ","))
    families: dict[str, str] = {}
    header = not (rows and rows[0] and rows[0][0].strip() in systems)
    for line, row in enumerate(rows[header:], 1 + header):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) < 2 or not row[0].strip() or not row[1].strip():
            raise bad_line(path, line, "not a system and its family", hint="A row begins with these two, by tab or comma.")
        system, family = row[0].strip(), row[1].strip()
        if families.setdefault(system, family) != family:
            raise bad_line(
                path, line, f"{system} is of {families[system]} already", hint="A system has one family.", sqlstate="IR302"
            )
    if not families:
        raise BadInput(f"{path}: holds no family", hint="A header, then rows: the system, its family.", sqlstate="IR301")
    return families


@translate()
def import_scores(
    conn: psycopg.Connection,
    path: Path,
    *,
    edition: str,
    run: str | None = None,
    family: str | None = None,
    families: Mapping[str, str] | None = None,
    unknown_queries: str = "stub",
    replace_stored: bool = False,
) -> ImportedScores:
    """Store the scores of one file as computed by others; the file wholly or not at all. Their runs are made, without rankings.

    What is stored already changes nothing, so the same file can be imported again.

    :param family, families: of the runs it makes; by name, else the same for all.
    :param unknown_queries: ``stub``, ``skip`` or ``error``; see :class:`~stcollection.runs.load.ImportOptions`.
    :param replace_stored: another value than the stored one takes its place, instead of an error.
    :raises BadInput: a line that cannot be read; two values of one run, query and measure.
    :raises BadArgument: a run that has rankings, or none named.
    :raises UnknownObject: the edition is not stored.
    """
    began = time.monotonic()
    output = read_output(path, run=run)
    families = families or {}
    with conn.transaction(), conn.cursor(row_factory=class_row(ImportedScores)) as cursor:
        conn.execute("SELECT stc.stage_scores()")
        with cursor.copy(_COPY) as copy:
            for one in output.scores:
                copy.write_row((one.line, one.run, one.query, one.measure, one.value, families.get(one.run, family)))
        cursor.execute(
            "SELECT *, 0 AS aside, 0 AS seconds FROM stc.import_scores(%s, %s, %s, %s)",
            [edition, str(path), unknown_queries, replace_stored],
        )
        imported = cursor.fetchone() or ImportedScores()
    if imported.added:
        vacuum(conn, "st1_scores")
    return replace(imported, aside=len(output.summary) + output.texts + output.others, seconds=time.monotonic() - began)
