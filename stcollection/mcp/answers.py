"""Run one query with the rights of a reader, within limits of rows, bytes and time.

Each call has a separate connection and a read-only transaction, which is rolled back. The text is sent by the extended protocol,
which takes one statement. It must parse alone, and also as a subquery, so it cannot be COMMIT, SET, COPY, DO or several statements,
and cannot close the parenthesis around it. Functions may change settings of the session or take advisory locks; both end with the
call. EXPLAIN is accepted for a query that would be accepted; its options are read here and written again.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, cast

import psycopg
from psycopg.pq import ExecStatus

from stcollection.counts import counted
from stcollection.db.sessions import open_session
from stcollection.db.simulated import simulated_note
from stcollection.errors import BadArgument, DatabaseError, StateError, StcError, UnknownObject, from_postgres, translate
from stcollection.mcp import AnswerLimits

_SHOWN = 80  # characters of a text that an error repeats
_MESSAGE = 500  # characters of a message of PostgreSQL
_TOOLS = {
    "IR101": "The tool list_runs lists the runs.",
    "IR102": "The tool list_editions lists the editions that can be seen.",
}
_QUERY_HINT = (
    "Send one SELECT, VALUES, TABLE or WITH … SELECT, or EXPLAIN of one, that changes nothing. This connection only reads."
)
_EXPLAIN = re.compile(
    r"\s*EXPLAIN\b\s*(?:\((?P<listed>(?!\s*(?:SELECT|VALUES|TABLE|WITH)\b)[^()]*)\)|(?P<first>ANALY[ZS]E\b)?\s*(?P<second>VERBOSE\b)?)\s*(?P<query>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OPTIONS = ("ANALYZE", "BUFFERS", "COSTS", "MEMORY", "SETTINGS", "SUMMARY", "TIMING", "VERBOSE", "WAL")
_TRUTH = {"": True, "TRUE": True, "ON": True, "1": True, "FALSE": False, "OFF": False, "0": False}
# A plan can be as long as its constants, so the server shortens it. Statement and limit are settings, never parts of this text.
_PLAN = """
DO $$
DECLARE
    size integer := current_setting('stc.size');
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE current_setting('stc.explain') LOOP
        plan := plan || left(line, size) || E'\\n';
        EXIT WHEN octet_length(plan) > size;
    END LOOP;
    PERFORM set_config('stc.plan', plan, true);
END
$$
"""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A query of a tool.

    :param statement: SQL with placeholders. :param values: their values; parameters of the query, never parts of its text.
    :param missing: message and SQLSTATE of the error for an answer without rows; None: such an answer is valid.
    :param hint: next step for that error. :param editions: editions whose simulated judgments are noted.
    """

    statement: str
    values: Sequence[Any] | Mapping[str, Any] = ()
    missing: tuple[str, str] | None = None
    hint: str | None = None
    editions: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class FoundRows:
    """The answer to a query.

    :param statement: the SQL that gave it. :param note: why rows are missing; None if the answer is complete.
    :param simulated: note on simulated judgments.
    """

    columns: list[str]
    rows: list[list[Any]]
    statement: str
    note: str | None = None
    simulated: str | None = None


class LimitedReader:
    """Runs queries as a reader.

    :param where: connection string from :func:`stcollection.mcp.login.reader_login`.
    """

    def __init__(self, where: str, limits: AnswerLimits) -> None:
        self.limits = limits
        self._where = where
        self._turns = threading.BoundedSemaphore(limits.at_once)

    @contextmanager
    def session(self) -> Iterator[psycopg.Connection]:
        """Yield a new connection in a read-only transaction; roll back and close it at the end.

        :raises StateError: all connections were in use for longer than the time limit.
        """
        if not self._turns.acquire(timeout=self.limits.seconds):
            raise StateError(
                f"{counted(self.limits.at_once, 'call is', 'calls are')} running, and none ended within"
                f" {counted(self.limits.seconds, 'second')}",
                hint="Wait for their answers, then repeat the call.",
            )
        try:
            with translate():
                conn = open_session(self._where)
            try:
                conn.read_only = True
                yield conn
            finally:
                conn.close()
        finally:
            self._turns.release()

    def ask(self, question: Question) -> FoundRows:
        """Answer a question of a tool. :raises StcError: its error, or there are no rows where there must be some."""
        with self.session() as conn:
            return self.answer(conn, question)

    def answer(self, conn: psycopg.Connection, question: Question) -> FoundRows:
        """As :meth:`ask`, on a connection of :meth:`session`."""
        found = self._run(conn, psycopg.ClientCursor(conn).mogrify(question.statement, question.values))
        if question.missing and not found.rows and found.note is None:
            message, sqlstate = question.missing
            raise UnknownObject(message, hint=question.hint, sqlstate=sqlstate)
        if question.editions is None:
            return found
        note = simulated_note(conn, question.editions)
        return FoundRows(columns=found.columns, rows=found.rows, statement=found.statement, note=found.note, simulated=note)

    def query(self, text: str) -> FoundRows:
        """Run the SQL of an assistant.

        :raises BadArgument: it is not one query, has parameters, or returns a row above the limit of bytes.
        :raises DatabaseError: PostgreSQL rejects it, or it takes too long.
        """
        if "\0" in text:
            raise BadArgument(f"the SQL {text[:_SHOWN]!r} contains the character U+0000", hint="Remove it.")
        explained = _explained(text)
        with self.session() as conn:
            return self._run(conn, text) if explained is None else self._plan(conn, *explained)

    def _plan(self, conn: psycopg.Connection, options: Mapping[str, bool], text: str) -> FoundRows:
        """Return the plan of a query, a row for each line. :param options: of EXPLAIN, by name."""
        try:
            self._columns(conn, text)
            listed = ", ".join(f"{name} {'ON' if value else 'OFF'}" for name, value in options.items())
            statement = f"EXPLAIN ({listed}) {text}" if listed else f"EXPLAIN {text}"
            _prepare(conn, statement)
            settings = [statement, str(self.limits.size)]
            conn.execute("SELECT set_config('stc.explain', %s, true), set_config('stc.size', %s, true)", settings)
            conn.execute(_PLAN)
            row = conn.execute("SELECT current_setting('stc.plan')").fetchone()
        except psycopg.Error as error:
            raise self._failure(error) from error
        lines = [[line] for line in (row[0] if row else "").splitlines()]
        shown, size = [], 0
        for line in lines[: self.limits.rows]:
            size += len(line[0].encode()) + 1
            if size > self.limits.size:
                break
            shown.append(line)
        note = (
            None
            if len(shown) == len(lines)
            else f"Only the first {counted(len(shown), 'line')} of the plan. Ask for a shorter query."
        )
        return FoundRows(columns=["QUERY PLAN"], rows=shown, statement=statement, note=note)

    def _run(self, conn: psycopg.Connection, text: str) -> FoundRows:
        try:
            columns = self._columns(conn, text)
            return self._rows(conn, text, columns)
        except psycopg.Error as error:
            raise self._failure(error) from error

    def _columns(self, conn: psycopg.Connection, text: str) -> list[str]:
        """Return the names of the columns after checking that the text is one query."""
        conn.execute("SELECT")  # begin the transaction
        _prepare(conn, text)
        described = conn.pgconn.describe_prepared(b"")
        if described.nparams:
            raise BadArgument(
                f"the SQL has {counted(described.nparams, 'parameter')} such as $1", hint="Write the values into the text."
            )
        columns = [(described.fname(place) or b"").decode() for place in range(described.nfields)]
        try:
            if not columns:
                raise psycopg.errors.SyntaxError
            _prepare(conn, _wrapped(text, len(columns), self.limits))
        except (psycopg.errors.SyntaxError, psycopg.errors.FeatureNotSupported) as error:
            shown = " ".join(text.split())
            shown = f"{shown[:_SHOWN]}…" if len(shown) > _SHOWN else shown
            raise BadArgument(f"{shown!r} is not a query", hint=_QUERY_HINT) from error
        return columns

    def _rows(self, conn: psycopg.Connection, text: str, columns: list[str]) -> FoundRows:
        limits, size, note = self.limits, 0, None
        rows: list[list[Any]] = []
        stream = conn.cursor().stream(_wrapped(text, len(columns), limits).encode())
        with closing(cast(Generator[tuple[Any, ...]], stream)):
            for line, length in stream:
                size += length
                if line is None and not rows:
                    raise BadArgument(
                        f"the first row has {counted(length, 'byte')}; the limit is {limits.size:,}",
                        hint="Select fewer columns, or shorten them: left(column, 1000).",
                    )
                if len(rows) == limits.rows:
                    note = f"Only the first {counted(limits.rows, 'row')}. Use LIMIT and OFFSET, a filter, or an aggregate."
                    break
                if line is None or size > limits.size:
                    note = (
                        f"Only the first {counted(len(rows), 'row')}, because of the limit of"
                        f" {counted(limits.size, 'byte')}. Select less."
                    )
                    break
                rows.append(list(json.loads(line).values()))
        return FoundRows(columns=columns, rows=rows, statement=text, note=note)

    def _failure(self, error: psycopg.Error) -> StcError:
        seconds = f"{counted(self.limits.seconds, 'second')}"
        match error.sqlstate:
            case "57014" | "25P04":
                hint = "Add a filter or a LIMIT, or ask the person who runs the server for a higher --seconds."
                return DatabaseError(f"the statement took longer than {seconds}", hint=hint, sqlstate=error.sqlstate)
            case "25006" | "42501":
                hint = "This connection is a reader's: it sees no hidden edition and changes nothing. Ask a person to run it."
            case "42601":
                hint = _QUERY_HINT
            case "42P01" | "42703" | "42883":
                hint = error.diag.message_hint or "The tool describe_tables lists tables, columns and functions."
            case _:
                known = from_postgres(error)
                tool = _TOOLS.get(known.sqlstate or "")
                return type(known)(known.message[:_MESSAGE], hint=tool or known.hint, sqlstate=known.sqlstate)
        return DatabaseError((error.diag.message_primary or str(error))[:_MESSAGE], hint=hint, sqlstate=error.sqlstate)


def _explained(text: str) -> tuple[dict[str, bool], str] | None:
    """Return the options of EXPLAIN and its query; None if the text is not EXPLAIN. :raises BadArgument: an unknown option."""
    found = _EXPLAIN.fullmatch(text)
    if found is None:
        return None
    listed, query = found["listed"], found["query"]
    if listed is None:
        return {name: True for name, given in (("ANALYZE", found["first"]), ("VERBOSE", found["second"])) if given}, query
    options = {}
    for one in listed.split(","):
        name, _, value = " ".join(one.split()).upper().partition(" ")
        name = "ANALYZE" if name == "ANALYSE" else name
        if name not in _OPTIONS or value not in _TRUTH:
            raise BadArgument(f"{one.strip()[:_SHOWN]!r} is not an option of EXPLAIN here", hint=f"Use {', '.join(_OPTIONS)}.")
        options[name] = _TRUTH[value]
    return options, query


def _prepare(conn: psycopg.Connection, text: str) -> None:
    """Let the server parse one statement without running it. :raises psycopg.Error: it refuses."""
    result = conn.pgconn.prepare(b"", text.encode())
    if result.status != ExecStatus.COMMAND_OK:
        raise psycopg.errors.error_from_result(result, encoding="utf-8")


def _wrapped(text: str, columns: int, limits: AnswerLimits) -> str:
    """Return a query for the rows of a checked query as JSON and their lengths; too long rows are NULL.

    :param text: one statement that parses alone, so that nothing in it can close the parenthesis.
    """
    names = ", ".join(f"c{place}" for place in range(1, columns + 1))
    return (
        f"SELECT CASE WHEN w.size <= {limits.size} THEN w.line END, w.size"  # noqa: S608
        f" FROM (SELECT l.line, octet_length(l.line) AS size FROM (SELECT row_to_json(q)::text AS line FROM (\n"
        f"{text.rstrip().rstrip(';')}\n"
        f") AS q ({names}) LIMIT {limits.rows + 1}) AS l OFFSET 0) AS w"
    )
