"""The routes of the leaderboard: significance of differences, hard queries, and runs by readability."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import psycopg
from fastapi import APIRouter, Query

from stcollection.analysis.board import MOST_DRAWS, Board, BoardRequest, Ranking, board, ranking
from stcollection.analysis.corrected import corrected_scores
from stcollection.analysis.document_measures import MEASURES as OF_DOCUMENTS
from stcollection.analysis.drill import hard_queries
from stcollection.analysis.marks import MarkedMean, marked_leaderboard
from stcollection.analysis.measured import Reading, read_runs
from stcollection.analysis.predictors import predictor_quality, query_predictors
from stcollection.analysis.records import ReadRun
from stcollection.analysis.significance import STUDENT_TEST, PairedTest
from stcollection.analysis.variation import run_variation, topic_variation, variance_sources
from stcollection.evaluation.measures import OFFICIAL
from stcollection.evaluation.parameters import measures_of
from stcollection.evaluation.readability import readability
from stcollection.http import answers
from stcollection.http.declared import endpoint, read_route
from stcollection.http.parameters import Name, OneMeasure, Queries, Runs, Text, named
from stcollection.http.records import Number, answer, listed
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk

_Document = Annotated[Text, Query(description="A measure of documents.", json_schema_extra={"enum": list(OF_DOCUMENTS)})]


ServedMarks = answer(
    "ServedMarks",
    "A run of a leaderboard with marks. low, high: interval of the first measure's mean. group: runs of one group are not "
    "significantly worse than its best run. rank_low, rank_high: ranks that a test of all pairs together allows, as in "
    "leaderboard --ties; null with a baseline.",
    run=str,
    team=str | None,
    family=str | None,
    letter=str,
    rank=int | None,
    rank_low=int | None,
    rank_high=int | None,
    group=str | None,
    low=Number,
    high=Number,
    values=listed(MarkedMean, measure=str),
)
MarkedBoard = answer(
    "MarkedBoard",
    "A leaderboard with marks of significance, by the first measure, best first. tests: their number.",
    edition=str,
    baseline=str | None,
    queries=int,
    tests=int,
    runs=list.__class_getitem__(ServedMarks),
)


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk."""
    routes = APIRouter(responses=answers.FAULTS, tags=["evaluation"], generate_unique_id_function=answers.operation)

    async def significance(asked: dict[str, Any]) -> dict[str, Any]:
        test: PairedTest = asked.pop("test", STUDENT_TEST)
        measures, runs = tuple(measures_of(asked.pop("measures", OFFICIAL))), tuple(dict.fromkeys(asked.pop("runs", ())))
        tested = {name: getattr(test, name) for name in ("correction", "alpha", "permutations")}
        request = BoardRequest(measures=measures, runs=runs, test=test.kind, **tested, **asked)
        made, ranked = await desk.ask(_ranked, request)
        counts = {"queries": made.marked.queries, "tests": made.marked.tests}
        return {"edition": request.edition, "baseline": request.baseline, **counts, "runs": _marks(made, ranked)}

    routes.get("/api/significance", summary="Leaderboard of an edition with marks of significant differences")(
        endpoint(
            marked_leaderboard,
            significance,
            name="significance",
            returns=MarkedBoard,
            needed={"edition": 200},
            most={"permutations": MOST_DRAWS},
            omit=("seed", "family", "missing"),
        )
    )
    read = partial(read_route, routes, desk)
    read("/api/hard-queries", hard_queries, name="failed_queries", summary="Queries on which all runs fail")
    judged = partial(read, needed={"edition": 200}, names={"runs": "run"})
    judged("/api/variation", run_variation, name="variation", summary="Runs by how robust they are to the formulation of a topic")
    judged("/api/topic-variation", topic_variation, name="topic_variation", summary="Scores of runs on the queries of each topic")
    judged("/api/variance-sources", variance_sources, name="variance_sources", summary="Analysis of the variance of scores")
    read("/api/predictions", query_predictors, name="predictions", summary="Predictors of the performance of a run on each query")
    read("/api/predictors", predictor_quality, name="predictors", summary="Correlations of predictors with a measure")
    read(
        "/api/corrected",
        corrected_scores,
        name="corrected",
        summary="Scores by labels of a machine, corrected with judgments of people",
        names={"runs": "run"},
    )
    read(
        "/api/readability",
        readability,
        name="run_readability",
        summary="Readability and citations of the first documents of runs",
        needed={"edition": 200},
        names={"runs": "run"},
        omit=("k", "measure", "queries"),
    )

    @routes.get(
        "/api/reading", summary="Runs by relevance and by a measure of their first documents", response_model=listed(ReadRun)
    )
    async def reading(
        edition: Name,
        measure: OneMeasure = "nDCG@10",
        against: _Document = "textstat_fkgl",
        run: Runs = None,
        queries: Queries = ALL,
    ) -> list[ReadRun]:
        [asked, *_] = named([measure])
        return await desk.ask(read_runs, edition=edition, measure=asked, reading=Reading(against), runs=run or (), queries=queries)

    return routes


def _ranked(conn: psycopg.Connection, request: BoardRequest) -> tuple[Board, Ranking]:
    made = board(conn, request)
    return made, ranking(conn, made, request.measures[0])


def _marks(made: Board, ranked: Ranking) -> list[dict[str, Any]]:
    """Return the rows of a leaderboard, in its order."""
    intervals = {score.run: score for score in ranked.scores}
    rows = []
    for line in ranked.runs:
        team, family = made.origins.get(line.run, (None, None))
        first, last = ranked.spans.get(line.run, (None, None))
        score = intervals.get(line.run)
        rows.append(
            {
                "run": line.run,
                "team": team,
                "family": family,
                "letter": line.letter,
                "rank": ranked.ranks.get(line.run),
                "rank_low": first,
                "rank_high": last,
                "group": ranked.groups.get(line.run) or None,
                "low": score.low if score else None,
                "high": score.high if score else None,
                "values": [
                    {"measure": str(measure), **cell._asdict()}
                    for measure, cell in zip(made.asked.measures, line.cells, strict=True)
                ],
            }
        )
    return rows
