"""Import runs into the collection."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument, translate
from stcollection.io import registry
from stcollection.io.files import Progress, sha256
from stcollection.io.places import is_named, place
from stcollection.io.roles import run_format
from stcollection.io.runs import trec
from stcollection.io.streams import STDIN
from stcollection.runs.lists import stage_lists
from stcollection.runs.metadata import entry, of_file
from stcollection.runs.names import split_run_id, stem
from stcollection.topics.known import settle_policy

FORMATS = registry.names("runs")
_COPY = "COPY pg_temp.incoming (line, query, docno, file_rank, rel_score, comb_score, passage) FROM STDIN"


@dataclass(frozen=True, kw_only=True)
class RunCounts(HtmlFields):
    """Counts of an imported run.

    :param duplicates: rows dropped because they repeat a (query, document).
    :param new_documents: stubs created. :param skipped_documents: rows skipped for unknown documents.
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
    """An imported run.

    :param already: the same file was already stored under this name; nothing changed.
    """

    path: Path
    run: str
    already: bool
    counts: RunCounts
    seconds: float


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Options for importing runs.

    :param layout: one of FORMATS; None detects it.
    :param columns: names of the columns of a table, or of the fields of JSON, if they are not the usual ones:
        ``query=question,doc=paper,score=rating``; also ``rank`` and ``run``.
    :param on_duplicate: policy for a repeated (query, document): ``error``, or keep the ``first`` row or the ``best`` score.
    :param unknown_documents: ``stub`` stores them as stubs, so that ranks do not change. ``few`` does so for at most 10 documents
        or 10 %, but not more than half, and raises an error for more, unless the collection has no documents. ``skip`` drops the
        rows; ``error`` raises an error.
    :param unknown_queries: ``stub``, ``skip`` or ``error``, with the same meaning. ``few`` stores stubs, but raises an error if the
        collection has topics and the queries are others, or are spelled in another way
        (:func:`~stcollection.io.topics.spelling.check_queries`).
    :param replace: replace a stored run with the same name.
    :param score: the score that ranks the documents: ``rel``, or ``comb`` for SimpleText's comb_score if a row has one, which is
        then also stored as rel_score.
    :param metadata: a YAML file that describes how the run was made; None uses the YAML file next to the run, or the header of a
        TREC file.
    """

    layout: str | None = None
    columns: str | None = None
    score: str = "rel"
    on_duplicate: str = "error"
    unknown_documents: str = "few"
    unknown_queries: str = "few"
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
    warn: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Iterator[ImportedRun]:
    """Import run files, each completely or not at all; yield each when it is stored.

    Ends with VACUUM (ANALYZE) of ranked_lists, unless the caller is in a transaction.

    :param name: name of the run, for a single file. Default: the run_id of a SimpleText file; the file name of a TREC file without
        its extensions (tags of real runs are not unique).
    :param warn: called with a warning about comments that could be rows.
    :raises BadInput: an invalid line or a duplicate, with file and line. Runs that were already yielded are stored.
    :raises BadArgument: the name is taken by a run from another file.
    """
    if name is not None and len(paths) > 1:
        raise BadArgument(f"one name, {name!r}, for {counted(len(paths), 'file')}", hint="Import them one by one, or omit --name.")
    if options is not None and options.metadata is not None and len(paths) > 1:
        raise BadArgument(f"one metadata file for {counted(len(paths), 'run')}", hint="Import them one by one, or omit --metadata.")
    stored = False
    try:
        for path in paths:
            imported = import_run(conn, path, name=name, options=options or ImportOptions(), warn=warn, progress=progress)
            stored = stored or not imported.already
            yield imported
    finally:
        if stored:
            vacuum(conn, "stc.ranked_lists")


@dataclass(frozen=True, kw_only=True)
class RunSource:
    """Original source and SHA-256 of a copied file, stored instead of those of the copy."""

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
    warn: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> ImportedRun:
    """Import one file; see :func:`import_runs`, which also vacuums the table."""
    began = time.monotonic()
    origin = origin or RunSource(source=str(path) if is_named(path) else place(path), sha256=sha256(path))
    format_ = run_format(path, layout=options.layout, columns=options.columns)
    file = format_.read(path, options.score, progress)
    team, tag = split_run_id(file.run_id) if file.run_id else (None, file.tag)
    run, manual = name or file.run_id or stem(path), file.manual or False
    if name is None and file.run_id is None and not is_named(path):
        given = "standard input" if str(path) == STDIN else str(path)
        raise BadArgument(f"a run from {given} has no name", hint="Name it with --name NAME. Nothing was stored.")
    if warn is not None and format_.name == "trec" and (doubtful := trec.warning(path)):
        warn(doubtful)
    metadata = of_file(path, layout=format_.name, given=options.metadata)
    if metadata and file.manual is None:
        team, manual = entry(metadata, "actor", "team"), entry(metadata, "method", "automatic") is False

    policies = {
        "on_duplicate": options.on_duplicate, "unknown_documents": options.unknown_documents,
        "unknown_queries": options.unknown_queries,
    }  # fmt: skip
    recorded = policies if options.score == "rel" else {**policies, "score": options.score}
    recorded |= {} if options.columns is None else {"columns": options.columns}
    with conn.transaction(), conn.cursor(row_factory=class_row(RunCounts)) as cursor:
        conn.execute("SELECT stc.claim_run(%s)", [run])
        stored = conn.execute("SELECT sha256 FROM st1_runs WHERE run = %s", [run]).fetchone()
        if stored == (origin.sha256,) and not options.replace:
            return ImportedRun(path=path, run=run, already=True, counts=RunCounts(), seconds=time.monotonic() - began)
        unknown_documents, unknown_queries = options.unknown_documents, options.unknown_queries
        new = stage_lists(conn, file, source=origin.source, unknown_documents=unknown_documents, unknown_queries=unknown_queries)
        if new is None:
            conn.execute("SELECT stc.stage_incoming()")
            with cursor.copy(_COPY) as copy:
                for piece in file.rows:
                    copy.write(piece)
            unknown_queries = settle_policy(conn, origin.source, options.unknown_queries)
        cursor.execute(
            "SELECT * FROM stc.import_run(%(run)s, %(source)s, %(sha256)s, %(team)s, %(tag)s, %(manual)s, %(family)s, %(params)s,"
            " %(on_duplicate)s, %(unknown_documents)s, %(unknown_queries)s, %(replace)s, %(metadata)s, %(lists)s)",
            {
                "run": run,
                "source": origin.source,
                "sha256": origin.sha256,
                "team": options.team or team,
                "tag": tag,
                "manual": manual if options.manual is None else options.manual,
                "family": options.family,
                "params": json.dumps({"import": recorded}),
                "replace": options.replace,
                "metadata": None if metadata is None else Jsonb(metadata),
                **policies,
                "unknown_queries": unknown_queries,
                "lists": new is not None,
            },
        )
        counts = cursor.fetchone() or RunCounts()
        if new is not None:
            counts = replace(counts, new_documents=new.documents, new_queries=new.queries)
    return ImportedRun(path=path, run=run, already=False, counts=counts, seconds=time.monotonic() - began)


def recognise(path: Path) -> str:
    """Return the name of the format of a run file."""
    return run_format(path).name
