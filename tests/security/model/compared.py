"""Run many statements in one transaction on a server and return what their user sees of each."""

from __future__ import annotations

import re
from collections.abc import Sequence

import psycopg

from tests.security.model.settings import Point

# Runs each statement in a subtransaction and returns its rows as text, or its error.
_COLLECT = """
CREATE FUNCTION pg_temp.collect(statements text[], undo boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    statement text;
    line record;
    lines text[];
    told text[] := '{}';
BEGIN
    FOREACH statement IN ARRAY statements LOOP
        lines := '{}';
        BEGIN
            IF statement LIKE 'CALL %' THEN
                EXECUTE statement;
            ELSE
                FOR line IN EXECUTE statement LOOP
                    lines := lines || line::text;
                END LOOP;
            END IF;
            IF undo THEN
                RAISE SQLSTATE 'UNDO0';
            END IF;
            told := told || array_to_string(lines, E'\\n');
        EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
            told := told || array_to_string(lines, E'\\n');
        WHEN OTHERS THEN
            told := told || concat('error ', SQLSTATE, ': ', SQLERRM);
        END;
    END LOOP;
    RETURN told;
END $$
"""
_BUFFERS = re.compile(r"(shared|local|temp)((?: (?:hit|read|dirtied|written)=\d+)+)")


def prepare(conn: psycopg.Connection) -> None:
    """Create the function that runs the statements, among the temporary objects of the session."""
    conn.execute(_COLLECT)


def collect(conn: psycopg.Connection, point: Point, statements: Sequence[str], *, undo: bool = False) -> list[str]:
    """Run statements under some settings, in a transaction that is rolled back.

    :param undo: roll back each statement; otherwise its locks and counters last until the end.

    :returns: the rows or the error of each, and at the end the notices of all.
    """
    heard: list[str] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        heard.append(f"{notice.severity} {notice.message_primary} {notice.message_detail or ''}")

    conn.add_notice_handler(hear)
    conn.execute("SELECT pg_stat_force_next_flush()")  # what the session has counted before is counted elsewhere
    try:
        with conn.transaction(force_rollback=True):
            try:
                conn.execute(point.statements().encode())
            except psycopg.Error as error:
                return [f"error {error.sqlstate}: {error}"]
            row = conn.execute("SELECT pg_temp.collect(%s, %s)", [list(statements), undo]).fetchone()
    finally:
        conn.remove_notice_handler(hear)
    assert row is not None
    return [*row[0], "\n".join(heard)]


def same(one: str, other: str) -> bool:
    """Whether two answers are equal, except which of the blocks they read were in memory already."""
    return one == other or _blocks(one) == _blocks(other)


def _blocks(answer: str) -> str:
    def total(found: re.Match[str]) -> str:
        return f"{found[1]} {sum(int(n) for kind, n in re.findall(r'(hit|read)=([0-9]+)', found[2]))}"

    return _BUFFERS.sub(total, answer)
