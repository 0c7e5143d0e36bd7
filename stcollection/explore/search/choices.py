"""What a search can choose from: systems, models and stored queries of the collection."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import psycopg

from stcollection.errors import StcError
from stcollection.retrieval import NEEDS, SPARSE
from stcollection.retrieval.systems import ListedSystem
from stcollection.retrieval.systems import systems as list_systems
from stcollection.texts import later
from stcollection.topics.articles import topics_with_article
from stcollection.topics.save import may_save
from stcollection.vectors.store import DOCUMENT_FIELDS, registered
from stcollection.web.desk import Desk
from stcollection.web.embedding import Embedding
from stcollection.web.shares import for_all

_EXAMPLES = """
SELECT text FROM (
    SELECT DISTINCT ON (topic) text, query FROM st1_queries
     WHERE text IS NOT NULL AND origin = 'human' AND length(text) < 80 ORDER BY topic, query) q
 ORDER BY query LIMIT 5
"""
_FRESH_SECONDS = 10.0
_LACKING = {
    "title": later("no title vectors"), "abstract": later("no abstract vectors"), "content": later("no content vectors"),
    "passage": later("no passage vectors"), "index": later("no text index"), "passages": later("no passages"),
    "sparse": later("no sparse vectors"),
}  # fmt: skip


class SearchOptions(NamedTuple):
    """Choices in the search form.

    :param systems: by name; the problem is in English. :param fields: why the vectors of a field are unavailable, or None.
    :param models: short names, the default first. :param examples: texts of stored queries on different topics.
    :param articles: topics with an article, and its title. :param writable: queries can be stored.
    """

    systems: dict[str, ListedSystem]
    fields: dict[str, str | None]
    models: list[str]
    examples: list[str]
    articles: list[tuple[str, str]]
    readability: bool
    writable: bool

    @property
    def default(self) -> str:
        """The best available system."""
        return next(name for name in ("hybrid", "bm25", "boolean") if not self.systems[name].problem)

    @property
    def near(self) -> str | None:
        """The field by which neighbours of a document are found at first; None: there are no vectors."""
        return next((field for field, why in self.fields.items() if why is None), None)


def options(conn: psycopg.Connection) -> SearchOptions:
    """Return the choices available in this collection."""
    default = registered(conn).model
    dense = conn.execute(
        "SELECT model FROM stc.vector_models WHERE storage <> 'sparsevec' ORDER BY model <> %s, model", [default]
    ).fetchall()
    models = [name for (name,) in dense] or [default]
    lacking: dict[str, bool] = dict(
        conn.execute(
            "SELECT f, bool_and(stc.vectors_missing(stc.vector_model(m), f, true)) FROM unnest(%s::text[]) m,"
            " unnest('{title,abstract,content,passage}'::text[]) f GROUP BY f",
            [models],
        ).fetchall()
    )
    sparse = conn.execute(
        "SELECT FROM stc.vector_models m WHERE m.storage = 'sparsevec' AND NOT stc.vectors_missing(m, 'content', true) LIMIT 1"
    ).fetchone()
    indexed = conn.execute("SELECT FROM stc.text_index").fetchone() is not None
    passages = conn.execute("SELECT WHERE stc.passages_indexed(stc.text_config())").fetchone() is not None
    lacking |= {"index": not indexed, "passages": not passages, "sparse": sparse is None}
    needs = NEEDS | {each: ["sparse"] for each in SPARSE}
    systems = {
        each.system: each._replace(problem=each.problem or _lacked(needs.get(each.system, ()), lacking))
        for each in list_systems(conn)
    }
    fields = {field: _LACKING[field] if lacking[field] else None for field in DOCUMENT_FIELDS}
    examples = [text for (text,) in conn.execute(_EXAMPLES)]
    measured = conn.execute("SELECT 1 FROM st1_complexity_metrics LIMIT 1").fetchone() is not None
    return SearchOptions(systems, fields, models, examples, topics_with_article(conn), measured, may_save(conn))


def _lacked(needs: Sequence[str], lacking: Mapping[str, bool]) -> str | None:
    """Return what a system needs and the collection lacks; of several fields, it needs the vectors of one."""
    for need in ("index", "passages"):
        if need in needs and lacking[need]:
            return _LACKING[need]
    fields = [need for need in needs if need not in ("index", "passages")]
    if not fields or not all(lacking[field] for field in fields):
        return None
    return _LACKING[fields[0]] if len(fields) == 1 else later("no vectors")


async def choices(desk: Desk) -> SearchOptions:
    """Return the choices of the form, queried once in ten seconds for all sessions."""
    return await desk.ask_often(options, seconds=_FRESH_SECONDS)


_warming: set[asyncio.Task[None]] = set()


async def prepare(desk: Desk) -> None:
    """Prepare when the server starts, so that the first reader does not wait. Errors are reported on the page instead."""
    with suppress(StcError):
        await choices(desk)


def warm(embedding: Embedding, here: SearchOptions) -> None:
    """Load the model in the background if the hybrid system is available. Errors are reported by the next dense search."""
    if not here.systems["hybrid"].problem and not _warming:
        task = for_all(embedding.warm())
        _warming.add(task)
        task.add_done_callback(_warmed)


def _warmed(done: asyncio.Task[None]) -> None:
    _warming.discard(done)
    if not done.cancelled():
        done.exception()  # else asyncio reports it
