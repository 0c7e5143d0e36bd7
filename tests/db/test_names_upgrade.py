"""The upgrade that gives tables their published names (revision 0039), and who reads and writes them."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.objects import drift
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.db.set_back import move_back
from tests.roles.seen import value
from tests.roles.worlds import Login, collection, login

pytestmark = pytest.mark.slow

_ = collection, login
COUNTS = {table: f"SELECT count(*) FROM {table}" for table in ("st1_queries", "st1_rankings", "st1_complexity_metrics")}
VIEWS = (
    "CREATE VIEW mine AS SELECT r.doc, q.query FROM public.st1_rankings r JOIN public.st1_queries q ON q.id = r.query",
    "CREATE VIEW tokens AS SELECT id, read_tok FROM public.st1_complexity_metrics",
)


def test_rows_and_views_of_others_stay(collection: psycopg.Connection, settings: Settings, login: Login) -> None:
    collection.execute("INSERT INTO st1_complexity_metrics (id, read_tok) SELECT id, 7 FROM dblp LIMIT 5")
    before = {table: value(collection, count) for table, count in COUNTS.items()}
    assert all(before.values())
    member = login()
    with collection.transaction():
        move_back(collection)
    for view in VIEWS:
        member.execute(view)
    theirs = value(member, "SELECT array_agg((doc, query) ORDER BY doc, query) FROM mine")
    step = upgrade(settings)
    assert [note for note in step.notes if "mine" in note or "tokens" in note] == []
    assert {table: value(collection, count) for table, count in COUNTS.items()} == before
    assert value(member, "SELECT array_agg((doc, query) ORDER BY doc, query) FROM mine") == theirs
    assert value(member, "SELECT sum(read_tok) FROM tokens") == 35
    assert drift(collection) == []
    assert upgrade(settings).objects == 0


def test_names_of_runs_of_other_teams_stay_hidden(collection: psycopg.Connection, login: Login) -> None:
    red = login("participant", "red")
    shown = value(red, "SELECT array_agg(run ORDER BY run) FROM st1_runs n WHERE run <> 'elsewhere'")  # it ranks nothing
    assert value(red, "SELECT array_agg(DISTINCT run ORDER BY run) FROM st1_rankings") == shown
    assert len(shown) < value(collection, "SELECT count(*) FROM st1_runs")
    assert value(red, "SELECT count(*) FROM st1_rankings WHERE run IS NULL") == 0
    assert value(red, "SELECT count(*) FROM st1_rankings") < value(collection, "SELECT count(*) FROM st1_rankings")
    red.execute(
        "CREATE FUNCTION peek(run text, doc bigint) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS"
        " $$ BEGIN RAISE NOTICE '% %', run, doc; RETURN true; END $$"
    )
    seen: list[str] = []
    red.add_notice_handler(lambda notice: seen.append(notice.message_primary or ""))
    red.execute("SELECT FROM st1_rankings WHERE peek(run, doc)")
    assert {line.split()[0] for line in seen} == set(shown)


def test_who_may_write_queries(collection: psycopg.Connection, login: Login) -> None:
    for role in ("participant", "reader"):
        for statement in (
            "INSERT INTO st1_queries (query, text) VALUES ('new', 'x')",
            "UPDATE st1_queries SET text = 'x'",
            "DELETE FROM st1_queries",
            "UPDATE st1_complexity_metrics SET tok = 1",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                login(role).execute(statement)
    organiser = login("organiser")
    organiser.execute("INSERT INTO st1_queries (query, text) VALUES ('new', 'x')")
    organiser.execute("UPDATE st1_queries SET text = 'y' WHERE query = 'new'")
    assert value(organiser, "SELECT text || origin FROM st1_queries WHERE query = 'new'") == "yhuman"
    organiser.execute("DELETE FROM st1_queries WHERE query = 'new'")
    assert value(organiser, "SELECT count(*) FROM st1_queries WHERE query = 'new'") == 0
