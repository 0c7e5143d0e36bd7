"""The routes of the leaderboard: significance of differences, hard queries, and runs by readability."""

from __future__ import annotations

from typing import Annotated, Any

import psycopg
from fastapi import APIRouter, Query
from pydantic import BaseModel

from stcollection.analysis.board import DRAWS, MOST_DRAWS, Board, BoardRequest, Ranking, board, ranking
from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.document_measures import MEASURES as OF_DOCUMENTS
from stcollection.analysis.drill import HardQuery, hard_queries
from stcollection.analysis.measured import Reading, read_runs
from stcollection.analysis.records import ReadRun
from stcollection.analysis.significance import TESTS
from stcollection.evaluation.readability import Readability, readability
from stcollection.http import answers
from stcollection.http.parameters import Measures, Name, OneMeasure, Queries, Runs, Text, named, number
from stcollection.http.records import listed
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk

_Test = Annotated[Text, Query(description="The paired test.", json_schema_extra={"enum": list(TESTS)})]
_Correction = Annotated[
    Text, Query(description="For the number of tests; hsd is Tukey's.", json_schema_extra={"enum": [*CORRECTIONS, "hsd"]})
]
_Document = Annotated[Text, Query(description="A measure of documents.", json_schema_extra={"enum": list(OF_DOCUMENTS)})]


class MarkedValue(BaseModel):
    """A mean with its mark.

    mark: † better or ‡ worse than the baseline; without a baseline, the letters of the runs that this run beats.
    p: corrected; null without a baseline.
    """

    measure: str
    value: float | None
    mark: str
    p: float | None
    best: bool


class ServedMarks(BaseModel):
    """A run of a leaderboard with marks.

    low, high: interval of the first measure's mean. group: runs of one group are not significantly worse than its best run.
    rank_low, rank_high: ranks that a test of all pairs together allows, as in leaderboard --ties; null with a baseline.
    """

    run: str
    team: str | None
    family: str | None
    letter: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    group: str | None
    low: float | None
    high: float | None
    values: list[MarkedValue]


class MarkedBoard(BaseModel):
    """A leaderboard with marks of significance, by the first measure, best first. tests: their number."""

    edition: str
    baseline: str | None
    queries: int
    tests: int
    runs: list[ServedMarks]


def router(desk: Desk) -> APIRouter:
    """Return the routes. They read as the role of the desk."""
    routes = APIRouter(responses=answers.FAULTS, tags=["evaluation"], generate_unique_id_function=answers.operation)

    @routes.get("/api/significance", summary="Leaderboard of an edition with marks of significant differences")
    async def significance(
        edition: Name,
        measure: Measures = None,
        run: Runs = None,
        baseline: Annotated[Text | None, Query(max_length=200, description="Default: all pairs of at most 26 runs.")] = None,
        queries: Queries = ALL,
        test: _Test = "t",
        correction: _Correction = "holm",
        alpha: Annotated[float, Query(gt=0, lt=1)] = 0.05,
        permutations: Annotated[int, Query(ge=1, le=MOST_DRAWS, description="Of randomisation and bootstrap.")] = DRAWS,
    ) -> MarkedBoard:
        asked = BoardRequest(
            edition=edition,
            measures=tuple(named(measure)),
            runs=tuple(dict.fromkeys(run or ())),
            baseline=baseline,
            queries=queries,
            test=test,
            correction=correction,
            alpha=alpha,
            permutations=permutations,
        )
        done, ranked = await desk.ask(_ranked, asked)
        return MarkedBoard(
            edition=edition,
            baseline=baseline,
            queries=done.marked.queries,
            tests=done.marked.tests,
            runs=[ServedMarks.model_validate(one) for one in _marks(done, ranked)],
        )

    @routes.get("/api/hard-queries", summary="Queries on which all runs fail", response_model=listed(HardQuery))
    async def failed_queries(
        edition: Name,
        measure: OneMeasure = "nDCG@10",
        below: Annotated[float, Query(ge=0, lt=1e9, description="The best run scores less than this.")] = 0.1,
        run: Runs = None,
        queries: Queries = ALL,
    ) -> list[HardQuery]:
        [asked, *_] = named([measure])
        return await desk.ask(hard_queries, edition=edition, measure=asked, below=below, runs=run or (), queries=queries)

    @routes.get(
        "/api/readability",
        summary="Readability and citations of the first documents of runs",
        response_model=listed(Readability),
    )
    async def run_readability(edition: Name, run: Runs = None) -> list[Readability]:
        return await desk.ask(readability, runs=run or (), edition=edition)

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


def _ranked(conn: psycopg.Connection, asked: BoardRequest) -> tuple[Board, Ranking]:
    done = board(conn, asked)
    return done, ranking(conn, done, asked.measures[0])


def _marks(done: Board, ranked: Ranking) -> list[dict[str, Any]]:
    """Return the rows of a leaderboard, in its order."""
    intervals = {one.run: one for one in ranked.scores}
    rows = []
    for line in ranked.runs:
        team, family = done.origins.get(line.run, (None, None))
        first, last = ranked.spans.get(line.run, (None, None))
        score = intervals.get(line.run)
        values = [
            {"measure": str(measure), "value": number(cell.value), "mark": cell.mark, "p": number(cell.p), "best": cell.best}
            for measure, cell in zip(done.asked.measures, line.cells, strict=True)
        ]
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
                "low": number(score.low) if score else None,
                "high": number(score.high) if score else None,
                "values": values,
            }
        )
    return rows
