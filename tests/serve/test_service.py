"""The embedding service over HTTP, by a real server: OpenAI's forms, limits, batches."""

from __future__ import annotations

import base64
import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from stcollection.errors import UnknownObject
from stcollection.serve import Limits
from stcollection.serve.measures import ServiceMetrics
from stcollection.serve.server import serve
from stcollection.vectors.batcher import Batcher, Stopped
from stcollection.vectors.model import Embedder, Encoder, Vectors
from stcollection.web.sockets import address, is_loopback, listen
from tests.at_once import until
from tests.serve.services import Gated, serving
from tests.vectors.worlds import BagOfWords

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(BagOfWords(), BagOfWords("small", dim=8), limits=Limits(chars=100, texts=5, body=4000)) as url:
        yield url


def post(url: str, **body: object) -> httpx.Response:
    return httpx.post(f"{url}/v1/embeddings", json={"model": "minilm", **body}, timeout=30)


def vectors(answer: httpx.Response) -> Vectors:
    assert answer.status_code == 200, answer.text
    return np.array([one["embedding"] for one in answer.json()["data"]], dtype=np.float32)


def metrics(url: str) -> dict[str, float]:
    lines = httpx.get(f"{url}/metrics").text.splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))}


def test_it_answers_in_openai_s_form(url: str) -> None:
    answer = post(url, input=["two words", "one"])
    expected = BagOfWords().encode(["two words", "one"])
    assert np.array_equal(vectors(answer), expected)
    body = answer.json()
    assert body.keys() == {"object", "data", "model", "usage"}
    assert (body["object"], body["model"]) == ("list", "tests/bag-of-words")
    assert [(one["object"], one["index"]) for one in body["data"]] == [("embedding", 0), ("embedding", 1)]
    assert body["usage"] == {"prompt_tokens": 3, "total_tokens": 3}
    assert np.array_equal(vectors(post(url, input="one")), expected[1:])


def test_base64_is_little_endian_float32(url: str) -> None:
    [one] = post(url, input="voice", encoding_format="base64").json()["data"]
    got = np.frombuffer(base64.b64decode(one["embedding"]), dtype="<f4")
    assert np.array_equal(got, BagOfWords().encode(["voice"])[0])


def test_models_go_by_both_their_names(url: str) -> None:
    assert vectors(post(url, input="a", model="tests/bag-of-words")).shape == (1, 384)
    assert vectors(post(url, input="a", model="small", dimensions=8)).shape == (1, 8)
    listed = httpx.get(f"{url}/v1/models").json()
    assert listed["object"] == "list"
    assert {one["object"] for one in listed["data"]} == {"model"}
    assert [(one["short"], one["dimensions"]) for one in listed["data"]] == [("minilm", 384), ("small", 8)]
    assert httpx.get(f"{url}/v1/models/small").json() == listed["data"][1]
    assert httpx.get(f"{url}/v1/models/large").json()["error"]["code"] == "model_not_found"


@pytest.mark.parametrize(
    ("body", "status", "param", "code"),
    [
        ({"input": "x", "model": "large"}, 404, "model", "model_not_found"),
        ({"input": "x", "model": None}, 400, "model", "string_type"),
        ({}, 400, "input", "missing"),
        ({"input": []}, 400, "input", "empty_input"),
        ({"input": ["x", ""]}, 400, "input", "empty_input"),
        ({"input": [1, 2]}, 400, "input", "string_type"),
        ({"input": "x", "encoding_format": "int8"}, 400, "encoding_format", "literal_error"),
        ({"input": "x", "input_type": "title"}, 400, "input_type", "literal_error"),
        ({"input": "x", "dimensions": 256}, 400, "dimensions", "unsupported_dimensions"),
        ({"input": "x" * 101}, 413, "input", "text_too_long"),
        ({"input": ["x"] * 6}, 413, "input", "too_many_texts"),
        ({"input": "x", "user": "y" * 5000}, 413, None, "request_too_large"),
    ],
)
def test_what_it_does_not_take_is_an_error_in_openai_s_form(
    url: str, body: dict[str, object], status: int, param: str | None, code: str
) -> None:
    answer = post(url, **body)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert error["message"]
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", param, code)


def test_what_is_no_json_or_does_not_say_so(url: str) -> None:
    where = f"{url}/v1/embeddings"
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"[]", b'{"model": "minilm", "input": "\xff"}', b'{"model": "minilm", "input": "\\ud800"}'):
        assert httpx.post(where, content=body, headers=headers).json()["error"]["type"] == "invalid_request_error"
    assert httpx.post(where, data={"input": "x"}).json()["error"]["code"] == "unsupported_media_type"
    assert httpx.get(where).status_code == 405
    assert httpx.get(f"{url}/v1/completions").json()["error"]["message"] == "Not Found"


def test_a_request_may_name_the_whole_address(url: str) -> None:
    """RFC 9112: absolute-form, which goes to a proxy, and is how embed_query asks."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as bare:
        bare.sendall(f"GET {url}/health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert b'"status":"ok"' in b"".join(iter(lambda: bare.recv(4096), b""))


def test_health_is_bad_until_the_models_are_there() -> None:
    gate = threading.Event()

    def load() -> Sequence[Encoder]:
        assert gate.wait(30)
        return [BagOfWords()]

    with serving(load=load, wait=False) as url:
        health = httpx.get(f"{url}/health")
        assert (health.status_code, health.json()) == (503, {"status": "loading", "models": []})
        early = post(url, input="x")
        assert (early.status_code, early.headers["Retry-After"], early.json()["error"]["code"]) == (503, "1", "not_ready")
        assert metrics(url)["stc_serve_ready"] == 0
        gate.set()
        until(lambda: httpx.get(f"{url}/health").status_code == 200)
        assert post(url, input="x").status_code == 200
        assert metrics(url)["stc_serve_ready"] == 1


def test_a_model_that_cannot_be_loaded_ends_it() -> None:
    def load() -> Sequence[Encoder]:
        raise UnknownObject("there is no such model")

    with pytest.raises(UnknownObject, match="no such model"):
        serve(listen("127.0.0.1", 0), load)


def test_many_at_once_go_through_the_model_together() -> None:
    encoder = Gated()
    texts = [f"text number {number}" for number in range(50)]
    with serving(encoder, limits=Limits(batch=16)) as url, ThreadPoolExecutor(50) as pool:
        encoder.gate.clear()
        warm = encoder.taken
        answers = [pool.submit(post, url, input=text) for text in texts]
        # Some are in the model, the others wait.
        until(lambda: metrics(url)["stc_serve_queue_texts"] + encoder.taken - warm == 50)
        encoder.gate.set()
        got = np.vstack([vectors(answer.result()) for answer in answers])
        told = metrics(url)
    assert np.array_equal(got, BagOfWords().encode(texts))
    sizes = [len(texts) for texts, _ in encoder.passes[1:]]  # the first warms it
    assert sum(sizes) == 50
    assert max(sizes) == 16
    assert len(sizes) <= 5
    assert told["stc_serve_queue_texts"] == 0
    assert told['stc_serve_texts_total{input_type="query",model="minilm"}'] == 50
    assert told['stc_serve_batch_texts_count{model="minilm"}'] == len(sizes)
    assert told['stc_serve_requests_total{path="/v1/embeddings",status="200"}'] == 50


def test_a_query_does_not_wait_for_all_of_a_long_request() -> None:
    encoder = Gated()
    with serving(encoder, limits=Limits(batch=4)) as url, ThreadPoolExecutor(2) as pool:
        encoder.gate.clear()
        long = pool.submit(post, url, input=[f"passage {number}" for number in range(40)], input_type="passage")
        until(lambda: metrics(url)["stc_serve_queue_texts"] == 36)
        short = pool.submit(post, url, input="query")
        until(lambda: metrics(url)["stc_serve_queue_texts"] == 37)
        encoder.gate.set()
        assert np.array_equal(vectors(short.result()), BagOfWords().encode(["query"]))
        assert np.array_equal(vectors(long.result()), BagOfWords().encode([f"passage {number}" for number in range(40)]))
    order = [query for _, query in encoder.passes[1:]]
    assert order.index(True) <= 2
    assert order.count(False) == 10


def test_a_full_queue_says_when_to_come_back() -> None:
    encoder = Gated()
    with serving(encoder, limits=Limits(batch=1, queue=3)) as url, ThreadPoolExecutor(4) as pool:
        encoder.gate.clear()
        first = pool.submit(post, url, input="first")
        until(lambda: encoder.begun == 2)
        rest = [pool.submit(post, url, input=["a", "b"])]
        until(lambda: metrics(url)["stc_serve_queue_texts"] >= 2)
        full = post(url, input=["c", "d"])
        assert (full.status_code, full.headers["Retry-After"]) == (503, "1")
        assert full.json()["error"]["code"] == "queue_full"
        assert full.json()["error"]["type"] == "server_error"
        encoder.gate.set()
        assert [answer.result().status_code for answer in (first, *rest)] == [200, 200]
        assert post(url, input=["c", "d"]).status_code == 200
        assert post(url, input=["e"] * 4).json()["error"]["code"] == "too_many_texts"


def test_what_nobody_waits_for_any_more_is_not_embedded() -> None:
    encoder = Gated()
    with serving(encoder, limits=Limits(batch=1)) as url, ThreadPoolExecutor(1) as pool:
        encoder.gate.clear()
        first = pool.submit(post, url, input="first")
        until(lambda: encoder.begun == 2)
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{url}/v1/embeddings", json={"model": "minilm", "input": "left"}, timeout=0.3)
        until(lambda: metrics(url).get('stc_serve_requests_total{path="/v1/embeddings",status="499"}') == 1)
        encoder.gate.set()
        assert first.result().status_code == 200
        assert post(url, input="last").status_code == 200
        assert metrics(url)["stc_serve_queue_texts"] == 0
    assert "left" not in encoder.seen


def test_a_model_that_fails_fails_that_request_alone() -> None:
    class Fails(BagOfWords):
        def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            if "poison" in texts:
                raise RuntimeError("out of memory")
            return super().encode(texts, query=query)

    with serving(Fails()) as url:
        answer = post(url, input="poison")
        assert (answer.status_code, answer.json()["error"]["type"]) == (500, "server_error")
        assert post(url, input="bread").status_code == 200


def test_a_stop_answers_what_has_been_asked() -> None:
    encoder = Gated()
    with ThreadPoolExecutor(1) as pool:
        with serving(encoder) as url:
            encoder.gate.clear()
            asked = pool.submit(post, url, input="asked")
            until(lambda: encoder.begun == 2)
            threading.Timer(0.3, encoder.gate.set).start()
        assert np.array_equal(vectors(asked.result()), BagOfWords().encode(["asked"]))
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{url}/health")


def test_a_batcher_that_is_closed_refuses_what_waits() -> None:
    encoder = Gated()
    batcher = Batcher(ServiceMetrics(), batch=1)
    encoder.gate.clear()
    first, second = (batcher.submit(encoder, [text], query=True) for text in ("first", "second"))
    until(lambda: encoder.begun == 1)
    closing = threading.Thread(target=batcher.close)
    closing.start()
    until(lambda: not batcher._open)
    encoder.gate.set()
    closing.join()
    assert [len(vector) for vector in first.result().vectors] == [384]
    with pytest.raises(Stopped):
        second.result()
    with pytest.raises(Stopped):
        batcher.submit(encoder, ["third"], query=True)


def test_only_loopback_is_loopback() -> None:
    for host, safe, url in (("127.0.0.1", True, "http://127.0.0.1:"), ("0.0.0.0", False, "http://127.0.0.1:")):  # noqa: S104
        with listen(host, 0) as bound:
            assert is_loopback(bound) is safe
            assert address(bound).startswith(url)


def test_the_model_s_vectors_and_prompts(model: Embedder) -> None:
    texts = ["How do voice assistants listen?", "a", "gene editing ethics " * 30]
    with serving(model) as url:
        answer = post(url, input=texts)
        np.testing.assert_allclose(vectors(answer), model.encode(texts, query=True), atol=2e-6)
        tokenizer = model._model.tokenizer
        assert answer.json()["usage"]["prompt_tokens"] == sum(len(tokenizer(text)["input_ids"]) for text in texts)
        with ThreadPoolExecutor(50) as pool:
            many = [f"{texts[0]} {number}" for number in range(50)]
            got = np.vstack([vectors(one) for one in pool.map(lambda text: post(url, input=text), many)])
        np.testing.assert_allclose(got, model.encode(many, query=True), atol=2e-6)
        told = metrics(url)
        assert told['stc_serve_batch_texts_count{model="minilm"}'] < 51
