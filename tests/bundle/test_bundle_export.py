"""Layouts of other tools, read by these tools."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import ir_datasets
import pytest

from stcollection.errors import BadArgument, UnknownObject
from stcollection.io.bundle import archive
from stcollection.io.bundle.export import export_bundle
from stcollection.io.datasets import recognise

FILES = {
    "documents/references.jsonl": '{"docno":"d1","sha256":""}\n{"docno":"d2","sha256":""}\n',
    "documents/texts.jsonl": '{"docno":"d1","title":"Title é","abstract":"Text."}\n',
    "queries.jsonl": '{"query":"q1","text":"voice assistants","origin":"human"}\n',
    "topics.jsonl": "",
    "qrels/train-1.qrels": "q1 0 d1 2\nq1 0 d2 0\n",
    "runs/bm25.run": "q1 Q0 d1 1 2.0 bm25\n",
    "runs/bm25.yml": "tag: bm25\n",
    "README.md": "# A collection\n\n| file | content |\n",
    "ro-crate-metadata.json": '{"@graph": []}',
}
MANIFEST = {
    "format": 1,
    "collection": "my_col",
    "documents": {"references": 2, "texts": 1, "licences": []},
    "queries": 1,
    "sets": [],
    "hidden": [],
    "runs": [{"run": "bm25", "files": {"run": "runs/bm25.run", "metadata": "runs/bm25.yml"}}],
    "editions": [{"edition": "train-1", "files": {"qrels": "qrels/train-1.qrels"}}],
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
    loaded = ir_datasets.load("my-col/train_1")
    assert [(one.doc_id, one.text) for one in loaded.docs_iter()] == [("d1", "Title é Text."), ("d2", "")]
    assert [(one.query_id, one.text) for one in loaded.queries_iter()] == [("q1", "voice assistants")]
    assert [(one.query_id, one.doc_id, one.relevance) for one in loaded.qrels_iter()] == [("q1", "d1", 2), ("q1", "d2", 0)]


@pytest.mark.parametrize("layout", ["beir", "hf", "mteb"])
def test_beir_and_hugging_face(bundle: Path, tmp_path: Path, layout: str) -> None:
    done = export_bundle(bundle, tmp_path / "out", layout=layout)
    assert (done.documents, done.without_text, done.queries, done.editions) == (2, 1, 1, ["train-1"])
    if layout == "mteb":
        compile((tmp_path / "out" / "task.py").read_text(), "task.py", "exec")
    if layout != "beir":
        lines = (tmp_path / "out" / "qrels" / "train_1.jsonl").read_text().splitlines()
        assert json.loads(lines[0]) == {"query-id": "q1", "corpus-id": "d1", "score": 2}
        assert len(lines) == 2
        return
    roles = {Path(one.path).name: one.role for one in recognise([str(tmp_path / "out")]).files if one.role}
    assert roles == {"corpus.jsonl": "corpus", "queries.jsonl": "topics", "train_1.tsv": "qrels"}


def test_tira_and_ro_crate(bundle: Path, tmp_path: Path) -> None:
    export_bundle(bundle, tmp_path / "tira", layout="tira", edition="train-1")
    assert (tmp_path / "tira/truths/train_1/qrels.txt").read_text() == FILES["qrels/train-1.qrels"]
    assert (tmp_path / "tira/runs/bm25/run.txt").read_text() == FILES["runs/bm25.run"]
    documents = [json.loads(line) for line in (tmp_path / "tira/inputs/documents.jsonl").read_text().splitlines()]
    assert documents == [{"docno": "d1", "text": "Title é\nText."}, {"docno": "d2", "text": ""}]
    export_bundle(bundle, tmp_path / "crate", layout="ro-crate")
    assert {str(one.relative_to(tmp_path / "crate")) for one in (tmp_path / "crate").rglob("*") if one.is_file()} == {
        *FILES,
        "bundle.json",
        "checksums.txt",
    }


def test_wrong_requests(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="no layout 'x'"):
        export_bundle(bundle, tmp_path / "out", layout="x")
    with pytest.raises(UnknownObject, match="'test'"):
        export_bundle(bundle, tmp_path / "out", layout="beir", edition="test")
    with pytest.raises(BadArgument, match="exists"):
        export_bundle(bundle, tmp_path, layout="beir")
