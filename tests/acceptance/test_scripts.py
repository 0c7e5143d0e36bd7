"""The scripts of scripts/, run one after another on the demo's files as README.md names them: each is short, and its errors too."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stcollection.db.settings import Settings
from tests.acceptance.conftest import environment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
DATA = ROOT / "stcollection" / "demo" / "data"


def run(settings: Settings, name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment(settings), timeout=300, check=False)


def values(table: str, run: str) -> list[float]:
    row = re.search(rf"^ *{run} +(.+)$", table, re.MULTILINE)
    assert row is not None, table
    return [float(one) for one in row[1].split()]


@pytest.mark.long
def test_from_a_corpus_to_a_submission(settings: Settings, tmp_path: Path) -> None:
    db, exported = settings.db, tmp_path / "mine.run"
    steps = (
        (("load_corpus.py", db, DATA / "demo.dblp.v12.json"), "216 documents, 1 rejects, loaded"),
        (("load_topics.py", db, DATA / "demo.queries.csv"), "24 queries read, 24 added"),
        (("load_qrels.py", db, "train", DATA / "demo.train.qrels"), "307 judgments read, 307 added"),
        (("embed_corpus.py", db), "216 titles and 198 abstracts embedded"),
        (("hybrid_run.py", db, "mine", "--edition", "train"), "stored mine-bm25, mine-dense-abstract, mine"),
        (("expand_qrels.py", db, "train"), "train-knn: 307 judgments copied, 2 added"),
        (("export_run.py", db, "mine", exported, "--format", "trec"), "mine.run written"),
    )
    for step, says in steps:
        done = run(settings, *step)
        assert done.returncode == 0, (step, done.stderr)
        assert says in done.stdout
    copy = tmp_path / "copy.run"
    copy.write_bytes(exported.read_bytes())
    scored = run(settings, "load_runs.py", db, copy, "--edition", "train").stdout
    stored = run(settings, "hybrid_run.py", db, "mine", "--edition", "train").stdout
    assert values(scored, "copy")[:2] == values(stored, "mine")  # the exported run has the scores of the stored one


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (("load_corpus.py", "{db}", "nothing.json"), "there is no file nothing.json. Give the path"),
        (("load_qrels.py", "no such", "train", DATA / "demo.train.qrels"), "there is no collection 'no such'"),
        (("export_run.py", "{db}", "mnie", "x.run"), "there is no run 'mnie'"),
        (("expand_qrels.py", "{db}", "train"), "there is no edition 'train'"),
    ],
)
def test_errors_are_sentences(settings: Settings, tmp_path: Path, step: tuple[str, ...], says: str) -> None:
    name, *arguments = step
    done = run(settings, name, *(settings.db if one == "{db}" else one for one in arguments))
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("x.run").exists()


def test_each_is_short_and_named_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    scripts = sorted(SCRIPTS.glob("*.py"))
    assert len(scripts) == 8
    for script in scripts:
        assert len(script.read_text(encoding="utf-8").splitlines()) < 40, script.name
        assert f"scripts/{script.name}" in readme
