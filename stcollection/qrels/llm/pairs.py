"""Compare pairs of documents with a language model, as assessors do on the page (:mod:`stcollection.qrels.comparisons`).

The model is an annotator of a pool. It sees each pair in both orders: if its answers contradict each other, the documents count as
equal, since the order decided. An answer without a choice sets the document aside. Both answers are stored with the comparison.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.db.rows import records
from stcollection.errors import StateError, translate
from stcollection.llm.asker import Asker
from stcollection.llm.batch import ModelQuestion, RequestCounts, ask_all
from stcollection.llm.client import Reply
from stcollection.llm.grades import read_grade
from stcollection.llm.template import Template
from stcollection.qrels.comparisons import Choice, SubmittedPairs, submit_pairs
from stcollection.qrels.llm import store
from stcollection.qrels.llm.judge import Progress
from stcollection.topics.sets import ALL

SLOTS = ("topic", "query", "article", "title_1", "abstract_1", "title_2", "abstract_2")
PROMPTS = Path(__file__).parent / "pair_prompts"
_SECONDS = 600  # longest time that is stored


class NextPair(NamedTuple):
    """Two documents to compare. :param remaining: comparisons of the query that can still be needed, at most."""

    query: int
    query_name: str
    left_token: str
    right_token: str
    left_doc: int
    right_doc: int
    remaining: int


@dataclass(kw_only=True)
class ComparisonCounts(RequestCounts):
    """Counts of a call of :func:`compare_all`.

    :param to_ask: comparisons that can be needed, at most. :param compared: comparisons stored; ``equal`` and ``undecided`` count
        some of them. :param contradicting: of the equal ones, those for which the order of the documents decided.
    :param submitted: the orders stored as preferences; None if none is complete.
    """

    annotator: str
    to_ask: int
    compared: int = 0
    equal: int = 0
    contradicting: int = 0
    undecided: int = 0
    submitted: SubmittedPairs | None = None

    @property
    def left(self) -> int:
        return self.to_ask - self.compared


@dataclass(kw_only=True)
class _Round(RequestCounts):
    """The account of one round of requests. It is added to the counts."""

    replies: dict[tuple[int, bool], Reply] = field(default_factory=dict)


@translate()
def waiting(conn: psycopg.Connection, pool: str, annotator: str, queries: str = ALL) -> list[NextPair]:
    """Return the next pair of each query whose order is not complete.

    :raises UnknownObject: the pool or the set does not exist. :raises BadArgument: the pool is shared with others only.
    """
    return records(conn, NextPair, "SELECT * FROM stc.llm_comparisons(%s, %s, %s)", [pool, annotator, queries])


def compare_all(
    conn: psycopg.Connection,
    *,
    pool: str,
    edition: str,
    asker: Asker,
    queries: str = ALL,
    article: int = store.ARTICLE_CHARACTERS,
    progress: Progress | None = None,
) -> ComparisonCounts:
    """Let a model order the documents of a pool by comparing pairs, and store the complete orders as preferences of an edition.

    Each comparison is stored at once, so a call that was interrupted goes on where it stopped.

    :param conn: a connection in autocommit mode.
    :raises StateError: the pool has no two documents of a query; the endpoint cannot be reached.
    """
    annotator = asker.model
    pairs = waiting(conn, pool, annotator, queries)
    counts = ComparisonCounts(annotator=annotator, to_ask=sum(pair.remaining for pair in pairs))
    began = time.monotonic()
    while pairs and counts.ended is None:
        before = counts.compared
        account = _ask(conn, pool, pairs, asker, article=article)
        _store(conn, pool, pairs, asker.template, account, counts)
        if progress is not None:
            progress(counts.compared, counts.to_ask, f"{counts.undecided:,} undecided")
        if counts.compared == before:
            break
        pairs = waiting(conn, pool, annotator, queries)
        counts.to_ask = counts.compared + sum(pair.remaining for pair in pairs)
    counts.seconds = time.monotonic() - began
    try:
        counts.submitted = submit_pairs(conn, pool, edition=edition, annotators=[annotator])
    except StateError:
        if not counts.compared and not pairs:
            raise
    return counts


def questions(
    conn: psycopg.Connection, pairs: Sequence[NextPair], template: Template, *, article: int
) -> list[ModelQuestion[tuple[int, bool]]]:
    """Return two questions for each pair: in the order of the sheet, and the other way round. The key is (place, is swapped)."""
    sides = [(pair.query, doc) for pair in pairs for doc in (pair.left_doc, pair.right_doc)]
    texts = list(store.texts(conn, sides, article=article if store.ARTICLE in template.slots else None))
    made = []
    for at in range(len(pairs)):
        for swapped in (False, True):
            first, second = texts[2 * at : 2 * at + 2][:: -1 if swapped else 1]
            values = {"topic": first.topic, "query": first.query_text, "article": first.article}
            values |= {"title_1": first.title, "abstract_1": first.abstract, "title_2": second.title, "abstract_2": second.abstract}
            made.append(ModelQuestion((at, swapped), template.fill(values)))
    return made


def _ask(conn: psycopg.Connection, pool: str, pairs: Sequence[NextPair], asker: Asker, *, article: int) -> _Round:
    """Request both answers for each pair."""
    requests = questions(conn, pairs, asker.template, article=article)[::-1]
    account = _Round()

    def take(most: int) -> list[ModelQuestion[tuple[int, bool]]]:
        return [requests.pop() for _ in range(min(most, len(requests)))]

    asking = ask_all(
        asker.client(),
        take=take,
        store=lambda replies: account.replies.update(replies),
        concurrency=asker.concurrency,
        budget=asker.budget,
        account=account,
    )
    asyncio.run(asking)
    return account


def _store(
    conn: psycopg.Connection, pool: str, pairs: Sequence[NextPair], template: Template, account: _Round, counts: ComparisonCounts
) -> None:
    """Store the comparisons for which both answers have come."""
    counts.dropped, counts.tokens, counts.ended = account.dropped, account.tokens, account.ended
    counts.calls += account.calls
    failed = [reply for reply in account.replies.values() if reply.text is None]
    counts.failed += len(failed)
    counts.last_error = failed[-1].error if failed else counts.last_error
    for at, pair in enumerate(pairs):
        replies = [account.replies.get((at, swapped)) for swapped in (False, True)]
        answered = [reply for reply in replies if reply is not None and reply.text is not None]
        if len(answered) < len(replies):
            continue
        first, second = (read_grade(reply.text or "", template.grades) for reply in answered)
        choice = choose(first, second)
        kept = {"prompt": template.name, "sha256": template.sha256, "answers": [reply.text for reply in answered]}
        seconds = min(_SECONDS, sum(reply.seconds for reply in answered))
        with translate():
            [[stored]] = conn.execute(
                "SELECT stc.compare_pair(%s, %s, %s, %s, %s, %s, of_query => %s, answers => %s)",
                [pool, counts.annotator, pair.left_token, pair.right_token, choice, seconds, pair.query_name, Jsonb(kept)],
            ).fetchall()
        if stored:  # otherwise another process has stored it
            counts.compared += 1
            counts.equal += choice == "equal"
            counts.contradicting += choice == "equal" and first == second != 0
            counts.undecided += choice == "undecided"


def choose(first: int | None, second: int | None) -> Choice:
    """Return the choice from the answers in the two orders: 1 the document shown first, 2 the other, 0 neither, None no answer."""
    if first is None or second is None:
        return "undecided"
    if {first, second} == {1, 2}:
        return "left" if first == 1 else "right"
    return "equal"
