"""Rebuild the indexes that a dump omits, like 'stc index' and 'stc vectors index', with their original parameters.

A rebuilt vector index has different centres or links and finds different neighbours. Therefore the recall of an earlier audit is
not restored; the manifest keeps the value.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from stcollection.counts import counted
from stcollection.db import adoption, distribution
from stcollection.db.backup import scratch, session
from stcollection.db.backup.manifest import Manifest
from stcollection.db.settings import Settings


def build(settings: Settings, described: Manifest, *, jobs: int, tell: Callable[[str], None]) -> list[str]:
    """Build the indexes in the database of ``settings``, several in parallel.

    :returns: notes on differences from the dumped collection.
    """
    notes = []
    _extensions(settings, described)
    with _reach(settings) as conn, conn.cursor(row_factory=dict_row) as cursor:
        vectors = cursor.execute("SELECT * FROM stc.vector_indexes ORDER BY rows DESC, model, field").fetchall()
        text = cursor.execute("SELECT config::text, k1, b, engine FROM stc.text_index").fetchone()
    with ThreadPoolExecutor(jobs) as threads:
        # An index of abstracts builds that of title_only, too; only its effort remains to be set.
        first, after = ([row for row in vectors if (row["field"] == "title_only") is last] for last in (False, True))
        under_way = [threads.submit(_vectors, settings, row, bool(described.sample), tell) for row in first]
        try:
            if text is not None:
                notes += _text(settings, text, tell)
            for task in under_way:
                notes += task.result()
            for row in after:
                notes += _vectors(settings, row, bool(described.sample), tell)
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            _stop(settings)
            raise
    with scratch.reach(settings, settings.db) as conn:
        if vectors:  # the owner of the tables may not own the database
            owed = adoption.set_search_effort(conn)
            notes += [f"plain SQL searches vector indexes less precisely until the database's owner runs: {line}" for line in owed]
        notes += _service(conn, described)
    return notes


def _reach(settings: Settings) -> psycopg.Connection:
    """Return a connection as the collection's owner."""
    conn = scratch.reach(settings, settings.db)
    try:
        role = session.owner(conn)
        if role is not None and distribution.state(conn) is None:  # the owner cannot log in to workers
            conn.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
    except BaseException:
        conn.close()
        raise
    return conn


def _extensions(settings: Settings, described: Manifest) -> None:
    """Create available extensions that the indexes need, as the user, because the collection's owner may lack the right."""
    with scratch.reach(settings, settings.db) as conn:
        conn.execute("SET client_min_messages = warning")
        kinds = {str(index.get("kind")) for index in described.indexes["vectors"] if isinstance(index, dict)}
        required = {"pg_textsearch": described.indexes["text"] is not None or "impact" in kinds, "vectorscale": "diskann" in kinds}
        for name, needed in required.items():
            query = "SELECT FROM pg_available_extensions WHERE name = %s"
            if needed and conn.execute(query, [name]).fetchone() is not None:
                with suppress(psycopg.Error):  # the build reports missing extensions
                    conn.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS {} SCHEMA public").format(sql.Identifier(name)))


def _text(settings: Settings, row: dict[str, Any], tell: Callable[[str], None]) -> list[str]:
    """Build the statistics and BM25 index; the GIN index already exists."""
    began = time.monotonic()
    with _reach(settings) as conn:
        [[ready]] = conn.execute("SELECT stc.pg_textsearch_ready()").fetchall()
        engine = row["engine"] if ready else "portable"
        if conn.execute("SELECT 1 FROM dblp_text LIMIT 1").fetchone() is None:
            return []
        for _ in range(2):  # again if it does not find all documents (sql/text/index_text.sql)
            conn.execute("CALL stc.index_text(%s::regconfig, %s, %s, %s, true)", [row["config"], row["k1"], row["b"], engine])
            [[sound]] = conn.execute("SELECT sound FROM stc.text_status()").fetchall()
            if sound:
                break
    tell(f"text index ({engine}, {row['config']}) in {time.monotonic() - began:.1f} s, {'sealed' if sound else 'not sound'}")
    if engine != row["engine"]:
        return [f"BM25 uses the {engine} engine: {row['engine']} is missing"]
    return []


def _vectors(settings: Settings, row: dict[str, Any], sample: bool, tell: Callable[[str], None]) -> list[str]:
    """Build one vector index; for a sample, ivfflat uses the default number of lists."""
    began = time.monotonic()
    name = f"{row['model']} {row['field']}"
    lists, effort = (None, None) if sample and row["kind"] == "ivfflat" else (row["lists"], row["effort"])
    with _reach(settings) as conn:
        try:
            built = conn.execute(
                "CALL stc.index_vectors(%s, %s, NULL, %s, %s, %s, %s, %s::integer, %s::integer, %s::integer, %s::integer)",
                [
                    *(row["field"], row["model"], row["field"] != "title_only", row["kind"], row["halfvec"], row["bits"]),
                    *(lists, effort, row["m"], row["ef_construction"]),
                ],
            ).fetchone()
        except psycopg.Error as error:
            if error.sqlstate not in ("IR404", "IR405", "IR415"):
                raise
            conn.execute("DELETE FROM stc.vector_indexes WHERE model = %s AND field = %s", [row["model"], row["field"]])
            return [f"there is no {row['kind']} index of {name}: {error.diag.message_primary}"]
    tell(f"{row['kind']} of {name}, {counted(built[7] if built else 0, 'vector')}, in {time.monotonic() - began:.1f} s")
    if row["recall"] is not None:
        return [f"the recall of {name} was {row['recall']:.4f}; measure the rebuilt {row['kind']} with 'stc vectors audit'"]
    return []


def _service(conn: psycopg.Connection, described: Manifest) -> list[str]:
    """Connect the embedding service again if the collection had the extension http and this server has it."""
    row = conn.execute("SELECT value FROM stc_all.stc_settings WHERE name = 'embedding_url'").fetchone()
    if "http" not in described.extensions or row is None:
        return []
    try:
        conn.execute("CALL connect_embedding_service(%s)", [row[0]])
    except psycopg.Error as error:
        if error.sqlstate != "IR404":
            raise
        return [f"SQL cannot embed queries here: {error.diag.message_primary}"]
    return [f"SQL sends queries to the embedding service of the dump, {row[0]}; 'stc serve embeddings' on this machine replaces it"]


def _stop(settings: Settings) -> None:
    """Terminate running builds, so that the threads end and the database can be dropped."""
    with scratch.reach(settings, "postgres") as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()", [settings.db]
        )
