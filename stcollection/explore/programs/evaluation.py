"""The routes for queries, judgments, runs and scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
import psycopg
from fastapi import APIRouter, Path, Query
from psycopg.rows import dict_row
from pydantic import AfterValidator

from stcollection.analysis.drill import query_scores, retrieved, wins
from stcollection.analysis.run_card import run_card
from stcollection.analysis.significance import STUDENT_TEST, compare_grids
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import OFFICIAL, Measure, parse_measures
from stcollection.evaluation.score import leaderboard, score
from stcollection.explore.desk import Desk
from stcollection.explore.programs import answers
from stcollection.explore.programs.limits import SIZE, checked_text
from stcollection.qrels.editions import editions
from stcollection.runs.listing import runs
from stcollection.topics.sets import ALL

_RUNS = 20  # of a request
_Text = Annotated[str, AfterValidator(partial(checked_text, name="name"))]
_Name = Annotated[_Text, Query(max_length=200)]
_Measures = Annotated[list[_Text] | None, Query(max_length=20, description="nDCG@10 or ndcg_cut_10. Repeatable.")]
_Measure = Annotated[_Text, Query(max_length=200, description="nDCG@10 or ndcg_cut_10.")]
_Queries = Annotated[_Text, Query(max_length=1000, description="A set of queries: all, long, type:long, topic:G*, a+b, a-b.")]
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
    async def stored_queries(queries: _Queries = ALL) -> list[answers.ServedQuery]:
        return [answers.ServedQuery.model_validate(one) for one in await desk.ask(_rows, _QUERIES, [queries])]

    @routes.get("/api/editions", summary="The editions of the judgments")
    async def stored_editions() -> list[answers.Edition]:
        return [answers.Edition.model_validate(one._asdict()) for one in await desk.ask(editions)]

    @routes.get("/api/judgments", summary="The judgments of a query in an edition")
    async def judgments(edition: _Name, query: _Name) -> list[answers.ServedJudgment]:
        found = await desk.ask(_judgments, edition, query)
        return [answers.ServedJudgment.model_validate(one) for one in found]

    @routes.get("/api/runs", summary="The stored runs")
    async def stored_runs() -> list[answers.ServedRun]:
        return [answers.ServedRun.model_validate(one._asdict()) for one in await desk.ask(runs)]

    @routes.get("/api/runs/{run}", summary="A run: its provenance and its means in each edition")
    async def card(run: Annotated[_Text, Path(max_length=200)]) -> answers.ServedCard:
        found = await desk.ask(run_card, run)
        means = [one._asdict() | {"means": _finite(one.means)} for one in found.scores]
        return answers.ServedCard.model_validate(found.facts._asdict() | {"scores": means})

    @routes.get("/api/rankings", summary="The first documents of a run for a query, with their judgments")
    async def ranking(
        run: _Name, query: _Name, edition: _Name, k: Annotated[int, Query(ge=1, le=SIZE, description="Number of documents.")] = 10
    ) -> list[answers.ServedRanked]:
        found = await desk.ask(retrieved, runs=(run,), query=query, edition=edition, depth=k)
        return [answers.ServedRanked.model_validate(one._asdict()) for one in found]

    @routes.get("/api/leaderboard", summary="Leaderboard of an edition")
    async def leaderboard(edition: _Name, measure: _Measures = None, queries: _Queries = ALL) -> answers.Leaderboard:
        return answers.Leaderboard.model_validate(await desk.ask(_standings, edition, _named(measure), queries))

    @routes.get("/api/scores", summary="The scores of runs by query")
    async def scores(
        run: Annotated[list[_Text], Query(max_length=_RUNS, description="Repeatable.")],
        edition: _Name,
        measure: _Measures = None,
        queries: _Queries = ALL,
    ) -> list[answers.ServedScore]:
        found = await desk.ask(
            score,
            runs=run,
            edition=edition,
            measures=_named(measure),
            queries=queries,
        )
        values = [one._asdict() | {"measure": str(one.measure), "value": _number(one.value)} for one in found]
        return [answers.ServedScore.model_validate(one) for one in values]

    @routes.get("/api/compare", summary="Two runs, and their scores by query")
    async def compare(
        run: _Name, against: _Name, edition: _Name, measure: _Measure = "nDCG@10", queries: _Queries = ALL
    ) -> answers.ComparedRuns:
        return answers.ComparedRuns.model_validate(await desk.ask(_compared, [run, against], edition, _named([measure]), queries))

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


def _named(names: Sequence[str] | None) -> list[Measure]:
    """Return measures by name; the official ones without names. :raises UnknownObject: a measure does not exist."""
    return [measure for name in names or () for measure in parse_measures(name)] or list(OFFICIAL)


def _standings(conn: psycopg.Connection, edition: str, asked: list[Measure], queries: str) -> dict[str, Any]:
    names = [str(one) for one in asked]
    found = leaderboard(conn, edition=edition, measures=asked, queries=queries)
    rows = [{"run": one.run, "values": _finite(dict(zip(names, one.values, strict=True)))} for one in found]
    return {"edition": edition, "measures": names, "runs": rows}


def _compared(conn: psycopg.Connection, names: list[str], edition: str, asked: list[Measure], queries: str) -> dict[str, Any]:
    """Return the comparison of two runs by one measure. :raises BadArgument: they are one run, or several measures are given."""
    run, against = names
    if run == against:
        raise BadArgument(f"run {run!r} cannot be compared with itself", hint="Give another run as against.", sqlstate="IR202")
    if len(asked) != 1:
        raise BadArgument("a comparison takes one measure", hint="Example: measure=nDCG@10.", sqlstate="IR202")
    rows = query_scores(conn, run=run, against=against, edition=edition, measure=asked[0], queries=queries, of_all=False)
    values = ([row.value for row in rows], [row.value_against for row in rows])
    grid = {name: np.array(some, dtype=np.float64) for name, some in zip(names, values, strict=True)}
    [one] = compare_grids([(str(asked[0]), grid)], baseline=against, test=STUDENT_TEST)
    counts = dict(zip(("wins", "ties", "losses"), wins(rows), strict=True))
    return {**_finite(one._asdict()), "edition": edition, **counts, "by_query": [_finite(row._asdict()) for row in rows]}


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: Any) -> Any:
    """Return a value that JSON has: None for NaN and infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
