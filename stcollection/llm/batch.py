"""Concurrent requests to a language model, within a budget, until nothing is left or an interrupt.

This module is independent of judgments: one callable returns questions, another stores replies.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from stcollection.counts import counted
from stcollection.errors import StateError
from stcollection.llm.budget import Budget
from stcollection.llm.client import Client, Reply
from stcollection.llm.template import Message

Key = TypeVar("Key")
_GRACE = 3.0  # seconds that running requests have after an interrupt


@dataclass(frozen=True)
class ModelQuestion(Generic[Key]):
    key: Key
    messages: Sequence[Message]

    @property
    def characters(self) -> int:
        return sum(len(message["content"]) for message in self.messages)


class Asking(Generic[Key]):
    """Send requests to a model concurrently, within a budget.

    :param take: returns the next questions, at most the given number; an empty list at the end.
    :param store: stores replies. ``take`` and ``store`` never run at the same time.
    :param failures: stop after this many questions in a row without an answer.
    :ivar dropped: questions whose requests were cancelled at the end.
    """

    def __init__(
        self,
        client: Client,
        *,
        take: Callable[[int], Awaitable[Sequence[ModelQuestion[Key]]]],
        store: Callable[[Sequence[tuple[Key, Reply]]], Awaitable[None]],
        concurrency: int,
        budget: Budget,
        failures: int = 10,
    ) -> None:
        self._client = client
        self._take = take
        self._store = store
        self._concurrency = concurrency
        self._budget = budget
        self._most_failures = max(failures, concurrency)
        self._failures = 0
        self._questions: asyncio.Queue[ModelQuestion[Key] | None] = asyncio.Queue(maxsize=2 * concurrency)
        self._replies: asyncio.Queue[tuple[Key, Reply] | None] = asyncio.Queue(maxsize=8 * concurrency)
        self._database = asyncio.Lock()
        self._ending = False
        self._workers: list[asyncio.Task[None]] = []
        self.dropped = 0
        self.interrupted = False

    async def run(self) -> None:
        """Send requests until nothing is left, the budget is spent, or an interrupt.

        The first question is sent alone, so that an unavailable endpoint is detected with one request.

        :raises StateError: the endpoint cannot answer any request, or did not answer the last questions. Replies received before
            are stored.
        """
        self._budget.start()
        feeder, writer, clock = (asyncio.create_task(coroutine) for coroutine in (self._feed(), self._write(), self._keep_time()))
        for task in (feeder, writer):
            task.add_done_callback(self._fail)
        try:
            await self._crew(1, rounds=1)
            await self._crew(self._concurrency)
        finally:
            clock.cancel()
            feeder.cancel()
            if not writer.done():
                await self._replies.put(None)
            for result in await asyncio.gather(writer, feeder, return_exceptions=True):
                if isinstance(result, Exception):
                    raise result

    def interrupt(self) -> None:
        """Send no further requests and cancel running ones after a few seconds, or at once if called again."""
        again, self.interrupted, self._ending = self.interrupted, True, True
        if again:
            self._drop()
        else:
            asyncio.get_running_loop().call_later(_GRACE, self._drop)

    def _drop(self) -> None:
        self._ending = True
        for task in self._workers:
            task.cancel()

    def _fail(self, task: asyncio.Task[None]) -> None:
        """Stop sending requests after an error in taking questions or storing replies."""
        if not task.cancelled() and task.exception() is not None:
            self._drop()

    async def _crew(self, size: int, rounds: int | None = None) -> None:
        if self._ending:
            return
        self._workers = [asyncio.create_task(self._work(rounds)) for _ in range(size)]
        try:
            await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
        except asyncio.CancelledError:  # an interrupt on platforms where signals cannot be handled
            self.interrupted = self._ending = True
        if any(task.done() and not task.cancelled() and task.exception() for task in self._workers):
            self._drop()
        for result in await asyncio.gather(*self._workers, return_exceptions=True):
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result

    async def _work(self, rounds: int | None) -> None:
        while rounds is None or rounds > 0:
            question = await self._questions.get()
            if question is None:
                self._questions.put_nowait(None)
            if question is None or self._ending:
                return
            characters = question.characters
            reserved = self._budget.begin(characters)
            if reserved is None:
                self._ending = True
                return
            reply: Reply | None = None
            try:
                reply = await self._client.ask(question.messages, may_retry=self._budget.may_call)
                await self._replies.put((question.key, reply))
            except asyncio.CancelledError:
                self.dropped += 1
                raise
            finally:
                self._budget.settle(reserved, characters, reply)
            self._count(reply)
            rounds = None if rounds is None else rounds - 1

    def _count(self, reply: Reply) -> None:
        self._failures = 0 if reply.text is not None else self._failures + 1
        if self._failures >= self._most_failures:
            raise StateError(
                f"the last {counted(self._failures, 'request')} had no answer: {reply.error}",
                hint="Check the endpoint, then run the same command again to continue.",
            )

    async def _feed(self) -> None:
        while True:
            async with self._database:
                questions = await self._take(self._questions.maxsize)
            for question in questions:
                await self._questions.put(question)
            if not questions:
                await self._questions.put(None)
                return

    async def _write(self) -> None:
        """Store replies as they arrive: singly if the database keeps up, else several together."""
        ended = False
        while not ended:
            batch = [await self._replies.get()]
            while not self._replies.empty():
                batch.append(self._replies.get_nowait())
            ended = batch[-1] is None
            async with self._database:
                if replies := [reply for reply in batch if reply is not None]:
                    await self._store(replies)

    async def _keep_time(self) -> None:
        left = self._budget.seconds_left
        if left is not None:
            await asyncio.sleep(left)
            self._budget.out_of_time()
            self._drop()


class Account(Protocol):
    """Result of a batch: cancelled questions, requests, tokens, and the reason if it ended early."""

    dropped: int
    calls: int
    tokens: int
    ended: str | None


@dataclass(kw_only=True)
class RequestCounts:
    """Counts of requests, an :class:`Account` that callers extend.

    :param failed: questions without an answer. :param held: those that another process was working on.
    :param dropped: requests in flight at the end. :param calls: requests sent.
    :param ended: why it stopped early: the exhausted budget, or interrupted; None if it finished.
    """

    failed: int = 0
    held: int = 0
    dropped: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    ended: str | None = None
    last_error: str | None = None


async def ask_all(
    client: Client,
    *,
    take: Callable[[int], Sequence[ModelQuestion[Key]]],
    store: Callable[[Sequence[tuple[Key, Reply]]], None],
    concurrency: int,
    budget: Budget,
    account: Account,
) -> None:
    """Send requests until no question is left, the budget is spent, or a signal arrives. Always record the result in ``account``.

    :param take, store: as for :class:`Asking`, each called in a separate thread.
    """

    async def take_questions(most: int) -> Sequence[ModelQuestion[Key]]:
        return await asyncio.to_thread(take, most)

    async def store_replies(replies: Sequence[tuple[Key, Reply]]) -> None:
        await asyncio.to_thread(store, replies)

    async with client:
        asking = Asking(client, take=take_questions, store=store_replies, concurrency=concurrency, budget=budget)
        try:
            with signals(asking.interrupt):
                await asking.run()
        finally:
            account.dropped, account.calls, account.tokens = asking.dropped, client.calls, budget.tokens
            account.ended = "interrupted" if asking.interrupted else budget.spent


@contextlib.contextmanager
def signals(interrupt: Callable[[], None]) -> Iterator[None]:
    """Call the function on SIGINT and SIGTERM if the event loop supports it; otherwise KeyboardInterrupt cancels the task."""
    loop = asyncio.get_running_loop()
    handled = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, interrupt)
            handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
