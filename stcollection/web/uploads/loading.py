"""Store uploaded files: a run of a team, or topics, judgments and documents, with progress and cancellation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from stcollection.corpus.load import LoadedFile, load
from stcollection.db.connection import vacuum
from stcollection.errors import BadArgument, BadInput, StateError, translate
from stcollection.evaluation.score import judge_new
from stcollection.io.streams import Source
from stcollection.names import RULE, is_name
from stcollection.qrels.editions import EditionFacts
from stcollection.qrels.load import ImportedQrels, JudgmentOptions, import_qrels
from stcollection.runs.load import RunSource
from stcollection.runs.receive import submit
from stcollection.topics.load import LoadedTopics
from stcollection.topics.load import load as load_topics
from stcollection.web.uploads.files import UploadedFile

_SECONDS = 900  # statement timeout of a load
REJECTS = 100  # rejects listed after a load


class LoadCancelled(BaseException):
    """The reader cancelled the load, or the server stops. Not an Exception, so that no handler of errors keeps it."""


@dataclass
class LoadProgress:
    """How far a load is. :param read, total: bytes. :param stop: set to cancel the load."""

    read: int = 0
    total: int | None = None
    documents: int = 0
    stop: threading.Event = field(default_factory=threading.Event)

    def tell(self, read: int, total: int | None, documents: int = 0) -> None:
        self.read, self.total, self.documents = read, total, documents
        if self.stop.is_set():
            raise LoadCancelled


@contextmanager
def longer(conn: psycopg.Connection) -> Iterator[None]:
    """Allow statements of a load more time than those of a page."""
    row = conn.execute("SELECT current_setting('statement_timeout')").fetchone()
    conn.execute("SELECT set_config('statement_timeout', %s, false)", [f"{_SECONDS}s"])
    try:
        yield
    finally:
        if not conn.closed:
            conn.execute("SELECT set_config('statement_timeout', %s, false)", [row[0] if row else "0"])


def checked_name(what: str, name: str) -> str:
    """Return a name without surrounding spaces. :raises BadArgument: it is empty or cannot be a name."""
    name = name.strip()
    if not name:
        raise BadArgument(f"the name of the {what} is empty", hint="Enter a name.")
    if not is_name(name):
        raise BadArgument(f"{name[:60]!r} cannot be the name of a {what}", hint=RULE)
    return name


@translate()
def store_run(conn: psycopg.Connection, file: UploadedFile, *, name: str, team: str, team_limit: int | None) -> str:
    """Store an uploaded run. :returns: its name. :raises StcError: as for :func:`stcollection.runs.receive.submit`."""
    assert file.plain is not None  # noqa: S101
    origin = RunSource(source=file.name, sha256=file.sha256)
    with longer(conn):
        run = submit(conn, file.plain, name=name, team=team, origin=origin, team_limit=team_limit)
        vacuum(conn, "stc.ranked_lists")
        judge_new(conn, [run])
    return run


@translate()
def store_topics(conn: psycopg.Connection, file: UploadedFile, *, replace: bool) -> LoadedTopics:
    """Load uploaded topics, all or none. :param replace: replace stored texts that differ."""
    plain = _plain(file)
    with longer(conn), conn.transaction():
        loaded = load_topics(conn, [plain], replace=replace)
        conn.execute("UPDATE stc.topic_files SET path = %s WHERE path = %s", [file.name, str(plain)])
    return loaded


@translate()
def store_qrels(
    conn: psycopg.Connection, file: UploadedFile, *, edition: str, split: str | None, best_first: bool
) -> ImportedQrels:
    """Add uploaded judgments to an edition, all or none. :param split: of a new edition; one of the split test is hidden.

    :raises StateError: the edition is hidden: differences from its judgments would show them.
    """
    plain = _plain(file)
    options = JudgmentOptions(best_grade=1 if best_first else None)
    with longer(conn), conn.transaction():
        row = conn.execute("SELECT hidden FROM qrels_editions WHERE edition = %s", [edition]).fetchone()
        if row == (True,):
            raise StateError(
                f"the edition {edition!r} is hidden", hint="Add judgments to it with 'stc load --as qrels', or choose another name."
            )
        loaded = import_qrels(conn, plain, edition=edition, options=options, facts=EditionFacts(split=split))
        conn.execute("UPDATE stc_all.qrels_files SET path = %s WHERE path = %s", [file.name, str(plain)])
    vacuum(conn, "qrels_judgments")
    return loaded


class _Named(Source):
    """An uploaded file under the name that the reader knows."""

    def __init__(self, plain: Path, name: str) -> None:
        super().__init__(str(plain))
        self.name = name

    @property
    def where(self) -> str:
        return self.name


def store_documents(dsn: str, file: UploadedFile, progress: LoadProgress, *, replace: bool) -> LoadedFile:
    """Load uploaded documents, in transactions of about 1 MB. A cancelled load continues when the file is loaded again.

    :raises LoadCancelled: the load was cancelled.
    """
    source = _Named(_plain(file), file.name)
    [loaded] = load(dsn, [source], workers=1, on_duplicate="replace" if replace else "skip", progress=progress.tell)
    return loaded


@translate()
def rejects_of(conn: psycopg.Connection, sha256: str) -> list[tuple[int, str | None, str]]:
    """Return line, document and reason of the first rejects of a loaded file. :param sha256: of the unpacked file."""
    return conn.execute(
        "SELECT r.line, r.docno, r.reason FROM stc.corpus_rejects r JOIN stc.corpus_files f ON f.id = r.file"
        " WHERE f.sha256 = %s ORDER BY r.line LIMIT %s",
        [sha256, REJECTS],
    ).fetchall()


def _plain(file: UploadedFile) -> Path:
    if file.plain is None:
        raise BadInput(f"{file.name} is not unpacked", hint="Upload it again.")
    return file.plain
