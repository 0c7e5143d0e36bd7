"""Differences between editions; sources of editions, and whether they have changed."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import sys
from collections import Counter
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.qrels.diff import by_grade, by_query, changes, diff
from stcollection.qrels.editions import drop_edition, editions
from stcollection.qrels.load import import_qrels
from stcollection.qrels.sources import sources, state
from tests.groups import qrels
from tests.qrels.conftest import Judge, says


@pytest.mark.slow
def test_by_hand(conn: psycopg.Connection, judge: Judge, settings_: Settings) -> None:
    judge("q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\n", "a")
    judge("q1 0 d1 2\nq1 0 d2 1\nq1 0 d4 1\nq3 0 d1 0\n", "b", origin="llm")
    cells = diff(conn, "a", "b")
    assert by_grade(cells) == {(2, 2): 1, (0, 1): 1, (1, None): 2, (None, 1): 1, (None, 0): 1}
    assert by_query(cells) == {
        "q1": {"same": 1, "changed": 1, "removed": 1, "added": 1},
        "q2": {"removed": 1},
        "q3": {"added": 1},
    }
    assert changes(conn, "a", "b") == [
        ("q1", "d2", "changed", 0, 1, "human", "llm", None),
        ("q1", "d3", "removed", 1, None, "human", None, None),
        ("q1", "d4", "added", None, 1, None, "llm", None),
        ("q2", "d1", "removed", 1, None, "human", None, None),
        ("q3", "d1", "added", None, 0, None, "llm", None),
    ]
    assert {cell.change for cell in diff(conn, "a", "a")} == {"same"}

    def stc(*arguments: str) -> str:
        return CliRunner().invoke(qrels, ["diff", *arguments], obj=settings_, catch_exceptions=False).stdout

    assert stc("a", "b").startswith("1 same, 1 changed, 2 added, 2 removed; from a to b\n")
    told = json.loads(stc("a", "b", "--format", "json"))
    assert told["totals"] == {"same": 1, "changed": 1, "added": 2, "removed": 2}
    assert {"a": None, "b": 0, "judgments": 1} in told["grades"]
    assert told["queries"][0] == {"query": "q1", "same": 1, "changed": 1, "added": 1, "removed": 1}
    rows = list(csv.DictReader(io.StringIO(stc("a", "b", "--format", "csv"))))
    assert sum(int(row["judgments"]) for row in rows) == 6
    assert len(json.loads(stc("a", "b", "--judgments", "--format", "json"))) == 5


editions_ = st.dictionaries(st.tuples(st.sampled_from(["q", "Q", "a-b"]), st.sampled_from("abcd")), st.integers(-1, 2), min_size=1)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(a=editions_, b=editions_)
def test_by_another_way(
    conn: psycopg.Connection, judge: Judge, a: dict[tuple[str, str], int], b: dict[tuple[str, str], int]
) -> None:
    for name, said in (("a", a), ("b", b)):
        if any(one.edition == name for one in editions(conn)):
            drop_edition(conn, name)
        judge("".join(f"{query} 0 {doc} {rel}\n" for (query, doc), rel in said.items()), name)
    assert by_grade(diff(conn, "a", "b")) == Counter((a.get(pair), b.get(pair)) for pair in a.keys() | b.keys())
    expected = [(*pair, a.get(pair), b.get(pair)) for pair in sorted(a.keys() | b.keys()) if a.get(pair) != b.get(pair)]
    assert [(one.query, one.doc, one.rel_a, one.rel_b) for one in changes(conn, "a", "b")] == expected


def test_an_unknown_edition(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q 0 d 1\n", "train")
    with pytest.raises(UnknownObject, match="no edition 'trainn'") as error:
        diff(conn, "train", "trainn")
    assert "Did you mean 'train'?" in (error.value.hint or "")
    with pytest.raises(UnknownObject):
        changes(conn, "x", "train")
    with pytest.raises(UnknownObject):
        sources(conn, "x")


def test_judgments_of_standard_input_are_no_file(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    for text in (b"q1 0 d1 2\n", b"q1 0 d2 1\n"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        import_qrels(conn, Path("-"), edition="x", warn=told.append)
    assert told == []  # another input is not a changed file
    assert [(one.path, one.added, state(one)) for one in sources(conn)] == [("-", 1, "unknown"), ("-", 1, "unknown")]


@pytest.mark.slow
def test_the_ledger_of_files(conn: psycopg.Connection, settings_: Settings, data: Path, tmp_path: Path) -> None:
    path, link = tmp_path / "track.qrels", tmp_path / "latest.qrels"
    path.write_bytes(b"q1 0 d1 2\r\nq1 0 d2 0")
    link.symlink_to(path)
    for _ in range(2):
        import_qrels(conn, link, edition="2023")
    [first] = sources(conn)
    assert (first.edition, first.path, first.judgments, first.added) == ("2023", str(link), 2, 2)
    assert (first.sha256, state(first)) == (hashlib.sha256(b"q1 0 d1 2\r\nq1 0 d2 0").hexdigest(), "same")

    told: list[str] = []
    import_qrels(conn, link, edition="other", warn=told.append)
    assert told == []
    path.write_bytes(b"q1 0 d1 1\nq1 0 d2 0\n")  # upstream changed a grade, silently
    assert state(first) == "changed"
    with pytest.raises(BadInput, match="is 1 here and stored as 2"):
        import_qrels(conn, link, edition="2023", warn=told.append)
    [warning] = told
    assert warning.startswith(f"upstream changed: {link} is not the file that was imported into 'other' on ")
    assert str(first.sha256)[:12] in warning

    done = CliRunner().invoke(qrels, ["import", str(link), "--edition", "2024"], obj=settings_, catch_exceptions=False)
    assert "stc: upstream changed: " in done.stderr
    assert says(conn, "2024") == {("q1", "d1"): 1, ("q1", "d2"): 0}
    assert [(one.edition, one.judgments, state(one)) for one in sources(conn)] == [
        ("2023", 2, "changed"),
        ("other", 2, "changed"),
        ("2024", 2, "same"),
    ]
    done = CliRunner().invoke(qrels, ["files", "2023", "--check"], obj=settings_)
    assert isinstance(done.exception, BadInput)
    assert "changed" in done.stdout
    link.unlink()
    assert [state(one) for one in sources(conn, "2024")] == ["gone"]


def test_a_file_whose_name_is_not_utf8(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.qrels"))
    path.write_text("q 0 d 1\n")
    import_qrels(conn, path, edition="mine")
    assert sources(conn)[0].path == f"{tmp_path}/\\xff.qrels"
    path.write_text("q 0 e 1\n")
    told: list[str] = []
    import_qrels(conn, path, edition="mine", warn=told.append)
    assert told[0].startswith("upstream changed: ")
    with pytest.raises(BadArgument, match="' ' is not a valid edition name"):
        import_qrels(conn, path, edition=" ")


def test_judgments_imported_in_sql_have_a_row_too(conn: psycopg.Connection) -> None:
    with conn.transaction():
        conn.execute("SELECT stc.stage_incoming()")
        conn.execute("INSERT INTO incoming (query, docno, rel) VALUES ('q', 'd', 1)")
        conn.execute("SELECT stc.import_qrels('mine')")
    [source] = sources(conn, "mine")
    assert (source.path, source.sha256, source.judgments, state(source)) == ("incoming", None, 1, "unknown")


@pytest.fixture
def settings_(settings: Settings) -> Settings:
    """Return the fixture settings under another name, which hypothesis uses too."""
    return settings
