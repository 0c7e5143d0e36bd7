"""Budget of requests: tokens, requests, seconds. Costs are reserved before a request is sent, so the budget is never exceeded."""

from __future__ import annotations

import time

from stcollection.counts import counted
from stcollection.llm.client import Reply

CHARACTERS_PER_TOKEN = 4.0  # roughly, for English; for estimates shown to users
_CAUTIOUS = 2.0  # characters per token assumed until the endpoint has reported a count
_COMPLETION = 512  # tokens of a completion if the request sets no limit


class Budget:
    """A limit on calls, tokens, money and time.

    :param completion: maximum tokens of a completion; None if the request sets no limit.
    :ivar calls: requests sent. :ivar tokens: tokens used by answered requests; estimated if the endpoint does not report them.
    """

    def __init__(
        self, *, tokens: int | None = None, calls: int | None = None, seconds: float | None = None, completion: int | None = None
    ) -> None:
        self._limits = (tokens, calls, seconds)
        self._completion = completion
        self._longest_completion = 0
        self._tokens_per_character: float | None = None
        self._reserved = 0
        self._began = time.monotonic()
        self._latency = 0.0
        self.tokens = 0
        self.calls = 0
        self.spent: str | None = None

    def start(self) -> None:
        """Start the clock for the time limit, unless an earlier batch of questions has."""
        if self.calls == 0:
            self._began = time.monotonic()

    @property
    def seconds_left(self) -> float | None:
        return None if self._limits[2] is None else self._limits[2] - (time.monotonic() - self._began)

    def begin(self, characters: int) -> int | None:
        """Reserve the cost of a question. If the budget is exhausted, return None and set :attr:`spent`.

        :param characters: length of the prompt. :returns: reserved tokens, for :meth:`settle`.
        """
        tokens, _, _ = self._limits
        estimate = self._estimate(characters)
        if tokens is not None and self.tokens + self._reserved + estimate > tokens:
            self.spent = f"{counted(tokens, 'token')}"
        elif (left := self.seconds_left) is not None and left <= self._latency:
            self.out_of_time()
        elif self.may_call():
            self._reserved += estimate
            return estimate
        return None

    def may_call(self) -> bool:
        """Use one request of the budget. Return False if none is left."""
        calls = self._limits[1]
        if calls is not None and self.calls >= calls:
            self.spent = f"{counted(calls, 'request')}"
            return False
        self.calls += 1
        return True

    def settle(self, reserved: int, characters: int, reply: Reply | None) -> None:
        """Replace the reserved cost of a question by its actual cost. :param reply: None if the request was cancelled."""
        self._reserved -= reserved
        if reply is None or reply.text is None:
            return
        if reply.prompt_tokens is None:
            self.tokens += reserved
        else:
            self.tokens += reply.prompt_tokens + (reply.completion_tokens or 0)
            self._tokens_per_character = max(self._tokens_per_character or 0.0, reply.prompt_tokens / max(1, characters))
        self._longest_completion = max(self._longest_completion, reply.completion_tokens or 0)
        self._latency = reply.seconds if not self._latency else 0.9 * self._latency + 0.1 * reply.seconds

    def out_of_time(self) -> None:
        self.spent = counted(self._limits[2] or 0, "second")

    def _estimate(self, characters: int) -> int:
        measured = self._tokens_per_character
        rate = 1 / _CAUTIOUS if measured is None else 1.1 * measured
        return round(characters * rate) + (self._completion or max(_COMPLETION, self._longest_completion))
