"""Embed by actors of Ray: each claims its pages in the database, as several commands at once do."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from functools import partial

import psycopg

from stcollection.db.actors import outcome, working
from stcollection.db.pool import RayActors
from stcollection.db.sessions import login_of, open_session
from stcollection.errors import BadArgument
from stcollection.vectors.model import Encoder, EncoderOptions, short_name
from stcollection.vectors.store import DOCUMENT_FIELDS, EmbedCounts, default_fields, registered, require_idle

_EVERY = 2.0  # seconds between two looks at the progress, and at least 20 times as long as a look takes

Progress = Callable[[int, int | None], None]
Embed = Callable[..., EmbedCounts]  # stcollection.vectors.embed.embed, whose module imports this one


class ActorEmbedding:
    """A connection, and a model in memory, to embed whatever has no vectors; a context manager, created in the actor."""

    def __init__(self, embed: Embed, dsn: str) -> None:
        self._conn = open_session(dsn, autocommit=True, fallback_application_name="stc vectors embed")
        self._embed = embed

    def __enter__(self) -> ActorEmbedding:
        return self

    def __exit__(self, *_: object) -> None:
        self._conn.close()

    def __call__(self, item: object) -> EmbedCounts:
        return self._embed(self._conn)


def embed_by_actors(
    embed: Embed,
    conn: psycopg.Connection,
    *,
    actors: RayActors,
    model: str | Encoder | None,
    short: str | None,
    fields: Sequence[str],
    options: EncoderOptions,
    rows: int | None,
    progress: Progress | None,
) -> EmbedCounts:
    """Embed the texts of fields without vectors by actors, each with a GPU where the cluster has GPUs.

    A lost actor is restarted. The server released its claims, so its page is embedded by the next actor that is free. The
    parameters are those of :func:`~stcollection.vectors.embed.embed`; the counts include what other embedders stored meanwhile.

    :param embed: that function.
    :raises BadArgument: the model is an object in memory, which actors on other machines cannot use.
    :raises StateError: Ray is not installed or cannot be reached; or an error of :func:`~stcollection.vectors.embed.embed`.
    """
    if not isinstance(model, str | None):
        raise BadArgument("a model in memory cannot be sent to actors of Ray", hint="Give the name or folder of the model.")
    require_idle(conn)
    began = time.monotonic()
    with conn.transaction():
        name = short or (model if model is not None and _is_registered(conn, model) else short_name(model))
    before = _lacking(conn, name, fields)
    if not before["documents"]:
        return embed(conn, model=model, short=short, fields=fields, options=options)  # checks the rest and embeds nothing
    dsn = login_of(conn)
    work = partial(embed, model=model, short=short, fields=list(fields), options=options, rows=rows)
    with working(partial(ActorEmbedding, work, dsn), actors=actors, gpus=True) as started:
        ray = importlib.import_module("ray")
        under_way = [actor.work.remote("what has no vectors") for actor in started]
        wait = _EVERY
        while under_way:
            ended, under_way = ray.wait(under_way, num_returns=len(under_way), timeout=wait)
            for reference in ended:
                name = outcome("documents without vectors", reference).model
            looked = time.monotonic()
            if progress:
                left = _lacking(conn, name, fields)
                progress(before["documents"] - left["documents"], before["documents"])
                wait = max(_EVERY, 20 * (time.monotonic() - looked))
    embedded = {what: before.get(what, 0) - left for what, left in _lacking(conn, name, fields).items()}
    return EmbedCounts(
        model=name,
        documents=embedded["documents"],
        titles=embedded.get("title", 0),
        abstracts=embedded.get("abstract", 0),
        contents=embedded.get("content", 0),
        seconds=time.monotonic() - began,
    )


def _is_registered(conn: psycopg.Connection, model: str) -> bool:
    return conn.execute("SELECT FROM stc.vector_models WHERE model = %s", [model]).fetchone() is not None


def _lacking(conn: psycopg.Connection, model: str, fields: Sequence[str]) -> dict[str, int]:
    """Count texts without vectors of a model, registered or not, by field; ``documents`` counts documents with any such text.

    The connection is left idle, since hours may pass before the next call.

    :param fields: empty for the default of the model; of a model that is not registered, all fields.
    """
    with conn.transaction():
        if _is_registered(conn, model):
            fields = fields or default_fields(registered(conn, model).storage)
            parts = {"documents": list(fields), **{field: [field] for field in fields}}
            return {
                what: int(count)
                for what, names in parts.items()
                for (count,) in conn.execute("SELECT stc.count_unembedded(%s, %s)", [model, names])
            }
        row = conn.execute(
            "SELECT count(*) FILTER (WHERE titled AND %(f)s::text[] && '{title,content}'"
            "                           OR summed AND %(f)s::text[] && '{abstract,content}'),"
            " count(*) FILTER (WHERE titled), count(*) FILTER (WHERE summed), count(*) FILTER (WHERE titled OR summed)"
            r" FROM (SELECT t.title ~ '\S' AS titled, t.abstract ~ '\S' AS summed FROM dblp_text t) t",
            {"f": list(fields or DOCUMENT_FIELDS)},
        ).fetchone()
    assert row is not None  # noqa: S101  (an aggregate has one row)
    missing = dict(zip(("documents", "title", "abstract", "content"), map(int, row), strict=True))
    return {what: count for what, count in missing.items() if not fields or what in ("documents", *fields)}
