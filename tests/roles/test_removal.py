"""Who may remove what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from stcollection.corpus.removal import remove_documents
from stcollection.db.members import Kind
from stcollection.errors import StateError, StcError, UnknownObject
from stcollection.qrels.removal import remove_edition, remove_file
from stcollection.runs.removal import remove_runs
from stcollection.topics.removal import remove_queries
from tests.roles.worlds import Login, collection

pytestmark = pytest.mark.slow
_ = collection


def rows(conn: psycopg.Connection) -> dict[str, int]:
    tables = ("dblp", "dblp_text", "st1_queries", "st1_topics", "qrels_judgments", "qrels_files", "qrels_editions")
    return {table: conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchall()[0][0] for table in tables}


REMOVALS: list[Callable[[psycopg.Connection], Any]] = [
    lambda conn: remove_documents(conn, ["d1"]),
    lambda conn: remove_documents(conn, ["d1"], dry_run=True),
    lambda conn: remove_documents(conn, stubs=True),
    lambda conn: remove_queries(conn, ["a1"]),
    lambda conn: remove_queries(conn, ["a1"], dry_run=True),
    lambda conn: remove_file(conn, "train.qrels"),
    lambda conn: remove_file(conn, "train.qrels", dry_run=True),
    lambda conn: remove_file(conn, "test.qrels"),
    lambda conn: remove_edition(conn, "train"),
    lambda conn: conn.execute("SELECT stc.remove_documents('{}', '{d1}')"),
    lambda conn: conn.execute("SELECT stc.remove_queries('{}', '{a1}')"),
    lambda conn: conn.execute("SELECT stc.drop_file(1)"),
]


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_others_remove_nothing(collection: psycopg.Connection, login: Login, kind: Kind) -> None:
    conn, before = login(kind), rows(collection)
    for removal in REMOVALS:
        with pytest.raises((StcError, psycopg.Error)):
            removal(conn)
    with pytest.raises(StateError, match="may not remove documents") as refused:
        remove_documents(conn, ["d1"])
    assert refused.value.sqlstate == "IR410"
    assert rows(collection) == before


def test_participants_remove_runs_of_their_team_alone(collection: psycopg.Connection, login: Login) -> None:
    red = login("participant", "red")
    with pytest.raises(StateError, match="may not remove the run base"):
        remove_runs(red, ["red1", "base"])
    with pytest.raises(UnknownObject, match="no run 'blue1'"):
        remove_runs(red, ["blue1"], dry_run=True)
    [done] = remove_runs(red, ["red1"])
    assert (done.team, done.ranked) == ("red", 288)
    assert collection.execute("SELECT run FROM st1_runs ORDER BY run").fetchall() == [("base",), ("blue1",), ("elsewhere",)]


def test_organisers_remove_all(collection: psycopg.Connection, login: Login) -> None:
    organiser, before = login("organiser"), rows(collection)
    collection.execute(
        "INSERT INTO dblp (id, docno, doc) VALUES (9001, 'new', '{}'); INSERT INTO dblp_text (id, title) VALUES (9001, 'new');"
        "INSERT INTO st1_queries (query, text) VALUES ('new', 'new')"
    )
    assert remove_documents(organiser, ["new"], dry_run=True).removed == 1
    done = remove_documents(organiser, ["new"])
    assert (done.removed, done.kept) == (1, 0)
    assert remove_queries(organiser, ["new"]).removed == 1
    assert rows(collection) == before
    judged = remove_queries(organiser, ["b1"], dry_run=True)  # judged in the hidden edition
    assert (judged.removed, judged.kept) == (0, 1)
    organiser.execute("UPDATE qrels_files f SET rows = ARRAY(SELECT j.id FROM qrels_judgments j WHERE j.edition = f.edition)")
    assert remove_file(organiser, "test.qrels").judgments == 192
    assert remove_edition(organiser, "train").judgments == 192
