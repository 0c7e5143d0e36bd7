"""Import of runs: stored rows, and refused lines."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError
from stcollection.runs.check import check_run
from stcollection.runs.load import ImportOptions, import_runs
from tests.groups import runs
from tests.pipes import piped
from tests.runs.conftest import Store, ranking

TWO = "q1 Q0 d1 1 2.0 tag\nq1 Q0 d2 2 1.0 tag\n"


def count(conn: psycopg.Connection, table: str) -> int:
    row = conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
    assert row is not None
    return int(row[0])


READ = [
    TWO,
    TWO.replace("\n", "\r\n"),
    TWO.replace(" ", "\t"),
    "\n# a comment\n" + TWO.replace("\n", " more junk\n\n"),
    "# bm25 k1 = 0.9 b = 0.4\n" + TWO + "  # rm3 k1 = 0.8 b = 0.4\n#a\n##\n# b c d e f g h\n",  # six columns, the fifth a number
    "\ufeff" + TWO.replace("Q0", "1").rstrip(),
    "  " + TWO.replace(" ", "  \t "),
]


def test_what_trec_eval_reads_is_read(conn: psycopg.Connection, store: Store) -> None:
    for text in READ:
        done = store(text, replace=True)
        assert (done.counts.queries, done.counts.ranked) == (1, 2), text
        assert ranking(conn) == {"q1": ["d1", "d2"]}, text
        assert conn.execute("SELECT tag, source, manual FROM st1_runs WHERE run = 'mine'").fetchone() == (
            "tag",
            str(done.path),
            False,
        )


def test_docnos_of_every_kind_come_through(conn: psycopg.Connection, store: Store) -> None:
    docnos = [
        "a\\b",
        "\\N",
        "#1",
        "msmarco_v2.1_doc_50#13_3087841662",
        "é\u2028x",
        "'\"",
        "0",
        "-1",
        "007",
        str(2**63 - 1),
        str(2**63),
    ]
    store("".join(f"q Q0 {docno} 1 1 t\n" for docno in docnos))
    ids: dict[str, int] = dict(conn.execute("SELECT docno, id FROM dblp WHERE stub").fetchall())
    assert sorted(ids) == sorted(docnos)
    assert {docno: ids[docno] for docno in docnos if ids[docno] < 2**40 or docno == str(2**63 - 1)} == {
        "0": 0,
        str(2**63 - 1): 2**63 - 1,
    }


BAD = [
    ("q1 Q0 d9 1 2.0", ("5 columns", "six")),
    ("q1", ("1 column",)),
    ("q1 Q0 d9 1 high t", ("'high'", "not a number")),
    ("q1 Q0 d9 1 nan t", ("'nan'", "finite")),
    ("q1 Q0 d9 1 -inf t", ("'-inf'", "finite")),
    ("q1 Q0 d9 1 1e999 t", ("'1e999'", "finite")),
    ("q1 Q0 d9 1 1_0 t", ("'1_0'",)),
    (f"q1 Q0 {'d' * 2001} 1 1 t", ("2,001 bytes",)),
]


def test_a_bad_line_leaves_nothing(conn: psycopg.Connection, store: Store) -> None:
    for line, words in BAD:
        with pytest.raises(BadInput) as error:
            store(f"{TWO}\n{line}\nq1 Q0 d8 1 1.0 t\n")
        assert "mine.run:4: " in error.value.message
        assert all(word in error.value.message for word in words), error.value.message
        assert error.value.hint
        assert [count(conn, table) for table in ("st1_runs", "st1_rankings", "st1_queries", "dblp")] == [0, 0, 0, 0]
    store(TWO)


def test_bytes_that_are_not_utf8(store: Store) -> None:
    with pytest.raises(BadInput, match=r"mine\.run:2: not UTF-8: byte 0xe9"):
        store(b"q1 Q0 d1 1 1 t\nq1 Q0 caf\xe9 1 1 t\n")


def test_a_line_over_the_edge_of_a_block_keeps_its_number(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.io.streams._PIECE", 7)
    with pytest.raises(BadInput, match=r"mine\.run:4: the score 'x'"):
        store("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 1 2.0 t\n\nq1 Q0 d3 1 x t\n")
    assert store("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 1 2.0 t\n\nq1 Q0 d3 1 3 t").counts.ranked == 3


def test_a_truncated_gz_leaves_nothing(conn: psycopg.Connection, store: Store) -> None:
    whole = gzip.compress(TWO.encode() * 1000)
    with pytest.raises(BadInput, match="truncated"):
        store(whole[: len(whole) // 2])
    assert count(conn, "st1_runs") == 0


def test_an_empty_file(store: Store) -> None:
    with pytest.raises(StateError, match="no ranked document"):
        store("\n")


DOUBLE = "q1 Q0 d1 1 1.0 t\nq1 Q0 d2 2 3.0 t\nq2 Q0 d1 1 1.0 t\nq1 Q0 d1 3 4.0 t\nq1 Q0 d2 4 2.0 t\n"


def test_duplicates_by_each_policy(conn: psycopg.Connection, store: Store) -> None:
    with pytest.raises(BadInput, match=r"mine\.run:4: query q1 has document d1 already, on line 1") as error:
        store(DOUBLE)
    assert "--on-duplicate" in (error.value.hint or "")
    assert count(conn, "st1_runs") == 0
    assert store(DOUBLE, on_duplicate="first").counts.duplicates == 2
    assert ranking(conn) == {"q1": ["d2", "d1"], "q2": ["d1"]}
    assert store(DOUBLE, on_duplicate="best", replace=True).counts.duplicates == 2
    assert ranking(conn) == {"q1": ["d1", "d2"], "q2": ["d1"]}
    with pytest.raises(BadArgument, match="'last' is not a policy"):
        store(DOUBLE, on_duplicate="last", replace=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "duplicates"), [("baseline", 140), ("rr_baseline-old", 142), ("selective", 2), ("selective-old", 0)]
)
def test_the_duplicates_of_the_real_runs(conn: psycopg.Connection, data: Path, run: str, duplicates: int) -> None:
    path = data / f"simpletext/runs/{run}.run"
    first: dict[tuple[str, str], int] = {}
    second = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        query, _, docno = line.split()[:3]
        if first.setdefault((query, docno), number) != number and second is None:
            second = f"{path}:{number}: query {query} has document {docno} already, on line {first[query, docno]}"
    if second is not None:
        with pytest.raises(BadInput) as error:
            list(import_runs(conn, [path]))
        assert error.value.message == second
    [done] = import_runs(conn, [path], options=ImportOptions(on_duplicate="first"))
    assert (done.run, done.counts.duplicates) == (run, duplicates)


def test_what_is_not_in_the_collection(conn: psycopg.Connection, store: Store) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (7, 'd2', '{}')")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'x')")
    text = TWO + "q1 Q0 1564531496 3 0.5 t\nq2 Q0 d2 1 1 t\n"
    with pytest.raises(BadInput, match=r"mine\.run:1: document d1 is not stored"):
        store(text, unknown_documents="error")
    with pytest.raises(BadInput, match=r"mine\.run:4: query q2 is not stored"):
        store(text, unknown_queries="error")
    with pytest.raises(BadArgument, match="'drop' is not a policy"):
        store(text, unknown_queries="drop")
    assert count(conn, "dblp") == 1

    counts = store(text, unknown_documents="skip", unknown_queries="skip").counts
    assert (counts.ranked, counts.skipped_documents, counts.skipped_queries) == (1, 2, 1)
    assert ranking(conn) == {"q1": ["d2"]}

    counts = store(text, replace=True, unknown_documents="stub").counts
    assert (counts.ranked, counts.new_documents, counts.new_queries) == (4, 2, 1)
    assert ranking(conn) == {"q1": ["d1", "d2", "1564531496"], "q2": ["d2"]}
    assert conn.execute("SELECT docno, stub, id = 1564531496 FROM dblp WHERE id <> 7 ORDER BY docno").fetchall() == [
        ("1564531496", True, True),
        ("d1", True, False),
    ]
    assert conn.execute("SELECT query, text FROM st1_queries ORDER BY query").fetchall() == [("q1", "x"), ("q2", None)]


def test_a_number_that_is_the_id_of_another_document(conn: psycopg.Connection, store: Store) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (5, 'five', '{}')")
    store("q Q0 5 1 1 t\n", unknown_documents="stub")
    assert conn.execute("SELECT docno, id = 5 FROM dblp ORDER BY docno").fetchall() == [("5", False), ("five", True)]


def test_a_name_that_is_taken(conn: psycopg.Connection, store: Store) -> None:
    assert not store(TWO).already
    assert store(TWO).already
    with pytest.raises(BadArgument, match="run mine already exists") as error:
        store(TWO + "q1 Q0 d3 3 0 t\n")
    assert "--replace" in (error.value.hint or "")
    assert ranking(conn) == {"q1": ["d1", "d2"]}
    store(TWO + "q1 Q0 d3 3 0 t\n", replace=True)
    assert ranking(conn) == {"q1": ["d1", "d2", "d3"]}
    with pytest.raises(BadInput):
        store("q1 Q0 d3 3\n", replace=True)
    assert ranking(conn) == {"q1": ["d1", "d2", "d3"]}


def test_names_of_files(conn: psycopg.Connection, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("bm25.v2.run.gz", "Fast_ForwardP_2.gz", "results_simple.txt", "plain", ".run")]
    for path in paths:
        path.write_bytes(gzip.compress(TWO.encode()))
    assert [done.run for done in import_runs(conn, paths)] == ["bm25.v2", "Fast_ForwardP_2", "results_simple", "plain", ".run"]
    with pytest.raises(BadArgument, match="one name, 'x', for 2 files"):
        list(import_runs(conn, paths[:2], name="x"))


def test_the_good_files_before_a_bad_one_stay(conn: psycopg.Connection, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.run", tmp_path / "bad.run"
    good.write_text(TWO)
    bad.write_text("q1 Q0 d1\n")
    with pytest.raises(BadInput, match=r"bad\.run:1"):
        list(import_runs(conn, [good, bad]))
    assert ranking(conn, "good") == {"q1": ["d1", "d2"]}


def test_the_table_is_vacuumed_and_analysed(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(f"q{n} Q0 d{m} 1 {m} t\n" for n in range(20) for m in range(100)))
    with psycopg.connect(dsn) as conn:  # not in autocommit mode, unlike commands
        list(import_runs(conn, [path]))
        assert not conn.autocommit
        assert conn.execute(
            "SELECT relallvisible = relpages, reltuples FROM pg_class WHERE oid = 'stc.ranked_lists'::regclass"
        ).fetchone() == (True, 20)
        conn.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        plan = "\n".join(
            row[0]
            for row in conn.execute(
                "EXPLAIN (ANALYZE, COSTS OFF) SELECT doc FROM stc.st1_rankings WHERE run = 1 AND query = 1 AND rank <= 10"
            )
        )
        assert "Index Scan using ranked_lists_" in plan


def test_from_psql(conn: psycopg.Connection) -> None:
    conn.execute("SELECT stc.stage_incoming()")
    conn.execute("INSERT INTO pg_temp.incoming (query, docno, rel_score) VALUES ('q', 'a', 1), ('q', 'b', 2)")
    row = conn.execute("SELECT queries, ranked FROM stc.import_run('mine')").fetchone()
    assert row == (1, 2)
    assert ranking(conn) == {"q": ["b", "a"]}
    conn.execute("SELECT stc.stage_incoming()")
    conn.execute("INSERT INTO pg_temp.incoming (query, docno, rel_score) VALUES ('q', 'a', 1), ('q', 'b', 'NaN')")
    with pytest.raises(psycopg.Error, match="incoming:2: the score NaN") as error:
        conn.execute("SELECT * FROM stc.import_run('other')")
    assert error.value.sqlstate == "IR301"


@pytest.mark.slow
def test_the_commands(settings: Settings, conn: psycopg.Connection, data: Path, tmp_path: Path) -> None:
    def stc(*arguments: str) -> str:
        return CliRunner().invoke(runs, list(arguments), obj=settings, catch_exceptions=False).stdout

    path = data / "simpletext/runs/baseline.run"
    told = stc("import", str(path), "--on-duplicate", "first", "--team", "us", "--family", "sparse")
    assert (
        "17,460 documents ranked for 176 queries; 140 duplicates dropped; 176 queries not in the collection, stored as stubs"
        in told
    )
    assert "nothing changed" in stc("import", str(path), "--on-duplicate", "first")
    assert "baseline" in stc("list")
    assert '"ranked": 17460' in stc("list", "--format", "json")
    out = tmp_path / "out.run"
    assert "17,460" in stc("export", "baseline", "--out", str(out))
    assert stc("export", "baseline") == out.read_text()
    assert len(stc("export", "baseline", "--depth", "10").splitlines()) == 1760
    assert "\nremoved baseline\n" in stc("drop", "baseline", "--yes")
    assert count(conn, "st1_rankings") == 0


def test_a_query_whose_name_begins_with_a_number_sign(conn: psycopg.Connection, tmp_path: Path) -> None:
    """Check and import agree with trec_eval, which skips the line, but they report it."""
    path = tmp_path / "mine.run"
    path.write_text("# made by hand\n#q1 Q0 d9 1 3.0 t\n" + TWO)
    warnings: list[str] = []
    [done] = import_runs(conn, [path], warn=warnings.append)
    assert (done.counts.ranked, ranking(conn)) == (2, {"q1": ["d1", "d2"]})
    assert [one.partition(". ")[0] for one in warnings] == [f"{path}: 1 comment (line 2) could be read as rows"]
    checked = check_run(path)
    assert (checked.rows, checked.bad) == (2, False)
    assert any(fault.what.startswith("1 comment (line 2)") for fault in checked.faults)


def test_a_run_comes_from_standard_input(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TWO.encode()))))
    with pytest.raises(BadArgument, match="from standard input has no name") as error:
        list(import_runs(conn, [Path("-")]))
    assert "--name" in (error.value.hint or "")
    [done] = import_runs(conn, [Path("-")], name="mine")
    assert done.counts.ranked == 2
    assert ranking(conn) == {"q1": ["d1", "d2"]}
    assert conn.execute("SELECT source FROM st1_runs").fetchone() == ("-",)


def test_a_run_comes_from_a_pipe(conn: psycopg.Connection) -> None:
    with piped(gzip.compress(TWO.encode())) as path:
        with pytest.raises(BadArgument, match=f"from {path} has no name"):
            list(import_runs(conn, [path]))
        assert (check_run(path).rows, check_run(path).faults) == (2, [])
        [done] = import_runs(conn, [path], name="mine")
    assert done.counts.ranked == 2
    assert conn.execute("SELECT source FROM st1_runs").fetchone() == ("-",)
