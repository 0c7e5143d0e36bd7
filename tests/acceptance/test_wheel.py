"""What is published: the wheel, made from the source distribution, installed into an empty environment and used from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stcollection.db.embedded import EmbeddedServer

pytestmark = pytest.mark.slow
REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
VERSION = PROJECT["project"]["version"]
# What an extra brings, and the first thing that wants it.
WANTS = [
    ("explore", ["explore"]),
    ("serve", ["serve"]),
    ("plot", ["analysis", "plot", "systems", "--edition", "train", "--out", "systems.svg"]),
    ("stats", ["analysis", "bias", "train", "--mixed-model"]),
    ("ir-datasets", ["corpus", "load", "irds:beir/scifact"]),
    ("parquet", ["vectors", "export", "V.parquet", "--field", "abstract"]),
]

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def run(*command: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=900, **options)  # type: ignore[call-overload]
    assert isinstance(done, subprocess.CompletedProcess)
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution, and the wheel that pip makes of it."""
    folder = tmp_path_factory.mktemp("dist")
    tools = folder / "tools"
    commands: list[list[str | Path]] = [
        [sys.executable, "-m", "venv", tools],
        [tools / "bin" / "python", "-m", "pip", "install", "--quiet", *PROJECT["build-system"]["requires"]],
        [tools / "bin" / "python", "-m", "hatchling", "build", "-t", "sdist", "-d", folder],
    ]
    for command in commands:
        done = run(*command, cwd=REPOSITORY)
        assert done.returncode == 0, done.stdout + done.stderr
    [sdist] = folder.glob("*.tar.gz")
    done = run(tools / "bin" / "python", "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, sdist)
    assert done.returncode == 0, done.stderr
    [wheel] = folder.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that the user of the server can read, unlike pytest's, which each run of pytest closes."""
    with tempfile.TemporaryDirectory(prefix="stc-wheel-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], folder: Path) -> Iterator[Run]:
    """A program of an environment that has the wheel and its dependencies, without extras; run elsewhere, with a separate home."""
    environment, away = folder / "environment", folder / "elsewhere"
    away.mkdir()
    commands: list[list[str | Path]] = [
        [sys.executable, "-m", "venv", environment],
        [environment / "bin" / "pip", "install", "--quiet", "-c", REPOSITORY / "constraints.txt", built[1]],
    ]
    for command in commands:
        done = run(*command, cwd=away)
        assert done.returncode == 0, done.stderr
    home = folder / "home"
    home.mkdir()
    names = {"PATH": f"{environment / 'bin'}:/usr/bin:/bin", "HOME": str(home), "STC_HOME": str(folder / "stc"), "LANG": "C.UTF-8"}

    def program(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run(environment / "bin" / name, *arguments, cwd=away, env=names)

    try:
        yield program
    finally:
        EmbeddedServer(folder / "stc").stop()
        shutil.rmtree(environment)


@pytest.fixture(scope="module")
def used(installed: Run, built: tuple[Path, Path]) -> Run:
    """The same with the extra ``embed``, where there is a demo collection."""
    where = installed("python", "-c", "import sys; print(sys.executable)").stdout.strip()
    done = run(where, "-m", "pip", "install", "--quiet", "-c", REPOSITORY / "constraints.txt", f"{built[1]}[embed]")
    assert done.returncode == 0, done.stderr
    done = installed("stc", "demo")
    assert done.returncode == 0, done.stderr
    assert "hybrid" in done.stdout
    return installed


def test_the_version_is_one() -> None:
    changes = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d[^\]]*)\] – \d{4}-\d{2}-\d{2}$", changes, re.MULTILINE)
    assert released[0] == VERSION


def test_the_wheel_has_the_package_its_sql_and_its_migrations_and_nothing_else(built: tuple[Path, Path]) -> None:
    names = set(zipfile.ZipFile(built[1]).namelist())
    assert built[1].name == f"stcollection-{VERSION}-py3-none-any.whl"
    for folder, inside, pattern in (
        ("sql", "_sql", "*/*.*"),
        ("migrations", "_migrations", "**/*.py"),
        ("stcollection", "", "**/*.*"),
    ):
        files = [path.relative_to(REPOSITORY / folder) for path in (REPOSITORY / folder).glob(pattern) if path.is_file()]
        wanted = {(Path("stcollection") / inside / path).as_posix() for path in files if "__pycache__" not in path.parts}
        assert len(wanted) > 5
        assert wanted <= names
    assert {"stcollection/py.typed", f"stcollection-{VERSION}.dist-info/licenses/LICENSE"} <= names
    assert {name.partition("/")[0] for name in names} == {"stcollection", f"stcollection-{VERSION}.dist-info"}
    assert not [name for name in names if "/tests/" in name.replace("}}/tests/", "") or name.endswith((".pyc", ".orig"))]


def test_the_source_distribution_has_what_it_is_built_and_tested_with(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "constraints.txt",
        "Makefile",
        "tests/conftest.py",
        "docs/start/participant.md",
    }
    assert wanted <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".venv", "dist/"))]


def test_without_torch_files_are_loaded_searched_and_scored(installed: Run, tmp_path: Path) -> None:
    """Before the tests that install the extra ``embed``."""
    assert installed("python", "-c", "import torch").returncode == 1
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "corpus.csv").write_text("id,title,text\nd1,Privacy,at home\nd2,Weather,in the north\nd3,Bread,with salt\n")
    (folder / "queries.tsv").write_text("q1\tprivacy at home\nq2\tweather\n")
    (folder / "judged.qrels").write_text("q1 0 d1 1\nq2 0 d2 1\nq2 0 d3 0\n")
    for command in (["load", folder], ["text", "index"], ["retrieval", "run", "bm25"], ["evaluation", "leaderboard", "-m", "P@1"]):
        done = installed("stc", "--db", "mine", *map(str, command))
        assert done.returncode == 0, done.stderr
    assert "1.0000" in done.stdout
    for command in (["demo"], ["vectors", "embed"], ["retrieval", "search", "privacy"]):
        done = installed("stc", "--db", "mine", *command)
        assert done.returncode == 4
        assert "pip install 'stcollection[embed]'" in done.stderr or "vectors" in done.stderr


def test_it_runs_where_the_source_is_not(used: Run) -> None:
    told = used("stc", "--version")
    assert (told.returncode, told.stdout) == (0, f"stc, version {VERSION}\n")
    asked = used("stc", "--db", "demo", "db", "psql", "--", "-Atc", "SELECT count(*) FROM bm25_search('privacy', 5)")
    assert (asked.returncode, asked.stdout.strip()) == (0, "5"), asked.stderr
    step = used("stc", "--db", "demo", "db", "status")
    assert "up to date" in step.stdout
    assert "drift" not in step.stdout
    code = (
        "import stcollection\n"
        "with stcollection.open('demo') as collection:\n"
        "    print(stcollection.__file__, stcollection.__version__, len(list(collection.docs_iter())))"
    )
    answered = used("python", "-c", code)
    assert answered.returncode == 0, answered.stderr
    path, version, documents = answered.stdout.split()
    assert "site-packages" in path
    assert (version, documents) == (VERSION, "216")


@pytest.mark.parametrize(("extra", "command"), WANTS, ids=[extra for extra, _ in WANTS])
def test_what_takes_an_extra_names_it(used: Run, extra: str, command: list[str]) -> None:
    done = used("stc", "--db", "demo", *command)
    assert done.returncode in (2, 4), done.stdout + done.stderr
    assert f"pip install 'stcollection[{extra}]'" in done.stderr


def test_frames_take_an_extra_and_say_so(used: Run) -> None:
    done = used("python", "-c", "import stcollection\nstcollection.open('demo').search('privacy')")
    assert done.returncode == 1
    assert "the Python package pandas, which is not installed" in done.stderr
