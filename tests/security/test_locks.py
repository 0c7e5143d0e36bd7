"""A participant cannot lock what others need."""

from __future__ import annotations

import psycopg
import pytest

from tests.roles.worlds import Login, collection

_ = collection
# An INSERT takes ROW EXCLUSIVE and a SELECT takes ACCESS SHARE: these do not stop other readers and writers.
STRONG = ("SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE")


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_no_table_of_the_collection_can_be_locked(collection: psycopg.Connection, login: Login, kind: str) -> None:
    attacker = login(kind)
    tables = [
        row[0]
        for row in collection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY 1"
        )
    ]
    assert "st1_runs" in tables
    locked = []
    for table in tables:
        for mode in STRONG:
            try:
                with attacker.transaction(force_rollback=True):
                    attacker.execute(f'LOCK TABLE "{table}" IN {mode} MODE NOWAIT'.encode())
            except psycopg.errors.InsufficientPrivilege:
                continue
            locked.append((table, mode))
    assert locked == []


def test_a_participant_removes_runs_of_the_own_team_alone(collection: psycopg.Connection, login: Login) -> None:
    for login_, left in ((login(), ["base", "blue1", "elsewhere"]), (login("reader"), ["base", "blue1", "elsewhere"])):
        login_.execute("SELECT drop_runs(ARRAY(SELECT run FROM rankings) || '{base,blue1,red1,elsewhere}')")
        assert [row[0] for row in collection.execute("SELECT run FROM st1_runs ORDER BY 1")] == left
    assert login("organiser").execute("SELECT drop_runs('{base,blue1}')").fetchone() == (2,)
    collection.execute("SELECT drop_runs('{elsewhere}')")
    assert collection.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)
