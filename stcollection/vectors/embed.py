"""Titles and abstracts to vectors in the collection."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import psycopg
from psycopg import sql
from psycopg.rows import class_row

from stcollection.errors import StateError, translate
from stcollection.vectors.model import Encoder, full_name, load, short_name
from stcollection.vectors.store import FIELDS, register, registered, require_idle, store

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, kw_only=True)
class Embedded:
    """What an embedding did. :param documents: that got a vector; titles and abstracts: vectors made."""

    model: str
    documents: int
    titles: int
    abstracts: int
    seconds: float


class _Texts(NamedTuple):
    """A document and its texts that lack vectors."""

    id: int
    title: str | None
    abstract: str | None


@translate()
def embed(
    conn: psycopg.Connection,
    *,
    model: str | Encoder | None = None,
    short: str | None = None,
    batch: int | None = None,
    rows: int | None = None,
    progress: Progress | None = None,
) -> Embedded:
    """Embed the titles and abstracts that have no vector yet.

    Commits each batch, so that an interrupted one goes on where it stopped. Several may run at once, also on several machines: each
    batch is claimed by an advisory lock. The model is loaded only if there is something to embed.

    :param model: a sentence-transformers name or folder, a short name of the collection, or a model in memory; None is
        all-MiniLM-L6-v2. Each model's vectors have a table of their own.
    :param short: the name of the model in the collection; None derives it.
    :param batch: texts a forward pass. :param rows: documents a commit.
    :param progress: is told (documents done, documents to do).
    :raises StateError: there is no document with a text, or the short name is taken by another model or dimension.
    :raises UnknownObject: the model is not on this machine.
    """
    require_idle(conn)
    began = time.monotonic()
    with conn.transaction():
        if conn.execute("SELECT 1 FROM dblp_text LIMIT 1").fetchone() is None:
            raise StateError("there is no text to embed", hint="Load documents first: stc corpus load PATH.", sqlstate="IR405")
        if isinstance(model, str | None):
            stored: dict[str, str] = dict(conn.execute("SELECT model, name FROM vector_models").fetchall())
            if model in stored:
                model, short = stored[model], model
            short = short or short_name(model)
            if short in stored and _lacking(conn, short) == 0:
                space = registered(conn, short)
                conn.execute("SELECT add_vector_model(%s, %s, %s)", [short, full_name(model), space.dim])  # refuses another model
                return Embedded(model=short, documents=0, titles=0, abstracts=0, seconds=time.monotonic() - began)
    encoder = load(model, short=short, batch=batch) if isinstance(model, str | None) else model
    with conn.transaction():
        space = register(conn, encoder)
        total = _lacking(conn, space.model)
    done = _embed(conn, encoder, rows or max(256, 8 * encoder.batch), total, progress)
    with conn.transaction():
        conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(space.relation)))
    return Embedded(
        model=space.model, documents=done["documents"], titles=done["title"], abstracts=done["abstract"],
        seconds=time.monotonic() - began,
    )  # fmt: skip


def _lacking(conn: psycopg.Connection, model: str) -> int:
    row = conn.execute("SELECT count_unembedded(%s)", [model]).fetchone()
    return int(row[0]) if row else 0


def _embed(conn: psycopg.Connection, encoder: Encoder, rows: int, total: int, progress: Progress | None) -> Counter[str]:
    """Batches in the order of ids, one transaction each. Those another has claimed are left for a second round, which waits for it:
    it may have died.
    """
    done: Counter[str] = Counter()
    after: int | None = None
    left = wait = False
    while True:
        with conn.transaction():
            batch = _page(conn, encoder.short, after, rows)
            if not batch:
                if not left:
                    return done
                left, wait, after = False, True, None
                continue
            # Batches follow from what lacks vectors, in the order of ids: two that begin alike are the same.
            first = batch[0].id
            if not _claim(conn, encoder.short, first, wait=wait):
                left, after = True, batch[-1].id
                continue
            batch = _page(conn, encoder.short, after, rows)
            if not batch or batch[0].id != first:  # another has just finished it
                continue
            after = batch[-1].id
            done.update(_embed_batch(conn, encoder, batch))
        if progress:
            progress(done["documents"], total)


def _page(conn: psycopg.Connection, model: str, after: int | None, rows: int) -> list[_Texts]:
    with conn.cursor(row_factory=class_row(_Texts)) as cursor:
        return cursor.execute("SELECT id, title, abstract FROM unembedded(%s, %s, %s)", [model, after, rows]).fetchall()


def _claim(conn: psycopg.Connection, model: str, first: int, *, wait: bool) -> bool:
    """Whether the batch that begins there is ours until the end of the transaction."""
    key = [f"stc embed {model}", first]
    if wait:
        conn.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", key)
        return True
    return conn.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, %s))", key).fetchone() == (True,)


def _embed_batch(conn: psycopg.Connection, encoder: Encoder, batch: list[_Texts]) -> Counter[str]:
    texts = {field: [(one.id, text) for one in batch if (text := getattr(one, field)) is not None] for field in FIELDS}
    vectors = encoder.encode([text for field in FIELDS for _, text in texts[field]])
    cut = len(texts["title"])
    parts = {"title": vectors[:cut], "abstract": vectors[cut:]}
    store(
        conn,
        [(field, np.array([one for one, _ in texts[field]], dtype=np.int64), part) for field, part in parts.items()],
        model=encoder.short,
    )
    return Counter(documents=len(batch), **{field: len(texts[field]) for field in FIELDS})
