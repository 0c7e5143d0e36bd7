"""What members create runs as themselves only, whatever owners, organisers and superusers do, and gains nothing by it.

Each login stores code in every kind of object that PostgreSQL runs later, and objects named like ours. The code writes who runs it
to the server's log, which no rollback undoes, and calls every function that runs with the owner's rights. ``make long`` calls all
functions as others, CI a quarter of them in each run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from stcollection.db.backup.dump import dump
from stcollection.db.backup.plain import dump_plain
from stcollection.db.backup.restore import restore
from stcollection.db.backup.sample import Excerpt, dump_sample, size
from stcollection.db.collections import drop
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import StcError
from tests.examples import draw
from tests.security.model.arguments import calls
from tests.security.model.changes import definitions, fingerprint, foreign
from tests.security.model.walls import ROLES, Walls
from tests.security.model.world import drop_orphans
from tests.security.test_backups import KINDS

pytestmark = pytest.mark.long

MAKERS = ("participant", "reader", "organiser")
_RAN = re.compile(r"canary (.+?) of (\w+) runs as (\w+), session (\w+)")
# Runs everything with the owner's rights, for another team's run; an error of one call does not end the next. Once in a
# transaction is enough: the next row of the same table would run it with the same rights.
_CANARY = """
CREATE FUNCTION {s}.canary(kind text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    deed text;
    known text := 'canary.k' || pg_catalog.md5(concat(kind, '/', current_user, '/', session_user));
BEGIN
    RAISE LOG 'canary % of {s} runs as %, session %', kind, current_user, session_user;
    IF pg_catalog.current_setting(known, true) OPERATOR(pg_catalog.=) 'on' THEN
        RETURN true;
    END IF;
    PERFORM pg_catalog.set_config(known, 'on', true);
    FOREACH deed IN ARRAY {deeds} LOOP
        BEGIN
            EXECUTE deed;
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
    END LOOP;
    RETURN true;
END $$;
"""
_OF_KIND = """
CREATE TABLE {s}.notes_{kind} (x integer);
INSERT INTO {s}.notes_{kind} VALUES (1);
CREATE FUNCTION {s}.strike_{kind}() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN {s}.canary('{kind}'); END $$;
CREATE FUNCTION {s}.hit_{kind}(x integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN PERFORM {s}.canary('{kind}'); RETURN x; END $$;
"""
_PSEUDO = ("internal", "trigger", "record", "any", "cstring")
# PostgreSQL lets no member create these.
REFUSED = (
    "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION {s}.fire()",
    "CREATE OPERATOR CLASS {s}.c FOR TYPE integer USING btree AS OPERATOR 1 <",
    "CREATE CAST (integer AS text) WITH INOUT AS IMPLICIT",
    "CREATE TRIGGER t BEFORE INSERT ON public.st1_runs FOR EACH ROW EXECUTE FUNCTION {s}.fire()",
    "CREATE RULE r AS ON INSERT TO public.st1_runs DO ALSO SELECT 1",
    "CREATE INDEX ON public.st1_runs (({s}.hit_index(id)))",
    "CREATE TABLE {s}.child (LIKE public.dblp_text, FOREIGN KEY (id) REFERENCES public.dblp)",
    "CREATE PUBLICATION p FOR TABLE public.st1_runs",
)


def plant(walls: Walls, database: str, role: str) -> list[str]:
    """Create the objects of a login. Return what PostgreSQL should have refused."""
    login = walls.logins[role]
    member = ROLES[role]
    accepted = []
    deeds = [call.statement for one in walls.catalogue.callable if one.definer for call in calls(one)]
    deeds += [
        "SELECT public.drop_runs('{base,blue1,elsewhere}')",
        "DELETE FROM public.st1_runs",
        "DELETE FROM public.qrels_judgments",
    ]
    if role == "organiser":  # may change what the others may not
        deeds = []
    array = "ARRAY[" + ", ".join("'" + deed.replace("'", "''") + "'" for deed in deeds) + "]::text[]"
    with walls.connect(database, role) as conn:
        conn.execute(_CANARY.replace("{deeds}", array).replace("{s}", login).encode())
        for kind, statements in KINDS.items():
            named = re.sub(r"\{s\}\.(hit|strike|notes)\b", rf"{{s}}.\1_{kind}", statements)
            conn.execute((_OF_KIND + named).replace("{kind}", kind).replace("{s}", login).encode())
        for statement in REFUSED:
            with suppress(psycopg.Error):
                conn.execute(statement.replace("{s}", login).encode())
                accepted.append(f"{role}: {statement}")
        _shadow(walls, conn, login)
        conn.execute(f"GRANT USAGE ON SCHEMA {login} TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA {login} TO PUBLIC".encode())
        conn.execute(f"ALTER ROLE {login} SET search_path = {login}, public, pg_catalog".encode())
    assert member is not None
    return accepted


def _shadow(walls: Walls, conn: psycopg.Connection, login: str) -> None:
    """Create views, functions and operators with the names of ours and of PostgreSQL's."""
    body = f"LANGUAGE plpgsql AS $$ BEGIN PERFORM {login}.canary('%s'); RETURN NULL; END $$"
    for one in walls.catalogue.relations:
        if one.kind != "S":
            with suppress(psycopg.errors.DuplicateTable):
                strike = f"{login}.canary('relation {one.name}')"
                conn.execute(f'CREATE VIEW {login}."{one.name}" AS SELECT {strike} AS shadowed'.encode())
    for routine in walls.catalogue.callable:
        kinds = [kind for kind in routine.types if "." not in kind and kind not in _PSEUDO]
        if len(kinds) == len(routine.types):
            with suppress(psycopg.Error):
                conn.execute(
                    f'CREATE FUNCTION {login}."{routine.name}"({", ".join(kinds)}) RETURNS text'
                    f" {body % ('function ' + routine.name)}".encode()
                )
    for arguments, returned, name in (
        ("text, text, boolean", "text", "set_config"),
        ("text", "text", "current_setting"),
        ("", "timestamptz", "now"),
        ("public.st1_runs", "jsonb", "to_jsonb"),
        ("text", "integer", "length"),
    ):
        with suppress(psycopg.Error):
            conn.execute(f'CREATE FUNCTION {login}."{name}"({arguments}) RETURNS {returned} {body % name}'.encode())
    for kind in ("text", "integer", "bigint", "name"):
        conn.execute(
            f"CREATE FUNCTION {login}.shadow_equal({kind}, {kind}) RETURNS boolean {body % ('operator = of ' + kind)}".encode()
        )
        conn.execute(f"CREATE OPERATOR {login}.= (LEFTARG = {kind}, RIGHTARG = {kind}, FUNCTION = {login}.shadow_equal)".encode())


Deed = Callable[[Walls, Settings, Path], object]


def _maintain(walls: Walls, settings: Settings, _: Path) -> None:
    with walls.connect(settings.db) as conn:
        for statement in ("VACUUM (FULL, ANALYZE)", "VACUUM (ANALYZE)", f'REINDEX DATABASE "{settings.db}"', "CLUSTER"):
            conn.execute(statement.encode())
        for role in MAKERS:
            conn.execute(f"REFRESH MATERIALIZED VIEW {walls.logins[role]}.m".encode())


def _upgrade(_: Walls, settings: Settings, __: Path) -> None:
    upgrade(settings)
    upgrade(settings, force=True)


def _dump(_: Walls, settings: Settings, folder: Path) -> None:
    dump(settings, folder / "whole")
    dump_plain(settings, folder / "plain", with_hidden=True)


def _functions(walls: Walls, settings: Settings, _: Path) -> None:
    """Call functions as a superuser and as an organiser, who reads other people's rows."""
    for role in (None, "organiser"):
        with walls.connect(settings.db, role) as conn:
            conn.execute("SET search_path = public")
            for one in draw(walls.catalogue.callable):
                for call in calls(one):
                    with suppress(psycopg.Error), conn.transaction(force_rollback=True):
                        conn.execute(call.statement.encode())


ACTIONS: tuple[Deed, ...] = (_maintain, _upgrade, _dump, _functions)


@pytest.fixture(scope="module")
def planted(walls: Walls) -> Settings:
    if walls.server.dsn is not None:
        pytest.skip("the log of the server is not a file of the tests")
    settings = walls.settings(walls.copy())
    with walls.connect(settings.db) as conn:
        drop_orphans(conn)
    accepted = [one for role in MAKERS for one in plant(walls, settings.db, role)]
    assert accepted == []
    return settings


class Log:
    """The part of the server's log that is written from now on."""

    def __init__(self, walls: Walls) -> None:
        self.path = EmbeddedServer(walls.server.home).log
        self.begun = self.path.stat().st_size

    def ran(self) -> set[tuple[str, str, str, str]]:
        """Kind of object, its maker, and the current and session user of each run of a canary."""
        text = self.path.read_bytes()[self.begun :].decode(errors="replace")
        return {(found[1], found[2], found[3], found[4]) for found in _RAN.finditer(text)}


def test_the_canary_sings(walls: Walls, planted: Settings) -> None:
    log = Log(walls)
    for role in MAKERS:
        with walls.connect(planted.db, role) as conn:
            for kind in KINDS:
                conn.execute(f"INSERT INTO {walls.logins[role]}.notes_{kind} VALUES (1)".encode())
            with suppress(psycopg.Error):
                conn.execute("SELECT my_team()")
    ran = log.ran()
    assert {maker for _, maker, _, _ in ran} == {walls.logins[role] for role in MAKERS}
    assert {kind for kind, *_ in ran} >= {"check", "index", "trigger", "generated", "function my_team"}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda one: one.__name__.strip("_"))
def test_no_canary_runs_as_another(walls: Walls, planted: Settings, action: Deed, tmp_path: Path) -> None:
    log = Log(walls)
    with walls.connect(planted.db) as conn:
        before = definitions(conn)
        rows = dict(_others(walls, conn))
    action(walls, planted, tmp_path)
    foreign_users = [
        f"{kind} of {maker} runs as {user}, session {session}" for kind, maker, user, session in log.ran() if user != maker
    ]
    assert foreign_users == []
    with walls.connect(planted.db) as conn:
        changed = [f"{maker} changes {table}" for (maker, table), seen in _others(walls, conn) if rows[maker, table] != seen]
        assert changed == [], f"during {action.__name__}, by what ran: {sorted(log.ran())[:5]}"
        if action not in (_upgrade, _maintain):  # VACUUM FULL gives each table a new file
            assert definitions(conn) == before


def _others(walls: Walls, conn: psycopg.Connection) -> Iterator[tuple[tuple[str, str], str]]:
    """Fingerprints of the rows of each table that do not belong to each maker. Requests are counted when they are made."""
    for role in MAKERS:
        member = ROLES[role]
        assert member is not None
        for one in walls.catalogue.tables:
            if one.kind == "r" and not one.name.startswith(("stc_objects", "stc_catalogue")):
                condition = foreign(one.sql.replace('"', ""), one.columns, walls.logins[role], member[1])
                yield (role, one.sql), fingerprint(conn, one.sql, condition)


@pytest.mark.parametrize("with_schemas", [False, True], ids=["rows", "schemas"])
def test_no_canary_runs_as_another_in_a_restore(walls: Walls, planted: Settings, with_schemas: bool, tmp_path: Path) -> None:
    schemas = [walls.logins[role] for role in MAKERS] if with_schemas else []
    log = Log(walls)
    dump(planted, tmp_path / "d", with_schemas=schemas)
    dump_sample(planted, tmp_path / "s", part=Excerpt(size=size("50%")))
    there = replace(planted, db=f"{planted.db}_restored")
    try:
        with suppress(StcError):  # schemas may be refused
            restore(there, tmp_path / "d", with_schemas=schemas)
            with walls.connect(there.db) as conn:
                conn.execute("VACUUM (ANALYZE)")
                conn.execute(f'REINDEX DATABASE "{there.db}"'.encode())
    finally:
        with suppress(StcError):
            drop(there)
    powers = {"postgres", "stc_owner", "stc_organiser", "stc_participant", "stc_reader"}
    others = {walls.logins[role] for role in ROLES}
    assert [one for one in log.ran() if one[2] in powers or (one[2] in others and one[2] != one[1])] == []
