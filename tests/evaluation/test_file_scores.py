"""Files scored without a collection equal trec_eval's output, pytrec_eval and stored runs; nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stcollection.analysis.file_comparison import compare_files
from stcollection.analysis.significance import Missing, PairedTest, compare
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.evaluation.files.printing import trec_eval_files
from stcollection.evaluation.files.score import FileScoring, RunFiles, score_as, score_files
from stcollection.evaluation.files.scratch import scratch
from stcollection.evaluation.measures import AP, OFFICIAL, P, nDCG, parse_measures
from stcollection.evaluation.printing import OutputOptions
from stcollection.evaluation.score import ScoreRules, leaderboard, score
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import ImportOptions, import_runs
from tests.evaluation.test_printed import COMMANDS
from tests.evaluation.test_trec_eval import read_qrels, read_run, trec_eval
from tests.homes import home_folder

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def embedded(server: Settings) -> Iterator[Settings]:
    """Settings with an embedded server: that of the tests, or a separate one for this module."""
    if server.embedded:
        yield server
        return
    with home_folder() as home:
        yield replace(server, home=home)


@pytest.mark.parametrize(
    ("printed", "qrels", "run", "names", "flags", "rules"), COMMANDS, ids=[f"{one[0]}-{one[1]}" for one in COMMANDS]
)
def test_equal_to_trec_eval_output(
    embedded: Settings, data: Path, printed: str, qrels: str, run: str, names: list[str], flags: str, rules: ScoreRules
) -> None:
    folder = data / "trec_eval"
    output = OutputOptions(names=names, per_query="q" in flags)
    how = FileScoring(complete="c" in flags, rules=replace(rules, version="trec_eval 10"))
    found, _ = trec_eval_files(embedded, RunFiles(runs=[folder / run], qrels=folder / qrels), output=output, how=how)
    assert found == (folder / printed).read_text().splitlines()


def test_standardised(embedded: Settings, data: Path) -> None:
    folder = data / "trec_eval"
    output = OutputOptions(names=["all_trec"], per_query=True, zscores=folder / "zscores_file")
    how = FileScoring(complete=False, rules=ScoreRules(version="trec_eval 10"))
    files = RunFiles(runs=[folder / "results.test"], qrels=folder / "qrels.test")
    assert trec_eval_files(embedded, files, output=output, how=how)[0] == (folder / "out.test.aqZ").read_text().splitlines()


@pytest.mark.parametrize(
    ("qrels", "runs"),
    [
        ("simpletext/train_G01-G15.qrels", "simpletext/runs/*.run"),
        ("trec-dl/dl21/nist.qrels", "trec-dl/dl21/runs/N*.gz"),
        ("ir_measures/cwl.qrels", "ir_measures/cwl.run"),
        ("ir_measures/compat.qrels", "ir_measures/compat.run"),
    ],
)
def test_equal_to_pytrec_eval(embedded: Settings, data: Path, qrels: str, runs: str) -> None:
    paths, judged = sorted(data.glob(runs)), read_qrels(data / qrels)
    measures = [*OFFICIAL, *parse_measures("recall.100,1000"), *parse_measures("Rprec")]
    found = score_files(
        embedded, RunFiles(runs=paths, qrels=data / qrels, on_duplicate="first"), measures=measures
    )  # in the same way as read_run
    for path, run in zip(paths, found.runs, strict=True):
        expected = trec_eval(read_run(path), judged, measures)
        assert run.values.keys() == expected.keys()
        for query, values in run.values.items():
            for measure, value in values.items():
                assert value == pytest.approx(expected[query][measure.trec_eval], abs=1e-9), (path, query, measure)


@pytest.fixture
def files(data: Path) -> RunFiles:
    runs = sorted((data / "trec-dl/dl21/runs").glob("*.gz"))[:4]
    assert len(runs) == 4
    return RunFiles(runs=runs, qrels=data / "trec-dl/dl21/nist.qrels")


@pytest.fixture
def stored(conn: psycopg.Connection, files: RunFiles) -> psycopg.Connection:
    list(import_runs(conn, files.runs, options=ImportOptions()))
    import_qrels(conn, files.qrels, edition="dl21")
    return conn


def test_equal_to_stored_runs(stored: psycopg.Connection, embedded: Settings, files: RunFiles) -> None:
    measures = [*OFFICIAL, *parse_measures("num_rel_ret"), *parse_measures("gm_map"), *parse_measures("P(rel=2)@5")]
    for rules in (ScoreRules(), ScoreRules(2, True, 20), ScoreRules(version="trec_eval 10")):
        found = score_files(embedded, files, measures=measures, rules=rules)
        board = leaderboard(stored, edition="dl21", measures=measures, rules=rules)
        assert [one.run for one in found.standings(measures)] == [one.run for one in board]
        for ours, theirs in zip(found.standings(measures), board, strict=True):
            assert ours.values == pytest.approx(theirs.values, rel=1e-12)
        expected = score(stored, runs=[], edition="dl21", measures=measures, rules=rules)
        assert sorted((one for run in found.runs for one in run.scores(measures)), key=str) == sorted(expected, key=str)


@pytest.mark.parametrize("test", [PairedTest(), PairedTest(kind="randomisation", permutations=1000, correction="hsd")])
def test_comparisons_equal_those_of_stored_runs(
    stored: psycopg.Connection, embedded: Settings, files: RunFiles, test: PairedTest
) -> None:
    found, _ = compare_files(embedded, files, measures=[nDCG @ 10, AP], test=test)
    assert found == compare(stored, edition="dl21", measures=[nDCG @ 10, AP], test=test)


def test_a_baseline_by_name_or_file(embedded: Settings, files: RunFiles) -> None:
    path = files.runs[0]
    by_file, _ = compare_files(embedded, files, measures=[AP], baseline=str(path))
    by_name, _ = compare_files(embedded, files, measures=[AP], baseline=path.name.removesuffix(".gz"))
    assert by_file == by_name
    assert {one.against for one in by_name} == {path.name.removesuffix(".gz")}
    with pytest.raises(UnknownObject, match="nobody"):
        compare_files(embedded, files, measures=[AP], baseline="nobody")


Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_queries_that_a_run_leaves_out(embedded: Settings, write: Write) -> None:
    run, qrels = write("a.run", "q1 Q0 d1 1 1 t\n"), write("a.qrels", "q1 0 d1 1\nq2 0 d1 1\n")
    for complete, mean, what in ((True, 0.5, "count as 0"), (False, 1.0, "left out")):
        found = score_files(embedded, RunFiles(runs=[run], qrels=qrels), measures=[AP], complete=complete)
        assert [one.values for one in found.standings([AP])] == [(mean,)]
        [note] = found.notes
        assert "no documents for 1 of 2 judged queries" in note
        assert what in note


def test_missing_queries_in_comparisons(embedded: Settings, write: Write) -> None:
    qrels = write("a.qrels", "q1 0 d1 1\nq2 0 d1 1\nq3 0 d1 1\n")
    all_ = write("all.run", "q1 Q0 d1 1 1 t\nq2 Q0 d1 1 1 t\nq3 Q0 d1 1 1 t\n")
    some = write("some.run", "q1 Q0 x 1 2 t\nq1 Q0 d1 1 1 t\nq2 Q0 d1 1 1 t\n")
    expected: list[tuple[Missing, int, float]] = [("zero", 3, 0.5), ("drop", 2, 0.25)]
    for missing, queries, difference in expected:
        files = RunFiles(runs=[all_, some], qrels=qrels)
        [found] = compare_files(embedded, files, measures=[AP], test=PairedTest(missing=missing))[0]
        assert found.queries == queries
        assert found.difference == pytest.approx(difference)


def test_files_of_other_topics(embedded: Settings, write: Write) -> None:
    run, qrels = write("a.run", "101 Q0 d1 1 1 t\n102 Q0 d1 1 1 t\n"), write("a.qrels", "q1 0 d1 1\nq2 0 d1 1\n")
    with pytest.raises(
        BadInput, match=r"no query in common: the run has queries such as 101, 102, the judgments such as q1, q2"
    ) as error:
        score_files(embedded, RunFiles(runs=[run], qrels=qrels), measures=[AP])
    assert error.value.hint


def test_files_of_another_corpus(embedded: Settings, write: Write) -> None:
    run, qrels = write("a.run", "q1 Q0 MED-1 1 1 t\n"), write("a.qrels", "q1 0 1 1\n")
    found = score_files(embedded, RunFiles(runs=[run], qrels=qrels), measures=[AP])
    [note] = found.notes
    assert "none of its documents is judged" in note
    assert "MED-1" in note


def test_files_of_one_name(embedded: Settings, write: Write) -> None:
    runs = [write(f"{folder}/run.txt", f"q1 Q0 d{folder} 1 1 t\n") for folder in "12"]
    found = score_files(embedded, RunFiles(runs=runs, qrels=write("a.qrels", "q1 0 d1 1\n")), measures=[P @ 1])
    assert [one.run for one in found.standings([P @ 1])] == list(map(str, runs))


def test_simulated_judgments_are_marked(embedded: Settings, write: Write) -> None:
    qrels = write("a.csv", "query,doc,rel,simulated\nq1,d1,1,true\n")
    found = score_files(embedded, RunFiles(runs=[write("a.run", "q1 Q0 d1 1 1 t\n")], qrels=qrels), measures=[AP])
    assert found.simulated
    assert "Simulated" in found.simulated


def state(settings: Settings) -> tuple[list[tuple[str]], list[tuple[str]]]:
    """Return the databases of the embedded server, and the schemas of its database postgres."""
    with open_session(conninfo(replace(settings, dsn=None), db="postgres"), autocommit=True) as conn:
        databases = conn.execute("SELECT datname FROM pg_database ORDER BY 1").fetchall()
        return databases, conn.execute("SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1").fetchall()


def test_nothing_is_left_behind(embedded: Settings, files: RunFiles) -> None:
    score_files(embedded, files, measures=[AP])
    before = state(embedded)
    score_as(embedded, files, OFFICIAL, FileScoring(), relstring=10)
    with pytest.raises(RuntimeError), scratch(embedded):
        raise RuntimeError
    assert state(embedded) == before


def test_two_at_once(embedded: Settings) -> None:
    with scratch(embedded) as one, scratch(embedded) as other:
        for conn in (one, other):
            conn.execute("SELECT stage_rankings()")
            assert conn.execute("SELECT names FROM measure_plan('{AP}', 1, false, NULL, 'trec_eval 9')").fetchone() == (["AP"],)


KILLED = """
import sys, time
from pathlib import Path
from stcollection.db.settings import Settings
from stcollection.evaluation.files.scratch import scratch
with scratch(Settings(db="postgres", home=Path(sys.argv[1]), dsn=None)):
    print("ready", flush=True)
    time.sleep(600)
"""


def test_a_killed_process_leaves_nothing(embedded: Settings, files: RunFiles) -> None:
    score_files(embedded, files, measures=[AP])
    before = state(embedded)
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(embedded.home)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    for _ in range(600):  # wait until the server notices
        if state(embedded) == before:
            break
        time.sleep(0.1)
    assert state(embedded) == before
    assert score_files(embedded, files, measures=[AP]).runs


def test_other_servers_are_not_used(embedded: Settings, files: RunFiles) -> None:
    gone = replace(embedded, dsn="host=127.0.0.1 port=1 user=nobody")
    assert score_files(gone, files, measures=[AP]).standings([AP]) == score_files(embedded, files, measures=[AP]).standings([AP])


def test_columns_of_runs_and_judgments(embedded: Settings, tmp_path: Path) -> None:
    for name, text in (
        ("a.csv", "question,paper,rating\nq1,d1,2\nq1,d2,1\n"),
        ("b.csv", "qid,docno,score\nq1,d2,2\nq1,d1,1\n"),
        ("c.run", "q1 Q0 d1 1 2.5 c\n"),
        ("judged.jsonl", '{"question": "q1", "paper": "d1", "useful": 1}\n{"question": "q1", "paper": "d2", "useful": 0}\n'),
    ):
        (tmp_path / name).write_text(text)
    runs = [tmp_path / name for name in ("a.csv", "b.csv", "c.run")]
    files = RunFiles(runs=runs, qrels=tmp_path / "judged.jsonl", columns="query=question,doc=paper,score=rating,rel=useful")
    found = score_files(embedded, files, measures=[AP])
    assert [run.values["q1"][AP] for run in found.runs] == [1.0, 0.5, 1.0]
    with pytest.raises(BadArgument, match="no file has a column ratting") as error:
        score_files(embedded, replace(files, columns="query=question,doc=paper,score=ratting,rel=useful"), measures=[AP])
    assert "--columns score=ratting" in (error.value.hint or "")
    with pytest.raises(BadInput, match=r"a.csv:1: no column for the score or rank") as refused:
        score_files(embedded, replace(files, columns="query=question,doc=paper,rel=useful"), measures=[AP])
    assert "Add score=rating to --columns." in (refused.value.hint or "")


IMPORTED = """
import sys
from stcollection.__main__ import main
from stcollection.db.embedded import EmbeddedServer
ensure = EmbeddedServer.ensure
def ensure_early(server):
    print("driver" if "psycopg" in sys.modules else "no driver", file=sys.stderr)
    ensure(server)
EmbeddedServer.ensure = ensure_early
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def test_the_server_starts_first_and_little_is_imported(write: Write, tmp_path: Path) -> None:
    """While the server starts, the files are read and the driver is imported; numpy, YAML and code that stores runs are not."""
    qrels, run = write("qrels", "q 0 d1 1\nq 0 d2 0\n"), write("mine.run", "q Q0 d2 1 2 mine\nq Q0 d1 2 1 mine\n")
    with home_folder() as home:
        done = subprocess.run(
            [sys.executable, "-c", IMPORTED, "score", str(run), str(qrels), "-m", "RR", "--format", "csv"],
            env={**os.environ, "STC_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )
    first, *_, modules = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (0, "run,RR\nmine,0.5\n"), done.stderr
    assert first == "no driver"
    slow = {"alembic", "numpy", "scipy", "sqlalchemy", "stcollection.runs.load", "tabulate", "torch", "tqdm", "yaml"}
    assert sorted(slow & set(modules.split())) == []


def test_the_number_of_statements_does_not_depend_on_the_runs(
    embedded: Settings, files: RunFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[object] = []
    execute = psycopg.Cursor.execute

    def counted(cursor: psycopg.Cursor, query: Any, *given: Any, **named: Any) -> psycopg.Cursor:
        sent.append(query)
        return execute(cursor, query, *given, **named)

    monkeypatch.setattr(psycopg.Cursor, "execute", counted)
    for runs in (files.runs[:1], files.runs):
        sent.clear()
        score_files(embedded, replace(files, runs=runs), measures=OFFICIAL)
        assert len(sent) == 4  # the lock timeout, the functions, the tables, the scores


def test_a_server_that_does_not_start_is_reported(embedded: Settings, write: Write, tmp_path: Path) -> None:
    (tmp_path / "home" / "pg18").mkdir(parents=True)
    files = RunFiles(runs=[write("mine.run", "q Q0 d1 1 1 mine\n")], qrels=write("qrels", "q 0 d1 1\n"))
    with pytest.raises(StateError, match="is not a data folder of PostgreSQL"):
        score_files(replace(embedded, home=tmp_path / "home"), files, measures=[AP])
