"""The glossary names what exists, and other names for its concepts are in no help text."""

from __future__ import annotations

import re

import click
import pytest

from stcollection.cli import stc
from tests.docs.pages import REPOSITORY
from tools.glossary import CONCEPTS, PAGE, Concept, page

REFERENCE = REPOSITORY / "docs" / "reference"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tools.glossary"


def test_each_concept_is_listed_once_in_alphabetical_order() -> None:
    names = [concept.name for concept in CONCEPTS]
    assert names == sorted(set(names))


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda concept: concept.name)
def test_its_tables_and_commands_exist(concept: Concept) -> None:
    described = "\n".join(path.read_text(encoding="utf-8") for path in REFERENCE.glob("*.md") if path != PAGE)
    assert [name for name in concept.tables if not re.search(rf"^#+ .*\b{name}\b", described, re.MULTILINE)] == []
    for path in concept.commands:
        command: click.Command = stc
        for word in path.split():
            assert isinstance(command, click.Group)
            found = command.get_command(click.Context(command), word)
            assert found is not None, path
            command = found


def test_no_help_text_uses_another_name() -> None:
    commands = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    other = {word for concept in CONCEPTS for word in concept.avoid}
    assert other
    assert [word for word in sorted(other) if re.search(rf"(?<!/)\b{word}s?\b", commands, re.IGNORECASE)] == []
