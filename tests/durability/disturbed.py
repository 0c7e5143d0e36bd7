"""The same steps on two collections: undisturbed, and killed at many moments and repeated; the results must be equal."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.durability.life import Step, steps
from tests.durability.likeness import answers, check_whole, likeness
from tests.durability.servers import PAUSE, Ended, Server, ended, kill, wait_for

VICTIMS = ("server", "command", "both")
# Number of additional faults per step at random moments; see CONTRIBUTING.md.
MORE_KILLS = int(os.environ.get("STC_TEST_KILLS", "0"))
_ANOTHER = (
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend')"
)


@dataclass(frozen=True)
class After:
    """A collection after a step. :param seconds: duration of the step from its first connection."""

    tables: dict[str, str]
    found: dict[str, list[tuple[object, ...]]]
    seconds: float


@dataclass
class Undisturbed:
    """The undisturbed collection. :param after: its state by number of steps; steps run on demand."""

    server: Server
    folder: Path
    db: str = "undisturbed"
    steps: list[Step] = field(init=False)
    after: list[After] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.steps = steps(self.folder)

    def reach(self, number: int) -> None:
        """Run steps up to this number."""
        if not self.after:
            self.server.done(self.db, "db", "create", self.db)
            self._look(0.0)
        while len(self.after) <= number:
            process = self.server.command(self.db, *self.steps[len(self.after) - 1].command)
            with self.server.connect(self.db) as conn:
                while process.poll() is None and not holds(conn, _ANOTHER):
                    time.sleep(PAUSE)
            began = time.monotonic()
            end = ended(process)
            assert end.code == 0, end
            self._look(time.monotonic() - began)

    def _look(self, seconds: float) -> None:
        with self.server.connect(self.db) as conn:
            check_whole(conn)
            self.after.append(After(likeness(conn), answers(conn), seconds))


@dataclass
class Disturbed:
    """The disturbed collection. :param draw: random moments. :param amid: number of kills during a step, by victim."""

    server: Server
    undisturbed: Undisturbed
    draw: random.Random
    db: str = "disturbed"
    amid: Counter[str] = field(default_factory=Counter)
    _taken: int = -1

    def disturb(self, number: int) -> None:
        """Kill a step repeatedly, then let it finish. The collection must always be consistent and finally equal the other one."""
        self.reach(number)
        moments = self.undisturbed.steps[number].moments
        plan: list[tuple[str, str | None]] = [("server", self.draw.choice(moments))]
        plan += [(self.draw.choice(("command", "both")), self.draw.choice([*moments, None]))]
        plan += [(self.draw.choice(VICTIMS), self.draw.choice([*moments, None, None])) for _ in range(MORE_KILLS)]
        for victim, moment in plan:
            self._kill(number, victim, moment)
            self.check(number)
        self.finish(number)

    def reach(self, number: int) -> None:
        """Run the undisturbed collection up to and including a step, this one up to before the step."""
        self.undisturbed.reach(number + 1)
        if self._taken < 0:
            self.server.done(self.db, "db", "create", self.db)
            self._taken = 0
        while self._taken < number:
            self.server.done(self.db, *self.undisturbed.steps[self._taken].command)
            self._taken += 1

    def check(self, number: int) -> None:
        """The collection is consistent after a fault; an atomic step is either complete or has no effect."""
        before, after = self.undisturbed.after[number : number + 2]
        with self.server.connect(self.db) as conn:
            wait_for(lambda: not holds(conn, _ANOTHER))
            check_whole(conn)
            _judge(conn)
            if self.undisturbed.steps[number].whole:
                now = likeness(conn)
                assert now in (before.tables, after.tables), [one for one in now if now[one] != after.tables[one]]

    def finish(self, number: int) -> None:
        """Run the step again to its end; then both collections are equal."""
        after = self.undisturbed.after[number + 1]
        end = self.server.run(self.db, *self.undisturbed.steps[number].command)
        assert end.code == 0 or _had_been_done(end), end
        self._taken = number + 1
        with self.server.connect(self.db) as conn:
            check_whole(conn)
            _judge(conn)
            now, found = likeness(conn), answers(conn)
        assert now == after.tables, [one for one in now if now[one] != after.tables[one]]
        assert found == after.found

    def _kill(self, number: int, victim: str, moment: str | None) -> None:
        """Start the step and kill the server, the command or both. :param moment: SQL condition; None for any moment."""
        process = self.server.command(self.db, *self.undisturbed.steps[number].command)
        with self.server.connect(self.db) as conn:
            while process.poll() is None and not holds(conn, moment or _ANOTHER):
                time.sleep(PAUSE)
            if moment is None:
                time.sleep(self.draw.uniform(0, self.undisturbed.after[number + 1].seconds))
            finished = process.poll() is not None
            if victim in ("command", "both"):
                kill(process)
            if victim in ("server", "both"):
                self.server.cut_power()
        end = ended(process)
        if finished or end.code == 0 or _had_been_done(end):
            return
        self.amid[victim] += 1
        if victim == "server":  # reports it with an error message and a hint
            assert (end.code, "Traceback" in end.err, "same command again" in end.err) == (5, False, True), end
        else:
            assert end.code == -9, end


def _judge(conn: psycopg.Connection) -> None:
    """Judge the runs that a command made, which is its last step; the first scoring makes up for it."""
    conn.execute("SELECT judge_runs(ARRAY[n.run], e.edition) FROM st1_runs n, qrels_editions e WHERE n.source IS NULL")


def holds(conn: psycopg.Connection, condition: str) -> bool:
    return conn.execute(condition.encode()).fetchone() == (True,)


def _had_been_done(end: Ended) -> bool:
    """Commands that create an edition report that it exists if the killed command had created it."""
    return end.code == 2 and "exists" in end.err
