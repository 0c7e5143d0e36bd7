"""Unfinished runs: who sees, continues, writes and removes them."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.errors import StateError
from stcollection.retrieval import batches
from stcollection.retrieval import run as making
from stcollection.retrieval.run import run
from stcollection.runs.unfinished import drop_unfinished, unfinished_runs
from tests.roles.worlds import Login, collection

pytestmark = pytest.mark.slow

_ = collection


@pytest.fixture(autouse=True)
def one_query_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_SECONDS", 0.0)
    monkeypatch.setattr(making, "worker_count", lambda wanted, per_core=1: wanted or per_core)


class Stopped(Exception):
    """An interruption."""


def begin(conn: psycopg.Connection, name: str, after: int = 2) -> None:
    def stop(done: int, _: int, __: str) -> None:
        if done == after:
            raise Stopped

    with pytest.raises(Stopped):
        run(conn, system="boolean", name=name, progress=stop)


def test_only_its_maker_sees_and_continues_it(collection: psycopg.Connection, login: Login) -> None:
    red, mate, blue = login(), login(), login(team="blue")
    begin(red, "ours")
    assert [(one.run, one.maker, one.done) for one in unfinished_runs(red)] == [("ours", red.info.user, 2)]
    for other in (mate, blue):
        assert unfinished_runs(other) == []
        assert other.execute("SELECT count(*) FROM stc.unfinished_rankings").fetchone() == (0,)
    reader = login("reader")
    assert unfinished_runs(reader) == []
    with pytest.raises(StateError, match="may not store runs"):
        run(reader, system="boolean", name="ours")
    begin(blue, "ours", 4)  # their own, from the first query on
    assert [one.done for one in unfinished_runs(blue)] == [4]
    organiser = login("organiser")
    assert sorted((one.run, one.done) for one in unfinished_runs(organiser)) == [("ours", 2), ("ours", 4)]
    begin(organiser, "ours", 1)
    run(red, system="boolean", name="ours")
    assert collection.execute("SELECT team FROM st1_runs WHERE run = 'ours'").fetchone() == ("red",)
    assert {one.maker for one in unfinished_runs(collection)} == {blue.info.user, organiser.info.user}
    with pytest.raises(Exception, match="run ours already exists"):
        run(blue, system="boolean", name="ours")


def test_nobody_writes_into_that_of_another(collection: psycopg.Connection, login: Login) -> None:
    red, blue = login(), login(team="blue")
    begin(red, "ours")
    [ours] = unfinished_runs(red)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        blue.execute(
            "INSERT INTO stc.unfinished_rankings (unfinished, query, docs, scores) VALUES (%s, 12, '{1}', '{9}')", [ours.id]
        )
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        blue.execute(
            "INSERT INTO stc.unfinished_runs (run, maker, params, state, queries) VALUES ('x', %s, '{}', '{}', 1)", [red.info.user]
        )
    for statement in (
        "UPDATE stc.unfinished_rankings SET docs = '{1}'",
        "DELETE FROM stc.unfinished_rankings",
        "UPDATE stc.unfinished_runs SET params = '{}'",
        "DELETE FROM stc.unfinished_runs",
        "TRUNCATE stc.unfinished_rankings",
        "LOCK TABLE stc.unfinished_runs IN SHARE MODE",
    ):
        for one in (red, blue):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), one.transaction():
                one.execute(statement.encode())
    drop_unfinished(blue, [ours])
    assert blue.execute("SELECT * FROM stc.search_queries(%s)", [ours.id]).fetchone() == (None, 0, True)
    assert blue.execute("SELECT * FROM stc.finish_run(%s, NULL, false)", [ours.id]).fetchone() == (None, None)
    assert [one.done for one in unfinished_runs(red)] == [2]
    drop_unfinished(login("organiser"), [ours])
    assert unfinished_runs(red) == []


def test_a_run_needs_all_queries_and_a_team(collection: psycopg.Connection, login: Login) -> None:
    red = login()
    begin(red, "ours")
    [ours] = unfinished_runs(red)
    assert red.execute("SELECT * FROM stc.finish_run(%s, NULL, false)", [ours.id]).fetchone() == (None, None)
    assert collection.execute("SELECT count(*) FROM st1_runs WHERE run = 'ours'").fetchone() == (0,)
    with pytest.raises(StateError, match="is a member of 'red'"):
        run(red, system="boolean", name="theirs", team="blue")
    assert [one.run for one in unfinished_runs(red)] == ["ours"]
