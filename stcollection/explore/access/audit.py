"""The log of the page: a line of JSON for each judgment, and for what else people change, download and query.

It has no passwords, tokens, links of invitations or network addresses. A refused sign-in has no name: people type passwords there.
"""

from __future__ import annotations

import errno
import inspect
import json
import logging
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import psycopg

from stcollection.errors import BadArgument
from stcollection.explore.judging import comparisons
from stcollection.explore.judging.corrections import Effect, Form, corrected
from stcollection.explore.judging.decisions import flush
from stcollection.plugins import sections
from stcollection.qrels import judging as work
from stcollection.qrels.comparisons import compare_pair, undo_comparison
from stcollection.qrels.judging import SentDecision
from stcollection.qrels.metadata import set_metadata
from stcollection.qrels.organise import adjudicate
from stcollection.qrels.pools import make_pool, share_pool
from stcollection.qrels.reviews import review
from stcollection.qrels.sheets import submit_pool
from stcollection.topics.save import save_query
from stcollection.web.uploads.loading import store_qrels, store_run, store_topics

_LOG = logging.getLogger(__name__)
Stored = dict[tuple[str, ...], tuple[Any, ...]]  # value and time of each decision, by query and document or documents
_GRADED: tuple[str, ...] = ("query", "document")
# What else people change: the kind of the entry, and the arguments that it has, by their names in the log.
_DEEDS: dict[Callable[..., Any], tuple[str, dict[str, str]]] = {
    make_pool: ("pool-made", {"pool": "name"}),
    share_pool: ("pool-divided", {"pool": "name", "assessors": "annotators"}),
    set_metadata: ("pool-fields", {"pool": "pool", "fields": "fields"}),
    submit_pool: ("pool-submitted", {"pool": "pool", "edition": "edition"}),
    review: (
        "review",
        {"annotator": "reviewer", "pool": "pool", "query": "query", "document": "docno", "new": "state"},
    ),
    save_query: ("query-saved", {"query": "query"}),
    store_run: ("run-stored", {"run": "name", "team": "team"}),
    store_topics: ("topics-stored", {"file": "file"}),
    store_qrels: ("judgments-stored", {"edition": "edition", "file": "file"}),
}
_LONGEST = 2000  # characters of a value
_BLOCK = 65_536
_MOST_READ = 200_000  # lines of one reading
_COMPARED: tuple[str, ...] = ("query", "left", "right")


class StudyDeeds(NamedTuple):
    """What people change in a study, its section ``log``.

    :param deeds: by function, the kind of the entry and the function's arguments that it has, by their names in the log.
    :param titles: of the kinds, in English.
    """

    deeds: Mapping[Callable[..., Any], tuple[str, dict[str, str]]]
    titles: Mapping[str, str]


class LogEntry(NamedTuple):
    """A line of the log. :param role: role of the database. :param annotator: name under which somebody judged, reviewed or came.

    :param details: pool, query, document, edition or another subject, by name.
    """

    time: str
    kind: str
    role: str
    annotator: str
    details: dict[str, Any]


class LogPage(NamedTuple):
    """Entries, the latest first. :param before: place in the file where earlier ones end; None at the start of the file."""

    entries: list[LogEntry]
    before: int | None


class Audit:
    """A file to which lines are appended. A new file is readable by its owner only.

    A symbolic link is refused: in a folder of others, it could lead to any file of the administrator.

    :raises BadArgument: the file cannot be written, or is a link.
    """

    def __init__(self, path: Path) -> None:
        self._locks: defaultdict[tuple[str, str], Lock] = defaultdict(Lock)
        self._deeds = _DEEDS | {deed: noted for part in sections("log") for deed, noted in part.deeds.items()}
        try:
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            why = "it is a symbolic link" if error.errno == errno.ELOOP else error.strerror
            raise BadArgument(
                f"cannot write the audit log {str(path)!r}: {why}",
                hint="Choose a file that you can write to with --audit.",
            ) from error

    def audited(self, role: str, deed: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that also logs what ``deed`` changes; ``deed`` itself if that is nothing.

        :param role: role of the database that the page uses for the reader.
        """
        if deed in (work.decide, work.store_decision, work.undo, flush, adjudicate):
            read, names = _grades, _GRADED
        elif deed in (compare_pair, undo_comparison, comparisons.store):
            read, names = _comparisons, _COMPARED
        elif deed is corrected:
            return self._correcting(role)
        elif deed in self._deeds:
            return self._noting(role, deed)
        else:
            return deed
        kind = "final-grade" if deed is adjudicate else "judgment"

        def logged(conn: psycopg.Connection, *args: Any, **kwargs: Any) -> Any:
            sheets = _sheets(args, kwargs)
            with ExitStack() as held:
                for sheet in sorted(sheets):  # one at a time, so that each change is logged once
                    held.enter_context(self._locks[sheet])
                before = {sheet: read(conn, *sheet) for sheet in sheets}
                try:
                    return deed(conn, *args, **kwargs)
                finally:
                    if not conn.broken:
                        for sheet in sheets:
                            self._write({"kind": kind, "role": role}, sheet, names, before[sheet], read(conn, *sheet))

        return logged

    def event(self, role: str, kind: str, **details: Any) -> None:
        """Append an entry. :param details: texts, numbers and lists of texts, by name."""
        self._append([{"kind": kind, "role": role, **{name: _short(value) for name, value in details.items()}}])

    def read(self, *, before: int | None = None, person: str = "", kind: str = "", most: int = 100) -> LogPage:
        """Return entries, the latest first.

        :param before: where the reading begins, of an earlier page. :param person: role or annotator. :param most: entries.
        """
        found: list[LogEntry] = []
        end = os.fstat(self._file).st_size if before is None else min(before, os.fstat(self._file).st_size)
        name = json.dumps(person).encode()
        for number, (start, line) in enumerate(self._backwards(end), 1):
            entry = _entry(line) if name in line or not person else None
            if entry and person in ("", entry.role, entry.annotator) and kind in ("", entry.kind):
                found.append(entry)
            if len(found) == most or number == _MOST_READ:
                return LogPage(found, start or None)
        return LogPage(found, None)

    def _backwards(self, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield the lines before a place in the file, the last first, with their places."""
        rest = b""
        while end:
            start = max(0, end - _BLOCK)
            first, *lines = (os.pread(self._file, end - start, start) + rest).split(b"\n")
            place = end + len(rest)
            for line in reversed(lines):
                place -= len(line)
                if line:
                    yield place, line
                place -= 1
            rest, end = first, start
        if rest:
            yield 0, rest

    def _noting(self, role: str, deed: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that also logs its call, unless it changes nothing."""
        kind, names = self._deeds[deed]

        def logged(conn: psycopg.Connection, *args: Any, **kwargs: Any) -> Any:
            result = deed(conn, *args, **kwargs)
            if result is not False:
                given = inspect.signature(deed).bind(conn, *args, **kwargs).arguments
                self.event(role, kind, **{name: given[argument] for name, argument in names.items() if argument in given})
            return result

        return logged

    def _write(
        self, start: Mapping[str, str], sheet: tuple[str, str], names: tuple[str, ...], before: Stored, after: Stored
    ) -> None:
        """Append the changed decisions of a sheet."""
        pool, annotator = sheet
        changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        who = {**start, "annotator": annotator, "pool": pool}
        self._append(
            {**who, **dict(zip(names, key, strict=True)), "old": _value(before, key), "new": _value(after, key)} for key in changed
        )

    def _correcting(self, role: str) -> Callable[..., Any]:
        """Return :func:`corrected` that also logs the corrections that it stores."""

        def logged(conn: psycopg.Connection, form: Form, *, keep: bool) -> Effect:
            effect = corrected(conn, form, keep=keep)
            who = {"kind": "correction", "role": role, "edition": effect.version}
            changes = [{"query": one.query, "document": one.doc, "old": one.rel_a, "new": one.rel_b} for one in effect.judgments]
            self._append({**who, **change} for change in changes if keep)
            return effect

        return logged

    def _append(self, changes: Iterable[dict[str, Any]]) -> None:
        """Append changes with the time. They are stored already, so a failure is logged and not raised."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        lines = [{"time": now, **change} for change in changes]
        if not lines:
            return
        try:
            os.write(self._file, "".join(json.dumps(line) + "\n" for line in lines).encode())
        except OSError as error:
            _LOG.error("the audit log cannot be written: %s", error.strerror)


def _short(value: Any) -> Any:
    """Return a value for the log. Of a file it is the name that the browser sent."""
    if isinstance(value, list | tuple):
        return [_short(one) for one in value]
    return value if isinstance(value, int) or value is None else str(getattr(value, "name", value))[:_LONGEST]


def _entry(line: bytes) -> LogEntry | None:
    """Return the entry of a line; None if it is damaged. Before version 0.3 lines had no kind."""
    try:
        details = json.loads(line)
        time, kind, role = details.pop("time"), details.pop("kind", None), details.pop("role")
        kind = kind or ("correction" if "edition" in details else "judgment")
        return LogEntry(str(time), str(kind), str(role), str(details.pop("annotator", "")), details)
    except (ValueError, KeyError, AttributeError, TypeError):
        return None


def _sheets(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, str]]:
    """Return pool and annotator of the decisions in a call."""
    first = args[0]
    if isinstance(first, str):
        return [(first, kwargs["adjudicator"] if "adjudicator" in kwargs else args[1])]
    decisions = [first] if isinstance(first, SentDecision) else first
    return list(dict.fromkeys((one.pool, one.annotator) for one in decisions))


def _comparisons(conn: psycopg.Connection, pool: str, annotator: str) -> Stored:
    """Return the stored comparisons of an annotator: the choice and its time."""
    rows = conn.execute(
        "SELECT q.query, l.docno, r.docno, c.choice, c.decided FROM stc_all.qrels_comparisons c JOIN st1_queries q ON"
        " q.id = c.query"
        " JOIN dblp l ON l.id = c.left_doc JOIN dblp r ON r.id = c.right_doc"
        " WHERE c.pool = (SELECT p.id FROM stc_all.qrels_pools p WHERE p.pool = %s) AND c.annotator = %s",
        [pool, annotator],
    ).fetchall()
    return {(query, left, right): (choice, decided) for query, left, right, choice, decided in rows}


def _grades(conn: psycopg.Connection, pool: str, annotator: str) -> Stored:
    """Return the stored decisions of an annotator: the grade and the time of the change."""
    rows = conn.execute(
        "SELECT q.query, d.docno, a.rel, a.changed FROM stc_all.qrels_assessments a JOIN st1_queries q ON q.id = a.query"
        " JOIN dblp d ON d.id = a.doc"
        " WHERE a.pool = (SELECT p.id FROM stc_all.qrels_pools p WHERE p.pool = %s) AND a.annotator = %s",
        [pool, annotator],
    ).fetchall()
    return {(query, docno): (rel, changed) for query, docno, rel, changed in rows}


def _value(stored: Stored, key: tuple[str, ...]) -> int | str | None:
    return stored[key][0] if key in stored else None
