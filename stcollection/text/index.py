"""Build the text indexes and report their state, with sql/text/index_text.sql and text_status.sql."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Literal

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import class_row, dict_row

from stcollection.cells import HtmlFields
from stcollection.counts import counted
from stcollection.declared import INTERNAL, AllowedRange, Option, declare
from stcollection.errors import BadArgument, StateError, translate

Separation = Literal["split", "published"]
Engine = Literal["pg_textsearch", "portable"]


@dataclass(frozen=True)
class TextIndex(HtmlFields):
    """Settings and counts of the text indexes.

    :param built: False if they were up to date and nothing changed.
    :param words: how words are separated, see :func:`index`.
    :param documents: documents with at least one token.
    :param tokens: tokens of all documents, without stop words.
    """

    built: bool
    engine: Engine
    config: str
    words: Separation
    k1: float
    b: float
    documents: int
    tokens: int


@declare
@translate()
def index(
    conn: psycopg.Connection,
    *,
    config: str = "english",
    k1: Annotated[float, AllowedRange(ge=0)] = 1.2,
    b: Annotated[float, AllowedRange(ge=0, le=1)] = 0.75,
    engine: Annotated[
        str | None, Option(choices=("pg_textsearch", "portable"), default="pg_textsearch if the server has it")
    ] = None,
    rebuild: bool = False,
    words: Annotated[str | None, Option(choices=("split", "published"), default="as before; split in new collections")] = None,
    progress: Callable[[str], None] | None = None,
) -> TextIndex:
    """Build the GIN index, the statistics of portable BM25 and, if the server has pg_textsearch, its BM25 index.

    The build is one transaction: an interruption leaves the old indexes in place. Readers continue; writers of documents wait.
    Then every document is looked up in the new BM25 index. pg_textsearch 1.0 does not find rows that PostgreSQL updated in place:
    they are moved (sql/text/move_texts.sql), and the index is built again. Another configuration or separation of words rewrites
    the table. ``k1`` is from 0.1 to 10.

    >>> c.text.index(k1=0.9, b=0.4)
    >>> c.text.index(words="published")

    :param conn: must be outside a transaction block if an index exists (sql/text/index_text.sql explains why).
    :param config: Text search configuration, with stemmer and stop words.
    :param k1: BM25 parameter: a lower value saturates repeated words sooner.
    :param b: BM25 parameter: weight of the document length.
    :param engine: BM25 implementation.
    :param rebuild: Rebuild even if up to date.
    :param words: How words are separated: split finds client/server and COVID-19 by their parts, too; published does not.
    :param progress: called with the server's notices during the build.
    :raises BadArgument: k1, b, engine, config or words is invalid; or inside a transaction block, see ``conn``.
    :raises StateError: pg_textsearch is requested but not available, no document is loaded, or the index still does not find all
        documents.
    """
    with _autocommit(conn), _notices(conn, progress), conn.cursor(row_factory=class_row(TextIndex)) as cursor:
        _check_config(conn, config)
        # Before anything is dropped.
        conn.execute("SELECT stc.check_text_index(%s, %s, %s, %s)", [float(k1), float(b), engine, words])
        built = False
        [[recomputed]] = conn.execute("SELECT stc.text_recomputed(%s::regconfig, %s)", [config, words]).fetchall()
        if recomputed:
            conn.execute("SELECT stc.refuse_distributed('another text search configuration or separation of words')")
            # In its own transaction, because pg_textsearch does not survive a rollback of the changes (sql/text/index_text.sql).
            conn.execute("DROP INDEX IF EXISTS public.dblp_text_bm25")
        for again in (False, True):
            # An INOUT parameter returns as a row.
            [[rebuilt]] = conn.execute(
                "CALL stc.index_text(%s::regconfig, %s, %s, %s, %s, %s, false, NULL)",
                [config, float(k1), float(b), engine, rebuild, words],
            ).fetchall()
            built = built or rebuilt
            # In its own transaction, which readers do not wait for.
            [(lost,)] = conn.execute("SELECT stc.verify_text_index()").fetchall()
            if not lost:
                break
            if again:
                raise StateError(
                    f"the new BM25 index of pg_textsearch does not find {counted(len(lost), 'document')}",
                    hint="Use the other engine: stc index --engine portable.",
                    sqlstate="IR401",
                )
            conn.execute("CALL stc.move_texts(%s)", [lost])
        cursor.execute(
            "SELECT %s::boolean AS built, engine, config::text, stc.text_words() AS words, k1, b, documents, tokens"
            " FROM stc.text_index",
            [built],
        )
        [stored] = cursor.fetchall()
        return stored


@translate()
def status(conn: psycopg.Connection, *, verify: Annotated[bool, INTERNAL] = False) -> list[tuple[str, object]]:
    """Return the state of the indexes compared with the table, as (name, value); sql/text/text_status.sql describes each.

    Only ``words``, ``rows`` and ``sound`` have a value without an index.

    :param verify: search every document in the BM25 index of pg_textsearch, even if the build found all of them.
    """
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("SELECT * FROM stc.text_status(%s)", [verify]).fetchone()
    return list((row or {}).items())


def _check_config(conn: psycopg.Connection, config: str) -> None:
    try:
        conn.execute("SELECT %s::regconfig", [config])
    except (psycopg.errors.UndefinedObject, psycopg.errors.InvalidName, psycopg.errors.SyntaxError) as error:
        raise BadArgument(
            f"no text search configuration {config!r}", hint="Use english or simple, or list all with psql's \\dF."
        ) from error


@contextmanager
def _autocommit(conn: psycopg.Connection) -> Iterator[None]:
    """Keep psycopg from opening a transaction around the call.

    A transaction of the caller could be rolled back, and with it the drop of a pg_textsearch index: see sql/text/index_text.sql.
    """
    if conn.info.transaction_status != TransactionStatus.IDLE:
        if conn.execute("SELECT to_regclass('public.dblp_text_bm25')").fetchone() != (None,):
            raise BadArgument("the text index cannot be rebuilt inside a transaction block", hint="COMMIT or ROLLBACK first.")
        yield
        return
    before = conn.autocommit
    conn.autocommit = True
    try:
        yield
    finally:
        if not conn.closed:
            conn.autocommit = before


@contextmanager
def _notices(conn: psycopg.Connection, progress: Callable[[str], None] | None) -> Iterator[None]:
    """Pass the server's notices to ``progress``."""

    def report(notice: psycopg.errors.Diagnostic) -> None:
        if progress is not None and notice.message_primary:
            progress(notice.message_primary)

    conn.add_notice_handler(report)
    try:
        yield
    finally:
        conn.remove_notice_handler(report)
