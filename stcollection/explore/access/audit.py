"""The audit log: a line of JSON for each judgment that is made on the page."""

from __future__ import annotations

import json
import logging
import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

import psycopg

from stcollection.errors import BadArgument
from stcollection.explore.judging import comparisons
from stcollection.explore.judging.corrections import Effect, Form, corrected
from stcollection.explore.judging.decisions import flush
from stcollection.qrels import judging as work
from stcollection.qrels.comparisons import compare_pair, undo_comparison
from stcollection.qrels.judging import SentDecision
from stcollection.qrels.organise import adjudicate

_LOG = logging.getLogger(__name__)
Stored = dict[tuple[str, ...], tuple[Any, ...]]  # value and time of each decision, by query and document or documents
_GRADED: tuple[str, ...] = ("query", "document")
_COMPARED: tuple[str, ...] = ("query", "left", "right")


class Audit:
    """A file to which judgments are appended. A new file is readable by its owner only.

    :raises BadArgument: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._locks: defaultdict[tuple[str, str], Lock] = defaultdict(Lock)
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError as error:
            raise BadArgument(
                f"cannot write the audit log {str(path)!r}: {error.strerror}",
                hint="Choose a file that you can write to with --audit.",
            ) from error

    def audited(self, role: str, deed: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that also logs the judgments that ``deed`` changes; ``deed`` itself if it changes none.

        :param role: role of the database that the page uses for the reader.
        """
        if deed in (work.decide, work.store_decision, work.undo, flush, adjudicate):
            read, names = _grades, _GRADED
        elif deed in (compare_pair, undo_comparison, comparisons.store):
            read, names = _comparisons, _COMPARED
        elif deed is corrected:
            return self._correcting(role)
        else:
            return deed

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
                            self._write(role, sheet, names, before[sheet], read(conn, *sheet))

        return logged

    def _write(self, role: str, sheet: tuple[str, str], names: tuple[str, ...], before: Stored, after: Stored) -> None:
        """Append the changed decisions of a sheet."""
        pool, annotator = sheet
        changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        who = {"role": role, "annotator": annotator, "pool": pool}
        self._append(
            {**who, **dict(zip(names, key, strict=True)), "old": _value(before, key), "new": _value(after, key)} for key in changed
        )

    def _correcting(self, role: str) -> Callable[..., Any]:
        """Return :func:`corrected` that also logs the corrections that it stores."""

        def logged(conn: psycopg.Connection, form: Form, *, keep: bool) -> Effect:
            effect = corrected(conn, form, keep=keep)
            who = {"role": role, "edition": effect.version}
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
