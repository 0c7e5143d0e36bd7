"""Report the progress of language models that judge an edition, and their answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option
from stcollection.errors import UnknownObject, translate
from stcollection.qrels.parameters import Edition

STATES = ("malformed", "failed", "judged")


class JudgeOverview(NamedTuple):
    """One row of llm_overview: a model with a prompt.

    :param asked: answers and failures. :param judged, malformed, failed: pairs.
    :param malformed_share: share of the answers, in [0, 1]; None without answers. :param p50, p95: seconds per answer.
    """

    model: str
    prompt: str
    prompt_sha256: str
    annotator: str
    asked: int
    judged: int
    malformed: int
    failed: int
    malformed_share: float | None
    prompt_tokens: int
    completion_tokens: int
    p50: float | None
    p95: float | None
    grades: dict[str, int]
    last: datetime | None


class Answer(NamedTuple):
    """One row of llm_answer_list. :param state: one of STATES."""

    annotator: str
    model: str
    prompt: str
    query: str
    docno: str
    state: str
    rel: int | None
    answer: str | None
    error: str | None
    finish: str | None
    attempts: int
    seconds: float
    asked: datetime


@note_simulated("edition")
@translate()
def overview(conn: psycopg.Connection, edition: Edition) -> list[JudgeOverview]:
    """Return the models that judge an edition, in the order of their first request.

    :raises UnknownObject: the edition is not stored.
    """
    return records(conn, JudgeOverview, "SELECT * FROM stc.llm_overview(%s)", [edition])


@note_simulated("edition")
@translate()
def answers(
    conn: psycopg.Connection,
    edition: Edition,
    *,
    annotator: Annotated[str | None, Option("--model", metavar="NAME")] = None,
    state: Annotated[str | None, Option(choices=STATES, default="all, malformed first")] = None,
    query: str | None = None,
    limit: int | None = None,
) -> list[Answer]:
    """Return the unchanged answers, malformed ones first, then failures.

    :param annotator: Only answers of this model, or of an annotator listed by 'stc show llm'.
    :param state: Only answers in this state.
    :param query: Only answers on this query.
    :raises UnknownObject: the edition is not stored, or the annotator has not judged it.
    """
    judges = overview(conn, edition)
    if annotator is not None and annotator not in {name for judge in judges for name in (judge.annotator, judge.model)}:
        names = ", ".join(judge.annotator for judge in judges) or "none"
        raise UnknownObject(f"no model {annotator!r} judges the edition {edition!r}", hint=f"Its models are: {names}.")
    return records(
        conn,
        Answer,
        "SELECT * FROM stc.llm_answer_list(%(edition)s) WHERE (%(who)s::text IS NULL OR %(who)s IN (annotator, model))"
        " AND (%(state)s::text IS NULL OR state = %(state)s) AND (%(query)s::text IS NULL OR query = %(query)s)"
        " LIMIT %(limit)s",
        {"edition": edition, "who": annotator, "state": state, "query": query, "limit": limit},
    )
