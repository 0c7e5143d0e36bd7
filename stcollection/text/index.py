"""Build the text index, and tell its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from stcollection.errors import BadArgument, translate


@dataclass(frozen=True, kw_only=True)
class TextIndex:
    """:param built: False where it was current already.

    :param engine: ``pg_textsearch`` or ``portable``. :param config: text search configuration.
    :param documents: with at least one token. :param tokens: of all documents.
    """

    built: bool
    engine: str
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
) -> TextIndex:
    """Build GIN, the statistics of the portable BM25 and, where the server has it, the index of pg_textsearch; in one transaction.

    :param config: text search configuration, as ``english`` or one of your own.
    :param k1, b: BM25's parameters. :param engine: None takes pg_textsearch where it can be had.
    :param rebuild: build anew what is current.
    :raises BadArgument: k1, b or engine out of range; no such configuration.
    :raises StateError: no text to index, or no pg_textsearch where it is wanted.
    """
    with conn.transaction():
        try:
            chosen = conn.execute("SELECT %s::regconfig::text", [config]).fetchone()
        except (psycopg.errors.UndefinedObject, psycopg.errors.InvalidName) as error:
            raise BadArgument(
                f"there is no text search configuration {config!r}", hint="psql's \\dF lists them; english and simple are always there."
            ) from error
        row = conn.execute("CALL index_text(%s::regconfig, %s, %s, %s, %s, NULL)", [*(chosen or ()), k1, b, engine, rebuild]).fetchone()
        assert row is not None  # noqa: S101
        state = conn.execute("SELECT engine, config::text, k1, b, documents, tokens FROM text_index").fetchone()
        assert state is not None  # noqa: S101
    return TextIndex(
        built=row[0], engine=state[0], config=state[1], k1=state[2], b=state[3], documents=state[4], tokens=state[5]
    )


@translate()
def status(conn: psycopg.Connection) -> list[tuple[str, Any]]:
    """What and value, row by row, of ``text_status()``: the state of the index against the table."""
    cursor = conn.execute("SELECT engine, config::text, k1, b, rows, documents, indexed, tokens, stale, sound, built FROM text_status()")
    row = cursor.fetchone()
    assert row is not None  # noqa: S101
    return list(zip([column.name for column in cursor.description or ()], row, strict=True))
