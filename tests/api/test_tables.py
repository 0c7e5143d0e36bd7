"""What a notebook shows: tables in HTML, progress bars; and which figures there are."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from inspect import isfunction, signature
from types import SimpleNamespace
from typing import Any

import pytest

import stcollection
from stcollection.api import progress
from stcollection.api.plots import Plots
from stcollection.api.progress import NotebookBar
from stcollection.api.tables import Records
from stcollection.cells import HtmlFields, html_table
from stcollection.cli.subjects import PLOT


@dataclass(frozen=True)
class Loaded(HtmlFields):
    path: str
    documents: int
    share: float
    done: bool = True
    note: str | None = None


def test_html_is_escaped() -> None:
    html = Records([Loaded("<script>alert(1)</script>\x1b[0m", 12345, 0.123456)])._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[0m" in html
    assert "12,345</td>" in html
    assert "0.1235</td>" in html
    assert html == Records([Loaded("<script>alert(1)</script>\x1b[0m", 12345, 0.123456)])[0]._repr_html_()
    assert html_table(["a&b"], []) == "<table><thead><tr><th>a&amp;b</th></tr></thead><tbody></tbody></table>"
    assert Records([])._repr_html_().count("<td") == 0


def test_each_figure_of_the_command_line_has_a_method() -> None:
    methods = {name: value for name, value in vars(Plots).items() if isfunction(value) and not name.startswith("_")}
    assert methods.keys() == PLOT.keys() - {""}
    for name, method in methods.items():
        assert method.__doc__, name
        assert signature(method).return_annotation == "Figure", name


def test_an_editor_completes_names_of_the_package() -> None:
    for name in stcollection.__all__:
        assert getattr(stcollection, name) is not None
        assert name in dir(stcollection)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    counts: list[int] = []

    class Bar:
        n = total = 0

        def __init__(self, **options: Any) -> None:
            assert options["desc"] == "documents"

        def update(self, more: int) -> None:
            self.n += more
            counts.append(self.n)

        def close(self) -> None:
            counts.append(-1)

    monkeypatch.setattr("tqdm.auto.tqdm", Bar)
    return counts


@pytest.mark.parametrize(
    ("notebook", "show", "expected"), [(True, None, [1, 3, -1]), (False, None, []), (False, True, [1, 3, -1]), (True, False, [])]
)
def test_a_bar_is_shown_in_notebooks_unless_it_is_turned_off(
    shown: list[int], monkeypatch: pytest.MonkeyPatch, notebook: bool, show: bool | None, expected: list[int]
) -> None:
    config: dict[str, object] = {"IPKernelApp": {}} if notebook else {}
    shell = SimpleNamespace(config=config)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: False))
    assert progress.in_notebook() is notebook
    with NotebookBar("documents", unit="B", show=show, delay=0) as bar:
        bar(1, None)
        bar(3, 10)
    assert shown == expected
    with NotebookBar("documents", unit="B", show=True) as bar:  # done before it would appear
        bar(3, 10)
    assert shown == expected


def test_importing_is_cheap() -> None:
    code = """
import sys, stcollection
heavy = {"torch", "matplotlib", "pandas", "polars", "scipy", "sklearn", "sentence_transformers", "tqdm", "alembic"}
assert not {"psycopg", "numpy"} & set(sys.modules)
import stcollection.api.collection
assert not heavy & set(sys.modules), heavy & set(sys.modules)
import stcollection.api.plots
assert not {"torch", "matplotlib"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
