"""Fields of documents that a pool shows assessors besides title and abstract, on every sheet, and none by default."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import psycopg
import pytest
from click import unstyle

from stcollection.cli.qrels._screen import page
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.qrels import judging as work
from stcollection.qrels.assess import AssessorSheet
from stcollection.qrels.metadata import FIELDS, pool_metadata, read_metadata, set_metadata
from stcollection.qrels.pools import make_pool
from stcollection.qrels.sheets import COLUMNS, export_sheet, import_sheet
from tests.acceptance.conftest import runner
from tests.qrels.pooled import put_documents, put_queries, put_run

ALL = {"authors": ["Ada =1", "Bo"], "year": 2019, "venue": "=Journal", "type": "Journal", "citations": 7, "source": "dblp v12"}


@pytest.fixture
def pool(conn: psycopg.Connection) -> str:
    """A pool with a document that has all fields, one that has none, and a stub."""
    put_documents(conn, {"full": ("Title", "Text."), "bare": ("Bare", None), "zero": ("Zero", None)})
    put_queries(conn, {"q": "title"})
    put_run(conn, "r", {"q": ["full", "bare", "zero"]})
    conn.execute(
        "UPDATE dblp SET doc = %s WHERE docno = 'full'",
        [json.dumps({"title": "Title", "authors": [{"name": "Ada =1", "id": 1}, {"name": ""}, {"name": "Bo"}]})],
    )
    conn.execute("DELETE FROM dblp_facts")
    conn.execute(
        "INSERT INTO dblp_facts (id, year, n_citation, doc_type, venue, data_source)"
        " SELECT id, 2019, 7, 'Journal', '=Journal', 'dblp v12' FROM dblp WHERE docno = 'full'"
        " UNION ALL SELECT id, 0, 0, '', '', NULL FROM dblp WHERE docno = 'zero'"
    )
    make_pool(conn, "p")
    return "p"


def seen(conn: psycopg.Connection) -> dict[str, object]:
    """What anna sees of each document, by every way to read a sheet."""
    tokens = conn.execute("SELECT docno, token, metadata FROM stc.pool_sheet('p', 'anna')").fetchall()
    for docno, token, metadata in tokens:
        paper = work.paper(conn, "p", "anna", token)
        assert metadata == paper.metadata == AssessorSheet(conn, "p", "anna").document(token).metadata
        assert metadata == read_metadata(conn, "p", [docno])[docno]
    pair = work.shown_pair(conn, "p", "anna", None, [])
    assert pair is not None
    found = {docno: metadata for docno, _, metadata in tokens}
    assert {one.docno: one.metadata for one in (pair.left, pair.right)}.items() <= found.items()
    return found


def test_each_sheet_shows_what_the_pool_shows(conn: psycopg.Connection, pool: str) -> None:
    assert seen(conn) == {"full": {}, "bare": {}, "zero": {}}
    set_metadata(conn, pool, fields=["citations", "year", "year"])
    assert pool_metadata(conn, pool) == ["year", "citations"]
    assert seen(conn) == {"full": {"year": 2019, "citations": 7}, "bare": {}, "zero": {"citations": 0}}
    set_metadata(conn, pool, fields=FIELDS)
    assert seen(conn) == {"full": ALL, "bare": {}, "zero": {"citations": 0}}
    set_metadata(conn, pool)
    assert pool_metadata(conn, pool) == []
    assert seen(conn)["full"] == {}
    for fields in (["editor"], ["year", None]):
        with pytest.raises(BadArgument, match="is not a field of documents"):
            set_metadata(conn, pool, fields=fields)  # type: ignore[arg-type]
    with pytest.raises(UnknownObject, match="no pool 'x'"):
        set_metadata(conn, "x", fields=["year"])


def test_exported_sheets(conn: psycopg.Connection, pool: str, tmp_path: Path) -> None:
    set_metadata(conn, pool, fields=["authors", "venue", "citations"])
    out = io.BytesIO()
    assert export_sheet(conn, pool, out, annotator="anna") == 3
    rows = {row["doc"]: row for row in csv.DictReader(io.StringIO(out.getvalue().decode("utf-8-sig")))}
    assert list(rows["full"]) == [*COLUMNS[:-2], "authors", "venue", "citations", "grade", "note"]
    assert [rows["full"][name] for name in ("authors", "venue", "citations")] == ["Ada =1; Bo", "'=Journal", "7"]
    assert [rows["zero"][name] for name in ("authors", "venue", "citations")] == ["", "", "0"]
    sheet = tmp_path / "anna.csv"
    sheet.write_bytes(out.getvalue().replace(b",7,,", b",7,2,"))
    assert import_sheet(conn, pool, sheet, annotator="anna").graded == 1


def test_in_the_terminal(conn: psycopg.Connection, pool: str) -> None:
    sheet = AssessorSheet(conn, pool, "anna")
    for fields in ([], list(FIELDS)):
        set_metadata(conn, pool, fields=fields)
        shown = {}
        for token, docno in conn.execute("SELECT token, docno FROM stc.pool_sheet('p', 'anna')").fetchall():
            shown[docno] = unstyle(page(sheet.document(token), sheet.progress("q"), set(), width=90))
        assert ("Ada =1, Bo · 2019 · =Journal · Journal · 7 citations · dblp v12" in shown["full"]) is bool(fields)
        assert "citation" not in shown["bare"]


@pytest.mark.usefixtures("dsn")
def test_the_command(conn: psycopg.Connection, settings: Settings, pool: str) -> None:
    run = runner(settings)
    assert run("pool", "metadata", pool, "venue", "authors").stdout == "p: title, abstract, authors, venue\n"
    assert run("pool", "metadata", pool).stdout == "p: title, abstract\n"
    refused = run("pool", "metadata", pool, "editor")
    assert refused.returncode == 2
    assert "'editor' is not one of" in refused.stderr
