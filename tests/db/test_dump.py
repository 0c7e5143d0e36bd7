"""Dumps: contents, required rights, target folder, and the state after an interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
import zstandard
from click.testing import CliRunner
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stcollection.db.backup import manifest, programs
from stcollection.db.backup.dump import Dumped, dump
from stcollection.db.backup.folder import claimed
from stcollection.db.backup.plain import dump_plain
from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, DatabaseError, StateError, UnknownObject
from tests.db.handed import DOCUMENTS
from tests.groups import db as group

pytestmark = pytest.mark.slow


def test_the_manifest_says_what_is_there(dumped: Dumped, handed: Settings) -> None:
    said, digest = manifest.read(dumped.folder)
    assert said == dumped.manifest
    assert digest == dumped.digest
    with open_session(conninfo(handed)) as conn:
        for table, rows in said.tables.items():
            schema, name = table.split(".", 1)
            assert conn.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, name))).fetchone() == (rows,)
        assert said.editions["train"]["sealed"] == conn.execute("SELECT edition_fingerprint('train')").fetchall()[0][0]
        [[version]] = conn.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchall()
    assert said.tables["public.dblp"] == DOCUMENTS
    assert not [table for table in said.tables if not table.startswith(("public.", "stc.", "stc_all."))]
    assert said.extensions["vector"]["version"] == version
    assert said.editions["open"]["sealed"] is None
    assert {one["field"]: (one["kind"], one["lists"], one["m"]) for one in said.indexes["vectors"]} == {
        "title": ("ivfflat", 4, None),
        "abstract": ("hnsw", None, 6),
    }
    assert (said.indexes["text"]["k1"], said.indexes["text"]["b"]) == (0.9, 0.4)
    assert {"dblp_v_title_ivfflat", "dblp_v_abstract_hnsw"} <= set(said.rebuilt)
    assert said.sample is None


def test_every_file_is_in_the_manifest(dumped: Dumped) -> None:
    files = {path.relative_to(dumped.folder).as_posix() for path in dumped.folder.rglob("*") if path.is_file()}
    assert files == {*dumped.manifest.files, manifest.NAME}
    assert any(name.startswith("tsearch_data/") for name in files)


def test_a_dump_holds_rows_and_no_code(dumped: Dumped) -> None:
    assert {path.relative_to(dumped.folder).parts[0] for path in dumped.folder.rglob("*") if path.is_file()} == {
        "data",
        "tsearch_data",
        manifest.NAME,
    }
    names = set()
    for path in (dumped.folder / "data").iterdir():
        name = path.name.removesuffix(".copy.zst")
        names.add(name)
        content = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
        assert content.count(b"\n") == {table.partition(".")[2]: n for table, n in dumped.manifest.tables.items()}[name]
        assert len(content) == dumped.manifest.files[f"data/{path.name}"]["unpacked"]
    assert names == set(dumped.manifest.columns)
    assert not names & {"stc_objects", "alembic_version", "My notes"}


@pytest.mark.parametrize("what", ["a dump", "other files", "a file"])
def test_nothing_is_written_over(dumped: Dumped, handed: Settings, tmp_path: Path, what: str) -> None:
    folder = dumped.folder
    if what == "other files":
        folder = tmp_path
        (tmp_path / "letter").write_text("dear")
    elif what == "a file":
        folder = tmp_path / "letter"
        folder.write_text("dear")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadArgument, match=what):
        dump(handed, folder)
    assert sorted(tmp_path.rglob("*")) == before
    manifest.verify(dumped.folder, dumped.manifest, jobs=1)


def test_one_dump_a_folder(handed: Settings, tmp_path: Path) -> None:
    with claimed(tmp_path / "d") as _, pytest.raises(StateError, match="another dump"):
        dump(handed, tmp_path / "d")
    assert list((tmp_path / "d").iterdir()) == []


def test_an_unknown_collection_leaves_no_folder(handed: Settings, tmp_path: Path) -> None:
    with pytest.raises(UnknownObject, match="nowhere"):
        dump(replace(handed, db="nowhere"), tmp_path / "d")
    with pytest.raises(StateError, match="is not a collection"):
        dump(replace(handed, db="postgres"), tmp_path / "d")
    with pytest.raises(BadArgument, match="0 workers"):
        dump(handed, tmp_path / "d", jobs=0)
    assert not (tmp_path / "d").exists()


@pytest.mark.slow
def test_a_killed_dump_is_none_and_the_next_begins_anew(handed: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    # A lock blocks the dump, so that it can be killed.
    with open_session(conninfo(handed)) as blocker:
        blocker.execute("LOCK TABLE stc_all.qrels_pools")
        child = subprocess.Popen(
            [sys.executable, "-m", "stcollection", "--db", handed.db, "db", "dump", str(folder)],
            env={**os.environ, "STC_HOME": str(handed.home), **({"STC_DSN": handed.dsn} if handed.dsn is not None else {})},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert child.stderr is not None
        assert "dumping" in child.stderr.readline()
        waiting = (
            "SELECT FROM pg_locks WHERE NOT granted AND relation = 'stc_all.qrels_pools'::regclass AND mode = 'AccessShareLock'"
        )
        deadline = time.monotonic() + 30
        while not blocker.execute(waiting).fetchall():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with pytest.raises(StateError, match="another dump"):
            dump(handed, folder)
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        assert not (folder / manifest.NAME).exists()
        assert (folder / "unfinished").exists()
    done = dump(handed, folder)
    assert not (folder / "unfinished").exists()
    manifest.verify(folder, done.manifest, jobs=2)


def test_an_interrupted_dump_leaves_nothing(handed: Settings, tmp_path: Path) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dump(handed, tmp_path / "d", tell=interrupt)
    assert not (tmp_path / "d").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a file system of 128 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("no small file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_said_and_cleared(handed: Settings, small_disk: Path) -> None:
    with pytest.raises(DatabaseError, match="No space left") as error:
        dump(handed, small_disk / "d")
    assert error.value.hint is not None
    assert "disk space" in error.value.hint
    assert list(small_disk.iterdir()) == []


@pytest.fixture
def role(handed: Settings) -> Iterator[str]:
    name = f"reader_{os.getpid()}"
    with open_session(conninfo(handed), autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
        conn.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA public, stc TO {}").format(sql.Identifier(name)))
        conn.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(handed.db), sql.Identifier(name)))
        yield name
        conn.execute(
            sql.SQL("DROP OWNED BY {}; DROP ROLE {}").format(sql.Identifier(name), sql.Identifier(name)).as_string().encode()
        )


def test_who_does_not_see_everything_may_not_dump(handed: Settings, role: str, tmp_path: Path) -> None:
    theirs = replace(handed, dsn=make_conninfo(conninfo(handed), user=role))
    with pytest.raises(DatabaseError, match=rf"{role} would be incomplete: ") as error:
        dump(theirs, tmp_path / "d")
    assert error.value.sqlstate == "42501"
    # A role that may read every table, but not every row.
    with open_session(conninfo(handed), autocommit=True) as conn:
        conn.execute(sql.SQL("GRANT pg_read_all_data TO {}").format(sql.Identifier(role)))
        with pytest.raises(DatabaseError, match="row-level security hides rows of "):
            dump(theirs, tmp_path / "d")
        conn.execute(sql.SQL("ALTER ROLE {} BYPASSRLS").format(sql.Identifier(role)))
    assert dump(theirs, tmp_path / "all").manifest.tables == dump(handed, tmp_path / "again").manifest.tables
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("member", ["stc_participant", "stc_reader", "stc_organiser"])
@pytest.mark.parametrize("how", [dump, dump_plain])
def test_a_participants_dump_is_refused_not_partial(
    handed: Settings, role: str, tmp_path: Path, member: str, how: Callable[..., Dumped]
) -> None:
    with open_session(conninfo(handed), autocommit=True) as conn:
        conn.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(member), sql.Identifier(role)))
    with pytest.raises(DatabaseError, match="would be incomplete: ") as error:
        how(replace(handed, dsn=make_conninfo(conninfo(handed), user=role)), tmp_path / "d")
    assert error.value.sqlstate == "42501"
    assert not (tmp_path / "d").exists()


def test_a_client_older_than_the_server_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 15.4'\n")
    old.chmod(0o755)
    monkeypatch.setattr(programs, "_candidates", lambda name: iter([str(tmp_path / name)]))
    with pytest.raises(StateError, match=r"older than the server, which is PostgreSQL 18: .*pg_dump is version 15"):
        programs.find("pg_dump", server=18)
    assert programs.find("pg_dump", server=15) == str(old)
    with pytest.raises(StateError, match="does not run"):
        programs.find("pg_restore", server=18)


def test_programs_are_told_the_server_by_their_environment() -> None:
    env, dbname = programs.environment("host=h port=7 user=u password='se cret' dbname='a=b x\\'y' sslmode=disable")
    assert (env["PGHOST"], env["PGPORT"], env["PGUSER"], env["PGPASSWORD"], env["PGSSLMODE"]) == (
        "h",
        "7",
        "u",
        "se cret",
        "disable",
    )
    assert psycopg.conninfo.conninfo_to_dict(dbname) == {"dbname": "a=b x'y"}


def test_the_command(handed: Settings, tmp_path: Path) -> None:
    done = CliRunner().invoke(group, ["dump", str(tmp_path / "d"), "--jobs", "2"], obj=handed)
    assert done.exit_code == 0, done.output
    said = json.loads((tmp_path / "d" / manifest.NAME).read_text())
    assert f"digest {said['digest']}" in done.output
    assert "the judgments of test, which are hidden from participants" in done.output
