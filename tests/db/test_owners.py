"""Owners without superuser rights can list, create and drop collections on a shared server, and load the demo.

``make servers-check`` runs these tests on the servers of tests/db/servers.yml, PostgreSQL 17 and 18 as published.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql

from stcollection.db.collections import collections, create, drop, reset
from stcollection.db.connection import conninfo
from stcollection.db.members import members
from stcollection.db.roles import ROLES
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import DatabaseError, StateError
from tests.db.conftest import NewName
from tests.docs.pages import REPOSITORY
from tests.in_process import in_new_words

pytestmark = pytest.mark.slow


@pytest.fixture
def owner(admin: psycopg.Connection, new_name: NewName) -> Iterator[Settings]:
    """Return settings of a role with CREATEDB and CREATEROLE, as on RDS; its collection does not exist yet."""
    new = new_name()
    role = sql.Identifier(new.db)
    with psycopg.connect(conninfo(new, db="template1"), autocommit=True) as conn:  # done by its administrator
        conn.execute("CREATE EXTENSION IF NOT EXISTS vector")
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB CREATEROLE PASSWORD 'x'").format(role))
    for one in ROLES:  # as if it had created them
        if admin.execute("SELECT FROM pg_roles WHERE rolname = %s", [one]).fetchone() is None:
            admin.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(one)))
        admin.execute(sql.SQL("GRANT {} TO {} WITH ADMIN TRUE, INHERIT FALSE, SET FALSE").format(sql.Identifier(one), role))
    yield replace(new, dsn=f"{conninfo(new, db='postgres')} user={new.db} password=x")
    with psycopg.connect(conninfo(new, db="template1"), autocommit=True) as conn:
        conn.execute("DROP EXTENSION vector")
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(role))
    admin.execute(sql.SQL("DROP OWNED BY {}").format(role))
    admin.execute(sql.SQL("DROP ROLE {}").format(role))


def test_an_owner_without_superuser_rights_makes_lists_resets_and_drops(
    owner: Settings, settings: Settings, conn: psycopg.Connection
) -> None:
    conn.execute(sql.SQL("REVOKE CONNECT ON DATABASE {} FROM PUBLIC").format(sql.Identifier(settings.db)))  # of another user
    assert create(owner)
    sizes = {one.name: one.bytes for one in collections(owner)}
    assert sizes[settings.db] is None
    assert (sizes[owner.db] or 0) > 2**20
    with psycopg.connect(conninfo(owner)) as own:
        assert [one.kinds for one in members(own) if one.name == owner.db] == [["owner"]]
    reset(owner)
    drop(owner)
    assert owner.db not in {one.name for one in collections(owner)}


@pytest.fixture
def plain(admin: psycopg.Connection, new_name: NewName) -> Iterator[Settings]:
    """Return settings of the owner of one database without CREATEDB or CREATEROLE; the administrator created pgvector in it."""
    new = new_name()
    role = sql.Identifier(new.db)
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(role))
    admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' OWNER {}").format(role, role))
    with psycopg.connect(conninfo(new), autocommit=True) as conn:
        conn.execute("CREATE EXTENSION vector SCHEMA public")
    yield replace(new, dsn=f"{conninfo(new, db='postgres')} user={new.db} password=x")
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(role))
    admin.execute(sql.SQL("DROP ROLE {}").format(role))


def _stc(owner: Settings, *arguments: str) -> str:
    env = {**os.environ, "STC_DSN": owner.dsn or "", "STC_DB": owner.db, "COLUMNS": "160", "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "stcollection", *in_new_words(arguments)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def _load_demo(owner: Settings) -> None:
    """Load the demo, and check that the collection is up to date, has no drift and answers queries."""
    _stc(owner, "demo")
    status = _stc(owner, "db", "status")
    assert ", up to date\n" in status
    assert "\ndrift " not in status
    assert "is up to date" in _stc(owner, "db", "upgrade")
    for system in ("boolean", "bm25"):
        assert "Voice" in _stc(owner, "retrieval", "search", "voice", "--system", system)
    assert owner.db in _stc(owner, "db", "list")


def test_the_demo_in_a_database_that_an_administrator_made(plain: Settings) -> None:
    _load_demo(plain)


def test_the_demo_of_an_owner_who_may_create_databases_and_roles(owner: Settings) -> None:
    _load_demo(owner)
    member = f"anna_{owner.db}"
    _stc(owner, "db", "user", "add", member, "--role", "participant", "--team", "red")
    assert member in _stc(owner, "db", "user", "list")
    _stc(owner, "db", "user", "drop", member, "--yes")
    _stc(owner, "db", "reset", "--yes")
    _stc(owner, "db", "drop", owner.db, "--yes")


def test_a_collection_in_use_by_others_is_not_dropped_by_force(
    owner: Settings, admin: psycopg.Connection, server: Settings
) -> None:
    create(owner)
    with psycopg.connect(conninfo(replace(server, db=owner.db))), pytest.raises(StateError, match="is in use by postgres"):
        drop(owner)
    drop(owner)


def test_a_role_that_may_not_create_pgvector_gets_the_one_of_template1(owner: Settings) -> None:
    """template0 never has pgvector, so template1 is copied."""
    assert create(owner)
    with psycopg.connect(conninfo(owner)) as conn:
        assert conn.execute("SELECT extowner::regrole::text FROM pg_extension WHERE extname = 'vector'").fetchone() == ("postgres",)


def test_no_role_but_an_owner_can_block_an_upgrade_by_a_lock_of_its_own(
    settings: Settings, conn: psycopg.Connection, admin: psycopg.Connection
) -> None:
    guest = sql.Identifier(f"guest_{conn.info.backend_pid}")
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(guest))
    conn.execute(
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}; GRANT stc_reader TO {}").format(sql.Identifier(settings.db), guest, guest)
    )
    conn.execute("UPDATE stc_objects SET fingerprint = '' WHERE file = 'runs/trec_score.sql'")
    try:
        with psycopg.connect(conninfo(settings), user=guest.as_string(None).strip('"'), password="x") as other:  # noqa: S106
            other.execute("SELECT pg_advisory_lock(22464)")  # 0x57C0: the former lock of upgrades
            for mode in ("EXCLUSIVE", "ROW SHARE"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege), other.transaction():
                    other.execute(f"LOCK TABLE stc_objects IN {mode} MODE".encode())
            with pytest.raises(psycopg.Error, match="may not store runs"), other.transaction():
                other.execute("SELECT stc.claim_run('x')")
            assert upgrade(settings, patience=0).objects == 1
    finally:
        conn.execute(sql.SQL("DROP OWNED BY {}").format(guest))
        admin.execute(sql.SQL("DROP ROLE {}").format(guest))


def test_an_upgrade_names_who_holds_its_lock(settings: Settings, conn: psycopg.Connection) -> None:
    with psycopg.connect(conninfo(settings), application_name="maker") as other:
        other.execute("SELECT stc.claim_run('mine')")
        with pytest.raises(DatabaseError, match=rf"for stc.removals, held by session {other.info.backend_pid} \(maker"):
            upgrade(settings, patience=0)
