"""Remove queries and topics: those of a file, those with given names, or unreferenced stubs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple

import psycopg

from stcollection.counts import counted
from stcollection.db.ledger import LedgerFile, find_files
from stcollection.db.removal import Removal, check_choice, count_staged
from stcollection.db.rows import records
from stcollection.declared import INTERNAL, Option
from stcollection.errors import translate

_WAYS = "Name queries, topics (--topic; in Python topics=), files (--file; files=), or stubs (--stubs; stubs=True)."


@dataclass(frozen=True, kw_only=True)
class QueryRemoval(Removal):
    """Counts of a removal of queries. :param topics: removed topics that had no query left; 0 under ``dry_run``."""

    topics: int = 0


class TopicFile(NamedTuple):
    """A loaded file of topics. :param queries, topics: their numbers."""

    id: int
    path: str
    format: str
    queries: int
    topics: int
    sha256: str | None
    loaded: datetime


@translate()
def topic_files(conn: psycopg.Connection) -> list[TopicFile]:
    """Return the loaded files of topics, in the order of their first load."""
    return records(
        conn,
        TopicFile,
        "SELECT id, path, format, cardinality(queries) AS queries, cardinality(topics) AS topics, sha256, loaded"
        "  FROM stc.topic_files ORDER BY id",
    )


@translate()
def remove_queries(
    conn: psycopg.Connection,
    queries: Annotated[Sequence[str], INTERNAL] = (),
    *,
    topics: Annotated[Sequence[str], Option(each="topic", metavar="TOPIC")] = (),
    files: Annotated[Sequence[str], INTERNAL] = (),
    stubs: bool = False,
    dry_run: bool = False,
) -> QueryRemoval:
    """Remove queries, all or none, and the selected topics that have no query left.

    Queries that judgments, runs or other records refer to become stubs: judgments, rankings and scores do not change. If another
    loaded file contains a query too, the query stays.

    :param queries: names of queries.
    :param topics: Remove this topic with its queries. Repeatable.
    :param files: loaded files, by path, file name or SHA-256 (``stc show topic-files``).
    :param stubs: Remove stubs that no run and no judgment refers to.
    :param dry_run: Count only; change nothing.
    :raises UnknownObject: a query, topic or file is not stored. :raises BadArgument: not exactly one selection.
    :raises StateError: the role may not remove queries.
    """
    check_choice(queries, topics, files, stubs, hint=_WAYS)
    stored = [
        LedgerFile(file.id, file.path, file.sha256, file.loaded, f"loaded {file.loaded:%F %R}, {counted(file.queries, 'query')}")
        for file in (topic_files(conn) if files else [])
    ]
    chosen = [file for name in files for file in find_files(stored, name, listing="stc show topic-files")]
    arguments = [[file.id for file in chosen], list(queries), list(topics), stubs]
    paths = tuple(file.path for file in chosen)
    with conn.transaction():
        if dry_run:
            [(shared,)] = conn.execute(
                "SELECT stc.stage_query_removal(%s::integer[], %s::text[], %s::text[], %s)", arguments
            ).fetchall()
            removed, kept, dependents = count_staged(conn, "stc.st1_queries")
            return QueryRemoval(removed=removed, kept=kept, shared=shared, files=paths, dependents=dependents)
        [(removed, kept, shared, gone)] = conn.execute(
            "SELECT * FROM stc.remove_queries(%s::integer[], %s::text[], %s::text[], %s)", arguments
        ).fetchall()
    return QueryRemoval(removed=removed, kept=kept, shared=shared, files=paths, topics=gone)
