"""Store one chunk in one transaction: its documents, its rejects and its row in the ledger."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import psycopg
from psycopg import errors

from stcollection.corpus.copying import dblp_rows, dblp_text_rows
from stcollection.corpus.ledger import LoadSource, begin
from stcollection.corpus.parsing import FIRST_STAYS, Batch, OnDuplicate, make_reject, parse
from stcollection.db.sessions import open_session
from stcollection.errors import BadInput, DatabaseError
from stcollection.io import irdatasets
from stcollection.io.corpus.chunks import Chunk
from stcollection.io.corpus.documents import DocumentRecord, Reject
from stcollection.io.registry import corpus_format

_ATTEMPTS = 20
# How long a worker waits for others to store earlier chunks of a file, and between two looks.
_WAIT_SECONDS = 600
_POLL_SECONDS = 0.02
# Ids of documents whose docno is not a number: a fixed range per file, above the ids of dblp_id_seq.
_FIRST_ID = 2**41
_IDS_PER_FILE = 2**38
# lz4 takes 14 % less of the server's processor time for a load than pglz, for the same size. Not all servers have it; a setting
# that an administrator has made stays.
_FAST_COMPRESSION = (
    "SELECT set_config('default_toast_compression', 'lz4', false) FROM pg_settings"
    " WHERE name = 'default_toast_compression' AND source = 'default' AND 'lz4' = ANY (enumvals)"
)
Numbered = tuple[int, DocumentRecord]  # a document with its id
_MET = {
    "before": FIRST_STAYS,
    "later": "a later document of the file has the same id; this one is kept",
}


@dataclass(frozen=True, kw_only=True)
class WorkerTask:
    """The task of a worker.

    :param source: the file, for the ledger. :param file: its number there; None if it is not there yet: the transaction that stores
        its first documents adds it, and a chunk without documents is not stored.
    """

    dsn: str
    source: LoadSource
    file: int | None
    path: str
    on_duplicate: OnDuplicate
    strict: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of storing a chunk.

    :param documents: new rows. :param duplicates: records whose docno already existed. :param rejects: rows in corpus_rejects.
    :param changed: stored documents that differ from the chunk's version. :param replaced: of these, the replaced ones.
    :param completed: stored documents that got further fields.
    :param cleaned: documents with characters removed. :param cut: names of documents with text cut.
    :param unread: number of documents per unread field that looks like document text.
    :param reject: the first reject, as a message.
    :param file: number of the file in the ledger; None if the chunk has no documents and the file was not there yet.
    """

    documents: int
    duplicates: int = 0
    rejects: int = 0
    changed: int = 0
    replaced: int = 0
    completed: int = 0
    cleaned: int = 0
    cut: tuple[str, ...] = ()
    unread: Mapping[str, int] = field(default_factory=dict)
    reject: str | None = None
    file: int | None = None


class ChunkStore:
    """A connection that stores chunks; a context manager.

    Each transaction writes the chunk's row in the ledger first. Another process with the same chunk (a concurrent load of the file,
    a worker that outlived its killed parent) waits for this row and then finds the chunk stored.

    :raises psycopg.Error: the server cannot be reached or refuses the connection.
    """

    def __init__(self, task: WorkerTask) -> None:
        self._task, self._file = task, task.file
        self._conn = open_session(task.dsn, autocommit=True)
        # Whether a unique key protects docnos; otherwise functions compare them.
        self._keyed = self._conn.execute("SELECT stc.begin_loading()").fetchone() == (True,)
        self._merging = False
        self._conn.execute(_FAST_COMPRESSION)

    def __enter__(self) -> ChunkStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._conn.close()

    def __call__(self, chunk: Chunk) -> Outcome:
        """Store a chunk.

        :raises BadInput: a reject under ``strict``, or a duplicate under ``error``. The chunk is not stored.
        :raises psycopg.Error: the server refuses the chunk or is gone. The chunk is not stored.
        """
        batch = parse(chunk, on_duplicate=self._task.on_duplicate)
        refused, file = False, self._file
        for _ in range(_ATTEMPTS):
            self._file = file  # a failed transaction has not added the file
            try:
                if self._merging and not self._keyed and file is not None:
                    self._wait_for_earlier(chunk)
                if refused:
                    self._take_out_refused(chunk, batch)
                return self._stored(chunk, batch)
            except errors.UniqueViolation:
                self._merging = True
            except (errors.DeadlockDetected, errors.SerializationFailure):
                time.sleep(random.uniform(0, 0.05))  # noqa: S311
            except psycopg.Error as error:
                if not self._keyed and not self._merging and isinstance(error, errors.InternalError_):
                    self._merging = True  # Citus reports an id that a shard has already as an internal error of COPY
                    continue
                if not _refuses_data(error):
                    raise
                refused = True
        self._file = file
        return self._stored(chunk, batch)

    def _stored(self, chunk: Chunk, batch: Batch) -> Outcome:
        documents, rejects, duplicates = list(batch.documents.values()), list(batch.rejects), list(batch.duplicates)
        new = len(documents)
        met: list[tuple[int, str]] = []
        first = self._file is None
        with self._conn.transaction() as transaction:
            if self._file is None:
                self._file = begin(self._conn, self._task.source)
            if not self._claim(chunk, batch):
                return self._stored_before(chunk)
            self._conn.execute("SELECT set_config('stc.source', %s, true)", [self._source(chunk)])
            completed = self._complete(documents)
            handled = {docno for _, docno, _ in completed}
            met = [(line, outcome) for line, _, outcome in completed]
            numbered = self._numbered(chunk, documents)
            others = [(number, document) for number, document in numbered if document.docno not in handled]
            if self._merging:
                met += self._merge_others(chunk, others)
            else:
                self._copy(others)
                if not self._keyed:
                    ids, docnos = [number for number, _ in others], [document.docno for _, document in others]
                    self._conn.execute("SELECT stc.corpus_copied(%s::bigint[], %s::text[])", [ids, docnos])
            at_line = {document.line: document for document in documents}
            for line, outcome in met:
                if outcome == "stub":
                    continue
                new -= 1
                duplicates.append(line)
                if outcome in _MET and self._task.on_duplicate == "skip":
                    rejects.append(make_reject(line, at_line[line].docno, _MET[outcome], at_line[line].doc))
            rejects.sort(key=lambda row: row.line)
            outcomes = Counter(outcome for _, outcome in met)
            repeated = [line for line, outcome in met if outcome not in ("stub", "completed")]
            self._check(chunk, rejects, [*batch.duplicates, *repeated])
            self._close(chunk, numbered, new, duplicates, rejects)
            if first and not new and not duplicates:
                self._file = None
                raise psycopg.Rollback(transaction)
        self._merging = self._merging and len(met) > len(handled)
        changed = outcomes["before"] + outcomes["replaced"]
        return Outcome(
            documents=new,
            duplicates=len(duplicates),
            rejects=len(rejects),
            cleaned=sum(document.cleaned for document in documents),
            cut=tuple(document.docno for document in documents if document.cut),
            changed=changed,
            replaced=changed if self._task.on_duplicate == "replace" else 0,
            completed=outcomes["completed"],
            unread=Counter(name for document in documents for name in document.unread),
            reject=_message(chunk, rejects[0].line, rejects[0].reason) if rejects else None,
            file=self._file,
        )

    def _wait_for_earlier(self, chunk: Chunk) -> None:
        """Wait until all earlier chunks of the file are stored; other workers have begun them.

        Without a unique key of docnos, corpus_merge decides by this order which document comes first.
        """
        deadline = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < deadline:
            row = self._conn.execute(
                "SELECT count(*) FROM stc.corpus_chunks WHERE file = %s AND chunk < %s", [self._file, chunk.number]
            ).fetchone()
            if row is None or row[0] >= chunk.number:
                return
            time.sleep(_POLL_SECONDS)
        raise DatabaseError(
            f"an earlier part of {self._task.path} was not stored within {_WAIT_SECONDS} s",
            hint="Another load of the file may be waiting. Run the same command again to resume.",
        )

    def _claim(self, chunk: Chunk, batch: Batch) -> bool:
        """Write the chunk's row in the ledger; return False if another process has stored the chunk.

        If documents of the chunk were removed, it is stored again and its rejects are rewritten.
        """
        claimed = self._conn.execute(
            "INSERT INTO stc.corpus_chunks AS k (file, chunk, documents, duplicates, rejects) VALUES (%s, %s, 0, 0, 0)"
            " ON CONFLICT (file, chunk) DO UPDATE SET incomplete = false WHERE k.incomplete RETURNING rejects",
            [self._file, chunk.number],
        ).fetchone()
        if claimed is not None and claimed[0] > 0:
            lines = [document.line for document in batch.documents.values()] + [row.line for row in batch.rejects]
            self._conn.execute(
                "DELETE FROM stc.corpus_rejects WHERE file = %s AND line = ANY (%s)",
                [self._file, [*lines, *batch.duplicates]],
            )
        return claimed is not None

    def _stored_before(self, chunk: Chunk) -> Outcome:
        row = self._conn.execute(
            "SELECT documents, duplicates, rejects FROM stc.corpus_chunks WHERE file = %s AND chunk = %s",
            [self._file, chunk.number],
        ).fetchone()
        documents, duplicates, rejects = row or (0, 0, 0)
        return Outcome(documents=documents, duplicates=duplicates, rejects=rejects, file=self._file)

    def _copy(self, numbered: Sequence[Numbered]) -> None:
        with self._conn.cursor() as cursor:
            with cursor.copy("COPY dblp (id, docno, doc) FROM STDIN (FORMAT BINARY)") as copy:
                copy.write(dblp_rows(numbered))
            with cursor.copy("COPY dblp_text (id, title, abstract) FROM STDIN (FORMAT BINARY)") as copy:
                copy.write(dblp_text_rows(numbered))

    def _source(self, chunk: Chunk) -> str:
        """Return the source for the view documents: a data set of ir_datasets, or the format."""
        if self._task.path.startswith(irdatasets.PREFIX):
            return self._task.path
        return corpus_format(chunk.format.name).source or chunk.format.name

    def _complete(self, documents: Sequence[DocumentRecord]) -> list[tuple[int, str, str]]:
        """Add fields to stored documents that have some of theirs from another file.

        :returns: line, docno and outcome of those that are stored (sql/corpus/corpus_complete.sql).
        """
        split = [document for document in documents if document.split]
        if not split:
            return []
        return self._conn.execute(
            "SELECT * FROM stc.corpus_complete(%s, %s, %s, %s, %s, %s)",
            [
                self._task.on_duplicate == "replace",
                [document.line for document in split],
                [document.docno for document in split],
                [document.doc.decode() for document in split],
                [document.title for document in split],
                [document.abstract for document in split],
            ],
        ).fetchall()

    def _merge_others(self, chunk: Chunk, numbered: Sequence[Numbered]) -> list[tuple[int, str]]:
        """Store the documents that :meth:`_complete` left, which may exist.

        :raises psycopg.errors.SerializationFailure: another process has stored one of them since, which is to be completed.
        """
        met = self._merge(chunk, numbered)
        split = {document.line for _, document in numbered if document.split}
        if any(line in split and outcome != "stub" for line, outcome in met):
            raise errors.SerializationFailure("another load has stored a part of the same document")
        return met

    def _merge(self, chunk: Chunk, numbered: Sequence[Numbered]) -> list[tuple[int, str]]:
        """Store documents that may already exist. :returns: the line and outcome of those that do (sql/corpus/corpus_merge.sql)."""
        documents = [document for _, document in numbered]
        return self._conn.execute(
            "SELECT * FROM stc.corpus_merge(%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                self._file,
                chunk.number,
                self._task.on_duplicate == "replace",
                [document.line for document in documents],
                [number for number, _ in numbered],
                [document.docno for document in documents],
                [document.doc.decode() for document in documents],
                [document.title for document in documents],
                [document.abstract for document in documents],
            ],
        ).fetchall()

    def _numbered(self, chunk: Chunk, documents: Sequence[DocumentRecord]) -> list[Numbered]:
        """Give each document an id: its docno if that is a number, else the next id of the chunk.

        The first id of a chunk is computed from the file's number in the ledger and the chunk's byte offset. A document takes at
        least one byte, so chunks never share an id. Ids therefore follow the order of the file, regardless of the number of
        workers and of interruptions. If an id is taken nevertheless, corpus_merge uses the next of dblp_id_seq.
        """
        first = _FIRST_ID + (self._file or 0) * _IDS_PER_FILE + chunk.offset
        return [(doc.number if doc.number is not None else first + place, doc) for place, doc in enumerate(documents)]

    def _take_out_refused(self, chunk: Chunk, batch: Batch) -> None:
        for document, reason in self._refused(chunk, list(batch.documents.values())):
            del batch.documents[document.docno]
            batch.rejects.append(make_reject(document.line, document.docno, f"refused by PostgreSQL: {reason}", document.doc))

    def _refused(self, chunk: Chunk, documents: list[DocumentRecord]) -> list[tuple[DocumentRecord, str]]:
        """Find the documents that PostgreSQL refuses, by bisection, with its reasons; store nothing."""
        try:
            with self._conn.transaction(force_rollback=True):
                self._merge(chunk, self._numbered(chunk, documents))
        except psycopg.Error as error:
            if not _refuses_data(error):
                raise
            if len(documents) == 1:
                return [(documents[0], error.diag.message_primary or str(error))]
            middle = len(documents) // 2
            return self._refused(chunk, documents[:middle]) + self._refused(chunk, documents[middle:])
        return []

    def _check(self, chunk: Chunk, rejects: Sequence[Reject], duplicates: Sequence[int]) -> None:
        if duplicates and self._task.on_duplicate == "error":
            raise BadInput(
                _message(chunk, min(duplicates), "a document with this id is already stored"),
                hint="Use --on-duplicate skip to keep the first, or replace for the last. This part of the file was not stored.",
            )
        if rejects and self._task.strict:
            raise BadInput(
                _message(chunk, rejects[0].line, rejects[0].reason),
                hint="Fix the record, or omit --strict to load the others. This part of the file was not stored.",
            )

    def _close(
        self, chunk: Chunk, numbered: Sequence[Numbered], new: int, duplicates: Sequence[int], rejects: Sequence[Reject]
    ) -> None:
        """Write the counts of the chunk and the ids of its documents, which corpus_merge may have changed.

        A chunk that is stored again keeps its counts: its documents are not duplicates of themselves.
        """
        ids = [number for number, _ in numbered]
        if self._merging or any(document.split for _, document in numbered):
            docnos = [document.docno for _, document in numbered]
            ids = [number for (number,) in self._conn.execute("SELECT id FROM dblp WHERE docno = ANY (%s)", [docnos])]
        self._conn.execute(
            "UPDATE stc.corpus_chunks SET rejects = %s,"
            " documents = CASE WHEN documents + duplicates > 0 THEN documents ELSE %s END,"
            " duplicates = CASE WHEN documents + duplicates > 0 THEN duplicates ELSE %s END,"
            " docs = %s::bigint[] WHERE file = %s AND chunk = %s",
            [len(rejects), new, len(duplicates), ids, self._file, chunk.number],
        )
        if not rejects:
            return
        member = chunk.source.removeprefix(self._task.path).lstrip("/")
        with self._conn.cursor().copy("COPY stc.corpus_rejects (file, line, docno, reason, record) FROM STDIN") as copy:
            for row in rejects:
                reason = f"in {member}: {row.reason}" if member else row.reason
                copy.write_row((self._file, row.line, row.docno, reason, row.record))


def _refuses_data(error: psycopg.Error) -> bool:
    """Return True if the error is about a value.

    These are class 22 (data exception) and class 54 (a limit of the server is exceeded: word, tsvector, nesting depth).
    """
    return (error.sqlstate or "")[:2] in ("22", "54")


def _message(chunk: Chunk, line: int, reason: str) -> str:
    return f"{chunk.source}:{line}: {reason}"
