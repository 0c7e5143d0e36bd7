"""Vectors of queries, cached in the collection by model and text.

A vector from the cache goes into the next statement as the text that the database returned: nothing converts its numbers. That
takes 0.11 ms a parameter of 384 dimensions, and 0.08 ms as pgvector's ``Vector`` in binary form. An array from a model would first
have to be written as text, 0.33 ms, so arrays are sent as ``Vector``: storing one takes 0.07 ms instead of 0.50 ms.
"""

from __future__ import annotations

from collections.abc import Sequence

import psycopg
from pgvector import Vector
from pgvector.psycopg.vector import VectorBinaryDumper

from stcollection.errors import BadArgument, translate
from stcollection.vectors.model import Embedder, Encoder, EncoderOptions, Vectors, load
from stcollection.vectors.store import Model, register, registered


@translate()
def embed_queries(conn: psycopg.Connection, *, model: str | Encoder | None = None) -> int:
    """Embed the stored queries and cache their vectors for SQL (embed_query, hybrid_search). :returns: the number of new ones.

    The model is loaded only if there is text to embed.

    :param model: a short name of the collection, or a model in memory; None uses the collection's default.
    """
    with conn.transaction():
        space = _space(conn, model)
        lacking = conn.execute(
            "SELECT DISTINCT q.text, stc.query_to_embed(q.text) FROM st1_queries q WHERE q.text IS NOT NULL"
            " AND NOT EXISTS (SELECT FROM query_v v WHERE v.model = %s AND v.digest = md5(q.text) AND v.text = q.text) ORDER BY 1",
            [space.model],
        ).fetchall()
    if lacking:
        encoder = _encoder(space, model)
        vectors = encoder.encode([meant for _, meant in lacking], query=True)
        with conn.transaction():
            register(conn, encoder)
            _remember(conn, space.model, [text for text, _ in lacking], vectors)
    return len(lacking)


@translate()
def query_vector(conn: psycopg.Connection, text: str, *, model: str | Encoder | None = None) -> str:
    """Return the vector of a query text in pgvector's notation; see :func:`query_vectors`.

    :raises BadArgument: the text is blank.
    """
    if not text.strip():
        raise BadArgument("the query is blank", hint="Give a query of at least one word.", sqlstate="IR202")
    return query_vectors(conn, [text], model=model)[0]


@translate()
def query_vectors(conn: psycopg.Connection, texts: Sequence[str], *, model: str | Encoder | None = None) -> list[str]:
    """Return the vectors of query texts in pgvector's notation; missing ones are computed together and cached.

    They are not cached in a read-only transaction, for a role that may not write, or if the model has no vectors yet.

    :param model: as for :func:`embed_queries`.
    """
    wanted = list(dict.fromkeys(texts))
    with conn.transaction():
        space = _space(conn, model)
        known: dict[str, str] = dict(
            conn.execute(
                "SELECT q.text, q.v::text FROM unnest(%s::text[]) w (text)"
                "  JOIN query_v q ON q.digest = md5(w.text) AND q.text = w.text WHERE q.model = %s",
                [wanted, space.model],
            ).fetchall()
        )
        lacking = [text for text in wanted if text not in known]
        meant = conn.execute(
            "SELECT stc.query_to_embed(t.text) FROM unnest(%s::text[]) WITH ORDINALITY t (text, place) ORDER BY t.place", [lacking]
        ).fetchall()
    if lacking:
        vectors = _encoder(space, model).encode([one for (one,) in meant], query=True)
        known.update(zip(lacking, map(notation, vectors), strict=True))
        with conn.transaction():
            may = conn.execute(
                "SELECT NOT current_setting('transaction_read_only')::boolean AND has_table_privilege('query_v', 'INSERT')"
                " AND EXISTS (SELECT FROM stc.vector_models WHERE model = %s)",
                [space.model],
            ).fetchone()
            if may == (True,):
                _remember(conn, space.model, lacking, vectors)
    return [known[text] for text in texts]


def notation(vector: Vectors) -> str:
    """Return a vector in pgvector's notation, without loss. :param vector: float32[dim]."""
    return "[" + ",".join(map(str, vector.tolist())) + "]"


def short(model: str | Encoder | None) -> str | None:
    """Return the short name of a model given by name or in memory; None means the collection's default."""
    return model if isinstance(model, str | None) else model.short


def _space(conn: psycopg.Connection, model: str | Encoder | None) -> Model:
    return registered(conn, short(model))


def _encoder(space: Model, model: str | Encoder | None) -> Encoder:
    return model if not isinstance(model, str | None) else encoder_of(space)


def encoder_of(space: Model, *, precision: str = "auto", backend: str = "torch", batch: int | None = None) -> Embedder:
    """Load the model of a registry row, with the prefixes of its stored vectors.

    :param precision, backend, batch: for documents, as for :func:`stcollection.vectors.model.load`.
    :raises UnknownObject: the model is not on this machine.
    """
    return load(
        space.name,
        short=space.model,
        options=EncoderOptions(
            query_prefix=space.query_prefix, passage_prefix=space.passage_prefix, precision=precision, backend=backend, batch=batch
        ),
    )


def _remember(conn: psycopg.Connection, model: str, texts: Sequence[str], vectors: Vectors) -> None:
    cursor = conn.cursor()
    cursor.adapters.register_dumper(Vector, VectorBinaryDumper)  # without the type's oid, which the server knows from the column
    cursor.executemany(
        "INSERT INTO query_v (model, text, v) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        [(model, text, Vector(vector)) for text, vector in zip(texts, vectors, strict=True)],
    )
