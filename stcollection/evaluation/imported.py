"""Import scores computed elsewhere, in trec_eval's output format, for runs whose rankings are not stored here.

================================  ============================================================================
``measure query value``           output of trec_eval -q; the line ``runid all NAME`` names the run
``system measure query value``    several runs in one file
================================  ============================================================================

Summary lines (query ``all``) and text lines (``relstring``) are counted but not imported. Lines that begin with ``#`` are comments.
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
from typing import Annotated, ClassVar

import psycopg
from psycopg.rows import class_row

from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.declared import INTERNAL, Option, declare
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.evaluation.parameters import NamedEdition
from stcollection.io.files import bad_line, clip, lines, read_text
from stcollection.runs.policies import UnknownQueries
from stcollection.topics.known import settle_policy

_COPY = "COPY pg_temp.incoming_scores (line, run, query, measure, value, family) FROM STDIN"
ALL = "all"  # query name of summary lines
_HINT = "Expected: measure query value, or: system measure query value. Nothing was stored."
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, kw_only=True)
class TheirScore:
    """One value of trec_eval's output.

    :param text: the value as printed, which shows its precision.
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

    :param summary: the lines of query ``all`` with a number, including num_q.
    :param texts: number of lines with text instead of a number: runid, relstring.
    :param others: number of lines of other systems than the requested one.
    """

    scores: list[TheirScore] = field(default_factory=list)
    summary: list[TheirScore] = field(default_factory=list)
    texts: int = 0
    others: int = 0


@dataclass(frozen=True, kw_only=True)
class ImportedScores:
    """Counts of what import_scores did with one file.

    :param scores: scores in the file, without duplicates, skipped lines and summaries.
    :param unchanged: scores that were already stored.
    :param aside: lines of summaries, of text, and of other systems than the requested one.
    """

    new_documents: ClassVar[int] = 0  # files of scores name no documents
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
    """Read a file of trec_eval's output, in file order.

    :param run: name of the run, for a file with one run; None: the name in its line ``runid``. For a file with several systems, the
        system to read; None: all.
    :raises BadInput: a line cannot be read, or the file has no line, or none for that system.
    :raises BadArgument: the file does not name its run.
    """
    rows = [(line, text.split()) for line, text in lines(path) if not text.startswith("#")]
    if not rows:
        raise BadInput(f"{path}: no score found", hint="Is it the right file?")
    columns = len(rows[0][1])
    if columns not in (3, 4):
        raise bad_line(path, rows[0][0], f"{counted(columns, 'column')} instead of 3 or 4", hint=_HINT)
    output = TrecEvalFile()
    texts = others = 0
    for line, cells in rows:
        if len(cells) != columns:
            raise bad_line(path, line, f"{counted(len(cells), 'column')} instead of {columns} as in the other lines", hint=_HINT)
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
            raise bad_line(path, line, f"{clip(measure)} is not a measure name", hint=_HINT)
        if _NUMBER.fullmatch(text) is None or not math.isfinite(float(text)):
            raise bad_line(path, line, f"the value {clip(text)} is not a finite number", hint=_HINT)
        (output.summary if query == ALL else output.scores).append(
            TheirScore(line=line, run=cells[0] if columns == 4 else "", measure=measure, query=query, value=float(text), text=text)
        )
    if columns == 3:
        if run is None:
            raise BadArgument(f"{path} does not name its run", hint="It has no line 'runid'; give the name with --run NAME.")
        scores, summary = ([replace(score, run=run) for score in part] for part in (output.scores, output.summary))
        output = TrecEvalFile(scores=scores, summary=summary)
    elif others == len(rows):
        raise BadInput(f"{path}: no score of {run} found", hint=f"The first line belongs to {clip(rows[0][1][0])}.")
    return replace(output, texts=texts, others=others)


def read_families(path: Path, *, systems: Collection[str] = ()) -> dict[str, str]:
    """Read the family of each system from a table separated by tabs or commas: system, then family.

    :param systems: known systems; a first row that names one of them is data, not a header.
    :raises BadInput: a row cannot be read, or a system is listed twice.
    """
    text = read_text(path)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text.partition("\n")[0] else ","))
    families: dict[str, str] = {}
    header = not (rows and rows[0] and rows[0][0].strip() in systems)
    for line, row in enumerate(rows[header:], 1 + header):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) < 2 or not row[0].strip() or not row[1].strip():
            raise bad_line(
                path, line, "expected a system and its family", hint="Each row starts with these two, separated by a tab or comma."
            )
        system, family = row[0].strip(), row[1].strip()
        if families.setdefault(system, family) != family:
            raise bad_line(
                path,
                line,
                f"{system} already has the family {families[system]}",
                hint="Give each system one family.",
                sqlstate="IR302",
            )
    if not families:
        raise BadInput(f"{path}: no family found", hint="Expected a header, then rows with a system and its family.")
    return families


@declare
@translate()
def import_scores(
    conn: psycopg.Connection,
    path: Annotated[Path, Option("FILE")],
    *,
    edition: NamedEdition,
    run: Annotated[str | None, Option(default="the name in the file")] = None,
    family: str | None = None,
    families: Annotated[Mapping[str, str] | None, INTERNAL] = None,
    unknown_queries: UnknownQueries = "few",
    replace_stored: Annotated[bool, Option(each="replace")] = False,
) -> ImportedScores:
    """Import the scores of one file; either the whole file or nothing is stored. Missing runs are created without rankings.

    Importing the same file again changes nothing.

    :param run: Name of the run. If the file has several systems, import only this one.
    :param family: Kind of system of the new runs, such as sparse or dense.
    :param families: family of each created run by its name, instead of ``family``.
    :param replace_stored: Replace stored values that differ; otherwise that is an error.
    :raises BadInput: a line cannot be read, or a run, query and measure have two values.
    :raises BadArgument: a run has rankings, or the run is not named.
    :raises UnknownObject: the edition is not stored.
    """
    began = time.monotonic()
    output = read_output(path, run=run)
    families = families or {}
    with conn.transaction(), conn.cursor(row_factory=class_row(ImportedScores)) as cursor:
        conn.execute("SELECT stc.stage_scores()")
        with cursor.copy(_COPY) as copy:
            for score in output.scores:
                copy.write_row((score.line, score.run, score.query, score.measure, score.value, families.get(score.run, family)))
        unknown_queries = settle_policy(conn, str(path), unknown_queries, table="incoming_scores")
        cursor.execute(
            "SELECT *, 0 AS aside, 0 AS seconds FROM stc.import_scores(%s, %s, %s, %s)",
            [edition, str(path), unknown_queries, replace_stored],
        )
        imported = cursor.fetchone() or ImportedScores()
    if imported.added:
        vacuum(conn, "st1_scores")
    return replace(imported, aside=len(output.summary) + output.texts + output.others, seconds=time.monotonic() - began)
