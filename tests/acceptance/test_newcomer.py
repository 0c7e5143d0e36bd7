"""A newcomer's first commands: from files as people have them, in an empty home, to a leaderboard.

Expected values were measured with bm25s (k1 1.2, b .75, English stemmer and stop words); see CONTRIBUTING.md for the collections.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from stcollection.io.corpus.chunks import chunks
from stcollection.io.corpus.documents import DocumentRecord
from stcollection.io.corpus.elements import read
from stcollection.io.qrels.judgments import stream_qrels
from stcollection.io.streams import Source
from stcollection.io.topics.queries import read_queries
from tests.homes import home_folder
from tests.in_process import in_new_words

pytestmark = [pytest.mark.slow, pytest.mark.long]
Newcomer = Callable[..., str]
MOST_COMMANDS = 4
NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebooks" / "build.ipynb"
NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with home_folder() as folder:
        yield folder


@pytest.fixture
def newcomer(home: Path, request: pytest.FixtureRequest) -> Iterator[Newcomer]:
    """Run commands in a home without settings; at the end print how many there were, and their seconds."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("STC_", "PG", "XDG_"))}
    env |= {"HOME": str(home), "STC_HOME": str(home), "STC_DB": re.sub(r"\W+", "_", request.node.name)}
    commands: list[str] = []
    started = time.monotonic()

    def run(*arguments: str | Path, code: int = 0) -> str:
        words = [str(one) for one in arguments]
        done = subprocess.run(
            [sys.executable, "-m", "stcollection", *in_new_words(words)], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        if code == 0:
            commands.append(" ".join(["stc", *words]))
        return done.stdout + done.stderr

    yield run
    print(f"\n{len(commands)} commands, {time.monotonic() - started:.0f} s: " + "; ".join(commands))
    assert len(commands) <= MOST_COMMANDS


def documents(path: Path) -> Iterator[DocumentRecord]:
    for chunk in chunks(Source(str(path)), format=None):
        yield from (found for *_, found in read(chunk) if isinstance(found, DocumentRecord))


def leaderboard(newcomer: Newcomer, edition: str) -> dict[str, float]:
    """The remaining commands. :returns: the values of BM25 by measure."""
    newcomer("text", "index")
    newcomer("retrieval", "run", "bm25")
    [row] = json.loads(newcomer("evaluation", "leaderboard", "--edition", edition, "-m", "nDCG@10", "--format", "json"))
    return {name: value for name, value in row.items() if isinstance(value, float)}


def test_a_beir_folder(newcomer: Newcomer, data: Path, tmp_path: Path) -> None:
    """NPL, laid out as BEIR lays out its collections."""
    folder = tmp_path / "npl"
    (folder / "qrels").mkdir(parents=True)
    with (folder / "corpus.jsonl").open("w") as out:
        for one in documents(data / "npl" / "doc-text.trec"):
            out.write(json.dumps({"_id": one.docno, "title": one.title or "", "text": one.abstract or "", "metadata": {}}) + "\n")
    with (folder / "queries.jsonl").open("w") as out:
        for query in read_queries(data / "npl" / "query-text.trec")[1]:
            out.write(json.dumps({"_id": query.query, "text": query.text, "metadata": {}}) + "\n")
    with (folder / "qrels" / "test.tsv").open("w") as out:
        out.write("query-id\tcorpus-id\tscore\n")
        out.writelines(f"{one.query}\t{one.doc}\t{one.rel}\n" for one in stream_qrels(data / "npl" / "qrels"))
    printed = newcomer("load", folder)
    assert re.search(r"corpus\.jsonl +corpus +jsonl", printed)
    assert re.search(r"test\.tsv +qrels +beir +2,083 judgments +edition test", printed)
    assert "11,429 documents" in printed
    values = leaderboard(newcomer, "test")
    assert values["nDCG@10"] == pytest.approx(0.436, abs=0.01)


def test_a_csv_corpus_with_tsv_queries(newcomer: Newcomer, data: Path, tmp_path: Path) -> None:
    """Cranfield, as a spreadsheet might export it; its texts hold quotes, commas and line ends."""
    folder = data / "cranfield"
    with (tmp_path / "papers.csv").open("w", newline="", encoding="utf-8-sig") as out:
        table = csv.writer(out, delimiter=";")
        table.writerow(["DocNo", "Title", "Abstract", "Pages"])
        for one in documents(folder / "cran.all.1400"):
            table.writerow([one.docno, one.title or "", (one.abstract or "").replace(" . ", ' ."\n', 1), ""])
    queries = read_queries(folder / "cran.qry")[1]
    (tmp_path / "queries.tsv").write_text("qid\tquery\n" + "".join(f"{one.query}\t{one.text}\n" for one in queries))
    with (tmp_path / "judged.csv").open("w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["qid", "docno", "relevance"])
        judged = list(stream_qrels(folder / "cranqrel"))
        table.writerows([one.query, one.doc, 5 - one.rel if one.rel > 0 else 0] for one in judged)
    printed = newcomer("load", tmp_path / "papers.csv", tmp_path / "queries.tsv", tmp_path / "judged.csv")
    assert "225 queries" in printed
    values = leaderboard(newcomer, "judged")
    assert values["nDCG@10"] == pytest.approx(0.370, abs=0.01)


def test_a_smart_folder(newcomer: Newcomer, data: Path) -> None:
    """CACM, as Glasgow has it: three files and a list of stop words."""
    printed = newcomer("load", data / "cacm")
    assert re.search(r"^skipped +reason\n-.*\ncommon_words ", printed, re.MULTILINE)
    assert "3,204 documents" in printed
    values = leaderboard(newcomer, "cacm")
    assert values["nDCG@10"] == pytest.approx(0.499, abs=0.013)


def test_psql_alone(newcomer: Newcomer, data: Path) -> None:
    """Files come in by the shell; the rest is typed in psql, where help() finds functions."""
    newcomer("load", data / "cacm")
    newcomer("text", "index")
    asked = (
        "SELECT name FROM help('run')",
        "SELECT * FROM make_run('bm25', 'bm25')",
        "SELECT format('nDCG@10 %s', round(avg(value)::numeric, 3)) FROM ndcg('bm25', 'cacm')",
        "SELECT * FROM leaderboard('cacm')",
    )
    printed = newcomer("db", "psql", "-At", "-v", "ON_ERROR_STOP=1", *(word for statement in asked for word in ("-c", statement)))
    assert "make_run" in printed.splitlines()
    found = re.search(r"^nDCG@10 (0\.\d+)$", printed, re.MULTILINE)
    assert found is not None
    assert float(found[1]) == pytest.approx(0.499, abs=0.013)


def test_a_folder_of_runs_with_qrels(newcomer: Newcomer, data: Path) -> None:
    """Runs of three systems and judgments, without documents and topics: as files, then as a collection."""
    runs, qrels = sorted((data / "cranfield" / "runs").glob("*standard*")), data / "cranfield" / "cranqrel"
    assert len(runs) == 3
    table = json.loads(newcomer("score", *runs, qrels, "-m", "nDCG@10", "--best-grade", "1", "--format", "json"))
    scored = {row["run"]: row["nDCG@10"] for row in table}
    newcomer("load", qrels, "--best-grade", "1", "--edition", "official")
    newcomer("runs", "import", *runs)
    rows = json.loads(newcomer("evaluation", "leaderboard", "-m", "nDCG@10", "--edition", "official", "--format", "json"))
    assert {row["run"]: pytest.approx(row["nDCG@10"]) for row in rows} == scored
    assert [row["nDCG@10"] for row in rows] == sorted(scored.values(), reverse=True)


def in_a_notebook(cells: list[str], home: Path) -> list[dict[str, Any]]:
    """Run cells in a kernel whose home is empty; print how many there were, and their seconds.

    :returns: the last output of each: its data by type.
    """
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    env = {name: value for name, value in os.environ.items() if not name.startswith(("STC_", "PG", "XDG_"))}
    env |= {"HOME": str(home), "STC_HOME": str(home), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    started = time.monotonic()
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute(env=env)
    print(f"\n{len(cells)} cells, {time.monotonic() - started:.0f} s: " + "; ".join(" ".join(one.split()) for one in cells))
    said = [one.text for cell in notebook.cells for one in cell.outputs if one.get("name") == "stderr"]
    assert not [one for one in said if not one.startswith("\r")]  # progress bars
    return [dict(cell.outputs[-1].get("data", {})) if cell.outputs else {} for cell in notebook.cells]


def test_a_notebook(home: Path, data: Path) -> None:
    """CACM again, from Python; the same value as by the command line."""
    cells = [
        f"import stcollection\nc = stcollection.create('notebook')\nc.load({str(data / 'cacm')!r})",
        "c.text.index()",
        "c.run('bm25')",
        "c.leaderboard(measures=['nDCG@10'])",
    ]
    assert len(cells) <= MOST_COMMANDS
    loaded, _, ran, table = in_a_notebook(cells, home)
    assert "cacm.all" in loaded["text/html"]
    assert "bm25" in ran["text/html"]
    assert "<table" in table["text/html"]
    assert float(table["text/plain"].split()[-1]) == pytest.approx(0.499, abs=0.013)


def test_the_notebook_of_the_documentation(home: Path) -> None:
    """It runs from an empty home, and its tables are those that are stored in it."""
    stored = nbformat.read(NOTEBOOK, as_version=4)
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    outputs = in_a_notebook([cell.source for cell in code], home)
    for cell, output in zip(code, outputs, strict=True):
        then = dict(cell.outputs[-1].get("data", {})) if cell.outputs else {}
        assert output.keys() == then.keys(), cell.source
        if "leaderboard" in cell.source or "compare" in cell.source:
            numbers = [[float(one) for one in NUMBER.findall(data["text/plain"])] for data in (output, then)]
            # Embedded in single precision: on each CPU the same, apart from the last digits.
            assert numbers[0] == pytest.approx(numbers[1], abs=0.001)


def test_what_goes_wrong_at_first(newcomer: Newcomer, data: Path, tmp_path: Path) -> None:
    """Nothing is stored: not even the collection is made."""
    assert "--best-grade 1" in newcomer("load", data / "cranfield", code=3)
    (tmp_path / "mine.jsonl").write_text('{"id": "1", "text": "some words"}\n')
    assert f"--corpus {tmp_path}/mine.jsonl" in newcomer("load", tmp_path, code=3)
    assert "there is no file" in newcomer("load", tmp_path / "queries.tsv", code=2)
    other = data / "npl" / "qrels"
    assert "none of its queries" not in newcomer("load", data / "cacm" / "query.text", other, "--dry-run")
    (tmp_path / "other.qrels").write_text("Q17 0 d 1\n")
    assert "'Q17' is '17' in the topics" in newcomer("load", data / "cacm" / "query.text", tmp_path / "other.qrels", code=3)
    assert "what_goes_wrong" not in newcomer("db", "list")
