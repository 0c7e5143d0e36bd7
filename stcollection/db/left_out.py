"""Upgrade a distributed collection: objects that Citus does not support are recorded for the way back, instead of created.

These are triggers on tables of documents, and foreign keys from other tables to them. The table stc_catalogue gets their
definitions, as PostgreSQL prints them on one server; ``stc db distribute --undo`` creates them from there. A trigger is created on
an empty temporary table with the same columns, which gives its definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from stcollection.errors import StateError

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Not INSTEAD OF, which is for views.
_TRIGGER = re.compile(
    r"^(CREATE\s+OR\s+REPLACE\s+TRIGGER\s+\w+\s+(?!INSTEAD)[^;]*?\bON\s+)(?:public\.)?(\w+)", re.IGNORECASE | re.MULTILINE
)
_CREATE_TABLE = re.compile(r"\s*CREATE TABLE (?:\w+\.)?(\w+)", re.IGNORECASE)
# As SQLAlchemy and Alembic write it; the comma before it belongs to it, because a table's columns come first.
_KEY = re.compile(
    r",\s*CONSTRAINT (?P<name>\w+) FOREIGN KEY ?\((?P<columns>[^)]*)\) REFERENCES (?:public\.)?(?P<parent>\w+) ?"
    r"\((?P<keys>[^)]*)\)(?P<rest>[^,)]*)"
)
_FORGET_VIEWS = """
WITH gone AS (
    DELETE FROM pg_catalog.pg_dist_object o USING pg_catalog.pg_class c, pg_catalog.pg_namespace n
     WHERE o.classid = 'pg_catalog.pg_class'::regclass AND o.objid = c.oid AND c.relkind = 'v' AND n.oid = c.relnamespace
       AND EXISTS (SELECT FROM public.stc_objects s WHERE format('view %s.%s', n.nspname, c.relname) = ANY (s.creates))
    RETURNING format('%I.%I', n.nspname, c.relname) AS name)
SELECT name FROM gone ORDER BY name
"""


class OmittedObjects:
    """What an upgrade cannot create, because these tables are distributed.

    :param conn: the session of the upgrade. :ivar tables: names of the tables that Citus distributes or copies.
    """

    def __init__(self, conn: psycopg.Connection) -> None:
        self._conn = conn
        self._keys: list[tuple[str, str, str]] = []  # table, name and definition
        self._shadows: set[str] = set()
        self.tables = _tables(conn, "hn")
        self._parents = _tables(conn, "h")

    @property
    def distributed(self) -> bool:
        """True if Citus distributes the documents."""
        return bool(self._parents)

    def prepare(self, *, dry: bool) -> None:
        """Let the workers use the session's lock_timeout, and change one shard after another, as reference tables require."""
        if self.tables:
            self._conn.execute("SET LOCAL citus.propagate_set_commands = 'local'")
            self._conn.execute("SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)")
            row = self._conn.execute("SELECT current_setting('lock_timeout')").fetchone()
            assert row is not None  # noqa: S101
            self._conn.execute(f"SET LOCAL lock_timeout = '{row[0]}'".encode())  # set_config does not reach the workers
            self._forget_views(dry=dry)

    def _forget_views(self, *, dry: bool) -> None:
        """Remove our views from the workers, which need none: Citus cannot replace one that reads a table of the coordinator.

        The workers commit this at once; if the upgrade fails, only these copies are missing.
        """
        try:
            views = [name for (name,) in self._conn.execute(_FORGET_VIEWS).fetchall()]
        except psycopg.errors.InsufficientPrivilege as error:
            raise StateError(
                f"{self._conn.info.user} may not upgrade a distributed collection: {error.diag.message_primary}",
                hint="Run the command as a superuser of the coordinator.",
                sqlstate="IR410",
            ) from error
        if views and not dry:
            self._conn.execute("SELECT run_command_on_workers(%s)", [f"DROP VIEW IF EXISTS {', '.join(views)}"])

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Raise StateError if Citus does not support a change of a distributed table."""
        from sqlalchemy.exc import DBAPIError  # slow to import, and only upgrades need it

        try:
            yield
        except (DBAPIError, psycopg.errors.FeatureNotSupported) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            if not self.tables or not isinstance(cause, psycopg.errors.FeatureNotSupported):
                raise
            raise StateError(
                f"Citus does not support a change of this upgrade: {cause.diag.message_primary}",
                hint="Nothing was changed. Move the documents back to one server ('stc db distribute --undo'), upgrade, and"
                " distribute them again.",
                sqlstate="IR415",
            ) from error

    def hear(self, connection: Connection) -> None:
        """Remove foreign keys to distributed tables from the statements of revisions."""
        from sqlalchemy import event

        if self.tables:
            event.listen(connection, "before_cursor_execute", self._without_keys, retval=True)

    def text(self, text: str) -> str:
        """Return the text of a file of sql/ with its triggers on temporary tables, if their tables are distributed."""
        if not self.tables:
            return text
        return _TRIGGER.sub(lambda match: f"{match[1]}{self._shadow(match[2])}", text)

    def record(self, dropped: Iterable[str]) -> None:
        """Store the definitions of triggers, and remove the temporary tables.

        :param dropped: triggers that this version no longer has, or creates again, such as ``trigger name on table``.
        """
        names = [name.removeprefix("trigger ") for name in dropped if name.startswith("trigger ")]
        gone = [name for name in names if name.rpartition(" ")[2] in self.tables]
        self._conn.execute("DELETE FROM public.stc_catalogue WHERE kind = 'trigger' AND name = ANY (%s)", [gone])
        if not self._shadows:
            return
        self._conn.execute(
            "INSERT INTO public.stc_catalogue (kind, name, definition)"
            " SELECT 'trigger', g.tgname || ' on ' || c.relname,"
            "        regexp_replace(pg_get_triggerdef(g.oid), ' ON pg_temp\\w*\\.', ' ON public.')"
            "  FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid"
            " WHERE c.relnamespace = pg_my_temp_schema() AND c.relname = ANY (%s) AND NOT g.tgisinternal"
            " ON CONFLICT (kind, name) DO UPDATE SET definition = excluded.definition",
            [sorted(self._shadows)],
        )
        for table in self._shadows:
            self._conn.execute(f"DROP TABLE IF EXISTS pg_temp.{table}".encode())
        self._shadows.clear()

    def record_keys(self) -> None:
        """Store the foreign keys that revisions would have created, also those of partitions."""
        for table, name, definition in self._keys:
            self._conn.execute(
                "INSERT INTO public.stc_catalogue (kind, name, definition)"
                " SELECT 'constraint', concat(%(name)s::text, ' on ', stc.shown_relation(c.oid)), %(definition)s"
                "  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname IN ('public', 'stc', 'stc_all')"
                " WHERE c.relkind IN ('r', 'p') AND (c.relname = %(table)s OR c.oid IN"
                "       (SELECT i.inhrelid FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent AND p.relname = %(table)s))"
                " ON CONFLICT (kind, name) DO UPDATE SET definition = excluded.definition",
                {"table": table, "name": name, "definition": definition},
            )
        self._keys.clear()

    def triggers(self) -> dict[str, str]:
        """Return the definitions of triggers that are left out, as the server prints enabled ones."""
        if not self.tables:
            return {}
        rows = self._conn.execute(
            "SELECT 'trigger ' || name, definition || 'O' FROM public.stc_catalogue"
            " WHERE kind = 'trigger' AND split_part(name, ' on ', 2) = ANY (%s)",
            [sorted(self.tables)],
        ).fetchall()
        return dict(rows)

    def _shadow(self, table: str) -> str:
        if table not in self.tables:
            return table
        self._shadows.add(table)
        self._conn.execute(f"CREATE TEMPORARY TABLE IF NOT EXISTS {table} (LIKE public.{table})".encode())
        return f"pg_temp.{table}"

    def _without_keys(
        self, _connection: object, _cursor: object, statement: str, parameters: object, *_: object
    ) -> tuple[str, object]:
        created = _CREATE_TABLE.match(statement)
        if created is None:
            return statement, parameters
        for match in _KEY.finditer(statement):
            if match["parent"] not in self._parents:
                continue
            if "ON DELETE CASCADE" in match["rest"].upper():
                action = f"an upgrade that adds {created[1]}, a table of documents,"
                self._conn.execute("SELECT stc.refuse_distributed(%s)", [action])
            keys = f"FOREIGN KEY ({match['columns']}) REFERENCES {match['parent']}({match['keys']}){match['rest'].rstrip()}"
            self._keys.append((created[1], match["name"], keys))
            statement = statement.replace(match[0], "", 1)
        return statement, parameters


def _tables(conn: psycopg.Connection, methods: str) -> frozenset[str]:
    """Return the names of tables that Citus distributes. :param methods: h for distributed tables, n for reference tables."""
    if conn.execute("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NULL").fetchone() == (True,):
        return frozenset()
    rows = conn.execute(
        "SELECT c.relname::text FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid"
        "  JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname IN ('public', 'stc', 'stc_all') AND p.partmethod = ANY (string_to_array(%s, NULL))",
        [methods],
    ).fetchall()
    return frozenset(name for (name,) in rows)
