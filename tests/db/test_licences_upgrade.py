"""An upgrade adds licences, sources and dates to stored documents without writing a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql

from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade
from tests.db.revisions import at_revision

pytestmark = pytest.mark.slow


@pytest.fixture
def old(server: Settings, admin: psycopg.Connection) -> Iterator[Settings]:
    """A collection of revision 0027 with two documents."""
    name = "stc_without_licences"
    admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    settings = replace(server, db=name)
    with at_revision(settings, "0027") as conn:
        record = '{"license": "CC BY 4.0", "year": 2000}'
        conn.execute("INSERT INTO public.dblp (id, docno, doc) VALUES (1, 'a', %s), (2, 'b', '{}')", [record])
        conn.execute("INSERT INTO public.dblp_facts (id, year) VALUES (1, 2000), (2, NULL)")
    yield settings
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_no_row_is_written(old: Settings) -> None:
    rows = "SELECT ctid::text, xmin::text, id, year FROM public.dblp_facts ORDER BY id"
    file = "SELECT pg_relation_filenode('public.dblp_facts')"
    with psycopg.connect(conninfo(old), autocommit=True) as conn:
        before = conn.execute(rows).fetchall(), conn.execute(file).fetchall()
    upgrade(old)
    with psycopg.connect(conninfo(old), autocommit=True) as conn:
        assert (conn.execute(rows).fetchall(), conn.execute(file).fetchall()) == before
        shown = "SELECT docno, licence, data_source FROM documents ORDER BY docno"
        assert conn.execute(shown).fetchall() == [("a", None, None), ("b", None, None)]
        conn.execute("UPDATE dblp SET doc = doc")
        assert conn.execute(shown).fetchall() == [("a", "cc-by", None), ("b", None, None)]
        assert conn.execute("SELECT * FROM stc.snapshot_overview()").fetchall() == []
