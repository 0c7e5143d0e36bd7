"""A temporary workspace in the database: a transaction that is rolled back.

Functions of sql/ are created in a schema that exists only in this transaction, in the database ``postgres`` of
the embedded server, so no collection is needed or changed. Several processes can work at once, each in its own schema. When a
process ends, for whatever reason, the server rolls back and nothing remains.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stcollection.db.embedded import EmbeddedServer, binaries
from stcollection.db.files import folder, sql_text
from stcollection.db.settings import Settings
from stcollection.errors import StateError, translate

if TYPE_CHECKING:
    import psycopg

# Files of sql/ that score_incoming and relevance_string need.
MEASURES = (
    "corpus/nearest_name", "evaluation/incoming_lists", "evaluation/incoming_profiles", "evaluation/inverse_squares",
    "evaluation/measure_fill", "evaluation/measure_kinds", "evaluation/measure_name", "evaluation/measure_plan",
    "evaluation/overlap_weights", "evaluation/parse_measures", "evaluation/relevance_string",
    "evaluation/score_incoming",
    "evaluation/score_lists", "evaluation/score_statement", "evaluation/stage_rankings",
    "evaluation/fading", "evaluation/subtopic_groups", "evaluation/subtopic_ideals", "evaluation/subtopic_judgments",
    "evaluation/subtopic_profiles",
)  # fmt: skip
# Files of sql/ that query_set_ids needs.
QUERY_SETS = (
    "analysis/plain_words", "corpus/nearest_name", "db/is_name", "db/shown_name", "topics/long_queries", "topics/query_set_ids",
    "topics/query_term", "topics/query_terms", "topics/query_type", "topics/query_types", "topics/refuse_query_term",
)  # fmt: skip
# Places where these files name the schema of internal functions: in a function's search path, and before a name.
_SCHEMA = re.compile(r"stc(?<!\wstc)(?=\.\w|, public)")  # begins with letters, which re finds faster than \b

_REGISTRY = "CREATE VIEW measure_registry AS SELECT k.* FROM measure_kinds() k;"
# Files and a table for measures that organisers added to a collection. Their formulas are checked here too.
_OWN = ("evaluation/measure_formula", "evaluation/own_kinds", "evaluation/measure_registry")
_OWN_TABLE = """
CREATE TABLE own_measures (
    kind text COLLATE "C", place integer, ir text COLLATE "C", cutoff boolean, defaults double precision[], parameters jsonb,
    mean text, range numrange, definition text, documents text, gain text, value text, source text);
"""
_SETTINGS = """
CREATE SCHEMA {0};
SET LOCAL search_path = {0}, pg_temp;
SET LOCAL jit = off;
SET LOCAL check_function_bodies = off;
"""


def start_early(settings: Settings) -> None:
    """Start the embedded server in another thread, if it does not run: meanwhile the caller reads files.

    :func:`scratch` waits for the server, and reports why it does not start.
    """
    settings = _server(settings)
    if settings.embedded and (server := EmbeddedServer(settings.home)).pid() is None:
        threading.Thread(target=_attempt, args=(server,), name="stc-start").start()


def _attempt(server: EmbeddedServer) -> None:
    with suppress(Exception):
        server.ensure()


@contextmanager
def scratch(
    settings: Settings, files: Sequence[str] = MEASURES, *, own: Sequence[Mapping[str, Any]] = ()
) -> Iterator[psycopg.Connection]:
    """Connect within a transaction that is rolled back at the end, with SQL functions on the search path.

    Use the embedded server, and start it if necessary. Use the server of ``settings`` only if no embedded server is installed.

    :param files: files of sql/, without their extension. :param own: rows of measures that organisers added to a collection.
    :raises StateError: there is no embedded PostgreSQL and no other server is configured.
    """
    from stcollection.db.connection import maintenance  # not at module level: it imports the driver

    with translate(), maintenance(_server(settings)) as conn, conn.transaction(force_rollback=True):
        schema = f"stc_score_{conn.info.backend_pid}"
        conn.execute(f"{_SETTINGS.format(schema)}{_SCHEMA.sub(schema, _functions(files, own=bool(own)))}".encode())
        if own:
            rows = json.dumps(own)
            conn.execute("INSERT INTO own_measures SELECT * FROM jsonb_populate_recordset(NULL::own_measures, %s)", [rows])
        yield conn


def _server(settings: Settings) -> Settings:
    try:
        binaries()
    except StateError:
        if settings.embedded:
            raise
        return settings
    return replace(settings, dsn=None)


def _functions(files: Sequence[str], *, own: bool) -> str:
    registry = _REGISTRY if "evaluation/measure_kinds" in files and not own else ""
    names = (*files, *_OWN) if own else files
    return "\n".join([_OWN_TABLE if own else "", *(sql_text(folder("sql") / f"{name}.sql") for name in names), registry])
