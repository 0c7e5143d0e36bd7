"""Many questions at once: as many as are wanted in flight, each answer handed on as it comes, within a budget, until told to stop.

It knows nothing of judgments: questions come from a callable and replies go to one.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from stcollection.errors import StateError
from stcollection.llm.budget import Budget
from stcollection.llm.client import Client, Reply
from stcollection.llm.template import Message

Key = TypeVar("Key")
_GRACE = 3.0  # seconds that questions in flight have, once asking is interrupted


@dataclass(frozen=True)
class ModelQuestion(Generic[Key]):
    key: Key
    messages: Sequence[Message]

    @property
    def characters(self) -> int:
        return sum(len(message["content"]) for message in self.messages)


class Asking(Generic[Key]):
    """Send requests to a model concurrently, within a budget.

    :param take: the next questions, at most as many as it is told; none left is an empty list.
    :param store: keeps replies, and has kept them when it returns. Neither is called while one of the two is at work.
    :param failures: so many questions in a row without an answer end it.
    :ivar dropped: questions that were in flight when it ended.
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
        """Ask until nothing is left, the budget is spent, or it is interrupted.

        The first question goes alone: an endpoint that is away or refuses is told by one.

        :raises StateError: the endpoint would answer nothing, or has answered none of the last questions. Replies that had come are
            kept all the same.
        """
        self._budget.start()
        feeder, writer, clock = (asyncio.create_task(one) for one in (self._feed(), self._write(), self._keep_time()))
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
        """Begin no further question; those in flight have a few seconds. Called again, they are dropped at once."""
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
        """Where questions no longer come, or replies are no longer kept, none is asked."""
        if not task.cancelled() and task.exception() is not None:
            self._drop()

    async def _crew(self, size: int, rounds: int | None = None) -> None:
        if self._ending:
            return
        self._workers = [asyncio.create_task(self._work(rounds)) for _ in range(size)]
        try:
            await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
        except asyncio.CancelledError:  # an interruption where signals cannot be handled
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
                f"the last {self._failures} questions had no answer: {reply.error}",
                hint="Look at the endpoint; the same command again goes on where this one ended.",
            )

    async def _feed(self) -> None:
        while True:
            async with self._database:
                taken = await self._take(self._questions.maxsize)
            for question in taken:
                await self._questions.put(question)
            if not taken:
                await self._questions.put(None)
                return

    async def _write(self) -> None:
        """Keep what has come: one after the other while there is time, several together while there is none."""
        ended = False
        while not ended:
            batch = [await self._replies.get()]
            while not self._replies.empty():
                batch.append(self._replies.get_nowait())
            ended = batch[-1] is None
            async with self._database:
                if replies := [one for one in batch if one is not None]:
                    await self._store(replies)

    async def _keep_time(self) -> None:
        left = self._budget.seconds_left
        if left is not None:
            await asyncio.sleep(left)
            self._budget.out_of_time()
            self._drop()


class Account(Protocol):
    """What an asking came to: questions dropped in flight, requests, tokens, and what ended it before its end."""

    dropped: int
    calls: int
    tokens: int
    ended: str | None


async def ask_all(
    client: Client,
    *,
    take: Callable[[int], Sequence[ModelQuestion[Key]]],
    store: Callable[[Sequence[tuple[Key, Reply]]], None],
    concurrency: int,
    budget: Budget,
    done: Account,
) -> None:
    """Ask until nothing is left to take, the budget is spent, or a signal interrupts; ``done`` says how it ended, however it did.

    :param take, store: as for :class:`Asking`, each called in a thread of its own.
    """

    async def taken(most: int) -> Sequence[ModelQuestion[Key]]:
        return await asyncio.to_thread(take, most)

    async def stored(replies: Sequence[tuple[Key, Reply]]) -> None:
        await asyncio.to_thread(store, replies)

    async with client:
        asking = Asking(client, take=taken, store=stored, concurrency=concurrency, budget=budget)
        try:
            with signals(asking.interrupt):
                await asking.run()
        finally:
            done.dropped, done.calls, done.tokens = asking.dropped, client.calls, budget.tokens
            done.ended = "interrupted" if asking.interrupted else budget.spent


@contextlib.contextmanager
def signals(interrupt: Callable[[], None]) -> Iterator[None]:
    """Call that on SIGINT and SIGTERM, where the loop can; elsewhere KeyboardInterrupt cancels it."""
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
