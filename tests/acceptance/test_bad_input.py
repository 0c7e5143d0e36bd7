"""Bad input gets one clear line naming file, line or value and what to do next, a non-zero exit code, and nothing is lost."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest

from stcollection import demo
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from tests.acceptance.conftest import Stc, environment, interrupt, runner

pytestmark = pytest.mark.slow


def refused(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    """One line that says what, one that says what next; the exit code of its kind; no traceback."""
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("stc: ")]
    assert len(lines) == 1, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr
    assert done.stderr.splitlines()[-1].startswith("     "), f"no next step: {done.stderr}"


def documents(conn: psycopg.Connection) -> int:
    row = conn.execute("SELECT count(*) FROM dblp WHERE NOT stub").fetchone()
    assert row is not None
    return int(row[0])


def record(number: object, title: str = "A title") -> str:
    return json.dumps(
        {"id": number, "title": title, "year": 2020, "indexed_abstract": {"IndexLength": 1, "InvertedIndex": {"word": [0]}}}
    )


def test_a_truncated_gz(stc: Stc, tmp_path: Path, conn: psycopg.Connection) -> None:
    file = tmp_path / "cut.json.gz"
    whole = gzip.compress(demo.CORPUS.read_bytes())
    file.write_bytes(whole[: len(whole) // 2])
    refused(stc("corpus", "load", file), 3, str(file))
    file.write_bytes(whole)
    assert stc("corpus", "load", file).returncode == 0
    assert documents(conn) == 216


def test_half_a_json_array(stc: Stc, tmp_path: Path, conn: psycopg.Connection) -> None:
    file = tmp_path / "half.json"
    file.write_text("[\n" + record(1) + ",\n" + record(2) + ",\n" + record(3)[:40])
    refused(stc("corpus", "load", file), 3, str(file), "4")
    assert documents(conn) == 2
    assert conn.execute("SELECT state FROM stc.corpus_files").fetchall() == [("loading",)]


def test_records_that_cannot_be_stored_are_told_by_line_and_the_good_ones_stay(
    stc: Stc, tmp_path: Path, conn: psycopg.Connection
) -> None:
    file = tmp_path / "mixed.json"
    lines = [record(1), record(2).replace("A title", "\\u0000 NUL"), record(2**63), record(4, ""), record(5)]
    raw = (
        ("[\n" + ",\n".join(lines) + ",\n").encode()
        + record(6, "caf\N{LATIN SMALL LETTER E WITH ACUTE}").encode("latin-1")
        + b"\n]\n"
    )
    raw = raw.replace(b"caf\\u00e9", b"caf\xe9")
    file.write_bytes(raw)
    done = stc("corpus", "load", file)
    assert done.returncode == 0, done.stderr
    assert "3 rejects" in done.stdout
    assert documents(conn) == 3
    reasons: dict[int, str] = dict(conn.execute("SELECT line, reason FROM stc.corpus_rejects").fetchall())
    assert sorted(reasons) == [4, 5, 7]
    assert str(2**63) in reasons[4]
    assert "title" in reasons[5]
    assert "UTF-8" in reasons[7]
    listed = stc("corpus", "rejects")
    assert "UTF-8" in listed.stdout


def test_strict_stops_at_the_first(stc: Stc, tmp_path: Path) -> None:
    file = tmp_path / "strict.json"
    file.write_text("[\n" + record(1) + ",\n" + record(2, "") + "\n]\n")
    refused(stc("corpus", "load", "--strict", file), 3, str(file), "3", "title")


def test_a_file_that_is_not_there(stc: Stc) -> None:
    refused(stc("corpus", "load", "no/such/file.json"), 2, "no/such/file.json")


def test_a_file_of_no_known_format(stc: Stc, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear all,\n\nplease find enclosed nothing of use.\n")
    refused(stc("corpus", "load", file), 3, str(file), "--format")


def test_an_unknown_edition_run_and_measure(on_demo: Stc) -> None:
    refused(on_demo("evaluation", "leaderboard", "--edition", "tarin"), 2, "tarin", "train")
    refused(on_demo("evaluation", "score", "hibrid", "--edition", "train"), 2, "hibrid", "hybrid")
    refused(on_demo("evaluation", "leaderboard", "--edition", "train", "-m", "ndgc@10"), 2, "ndgc@10")


def test_a_run_with_a_bad_line_leaves_nothing(on_demo: Stc, tmp_path: Path, demo_conn: psycopg.Connection) -> None:
    before = demo_conn.execute("SELECT count(*) FROM stc.st1_rankings").fetchone()
    file = tmp_path / "bad.run"
    file.write_text("D01.1 Q0 2737063037 1 2.5 mine\nD01.1 Q0 113122204 2 high mine\n")
    refused(on_demo("runs", "import", file, "--name", "mine"), 3, f"{file}:2", "high")
    file.write_text("D01.1 Q0 2737063037 1 2.5 mine\nD01.1 Q0 2737063037 2 1.5 mine\n")
    refused(on_demo("runs", "import", file, "--name", "mine"), 3, f"{file}:2", "2737063037", "--on-duplicate")
    file.write_text("D01.1 Q0 2737063037\n")
    refused(on_demo("runs", "import", file, "--name", "mine"), 3, f"{file}:1")
    assert demo_conn.execute("SELECT count(*) FROM stc.st1_rankings").fetchone() == before
    assert demo_conn.execute("SELECT count(*) FROM st1_runs WHERE run = 'mine'").fetchone() == (0,)


def test_a_dimension_that_does_not_fit(on_demo: Stc, tmp_path: Path) -> None:
    vectors, ids = tmp_path / "v.npy", tmp_path / "ids.npy"
    np.save(vectors, np.ones((2, 100), dtype=np.float32))
    np.save(ids, np.array([2737063037, 113122204]))
    refused(on_demo("vectors", "import", vectors, ids, "--field", "title"), 4, "100", "384")


def test_a_search_before_there_is_an_index(stc: Stc) -> None:
    assert stc("corpus", "load", demo.CORPUS).returncode == 0
    refused(stc("retrieval", "search", "voice", "--system", "bm25"), 4, "stc index")


def test_a_server_that_is_gone(settings: Settings) -> None:
    gone = replace(settings, dsn="host=127.0.0.1 port=1 user=nobody")
    refused(runner(gone)("corpus", "status"), 5, "127.0.0.1")


def test_a_collection_that_is_not_there(stc: Stc) -> None:
    refused(stc("corpus", "status", db="no such"), 2, "no such", "stc db create")


def test_a_database_that_is_no_collection_is_not_dropped(stc: Stc) -> None:
    refused(stc("db", "drop", "postgres", "--yes"), 2, "postgres")


COMMANDS: dict[str, tuple[str | Path, ...]] = {
    "load": ("corpus", "load", demo.CORPUS),
    "index": ("text", "index", "--rebuild"),
    "embed": ("vectors", "embed"),
    "topics": ("topics", "load", demo.QUERIES),
    "run": ("retrieval", "run", "--all", "--replace"),
    "score": ("evaluation", "leaderboard", "--edition", "train"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("after", [0.25, 0.6, 1.2])
def test_ctrl_c_in_the_middle_loses_nothing(demo: Settings, name: str, after: float) -> None:
    done = interrupt(demo, *COMMANDS[name], after=after)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 130, -signal.SIGINT), done.stderr  # the last: done, and on its way out
    again = runner(demo)(*COMMANDS[name])
    assert again.returncode == 0, again.stderr
    with open_session(conninfo(demo)) as conn:
        assert documents(conn) == 216
        assert conn.execute("SELECT count(*) FROM dblp_v").fetchone() == (216,)


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", str(disk)], capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    settings = Settings(db="small", home=disk / "home", dsn=None)
    stc = runner(settings)
    try:
        assert stc("db", "create").returncode == 0
        rng = np.random.default_rng(7)
        file = tmp_path / "big.jsonl"
        with file.open("w") as out:
            for number in range(60_000):
                words = " ".join(map(str, rng.integers(10**9, size=120)))
                out.write(json.dumps({"id": number, "title": f"Title {number}", "text": words}) + "\n")
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(2**25))
        refused(stc("corpus", "load", file), 5, "disk")
        ballast.unlink()
        assert stc("corpus", "status").returncode == 0
    finally:
        stc("db", "stop")
        subprocess.run(["umount", "-l", str(disk)], check=False, env=environment(settings))
