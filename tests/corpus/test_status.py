"""Authors and citations as relations, and the corpus in numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

from stcollection.corpus.ledger import size, status
from tests.corpus.conftest import Load, Write, array, inverted, record

RECORDS = [
    record(
        1,
        authors=[{"name": "Ann A.", "id": 7, "org": "Here"}, {"name": "Bob B."}],
        references=[2, 99],
        indexed_abstract=inverted("a b"),
    ),
    record(2, authors=[{"name": "Ann Other", "id": 7, "org": ""}, {"name": "Ann A."}, {"name": "Bob B."}], references=[1]),
    record("v13", authors=[{"_id": "54aa", "name": "Cyd C.", "org": None}], references=["v10"], abstract="Plain."),
    record("v10", authors=["Bob B.", "Dan D."], references=[]),
    record("odd", authors={"name": "no list"}, references="none"),
    record("null", authors=None, references=None),
    record("mixed", authors=[None, 5, {"name": "Eve E."}], references=[None, 2]),
]


def test_authors_and_citations(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    assert load_file(write("x.json", array(RECORDS))).documents == len(RECORDS)
    authors = conn.execute(
        "SELECT d.docno, a.position, a.author, a.name, a.org FROM dblp_authors a JOIN dblp d ON d.id = a.doc ORDER BY 1, 2"
    ).fetchall()
    assert authors == [
        ("1", 1, "7", "Ann A.", "Here"),
        ("1", 2, None, "Bob B.", None),
        ("2", 1, "7", "Ann Other", None),
        ("2", 2, None, "Ann A.", None),
        ("2", 3, None, "Bob B.", None),
        ("mixed", 3, None, "Eve E.", None),
        ("v10", 1, None, "Bob B.", None),
        ("v10", 2, None, "Dan D.", None),
        ("v13", 1, "54aa", "Cyd C.", None),
    ]
    citations = conn.execute(
        "SELECT d.docno, c.cited_docno, e.docno FROM dblp_citations c"
        " JOIN dblp d ON d.id = c.doc LEFT JOIN dblp e ON e.id = c.cited ORDER BY 1, 2"
    ).fetchall()
    assert citations == [("1", "2", "2"), ("1", "99", None), ("2", "1", "1"), ("mixed", "2", "2"), ("v13", "v10", "v10")]


def test_citations_join_by_number_and_by_docno(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    """As printed: the cited document is a key of dblp, also if docnos are not numbers."""
    load_file(write("x.json", array(RECORDS)))
    joined = "SELECT a.docno, b.docno FROM dblp_citations c JOIN dblp a ON a.id = c.doc JOIN dblp b ON {} ORDER BY 1, 2"
    by_id, by_docno = (conn.execute(joined.format(on).encode()).fetchall() for on in ("b.id = cited", "b.docno = cited_docno"))
    assert by_id == by_docno == [("1", "2"), ("2", "1"), ("mixed", "2"), ("v13", "v10")]
    with pytest.raises(psycopg.errors.UndefinedColumn) as misspelt:
        conn.execute("SELECT cited_docnos FROM dblp_citations")
    assert "dblp_citations.cited_docno" in str(misspelt.value.diag.message_hint)
    plan = [line for (line,) in conn.execute("EXPLAIN SELECT count(*) FROM dblp_citations")]
    assert not any("Join" in line for line in plan)


def test_the_corpus_in_numbers_and_stubs_never_count(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    assert status(conn) == [("documents", 0), ("abstracts", 0), ("authors", 0), ("citations", 0)]
    load_file(write("x.json", array(RECORDS)))
    # 7; Ann A., Bob B., Dan D., Eve E. by name; 54aa
    wanted = [("documents", 7), ("abstracts", 2), ("authors", 6), ("citations", 5)]
    assert size(conn) == (7, 2, False)
    assert status(conn) == wanted
    doc = json.dumps({"authors": [{"name": "Stub"}], "references": [1]})
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (500, '500', %s, true)", [doc])
    conn.execute("INSERT INTO dblp_text (id, title, abstract) VALUES (500, 't', 'a')")
    assert size(conn) == (7, 2, False)
    assert status(conn) == wanted
    assert conn.execute("SELECT count(*) FROM dblp_authors WHERE doc = 500").fetchone() == (0,)
    assert conn.execute("SELECT count(*) FROM dblp_citations WHERE doc = 500").fetchone() == (0,)


def test_the_numbers_of_genuine_records(conn: psycopg.Connection, load_file: Load, data: Path) -> None:
    file = data / "dblp" / "dblp-v12.first150.json"
    load_file(file)
    records: list[dict[str, Any]] = json.loads(file.read_bytes())
    assert status(conn) == [
        ("documents", 150),
        ("abstracts", sum(1 for one in records if one.get("indexed_abstract"))),
        ("authors", len({author["id"] for one in records for author in one.get("authors", ())})),
        ("citations", sum(len(one.get("references", ())) for one in records)),
    ]


def test_the_abstracts_of_a_large_corpus_are_estimated(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("x.json", array(RECORDS)))
    conn.execute("ANALYZE dblp_text")
    conn.execute("SET session_replication_role = replica")  # facts are counted, and these have no document
    conn.execute("INSERT INTO dblp_facts (id) SELECT g FROM generate_series(1000000, 1199999) g")
    conn.execute("RESET session_replication_role")
    assert size(conn) == (200_007, round(200_007 * 2 / 7), True)
    conn.execute("DELETE FROM pg_statistic WHERE starelid = 'dblp_text'::regclass")
    assert size(conn) == (200_007, 2, False)
