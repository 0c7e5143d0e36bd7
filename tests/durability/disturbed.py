"""Two lives of one collection: one undisturbed, one whose steps are killed at many moments and run again; they must end alike."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.durability.life import Step, steps
from tests.durability.likeness import answers, check_whole, likeness
from tests.durability.servers import Ended, Server, ended, kill, wait_for

VICTIMS = ("server", "command", "both")
# So many more kills a step, at random moments; docs/testing.md.
MORE_KILLS = int(os.environ.get("STC_TEST_KILLS", "0"))
_ANOTHER = (
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend')"
)


@dataclass
class After:
    """A collection after a step. :param seconds: that the step took, from its first connection."""

    tables: dict[str, str]
    found: dict[str, list[tuple[object, ...]]]
    seconds: float


@dataclass
class Lives:
    """:param draw: of the moments; its seed is in the output of a test that fails. :param elsewhere: a server for the undisturbed life,
    if it is another one.
    """

    server: Server
    folder: Path
    draw: random.Random
    elsewhere: Server | None = None
    steps: list[Step] = field(init=False)
    undisturbed: list[After] = field(default_factory=list)  # after so many steps
    amid: Counter[str] = field(default_factory=Counter)  # kills while a step was at work, by victim
    _done: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.steps = steps(self.folder)

    def disturb(self, number: int) -> None:
        """Kill a step of the disturbed life again and again, then let it end; what there is must be whole each time, and at the end
        what the undisturbed life has.
        """
        self.reach(number)
        step = self.steps[number]
        plan: list[tuple[str, str | None]] = [("server", moment) for moment in step.moments]
        plan += [("command", step.moments[0]), (self.draw.choice(VICTIMS), None)]
        plan += [(self.draw.choice(VICTIMS), None) for _ in range(MORE_KILLS)]
        for victim, moment in plan:
            self._kill(step, victim, moment, self.undisturbed[number + 1].seconds)
            self.check(number)
        self.finish(number)

    def reach(self, number: int) -> None:
        """Let the undisturbed life go past a step, the other one up to it."""
        self._reach("undisturbed", number + 1)
        self._reach("disturbed", number)

    def check(self, number: int) -> None:
        """After a fault in a step the disturbed life is whole; a step that is so as a whole has been taken or not."""
        before, after = self.undisturbed[number], self.undisturbed[number + 1]
        with self.server.connect("disturbed") as conn:
            wait_for(lambda: conn.execute(_ANOTHER).fetchone() == (False,))
            check_whole(conn)
            if self.steps[number].whole:
                now = likeness(conn)
                assert now in (before.tables, after.tables), [one for one in now if now[one] != after.tables[one]]

    def finish(self, number: int) -> None:
        """The step once more, to its end: then both lives are alike."""
        after = self.undisturbed[number + 1]
        end = self.server.run("disturbed", *self.steps[number].command)
        # What makes a new edition says so where the last one killed had made it.
        assert end.code == 0 or (end.code == 2 and "exists" in end.err), end
        self._done["disturbed"] = number + 1
        with self.server.connect("disturbed") as conn:
            check_whole(conn)
            now, found = likeness(conn), answers(conn)
        assert now == after.tables, [one for one in now if now[one] != after.tables[one]]
        assert found == after.found

    def _kill(self, step: Step, victim: str, moment: str | None, seconds: float) -> None:
        """Start the step and kill the server, the command or both. :param moment: in SQL; None is any, in so many seconds."""
        process = self.server.command("disturbed", *step.command)
        with self.server.connect("disturbed") as conn:
            wanted = moment or _ANOTHER
            while process.poll() is None and conn.execute(wanted.encode()).fetchone() != (True,):
                time.sleep(0.001)
            if moment is None:
                time.sleep(self.draw.uniform(0, seconds))
            finished = process.poll() is not None
            if not finished:
                self.amid[victim] += 1
            if victim in ("command", "both"):
                kill(process)
            if victim in ("server", "both"):
                self.server.cut_power()
        self._judge(ended(process), process, victim, finished=finished)

    def _judge(self, end: Ended, process: subprocess.Popen[str], victim: str, *, finished: bool) -> None:
        """What a command says whose server was killed is a sentence and the next step."""
        if finished or end.code == 0 or (end.code == 2 and "exists" in end.err):
            return
        if victim == "server":
            assert (end.code, "Traceback" in end.err, "same command again" in end.err) == (5, False, True), end
        else:
            assert end.code == -9, end
        self.server.said.append(end.err)

    def _reach(self, db: str, number: int) -> None:
        """Let a life go so many steps."""
        server = self._server(db)
        if db not in self._done:
            server.done(db, "db", "create", db)
            self._done[db] = 0
            if db == "undisturbed":
                self.undisturbed.append(self._look(0.0))
        while self._done[db] < number:
            process = server.command(db, *self.steps[self._done[db]].command)
            with server.connect(db) as conn:
                while process.poll() is None and conn.execute(_ANOTHER).fetchone() != (True,):
                    time.sleep(0.001)
            began = time.monotonic()
            end = ended(process)
            seconds = time.monotonic() - began
            assert end.code == 0, end
            self._done[db] += 1
            if db == "undisturbed":
                self.undisturbed.append(self._look(seconds))

    def _server(self, db: str) -> Server:
        return self.elsewhere if db == "undisturbed" and self.elsewhere is not None else self.server

    def _look(self, seconds: float) -> After:
        with self._server("undisturbed").connect("undisturbed") as conn:
            check_whole(conn)
            return After(likeness(conn), answers(conn), seconds)
