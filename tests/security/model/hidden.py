"""Change what is hidden from members, in every column of every table, so that nothing else differs between two copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import psycopg
from psycopg import sql

from tests.security.model.catalogue import Catalogue, Relation

Change = Literal["none", "other", "more"]
# What a member may learn of a table without rights on it: her team's own requests, the address of a service, and what is
# being removed, which is always empty.
OWN = {"ask_allowances", "ask_counts", "ask_requests", "ask_rankings", "stc_settings", "removals"}
_EDITIONS = "(SELECT id FROM {0} WHERE hidden)"
# Columns that say where a row belongs. A change of one of them would be a change of another row.
_PLACE = {"id", "hidden", "edition", "pool", "run", "set", "study", "judge", "model", "request", "file"}


@dataclass(frozen=True)
class Probe:
    """Values of one hidden row before and after the change, by column. :param key: columns that identify a row."""

    relation: str
    before: dict[str, str]
    after: dict[str, str]


def hidden_tables(catalogue: Catalogue) -> list[Relation]:
    """Tables that members do not read."""
    return [one for one in catalogue.tables if one.kind == "r" and one.name not in OWN and not one.read_by_members()]


def _condition(one: Relation, editions: str) -> str:
    if "hidden" in one.columns:
        return "hidden"
    if "edition" in one.columns and one.types[one.columns.index("edition")] == "integer":
        return f"edition IN {_EDITIONS.format(editions)}"
    return "true"


def _tweaked(column: str, kind: str) -> str | None:
    """Another value of a column; None if it stays."""
    name = f'"{column}"'
    if column in _PLACE or kind in ("tsvector", "vector", "uuid"):
        return None
    if column == "doc":
        return f"{name} + 20"  # the documents from 16 to 30 of each query are not judged
    if column in ("rel", "label", "grade"):
        return f"CASE WHEN {name} = 1 THEN 0 ELSE 1 END"
    if kind in ("integer", "bigint", "smallint", "real", "double precision", "numeric"):
        return f"{name} + 1"
    if kind == "text":
        return f"overlay({name} placing '~' from 1 for 1)"
    if kind == "boolean":
        return f"NOT {name}"
    if kind == "timestamp with time zone":
        return f"{name} - interval '1 day'"
    if kind in ("integer[]", "bigint[]", "smallint[]", "double precision[]"):
        return f"ARRAY(SELECT x + 1 FROM unnest({name}) x)::{kind}"
    return None


def change_hidden(conn: psycopg.Connection, catalogue: Catalogue, how: Change) -> list[Probe]:
    """Write every hidden row again: unchanged, the first of each table with other values, or with one row more.

    Every copy gets the same number of deletes and inserts, so that what differs afterwards differs by the values. Values that a
    constraint refuses stay.
    """
    probes = []
    conn.execute("SET session_replication_role = replica")
    editions = next(one.sql for one in hidden_tables(catalogue) if one.name == "qrels_editions")
    for one in hidden_tables(catalogue):
        where = _condition(one, editions)
        if conn.execute(f"SELECT EXISTS (SELECT FROM {one.sql} WHERE {where})".encode()).fetchone() == (False,):
            continue
        probe = _rewrite(conn, one, where, how)
        if probe is not None:
            probes.append(probe)
    conn.execute("RESET session_replication_role")
    conn.execute("VACUUM (ANALYZE)")
    return probes


def _rewrite(conn: psycopg.Connection, one: Relation, where: str, how: Change) -> Probe | None:
    columns = sql.SQL(", ").join(map(sql.Identifier, one.stored)).as_string(conn)
    types = dict(zip(one.columns, one.types, strict=True))
    other = {column: value for column in one.stored if (value := _tweaked(column, types[column]))}
    with conn.transaction():
        first = conn.execute(f"SELECT ctid FROM {one.sql} WHERE {where} ORDER BY {columns} LIMIT 1".encode()).fetchone()
        assert first is not None
        accepted = {}
        for column, value in other.items():
            try:
                with conn.transaction(force_rollback=True):
                    changed = conn.execute(f'UPDATE {one.sql} SET "{column}" = {value} WHERE ctid = %s'.encode(), first)
                    if changed.rowcount == 1:
                        accepted[column] = value
            except psycopg.Error:
                continue
        conn.execute(
            f"CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT {columns}, ctid = %s AS first FROM {one.sql} WHERE {where}"
            f" ORDER BY {columns}".encode(),
            first,
        )
        values = ", ".join(f'"{column}"::text' for column in one.stored)
        [before] = conn.execute(f"SELECT {values} FROM kept WHERE first".encode()).fetchall()
        sets = ", ".join(f'"{column}" = {value}' for column, value in accepted.items())
        after = before
        if sets:
            conn.execute(f"CREATE TEMP TABLE changed ON COMMIT DROP AS SELECT {columns} FROM kept WHERE first".encode())
            conn.execute(f"UPDATE changed SET {sets}".encode())
            [after] = conn.execute(f"SELECT {values} FROM changed".encode()).fetchall()
        if how == "other" and sets:
            conn.execute(f"UPDATE kept SET {sets} WHERE first".encode())
        conn.execute(f"DELETE FROM {one.sql} WHERE {where}".encode())
        into = f"INSERT INTO {one.sql} ({columns}) OVERRIDING SYSTEM VALUE"
        conn.execute(f"{into} SELECT {columns} FROM kept ORDER BY ctid".encode())
        if how == "more" and sets:
            if "id" in one.stored:
                conn.execute("UPDATE changed SET id = id + 100000")
            try:
                with conn.transaction():
                    conn.execute(f"{into} SELECT {columns} FROM changed".encode())
            except psycopg.errors.UniqueViolation:
                pass  # none of its key's columns could be changed
    return Probe(one.name, _texts(one, before), _texts(one, after)) if sets else None


def _texts(one: Relation, row: tuple[str | None, ...]) -> dict[str, str]:
    return {column: value for column, value in zip(one.stored, row, strict=True) if value is not None}
