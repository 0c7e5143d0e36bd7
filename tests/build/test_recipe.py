"""A recipe is checked completely before anything is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stcollection import demo
from stcollection.build.kinds import KINDS
from stcollection.build.recipe import read_recipe
from stcollection.cli.build import ADDED, COMMANDS
from stcollection.errors import StcError
from tests.build.conftest import RECIPE, STEPS


def test_steps_are_in_the_order_in_which_they_depend_on_each_other(recipe: Path) -> None:
    contents = read_recipe(recipe)
    assert [step.key for step in contents.steps] == STEPS
    needs = {step.key: step.needs for step in contents.steps}
    assert needs["text"] == ("corpus papers.jsonl",)
    assert needs["run bm25"] == ("corpus papers.jsonl", "text", "topics queries.tsv")
    assert (needs["run mine"], needs["fuse both"]) == ((), ("run bm25", "run mine"))
    assert needs["score train"] == ("qrels train train.qrels", "run bm25", "run mine", "fuse both")
    before = [step.key for step in contents.steps]
    assert all(before.index(need) < before.index(key) for key, several in needs.items() for need in several)


def test_a_default_value_does_not_change_a_step(recipe: Path, change: Callable[[str, str, str], None]) -> None:
    before = [step.definition for step in read_recipe(recipe).steps]
    change("collection.toml", 'system = "bm25"', 'system = "bm25"\ndepth = 1000')
    assert [step.definition for step in read_recipe(recipe).steps] == before


@pytest.mark.parametrize(
    ("old", "new", "code", "message", "hint"),
    [
        ("k1 = 0.9", "k1 = ", 3, r"collection\.toml, line 9, column 6: Invalid value", "TOML"),
        ("[text]", "[texts]", 2, "unknown table 'texts'", "Did you mean text?"),
        ("k1 =", "kk1 =", 2, r"\[text\]: unknown key 'kk1'", "Did you mean k1?"),
        ("k1 = 0.9", 'k1 = "much"', 2, r"\[text\]: k1 is 'much'", "Write a number."),
        ("k1 = 0.9", "k1 = -1", 2, r"\[text\]: k1 is -1", "Use 0 or more."),
        ("k1 = 0.9", "k1 = true", 2, "k1 is True", "Write a number."),
        ('edition = "train"\nsplit', "split", 2, r"\[\[qrels\]\] 1: edition is missing", "Edition"),
        ('split = "train"', 'split = "dev"', 2, "split is 'dev'", "Use one of train, test."),
        ('"papers.jsonl"', '"other.jsonl"', 2, r"\[\[corpus\]\] 1: other\.jsonl: there is no such file", "folder of the recipe"),
        ('"papers.jsonl"', '"."', 2, r"\.: is a folder", "folder of the recipe"),
        ('system = "bm25"', 'system = "bm26"', 2, "there is no system 'bm26'", "Did you mean 'bm25'?"),
        ('system = "bm25"', 'system = "bm25"\nname = "mine"', 2, "2 steps are 'run mine'", "another name"),
        ('name = "both"', 'name = "mine"', 2, "2 runs with the name 'mine'", "another name"),
        ('"AP"', '"ARP"', 2, r"\[\[score\]\] 1: .*ARP", ""),
        ("[collection]", "[collection]\nlanguage = 'en'", 2, r"\[collection\]: unknown key 'language'", "Known: name, title"),
        (RECIPE, "", 2, "no step", "[[corpus]]"),
        ("[text]", "[[text]]\n[[text]]", 2, r"2 tables \[\[text\]\]", "A collection has one"),
    ],
)
def test_an_error_names_the_place_the_value_and_the_next_step(
    recipe: Path, change: Callable[[str, str, str], None], old: str, new: str, code: int, message: str, hint: str
) -> None:
    change("collection.toml", old, new)
    with pytest.raises(StcError, match=message) as error:
        read_recipe(recipe)
    assert error.value.exit_code == code
    assert hint in (error.value.hint or "")
    assert str(recipe) in str(error.value)


def test_a_recipe_extends_another(recipe: Path) -> None:
    further = recipe.with_name("further.toml")
    further.write_text(
        '[collection]\nextends = "collection.toml"\n[text]\nb = 0.4\n[[qrels]]\npath = "train.qrels"\nedition = "copy"\n'
    )
    contents = read_recipe(further)
    assert [step.key for step in contents.steps if step.kind.word == "qrels"] == [
        "qrels train train.qrels",
        "qrels copy train.qrels",
    ]
    assert (contents.title, contents.steps[1].table) == ("A small collection", {"b": 0.4})


@pytest.mark.parametrize("path", [demo.RECIPE, demo.SYNTHETIC_RECIPE])
def test_the_demo_is_a_recipe(path: Path) -> None:
    assert read_recipe(path).name == "demo"


def test_each_kind_has_a_command_and_keys() -> None:
    words = {f"{kind.word} by {kind.chosen_by}" if kind.chosen_by else kind.word for kind in KINDS}
    assert words == COMMANDS.keys() | ADDED.keys()
    for kind in KINDS:
        assert {*kind.files, *kind.titled, *kind.on_change} <= kind.keys.keys(), kind.word
        assert {*kind.after} <= {other.word for other in KINDS}
