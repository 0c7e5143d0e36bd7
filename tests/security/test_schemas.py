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
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, StcError, UnknownObject
from tests.db.handed import databases
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
    made: Made, admin: psycopg.Connection, tmp_path: Path
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
    with pytest.raises(StcError, match=f"the schema '{user}' has the name of a login"):
        restore(there, tmp_path / "d", with_schemas=[user])
    assert databases(there) == before
    said = admin.execute("SELECT shobj_description('stc_reader'::regrole, 'pg_authid')").fetchone()
    assert said is not None
    assert "struck" not in said[0]


def test_an_archive_grants_nothing_on_a_schema_that_becomes_the_owners(made: Made, tmp_path: Path) -> None:
    note = "x" * 200
    source = made(
        "CREATE SCHEMA notes; CREATE FUNCTION notes.f() RETURNS bigint LANGUAGE sql SECURITY DEFINER"
        f" RETURN (SELECT count(*) FROM public.qrels_judgments); COMMENT ON FUNCTION notes.f() IS '{note}'"
    )
    dump(source, tmp_path / "d", with_schemas=["notes"])
    text = f"COMMENT ON FUNCTION notes.f() IS '{note}'".encode()
    _patched(tmp_path / "d", text, b"GRANT USAGE ON SCHEMA notes TO PUBLIC; --".ljust(len(text), b" "))
    there = made("")
    restore(there, tmp_path / "d", with_schemas=["notes"])
    with open_session(conninfo(there)) as conn:
        row = conn.execute(
            "SELECT nspowner::regrole::text, has_schema_privilege('public', oid, 'USAGE') FROM pg_namespace WHERE nspname = 'notes'"
        ).fetchone()
        assert row == ("stc_owner", False)


@pytest.mark.parametrize("how", ["path", "link"])
def test_an_archive_reads_no_file_outside_the_dump(made: Made, tmp_path: Path, how: str) -> None:
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
        restore(there, tmp_path / "d", with_schemas=["notes"])
    assert databases(there) == before


def test_an_archive_has_no_large_objects(made: Made, tmp_path: Path) -> None:
    source = made("CREATE SCHEMA notes; CREATE TABLE notes.n (x text); COMMENT ON TABLE notes.n IS 'y'")
    dump(source, tmp_path / "d", with_schemas=["notes"])
    _patched(tmp_path / "d", _string(b"COMMENT"), _string(b"BLOBS"))
    with pytest.raises(BadInput, match="large objects"):
        restore(made(""), tmp_path / "d", with_schemas=["notes"])


def test_changes_of_our_tables_run_no_code_of_a_schema(made: Made, tmp_path: Path) -> None:
    source = made(
        "CREATE SCHEMA notes CREATE TABLE n (doc bigint REFERENCES public.dblp ON DELETE CASCADE, x bigint REFERENCES public.dblp);"
        " CREATE FUNCTION notes.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'struck'; END $$;"
        " CREATE TRIGGER t AFTER DELETE ON notes.n FOR EACH ROW EXECUTE FUNCTION notes.f();"
        " INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}'); INSERT INTO notes.n VALUES (1)"
    )
    dump(source, tmp_path / "d", with_schemas=["notes"])
    there = made("")
    done = restore(there, tmp_path / "d", with_schemas=["notes"])
    assert [note for note in done.notes if "n_doc_fkey of notes.n: changes of dblp would run code" in note]
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute("DELETE FROM dblp")
        assert conn.execute("SELECT conname FROM pg_constraint WHERE conrelid = 'notes.n'::regclass").fetchall() == [("n_x_fkey",)]


@pytest.mark.parametrize("owner", ["stc_organiser", "stc_participant"])
def test_a_schema_is_not_given_to_everybody_of_a_role(made: Made, tmp_path: Path, owner: str) -> None:
    source = made("CREATE SCHEMA notes")
    dump(source, tmp_path / "d", with_schemas=["notes"])
    one = Tampered(tmp_path / "d")
    one.content["schemas"] = {"notes": owner}
    one.write()
    there = made("")
    restore(there, tmp_path / "d", with_schemas=["notes"])
    with open_session(conninfo(there)) as conn:
        row = conn.execute("SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'notes'").fetchone()
        assert row == ("stc_owner",)
