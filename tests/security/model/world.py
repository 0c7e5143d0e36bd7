"""A collection with rows in every table, on which members attack. Tables that they may not read have rows that can change."""

from __future__ import annotations

import re

import psycopg
from psycopg import sql

from stcollection.db.studies import installed
from tests.roles.worlds import fill
from tests.security.model.catalogue import Relation, read_catalogue

# Tables that stay empty: a row of these would be about a server, a file or a cluster that the tests do not have.
EMPTY = {"stc_settings", "removals"}
_ROW = {
    "boolean": "false",
    "jsonb": "'{}'",
    "numrange": "'[0,1]'",
    "bytea": "'\\x00'",
    "date": "'2020-02-02'",
    "timestamp with time zone": "'2020-02-02'",
    "uuid": "'00000000-0000-0000-0000-000000000001'",
    "tsvector": "'word'",
    "regconfig": "'simple'",
    "vector": "(SELECT array_agg(0.05)::vector FROM generate_series(1, 384))",
    "text": "'x'",
    "double precision": "0.5",
    "real": "0.5",
}
_CHECK = """
SELECT pg_get_constraintdef(k.oid), ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = k.conrelid
                                            AND a.attnum = ANY (k.conkey) ORDER BY a.attnum)
  FROM pg_constraint k WHERE k.conname = %s AND k.conrelid = %s
"""


def model_world(conn: psycopg.Connection) -> None:
    """Fill the collection of tests/roles/worlds.py, an open and a hidden data set of answers, and one row of every other table."""
    conn.execute("SET search_path = stc_all, stc, public")
    fill(conn)
    conn.execute("INSERT INTO st1_topics (topic, text) VALUES ('T1', 'papers'), ('T2', 'things')")
    conn.execute("UPDATE st1_runs SET shared = true WHERE run = 'base'")
    conn.execute("SELECT stc.add_vector_model('toy', 'a/model', 3)")
    conn.execute("SELECT stc.allow_asks('test', 1000, '{ndcg,map}')")
    conn.execute(
        "INSERT INTO qrels_strata (edition, query, doc, stratum, drawn, hidden)"
        " SELECT edition, query, doc, 'x', true, hidden FROM qrels_judgments"
    )
    if "answers" in installed():
        _answers(conn)
    filled = _one_row_each(conn)
    conn.execute("CALL stc.index_text(engine => 'portable')")
    conn.execute("VACUUM (ANALYZE)")
    empty = {one.name for one in read_catalogue(conn).tables if one.kind == "r" and not _has_rows(conn, one)} - EMPTY
    assert empty == set(), f"no row could be stored in {sorted(empty)}: {filled}"


def _answers(conn: psycopg.Connection) -> None:
    for number, hidden in enumerate((False, True), 1):
        conn.execute("INSERT INTO stc.answer_sets (set, split, hidden) VALUES (%s, %s, %s)", [f"set{number}", "train", hidden])
        conn.execute("INSERT INTO stc.answer_queries (set, place, text, hidden) VALUES (%s, 1, 'why', %s)", [number, hidden])
        for place in (1, 2, 3):
            conn.execute(
                "INSERT INTO stc.answer_documents (query, place, doc_id, url, title, text) VALUES (%s, %s, %s, 'u', 't', 'x')",
                [number, place, f"d{place}"],
            )
            conn.execute(
                "INSERT INTO stc.answers (query, document, source, url, text) SELECT %s, max(id), 'doc', 'u', %s"
                " FROM stc.answer_documents",
                [number, f"answer {place}"],
            )
        conn.execute(
            "INSERT INTO answer_pairs (a, b, query, label, hidden) SELECT min(id), max(id), query, 1, %s FROM stc.answers"
            " WHERE query = %s GROUP BY query",
            [hidden, number],
        )
        conn.execute(
            "INSERT INTO answer_gold (document, query, hidden) SELECT min(id), query, %s FROM stc.answer_documents"
            " WHERE query = %s GROUP BY query",
            [hidden, number],
        )


def _has_rows(conn: psycopg.Connection, one: Relation) -> bool:
    return conn.execute(f"SELECT EXISTS (SELECT FROM {one.sql})".encode()).fetchone() == (True,)


def _one_row_each(conn: psycopg.Connection) -> dict[str, str]:
    """Store a row in each empty table, without its foreign keys and triggers. Return the errors."""
    failed: dict[str, str] = {}
    conn.execute("SET session_replication_role = replica")
    for one in read_catalogue(conn).tables:
        if one.kind != "r" or one.name.endswith("_open") or one.name in EMPTY or _has_rows(conn, one):
            continue
        given = {
            column: "true" if column == "hidden" else _ROW.get(kind, "'{}'" if kind.endswith("[]") else "1")
            for column, kind in zip(one.columns, one.types, strict=True)
            if column in one.stored
        }
        if "edition" in given:
            given["edition"] = "2"
        for _ in given:
            try:
                with conn.transaction():
                    conn.execute(
                        sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ({})").format(
                            sql.SQL(one.sql), sql.SQL(", ").join(map(sql.Identifier, given)), sql.SQL(", ".join(given.values()))
                        )
                    )
                failed.pop(one.name, None)
                break
            except psycopg.errors.CheckViolation as error:
                failed[one.name] = str(error).partition("\n")[0]
                _satisfy(conn, one, str(error.diag.constraint_name), given)
            except psycopg.errors.DataException as error:
                [length] = re.findall(r"expected (\d+) dimensions", str(error))
                given |= {column: value.replace("384", length) for column, value in given.items()}
    conn.execute("RESET session_replication_role")
    return failed


def _satisfy(conn: psycopg.Connection, one: Relation, constraint: str, given: dict[str, str]) -> None:
    """Change the values of a row to what the constraint names: its first literal, the next number, or true."""
    row = conn.execute(_CHECK, [constraint, one.oid]).fetchone()
    assert row is not None
    definition, columns = row
    literals = re.findall(r"'([^']*)'", definition)
    for place, column in enumerate(columns):
        kind = one.types[one.columns.index(column)]
        if literals and kind == "text":
            given[column] = f"'{literals[min(place, len(literals) - 1)]}'"
        elif kind == "boolean":
            given[column] = "true"
        elif place == len(columns) - 1 and kind in ("integer", "bigint", "smallint", "real"):
            given[column] = f"{given[column]} + 1"
        elif "IS NULL" in definition:
            given[column] = "NULL"


_KEYS = """
SELECT k.conrelid::regclass::text, k.confrelid::regclass::text,
       (SELECT string_agg(format('p.%I = c.%I', f.attname, a.attname), ' AND ')
          FROM unnest(k.conkey, k.confkey) u (here, there)
          JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.here
          JOIN pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = u.there),
       (SELECT string_agg(format('c.%I IS NOT NULL', a.attname), ' AND ')
          FROM unnest(k.conkey) u (here) JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.here)
  FROM pg_constraint k WHERE k.contype = 'f' AND k.conparentid = 0
"""


def drop_orphans(conn: psycopg.Connection) -> None:
    """Remove the rows that refer to missing rows, which no dump can be restored with."""
    conn.execute("SET session_replication_role = replica")
    keys = conn.execute(_KEYS.encode()).fetchall()
    while any(
        conn.execute(
            f"DELETE FROM {child} c WHERE {present} AND NOT EXISTS (SELECT FROM {parent} p WHERE {equal})".encode()
        ).rowcount
        for child, parent, equal, present in keys
    ):
        pass
    conn.execute("RESET session_replication_role")
