"""An upgrade adds licences, sources and dates to stored documents without writing a row, and then gaps between snapshots."""

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


def test_documents_that_came_back_have_gaps(server: Settings, admin: psycopg.Connection) -> None:
    name = "stc_without_gaps"
    admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    settings = replace(server, db=name)
    # documents of each snapshot; that of May is in two files
    snapshots = {"2024-01-01": [[1, 2, 3]], "2024-03-01": [[1]], "2024-05-01": [[1], [2]], "2024-07-01": [[1, 2, 3]]}
    try:
        with at_revision(settings, "0029") as conn:
            conn.execute("INSERT INTO public.dblp (id, docno, doc) SELECT n, n, '{}' FROM generate_series(1, 4) n")
            dates = "INSERT INTO public.dblp_facts (id, first_date, last_date) VALUES (%s, %s, %s)"
            for doc in (1, 2, 3):
                conn.execute(dates, [doc, min(snapshots), max(snapshots)])
            conn.execute("INSERT INTO public.dblp_facts (id) VALUES (4)")
            for day, files in snapshots.items():
                for docs in files:
                    made = "INSERT INTO stc.corpus_files (path, format) VALUES (%s, 'jsonl') RETURNING id"
                    [(file,)] = conn.execute(made, [f"{day} {docs}"]).fetchall()
                    made = "INSERT INTO stc.corpus_chunks VALUES (%s, 0, 1, 0, 0, %s)"
                    conn.execute(made, [file, docs])
                    conn.execute("INSERT INTO stc.corpus_snapshots VALUES (%s, %s)", [day, file])
        upgrade(settings)
        with psycopg.connect(conninfo(settings), autocommit=True) as conn:
            found = conn.execute("SELECT id, absent::text FROM dblp_facts ORDER BY id").fetchall()
            assert found == [(1, None), (2, "{2024-03-01}"), (3, "{2024-03-01,2024-05-01}"), (4, None)]
    finally:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
