"""The glossary names what exists, and other names for its concepts are in no help text."""

from __future__ import annotations

import re

import click

from stcollection.cli import stc
from tests.docs.pages import REPOSITORY
from tools.commands import text
from tools.reference_sql import objects

#: Wrong words, and the name to use.
OTHER_NAMES = {
    "judger": "assessor", "hand-over": "dump", "handover": "dump", "vec": "embedding", "judgement": "judgment",
    "metric": "measure", "intent": "subtopic",
}  # fmt: skip
PAGE = (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", PAGE, re.M)[1:]


def test_each_concept_is_listed_once_in_alphabetical_order() -> None:
    names = [name for name, *_ in ROWS]
    assert len(names) > 40
    assert names == sorted(set(names))
    assert set(OTHER_NAMES.values()) <= set(names)


def test_its_tables_and_views_exist(conn) -> None:  # type: ignore[no-untyped-def]
    tables = {name for (name,) in conn.execute("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'v')").fetchall()}
    there = tables | {one.name for one in objects()}
    named = {name for _, _, cell, _ in ROWS for name in re.findall(r"`(\w+)`", cell)}
    assert len(named) > 20
    assert named <= there


def test_its_commands_exist() -> None:
    for path in sorted({path for *_, cell in ROWS for path in re.findall(r"`stc ([^`]+)`", cell)}):
        command: click.Command | None = stc
        for word in path.partition(" --")[0].split():
            assert isinstance(command, click.Group), path
            command = command.get_command(click.Context(command), word)
        assert command is not None, path


def test_no_help_text_uses_another_name() -> None:
    commands = text()
    assert [word for word in OTHER_NAMES if re.search(rf"(?<!/)\b{word}s?\b", commands, re.IGNORECASE)] == []
