"""The rules for names, numbers and sizes that tables check, and the repair of rows stored before a rule existed.

A name gets its unprintable characters as code points (``\\u001B``), loses spaces at its ends, and is cut; the same name is repaired
alike in every table. A number that is not finite becomes the largest or smallest finite one, or NULL where the column allows that;
scores of others without a finite value are removed. Values of more than 16 MB are cut or removed, and so are JSON values that
programs cannot read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator

import psycopg

from stcollection.counts import counted

_LONGEST = 200
_CLASS = (
    r"\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F"
    r"\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF"
    r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF"
)
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
    "synth_studies": ("study",),
    "synth_passages": ("model",),
    "synth_candidates": ("origin", "model"),
    "coverages": ("coverage", "model"),
    "answer_sets": ("set",),
    "answers": ("source",),
    "answer_models": ("model",),
    "answer_runs": ("run",),
}
# The empty name means "not known" here.
_EMPTY = {("qrels_judgments", "annotator"), ("qrels_preferences", "annotator"), ("qrels_preferences", "subgroup")}
# No check: functions write these names, and copy them from the tables above.
_COPIES = {"ask_counts": ("team",), "ask_requests": ("team", "run")}
# Parent and children of a name that is a key: a foreign key does not follow a change of it.
_KEYS = {("annotators", "annotator"): ("annotations",)}
# How to repair a value that is not finite: set the nearest finite one, set NULL, or delete the row.
FINITE = {
    "st1_scores": {"value": "delete"},
    "qrels_preferences": {"rel": "clamp"},
    "qrels_judgments": {"similarity": "null"},
    "qrels_pool_documents": {"weight": "null"},
    "synth_passages": {"score": "null"},
    "coverage_topics": {"weight": "null"},
    "answers": {"score": "null"},
    "answer_relations": {"support": "delete", "oppose": "delete"},
    "answer_predictions": {"probability": "null"},
}
_REAL = {"similarity", "support", "oppose", "probability"}
_HUGE = "1.7976931348623157e308"
# COPY, and so a dump, fails on a row above 1 GB. How to repair larger values.
LARGEST = 16777216
SIZED = {
    "st1_runs": {"params": "'{}'", "source": f"left(source, {LARGEST // 4})", "sha256": "NULL", "metadata": "NULL"},
    "unfinished_runs": {"params": "'{}'", "state": "'{}'"},
    "unfinished_rankings": {"spent": "NULL"},
}
# JSON that members write: an object of at most LEVELS levels, whose numbers fit double precision. Python raises errors for deeper
# values and larger numbers. SIZED has the repairs of these columns.
OBJECTS = {"st1_runs": ("params", "metadata"), "unfinished_runs": ("params", "state"), "unfinished_rankings": ("spent",)}
LEVELS = 32


def is_name(table: str, column: str) -> str:
    rule = f"length({column}) BETWEEN 1 AND {_LONGEST} AND {column} !~ '^ | $|[{_CLASS}]'"
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


def _allowed(table: str, column: str) -> str:
    """Return the condition on the size of a value, and on its content if it is JSON."""
    return f"{is_small(column)} AND {is_object(column)}" if column in OBJECTS.get(table, ()) else is_small(column)


def repair(conn: psycopg.Connection) -> list[str]:
    """Repair all rows that violate a rule, in the caller's transaction. Readers are not blocked; writers of these tables are.

    A row is repaired by one statement, because the checks already hold for rows that change.

    :returns: a sentence for each kind of repair.
    """
    renamed = _renamed(conn)
    tables = list(dict.fromkeys([*(NAMES | _COPIES if renamed else ()), *SIZED, *FINITE]))
    for table in tables:
        conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
    found = [*_rename_keys(conn, renamed), *(one for table in tables for one in _repair(conn, table, renamed))]
    for table in tables:
        conn.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER".encode())
    for name, other in renamed.items():
        shown = re.sub(f"[{_CLASS}]", _escaped, name[:60])
        found.append(f"the name '{shown}{'…' if len(name) > 60 else ''}' is now '{other}'")
    return found


def _renamed(conn: psycopg.Connection) -> dict[str, str]:
    """Return the names that violate the rule with their replacements."""
    columns = [(table, column) for table, names in NAMES.items() for column in names]
    bad = {name for table, column in columns for name in _distinct(conn, table, column, broken=True)}
    taken = {name for table, column in columns for name in _distinct(conn, table, column, broken=False)} if bad else set()
    renamed: dict[str, str] = {}
    for name in sorted(bad):
        new = re.sub(f"[{_CLASS}]", _escaped, name).strip(" ")[:_LONGEST].rstrip(" ")
        if not new or new in taken or len(name) > _LONGEST:
            new = f"{new[: _LONGEST - 9].rstrip(' ') or 'name'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        taken.add(new)
        renamed[name] = new
    return renamed


def _distinct(conn: psycopg.Connection, table: str, column: str, *, broken: bool) -> set[str]:
    rule = is_name(table, column)
    select = f"SELECT DISTINCT {column} FROM {table} WHERE {'NOT' if broken else ''} ({rule})"  # noqa: S608  (names of ours)
    return {row[0] for row in conn.execute(select.encode())}


def _escaped(found: re.Match[str]) -> str:
    point = ord(found[0])
    return f"\\u{point:04X}" if point <= 0xFFFF else f"\\U{point:08X}"


def _rename_keys(conn: psycopg.Connection, renamed: dict[str, str]) -> Iterator[str]:
    """Rename keys: insert the new row, change the rows that refer to it, delete the old row."""
    old, new = list(renamed), list(renamed.values())
    for (table, column), children in _KEYS.items() if renamed else ():
        others = conn.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attname <> %s",
            [table, column],
        ).fetchall()
        copied = {name: _value(table, name) for (name,) in others}
        given = {"old": old, "new": new, "renamed": json.dumps(renamed)}
        done = conn.execute(
            f"INSERT INTO {table} ({', '.join([column, *copied])}) SELECT r.new, {', '.join(copied.values())} FROM {table}"  # noqa: S608
            f" JOIN unnest(%(old)s::text[], %(new)s::text[]) AS r (old, new) ON r.old = {table}.{column}".encode(),
            given,
        )
        for child in children:
            conn.execute(
                f"UPDATE {child} SET {column} = %(renamed)s::jsonb ->> {column} WHERE {column} = ANY (%(old)s)".encode(),  # noqa: S608
                given,
            )
        conn.execute(f"DELETE FROM {table} WHERE {column} = ANY (%(old)s)".encode(), given)  # noqa: S608
        if done.rowcount:
            yield f"{table}.{column}: {counted(done.rowcount, 'row')} renamed"


def _value(table: str, column: str) -> str:
    """Return the SQL expression of a column's repaired value. Its parameter ``renamed`` has the names."""
    if column in (*NAMES.get(table, ()), *_COPIES.get(table, ())):
        name = f"coalesce(%(renamed)s::jsonb ->> {column}, {column})"
        return f"CASE {column} WHEN '' THEN '' ELSE {name} END" if (table, column) in _EMPTY else name
    if (how := FINITE.get(table, {}).get(column)) in ("clamp", "null"):
        other = f"WHEN {column} = 'Infinity' THEN {_HUGE} WHEN {column} IS NOT NULL THEN -{_HUGE}" if how == "clamp" else ""
        return f"CASE WHEN {is_finite(column)} THEN {column} {other} END"
    if column in SIZED.get(table, {}):
        return f"CASE WHEN {_allowed(table, column)} THEN {column} ELSE {SIZED[table][column]} END"
    return column


def _repair(conn: psycopg.Connection, table: str, renamed: dict[str, str]) -> Iterator[str]:
    given = {"renamed": json.dumps(renamed), "old": list(renamed)}
    for column, how in FINITE.get(table, {}).items():
        if how == "delete":
            deleted = conn.execute(f"DELETE FROM {table} WHERE NOT ({is_finite(column)})".encode()).rowcount  # noqa: S608
            yield from _not_finite(table, column, deleted, "removed")
    wrong: dict[str, str] = {}
    for column in (*NAMES.get(table, ()), *_COPIES.get(table, ())) if renamed else ():
        wrong[column] = f"{column} = ANY (%(old)s)" + (f" AND {column} <> ''" if (table, column) in _EMPTY else "")
    wrong |= {one: f"NOT ({is_finite(one)})" for one, how in FINITE.get(table, {}).items() if how != "delete"}
    wrong |= {one: f"NOT ({_allowed(table, one)})" for one in SIZED.get(table, {})}
    if not wrong:
        return
    counts = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in wrong.values())
    any_of = " OR ".join(f"({condition})" for condition in wrong.values())
    row = conn.execute(f"SELECT {counts} FROM {table} WHERE {any_of}".encode(), given).fetchone() or ()  # noqa: S608
    violations = {column: count for column, count in zip(wrong, row, strict=True) if count}
    if not violations:
        return
    values = ", ".join(f"{column} = {_value(table, column)}" for column in wrong)
    conn.execute(f"UPDATE {table} SET {values} WHERE {any_of}".encode(), given)  # noqa: S608
    for column, count in violations.items():
        if column in FINITE.get(table, {}):
            nearest = FINITE[table][column] == "clamp"
            done = "set to the nearest finite number (NaN: the smallest)" if nearest else "set to NULL"
            yield from _not_finite(table, column, count, done)
        elif column in OBJECTS.get(table, ()):
            were = "values that were" if count > 1 else "value that was"
            yield f"{table}.{column}: {count:,} {were} not a JSON object of at most {LEVELS} levels and 16 MB removed"
        elif column in SIZED.get(table, {}):
            yield f"{table}.{column}: {counted(count, 'value')} of more than 16 MB, cut or removed"
        else:
            yield f"{table}.{column}: {counted(count, 'row')} renamed"


def _not_finite(table: str, column: str, count: int, done: str) -> Iterator[str]:
    if count:
        were = "values that were" if count > 1 else "value that was"
        yield f"{table}.{column}: {count:,} {were} not finite {done}"
