"""What asking may cost: tokens, requests, seconds. It is spent before a question is asked, so that none goes beyond it."""

from __future__ import annotations

import time

from stcollection.llm.client import Reply

CHARACTERS_PER_TOKEN = 4.0  # of English, roughly; for estimates shown to people
_CAUTIOUS = 2.0  # what is reckoned with before the endpoint has counted for us
_COMPLETION = 512  # tokens of an answer, where the request sets no bound


class Budget:
    """A limit on calls, tokens, money and time.

    :param completion: tokens an answer can have at most; None where the request sets no bound.
    :ivar calls: requests begun. :ivar tokens: used by what was answered; estimated where the endpoint does not count.
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
        """Seconds count from here on."""
        self._began = time.monotonic()

    @property
    def seconds_left(self) -> float | None:
        return None if self._limits[2] is None else self._limits[2] - (time.monotonic() - self._began)

    def begin(self, characters: int) -> int | None:
        """Set aside what a question costs; None where the budget has no room for it, and :attr:`spent` says of what.

        :param characters: of the prompt. :returns: tokens set aside, for :meth:`settle`.
        """
        tokens, _, _ = self._limits
        wanted = self._estimate(characters)
        if tokens is not None and self.tokens + self._reserved + wanted > tokens:
            self.spent = f"{tokens:,} tokens"
        elif (left := self.seconds_left) is not None and left <= self._latency:
            self.out_of_time()
        elif self.may_call():
            self._reserved += wanted
            return wanted
        return None

    def may_call(self) -> bool:
        """Take one request from the budget, if there is one left."""
        calls = self._limits[1]
        if calls is not None and self.calls >= calls:
            self.spent = f"{calls:,} requests"
            return False
        self.calls += 1
        return True

    def settle(self, reserved: int, characters: int, reply: Reply | None) -> None:
        """Put what a question has cost in the place of what was set aside for it; no reply is one that was dropped."""
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
        self.spent = f"{self._limits[2]:,g} seconds"

    def _estimate(self, characters: int) -> int:
        seen = self._tokens_per_character
        rate = 1 / _CAUTIOUS if seen is None else 1.1 * seen
        return round(characters * rate) + (self._completion or max(_COMPLETION, self._longest_completion))
