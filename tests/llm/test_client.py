"""One question to an endpoint that is slow, refuses, limits rates, breaks off, and talks nonsense."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest

from stcollection.errors import BadArgument, StateError
from stcollection.llm import client as module
from stcollection.llm.client import Client, Reply
from stcollection.llm.endpoint import read_endpoint
from tests.qrels.llm_server import Answer, Asked, Endpoint, endpoint

pytestmark = pytest.mark.slow

MESSAGES = [{"role": "user", "content": "<query>\nq\n</query><title>\nt\n</title><abstract>\na\n</abstract>"}]
KEY = "sk-very-secret"


def ask(server: Endpoint | str, *, key: str | None = None, times: int = 1, **options: Any) -> list[Reply]:
    async def run() -> list[Reply]:
        url = server if isinstance(server, str) else server.url
        where = read_endpoint(url, environ={"STC_LLM_API_KEY": key} if key else {})
        async with Client(where, **{"model": "rule", "retries": 3, "timeout": 5.0, **options}) as client:
            return list(await asyncio.gather(*(client.ask(MESSAGES) for _ in range(times))))

    return asyncio.run(run())


def first(*answers: Answer) -> Callable[[Asked], Answer]:
    """These answers, then 2."""
    return lambda asked: answers[asked.number - 1] if asked.number <= len(answers) else Answer("2")


def test_an_answer_comes_with_what_it_cost() -> None:
    with endpoint(first()) as server:
        [reply] = ask(server, options={"temperature": 0, "seed": 7, "max_tokens": None})
        [asked] = server.asked
    assert (reply.text, reply.error, reply.attempts, reply.finish, reply.served) == ("2", None, 1, "stop", "rule-1.0")
    assert (reply.prompt_tokens, reply.completion_tokens) == (100, 2)
    assert asked.body == {"model": "rule", "messages": MESSAGES, "temperature": 0, "seed": 7}
    assert "authorization" not in asked.headers


TRUNCATED = json.dumps({"choices": [{"message": {"content": "2"}}]}).encode()[:-9]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (Answer(status=500, body=b"boom"), "500 boom"),
        (Answer(status=503, body=b'{"error": {"message": "warming up"}}'), "503 warming up"),
        (Answer(status=429, body=b'{"error": "slow down"}'), "429 slow down"),
        (Answer(status=408, body=b""), "408"),
        (Answer("2", sent=20), "the connection broke"),
        (Answer("2", sent=0), "the connection broke"),
        (Answer(body=TRUNCATED), "the response has no completion"),
        (
            Answer(body=b"<html><body>502 Bad Gateway</body></html>", headers={"Content-Type": "text/html"}),
            "the response has no completion: '<html>",
        ),
        (Answer(body=b""), "the response has no completion: ''"),
        (Answer(body=b'{"choices": []}'), "the response has no completion"),
        (Answer(body=b'{"choices": null}'), "the response has no completion"),
        (Answer(body=b'{"choices": [{"message": null}]}'), "the response has no completion"),
        (Answer(body=b"[1]"), "the response has no completion"),
        (Answer(body=b"\xff\xfe\x00"), "the response has no completion"),
        (Answer("2", delay=1.5), "no answer within 0.5 s"),
        (Answer(body=b" ", endless=0.05), "no answer within 0.5 s"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_may_pass_is_tried_again(monkeypatch: pytest.MonkeyPatch, bad: Answer, told: str) -> None:
    monkeypatch.setattr(module, "_FIRST_WAIT", 0.01)
    timeout = 0.5 if bad.delay or bad.endless else 20  # a busy machine is no fault
    with endpoint(first(bad, bad)) as server:
        [reply] = ask(server, timeout=timeout)
        assert (reply.text, reply.attempts) == ("2", 3)
    with endpoint(lambda _: bad) as server:
        [reply] = ask(server, timeout=timeout, retries=1)
        assert (reply.text, reply.attempts, len(server.asked)) == (None, 2, 2)
    assert told in (reply.error or "")


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (Answer(status=400, body=b'{"error": {"message": "context length exceeded"}}'), "400 context length exceeded"),
        (Answer(status=422, body=b'{"detail": "no"}'), "422 no"),
        (Answer(body=b"x" * 2**20, endless=0.0), "the response is longer than 4 MiB"),
        (Answer(body=b"x" * 2**20, endless=0.0, status=500), "the response is longer than 4 MiB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_will_not_pass_is_not(bad: Answer, told: str) -> None:
    with endpoint(first(bad)) as server:
        [reply] = ask(server)
        assert (reply.text, reply.attempts, len(server.asked)) == (None, 1, 1)
    assert told in (reply.error or "")


@pytest.mark.parametrize("when", ["number", "date"])
def test_retry_after_is_honoured_by_all_who_ask(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    monkeypatch.setattr(module, "_FIRST_WAIT", 0.01)

    def limit(asked: Asked) -> Answer:
        after = "1" if when == "number" else formatdate(time.time() + 2, usegmt=True)
        return Answer(status=429, headers={"Retry-After": after}) if asked.number <= 4 else Answer("2")

    with endpoint(limit) as server:
        replies = ask(server, times=4, connections=4)
        began, again = server.asked[0].when, [asked.when for asked in server.asked[4:]]
    assert [reply.text for reply in replies] == ["2"] * 4
    assert len(again) == 4
    assert min(again) - began >= 0.9


def test_a_long_wait_is_the_users_to_wait() -> None:
    with (
        endpoint(first(Answer(status=429, headers={"Retry-After": "3600"}))) as server,
        pytest.raises(StateError, match="requests a wait of 3,600 seconds") as error,
    ):
        ask(server)
    assert "again" in (error.value.hint or "")


@pytest.mark.parametrize(
    ("status", "message", "hint"),
    [(401, "rejects the key: 401 no \\*\\*\\*", "STC_LLM_API_KEY"), (403, "denies access", "STC_LLM_API_KEY"),
     (404, "does not know the model", "--model 'rule'. It lists other, rule."), (307, "returned status 307", "has moved")],
)  # fmt: skip
def test_an_endpoint_that_would_refuse_all_ends_it(status: int, message: str, hint: str) -> None:
    refusal = Answer(status=status, body=f"no {KEY}".encode(), headers={"Location": "http://127.0.0.1:1/"})
    with endpoint(lambda _: refusal) as server:
        with pytest.raises(StateError, match=message) as error:
            ask(server, key=KEY)
        assert len(server.asked) == 1
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(error.value)
    assert hint in (error.value.hint or "")


def test_credit_that_is_used_up_is_no_rate() -> None:
    body = b'{"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}'
    with endpoint(lambda _: Answer(status=429, body=body)) as server:
        with pytest.raises(StateError, match="exceeded your quota"):
            ask(server)
        assert len(server.asked) == 1


def test_an_endpoint_that_is_away_is_told_at_once() -> None:
    with endpoint() as server:
        url = server.url
    with pytest.raises(StateError, match=f"cannot connect to {url}") as error:
        ask(url)
    assert error.value.hint


def test_a_later_refusal_may_be_about_one_text() -> None:
    async def run(server: Endpoint) -> list[Reply]:
        async with Client(read_endpoint(server.url, environ={}), model="rule") as client:
            return [await client.ask(MESSAGES) for _ in range(3)]

    with endpoint(lambda asked: Answer(status=403, body=b"flagged") if asked.number == 2 else Answer("1")) as server:
        replies = asyncio.run(run(server))
    assert [(reply.text, reply.error) for reply in replies] == [("1", None), (None, "403 flagged"), ("1", None)]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('"2\\u0000"', "2\ufffd"),
        ('"\\u00e9 2"', "é 2"),
        ("null", ""),
        ('[{"type": "text", "text": "2"}]', "2"),
        (f'"{KEY}"', "***"),
        ("2", "2"),
    ],
)
def test_an_answer_is_kept_as_it_came_where_it_can_be(content: str, text: str) -> None:
    with endpoint(first(Answer(body=f'{{"choices": [{{"message": {{"content": {content}}}}}]}}'.encode()))) as server:
        [reply] = ask(server, key=KEY)
    assert (reply.text, reply.error, reply.prompt_tokens) == (text, None, None)


def test_a_refusal_in_its_own_member_is_the_answer() -> None:
    body = (
        b'{"choices": [{"message": {"content": null, "refusal": "I cannot"}, "finish_reason": "content_filter"}], "usage": "none"}'
    )
    with endpoint(first(Answer(body=body))) as server:
        [reply] = ask(server)
    assert (reply.text, reply.finish) == ("I cannot", "content_filter")


# the endpoint's address -----------------------------------------------------------------------------------------------------


def test_the_address_and_the_key_come_from_options_and_environment() -> None:
    environ = {"OPENAI_BASE_URL": "https://a.example/v1/", "OPENAI_API_KEY": "o", "STC_LLM_API_KEY": "s", "MINE": "m"}
    found = read_endpoint(environ=environ)
    assert (found.url, found.key, found.loopback) == ("https://a.example/v1", "s", False)
    assert read_endpoint("http://localhost:8000/v1", environ=environ).loopback
    assert read_endpoint("http://[::1]:8000/v1", environ={}).url == "http://[::1]:8000/v1"
    assert read_endpoint(environ=environ | {"STC_LLM_ENDPOINT": "https://b.example"}, key_variable="MINE").key == "m"
    assert read_endpoint(environ=environ, send_key=False).key is None
    assert repr(found) == "Endpoint(url='https://a.example/v1', loopback=False)"


@pytest.mark.parametrize(
    ("url", "message"),
    [(None, "no endpoint is given"), ("localhost:8000", "is not the address"), ("ftp://a/v1", "is not the address"),
     ("http://", "is not the address"),
     ("http://a:port/v1", "is not the address"), ("http://u:secret@a/v1", "contains a user or password"),
     ("https://a/v1?api-key=secret", "'https://a/v1' is not the address")],
)  # fmt: skip
def test_an_address_that_is_none(url: str | None, message: str) -> None:
    with pytest.raises(BadArgument, match=message) as error:
        read_endpoint(url, environ={})
    assert error.value.hint
    assert "secret" not in f"{error.value.message} {error.value.hint}"


def test_a_key_goes_over_plain_http_only_to_this_machine_or_when_told() -> None:
    environ = {"STC_LLM_API_KEY": KEY}
    for host in ("127.0.0.1", "localhost", "[::1]", "127.1.2.3"):
        assert read_endpoint(f"http://{host}:8000/v1", environ=environ).key == KEY
    for host in ("10.0.0.1", "gpu.example", "localhost.example", "127.0.0.1.example"):
        with pytest.raises(BadArgument, match="unencrypted") as error:
            read_endpoint(f"http://{host}/v1", environ=environ)
        assert KEY not in f"{error.value.message} {error.value.hint}"
        assert read_endpoint(f"http://{host}/v1", environ=environ, plain_http=True).key == KEY
        assert read_endpoint(f"http://{host}/v1", environ=environ, send_key=False).key is None
    with pytest.raises(BadArgument, match="the environment variable MINE is not set"):
        read_endpoint("https://a/v1", environ=environ, key_variable="MINE")
    with pytest.raises(BadArgument, match="not allowed in a header"):
        read_endpoint("https://a/v1", environ={"STC_LLM_API_KEY": "a\nb"})
