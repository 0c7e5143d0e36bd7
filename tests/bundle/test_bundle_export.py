"""Layouts of other tools, read by these tools."""

from __future__ import annotations

import contextlib
import gzip
import json
import runpy
from collections.abc import Iterator
from pathlib import Path

import ir_datasets
import pytest

from stcollection.errors import BadArgument, BadInput, StcError, UnknownObject
from stcollection.io.bundle import archive
from stcollection.io.bundle.export import export_bundle
from stcollection.io.datasets import recognise

pytestmark = pytest.mark.slow

SHA256 = "0" * 64
FILES = {
    "documents/references.jsonl": f'{{"docno":"d1","sha256":"{SHA256}"}}\n{{"docno":"d2","sha256":"{SHA256}"}}\n',
    "documents/texts.jsonl": '{"docno":"d1","title":"Title é","abstract":"Text."}\n',
    "queries.jsonl": '{"query":"q1","text":"voice assistants","origin":"human"}\n',
    "topics.jsonl": "",
    "qrels/train-1.qrels": "q1 0 d1 2\nq1 0 d2 0\n",
    "qrels/train-1.csv": "query,doc,rel\nq1,d1,2\nq1,d2,0\n",
    "qrels/train.1.qrels": "q1 0 d1 1\n",
    "qrels/train.1.csv": "query,doc,rel\nq1,d1,1\n",
    "runs/bm25.run": "q1 Q0 d1 1 2.0 bm25\n",
    "runs/bm25.yml": "tag: bm25\n",
    "README.md": "# A collection\n\n| file | content |\n",
    "ro-crate-metadata.json": '{"@graph": []}',
}
MANIFEST = {
    "format": 1,
    "collection": "my_col",
    "documents": {"references": 2, "texts": 1, "licences": []},
    "topics": 0,
    "queries": 1,
    "measures": ["nDCG@10"],
    "sets": [],
    "hidden": [],
    "runs": [
        {
            "run": "bm25",
            "team": None,
            "tag": "bm25",
            "manual": False,
            "family": None,
            "params": {},
            "shared": False,
            "made": "2026-01-01T00:00:00+00:00",
            "metadata": {},
            "files": {"run": "runs/bm25.run", "metadata": "runs/bm25.yml"},
        }
    ],
    "editions": [
        {
            "edition": edition,
            "description": None,
            "split": None,
            "year": None,
            "scale": None,
            "simulated": False,
            "made": "2026-01-01T00:00:00+00:00",
            "sealed": None,
            "fingerprint": None,
            "judgments": 2,
            "origins": {"human": 2},
            "files": {"qrels": f"qrels/{edition}.qrels", "judgments": f"qrels/{edition}.csv"},
        }
        for edition in ("train-1", "train.1")
    ],
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    for name, text in {**FILES, "bundle.json": json.dumps(MANIFEST)}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    archive.write(tmp_path / "in", tmp_path / "my.zip")
    return tmp_path / "my.zip"


def test_ir_datasets_reads_its_module(bundle: Path, tmp_path: Path) -> None:
    export_bundle(bundle, tmp_path / "out", layout="ir_datasets")
    runpy.run_path(str(tmp_path / "out" / "my_col.py"))
    loaded = ir_datasets.load("my-col/train_1_2")
    assert [(one.query_id, one.doc_id, one.relevance) for one in loaded.qrels_iter()] == [("q1", "d1", 1)]
    loaded = ir_datasets.load("my-col/train_1")
    assert [(one.doc_id, one.text) for one in loaded.docs_iter()] == [("d1", "Title é Text."), ("d2", "")]
    assert [(one.query_id, one.text) for one in loaded.queries_iter()] == [("q1", "voice assistants")]
    assert [(one.query_id, one.doc_id, one.relevance) for one in loaded.qrels_iter()] == [("q1", "d1", 2), ("q1", "d2", 0)]


@pytest.mark.parametrize("layout", ["beir", "hf", "mteb"])
def test_beir_and_hugging_face(bundle: Path, tmp_path: Path, layout: str) -> None:
    done = export_bundle(bundle, tmp_path / "out", layout=layout)
    assert (done.documents, done.without_text, done.queries, done.editions) == (2, 1, 1, ["train-1", "train.1"])
    if layout == "mteb":
        compile((tmp_path / "out" / "task.py").read_text(), "task.py", "exec")
    if layout != "beir":
        lines = (tmp_path / "out" / "qrels" / "train_1.jsonl").read_text().splitlines()
        assert json.loads(lines[0]) == {"query-id": "q1", "corpus-id": "d1", "score": 2}
        assert len(lines) == 2
        return
    roles = {Path(one.path).name: one.role for one in recognise([str(tmp_path / "out")]).files if one.role}
    assert roles == {"corpus.jsonl": "corpus", "queries.jsonl": "topics", "train_1.tsv": "qrels", "train_1_2.tsv": "qrels"}


def test_tira_and_ro_crate(bundle: Path, tmp_path: Path) -> None:
    export_bundle(bundle, tmp_path / "tira", layout="tira", edition="train-1")
    assert (tmp_path / "tira/truths/train_1/qrels.txt").read_text() == FILES["qrels/train-1.qrels"]
    assert (tmp_path / "tira/runs/bm25/run.txt").read_text() == FILES["runs/bm25.run"]
    packed = (tmp_path / "tira/inputs/corpus.jsonl.gz").read_bytes()
    documents = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    assert documents == [{"docno": "d1", "text": "Title é\nText."}, {"docno": "d2", "text": ""}]
    export_bundle(bundle, tmp_path / "crate", layout="ro-crate")
    assert {str(one.relative_to(tmp_path / "crate")) for one in (tmp_path / "crate").rglob("*") if one.is_file()} == {
        *FILES,
        "bundle.json",
        "checksums.txt",
    }


def places(value: object, here: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*here, key)
        yield from places(one, (*here, key))


def test_no_value_of_a_manifest_gives_another_error(bundle: Path, tmp_path: Path) -> None:
    """Each value replaced by others: the bundle is refused, or every layout is written or refused."""
    refused = accepted = 0
    for number, place in enumerate(places(MANIFEST)):
        for value in (None, 7, -1, True, "x", "a\0", [], [None], {}, {"x": None}):
            copied = json.loads(json.dumps(MANIFEST))
            inner = copied
            for one in place[:-1]:
                inner = inner[one]
            inner[place[-1]] = value
            (tmp_path / "in" / "bundle.json").write_text(json.dumps(copied))
            archive.write(tmp_path / "in", tmp_path / "bad.zip")
            try:
                archive.check(tmp_path / "bad.zip")
            except BadInput:
                refused += 1
                continue
            accepted += 1
            for layout in ("mteb", "tira"):
                with contextlib.suppress(StcError):
                    export_bundle(tmp_path / "bad.zip", tmp_path / f"out-{number}-{accepted}-{layout}", layout=layout)
    assert (refused > 400, accepted > 50) == (True, True), (refused, accepted)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("qrels/train-1.qrels", "q1 d1 2\n", "train-1.qrels, line 1: 3 columns instead of 4"),
        ("qrels/train-1.qrels", "q1 0 d1 high\n", "train-1.qrels, line 1: 'high' is not a grade"),
        ("queries.jsonl", '{"query":"q1"}\n', "queries.jsonl, line 1: text is missing"),
        ("documents/texts.jsonl", '{"docno":"d1","title":7}\n', "texts.jsonl, line 1: title is not text or null"),
        ("documents/texts.jsonl", "7\n", "texts.jsonl, line 1: it is not a mapping"),
    ],
)
def test_files_of_another_shape_are_refused(bundle: Path, tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / "in" / name).write_text(text)
    archive.write(tmp_path / "in", tmp_path / "bad.zip")
    with pytest.raises(BadInput, match=message):
        export_bundle(tmp_path / "bad.zip", tmp_path / "out", layout="hf")
    assert not (tmp_path / "out").exists()


def test_editions_keep_their_files_apart(bundle: Path, tmp_path: Path) -> None:
    """The names train-1 and train.1 both give train_1; alone, an edition has the same name as with the others."""
    export_bundle(bundle, tmp_path / "both", layout="beir")
    export_bundle(bundle, tmp_path / "one", layout="beir", edition="train.1")
    head = "query-id\tcorpus-id\tscore\n"
    assert (tmp_path / "both/qrels/train_1.tsv").read_text() == head + "q1\td1\t2\nq1\td2\t0\n"
    assert (tmp_path / "both/qrels/train_1_2.tsv").read_text() == head + "q1\td1\t1\n"
    assert [one.name for one in (tmp_path / "one/qrels").iterdir()] == ["train_1_2.tsv"]


def test_wrong_requests(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="no layout 'x'"):
        export_bundle(bundle, tmp_path / "out", layout="x")
    with pytest.raises(UnknownObject, match="'test'"):
        export_bundle(bundle, tmp_path / "out", layout="beir", edition="test")
    with pytest.raises(BadArgument, match="exists"):
        export_bundle(bundle, tmp_path, layout="beir")
