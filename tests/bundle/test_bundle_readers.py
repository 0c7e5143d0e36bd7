"""Exports of bundles, read and scored by mteb and tira.

They need torch and docker, so they are not among our dependencies. BUNDLE_READERS names the Python of an environment with them:
``python -m venv E && E/bin/pip install mteb==2.26.24 tira==0.0.207 ir_datasets trectools``.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stcollection.io.bundle import archive
from stcollection.io.bundle.export import export_bundle
from tests.bundle.test_bundle_export import FILES, MANIFEST

TEXTS = {
    "d1": "voice assistants in the home", "d2": "speakers at home", "d3": "gene editing ethics", "d4": "editing photos",
    "d5": "fake news detection",
}  # fmt: skip
ASKED = {"q1": "voice assistants", "q2": "gene editing", "q3": "fake news"}
RELEVANT = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 2}, "q3": {"d5": 1}}
# Each query ranks its documents by the number of common words, ties by docno descending; nDCG@10 by hand is 1 for q2 and q3.
RANKED = {"q1": ["d1", "d5", "d4", "d3", "d2"], "q2": ["d3", "d4", "d5", "d2", "d1"], "q3": ["d5", "d4", "d3", "d2", "d1"]}

_MTEB = """
import importlib.util, json, sys
import mteb, numpy
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder

spec = importlib.util.spec_from_file_location("task", sys.argv[1] + "/task.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
words = sorted({word for text in json.loads(sys.argv[2]) for word in text.split()})


class Words(AbsEncoder):
    mteb_model_meta = ModelMeta.create_empty({"name": "own/words", "revision": "1"})

    def __init__(self):
        pass

    def encode(self, inputs, **_):
        texts = [text for batch in inputs for text in batch["text"]]
        return numpy.array([[float(word in text.split()) + 1e-9 for word in words] for text in texts])


found = mteb.evaluate(Words(), tasks=[module.MyCol()], cache=None).task_results[0]
print(json.dumps({"name": found.task_name, "scores": {split: one[0]["ndcg_at_10"] for split, one in found.scores.items()}}))
"""
_TIRA = """
import json, sys
from pathlib import Path
from tira.check_format import check_format, lines_if_valid
from tira.evaluators import evaluate
from tira.ir_datasets_util import load_ir_dataset_from_local_file

folder = Path(sys.argv[1])
run, truths = folder / "runs/bm25", folder / "truths/train_1"
told = {
    "corpus": check_format(folder / "inputs", "ir-dataset-corpus"),
    "qrels": check_format(truths, "qrels.txt"),
    "run": check_format(run, ["run.txt", "ir_metadata"]),
}
loaded = load_ir_dataset_from_local_file(folder / "inputs", "my-col")
config = {"run_format": "run.txt", "truth_format": "qrels.txt", "measures": ["nDCG@10", "P@10"]}
print(json.dumps({
    "checks": {name: [code.name, message] for name, (code, message) in told.items()},
    "queries": {one.query_id: one.default_text() for one in loaded.queries_iter()},
    "documents": {one.doc_id: one.default_text() for one in loaded.docs_iter()},
    "scores": evaluate(run, truths, config),
}, default=str))
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle with three queries and five documents, all with text."""
    manifest: dict[str, Any] = copy.deepcopy(MANIFEST)
    manifest["documents"] |= {"references": 5, "texts": 5}
    manifest["queries"] = 3
    manifest["editions"] = manifest["editions"][:1]
    qrels = [(query, doc, RELEVANT[query].get(doc, 0)) for query in ASKED for doc in TEXTS]
    ranked = [(query, doc, rank) for query, docs in RANKED.items() for rank, doc in enumerate(docs, 1)]
    files = FILES | {
        "documents/references.jsonl": lines({"docno": doc, "sha256": "0" * 64} for doc in TEXTS),
        "documents/texts.jsonl": lines({"docno": doc, "title": text, "abstract": ""} for doc, text in TEXTS.items()),
        "queries.jsonl": lines({"query": query, "text": text, "origin": "human"} for query, text in ASKED.items()),
        "qrels/train-1.qrels": "".join(f"{query} 0 {doc} {rel}\n" for query, doc, rel in qrels),
        "qrels/train-1.csv": "query,doc,rel\n" + "".join(f"{query},{doc},{rel}\n" for query, doc, rel in qrels),
        "runs/bm25.run": "".join(f"{query} Q0 {doc} {rank} {10.0 - rank} bm25\n" for query, doc, rank in ranked),
        "runs/bm25.yml": "tag: bm25\nplatform:\n  software:\n    retrieval toolkit: [stcollection]\n",
        "bundle.json": json.dumps(manifest),
    }
    for name, text in files.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    archive.write(tmp_path / "in", tmp_path / "my.zip")
    return tmp_path / "my.zip"


def lines(records: Any) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


def read_by(package: str, program: str, tmp_path: Path, *arguments: str) -> Any:
    """Run a program with the Python that has a package, offline. Return what it prints last, as JSON."""
    python = os.environ.get("BUNDLE_READERS", sys.executable)
    if subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False).returncode:
        pytest.skip(f"{python} has no {package}; BUNDLE_READERS names a Python that has it (see the top of this file)")
    home = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf"), "IR_DATASETS_HOME": str(tmp_path / "ir"), "HOME": str(tmp_path)}
    done = subprocess.run(
        [python, "-c", program, *arguments], capture_output=True, text=True, env=os.environ | home, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def ndcg(query: str) -> float:
    """nDCG@10 by hand: gains are grades."""
    from math import log2

    found = sum(RELEVANT[query].get(doc, 0) / log2(rank + 1) for rank, doc in enumerate(RANKED[query], 1))
    best = sorted(RELEVANT[query].values(), reverse=True)
    return found / sum(gain / log2(rank + 1) for rank, gain in enumerate(best, 1))


@pytest.mark.long
def test_mteb_evaluates_a_model(bundle: Path, tmp_path: Path) -> None:
    export_bundle(bundle, tmp_path / "out", layout="mteb")
    texts = json.dumps([*TEXTS.values(), *ASKED.values()])
    found = read_by("mteb", _MTEB, tmp_path, str(tmp_path / "out"), texts)
    assert found["name"] == "MyCol"
    [split] = found["scores"]
    assert split == "train_1"
    # A bag of words finds d1, d3 and d5 first; d2 has no word of q1, so it is among the four equals after d1.
    best = 2 + 1 / 1.584962500721156
    assert min(2 / best, 1) / 3 + 2 / 3 <= found["scores"][split] <= 1


@pytest.mark.long
def test_tira_checks_and_evaluates(bundle: Path, tmp_path: Path) -> None:
    export_bundle(bundle, tmp_path / "out", layout="tira")
    found = read_by("tira", _TIRA, tmp_path, str(tmp_path / "out"))
    assert {name: code for name, (code, _) in found["checks"].items()} == dict.fromkeys(("corpus", "qrels", "run"), "OK"), found
    assert found["queries"] == ASKED
    assert found["documents"] == TEXTS
    assert found["scores"]["nDCG@10"] == pytest.approx(sum(map(ndcg, ASKED)) / 3, abs=1e-4)
