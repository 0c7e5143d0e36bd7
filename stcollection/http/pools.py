"""The routes of organisers: make and divide pools, agreement, drift on control documents, and all decisions."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from stcollection.analysis.next_labels import order_pool
from stcollection.analysis.stopping import PoolProgress, pool_progress
from stcollection.http import answers
from stcollection.http.bodies import JsonRoute
from stcollection.http.declared import endpoint, read_route
from stcollection.http.parameters import Name, Queries
from stcollection.http.records import listed, served
from stcollection.http.sheets import Grade, Sent, Text
from stcollection.http.sheets import Name as SentName
from stcollection.qrels import judging as work
from stcollection.qrels.judging import PoolAlpha, SheetPair, pool_decisions
from stcollection.qrels.metadata import FIELDS, pool_metadata, set_metadata
from stcollection.qrels.metadata import Field as MetadataField
from stcollection.qrels.organise import drift
from stcollection.qrels.pools import GRADES, PoolRules, make_pool, pool_queries, share_pool
from stcollection.topics.sets import ALL
from stcollection.web.desk import Desk

_Meaning = Annotated[Text, Field(max_length=200)]
_Whole = Annotated[int, Field(ge=1, le=10_000_000)]


class NewPool(Sent):
    """Documents of runs to judge. As 'stc pool make': depth, min_teams and strata, or most_useful."""

    pool: SentName
    runs: list[SentName] = Field([], max_length=1000, description="Default: all runs.")
    depth: _Whole | None = Field(None, description="Ranks of each run. Default 10; with most_useful 100.")
    min_teams: _Whole = Field(1, description="Teams that rank a document within the depth, at least.")
    strata: Annotated[Text, Field(max_length=1000)] | None = Field(None, description="Ranks with shares: 1-10:1.0,11-50:0.2.")
    most_useful: _Whole | None = Field(None, description="Number of documents whose judgments should distinguish the runs best.")
    seed: int = Field(1, ge=0, le=2**31 - 1)
    measure: SentName = Field("AP", description="Of most_useful.")
    relevant: Grade = Field(1, description="Least grade that counts as relevant, of most_useful.")
    as_of: SentName | None = Field(None, description="Only documents of the snapshot of this day, YYYY-MM-DD.")
    queries: Annotated[Text, Field(max_length=1000)] = Field(ALL, description="A set of queries: all, long, topic:G*, a+b.")
    exclude: SentName | None = Field(
        None, description="Skip documents judged in this edition. Without it they are control documents of /api/drift."
    )
    grades: dict[Annotated[str, Field(pattern="^[0-9]$")], _Meaning] = Field(
        dict(GRADES), min_length=2, description="The scale: the meaning of each grade from 0 to 9."
    )


class StoredPool(BaseModel):
    """Counts of a new pool. without_text: documents that assessors cannot judge."""

    pool: str
    queries: int
    documents: int
    without_text: int


class PoolDivision(Sent):
    """A division of a pool. overlap: the share of documents that two annotators judge."""

    pool: SentName
    annotators: list[SentName] = Field(min_length=1, max_length=200)
    overlap: float = Field(0, ge=0, le=1)


class PoolMetadata(Sent):
    """Fields of a document that assessors of a pool see besides title and abstract."""

    pool: SentName
    fields: list[MetadataField] = Field([], max_length=len(FIELDS), description="Default: none.")


class PoolBatches(Sent):
    """How assessors judge a pool: in batches, those documents first that say most about the ranking of runs; or at random."""

    pool: SentName
    runs: list[SentName] = Field([], max_length=1000, description="Runs of the pool to separate. Default: all.")
    labels: SentName | None = Field(None, description="Edition with labels, for example of a language model.")
    measure: SentName = Field("AP", description="AP or nDCG@k.")
    batch: _Whole = Field(50, description="Documents of a batch.")
    random: bool = Field(False, description="Restore the random order.")


class StoredOrder(BaseModel):
    """The order of a pool: unjudged documents, batches, and queries of the first batch."""

    pool: str
    documents: int
    batches: int
    first: int


class DividedSheet(BaseModel):
    """The number of documents of an annotator."""

    annotator: str
    documents: int


def router(desk: Desk) -> APIRouter:
    """Return the routes of organisers."""
    routes = APIRouter(
        responses=answers.WRITE_FAULTS, tags=["judging"], route_class=JsonRoute, generate_unique_id_function=answers.operation
    )

    @routes.post("/api/pools", summary="Make a pool of documents to judge")
    async def store_pool(one: NewPool) -> StoredPool:
        rules = PoolRules(
            depth=one.depth,
            teams=one.min_teams,
            strata=one.strata,
            effect=one.most_useful,
            seed=one.seed,
            measure=one.measure,
            relevant=one.relevant,
            as_of=one.as_of,
        )
        made = await desk.write(
            make_pool, one.pool, runs=one.runs, rules=rules, queries=one.queries, without=one.exclude, grades=one.grades
        )
        return StoredPool(pool=one.pool, queries=made.pooled_queries, documents=made.documents, without_text=made.without_text)

    @routes.post("/api/pools/share", summary="Divide a pool among annotators; sending it again changes nothing")
    async def divide_pool(one: PoolDivision) -> list[DividedSheet]:
        await desk.write(share_pool, one.pool, annotators=one.annotators, overlap=Decimal(str(one.overlap)))
        sizes = [sum(row.documents for row in await desk.ask(work.progress, one.pool, name)) for name in one.annotators]
        return [DividedSheet(annotator=name, documents=size) for name, size in zip(one.annotators, sizes, strict=True)]

    @routes.post("/api/pools/order", summary="Choose which documents of a pool are judged first; repeat it after each batch")
    async def order_pool_documents(one: PoolBatches) -> StoredOrder:
        stored = await desk.write(
            order_pool, one.pool, one.runs, labels=one.labels, measure=one.measure, batch=one.batch, random=one.random
        )
        return StoredOrder(**stored._asdict())

    @routes.post("/api/pools/metadata", summary="Choose fields that assessors see besides title and abstract")
    async def show_pool_metadata(one: PoolMetadata) -> PoolMetadata:
        await desk.write(set_metadata, one.pool, fields=one.fields)
        return PoolMetadata(pool=one.pool, fields=await desk.ask(pool_metadata, one.pool))

    read = partial(read_route, routes, desk)
    read(
        "/api/pool-queries",
        pool_queries,
        name="queries_of_pool",
        summary="The queries of a pool, with the judgments of all annotators",
        names={"name": "pool"},
        omit=("edition", "relevant"),
    )

    async def progress(asked: dict[str, Any]) -> Any:
        return await desk.ask(pool_progress, **asked)

    summary = "Relevant documents of a pool that are probably missing, and the effect of stopping on the ranking of runs"
    routes.get("/api/pool-progress", summary=summary)(
        endpoint(pool_progress, progress, name="pool_progress", returns=served(PoolProgress), names={"name": "pool"})
    )
    read(
        "/api/drift",
        drift,
        name="annotator_drift",
        summary="Agreement of annotators with control documents, which an edition judges, over time",
    )
    read(
        "/api/decisions",
        pool_decisions,
        name="stored_decisions",
        summary="All decisions of a pool",
        names={"judged_by": "annotator"},
    )

    @routes.get(
        "/api/agreement", summary="Agreement of the annotators of a pool", response_model=served(PoolAlpha, pairs=listed(SheetPair))
    )
    async def agreement(
        pool: Name, query: Annotated[Text | None, Query(max_length=200)] = None, queries: Queries = ALL
    ) -> dict[str, Any]:
        pairs, alpha = await desk.ask(work.agreement, pool, query, queries)
        return alpha._asdict() | {"pairs": pairs}

    return routes
