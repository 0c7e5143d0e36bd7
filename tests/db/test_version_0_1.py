"""A collection or dump of version 0.1 is refused with the commands that upgrade it, and does not change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

import stcollection
from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.errors import StateError
from tests.db.shape import shape

pytestmark = pytest.mark.slow

COMMANDS = (
    "db upgrade", "db upgrade --dry-run", "db upgrade --force", "db check", "db dump elsewhere",
    "retrieval search voice", "runs list",
)  # fmt: skip


@pytest.mark.parametrize("revision", ["0001", "0008", "0034"])
def test_every_command_names_the_version_and_the_way(
    conn: psycopg.Connection, settings: Settings, revision: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    conn.execute("UPDATE alembic_version SET version_num = %s", [revision])
    before = shape(conn, built=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STC_HOME", str(settings.home))
    if settings.dsn is not None:
        monkeypatch.setenv("STC_DSN", settings.dsn)
    calls: list[Callable[[], object]] = [lambda: upgrade(settings), lambda: stcollection.open(settings.db, dsn=settings.dsn)]
    for words in COMMANDS:
        arguments = ["--db", settings.db, *words.split()]
        calls.append(lambda arguments=arguments: CliRunner().invoke(stc, arguments, catch_exceptions=False))  # type: ignore[misc]
    for call in calls:
        with pytest.raises(StateError, match=f"is of version 0.1 \\(revision {revision}\\)") as error:
            call()
        assert "pip install stcollection==0.2.0, then 'stc " in str(error.value.hint)
    assert f"then 'stc --db {settings.db} db upgrade'" in str(error.value.hint)
    status = CliRunner().invoke(stc, ["--db", settings.db, "db", "status"], catch_exceptions=False)
    assert f"is of version 0.1 (revision {revision})" in status.output
    assert f"'stc --db {settings.db} db upgrade'" in status.output
    assert shape(conn, built=True) == before
    assert [path.name for path in tmp_path.iterdir()] in ([], ["elsewhere"])
    assert not [*tmp_path.glob("elsewhere/*")]
