"""The upgrade that moves rows of hidden editions out of the reach of members (revision 0036)."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.objects import drift
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.db.set_back import set_back
from tests.roles.seen import value
from tests.roles.worlds import Login, collection, login

pytestmark = pytest.mark.slow

_ = collection, login
COUNTS = (
    "SELECT count(*) FROM qrels_editions", "SELECT count(*) FROM qrels_judgments", "SELECT count(*) FROM qrels_preferences",
    "SELECT count(*) FROM qrels_subtopics", "SELECT count(*) FROM st1_scores", "SELECT count(*) FROM qrels",
    "SELECT count(*) FROM judgments", "SELECT sum(judgments) FROM edition_overview", "SELECT count(*) FROM {}.qrels_files",
    "SELECT count(*) FROM {}.query_cuts", "SELECT count(*) FROM {}.edition_files",
)  # fmt: skip


def counts(conn: psycopg.Connection, schema: str) -> list[int]:
    return [value(conn, query.format(schema)) for query in COUNTS]


def test_rows_stay_and_views_of_others_are_named(collection: psycopg.Connection, settings: Settings, login: Login) -> None:
    before = counts(collection, "stc_all"), counts(login("reader"), "stc")
    member = login()
    set_back(collection)
    member.execute("CREATE VIEW mine AS SELECT * FROM qrels_judgments; CREATE VIEW kept AS SELECT * FROM qrels")
    assert value(member, "SELECT count(*) FROM mine") == value(member, "SELECT count(*) FROM kept") == 192
    step = upgrade(settings)
    assert (counts(collection, "stc_all"), counts(login("reader"), "stc")) == before
    assert [note for note in step.notes if "reads tables that only organisers may read" in note] == [
        f"the view {member.info.user}.mine of {member.info.user} reads tables that only organisers may read from now on;"
        " create it again"
    ]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        member.execute("SELECT FROM mine")
    assert value(member, "SELECT count(*) FROM kept") == 192
    assert drift(collection) == []
    collection.execute("SELECT stc.release_edition('test')")
    assert value(member, "SELECT count(*) FROM kept") == 384


def test_the_second_upgrade_changes_nothing(collection: psycopg.Connection, settings: Settings) -> None:
    set_back(collection)
    upgrade(settings)
    names = "SELECT array_agg(c::text ORDER BY c::text) FROM stc.collection_catalogue() c"
    first = value(collection, names)
    assert upgrade(settings).objects == 0
    assert value(collection, names) == first
