"""Check a run file and list its faults by line: SimpleText's official check, errors of trec_eval, and further checks."""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from pathlib import Path

import psycopg

from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput
from stcollection.io import compression
from stcollection.io.formats import RunFormat
from stcollection.io.roles import run_format
from stcollection.io.runs.named import UnknownColumns
from stcollection.io.streams import Source
from stcollection.runs import check_simpletext, check_trec
from stcollection.runs.check_collection import check_collection
from stcollection.runs.faults import CheckedRun, RunFault, few
from stcollection.runs.metadata import parse_file, sidecar

__all__ = ["CheckedRun", "RunFault", "check_file", "check_run"]


_SAMPLE = 2**16  # bytes searched for unusual line ends


def check_run(
    path: Path,
    *,
    layout: str | None = None,
    columns: str | None = None,
    conn: psycopg.Connection | None = None,
    task: int | None = None,
    depth: int | None = None,
    keep_passages: bool = False,
    teamed: bool = False,
) -> CheckedRun:
    """Check a run file to its end and return all faults by line; an unreadable file is also reported as a fault.

    SimpleText files must pass the official check: the columns (in any case), a run_id with exactly one ``_task1_``, manual 0 or
    1. They must also be standard JSON with one run_id, finite scores, rel_score in [0, 1], matching topics and queries, and no
    repeated document. The format of 2022 allows at most 100 documents per topic, and several passages per document. Notes report
    empty passages, ties, records that are not ordered by score, and values of mixed types.

    TREC files must have six columns, finite scores and no repeated document. Notes report ties, ranks that contradict scores, and
    several tags.

    :param columns: names of the columns of a table, as in :class:`~stcollection.runs.load.ImportOptions`.
    :param conn: a collection that must contain the queries and documents. Notes then report queries without results, and
        passages that are not from their documents.
    :param task: the task number that a run_id must have; the tag of a TREC file must then be a run_id, TEAM_task1_NAME.
    :param depth: expected documents per query; more are a fault, fewer a note.
    :param teamed: the team is already known, for instance from the folder; a TREC file may then have any tag.
    :param keep_passages: return the passages, for a later :func:`~stcollection.runs.check_collection.check_collection`.
    """
    checked = CheckedRun(layout or "")
    try:
        if not checked.layout:
            _mark(path, checked)
        format_ = run_format(path, layout=layout, columns=columns)
        checked.layout = format_.name
        if checked.layout == "trec":
            check_trec.read(path, checked, task=task, teamed=teamed)
        elif checked.layout in ("simpletext", "simpletext-2022"):
            checked.passages = [] if conn is not None or keep_passages else None
            check_simpletext.read(path, checked, task=task)
        else:
            _read(path, format_, checked)
    except BadInput as error:
        checked.hint = (error.hint or "") if isinstance(error, UnknownColumns) else ""
        line, what = located(error.message, path)
        checked.add(line, what)
    if not checked.rows and not checked.bad:
        checked.add(0, "the file contains no ranked document")
    if depth is not None:
        _depth(checked, depth)
    if conn is not None and checked.rows:
        check_collection(conn, checked)
    checked.faults.sort()
    return checked


def check_file(
    path: Path,
    *,
    layout: str | None = None,
    columns: str | None = None,
    conn: psycopg.Connection | None = None,
    task: int | None = None,
    depth: int | None = None,
) -> CheckedRun:
    """Check a run with :func:`check_run`, and its metadata file (same name, .yml or .yaml) if it exists."""
    checked = check_run(path, layout=layout, columns=columns, conn=conn, task=task, depth=depth)
    checked.metadata = sidecar(path)
    if checked.metadata is not None:
        checked.beside = parse_file(checked.metadata)[1]
    return checked


def _read(path: Path, format_: RunFormat, checked: CheckedRun) -> None:
    """Check a run in a format without a separate check; stops at the first line that cannot be imported."""
    for block in format_.read(path, "rel", None).rows:
        for row in block.splitlines():
            line, query, docno = row.split(b"\t")[:3]
            checked.rows += 1
            checked.pair(int(line), query.decode(), docno.decode())


def located(message: str, path: Path | str) -> tuple[int, str]:
    """Split a message such as ``mine.run:4: the score …`` into line (0 if absent) and text."""
    rest = message.removeprefix(str(path))
    match = re.match(r":(\d+): ", rest)
    return (int(match[1]), rest[match.end() :]) if match else (0, rest.removeprefix(": "))


def _mark(path: Path, checked: CheckedRun) -> None:
    """Add notes about a byte order mark and about lines that end with CR alone."""
    if path.is_dir():
        raise BadArgument(f"{path} is a folder", hint="Name the files in it; 'stc runs receive' accepts a folder.")
    with Source(str(path)).again() as file:
        start = file.read(_SAMPLE)
    if start.startswith(codecs.BOM_UTF8):
        checked.add(
            1, "a byte order mark: trec_eval reads it as part of the first query, and strict JSON parsers refuse it", note=True
        )
    if re.search(rb"\r[^\n]", start) and compression.kind(start) is None:
        checked.add(0, "lines that end with CR alone: trec_eval reads them as one line", note=True)


def _depth(checked: CheckedRun, depth: int) -> None:
    documents: defaultdict[str, list[int]] = defaultdict(list)
    for (query, _), line in checked.pairs.items():
        documents[query].append(line)
    for query, lines in documents.items():
        if len(lines) > depth:
            checked.add(sorted(lines)[depth], f"query {query} has {counted(len(lines), 'document')}, more than {depth:,}")
    fewer = [query for query, lines in documents.items() if len(lines) < depth]
    if fewer:
        checked.add(
            0,
            f"{counted(len(fewer), 'query has', 'queries have')} fewer than {counted(depth, 'document')}: {few(fewer)}",
            note=True,
        )
