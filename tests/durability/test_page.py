"""docs/background/durability.md names existing tests."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "background" / "durability.md"


def test_every_test_that_the_table_names_exists() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and "| fault |" not in line]
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", row)
        assert named, f"a row without its test: {row}"
        for file, name in named:
            [path] = TESTS.glob(f"*/{file}")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file} has no {name}"
