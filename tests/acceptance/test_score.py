"""``stc score`` and ``stc compare`` as a newcomer types them: files and nothing else, from an empty home."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.acceptance.test_bad_input import refused
from tests.homes import home_folder
from tests.in_process import run_in_process

pytestmark = pytest.mark.slow

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def env() -> Iterator[dict[str, str]]:
    """An empty home, and a server that does not exist in ``STC_DSN``."""
    with home_folder() as home:
        yield {**os.environ, "STC_HOME": str(home), "STC_DSN": "host=127.0.0.1 port=1 user=nobody"}


@pytest.fixture
def stc(env: dict[str, str]) -> Run:
    def run(*words: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
        return run_in_process(*map(str, words), environment=env, stdin=stdin)

    return run


def test_pipes_of_a_shell(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "base.run").write_text("q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\nq1 Q0 d3 3 1.0 t\n")
    (tmp_path / "base.qrels").write_text("q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\n")
    bash = f"cd {tmp_path}; mkfifo f; score() {{ {sys.executable} -m stcollection score -m AP --format trec $@; }};"
    for typed in (
        "score <(cat base.run) base.qrels",
        "score <(gzip -c base.run) <(cat base.qrels)",
        "cat base.run > f & score f base.qrels",
        "cat base.qrels | score base.run /dev/stdin",
    ):
        done = subprocess.run(["bash", "-c", bash + typed], capture_output=True, text=True, env=env, timeout=300, check=False)
        assert "all\t0.8333" in done.stdout, (typed, done.stderr)


@pytest.fixture
def official(data: Path) -> tuple[Path, Path]:
    return data / "trec_eval" / "results.test", data / "trec_eval" / "qrels.test"


@pytest.mark.parametrize(
    ("options", "run", "expected"),
    [
        ([], "results.test", "out.test"),
        (["-m", "all_trec"], "results.test", "out.test.a"),
        (["-q", "-m", "all_trec"], "results.test", "out.test.aq"),
        (["-q", "-c", "-m", "all_trec"], "results.trunc", "out.test.aqc"),
        (["-q", "-c", "-M100", "-m", "all_trec"], "results.trunc", "out.test.aqcM"),
    ],
)
def test_the_bytes_of_trec_eval(stc: Run, data: Path, options: list[str], run: str, expected: str) -> None:
    done = stc("score", *options, "--format", "trec", data / "trec_eval" / run, data / "trec_eval" / "qrels.test")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (data / "trec_eval" / expected).read_text()


def test_every_other_form(stc: Run, official: tuple[Path, Path], tmp_path: Path) -> None:
    run, qrels = official
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(run.read_bytes()))
    for style in ("table", "json", "csv", "markdown", "latex"):
        done = stc("score", run, packed, qrels, "-m", "P_10,AP", "--format", style)
        assert done.returncode == 0, done.stderr
        assert "results.test" in done.stdout
        assert "packed" in done.stdout
        assert "0.178" in done.stdout
    [row] = json.loads(stc("score", "-", qrels, "-m", "ndcg_cut_10", "--format", "json", stdin=run.read_bytes()).stdout)
    assert row["ndcg_cut_10"] == row["nDCG@10"]
    assert "\n301," not in stc("score", run, qrels, "--format", "csv").stdout
    assert "results.test,301," in stc("score", run, qrels, "--format", "csv", "-q").stdout
    alone = stc("score", run, qrels, "-q", "-n", "-m", "map", "--format", "trec").stdout
    assert alone
    assert "all" not in alone


def test_runs_compared(stc: Run, data: Path) -> None:
    runs, qrels = sorted((data / "cranfield" / "runs").glob("*.txt"))[:3], data / "cranfield" / "cranqrel"
    assert len(runs) == 3
    done = stc("compare", *runs, qrels, "-m", "AP", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
    assert "paired t-test on 225 queries" in done.stderr
    assert "--best-grade 1" in done.stderr
    ranking = stc("compare", *runs, qrels, "--ranking", "--best-grade", "1")
    assert ranking.returncode == 0, ranking.stderr
    assert "--best-grade" not in ranking.stderr
    refused(stc("compare", runs[0], qrels, "--best-grade", "1"), 2, "nothing to compare", "two run files")


def test_wrong_input(stc: Run, official: tuple[Path, Path], data: Path, tmp_path: Path) -> None:
    run, qrels = official
    refused(stc("score", qrels, run), 2, "the judgments must come last", f"{run} {qrels}")
    refused(stc("score", run, run), 2, "QRELS")
    refused(stc("score", run, tmp_path / "no.qrels"), 2, "no.qrels")
    refused(stc("score", run, data / "cranfield" / "cranqrel"), 3, "no query in common", "301", "1")
    refused(stc("score", run, qrels, "-m", "ndgc@10"), 2, "ndgc@10", "nDCG")
    refused(
        stc("score", data / "simpletext" / "runs" / "baseline.run", data / "simpletext" / "train_G01-G15.qrels"),
        3,
        "--on-duplicate",
    )
    for words in (["-n"], ["-Z", run]):
        done = stc("score", run, qrels, *words)
        assert done.returncode == 2
        assert "--format trec" in done.stderr
    alone = stc("score", run)
    assert alone.returncode == 2
    assert "followed by the file of judgments" in alone.stderr
