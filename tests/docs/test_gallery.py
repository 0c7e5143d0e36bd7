"""The gallery lists every plot command; ``make docs`` draws it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stcollection.cli.subjects import PLOT
from tools import gallery
from tools.gallery import FIGURES, text
from tools.gallery_public import COLLECTIONS, STORED, different

DRAWN = [one for figures in FIGURES.values() for one in figures]
PUBLIC = {one.name for public in COLLECTIONS for one in public.figures}


def test_every_plot_command_is_listed() -> None:
    commands = {f"plot {name}" for name in PLOT if name}
    others = {"db schema", "answers graph"}
    assert commands | others == {" ".join(figure.command.split()[:2]) for figure in DRAWN}


def test_the_page_shows_each_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of public collections only where they are drawn."""
    monkeypatch.setattr(gallery, "PICTURES", tmp_path)
    assert all(f"(gallery/{one.name}.svg)" in text() for one in DRAWN)
    assert "public-years.svg" not in text()
    (tmp_path / "public-years.svg").touch()
    assert "(gallery/public-years.svg)" in text()


def test_other_numbers_are_noticed(tmp_path: Path) -> None:
    assert {path.stem for path in STORED.glob("*.csv")} == PUBLIC
    assert different(tmp_path, "public-years")
    copy = Path(shutil.copy(STORED / "public-years.csv", tmp_path))
    assert not different(tmp_path, "public-years")
    copy.write_text(copy.read_text().replace("1", "2", 1))
    assert different(tmp_path, "public-years")
