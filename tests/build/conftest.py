"""A small collection as a recipe, in a folder with a blank in its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stcollection.build.build import BuiltStep

RECIPE = """
[collection]
title = "A small collection"

[[corpus]]
path = "papers.jsonl"

[text]
k1 = 0.9

[[topics]]
path = "queries.tsv"

[[qrels]]
path = "train.qrels"
edition = "train"
split = "train"

[[run]]
system = "bm25"

[[run]]
path = "mine.run"

[[fuse]]
name = "both"
runs = ["bm25", "mine"]

[[score]]
edition = "train"
measures = ["nDCG@10", "AP"]
"""
FILES = {
    "papers.jsonl": '{"id": "d1", "title": "Voice assistants", "text": "We ask forty families."}\n'
    '{"id": "d2", "title": "Smart speakers", "text": "Homes listen."}\n'
    '{"id": "d3", "title": "Graphs", "text": "Trees are graphs."}\n',
    "queries.tsv": "qid\tquery\nq1\tvoice at home\n",
    "train.qrels": "q1 0 d1 1\nq1 0 d2 1\n",
    "mine.run": "q1 Q0 d1 1 2.0 mine\nq1 Q0 d3 2 1.0 mine\n",
    "collection.toml": RECIPE,
}
STEPS = [
    "corpus papers.jsonl", "text", "topics queries.tsv", "qrels train train.qrels", "run bm25", "run mine", "fuse both",
    "score train",
]  # fmt: skip


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    folder = tmp_path / "my files"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_text(content)
    return folder / "collection.toml"


@pytest.fixture
def change(recipe: Path) -> Callable[[str, str, str], None]:
    """Replace a text in a file of the recipe's folder."""

    def changing(name: str, old: str, new: str) -> None:
        path = recipe.with_name(name)
        content = path.read_text()
        assert old in content
        path.write_text(content.replace(old, new))

    return changing


def names(steps: list[BuiltStep], *states: str) -> list[str]:
    """The steps in one of some states."""
    return [step.step for step in steps if step.state in states]
