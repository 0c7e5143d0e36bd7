"""Cut abstracts into passages (sentences or windows of words), and embed the passages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np
import psycopg
from psycopg import sql
from psycopg.rows import class_row

from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import StateError, translate
from stcollection.vectors.model import Encoder, EncoderOptions, full_name, load, short_name
from stcollection.vectors.queries import encoder_of
from stcollection.vectors.store import register, registered, require_idle, stage

Progress = Callable[[int, int | None], None]

_WORDS = AllowedRange(ge=1, le=10_000)
_DOCUMENTS = 5_000  # documents per commit: some 30,000 sentences


@dataclass(frozen=True, kw_only=True)
class PassageCounts:
    """Counts of cutting. :param how: ``sentence``, or ``window SIZE STEP``. :param documents: documents with new passages."""

    how: str
    documents: int
    passages: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class EmbeddedPassages:
    """Counts of embedding passages. :param passages: passages with new vectors."""

    model: str
    passages: int
    seconds: float


class _Passage(NamedTuple):
    id: int
    content: str


@declare
@translate()
def cut_passages(
    conn: psycopg.Connection,
    *,
    by: Literal["sentence", "window"] | str = "sentence",
    size: Annotated[int | None, _WORDS, Option(metavar="WORDS", default="64")] = None,
    step: Annotated[int | None, _WORDS, Option(metavar="WORDS", default="half of --size")] = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> PassageCounts:
    """Cut abstracts without passages into passages.

    Uses sql/vectors/passage_sentences.sql and passage_windows.sql. Each statement cuts some thousand abstracts and is committed, so
    an interrupted call resumes where it stopped. Then the words of passages are indexed (sql/text/index_passages.sql).

    :param by: Unit of a passage. :param size: Length of a window, in words.
    :param step: Distance between the starts of two windows, in words.
    :param replace: Remove passages with other settings, with their vectors and indexes.
    :param progress: called with (documents done, documents to do).
    :raises BadArgument: stored passages were cut in another way and ``replace`` is not set; an argument is out of range.
    :raises StateError: there is no abstract.
    """
    require_idle(conn)
    began = time.monotonic()
    with conn.transaction():
        if conn.execute("SELECT 1 FROM dblp_text WHERE abstract ~ '[[:alnum:]]' LIMIT 1").fetchone() is None:
            raise StateError("there is no abstract to cut", hint="Load documents: stc load --as corpus PATH.", sqlstate="IR405")
        [[how]] = conn.execute("SELECT stc.begin_passages(%s, %s::integer, %s::integer, %s)", [by, size, step, replace]).fetchall()
        [[total]] = conn.execute("SELECT stc.passages_lacking()").fetchall()
    documents = passages = 0
    last: int | None = None
    while True:
        with conn.transaction():
            [(more, made, last)] = conn.execute("SELECT * FROM stc.fill_passages(%s::bigint, %s)", [last, _DOCUMENTS]).fetchall()
        if not more:
            break
        documents, passages = documents + more, passages + made
        if progress:
            progress(documents, total)
    if documents:
        with conn.transaction():
            conn.execute("ANALYZE dblp_passages")
    with conn.transaction():
        conn.execute("CALL stc.index_passages()")
    return PassageCounts(how=how, documents=documents, passages=passages, seconds=time.monotonic() - began)


@translate()
def embed_passages(
    conn: psycopg.Connection,
    *,
    model: str | Encoder | None = None,
    short: str | None = None,
    batch: int | None = None,
    rows: int | None = None,
    progress: Progress | None = None,
) -> EmbeddedPassages:
    """Embed passages without vectors.

    Commits each batch: an interrupted call resumes where it stopped, and several calls can run at once. ``model``, ``short`` and
    ``batch`` are as for :func:`stcollection.vectors.embed.embed`.

    :param rows: passages per commit. :param progress: called with (passages done, passages to do).
    :raises StateError: there are no passages, or the short name is taken by another model or dimension.
    :raises UnknownObject: the model is not on this machine.
    """
    require_idle(conn)
    began = time.monotonic()
    with conn.transaction():
        if conn.execute("SELECT 1 FROM dblp_passages LIMIT 1").fetchone() is None:
            raise StateError("there are no passages to embed", hint="'stc vectors passages' cuts abstracts.", sqlstate="IR405")
        if isinstance(model, str | None):
            known: dict[str, str] = dict(conn.execute("SELECT model, name FROM stc.vector_models").fetchall())
            short = short or (model if model in known else short_name(model))
            if short in known and _lacking(conn, short) == 0:
                return EmbeddedPassages(model=short, passages=0, seconds=time.monotonic() - began)
    if isinstance(model, str | None):
        stored = registered(conn, short) if short in known and (model == short or full_name(model) == known[short]) else None
        encoder: Encoder = (
            load(model, short=short, options=EncoderOptions(batch=batch))
            if stored is None
            else encoder_of(stored, given=None if model == short else full_name(model), batch=batch)
        )
    else:
        encoder = model
    with conn.transaction():
        space = register(conn, encoder)
        total = _lacking(conn, space.model)
    count = _embed(conn, encoder, rows or max(512, 16 * encoder.batch), total, progress)
    with conn.transaction():
        [[relation]] = conn.execute("SELECT stc.vector_relation(stc.vector_model(%s), 'passage')", [space.model]).fetchall()
        conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(relation)))
    return EmbeddedPassages(model=space.model, passages=count, seconds=time.monotonic() - began)


def _lacking(conn: psycopg.Connection, model: str) -> int:
    [[lacking]] = conn.execute("SELECT stc.count_unembedded_passages(%s)", [model]).fetchall()
    return int(lacking)


def _embed(conn: psycopg.Connection, encoder: Encoder, rows: int, total: int, progress: Progress | None) -> int:
    """Embed batches in the order of ids, one transaction each.

    Batches claimed by another embedder are left for a second round, which waits for them in case the other has died.
    """
    stored = 0
    after: int | None = None
    left = wait = False
    while True:
        with conn.transaction():
            batch = _page(conn, encoder.short, after, rows)
            if not batch:
                if not left:
                    return stored
                left, wait, after = False, True, None
                continue
            # Batches are computed from missing vectors in id order, so two batches with the same start are the same batch.
            first = batch[0].id
            if not _claim(conn, encoder.short, first, wait=wait):
                left, after = True, batch[-1].id
                continue
            batch = _page(conn, encoder.short, after, rows)
            if not batch or batch[0].id != first:  # another embedder has just finished it
                continue
            after = batch[-1].id
            stored += _store(conn, encoder, batch)
        if progress:
            progress(stored, total)


def _page(conn: psycopg.Connection, model: str, after: int | None, rows: int) -> list[_Passage]:
    with conn.cursor(row_factory=class_row(_Passage)) as cursor:
        return cursor.execute(
            "SELECT id, content FROM stc.unembedded_passages(%s, %s::bigint, %s)", [model, after, rows]
        ).fetchall()


def _claim(conn: psycopg.Connection, model: str, first: int, *, wait: bool) -> bool:
    """Claim the batch that starts at this id until the end of the transaction; return False if another has it."""
    key = [f"stc embed passages {model}", first]
    if wait:
        conn.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", key)
        return True
    return conn.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, %s))", key).fetchone() == (True,)


def _store(conn: psycopg.Connection, encoder: Encoder, batch: list[_Passage]) -> int:
    vectors = encoder.encode([passage.content for passage in batch])
    stage(conn, [("passage", np.array([passage.id for passage in batch], dtype=np.int64), vectors)], model=encoder.short)
    [[stored]] = conn.execute("SELECT stc.store_passage_vectors(%s)", [encoder.short]).fetchall()
    return int(stored)
