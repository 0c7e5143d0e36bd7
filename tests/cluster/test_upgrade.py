"""stc db upgrade of a distributed collection: from version 0.2, with the same results."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from stcollection.db import catalogue, distribution
from stcollection.db.connection import connect
from stcollection.db.left_out import OmittedObjects
from stcollection.db.objects import drift
from stcollection.db.settings import Settings
from stcollection.db.step import head, revision
from stcollection.db.upgrade import upgrade
from stcollection.errors import DatabaseError, StateError
from tests.cluster.answers import Answers, answers, differing, made
from tests.cluster.conftest import NewDatabase
from tests.db.set_back import set_back

_FIRST = "0035"
_STATE = "SELECT kind, name, definition FROM stc.collection_catalogue()"


def _set_back(conn: psycopg.Connection) -> None:
    """Make a collection of version 0.2 of this one."""
    set_back(conn)
    conn.execute("DELETE FROM public.stc_catalogue")
    conn.execute(f"INSERT INTO public.stc_catalogue (kind, name, definition) {_STATE}".encode())
    conn.execute(  # today's function does not know these tables in this schema
        "INSERT INTO public.stc_catalogue (kind, name, definition)"
        " SELECT 'constraint', concat(k.conname, ' on ', c.relname), pg_get_constraintdef(k.oid)"
        "  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
        " WHERE k.contype = 'f' AND c.relnamespace IN ('stc'::regnamespace, 'public'::regnamespace) ON CONFLICT DO NOTHING"
    )


@contextmanager
def _reading(settings: Settings, statement: str) -> Iterator[list[tuple[object, ...]]]:
    """Execute a statement over and over; its rows or its error each time."""
    done = threading.Event()
    found: list[tuple[object, ...]] = []

    def read() -> None:
        with psycopg.connect(settings.dsn or "", autocommit=True) as conn:
            conn.execute("SET search_path = stc, public")
            while not done.is_set():
                try:
                    found.append(tuple(conn.execute(statement.encode()).fetchall()))
                except psycopg.Error as error:
                    found.append((str(error),))

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield found
    finally:
        done.set()
        thread.join()


@pytest.fixture(scope="module")
def before(filled_collection: NewDatabase) -> Answers:
    """The answers of one server that was upgraded."""
    settings = filled_collection()
    with connect(settings, autocommit=True, check=False) as conn:
        _set_back(conn)
        conn.execute("UPDATE stc.text_index SET engine = 'portable'")
    upgrade(settings)
    with connect(settings, autocommit=True) as conn:
        return answers(conn) | made(conn)


@pytest.fixture(scope="module")
def settings(filled_collection: NewDatabase) -> Settings:
    """A distributed collection of version 0.2."""
    settings = filled_collection()
    with connect(settings, autocommit=True, check=False) as conn:
        _set_back(conn)
        conn.execute("UPDATE stc.text_index SET engine = 'portable'")
        conn.execute("DROP INDEX IF EXISTS public.dblp_text_bm25")
        conn.execute("SELECT stc.distribute_documents(6)")
        assert revision(conn) == _FIRST
        assert distribution.state(conn) == (9, 6, 3)
    return settings


def test_what_a_dry_run_prints_is_undone(settings: Settings) -> None:
    told: list[str] = []
    upgrade(settings, dry_run=told.append)
    assert any("ranked_lists" in one for one in told)
    with connect(settings, check=False) as conn:
        assert revision(conn) == _FIRST
        views = "SELECT count(*) FROM run_command_on_workers('SELECT ''public.dblp_authors''::regclass') WHERE success"
        assert conn.execute(views.encode()).fetchone() == (3,)


def test_a_reader_of_the_shards_stops_an_upgrade_for_a_short_time_only(settings: Settings) -> None:
    with connect(settings, check=False) as reader:
        reader.execute("SELECT count(*) FROM public.dblp")
        began = time.monotonic()
        with pytest.raises(DatabaseError, match=r"waited 1 s|held locks"):
            upgrade(settings, patience=1)
        assert time.monotonic() - began < 20
    with connect(settings, check=False) as conn:
        assert revision(conn) == _FIRST


def test_what_citus_cannot_change_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later revision may contain such a statement; nothing changes."""
    text = OmittedObjects.text
    rule = "CREATE POLICY of_citus ON public.dblp USING (true); ALTER TABLE public.dblp ADD CONSTRAINT one UNIQUE (docno)"
    monkeypatch.setattr(OmittedObjects, "text", lambda self, given: f"{text(self, given)};\n{rule}")
    with pytest.raises(StateError, match="Citus does not support a change of this upgrade") as error:
        upgrade(settings)
    assert (error.value.sqlstate, "stc db distribute --undo" in (error.value.hint or "")) == ("IR415", True)
    with connect(settings, check=False) as conn:
        assert revision(conn) == _FIRST


def test_the_upgrade(settings: Settings, before: Answers) -> None:
    with _reading(settings, "SELECT * FROM boolean_search('voice', 15)") as found:
        step = upgrade(settings)
    assert (step.before, step.after) == (_FIRST, head())
    assert not [note for note in step.notes if "Citus" in note]
    assert len(found) > 1
    assert len(set(found)) == 1, found
    assert found[0] == tuple(before["SELECT * FROM boolean_search(%s, 15) ('voice',)"])
    with connect(settings, autocommit=True) as conn:
        assert distribution.state(conn) == (9, 6, 3)
        assert differing(before, answers(conn) | made(conn)) == []
        assert drift(conn) == []
        assert {one.kind for one in catalogue.drift(conn)} <= distribution.EXPECTED_DRIFT
    assert upgrade(settings).objects == 0


def test_the_way_back_has_keys_and_triggers_of_the_new_version(settings: Settings, new_database: NewDatabase) -> None:
    new = new_database()
    upgrade(new)
    distribution.undistribute(settings)
    with connect(settings, autocommit=True) as conn, connect(new, autocommit=True) as other:
        assert (drift(conn), catalogue.drift(conn)) == ([], [])
        parts = f"SELECT * FROM ({_STATE}) s WHERE kind IN ('constraint', 'trigger', 'index')"
        assert set(conn.execute(parts.encode())) == set(other.execute(parts.encode()))
        with conn.transaction(force_rollback=True):
            conn.execute('INSERT INTO dblp (id, doc) VALUES (9001, \'{"id": "new", "license": "CC BY 4.0"}\')')
            assert conn.execute("SELECT docno, licence FROM documents WHERE docno = 'new'").fetchone() == ("new", "cc-by")
