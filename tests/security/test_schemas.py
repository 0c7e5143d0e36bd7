"""Schemas in a dump from a stranger: their code gets no rights, and their archives read nothing outside the dump."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from stcollection.db.backup.dump import dump
from stcollection.db.backup.restore import restore
from stcollection.db.collections import create, drop
from stcollection.db.connection import conninfo
from stcollection.db.members import Kind, add_member, drop_member
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument, BadInput, ProgramFailed, StateError, StcError, UnknownObject
from tests.db.handed import databases
from tests.db.set_back import set_back
from tests.security.test_backups import Tampered

pytestmark = pytest.mark.long

Made = Callable[[str], Settings]


@pytest.fixture
def made(server: Settings) -> Iterator[Made]:
    """Collections that are removed at the end, made or only named."""
    found: list[Settings] = []

    def name(statements: str = "") -> Settings:
        found.append(replace(server, db=f"schemas_{os.getpid()}_{len(found)}"))
        if statements:
            create(found[-1])
            with open_session(conninfo(found[-1]), autocommit=True) as conn:
                conn.execute(statements.encode())
        return found[-1]

    yield name
    for one in found:
        with suppress(UnknownObject):
            drop(one)


def _patched(folder: Path, before: bytes, after: bytes) -> None:
    """Change the text of an archive's table of contents, with checksums that fit."""
    one = Tampered(folder)
    path = folder / "schemas" / "001" / "toc.dat"
    content = path.read_bytes()
    assert before in content
    path.write_bytes(content.replace(before, after))
    one.write()


def _string(text: bytes) -> bytes:
    """A text as pg_dump's table of contents has it."""
    return b"\0" + len(text).to_bytes(4, "little") + text


def test_a_schema_of_the_name_of_a_superuser_is_no_part_of_our_searches(
    made: Made, anna: tuple[Settings, str], admin: psycopg.Connection, tmp_path: Path
) -> None:
    user = admin.info.user
    source = made(
        f'CREATE SCHEMA "{user}";'
        " INSERT INTO qrels_editions (edition) VALUES ('open');"
        f' CREATE FUNCTION "{user}".to_jsonb(public.qrels_editions) RETURNS jsonb LANGUAGE plpgsql AS $$'
        " BEGIN IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN"
        f" EXECUTE 'COMMENT ON ROLE stc_reader IS ''struck {os.getpid()}'''; END IF; RETURN '{{}}'; END $$"
    )
    dump(source, tmp_path / "d", with_schemas=[user])
    there = made("")
    before = databases(there)
    for wanted, message in ((user, "cannot be given to"), (f"{user}={anna[1]}", f"the schema '{user}' has the name of a login")):
        with pytest.raises(StcError, match=message):
            restore(there, tmp_path / "d", with_schemas=[wanted])
    assert databases(there) == before
    said = admin.execute("SELECT shobj_description('stc_reader'::regrole, 'pg_authid')").fetchone()
    assert said is not None
    assert "struck" not in said[0]


# Code that needs no caller: autovacuum evaluates an index as the owner of its table.
_INDEXED = """
CREATE FUNCTION {s}.strike() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF current_user = 'stc_owner' OR (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        COMMENT ON TABLE public.dblp IS 'struck';
    END IF;
END $$;
CREATE FUNCTION {s}.hit(x bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN PERFORM {s}.strike(); RETURN x; END $$;
CREATE TABLE {s}.n (x bigint);
INSERT INTO {s}.n SELECT n FROM generate_series(1, 100) n;
CREATE INDEX ON {s}.n ({s}.hit(x));
CREATE STATISTICS {s}.st ON ({s}.hit(x)) FROM {s}.n
"""


@pytest.fixture
def anna(made: Made) -> Iterator[tuple[Settings, str]]:
    """A collection with a participant, and her name."""
    name = f"anna{os.getpid()}"
    there = made("SELECT")
    with open_session(conninfo(there), autocommit=True) as conn:
        add_member(conn, name, kind="participant", team="red", password="not for the embedded server")  # noqa: S106
    yield there, name
    with open_session(conninfo(there), autocommit=True) as conn, suppress(UnknownObject):
        drop_member(conn, name)


def test_a_schema_whose_owner_is_no_member_here_is_refused(made: Made, anna: tuple[Settings, str], tmp_path: Path) -> None:
    source, name = anna
    with open_session(conninfo(source), user=name, password="not for the embedded server") as own:  # noqa: S106
        own.execute(_INDEXED.replace("{s}", name).encode())
    dump(source, tmp_path / "d", with_schemas=[name])
    with open_session(conninfo(source), autocommit=True) as conn:
        drop_member(conn, name)
    there = made("")
    before = databases(there)
    with pytest.raises(BadArgument, match=f"'{name}', who is not a participant or reader on this server") as error:
        restore(there, tmp_path / "d", with_schemas=[name])
    assert "stc db user" in str(error.value.hint)
    assert f"--with-schemas {name}=LOGIN" in str(error.value.hint)
    assert databases(there) == before


def test_autovacuum_runs_no_restored_code_with_rights(
    made: Made, anna: tuple[Settings, str], admin: psycopg.Connection, tmp_path: Path
) -> None:
    source = made("CREATE SCHEMA notes")
    with open_session(conninfo(source), autocommit=True) as conn:
        conn.execute("ALTER SCHEMA notes OWNER TO stc_reader; SET ROLE stc_reader")
        conn.execute(_INDEXED.replace("{s}", "notes").encode())
    dump(source, tmp_path / "d", with_schemas=["notes"])
    nobody = f"nobody{os.getpid()}"
    admin.execute(f"CREATE ROLE {nobody} NOLOGIN".encode())
    for to in (anna[1], nobody):
        there = made("")
        restore(there, tmp_path / "d", with_schemas=[f"notes={to}"])
        with open_session(conninfo(there), autocommit=True) as conn:
            owners = conn.execute(
                "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'notes' UNION"
                " SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 'notes'::regnamespace UNION"
                " SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace = 'notes'::regnamespace UNION"
                " SELECT pg_get_userbyid(stxowner) FROM pg_statistic_ext WHERE stxnamespace = 'notes'::regnamespace"
            ).fetchall()
            assert owners == [(to,)]
            conn.execute("VACUUM (ANALYZE)")  # what autovacuum does, by a superuser
            conn.execute("REINDEX SCHEMA notes")
            assert conn.execute("SELECT obj_description('dblp'::regclass, 'pg_class')").fetchone() != ("struck",)
            # As the former owner of such schemas, the same statements do strike: the test can fail.
            for kind, what in (("SCHEMA", "notes"), ("TABLE", "notes.n"), ("FUNCTION", "notes.hit")):
                conn.execute(f"ALTER {kind} {what} OWNER TO stc_owner".encode())
            conn.execute("ANALYZE notes.n")
            assert conn.execute("SELECT obj_description('dblp'::regclass, 'pg_class')").fetchone() == ("struck",)
        drop(there)
    admin.execute(f"DROP ROLE {nobody}".encode())


@pytest.mark.parametrize("kind", ["owner", "organiser", "reader"])
def test_no_login_gets_the_name_of_a_schema_of_another_one(anna: tuple[Settings, str], kind: Kind) -> None:
    there, name = anna
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute(f"CREATE SCHEMA notes AUTHORIZATION {name}".encode())
        with pytest.raises(StateError, match=f"there is a schema 'notes' that belongs to {name}"):
            add_member(conn, "notes", kind=kind, password="not for the embedded server")  # noqa: S106
        assert conn.execute("SELECT FROM pg_roles WHERE rolname = 'notes'").fetchone() is None


def test_an_archive_grants_nothing_on_its_schema(made: Made, anna: tuple[Settings, str], tmp_path: Path) -> None:
    note = "x" * 200
    source = made(
        "CREATE SCHEMA notes; CREATE FUNCTION notes.f() RETURNS bigint LANGUAGE sql SECURITY DEFINER"
        f" RETURN (SELECT count(*) FROM public.qrels_judgments); COMMENT ON FUNCTION notes.f() IS '{note}'"
    )
    dump(source, tmp_path / "d", with_schemas=["notes"])
    text = f"COMMENT ON FUNCTION notes.f() IS '{note}'".encode()
    _patched(tmp_path / "d", text, b"GRANT USAGE ON SCHEMA notes TO PUBLIC; --".ljust(len(text), b" "))
    there = made("")
    restore(there, tmp_path / "d", with_schemas=[f"notes={anna[1]}"])
    with open_session(conninfo(there)) as conn:
        row = conn.execute(
            "SELECT nspowner::regrole::text, has_schema_privilege('public', oid, 'USAGE') FROM pg_namespace WHERE nspname = 'notes'"
        ).fetchone()
        assert row == (anna[1], False)


@pytest.mark.parametrize("how", ["path", "link"])
def test_an_archive_reads_no_file_outside_the_dump(made: Made, anna: tuple[Settings, str], tmp_path: Path, how: str) -> None:
    source = made("CREATE SCHEMA notes; CREATE TABLE notes.n (x text); INSERT INTO notes.n VALUES ('mine')")
    secret = tmp_path / "secret.dat"
    secret.write_text("secret\n\\.\n")
    dump(source, tmp_path / "d", with_schemas=["notes"])
    [path] = [one for one in (tmp_path / "d" / "schemas" / "001").iterdir() if one.name != "toc.dat"]
    name = path.name.encode()
    if how == "path":
        plain = name.removesuffix(b".gz")
        _patched(tmp_path / "d", _string(plain), _string(b"../../../secret.dat"))
    else:
        one = Tampered(tmp_path / "d")
        del one.content["files"][f"schemas/001/{path.name}"]
        path.unlink()
        path.with_name(path.name.removesuffix(".gz")).symlink_to(secret)
        one.write()
    there = made("")
    before = databases(there)
    with pytest.raises(BadInput, match=r"outside the dump|does not list"):
        restore(there, tmp_path / "d", with_schemas=[f"notes={anna[1]}"])
    assert databases(there) == before


def test_an_archive_has_no_large_objects(made: Made, anna: tuple[Settings, str], tmp_path: Path) -> None:
    source = made("CREATE SCHEMA notes; CREATE TABLE notes.n (x text); COMMENT ON TABLE notes.n IS 'y'")
    dump(source, tmp_path / "d", with_schemas=["notes"])
    _patched(tmp_path / "d", _string(b"COMMENT"), _string(b"BLOBS"))
    with pytest.raises(BadInput, match="large objects"):
        restore(made(""), tmp_path / "d", with_schemas=[f"notes={anna[1]}"])


def test_no_key_of_a_schema_refers_to_our_tables(made: Made, anna: tuple[Settings, str], tmp_path: Path) -> None:
    source = made(
        "CREATE SCHEMA notes CREATE TABLE n (doc bigint REFERENCES public.dblp ON DELETE CASCADE, x bigint REFERENCES public.dblp);"
        " CREATE FUNCTION notes.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'struck'; END $$;"
        " CREATE TRIGGER t AFTER DELETE ON notes.n FOR EACH ROW EXECUTE FUNCTION notes.f();"
        " CREATE TABLE notes.o (x integer PRIMARY KEY, y integer REFERENCES notes.o);"
        " INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}'); INSERT INTO notes.n VALUES (1)"
    )
    dump(source, tmp_path / "d", with_schemas=["notes"])
    there = made("")
    done = restore(there, tmp_path / "d", with_schemas=[f"notes={anna[1]}"])
    assert [note for note in done.notes if "skipped the foreign key n n_doc_fkey of the schema notes" in note]
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute("DELETE FROM dblp")
        keys = conn.execute("SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace = 'notes'::regnamespace")
        assert keys.fetchall() == [("o_y_fkey",)]


def test_an_archive_checks_no_key_of_our_tables_with_a_cast_of_its_own(
    made: Made, anna: tuple[Settings, str], tmp_path: Path
) -> None:
    """PostgreSQL checks a foreign key as the owner of the referenced table, and calls an implicit cast for it."""
    note = "x" * 900
    source = made(f"CREATE SCHEMA notes CREATE TABLE n (x bigint); COMMENT ON TABLE notes.n IS '{note}'")
    dump(source, tmp_path / "d", with_schemas=["notes"])
    text = f"COMMENT ON TABLE notes.n IS '{note}'".encode()
    forged = """
CREATE TYPE notes.t AS (x bigint);
CREATE FUNCTION notes.strike() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
    IF current_user = 'stc_owner' THEN COMMENT ON TABLE public.dblp IS 'struck'; END IF; RETURN 1;
END $$;
CREATE FUNCTION notes.c(y notes.t) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN notes.strike(); END $$;
CREATE CAST (notes.t AS bigint) WITH FUNCTION notes.c AS IMPLICIT;
GRANT USAGE ON SCHEMA notes TO PUBLIC;
CREATE TABLE notes.k (y notes.t REFERENCES public.dblp (id));
INSERT INTO notes.k VALUES (ROW(1)); --"""
    _patched(tmp_path / "d", text, forged.encode().ljust(len(text), b" "))
    there = made("")
    before = databases(there)
    with pytest.raises(ProgramFailed, match="permission denied for table dblp"):
        restore(there, tmp_path / "d", with_schemas=[f"notes={anna[1]}"])
    assert databases(there) == before


@pytest.mark.parametrize("to", ["stc_organiser", "stc_participant", "stc_owner", "organiser", "superuser", "nonesuch", ""])
@pytest.mark.parametrize("how", ["dump", "option"])
def test_a_schema_is_given_to_no_role_with_rights(
    made: Made, anna: tuple[Settings, str], admin: psycopg.Connection, tmp_path: Path, to: str, how: str
) -> None:
    source, name = anna
    with open_session(conninfo(source), autocommit=True) as conn:
        drop_member(conn, name)
        add_member(conn, name, kind="organiser", password="not for the embedded server")  # noqa: S106
        conn.execute("CREATE SCHEMA notes")
    role = {"organiser": name, "superuser": admin.info.user}.get(to, to)
    dump(source, tmp_path / "d", with_schemas=["notes"])
    one = Tampered(tmp_path / "d")
    one.content["schemas"] = {"notes": role if how == "dump" else "stc_owner"}
    one.write()
    with pytest.raises(BadArgument, match="the schema 'notes' cannot be given to"):
        restore(made(""), tmp_path / "d", with_schemas=["notes" if how == "dump" else f"notes={role}"])


def test_an_upgrade_names_code_that_an_earlier_restore_gave_to_a_role_with_rights(
    made: Made, anna: tuple[Settings, str], admin: psycopg.Connection
) -> None:
    there, name = anna
    with open_session(conninfo(there), user=name, password="not for the embedded server") as own:  # noqa: S106
        own.execute(_INDEXED.replace("{s}", name).encode())  # her own, with her rights
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute("CREATE SCHEMA notes; CREATE SCHEMA plain CREATE TABLE t (x bigint DEFAULT 1 CHECK (x > 0))")
        conn.execute(_INDEXED.replace("{s}", "notes").encode())
        conn.execute(
            f"CREATE TABLE public.mixed (x bigint CHECK (pg_catalog.int8larger(x, {name}.hit(x)) = x));"
            f" ALTER TABLE public.mixed OWNER TO stc_owner;"
            " CREATE FUNCTION notes.fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
            " CREATE TRIGGER planted BEFORE INSERT ON public.st1_runs FOR EACH ROW EXECUTE FUNCTION notes.fire();"
            " CREATE VIEW plain.v AS SELECT * FROM public.dblp".encode()
        )
        for kind, what in (("SCHEMA", "notes"), ("TABLE", "notes.n"), ("FUNCTION", "notes.hit"), ("FUNCTION", "notes.strike")):
            conn.execute(f"ALTER {kind} {what} OWNER TO stc_owner".encode())
        set_back(conn)
    notes = [note for note in upgrade(there).notes if "has code of" in note]
    assert [note.split(" that ")[0] for note in notes] == [
        f"the schema notes has code of {admin.info.user}",
        "the schema notes has code of stc_owner",
        "the schema public has code of stc_owner",
    ]
    assert "function notes.fire()" in notes[0]
    for part in ("function notes.strike()", "function notes.hit(bigint)", "index notes.n_hit_idx", "statistics object notes.st"):
        assert part in notes[1]
    assert notes[1].endswith('remove it: DROP SCHEMA "notes" CASCADE')
    assert "constraint mixed_check on table mixed" in notes[2] or "constraint mixed_x_check on table mixed" in notes[2]
    assert "trigger planted on table st1_runs" in notes[2]
    assert not [note for note in upgrade(there, force=True).notes if "has code of" in note]
