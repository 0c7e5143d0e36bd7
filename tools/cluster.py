"""A cluster of PostgreSQL servers with Citus on this machine, for development and tests: a coordinator and some workers.

    python -m tools.cluster start              # build Citus once, create the cluster in build/cluster, print how to connect
    python -m tools.cluster database NAME      # add a database to all servers, ready for a collection
    python -m tools.cluster stop [--remove]    # stop the servers; --remove deletes their data

The servers listen on 127.0.0.1 only and require a password, which they and clients read from a file. As root, they run as the
system user of the embedded server.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stcollection.db.distribution import check_processes
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.tuning import lines, memory_mib, settings
from stcollection.errors import StateError
from tools.citus import REPOSITORY, environment, installation
from tools.engine import NotHere

FOLDER = REPOSITORY / "build" / "cluster"
WORKERS = 3
COLLECTIONS = 32  # databases for which there are processes of Citus
FIRST_DATABASE = "stcollection"
_HOST = "127.0.0.1"
_PORTS = range(9700, 20000)
_START_SECONDS = 120
_STATE = "nodes.json"  # exists once all data folders do
_READY = "ready"  # exists once the first database does


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
            file.write(f"\n{lines(values)}")

    def _control(self, port: int, *arguments: str, check: bool = True) -> int:
        return self._run("pg_ctl", "-D", str(self._data(port)), *arguments, check=check)

    def _run(self, program: str, *arguments: str, check: bool = True) -> int:
        """Run a program of the installation as the servers' user."""
        ids = EmbeddedServer.system_ids()
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
                user=ids[0] if ids else None,
                group=ids[1] if ids else None,
                extra_groups=[] if ids else None,
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
        os.chown(path, *ids)


@click.group()
@click.option("--folder", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder of the cluster's data.")
@click.pass_context
def main(context: click.Context, folder: Path) -> None:
    """Start and stop a cluster of PostgreSQL servers with Citus on this machine."""
    context.obj = folder.absolute()


@main.command()
@click.option("--workers", type=click.IntRange(1, 16), default=WORKERS, show_default=True, help="Workers of a new cluster.")
@click.pass_obj
def start(folder: Path, workers: int) -> None:
    """Start the cluster, after creating it with a database for a collection if it does not exist."""
    cluster = Cluster.find(folder)
    if cluster is None:
        shutil.rmtree(folder, ignore_errors=True)  # what an interrupted start left
        try:
            cluster = Cluster.create(folder, workers=workers)
        except NotHere as reason:
            sys.exit(f"cluster: {reason}")
    cluster.start()
    if not (folder / _READY).exists():
        cluster.drop_database(FIRST_DATABASE)
        cluster.database(FIRST_DATABASE)
        (folder / _READY).touch()
    print(f"coordinator at {_HOST}:{cluster.ports[0]}, workers at {', '.join(f':{port}' for port in cluster.ports[1:])}")
    print(f"connect:      export STC_DSN='{cluster.dsn(FIRST_DATABASE)}'")
    print("add database: .venv/bin/python -m tools.cluster database NAME")
    print("stop:         .venv/bin/python -m tools.cluster stop    # --remove deletes the data")


@main.command()
@click.argument("name")
@click.pass_obj
def database(folder: Path, name: str) -> None:
    """Add a database to all servers, with the extensions that a collection needs."""
    try:
        print(f"export STC_DSN='{_found(folder).database(name)}'")
    except StateError as reason:
        sys.exit(f"cluster: {reason}\n{reason.hint}")


@main.command()
@click.option("--remove", is_flag=True, help="Delete the cluster's data.")
@click.pass_obj
def stop(folder: Path, remove: bool) -> None:
    """Stop the cluster."""
    _found(folder).stop()
    if remove:
        shutil.rmtree(folder)


def _found(folder: Path) -> Cluster:
    cluster = Cluster.find(folder)
    if cluster is None:
        sys.exit(f"cluster: there is no cluster in {folder}; 'python -m tools.cluster start' creates one")
    return cluster


if __name__ == "__main__":
    main()
