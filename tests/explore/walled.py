"""A demo collection on a server that requires passwords over TCP (SCRAM), with a login of each role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.members import add_member
from stcollection.db.settings import Settings
from tests.homes import copy_home, home_folder
from tests.serve.services import free_port

HBA = "local all all trust\nhost all open 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
LOGINS = {"olga": "organiser", "petra": "participant", "rita": "reader"}
ODD = "o\"dd name\\'"  # a login that the server's administrator made


def password(name: str) -> str:
    return f"{name}'s secret"


@contextmanager
def walled_demo(made: Callable[[], Path]) -> Iterator[Settings]:
    """Yield the settings of the organiser olga. The superuser is boss; the login stranger has no role of the collection."""
    with home_folder() as home:
        copy_home(made(), home)
        embedded = EmbeddedServer(home)
        embedded.ensure()
        port = free_port()
        with psycopg.connect(conninfo(Settings(db="demo", home=home, dsn=None)), autocommit=True) as conn:
            for name, kind in LOGINS.items():
                add_member(conn, name, kind=kind, team="red" if kind == "participant" else None, password=password(name))  # type: ignore[arg-type]
            _others(conn)
            for setting, value in {"listen_addresses": "'127.0.0.1'", "port": str(port), "log_statement": "'all'"}.items():
                conn.execute(f"ALTER SYSTEM SET {setting} = {value}".encode())
        (embedded.data / "pg_hba.conf").write_text(HBA)
        embedded._run("pg_ctl", "-D", str(embedded.data), "-l", str(embedded.log), "-w", "restart")
        base = f"host=127.0.0.1 port={port} dbname=demo"
        try:
            yield Settings(db="demo", home=home, dsn=make_conninfo(base, user="olga", password=password("olga")))
        finally:
            embedded._run("pg_ctl", "-D", str(embedded.data), "-m", "fast", "-w", "stop", check=False)


def as_login(settings: Settings, name: str, secret: str | None = None) -> Settings:
    assert settings.dsn is not None
    return replace(settings, dsn=make_conninfo(settings.dsn, user=name, password=secret or password(name)))


def _others(conn: psycopg.Connection) -> None:
    """Create logins that 'stc db user' would not create."""
    for name, more in (("boss", "SUPERUSER"), ("stranger", ""), (ODD, "IN ROLE stc_reader")):
        one = sql.Identifier(name)
        conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(one, password(name)) + sql.SQL(" " + more))
        conn.execute(sql.SQL("GRANT CONNECT ON DATABASE demo TO {}").format(one))
