"""Logins with passwords (SCRAM) over TCP. Logs, errors, process arguments and provenance never contain the password."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings, read_settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadArgument
from tests.acceptance.conftest import runner
from tests.serve.services import free_port

PASSWORD = "correct horse 'battery' st\u00e4ple"  # noqa: S105
WRONG = "wrong-horse"
HBA = "local all all trust\nhost all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A server that requires passwords over TCP and logs all statements, with a collection; connected as superuser."""
    home = tmp_path_factory.mktemp("scram")
    embedded = EmbeddedServer(home)
    settings = Settings(db="scram", home=home, dsn=None)
    embedded.ensure()
    port = free_port()
    try:
        with psycopg.connect(conninfo(settings, db="postgres"), autocommit=True) as conn:
            conn.execute("CREATE DATABASE scram")
            for name, value in {"listen_addresses": "'127.0.0.1'", "port": str(port), "log_statement": "'all'"}.items():
                conn.execute(f"ALTER SYSTEM SET {name} = {value}".encode())
        upgrade(settings)
        (embedded.data / "pg_hba.conf").write_text(HBA)
        embedded._run("pg_ctl", "-D", str(embedded.data), "-l", str(embedded.log), "-w", "restart")
        yield replace(settings, dsn=f"host=127.0.0.1 port={port} user=postgres dbname=scram")
    finally:
        embedded._run("pg_ctl", "-D", str(embedded.data), "-m", "fast", "-w", "stop", check=False)


def as_user(server: Settings, name: str, password: str | None) -> Settings:
    assert server.dsn is not None
    return replace(server, dsn=make_conninfo(server.dsn, user=name, password=password))


@pytest.fixture(scope="module")
def olga(server: Settings) -> Settings:
    """An owner created by the command, with her login."""
    done = runner(server)("db", "user", "add", "olga", "--role", "owner", "--password-file", "-", stdin=PASSWORD.encode())
    assert done.returncode == 0, done.stderr
    unseen(done)
    return as_user(server, "olga", PASSWORD)


def unseen(done: subprocess.CompletedProcess[str]) -> None:
    for part in (PASSWORD, "battery", "st\u00e4ple", WRONG):
        assert part not in done.stdout + done.stderr


@pytest.mark.slow
def test_the_password_is_hashed_before_it_is_sent(server: Settings, olga: Settings) -> None:
    assert server.dsn is not None
    with psycopg.connect(server.dsn) as conn:
        row = conn.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'olga'").fetchone()
    assert row is not None
    assert row[0].startswith("SCRAM-SHA-256$")
    log = EmbeddedServer(server.home).log.read_text()
    assert 'CREATE ROLE "olga" LOGIN PASSWORD' in log
    assert "battery" not in log


@pytest.mark.slow
def test_the_right_password_opens_and_is_kept_nowhere(olga: Settings, tmp_path: Path) -> None:
    stc = runner(olga)
    (tmp_path / "mine.run").write_text("q1 Q0 d1 1 2.5 mine\n")
    done = stc("runs", "import", tmp_path / "mine.run", "--unknown-docs", "stub", "--unknown-queries", "stub", "--team", "t")
    assert done.returncode == 0, done.stderr
    unseen(done)
    assert olga.dsn is not None
    with psycopg.connect(olga.dsn) as conn:
        rows = conn.execute("SELECT r::text FROM st1_runs r").fetchall()
    assert len(rows) == 1
    assert "battery" not in rows[0][0]
    # psql prints its own arguments, which every user of the machine can read.
    done = stc("db", "psql", "--", "-c", r"""\! tr "\0" " " < /proc/$PPID/cmdline""")
    assert "host=127.0.0.1" in done.stdout, done.stderr
    unseen(done)


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--debug"]])
def test_a_wrong_password_is_an_error_of_ours(server: Settings, olga: Settings, options: list[str]) -> None:
    done = runner(as_user(server, "olga", WRONG))(*options, "runs", "list")
    assert done.returncode != 0
    assert 'password authentication failed for user "olga"' in done.stderr
    unseen(done)
    if not options:
        assert done.returncode == 5
        assert "Check the user's name and the password" in done.stderr
        missing = runner(as_user(server, "olga", None))("runs", "list")
        assert missing.returncode == 5
        assert "PGPASSWORD" in missing.stderr


@pytest.mark.parametrize(
    "dsn", ["host=h password=correct horse", "postgresql://u:corr%ect@h/d", "host=h password='correct", "hosts=correct"]
)
@pytest.mark.parametrize("db", [None, "demo"])
def test_a_broken_connection_string_is_not_repeated(dsn: str, db: str | None) -> None:
    with pytest.raises(BadArgument, match="STC_DSN is not a connection string") as error:
        read_settings(db=db, environ={"STC_DSN": dsn})
    assert "corr" not in f"{error.value}{error.value.hint}"
    assert error.value.__cause__ is None
