"""Import runs into the collection."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.cells import HtmlFields
from stcollection.counts import counted
from stcollection.db.connection import vacuum
from stcollection.declared import Option, declare
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
from stcollection.runs.policies import ON_DUPLICATE, UnknownDocuments, UnknownQueries
from stcollection.topics.known import settle_policy

FORMATS = registry.names("runs")
_COPY = "COPY pg_temp.incoming (line, query, docno, file_rank, rel_score, comb_score, passage) FROM STDIN"


@dataclass(frozen=True, kw_only=True)
class RunCounts(HtmlFields):
    """Counts of an imported run.

    :param duplicates: rows dropped because they repeat a (query, document).
    :param new_documents: stubs created. :param skipped_documents: rows skipped for unknown documents.
    :param excluded: rows skipped because their document is left out for the query.
    """

    queries: int = 0
    ranked: int = 0
    duplicates: int = 0
    new_documents: int = 0
    skipped_documents: int = 0
    new_queries: int = 0
    skipped_queries: int = 0
    excluded: int = 0


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

    :param layout: Format of the files.
    :param columns: Columns of a table, or fields of JSON, by name: query=question,doc=paper,score=rating; also rank and run.
    :param score: Score of a SimpleText file to rank by: rel_score or comb_score. A comb_score is then also stored as rel_score.
    :param on_duplicate: If a query ranks a document twice: stop, keep the first entry, or keep the entry with the best score.
    :param replace: Replace a stored run with this name; otherwise that is an error.
    :param team: Team of the run.
    :param family: Kind of system, such as sparse or dense, for comparisons.
    :param manual: Whether people took part in making the run.
    :param metadata: YAML file (ir_metadata) that describes the run.
    """

    layout: Annotated[str | None, Option(each="format", default="recognised")] = None
    columns: Annotated[str | None, Option(metavar="NAMES", default="recognised")] = None
    score: Annotated[str, Option(choices=("rel", "comb"))] = "rel"
    on_duplicate: Annotated[str, Option(choices=ON_DUPLICATE)] = "error"
    unknown_documents: UnknownDocuments = "few"
    unknown_queries: UnknownQueries = "few"
    replace: bool = False
    team: Annotated[str | None, Option(default="the first part of a SimpleText run_id")] = None
    family: str | None = None
    manual: Annotated[bool | None, Option("--manual/--automatic", default="as in the file")] = None
    metadata: Annotated[Path | None, Option(default="the one next to the run, or the header of a TREC file")] = None


@declare
def import_runs(
    conn: psycopg.Connection,
    paths: Annotated[Sequence[Path], Option("FILE...")],
    *,
    name: Annotated[
        str | None,
        Option(default="the run_id of a SimpleText file; the name of a TREC file without .run, .txt, .gz …"),
    ] = None,
    options: ImportOptions | None = None,
    warn: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Iterator[ImportedRun]:
    """Import run files, each completely or not at all; yield each when it is stored.

    Ends with VACUUM (ANALYZE) of ranked_lists, unless the caller is in a transaction.

    Runs are not named by the tags of TREC files, because these are not unique.

    :param name: Name of the run.
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
