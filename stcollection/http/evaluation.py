"""The routes for queries, judgments, runs and scores."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, cast

import numpy as np
import psycopg
from fastapi import APIRouter, Path, Query
from psycopg.rows import dict_row

from stcollection.analysis.drill import Retrieved, query_scores, retrieved, wins
from stcollection.analysis.run_card import run_card
from stcollection.analysis.significance import STUDENT_TEST, RunComparison, compare_grids
from stcollection.analysis.significance import compare as compare_pairs
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.judging import judging_runs
from stcollection.evaluation.parameters import only_measure
from stcollection.evaluation.score import Score, leaderboard, score_runs
from stcollection.http import answers
from stcollection.http.declared import endpoint, read_route
from stcollection.http.limits import SIZE
from stcollection.http.parameters import RUNS, Name, Queries, Text, finite
from stcollection.http.records import listed
from stcollection.qrels.editions import editions
from stcollection.runs.listing import runs
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk

_QUERIES = """
SELECT q.query, q.topic, q.text, q.type, q.origin
  FROM query_set(%s) s JOIN queries q USING (query) ORDER BY q.query COLLATE "C"
"""
_JUDGMENTS = """
SELECT j.docno, j.rel, j.origin, j.annotator FROM judgments j
 WHERE j.edition = %s AND j.query = %s ORDER BY j.docno COLLATE "C", j.annotator COLLATE "C"
"""


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk, which sees no hidden edition unless it may."""
    routes = APIRouter(responses=answers.FAULTS, tags=["evaluation"], generate_unique_id_function=answers.operation)

    @routes.get("/api/queries", summary="Queries")
    async def stored_queries(queries: Queries = ALL) -> list[answers.ServedQuery]:
        return [answers.ServedQuery.model_validate(one) for one in await desk.ask(_rows, _QUERIES, [queries])]

    read = partial(read_route, routes, desk)
    read(
        "/api/editions",
        editions,
        name="stored_editions",
        summary="The editions of the judgments",
        without=("origins", "rows", "made", "scale", "hidden", "released", "simulated", "subtopic_judgments"),
    )

    @routes.get("/api/judgments", summary="The judgments of a query in an edition")
    async def judgments(edition: Name, query: Name) -> list[answers.ServedJudgment]:
        found = await desk.ask(_judgments, edition, query)
        return [answers.ServedJudgment.model_validate(one) for one in found]

    read("/api/runs", runs, name="stored_runs", summary="The stored runs")

    @routes.get(
        "/api/runs/{run}",
        summary="A run: its provenance, its scores in each edition, and the checks of its file",
        response_model=answers.ServedCard,
    )
    async def card(run: Annotated[Text, Path(max_length=200)]) -> dict[str, Any]:
        found = await desk.ask(run_card, run)
        scores = [one._asdict() | {"by_query": found.values.get(one.edition, [])} for one in found.scores]
        return found.facts._asdict() | {"scores": scores, "receipts": found.receipts}

    @routes.get(
        "/api/rankings",
        summary="The first documents of one or two runs for a query, with their judgments",
        response_model=listed(Retrieved, omit=("doc",)),
    )
    async def ranking(
        run: Name,
        query: Name,
        edition: Name,
        k: Annotated[int, Query(ge=1, le=SIZE, description="Number of documents of each run.")] = 10,
        against: Annotated[Text | None, Query(max_length=200, description="A second run.")] = None,
    ) -> list[Retrieved]:
        both = (run,) if against is None else (run, against)
        return await desk.ask(retrieved, runs=both, query=query, edition=edition, depth=k)

    async def standings(asked: dict[str, Any]) -> answers.Leaderboard:
        return answers.Leaderboard.model_validate(await desk.ask(_standings, asked))

    async def scores(asked: dict[str, Any]) -> list[dict[str, Any]]:
        rows = cast(list[Score], await desk.ask(score_runs, **asked))
        return [row._asdict() | {"measure": str(row.measure)} for row in rows]

    async def comparisons(asked: dict[str, Any]) -> list[RunComparison]:
        return await desk.ask(compare_pairs, **asked)

    async def compared(asked: dict[str, Any]) -> dict[str, Any]:
        return await desk.ask(_compared, **asked)

    routes.get("/api/leaderboard", summary="Leaderboard of an edition")(
        endpoint(leaderboard, standings, name="leaderboard", returns=answers.Leaderboard)
    )
    routes.get("/api/scores", summary="The scores of runs by query")(
        endpoint(score_runs, scores, name="scores", returns=answers.ServedScores, needed={"runs": RUNS}, per_query=True)
    )
    routes.get("/api/comparisons", summary="Runs compared by a paired test, in pairs or with a baseline")(
        endpoint(compare_pairs, comparisons, name="comparisons", returns=listed(RunComparison))
    )

    routes.get("/api/compare", summary="Two runs, and their scores by query")(
        endpoint(query_scores, compared, name="compare", returns=answers.ComparedRuns)
    )

    return routes


def _rows(conn: psycopg.Connection, statement: str, values: Any) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement.encode(), values).fetchall()


def _judgments(conn: psycopg.Connection, edition: str, query: str) -> list[dict[str, Any]]:
    """Return the judgments of a query. :raises UnknownObject: the edition or the query does not exist."""
    conn.execute("SELECT stc.edition_key(%s)", [edition])
    if conn.execute("SELECT FROM st1_queries WHERE query = %s", [query]).fetchone() is None:
        raise UnknownObject(f"there is no query {query[:80]!r}", hint="/api/queries lists all queries.", sqlstate="IR103")
    return _rows(conn, _JUDGMENTS, [edition, query])


def _standings(conn: psycopg.Connection, asked: dict[str, Any]) -> dict[str, Any]:
    found = leaderboard(conn, **asked)
    names = list(found.columns)[1:]
    rows = [{"run": run, "values": finite(dict(zip(names, values, strict=True)))} for run, *values in found.table()]
    [edition], queries = found.editions, asked.get("queries", ALL)
    favoured = judging_runs(conn, edition, runs=asked.get("runs", ()), measure=names[0], queries=queries) if names else []
    return {"edition": edition, "measures": names, "runs": rows, "judging": favoured}


def _compared(conn: psycopg.Connection, /, *, run: str, against: str, measure: Any = "nDCG@10", **asked: Any) -> dict[str, Any]:
    """Return the comparison of two runs by one measure. :raises BadArgument: they are one run, or several measures are given."""
    if run == against:
        raise BadArgument(f"run {run!r} cannot be compared with itself", hint="Give another run as against.")
    measured = only_measure(measure)
    rows = query_scores(conn, run=run, against=against, measure=measured, of_all=False, **asked)
    values = {run: [row.value for row in rows], against: [row.value_against for row in rows]}
    grid = {name: np.array(column, dtype=np.float64) for name, column in values.items()}
    [comparison] = compare_grids([(str(measured), grid)], baseline=against, test=STUDENT_TEST)
    counts = dict(zip(("wins", "ties", "losses"), wins(rows), strict=True))
    return {**comparison._asdict(), "edition": asked["edition"], **counts, "by_query": rows}
