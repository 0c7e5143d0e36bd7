"""What the containers' logs have from stc: how far it is, and what an image lacks."""

from __future__ import annotations

import sys

import pytest

from stcollection.cli import main
from stcollection.cli.output import ProgressBar


def test_progress_is_lines_where_a_log_is_wanted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("STC_PROGRESS_SECONDS", "0")
    with ProgressBar("embed", unit="doc") as bar:
        bar(500, 2000, "3 a second")
        bar(700, None)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "embed: 500 of 2,000 doc (25.0 %), 3 a second, after 0 s"
    assert second == "embed: 700 doc, after 0 s"


@pytest.mark.parametrize("value", ["", "often", "3600"])
def test_progress_is_silent_otherwise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], value: str) -> None:
    monkeypatch.setenv("STC_PROGRESS_SECONDS", value)
    with ProgressBar("embed", unit="doc") as bar:
        bar(500, 2000)
    assert capsys.readouterr().err == ""


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)  # as if it were not there
    for name in [one for one in sys.modules if one.startswith(("stcollection.complexity", "stcollection.cli.complexity"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "argv", ["stc", "complexity", "compute"])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 4
    assert "this needs the Python package nltk, which is not installed" in said
    assert "docker compose exec loader" in said
