"""Documents are exported as lines that give the same documents again, limited to licences."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import click
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.corpus.export import export_documents
from stcollection.corpus.licences import known_licences
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.qrels.sheets import export_sheet
from stcollection.runs.export import ExportOptions, export_run
from tests.corpus import samples
from tests.corpus.conftest import Load, Write, array, inverted, record
from tests.groups import corpus as corpus_group
from tests.groups import qrels as qrels_group
from tests.groups import runs as runs_group

pytestmark = pytest.mark.slow

PAPERS = list(samples.made(200))
OTHERS = (
    '{"docno": "b", "text": "Only a text.", "licence": "MIT"}\n{"_id": "c", "title": "Only a title", "license": ["cc-by"]}\n'
    '{"docno": "d", "title": "Twice &amp; once", "contents": "x", "abstract": "y"}\n'
)


@pytest.fixture
def corpus(conn: psycopg.Connection, write: Write, load_file: Load) -> psycopg.Connection:
    load_file(write("works.jsonl", samples.openalex(PAPERS)))
    load_file(write("others.jsonl", OTHERS))
    load_file(write("v12.json", array([record(5, "Five", indexed_abstract=inverted("b c b"), references=[6])])))
    return conn


def stored(conn: psycopg.Connection) -> list[tuple[Any, ...]]:
    return conn.execute(
        "SELECT docno, title, abstract, year, venue, doc_type, n_citation, n_reference, licence FROM documents ORDER BY docno"
    ).fetchall()


def exported(conn: psycopg.Connection, **options: Any) -> list[dict[str, Any]]:
    out = io.BytesIO()
    done = export_documents(conn, out, **options)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert done.documents == len(lines)
    assert done.left_out == len(stored(conn)) - len(lines)
    return lines


def test_an_export_gives_the_same_documents(corpus: psycopg.Connection, tmp_path: Path, load_file: Load) -> None:
    before, path = stored(corpus), tmp_path / "out.jsonl"
    assert len(before) == 204
    with path.open("wb") as out:
        export_documents(corpus, out)
    corpus.execute("DELETE FROM dblp")
    done = load_file(path)
    assert (done.format, done.documents, done.rejects) == ("jsonl", 204, 0)
    assert stored(corpus) == before


@pytest.mark.parametrize(
    ("licences", "expected"),
    [
        (["cc-by"], {"cc-by"}),
        (["cc0", "CC BY-NC 4.0"], {"cc0", "cc-by-nc"}),
        (["none"], {None}),
        (["none", "mit"], {None, "mit"}),
    ],
)
def test_a_licence_limits_what_leaves(licences: list[str], expected: set[str | None], corpus: psycopg.Connection) -> None:
    allowed = {docno for docno, *_, licence in stored(corpus) if licence in expected}
    assert {line["docno"] for line in exported(corpus, licences=licences)} == allowed
    condition = {"licence": licences, "year": [1990, 2000]}
    years = {docno for docno, _, _, year, *_ in stored(corpus) if docno in allowed and year and 1990 <= year <= 2000}
    assert {line["docno"] for line in exported(corpus, condition=condition)} == years
    assert {line["docno"] for line in exported(corpus, licences=licences, condition={"data_source": "jsonl"})} <= {"b", "c", "d"}


def test_an_unknown_licence_lists_those_that_exist(corpus: psycopg.Connection) -> None:
    for ask in (
        lambda: exported(corpus, licences=["cc-bx"]),
        lambda: exported(corpus, condition={"licence": "cc-bx"}),
        lambda: known_licences(corpus, ["cc-by", "cc-bx"]),
    ):
        with pytest.raises(UnknownObject, match="no document has the licence 'cc-bx'") as error:
            ask()
        assert error.value.sqlstate == "IR115"
        assert "Did you mean cc-by? The licences are cc-by, cc-by-nc, cc0, mit; none selects" in (error.value.hint or "")
    for bad in ([" "], [""]):
        with pytest.raises(BadArgument, match="the list of licences is empty"):
            known_licences(corpus, bad)
    with pytest.raises(BadArgument, match="licence must be a name or a list of names"):
        exported(corpus, condition={"licence": 5})
    with pytest.raises(UnknownObject, match="no document has the licence"):
        known_licences(corpus, ["cc-by'; DROP TABLE dblp; --"])


def test_a_run_is_exported_with_passages_of_a_licence(corpus: psycopg.Connection) -> None:
    corpus.execute("INSERT INTO st1_queries (query, text) VALUES ('q', 'voice home')")
    corpus.execute("INSERT INTO st1_runs (run) VALUES ('mine')")
    corpus.execute(
        "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score)"
        " SELECT (SELECT id FROM st1_runs), (SELECT id FROM st1_queries), doc, row_number() OVER (ORDER BY doc),"
        "        1.0 / row_number() OVER (ORDER BY doc) FROM documents"
    )
    licence = {docno: name for docno, *_, name in stored(corpus)}
    for licences in ((), ("cc-by", "mit")):
        out = io.BytesIO()
        export_run(corpus, "mine", out, layout="simpletext", options=ExportOptions(licences=licences))
        rows = json.loads(out.getvalue())
        assert len(rows) == 204
        for row in rows:
            assert bool(row["passage"]) == (not licences or licence[str(row["doc_id"])] in licences), row
    with pytest.raises(UnknownObject, match="no document has the licence 'gpl'"):
        export_run(corpus, "mine", io.BytesIO(), layout="trec", options=ExportOptions(licences=["gpl"]))
    corpus.execute("SELECT stc.make_pool('p', ARRAY['mine'], 204)")
    corpus.execute("SELECT stc.share_pool('p', ARRAY['ann'])")
    out = io.BytesIO()
    count = export_sheet(corpus, "p", out, annotator="ann", layout="jsonl", licences=["cc0"])
    docs = [json.loads(line)["doc"] for line in out.getvalue().splitlines()]
    assert count == len(docs) == sum(one == "cc0" for one in licence.values())
    assert {licence[doc] for doc in docs} == {"cc0"}


def test_the_commands(corpus: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    def stc(group: click.Command, *words: str) -> Any:
        return CliRunner().invoke(group, [*words], obj=settings)

    path = tmp_path / "open.jsonl"
    done = stc(corpus_group, "export", "--out", str(path), "--licence", "cc-by, cc0", "--year", "2000..")
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines
    assert {line["license"] for line in lines} == {"cc-by", "cc0"}
    assert min(line["year"] for line in lines) >= 2000
    assert f"{path}: {len(lines)} documents" in done.output
    assert f"{204 - len(lines)} documents left out" in done.output
    counted = json.loads(stc(corpus_group, "licences", "--format", "json").stdout)
    assert sum(row["documents"] for row in counted) == 204
    assert {(row["data_source"], row["licence"]) for row in counted} >= {
        ("openalex", "cc-by"),
        ("jsonl", "mit"),
        ("dblp-v12", None),
    }
    for group, *words in ((corpus_group, "export"), (runs_group, "export"), (qrels_group, "pool", "export")):
        assert "--licence" in stc(group, *words, "--help").output
    bad = stc(corpus_group, "export", "--licence", "gpl")
    assert isinstance(bad.exception, UnknownObject)
    empty = stc(corpus_group, "export", "--licence", ",")
    assert isinstance(empty.exception, BadArgument)
