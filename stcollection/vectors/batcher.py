"""Embed concurrent requests together in one thread.

Texts that arrive while the model is busy form the next batch: batches grow under load, and a single text does not wait. A batch
has one model and one kind (query or passage, whose prompts differ). Kinds with work take turns by batch, so that a query waits
for one batch of a long request, not for the whole request.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple, Protocol

import numpy as np

from stcollection.counts import counted
from stcollection.errors import StcError
from stcollection.vectors.model import Encoder, Vectors

QUEUE = 4096
_NOTHING = np.zeros(0, dtype=np.float32)


class Embedded(NamedTuple):
    """The embeddings of one request.

    :param vectors: of each text, float32[dim], or pairs of a sparse model.
    :param tokens: number of tokens of all texts after truncation.
    """

    vectors: list[Vectors]
    tokens: int


class Busy(StcError):
    """The queue is full."""


class Stopped(StcError):
    """The service is stopping."""


class Observer(Protocol):
    """Interface for observers of the batcher."""

    def queued(self, texts: int) -> None:
        """Report the number of waiting texts."""

    def embedded(self, *, model: str, query: bool, texts: int, seconds: float) -> None:
        """Report an embedded batch."""


class _Job:
    """The texts of one request. :ivar batched: number of texts put into batches. :ivar embedded: number of embedded texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.vectors: list[Vectors] = [_NOTHING] * len(texts)
        self.tokens = self.batched = self.embedded = 0
        self.future: Future[Embedded] = Future()


class Batcher:
    """A thread that embeds the texts of all requests. :meth:`close` stops it and refuses waiting texts."""

    def __init__(self, observer: Observer, *, queue: int = QUEUE, batch: int | None = None) -> None:
        """Start the thread.

        :param queue: maximum number of waiting texts. :param batch: texts per forward pass; None uses the model's default.
        """
        self._queue = queue
        self._batch = batch
        self._observer = observer
        self._turns: OrderedDict[tuple[str, bool], tuple[Encoder, deque[_Job]]] = OrderedDict()
        self._waiting = 0
        self._open = True
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="embed", daemon=True)
        self._thread.start()

    def submit(self, encoder: Encoder, texts: Sequence[str], *, query: bool) -> Future[Embedded]:
        """Queue texts; cancel the future to remove those that are not embedded yet.

        :param texts: at least one text.
        :raises Busy: the queue is too full for them. :raises Stopped: after :meth:`close`.
        """
        job = _Job(texts)
        with self._change:
            if not self._open:
                raise Stopped("the service is stopping")
            if self._waiting + len(texts) > self._queue:
                raise Busy(
                    f"{counted(self._waiting, 'text is', 'texts are')} waiting; {len(texts)} more exceed {self._queue}",
                    hint="Try again later.",
                )
            self._turns.setdefault((encoder.short, query), (encoder, deque()))[1].append(job)
            self._count(len(texts))
            self._change.notify()
        return job.future

    def close(self) -> None:
        """Finish the current batch, refuse waiting texts and stop the thread."""
        with self._change:
            self._open = False
            self._change.notify()
        self._thread.join()

    def _count(self, more: int) -> None:
        self._waiting += more
        self._observer.queued(self._waiting)

    def _work(self) -> None:
        while (batch := self._next()) is not None:
            encoder, query, parts = batch
            texts = [text for job, start, stop in parts for text in job.texts[start:stop]]
            started = time.perf_counter()
            try:
                vectors = encoder.encode(texts, query=query)
                tokens = tokens_of(encoder)(texts)
            except Exception as error:  # an error of the model fails these requests, not the service
                for job, _, _ in parts:
                    self._fail(job, error)
                continue
            self._observer.embedded(model=encoder.short, query=query, texts=len(texts), seconds=time.perf_counter() - started)
            at = 0
            for job, start, stop in parts:
                job.vectors[start:stop] = vectors[at : at + stop - start]
                job.tokens += sum(tokens[at : at + stop - start])
                job.embedded += stop - start
                at += stop - start
                if job.embedded == len(job.texts) and job.future.set_running_or_notify_cancel():
                    job.future.set_result(Embedded(job.vectors, job.tokens))

    def _next(self) -> tuple[Encoder, bool, list[tuple[_Job, int, int]]] | None:
        """Return the next batch: its encoder, whether it has queries, and its parts of jobs; None after :meth:`close`."""
        with self._change:
            while True:
                if not self._open:
                    for _, jobs in self._turns.values():
                        for job in jobs:
                            self._fail(job, Stopped("the service is stopping"))
                    return None
                if not self._turns:
                    self._change.wait()
                    continue
                key, (encoder, jobs) = self._turns.popitem(last=False)
                parts = self._take(jobs, self._batch or encoder.batch)
                if jobs:
                    self._turns[key] = encoder, jobs  # at the end of the line
                if parts:
                    return encoder, key[1], parts

    def _take(self, jobs: deque[_Job], room: int) -> list[tuple[_Job, int, int]]:
        parts = []
        while jobs and room:
            job = jobs[0]
            if job.future.done():  # cancelled, or failed by an earlier batch
                self._count(job.batched - len(job.texts))
                jobs.popleft()
                continue
            stop = min(job.batched + room, len(job.texts))
            parts.append((job, job.batched, stop))
            room -= stop - job.batched
            self._count(job.batched - stop)
            job.batched = stop
            if stop == len(job.texts):
                jobs.popleft()
        return parts

    @staticmethod
    def _fail(job: _Job, error: Exception) -> None:
        if not job.future.done() and job.future.set_running_or_notify_cancel():
            job.future.set_exception(error)


def tokens_of(encoder: Encoder) -> Callable[[Sequence[str]], list[int]]:
    """Return a function that counts the tokens of texts after truncation, or words without a tokenizer. Not thread-safe."""
    tokenizer = getattr(getattr(encoder, "_model", None), "tokenizer", None)
    if tokenizer is None:
        return lambda texts: [len(text.split()) for text in texts]
    if not callable(tokenizer):  # of a static model, which reads texts whole
        return lambda texts: [len(text.ids) for text in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
    return lambda texts: [
        len(ids) for ids in tokenizer(list(texts), truncation=True, max_length=encoder.max_tokens, padding=False)["input_ids"]
    ]
