"""Read the pairs a language model should judge and store its answers, with the SQL functions llm_*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from stcollection.errors import translate
from stcollection.llm.client import Reply
from stcollection.llm.template import Template
from stcollection.topics.sets import ALL

_PAGE = 2_000  # pairs per query for texts

Pair = tuple[int, int]  # st1_queries.id, dblp.id


class JudgeTexts(NamedTuple):
    """A pair with the texts for the prompt.

    :param query_name, docno: external names of query and document. :param article: article of the topic; None if not needed.
    """

    query: int
    doc: int
    query_name: str
    docno: str
    topic: str | None
    query_text: str | None
    title: str | None
    abstract: str | None
    article: str | None

    @property
    def slots(self) -> dict[str, str | None]:
        texts = (self.topic, self.query_text, self.title, self.abstract, self.article)
        return dict(zip(SLOTS, texts, strict=True))


SLOTS = ("topic", "query", "title", "abstract", "article")
ARTICLE = "article"  # slot of the press article
ARTICLE_CHARACTERS = 4000
PROMPTS = Path(__file__).parent / "prompts"


class Judge(NamedTuple):
    """A model with a prompt in an edition.

    :param annotator: annotator of its judgments. :param made: True if this call created the edition.
    """

    judge: int
    annotator: str
    prompt_sha256: str
    made: bool


class GradedReply(NamedTuple):
    """A reply and the grade in it; None without a grade."""

    pair: Pair
    reply: Reply
    rel: int | None


@translate()
def begin(conn: psycopg.Connection, *, edition: str, model: str, template: Template) -> Judge:
    """Return the judge of an edition, creating it if necessary (sql/qrels/llm_begin.sql).

    :raises BadArgument: the edition is sealed.
    """
    with conn.cursor(row_factory=class_row(Judge)) as cursor:
        row = cursor.execute(
            "SELECT * FROM stc.llm_begin(%s, %s, %s, %s)", [edition, model, template.name, template.text]
        ).fetchone()
    assert row is not None  # noqa: S101
    return row


@translate()
def find(conn: psycopg.Connection, *, edition: str, model: str, template: Template) -> int | None:
    """Return the id of the judge of an edition; None if it does not exist yet."""
    row = conn.execute(
        "SELECT g.id FROM stc_all.llm_judges g JOIN qrels_editions e ON e.id = g.edition JOIN stc_all.llm_prompts p ON"
        " p.id = g.prompt"
        " WHERE (e.edition, g.model, p.sha256) = (%s, %s, %s)",
        [edition, model, template.sha256],
    ).fetchone()
    return None if row is None else int(row[0])


@translate()
def pairs(
    conn: psycopg.Connection,
    edition: str,
    *,
    pool: str | None,
    like: str | None,
    runs: Sequence[str] | None,
    depth: int,
    missing: bool,
    queries: str = ALL,
) -> list[Pair]:
    """Return the pairs to judge, in the order of requests (sql/qrels/llm_pairs.sql).

    :raises UnknownObject: unknown pool, edition, run or set of queries. :raises BadArgument: no source, or several.
    """
    return conn.execute(
        "SELECT query, doc FROM stc.llm_pairs(%s, %s, %s, %s, %s, %s, %s)",
        [edition, pool, like, None if runs is None else list(runs), depth, missing, queries],
    ).fetchall()


@translate()
def states(conn: psycopg.Connection, judge: int | None, selected: Sequence[Pair], *, retry_malformed: bool) -> list[str]:
    """Return the state of each pair: judged, malformed, textless or ask."""
    rows = conn.execute("SELECT state FROM stc.llm_state(%s, %s, %s, %s)", [judge, *_columns(selected), retry_malformed]).fetchall()
    return [state for (state,) in rows]


@translate()
def take(conn: psycopg.Connection, judge: int, selected: Sequence[Pair], *, retry_malformed: bool) -> list[tuple[Pair, str]]:
    """Claim pairs for this connection and return their states. Pairs in state ``ask`` stay claimed; ``held`` are another's."""
    rows = conn.execute("SELECT query, doc, state FROM stc.llm_take(%s, %s, %s, %s)", [judge, *_columns(selected), retry_malformed])
    return [((query, doc), state) for query, doc, state in rows]


@translate()
def without_article(conn: psycopg.Connection, selected: Sequence[Pair]) -> int:
    """Return the number of pairs whose query belongs to no topic with an article."""
    [(count,)] = conn.execute(
        "SELECT count(*) FROM unnest(%s::integer[]) w (query) WHERE w.query NOT IN (SELECT q.id FROM st1_queries q"
        "  JOIN (SELECT t.id FROM st1_topics t WHERE stc.article_text(t) IS NOT NULL) t ON t.id = q.topic_id)",
        [_columns(selected)[0]],
    ).fetchall()
    return int(count)


@translate()
def texts(conn: psycopg.Connection, selected: Sequence[Pair], *, article: int | None) -> Iterator[JudgeTexts]:
    """Yield the texts of pairs, in their order. :param article: maximum number of characters of the article; None omits it."""
    for start in range(0, len(selected), _PAGE):
        with conn.cursor(row_factory=class_row(JudgeTexts)) as cursor:
            yield from cursor.execute(
                "SELECT * FROM stc.llm_texts(%s, %s, %s)", [*_columns(selected[start : start + _PAGE]), article]
            ).fetchall()


@translate()
def store(conn: psycopg.Connection, judge: int, graded: Sequence[GradedReply], *, params: dict[str, Any]) -> int:
    """Store answers and their judgments, and release the pairs after the commit. :returns: the number of added judgments.

    :param conn: in autocommit mode.
    """
    rows = [
        {
            "query": answer.pair[0],
            "doc": answer.pair[1],
            "answer": answer.reply.text,
            "rel": answer.rel,
            "error": answer.reply.error,
            "finish": answer.reply.finish,
            "params": params | ({"served": answer.reply.served} if answer.reply.served else {}),
            "prompt_tokens": answer.reply.prompt_tokens,
            "completion_tokens": answer.reply.completion_tokens,
            "attempts": answer.reply.attempts,
            "seconds": answer.reply.seconds,
        }
        for answer in graded
    ]
    row = conn.execute("SELECT stc.llm_store(%s, %s)", [judge, Jsonb(rows)]).fetchone()
    conn.execute("SELECT stc.llm_release(%s, %s, %s)", [judge, *_columns([answer.pair for answer in graded])])
    return int(row[0]) if row else 0


def end(conn: psycopg.Connection, judge: Judge) -> None:
    """Release all claims, and remove a judge without answers. Do nothing if the connection is closed: its claims are gone."""
    if conn.closed:
        return
    with translate():
        conn.execute("SELECT pg_advisory_unlock_all()")
        conn.execute("SELECT stc.llm_withdraw(%s, %s)", [judge.judge, judge.made])


def _columns(selected: Sequence[Pair]) -> list[list[int]]:
    return [[query for query, _ in selected], [doc for _, doc in selected]]
