"""Statements that look for hidden rows: equality probes on every column of every relation, with right and wrong values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.security.model.catalogue import Catalogue, Relation
from tests.security.model.hidden import Probe

EXPLAIN = "EXPLAIN (ANALYZE, COSTS, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF) "


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _values(probes: Iterable[Probe]) -> dict[str, tuple[str, str]]:
    """A value of a hidden row and its other value, by name of the column."""
    found: dict[str, tuple[str, str]] = {}
    for probe in probes:
        for column, value in probe.before.items():
            after = probe.after.get(column, value)
            if column not in found or (found[column][0] == found[column][1] and after != value):
                found[column] = (value, after)
    return found


def probing(one: Relation, probes: Sequence[Probe]) -> list[str]:
    """Statements on one relation that a role can read."""
    if one.kind == "S":
        return [f"SELECT last_value FROM {one.sql}"]
    types = dict(zip(one.columns, one.types, strict=True))
    family = [probe for probe in probes if probe.relation.removesuffix("_hidden") == one.name]
    values = _values([*family, *probes])
    conditions = []
    for column in one.columns:
        for value in dict.fromkeys(values.get(column, ())):
            if _fits(value, types[column]):
                conditions.append(f'"{column}" = {_literal(value)}')
    keys = [column for column in ("edition", "query", "doc", "rel") if column in types and types[column] != "text"]
    for probe in [*family, *(probe for probe in probes if probe.relation == "qrels_judgments_hidden")][:1]:
        for row in (probe.before, probe.after):
            for chosen in (keys, [column for column in keys if column in ("query", "doc")], list(row) if family else []):
                pairs = [f'"{column}" = {_literal(row[column])}' for column in chosen if column in row and column in types]
                if len(pairs) > 1:
                    conditions.append(" AND ".join(pairs))
        if {"query", "doc"} <= set(keys) and {"query", "doc"} <= set(probe.before):
            rows = ", ".join(f"({row['query']}, {row['doc']}::bigint)" for row in (probe.before, probe.after))
            yielded = f"SELECT count(*) FROM (VALUES {rows}) v (query, doc) LEFT JOIN {one.sql} t USING (query, doc)"
            return [*_selected(one, probes, conditions), yielded, EXPLAIN + yielded]
    return _selected(one, probes, conditions)


def _selected(one: Relation, probes: Sequence[Probe], conditions: Sequence[str]) -> list[str]:
    rows = f"SELECT * FROM {one.sql}"
    hidden = {probe.relation.removesuffix("_hidden") for probe in probes}
    if one.kind == "v" and not one.uses & hidden:
        # Without hidden rows only the plan can differ; without hash and merge joins, all rows of some views take seconds.
        whole = [f"EXPLAIN (VERBOSE) {rows}"]
    else:
        whole = [
            f"SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {one.sql} t",
            EXPLAIN + rows,
            f"{EXPLAIN}SELECT FROM {one.sql} FOR KEY SHARE",
        ]
    return [
        *whole,
        *(f"{EXPLAIN}SELECT FROM {one.sql} WHERE {condition}" for condition in dict.fromkeys(conditions)),
    ]


def _fits(value: str, kind: str) -> bool:
    if kind in ("integer", "bigint", "smallint"):
        return value.lstrip("-").isdigit()
    if kind in ("double precision", "real", "numeric"):
        return value.replace(".", "", 1).lstrip("-").isdigit()
    return kind == "text"


# What PostgreSQL publishes to every login of each relation: one statement for each number, so that an exception is one number.
PUBLISHED = {
    "pg_class": ("oid", ("reltuples", "relpages", "relallvisible", "relallfrozen")),
    "pg_stat_all_tables": (
        "relid",
        ("seq_scan", "seq_tup_read", "idx_scan", "idx_tup_fetch", "n_tup_ins", "n_tup_upd", "n_tup_del", "n_tup_hot_upd",
         "n_tup_newpage_upd", "n_live_tup", "n_dead_tup", "n_mod_since_analyze", "n_ins_since_vacuum", "vacuum_count"),
    ),
    "pg_stat_all_indexes": ("indexrelid", ("idx_scan", "idx_tup_read", "idx_tup_fetch")),
    "pg_statio_all_tables": (
        "relid",
        ("heap_blks_read + heap_blks_hit", "idx_blks_read + idx_blks_hit", "toast_blks_read + toast_blks_hit"),
    ),
    "pg_statio_all_sequences": ("relid", ("blks_read + blks_hit",)),
}  # fmt: skip
SIZES = ("pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size")
# Numbers of the session's own transaction: nothing is excepted.
SESSION = (
    "SELECT relid::regclass::text, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd"
    " FROM pg_stat_xact_all_tables WHERE schemaname !~ '^pg_' AND coalesce(seq_scan, 0) + coalesce(idx_scan, 0) + n_tup_ins > 0"
    " ORDER BY 1",
    "SELECT funcid::regproc::text, calls FROM pg_stat_xact_user_functions ORDER BY 1",
    "SELECT relation::regclass::text, mode, granted FROM pg_locks WHERE pid = pg_backend_pid() AND relation IS NOT NULL"
    " AND relation >= 16384 ORDER BY 1, 2",
    "SELECT count(*) FROM pg_cursors",
)


def published(relations: Sequence[tuple[int, str]]) -> list[str]:
    """Statements for the totals of relations. :param relations: their object ids and names."""
    found = []
    for oid, name in relations:
        for view, (key, columns) in PUBLISHED.items():
            found += [f"SELECT {column} FROM {view} WHERE {key} = {oid} /* {name} */" for column in columns]
        found += [f"SELECT {function}({oid}) /* {name} */" for function in SIZES]
    return found


def reachable(catalogue: Catalogue, role: str) -> list[Relation]:
    """Relations that a role of the server may read, at least in part."""
    return [one for one in catalogue.relations if role in one.readers]
