"""What a user can learn about a query besides its rows."""

from __future__ import annotations

from typing import Any

import psycopg


def value(conn: psycopg.Connection, query: str, *arguments: Any) -> Any:
    row = conn.execute(query.encode(), list(arguments)).fetchone()
    return row and row[0]


def counters(conn: psycopg.Connection, query: str, *arguments: Any) -> dict[str, float]:
    """All numbers in the output of EXPLAIN ANALYZE, except times and those that depend on the cache."""
    conn.execute(query.encode(), list(arguments))
    [plan] = value(conn, f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query}", *arguments)
    found: dict[str, float] = {}

    def walk(node: Any, path: str) -> None:
        if isinstance(node, dict):
            for key, one in node.items():
                walk(one, f"{path}.{key}")
        elif isinstance(node, list):
            for number, one in enumerate(node):
                walk(one, f"{path}[{number}]")
        elif isinstance(node, (int, float)) and "Time" not in path and "Dirtied" not in path and "Memory" not in path:
            found[path.replace(" Hit ", " ").replace(" Read ", " ")] = node + found.get(path, 0)

    walk(plan["Plan"], "")
    return found


def reads(conn: psycopg.Connection, query: str, *arguments: Any) -> dict[str, int]:
    """Rows fetched per table by a query, from the statistics of the transaction."""

    def fetched() -> dict[str, int]:
        return dict(
            conn.execute("SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables").fetchall()
        )

    with conn.transaction(force_rollback=True):
        before = fetched()
        conn.execute(query.encode(), list(arguments))
        return {table: rows - before.get(table, 0) for table, rows in fetched().items() if rows > before.get(table, 0)}
