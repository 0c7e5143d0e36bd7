"""The upgrade that marks final decisions (revision 0038)."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.db.objects import drift
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.editions import seal
from stcollection.qrels.organise import adjudicate
from stcollection.qrels.pools import PoolRules, make_pool
from stcollection.qrels.sheets import submit_pool
from tests.db.set_back import move_back
from tests.qrels.conftest import says
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow

FINAL = "SELECT e.edition, j.annotator FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE j.final"


def test_final_grades_submitted_before_are_marked(conn: psycopg.Connection, settings: Settings) -> None:
    put_documents(conn, {"d1": ("one", None), "d2": ("two", None)})
    put_queries(conn, {"q": "one"})
    put_run(conn, "r", {"q": ["d1", "d2"]})
    make_pool(conn, "p", rules=PoolRules(depth=2))
    for annotator, grade in (("anna", 0), ("ben", 2)):
        for token, docno in conn.execute("SELECT token, docno FROM stc.pool_sheet('p', %s)", [annotator]).fetchall():
            AssessorSheet(conn, "p", annotator).decide(token, grade if docno == "d1" else 1)
    adjudicate(conn, "p", adjudicator="chair", query="q", docno="d1", rel=1)
    for edition in ("open", "sealed"):
        submit_pool(conn, "p", edition=edition)
    conn.execute("SET session_replication_role = replica; UPDATE stc_all.qrels_judgments SET final = false; RESET ALL")
    seal(conn, "sealed")
    move_back(conn)
    conn.execute("UPDATE public.alembic_version SET version_num = '0037'")
    upgrade(settings)
    assert conn.execute(FINAL).fetchall() == [("open", "chair")]
    assert says(conn, "open") == {("q", "d1"): 1, ("q", "d2"): 1}
    assert conn.execute("SELECT intact FROM verify_editions('sealed')").fetchone() == (True,)
    assert drift(conn) == []
    with pytest.raises(psycopg.Error, match="append-only"):
        conn.execute("UPDATE stc_all.qrels_judgments SET final = true")
