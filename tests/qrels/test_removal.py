"""Removal of judgments by file, and changed files."""

from __future__ import annotations

import math
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.qrels.editions import drop_edition, editions, seal
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.qrels.removal import remove_edition, remove_file
from stcollection.qrels.sources import sources
from stcollection.runs.load import import_runs
from tests.groups import qrels
from tests.qrels.conftest import says

pytestmark = pytest.mark.slow


@pytest.fixture
def two(conn: psycopg.Connection, tmp_path: Path) -> tuple[Path, Path]:
    """Import two files of one edition that share a judgment."""
    paths = tmp_path / "first.qrels", tmp_path / "second.qrels"
    for path, text in zip(paths, ("q 0 a 1\nq 0 b 0\n", "q 0 b 0\nq 0 c 2\nq 0 d 1\n"), strict=True):
        path.write_text(text)
        import_qrels(conn, path, edition="mine")
    return paths


def test_a_file_is_removed_and_imported_again(conn: psycopg.Connection, two: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "r.run").write_text("q Q0 c 1 2 t\nq Q0 a 2 1 t\n")
    list(import_runs(conn, [tmp_path / "r.run"]))
    ndcg = "SELECT value FROM scores('{r}', 'mine', '{nDCG@10}')"
    conn.execute("SELECT judge_runs('{}', 'mine')")  # stored, with another version once the judgments are gone
    before, score = says(conn), conn.execute(ndcg).fetchall()
    found = remove_file(conn, "second.qrels", dry_run=True)
    assert (found.judgments, found.shared, found.edition_dropped, found.path) == (2, 1, False, str(two[1]))
    assert says(conn) == before
    done = remove_file(conn, str(two[1]))
    assert done == found
    assert says(conn) == {("q", "a"): 1, ("q", "b"): 0}
    assert [Path(one.path).name for one in sources(conn)] == ["first.qrels"]
    assert conn.execute(ndcg).fetchall() == [(pytest.approx(1 / math.log2(3)),)] != score
    assert import_qrels(conn, two[1], edition="mine").added == 2
    assert says(conn) == before
    assert conn.execute(ndcg).fetchall() == score


def test_an_edition_without_judgments_goes(conn: psycopg.Connection, two: tuple[Path, Path]) -> None:
    assert not remove_file(conn, "first.qrels").edition_dropped
    assert remove_file(conn, "second.qrels", dry_run=True).edition_dropped
    assert remove_file(conn, "second.qrels").edition_dropped
    assert editions(conn) == []


def test_what_others_judged_stays(conn: psycopg.Connection, two: tuple[Path, Path]) -> None:
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator)"
        " SELECT edition, query, doc, 2, 'anna' FROM qrels_judgments"
    )
    remove_file(conn, "first.qrels")
    done = remove_file(conn, "second.qrels")
    assert not done.edition_dropped
    assert conn.execute("SELECT DISTINCT annotator FROM qrels_judgments").fetchall() == [("anna",)]


def test_what_cannot_be_removed(conn: psycopg.Connection, two: tuple[Path, Path]) -> None:
    import_qrels(conn, two[0], edition="other")
    with pytest.raises(BadArgument, match="was loaded 2 times") as several:
        remove_file(conn, "first.qrels")
    assert "--edition" in (several.value.hint or "")
    with pytest.raises(UnknownObject, match="no file 'third' was loaded"):
        remove_file(conn, "third")
    with pytest.raises(UnknownObject, match="no edition"):
        remove_file(conn, "first.qrels", edition="none")
    assert remove_file(conn, "first.qrels", edition="other", dry_run=True).judgments == 2
    seal(conn, "mine")
    before = says(conn)
    for dry_run in (True, False):
        with pytest.raises(StateError, match="edition 'mine' has been sealed"):
            remove_file(conn, "first.qrels", edition="mine", dry_run=dry_run)
        with pytest.raises(StateError, match="edition 'mine' has been sealed"):
            remove_edition(conn, "mine", dry_run=dry_run)
    assert says(conn) == before
    assert remove_edition(conn, "mine", even_sealed=True, dry_run=True).judgments == 4
    assert says(conn) == before
    assert remove_edition(conn, "mine", even_sealed=True).judgments == 4
    assert [one.edition for one in editions(conn)] == ["other"]


@pytest.mark.usefixtures("dsn")  # each import has a different time
def test_files_of_an_earlier_version(conn: psycopg.Connection, two: tuple[Path, Path]) -> None:
    """Their judgments are found by the time of the import, if it is unambiguous."""
    conn.execute("UPDATE qrels_files SET rows = NULL")
    assert remove_file(conn, "second.qrels").judgments == 2
    assert says(conn) == {("q", "a"): 1, ("q", "b"): 0}
    conn.execute("UPDATE qrels_files SET imported = imported - interval '1 s'")
    with pytest.raises(StateError, match="was not recorded") as unknown:
        remove_file(conn, "first.qrels")
    assert "stc drop edition mine" in (unknown.value.hint or "")


def test_a_changed_file_is_compared_with_the_earlier_one(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "mine.qrels"
    path.write_text("q 0 a 1\nq 0 b 0\nq 0 c 2\n")
    assert import_qrels(conn, path, edition="mine").earlier is None
    path.write_text("q 0 b 0\nq 0 d 1\n")
    shown = CliRunner().invoke(qrels, ["import", str(path), "--edition", "mine"], obj=settings).output
    earlier = sources(conn)[0].sha256
    assert earlier is not None
    assert "2 judgments on 1 query, 1 added; 1 stored already" in shown
    assert f"2 judgments of the earlier file stay: stc drop edition --file {earlier[:12]}\n" in shown
    dropped = CliRunner().invoke(qrels, ["drop", "--file", earlier[:12]], obj=settings, input="y\n").output
    assert f"{path} of the edition 'mine': 2 judgments; 1 more judgment stays: another file" in dropped
    assert dropped.endswith("removed 2 judgments of the edition 'mine'\n")
    assert says(conn) == {("q", "b"): 0, ("q", "d"): 1}

    path.write_text("q 0 b 2\nq 0 d 2\nq 0 e 1\n")
    with pytest.raises(BadInput, match=r"document b is 2 here and stored as 0; 1 more judgment differs"):
        import_qrels(conn, path, edition="mine")
    assert says(conn) == {("q", "b"): 0, ("q", "d"): 1}


def test_the_command_asks(settings: Settings, conn: psycopg.Connection, two: tuple[Path, Path]) -> None:
    before = says(conn)
    for arguments, answer in ((["--dry-run"], ""), ([], "n\n")):
        shown = CliRunner().invoke(qrels, ["drop", "mine", *arguments], obj=settings, input=answer).output
        assert "the edition 'mine': 4 judgments\n" in shown
        assert says(conn) == before
    with pytest.raises(BadArgument, match="selections of what to remove"):
        CliRunner().invoke(qrels, ["drop"], obj=settings, catch_exceptions=False)
    shown = CliRunner().invoke(qrels, ["drop", "mine", "--yes"], obj=settings).output
    assert shown.endswith("removed the edition 'mine': 4 judgments\n")
    with pytest.raises(UnknownObject):
        drop_edition(conn, "mine")


def test_a_collection_without_a_corpus_takes_any_file(conn: psycopg.Connection, tmp_path: Path) -> None:
    """Runs and judgments can be scored without documents, which become stubs."""
    (tmp_path / "mine.qrels").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "mine.run").write_text("q Q0 x 1 2 t\nq Q0 y 2 1 t\n")
    assert import_qrels(conn, tmp_path / "mine.qrels", edition="mine").new_documents == 2
    [run] = import_runs(conn, [tmp_path / "mine.run"])
    assert run.counts.new_documents == 2
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, 'z', '{}')")
    (tmp_path / "other.run").write_text("q Q0 u 1 2 t\nq Q0 v 2 1 t\n")
    with pytest.raises(BadInput, match="another collection: 2 of its 2 documents are not in this one, for example 'u', 'v'"):
        list(import_runs(conn, [tmp_path / "other.run"]))
    assert JudgmentOptions().unknown_documents == "few"
