"""Loading files of answer verification: stored rows, counted and reported rejects, all or nothing."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import zstandard

from stcollection.errors import BadArgument, BadInput, StateError
from stcollection.studies.answers.load import find, load
from tests.at_once import at_once
from tests.studies.answers.answer_files import asked, column, doc, named, pair, put, tables, write

pytestmark = pytest.mark.slow


def test_the_worked_example(conn: psycopg.Connection, tmp_path: Path) -> None:
    query = "备孕偶尔喝冰的可以吗"
    documents = write(tmp_path, "documents", asked(query, doc("d1"), doc("d2"), doc("d3")))
    pairs = write(
        tmp_path,
        "pairs",
        pair(query, "u/d1", "a1", "u/d2", "a2"),
        pair(query, "u/d1", "a1", "u/d3", "a3", 0),
        pair(query, "u/d2", "a2", "u/d3", "a3", 0),
    )
    gold = write(tmp_path, "gold", f"{query}\td1,d2")
    relations = write(tmp_path, "relations", pair(query, "u/d3", "a3", "u/d1", "a1", "oppose"))
    templates = write(tmp_path, "templates", f"{query}\tmay")
    done = put(conn, documents, pairs, gold, relations, templates)
    assert {kind: (one.lines, one.stored) for kind, one in done.items()} == {
        "documents": (1, 1),
        "pairs": (3, 3),
        "relations": (1, 1),
        "gold": (1, 1),
        "templates": (1, 1),
    }
    found = tables(conn)
    assert found["queries"] == [(1, query, "may")]
    assert found["answers"] == [(query, f"u/d{n}", f"a{n}", f"d{n}") for n in (1, 2, 3)]
    assert [row[3:] for row in found["pairs"]] == [(1, None), (0, "oppose"), (0, None)]
    assert found["gold"] == [(query, "d1"), (query, "d2")]


def test_loading_again_does_nothing_and_other_files_are_rejected(conn: psycopg.Connection, tmp_path: Path) -> None:
    documents = write(tmp_path, "documents", asked("q", doc("d1"), doc("d2")))
    assert not put(conn, documents)["documents"].already
    first = conn.execute("SELECT id, loaded FROM stc.answer_files").fetchall()
    assert put(conn, documents)["documents"].already
    assert conn.execute("SELECT id, loaded FROM stc.answer_files").fetchall() == first
    write(tmp_path, "documents", asked("other", doc("d1")))
    with pytest.raises(BadArgument, match="the documents of 's', split dev, are already loaded from another file") as told:
        put(conn, documents)
    assert "--replace" in str(told.value.hint)
    put(conn, documents, replace=True)
    assert column(tables(conn)["queries"], 1) == ["other"]


def test_pairs_may_come_before_documents_and_gold_may_not(conn: psycopg.Connection, tmp_path: Path) -> None:
    documents = write(tmp_path, "documents", asked("q", doc("d1"), doc("d2")))
    pairs = write(tmp_path, "pairs", pair("only pairs", "u", "x", "v", "y"), pair("q", "u/d1", "yes", "u/d2", "no", 0))
    gold = write(tmp_path, "gold", "q\td1")
    with pytest.raises(StateError, match="has no documents for the gold file"):
        put(conn, gold, pairs)
    assert conn.execute("SELECT count(*) FROM stc.answer_sets").fetchone() == (0,)
    put(conn, pairs)
    assert column(tables(conn)["answers"], 3) == [None] * 4
    put(conn, documents)
    put(conn, gold)
    one = tables(conn)
    put(conn, documents, pairs, gold, set="at once")
    assert one == tables(conn, set="at once")
    assert one["queries"] == [(1, "q", None), (2, "only pairs", None)]


def test_templates_need_a_query(conn: psycopg.Connection, tmp_path: Path) -> None:
    templates = write(tmp_path, "templates", "q\tmay", "q\tmay", "q\tmust", "none\tmay", "q\t")
    with pytest.raises(StateError, match="has no queries for the templates"):
        put(conn, templates)
    done = put(conn, write(tmp_path, "pairs", pair("q", "u", "x", "v", "y")), templates)["templates"]
    assert (done.stored, done.duplicates, done.contradictory, done.unknown, done.rejects) == (1, 1, 1, 1, 1)
    assert tables(conn)["queries"] == [(1, "q", "may")]


def test_faulty_documents(conn: psycopg.Connection, tmp_path: Path) -> None:
    deep = '{"query": "q", "docs": ' + "[" * 200_000 + "]" * 200_000 + "}"
    first = asked("q", doc("d1", text="one"), {"url": "u", "doc_id": None}, doc("d1", text="two"), doc(" d2 ", "u/d2"))
    done = put(
        conn,
        write(
            tmp_path,
            "documents",
            b"\xef\xbb\xbf" + first.encode(),
            "",
            "  ",
            "{",
            "[]",
            '{"query": "  ", "docs": []}',
            '{"query": "a"}',
            '{"query": "a", "query": "b", "docs": []}',
            '{"query": "a", "docs": [{"doc_id": "1", "url": "u", "doc_id": "2"}]}',
            '{"query": "\\ud800", "docs": []}',
            '{"query": "nul \\u0000", "docs": []}',
            b'{"query": "\xff", "docs": []}',
            deep,
            asked("q" * 3000),
            asked(" q ", doc("d2"), doc("d3")),
            asked("q", doc("d3")),
            asked("none"),
            '{"query": "n", "docs": [{"doc_id": 7}, 3]}',
            '{"query": "key as a value", "docs": [{"doc_id": "url", "url": "query", "title": "query"}]}',
            "null",
            b"nul \0",
            ending=b"\r\n",
        ),
    )["documents"]
    assert column(tables(conn)["queries"], 1) == ["q", "none", "n", "key as a value"]
    assert [row[:4] for row in tables(conn)["documents"]] == [
        ("key as a value", 1, "url", "query"),
        ("n", 1, "7", ""),
        ("q", 1, "d1", "u/d1"),
        ("q", 2, "d2", "u/d2"),
        ("q", 3, "d3", "u/d3"),
    ]
    problems = named(conn, "documents")
    assert [(line, problem) for line, problem, _ in problems if problem == "duplicate"] == [
        (1, "duplicate"),
        (15, "duplicate"),
        (15, "duplicate"),
        (16, "duplicate"),
        (16, "duplicate"),
    ]
    refused = {line: reason for line, problem, reason in problems if problem == "reject"}
    assert [*refused] == [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 18, 20, 21]
    assert refused[1] == "document 2: no doc_id"
    assert refused[6] == "no query"
    assert refused[8] == "the key 'query' occurs twice"
    assert refused[9] == "the key 'doc_id' occurs twice"
    assert "cannot be read as JSON" in refused[10]
    assert "cannot be read as JSON" in refused[13]
    assert "U+0000" in refused[11]
    assert "longer than 2,000 bytes" in refused[14]
    assert "with other content; the first is kept" in problems[0][2]
    assert (done.lines, done.stored, done.duplicates, done.rejects) == (19, 5, 5, 15)


def test_faulty_pairs(conn: psycopg.Connection, tmp_path: Path) -> None:
    documents = write(tmp_path, "documents", asked("q", doc("d1"), doc("d2"), doc("none", url="")))
    done = put(
        conn,
        documents,
        write(
            tmp_path,
            "pairs",
            pair("q", "u/d1", "x", "u/d2", "y"),
            pair("q", "u/d2", "y", "u/d1", "x"),
            pair("q", "u/d2", "y", "u/d1", " x", 0),
            pair("q", "u/d1", "x", "u/d2", "y", 0),
            pair("q", "u/d1", "x", "u/d1", "x"),
            pair("q", "u/d1", "x", "u/d1", "z", 0),
            pair("q", "u/else", "x", "u/d1", "x"),
            pair("other", "u/d1", "x", "u/d2", "y"),
            pair("q", "", "w", "u/d1", "x"),
            pair("q", "u/d1", "x", "u/d2", "y", 2),
            pair("q", "u/d1", "", "u/d2", "y"),
            "q\tu\tx",
            r"q\tu\tx\tv\ty\t1",
            b"q\tu\t\xff\tv\ty\t1",
            pair("", "u", "x", "v", "y"),
            "q\tu\tx\0\tv\ty\t1",
        ),
    )["pairs"]
    assert [(line, problem) for line, problem, _ in named(conn, "pairs")] == [
        (1, "contradictory"),
        (2, "duplicate"),
        (3, "contradictory"),
        (4, "duplicate"),
        (5, "reject"),
        (7, "unknown"),
        (8, "unknown"),
        (9, "unknown"),
        *((line, "reject") for line in range(10, 17)),
    ]
    reasons = {line: reason for line, _, reason in named(conn, "pairs")}
    assert reasons[1] == "the pair is 1 here, but 0 on line 3"
    assert reasons[3] == "the pair is 0 here, but 1 on line 1"
    assert reasons[4] == "same as line 3"
    assert reasons[7] == "no document of the query has the address 'u/else'"
    assert reasons[8] == "the query has no documents"
    assert reasons[13] == "the fields are separated by a backslash and a t, not by a tab"
    assert reasons[14] == "not UTF-8: byte 0xff at 5"
    assert (done.lines, done.stored, done.duplicates, done.contradictory, done.unknown, done.rejects) == (16, 6, 2, 1, 3, 8)
    assert [row[3] for row in tables(conn)["pairs"] if row[1:3] == (["u/d1", "x"], ["u/d2", "y"]) and row[0] == "q"] == [None]
    assert {row[1:] for row in tables(conn)["answers"] if row[3] is None} == {
        ("u/else", "x", None),
        ("u/d1", "x", None),
        ("u/d2", "y", None),
        ("", "w", None),
    }


def test_faulty_gold(conn: psycopg.Connection, tmp_path: Path) -> None:
    documents = write(tmp_path, "documents", *(asked(query, doc("d1"), doc("d2")) for query in "abcde"))
    pairs = write(tmp_path, "pairs", pair("only pairs", "u", "x", "v", "y"))
    done = put(
        conn,
        documents,
        pairs,
        write(
            tmp_path,
            "gold",
            "a\t d2 , d1 ",
            "b\t",
            "c\td1,d9,d8",
            "d\td9",
            "e\td1,d1",
            "a\td1,d2",
            "a\td1",
            "only pairs\td1",
            "none\t",
            "a",
            "a\td1,,d2",
        ),
    )["gold"]
    assert tables(conn)["gold"] == [("a", "d1"), ("a", "d2"), ("c", "d1"), ("e", "d1")]
    assert named(conn, "gold") == [
        (3, "unknown", "the query has no document 'd8', 'd9'"),
        (4, "unknown", "the query has no document 'd9'"),
        (5, "duplicate", "doc_id 'd1' occurs twice"),
        (6, "duplicate", "as line 1"),
        (7, "contradictory", "contradicts line 1 about this query; line 1 is kept"),
        (8, "unknown", "the query has no documents: 'only pairs'"),
        (9, "unknown", "the query has no documents: 'none'"),
        (10, "reject", "1 field instead of 2"),
        (11, "reject", "an empty doc_id between commas"),
    ]
    assert (done.lines, done.stored, done.duplicates, done.contradictory, done.unknown, done.rejects) == (11, 4, 2, 1, 4, 2)


@pytest.mark.parametrize("pairs_first", [True, False])
def test_a_relation_never_contradicts_a_label(conn: psycopg.Connection, tmp_path: Path, pairs_first: bool) -> None:
    pairs = write(
        tmp_path,
        "pairs",
        pair("q", "u", "a", "v", "b"),
        pair("q", "u", "a", "v", "c"),
        pair("q", "u", "a", "v", "d"),
        pair("q", "u", "a", "v", "d", 0),
    )
    relations = write(
        tmp_path,
        "relations",
        pair("q", "v", "b", "u", "a", "support"),
        pair("q", "u", "a", "v", "c", "oppose"),
        pair("q", "u", "a", "v", "d", "neutral"),
        pair("q", "u", "a", "v", "e", "neutral"),
        pair("q", "u", "a", "v", "f", "support"),
        pair("q", "u", "a", "v", "g", "oppose"),
        pair("q", "u", "a", "v", "g", "neutral"),
        pair("q", "u", "a", "v", "h", "support"),
        pair("q", "u", "a", "v", "h", "neutral"),
        pair("q", "u", "a", "v", "i", "entails"),
    )
    first, second = (pairs, relations) if pairs_first else (relations, pairs)
    put(conn, first)
    put(conn, second)
    assert {row[2][1]: row[3:] for row in tables(conn)["pairs"]} == {
        "b": (1, "support"),
        "c": (1, None),
        "d": (None, "neutral"),
        "e": (0, "neutral"),
        "f": (1, "support"),
        "g": (0, None),
        "h": (None, None),
    }
    told = [(line, reason) for line, problem, reason in named(conn, "relations" if pairs_first else "pairs") if problem != "reject"]
    if pairs_first:
        assert told[0] == (2, "contradicts the label 1 of the pair, which is kept without a relation")
        assert column(told, 0) == [2, 6, 7, 8, 9]
    else:
        assert told[0] == (2, "contradicts the relation oppose of the pair, which is removed")
        assert column(told, 0) == [2, 3, 4]


def test_backslashes_are_escapes_if_the_documents_show_it(conn: psycopg.Connection, tmp_path: Path) -> None:
    text = "first\tsecond\nthird, C:\\temp, \\times"
    documents = write(tmp_path, "documents", asked("tab\there", doc("d1", text=text), doc("d2", url="back\\new", text=text)))
    done = put(
        conn,
        documents,
        write(
            tmp_path,
            "pairs",
            pair(r"tab\there", "u/d1", r"first\tsecond\nthird", r"back\new", r"C:\temp"),
            pair(r"tab\there", "u/d1", r"first\tsecond\nthird", "u/d1", r"not\there"),
        ),
        write(tmp_path, "gold", r"tab\there" + "\td1"),
    )
    assert column(tables(conn)["queries"], 1) == ["tab\there"]
    assert [row[1:] for row in tables(conn)["answers"]] == [
        ("back\\new", r"C:\temp", "d2"),
        ("u/d1", "first\tsecond\nthird", "d1"),
        ("u/d1", r"not\there", "d1"),
    ]
    assert named(conn, "pairs") == [(n, "escaped", "read as escapes, as in the documents: query, answer1") for n in (1, 2)]
    assert (done["pairs"].escaped, done["gold"].escaped, done["pairs"].unknown) == (2, 1, 0)
    assert tables(conn)["gold"] == [("tab\there", "d1")]


def test_an_answer_belongs_to_the_first_document_of_its_address_that_contains_it(conn: psycopg.Connection, tmp_path: Path) -> None:
    put(
        conn,
        write(tmp_path, "documents", asked("q", doc("d1", "u", "nothing"), doc("d2", "u", "it is so"), doc("d3", "u", "it is so"))),
        write(tmp_path, "pairs", pair("q", "u", "is so", "u", "found nowhere")),
    )
    assert [row[2:] for row in tables(conn)["answers"]] == [("found nowhere", "d1"), ("is so", "d2")]


def test_a_wrong_file_is_rejected_entirely(conn: psycopg.Connection, tmp_path: Path) -> None:
    gold = write(tmp_path, "gold", "q\td1")
    with pytest.raises(BadInput, match=r"nothing can be stored of 1 line; line 1: 2 fields instead of 6") as told:
        load(conn, set="s", split="dev", files={"pairs": gold})
    assert told.value.hint is not None
    documents = write(tmp_path, "documents", asked("other", doc("d1")))
    with pytest.raises(BadInput, match="nothing can be stored of 1 line; line 1: the query has no documents: 'q'"):
        put(conn, documents, gold)
    gold.write_bytes(b"")
    with pytest.raises(BadInput, match="the file is empty"):
        put(conn, documents, gold)
    assert conn.execute("SELECT count(*) FROM stc.answer_sets").fetchone() == (0,)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_compressed_files_complete_and_truncated(conn: psycopg.Connection, tmp_path: Path, kind: str) -> None:
    plain = b"".join(
        pair("q", "u", f"answer {number} {number * 7919 % 10007}", "v", "y").encode() + b"\n" for number in range(5000)
    )
    data = gzip.compress(plain) if kind == "gz" else zstandard.ZstdCompressor().compress(plain)
    path = tmp_path / f"dev_answer_nli_data.tsv.{kind}"
    path.write_bytes(data[: len(data) // 2])
    assert find(tmp_path) == {"dev": {"pairs": path}}
    with pytest.raises(BadInput, match="the compressed data is truncated or damaged"):
        load(conn, set="s", split="dev", files={"pairs": path})
    assert conn.execute("SELECT count(*) FROM stc.answer_sets").fetchone() == (0,)
    path.write_bytes(data)
    [done] = load(conn, set="s", split="dev", files={"pairs": path})
    assert (done.lines, done.stored) == (5000, 5000)


def test_an_endless_line_is_skipped_without_filling_memory(
    conn: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STC_MAX_UNPACKED", "200MB")  # a single repeated letter unpacks to more than the default limit
    path = tmp_path / "dev_answer_nli_data.tsv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(pair("q", "u", "x", "v", "y").encode() + b"\n")
        for _ in range(100):
            file.write(b"x" * 2**20)
        file.write(b"\n" + pair("q", "u", "x", "v", "z").encode())
    [done] = load(conn, set="s", split="dev", files={"pairs": path})
    assert (done.lines, done.stored) == (3, 2)
    assert named(conn, "pairs") == [(2, "reject", "longer than 16 MB")]


def test_errors_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="there is no folder"):
        find(tmp_path / "none")
    with pytest.raises(BadArgument, match="contains no file of answer verification") as told:
        find(tmp_path)
    assert "dev_query_doc.json" in str(told.value.hint)
    path = write(tmp_path, "gold", "q\td1", split="train")
    assert find(tmp_path) == {"train": {"gold": path}}
    (tmp_path / "train_label.tsv.gz").write_bytes(gzip.compress(b"q\td1"))
    with pytest.raises(BadArgument, match=r"both .*train_label.tsv and train_label.tsv.gz exist"):
        find(tmp_path)


def test_two_loads_at_once(dsn: str, conn: psycopg.Connection, tmp_path: Path) -> None:
    paths = (
        write(tmp_path, "documents", asked("q", doc("d1"), doc("d2"))),
        write(tmp_path, "pairs", *(pair("q", "u/d1", f"x{number}", "u/d2", "y") for number in range(2000))),
    )
    done: list[bool] = []

    def one() -> None:
        with psycopg.connect(dsn, autocommit=True) as own:
            done.append(put(own, *paths)["pairs"].already)

    at_once(lambda _: one(), range(3))
    assert sorted(done) == [False, True, True]
    assert len(tables(conn)["pairs"]) == 2000


_SCRIPT = """
import signal, sys
from pathlib import Path
import psycopg
signal.signal(signal.SIGINT, signal.default_int_handler)
from stcollection.studies.answers.load import load
with psycopg.connect(sys.argv[1], autocommit=True) as conn:
    print("go", flush=True)
    load(conn, set="s", split="dev", files={"pairs": Path(sys.argv[2])})
"""


def test_an_interrupted_load_leaves_nothing(dsn: str, conn: psycopg.Connection, tmp_path: Path) -> None:
    path = write(tmp_path, "pairs", *(pair(f"q{number // 20}", "u", f"x{number}", "v", "y") for number in range(60_000)))
    with subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, dsn, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        lock = (
            "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE locktype = 'advisory' AND granted AND datname = current_database()"
        )
        while conn.execute(lock).fetchone() == (0,):  # wait until it has begun
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in told
    assert conn.execute("SELECT (SELECT count(*) FROM stc.answer_sets), (SELECT count(*) FROM stc.answers)").fetchone() == (0, 0)
    assert put(conn, path)["pairs"].stored == 60_000
