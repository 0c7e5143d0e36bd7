"""Removal of runs by name and by file; systems whose runs are already stored."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.runs.load import ImportOptions, import_runs
from stcollection.runs.removal import remove_runs
from tests.groups import runs

pytestmark = pytest.mark.slow


@pytest.fixture
def two(conn: psycopg.Connection, tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.run", tmp_path / "b.run"]
    for path in paths:
        path.write_text(f"q Q0 d1 1 2 t\nq Q0 {path.stem} 2 1 t\n")
    list(import_runs(conn, paths))
    return paths


def stored(conn: psycopg.Connection) -> list[str]:
    return [run for (run,) in conn.execute("SELECT run FROM st1_runs ORDER BY run")]


def test_a_run_is_removed_by_its_file_and_imported_again(conn: psycopg.Connection, two: list[Path]) -> None:
    [found] = remove_runs(conn, files=["a.run"], dry_run=True)
    assert (found.run, found.team, found.queries, found.ranked, found.scores, found.stubs) == ("a", None, 1, 2, 0, 2)
    assert stored(conn) == ["a", "b"]
    assert remove_runs(conn, files=[str(two[0])]) == [found]
    assert stored(conn) == ["b"]
    [again] = import_runs(conn, two[:1], options=ImportOptions())
    assert not again.already
    assert [one.run for one in remove_runs(conn, ["b", "a"])] == ["a", "b"]
    assert stored(conn) == []


def test_what_cannot_be_removed(conn: psycopg.Connection, two: list[Path]) -> None:
    list(import_runs(conn, two[:1], name="again"))
    with pytest.raises(BadArgument, match=r"a\.run was loaded 2 times: run a; run again") as several:
        remove_runs(conn, files=["a.run"])
    assert "Name the run" in (several.value.hint or "")
    with pytest.raises(UnknownObject, match="no run 'c'"):
        remove_runs(conn, ["a", "c"])
    with pytest.raises(UnknownObject, match="no file 'c' was loaded"):
        remove_runs(conn, files=["c"])
    with pytest.raises(BadArgument, match="selections of what to remove"):
        remove_runs(conn)
    assert stored(conn) == ["a", "again", "b"]


def test_the_command_asks(settings: Settings, conn: psycopg.Connection, two: list[Path]) -> None:
    for arguments, answer in ((["--dry-run"], ""), ([], "n\n")):
        shown = CliRunner().invoke(runs, ["drop", "a", *arguments], obj=settings, input=answer).output
        assert "run a: 2 documents ranked for 1 query\n" in shown
        assert stored(conn) == ["a", "b"]
    shown = CliRunner().invoke(runs, ["drop", "--file", "a.run", "--yes"], obj=settings).output
    assert "removed a\n" in shown
    assert "stc drop documents --stubs" in shown
    assert stored(conn) == ["b"]
