"""Two lives of one collection: one undisturbed, one whose steps are killed at many moments and run again; they must end alike."""

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
# So many more faults a step, at random moments; docs/testing.md.
MORE_KILLS = int(os.environ.get("STC_TEST_KILLS", "0"))
_ANOTHER = (
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend')"
)


@dataclass(frozen=True)
class After:
    """A collection after a step. :param seconds: that the step took, from its first connection."""

    tables: dict[str, str]
    found: dict[str, list[tuple[object, ...]]]
    seconds: float


@dataclass
class Undisturbed:
    """The life that nothing happens to. :param after: so many steps; each step is taken when it is asked for."""

    server: Server
    folder: Path
    db: str = "undisturbed"
    steps: list[Step] = field(init=False)
    after: list[After] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.steps = steps(self.folder)

    def reach(self, number: int) -> None:
        """Let so many steps be taken."""
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
    """The life of faults. :param draw: of the moments. :param amid: kills while a step was at work, by victim."""

    server: Server
    undisturbed: Undisturbed
    draw: random.Random
    db: str = "disturbed"
    amid: Counter[str] = field(default_factory=Counter)
    _taken: int = -1

    def disturb(self, number: int) -> None:
        """Kill a step again and again, then let it end; what there is must be whole each time, and at the end what the undisturbed
        life has.
        """
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
        """Let the undisturbed life go past a step, this one up to it."""
        self.undisturbed.reach(number + 1)
        if self._taken < 0:
            self.server.done(self.db, "db", "create", self.db)
            self._taken = 0
        while self._taken < number:
            self.server.done(self.db, *self.undisturbed.steps[self._taken].command)
            self._taken += 1

    def check(self, number: int) -> None:
        """After a fault in a step all is whole; a step that is so as a whole has been taken or not."""
        before, after = self.undisturbed.after[number : number + 2]
        with self.server.connect(self.db) as conn:
            wait_for(lambda: not holds(conn, _ANOTHER))
            check_whole(conn)
            if self.undisturbed.steps[number].whole:
                now = likeness(conn)
                assert now in (before.tables, after.tables), [one for one in now if now[one] != after.tables[one]]

    def finish(self, number: int) -> None:
        """The step once more, to its end: then both lives are alike."""
        after = self.undisturbed.after[number + 1]
        end = self.server.run(self.db, *self.undisturbed.steps[number].command)
        assert end.code == 0 or _had_been_done(end), end
        self._taken = number + 1
        with self.server.connect(self.db) as conn:
            check_whole(conn)
            now, found = likeness(conn), answers(conn)
        assert now == after.tables, [one for one in now if now[one] != after.tables[one]]
        assert found == after.found

    def _kill(self, number: int, victim: str, moment: str | None) -> None:
        """Start the step and kill the server, the command or both. :param moment: in SQL; None is any."""
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
        if victim == "server":  # says so in a sentence, with the next step
            assert (end.code, "Traceback" in end.err, "same command again" in end.err) == (5, False, True), end
        else:
            assert end.code == -9, end


def holds(conn: psycopg.Connection, condition: str) -> bool:
    return conn.execute(condition.encode()).fetchone() == (True,)


def _had_been_done(end: Ended) -> bool:
    """What makes a new edition says so where one that was killed had made it."""
    return end.code == 2 and "exists" in end.err
