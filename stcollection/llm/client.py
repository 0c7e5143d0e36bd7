"""A client of one model at one endpoint: sends a question, retries where that helps, and returns the reply.

The openai package sends the requests; we parse the responses, since endpoints return many forms that its types do not allow.
This module is independent of judgments.

We retry requests ourselves. The package's retries (``max_retries``) ignore responses without a completion and know no budget. They
limit the time of each read but not of the attempt, repeat requests whose responses are too long, and do not delay other requests
after a Retry-After.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import orjson

from stcollection.counts import counted
from stcollection.errors import StateError
from stcollection.extras import load_module
from stcollection.llm.endpoint import Endpoint
from stcollection.llm.limits import TooLongError, retry_after
from stcollection.llm.template import Message

LONGEST_WAIT = 120.0  # maximum Retry-After, in seconds
_FIRST_WAIT, _MOST_WAIT = 0.5, 30.0  # seconds before the second attempt, and maximum before any attempt
_REFUSED = {401: "rejects the key", 403: "denies access", 404: "does not know the model or address"}
_AGAIN = {408, 409, 425, 429}


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The reply to a question.

    :param text: the answer; None if no answer arrived, with the reason in :attr:`error`. U+0000 and lone surrogates become U+FFFD.
    :param finish: why the model stopped, as the endpoint reports it: stop, length, content_filter …
    :param served: the model that answered, as the endpoint reports it.
    :param attempts: requests sent. :param seconds: duration of the last one.
    """

    text: str | None = None
    error: str | None = None
    finish: str | None = None
    served: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    attempts: int = 1
    seconds: float = 0.0


class _AgainError(Exception):
    """A failure that may be temporary. :param after: Retry-After, in seconds."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


class _PairError(Exception):
    """A failure caused by this question, which a retry would not change."""


class Client:
    """A client for one model of one endpoint.

    :param options: members of the request, such as temperature and max_tokens; None values are omitted.
    :param timeout: seconds for one attempt, from the first byte sent to the last received. :param retries: further attempts.
    :param connections: maximum number of concurrent connections. :ivar calls: requests sent.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        model: str,
        options: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
        retries: int = 5,
        connections: int = 8,
    ) -> None:
        from stcollection.llm.transport import http_client

        self._openai = openai = load_module("openai", what="a language model")
        self._endpoint = endpoint
        self._model = model
        self._options = {name: value for name, value in (options or {}).items() if value is not None}
        self._timeout = timeout
        self._retries = retries
        self._not_before = 0.0
        self._answered = False
        self.calls = 0
        self._client: Any = openai.AsyncOpenAI(
            api_key=endpoint.key or "none",
            base_url=endpoint.url,
            max_retries=0,
            timeout=timeout,
            http_client=http_client(
                endpoint.url,
                timeout=timeout,
                connections=connections,
                loopback=endpoint.loopback,
                send_key=endpoint.key is not None,
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._client.close()

    async def ask(self, messages: Sequence[Message], *, may_retry: Callable[[], bool] = lambda: True) -> Reply:
        """Send one question until an answer arrives or the retries are used up.

        :param may_retry: called before each further attempt; if it returns False, the last failure is returned.
        :raises StateError: the endpoint cannot answer any question: it is unreachable, or rejects the key or the model.
        """
        attempt = 0
        while True:
            attempt += 1
            await self._wait()
            began = time.monotonic()
            self.calls += 1
            try:
                reply = await self._attempt(messages)
            except _PairError as error:
                return Reply(error=str(error), attempts=attempt, seconds=time.monotonic() - began)
            except _AgainError as error:
                took = time.monotonic() - began
                if attempt > self._retries or not may_retry():
                    return Reply(error=str(error), attempts=attempt, seconds=took)
                self._postpone(error.after)
                # Half of the wait is random, so that requests that failed together are not repeated together.
                await asyncio.sleep(min(_MOST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0))  # noqa: S311
            else:
                self._answered = True
                return Reply(**reply, attempts=attempt, seconds=time.monotonic() - began)

    async def models(self) -> list[str]:
        """Return the models that the endpoint lists; empty if it cannot list them."""
        try:
            async with asyncio.timeout(min(5.0, self._timeout)):
                raw = await self._client.models.with_raw_response.list()
            return sorted(str(model["id"]) for model in orjson.loads(raw.content)["data"])
        except (self._openai.OpenAIError, TooLongError, TimeoutError, ValueError, KeyError, TypeError):
            return []

    async def _wait(self) -> None:
        while (left := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(left + random.uniform(0, 0.1))  # noqa: S311

    def _postpone(self, after: float | None) -> None:
        """Delay all requests to the endpoint by a number of seconds."""
        if after is None:
            return
        if after > LONGEST_WAIT:
            raise StateError(
                f"{self._endpoint.url} requests a wait of {counted(round(after), 'second')}",
                hint="Run the same command again after that time; answers received so far are stored.",
            )
        self._not_before = max(self._not_before, time.monotonic() + after)

    async def _attempt(self, messages: Sequence[Message]) -> dict[str, Any]:
        openai = self._openai
        try:
            async with asyncio.timeout(self._timeout):
                raw = await self._client.chat.completions.with_raw_response.create(
                    model=self._model, messages=list(messages), extra_body=self._options
                )
                body: bytes = raw.content
        except (TimeoutError, openai.APITimeoutError):
            raise _AgainError(f"no answer within {self._timeout:g} s") from None
        except TooLongError as error:
            raise _PairError(str(error)) from None
        except openai.APIStatusError as error:
            raise await self._status(error) from None
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, TooLongError):
                raise _PairError(str(error.__cause__)) from None
            why = " ".join(str(error.__cause__ or error).split()) or type(error.__cause__ or error).__name__
            if type(error.__cause__).__name__ in ("ConnectError", "UnsupportedProtocol") and not self._answered:
                raise StateError(
                    f"cannot connect to {self._endpoint.url}: {why}", hint="Check that the server is running at this address."
                ) from None
            raise _AgainError(f"the connection broke: {why}") from None
        return self._read(body)

    async def _status(self, error: Any) -> Exception:
        """Return the exception for a response with an error status."""
        status = int(error.status_code)
        reason = self._endpoint.without_key(_reason(error.response.content))
        what = f"{self._endpoint.url} returned status {status}{f': {reason}' if reason else ''}"
        # After a first answer, 403 and 404 may concern a single text: some hosts moderate or route requests.
        if status == 401 or (status in _REFUSED and not self._answered):
            return StateError(f"{self._endpoint.url} {_REFUSED[status]}: {status} {reason}".rstrip(), hint=await self._hint(status))
        if 300 <= status < 400:
            return StateError(what, hint="The endpoint has moved: give its new address with --endpoint.")
        if status == 429 and b"insufficient_quota" in error.response.content:
            return StateError(what, hint="The account has no credit; add credit, then run the same command again.")
        if status in _AGAIN or status >= 500:
            return _AgainError(f"{status} {reason}".strip(), retry_after(error.response.headers))
        return _PairError(f"{status} {reason}".strip())

    async def _hint(self, status: int) -> str:
        if status != 404:
            return "Set the key in STC_LLM_API_KEY, OPENAI_API_KEY, or the variable named by --key-variable."
        names = await self.models()
        listing = f"It lists {', '.join(names[:8])}{', …' if len(names) > 8 else ''}." if names else "Most addresses end in /v1."
        return f"Check the name of the model, --model {self._model!r}. {listing}"

    def _read(self, body: bytes) -> dict[str, Any]:
        try:
            data = orjson.loads(body)
            choice = data["choices"][0]
            message = choice["message"]
            text = message.get("content")
        except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError):
            start = self._endpoint.without_key(_clean(body[:200].decode(errors="replace")))
            raise _AgainError(f"the response has no completion: {' '.join(start.split())!r}") from None
        if isinstance(text, list):  # some servers send the text in parts
            text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
        if text is None:
            text = message.get("refusal") or ""
        usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
        return {
            "text": self._endpoint.without_key(_clean(str(text))),
            "finish": _name(choice.get("finish_reason")),
            "served": _name(data.get("model")),
            "prompt_tokens": _count(usage.get("prompt_tokens")),
            "completion_tokens": _count(usage.get("completion_tokens")),
        }


def _clean(text: str) -> str:
    """Replace characters that PostgreSQL cannot store."""
    return text.replace("\0", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _name(value: object) -> str | None:
    return _clean(value)[:200] if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 2**31 else None


def _reason(body: bytes) -> str:
    """Return the message in the body of an error, on one line."""
    text = body[:2000].decode(errors="replace")
    try:
        data = orjson.loads(body)
        error = data.get("error", data)
        text = error if isinstance(error, str) else str(error.get("message") or error.get("detail") or text)
    except (orjson.JSONDecodeError, AttributeError):
        pass
    return " ".join(_clean(text).split())[:200]
