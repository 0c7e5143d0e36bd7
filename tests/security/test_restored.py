"""Walls of a collection that was moved: with PostgreSQL's programs, as docs/howto/administer.md says, by us, or as a sample."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from stcollection.bundle.make import make_bundle
from stcollection.db import catalogue
from stcollection.db.backup import programs
from stcollection.db.backup.dump import dump
from stcollection.db.backup.restore import restore
from stcollection.db.backup.sample import Excerpt, dump_sample, size
from stcollection.db.collections import create, drop
from stcollection.db.connection import conninfo
from stcollection.db.members import Kind, add_member, drop_member
from stcollection.db.objects import drift
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.conftest import REPOSITORY
from tests.roles.worlds import fill
from tests.security.model.catalogue import read_catalogue
from tests.security.test_definers import faults
from tests.security.test_own_systems import FUSED, ONE, SEARCH, own, refused

pytestmark = pytest.mark.long

PASSWORD = "not for the embedded server"  # noqa: S105
MEMBERS: dict[Kind, str | None] = {"participant": "red", "reader": None, "organiser": None}
SECRET = "only organisers and blue may read it"  # noqa: S105
_CODE = """
CREATE FUNCTION {s}.strike() RETURNS name LANGUAGE sql SECURITY DEFINER AS 'SELECT current_user';
GRANT USAGE ON SCHEMA {s} TO PUBLIC
"""


def _name(kind: Kind) -> str:
    return f"{kind}{os.getpid()}"


@contextmanager
def session(settings: Settings, kind: Kind | None = None) -> Iterator[psycopg.Connection]:
    """A session of a member, or of the superuser."""
    login = {} if kind is None else {"user": _name(kind), "password": PASSWORD}
    with open_session(psycopg.conninfo.make_conninfo(conninfo(settings), **login), autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="module")
def source(server: Settings) -> Iterator[Settings]:
    """A hidden judgment and a run of another team have a note; a participant and an organiser have added systems and code."""
    settings = replace(server, db=f"moved_{os.getpid()}")
    create(settings)
    with session(settings) as conn:
        conn.execute("SET search_path = stc_all, stc, public")
        fill(conn)
        conn.execute("UPDATE st1_runs SET metadata = %s WHERE run = 'blue1'", [Jsonb({"note": SECRET})])
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel, note, hidden)"
            " SELECT j.edition, j.query, 799, 2, %s, true FROM qrels_judgments j WHERE j.hidden LIMIT 1",
            [SECRET],
        )
        conn.execute("SELECT exclude_documents('{a1,b1}', '{d700,d701}')")
        conn.execute("CALL stc.index_text(engine => 'portable')")
        for kind, team in MEMBERS.items():
            add_member(conn, _name(kind), kind=kind, team=team, password=PASSWORD)
    with session(settings, "organiser") as organiser, session(settings, "participant") as red:
        organiser.execute("SELECT add_system('ours', %s)", [own(organiser, "ours")])
        row = [FUSED, Jsonb(ONE)]  # add_system refuses a ranker of somebody else
        organiser.execute("INSERT INTO stc.own_systems (system, function, fusion) VALUES ('weighted', %s, %s)", row)
        red.execute("SELECT add_system('mine', %s)", [own(red)])
        red.execute("SELECT add_system('staged', 'mine 10 >> dense 5')")
        red.execute(_CODE.replace("{s}", _name("participant")).encode())
    yield settings
    with session(settings) as conn:
        for kind in MEMBERS:
            drop_member(conn, _name(kind))
    drop(settings)


def by_programs(source: Settings, there: Settings, folder: Path) -> None:
    """The commands of the page, into a database of another role."""
    with session(replace(source, db="postgres")) as admin:
        admin.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(there.db)))
        admin.execute(sql.SQL("CREATE DATABASE {n} OWNER {n} TEMPLATE template0").format(n=sql.Identifier(there.db)))
    page = (REPOSITORY / "docs" / "howto" / "administer.md").read_text(encoding="utf-8")
    for program, settings in (("pg_dump", source), ("pg_restore", there)):
        [line] = re.findall(rf"^({program} .*?)(?:\s*#.*)?$", page, re.MULTILINE)
        env, dbname = programs.environment(conninfo(settings))
        names = {"mine": dbname, "mine-copy": dbname, "mine.dump": str(folder / "dump")}
        words = [names.get(word, word) for word in shlex.split(line)[1:]]
        subprocess.run([programs.find(program, server=18), *words], env=env, capture_output=True, check=program == "pg_dump")
    upgrade(there, restrict=True)


def by_us(source: Settings, there: Settings, folder: Path) -> None:
    dump(source, folder / "dump")
    restore(there, folder / "dump")


def as_a_sample(source: Settings, there: Settings, folder: Path) -> None:
    dump_sample(source, folder / "dump", part=Excerpt(size("50%")))
    restore(there, folder / "dump")


@pytest.fixture(scope="module", params=[by_programs, by_us, as_a_sample], ids=lambda way: way.__name__)
def moved(request: pytest.FixtureRequest, source: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The collection elsewhere: its participant has the name that its organiser had."""
    there = replace(source, db=f"{source.db}_{request.param.__name__}")
    request.param(source, there, tmp_path_factory.mktemp("moved"))
    with session(there) as conn:
        for kind, team in MEMBERS.items():
            add_member(conn, _name(kind), kind=kind, team=team, password=PASSWORD)
    yield there
    with session(replace(source, db="postgres")) as admin:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(there.db)))
        admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(there.db)))


def seen(settings: Settings, kind: Kind | None) -> set[str]:
    """The relations in which a member reads the secret."""
    tables = set()
    with session(settings) as conn:
        relations = read_catalogue(conn).relations
    with session(settings, kind) as conn:
        for one in relations:
            for column in one.columns:
                text = sql.SQL("SELECT FROM {} WHERE strpos({}::text, %s) > 0 LIMIT 1")
                with suppress(psycopg.Error):
                    if conn.execute(text.format(sql.SQL(one.sql), sql.Identifier(column)), [SECRET]).rowcount:
                        tables.add(one.name)
    return tables


def test_members_read_no_hidden_row(moved: Settings) -> None:
    assert {"qrels_judgments", "st1_runs"} <= seen(moved, None)
    assert seen(moved, "participant") == seen(moved, "reader") == set()


@pytest.mark.parametrize("kind", ["participant", "reader"])
def test_a_member_s_bundle_has_no_hidden_row(moved: Settings, kind: Kind, tmp_path: Path) -> None:
    with session(moved, kind) as conn:
        make_bundle(conn, tmp_path / "bundle")
    with zipfile.ZipFile(tmp_path / "bundle") as bundle:
        content = {name: bundle.read(name) for name in bundle.namelist()}
    assert "runs/base.run" in " ".join(content), content.keys()
    assert [name for name, text in content.items() if SECRET.encode() in text or b"blue1" in text or "test.qrels" in name] == []


def test_functions_and_rights_are_ours(moved: Settings) -> None:
    with session(moved) as conn:
        assert faults(conn) == []
        assert (drift(conn), catalogue.drift(conn)) == ([], [])
        assert conn.execute("SELECT * FROM stc.foreign_code()").fetchall() == []
        assert conn.execute("SELECT FROM pg_proc WHERE proname IN ('strike', 'mine_f', 'ours_f')").rowcount == 0


def test_no_system_runs_code_of_another_role(moved: Settings) -> None:
    with session(moved) as conn, session(moved, "organiser") as organiser, session(moved, "reader") as reader:
        for one in (conn, organiser, reader):
            assert [refused(one, SEARCH, name).sqlstate for name in ("mine", "staged")] == ["IR107", "IR107"]
            assert refused(one, SEARCH, "ours").sqlstate in ("IR107", "IR410")  # its function is missing, or its schema is closed
        with session(moved, "participant") as red:
            own(red)
            red.execute("SELECT add_system('mine', %s)", [own(red)])
            assert red.execute(SEARCH, ["weighted"]).fetchall() == [(1,)]
        for one in (conn, organiser, reader):
            assert refused(one, SEARCH, "weighted").sqlstate == "IR107"


def test_documents_that_are_left_out_stay_so(moved: Settings) -> None:
    with session(moved, "participant") as red:
        assert red.execute("SELECT query FROM excluded_documents ORDER BY 1").fetchall() == [("a1",), ("b1",)]
        red.execute("SELECT make_run('again', 'boolean', 800, team => 'red')")
        ranked = "SELECT FROM rankings r JOIN excluded_documents USING (query, docno) WHERE r.run = 'again'"
        assert red.execute(ranked.encode()).rowcount == 0
