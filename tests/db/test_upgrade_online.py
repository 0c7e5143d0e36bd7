"""Upgrades of a filled collection of version 0.2 do not stop readers, continue after an interruption, and do what the plan says."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from alembic import command
from click.testing import CliRunner
from sqlalchemy import create_engine

from stcollection.db import catalogue, online, plan, roles
from stcollection.db import upgrade as upgrading
from stcollection.db.connection import conninfo
from stcollection.db.current import in_step
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.db.step import configuration, head, revisions
from stcollection.db.upgrade import upgrade
from stcollection.errors import DatabaseError, StateError, StcError
from tests.db.shape import shape
from tests.db.test_releases import released
from tests.groups import db

pytestmark = pytest.mark.slow

_ = released
Released = tuple[Settings, dict[str, Any]]
of_0_2 = pytest.mark.parametrize("released", ["0035"], indirect=True)

# More than 8 MB per table, so that indexes are built concurrently.
FILL = """
SET session_replication_role = replica;
INSERT INTO st1_queries (query, text) SELECT 'made-' || g, 'query ' || g FROM generate_series(1, 100) g;
INSERT INTO st1_runs (run) SELECT 'made' || g FROM unnest('{""}' || array(SELECT generate_series(1, 2000)::text)) g;
INSERT INTO st1_rankings (run, query, doc, rank, rel_score)
SELECT r.id, q.id, (SELECT min(id) FROM dblp) + g, g, 2000 - g
  FROM st1_runs r, st1_queries q, generate_series(1, 1500) g WHERE r.run = 'made' AND q.query LIKE 'made-%';
INSERT INTO qrels_judgments (edition, query, doc, rel, annotator, hidden)
SELECT e.id, q.id, g, g % 3, 'person', e.hidden
  FROM qrels_editions e, st1_queries q, generate_series(1, 1000) g WHERE e.edition = 'train' AND q.query LIKE 'made-%';
DROP INDEX st1_rankings_doc_idx, qrels_judgments_doc_idx;
DELETE FROM stc_catalogue WHERE kind = 'index' AND name ~ '(st1_rankings|qrels_judgments)\\w*_doc_idx';
RESET session_replication_role;
ANALYZE
"""
READ = ("st1_runs", "st1_rankings", "qrels_judgments", "qrels_editions", "dblp", "st1_queries", "vector_models", "stc_objects",
        "rankings", "run_overview")  # fmt: skip


@pytest.fixture
def filled(released: Released) -> Settings:
    there, _ = released
    with open_session(conninfo(there), autocommit=True) as conn:
        conn.execute(FILL)
    return there


def one(conn: psycopg.Connection, query: str) -> Any:
    row = conn.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


class ShortReads:
    """Context manager: sessions that read one row at a time, and fail after 4 s of waiting for a lock."""

    def __init__(self, settings: Settings) -> None:
        self.reads = dict.fromkeys(READ, 0)
        self.errors: list[psycopg.Error] = []
        self._done = threading.Event()
        self._dsn = conninfo(settings)
        self._threads = [threading.Thread(target=self._read, args=[table]) for table in READ]

    def __enter__(self) -> ShortReads:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join(timeout=60)
            assert not thread.is_alive()

    def _read(self, table: str) -> None:
        options = "-c search_path=stc,public -c lock_timeout=4s"
        with psycopg.connect(self._dsn, autocommit=True, prepare_threshold=None, options=options) as conn:
            while not self._done.wait(0.02):
                try:
                    conn.execute(f"SELECT FROM {table} LIMIT 1".encode())
                    self.reads[table] += 1
                except (psycopg.errors.UndefinedTable, psycopg.errors.InternalError):  # at the moment it moves or is replaced
                    continue
                except psycopg.Error as error:
                    self.errors.append(error)


@contextmanager
def reader(settings: Settings) -> Iterator[psycopg.Connection]:
    """A transaction that has read large tables and stays open."""
    with open_session(conninfo(settings)) as conn:
        conn.execute("SELECT count(*) FROM st1_rankings")
        conn.execute("SELECT count(*) FROM qrels_judgments")
        yield conn


@of_0_2
def test_readers_continue_during_every_step(filled: Settings) -> None:
    """While one reader's transaction is open the upgrade waits, and others read; when it ends, the upgrade completes."""
    blocked: list[str] = []
    with open_session(conninfo(filled), autocommit=True) as conn, reader(filled) as held, ShortReads(filled) as short:

        def tell(sentence: str) -> None:
            if sentence.startswith("waiting for"):
                blocked.append(sentence)
                if not held.closed:
                    assert one(conn, "SELECT version_num FROM alembic_version") == "0035"
                    held.close()

        upgrade(filled, tell=tell)
        assert in_step(conn)
        assert not online.pending(conn, head())
        assert catalogue.drift(conn) == []
    assert blocked, "the upgrade did not wait for the reader"
    assert short.errors == []
    assert min(short.reads.values()) > 3, short.reads


@of_0_2
def test_a_reader_after_a_long_preparation_is_waited_for(filled: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are packed before tables are locked. If that takes longer than all attempts, the locks are still tried again."""
    early = [*plan.early("0035"), "SELECT pg_sleep(2)"]
    monkeypatch.setattr(plan, "early", lambda _: early)
    with open_session(conninfo(filled), autocommit=True) as conn, reader(filled) as held:
        upgrade(filled, patience=1.5, tell=lambda _: held.close())
        assert in_step(conn)


@of_0_2
def test_the_transaction_scans_no_large_table(filled: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers wait until the transaction ends, so that a scan in it would stop them. Revision 0041 packs the rankings before."""
    real = roles.ensure_roles
    scanned: list[tuple[str, int]] = []

    def ensure(conn: psycopg.Connection) -> str | None:
        done = real(conn)
        scanned.extend(
            conn.execute("SELECT relname, seq_tup_read FROM pg_stat_xact_user_tables WHERE seq_tup_read > 2000").fetchall()
        )
        with conn.transaction(force_rollback=True):
            conn.execute("CREATE INDEX ON qrels_judgments (similarity)")  # the figures show such a scan
            [(read,)] = conn.execute(
                "SELECT max(seq_tup_read) FROM pg_stat_xact_user_tables WHERE relname LIKE 'qrels_judgments%'"
            ).fetchall()
            assert read > 2000
        return done

    monkeypatch.setattr(upgrading, "ensure_roles", ensure)
    upgrade(filled)
    assert [
        row for row in scanned if row[0] not in ("stc_objects", "stc_catalogue", "st1_rankings", "ranked_lists", "st1_runs")
    ] == []


@of_0_2
def test_an_open_reader_does_not_stop_checks_and_small_indexes(filled: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a reader open from the transaction's end on, each statement that follows is executed: none needs the reader to end."""
    real = upgrading._online
    with open_session(conninfo(filled)) as held:

        def begin(*given: Any) -> Any:
            held.execute("SELECT count(*) FROM public.dblp")
            held.execute("SELECT count(*) FROM stc.vector_models")
            return real(*given)

        monkeypatch.setattr(upgrading, "_online", begin)
        upgrade(filled, patience=5)
        held.execute("SELECT 1")
    with open_session(conninfo(filled), autocommit=True) as conn:
        assert not online.pending(conn, head())


class Killed(Exception):
    """Represents the end of the process."""


@of_0_2
@pytest.mark.parametrize("at", ["add", "validate", "build", "attach"])
def test_an_interrupted_upgrade_continues(filled: Settings, settings: Settings, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """The connection is lost in the middle of a kind of statement. The collection works; the next upgrade adds the rest."""
    real = upgrading._execute
    killed: list[online.OnlineStep] = []

    def execute(conn: psycopg.Connection, step: online.OnlineStep, patience: float) -> None:
        if step.what == at and step.rows > 1000 and not killed:
            killed.append(step)
            with open_session(conninfo(filled), autocommit=True) as admin, open_session(conninfo(filled)) as held:
                held.execute(f"LOCK TABLE stc.{step.table.rpartition('.')[2]}" if at == "attach" else "SELECT 1")
                timer = threading.Timer(0.01, admin.execute, ["SELECT pg_terminate_backend(%s)", [conn.info.backend_pid]])
                timer.start()
                try:
                    real(conn, step, patience)
                finally:
                    timer.join()
            conn.close()
            raise Killed
        real(conn, step, patience)

    monkeypatch.setattr(upgrading, "_execute", execute)
    with pytest.raises((Killed, psycopg.Error, StcError)):
        upgrade(filled)
    assert killed
    monkeypatch.setattr(upgrading, "_execute", real)
    with open_session(conninfo(filled), autocommit=True) as conn:
        assert in_step(conn)  # commands accept it
        assert online.pending(conn, head())
        status = CliRunner().invoke(db, ["status"], obj=filled)
        assert "'stc db upgrade' adds" in status.output
        assert one(conn, "SELECT count(*) FROM ndcg('bm25', 'train')") > 0
        upgrade(filled)
        assert not online.pending(conn, head())
        assert catalogue.drift(conn) == []
        old = shape(conn)
    with open_session(conninfo(settings), autocommit=True) as conn:
        conn.execute("CALL stc.compute_text('english', 'published')")  # an upgrade keeps the words of a collection
        assert set(old) ^ set(shape(conn)) == set()


@of_0_2
def test_bad_rows_are_repaired_after_the_transaction(filled: Settings) -> None:
    with open_session(conninfo(filled), autocommit=True) as conn:
        conn.execute("UPDATE st1_runs SET params = '[1]', metadata = '{\"a\": 1e309}' WHERE run IN ('made', 'made7')")
        what = "2 values that were not a JSON object of at most 32 levels and 16 MB removed"
        assert upgrade(filled).repairs == (f"st1_runs.params: {what}", f"st1_runs.metadata: {what}")
        assert conn.execute("SELECT params, metadata FROM st1_runs WHERE run = 'made'").fetchall() == [({}, None)]
        assert upgrade(filled).repairs == ()


@of_0_2
def test_an_upgrade_to_0_2_that_did_not_finish_stops_this_one(filled: Settings) -> None:
    with open_session(conninfo(filled), autocommit=True) as conn:
        conn.execute("ALTER TABLE st1_runs DROP CONSTRAINT st1_runs_tag_name_check")
        before = shape(conn)
        with pytest.raises(StateError, match=r"lacks 1 check of version 0\.2, such as st1_runs_tag_name_check") as error:
            upgrade(filled)
        assert f"stcollection==0.2.0, then 'stc --db {filled.db} db upgrade'" in str(error.value.hint)
        assert shape(conn) == before


@of_0_2
def test_rankings_with_gaps_or_other_orders_are_ranked_again(filled: Settings) -> None:
    with open_session(conninfo(filled), autocommit=True) as conn:
        conn.execute("SET session_replication_role = replica")
        conn.execute("UPDATE st1_runs SET version = 7 WHERE run = 'made'")
        for change, query in (("rank = rank + 5000", "made-1"), ("rel_score = -rel_score", "made-2")):
            conn.execute(
                f"UPDATE st1_rankings SET {change} WHERE rank > 1000"
                " AND query = (SELECT id FROM st1_queries WHERE query = %s)".encode(),
                [query],
            )
        notes = upgrade(filled).notes
        assert [one for one in notes if "made" in one] == [
            "run 'made': the ranks of 2 queries had gaps or contradicted the scores, and were computed again from the scores"
        ]
        ranked = "SELECT query, count(*), max(rank), bool_and(rel_score = 2000 - rank OR query = 'made-2') FROM st1_rankings"
        assert conn.execute(
            f"{ranked} WHERE query IN ('made-1', 'made-2', 'made-3') GROUP BY 1 ORDER BY 1".encode()
        ).fetchall() == [(f"made-{one}", 1500, 1500, True) for one in (1, 2, 3)]


@of_0_2
def test_a_plan_changes_nothing_and_lists_every_step(filled: Settings) -> None:
    with open_session(conninfo(filled), autocommit=True) as conn:
        before = shape(conn)
        with open_session(conninfo(filled)) as held:  # it waits for nobody
            held.execute("LOCK TABLE st1_rankings, qrels_judgments IN ROW EXCLUSIVE MODE")
            done = CliRunner().invoke(db, ["upgrade", "--plan"], obj=filled)
        assert done.exit_code == 0, done.output
        assert shape(conn) == before
    for number, _ in revisions():
        assert (f"  {number}: " in done.output) == (number > "0035")
    assert re.search(r"adding, validating and building those of \d small tables", done.output)
    assert re.search(r"building the index qrels_judgments_open_doc_idx of \S+ \(10\d,\d+ rows\)", done.output)
    assert "changed files of sql/" in done.output
    upgrade(filled)
    done = CliRunner().invoke(db, ["upgrade", "--plan"], obj=filled)
    assert done.output == f"{filled.db!r} is up to date\n"


LOCKS = """
SELECT c.relname, l.mode FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
 WHERE l.pid = pg_backend_pid() AND l.granted AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   AND c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'stc'))
"""
MODE = {"".join(word.capitalize() for word in mode.split()) + "Lock": mode for mode in plan.MODES}


@of_0_2
@pytest.mark.parametrize("number", [number for number, _ in reversed(revisions()) if number > "0035"])
def test_a_revision_takes_no_lock_that_the_plan_does_not_list(released: Released, number: str) -> None:
    there, _ = released
    conn = open_session(conninfo(there))
    engine = create_engine("postgresql+psycopg://", creator=lambda: conn)
    config = configuration()
    before = next(one for one, _ in revisions() if one < number)
    for target in [before, number]:
        with engine.begin() as connection:
            conn.execute("SET LOCAL search_path = public, pg_temp")
            old = {name for (name,) in conn.execute("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')")}
            config.attributes["connection"] = connection
            command.upgrade(config, target)
            taken = [(table, MODE[mode]) for table, mode in conn.execute(LOCKS).fetchall() if table in old]
    engine.dispose()
    conn.close()
    planned = plan.locks(number)
    weaker = plan.MODES.index("ROW EXCLUSIVE")
    missing = {
        (table, mode)
        for table, mode in taken
        if plan.MODES.index(mode) > max(weaker, plan.MODES.index(planned.get(table, plan.MODES[0])))
    }
    assert missing == set()


@of_0_2
def test_two_upgrades_do_not_build_the_same_indexes(released: Released) -> None:
    """The second waits for its turn, and gives up without a change."""
    there, _ = released
    upgrade(there)
    with open_session(conninfo(there), autocommit=True) as conn, open_session(conninfo(there)) as first:
        conn.execute("DROP INDEX stc_all.qrels_judgments_doc_idx CASCADE")
        first.execute("LOCK TABLE stc_catalogue IN SHARE UPDATE EXCLUSIVE MODE")
        with pytest.raises(DatabaseError, match=r"for stc_catalogue|held locks") as error:
            upgrade(there, patience=0)
        assert "can be used" in str(error.value.hint)
        assert one(conn, "SELECT to_regclass('stc_all.qrels_judgments_doc_idx') IS NULL")
        first.rollback()
        upgrade(there)
        assert one(conn, "SELECT to_regclass('stc_all.qrels_judgments_doc_idx') IS NOT NULL")


# Foreign keys whose table is not searched: nothing deletes the rows that they refer to.
NOT_WALKED = {
    "st1_complexity_metrics_resources_fkey": "no command deletes a row of complexity_resources",
    "st1_queries_prompt_fkey": "no command deletes a prompt",
    "llm_judges_prompt_fkey": "no command deletes a prompt",
    "synth_passages_prompt_fkey": "no command deletes a prompt",
    "synth_candidates_prompt_fkey": "no command deletes a prompt",
    "synth_subtopics_prompt_fkey": "no command deletes a prompt",
}
WITHOUT_INDEX = """
SELECT DISTINCT k.conname
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
 CROSS JOIN LATERAL (SELECT array_agg(a.attnum) FROM pg_attribute a
                      WHERE a.attrelid = c.oid AND a.attnum = ANY (k.conkey) AND a.attname <> 'hidden') AS f (columns)
 WHERE k.contype = 'f' AND c.relkind = 'r' AND k.connamespace::regnamespace::text IN ('public', 'stc', 'stc_all')
   AND NOT EXISTS (
       SELECT FROM pg_index i
        WHERE i.indrelid = c.oid AND i.indisvalid
          AND (i.indkey::int2[])[0:cardinality(f.columns) - 1] @> f.columns
          AND (i.indpred IS NULL OR pg_get_expr(i.indpred, c.oid) ~ '^\\(\\w+ IS NOT NULL\\)$'))
"""


@pytest.mark.usefixtures("dsn")
def test_every_foreign_key_that_a_delete_walks_has_an_index(conn: psycopg.Connection) -> None:
    """The first columns of an index are those of the key. Partitions are by ``hidden``, so it need not be in the index."""
    assert {name for (name,) in conn.execute(WITHOUT_INDEX)} == set(NOT_WALKED)
    deletes = conn.execute(
        "SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace IN ('public'::regnamespace, 'stc'::regnamespace)"
        " AND p.prosrc ~* 'delete\\s+from\\s+(stc\\.)?(llm_prompts|complexity_resources)'"
    ).fetchall()
    assert deletes == [], "then its foreign keys need an index"


@pytest.mark.usefixtures("dsn")
def test_a_missing_index_of_a_foreign_key_is_found(conn: psycopg.Connection) -> None:
    conn.execute("DROP INDEX stc.ranked_lists_query_idx, stc_all.qrels_judgments_doc_idx")
    assert {name for (name,) in conn.execute(WITHOUT_INDEX)} - set(NOT_WALKED) == {
        "ranked_lists_query_fkey",
        "qrels_judgments_doc_fkey",
    }
