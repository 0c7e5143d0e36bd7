"""The rules for names, numbers and sizes that tables check, and the repair of JSON values stored before a rule existed."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg

from stcollection.names import LONGEST, PATTERN

NAMES = {
    "st1_runs": ("run", "team", "tag", "family"),
    "run_receipts": ("run",),
    "stc_members": ("team",),
    "qrels_editions": ("edition",),
    "qrels_judgments": ("annotator",),
    "qrels_preferences": ("annotator", "subgroup"),
    "qrels_pools": ("pool",),
    "qrels_assessments": ("annotator",),
    "llm_prompts": ("name",),
    "llm_judges": ("model", "annotator"),
    "st1_topics": ("topic",),
    "st1_queries": ("query", "origin", "model"),
    "st1_scores": ("measure",),
    "annotators": ("annotator", "annotator_group"),
}
# The empty name means "not known" here.
_EMPTY = {("qrels_judgments", "annotator"), ("qrels_preferences", "annotator"), ("qrels_preferences", "subgroup")}
FINITE = {
    "st1_scores": ("value",),
    "qrels_preferences": ("rel",),
    "qrels_judgments": ("similarity",),
    "qrels_pool_documents": ("weight",),
}
_REAL = {"similarity", "support", "oppose", "probability"}
# COPY, and so a dump, fails on a row above 1 GB.
LARGEST = 16777216
SIZED = {
    "st1_runs": ("params", "source", "sha256", "metadata"),
    "unfinished_runs": ("params", "state"),
    "unfinished_rankings": ("spent",),
}
# JSON that members write: an object of at most LEVELS levels, whose numbers fit double precision. Python raises errors for deeper
# values and larger numbers. Values of version 0.2 that break the rule are replaced.
OBJECTS = {
    "st1_runs": {"params": "'{}'", "metadata": "NULL"},
    "unfinished_runs": {"params": "'{}'", "state": "'{}'"},
    "unfinished_rankings": {"spent": "NULL"},
}
LEVELS = 32


def is_name(table: str, column: str) -> str:
    rule = f"length({column}) BETWEEN 1 AND {LONGEST} AND {column} !~ '{PATTERN}'"
    return f"{column} = '' OR {rule}" if (table, column) in _EMPTY else rule


def is_finite(column: str) -> str:
    kind = "real" if column in _REAL else "double precision"
    return f"{column} > '-Infinity'::{kind} AND {column} < 'Infinity'::{kind}"


def is_small(column: str) -> str:
    return f"octet_length({column}::text) <= {LARGEST}"


def is_object(column: str) -> str:
    """As sql/runs/is_metadata.sql, which tables cannot call: they are created before the functions."""
    large = "@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308"
    return (
        f"jsonb_typeof({column}) = 'object' AND NOT jsonb_path_exists({column}, 'strict $.**{{{LEVELS + 1}}}')"
        f" AND NOT jsonb_path_exists({column}, 'strict $.**{{0 to {LEVELS}}} ? ({large})')"
    )


def repair(conn: psycopg.Connection) -> list[str]:
    """Replace JSON values that violate a rule, in the caller's transaction. Readers are not blocked; writers of these tables are.

    :returns: a sentence for each column with such values.
    """
    for table in OBJECTS:
        conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
    repairs = [sentence for table in OBJECTS for sentence in _repair(conn, table)]
    for table in OBJECTS:
        conn.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER".encode())
    return repairs


def _repair(conn: psycopg.Connection, table: str) -> Iterator[str]:
    """Repair a row by one statement, because the checks already hold for rows that change."""
    wrong = {column: f"NOT ({is_small(column)} AND {is_object(column)})" for column in OBJECTS[table]}
    counts = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in wrong.values())
    row = conn.execute(f"SELECT {counts} FROM {table}".encode()).fetchone() or ()  # noqa: S608  (names of ours)
    if not any(row):
        return
    values = ", ".join(f"{name} = CASE WHEN {wrong[name]} THEN {new} ELSE {name} END" for name, new in OBJECTS[table].items())
    conn.execute(f"UPDATE {table} SET {values} WHERE {' OR '.join(wrong.values())}".encode())  # noqa: S608
    for column, count in zip(wrong, row, strict=True):
        if count:
            were = "values that were" if count > 1 else "value that was"
            yield f"{table}.{column}: {count:,} {were} not a JSON object of at most {LEVELS} levels and 16 MB removed"
