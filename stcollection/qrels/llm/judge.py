"""A language model judges: which pairs, asked how, read how, kept where."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypedDict

import psycopg

from stcollection.errors import StateError, StcError
from stcollection.llm.asker import Asker
from stcollection.llm.batch import ModelQuestion, ask_all
from stcollection.llm.budget import CHARACTERS_PER_TOKEN, Budget
from stcollection.llm.client import Client, Reply
from stcollection.llm.grades import read_grade
from stcollection.llm.template import Message, Template
from stcollection.moved import grouped
from stcollection.qrels.llm import store
from stcollection.qrels.llm.store import GradedReply, Pair

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which pairs are to be judged; of pool, like and runs one at most (sql/qrels/llm_pairs.sql).

    :param like: an edition whose judged pairs they are. :param runs: their first ``depth`` documents; empty is all runs.
    :param missing: only those the edition has no judgment of; without a source the holes of all runs.
    :param limit: so many at most.
    """

    pool: str | None = None
    like: str | None = None
    runs: Sequence[str] | None = None
    depth: int = 10
    missing: bool = False
    limit: int | None = None


class PairCounts(TypedDict):
    """Pairs that were wanted, and those of them not to be asked about."""

    pairs: int
    judged_before: int
    malformed_before: int
    textless: int


@dataclass(kw_only=True)
class JudgeCounts:
    """What a judging did.

    :param pairs: all that were wanted; before them judged, malformed and textless ones were not asked about.
    :param asked: questions whose reply is kept, the judged, malformed and failed ones together. :param cut: malformed ones that the
        bound on tokens cut off. :param held: pairs another process was asking about. :param dropped: in flight at the end.
    :param calls: requests sent. :param ended: why before the end: the budget that was spent, or interrupted; None is done.
    """

    annotator: str
    pairs: int
    judged_before: int
    malformed_before: int
    textless: int
    asked: int = 0
    judged: int = 0
    malformed: int = 0
    cut: int = 0
    failed: int = 0
    held: int = 0
    dropped: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    ended: str | None = None
    grades: dict[int, int] = field(default_factory=dict)
    last_error: str | None = None
    to_ask: int = 0

    @property
    def left(self) -> int:
        return self.to_ask - self.asked - self.held


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a judging would ask. :param first: names of query and document, and the messages, of the first pairs.
    :param prompt_tokens: an estimate, by characters."""

    pairs: int
    judged_before: int
    malformed_before: int
    textless: int
    to_ask: int
    first: list[tuple[str, str, list[Message]]]
    prompt_tokens: int


def plan(
    conn: psycopg.Connection,
    *,
    edition: str,
    model: str,
    template: Template,
    wanted: Wanted,
    retry_malformed: bool = False,
    shown: int = 2,
) -> Plan:
    """What :func:`judge` would ask; nothing is stored, and nobody asked."""
    judge_id = store.find(conn, edition=edition, model=model, template=template)
    chosen, counts = _choose(conn, judge_id, edition, wanted, retry_malformed=retry_malformed)
    first: list[tuple[str, str, list[Message]]] = []
    characters = 0
    for one in store.texts(conn, chosen):
        messages = template.fill(one.slots)
        characters += sum(len(message["content"]) for message in messages)
        if len(first) < shown:
            first.append((one.query_name, one.docno, messages))
    tokens = round(characters / CHARACTERS_PER_TOKEN)
    return Plan(**counts, to_ask=len(chosen), first=first, prompt_tokens=tokens)


@grouped(asker=Asker)
def judge(
    conn: psycopg.Connection,
    *,
    edition: str,
    asker: Asker,
    wanted: Wanted,
    retry_malformed: bool = False,
    simulated: bool = False,
    progress: Progress | None = None,
) -> JudgeCounts:
    """Ask a model about pairs of query and document; every answer is kept as it comes, and judged where it states a grade.

    What it has judged in the edition by this prompt is not asked again. Judgments have the origin llm; the annotator is the model,
    or from its second prompt in the edition on model/prompt@hash. Interrupted by SIGINT or SIGTERM, it ends in a few seconds.

    :param conn: in autocommit, for this alone: it holds the claims on the pairs that are asked about.
    :raises UnknownObject: no such pool, edition or run. :raises BadArgument: the edition is sealed, or no pairs are named.
    :raises StateError: nothing to ask about; the endpoint is away, or refuses the key or the model.
    """
    model, template = asker.model, asker.template
    judge_id = store.find(conn, edition=edition, model=model, template=template)
    chosen, counts = _choose(conn, judge_id, edition, wanted, retry_malformed=retry_malformed)
    if not counts["pairs"]:
        raise StateError("there is no pair to judge", hint="The pool, edition or runs hold none that is wanted.", sqlstate="IR405")
    signed = store.begin(conn, edition=edition, model=model, template=template)
    if simulated:
        conn.execute("SELECT stc.mark_simulated(%s, %s)", [edition, signed.judge])
    done = JudgeCounts(annotator=signed.annotator, **counts, to_ask=len(chosen))
    if not chosen:
        store.end(conn, signed)
        return done
    run = _Run(conn, signed.judge, template, chosen, done, retry_malformed=retry_malformed, progress=progress)
    run.params = {**asker.options, "endpoint": asker.endpoint.url}
    began = time.monotonic()
    try:
        asyncio.run(run.ask(asker.client(), concurrency=asker.concurrency, budget=asker.budget))
    except StcError as error:
        if done.asked:
            error.hint = f"{error.hint or ''} {done.asked:,} answers were kept before, {done.judged:,} of them judgments.".strip()
        raise
    finally:
        store.end(conn, signed)
    done.seconds = time.monotonic() - began
    return done


def _choose(
    conn: psycopg.Connection, judge_id: int | None, edition: str, wanted: Wanted, *, retry_malformed: bool
) -> tuple[list[Pair], PairCounts]:
    found = store.pairs(
        conn, edition, pool=wanted.pool, like=wanted.like, runs=wanted.runs, depth=wanted.depth, missing=wanted.missing
    )[: wanted.limit]
    states = store.states(conn, judge_id, found, retry_malformed=retry_malformed)
    counts = PairCounts(
        pairs=len(found),
        judged_before=states.count("judged"),
        malformed_before=states.count("malformed"),
        textless=states.count("textless"),
    )
    return [pair for pair, state in zip(found, states, strict=True) if state == "ask"], counts


class _Run:
    """One judging: pairs are claimed page by page; those another process holds are looked at once more at the end."""

    def __init__(
        self,
        conn: psycopg.Connection,
        judge_id: int,
        template: Template,
        chosen: list[Pair],
        done: JudgeCounts,
        *,
        retry_malformed: bool,
        progress: Progress | None,
    ) -> None:
        self._conn = conn
        self._judge = judge_id
        self._template = template
        self._pairs = chosen[::-1]
        self._held: list[Pair] = []
        self._second_look = False
        self._done = done
        self._retry_malformed = retry_malformed
        self._progress = progress
        self.params: dict[str, Any] = {}

    async def ask(self, client: Client, *, concurrency: int, budget: Budget) -> None:
        await ask_all(
            client,
            take=self._take,
            store=partial(self._store, budget=budget),
            concurrency=concurrency,
            budget=budget,
            done=self._done,
        )

    def _take(self, most: int) -> list[ModelQuestion[Pair]]:
        while True:
            if not self._pairs and self._held and not self._second_look:
                self._pairs, self._held, self._second_look = self._held[::-1], [], True
            if not self._pairs:
                self._done.held = len(self._held)
                return []
            page = [self._pairs.pop() for _ in range(min(most, len(self._pairs)))]
            ours = []
            for pair, state in store.take(self._conn, self._judge, page, retry_malformed=self._retry_malformed):
                if state == "ask":
                    ours.append(pair)
                elif state == "held":
                    self._held.append(pair)
                else:  # another process has finished it
                    self._done.to_ask -= 1
                    self._done.judged_before += state == "judged"
                    self._done.malformed_before += state == "malformed"
            if ours:
                filled = store.texts(self._conn, ours)
                return [ModelQuestion((one.query, one.doc), self._template.fill(one.slots)) for one in filled]

    def _store(self, replies: Sequence[tuple[Pair, Reply]], budget: Budget) -> None:
        grades = self._template.grades
        graded = [
            GradedReply(pair, reply, None if reply.text is None else read_grade(reply.text, grades)) for pair, reply in replies
        ]
        store.store(self._conn, self._judge, graded, params=self.params)
        done = self._done
        for one in graded:
            done.asked += 1
            if one.rel is not None:
                done.judged += 1
                done.grades[one.rel] = done.grades.get(one.rel, 0) + 1
            elif one.reply.text is not None:
                done.malformed += 1
                done.cut += one.reply.finish == "length"
            else:
                done.failed += 1
                done.last_error = one.reply.error
        if self._progress is not None:
            told = [
                f"{done.malformed:,} malformed",
                f"{budget.tokens:,} tokens",
                *([f"{done.failed:,} failed"] if done.failed else []),
            ]
            self._progress(done.asked, done.to_ask, ", ".join(told))
