"""No statement of a login changes rows of others, or definitions and rights of the collection.

Every function is called, and every relation written in every way, as each role and under the settings that functions read. Each
statement runs in a transaction, is compared with the state before, and is rolled back. ``make long`` tries all statements, CI
a quarter of them in each run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import psycopg
import pytest

from tests.examples import draw
from tests.security.model.arguments import calls, hostile_calls
from tests.security.model.catalogue import Catalogue, Relation
from tests.security.model.changes import WRITTEN, definitions, fingerprint, foreign
from tests.security.model.walls import ROLES, Walls

pytestmark = pytest.mark.long

MEMBERS = ("participant", "rival", "reader", "stranger")
# Their rights are those of others: they call only the functions with the owner's rights, and write all relations.
BRIEFLY = ("rival", "stranger")
_SHOWN = 10
Property = Callable[[str, object], None]


@dataclass(frozen=True)
class Attempt:
    """A statement. :param before: settings and statements before it."""

    statement: str
    before: str = ""

    def __str__(self) -> str:
        return f"{self.before}; {self.statement}".removeprefix("; ")


class Watched:
    """A superuser's session that runs statements as a login, and sees what they have changed."""

    def __init__(self, walls: Walls, database: str, role: str) -> None:
        self.conn = walls.connect(database)
        self.login = walls.logins[role]
        member = ROLES[role]
        self.team = member[1] if member else None
        self.columns = {one.sql.replace('"', ""): one.columns for one in walls.catalogue.tables}
        self.columns |= {one.name: one.columns for one in walls.catalogue.tables if one.schema == "public"}
        self.before = {table: fingerprint(self.conn, table, self._foreign(table)) for table in self.columns}
        self.definitions = definitions(self.conn)
        self.conn.execute("SET statement_timeout = '20s'")

    def _foreign(self, table: str) -> str:
        return foreign(table, self.columns[table], self.login, self.team)

    def attempt(self, attempt: Attempt) -> tuple[str | None, list[str]]:
        """Run a statement as the login and roll it back. Return its SQLSTATE, None if it succeeded, and what it changed."""
        words = f"BEGIN; SET LOCAL SESSION AUTHORIZATION {self.login}; SET LOCAL search_path = {self.login}, public"
        try:
            self.conn.execute("; ".join(filter(None, (words, attempt.before, attempt.statement))).encode())
            return None, list(self._changed())
        except psycopg.Error as error:
            return error.sqlstate or "none", []
        finally:
            self.conn.execute("ROLLBACK")

    def _changed(self) -> Iterator[str]:
        self.conn.execute("RESET SESSION AUTHORIZATION; RESET ROLE; RESET search_path")
        tables = [row[0] for row in self.conn.execute(WRITTEN)]
        for table in tables:
            if table in self.columns and fingerprint(self.conn, table, self._foreign(table)) != self.before[table]:
                yield table
        catalogues = any(table.startswith("pg_") and not table.startswith("pg_largeobject") for table in tables)
        if catalogues and definitions(self.conn) != self.definitions:
            yield "definitions"

    def close(self) -> None:
        self.conn.close()


def settings_of(catalogue: Catalogue) -> list[str]:
    """Settings that functions read, with values that could mean something to them: ids, names and booleans."""
    own = [one for one in catalogue.own_settings if not one.startswith(("citus.", "http."))]
    return [f"SET LOCAL {name} = '{value}'" for name in own for value in ("1", "2", "on", "test")]


def writing(one: Relation) -> list[str]:
    """Statements that would change a relation, its rows or its rights."""
    column = f'"{one.stored[0] if one.stored else one.columns[0]}"'
    name = one.sql
    if one.kind == "S":
        return [
            f"SELECT nextval('{name}')",
            f"SELECT setval('{name}', 1000000)",
            f"ALTER SEQUENCE {name} RESTART",
            f"GRANT ALL ON SEQUENCE {name} TO PUBLIC",
            f"DROP SEQUENCE {name} CASCADE",
        ]
    kind = {"v": "VIEW", "m": "MATERIALIZED VIEW"}.get(one.kind, "TABLE")
    columns = ", ".join(f'"{stored}"' for stored in one.stored)
    rows = [
        *(f'UPDATE {name} SET "{stored}" = "{stored}"' for stored in one.stored),
        *(f'UPDATE {name} SET "{stored}" = DEFAULT' for stored in one.stored),
        f"INSERT INTO {name} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {name} LIMIT 1",
        f"INSERT INTO {name} ({columns}) SELECT {columns} FROM {name} LIMIT 1 ON CONFLICT DO NOTHING",
        f"INSERT INTO {name} DEFAULT VALUES",
        f"DELETE FROM {name}",
        f"WITH gone AS (DELETE FROM {name} RETURNING *) SELECT count(*) FROM gone",
        f"MERGE INTO {name} t USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
        f"TRUNCATE {name} CASCADE",
        f"COPY {name} FROM PROGRAM 'true'",
    ]
    if "edition" in one.columns and one.types[one.columns.index("edition")] == "integer":
        rows += [f"DELETE FROM {name} WHERE edition = {edition}" for edition in (1, 2)]
        rows += [f'UPDATE {name} SET "{stored}" = DEFAULT WHERE edition = 1' for stored in one.stored if stored != "edition"]
    rights = [
        f"ALTER {kind} {name} OWNER TO CURRENT_USER",
        f"ALTER {kind} {name} RENAME TO gone",
        f"ALTER {kind} {name} SET SCHEMA pg_temp",
        f"ALTER TABLE {name} DISABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {name} ALTER {column} SET DEFAULT NULL",
        f"ALTER TABLE {name} ADD CHECK (true)",
        f"ALTER TABLE {name} DISABLE TRIGGER ALL",
        f"CREATE POLICY mine ON {name} USING (true)",
        f"CREATE RULE mine AS ON INSERT TO {name} DO NOTHING",
        f"CREATE TRIGGER mine BEFORE DELETE ON {name} FOR EACH STATEMENT EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        f"CREATE INDEX ON {name} ({column})",
        f"CREATE STATISTICS mine ON {column}, tableoid FROM {name}",
        f"COMMENT ON {kind} {name} IS ''",
        f"GRANT ALL ON {name} TO PUBLIC",
        f"REVOKE ALL ON {name} FROM stc_organiser",
        f"DROP {kind} {name} CASCADE",
    ]
    return rows + rights


def server_statements(login: str) -> list[str]:
    """Statements against the server, roles and schemas."""
    return [
        f"ALTER ROLE {login} SUPERUSER", f"ALTER ROLE {login} BYPASSRLS", f"ALTER ROLE {login} CREATEROLE",
        f"GRANT stc_organiser TO {login}", f"GRANT stc_owner TO {login}", "SET ROLE stc_owner", "SET ROLE stc_organiser",
        "SET SESSION AUTHORIZATION postgres", "ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()",
        "CREATE SCHEMA mine", "CREATE EXTENSION dblink", "CREATE LANGUAGE plpython3u", "CREATE PUBLICATION p FOR ALL TABLES",
        "CREATE TABLE public.mine (x integer)", "CREATE TABLE stc.mine (x integer)", "CREATE EVENT TRIGGER e ON ddl_command_end"
        " EXECUTE FUNCTION suppress_redundant_updates_trigger()", "DROP OWNED BY stc_owner CASCADE",
        "REASSIGN OWNED BY stc_owner TO CURRENT_USER", "ALTER SCHEMA stc OWNER TO CURRENT_USER", "DROP SCHEMA stc CASCADE",
        "GRANT ALL ON SCHEMA public TO PUBLIC", "CREATE CAST (text AS integer) WITH INOUT AS IMPLICIT",
        "LOAD 'auto_explain'", "COPY (SELECT 1) TO PROGRAM 'true'", "SELECT pg_read_file('PG_VERSION')",
        "SELECT lo_import('/etc/passwd')", "SET session_replication_role = replica", "CREATE ROLE mine", "CREATE DATABASE mine",
    ]  # fmt: skip


def attempts(walls: Walls, role: str) -> Iterator[Attempt]:
    """All statements of a login."""
    catalogue = walls.catalogue
    for routine in catalogue.callable:
        if role in BRIEFLY and not routine.definer:
            continue
        for call in calls(routine):
            yield Attempt(call.statement)
        yield Attempt(f"ALTER ROUTINE {routine.signature} SECURITY DEFINER")
        if routine.definer:
            for call in hostile_calls(routine):
                yield Attempt(call.statement)
            for setting in settings_of(catalogue):
                for call in calls(routine):
                    yield Attempt(call.statement, setting)
    for one in catalogue.relations:
        for statement in writing(one):
            yield Attempt(statement)
    for statement in server_statements(walls.logins[role]):
        yield Attempt(statement)


@pytest.fixture(scope="module")
def database(walls: Walls) -> str:
    return walls.copy()


def test_no_statement_changes_what_is_not_ones_own(walls: Walls, database: str, record_property: Property) -> None:
    def attack(role: str) -> tuple[str, list[str]]:
        watched = Watched(walls, database, role)
        routes, tried, succeeded = [], 0, 0
        for attempt in draw(attempts(walls, role)):
            state, changed = watched.attempt(attempt)
            tried += 1
            succeeded += state is None
            if changed:
                routes.append(f"{role}: {attempt}\n    changes {', '.join(changed)}")
        watched.close()
        return f"{role}: {tried} statements, of which {succeeded} succeed", routes

    with ThreadPoolExecutor(len(MEMBERS)) as threads:
        done = list(threads.map(attack, MEMBERS))
    for number, (size, _) in enumerate(done):
        record_property(MEMBERS[number], size)
        print(f"\n{size}", end="")
    report(route for _, routes in done for route in routes)


def report(found: Iterable[str]) -> None:
    """Fail with the shortest routes."""
    routes = sorted(found, key=len)
    assert not routes, f"{len(routes)} changes, among them\n" + "\n".join(routes[:_SHOWN])


# What an organiser may not change at all, and the state of each edition: its judgments, and the version that counts their changes.
_KEPT = ("stc_members", "stc_settings", "stc_objects", "stc_catalogue", "alembic_version")
_EDITIONS = (
    "SELECT e.id, e.version, (SELECT concat(count(*), md5(string_agg((to_jsonb(j) - 'hidden')::text, ',' ORDER BY j.id)))"
    " FROM {0} j WHERE j.edition = e.id) FROM {1} e"
)


class WatchedOrganiser(Watched):
    """As :class:`Watched`, for who may write most tables."""

    def __init__(self, walls: Walls, database: str) -> None:
        super().__init__(walls, database, "organiser")
        judgments, editions = (
            next(one.sql for one in sorted(walls.catalogue.tables, key=lambda one: one.schema != "stc_all") if one.name == name)
            for name in ("qrels_judgments", "qrels_editions")
        )
        self.query = _EDITIONS.format(judgments, editions)
        self.editions = self._editions()

    def _editions(self) -> dict[int, tuple[int, str]]:
        return {edition: (version, rows) for edition, version, rows in self.conn.execute(self.query.encode())}

    def _changed(self) -> Iterator[str]:
        yield from (one for one in super()._changed() if one == "definitions" or one.rpartition(".")[2] in _KEPT)
        for edition, (version, rows) in self._editions().items():
            before = self.editions.get(edition)
            if before is not None and before[1] != rows and version <= before[0]:
                yield f"judgments of edition {edition}, whose version stays {version}"


def test_no_change_of_judgments_by_an_organiser_goes_uncounted(walls: Walls, database: str, record_property: Property) -> None:
    settings = ["", *settings_of(walls.catalogue)]
    judgments = [one for one in walls.catalogue.relations if one.name.startswith("qrels_") and one.kind != "S"]
    tries = [Attempt(statement, before) for one in judgments for statement in writing(one) for before in settings]
    tries += [Attempt(statement) for one in walls.catalogue.relations if one not in judgments for statement in writing(one)]
    tries += [Attempt(call.statement) for one in walls.catalogue.callable for call in calls(one)]
    tries += [Attempt(statement) for statement in server_statements(walls.logins["organiser"])]

    def attack(part: int, where: str) -> list[str]:
        watched = WatchedOrganiser(walls, where)
        routes = []
        for attempt in tries[part::2]:
            _, changed = watched.attempt(attempt)
            if changed:
                routes.append(f"organiser: {attempt}\n    changes {', '.join(changed)}")
        watched.close()
        return routes

    with ThreadPoolExecutor(2) as threads:  # in two copies: what an organiser writes would lock out the other session
        done = list(threads.map(attack, (0, 1), (database, walls.copy())))
    record_property("organiser", f"{len(tries)} statements")
    report(route for routes in done for route in routes)
