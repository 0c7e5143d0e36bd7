"""Drift: every kind of manual change is reported by name, also after an upgrade."""

from __future__ import annotations

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.catalogue import drift
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.groups import db

pytestmark = pytest.mark.slow

# A statement and the reported drift.
CHANGES = {
    "ALTER TABLE dblp ADD mine text": "column dblp.mine (added)",
    "ALTER TABLE st1_topics DROP url CASCADE": "column st1_topics.url (missing)",
    "ALTER TABLE st1_topics ALTER url TYPE varchar(200)": "column st1_topics.url (changed)",
    "ALTER TABLE st1_topics ALTER url SET DEFAULT ''": "column st1_topics.url (changed)",
    "ALTER TABLE st1_runs ALTER run DROP NOT NULL": "column st1_runs.run (changed)",
    "ALTER TABLE stc.ranked_lists DROP CONSTRAINT ranked_lists_run_fkey":
        "constraint ranked_lists_run_fkey on ranked_lists (missing)",
    "ALTER TABLE stc.text_index DROP CONSTRAINT"
        " text_index_engine_check": "constraint text_index_engine_check on text_index (missing)",
    "ALTER TABLE st1_topics ADD CONSTRAINT mine CHECK (id > 0)": "constraint mine on st1_topics (added)",
    "ALTER TABLE stc.ranked_lists DISABLE TRIGGER ALL": "constraint ranked_lists_run_fkey on ranked_lists (changed)",
    "DROP INDEX st1_scores_run_idx": "index st1_scores_run_idx (missing)",
    "CREATE INDEX mine ON dblp (doc)": "index mine (added)",
    "CREATE TRIGGER mine BEFORE UPDATE ON st1_topics FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()":
        "trigger mine on st1_topics (added)",
    "CREATE RULE mine AS ON DELETE TO st1_topics DO INSTEAD NOTHING": "rule mine on st1_topics (added)",
    "DROP POLICY see_team ON st1_runs": "policy see_team on st1_runs (missing)",
    "ALTER POLICY see_team ON st1_runs USING (true)": "policy see_team on st1_runs (changed)",
    "CREATE POLICY mine ON st1_runs USING (true)": "policy mine on st1_runs (added)",
    "ALTER TABLE st1_runs DISABLE ROW LEVEL SECURITY": "table st1_runs (changed)",
    "ALTER TABLE stc.stc_members SET UNLOGGED": "table stc_members (changed)",
    "ALTER TABLE st1_topics SET (fillfactor = 50)": "table st1_topics (changed)",
    "ALTER TABLE st1_topics OWNER TO pg_monitor": "owner of table st1_topics (changed)",
    "ALTER VIEW run_overview OWNER TO pg_monitor": "owner of view run_overview (changed)",
    "ALTER FUNCTION stc.is_name(text) OWNER TO pg_monitor": "owner of function stc.is_name(text) (changed)",
    "GRANT SELECT ON stc_all.qrels_pools TO PUBLIC": "grants of table stc_all.qrels_pools (changed)",
    "GRANT SELECT (rel) ON stc_all.qrels_judgments_hidden TO stc_participant":
        "grants of column stc_all.qrels_judgments_hidden.rel (added)",
    "REVOKE SELECT ON query_v FROM stc_reader": "grants of table query_v (changed)",
    "REVOKE SELECT ON dblp FROM stc_reader": "grants of column dblp.id (changed)",
    "REVOKE ALL ON FUNCTION stc.is_name(text) FROM PUBLIC": "grants of function stc.is_name(text) (missing)",
    "GRANT EXECUTE ON FUNCTION stc.text_mark_stale() TO PUBLIC": "grants of function stc.text_mark_stale() (added)",
    "DROP TABLE stc.stc_members": "table stc_members (missing)",
}  # fmt: skip


@pytest.mark.parametrize("statement", list(CHANGES))
def test_a_change_is_found_by_name(conn: psycopg.Connection, statement: str) -> None:
    with conn.transaction(force_rollback=True):
        assert drift(conn) == []
        conn.execute(statement.encode())
        assert CHANGES[statement] in [str(one) for one in drift(conn)]


def test_what_commands_make_is_no_drift(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'voice')")
    conn.execute("CALL stc.index_text(config => 'simple')")
    conn.execute("SELECT stc.add_vector_model('other', 'some/model', 8)")
    assert drift(conn) == []


def test_an_upgrade_does_not_hide_drift(settings: Settings, conn: psycopg.Connection) -> None:
    conn.execute("CREATE INDEX mine ON dblp (doc); ALTER TABLE st1_topics ALTER url SET DEFAULT ''")
    found = ["column st1_topics.url (changed)", "index mine (added)"]
    conn.execute("UPDATE stc_objects SET fingerprint = '' WHERE file LIKE 'db/%'")
    upgrade(settings)
    assert [str(one) for one in drift(conn)] == found
    upgrade(settings, force=True)
    assert [str(one) for one in drift(conn)] == found
    done = CliRunner().invoke(db, ["status"], obj=settings)
    assert "drift       column st1_topics.url (changed)\ndrift       index mine (added)\n" in done.output


def test_an_upgrade_repairs_policies_and_grants(settings: Settings, conn: psycopg.Connection) -> None:
    conn.execute(
        "DROP POLICY see_team ON st1_runs; GRANT SELECT ON stc_all.qrels_pools TO PUBLIC; ALTER TABLE dblp OWNER TO pg_monitor"
    )
    assert len(drift(conn)) > 2
    upgrade(settings)
    assert drift(conn) == []
