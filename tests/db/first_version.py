"""A dump as version 0.1 wrote it: everything in the database, by pg_dump, with a manifest of format 1."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from stcollection.db import online
from stcollection.db.backup import inventory, manifest, programs
from stcollection.db.connection import conninfo, maintenance
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from tests.db.set_back import set_back

assessment = import_module("migrations.versions.0018_assessment")
comparison = import_module("migrations.versions.0019_comparisons")
_TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relpersistence <> 't'"
    " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')"
)


def _rows(conn: psycopg.Connection, schema: str, name: str) -> int:
    [[count]] = conn.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, name))).fetchall()
    return int(count)


# What revisions after 0016 added, except the columns of revisions 0018 and 0019, which are in their modules.
_ADDED = (
    # These views have columns of revisions 0027 to 0030; an upgrade creates them.
    "DROP VIEW public.documents, public.credibility, public.document_measures, public.edition_overview",
    "DELETE FROM public.stc_objects WHERE file IN"
    " ('corpus/documents.sql', 'complexity/credibility.sql', 'complexity/document_measures.sql', 'qrels/edition_overview.sql')",
    "ALTER TABLE public.dblp_facts DROP COLUMN licence, DROP COLUMN data_source, DROP COLUMN first_date, DROP COLUMN last_date,"
    " DROP COLUMN absent",
    "DROP TABLE stc.corpus_snapshots, public.qrels_subtopics",
    "ALTER TABLE public.st1_topics DROP COLUMN title, DROP COLUMN article, DROP COLUMN source, DROP COLUMN published",
    "ALTER TABLE public.st1_queries DROP COLUMN reviewer",
    "DROP TABLE stc.query_sets, stc.synth_subtopics",
    "DROP FUNCTION stc.vector_fetched(stc.vector_indexes, text, integer, boolean)",  # it reads the column bits
    "DELETE FROM public.stc_objects WHERE file = 'vectors/vector_fetched.sql'",
    "ALTER TABLE stc.vector_indexes DROP COLUMN bits, DROP COLUMN anchors",
    "DROP FUNCTION stc.bm25_fast(stc.text_index, text)",  # it reads a column of revision 0032
    "DELETE FROM public.stc_objects WHERE file = 'retrieval/bm25_fast.sql'",
    "ALTER TABLE stc.text_index DROP COLUMN anchors, DROP COLUMN sealed, DROP COLUMN lengths",
    "ALTER TABLE stc.text_lexemes DROP COLUMN least_idf",
    "DROP TABLE stc.topic_files",
    "DROP TABLE stc.qrels_comparisons, stc.qrels_decisions",
    "DROP VIEW stc.unfinished_overview",
    "DROP FUNCTION stc.claim_unfinished(integer, boolean)",
    "DROP TABLE stc.unfinished_rankings, stc.unfinished_runs",
    "DELETE FROM public.stc_objects WHERE file IN ('runs/unfinished_overview.sql', 'retrieval/claim_unfinished.sql')",
    "ALTER TABLE stc.corpus_chunks DROP COLUMN docs, DROP COLUMN incomplete",
    "ALTER TABLE stc.qrels_files DROP COLUMN rows",
)
_MOVED = """
SELECT format('ALTER ROUTINE %s SET SCHEMA public', p.oid::regprocedure) FROM pg_proc p WHERE p.pronamespace = 'stc'::regnamespace
 UNION ALL
SELECT format('ALTER %s %s SET SCHEMA public', CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass)
  FROM pg_class c WHERE c.relnamespace = 'stc'::regnamespace AND c.relkind IN ('r', 'p', 'v')
"""
_NAMES = (
    "ARRAY(SELECT regexp_replace(one, '^(\\w+) (public|stc)\\.', '\\1 ') FROM unnest({0}) WITH ORDINALITY u (one, place)"
    " ORDER BY place)"
)


@contextmanager
def before_schemas(settings: Settings) -> Iterator[Settings]:
    """Copy the collection in the form before revision 0016, with everything in public, the only schema of version 0.1."""
    there = replace(settings, db=f"{settings.db}_public")
    with maintenance(settings) as admin:
        admin.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [settings.db])
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(there.db), sql.Identifier(settings.db)))
        try:
            with open_session(conninfo(there), autocommit=True) as conn:
                set_back(conn)
                for added in _ADDED:
                    conn.execute(added.encode())
                conn.execute("DROP VIEW stc.pool_overview")  # it has a column of revision 0018; an upgrade creates it
                conn.execute("DELETE FROM public.stc_objects WHERE file = 'qrels/pool_overview.sql'")
                assessments = (*assessment.ASSESSMENTS, *comparison.ASSESSMENTS)
                for table, columns in (("qrels_pools", assessment.POOLS), ("qrels_assessments", assessments)):
                    for column in columns:
                        conn.execute(
                            sql.SQL("ALTER TABLE stc.{} DROP COLUMN {}").format(*map(sql.Identifier, (table, column.name)))
                        )
                conn.execute("SET search_path = stc, public")
                for index in online.INDEXES:
                    if index.since > "0015":
                        conn.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(index.name)))
                conn.execute("RESET search_path")
                for (statement,) in conn.execute(_MOVED).fetchall():
                    conn.execute(statement.encode())
                conn.execute("DROP SCHEMA stc; UPDATE alembic_version SET version_num = '0015'")
                names = f"creates = {_NAMES.format('creates')}, signatures = {_NAMES.format('signatures')}"
                conn.execute(f"UPDATE stc_objects SET {names}".encode())
            yield there
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(there.db)))


def dump_as_0_1(settings: Settings, folder: Path, **changed: Any) -> Path:
    """Write the dump. :param changed: entries of the manifest to replace. :returns: the folder."""
    folder.mkdir(parents=True)
    with open_session(conninfo(settings), autocommit=True) as conn:
        indexed, rebuilt = inventory.indexes(conn)
        emptied = ["public.text_lexemes", "public.text_lengths"] if indexed["text"] is not None else []
        env, dbname = programs.environment(conninfo(settings))
        subprocess.run(
            [
                programs.find("pg_dump", server=conn.info.server_version // 10000),
                "--format=directory",
                f"--file={folder / 'data'}",
                "--jobs=2",
                "--no-owner",
                "--no-privileges",
                "--compress=gzip:6",
                *(f"--exclude-table-data={one}" for one in emptied),
                f"--dbname={dbname}",
            ],
            env=env,
            check=True,
            capture_output=True,
        )
        [[revision]] = conn.execute("SELECT version_num FROM public.alembic_version").fetchall()
        content: dict[str, Any] = {
            "format": 1, "kind": "dump", "stcollection": "0.1.0", "revision": revision, "collection": settings.db,
            "made": "2026-11-22T12:00:00+00:00", "postgresql": "18.0", "extensions": inventory.extensions(conn), "sample": None,
            "tables": {f"{one}.{name}": _rows(conn, one, name) for one, name in conn.execute(_TABLES.encode()).fetchall()},
             "emptied": emptied, "editions": inventory.editions(conn),
            "indexes": indexed, "rebuilt": rebuilt, "files": manifest.describe(folder, jobs=2), "notes": [], **changed,
        }  # fmt: skip
    digest = manifest._digest(content)
    (folder / manifest.NAME).write_text(json.dumps({**content, "digest": digest}))
    return folder
