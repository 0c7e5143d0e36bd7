"""Store a single query."""

from __future__ import annotations

import psycopg

from stcollection.errors import BadArgument


def save_query(conn: psycopg.Connection, query: str, text: str, *, topic: str | None = None) -> None:
    """Store a new query, or give a text to a query that has none yet.

    :param query: its name. :param topic: name of a stored topic.
    :raises BadArgument: the name or the text is empty, or the query has a text. :raises BadInput: the name is not valid.
    :raises UnknownObject: the topic does not exist. :raises StateError: the role may not store queries.
    """
    query, topic = query.strip(), (topic or "").strip() or None
    if not query:
        raise BadArgument("the name of the query is empty", hint="Enter a name that is not in use, such as G01.3.")
    if not text.strip():
        raise BadArgument("the query has no text", hint="Search for some words first.")
    stored = conn.execute("SELECT left(text, 80) FROM st1_queries WHERE query = %s AND text IS NOT NULL", [query]).fetchone()
    if stored is not None:
        raise BadArgument(
            f"the query {query!r} exists, with the text {stored[0]!r}",
            hint="Enter another name. Stored queries are not changed here.",
        )
    conn.execute(
        "SELECT stc.load_queries(%s::text[], %s::text[], %s::text[], %s::text[])", [[query], [topic], [text], ["new query"]]
    )


def may_save(conn: psycopg.Connection) -> bool:
    """Return True if the role may store queries."""
    return conn.execute("SELECT has_table_privilege('stc.st1_queries', 'INSERT')").fetchone() == (True,)
