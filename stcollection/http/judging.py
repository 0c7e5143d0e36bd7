"""The routes for judging: claim a document or a pair, store and undo decisions, and final grades."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query

from stcollection.http import answers, sheets
from stcollection.http.bodies import JsonRoute
from stcollection.http.declared import read_route
from stcollection.http.faults import Conflict
from stcollection.http.records import listed
from stcollection.qrels import judging as work
from stcollection.qrels.comparisons import DocumentPair, PairProgress, compare_pair, pair_progress, undo_comparison
from stcollection.qrels.judging import BlindDocument, SentDecision, judging_session
from stcollection.qrels.organise import adjudicate, assessors
from stcollection.qrels.pools import pools
from stcollection.qrels.sheets import plain
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk
from stcollection.web.hands import Hands, program, reserve, reserve_pair

_Name = Annotated[sheets.Text, Query(min_length=1, max_length=200)]
_Queries = Annotated[sheets.Text, Query(max_length=1000, description="A set of queries: all, long, topic:G*, a+b, a-b.")]


def sheet_router(desk: Desk) -> APIRouter:
    """Return the routes of an annotator's own sheet, which invited assessors have too.

    :param desk: decides what a caller may do.
    """
    routes = APIRouter(
        responses=answers.WRITE_FAULTS, tags=["judging"], route_class=JsonRoute, generate_unique_id_function=answers.operation
    )
    hands = Hands.of(desk)

    read = partial(read_route, routes, desk)
    read("/api/pools", pools, name="stored_pools", summary="The pools", without=("params",))
    read("/api/sheet", work.progress, name="sheet", summary="Progress of an annotator's sheet by query")

    @routes.get(
        "/api/sheet/previous",
        summary="The document that an annotator decided before another one, or last",
        response_model=sheets.PreviousPaper,
    )
    async def previous_document(
        pool: _Name,
        annotator: _Name,
        token: Annotated[sheets.Text, Query(max_length=200, description="A document; empty: the last decision.")] = "",
    ) -> dict[str, Any]:
        earlier = await desk.ask(work.before, pool, annotator, token, again=bool(token))
        return {"document": None if earlier is None else await desk.ask(work.paper, pool, annotator, earlier)}

    @routes.get("/api/pairs", summary="Progress of comparisons by annotator and query", response_model=listed(PairProgress))
    async def compared_pairs(
        pool: _Name,
        annotator: Annotated[sheets.Text | None, Query(min_length=1, max_length=200, description="Default: all.")] = None,
        queries: _Queries = ALL,
    ) -> list[PairProgress]:
        return await desk.ask(pair_progress, pool, annotator, queries=queries)

    @routes.post("/api/sheet/claim", summary="Claim the next document to judge", response_model=sheets.ClaimedPaper)
    async def claim_document(one: sheets.SheetClaim) -> dict[str, Any]:
        here = await desk.ask(judging_session, one.pool, one.annotator, one.query, one.queries)
        token = await reserve(desk, hands, here, program(one.pool, one.annotator, one.program))
        document = None if token is None else await desk.ask(work.paper, one.pool, one.annotator, token)
        grades = {str(grade): meaning for grade, meaning in here.grades.items()}
        return {"grades": grades, "guidelines": here.guidelines, "document": document}

    @routes.post(
        "/api/sheet/decisions",
        summary="Store a decision on a document; sending it again changes nothing",
        response_model=sheets.SheetPaper,
    )
    async def decide(one: sheets.NewDecision) -> BlindDocument:
        sent = SentDecision(
            id=one.id,
            pool=one.pool,
            annotator=one.annotator,
            token=one.token,
            rel=one.rel,
            undecided=one.undecided,
            note=None if one.note is None else plain(one.note),
            seconds=one.seconds,
            seen=one.seen,
        )
        await desk.ask(work.paper, one.pool, one.annotator, one.token)  # raises if it is not on the sheet
        stored = await desk.write(work.decide, sent)
        if stored is None:
            if await desk.ask(work.was_undone, one.pool, one.annotator, one.id):
                raise Conflict(f"the decision {one.id} was undone", hint="Send a new decision with another id.")
            raise Conflict(
                f"document {one.token} was judged meanwhile in another program, page or terminal; that decision is kept",
                hint="Claim the document again to see it, and send its field changed as seen.",
            )
        return stored

    @routes.post(
        "/api/sheet/undo",
        summary="Undo a decision that a program stored; sending it again changes nothing",
        response_model=sheets.SheetPaper,
    )
    async def undo_decision(one: sheets.UndoneDecision) -> BlindDocument:
        await desk.ask(work.progress, one.pool, one.annotator)  # a caller without rights learns nothing
        done = await desk.write(work.undo, one.pool, one.annotator, one.id)
        if done is None:
            raise Conflict(
                f"the decision {one.id} cannot be undone: this login has not stored it",
                hint="Send another decision on the document instead.",
            )
        if not done.undone:
            raise Conflict(
                f"the decision {one.id} cannot be undone: it was changed or submitted",
                hint="Claim the document again to see it.",
            )
        return await desk.ask(work.paper, one.pool, one.annotator, done.token)

    @routes.post("/api/pairs/claim", summary="Claim the next two documents to compare", response_model=sheets.ClaimedPair)
    async def claim_pair(one: sheets.SheetClaim) -> dict[str, Any]:
        here = await desk.ask(judging_session, one.pool, one.annotator, one.query, one.queries)
        holder = program(one.pool, f"pairs of {one.annotator}", one.program)
        claimed = await reserve_pair(desk, hands, here, here.query, holder)
        if claimed is None:
            return dict.fromkeys(("query", "number", "left", "right"))
        return {"query": claimed.pair.query, "number": claimed.pair.number, "left": claimed.left, "right": claimed.right}

    @routes.post("/api/pairs/comparisons", summary="Store a comparison; sending it again changes nothing")
    async def compare_documents(one: sheets.NewComparison) -> sheets.NewComparison:
        pair = DocumentPair(one.query, 0, one.left, one.right)
        stored = await desk.write(compare_pair, one.pool, one.annotator, pair, one.choice, seconds=one.seconds, decision=one.id)
        if not stored:
            raise Conflict(
                f"{one.left} and {one.right} are not the next pair: it was compared in another program or page",
                hint="Claim the next pair.",
            )
        return one

    @routes.post("/api/pairs/undo", summary="Undo a comparison, if it is the last one of its query")
    async def undo_last_comparison(one: sheets.UndoneDecision) -> sheets.UndoneComparison:
        return sheets.UndoneComparison(query=await desk.write(undo_comparison, one.pool, one.annotator, decision=one.id))

    return routes


def organising_router(desk: Desk) -> APIRouter:
    """Return the routes that show grades of others and set final grades."""
    routes = APIRouter(
        responses=answers.WRITE_FAULTS, tags=["judging"], route_class=JsonRoute, generate_unique_id_function=answers.operation
    )

    read = partial(read_route, routes, desk)
    read(
        "/api/assessors",
        assessors,
        name="pool_assessors",
        summary="Progress of each annotator of a pool",
        also=("remaining",),
    )
    read(
        "/api/disagreements",
        work.disagreements,
        name="disagreements",
        summary="Grades of a pool that differ between annotators",
        names={"judged_by": "annotator"},
        omit=("queries",),
        without=("query_text", "title"),
    )

    @routes.post("/api/final-grades", summary="Set the final grade of a document")
    async def set_final_grade(one: sheets.NewFinalGrade) -> sheets.StoredFinalGrade:
        note = plain(one.note) or None
        await desk.write(
            adjudicate, one.pool, adjudicator=one.adjudicator, query=one.query, docno=one.docno, rel=one.rel, note=note
        )
        return sheets.StoredFinalGrade(pool=one.pool, query=one.query, docno=one.docno, rel=one.rel, adjudicator=one.adjudicator)

    return routes
