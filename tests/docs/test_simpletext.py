"""The page on the published collection: its commands run on the files that they name, and print what the page shows."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from tests.docs.pages import REPOSITORY, blocks
from tests.docs.test_pages import last
from tests.docs.walk import Walk

PAGE = REPOSITORY / "docs" / "howto" / "simpletext.md"


def test_its_commands_print_its_figures(walk: Walk, data: Path) -> None:
    for name in ("simpletext", "llmjudge", "cacm"):
        shutil.copytree(data / name, walk.work, dirs_exist_ok=True)
    page = blocks(PAGE.read_text(encoding="utf-8"))
    found = [
        replace(one, mark="output" if one.marked.startswith("output") else "")
        for one in page
        if one.marked.startswith(("the track's files", "tests/docs/test_simpletext.py", "output"))
    ]
    assert len(found) == 10
    failed = [f"{block.first_line}\n{last(told)}" for block, told in walk.follow(found)]
    assert not failed, "\n\n".join(failed)
