"""The notebook and the page of documentation run on the demo; the notebook says what it said when it was stored."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from stcollection.api.collection import Collection
from stcollection.db.settings import Settings

pytestmark = pytest.mark.long

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebooks" / "tour.ipynb"
NUMBER = re.compile(r"-?\d+\.\d+")
PAGE = NOTEBOOK.parents[1] / "start" / "researcher.md"


def told(notebook: Any, beginning: str) -> str:
    """What the cell that holds this printed last, as text."""
    [cell] = [one for one in notebook.cells if one.cell_type == "code" and beginning in one.source]
    output = cell.outputs[-1]
    return str(output["data"]["text/plain"] if "data" in output else output["text"])


def test_it_is_stored_with_its_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [
        output for cell in code for output in cell.outputs if output.output_type == "error" or output.get("name") == "stderr"
    ]
    assert NOTEBOOK.stat().st_size < 100_000


@pytest.mark.slow
def test_it_runs_and_says_the_same(demo_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = nbformat.read(NOTEBOOK, as_version=4)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace('open("demo")', f"open({demo_settings.db!r})")
    name, value = ("STC_HOME", str(demo_settings.home)) if demo_settings.dsn is None else ("STC_DSN", demo_settings.dsn)
    monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(NOTEBOOK.parents[2]), os.environ.get("PYTHONPATH", "")]))
    before = _state(demo_settings)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    for beginning in ('edition="train", measures=["nDCG@10", "AP", "RR", "R@100"]', "pt.Experiment(", "corpus_status", "ttest_rel"):
        now, then = told(notebook, beginning), told(stored, beginning)
        # Embedded in single precision: on each CPU the same, apart from the last digits.
        assert NUMBER.sub("#", now).split() == NUMBER.sub("#", then).split()
        assert [*map(float, NUMBER.findall(now))] == pytest.approx([*map(float, NUMBER.findall(then))], abs=0.001)
    assert _state(demo_settings) == before


def _state(settings: Settings) -> list[tuple[Any, ...]]:
    with Collection(settings) as collection:
        rows: list[tuple[Any, ...]] = collection.runs(frame="polars").select("run", "queries", "ranked").rows()
        return [*rows, (collection.docs_count(),)]


@pytest.mark.slow
def test_the_page_runs_as_it_stands(demo_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    name, value = ("STC_HOME", str(demo_settings.home)) if demo_settings.dsn is None else ("STC_DSN", demo_settings.dsn)
    monkeypatch.setenv(name, value)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    before = _state(demo_settings)
    scope: dict[str, Any] = {}
    for block in blocks:
        exec(block.replace('open("demo")', f"open({demo_settings.db!r})"), scope)  # noqa: S102  (the documentation's)
    assert len(blocks) > 8
    assert scope["c"].connection.closed
    assert scope["context"].passages
    assert _state(demo_settings) == before
