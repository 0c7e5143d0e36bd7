"""Faults inside the records of real files, and how the loader handles them."""

from __future__ import annotations

import json
import random

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.io.corpus.documents import MAX_TEXT
from tests.corpus.conftest import Load, Write, array, inverted, one, read, record, texts
from tests.groups import corpus

pytestmark = pytest.mark.slow


def test_holes_and_entities(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    holes = {"IndexLength": 9, "InvertedIndex": {"Q&amp;A": [0, 6], "works": [8], "N&lt;5": [3]}}
    load_file(write("x.json", array([record(1, "R&amp;D &mdash; caf&#233;", indexed_abstract=holes)])))
    assert texts(conn) == {"1": ("R&D — café", "Q&A N<5 Q&A works")}
    doc = one(conn, "SELECT doc FROM dblp")
    assert doc["title"] == "R&amp;D &mdash; caf&#233;"
    assert doc["indexed_abstract"] == holes


def test_what_postgresql_refuses_is_removed_and_counted(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    abstract = b'"indexed_abstract": {"InvertedIndex": {"c": [0]}}}'
    raw = [
        rb'{"id": 1, "year": 1, "title": "a\u0000b", "x": ["\u0000"], "indexed_abstract": {"InvertedIndex": {"c\u0000": [0]}}}',
        rb'{"id": 2, "year": 1, "title": "a\ud800b", "x": ["\udfff"], "indexed_abstract": {"InvertedIndex": {"c\udc00": [0]}}}',
        b'{"id": 3, "year": 1, "title": "a\0b", "x": ["\0"], ' + abstract,
        b'{"id": 4, "year": 1, "title": "a\xed\xa0\x80b", "x": [""], ' + abstract,
        b'{"id": 5, "year": NaN, "title": "ab", "x": [""], ' + abstract,
        json.dumps(record(6)).encode(),
    ]
    done = load_file(write("x.jsonl", b"\n".join(raw)))
    assert (done.documents, done.rejects, done.cleaned) == (6, 0, 5)
    stored = texts(conn)
    assert [stored[str(number)] for number in range(1, 6)] == [("ab", "c")] * 5
    assert conn.execute("SELECT DISTINCT doc -> 'x' FROM dblp WHERE id < 6").fetchall() == [([""],)]


def test_two_surrogates_that_make_a_character_are_that_character(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    done = load_file(write("x.jsonl", rb'{"id": 1, "year": 1, "title": "\ud83d\ude00 \\u0000 \\ud800"}'))
    assert done.rejects == 0
    assert texts(conn)["1"] == (r"😀 \u0000 \ud800", None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"id": 1, "title": "x"}\n{"id": 2, "title": "caf\xe9 x"}\n', "byte 0xE9 at position 24 of line 2"),
        (b"<DOC>\n<DOCNO>1</DOCNO>\nx</DOC>\n<DOC>\n<DOCNO>2</DOCNO>\n\ncaf\xe9\n</DOC>\n", "byte 0xE9 at position 4 of line 7"),
        (b".I 1\n.W\nx\n.I 2\n.W\ncaf\xe9\n", "byte 0xE9 at position 4 of line 6"),
    ],
)
def test_bytes_that_are_not_utf8_are_named(content: bytes, reason: str, write: Write) -> None:
    documents, [reject] = read(write("x", content))
    assert len(documents) == 1
    assert reason in reject.reason
    assert "caf\ufffd" in reject.record


def test_ids_at_the_edge_of_bigint(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    ids: list[object] = [2**63 - 1, 2**63, 2**64, 10**30, str(2**63), 2**40, 0, -1]
    done = load_file(write("x.json", array([record(number) for number in ids])))
    assert (done.documents, done.rejects) == (5, 3)
    assert sorted(row[0] for row in conn.execute("SELECT line FROM stc.corpus_rejects").fetchall()) == [3, 4, 5]
    assert str(2**63) in one(conn, "SELECT reason FROM stc.corpus_rejects WHERE line = 3")
    stored: dict[str, int] = dict(conn.execute("SELECT docno, id FROM dblp").fetchall())
    assert (stored[str(2**63 - 1)], stored[str(2**40)], stored["0"]) == (2**63 - 1, 2**40, 0)
    assert stored.keys() == {str(2**63 - 1), str(2**63), str(2**40), "0", "-1"}


def test_a_number_that_is_the_id_of_another_document_is_no_loss(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    load_file(write("a.jsonl", json.dumps(record("textual"))))
    taken = one(conn, "SELECT id FROM dblp")
    load_file(write("b.jsonl", json.dumps(record(taken)) + "\n" + json.dumps(record(5))))
    stored: dict[str, int] = dict(conn.execute("SELECT docno, id FROM dblp").fetchall())
    assert stored.keys() == {"textual", str(taken), "5"}
    assert stored["textual"] == taken
    assert stored[str(taken)] != taken
    assert one(conn, "SELECT count(*) FROM dblp_text") == 3


def test_a_text_too_long_to_index_is_cut_and_the_doc_is_whole(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    # Worst case for to_tsvector: hyphenated compounds of distinct words, which are indexed whole and in parts.
    rng = random.Random(1)
    words = ["".join(rng.choices("bcdfghjklmnpqrstvwxz", k=5)) for _ in range(120_000)]
    text = " ".join(f"{a}-{b}" for a, b in zip(words[::2], words[1::2], strict=True))
    done = load_file(write("x.jsonl", json.dumps({"id": 1, "title": "T", "text": text})))
    assert (done.documents, done.rejects, done.cleaned, done.cut) == (1, 0, 0, ("1",))
    assert texts(conn)["1"] == ("T", text[: MAX_TEXT - 1])
    assert one(conn, "SELECT doc ->> 'text' FROM dblp") == text


def test_the_command_reports_what_is_cut_and_removed(settings: Settings, write: Write) -> None:
    long = [json.dumps({"id": f"D{number}", "text": "word " * 60_000}) for number in range(7)]
    file = write("x.jsonl", "\n".join([*long, '{"id": 1, "text": "a\\u0000b"}', '{"id": 2, "text": "c"}']))
    told = CliRunner().invoke(corpus, ["load", str(file)], obj=settings, catch_exceptions=False).output
    assert "7 documents (D0, D1, D2, D3, D4 …) of more than 262,144 characters: the first 262,144 of title and text" in told
    assert "1 document had characters or values that PostgreSQL refuses; they were removed" in told


def test_what_only_postgresql_can_refuse_is_a_reject_too(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    name = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=6000))  # too long for a B-tree
    many = [record(number) for number in range(40)]
    done = load_file(write("x.json", array([*many[:20], record(name), *many[20:], record("b" + name)])))
    assert (done.documents, done.rejects) == (40, 2)
    rows = conn.execute("SELECT line, reason FROM stc.corpus_rejects ORDER BY line").fetchall()
    assert [line for line, _ in rows] == [22, 43]
    assert all("refused by PostgreSQL" in reason for _, reason in rows)


def test_a_reject_keeps_the_beginning_of_its_record(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    bad = record(2, "", padding="é" * 5000)
    load_file(write("x.json", array([record(1), bad])))
    [(line, docno, shown)] = conn.execute("SELECT line, docno, record FROM stc.corpus_rejects").fetchall()
    assert (line, docno) == (3, "2")
    assert len(shown) == 1000
    assert json.dumps(bad).startswith(shown)


def test_an_inverted_abstract_of_another_shape_rejects_the_record(conn: psycopg.Connection, write: Write, load_file: Load) -> None:
    records = [record(1, indexed_abstract=inverted("fine")), record(2, indexed_abstract={"InvertedIndex": {"a": 1}})]
    assert load_file(write("x.json", array(records))).rejects == 1
    assert "inverted abstract" in one(conn, "SELECT reason FROM stc.corpus_rejects WHERE docno = '2'")
