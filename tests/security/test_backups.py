"""Dump, restore and samples run no code of members, and a dump from a stranger runs no code at all."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
import zstandard
from click.testing import CliRunner
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stcollection.db.backup import manifest, programs, rows
from stcollection.db.backup import restore as module
from stcollection.db.backup.dump import dump
from stcollection.db.backup.plain import dump_plain
from stcollection.db.backup.restore import restore
from stcollection.db.backup.sample import Excerpt, dump_sample, size
from stcollection.db.collections import create, drop
from stcollection.db.connection import conninfo
from stcollection.db.members import add_member, drop_member
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, BadInput, StcError, UnknownObject
from tests.db.handed import databases, unpacked_rows
from tests.examples import draw
from tests.groups import db as group

pytestmark = pytest.mark.long

# What a member creates in their own schema, {s}. The function strike makes the member a superuser if a superuser calls it in any
# way; hit calls it where an expression has to be immutable.
_STRIKE = """
CREATE FUNCTION {s}.strike() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        ALTER ROLE {s} SUPERUSER;
    END IF;
    RETURN true;
END $$;
CREATE FUNCTION {s}.hit(x integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN PERFORM {s}.strike(); RETURN x; END $$;
CREATE TABLE {s}.notes (x integer);
INSERT INTO {s}.notes VALUES (1);
"""
KINDS = {
    "matview": "CREATE MATERIALIZED VIEW {s}.m AS SELECT {s}.hit(1) AS x",
    "check": "ALTER TABLE {s}.notes ADD CHECK ({s}.hit(x) = x)",
    "index": "CREATE INDEX ON {s}.notes ({s}.hit(x))",
    "predicate": "CREATE INDEX ON {s}.notes (x) WHERE {s}.hit(x) = x",
    "default": "ALTER TABLE {s}.notes ADD y integer DEFAULT {s}.hit(1)",
    "generated": "ALTER TABLE {s}.notes ADD y integer GENERATED ALWAYS AS ({s}.hit(x)) STORED",
    "domain": "CREATE DOMAIN {s}.d AS integer CHECK ({s}.hit(VALUE) = VALUE); CREATE TABLE {s}.domained (x {s}.d);"
    " INSERT INTO {s}.domained VALUES (1)",
    "partition": "CREATE TABLE {s}.parts (x integer) PARTITION BY RANGE ({s}.hit(x));"
    " CREATE TABLE {s}.part PARTITION OF {s}.parts FOR VALUES FROM (0) TO (9); INSERT INTO {s}.parts VALUES (1)",
    "statistics": "CREATE STATISTICS {s}.st ON ({s}.hit(x)) FROM {s}.notes",
    "trigger": "CREATE FUNCTION {s}.fire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM {s}.strike(); RETURN NEW; END $$;"
    " CREATE TRIGGER fire BEFORE INSERT ON {s}.notes FOR EACH ROW EXECUTE FUNCTION {s}.fire()",
    "rule": "CREATE RULE strike AS ON INSERT TO {s}.notes DO ALSO SELECT {s}.strike()",
    "policy": "ALTER TABLE {s}.notes ENABLE ROW LEVEL SECURITY; ALTER TABLE {s}.notes FORCE ROW LEVEL SECURITY;"
    " CREATE POLICY p ON {s}.notes USING ({s}.hit(x) = x)",
    "cast": "CREATE TYPE {s}.ty AS (x integer); CREATE FUNCTION {s}.cast(y {s}.ty) RETURNS text LANGUAGE sql IMMUTABLE RETURN"
    " {s}.hit((y).x)::text; CREATE CAST ({s}.ty AS text) WITH FUNCTION {s}.cast AS ASSIGNMENT;"
    " CREATE TABLE {s}.typed (y {s}.ty, z text GENERATED ALWAYS AS (y::text) STORED); INSERT INTO {s}.typed VALUES (ROW(1))",
    "operator": "CREATE FUNCTION {s}.same(a integer, b integer) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN {s}.hit(a) = b;"
    " CREATE OPERATOR {s}.=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = {s}.same);"
    " ALTER TABLE {s}.notes ADD CHECK (x OPERATOR({s}.===) x)",
    "view": "CREATE VIEW {s}.dblp AS SELECT {s}.hit(1)::bigint AS id",
}
# Called when everything is restored as a superuser.
CALLED = {"matview", "check", "index", "predicate", "generated", "domain", "partition", "cast", "operator"}


@dataclass(frozen=True)
class Attacked:
    """A collection whose members created one kind of object each. :param members: login by kind."""

    settings: Settings
    members: dict[str, str]

    def superusers(self) -> set[str]:
        """Kinds whose member has become a superuser."""
        with open_session(conninfo(self.settings), autocommit=True) as conn:
            rows = conn.execute("SELECT rolname FROM pg_roles WHERE rolsuper").fetchall()
        return {kind for kind, name in self.members.items() if (name,) in rows}


@pytest.fixture(scope="module")
def attacked(server: Settings) -> Iterator[Attacked]:
    settings = replace(server, db=f"attacked_{os.getpid()}")
    create(settings)
    names = {kind: f"m{os.getpid()}_{kind}" for kind in KINDS}
    with open_session(conninfo(settings), autocommit=True) as conn:
        conn.execute(
            "INSERT INTO dblp (id, docno, doc) SELECT n, n::text, jsonb_build_object('title', 'paper ' || n)"
            " FROM generate_series(1, 30) n"
        )
        conn.execute("INSERT INTO dblp_text (id, title) SELECT id, 'paper ' || id FROM dblp")
        conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'paper')")
        conn.execute("INSERT INTO qrels_editions (edition) VALUES ('open')")
        conn.execute("INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT 1, 1, id, id % 2 FROM dblp WHERE id < 9")
        for kind, name in names.items():
            add_member(conn, name, kind="participant", team="red", password="not for the embedded server")  # noqa: S106
            with open_session(conninfo(settings), user=name, password="not for the embedded server") as own:  # noqa: S106
                own.execute((_STRIKE + KINDS[kind]).replace("{s}", name).encode())
    yield Attacked(settings, names)
    with open_session(conninfo(settings), autocommit=True) as conn:
        for name in names.values():
            conn.execute(sql.SQL("ALTER ROLE {} NOSUPERUSER").format(sql.Identifier(name)))
            drop_member(conn, name)
    drop(settings)


@pytest.fixture
def new(server: Settings) -> Iterator[Callable[[], Settings]]:
    """Settings of new collections, which are dropped at the end."""
    made: list[Settings] = []

    def name() -> Settings:
        made.append(replace(server, db=f"attacked_{os.getpid()}_{len(made)}_new"))
        return made[-1]

    yield name
    for one in made:
        with suppress(UnknownObject):
            drop(one)


@pytest.fixture(scope="module")
def done(attacked: Attacked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dump, after a superuser ran everything that an owner does with it."""
    folder = tmp_path_factory.mktemp("dumps")
    dump(attacked.settings, folder / "whole", jobs=1)
    dump_sample(attacked.settings, folder / "sample", part=Excerpt(size("50%")), jobs=1)
    dump_plain(attacked.settings, folder / "plain", jobs=1)
    dump_plain(attacked.settings, folder / "plain-sample", part=Excerpt(size("50%")), jobs=1)
    there = replace(attacked.settings, db=f"{attacked.settings.db}_whole")
    restore(there, folder / "whole", jobs=1)
    drop(there)
    return folder


def _content(path: Path) -> bytes:
    """Return the content of a file of a dump, uncompressed."""
    if path.suffix == ".zst":
        return unpacked_rows(path)
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_code_of_a_member_is_not_run(attacked: Attacked, done: Path, kind: str) -> None:
    assert done.is_dir()
    assert kind not in attacked.superusers()


def test_nothing_of_a_member_is_in_a_dump(attacked: Attacked, done: Path) -> None:
    for folder in ("whole", "sample", "plain", "plain-sample"):
        for path in (done / folder).rglob("*"):
            content = _content(path) if path.is_file() else b""
            assert b"strike" not in content, path
            if folder != "whole":
                assert attacked.members["check"].encode() not in content, path


def test_the_attacks_work_where_everything_is_restored_as_a_superuser(
    attacked: Attacked, tmp_path: Path, admin: psycopg.Connection
) -> None:
    """Proves that the tests above can fail."""
    name = sql.Identifier(f"attacked_{os.getpid()}_control")
    admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(name))
    try:
        major = admin.info.server_version // 10000
        env, dbname = programs.environment(conninfo(attacked.settings))
        command = [programs.find("pg_dump", server=major), "--format=custom", f"--file={tmp_path / 'all'}", f"--dbname={dbname}"]
        subprocess.run(command, env=env, capture_output=True, check=True)
        env, dbname = programs.environment(conninfo(replace(attacked.settings, db=f"attacked_{os.getpid()}_control")))
        command = [programs.find("pg_restore", server=major), "--no-owner", "--no-privileges", f"--dbname={dbname}"]
        subprocess.run([*command, str(tmp_path / "all")], env=env, capture_output=True, check=False)
        assert attacked.superusers() >= CALLED
    finally:
        for member in attacked.members.values():
            admin.execute(sql.SQL("ALTER ROLE {} NOSUPERUSER").format(sql.Identifier(member)))
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def test_schemas_come_back_as_their_owners_and_run_as_nobody_else(
    attacked: Attacked, tmp_path: Path, new: Callable[[], Settings]
) -> None:
    # A cast belongs to no schema, so pg_dump omits it, and objects that need it cannot be created.
    names = [name for kind, name in attacked.members.items() if kind != "cast"]
    wanted = ",".join(names)
    ran = CliRunner().invoke(group, ["dump", str(tmp_path / "d"), "--with-schemas", wanted], obj=attacked.settings)
    assert ran.exit_code == 0, ran.output
    there = new()
    ran = CliRunner().invoke(group, ["restore", str(tmp_path / "d"), "--db", there.db, "--with-schemas", wanted], obj=there)
    assert ran.exit_code == 0, (ran.output, ran.exception)
    assert attacked.superusers() == set()
    objects = (
        "SELECT n.nspname, c.relname, pg_get_userbyid(c.relowner) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = ANY (%s) ORDER BY 1, 2"
    )
    with open_session(conninfo(attacked.settings)) as whole, open_session(conninfo(there)) as conn:
        assert conn.execute(objects, [names]).fetchall() == whole.execute(objects, [names]).fetchall() != []
        assert conn.execute("SELECT FROM pg_roles WHERE rolname LIKE 'stc_restoring%'").fetchall() == []
        assert all(
            conn.execute("SELECT NOT has_database_privilege(%s, current_database(), 'CREATE')", [name]).fetchone() == (True,)
            for name in names
        )
    left = new()
    ran = CliRunner().invoke(group, ["restore", str(tmp_path / "d"), "--db", left.db], obj=left)
    assert ran.exit_code == 0, ran.output
    assert "skipped the schemas" in ran.output
    with open_session(conninfo(left)) as conn:
        assert conn.execute("SELECT FROM pg_namespace WHERE nspname = ANY (%s)", [names]).fetchall() == []


def test_a_schema_of_a_superuser_is_given_to_the_member_that_the_user_names(
    attacked: Attacked, tmp_path: Path, new: Callable[[], Settings]
) -> None:
    source, there = new(), new()
    create(source)
    with open_session(conninfo(source), autocommit=True) as conn:
        conn.execute('CREATE SCHEMA "My notes" CREATE TABLE n (doc bigint REFERENCES public.dblp (id) ON DELETE CASCADE)')
        conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
        conn.execute('INSERT INTO "My notes".n VALUES (1)')
    dump(source, tmp_path / "d", with_schemas=["My notes"])
    with pytest.raises(BadArgument, match="does not contain the schema 'other'"):
        restore(there, tmp_path / "d", with_schemas=["other"])
    with pytest.raises(BadArgument, match="the schema 'My notes' cannot be given to"):
        restore(there, tmp_path / "d", with_schemas=["My notes"])
    member = attacked.members["view"]
    restore(there, tmp_path / "d", with_schemas=[f"My notes={member}"])
    with open_session(conninfo(there), autocommit=True) as conn:
        assert conn.execute('SELECT doc FROM "My notes".n').fetchall() == [(1,)]
        assert conn.execute(
            "SELECT DISTINCT pg_get_userbyid(c.relowner) FROM pg_class c WHERE relnamespace = '\"My notes\"'::regnamespace"
        ).fetchall() == [(member,)]


def test_a_later_login_of_a_name_gets_nothing_of_the_former_one(
    server: Settings, admin: psycopg.Connection, tmp_path: Path, new: Callable[[], Settings]
) -> None:
    source, there, name = new(), new(), f"former{os.getpid()}"
    create(source)
    with open_session(conninfo(source), autocommit=True) as conn:
        conn.execute(
            "INSERT INTO st1_queries (query, text) VALUES ('q', 'x'); INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')"
        )
        conn.execute("INSERT INTO st1_runs (run, team) VALUES ('theirs', 'red')")
        add_member(conn, name, kind="participant", team="red", password="x")  # noqa: S106
        with open_session(conninfo(source), user=name, password="x", autocommit=True) as own:  # noqa: S106
            own.execute(
                "INSERT INTO stc.unfinished_runs (run, maker, params, state, queries) VALUES ('half', current_user, '{}', '{}', 1)"
            )
            own.execute("SELECT add_system('theirs', 'bm25_search(text, integer, jsonb, text)')")
        conn.execute("SELECT add_system('ours', 'bm25_search(text, integer, jsonb, text)')")
        assert conn.execute("SELECT run, maker FROM stc.unfinished_runs").fetchall() == [("half", name)]
    dump(source, tmp_path / "d")
    dump_sample(source, tmp_path / "s", part=Excerpt(size("100%")))
    with open_session(conninfo(source), autocommit=True) as conn:
        drop_member(conn, name)
    drop(source)
    for folder in ("d", "s"):
        done = restore(there, tmp_path / folder)
        assert ("skipped the unfinished runs half" in done.notes) == (folder == "d")
        assert "skipped the systems theirs, which participants added for themselves" in done.notes
        assert [note.partition(" (")[2] for note in done.notes if "members of teams" in note] == (
            [f"red: {name}): add them again with 'stc db user NAME --role participant --team TEAM'"] if folder == "d" else []
        )
        with open_session(conninfo(there), autocommit=True) as conn:
            database = sql.Identifier(there.db)
            conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x' IN ROLE stc_participant").format(sql.Identifier(name)))
            conn.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, sql.Identifier(name)))
            with open_session(conninfo(there), user=name, password="x") as own:  # noqa: S106
                assert own.execute("SELECT my_team()").fetchone() == (None,)
                assert own.execute("SELECT count(*) FROM stc.unfinished_runs").fetchone() == (0,)
                assert own.execute("SELECT system, maker FROM stc.own_systems").fetchall() == [("ours", None)]
            drop_member(conn, name)
        drop(there)


@pytest.mark.parametrize("name", ["public", "pg_catalog", "nonesuch", "information_schema", "a'b\"c"])
def test_other_schemas_are_named(attacked: Attacked, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadArgument, match="there is no schema"):
        dump(attacked.settings, tmp_path / "d", with_schemas=[name])
    assert not (tmp_path / "d").exists()


def test_rows_are_read_and_written_as_the_collections_owner(
    attacked: Attacked, tmp_path: Path, new: Callable[[], Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[object] = set()
    save, load = rows.save, rows.load

    def watch(real: Callable[..., Any]) -> Callable[..., Any]:
        def watched(conn: psycopg.Connection, *arguments: Any, **named: Any) -> Any:
            seen.add(conn.execute("SELECT current_user, current_setting('search_path')").fetchone())
            return real(conn, *arguments, **named)

        return watched

    monkeypatch.setattr(rows, "save", watch(save))
    monkeypatch.setattr(rows, "load", watch(load))
    dump(attacked.settings, tmp_path / "d", jobs=2)
    assert seen == {("stc_owner", "pg_catalog, public, pg_temp")}
    seen.clear()
    dump_sample(attacked.settings, tmp_path / "s", part=Excerpt(size("50%")), jobs=2)
    restore(new(), tmp_path / "s", jobs=2)
    assert seen == {("stc_owner", "pg_catalog, public, pg_temp")}


def test_an_owner_who_is_no_superuser_dumps_and_restores(
    server: Settings, admin: psycopg.Connection, template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert template  # creating it created the roles

    def trusted(conn: psycopg.Connection, _: object = None) -> list[str]:
        """Install pgvector as an administrator if it is not a trusted extension."""
        with open_session(conninfo(server, db=conn.info.dbname), autocommit=True) as one:
            one.execute("CREATE EXTENSION vector SCHEMA public")
        return []

    monkeypatch.setattr(module, "make_extensions", trusted)
    name = f"plain_owner_{os.getpid()}"
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB CREATEROLE PASSWORD 'x'").format(sql.Identifier(name)))
    admin.execute(sql.SQL("GRANT stc_owner TO {} WITH INHERIT TRUE, SET TRUE, ADMIN TRUE").format(sql.Identifier(name)))
    admin.execute(sql.SQL("GRANT stc_reader TO {} WITH INHERIT FALSE, SET FALSE, ADMIN TRUE").format(sql.Identifier(name)))
    admin.execute(sql.SQL("GRANT CONNECT ON DATABASE postgres TO {}").format(sql.Identifier(name)))
    own = replace(server, dsn=make_conninfo(conninfo(server), user=name, password="x"), db=name)  # noqa: S106
    there = replace(own, db=f"{name}_2")
    try:
        admin.execute(sql.SQL("CREATE DATABASE {n} OWNER {n} TEMPLATE template0 ENCODING 'UTF8'").format(n=sql.Identifier(name)))
        with open_session(conninfo(own), autocommit=True) as conn:
            trusted(conn)
            upgrade(own)
            conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}'), (2, '2', '{}')")
            conn.execute("CREATE SCHEMA notes CREATE TABLE n (x integer)")
            add_member(conn, f"{name}_ben", kind="reader", password="x")  # noqa: S106
        dump(own, tmp_path / "d", with_schemas=["notes"])
        done = restore(there, tmp_path / "d", with_schemas=[f"notes={name}_ben"])
        assert done.rows >= 2
        dump_sample(own, tmp_path / "s", part=Excerpt(size("1")))
        dump_plain(own, tmp_path / "p")
        with open_session(conninfo(there)) as conn:
            owner = "(SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'n' AND relkind = 'r')"
            assert conn.execute(f"SELECT count(*), {owner} FROM dblp".encode()).fetchone() == (2, f"{name}_ben")
            assert conn.execute("SELECT pg_has_role(%s, 'USAGE')", [f"{name}_ben"]).fetchone() == (False,)
    finally:
        for one in (own, there):
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(one.db)))
        admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(f"{name}_ben")))
        admin.execute(sql.SQL("DROP OWNED BY {n}; DROP ROLE {n}").format(n=sql.Identifier(name)).as_string().encode())


# --- manipulated dumps with a correct digest and checksums


class Tampered:
    """A copy of a dump for arbitrary changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.content: dict[str, Any] = json.loads((folder / manifest.NAME).read_text())

    def put(self, file: str, content: bytes, *, unpacked: int | None = None) -> None:
        """Write the rows of a table, uncompressed."""
        path = self.folder / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zstandard.compress(content))
        self.content["files"][file] = {"unpacked": len(content) if unpacked is None else unpacked}

    def rows(self, table: str) -> bytes:
        return _content(self.folder / rows.file_name(table))

    def write(self) -> None:
        for name, said in (self.content["files"] or {}).items():
            path = self.folder / name
            if len(path.name) < 256 and path.is_file():
                said |= {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        content = {key: value for key, value in self.content.items() if key != "digest"}
        (self.folder / manifest.NAME).write_text(json.dumps({**content, "digest": manifest._digest(content)}))


def _unknown_table(one: Tampered) -> str:
    one.put(rows.file_name("notes"), b"1\n")
    one.content["columns"]["notes"] = ["x"]
    return "tables that a collection of its revision does not have: notes"


def _system_table(one: Tampered) -> str:
    one.put(rows.file_name("pg_authid"), b"1\n")
    one.content["columns"]["pg_authid"] = ["oid"]
    return "does not have: pg_authid"


def _path(one: Tampered) -> str:
    one.content["columns"]["../../../etc/passwd"] = ["x"]
    return "does not have: ../../../etc/passwd"


def _path_of_a_file(one: Tampered) -> str:
    one.content["files"]["data/../../x"] = {"bytes": 0, "sha256": "", "unpacked": 0}
    return "outside the dump"


def _extra_column(one: Tampered) -> str:
    one.content["columns"]["dblp"].append("evil")
    return "columns of dblp that the table does not have: evil"


def _computed_column(one: Tampered) -> str:
    one.content["columns"]["dblp_text"].append("tsv")
    return "columns of dblp_text that the table does not have: tsv"


def _column_twice(one: Tampered) -> str:
    one.content["columns"]["dblp"].append("id")
    return "columns of dblp"


def _injected_column(one: Tampered) -> str:
    one.content["columns"]["dblp"] = ["id) FROM PROGRAM 'touch /tmp/x' --"]
    return "columns of dblp"


def _bomb(one: Tampered) -> str:
    one.put(rows.file_name("dblp"), b"0" * 30_000_000, unpacked=1000)
    return "unpacks to more than the 1,000 bytes"


def _shorter(one: Tampered) -> str:
    one.put(rows.file_name("dblp"), b"", unpacked=1000)
    return "unpacks to 0 bytes, not the 1,000"


def _not_packed(one: Tampered) -> str:
    (one.folder / rows.file_name("dblp")).write_bytes(b"\x1f\x8bnothing")
    return "cannot be unpacked"


def _swapped(one: Tampered) -> str:
    one.put(rows.file_name("dblp"), one.rows("dblp_text"))
    return "rows of public.dblp do not match the table"


def _fewer_rows(one: Tampered) -> str:
    one.put(rows.file_name("dblp_text"), one.rows("dblp_text").split(b"\n", 1)[1])
    return "public.dblp_text has 29 rows, not 30"


def _end_in_the_middle(one: Tampered) -> str:
    first, rest = one.rows("dblp_text").split(b"\n", 1)
    one.put(rows.file_name("dblp_text"), first + b"\n\\.\n" + rest)
    return r"do not match the table|public.dblp_text has \d+ rows?, not 30"


def _no_parent(one: Tampered) -> str:
    one.put(rows.file_name("dblp_text"), one.rows("dblp_text").replace(b"30\t", b"31\t", 1))
    return "rows of the dump are inconsistent"


def _model(relation: str) -> Callable[[Tampered], str]:
    def change(one: Tampered) -> str:
        columns = one.content["columns"]["vector_models"]
        values = {"model": "m", "name": "n", "dim": "3", "relation": relation}
        one.put(rows.file_name("vector_models"), "\t".join(values.get(name, "\\N") for name in values).encode() + b"\n")
        one.content["columns"]["vector_models"] = list(values)
        one.content["tables"]["stc.vector_models"] = 1
        assert set(values) <= set(columns)
        return "which is not a table of vectors|vector_models_relation_check"

    return change


def _sequence(one: Tampered) -> str:
    one.content["sequences"]["x'; DROP TABLE dblp; --"] = 1
    return "which a collection does not have"


def _register(one: Tampered) -> str:
    one.put(rows.file_name("stc_objects"), b"")
    one.content["columns"]["stc_objects"] = ["file"]
    return "rows of stc_objects"


def _sequence_beyond(one: Tampered) -> str:
    one.content["sequences"]["dblp_id_seq"] = 10**30
    return "value 10{30} for the sequence 'dblp_id_seq'"


def _long_name(one: Tampered) -> str:
    one.content["files"]["data/" + "a" * 300] = {"bytes": 0, "sha256": ""}
    return "lacks the file data/aaa"


def _template(one: Tampered) -> str:
    one.content["text_search"]["dictionaries"] = [{"name": "d", "template": "evil", "options": []}]
    return "template 'evil'"


def _option(one: Tampered) -> str:
    one.content["text_search"]["dictionaries"] = [{"name": "d", "template": "simple", "options": [["x) ; SELECT (", "1"]]}]
    return "unknown template"


def _malformed_search(one: Tampered) -> str:
    one.content["text_search"]["configurations"] = ["english"]
    return "invalid description of text search"


def _older_revision(one: Tampered) -> str:
    one.content["revision"] = "0007"
    return "a collection of version 0.1"


def _garbage(name: str, value: object) -> Callable[[Tampered], str]:
    def change(one: Tampered) -> str:
        one.content[name] = value
        return f"not a manifest of this format: '{name}'"

    return change


TAMPERED: dict[str, Callable[[Tampered], str]] = {
    "unknown table": _unknown_table, "system table": _system_table, "path": _path, "path of a file": _path_of_a_file,
    "extra column": _extra_column, "computed column": _computed_column, "column twice": _column_twice,
    "injected column": _injected_column, "bomb": _bomb, "shorter": _shorter, "not packed": _not_packed, "swapped": _swapped,
    "fewer rows": _fewer_rows, "end in the middle": _end_in_the_middle, "no parent": _no_parent,
    "model's table": _model("pg_authid"), "model's statement": _model('dblp_v_x"; DROP TABLE dblp; --'), "sequence": _sequence,
    "sequence beyond": _sequence_beyond, "long name": _long_name,
    "register": _register, "template": _template, "option": _option, "search": _malformed_search, "revision": _older_revision,
    "rows": _garbage("tables", {"public.dblp": "many"}), "less than no rows": _garbage("tables", {"public.dblp": -1}),
    "columns": _garbage("columns", {"dblp": [1]}), "sequences": _garbage("sequences", {"dblp_id_seq": "1"}),
    "schemas": _garbage("schemas", {"x": 1}), "editions": _garbage("editions", {"open": 1}),
    "indexes": _garbage("indexes", {"text": "x"}), "notes": _garbage("notes", [{}]),
    "files": _garbage("files", {"x": {"bytes": -1}}),
    "no files": _garbage("files", None), "extensions": _garbage("extensions", {"vector": 1}),
}  # fmt: skip


def test_a_changed_dump_is_refused(done: Path, new: Callable[[], Settings], tmp_path: Path, subtests: pytest.Subtests) -> None:
    there = new()
    before = databases(there)
    for name, change in draw(TAMPERED.items()):
        with subtests.test(name):
            folder = tmp_path / name
            shutil.copytree(done / "whole", folder)
            tampered = Tampered(folder)
            message = change(tampered)
            tampered.write()
            with pytest.raises(StcError, match=message) as error:
                restore(there, folder, jobs=1)
            assert error.value.hint
            assert databases(there) == before


def test_a_dump_makes_no_extension_but_those_of_a_collection(done: Path, new: Callable[[], Settings], tmp_path: Path) -> None:
    shutil.copytree(done / "whole", tmp_path / "d")
    one = Tampered(tmp_path / "d")
    one.content["extensions"] |= {name: {"version": "1", "schema": "public"} for name in ("file_fdw", "dblink", "x; --")}
    one.write()
    there = new()
    assert any("dblink, file_fdw, x; --" in note for note in restore(there, tmp_path / "d").notes)
    with open_session(conninfo(there)) as conn:
        assert conn.execute("SELECT FROM pg_extension WHERE extname IN ('file_fdw', 'dblink')").fetchall() == []
        # Other users of the server cannot access the restored collection.
        assert conn.execute(
            "SELECT has_database_privilege('public', current_database(), 'CONNECT'),"
            " has_schema_privilege('public', 'public', 'CREATE')"
        ).fetchone() == (False, False)


def test_a_link_in_the_place_of_the_folder_is_not_followed(done: Path, new: Callable[[], Settings], tmp_path: Path) -> None:
    shutil.copytree(done / "whole", tmp_path / "d")
    (tmp_path / "d" / "data").rename(tmp_path / "elsewhere")
    (tmp_path / "d" / "data").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="lacks the file data/"):
        restore(new(), tmp_path / "d")


@pytest.mark.parametrize("kind", ["link", "device", "pipe"])
def test_a_manifest_that_is_no_plain_file_is_not_read(done: Path, new: Callable[[], Settings], tmp_path: Path, kind: str) -> None:
    (tmp_path / "d").mkdir()
    path = tmp_path / "d" / manifest.NAME
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(done / "whole" / manifest.NAME if kind == "link" else "/dev/zero")
    with pytest.raises(BadInput, match="is a link, or not a regular file"):
        restore(new(), tmp_path / "d")


def test_what_a_dump_says_is_shown_without_control_characters(done: Path, new: Callable[[], Settings], tmp_path: Path) -> None:
    shutil.copytree(done / "whole", tmp_path / "d")
    one = Tampered(tmp_path / "d")
    one.content |= {"made": "\x1b]0;x\x07\nlong ago", "notes": ["\x1b[31m"]}
    one.write()
    there = new()
    ran = CliRunner().invoke(group, ["restore", str(tmp_path / "d"), "--db", there.db], obj=there)
    assert ran.exit_code == 0, ran.output
    assert "\x1b" not in ran.output
    assert r"dumped on \x1b]0;x\x07\nlong ago" in ran.output
