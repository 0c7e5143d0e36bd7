"""The recipes of the guides' collections build, and a second build does nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stcollection.build.build import build
from stcollection.build.recipe import read_recipe
from stcollection.db.settings import Settings
from stcollection.demo import DATA
from tests.build.conftest import names
from tests.docs.pages import REPOSITORY

pytestmark = pytest.mark.slow
RECIPES = REPOSITORY / "docs" / "examples" / "recipes"
#: Recipes of public collections, with the folder of the real collections that has their files.
PUBLIC = {
    "acm-cr": "acm-cr", "cacm": "cacm", "cranfield": "cranfield", "dl21": "trec-dl/dl21", "dl23": "trec-dl/dl23",
    "llmjudge": "llmjudge", "simpletext": "simpletext",
}  # fmt: skip
_PAPERS = (
    '{"_id": "d1", "title": "Voice assistants", "text": "We ask families."}\n{"_id": "d2", "title": "", "text": "Homes listen."}\n'
)
#: The files of the other recipes.
MADE: dict[str, dict[str, str]] = {
    "beir": {
        "corpus.jsonl": _PAPERS,
        "queries.jsonl": '{"_id": "q1", "text": "voice assistants at home"}\n',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\n",
    },
    "openalex": {"works.jsonl": (REPOSITORY / "docs/examples/corpus/openalex.jsonl").read_text(encoding="utf-8")},
    "snapshots": {"january.jsonl": _PAPERS, "june.jsonl": _PAPERS.splitlines()[0] + "\n"},
    "track": {},
}


def check(settings: Settings, recipe: Path) -> None:
    assert read_recipe(recipe).name is not None
    built = build(settings, recipe)
    assert names(built, "built") == [step.step for step in built]
    assert names(build(settings, recipe), "up to date") == [step.step for step in built]


def test_every_recipe_is_tried() -> None:
    assert {path.stem for path in RECIPES.glob("*.toml")} == PUBLIC.keys() | MADE.keys()


@pytest.mark.parametrize("name", MADE)
def test_a_recipe_of_a_guide_builds(name: str, settings: Settings, tmp_path: Path) -> None:
    for file, content in MADE[name].items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(content, encoding="utf-8")
    if name == "track":
        shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    check(settings, Path(shutil.copy(RECIPES / f"{name}.toml", tmp_path)))


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLIC)
def test_a_recipe_of_a_public_collection_builds(name: str, settings: Settings, data: Path, tmp_path: Path) -> None:
    for file in (data / PUBLIC[name]).iterdir():
        (tmp_path / file.name).symlink_to(file)
    check(settings, Path(shutil.copy(RECIPES / f"{name}.toml", tmp_path)))
