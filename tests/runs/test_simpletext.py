"""SimpleText's run formats: import, check, and export that passes the official check."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadInput
from stcollection.runs.check import CheckedRun, check_run
from stcollection.runs.export import ExportOptions, export_run
from stcollection.runs.load import ImportedRun, ImportOptions, import_runs
from stcollection.runs.names import run_id, valid_run_id
from tests.groups import runs
from tests.runs.conftest import ranking

pytestmark = pytest.mark.slow

RECORD: dict[str, Any] = {
    "run_id": "ST_task1_x", "manual": 0, "topic_id": "G01", "query_id": "G01.1", "doc_id": 1564531496,
    "rel_score": 0.9, "comb_score": 0.5, "passage": "A CDA is a mobile device.",
}  # fmt: skip


def write(path: Path, *changes: dict[str, Any]) -> Path:
    """Write a submission with one record per change, one per line; None removes a field."""
    records = [
        {name: value for name, value in (RECORD | {"doc_id": place} | change).items() if value is not None}
        for place, change in enumerate(changes, 1)
    ]
    path.write_text("[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n")
    return path


def take(conn: psycopg.Connection, path: Path, **options: Any) -> ImportedRun:
    [imported] = import_runs(conn, [path], options=ImportOptions(**options))
    return imported


def faults(checked: CheckedRun) -> list[tuple[int, str]]:
    return [(fault.line, fault.what) for fault in checked.faults if not fault.note]


def official(records: list[dict[str, Any]]) -> bool:
    """The track's official check, reimplemented from its description."""
    names = [{name.lower() for name in record} for record in records]
    wanted = {"run_id", "manual", "topic_id", "query_id", "doc_id", "passage"}
    splits = [re.split(r"_task_?\d_?", record["run_id"].lower()) for record in records]
    return (
        all(wanted <= name for name in names)
        and all(len(parts) == 2 for parts in splits)
        and all(r["manual"] in (0, 1) for r in records)
    )


def test_a_submission_is_taken_in(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = write(
        tmp_path / "submission.json",
        {"rel_score": 0.2, "manual": 1, "doc_id": "10"},
        {"rel_score": 0.2, "manual": 1, "doc_id": 9, "passage": "tab\tline\nback\\slash \\N", "comb_score": None},
        {"rel_score": 1, "manual": 1, "query_id": "G01.2", "doc_id": 7.0},
    )
    done = take(conn, path)
    assert (done.run, done.counts.queries, done.counts.ranked) == ("ST_task1_x", 2, 3)
    assert ranking(conn, "ST_task1_x") == {"G01.1": ["9", "10"], "G01.2": ["7"]}
    assert conn.execute("SELECT team, tag, manual FROM st1_runs").fetchone() == ("ST", "x", True)
    rows = conn.execute('SELECT docno, rel_score, comb_score, passage FROM rankings ORDER BY docno COLLATE "C"').fetchall()
    assert rows == [
        ("10", 0.2, 0.5, RECORD["passage"]),
        ("7", 1.0, 0.5, RECORD["passage"]),
        ("9", 0.2, None, "tab\tline\nback\\slash \\N"),
    ]
    assert take(conn, path).already


def test_the_format_of_2022(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "ST1_task1_1.csv"
    rows = [
        "run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage", "ST1_task1_1\t0\tG01\tG01.1\t8\tone \"two\" three",
        "ST1_task1_1\t0\tG01\tG01.1\t9\t\"quoted, \"\"twice\"\"\"", "ST1_task1_1\t0\tG01\t0\t7\tof the topic as such", "",
        "ST1_task1_1\t0\tG01\tG01.1\t10\tlast",
    ]  # fmt: skip
    path.write_text("\r\n".join(rows))
    assert faults(check_run(path)) == []
    assert take(conn, path).run == "ST1_task1_1"
    assert ranking(conn, "ST1_task1_1") == {"G01": ["7"], "G01.1": ["8", "9", "10"]}
    got = conn.execute("SELECT docno, rel_score, passage FROM rankings WHERE query = 'G01.1' ORDER BY rank").fetchall()
    assert got == [("8", 1.0, 'one "two" three'), ("9", 1 / 2, 'quoted, "twice"'), ("10", 1 / 3, "last")]

    path.write_text("\n".join([*rows, "ST1_task1_1\t0\tG01\tG01.1\t9\ta second passage"]))
    assert faults(check_run(path)) == []
    done = take(conn, path, replace=True)
    assert (done.counts.ranked, done.counts.duplicates) == (4, 0)
    assert ranking(conn, "ST1_task1_1") == {"G01": ["7"], "G01.1": ["8", "9", "10"]}
    got = conn.execute("SELECT passage FROM rankings WHERE docno = '9'").fetchall()
    assert got == [('quoted, "twice"\na second passage',)]

    path.write_text("\n".join([*rows, "ST1_task1_1\t0\tG01\tG01.1\t10\tlast"]))
    assert faults(check_run(path)) == [(7, "query G01.1 has this passage of document 10 already, on line 6")]
    with pytest.raises(BadInput, match=r"csv:7: query G01\.1 has document 10 already, on line 6"):
        take(conn, path, replace=True)
    assert take(conn, path, replace=True, on_duplicate="first").counts.duplicates == 1


def test_ranks_of_an_earlier_2022_file(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    head = "run_id\tmanual\ttopic_id\tdoc_id\tpassage\trank\n"
    path.write_text(head + "A_task1_r\t0\tG01\t5\tp\t2\nA_task1_r\t0\tG01\t6\tp\t1\n")
    take(conn, path)
    assert ranking(conn, "A_task1_r") == {"G01": ["6", "5"]}
    path.write_text(head + "A_task1_r\t0\tG01\t5\tp\tfirst\n")
    with pytest.raises(BadInput, match=r"run\.tsv:2: the rank 'first'"):
        take(conn, path)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"doc_id": None}, "without doc_id"),
    ({"doc_id": True}, "without doc_id"),
    ({"doc_id": 1.5}, "without doc_id"),
    ({"doc_id": [1]}, "without doc_id"),
    ({"doc_id": "\ud800"}, "without doc_id"),
    ({"doc_id": "é" * 1001}, "without doc_id"),
    ({"passage": ["p"]}, "is not text"),
    ({"query_id": None, "topic_id": None}, "without query_id"),
    ({"rel_score": None}, "rel_score 'None' is not a finite number"),
    ({"rel_score": "high"}, "rel_score 'high'"),
    ({"rel_score": float("nan")}, "rel_score 'nan'"),
    ({"comb_score": float("inf")}, "comb_score 'inf'"),
    ({"manual": 2}, "manual is '2'"),
    ({"run_id": "ST_task1_other"}, "a file contains one run"),
    ({"passage": "\0"}, r"U\+0000"),
    ({"passage": "\udc00"}, "surrogate"),
]


def test_a_bad_record_leaves_nothing(conn: psycopg.Connection, tmp_path: Path) -> None:
    for change, word in BAD:
        path = write(tmp_path / "bad.json", {}, change, {})
        with pytest.raises(BadInput, match=rf"bad\.json:3: .*{word}") as error:
            take(conn, path)
        assert error.value.hint
    assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (0,)


def test_half_an_array(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "half.json", {}, {}, {})
    path.write_text(path.read_text()[:-60])
    with pytest.raises(BadInput, match=r"half\.json:4: "):
        take(conn, path)


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ([{}, {}], []),
        ([{"run_id": "BTU_TASK_1_MANUAL"}], []),
        ([{"run_id": "UBO_Task1run"}], []),
        ([{"run_id": "x_run"}], [2]),
        ([{"run_id": "a_task1_b_task2_c"}], [2]),
        ([{}, {"manual": 2}, {}, {"manual": "yes"}], [3, 5]),
        ([{}, {"passage": None}], [3]),
        ([{}, {"passage": 5}], [3]),
        ([{}, {"comb_score": None}], [3]),
        ([{}, {"rel_score": 1.5}, {"rel_score": -0.1}], [3, 4]),
        ([{"rel_score": "x"}], [2]),
        ([{"doc_id": 1}, {"doc_id": 2}, {"doc_id": "1"}], [4]),
        ([{"query_id": "G02.1"}], [2]),
        ([{"doc_id": None, "manual": 3}], [2, 2]),
        ([{}, {"run_id": "ST_task1_y"}], [3]),
    ],
)
def test_the_check_tells_every_fault_by_its_line(tmp_path: Path, changes: list[dict[str, Any]], lines: list[int]) -> None:
    checked = check_run(write(tmp_path / "run.json", *changes))
    assert [line for line, _ in faults(checked)] == lines
    assert checked.rows == len(changes)


def test_columns_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps([{name.upper(): value for name, value in RECORD.items()}]))
    assert faults(check_run(path)) == []


def test_more_than_a_hundred_documents_in_2022(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    rows = [f"A_task1_r\t0\tG01\tG01.{n % 3}\t{n % 101}\tp" for n in range(102)]
    path.write_text("\n".join(["run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage", *rows[:100], f"{rows[0]} 2"]))
    assert faults(check_run(path)) == []
    path.write_text("\n".join(["run_id\tmanual\ttopic_id\tquery_id\tdoc_id\tpassage", *rows]))
    assert faults(check_run(path)) == [(102, "topic G01 has more than 100 documents")]


def test_the_check_of_trec_files(tmp_path: Path, data: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 1.0 t\nq Q0 b 2 2.0 u\n\nq Q0 c\nq Q0 a 3 1.00000001 t\nq Q0 d 4 nan t\n")
    checked = check_run(path)
    assert [fault.line for fault in checked.faults if not fault.note] == [4, 5, 6]
    assert len([fault for fault in checked.faults if fault.note]) == 3  # two tags, ranks against scores, a tie
    path.write_text("\n")
    assert faults(check_run(path)) == [(0, "the file contains no ranked document")]

    checked = check_run(data / "simpletext/runs/baseline.run")
    assert len(faults(checked)) == 140
    assert any("in 28 queries the ranks are not in the order of the scores" in fault.what for fault in checked.faults)


def test_the_check_against_the_collection(conn: psycopg.Connection, tmp_path: Path) -> None:
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('G01.1', 'x'), ('G01.2', NULL)")
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (1, '1', '{}', false), (2, '2', '{}', true)")
    path = write(tmp_path / "run.json", {}, {}, {"query_id": "G01.2", "doc_id": 1}, {"doc_id": 3})
    assert faults(check_run(path, conn=conn)) == [
        (3, "document 2 is not in the collection"),
        (4, "query G01.2 is not in the collection"),
        (5, "document 3 is not in the collection"),
    ]


def corpus(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('G01')")
    conn.execute(
        "INSERT INTO stc.st1_queries (query, topic, text) VALUES ('G01.1', 1, 'voice assistants -games'), ('x', NULL, 'voice')"
    )
    conn.execute("INSERT INTO dblp (id, docno, doc) SELECT n, n::text, '{}' FROM generate_series(1, 4) n")
    conn.execute(
        "INSERT INTO dblp_text (id, title, abstract) VALUES"
        " (1, 'A title', 'Games, games and games. We ask, e.g. The press, how an assistant hears a voice. It does.'),"
        " (2, 'Only a title on voices', NULL), (3, 'T', 'Nothing fits. At all.'), (4, 'voice assistants', '  ')"
    )


def exported(conn: psycopg.Connection, run: str, path: Path, **options: Any) -> list[dict[str, Any]]:
    with path.open("wb") as file:
        done = export_run(conn, run, file, layout="simpletext", options=ExportOptions(**options))
    records = json.loads(path.read_text())
    assert len(records) == done.ranked
    assert official(records)
    assert faults(check_run(path)) == []
    return list(records)


def test_the_export_by_hand(conn: psycopg.Connection, tmp_path: Path) -> None:
    corpus(conn)
    run = tmp_path / "bm25 v2.run"
    run.write_text(
        "G01.1 Q0 1 1 30 t\nG01.1 Q0 2 2 25 t\nG01.1 Q0 3 3 25 t\nG01.1 Q0 4 4 10 t\nx Q0 nowhere 1 -7 t\nx Q0 1 2 -8 t\n"
    )
    take(conn, run)
    conn.execute("UPDATE stc.st1_rankings SET passage = 'kept' WHERE doc = 3")
    records = exported(conn, "bm25 v2", tmp_path / "out.json", team="us task1 them")
    assert {record["run_id"] for record in records} == {"us_task1_them_task1_bm25_v2".replace("us_task1", "us-task1")}
    got = [
        tuple(record[name] for name in ("topic_id", "query_id", "doc_id", "rel_score", "comb_score", "passage"))
        for record in records
    ]
    assert got == [
        ("G01", "G01.1", 1, 1.0, 1.0, "We ask, e.g. The press, how an assistant hears a voice."),
        ("G01", "G01.1", 3, 0.75, 0.75, "kept"),
        ("G01", "G01.1", 2, 0.75, 0.75, "Only a title on voices"),
        ("G01", "G01.1", 4, 0.0, 0.0, "voice assistants"),
        ("x", "x", "nowhere", 1.0, 1.0, ""),
        ("x", "x", 1, 0.0, 0.0, "We ask, e.g. The press, how an assistant hears a voice."),
    ]
    assert [r["query_id"] for r in exported(conn, "bm25 v2", tmp_path / "one.json", depth=1)] == ["G01.1", "x"]


def test_scores_that_are_in_range_stay(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.json", {"rel_score": 0.25}, {"rel_score": 0.5, "comb_score": 0.125}, {"rel_score": 0.5, "comb_score": None}
    )
    take(conn, path)
    [first, second, third] = exported(conn, "ST_task1_x", tmp_path / "out.json")
    assert [(r["doc_id"], r["rel_score"], r["comb_score"]) for r in (first, second, third)] == [
        (3, 0.5, 0.5),
        (2, 0.5, 0.125),
        (1, 0.25, 0.5),
    ]
    assert first["run_id"] == "ST_task1_x"
    by_comb = exported(conn, "ST_task1_x", tmp_path / "comb.json", score="comb")
    assert [r["doc_id"] for r in by_comb] == [3, 1, 2]


SCORES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([1.0, 1.00000001, 1.0000001, 0.5, 1e30])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    run=st.dictionaries(
        st.sampled_from(["G01.1", "G01.2"]),
        st.dictionaries(st.integers(0, 99).map(str) | st.just("é b"), SCORES, min_size=1),
        min_size=1,
    )
)
def test_an_export_taken_in_again_has_the_same_ranks(
    conn: psycopg.Connection, tmp_path: Path, run: dict[str, dict[str, float]]
) -> None:
    conn.execute("DELETE FROM st1_runs")
    first = tmp_path / "first.json"
    write(
        first,
        *({"run_id": "A_task1_x", "query_id": q, "doc_id": d, "rel_score": s} for q, rows in run.items() for d, s in rows.items()),
    )
    take(conn, first, replace=True)
    before = ranking(conn, "A_task1_x")
    out = tmp_path / "out.json"
    records = exported(conn, "A_task1_x", out)
    assert all(0 <= record["rel_score"] <= 1 for record in records)
    for query, docnos in before.items():
        assert [str(record["doc_id"]) for record in records if record["query_id"] == query] == docnos
    take(conn, out, replace=True)
    assert ranking(conn, "A_task1_x") == before


@given(name=st.text(min_size=1), team=st.text(min_size=1))
def test_every_name_makes_a_valid_run_id(name: str, team: str) -> None:
    assert valid_run_id(run_id(name, team=team))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("bm25", "st_task1_bm25"),
        ("ST_task1_x", "ST_task1_x"),
        ("a_Task_2b_task1_c", "st_task1_a-Task_2b-task1_c"),
        ("a b", "st_task1_a_b"),
    ],
)
def test_run_ids(name: str, told: str) -> None:
    assert run_id(name, team="st") == told


def test_the_check_command(settings_: Settings, tmp_path: Path) -> None:
    good, bad = write(tmp_path / "good.json", {}), write(tmp_path / "bad.json", {"manual": 7})
    done = CliRunner().invoke(runs, ["check", str(good)], obj=settings_)
    assert (done.exit_code, done.stdout) == (0, f"{good}: 1 document ranked (simpletext), no faults\n")
    done = CliRunner().invoke(runs, ["check", str(good), str(bad)], obj=settings_)
    assert isinstance(done.exception, BadInput)
    assert f"{bad}:2: manual is '7', neither 0 nor 1\n" in done.stdout


@pytest.fixture
def settings_(settings: Settings) -> Settings:
    """Return the fixture settings under another name, which hypothesis uses too."""
    return settings
