"""Create the tables of a collection in an empty database with our migrations, and prepare them for loading.

No code of a dump is executed: the migrations of this version create the tables of the dump's revision, and the dump provides only
names of columns, values of sequences and text search configurations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import psycopg
from alembic import command
from psycopg import sql
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError

from stcollection import plugins
from stcollection.db import online, studies
from stcollection.db.backup import inventory, session, text_search
from stcollection.db.backup.inventory import StoredTable
from stcollection.db.objects import ALL_ROWS
from stcollection.db.roles import create_roles
from stcollection.db.step import configuration
from stcollection.db.studies import STUDIES_SINCE, StoredStudy
from stcollection.errors import BadInput

_DISTRUST = "Do not trust this dump."
_VECTORS = ("title_v", "abstract_v", "content_v", "passage_v")
_LARGEST = {"vector": 16_000, "halfvec": 16_000, "sparsevec": 2**24}  # dimensions, by type

_KEYS = """
SELECT n.nspname, c.relname, k.conname, pg_get_constraintdef(k.oid)
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE k.contype = 'f' AND k.conparentid = 0 AND n.nspname IN ('public', 'stc', 'stc_all') ORDER BY c.relname, k.conname
"""
_INDEXES = """
SELECT n.nspname, c.relname, pg_get_indexdef(c.oid)
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('public', 'stc', 'stc_all') AND c.relkind = 'i' AND NOT c.relispartition AND NOT i.indisunique
   AND obj_description(c.oid, 'pg_class') IS NULL ORDER BY c.relname
"""
_RELATIONS = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('public', 'stc', 'stc_all') AND c.relkind IN ('r', 'p')
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
"""


def migrate(conn: psycopg.Connection, revision: str, made: Mapping[str, StoredStudy] = MappingProxyType({})) -> None:
    """Create the tables of a revision in an empty database.

    :param conn: not in autocommit mode; it is closed. :param made: the studies, with the revision of each; others get no tables.
    """
    engine = create_engine("postgresql+psycopg://", creator=lambda: conn)
    conn.execute("SET search_path = public, pg_temp")
    conn.commit()
    try:
        with engine.begin() as connection:
            config = configuration()
            config.attributes["connection"] = connection
            config.attributes["fresh"] = revision >= STUDIES_SINCE
            command.upgrade(config, revision)
            for study in plugins.studies():
                if study.name in made:
                    studies.create(connection, study, made[study.name].revision)
            conn.execute(f"SET LOCAL search_path = {ALL_ROWS}".encode())
            online.create(conn, revision)
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.Error):
            raise error.orig from error
        raise
    finally:
        engine.dispose()
        conn.close()


def give_to_owner(conn: psycopg.Connection) -> str | None:
    """Give the tables to the role that owns collections, as upgrade does later, so that this role can fill them.

    :returns: the role; None if it does not exist or the user may not switch to it.
    """
    if create_roles(conn) is not None:
        return None
    if conn.execute("SELECT pg_has_role('stc_owner', 'SET') AND pg_has_role('stc_owner', 'USAGE')").fetchone() != (True,):
        return None
    conn.execute("GRANT USAGE, CREATE ON SCHEMA public TO stc_owner")
    for (schema,) in conn.execute("SELECT nspname FROM pg_namespace WHERE nspname IN ('stc', 'stc_all')").fetchall():
        conn.execute(sql.SQL("ALTER SCHEMA {} OWNER TO stc_owner").format(sql.Identifier(schema)))
    for schema, name in [*conn.execute(_RELATIONS).fetchall(), ("public", "dblp_id_seq")]:
        conn.execute(
            sql.SQL("ALTER {} {} OWNER TO stc_owner").format(
                sql.SQL("SEQUENCE" if name == "dblp_id_seq" else "TABLE"), sql.Identifier(schema, name)
            )
        )
    return "stc_owner"


def make_text_search(conn: psycopg.Connection, described: text_search.Described, config: Any) -> None:
    """Create configurations, and set the configuration of dblp_text.tsv. :param config: its name; None means english."""
    text_search.make(conn, described)
    if config is None or config == "english":
        return
    known = {entry["name"] for entry in described.get("configurations", [])}
    schema = "public" if config in known else "pg_catalog"
    if (
        schema == "pg_catalog"
        and conn.execute(
            "SELECT FROM pg_ts_config WHERE cfgname = %s AND cfgnamespace = 'pg_catalog'::regnamespace", [config]
        ).fetchone()
        is None
    ):
        raise BadInput(f"the text index uses the configuration {config!r}, which the dump does not describe", hint=_DISTRUST)
    literal = sql.Literal(sql.Identifier(schema, str(config)).as_string(conn))
    part = sql.SQL("setweight(to_tsvector({}::regconfig, coalesce({}, '')), {})")
    conn.execute(
        sql.SQL("ALTER TABLE public.dblp_text ALTER COLUMN tsv SET EXPRESSION AS ({} || {})").format(
            part.format(literal, sql.Identifier("title"), "A"), part.format(literal, sql.Identifier("abstract"), "B")
        )
    )


def separate_words(conn: psycopg.Connection, words: Any) -> None:
    """Compute the texts of an upgraded collection with the dump's separation of words. :param words: None means published."""
    if words == "split":
        conn.execute("CALL stc.compute_text(stc.text_config(), 'split')")


def make_model_tables(conn: psycopg.Connection, columns: dict[str, Sequence[str]]) -> None:
    """Create the vector tables of embedding models; the rows of the registry must already be loaded. Those of the default exist.

    :param columns: columns of each table of the dump.
    :raises BadInput: a model names a table that is not for vectors, or its dimension is out of range.
    """
    stored = conn.execute("SELECT to_jsonb(m) FROM stc.vector_models m").fetchall()
    for (row,) in stored:
        relation, storage, dim = str(row["relation"]), str(row["storage"]), row["dim"]
        if relation == "dblp_v":
            for name in _VECTORS if storage == "halfvec" else ():
                alter = sql.SQL("ALTER TABLE public.{} ALTER {} TYPE public.halfvec(384)")
                conn.execute(alter.format(sql.Identifier("dblp_p" if name == "passage_v" else "dblp_v"), sql.Identifier(name)))
            continue
        if not re.fullmatch(r"dblp_v_[a-z0-9][a-z0-9_]{0,39}", relation) or storage not in _LARGEST:
            raise BadInput(
                f"the model {row['model']!r} names the table {relation!r}, which is not a table of vectors", hint=_DISTRUST
            )
        if not isinstance(dim, int) or not 1 <= dim <= _LARGEST[storage]:
            raise BadInput(f"the model {row['model']!r} has {dim!r} dimensions, not 1 to {_LARGEST[storage]:,}", hint=_DISTRUST)
        for table, parent in ((relation, "dblp"), ("dblp_p" + relation.removeprefix("dblp_v"), "dblp_passages")):
            if table not in columns:
                continue
            vectors = [name for name in columns[table] if name != "id"]
            if not set(vectors) <= set(_VECTORS):
                raise BadInput(f"the table {table!r} of vectors has the columns {', '.join(vectors)}", hint=_DISTRUST)
            conn.execute(
                sql.SQL(
                    "CREATE TABLE {} (id bigint PRIMARY KEY REFERENCES {} (id) ON DELETE CASCADE, {})"
                    " WITH (toast_tuple_target = 8160)"  # as sql/vectors/add_vector_model.sql
                ).format(
                    sql.Identifier("public", table),
                    sql.Identifier("public", parent),
                    sql.SQL(", ").join(
                        sql.SQL("{} public.{}({})").format(sql.Identifier(name), sql.Identifier(storage), dim) for name in vectors
                    ),
                )
            )


def put_keys_aside(conn: psycopg.Connection) -> list[str]:
    """Drop foreign keys and indexes for faster loading. :returns: the statements that create them again."""
    again = []
    for schema, name, definition in conn.execute(_INDEXES).fetchall():
        again.append(str(definition))
        conn.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(schema, name)))
    for schema, table, name, definition in conn.execute(_KEYS).fetchall():
        alter = sql.SQL("ALTER TABLE {}").format(sql.Identifier(schema, table))
        again.append(sql.SQL("{} ADD CONSTRAINT {} {}").format(alter, sql.Identifier(name), sql.SQL(definition)).as_string(conn))
        conn.execute(sql.SQL("{} DROP CONSTRAINT {}").format(alter, sql.Identifier(name)))
    return again


def put_keys_back(conn: psycopg.Connection, statements: Sequence[str]) -> None:
    """Create indexes and foreign keys again, which checks every row.

    :raises BadInput: a row refers to a missing row.
    """
    for statement in statements:
        try:
            conn.execute(statement.encode())
        except psycopg.IntegrityError as error:
            raise BadInput(
                f"the rows of the dump are inconsistent: {error.diag.message_primary}; {error.diag.message_detail}",
                hint=_DISTRUST,
            ) from error


def set_sequences(conn: psycopg.Connection, last: dict[str, int]) -> None:
    """Set the last value of each sequence. :raises BadInput: a sequence does not belong to the collection."""
    known: dict[str, str] = dict(
        conn.execute(
            "SELECT c.relname, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE c.relkind = 'S' AND n.nspname IN ('public', 'stc', 'stc_all')"
        ).fetchall()
    )
    for name, value in last.items():
        if name not in known or not isinstance(value, int):
            raise BadInput(f"the dump has a value for the sequence {name!r}, which a collection does not have", hint=_DISTRUST)
        try:
            conn.execute(
                "SELECT setval(%s::regclass, %s::numeric::bigint)", [sql.Identifier(known[name], name).as_string(conn), value]
            )
        except psycopg.DataError as error:
            raise BadInput(
                f"the dump has the value {value} for the sequence {name!r}, which is out of range", hint=_DISTRUST
            ) from error


def matching(conn: psycopg.Connection, columns: dict[str, Sequence[str]]) -> dict[str, StoredTable]:
    """Return the target tables for a dump's tables, with the dump's columns.

    :raises BadInput: this revision does not have a table or column, or the column is generated.
    """
    targets = {table.name: table for table in inventory.tables(conn)}
    unknown = sorted(columns.keys() - targets.keys())
    if unknown:
        raise BadInput(f"the dump has tables that a collection of its revision does not have: {', '.join(unknown)}", hint=_DISTRUST)
    for name, names in columns.items():
        strange = [column for column in names if column not in targets[name].columns]
        if strange or not names or len(set(names)) != len(names):
            raise BadInput(
                f"the dump has columns of {name} that the table does not have: {', '.join(strange) or 'none or repeated'}",
                hint=_DISTRUST,
            )
    return {name: replace(targets[name], columns=tuple(given)) for name, given in columns.items()}


def prepare(conn: psycopg.Connection) -> str | None:
    """Give the tables of a migrated database to their owner and switch to it. :returns: the role."""
    role = give_to_owner(conn)
    session.enter(conn, role)
    return role
