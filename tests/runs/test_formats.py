"""Export and import in the format of 2022, and names it cannot represent."""

from __future__ import annotations

import io
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.errors import BadArgument, UnknownObject
from stcollection.runs.check import check_run
from stcollection.runs.export import ExportOptions, export_run
from stcollection.runs.load import ImportOptions, import_runs
from tests.examples import examples
from tests.runs.conftest import ranking

HEAD = "run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage"


def collection(conn: psycopg.Connection, queries: int = 2) -> None:
    """Store topic G01 with queries G01.1 …, topic T with a query named T, and 300 documents with text."""
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('G01'), ('T')")
    conn.execute(
        "INSERT INTO stc.st1_queries (query, topic, text) SELECT 'G01.' || n, 1, 'voice' FROM generate_series(1, %s) n", [queries]
    )
    conn.execute("INSERT INTO stc.st1_queries (query, topic, text) VALUES ('T', 2, 'games')")
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT n, n::text, '{}' FROM generate_series(1, 300) n")
    conn.execute("INSERT INTO dblp_text (id, title) SELECT n, 'Title ' || n FROM generate_series(1, 300) n")


def put(conn: psycopg.Connection, run: dict[str, list[tuple[str, float]]], path: Path) -> None:
    path.write_text("".join(f"{query} Q0 {docno} 1 {score!r} t\n" for query, rows in run.items() for docno, score in rows))
    list(import_runs(conn, [path], options=ImportOptions(replace=True)))


def out(conn: psycopg.Connection, run: str, path: Path, **options: object) -> list[list[str]]:
    with path.open("wb") as file:
        done = export_run(conn, run, file, layout="simpletext-2022", options=ExportOptions(**options))  # type: ignore[arg-type]
    head, *lines = path.read_text().split("\n")[:-1]
    assert head == HEAD
    rows = [line.split("\t") for line in lines]
    assert len({(topic, query, docno) for _, _, topic, query, docno, _ in rows}) == done.ranked
    return rows


def test_by_hand(conn: psycopg.Connection, tmp_path: Path) -> None:
    collection(conn)
    put(conn, {"G01.1": [("1", 2.0), ("2", 2.0), ("3", 1.0)], "T": [("9", 5.0)]}, tmp_path / "mine.run")
    conn.execute("UPDATE stc.st1_rankings SET passage = E'one\\ttab\\n\"Quoted\" start\\n\\none\\ttab' WHERE doc = 2")
    conn.execute("UPDATE stc.st1_rankings SET comb_score = rel_score * CASE WHEN doc = 3 THEN 10 ELSE 1 END")
    rows = out(conn, "mine", tmp_path / "o.tsv", team="ST")
    assert rows == [
        ["ST_task1_mine", "0", "G01", "G01.1", "2", "one tab"],
        ["ST_task1_mine", "0", "G01", "G01.1", "2", '"""Quoted"" start"'],
        ["ST_task1_mine", "0", "G01", "G01.1", "1", "Title 1"],
        ["ST_task1_mine", "0", "G01", "G01.1", "3", "Title 3"],
        ["ST_task1_mine", "0", "T", "0", "9", "Title 9"],
    ]
    assert check_run(tmp_path / "o.tsv", conn=conn).bad == 0
    [done] = import_runs(conn, [tmp_path / "o.tsv"])
    assert done.run == "ST_task1_mine"
    assert ranking(conn, done.run) == ranking(conn, "mine")
    assert conn.execute("SELECT passage FROM rankings WHERE run = %s AND docno = '2'", [done.run]).fetchone() == (
        'one tab\n"Quoted" start',
    )
    by_comb = out(conn, "mine", tmp_path / "o.tsv", score="comb", depth=1)
    assert [(row[3], row[4]) for row in by_comb] == [("G01.1", "3"), ("0", "9")]
    with pytest.raises(UnknownObject, match="no run 'mina'"):
        out(conn, "mina", tmp_path / "o.tsv")


def test_a_topic_has_a_hundred_documents_rank_by_rank(conn: psycopg.Connection, tmp_path: Path) -> None:
    collection(conn, 3)
    # The first two share every second document; the third has 40 other documents.
    run = {
        "G01.1": [(str(n), 1000.0 - n) for n in range(1, 121)],
        "G01.2": [(str(n if n % 2 else n + 150), 1000.0 - n) for n in range(1, 121)],
        "G01.3": [(str(n + 260), 1000.0 - n) for n in range(1, 41)],
    }
    put(conn, run, tmp_path / "mine.run")
    rows = out(conn, "mine", tmp_path / "o.tsv")
    documents = {docno for *_, docno, _ in rows}
    assert len(documents) == 100
    kept = {query: [row[4] for row in rows if row[3] == query] for query in run}
    for query, docnos in kept.items():
        assert docnos == [docno for docno, _ in run[query]][: len(docnos)]
        following = [docno for docno, _ in run[query]][len(docnos) : len(docnos) + 1]
        assert not set(following) & documents, "cut where it needed one more"
    assert [len(docnos) for docnos in kept.values()] == [40, 40, 40]  # 40 + 20 + 40
    checked = check_run(tmp_path / "o.tsv")
    assert checked.bad == 0
    with io.BytesIO() as file:
        assert export_run(conn, "mine", file, layout="simpletext-2022").cut == 120 + 120 + 40 - 120


@pytest.mark.parametrize("docno", ['"x', "a\u2028b", " x", "a\tb"])
def test_a_name_that_a_cell_cannot_carry(conn: psycopg.Connection, tmp_path: Path, docno: str) -> None:
    conn.execute("SELECT stc.stage_incoming()")
    conn.execute("INSERT INTO pg_temp.incoming (query, docno, rel_score) VALUES ('q', %s, 1)", [docno])
    conn.execute("SELECT * FROM stc.import_run('mine')")
    with pytest.raises(BadArgument, match="the name") as error:
        out(conn, "mine", tmp_path / "o.tsv")
    assert "simpletext" in (error.value.hint or "")


PASSAGES = st.text(max_size=12) | st.sampled_from(['"', '"a"', '"a" b "c"', "a\rb", "\u2028", " x ", "\x85", "one\ntwo"])


@pytest.mark.slow
@examples(25)
@given(
    run=st.dictionaries(
        st.sampled_from(["G01.1", "G01.2", "T"]),
        st.dictionaries(st.integers(1, 60).map(str), st.floats(-10, 10), min_size=1, max_size=50),
        min_size=1,
    ),
    passage=PASSAGES.filter(lambda text: not any("\ud800" <= sign <= "\udfff" or sign == "\0" for sign in text)),
)
def test_ranks_and_passages_come_back(
    conn: psycopg.Connection, tmp_path: Path, run: dict[str, dict[str, float]], passage: str
) -> None:
    conn.execute("DELETE FROM st1_runs")
    if conn.execute("SELECT FROM st1_topics").fetchone() is None:
        conn.execute("INSERT INTO st1_topics (topic) VALUES ('G01'), ('T')")
    conn.execute("INSERT INTO stc.st1_queries (query, topic) VALUES ('G01.1', 1), ('G01.2', 1) ON CONFLICT DO NOTHING")
    put(conn, {query: list(rows.items()) for query, rows in run.items()}, tmp_path / "A_task1_x.run")
    conn.execute("UPDATE stc.st1_rankings SET passage = %s", [passage])
    path = tmp_path / "o.tsv"
    out(conn, "A_task1_x", path)
    assert check_run(path).bad == 0
    before = ranking(conn, "A_task1_x")
    list(import_runs(conn, [path], options=ImportOptions(replace=True)))
    assert ranking(conn, "A_task1_x") == before
    stored = {text for (text,) in conn.execute("SELECT passage FROM rankings WHERE run = 'A_task1_x'")}
    [first] = stored
    out(conn, "A_task1_x", path)
    list(import_runs(conn, [path], options=ImportOptions(replace=True)))
    assert {text for (text,) in conn.execute("SELECT passage FROM rankings WHERE run = 'A_task1_x'")} == {first}
