"""Modules can be imported under the names of version 0.1, with a warning that names the new one."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import pytest

from stcollection.moved import MOVED, grouped, new_name

pytestmark = pytest.mark.slow


# Each name is tried in a separate process, forked from one that has imported large packages.
SCRIPT = """
import importlib, json, os, sys, traceback, warnings
import httpx, numpy, psycopg, scipy.stats

for old, new in json.load(sys.stdin).items():
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                module = importlib.import_module(old)
            actual = importlib.import_module(new)
            assert module is actual and actual.__spec__.name == actual.__name__, actual.__spec__
            assert any(str(one.message).startswith(f"{old} is now {new};") for one in seen), seen
        except BaseException:
            print(old, traceback.format_exc(), flush=True)
            os._exit(1)
        os._exit(0)
    os.waitpid(child, 0)
    print("tried", old)
"""


def test_an_old_module_is_the_new_one() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], input=json.dumps(MOVED), capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"tried {old}" for old in MOVED], done.stdout + done.stderr


def test_a_module_within_a_package_that_moved() -> None:
    assert new_name("stcollection.face.collection") == "stcollection.api.collection"
    with pytest.warns(FutureWarning, match=r"stcollection\.face\.context is now stcollection\.api\.context"):
        old = importlib.import_module("stcollection.face.context")
    assert old.pack is importlib.import_module("stcollection.api.context").pack


def test_what_never_was_is_still_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"stcollection\.api\.nothing"):
        importlib.import_module("stcollection.face.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"stcollection\.nothing"):
        importlib.import_module("stcollection.nothing")


@dataclass(frozen=True)
class Draws:
    times: int = 10
    seed: int = 0


@grouped(draws=Draws)
def drawn(name: str, *, draws: Draws) -> tuple[str, Draws]:
    return name, draws


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"draws": 5}, Draws(5)),
        ({"seed": 3}, Draws(seed=3)),
        ({"draws": 5, "seed": 3}, Draws(5, 3)),
        ({"draws": Draws(5), "seed": 3}, Draws(5, 3)),
    ],
)
def test_keywords_that_became_a_record_are_still_taken(old: dict[str, Any], new: Draws) -> None:
    with pytest.warns(FutureWarning, match=r"drawn: pass .* as draws=Draws\(…\)"):
        assert drawn("x", **old) == ("x", new)


def test_a_record_is_taken_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drawn("x", draws=Draws(2)) == ("x", Draws(2))
    with pytest.raises(TypeError):
        drawn("x", draws=Draws(2), other=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("stcollection.runs.load", "Options", "ImportOptions"),
        ("stcollection.analysis.report.parts", "Asked", "StudySources"),
    ],
)
def test_a_class_has_its_old_name_too(module: str, old: str, new: str) -> None:
    home = importlib.import_module(new_name(module) or module)
    with pytest.warns(FutureWarning, match=f"{old} is now {new}"):
        assert getattr(home, old) is getattr(home, new)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = home.Nothing
