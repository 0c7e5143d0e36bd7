"""Commands are thin: under 60 lines each, without SQL, in modules of one page."""

from __future__ import annotations

import ast
from pathlib import Path

import stcollection.cli

FOLDER = Path(stcollection.cli.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))
LINES, MODULE_LINES = 60, 200


def functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)]


def length(function: ast.FunctionDef) -> int:
    """Its lines, with its decorators."""
    first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    return (function.end_lineno or first) - first + 1


def name(path: Path) -> str:
    return str(path.relative_to(FOLDER))


def test_functions_and_modules_are_short() -> None:
    assert [(name(path), one.name, length(one)) for path in MODULES for one in functions(path) if length(one) >= LINES] == []
    assert [name(path) for path in MODULES if len(path.read_text(encoding="utf-8").splitlines()) > MODULE_LINES] == []


def test_the_library_talks_to_the_database() -> None:
    """A command opens a connection and hands it on."""
    found = {
        (name(path), node.func.attr)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert [one for one in sorted(found) if one[1] in {"execute", "executemany", "copy", "cursor", "fetchone", "fetchall"}] == []
