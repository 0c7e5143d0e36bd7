"""Embed titles, abstracts and both together, and store the vectors."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Annotated

import numpy as np
import psycopg
from psycopg import sql

from stcollection.db.pool import RayActors
from stcollection.db.sessions import another_session
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import StateError, translate
from stcollection.vectors.claims import ClaimedTexts, Claims
from stcollection.vectors.embed_actors import embed_by_actors
from stcollection.vectors.model import AS_THE_MODEL_SAYS, Encoder, EncoderOptions, full_name, load, short_name
from stcollection.vectors.queries import as_stored
from stcollection.vectors.store import (
    DOCUMENT_FIELDS,
    DocumentField,
    EmbedCounts,
    NewModel,
    NewShort,
    Part,
    default_fields,
    register,
    registered,
    require_idle,
    store,
)

Progress = Callable[[int, int | None], None]


@declare
@translate()
def embed(
    conn: psycopg.Connection,
    model: NewModel = None,
    *,
    short: NewShort = None,
    fields: Annotated[
        Sequence[DocumentField | str], Option(each="field", default="title and abstract; content for a sparse model")
    ] = (),
    options: EncoderOptions = AS_THE_MODEL_SAYS,
    rows: Annotated[int | None, AllowedRange(ge=1), Option(default="8 batches, at least 256")] = None,
    actors: RayActors | None = None,
    progress: Progress | None = None,
) -> EmbedCounts:
    """Embed the texts of fields without vectors.

    While a page of documents is encoded, separate threads and connections read the next page and store the previous one. Each page
    is committed separately, so an interrupted embedding resumes where it stopped. Several embedders can run at once, also on
    different machines, because each claims its pages by advisory locks. The model is loaded only if there is text to embed.

    A model can also be the short name of a stored one, or a model in memory. Each model has separate tables for its vectors.
    Prefixes, dimensions, pooling and length are stored, and all later texts and queries are embedded with them. None keeps the
    stored ones, or for a new model those of its configuration.

    :param fields: Field to embed; content is title and abstract as one text. Repeatable.
    :param rows: Documents per transaction.
    :param progress: called with (documents done, documents to do) in another thread.
    :raises StateError: no document has text, or the short name is taken by another model, dimension, prefix, pooling or length.
    :raises UnknownObject: the model is not on this machine, or the field does not exist.
    :raises BadInput: the model returned a vector that is not finite.
    """
    if actors is not None:
        return embed_by_actors(
            embed, conn, actors=actors, model=model, short=short, fields=fields, options=options, rows=rows, progress=progress
        )
    require_idle(conn)
    began = time.monotonic()
    with conn.transaction():
        if conn.execute("SELECT 1 FROM dblp_text LIMIT 1").fetchone() is None:
            raise StateError("there is no text to embed", hint="Load documents first: stc load --as corpus PATH.", sqlstate="IR405")
        named = False  # by its short name: the collection has the full one
        if isinstance(model, str | None):
            stored: dict[str, str] = dict(conn.execute("SELECT model, name FROM stc.vector_models").fetchall())
            if model in stored:
                model, short, named = stored[model], short or model, True
            short = short or short_name(model)
            if short in stored:
                space = registered(conn, short)
                fields = fields or default_fields(space.storage)
                if _lacking(conn, short, fields) == 0:
                    conn.execute(  # raises an error for another model
                        "SELECT stc.add_vector_model(%s, %s, %s, %s, pooling => %s, query_prefix => %s, passage_prefix => %s,"
                        " storage => %s)",
                        [
                            *(short, model if named else full_name(model), options.dimensions or space.dim, options.max_tokens),
                            *(options.pooling, options.query_prefix, options.passage_prefix, space.storage),
                        ],
                    )
                    return _counts(short, Counter(), began)
                options = as_stored(space, options)
    encoder = load(model, short=short, options=options, stored=named) if isinstance(model, str | None) else model
    with conn.transaction():
        space = register(conn, encoder)
        fields = fields or default_fields(space.storage)
        total = _lacking(conn, space.model, fields)
    with another_session(conn) as own:
        claims = Claims(own, model=space.model, fields=fields, rows=rows or max(256, 8 * encoder.batch))
        counts = _embed(conn, encoder, claims, fields, total, progress)
    with conn.transaction():
        conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(space.relation)))
    return _counts(space.model, counts, began)


def _counts(model: str, counts: Counter[str], began: float) -> EmbedCounts:
    return EmbedCounts(
        model=model,
        documents=counts["documents"],
        titles=counts["title"],
        abstracts=counts["abstract"],
        contents=counts["content"],
        seconds=time.monotonic() - began,
    )


def _lacking(conn: psycopg.Connection, model: str, fields: Sequence[str]) -> int:
    row = conn.execute("SELECT stc.count_unembedded(%s, %s)", [model, list(fields)]).fetchone()
    return int(row[0]) if row else 0


def _embed(
    conn: psycopg.Connection, encoder: Encoder, claims: Claims, fields: Sequence[str], total: int, progress: Progress | None
) -> Counter[str]:
    """Encode in this thread, which receives Ctrl-C, while other threads read ahead and store.

    After an interruption, pages that are already encoded are stored before this function returns.
    """
    counts: Counter[str] = Counter()

    def write(page: list[ClaimedTexts], parts: list[Part]) -> None:
        with conn.transaction():
            store(conn, parts, model=encoder.short)
        claims.release(page[0].id)
        counts.update(documents=len(page), **{field: len(ids) for field, ids, _ in parts})
        if progress:
            progress(counts["documents"], total)

    with ThreadPoolExecutor(2, "stc-embed") as threads:
        written: Future[None] | None = None
        try:
            ahead = threads.submit(claims.take)
            while True:
                page = ahead.result()
                overlap = bool(page) and not claims.waits
                if overlap:
                    ahead = threads.submit(claims.take)
                parts = _encode(encoder, page, fields)
                if written is not None:
                    written.result()
                    written = None
                if page:
                    written = threads.submit(write, page, parts)
                if overlap:
                    continue
                # Wait for our writes at the end of a round, and after each page while waiting for other embedders.
                if written is not None:
                    written.result()
                    written = None
                if not page:
                    if not claims.left:
                        return counts
                    claims.again()
                ahead = threads.submit(claims.take)
        finally:
            claims.stop()


def _encode(encoder: Encoder, page: list[ClaimedTexts], fields: Sequence[str]) -> list[Part]:
    """Encode all fields at once: with more texts, batches are more uniform in length."""
    texts = {
        field: [(claimed.id, text) for claimed in page if (text := getattr(claimed, field)) is not None]
        for field in DOCUMENT_FIELDS
        if field in fields
    }
    if not page:
        return []
    vectors = encoder.encode([text for some in texts.values() for _, text in some])
    parts: list[Part] = []
    start = 0
    for field, some in texts.items():
        parts.append((field, np.array([doc for doc, _ in some], dtype=np.int64), vectors[start : start + len(some)]))
        start += len(some)
    return parts
