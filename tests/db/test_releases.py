"""Upgrade databases of earlier releases, created by the code of that time (tools/releases.py)."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from stcollection.db import catalogue
from stcollection.db.backup import programs
from stcollection.db.backup.dump import dump
from stcollection.db.backup.restore import restore
from stcollection.db.connection import conninfo
from stcollection.db.current import in_step
from stcollection.db.objects import drift
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import head, oldest, revision
from stcollection.db.upgrade import upgrade
from tests.db.conftest import NewName
from tests.db.shape import shape

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parent / "releases"
RELEASES = sorted(path.stem for path in FOLDER.glob("*.json"))


def test_there_is_a_database_of_each_earlier_release() -> None:
    assert [oldest()] == RELEASES  # of 0.2.0
    with tarfile.open(FOLDER / "databases.tar.xz") as archive:
        assert archive.getnames() == [f"{one}.sql" for one in RELEASES]


@pytest.fixture(params=RELEASES)
def released(
    request: pytest.FixtureRequest, server: Settings, admin: psycopg.Connection, template: str
) -> Iterator[tuple[Settings, dict[str, Any]]]:
    """Return the database of a release and its output at that time. Its policies need roles, which the template creates."""
    if admin.execute("SELECT FROM pg_available_extensions WHERE name = 'pg_textsearch'").fetchone() is None:
        pytest.skip("the releases' databases have an index of pg_textsearch, which this server has not")
    there = replace(server, db=f"released_{os.getpid()}_{request.param}")
    name = sql.Identifier(there.db)
    admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(name))
    admin.execute(sql.SQL("COMMENT ON DATABASE {} IS 'stcollection'").format(name))
    env, dbname = programs.environment(conninfo(there))
    psql = str(Path(programs.find("pg_dump", server=18)).with_name("psql"))
    with tarfile.open(FOLDER / "databases.tar.xz") as archive:
        member = archive.extractfile(f"{request.param}.sql")
        assert member is not None
        subprocess.run(
            [psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", dbname, "-f", "-"],
            input=member.read(),
            env=env,
            check=True,
            capture_output=True,
        )
    yield there, json.loads((FOLDER / f"{request.param}.json").read_text())
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))


def says(settings: Settings, expected: dict[str, Any]) -> None:
    """Check that the data is complete and scores are unchanged."""
    with open_session(conninfo(settings), autocommit=True, options="-c search_path=stc,public") as conn:
        for table, rows in expected["rows"].items():
            assert conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (rows,), table
        for edition, scores in expected["ndcg"].items():
            found = conn.execute("SELECT run, query, value FROM ndcg('{}', %s, 10) ORDER BY 1, 2", [edition]).fetchall()
            assert [row[:2] for row in found] == [tuple(row[:2]) for row in scores]
            assert [row[2] for row in found] == pytest.approx([row[2] for row in scores], abs=1e-9)
        assert conn.execute("SELECT count(*) > 0 FROM boolean_search('voice', 5)").fetchone() == (True,)
        assert conn.execute(
            "SELECT count(*) > 0 FROM dense_search((SELECT title_v FROM dblp_v LIMIT 1), 5, 'title')"
        ).fetchone() == (True,)


def test_an_older_database_is_upgraded(released: tuple[Settings, dict[str, Any]], settings: Settings) -> None:
    there, expected = released
    step = upgrade(there)
    assert step.after == head()
    with open_session(conninfo(there), autocommit=True) as conn:
        assert in_step(conn)
        assert drift(conn) == []
        assert catalogue.drift(conn) == []
        old = shape(conn)
        simulated = conn.execute("SELECT edition FROM qrels_editions WHERE simulated ORDER BY 1").fetchall()
        assert simulated == [("test",), ("train",)]  # they are the demo's
        assert conn.execute("SELECT bool_and(simulated) IS DISTINCT FROM false FROM stc_all.annotators").fetchone() == (True,)
    with open_session(conninfo(settings), autocommit=True) as conn:
        conn.execute("CALL stc.compute_text('english', 'published')")  # as collections of earlier versions keep it
        new = shape(conn)
    assert sorted(set(old) - set(new)) == []
    assert sorted(set(new) - set(old)) == []
    says(there, expected)


@pytest.mark.slow
def test_a_dump_of_an_older_revision_is_upgraded_by_restore(
    released: tuple[Settings, dict[str, Any]], new_name: NewName, tmp_path: Path
) -> None:
    there, expected = released
    with open_session(conninfo(there)) as conn:
        at = revision(conn)
    done = dump(there, tmp_path / "d")
    assert done.manifest.revision == at
    back = new_name()
    restored = restore(back, tmp_path / "d")
    assert restored.upgraded == (head() if at != head() else None)
    says(back, expected)
    with open_session(conninfo(back), autocommit=True) as conn:
        assert in_step(conn)
        assert drift(conn) == []
        assert catalogue.drift(conn) == []
        assert conn.execute("SELECT sound FROM stc.text_status()").fetchone() == (True,)
