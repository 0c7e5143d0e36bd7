"""The model in a separate process: the same vectors, its end when idle, and a process that is killed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

from stcollection.errors import StateError, UnknownObject
from stcollection.vectors.model import DEFAULT_NAME, DEFAULT_SHORT, Embedder
from stcollection.vectors.process import ModelProcess, ProcessEncoder
from stcollection.vectors.store import Model

pytestmark = pytest.mark.slow
TEXTS = ["How do voice assistants listen?", "", "graphs"]


def space(name: str = DEFAULT_NAME, prefix: str = "") -> Model:
    return Model(
        model=DEFAULT_SHORT,
        name=name,
        revision=None,
        dim=384,
        max_tokens=256,
        relation="dblp_v",
        pooling="mean",
        query_prefix=prefix,
        passage_prefix="",
        storage="vector",
        made_by=[],
    )


@pytest.fixture
def process() -> Iterator[ModelProcess]:
    made = ModelProcess()
    yield made
    made.close()


def test_vectors_are_those_of_the_model_also_after_a_crash(process: ModelProcess, model: Embedder) -> None:
    encoder = process.encoder(space())
    for name in ("name", "short", "dim", "max_tokens", "revision", "batch"):
        assert getattr(encoder, name) == getattr(model, name)
    np.testing.assert_allclose(encoder.encode(TEXTS, query=True), model.encode(TEXTS, query=True), atol=2e-6)
    with_prefix = process.encoder(space(prefix="query: ")).encode(["graphs"], query=True)
    np.testing.assert_allclose(with_prefix, model.encode(["query: graphs"], query=True), atol=2e-6)
    _kill(process, encoder)


def test_it_ends_when_idle_and_starts_again() -> None:
    process = ModelProcess(idle=0.1)
    with pytest.raises(UnknownObject, match="the collection names a folder"):
        process.encoder(space("/nowhere/model"))
    while process.running:
        time.sleep(0.01)
    assert process.encoder(space()).encode(TEXTS, query=True).shape == (3, 384)
    process.close()
    assert not process.running


def _kill(process: ModelProcess, encoder: ProcessEncoder) -> None:
    """Kill the process: the next call reports it, and the one after that starts another."""
    assert process._process._process is not None
    process._process._process.kill()
    with pytest.raises(StateError, match=r"the process that embeds queries by minilm ended \(code -9\)") as error:
        encoder.encode(TEXTS, query=True)
    assert "Search again" in str(error.value.hint)
    assert encoder.encode(TEXTS, query=True).shape == (3, 384)


def test_torch_stays_out_of_this_process_and_the_process_ends_with_it() -> None:
    code = """
import sys
from stcollection.vectors.process import ModelProcess
from tests.vectors.test_process import space
process = ModelProcess()
print(process.encoder(space()).encode(["graphs"], query=True).shape, "torch" in sys.modules, process._process._process._process.pid)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *shown, pid = done.stdout.split()
    assert shown == ["(1,", "384)", "False"]
    for _ in range(600):
        if subprocess.run(["ps", "-p", pid], capture_output=True, check=False).returncode != 0:
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} outlives its parent")
