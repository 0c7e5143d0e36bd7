"""A file of another collection creates no stubs here without an explicit option; exactly the received file is checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.check import check_run
from stcollection.runs.load import ImportOptions, import_runs
from stcollection.runs.receive import TrackRules, receipts, receive
from tests.groups import qrels, runs

pytestmark = pytest.mark.slow

Write = Callable[[str, int, int], Path]


def count(conn: psycopg.Connection, what: str) -> int:
    row = conn.execute(f"SELECT count(*) FROM {what}".encode()).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT n, 'd' || n, '{}' FROM generate_series(1, 300) n")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'a query')")
    return conn


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def written(kind: str, known: int, unknown: int) -> Path:
        path = tmp_path / f"{kind}-{known}-{unknown}"
        names = [*(f"d{n}" for n in range(1, known + 1)), *(f"x{n}" for n in range(unknown))]
        line = "q Q0 {} {} {} t\n" if kind == "run" else "q 0 {} 1\n"
        path.write_text("".join(line.format(name, place, 5000 - place) for place, name in enumerate(names)))
        return path

    return written


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize(
    ("known", "unknown", "taken"),
    [
        (10, 10, True),
        (9, 10, False),
        (0, 1, False),
        (20, 11, False),
        (99, 11, True),
        (98, 12, False),
        (270, 30, True),
        (0, 40, False),
    ],
)
def test_few_unknown_documents_become_stubs(
    filled: psycopg.Connection, written: Write, kind: str, known: int, unknown: int, taken: bool
) -> None:
    path = written(kind, known, unknown)

    def take(policy: str) -> None:
        if kind == "run":
            import_runs_(filled, path, policy)
        else:
            import_qrels(filled, path, edition="mine", options=JudgmentOptions(unknown_documents=policy))

    if taken:
        take("few")
    else:
        with pytest.raises(BadInput, match=f"{unknown} of its {known + unknown} documents? (is|are) not in") as error:
            take("few")
        assert ("another collection" in error.value.message) is (unknown > known)
        assert "--unknown-docs stub" in (error.value.hint or "")
        assert count(filled, "dblp WHERE stub") == 0
        assert count(filled, "st1_runs") + count(filled, "qrels_editions") == 0
        take("stub")
    assert count(filled, "dblp WHERE stub") == unknown
    assert count(filled, "dblp WHERE NOT stub") == 300


def import_runs_(conn: psycopg.Connection, path: Path, policy: str) -> None:
    assert list(import_runs(conn, [path], options=ImportOptions(unknown_documents=policy)))


def test_a_collection_without_documents_takes_all(conn: psycopg.Connection, written: Write) -> None:
    import_runs_(conn, written("run", 0, 40), "few")
    import_qrels(conn, written("qrels", 0, 50), edition="mine", options=JudgmentOptions(unknown_documents="few"))
    assert count(conn, "dblp WHERE stub") == 50


def test_the_commands_ask_for_consent(filled: psycopg.Connection, settings: Settings, written: Write) -> None:
    calls = [(runs, ["import", str(written("run", 3, 40))]), (qrels, ["import", str(written("qrels", 3, 40)), "--edition", "mine"])]
    for command, arguments in calls:
        with pytest.raises(BadInput, match="40 of its 43 documents"):
            CliRunner().invoke(command, arguments, obj=settings, catch_exceptions=False)
    for command, arguments in calls:
        done = CliRunner().invoke(command, [*arguments, "--unknown-docs", "stub"], obj=settings, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert count(filled, "dblp WHERE stub") == 40


def test_a_check_of_unknown_documents_is_summarised(conn: psycopg.Connection, settings: Settings, written: Write) -> None:
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'a query')")
    path = written("run", 0, 500)
    [fault] = check_run(path, conn=conn).faults
    assert fault.what == "the collection has no documents, so it lacks all 500 documents of the run"
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, 'd1', '{}')")
    done = CliRunner().invoke(runs, ["check", "--in-collection", str(path)], obj=settings)
    assert isinstance(done.exception, BadInput)
    lines = done.output.splitlines()
    assert len(lines) == 7
    assert lines[-2] == f"{path}: … and 495 more; --all shows them"
    assert lines[-1].endswith("500 faults")
    done = CliRunner().invoke(runs, ["check", "--in-collection", "--all", str(path)], obj=settings)
    assert len(done.output.splitlines()) == 501


@pytest.mark.parametrize("tag", ["t", "ST_task2_x", "ST_task1_x_task1_y", "ST_task1_x"])
def test_what_the_check_accepts_is_received(
    filled: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tag: str
) -> None:
    monkeypatch.setattr("stcollection.runs.intake.SETTLE", 0)
    (tmp_path / "a.run").write_text(f"q Q0 d1 1 2.0 {tag}\nq Q0 d2 2 1.0 {tag}\n")
    checked = check_run(tmp_path / "a.run", task=1)
    [receipt] = receive(filled, tmp_path, rules=TrackRules(task=1))
    assert (checked.bad == 0) == (receipt.state == "accepted") == (tag == "ST_task1_x")
    assert {fault.what for fault in checked.faults} <= {fault.what for fault in receipt.reasons}


def test_a_tag_may_be_anything_where_the_folder_names_the_team(
    filled: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stcollection.runs.intake.SETTLE", 0)
    (tmp_path / "ST").mkdir()
    (tmp_path / "ST" / "a.run").write_text("q Q0 d1 1 2.0 t\n")
    [receipt] = receive(filled, tmp_path, rules=TrackRules(task=1))
    assert (receipt.state, receipt.run) == ("accepted", "ST_task1_a")


def test_all_further_reasons_are_counted(
    filled: psycopg.Connection, settings: Settings, written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stcollection.runs.intake.SETTLE", 0)
    folder = tmp_path / "in"
    folder.mkdir()
    written("run", 0, 3000).rename(folder / "a.run")
    done = CliRunner().invoke(runs, ["receive", str(folder)], obj=settings)
    assert "    and 2,991 more\n" in done.output  # 3,000 documents and no team; 10 are shown
    [stored] = receipts(filled)
    assert stored.reasons[-1]["what"] == "2,001 further reasons"
    assert "(and 3,000 more)" in CliRunner().invoke(runs, ["receipts"], obj=settings).output
