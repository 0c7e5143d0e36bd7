"""The route for programs."""

from __future__ import annotations

from fastapi import APIRouter

from stcollection.http.records import listed
from stcollection.web.desk import Desk

from .store import Note, list_notes


def router(desk: Desk) -> APIRouter:
    """Return the route. It reads as the role of the desk."""
    routes = APIRouter()

    @routes.get("/api/{{cookiecutter.name}}-notes", summary="Notes on queries", response_model=listed(Note))
    async def notes() -> list[Note]:
        return await desk.ask(list_notes)

    return routes
