"""Judge pairs of query and document with a language model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypedDict

import psycopg

from stcollection.counts import counted
from stcollection.errors import StateError, StcError
from stcollection.llm.asker import Asker
from stcollection.llm.batch import ModelQuestion, RequestCounts, ask_all
from stcollection.llm.budget import CHARACTERS_PER_TOKEN, Budget
from stcollection.llm.client import Client, Reply
from stcollection.llm.grades import read_grade
from stcollection.llm.template import Message, Template, add_slot
from stcollection.qrels.llm import store
from stcollection.qrels.llm.store import ARTICLE, ARTICLE_CHARACTERS, GradedReply, Pair
from stcollection.topics.sets import ALL

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Selection of pairs to judge; at most one of pool, like and runs (sql/qrels/llm_pairs.sql).

    :param like: judge the pairs of this edition. :param runs: judge the first ``depth`` documents of these runs; empty means all.
    :param missing: skip pairs that the edition already judges; without a source, select unjudged pairs of all runs.
    :param limit: maximum number of pairs. :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    """

    pool: str | None = None
    like: str | None = None
    runs: Sequence[str] | None = None
    depth: int = 10
    missing: bool = False
    limit: int | None = None
    queries: str = ALL


class PairCounts(TypedDict):
    """Counts of selected pairs, and of those that need no request."""

    pairs: int
    judged_before: int
    malformed_before: int
    textless: int
    without_article: int


@dataclass(kw_only=True)
class JudgeCounts(RequestCounts):
    """Counts of a call of :func:`judge`.

    :param pairs: all selected pairs. :param judged_before, malformed_before: pairs answered earlier, not requested again.
    :param textless: pairs without text, not requested. :param without_article: pairs to request whose topic has no article, if the
        prompt shows it. :param sent: stored replies: judged, malformed and failed.
    :param cut: malformed answers truncated by the token limit.
    """

    annotator: str
    pairs: int
    judged_before: int
    malformed_before: int
    textless: int
    without_article: int
    sent: int = 0
    judged: int = 0
    malformed: int = 0
    cut: int = 0
    grades: dict[int, int] = field(default_factory=dict)
    to_ask: int = 0

    @property
    def left(self) -> int:
        return self.to_ask - self.sent - self.held


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Preview of :func:`judge`.

    :param first: names of query and document, and the messages, of the first pairs.
    :param prompt_tokens: estimate from the number of characters.
    """

    pairs: int
    judged_before: int
    malformed_before: int
    textless: int
    without_article: int
    to_ask: int
    first: list[tuple[str, str, list[Message]]]
    prompt_tokens: int


def plan(
    conn: psycopg.Connection,
    *,
    edition: str,
    model: str,
    template: Template,
    selection: Wanted,
    retry_malformed: bool = False,
    article: int = ARTICLE_CHARACTERS,
    shown: int = 2,
) -> Plan:
    """Preview the requests of :func:`judge`, without sending or storing anything."""
    judge_id = store.find(conn, edition=edition, model=model, template=template)
    chosen, counts = _choose(conn, judge_id, edition, selection, template, retry_malformed=retry_malformed)
    first: list[tuple[str, str, list[Message]]] = []
    characters = 0
    for texts in store.texts(conn, chosen, article=_shown(template, article)):
        messages = template.fill(texts.slots)
        characters += sum(len(message["content"]) for message in messages)
        if len(first) < shown:
            first.append((texts.query_name, texts.docno, messages))
    tokens = round(characters / CHARACTERS_PER_TOKEN)
    return Plan(**counts, to_ask=len(chosen), first=first, prompt_tokens=tokens)


def judge(
    conn: psycopg.Connection,
    *,
    edition: str,
    asker: Asker,
    selection: Wanted,
    retry_malformed: bool = False,
    simulated: bool = False,
    article: int = ARTICLE_CHARACTERS,
    progress: Progress | None = None,
) -> JudgeCounts:
    """Judge pairs of query and document with a model. Store every answer, and a judgment if the answer states a grade.

    Pairs that the model has already judged in the edition with this prompt are skipped. Judgments have the origin llm. The
    annotator is the model, or model/prompt@hash from its second prompt in the edition on. After SIGINT or SIGTERM it ends in a
    few seconds.

    :param conn: a connection in autocommit mode for this call only, because it holds locks on the pairs in progress.
    :param article: maximum number of characters of the press article, if the prompt has the slot ``{article}``
        (:func:`with_article` adds it).
    :raises UnknownObject: unknown pool, edition or run. :raises BadArgument: the edition is sealed, or no pairs are selected.
    :raises StateError: no pair matches; the prompt shows the article and no topic has one; the endpoint cannot be reached, or
        refuses the key or the model.
    """
    model, template = asker.model, asker.template
    judge_id = store.find(conn, edition=edition, model=model, template=template)
    chosen, counts = _choose(conn, judge_id, edition, selection, template, retry_malformed=retry_malformed)
    if not counts["pairs"]:
        raise StateError("there is no pair to judge", hint="Select another pool, edition or runs.", sqlstate="IR405")
    signed = store.begin(conn, edition=edition, model=model, template=template)
    if simulated:
        conn.execute("SELECT stc.mark_simulated(%s, %s)", [edition, signed.judge])
    result = JudgeCounts(annotator=signed.annotator, **counts, to_ask=len(chosen))
    if not chosen:
        store.end(conn, signed)
        return result
    run = _Run(conn, signed.judge, template, chosen, result, retry_malformed=retry_malformed, progress=progress)
    run.article = _shown(template, article)
    run.params = {**asker.options, "endpoint": asker.endpoint.url}
    if run.article is not None:
        run.params |= {"context": ARTICLE, "context_characters": run.article}
    began = time.monotonic()
    try:
        asyncio.run(run.ask(asker.client(), concurrency=asker.concurrency, budget=asker.budget))
    except StcError as error:
        if result.sent:
            kept = f"{counted(result.sent, 'earlier answer is', 'earlier answers are')} stored, {result.judged:,} with a judgment."
            error.hint = f"{error.hint or ''} {kept}".strip()
        raise
    finally:
        store.end(conn, signed)
    result.seconds = time.monotonic() - began
    return result


def _choose(
    conn: psycopg.Connection,
    judge_id: int | None,
    edition: str,
    selection: Wanted,
    template: Template,
    *,
    retry_malformed: bool,
) -> tuple[list[Pair], PairCounts]:
    pairs = store.pairs(
        conn,
        edition,
        pool=selection.pool,
        like=selection.like,
        runs=selection.runs,
        depth=selection.depth,
        missing=selection.missing,
        queries=selection.queries,
    )[: selection.limit]
    states = store.states(conn, judge_id, pairs, retry_malformed=retry_malformed)
    counts = PairCounts(
        pairs=len(pairs),
        judged_before=states.count("judged"),
        malformed_before=states.count("malformed"),
        textless=states.count("textless"),
        without_article=0,
    )
    chosen = [pair for pair, state in zip(pairs, states, strict=True) if state == "ask"]
    if ARTICLE in template.slots:
        counts["without_article"] = store.without_article(conn, chosen)
        if chosen and counts["without_article"] == len(chosen):
            raise StateError(
                "no query of these pairs belongs to a topic with an article",
                hint="Load articles with 'stc load --as articles', or use a prompt without the article.",
                sqlstate="IR405",
            )
    return chosen, counts


def with_article(template: Template, characters: int = ARTICLE_CHARACTERS) -> Template:
    """Return the prompt with the press article of the topic, cut to a number of characters, as context."""
    return add_slot(
        template,
        ARTICLE,
        intro="This is the press article for which literature is searched:",
        comment=f"Context: the press article of the topic, at most {counted(characters, 'character')}.",
        slots=store.SLOTS,
    )


def _shown(template: Template, article: int) -> int | None:
    return article if ARTICLE in template.slots else None


class _Run:
    """State of a call of :func:`judge`. It claims pairs in pages and retries those of another process once at the end."""

    def __init__(
        self,
        conn: psycopg.Connection,
        judge_id: int,
        template: Template,
        chosen: list[Pair],
        result: JudgeCounts,
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
        self._result = result
        self._retry_malformed = retry_malformed
        self._progress = progress
        self.params: dict[str, Any] = {}
        self.article: int | None = None

    async def ask(self, client: Client, *, concurrency: int, budget: Budget) -> None:
        await ask_all(
            client,
            take=self._take,
            store=partial(self._store, budget=budget),
            concurrency=concurrency,
            budget=budget,
            account=self._result,
        )

    def _take(self, most: int) -> list[ModelQuestion[Pair]]:
        while True:
            if not self._pairs and self._held and not self._second_look:
                self._pairs, self._held, self._second_look = self._held[::-1], [], True
            if not self._pairs:
                self._result.held = len(self._held)
                return []
            page = [self._pairs.pop() for _ in range(min(most, len(self._pairs)))]
            ours = []
            for pair, state in store.take(self._conn, self._judge, page, retry_malformed=self._retry_malformed):
                if state == "ask":
                    ours.append(pair)
                elif state == "held":
                    self._held.append(pair)
                else:  # another process has finished it
                    self._result.to_ask -= 1
                    self._result.judged_before += state == "judged"
                    self._result.malformed_before += state == "malformed"
            if ours:
                filled = store.texts(self._conn, ours, article=self.article)
                return [ModelQuestion((texts.query, texts.doc), self._template.fill(texts.slots)) for texts in filled]

    def _store(self, replies: Sequence[tuple[Pair, Reply]], budget: Budget) -> None:
        grades = self._template.grades
        graded = [
            GradedReply(pair, reply, None if reply.text is None else read_grade(reply.text, grades)) for pair, reply in replies
        ]
        store.store(self._conn, self._judge, graded, params=self.params)
        result = self._result
        for answer in graded:
            result.sent += 1
            if answer.rel is not None:
                result.judged += 1
                result.grades[answer.rel] = result.grades.get(answer.rel, 0) + 1
            elif answer.reply.text is not None:
                result.malformed += 1
                result.cut += answer.reply.finish == "length"
            else:
                result.failed += 1
                result.last_error = answer.reply.error
        if self._progress is not None:
            counts = [
                f"{result.malformed:,} malformed",
                f"{counted(budget.tokens, 'token')}",
                *([f"{result.failed:,} failed"] if result.failed else []),
            ]
            self._progress(result.sent, result.to_ask, ", ".join(counts))
