"""Ask a language model one question per document of a study: claim documents, ask, store answers; can be resumed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from stcollection.counts import counted
from stcollection.errors import StateError, StcError
from stcollection.llm.asker import Asker as Asker
from stcollection.llm.batch import ModelQuestion, RequestCounts, ask_all
from stcollection.llm.client import Client, Reply
from stcollection.studies.synth import study

Progress = Callable[[int, int, str], None]
Replies = Sequence[tuple[int, Reply]]  # dblp.id, and the reply
States = Callable[[Sequence[int] | None], list[tuple[int, str]]]


@dataclass(kw_only=True)
class AskCounts(RequestCounts):
    """Counts of one run of questions.

    :param documents: documents wanted.
    :param before: documents answered by an earlier call; malformed_before counts those without a usable answer.
    :param sent: questions whose reply is stored, the sum of good, malformed, empty and failed ones.
    :param textless: documents whose text has been removed.
    :param cut: answers truncated by the token limit.
    """

    documents: int = 0
    before: int = 0
    malformed_before: int = 0
    to_ask: int = 0
    sent: int = 0
    good: int = 0
    malformed: int = 0
    empty: int = 0
    textless: int = 0
    cut: int = 0

    @property
    def left(self) -> int:
        return self.to_ask - self.sent - self.held - self.textless


@dataclass(frozen=True, kw_only=True)
class AskOptions:
    """Which documents a model is asked about.

    :param limit: maximum number of documents, in the order of sampling.
    :param retry_malformed: also ask again where no result could be parsed from an earlier answer.
    :param simulated: the endpoint is not a real model: mark the edition that is published.
    """

    limit: int | None = None
    retry_malformed: bool = False
    simulated: bool = False


ALL_UNASKED = AskOptions()


class Questioning:
    """One question per document of a study.

    :param conn: in autocommit mode and used only for this: it holds the claims.
    :param states: returns the wanted documents among those given (None: all of the study), each as ask, malformed, or another
        word if done.
    :param keep: stores replies, and counts good, malformed and empty ones in :attr:`counts`; the caller counts the rest.
    """

    def __init__(
        self,
        conn: psycopg.Connection,
        *,
        study_id: int,
        step: str,
        asker: Asker,
        states: States,
        keep: Callable[[Replies, AskCounts], None],
        limit: int | None,
        progress: Progress | None,
    ) -> None:
        self._conn = conn
        self._study = study_id
        self._step = step
        self._asker = asker
        self._states = states
        self._keep = keep
        self._progress = progress
        documents = states(None)
        chosen = [doc for doc, state in documents if state == "ask"][:limit]
        self._docs = chosen[::-1]
        self._held: list[int] = []
        self._second_look = False
        self.counts = AskCounts(
            documents=len(documents),
            before=sum(state != "ask" for _, state in documents),
            malformed_before=sum(state == "malformed" for _, state in documents),
            to_ask=len(chosen),
        )

    def run(self) -> AskCounts:
        """Ask until nothing is left, the budget is spent, or SIGINT or SIGTERM arrives.

        :raises StateError: the endpoint cannot be reached or refuses; replies received before are stored.
        """
        if not self._docs:
            return self.counts
        try:
            run_batch(self._ask(self._asker.client()), self.counts)
        finally:
            if not self._conn.closed:
                self._conn.execute("SELECT pg_advisory_unlock_all()")
        return self.counts

    async def _ask(self, client: Client) -> None:
        asker = self._asker
        await ask_all(
            client, take=self._take, store=self._store, concurrency=asker.concurrency, budget=asker.budget, account=self.counts
        )

    def _take(self, most: int) -> list[ModelQuestion[int]]:
        while True:
            if not self._docs and self._held and not self._second_look:
                self._docs, self._held, self._second_look = self._held[::-1], [], True
            if not self._docs:
                self.counts.held = len(self._held)
                return []
            page = [self._docs.pop() for _ in range(min(most, len(self._docs)))]
            ours = set(study.claim(self._conn, self._study, self._step, page))
            self._held += [doc for doc in page if doc not in ours]
            states = dict(self._states([doc for doc in page if doc in ours]))
            finished = [doc for doc in ours if states.get(doc) != "ask"]  # done by another process in the meantime
            study.release(self._conn, self._study, self._step, finished)
            self.counts.to_ask -= len(finished)
            self.counts.before += len(finished)
            self.counts.malformed_before += sum(states.get(doc) == "malformed" for doc in finished)
            sampled = study.texts(self._conn, self._study, [doc for doc in page if states.get(doc) == "ask"])
            self.counts.textless += sum(text.passage is None for text in sampled)
            if questions := [
                ModelQuestion(text.doc, self._asker.template.fill(text.slots)) for text in sampled if text.passage is not None
            ]:
                return questions

    def _store(self, replies: Replies) -> None:
        counts = self.counts
        self._keep(replies, counts)
        study.release(self._conn, self._study, self._step, [doc for doc, _ in replies])
        for _, reply in replies:
            counts.sent += 1
            counts.cut += reply.finish == "length"
            if reply.text is None:
                counts.failed += 1
                counts.last_error = reply.error
        if self._progress is not None:
            notes = [f"{count:,} {what}" for what, count in (("malformed", counts.malformed), ("failed", counts.failed)) if count]
            self._progress(counts.sent, counts.to_ask, ", ".join([*notes, f"{counted(self._asker.budget.tokens, 'token')}"]))


def run_batch(work: Coroutine[Any, Any, None], counts: AskCounts) -> None:
    """Run a batch of questions. The counts get its seconds, and the hint of an error the number of answers stored before."""
    began = time.monotonic()
    try:
        asyncio.run(work)
    except StcError as error:
        if counts.sent:
            error.hint = f"{error.hint or ''} {counted(counts.sent, 'answer was', 'answers were')} stored before.".strip()
        raise
    counts.seconds = time.monotonic() - began


def cost(reply: Reply, asker: Asker) -> dict[str, Any]:
    """Return the metadata stored with an answer: the request, the responder and the cost."""
    details = {
        "endpoint": asker.endpoint.url, "finish": reply.finish, "served": reply.served, "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens, "attempts": reply.attempts, "seconds": round(reply.seconds, 3),
    }  # fmt: skip
    return {name: value for name, value in {**asker.options, **details}.items() if value is not None}


def no_work(what: str, hint: str) -> StateError:
    return StateError(what, hint=hint, sqlstate="IR405")
