"""Every fault of a run file, by line: SimpleText's official check, trec_eval's own refusals, and what else spoils a submission."""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from pathlib import Path

import psycopg

from stcollection.errors import BadArgument, BadInput
from stcollection.io import compression, registry
from stcollection.io.streams import Source
from stcollection.runs import check_simpletext, check_trec
from stcollection.runs.check_collection import check_collection
from stcollection.runs.faults import CheckedRun, RunFault, few
from stcollection.runs.load import recognise
from stcollection.runs.metadata import parse_file, sidecar

__all__ = ["CheckedRun", "RunFault", "check_file", "check_run"]


_SAMPLE = 2**16  # bytes in which line ends are looked for


def check_run(
    path: Path,
    *,
    layout: str | None = None,
    conn: psycopg.Connection | None = None,
    task: int | None = None,
    depth: int | None = None,
    keep_passages: bool = False,
    teamed: bool = False,
) -> CheckedRun:
    """Read a run to its end and tell all that is wrong with it, by line; a file that cannot be read is such a fault.

    SimpleText: the official check (columns, whatever their case; a run_id that splits in two at ``_task1_``; manual 0 or 1), one
    run_id a file, JSON as the standard has it, finite scores, rel_score in [0, 1], queries of their topics, no document twice; in
    2022's format at most 100 documents a topic, and a document may have several passages. Notes on empty passages, ties, an order
    that contradicts the scores, values of mixed types.

    TREC: six columns, finite scores, no document twice; notes on ties, on ranks that contradict scores, and on several tags.

    :param conn: a collection in which the queries and documents must be; notes on its queries that the run has nothing for, and
        on passages that are not from their documents.
    :param task: the number that a run_id must have; the tag of a TREC file must then be a run_id, TEAM_task1_NAME.
    :param depth: a query with more documents is a fault, one with fewer a note.
    :param teamed: the team is known otherwise, as by the folder a file is in: a TREC file may have any tag.
    :param keep_passages: keep them in what is returned, for :func:`~stcollection.runs.check_collection.check_collection` later.
    """
    checked = CheckedRun(layout or "")
    try:
        if not checked.layout:
            _mark(path, checked)
            checked.layout = recognise(path)
        if checked.layout == "trec":
            check_trec.read(path, checked, task=task, teamed=teamed)
        elif checked.layout in ("simpletext", "simpletext-2022"):
            checked.passages = [] if conn is not None or keep_passages else None
            check_simpletext.read(path, checked, task=task)
        else:
            _read(path, checked)
    except BadInput as error:
        line, what = located(error.message, path)
        checked.add(line, what)
    if not checked.rows and not checked.bad:
        checked.add(0, "no ranked document in it")
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
    conn: psycopg.Connection | None = None,
    task: int | None = None,
    depth: int | None = None,
) -> CheckedRun:
    """As :func:`check_run`, of the metadata in a file beside it too."""
    checked = check_run(path, layout=layout, conn=conn, task=task, depth=depth)
    checked.metadata = sidecar(path)
    if checked.metadata is not None:
        checked.beside = parse_file(checked.metadata)[1]
    return checked


def _read(path: Path, checked: CheckedRun) -> None:
    """Check a run of a format without a check of its own: up to the first line that cannot be imported."""
    for block in registry.run_format(checked.layout).read(path, "rel", None).rows:
        for row in block.splitlines():
            line, query, docno = row.split(b"\t")[:3]
            checked.rows += 1
            checked.pair(int(line), query.decode(), docno.decode())


def located(message: str, path: Path | str) -> tuple[int, str]:
    """Line and text of a message that begins with the file, and perhaps a line: ``mine.run:4: the score …``."""
    rest = message.removeprefix(str(path))
    found = re.match(r":(\d+): ", rest)
    return (int(found[1]), rest[found.end() :]) if found else (0, rest.removeprefix(": "))


def _mark(path: Path, checked: CheckedRun) -> None:
    """Note a byte order mark."""
    if path.is_dir():
        raise BadArgument(f"{path} is a folder", hint="Name the files in it; 'stc runs receive' takes a folder.")
    with Source(str(path)).again() as file:
        start = file.read(_SAMPLE)
    if start.startswith(codecs.BOM_UTF8):
        checked.add(
            1, "a byte order mark: trec_eval takes it for part of the first query, and strict readers of JSON stop", note=True
        )
    if re.search(rb"\r[^\n]", start) and compression.kind(start) is None:
        checked.add(0, "lines that end with CR alone: trec_eval reads them as one line", note=True)


def _depth(checked: CheckedRun, depth: int) -> None:
    documents: defaultdict[str, list[int]] = defaultdict(list)
    for (query, _), line in checked.pairs.items():
        documents[query].append(line)
    for query, lines in documents.items():
        if len(lines) > depth:
            checked.add(sorted(lines)[depth], f"query {query} has {len(lines):,} documents, more than {depth:,}")
    fewer = [query for query, lines in documents.items() if len(lines) < depth]
    if fewer:
        checked.add(0, f"{len(fewer):,} queries have fewer than {depth:,} documents: {few(fewer)}", note=True)
