"""Actors of Ray on this machine: order, errors of the work, and actors that are killed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from stcollection.db.actors import run_in_actors
from stcollection.db.pool import LOCAL, RayActors
from stcollection.errors import BadArgument, StateError
from tests.db.actor_work import opened

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="the extra ray is not installed"),
]


def done(folder: Path, lethal: int, items: range) -> Any:
    """Process items by two actors, in another process; Ray is stopped afterwards."""
    command = [sys.executable, "-m", "tests.db.actor_work", str(folder), str(lethal), str(items.start), str(items.stop)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).resolve().parents[2])
    assert ended.returncode == 0, ended.stderr
    told, running = json.loads(ended.stdout.splitlines()[-1])
    assert not running
    return told


def test_outcomes_are_in_order_and_a_killed_actor_loses_no_item(tmp_path: Path) -> None:
    outcomes = done(tmp_path, 5, range(12))
    assert [item for item, _ in outcomes] == list(range(12))
    assert len({process for _, process in outcomes}) == 3  # one was killed and started again
    assert set(map(int, (tmp_path / "items").read_text().split())) == set(range(12))  # one may be processed twice


def test_errors_of_the_work(tmp_path: Path) -> None:
    assert done(tmp_path, 99, range(10, 20)) == ["BadArgument", "the number 13", "Take another.", "IR202"]


def test_an_actor_that_is_always_lost(tmp_path: Path) -> None:
    kind, message, hint, _ = done(tmp_path, -3, range(10))
    assert kind == "DatabaseError"
    # The result of item 1, which the same actor processed just before, can be lost with it.
    assert re.search("lost 4 times; the first item without a result is [13]:", message)
    assert "Run the same command again" in hint


def test_addresses_and_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for address, count, said in (("", None, "address of Ray is empty"), (LOCAL, 0, "0 actors")):
        with pytest.raises(BadArgument, match=said):
            RayActors(address=address, count=count)

    def attempt(address: str) -> StateError:
        with pytest.raises(StateError) as error:
            list(run_in_actors(partial(opened, tmp_path, 99), [1], actors=RayActors(address=address)))
        return error.value

    for nowhere in ("127.0.0.1:1", "ray://127.0.0.1:1", "head", "ray://"):
        error = attempt(nowhere)
        assert f"cannot be reached at {nowhere!r}" in str(error)
        assert "Check that the cluster runs" in str(error.hint)
    # Ray has been imported here without a token.
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    assert "other machines could use" in str(attempt(LOCAL))

    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("stcollection.db.actors.importlib.import_module", missing)
    error = attempt("127.0.0.1:1")
    assert "work by actors of Ray needs the Python package ray" in str(error)
    assert "pip install" in str(error.hint)
