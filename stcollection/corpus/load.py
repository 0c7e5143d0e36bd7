"""Load files into the corpus: streamed, in several processes, resumable."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from typing import Literal, TypedDict, get_args

import psycopg

from stcollection.cells import HtmlFields
from stcollection.corpus import ledger
from stcollection.corpus.ledger import FileChanges, LoadSource
from stcollection.corpus.parsing import OnDuplicate
from stcollection.corpus.store import ChunkStore, Outcome, WorkerTask
from stcollection.counts import counted
from stcollection.db.pool import run_here, run_in_workers, worker_count
from stcollection.db.sessions import open_session
from stcollection.errors import BadArgument, BadInput, DatabaseError, StcError, from_postgres, translate
from stcollection.io.corpus.chunks import Chunk, chunks
from stcollection.io.corpus.decoding import json_object
from stcollection.io.corpus.documents import RefusedRecord
from stcollection.io.corpus.elements import read
from stcollection.io.corpus.fields import DEFAULT, FieldNames
from stcollection.io.irdatasets import source as source_of
from stcollection.io.registry import corpus_format
from stcollection.io.streams import STDIN, Source

Progress = Callable[[int, int | None, int], None]

# A smaller file is loaded before a worker has started.
SMALL_BYTES = 2**21
# Number of records at the beginning of a file that are checked for missing fields.
SAMPLE = 1000
# Stop after this number of rejects without a single document: the file or its format is wrong.
HOPELESS = 1000


@dataclass(frozen=True, kw_only=True)
class EmptyFields:
    """Parts of a document that are missing from the first records of a file.

    :param parts: ``title``, ``text`` or both. :param records: number of records checked.
    :param there: names of the fields these records have.
    """

    parts: tuple[str, ...]
    records: int
    there: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"no {' and no '.join(self.parts)} in the first {counted(self.records, 'record')}; their fields are"
            f" {', '.join(self.there)}"
        )


@dataclass(frozen=True, kw_only=True)
class LoadedFile(HtmlFields):
    """Counts of a loaded file from the ledger, over all loads it needed.

    :param file: its number in the ledger; 0 if all of its records were rejected, which leaves nothing in the ledger.
    :param documents: new in the corpus.
    :param duplicates: records whose id already existed, from this file or another.
    :param rejects: rows in corpus_rejects.
    :param seconds: duration of this load, or of the earlier one if the file was already loaded.
    :param finished: when the file was loaded.
    :param cleaned: documents of this load from which characters that PostgreSQL refuses were removed.
    :param cut: names of documents of this load whose title and text together are longer than MAX_TEXT, the most that can be
        indexed; dblp_text has the beginning, dblp.doc the whole record.
    :param replaced: duplicates of this load that replaced a stored document.
    :param changed: duplicates of this load that differ from the stored document.
    :param completed: duplicates of this load that added fields to the stored document, in formats split into several files.
    :param changes: comparison with the previously loaded version of the path; None without such a version.
    :param unread: number of documents of this load per unread field that looks like document text.
    :param empty: parts of a document that are missing from all of the first records; None if nothing is missing.
    :param reject: the first reject of a file without documents, with its line.
    """

    path: str
    file: int
    format: str
    documents: int
    duplicates: int
    rejects: int
    seconds: float
    state: Literal["loaded", "already loaded"]
    finished: datetime
    cleaned: int = 0
    cut: tuple[str, ...] = ()
    replaced: int = 0
    changed: int = 0
    completed: int = 0
    changes: FileChanges | None = None
    unread: Mapping[str, int] = field(default_factory=dict)
    empty: EmptyFields | None = None
    reject: str | None = None

    @property
    def all_rejected(self) -> bool:
        """Whether the file has records, and none of them could be stored."""
        return self.rejects > 0 and self.documents == 0 and self.duplicates == 0


def load(
    dsn: str,
    paths: Sequence[str | Source],
    *,
    format: str | None = None,  # noqa: A002
    workers: int | None = None,
    on_duplicate: OnDuplicate = "skip",
    strict: bool = False,
    fields: FieldNames = DEFAULT,
    progress: Progress | None = None,
) -> list[LoadedFile]:
    """Load files of documents into the tables ``dblp`` and ``dblp_text``.

    A file is read in chunks of about 1 MB. One transaction stores a chunk together with its row in the ledger and its rejects.
    After an interruption, the same load resumes without losing or duplicating documents. A load that stored no document leaves
    nothing behind. Loading a file twice changes nothing, even under another name, unless ``replace`` gives its documents back the
    texts of the file. Standard input cannot be resumed: its documents are skipped as duplicates.

    :param dsn: libpq connection string of the collection; each worker opens a connection with it.
    :param paths: files, plain or .gz, .zst, .bz2, .xz or .zip; ``-`` is standard input, ``irds:NAME`` a collection of ir_datasets.
        A :class:`~stcollection.io.rows.RowSource` reads the rows of a data frame.
    :param format: one of FORMATS; detected if None.
    :param workers: number of processes; None starts one per core, at most 8. Small files are loaded without workers.
    :param on_duplicate: policy for several documents with one id. ``skip`` keeps the first and records a reject if the texts
        differ, ``replace`` keeps the last, ``error`` raises an error.
    :param strict: raise an error at the first reject.
    :param fields: names of the fields for id, title and text, for formats that do not define them. A file that was loaded with
        other field names is loaded again; ``replace`` then gives its documents the new texts.
    :param progress: called with bytes read, total bytes (None while unknown) and documents stored, over all files.
    :returns: one entry per path, in their order.
    :raises BadArgument: unknown file, format or policy.
    :raises BadInput: unknown format; a truncated or damaged file (its intact part is stored); a reject under ``strict``.
    :raises DatabaseError: the server is gone, or its disk is full. Committed chunks are kept.
    """
    if on_duplicate not in get_args(OnDuplicate):
        raise BadArgument(f"{on_duplicate!r} is not a policy for duplicates", hint="Use skip, replace or error.")
    sources = [path if isinstance(path, Source) else source_of(path) for path in paths]
    sizes = [source.size for source in sources]
    meter = _Meter(progress, None if None in sizes else sum(size or 0 for size in sizes))
    options = _Options(format=format, workers=worker_count(workers), on_duplicate=on_duplicate, strict=strict, fields=fields)
    with translate(), open_session(dsn, autocommit=True, fallback_application_name="stc load --as corpus") as conn:
        wheres = [source.where for source in sources]
        return [_load(conn, dsn, source, options, meter, wheres[at:]) for at, source in enumerate(sources, 1)]


@dataclass(frozen=True, kw_only=True)
class _Options:
    format: str | None
    workers: int
    on_duplicate: OnDuplicate
    strict: bool
    fields: FieldNames


class _Seen(TypedDict):
    """Counts of this load only; see :class:`LoadedFile`."""

    cleaned: int
    cut: tuple[str, ...]
    replaced: int
    changed: int
    completed: int
    unread: Counter[str]


@dataclass
class _Meter:
    """Progress over all files."""

    call: Progress | None
    total: int | None
    passed: int = 0
    documents: int = 0

    def tell(self, source: Source, documents: int = 0) -> None:
        self.documents += documents
        if self.call is not None:
            self.call(self.passed + source.position, self.total, self.documents)

    def pass_by(self, source: Source) -> None:
        self.passed += source.position if source.size is None else source.size
        source.position = 0
        self.tell(source)


def _load(
    conn: psycopg.Connection, dsn: str, source: Source, options: _Options, meter: _Meter, following: Sequence[str]
) -> LoadedFile:
    started = time.perf_counter()
    sha256 = source.sha256()
    before = ledger.entry(conn, sha256) if sha256 else None
    again = options.on_duplicate == "replace"
    if before is not None and options.fields == DEFAULT and not again:
        meter.pass_by(source)
        return LoadedFile(path=source.path, state="already loaded", **before._asdict())
    stream = chunks(source, format=options.format, fields=options.fields)
    first = next(stream)
    entered = LoadSource(path=source.where, sha256=sha256, size=source.size, format=str(first.format))
    before = ledger.entry(conn, sha256 or "", format=entered.format) if before is not None else None
    if before is not None and not (again and ledger.reopen(conn, before.file, following=following)):
        meter.pass_by(source)
        return LoadedFile(path=source.path, state="already loaded", **before._asdict())
    begun = ledger.resume(conn, entered)
    task = WorkerTask(
        dsn=dsn,
        source=entered,
        file=None if begun is None else begun.file,
        path=source.name,
        on_duplicate=options.on_duplicate,
        strict=options.strict,
    )
    problems: list[BadInput] = []
    committed = frozenset(() if begun is None else begun.chunks)
    whole = _until_problem(chain([first], stream), problems)
    missing: Iterator[Chunk] = (chunk for chunk in whole if chunk.number not in committed)
    seen = _Seen(cleaned=0, cut=(), replaced=0, changed=0, completed=0, unread=Counter())
    counted = _Counted(source, meter, seen)
    try:
        if begun is None:
            task, missing = _begun(task, missing, counted)
        _store(task, missing, source, options, counted)
    except psycopg.Error as error:
        raise _resumable(from_postgres(error), source) from error
    except DatabaseError as error:
        raise _resumable(error, source) from error
    if problems:
        raise problems[0]
    seconds = time.perf_counter() - started
    empty = empty_fields(first)
    if task.file is None:
        meter.pass_by(source)
        return LoadedFile(
            path=source.path,
            file=0,
            format=entered.format,
            documents=0,
            duplicates=0,
            rejects=counted.rejects,
            seconds=seconds,
            state="loaded",
            finished=datetime.now(UTC),
            empty=empty,
            reject=counted.reject,
        )
    entry = ledger.finish(
        conn, task.file, seconds=seconds, sha256=None if sha256 else source.read_sha256(), size=None if sha256 else source.position
    )
    compared = None if source.where == STDIN else ledger.changes(conn, task.file)
    meter.pass_by(source)
    return LoadedFile(path=source.path, state="loaded", changes=compared, empty=empty, **seen, **entry._asdict())


def empty_fields(chunk: Chunk) -> EmptyFields | None:
    """Return the parts of a document that are missing from all of the first records.

    A missing title is reported only if the records have another field with text that is not read.
    """
    names: dict[str, None] = {}
    records = titles = texts = others = 0
    read_as = chunk.format.fields.known
    for _, record, document in islice(read(chunk), SAMPLE):
        records += 1
        if not isinstance(document, RefusedRecord):
            titles += document.title is not None
            texts += document.abstract is not None
            record = document.doc
        with suppress(RefusedRecord):
            value = json_object(record, 1)[0]
            names.update(dict.fromkeys(value))
            others += any(isinstance(content, str) and " " in content and name not in read_as for name, content in value.items())
    expected = corpus_format(chunk.format.name).texts
    counts = (("text", texts), ("title", titles or not others))
    parts = tuple(part for part, count in counts if not count and part in expected)
    return EmptyFields(parts=parts, records=records, there=tuple(names)) if parts and names else None


@dataclass
class _Counted:
    """Counts the outcomes of a load. :param seen: counts that the ledger does not keep. :param reject: the first reject."""

    source: Source
    meter: _Meter
    seen: _Seen
    documents: int = 0
    rejects: int = 0
    reject: str | None = None

    def add(self, outcome: Outcome) -> None:
        """Count the outcome of a chunk.

        :raises BadInput: many rejects, and no document.
        """
        self.documents += outcome.documents + outcome.duplicates
        self.rejects += outcome.rejects
        self.reject = self.reject or outcome.reject
        for name in ("cleaned", "replaced", "changed", "completed"):
            self.seen[name] += getattr(outcome, name)
        self.seen["cut"] += outcome.cut
        self.seen["unread"].update(outcome.unread)
        self.meter.tell(self.source, outcome.documents)
        if self.documents == 0 and self.rejects >= HOPELESS:
            raise BadInput(
                f"{self.reject}; no document was found in the first {counted(self.rejects, 'record')}",
                hint="Check the file and its format (--format, --map). Nothing was stored.",
            )


def _begun(task: WorkerTask, missing: Iterator[Chunk], counted: _Counted) -> tuple[WorkerTask, Iterator[Chunk]]:
    """Store the first chunk with documents, which adds the file to the ledger.

    :returns: the task with the file's number, and the chunks that are not stored: those before, which have only rejects, and the
        others. The number is None if no chunk has documents.
    """
    without: list[Chunk] = []
    with ChunkStore(task) as store:
        for chunk in missing:
            outcome = store(chunk)
            if outcome.file is not None:
                counted.documents = counted.rejects = 0
                counted.add(outcome)
                return replace(task, file=outcome.file), chain(without, missing)
            counted.add(outcome)
            without.append(chunk)
    return task, iter(())


def _store(task: WorkerTask, missing: Iterator[Chunk], source: Source, options: _Options, counted: _Counted) -> None:
    """Store the chunks."""
    opener = partial(ChunkStore, task)
    following = next(missing, None)
    if following is None:
        return
    missing = chain([following], missing)
    if options.workers == 1 or (source.size is not None and source.size < SMALL_BYTES):
        outcomes = run_here(opener, missing)
    else:
        outcomes = run_in_workers(opener, missing, workers=options.workers)
    # Close explicitly: after an interruption between two outcomes, the garbage collector may stop the workers too late.
    with closing(outcomes):
        for outcome in outcomes:
            counted.add(outcome)


def _until_problem(stream: Iterator[Chunk], problems: list[BadInput]) -> Iterator[Chunk]:
    """Yield the chunks up to where the source is truncated or damaged; keep the error until they are stored."""
    try:
        yield from stream
    except BadInput as problem:
        problems.append(problem)


def _resumable(error: StcError, source: Source) -> StcError:
    """Return the same error with a hint on how to resume."""
    hint = error.hint or ""
    if source.size is None:
        hint = f"{source.name} cannot be resumed. Load it again; documents that are already stored are skipped as duplicates."
    elif "same command" not in hint:
        hint = f"{hint} Run the same command again to resume.".strip()
    return type(error)(error.message, hint=hint, sqlstate=error.sqlstate)
