"""The gallery lists and draws every plot command, and draws public collections with the stored numbers."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from stcollection.cli.analysis.plot import command as plot
from tests.homes import copy_home, home_folder
from tools.gallery import FIGURES, PAGE, PICTURES, REPORT, draw, text
from tools.gallery_public import COLLECTIONS, Public, draw_public

LARGEST = 60_000  # bytes of a picture
DRAWN = [one for figures in FIGURES.values() for one in figures]
NAMES = {one.name for one in DRAWN} | {f"report-{name}" for name in REPORT}
PUBLIC = {one.name for public in COLLECTIONS for one in public.figures}


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run python -m tools.gallery"


def test_every_plot_command_is_listed() -> None:
    assert isinstance(plot, click.Group)
    commands = {f"analysis plot {name}" for name in plot.list_commands(click.Context(plot))}
    others = {"db schema", "answers graph"}
    assert commands | others == {" ".join(one.command.split()[: 3 if "plot" in one.command else 2]) for one in DRAWN}


def test_each_figure_has_a_small_picture() -> None:
    assert {path.stem for path in PICTURES.glob("*.svg")} == NAMES | PUBLIC
    assert {path.stem for path in PICTURES.glob("*.csv")} == PUBLIC
    assert [path.name for path in PICTURES.glob("*.svg") if path.stat().st_size > LARGEST] == []


def test_the_demo_gives_every_figure(made_demo: Callable[[], Path], tmp_path: Path) -> None:
    with home_folder() as home:
        copy_home(made_demo(), home)
        draw(home, tmp_path / "pictures")
    assert {path.stem for path in (tmp_path / "pictures").glob("*.svg")} == NAMES


@pytest.mark.parametrize("public", COLLECTIONS, ids=lambda public: public.database)
def test_public_collections_give_the_stored_numbers(public: Public, data: Path, tmp_path: Path) -> None:
    with home_folder() as home:
        draw_public(home, data, tmp_path, [public])
    for one in public.figures:
        assert (tmp_path / f"{one.name}.svg").stat().st_size > 1_000
        found, stored = (rows(folder / f"{one.name}.csv") for folder in (tmp_path, PICTURES))
        assert len(found) == len(stored)
        for mine, theirs in zip(found, stored, strict=True):
            assert len(mine) == len(theirs)
            assert all(map(same, mine, theirs)), (one.name, mine, theirs)


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def same(one: str, other: str) -> bool:
    """Return True if two cells are equal, numbers to the sixth digit: sums of floats differ between machines in the last ones."""
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-6, abs_tol=1e-9)
    except ValueError:
        return one == other
