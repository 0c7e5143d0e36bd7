"""Snapshots of a collection that grows: which documents it has on a day, by hand."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.api.collection import Collection
from stcollection.corpus.snapshots import changes_between, record_snapshot, snapshots
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError
from tests.corpus.conftest import Load, Write
from tests.groups import corpus as corpus_group

pytestmark = pytest.mark.slow

# documents of each snapshot; u is loaded without a date; a and b leave and come back, a twice
SNAPSHOTS = {"2024-01-15": "abc", "2024-03-01": "bcde", "2024-06-30": "ace", "2024-07-01": "ce", "2024-09-30": "abe"}
AS_OF = {
    "2024-01-15": "abc",
    "2024-02-29": "abc",
    "2024-03-01": "bcde",
    "2024-06-29": "bcde",
    "2024-06-30": "ace",
    "2024-07-01": "ce",
    "2024-09-29": "ce",
    "2024-09-30": "abe",
    "2025-01-01": "abe",
}
ORDERS = {
    "in order": (0, 1, 2, 3, 4),
    "reversed": (4, 3, 2, 1, 0),
    "last first": (4, 0, 2, 1, 3),
    "from the middle": (2, 4, 0, 3, 1),
}


def lines(names: str) -> str:
    return "".join(json.dumps({"id": name, "title": f"Voice {name}", "text": f"Speaker {name}."}) + "\n" for name in names)


@pytest.fixture
def growing(request: pytest.FixtureRequest, conn: psycopg.Connection, write: Write, load_file: Load) -> psycopg.Connection:
    """The snapshots, loaded in order of their dates or in that of the parameter; each in two files."""
    load_file(write("undated.jsonl", lines("u")))
    days = sorted(SNAPSHOTS)
    for day in (days[number] for number in ORDERS[getattr(request, "param", "in order")]):
        names = SNAPSHOTS[day]
        for part in (names[:1], names[1:]):
            done = load_file(write(f"{day}-{part}.jsonl", lines(part) + " " * days.index(day) + "\n"))
            assert record_snapshot(conn, done.file, day) == len(part)
    return conn


def names(conn: psycopg.Connection, day: str) -> str:
    return "".join(row[0] for row in conn.execute("SELECT docno FROM documents_as_of(%s) ORDER BY docno", [day]))


@pytest.mark.parametrize("growing", ORDERS, indirect=True)
def test_the_collection_on_a_day(growing: psycopg.Connection) -> None:
    for day, expected in AS_OF.items():
        assert names(growing, day) == expected + "u"
        found = growing.execute("SELECT doc FROM boolean_search('voice', 10, filter => %s)", [json.dumps({"as_of": day})])
        docs = [row[0] for row in found]
        docnos = growing.execute("SELECT docno FROM dblp WHERE id = ANY (%s)", [docs]).fetchall()
        assert "".join(sorted(row[0] for row in docnos)) == expected + "u"


@pytest.mark.parametrize("growing", ORDERS, indirect=True)
def test_snapshots_and_changes(growing: psycopg.Connection) -> None:
    headers, rows = snapshots(growing)
    assert headers == ["day", "files", "documents", "added", "removed"]
    assert [(f"{day}", *counts) for day, *counts in rows] == [
        ("2024-01-15", 2, 3, 3, 0),
        ("2024-03-01", 2, 4, 2, 1),
        ("2024-06-30", 2, 3, 1, 2),
        ("2024-07-01", 2, 2, 0, 1),
        ("2024-09-30", 2, 3, 2, 1),
    ]
    for earlier, later, added, removed in (
        ("2024-01-15", "2024-03-01", "de", "a"),
        ("2024-01-20", "2024-07-01", "e", "ab"),
        ("2024-03-01", "2024-03-02", "", ""),
        ("2024-03-01", "2024-06-30", "a", "bd"),
        ("2024-01-15", "2024-06-30", "e", "b"),
        ("2024-01-15", "2024-12-31", "e", "c"),
        ("2024-07-01", "2024-09-30", "ab", "c"),
    ):
        found = changes_between(growing, earlier, later)[1]
        assert "".join(docno for change, docno, *_ in found if change == "added") == added
        assert "".join(docno for change, docno, *_ in found if change == "removed") == removed


@pytest.mark.parametrize("growing", ORDERS, indirect=True)
def test_recording_a_snapshot_again_changes_nothing(growing: psycopg.Connection) -> None:
    dates = "SELECT id, first_date, last_date, absent FROM dblp_facts ORDER BY id"
    before = growing.execute(dates).fetchall()
    for file, day in growing.execute("SELECT file, day::text FROM stc.corpus_snapshots").fetchall():
        record_snapshot(growing, file, day)
    assert growing.execute(dates).fetchall() == before
    growing.execute("UPDATE dblp SET doc = doc || '{\"year\": 2000}'")
    assert growing.execute(dates).fetchall() == before


@pytest.mark.parametrize(
    "bad", ["30.06.2024", "06/30/2024", "2024-6-30", "June 30, 2024", "2024-02-30", "", "20240630", "tomorrow"]
)
def test_a_day_has_one_spelling(bad: str, growing: psycopg.Connection) -> None:
    for ask in (
        lambda: names(growing, bad),
        lambda: changes_between(growing, "2024-01-15", bad),
        lambda: record_snapshot(growing, 1, bad),
        lambda: growing.execute("SELECT filter_docs(%s)", [json.dumps({"as_of": bad})]),
    ):
        with pytest.raises((psycopg.Error, StcError), match=f"'{bad}' is not a date"):
            ask()


def test_a_day_without_a_snapshot(growing: psycopg.Connection) -> None:
    with pytest.raises(BadArgument, match="there is no snapshot up to 2023-12-31") as error:
        changes_between(growing, "2023-12-31", "2024-03-01")
    assert "The first is of 2024-01-15" in (error.value.hint or "")
    with pytest.raises(BadArgument, match="2024-01-15 is before 2024-06-30"):
        changes_between(growing, "2024-06-30", "2024-01-15")
    with pytest.raises(BadArgument, match="the date 2999-01-01 is in the future"):
        record_snapshot(growing, 1, "2999-01-01")


def test_a_collection_without_snapshots(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="the collection has no snapshots") as error:
        changes_between(conn, "2024-01-15", "2024-03-01")
    assert "stc load --as corpus FILE --date" in (error.value.hint or "")


def test_the_commands(conn: psycopg.Connection, settings: Settings, write: Write) -> None:
    def stc(*words: str) -> Any:
        return CliRunner().invoke(corpus_group, [*words], obj=settings)

    one, two = write("one.jsonl", lines("ab")), write("two.jsonl", lines("bc"))
    for bad in ("1.2.2024", "02/01/2024", "2024-2-1", "February 1, 2024", "20240201", "2999-01-01"):
        refused = stc("load", str(one), "--date", bad)
        assert isinstance(refused.exception, BadArgument)
        assert bad in str(refused.exception)
    assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (0,)
    assert "2 documents in the snapshot of 2024-01-01" in stc("load", str(one), "--date", "2024-01-01").output
    assert "2 documents in the snapshot of 2024-02-01" in stc("load", str(two), "--date", "2024-02-01").output
    # the same file is the collection on a third day
    assert "2 documents in the snapshot of 2024-03-01" in stc("load", str(one), "--date", "2024-03-01").output
    shown = json.loads(stc("snapshots", "--format", "json").stdout)
    assert [row["day"] for row in shown] == ["2024-01-01", "2024-02-01", "2024-03-01"]
    changed = json.loads(stc("changes", "2024-01-01", "2024-02-01", "--format", "json").stdout)
    assert [(row["change"], row["docno"]) for row in changed] == [("added", "c"), ("removed", "a")]
    changed = json.loads(stc("changes", "2024-02-01", "2024-03-01", "--format", "json").stdout)
    assert [(row["change"], row["docno"]) for row in changed] == [("added", "a"), ("removed", "c")]
    assert [(row["added"], row["removed"]) for row in shown] == [(2, 0), (1, 1), (1, 1)]
    out = stc("export", "--as-of", "2024-01-31")
    assert [json.loads(line)["docno"] for line in out.stdout.splitlines()] == ["a", "b"]


def test_a_load_in_python_has_a_date(conn: psycopg.Connection, settings: Settings, write: Write) -> None:
    with Collection(settings) as collection:
        with pytest.raises(BadArgument, match="'2024/01/01' is not a date"):
            collection.corpus.load(str(write("one.jsonl", lines("ab"))), date="2024/01/01")
        assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (0,)
        collection.corpus.load(str(write("one.jsonl", lines("ab"))), date="2024-01-01")
        collection.corpus.load([{"id": name, "text": f"Speaker {name}."} for name in "bc"], date="2024-02-01")
    assert names(conn, "2024-01-31") == "ab"
    assert names(conn, "2024-02-01") == "bc"
