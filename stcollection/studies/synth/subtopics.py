"""Generate long queries from press articles: a language model lists the subtopics of each topic. A person reviews them later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.db.rows import only_value, records
from stcollection.declared import Option
from stcollection.errors import StateError, translate
from stcollection.llm.batch import ModelQuestion, ask_all
from stcollection.llm.client import Reply
from stcollection.llm.template import Template, find_template
from stcollection.studies.synth.answers import read_queries
from stcollection.studies.synth.ask import ALL_UNASKED, AskCounts, Asker, AskOptions, Progress, cost, no_work, run_batch
from stcollection.studies.synth.score import FOLDER

PROMPT = "subtopics"
SLOTS = ("topic", "title", "article")
MOST = 5  # queries of a topic; further ones of an answer are ignored
ARTICLE_CHARACTERS = 8000
STATES = ("waiting", "set aside", "accepted", "off-topic", "duplicate", "published", "malformed", "empty", "error")


@dataclass(kw_only=True)
class SubtopicCounts(AskCounts):
    """Counts of a generation from articles; documents are topics.

    :param queries: queries stored now. :param without_article: topics without an article, which are skipped.
    """

    queries: int = 0
    without_article: int = 0


class TopicState(NamedTuple):
    """A topic with the state of its subtopics (synth/sql/synth_subtopics_to_ask.sql)."""

    id: int
    topic: str
    title: str | None
    article: str | None
    state: str


class Subtopic(NamedTuple):
    """A query generated from an article (synth/sql/synth_subtopic_list.sql).

    :param state: waiting, set aside, accepted, off-topic, duplicate, published, malformed, empty or error.
    :param query: its name, if it is published. :param text: the reviewer's text if it was reworded.
    :param nearest_query, nearest: the nearest stored query or, without name, an earlier subtopic.
    :param words, cosine: how similar that is.
    """

    id: int
    topic: str
    origin: str
    model: str
    prompt: str
    number: int
    state: str
    query: str | None
    text: str | None
    generated: str | None
    nearest_query: str | None
    nearest: str | None
    words: float | None
    cosine: float | None
    reviewer: str | None
    note: str | None
    answer: str | None


def find_prompt(name: str) -> Template:
    """Read a prompt file by its name in prompts/, else by its path.

    :raises UnknownObject: neither exists. :raises BadInput: the file is not a prompt, or does not use the article.
    """
    return find_template(name, slots=SLOTS, folder=FOLDER, needed=["article"], appended=("title", "article"))


def subtopics(
    conn: psycopg.Connection,
    *,
    asker: Asker,
    origin: str,
    topics: Sequence[str] | None = None,
    options: AskOptions = ALL_UNASKED,
    progress: Progress | None = None,
) -> SubtopicCounts:
    """Ask a language model for the subtopics of articles; store every answer, with the queries parsed from it.

    Topics answered before are not asked about again; failed ones are. Call
    :func:`~stcollection.studies.synth.near_duplicates.mark` afterwards to set near-duplicates aside.

    :param conn: in autocommit mode. :param topics: names; None: all topics with an article.
    :raises UnknownObject: a topic is not stored. :raises BadArgument: queries of this origin have another model or prompt.
    :raises StateError: no topic has an article; or the endpoint cannot be reached, or refuses the key or the model.
    """
    template = asker.template
    prompt_id = _begin(conn, origin, asker.model, template)
    states = _states(conn, origin, topics, options.retry_malformed)
    lacking = [topic.topic for topic in states if topic.state == "no article"]
    if len(lacking) == len(states):
        what = f"the topic {lacking[0]} has no article" if len(lacking) == 1 else "no topic has an article"
        raise no_work(what, "Load articles with 'stc load --as articles'.")
    waiting = [topic for topic in states if topic.state == "ask"][: options.limit]
    counts = SubtopicCounts(
        documents=len(states) - len(lacking),
        before=sum(topic.state in ("made", "malformed") for topic in states),
        malformed_before=sum(topic.state == "malformed" for topic in states),
        to_ask=len(waiting),
        without_article=len(lacking),
    )

    def take(most: int) -> list[ModelQuestion[int]]:
        page = [waiting.pop(0) for _ in range(min(most, len(waiting)))]
        return [
            ModelQuestion(
                topic.id,
                template.fill({"topic": topic.topic, "title": topic.title, "article": (topic.article or "")[:ARTICLE_CHARACTERS]}),
            )
            for topic in page
        ]

    def store(replies: Sequence[tuple[int, Reply]]) -> None:
        counts.queries += _keep(conn, asker, origin, prompt_id, replies, counts)
        if progress is not None:
            progress(counts.sent, counts.to_ask, f"{counted(counts.queries, 'query')}")

    if waiting:
        batch = ask_all(asker.client(), take=take, store=store, concurrency=asker.concurrency, budget=asker.budget, account=counts)
        run_batch(batch, counts)
    return counts


@translate()
def subtopic_list(
    conn: psycopg.Connection,
    *,
    state: Annotated[str | None, Option(choices=STATES)] = None,
    topic: Annotated[str | None, Option(metavar="TOPIC")] = None,
) -> list[Subtopic]:
    """Return the queries generated from articles, by topic, origin and number.

    :param state: Only queries in this state. :param topic: Only queries of this topic.
    """
    return records(
        conn,
        Subtopic,
        "SELECT * FROM stc.synth_subtopic_list() WHERE (%(state)s::text IS NULL OR state = %(state)s)"
        " AND (%(topic)s::text IS NULL OR topic = %(topic)s)",
        {"state": state, "topic": topic},
    )


@translate()
def _begin(conn: psycopg.Connection, origin: str, model: str, template: Template) -> int:
    return int(only_value(conn, "SELECT stc.synth_begin_subtopics(%s, %s, %s, %s)", [origin, model, template.name, template.text]))


@translate()
def _states(conn: psycopg.Connection, origin: str, topics: Sequence[str] | None, retry: bool) -> list[TopicState]:
    states = records(
        conn, TopicState, "SELECT * FROM stc.synth_subtopics_to_ask(%s, %s, %s)", [origin, list(topics) if topics else None, retry]
    )
    if not states:
        raise StateError("the collection has no topic", hint="Load topics with 'stc load --as topics'.", sqlstate="IR405")
    return states


@translate()
def _keep(
    conn: psycopg.Connection,
    asker: Asker,
    origin: str,
    prompt_id: int,
    replies: Sequence[tuple[int, Reply]],
    counts: SubtopicCounts,
) -> int:
    """Store replies and count them. :returns: the number of queries in them."""
    rows = []
    queries = 0
    for topic, reply in replies:
        texts, dropped = ([], "error") if reply.text is None else read_queries(reply.text)
        if reply.finish == "length" and dropped is None:  # the last query may be truncated
            texts, dropped = [], "malformed"
        params = cost(reply, asker) | ({"error": reply.error} if reply.error else {})
        rows.append({"topic": topic, "answer": reply.text, "texts": texts[:MOST], "dropped": dropped, "params": params})
        queries += len(texts[:MOST])
        counts.sent += 1
        counts.good += dropped is None
        counts.malformed += dropped == "malformed"
        counts.empty += dropped == "empty"
        counts.failed += dropped == "error"
        counts.cut += reply.finish == "length"
        counts.last_error = reply.error or counts.last_error
    conn.execute("SELECT stc.synth_keep_subtopics(%s, %s, %s, %s)", [origin, asker.model, prompt_id, Jsonb(rows)])
    return queries
