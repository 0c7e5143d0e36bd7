"""Build the text indexes and tell their state; the work is done by sql/text/index_text.sql and text_status.sql."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import class_row, dict_row

from stcollection.cells import HtmlFields
from stcollection.errors import BadArgument, translate

Engine = Literal["pg_textsearch", "portable"]


@dataclass(frozen=True)
class TextIndex(HtmlFields):
    """What the text indexes were built from.

    :param built: False where they were current and nothing was changed.
    :param documents: documents with at least one token.
    :param tokens: of all documents, stop words left out.
    """

    built: bool
    engine: Engine
    config: str
    k1: float
    b: float
    documents: int
    tokens: int


@translate()
def index(
    conn: psycopg.Connection,
    *,
    config: str = "english",
    k1: float = 1.2,
    b: float = 0.75,
    engine: str | None = None,
    rebuild: bool = False,
    progress: Callable[[str], None] | None = None,
) -> TextIndex:
    """Build GIN, the statistics of the portable BM25 and, where the server has pg_textsearch, its BM25 index; then seal them.

    In one transaction: interrupted, it leaves what was there. Reading goes on meanwhile, writing documents waits.

    :param conn: not inside a transaction block if there is an index already (sql/text/index_text.sql says why).
    :param config: a text search configuration; another one than before rewrites the table.
    :param k1: 0.1 to 10.
    :param b: 0 to 1.
    :param engine: ``pg_textsearch`` or ``portable``; the best there is if None.
    :param rebuild: build also what is current.
    :param progress: is told what the server says while it builds.
    :raises BadArgument: k1, b, engine or config is none of these; inside a transaction block, see ``conn``.
    :raises StateError: pg_textsearch is wanted and not to be had; no document is loaded.
    """
    with _autocommit(conn), _told(conn, progress), conn.cursor(row_factory=class_row(TextIndex)) as cursor:
        _check_config(conn, config)
        # An INOUT parameter returns as a row.
        [[built]] = conn.execute(
            "CALL stc.index_text(%s::regconfig, %s, %s, %s, %s, NULL)", [config, float(k1), float(b), engine, rebuild]
        ).fetchall()
        cursor.execute("SELECT %s::boolean AS built, engine, config::text, k1, b, documents, tokens FROM stc.text_index", [built])
        [done] = cursor.fetchall()
        return done


@translate()
def status(conn: psycopg.Connection) -> list[tuple[str, object]]:
    """The state of the indexes against the table, as (what, value); sql/text/text_status.sql says what each is.

    Without an index all but ``rows`` and ``sound`` are None.
    """
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("SELECT * FROM stc.text_status()").fetchone()
    return list((row or {}).items())


def _check_config(conn: psycopg.Connection, config: str) -> None:
    try:
        conn.execute("SELECT %s::regconfig", [config])
    except (psycopg.errors.UndefinedObject, psycopg.errors.InvalidName, psycopg.errors.SyntaxError) as error:
        raise BadArgument(
            f"no text search configuration {config!r}", hint="psql's \\dF lists those there are; english and simple are among them."
        ) from error


@contextmanager
def _autocommit(conn: psycopg.Connection) -> Iterator[None]:
    """Have psycopg open no transaction of its own around the call.

    One that the caller opened may be rolled back, and with it the drop of an index of pg_textsearch: see sql/text/index_text.sql.
    """
    if conn.info.transaction_status != TransactionStatus.IDLE:
        if conn.execute("SELECT to_regclass('public.dblp_text_bm25')").fetchone() != (None,):
            raise BadArgument("the text index cannot be built again inside a transaction block", hint="COMMIT or ROLLBACK first.")
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
def _told(conn: psycopg.Connection, progress: Callable[[str], None] | None) -> Iterator[None]:
    """Hand the server's notices to ``progress``."""

    def tell(notice: psycopg.errors.Diagnostic) -> None:
        if progress is not None and notice.message_primary:
            progress(notice.message_primary)

    conn.add_notice_handler(tell)
    try:
        yield
    finally:
        conn.remove_notice_handler(tell)
