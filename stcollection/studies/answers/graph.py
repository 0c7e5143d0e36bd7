"""The answers of a query as a graph of supports and contradictions, to draw."""

from __future__ import annotations

from typing import Annotated

import psycopg

from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import translate
from stcollection.studies.answers.drawing import AnswerGraph, GraphAnswer, GraphEdge, GraphGroup
from stcollection.studies.answers.explain import explanations
from stcollection.studies.answers.parameters import AnswerRun
from stcollection.studies.answers.runs import runs

_QUERIES = (
    "SELECT q.text FROM stc.answer_runs r JOIN stc.answer_queries q ON q.set = r.set"
    " WHERE r.id = stc.answer_run_key(%(run)s) AND EXISTS (SELECT FROM stc.answer_clusters c WHERE c.run = r.id AND c.query = q.id)"
    "   AND position(lower(%(words)s) IN lower(q.text)) > 0 ORDER BY q.place, q.id LIMIT %(most)s"
)


def grouped_runs(conn: psycopg.Connection) -> list[str]:
    """Return the names of the runs with groups of answers that the role can see."""
    return [run.run for run in runs(conn) if run.clusters]


@translate()
def grouped_queries(
    conn: psycopg.Connection, run: str, *, words: str = "", most: Annotated[int, AllowedRange(ge=1)] = 200
) -> list[str]:
    """Return the queries of a run that have groups of answers, in the order of the set.

    :param words: Only queries that contain this text, in either case. :param most: Number of queries.
    :raises UnknownObject: the run does not exist.
    """
    return [text for (text,) in conn.execute(_QUERIES, {"run": run, "words": words, "most": most})]


@declare
@translate()
def graph(
    conn: psycopg.Connection,
    run: AnswerRun,
    query: Annotated[str, Option("QUERY")],
    *,
    least: Annotated[float, AllowedRange(ge=0, le=1)] = 0.5,
) -> AnswerGraph:
    """Return the groups of a query in a run, and the relations of their answers with at least a probability.

    Answers with the same text support each other with 1.

    :param least: Lowest probability of a relation to draw.
    :raises UnknownObject: the run or query does not exist.
    :raises BadArgument: least is outside its range.
    """
    [explanation] = explanations(conn, run, query)
    returned = {*explanation["returned"]}
    groups = [
        GraphGroup(
            cluster["endorsement"],
            {answer["doc_id"] for answer in cluster["answers"]} <= returned,
            [GraphAnswer(answer["id"], answer["doc_id"], answer["text"], answer["gold"]) for answer in cluster["answers"]],
        )
        for cluster in explanation["clusters"] or ()
    ]
    answers = [answer.answer for group in groups for answer in group.answers]
    rows = conn.execute(
        "SELECT e.a, e.b, CASE WHEN e.same THEN 1 ELSE e.support END, CASE WHEN e.same THEN 0 ELSE e.oppose END"
        " FROM (SELECT r.id, r.set FROM stc.answer_runs r WHERE r.id = stc.answer_run_key(%s)) r,"
        " stc.answer_run_edges(r.id, stc.answer_query_key(r.set, %s)) e WHERE e.a = ANY(%s) AND e.b = ANY(%s) ORDER BY e.a, e.b",
        [run, query, answers, answers],
    ).fetchall()
    return AnswerGraph(
        explanation["query"],
        explanation["run"],
        groups,
        [GraphEdge(a, b, support) for a, b, support, _ in rows if support is not None and support >= least],
        [GraphEdge(a, b, oppose) for a, b, _, oppose in rows if oppose is not None and oppose >= least and oppose > 0],
    )
