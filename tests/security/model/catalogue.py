"""What a role can reach, as the catalogue of the database lists it: relations, columns, functions, settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import psycopg

# Schemas of the collection: those of its owner, and public. The members' own schemas belong to them.
_SCHEMAS = "SELECT oid FROM pg_namespace WHERE nspname = 'public' OR nspowner = to_regrole('stc_owner')"
_OURS = "NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = {0}::regclass AND d.objid = {1}.oid AND d.deptype = 'e')"
_RELATIONS = f"""
SELECT c.oid, n.nspname, c.relname, c.relkind, c.relispartition,
       ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY attnum),
       ARRAY(SELECT format_type(a.atttypid, NULL) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
              AND NOT a.attisdropped ORDER BY attnum),
       ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
              AND a.attgenerated = '' ORDER BY attnum),
       ARRAY(SELECT r.role FROM unnest('{{stc_participant,stc_reader,stc_organiser}}'::text[]) r (role)
              WHERE has_schema_privilege(r.role, n.oid, 'USAGE')
                AND (has_table_privilege(r.role, c.oid, 'SELECT') OR has_any_column_privilege(r.role, c.oid, 'SELECT'))),
       ARRAY(WITH RECURSIVE used (oid) AS (
                SELECT c.oid UNION
                SELECT d.refobjid FROM used u JOIN pg_rewrite w ON w.ev_class = u.oid
                  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                   AND d.refclassid = 'pg_class'::regclass)
             SELECT x.relname::text FROM used u JOIN pg_class x ON x.oid = u.oid)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.oid IN ({_SCHEMAS}) AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND {_OURS.format("'pg_class'", "c")}
 ORDER BY n.nspname, c.relname
"""
_ROUTINES = f"""
SELECT p.oid, n.nspname, p.proname, p.oid::regprocedure::text, p.prokind, p.prorettype = 'trigger'::regtype, p.prosecdef,
       coalesce(p.proargnames[1:p.pronargs], array_fill(''::text, ARRAY[p.pronargs::integer])),
       ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY u (t, n) ORDER BY n),
       p.pronargdefaults, p.prosrc
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE n.oid IN ({_SCHEMAS}) AND {_OURS.format("'pg_proc'", "p")}
 ORDER BY n.nspname, p.proname, p.oid::regprocedure::text
"""
# Settings that collections have made up: functions read them with current_setting.
_OWN_SETTINGS = r"""
SELECT DISTINCT m[1] FROM pg_proc p, regexp_matches(p.prosrc, '''(\w+\.\w+)''', 'g') m
 WHERE p.prosrc ~ 'current_setting|set_config' AND p.pronamespace IN (SELECT oid FROM pg_namespace
       WHERE nspname = 'public' OR nspowner = to_regrole('stc_owner'))
   AND to_regclass(m[1]) IS NULL AND p.prosrc ~ ('(current_setting|set_config)\(\s*''' || replace(m[1], '.', '\.'))
 ORDER BY 1
"""


@dataclass(frozen=True)
class Relation:
    """A table, partitioned table, view or sequence.

    :param kind: as pg_class.relkind. :param readers: roles with SELECT. :param uses: names of the relations that a view reads.
    """

    oid: int
    schema: str
    name: str
    kind: str
    part: bool
    columns: tuple[str, ...]
    types: tuple[str, ...]
    stored: tuple[str, ...]
    readers: frozenset[str]
    uses: frozenset[str]

    @property
    def sql(self) -> str:
        return f'{self.schema}."{self.name}"'

    def read_by_members(self) -> bool:
        return bool(self.readers & {"stc_participant", "stc_reader"})


@dataclass(frozen=True)
class Routine:
    """A function or procedure. :param signature: as regprocedure. :param optional: number of arguments with a default."""

    oid: int
    schema: str
    name: str
    signature: str
    kind: str
    trigger: bool
    definer: bool
    names: tuple[str, ...]
    types: tuple[str, ...]
    optional: int
    source: str

    def call(self, values: tuple[str, ...]) -> str:
        """A statement that calls it with SQL expressions for all or the first arguments."""
        given = ", ".join(f"{value}::{kind}" for value, kind in zip(values, self.types, strict=False))
        if self.kind == "p":
            return f'CALL {self.schema}."{self.name}"({given})'
        return f'SELECT * FROM {self.schema}."{self.name}"({given})'


@dataclass(frozen=True)
class Catalogue:
    """The objects of a collection."""

    relations: tuple[Relation, ...]
    routines: tuple[Routine, ...]
    own_settings: tuple[str, ...]

    @cached_property
    def callable(self) -> list[Routine]:
        """Functions and procedures that a statement can call: no trigger functions, aggregates or pseudo-types."""
        return [one for one in self.routines if not one.trigger and one.kind in "fp" and "internal" not in one.types]

    @cached_property
    def tables(self) -> list[Relation]:
        return [one for one in self.relations if one.kind in "rp"]


def read_catalogue(conn: psycopg.Connection) -> Catalogue:
    """Return the catalogue, as a superuser sees it."""
    relations = [
        Relation(oid, schema, name, kind, part, tuple(columns), tuple(types), tuple(stored), frozenset(readers), frozenset(uses))
        for oid, schema, name, kind, part, columns, types, stored, readers, uses in conn.execute(_RELATIONS.encode())
    ]
    routines = [
        Routine(oid, schema, name, signature, kind, trigger, definer, tuple(names), tuple(types), optional, source or "")
        for oid, schema, name, signature, kind, trigger, definer, names, types, optional, source in conn.execute(_ROUTINES.encode())
    ]
    return Catalogue(tuple(relations), tuple(routines), tuple(row[0] for row in conn.execute(_OWN_SETTINGS.encode())))
