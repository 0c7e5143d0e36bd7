"""What a search can choose from: systems, models and stored queries of the collection."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import NamedTuple

import psycopg

from stcollection.errors import StcError
from stcollection.retrieval import EMBEDDING, SYSTEMS
from stcollection.texts import later
from stcollection.topics.articles import topics_with_article
from stcollection.topics.save import may_save
from stcollection.vectors.store import registered
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding
from stcollection.web.shares import for_all

STORED = 500  # stored queries offered in the list; any other name can be typed
_FRESH_SECONDS = 60.0
_LACKING = {
    "title": later("no title vectors"), "abstract": later("no abstract vectors"), "content": later("no content vectors"),
    "passage": later("no passage vectors"),
}  # fmt: skip


class SearchOptions(NamedTuple):
    """Choices in the search form.

    :param systems: by name, why the system is unavailable, in English, or None. :param models: short names, the default first.
    :param articles: topics with an article, and its title. :param writable: queries can be stored.
    """

    systems: dict[str, str | None]
    models: list[str]
    stored: list[tuple[str, str]]
    articles: list[tuple[str, str]]
    readability: bool
    writable: bool


def options(conn: psycopg.Connection) -> SearchOptions:
    """Return the choices available in this collection."""
    default = registered(conn).model
    models = [name for (name,) in conn.execute("SELECT model FROM stc.vector_models ORDER BY model <> %s, model", [default])] or [
        default
    ]
    lacking: dict[str, bool] = dict(
        conn.execute(
            "SELECT f, bool_and(stc.vectors_missing(stc.vector_model(m), f, true)) FROM unnest(%s::text[]) m,"
            " unnest('{title,abstract,content,passage}'::text[]) f GROUP BY f",
            [models],
        ).fetchall()
    )
    indexed = conn.execute("SELECT FROM stc.text_index").fetchone() is not None
    passages = conn.execute("SELECT WHERE stc.passages_indexed(stc.text_config())").fetchone() is not None
    systems: dict[str, str | None] = {}
    for system in SYSTEMS:
        field = system.partition("-")[2]
        why = later("no text index") if system in ("bm25", "rm3", "hybrid") and not indexed else None
        if system == "conjunctive-passage" and not passages:
            why = later("no passages")
        elif system in EMBEDDING and field and lacking[field]:
            why = _LACKING[field]
        elif system == "hybrid" and lacking["title"] and lacking["abstract"]:
            why = later("no vectors")
        systems[system] = why
    stored = conn.execute(
        "SELECT query, left(text, 100) FROM st1_queries WHERE text IS NOT NULL ORDER BY origin <> 'human', query LIMIT %s", [STORED]
    ).fetchall()
    measured = conn.execute("SELECT 1 FROM st1_complexity_metrics LIMIT 1").fetchone() is not None
    return SearchOptions(systems, models, stored, topics_with_article(conn), measured, may_save(conn))


async def choices(desk: Desk) -> SearchOptions:
    """Return the choices of the form, queried once a minute for all sessions."""
    return await desk.ask_often(options, seconds=_FRESH_SECONDS)


_warming: set[asyncio.Task[None]] = set()


async def prepare(desk: Desk) -> None:
    """Prepare when the server starts, so that the first reader does not wait. Errors are reported on the page instead."""
    with suppress(StcError):
        await choices(desk)


def warm(embedding: Embedding, here: SearchOptions) -> None:
    """Load the model in the background if the hybrid system is available. Errors are reported by the next dense search."""
    if not here.systems["hybrid"] and not _warming:
        task = for_all(embedding.warm())
        _warming.add(task)
        task.add_done_callback(_warmed)


def _warmed(done: asyncio.Task[None]) -> None:
    _warming.discard(done)
    if not done.cancelled():
        done.exception()  # else asyncio reports it
