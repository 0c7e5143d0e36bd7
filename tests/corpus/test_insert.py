"""INSERT INTO dblp (id, doc) stores a complete document, with docno and text as a load reads them."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest

from stcollection.corpus.parsing import parse
from stcollection.io.corpus.chunks import chunks
from stcollection.io.streams import Source

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "corpus"
FILES = ("dblp-v10.json", "dblp-v11.txt", "dblp-v12.json", "dblp-v13.json", "dblp-v14.json", "jsonl.jsonl", "elasticsearch.jsonl")
INSERT = "INSERT INTO dblp (id, doc) VALUES (%s, %s)"


def stored(conn: psycopg.Connection, number: int) -> tuple[str, str | None, str | None] | None:
    return conn.execute("SELECT docno, title, abstract FROM dblp JOIN dblp_text USING (id) WHERE id = %s", [number]).fetchone()


@pytest.mark.parametrize("name", FILES)
def test_the_same_as_a_load(conn: psycopg.Connection, name: str) -> None:
    batches = [parse(chunk, on_duplicate="skip") for chunk in chunks(Source(str(EXAMPLES / name)), format=None)]
    read = [one for batch in batches for one in batch.documents.values()]
    assert read
    for number, one in enumerate(read, 1):
        conn.execute(INSERT, [number, one.doc.decode()])
        assert stored(conn, number) == (one.docno, one.title, one.abstract)


@pytest.mark.parametrize(
    ("doc", "found"),
    [
        ({}, ("7", None, None)),
        ([1], ("7", None, None)),
        ({"id": 8.5, "title": 3, "abstract": ["x"]}, ("7", None, None)),
        ({"id": " ", "docno": " a b ", "title": " Two\n\u00a0words ", "text": "\n x \n"}, ("a b", "Two words", "x")),
        ({"id": 9, "title": "A &amp;lt; B &lt;&#x26;&#233;&#0;&eacute;"}, ("9", "A &lt; B <&é&#0;&eacute;", None)),
        ({"_id": "x", "indexed_abstract": '{"InvertedIndex": {"b": [1, 12], "a": [0]}}'}, ("x", None, "a b b")),
        ({"title": "t" * 300_000, "abstract": "a"}, ("7", "t" * 262_144, None)),
    ],
)
def test_of_odd_records(conn: psycopg.Connection, doc: object, found: tuple[str, str | None, str | None]) -> None:
    conn.execute(INSERT, [7, json.dumps(doc)])
    assert stored(conn, 7) == found


def test_a_text_that_is_cut_is_reported(conn: psycopg.Connection) -> None:
    notices: list[str | None] = []
    conn.add_notice_handler(lambda diag: notices.append(diag.message_primary))
    records = [{"title": "t", "abstract": "word " * words} for words in (10, 40_000, 53_000, 60_000)]
    with conn.cursor() as cursor:
        cursor.execute(
            "INSERT INTO dblp (id, doc) SELECT n, d FROM unnest(%s::bigint[], %s::jsonb[]) u (n, d)",
            [list(range(4)), list(map(json.dumps, records))],
        )
    assert notices == ["Title and abstract of 2 documents were cut at 262,144 characters, the most that can be indexed"]


def test_search_finds_it(conn: psycopg.Connection) -> None:
    conn.execute(INSERT, [7, json.dumps({"title": "The first", "year": 2020})])
    conn.execute("CALL stc.index_text()")
    conn.execute(INSERT, [8, json.dumps({"title": "A quagga", "year": 2021})])
    assert conn.execute("SELECT doc FROM boolean_search('quagga', 9)").fetchall() == [(8,)]
    assert conn.execute("SELECT docno, title, year FROM documents WHERE doc = 8").fetchall() == [("8", "A quagga", 2021)]
    conn.execute("CALL stc.index_text()")
    assert conn.execute("SELECT doc FROM bm25_search('quagga', 9)").fetchall() == [(8,)]


def test_an_organiser_inserts_many(conn: psycopg.Connection) -> None:
    with conn.transaction(force_rollback=True):
        conn.execute("SET LOCAL ROLE stc_organiser")
        conn.execute(
            "INSERT INTO dblp (id, doc) SELECT n, jsonb_build_object('title', 'paper ' || n) FROM generate_series(1, 500) n"
        )
        assert conn.execute("SELECT count(*), min(docno), max(title) FROM documents").fetchone() == (500, "1", "paper 99")


def test_stubs_have_no_text(conn: psycopg.Connection) -> None:
    conn.execute('INSERT INTO dblp (id, doc, stub) VALUES (7, \'{"title": "x"}\', true)')
    assert conn.execute("SELECT docno, t.id FROM dblp LEFT JOIN dblp_text t USING (id)").fetchall() == [("7", None)]


def test_a_named_document_is_left_alone(conn: psycopg.Connection) -> None:
    conn.execute('INSERT INTO dblp (id, docno, doc) VALUES (7, \'x\', \'{"id": 1, "title": "x"}\')')
    assert conn.execute("SELECT docno, t.id FROM dblp LEFT JOIN dblp_text t USING (id)").fetchall() == [("x", None)]


def test_a_docno_that_is_taken(conn: psycopg.Connection) -> None:
    conn.execute(INSERT, [7, '{"id": 7, "title": "x"}'])
    with pytest.raises(psycopg.errors.UniqueViolation, match="dblp_docno_key") as refused:
        conn.execute(INSERT, [8, '{"id": 7, "title": "y"}'])
    assert refused.value.diag.message_detail == "Key (docno)=(7) already exists."
    assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (1,)


@pytest.mark.parametrize("index", [[1], "x", {"InvertedIndex": [2]}, {"InvertedIndex": {"a": 1}}, {"InvertedIndex": {"a": ["b"]}}])
def test_an_abstract_that_is_not_inverted(conn: psycopg.Connection, index: object) -> None:
    with pytest.raises(psycopg.Error, match=r"document 8: its inverted abstract is not \{word: \[positions\]\}, but") as refused:
        conn.execute(INSERT, [7, json.dumps({"id": 8, "title": "x", "indexed_abstract": index})])
    assert refused.value.sqlstate == "IR301"


def test_an_organiser_inserts_with_the_rights_of_the_role(conn: psycopg.Connection) -> None:
    conn.execute("SET ROLE stc_organiser")
    conn.execute(INSERT, [7, '{"id": "d7", "title": "Quagga", "abstract": "At home."}'])
    conn.execute("RESET ROLE")
    assert stored(conn, 7) == ("d7", "Quagga", "At home.")
