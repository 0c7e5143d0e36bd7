"""Runs into the collection."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection import moved
from stcollection.cells import HtmlFields
from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument, translate
from stcollection.io import registry
from stcollection.io.files import Progress, pieces, sha256
from stcollection.io.formats import RunFormat
from stcollection.io.streams import STDIN
from stcollection.runs.metadata import entry, of_file
from stcollection.runs.names import split_run_id, stem

FORMATS = registry.names("runs")
ON_DUPLICATE = ("error", "first", "best")
UNKNOWN = ("stub", "skip", "error")
UNKNOWN_DOCUMENTS = ("few", *UNKNOWN)
_BEGIN = 10_000  # bytes by which a file is recognised
_COPY = "COPY pg_temp.incoming (line, query, docno, file_rank, rel_score, comb_score, passage) FROM STDIN"


@dataclass(frozen=True, kw_only=True)
class RunCounts(HtmlFields):
    """What import_run did.

    :param duplicates: rows dropped since their (query, document) came before.
    :param new_documents: stubs made. :param skipped_documents: rows skipped.
    """

    queries: int = 0
    ranked: int = 0
    duplicates: int = 0
    new_documents: int = 0
    skipped_documents: int = 0
    new_queries: int = 0
    skipped_queries: int = 0


@dataclass(frozen=True, kw_only=True)
class ImportedRun(HtmlFields):
    """A run that was imported.

    :param already: the same file is stored under this name; nothing was changed.
    """

    path: Path
    run: str
    already: bool
    counts: RunCounts
    seconds: float


__getattr__ = moved.renamed(__name__, Options="ImportOptions")


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """How runs are taken in.

    :param layout: one of FORMATS; None recognises it.
    :param on_duplicate: a second row of a (query, document): ``error``, or keep the ``first``, or the ``best`` score.
    :param unknown_documents: ``stub`` stores them by name alone, so that ranks stay what they are; ``few`` does so for at most 10
        of them or 10 %, but not more than half, and raises an error for more, unless the collection has no documents; ``skip``
        drops the rows; ``error``.
    :param unknown_queries: ``stub``, ``skip`` or ``error``, likewise.
    :param replace: put the run in the place of a stored one of its name.
    :param score: what ranks the documents: ``rel``, or ``comb``, SimpleText's comb_score where a row has one, stored as its
        rel_score too.
    :param metadata: a YAML file that tells how the run was made; None takes the one beside the run, or the head of a TREC file.
    """

    layout: str | None = None
    score: str = "rel"
    on_duplicate: str = "error"
    unknown_documents: str = "few"
    unknown_queries: str = "stub"
    replace: bool = False
    team: str | None = None
    family: str | None = None
    manual: bool | None = None
    metadata: Path | None = None


def import_runs(
    conn: psycopg.Connection,
    paths: Sequence[Path],
    *,
    name: str | None = None,
    options: ImportOptions | None = None,
    progress: Progress | None = None,
) -> Iterator[ImportedRun]:
    """Import some files, each a run, each wholly or not at all; yields each as it is stored.

    Ends with VACUUM (ANALYZE) of st1_rankings, so that scoring can read its indexes alone; if the caller is in no transaction.

    :param name: of the run, for a single file; by default the run_id of a SimpleText file, and the name of a TREC file without its
        endings (the tags of real runs repeat).
    :raises BadInput: a line that cannot be read, a duplicate; with file and line. What was yielded before is stored.
    :raises BadArgument: a name that is taken by another file.
    """
    if name is not None and len(paths) > 1:
        raise BadArgument(f"one name, {name!r}, for {len(paths)} files", hint="Import them one by one, or leave --name out.")
    if options is not None and options.metadata is not None and len(paths) > 1:
        raise BadArgument(f"one metadata file for {len(paths)} runs", hint="Import them one by one, or leave --metadata out.")
    stored = False
    try:
        for path in paths:
            imported = import_run(conn, path, name=name, options=options or ImportOptions(), progress=progress)
            stored = stored or not imported.already
            yield imported
    finally:
        if stored:
            vacuum(conn, "st1_rankings")


@dataclass(frozen=True, kw_only=True)
class RunSource:
    """Where a file came from, if it is read from elsewhere: what is stored of it in the place of its own path and SHA-256."""

    source: str
    sha256: str


@translate()
def import_run(
    conn: psycopg.Connection,
    path: Path,
    *,
    name: str | None = None,
    options: ImportOptions,
    origin: RunSource | None = None,
    progress: Progress | None = None,
) -> ImportedRun:
    """Import one file; see :func:`import_runs`, which also keeps the table in shape."""
    began = time.monotonic()
    origin = origin or RunSource(source=str(path), sha256=sha256(path))
    found = registry.run_format(options.layout) if options.layout is not None else recognised(path)
    file = found.read(path, options.score, progress)
    team, tag = split_run_id(file.run_id) if file.run_id else (None, file.tag)
    run, manual = name or file.run_id or stem(path), file.manual or False
    if run == STDIN:
        raise BadArgument("a run from standard input has no name", hint="Name it: stc runs import - --name NAME.")
    metadata = of_file(path, layout=found.name, given=options.metadata)
    if metadata and file.manual is None:
        team, manual = entry(metadata, "actor", "team"), entry(metadata, "method", "automatic") is False

    policies = {
        "on_duplicate": options.on_duplicate, "unknown_documents": options.unknown_documents,
        "unknown_queries": options.unknown_queries,
    }  # fmt: skip
    told = policies if options.score == "rel" else {**policies, "score": options.score}
    with conn.transaction(), conn.cursor(row_factory=class_row(RunCounts)) as cursor:
        conn.execute("SELECT stc.claim_run(%s)", [run])
        stored = conn.execute("SELECT sha256 FROM st1_runs WHERE run = %s", [run]).fetchone()
        if stored == (origin.sha256,) and not options.replace:
            return ImportedRun(path=path, run=run, already=True, counts=RunCounts(), seconds=time.monotonic() - began)
        conn.execute("SELECT stc.stage_incoming()")
        with cursor.copy(_COPY) as copy:
            for piece in file.rows:
                copy.write(piece)
        cursor.execute(
            "SELECT * FROM stc.import_run(%(run)s, %(source)s, %(sha256)s, %(team)s, %(tag)s, %(manual)s, %(family)s, %(params)s,"
            " %(on_duplicate)s, %(unknown_documents)s, %(unknown_queries)s, %(replace)s, %(metadata)s)",
            {
                "run": run,
                "source": origin.source,
                "sha256": origin.sha256,
                "team": options.team or team,
                "tag": tag,
                "manual": manual if options.manual is None else options.manual,
                "family": options.family,
                "params": json.dumps({"import": told}),
                "replace": options.replace,
                "metadata": None if metadata is None else Jsonb(metadata),
                **policies,
            },
        )
        counts = cursor.fetchone() or RunCounts()
    return ImportedRun(path=path, run=run, already=False, counts=counts, seconds=time.monotonic() - began)


def recognised(path: Path) -> RunFormat:
    """The format of a run file, by its first characters."""
    begin = b""
    for piece in pieces(path):  # those of a compressed file are small at first
        begin = (begin + piece).lstrip()[:_BEGIN]
        if len(begin) == _BEGIN:
            break
    text = begin.decode(errors="ignore")
    return next(one for one in registry.RUNS if one.sniff(text))


def recognise(path: Path) -> str:
    """The name of the format of a run file."""
    return recognised(path).name
