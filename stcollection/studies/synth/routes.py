"""The routes of proposed queries: list them, review them, and publish the accepted ones."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from stcollection.http import answers
from stcollection.http.bodies import JsonRoute
from stcollection.http.records import listed, served
from stcollection.http.sheets import Name, Note, Sent, Text
from stcollection.studies.synth.review import PublishedSubtopic, Reviewed, publish_reviewed, review_subtopic
from stcollection.studies.synth.subtopics import Subtopic, subtopic_list
from stcollection.web.desk import Desk

_SHOWN = ("waiting", "set aside", "accepted", "off-topic", "duplicate", "published")


class NewReview(Sent):
    """A decision on a proposed query. reworded: another text; '' keeps it."""

    verdict: Literal["accepted", "off-topic", "duplicate"]
    reviewer: Name
    reworded: Annotated[Text, Field(max_length=1000)] = ""
    note: Note = ""


class Publication(Sent):
    """An empty object: publishing takes no arguments."""


def router(desk: Desk) -> APIRouter:
    """Return the routes. :param desk: decides what a caller may do."""
    routes = APIRouter(
        responses=answers.WRITE_FAULTS, tags=["judging"], route_class=JsonRoute, generate_unique_id_function=answers.operation
    )

    @routes.get(
        "/api/proposals",
        summary="Queries that a language model proposed",
        response_model=listed(Subtopic, omit=("origin", "prompt", "number", "answer")),
    )
    async def proposals() -> list[Subtopic]:
        found = await desk.ask(subtopic_list)
        return [one for one in found if one.state in _SHOWN]

    @routes.post(
        "/api/proposals/{proposal}/review",
        summary="Accept or reject a proposed query",
        response_model=served(Reviewed, omit=("blank",)),
    )
    async def review_proposal(proposal: Annotated[int, Path(ge=1, le=10**18)], one: NewReview) -> Reviewed:
        return await desk.write(review_subtopic, proposal, one.verdict, reviewer=one.reviewer, reworded=one.reworded, note=one.note)

    @routes.post(
        "/api/proposals/publish", summary="Make queries of the accepted proposals", response_model=listed(PublishedSubtopic)
    )
    async def publish_proposals(one: Publication) -> list[PublishedSubtopic]:
        return await desk.write(publish_reviewed)

    return routes
