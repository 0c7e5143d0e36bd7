"""The gallery lists and draws every plot command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from scripts.gallery import FIGURES, PAGE, PICTURES, REPORT, draw, text
from stcollection.cli.analysis.plot import command as plot
from tests.homes import copy_home, home_folder

LARGEST = 60_000  # bytes of a picture
DRAWN = [one for figures in FIGURES.values() for one in figures]
NAMES = {one.name for one in DRAWN} | {f"report-{name}" for name in REPORT}


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run python -m scripts.gallery"


def test_every_plot_command_is_listed() -> None:
    assert isinstance(plot, click.Group)
    commands = {f"analysis plot {name}" for name in plot.list_commands(click.Context(plot))}
    others = {"db schema", "answers graph"}
    assert commands | others == {" ".join(one.command.split()[: 3 if "plot" in one.command else 2]) for one in DRAWN}


def test_each_figure_has_a_small_picture() -> None:
    assert {path.stem for path in PICTURES.glob("*.svg")} == NAMES
    assert [path.name for path in PICTURES.glob("*.svg") if path.stat().st_size > LARGEST] == []


def test_the_demo_gives_every_figure(made_demo: Callable[[], Path], tmp_path: Path) -> None:
    with home_folder() as home:
        copy_home(made_demo(), home)
        draw(home, tmp_path / "pictures")
    assert {path.stem for path in (tmp_path / "pictures").glob("*.svg")} == NAMES
