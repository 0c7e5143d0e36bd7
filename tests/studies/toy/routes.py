"""The route of the toy study."""

from __future__ import annotations

from fastapi import APIRouter

from stcollection.web.desk import Desk
from tests.studies.toy.store import count_notes


def router(desk: Desk) -> APIRouter:
    """Return the route."""
    routes = APIRouter()

    @routes.get("/api/toy-notes")
    async def notes() -> int:
        return await desk.ask(count_notes)

    return routes
