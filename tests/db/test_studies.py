"""A study brings its tables to new and existing collections; without its package its rows stay."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import ClassVar

import psycopg
import pytest

from stcollection import plugins
from stcollection.db import created, objects, studies
from stcollection.db.backup.dump import dump
from stcollection.db.backup.restore import _studies, restore
from stcollection.db.backup.sample import Excerpt, Size, dump_sample
from stcollection.db.catalogue import drift
from stcollection.db.connection import connect, conninfo
from stcollection.db.current import in_step
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.uninstall import _OURS
from stcollection.db.upgrade import upgrade
from stcollection.errors import BadInput, StateError
from stcollection.plugins import Study, StudyTable
from tests.db.conftest import NewName
from tests.db.shape import shape

pytestmark = pytest.mark.slow

Install = Callable[..., None]
FOREIGN = Study(name="greedy", summary="Lists a table of the core.", tables=(StudyTable(name="st1_runs", schema="public"),))


def _forget() -> None:
    for cached in (plugins._found, objects.load, created.tables):
        cached.cache_clear()


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install packages with a study instead of those installed before."""

    def installed(*values: str) -> None:
        points = [EntryPoint(f"plugged{number}", value, plugins.GROUP) for number, value in enumerate(values)]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
        _forget()

    yield installed
    monkeypatch.undo()
    _forget()


TOY = "tests.studies.toy:STUDY"


def _notes(settings: Settings) -> None:
    with open_session(conninfo(settings), autocommit=True) as conn:
        conn.execute("INSERT INTO stc.st1_queries (query, text) VALUES ('q1', 'a')")
        conn.execute("INSERT INTO stc.toy_notes (query, note) SELECT id, 'tab\tand \\ ' FROM stc.st1_queries")
        conn.execute("INSERT INTO stc_all.toy_secrets SELECT id, 's' FROM stc.toy_notes")


def _rows(settings: Settings) -> list[tuple[object, ...]]:
    with open_session(conninfo(settings)) as conn:
        return conn.execute("SELECT n.note, s.secret FROM stc.toy_notes n JOIN stc_all.toy_secrets s ON s.note = n.id").fetchall()


ROWS = [("tab\tand \\ ", "s")]


def test_an_upgrade_adds_a_study_with_its_rights_and_comments(settings: Settings, install: Install) -> None:
    install(TOY)
    with connect(settings) as conn:  # a study that the collection does not have is in nobody's way
        assert [row.state for row in studies.list_studies(conn) if row.study == "toy"] == [
            "not in this collection: 'stc db upgrade' adds it"
        ]
    upgrade(settings)
    _notes(settings)
    with connect(settings) as conn:
        assert studies.recorded(conn)["toy"].revision == "0001"
        assert {row.state for row in studies.list_studies(conn)} == {"up to date"}
        assert drift(conn) == []
        [(open_, closed, comment)] = conn.execute(
            "SELECT has_column_privilege('stc_reader', 'stc.toy_notes', 'note', 'SELECT'),"
            " has_any_column_privilege('stc_reader', 'stc_all.toy_secrets', 'SELECT'), obj_description('stc.toy_notes'::regclass)"
        ).fetchall()
        assert (open_, closed, comment) == (True, False, "Notes about queries")
        assert conn.execute("SELECT stc.toy_count()").fetchone() == (1,)


def test_without_its_package_a_study_stays_as_it_is(settings: Settings, install: Install) -> None:
    install(TOY)
    upgrade(settings)
    _notes(settings)
    with open_session(conninfo(settings)) as conn:
        before = shape(conn, "public", "stc", "stc_all")
    install()
    with connect(settings) as conn:
        assert in_step(conn)
        assert [row.state for row in studies.list_studies(conn) if row.study == "toy"] == ["not installed: its rows are kept"]
        assert drift(conn) == []
    upgrade(settings, force=True)
    with open_session(conninfo(settings)) as conn:
        assert shape(conn, "public", "stc", "stc_all") == before
        ours = {name.rpartition(".")[2] for *_, name in conn.execute(_OURS.encode()).fetchall()}
        assert {"toy_notes", "toy_secrets"} <= ours
    assert _rows(settings) == ROWS
    install(TOY)
    assert upgrade(settings).objects == 0


@pytest.mark.parametrize("sample", [False, True])
def test_a_dump_restored_without_the_package_keeps_the_rows_until_it_is_installed(
    settings: Settings, install: Install, new_name: NewName, tmp_path: Path, sample: bool
) -> None:
    install(TOY)
    upgrade(settings)
    _notes(settings)
    if sample:
        dump_sample(settings, tmp_path / "dump", part=Excerpt(Size(1.0, None)))
    else:
        dump(settings, tmp_path / "dump")
    install()
    there, again, back = new_name(), new_name(), new_name()
    restored = restore(there, tmp_path / "dump")
    [note] = [note for note in restored.notes if "toy" in note]
    assert note == "the study 'toy' is not installed: its 2 rows are kept; install it, then run 'stc db upgrade'"
    with connect(there) as conn:
        assert conn.execute("SELECT to_regclass('stc.toy_notes')").fetchone() == (None,)
        assert studies.recorded(conn)["toy"].rights == []
    dump(there, tmp_path / "kept")  # a dump of the rows that are kept has them
    restore(again, tmp_path / "kept")
    install(TOY)
    assert "put back 2 rows of the study 'toy'" in upgrade(again).notes
    assert _rows(again) == ROWS
    with connect(again) as conn:
        conn.execute("INSERT INTO stc.toy_notes (note) VALUES ('the sequence goes on')")
        assert conn.execute("SELECT count(*) FROM stc_all.study_rows").fetchone() == (0,)
    restore(back, tmp_path / "dump")
    assert _rows(back) == ROWS


def _broken(install: Install, monkeypatch: pytest.MonkeyPatch, folder: Path, sql: str) -> None:
    """Install a study with a file of SQL."""
    (folder / "sql").mkdir()
    (folder / "sql" / "wrong.sql").write_text(sql)
    (folder / "bad_study.py").write_text("from stcollection.plugins import Study\nSTUDY = Study(name='bad', summary='Is bad.')\n")
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop("bad_study", None)  # of the case before
    install("bad_study:STUDY")


MINE = "CREATE OR REPLACE FUNCTION stc.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1';\nCOMMENT ON FUNCTION mine() IS '1';\n"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (MINE.replace("stc.mine", "public.ndcg"), "sql/studies/bad/wrong.sql and sql/evaluation/ndcg.sql both create ndcg"),
        (f"{MINE}DROP TABLE public.dblp;", "sql/studies/bad/wrong.sql does more than create objects: DROP TABLE public.dblp"),
        (f"{MINE}  CREATE OR REPLACE VIEW public.runs AS SELECT 1;", "does more than create objects: CREATE inside a line"),
    ],
)
def test_sql_that_would_replace_an_object_of_the_core_is_refused(
    settings: Settings, install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sql: str, message: str
) -> None:
    with open_session(conninfo(settings)) as conn:
        before = shape(conn)
    _broken(install, monkeypatch, tmp_path, sql)
    with pytest.raises(StateError, match="sql/studies/bad/wrong") as error:
        upgrade(settings)
    assert message in error.value.message
    with open_session(conninfo(settings)) as conn:
        assert shape(conn) == before


def test_a_study_cannot_take_over_a_table_of_the_core(settings: Settings, install: Install) -> None:
    install("tests.db.test_studies:FOREIGN")
    with pytest.raises(StateError, match="'greedy' lists st1_runs, which its migrations do not create"):
        upgrade(settings)


def test_a_newer_version_of_a_study_is_refused(settings: Settings, conn: psycopg.Connection) -> None:
    conn.execute("UPDATE stc.studies SET revision = '0099' WHERE study = 'coverage'")
    with pytest.raises(StateError, match="does not match this version"):
        connect(settings)
    with pytest.raises(StateError, match=r"the study 'coverage' of .* was made by a newer version"):
        upgrade(settings)


@pytest.mark.parametrize("rights", ["5", "[5]", "[{}]", "null", '{"a": 1}', "[", '["a"]'])
def test_a_malformed_table_of_studies_in_a_dump_is_refused(rights: str) -> None:
    class Dump:
        columns: ClassVar = {"studies": ["study", "revision", "rights"]}

        def blocks(self, _: str) -> Iterator[bytes]:
            yield f"evil\t0001\t{rights}\n".encode()

    with pytest.raises(BadInput, match="the dump's table studies cannot be read"):
        _studies(Dump())  # type: ignore[arg-type]


def test_only_owners_write_what_stc_rights_grants(conn: psycopg.Connection) -> None:
    for role in ("stc_organiser", "stc_participant", "stc_reader"):
        rights = "SELECT bool_or(has_table_privilege(%s, 'stc.studies', p)) FROM unnest('{INSERT,UPDATE,DELETE}'::text[]) p"
        assert conn.execute(rights, [role]).fetchone() == (False,)


@pytest.mark.parametrize(
    ("statement", "file"),
    [
        ("CREATE OR REPLACE FUNCTION stc.check_k(k integer) RETURNS void LANGUAGE sql AS 'SELECT'", "retrieval/check_k.sql"),
        ("DROP VIEW public.systems CASCADE", "retrieval/systems.sql"),
        ("DROP TRIGGER removals_remove ON stc.removals", "db/remove_rows.sql"),
    ],
)  # fmt: skip
def test_a_migration_that_changes_an_object_of_the_core_is_refused(
    settings: Settings, install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, statement: str, file: str
) -> None:
    with open_session(conninfo(settings)) as conn:
        before = shape(conn)
    _broken(install, monkeypatch, tmp_path, MINE)
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations" / "0001_evil.py").write_text(
        'from alembic import op\nrevision = "0001"\ndown_revision = None\n\n\n'
        f"def upgrade() -> None:\n    op.execute({statement!r})\n"
    )
    with pytest.raises(StateError, match="a migration of the study 'bad' changes objects that it did not create: .*" + file):
        upgrade(settings)
    with open_session(conninfo(settings)) as conn:
        assert shape(conn) == before
