"""Names in answer verification: a mistyped name raises an error with the next step."""

from __future__ import annotations

import psycopg
import pytest

from tests.studies.answers.answer_worlds import WORKED, put


def test_a_split_a_query_and_a_run_are_found_by_name(conn: psycopg.Connection) -> None:
    key = put(conn, [WORKED])
    assert conn.execute("SELECT stc.answer_set_key('world', 'dev')").fetchone() == (key,)
    assert conn.execute(
        "SELECT q.text FROM stc.answer_queries q WHERE q.id = stc.answer_query_key(%s, %s)", [key, WORKED.query]
    ).fetchone() == (WORKED.query,)
    (run,) = conn.execute("SELECT stc.answer_begin_run('mine', %s, 'tfidf', '{}', false)", [key]).fetchone() or (None,)
    assert conn.execute("SELECT stc.answer_run_key('mine')").fetchone() == (run,)
    (again,) = conn.execute("SELECT stc.answer_begin_run('mine', %s, 'tfidf', '{}', true)", [key]).fetchone() or (None,)
    assert conn.execute("SELECT stc.answer_run_key('mine')").fetchone() == (again,) != (run,)


@pytest.mark.parametrize(
    ("call", "state", "hint"),
    [
        ("stc.answer_set_key('wolrd', 'dev')", "IR113", "stc show answers"),
        ("stc.answer_set_key('world', 'test')", "IR113", "Available splits: dev."),
        ("stc.answer_query_key(1, '备孕偶尔喝冰的可以么')", "IR103", "Did you mean '备孕偶尔喝冰的可以吗'?"),
        ("stc.answer_run_key('none')", "IR101", "stc show answer-runs"),
        ("stc.answer_model_key('none')", "IR105", "stc show answer-models"),
        ("stc.answer_begin_run(' ', 1, 'tfidf', '{}', false)", "IR202", "describes its method"),
        ("stc.answer_begin_run('taken', 1, 'tfidf', '{}', false)", "IR202", "--replace"),
    ],
)
def test_wrong_names_raise_with_a_hint(conn: psycopg.Connection, call: str, state: str, hint: str) -> None:
    assert put(conn, [WORKED]) == 1
    conn.execute("SELECT stc.answer_begin_run('taken', 1, 'tfidf', '{}', false)")
    with pytest.raises(psycopg.Error) as told:
        conn.execute(f"SELECT {call}")
    assert told.value.sqlstate == state
    assert hint in (told.value.diag.message_hint or "")
