"""With a study removed from the tree, everything else is installed, upgrades, and works; its rows stay."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psycopg
import pytest

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from tests.acceptance.conftest import environment
from tools.without import copy, run

# The heart: migrations, SQL, rights, the command line, measures, and studies that plug in.
CHOSEN = ("tests/db/test_objects.py", "tests/db/test_studies.py", "tests/cli/test_folder.py", "tests/evaluation/test_names.py",
          "tests/test_plugins.py")  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree without ``answers``."""
    folder = tmp_path_factory.mktemp("without")
    left_out = copy("answers", folder)
    assert not (folder / "stcollection/studies/answers").exists()
    assert not set(CHOSEN) & {*left_out}
    return folder


def test_a_collection_with_its_rows_upgrades_without_it(tree: Path, settings: Settings, conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO stc.answer_sets (set, split) VALUES ('mine', 'test')")
    variables = {name: str(value) for name, value in environment(settings).items()}
    stc = ("-m", "stcollection", "--db", settings.db)
    assert "the study 'answers'" not in run(tree, *stc, "db", "upgrade", **variables).stderr
    listed = run(tree, *stc, "show", "studies", "--format", "csv", **variables).stdout
    assert "answers,,14,not installed: its rows are kept," in listed
    assert "coverage" in listed
    with pytest.raises(subprocess.CalledProcessError) as error:
        run(tree, *stc, "answers", "leaderboard", **variables)
    assert "no such command 'answers'" in error.value.stderr
    with open_session(conninfo(settings)) as own:
        assert own.execute("SELECT set, split FROM stc.answer_sets").fetchall() == [("mine", "test")]
        assert own.execute("SELECT count(*) > 0 FROM stc_objects WHERE file LIKE 'studies/answers/%'").fetchone() == (True,)


def test_the_demo_works_without_it(tree: Path, tmp_path: Path) -> None:
    printed = run(tree, "-m", "stcollection", "demo", STC_HOME=str(tmp_path)).stdout
    assert "nDCG@10" in printed
    run(tree, "-m", "stcollection", "db", "stop", STC_HOME=str(tmp_path))


def test_the_chosen_tests_pass_without_it(tree: Path) -> None:
    done = run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CHOSEN)
    assert " passed" in done.stdout
