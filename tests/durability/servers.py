"""A separate embedded server that flushes every commit, as for users, and SIGKILL for all of its processes.

Only processes of this server are killed, each by its id: the process in its postmaster.pid and its children.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
import psycopg

from stcollection.db.connection import conninfo
from stcollection.db.embedded import EmbeddedServer
from stcollection.db.settings import Settings

SECONDS = 120  # a process that takes longer hangs
PAUSE = 0.003  # interval between checks


@dataclass
class Ended:
    """A command that has ended. :param code: its exit code, -9 if killed."""

    code: int
    out: str
    err: str


@dataclass
class Server:
    """An embedded server.

    :param home: its ``STC_HOME``. :param kills: number of kills. :param said: output of commands whose server was killed.
    """

    home: Path
    kills: int = 0
    said: list[str] = field(default_factory=list)

    def settings(self, db: str = "postgres") -> Settings:
        return Settings(db=db, home=self.home, dsn=None)

    def start(self) -> None:
        EmbeddedServer(self.home).ensure()

    @contextmanager
    def connect(self, db: str) -> Iterator[psycopg.Connection]:
        """An autocommit connection; starts the server like every command."""
        with closing(psycopg.connect(conninfo(self.settings(db)), autocommit=True)) as conn:
            yield conn

    def processes(self) -> list[psutil.Process]:
        """The postmaster, then its children; empty if no server is running."""
        pid = EmbeddedServer(self.home).pid()
        if pid is None:
            return []
        postmaster = psutil.Process(pid)
        assert Path(postmaster.exe()).name == "postgres", postmaster
        assert Path(postmaster.cwd()) == EmbeddedServer(self.home).data.resolve(), postmaster
        return [postmaster, *postmaster.children(recursive=True)]

    def cut_power(self) -> None:
        """SIGKILL to all processes of the server, first the postmaster, so that it cannot start new ones."""
        self._kill(self.processes())

    def kill_postmaster(self) -> None:
        """SIGKILL to the postmaster only, which leaves its children as orphans."""
        self._kill(self.processes()[:1])

    def _kill(self, processes: list[psutil.Process]) -> None:
        assert processes, "the server does not run"
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        _, alive = psutil.wait_procs(processes, timeout=SECONDS)
        assert not alive
        self.kills += 1

    def stop(self) -> None:
        EmbeddedServer(self.home).stop()

    def command(self, db: str, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start ``stc`` in the background, as a user would."""
        return subprocess.Popen(
            [sys.executable, "-m", "stcollection", "--db", db, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "STC_HOME": str(self.home), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )

    def run(self, db: str, *arguments: str | Path) -> Ended:
        return ended(self.command(db, *arguments))

    def done(self, db: str, *arguments: str | Path) -> Ended:
        """Run a command that must succeed."""
        end = self.run(db, *arguments)
        assert end.code == 0, f"stc {' '.join(map(str, arguments))}: exit code {end.code}\n{end.err}{end.out}"
        return end


def ended(process: subprocess.Popen[str]) -> Ended:
    """Wait for its end."""
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"{process.args!r} hangs; it said:\n{err}{out}") from None
    return Ended(process.returncode, out, err)


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL to a command started by this process; its workers notice their closed pipe."""
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)


def wait_for(condition: Callable[[], bool], *, seconds: float = SECONDS) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not come about"
        time.sleep(PAUSE)
