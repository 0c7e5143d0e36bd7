"""Two commands at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.db.waits import waits
from tests.at_once import until
from tests.databases import world
from tests.durability import rivals
from tests.durability.commands import COMMANDS, more
from tests.durability.rivals import Command, contents, held, here, same, trec, waiting

stocked = world(rivals.stocked)


def both_wait(conn: psycopg.Connection, *commands: Command) -> None:
    """Wait until both are halfway."""
    until(lambda: len(waiting(conn)) >= len(commands) or any(one.process.poll() is not None for one in commands))
    for one in commands:
        assert one.process.poll() is None, f"it was over before:\n{one.out}\n{one.err}"


# Error message of the second command if it is rejected; otherwise, it finds the work done or repeats it.
REFUSED = {"retrieval run": "the run bm25 already exists", "qrels expand": "edition train-knn already exists"}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_twice_at_once(
    name: str, settings: Settings, stocked: psycopg.Connection, ids: list[int], twin: str, tmp_path: Path
) -> None:
    table, arguments = COMMANDS[name]
    words = arguments(tmp_path, ids)
    with held(stocked, table):
        two = [Command(settings, tmp_path, *words) for _ in range(2)]
        both_wait(stocked, *two)
    two.sort(key=lambda one: one.process.wait(timeout=60))
    two[0].ends()
    if name in REFUSED:
        two[1].refused(REFUSED[name], "another", code=2)
    else:
        two[1].ends()
    here(twin, *words)
    same(stocked, twin)


@pytest.mark.slow
def test_two_runs_of_one_name(settings: Settings, stocked: psycopg.Connection, ids: list[int], tmp_path: Path) -> None:
    """One of them is stored completely; the other one is rejected with a message."""
    files = [trec(tmp_path / f"{n}.run", [str(one) for one in some]) for n, some in enumerate((ids, ids[::-1]))]
    with held(stocked, "stc.st1_rankings"):
        two = [Command(settings, tmp_path, "runs", "import", "--name", "mine", file) for file in files]
        both_wait(stocked, *two)
    two.sort(key=lambda one: one.process.wait(timeout=60))
    two[0].ends()
    two[1].refused("run mine already exists", "--replace", code=2)
    got = [row[0] for row in stocked.execute("SELECT docno FROM rankings WHERE run = 'mine' AND query = 'D01.1' ORDER BY rank")]
    assert got in ([str(one) for one in ids], [str(one) for one in ids[::-1]])


@pytest.mark.slow
def test_two_runs_that_make_the_same_stubs_in_another_order(
    settings: Settings, stocked: psycopg.Connection, twin: str, tmp_path: Path
) -> None:
    new = [f"n{n}" for n in range(400)]
    files = [trec(tmp_path / f"{n}.run", some) for n, some in enumerate((new, new[::-1]))]
    with held(stocked, "dblp"):
        two = [Command(settings, tmp_path, "runs", "import", "--unknown-docs", "stub", file) for file in files]
        both_wait(stocked, *two)
    for one in two:
        one.ends()
    here(twin, "runs", "import", "--unknown-docs", "stub", *files)
    same(stocked, twin)


@pytest.mark.slow
def test_two_loads_of_two_files_with_the_same_documents(
    settings: Settings, stocked: psycopg.Connection, twin: str, tmp_path: Path
) -> None:
    one = more(tmp_path)
    turned = tmp_path / "turned.json"
    turned.write_text("".join(reversed(one.read_text().splitlines(keepends=True))))
    with held(stocked, "dblp_text"):
        two = [Command(settings, tmp_path, "corpus", "load", file) for file in (one, turned)]
        both_wait(stocked, *two)
    for command in two:
        command.ends()
    here(twin, "corpus", "load", one)
    with psycopg.connect(twin, autocommit=True) as other:
        once = contents(other)
    now = contents(stocked)
    assert {what: now[what] for what in ("documents", "texts", "facts", "rejects")} == {
        what: once[what] for what in ("documents", "texts", "facts", "rejects")
    }
    # In either order, both files are recorded, and documents of both count once.
    counted = stocked.execute(
        "SELECT sum(documents), sum(duplicates), count(*) FROM stc.corpus_ledger WHERE path ~ '(more|turned).json'"
        " AND state = 'loaded'"
    ).fetchone()
    assert counted == (60, 60, 2)


@pytest.mark.slow
def test_a_load_while_the_text_is_indexed(settings: Settings, stocked: psycopg.Connection, twin: str, tmp_path: Path) -> None:
    index = ["text", "index", "--engine", "portable", "--config", "simple"]
    load: list[str | Path] = ["corpus", "load", more(tmp_path)]
    with held(stocked, "stc.text_lexemes"):
        indexing = Command(settings, tmp_path, *index)
        until(lambda: waiting(stocked))
        loading = Command(settings, tmp_path, *load)
        both_wait(stocked, indexing, loading)
    indexing.ends()
    loading.ends()
    stale = stocked.execute("SELECT sound FROM stc.text_status()").fetchone()
    assert stale == (False,)  # it lacks documents loaded later and is reported as stale
    Command(settings, tmp_path, *index).ends()
    for words in (load, index):
        here(twin, *words)
    same(stocked, twin)


@pytest.mark.slow
def test_a_run_is_dropped_while_it_is_scored(settings: Settings, stocked: psycopg.Connection, twin: str, tmp_path: Path) -> None:
    """The scores are those of the moment when they are computed, or the run is missing; neither command waits for ever."""
    drop: list[str | Path] = ["runs", "drop", "one", "--yes"]
    stocked.execute("DELETE FROM stc_all.judged_runs")  # so that scoring stores rows
    with held(stocked, "stc_all.judged_runs"):
        scoring = Command(settings, tmp_path, "evaluation", "leaderboard", "--edition", "train")
        both_wait(stocked, scoring)
        dropping = Command(settings, tmp_path, *drop)
        until(lambda: dropping.process.poll() is not None or len(waiting(stocked)) == 2)
    dropping.ends()
    scoring.ends()
    assert "two" in scoring.out
    here(twin, *drop)
    same(stocked, twin)
    again = Command(settings, tmp_path, "evaluation", "leaderboard", "--edition", "train").ends()
    assert "one" not in again.out.split()
    assert "two" in again.out.split()


EMBED = """
import sys
import psycopg
from stcollection.vectors.embed import embed
from tests.vectors.worlds import BagOfWords
with psycopg.connect(sys.argv[1], application_name=f"stc vectors embed [{sys.argv[2]}]") as conn:
    print(embed(conn, model=BagOfWords("minilm", 384), fields=["content"], rows=8).documents)
"""


@pytest.mark.slow
def test_an_embedder_that_waits_for_another_is_seen_to_wait(dsn: str, stocked: psycopg.Connection) -> None:
    """The other one hangs while it holds a page; a watch reports it (:mod:`stcollection.db.waits`)."""
    with psycopg.connect(dsn, autocommit=True, application_name="hangs") as other:
        first = stocked.execute("SELECT id FROM stc.unembedded('minilm', NULL, 1, '{content}')").fetchone()
        assert first is not None
        other.execute("SELECT pg_advisory_lock(hashtextextended('stc embed minilm', %s))", first)
        one = embedder(dsn, 4)
        until(lambda: waits(stocked, application="stc vectors embed [4]"))
        [wait] = waits(stocked, application="stc vectors embed [4]")
        assert (wait.program, wait.holder, wait.what) == ("hangs", other.info.backend_pid, "its turn")
    out, told = one.communicate(timeout=60)
    assert one.returncode == 0, told
    assert int(out) == 216


def embedder(dsn: str, number: int) -> subprocess.Popen[str]:
    """A process that embeds documents without vector, with word counts instead of a model."""
    return subprocess.Popen(
        [sys.executable, "-c", EMBED, dsn, str(number)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )


@pytest.mark.slow
def test_two_embedders_of_which_one_is_ended_and_a_load_meanwhile(
    settings: Settings, dsn: str, stocked: psycopg.Connection, twin: str, tmp_path: Path
) -> None:
    load: list[str | Path] = ["corpus", "load", more(tmp_path)]
    with held(stocked, "dblp_v"):
        two = [embedder(dsn, number) for number in range(2)]
        until(lambda: len(waiting(stocked)) == 2)
        Command(settings, tmp_path, *load).ends()  # neither of them blocks it
        stocked.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'stc vectors embed [0]'"
        )
        _, told = two[0].communicate(timeout=60)
        assert two[0].returncode == 1
        assert "DatabaseError: terminating connection due to administrator command" in told
    out, told = two[1].communicate(timeout=60)
    assert two[1].returncode == 0, told
    assert int(out) >= 216  # all documents, including the pages of the other one
    embedder(dsn, 2).communicate(timeout=60)  # documents loaded in the meantime, unless it included them
    here(twin, *load)
    embedder(twin, 3).communicate(timeout=60)
    same(stocked, twin)
    assert stocked.execute("SELECT count(*) FROM dblp_v WHERE content_v IS NOT NULL").fetchone() == (216 + 60,)
