"""Test the demo on PostgreSQL 17 and 18, as owner of a database and as master user of a managed server.

    python tools/servers.py [FOLDER]    # keep the servers' files in FOLDER for the next time; by default all is removed

Each server runs from Debian's packages in a folder made by mmdebstrap, and listens only on a Unix socket. Exit code 0: all tests
passed, or no server can run on this machine, which is reported; 1: a test failed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.engine import NotHere, mirror, proxies, run

REPOSITORY = Path(__file__).resolve().parents[1]
_SLIM = [f"path-exclude=/usr/share/{one}/*" for one in ("doc", "man", "locale", "info", "lintian")]
_START_SECONDS = 60
_USER = "postgres"


class Failed(Exception):
    """A command did not print the expected output."""


@dataclass(frozen=True)
class Server:
    """A version of PostgreSQL, and its packages in Debian.

    :param suite: Debian release. :param packages: packages in addition to those of minbase.
    """

    version: int
    suite: str
    packages: tuple[str, ...]


SERVERS = (
    Server(17, "trixie", ("postgresql-17", "postgresql-17-pgvector")),
    Server(18, "forky", ("postgresql-18", "postgresql-18-pgvector", "postgresql-18-pg-textsearch")),
)


def install() -> None:
    """Install mmdebstrap if it is missing.

    :raises NotHere: the user is not root, or mmdebstrap cannot be installed.
    """
    if os.geteuid() != 0:
        raise NotHere("creating a root file system needs root")
    if shutil.which("mmdebstrap") is None:
        if shutil.which("apt-get") is None:
            raise NotHere("mmdebstrap is not installed")
        try:
            run("apt-get", "-qq", "update")
            run("apt-get", "-qq", "install", "--yes", "--no-install-recommends", "mmdebstrap")
        except subprocess.CalledProcessError as error:
            raise NotHere("apt-get could not install mmdebstrap") from error


def build(server: Server, root: Path) -> None:
    """Create the folder of a server. :raises NotHere: the mirror does not answer."""
    if (root / "usr/lib/postgresql" / str(server.version) / "bin/postgres").exists():
        return
    if root.exists():
        shutil.rmtree(root)
    try:
        run(
            "mmdebstrap",
            "--variant=minbase",
            '--aptopt=Acquire::Check-Valid-Until "false"',
            *(f"--aptopt={one}" for one in proxies()),
            *(f"--dpkgopt={one}" for one in _SLIM),
            f"--include={','.join(server.packages)}",
            server.suite,
            root,
            mirror(),
        )
    except subprocess.CalledProcessError as error:
        raise NotHere(f"mmdebstrap could not make {server.suite}: {(error.output or '').strip().splitlines()[-1:]}") from error


@contextmanager
def started(server: Server, root: Path) -> Iterator[str]:
    """Start a new cluster and yield the connection string of its superuser."""
    programs = f"/usr/lib/postgresql/{server.version}/bin"
    inside = ["chroot", f"--userspec={_USER}:{_USER}", str(root)]
    shutil.rmtree(root / "tmp/cluster", ignore_errors=True)
    run(*inside, f"{programs}/initdb", "-D", "/tmp/cluster", "-U", _USER, "--auth=trust", "--locale=C.UTF-8")  # noqa: S108
    options = {
        "listen_addresses": "",
        "unix_socket_directories": "/tmp",  # noqa: S108
        "dynamic_shared_memory_type": "mmap",
        "fsync": "off",
        **({"shared_preload_libraries": "pg_textsearch"} if any("textsearch" in one for one in server.packages) else {}),
    }
    with (root / "tmp/log").open("wb") as log:
        process = subprocess.Popen(
            [
                *inside,
                f"{programs}/postgres",
                "-D",
                "/tmp/cluster",  # noqa: S108
                *(word for name, value in options.items() for word in ("-c", f"{name}={value}")),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    dsn = f"host={root / 'tmp'} user={_USER} dbname=postgres"
    try:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                psycopg.connect(dsn).close()
                break
            except psycopg.OperationalError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        yield dsn
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        shutil.rmtree(root / "tmp/cluster", ignore_errors=True)


def stc(dsn: str, db: str, *arguments: str) -> str:
    """Run a command as users do. :raises subprocess.CalledProcessError: it failed."""
    env = {"STC_DSN": dsn, "STC_DB": db, "COLUMNS": "160"}
    return run(sys.executable, "-m", "stcollection", *arguments, env=env, cwd=REPOSITORY)


def expect(words: str, output: str) -> None:
    """Check that the output contains these words.

    :raises Failed: it does not.
    """
    if words not in output:
        raise Failed(f"{words!r} is not in this output:\n{output}")


def in_step(dsn: str, db: str) -> None:
    """Check that the collection is up to date, has no drift, and answers queries."""
    status = stc(dsn, db, "db", "status")
    expect(", up to date\n", status)
    if "\ndrift " in status:
        raise Failed(status)
    expect("is up to date", stc(dsn, db, "db", "upgrade"))
    for system in ("boolean", "bm25"):
        expect("1", stc(dsn, db, "retrieval", "search", "voice", "--system", system))


def plain(admin: psycopg.Connection, dsn: str) -> None:
    """Test as the owner of one database without CREATEDB or CREATEROLE. The administrator creates untrusted extensions."""
    admin.execute("CREATE ROLE plain LOGIN")
    admin.execute("CREATE DATABASE plain OWNER plain")
    own = dsn.replace(f"user={_USER}", "user=plain")
    with psycopg.connect(dsn, dbname="plain", autocommit=True) as conn:
        conn.execute("CREATE EXTENSION vector SCHEMA public")
    expect("found the collection", stc(own, "plain", "demo"))
    in_step(own, "plain")
    expect("plain", stc(own, "plain", "db", "list"))


def master(admin: psycopg.Connection, dsn: str) -> None:
    """Test as a role with CREATEDB and CREATEROLE but without superuser rights, like the master user of a managed server."""
    admin.execute("CREATE ROLE master LOGIN CREATEDB CREATEROLE")
    own = dsn.replace(f"user={_USER}", "user=master")
    with psycopg.connect(dsn, dbname="template1", autocommit=True) as conn:
        conn.execute("CREATE EXTENSION vector SCHEMA public")
    stc(own, "demo", "demo")
    in_step(own, "demo")
    expect("demo", stc(own, "demo", "db", "list"))
    stc(own, "demo", "db", "user", "add", "anna", "--role", "participant", "--team", "red")
    expect("anna", stc(own, "demo", "db", "user", "list"))
    stc(own, "demo", "db", "user", "drop", "anna", "--yes")
    stc(own, "demo", "db", "reset", "--yes")
    stc(own, "demo", "db", "drop", "demo", "--yes")


def exercise(server: Server, root: Path) -> None:
    begun = time.monotonic()
    build(server, root)
    print(f"servers: {server.suite} made: {time.monotonic() - begun:.0f} s", flush=True)
    with started(server, root) as dsn, psycopg.connect(dsn, autocommit=True) as admin:
        for role in (plain, master):
            begun = time.monotonic()
            role(admin, dsn)
            print(f"servers: PostgreSQL {server.version}, {role.__name__}: {time.monotonic() - begun:.0f} s", flush=True)


def main() -> int:
    kept = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    folder = kept or Path(tempfile.mkdtemp(prefix="stc-servers-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        install()
        for server in SERVERS:
            exercise(server, folder / server.suite)
        print("servers: all passed")
    except NotHere as reason:
        print(f"servers: NOT EXERCISED: no server can be made here: {reason}", file=sys.stderr)
    except (subprocess.CalledProcessError, Failed, psycopg.Error) as error:
        print(f"servers: FAILED: {error}\n{getattr(error, 'output', '') or ''}", file=sys.stderr)
        return 1
    finally:
        if kept is None:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
