"""Rules of style that no linter has: names of classes, docstrings, lines that are not formatted, SQL in function bodies."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from stcollection.plugins import studies
from tests.long import LONG
from tests.sql_paths import sql_paths

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def modules() -> dict[str, ast.Module]:
    """The modules of the package, parsed, by path."""
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in sorted((ROOT / "stcollection").rglob("*.py"))}


def definitions() -> Iterator[tuple[str, Definition]]:
    for path, module in modules().items():
        for node in ast.walk(module):
            if isinstance(node, Definition):
                yield f"{path}:{node.lineno} {node.name}", node


def test_a_public_class_has_a_name_of_its_own() -> None:
    homes = defaultdict(list)
    for path, module in modules().items():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


# Names that say nothing and cannot be searched for, and the rooms without them.
VAGUE = frozenset({"asked", "done", "found", "one", "said", "told", "wanted"})
# Commands and pages of studies, as in cli/ and explore/.
FACES = re.compile(r"/studies/\w+/(commands|page|tables|routes|\w*drawing)\b")
NAMED = (
    "analysis",
    "bundle",
    "cells.py",
    "complexity",
    "corpus",
    "counts.py",
    "db",
    "demo",
    "errors.py",
    "evaluation",
    "extras.py",
    "figures.py",
    "io",
    "llm",
    "plots",
    "qrels",
    "retrieval",
    "runs",
    "serve",
    *(f"studies/{study.name}" for study in studies()),
    "text",
    "topics",
    "vectors",
    "web/guard.py",
)


def columns_of_records(module: ast.Module) -> set[ast.expr]:
    """The fields of public records, some of which are columns of SQL functions and headers that users read."""
    records = (node for node in module.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
    records = (node for node in records if any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases))
    return {field.target for node in records for field in node.body if isinstance(field, ast.AnnAssign)}


@pytest.mark.parametrize("room", NAMED)
def test_a_name_says_what_it_names(room: str) -> None:
    paths = [path for path in modules() if f"{path}/".startswith(f"stcollection/{room}/") and not FACES.search(path)]
    assert paths
    vague = []
    for path in paths:
        columns = columns_of_records(modules()[path])
        for node in ast.walk(modules()[path]):
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg | ast.keyword) else None
            if name in VAGUE and node not in columns:
                vague.append(f"{path}:{node.lineno} {name}")  # type: ignore[attr-defined]
    assert vague == []


def test_a_docstring_opens_with_a_summary_line() -> None:
    texts = ((place, ast.get_docstring(node)) for place, node in definitions())
    assert [place for place, text in texts if text is not None and (not text.strip() or text.lstrip().startswith(":"))] == []


def test_only_tables_of_data_are_left_as_they_are_typed() -> None:
    """A row of data a line; anything else is ruff's to format."""
    files = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found = []
    for file in files:
        text = (ROOT / file).read_text()
        if "# fmt:" in text:
            tables = {line for node in ast.walk(ast.parse(text)) for line in ends_of_tables(node)}
            skipped = {at for at, line in enumerate(text.splitlines(), 1) if re.search(r"[^\"']# fmt: ?skip$", line)}
            found += [f"{file}:{line}" for line in sorted(skipped - tables)]
    assert found == []


def ends_of_tables(node: ast.AST) -> Iterator[int]:
    """The last line of a literal with three entries or more that is assigned or returned, and of the parameters of a test."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.Return) and node.value is not None:
        value = node.value
        while isinstance(value, ast.Call) and len(value.args) == 1:
            value = value.args[0]
        while isinstance(value, ast.BinOp):
            value = value.right if isinstance(value.left, ast.Name | ast.Call | ast.Attribute) else value.left
        entries = value.keys if isinstance(value, ast.Dict) else getattr(value, "elts", [])
        if len(entries) > 2:
            yield node.end_lineno or 0
    elif isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.parametrize":
                yield decorator.end_lineno or 0


def test_sql_has_lines_of_120_columns() -> None:
    """sqlfluff holds the limit outside of the bodies of functions, which are strings to it."""
    lines = ((file, at, line) for file in sql_paths() for at, line in enumerate(file.read_text().splitlines(), 1))
    assert [f"{file.relative_to(ROOT)}:{at}" for file, at, line in lines if len(line) > 120] == []


def test_the_tests_for_make_long_exist() -> None:
    missing = []
    for place in LONG:
        path, _, name = place.partition("[")[0].partition("::")
        if not (TESTS / path).exists() or (name and f"def {name}(" not in (TESTS / path).read_text(encoding="utf-8")):
            missing.append(place)
    assert missing == []
