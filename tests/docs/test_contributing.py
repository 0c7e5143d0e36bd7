"""Follow the recipes of CONTRIBUTING.md in a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"(?:^`([\w./]+)`[^`\n]*(?:`[^`\n]+`[^`\n]*)*:\n\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def recipe(name: str) -> str:
    """Return the text of a recipe."""
    found = re.search(rf"^### {name}\n(.*?)(?=^###? |\Z)", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def follow(name: str, tree: Path) -> set[str]:
    """Write the files of a recipe, apply its diffs and run its commands. :returns: the paths."""
    touched, path = set(), ""
    for named, language, text in _BLOCK.findall(recipe(name)):
        path = named or path
        if language == "sh":
            for command in text.splitlines():
                run(tree, command.replace(".venv/bin/python", sys.executable).split())
            continue
        file = tree / path
        if language == "diff":
            before = "".join(f"{line[1:]}\n" for line in text.splitlines() if line[0] == "-")
            after = "".join(f"{line[1:]}\n" for line in text.splitlines() if line[0] == "+")
            content = file.read_text()
            assert content.count(before) == 1, (path, before)
            file.write_text(content.replace(before, after))
        else:
            assert not file.exists(), path
            file.write_text(text)
        touched.add(path)
    return touched


def run(tree: Path, command: list[str]) -> str:
    """Run a command in the tree. A pytest keeps its files there, since it closes the common folder to the user of our servers."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        command,
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
        env={**inherited, "PYTHONPATH": str(tree), "PYTEST_DEBUG_TEMPROOT": str(tree)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("stcollection", "sql", "migrations", "scripts", "tools", "docs", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "constraints.txt", "mkdocs.yml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.mark.long
def test_a_measure(tree: Path) -> None:
    assert follow("A measure", tree) == {"sql/evaluation/measures.toml", "tests/evaluation/test_hits.py"}
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    run(tree, [*test, "tests/evaluation/test_hits.py", "tests/evaluation/test_names.py", "tests/docs/test_reference.py"])
    assert "relevant documents among the first k" in run(tree, [sys.executable, "-m", "stcollection", "show", "measures"])


@pytest.mark.long
def test_a_system(tree: Path) -> None:
    assert follow("A system", tree) == {
        "sql/retrieval/likelihood_search.sql",
        "sql/retrieval/systems.toml",
        "tests/retrieval/test_likelihood.py",
    }
    tests = ("retrieval/test_likelihood.py", "retrieval/test_search.py", "retrieval/test_check_system.py", "db/test_parallel.py")
    run(tree, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{name}" for name in tests)])


@pytest.mark.long
def test_a_format(tree: Path) -> None:
    assert follow("A format", tree) == {
        "stcollection/io/topics/numbered.py",
        "stcollection/io/registry.py",
        "docs/examples/topics/numbered.txt",
    }
    run(tree, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/io/test_registry.py"])
    assert "a number, a point and a blank" in run(tree, [sys.executable, "-m", "stcollection", "show", "formats", "topics"])


def test_paths_in_the_recipes_exist() -> None:
    """Paths in the text exist; for a path with <word>, its folder exists; for a path with *, a file matches."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.DOTALL | re.MULTILINE)
    made = {"tests/evaluation/test_hits.py", "stcollection/io/topics/numbered.py", "tests/retrieval/test_likelihood.py"}
    made |= {"sql/retrieval/likelihood_search.sql"}
    made |= {"docs/examples/topics/numbered.txt", "docs/reference/"}
    named = {
        one
        for one in re.findall(r"`((?:stcollection|sql|tests|docs|migrations|scripts|tools)/[^` ]*)`", text)
        if "<stage>" not in one
    }
    assert len(named) > 15
    for one in named - made:
        path, _, _ = one.partition("<")
        assert any(ROOT.glob(one)) if path == one else (ROOT / path).parent.exists(), one
