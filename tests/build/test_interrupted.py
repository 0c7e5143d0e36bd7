"""A build that is killed at any step, or that runs twice at once, ends as one that was not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from stcollection.build.build import build
from stcollection.db.settings import Settings
from tests.acceptance.conftest import environment
from tests.build.conftest import STEPS, names

pytestmark = pytest.mark.slow
DOCUMENTS = 4_000
_CONTENTS = (
    "SELECT (SELECT count(*) FROM dblp WHERE NOT stub), (SELECT count(*) FROM qrels_judgments),"
    " (SELECT array_agg(run ORDER BY run) FROM st1_runs)"
)


def start(settings: Settings, recipe: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "stcollection", "build", str(recipe)],
        env=environment(settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture
def larger(recipe: Path) -> Path:
    """The recipe with 4,000 documents, so that each step takes a while."""
    documents = [{"id": f"e{n}", "title": f"paper {n}", "text": f"voice {n % 7} home {n % 11} word{n}"} for n in range(DOCUMENTS)]
    recipe.with_name("papers.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    recipe.with_name("train.qrels").write_text("".join(f"q1 0 e{n} {n % 2}\n" for n in range(50)))
    recipe.with_name("mine.run").write_text("".join(f"q1 Q0 e{n} {n + 1} {1000 - n} mine\n" for n in range(500)))
    return recipe


@pytest.mark.parametrize("kind", ["corpus", "text", "run"])
def test_killed_and_built_again(settings: Settings, conn: psycopg.Connection, larger: Path, kind: str) -> None:
    process = start(settings, larger)
    deadline = time.monotonic() + 60
    begun = "SELECT count(*) FROM stc_all.build_steps WHERE kind = %s AND finished IS NULL"
    while conn.execute(begun, [kind]).fetchone() == (0,) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while conn.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'stc build%'").fetchone() != (0,):
        time.sleep(0.05)  # until the server has noticed
    again = build(settings, larger)
    assert names(again, "built")
    assert conn.execute(_CONTENTS).fetchone() == (DOCUMENTS, 50, ["bm25", "both", "mine"])
    assert names(build(settings, larger), "built") == []
    assert conn.execute("SELECT sound FROM stc.text_status(true)").fetchone() == (True,)


def test_two_at_once(settings: Settings, recipe: Path) -> None:
    processes = [start(settings, recipe) for _ in range(2)]
    outputs = [process.communicate() for process in processes]
    codes = sorted(process.returncode for process in processes)
    assert codes in ([0, 4], [0, 0]), outputs  # the second may begin after the first has ended
    if codes == [0, 4]:
        assert any(b"another build of this collection is running" in errors for _, errors in outputs)
    assert names(build(settings, recipe), "up to date") == STEPS
