"""Receiving submissions: accepted and rejected files with reasons, each exactly once despite interruptions."""

from __future__ import annotations

import gzip
import json
import os
import signal
from pathlib import Path
from typing import Any

import psycopg
import pytest
import zstandard
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput
from stcollection.runs.receive import ACCEPTED, KNOWN, LEFT, REJECTED, Receipt, TrackRules, receipts, receive
from tests.at_once import at_once
from tests.groups import runs
from tests.runs.conftest import ranking
from tests.runs.test_policies import contents, killed, large

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(conn: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder for a collection of two queries and fifty documents; files are read without waiting."""
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('G01.1', 'x'), ('G01.2', 'x')")
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT n, n::text, '{}' FROM generate_series(1, 50) n")
    monkeypatch.setattr("stcollection.runs.intake.SETTLE", 0)
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def submission(team: str = "ST", name: str = "x", docno: int = 1, **change: Any) -> str:
    record = {
        "run_id": f"{team}_task1_{name}", "manual": 0, "topic_id": "G01", "query_id": "G01.1", "doc_id": docno, "rel_score": 0.5,
        "comb_score": 0.5, "passage": "p",
    } | change  # fmt: skip
    return f"[\n{json.dumps(record)}\n]\n"


def take(conn: psycopg.Connection, folder: Path, **rules: Any) -> dict[str, Receipt]:
    return {one.file: one for one in receive(conn, folder, rules=TrackRules(**rules))}


def states(found: dict[str, Receipt]) -> dict[str, str]:
    return {file: one.state for file, one in found.items()}


def why(receipt: Receipt) -> list[str]:
    return [f"{fault.line}: {fault.what}" for fault in receipt.reasons if not fault.note]


def names(conn: psycopg.Connection) -> list[str]:
    return [run for (run,) in conn.execute("SELECT run FROM st1_runs ORDER BY run")]


def test_what_is_taken(conn: psycopg.Connection, folder: Path) -> None:
    trec = "G01.1 Q0 7 1 2.0 t\nG01.1 Q0 8 2 1.0 t\n"
    (folder / "us").mkdir()
    (folder / "a.json").write_text(submission())
    (folder / "b.run").write_text(trec.replace(" t\n", " LIA_task1_bm25\n"))
    (folder / "us" / "c.run.gz").write_bytes(gzip.compress(trec.encode()))
    (folder / "us" / "c.yml").write_text("actor: {name: Jo}\n")
    (folder / "us" / "d.tsv.zst").write_bytes(
        zstandard.compress(b"run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage\nUS_task1_d\t1\tG01\tG01.1\t9\tp\n")
    )
    (folder / ".hidden").write_text("x")
    found = take(conn, folder, team_limit=2)
    assert states(found) == dict.fromkeys(["a.json", "b.run", "us/c.run.gz", "us/d.tsv.zst"], ACCEPTED)
    assert [(one.run, one.team) for one in found.values()] == [
        ("ST_task1_x", "ST"),
        ("LIA_task1_bm25", "LIA"),
        ("us_task1_c", "us"),
        ("US_task1_d", "US"),
    ]
    assert ranking(conn, "us_task1_c") == {"G01.1": ["7", "8"]}
    assert conn.execute("SELECT source, metadata, manual FROM st1_runs WHERE team = 'us'").fetchone() == (
        "us/c.run.gz",
        {"actor": {"name": "Jo"}},
        False,
    )
    assert [(one.file, one.accepted, one.run) for one in receipts(conn, team="us")] == [
        ("us/c.run.gz", True, "us_task1_c"),
        ("us/d.tsv.zst", True, "US_task1_d"),
    ]
    again = take(conn, folder, team_limit=2)
    assert set(states(again).values()) == {KNOWN}
    assert [one.run for one in again.values()] == [one.run for one in found.values()]
    assert len(receipts(conn)) == 4
    (folder / "copy.json").write_text(submission())
    assert take(conn, folder)["copy.json"].run == "ST_task1_x"


REJECT: list[tuple[str, str | bytes, str]] = [
    ("empty.run", "", "0: an empty file"),
    ("blank.run", " \n\n", "0: the file contains no ranked document"),
    ("binary.run", os.urandom(2000) + b"\xff", "not UTF-8"),
    ("zip.json", b"PK\x03\x04" + bytes(50), "0: the compressed data is truncated or damaged (it is not a readable .zip"),
    ("utf16.json", submission().encode("utf-16"), "1: UTF-16"),
    ("half.run.gz", gzip.compress(b"G01.1 Q0 1 1 1 ST_task1_x\n" * 50, mtime=0)[:-9], "0: the compressed data is truncated"),
    ("half.run.zst", zstandard.compress(os.urandom(5000))[:-100], "0: the compressed data is truncated"),
    ("twice.run.gz", gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "0: compressed twice"),
    ("bomb.run.gz", gzip.compress(bytes(3_000_000), mtime=0), "0: more than 1,000,000 bytes when unpacked"),
    ("bomb.run.zst", zstandard.compress(bytes(3_000_000)), "0: more than 1,000,000 bytes when unpacked"),
    ("huge.run", b"#" * 1_000_001, "0: 1,000,001 bytes; at most 1,000,000 are allowed"),
    ("noteam.run", "G01.1 Q0 1 1 1 bm25\n", "0: no team"),
    ("noteam.json", submission(run_id="bm25"), "2: run_id 'bm25' is not TEAM_task1_NAME"),
    ("escape.run", "G01.1 Q0 1 1 1 \x1b[2J_task1_x\n", "0: run_id '\\x1b[2J_task1_x' contains unprintable characters"),
    ("task.json", submission(run_id="ST_task2_x"), "2: run_id 'ST_task2_x' is for task 2, not 1"),
    ("task.run", "G01.1 Q0 1 1 1 ST_task2_x\n", "0: tag 'ST_task2_x' is for task 2, not 1"),
    ("doc.json", submission(docno=99), "2: document 99 is not in the collection"),
    ("query.json", submission(query_id="G01.9"), "2: query G01.9 is not in the collection"),
    ("score.json", submission(rel_score=1.5), "2: rel_score 1.5 is not in [0, 1]"),
    ("double.run", "G01.1 Q0 1 1 1 ST_task1_x\n" * 2, "2: query G01.1 has document 1 already, on line 1"),
    ("deep.run", "G01.1 Q0 1 1 2 ST_task1_x\nG01.1 Q0 2 1 1 ST_task1_x\n", "2: query G01.1 has 2 documents, more than 1"),
    ("long.run", f"G01.1 Q0 {'y' * 9000} 1 2 ST_task1_x\n", "1: a name of 9,000 bytes; at most 2,000 are allowed"),
    ("head.run", "# ir_metadata.start\n# who: me\n# ir_metadata.end\nG01.1 Q0 1 1 2 ST_task1_x\n", "2: metadata: unknown section"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "reason"), REJECT)
def test_what_is_rejected_and_why(conn: psycopg.Connection, folder: Path, name: str, content: str | bytes, reason: str) -> None:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = contents(conn)
    found = take(conn, folder, task=1, depth=1, largest=1_000_000)
    assert states(found) == {name: REJECTED}
    assert any(reason in one for one in why(found[name])), why(found[name])
    [kept] = receipts(conn)
    assert (kept.file, kept.accepted, kept.run) == (name, False, None)
    assert [f"{one['line']}: {one['what']}" for one in kept.reasons if not one["note"]] == why(found[name])
    take(conn, folder, task=1, depth=1, largest=1_000_000)
    assert len(receipts(conn)) == 1, "the same answer to the same file is one receipt"
    after = contents(conn)
    assert {table for table in after if after[table] != before[table]} == {"stc_all.run_receipts"}


def test_nothing_outside_the_folder_is_read(conn: psycopg.Connection, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text(submission())
    (folder / "link.json").symlink_to(secret)
    (folder / "dangling.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.json").write_text(submission())
    (folder / "team").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(folder / "fifo.run")
    (folder / "a.json").write_text(submission(name="a"))
    (folder / "a.yml").symlink_to(secret)
    (folder / "ST" / "deep").mkdir(parents=True)
    found = take(conn, folder)
    assert states(found) == {
        "a.json": REJECTED,
        "dangling.json": REJECTED,
        "fifo.run": REJECTED,
        "link.json": REJECTED,
        "team": REJECTED,
        "ST/deep": LEFT,
    }
    links = {file: one for file, one in found.items() if file not in ("fifo.run", "ST/deep")}
    assert all(why(one) == ["0: a link; submit the file itself"] and one.sha256 == "" for one in links.values())
    assert why(found["fifo.run"]) == ["0: not a regular file"]
    assert names(conn) == []
    with pytest.raises(BadArgument, match="is not a folder"):
        take(conn, secret)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(conn: psycopg.Connection, folder: Path) -> None:
    (folder / "a.json").write_text(submission())
    (folder / "a.json").chmod(0)
    assert why(take(conn, folder)["a.json"]) == ["0: no permission to read the file"]


def test_names_of_files_of_every_kind(conn: psycopg.Connection, folder: Path) -> None:
    strange = [b"a\nb.json", b"\xff\xfe.json", "größe 1.json".encode(), b"raw", b"plain", b"-rf.json", b"\x1b[2J.json"]
    for number, name in enumerate(strange):
        (folder / os.fsdecode(name)).write_text(submission(name=str(number), docno=number + 1))
    found = take(conn, folder)
    assert set(states(found).values()) == {ACCEPTED}
    assert set(found) == {"a\\nb.json", "\\xff\\xfe.json", "größe 1.json", "raw", "plain", "-rf.json", "\\x1b[2J.json"}
    assert len(names(conn)) == len(strange)


def test_the_limit_and_the_name(conn: psycopg.Connection, folder: Path) -> None:
    for number in range(3):
        (folder / f"{number}.json").write_text(submission(team="ST" if number else "st", name=str(number)))
    found = take(conn, folder, team_limit=2)
    assert list(states(found).values()) == [ACCEPTED, ACCEPTED, REJECTED]
    assert why(found["2.json"]) == ["0: team ST has reached its limit of runs: 2 stored, 2 allowed"]
    (folder / "same.json").write_text(submission(name="1", docno=5))
    assert why(take(conn, folder, team_limit=9)["same.json"]) == ["0: run ST_task1_1 already exists, from another file"]
    assert names(conn) == ["ST_task1_1", "ST_task1_2", "st_task1_0"]
    (folder / "them").mkdir()
    (folder / "them" / "a.json").write_text(submission(name="9"))
    assert why(take(conn, folder)["them/a.json"]) == ["0: run_id 'ST_task1_9' names team 'ST', but the folder is 'them'"]
    with pytest.raises(BadArgument, match="a limit of 0 runs"):
        take(conn, folder, team_limit=0)


def test_what_policies_allow(conn: psycopg.Connection, folder: Path) -> None:
    (folder / "a.run").write_text(
        "G01.1 Q0 1 1 1 A_task1_a\nG01.1 Q0 1 2 2 A_task1_a\nG01.1 Q0 x 3 3 A_task1_a\nq Q0 1 1 1 A_task1_a\n"
    )
    assert len(why(take(conn, folder)["a.run"])) == 3
    found = take(conn, folder, on_duplicate="best", unknown_documents="skip", unknown_queries="skip")["a.run"]
    assert found.state == ACCEPTED
    assert [fault.line for fault in found.reasons if fault.line] == [2, 3, 4]
    assert ranking(conn, "A_task1_a") == {"G01.1": ["1"]}
    assert conn.execute("SELECT count(*) FROM dblp WHERE stub").fetchone() == (0,)
    (folder / "b.run").write_text("nope Q0 1 1 1 A_task1_b\n")
    assert why(take(conn, folder, unknown_queries="skip")["b.run"]) == ["0: b.run has no ranked document to store"]
    (folder / "c.json").write_text(submission(passage="", name="c"))
    assert why(take(conn, folder, accept_notes=False)["c.json"]) == ["0: this track rejects files with notes"]
    assert take(conn, folder)["c.json"].state == ACCEPTED


def test_columns_of_tables(conn: psycopg.Connection, folder: Path) -> None:
    (folder / "A").mkdir()
    (folder / "A" / "a.csv").write_text("frage,paper,points\nG01.1,2,5\nG01.1,3,7\n")
    assert states(take(conn, folder)) == {"A/a.csv": REJECTED}
    taken = take(conn, folder, columns="query=frage,doc=paper,score=points")
    assert (states(taken), why(taken["A/a.csv"])) == ({"A/a.csv": ACCEPTED}, [])
    assert [ranking(conn, run) for run in names(conn)] == [{"G01.1": ["3", "2"]}]


def test_a_corrected_file_is_taken(conn: psycopg.Connection, folder: Path) -> None:
    (folder / "a.json").write_text(submission(manual=5))
    assert take(conn, folder)["a.json"].state == REJECTED
    (folder / "a.json").write_text(submission())
    assert take(conn, folder)["a.json"].state == ACCEPTED
    assert [one.accepted for one in receipts(conn)] == [False, True]
    conn.execute("DELETE FROM st1_runs")
    assert take(conn, folder)["a.json"].state == ACCEPTED, "a run that was removed is taken again"


def test_a_file_that_is_being_written(conn: psycopg.Connection, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer continues while the intake waits for the file to settle."""
    (folder / "a.json").write_text(submission())
    (folder / "b.json.part").write_text(submission(name="b"))

    def goes_on(seconds: float) -> None:
        with (folder / "a.json").open("a") as file:
            file.write(" ")

    monkeypatch.setattr("stcollection.runs.intake.SETTLE", 3600)
    monkeypatch.setattr("time.sleep", goes_on)
    assert states(take(conn, folder)) == {"a.json": LEFT, "b.json.part": LEFT}
    assert receipts(conn) == []
    monkeypatch.setattr("stcollection.runs.intake.SETTLE", 0)
    assert states(take(conn, folder)) == {"a.json": ACCEPTED, "b.json.part": LEFT}


def test_many_reasons_are_cut(conn: psycopg.Connection, folder: Path) -> None:
    (folder / "a.run").write_text("G01.1 Q0 1\n" * 3000)
    found = take(conn, folder)["a.run"]
    assert len(found.reasons) == 1001
    assert found.reasons[-1].what == "2,000 further reasons"


def test_two_at_once(dsn: str, conn: psycopg.Connection, folder: Path) -> None:
    for number in range(12):
        (folder / f"{number:02}.json").write_text(submission(team=f"T{number % 3}", name=str(number)))
    told: list[Receipt] = []

    def work() -> None:
        with psycopg.connect(dsn) as own:
            told.extend(receive(own, folder, rules=TrackRules(team_limit=2)))

    at_once(lambda _: work(), range(3))
    assert len(told) == 36
    assert len([one for one in told if one.state == ACCEPTED]) == 6
    assert conn.execute("SELECT lower(team), count(*) FROM st1_runs GROUP BY 1 ORDER BY 1").fetchall() == [
        ("t0", 2),
        ("t1", 2),
        ("t2", 2),
    ]
    kept = receipts(conn)
    assert len([one for one in kept if one.accepted]) == 6
    assert len({(one.file, one.accepted) for one in kept}) == len(kept) == 12


@pytest.mark.long
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_and_again(settings: Settings, conn: psycopg.Connection, folder: Path, signal_: int) -> None:
    (folder / "a.json").write_text(submission())
    path = large(folder / "b.run")
    path.write_text(path.read_text().replace(" t\n", " ST_task1_b\n"))
    arguments = ["runs", "receive", str(folder), "--unknown-docs", "stub", "--unknown-queries", "stub"]
    os.utime(folder / "a.json", (0, 0))
    os.utime(path, (0, 0))
    killed(settings, arguments, conn, signal_, when="EXISTS (SELECT FROM stc_all.run_receipts)", claimed="ST_task1_b")
    assert names(conn) == ["ST_task1_x"]
    assert [one.file for one in receipts(conn)] == ["a.json"]
    found = take(conn, folder, unknown_documents="stub", unknown_queries="stub")
    assert states(found) == {"a.json": KNOWN, "b.run": ACCEPTED}
    assert names(conn) == ["ST_task1_b", "ST_task1_x"]


def test_the_commands(settings: Settings, folder: Path, tmp_path: Path) -> None:
    (folder / "a.json").write_text(submission())
    (folder / "b.json").write_text(submission(manual=7, name="b"))
    kept = tmp_path / "receipts.jsonl"
    done = CliRunner().invoke(runs, ["receive", str(folder), "--team-limit", "1", "--receipts", str(kept)], obj=settings)
    assert isinstance(done.exception, BadInput)
    assert done.exception.exit_code == 3
    assert (
        "a.json: accepted as ST_task1_x\n    a.json: note: no results for 1 of the collection's 2 queries: G01.2\n" in done.stdout
    )
    assert (
        "b.json: rejected\n    b.json:2: manual is '7', neither 0 nor 1\n"
        "    b.json: team ST has reached its limit of runs: 1 stored, 1 allowed\n" in done.stdout
    )
    assert "1 accepted, 1 rejected\n" in done.stdout
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [(one["file"], one["state"], one["run"]) for one in records] == [
        ("a.json", "accepted", "ST_task1_x"),
        ("b.json", "rejected", None),
    ]
    assert {"line": 2, "what": "manual is '7', neither 0 nor 1", "note": False} in records[1]["reasons"]
    (folder / "b.json").unlink()
    done = CliRunner().invoke(runs, ["receive", str(folder), "--receipts", str(kept)], obj=settings)
    assert (done.exit_code, done.stdout) == (0, "a.json: already stored as run ST_task1_x\n1 known\n")
    assert len(kept.read_text().splitlines()) == 3
    listed = CliRunner().invoke(runs, ["receipts"], obj=settings).stdout
    assert "rejected" in listed
    assert [one["file"] for one in json.loads(CliRunner().invoke(runs, ["receipts", "--format", "json"], obj=settings).stdout)] == [
        "a.json",
        "b.json",
    ]
