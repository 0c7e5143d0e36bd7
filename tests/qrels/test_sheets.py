"""Sheets for assessors: division, export, import, submission."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.qrels.pools import PoolRules, drop_pool, make_pool, set_scale, share_pool
from stcollection.qrels.sheets import (
    COLUMNS,
    BadSheet,
    Filled,
    export_sheet,
    guarded,
    import_sheet,
    plain,
    read_sheet,
    submit_pool,
    unguarded,
)
from tests.acceptance.conftest import runner
from tests.qrels.conftest import says
from tests.qrels.pooled import POOLED, put_documents, put_queries, put_run, world

pytestmark = pytest.mark.slow

Row = dict[str, str]
HOSTILE = '=HYPERLINK("http://evil.example","click")\x1b[2J\x07\u202e, said \'she\'\r\nand "he"'


def exported(conn: psycopg.Connection, annotator: str = "anna", pool: str = "p") -> list[Row]:
    out = io.BytesIO()
    count = export_sheet(conn, pool, out, annotator=annotator)
    rows = list(csv.DictReader(io.StringIO(out.getvalue().decode("utf-8-sig"), newline="")))
    assert len(rows) == count
    return rows


def returned(tmp_path: Path, rows: list[Row], delimiter: str = ",", encoding: str = "utf-8") -> Path:
    path = tmp_path / "back.csv"
    with path.open("w", newline="", encoding=encoding) as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
    return path


def grades(conn: psycopg.Connection) -> dict[tuple[str, str, str], tuple[int | None, str | None]]:
    rows = conn.execute(
        "SELECT a.annotator, q.query, d.docno, a.rel, a.note FROM stc_all.qrels_assessments a JOIN st1_queries q ON q.id = a.query"
        "  JOIN dblp d ON d.id = a.doc"
    ).fetchall()
    return {row[:3]: row[3:] for row in rows}


@pytest.fixture
def pool(conn: psycopg.Connection) -> None:
    world(conn)
    make_pool(conn, "p", runs=POOLED, rules=PoolRules(depth=3))
    make_pool(conn, "decoy", runs=["decoy"])


@pytest.mark.usefixtures("pool")
def test_a_sheet_is_blind_and_in_an_order_of_the_annotators_own(conn: psycopg.Connection) -> None:
    rows = exported(conn)
    assert list(rows[0]) == list(COLUMNS)
    assert rows == exported(conn)
    others = exported(conn, "ben")
    assert {(row["query"], row["doc"]) for row in rows} == {(row["query"], row["doc"]) for row in others}
    assert [row["token"] for row in rows] != [row["token"] for row in others]
    queries = [row["query"] for row in rows]
    assert len(list(itertools.groupby(queries))) == len(set(queries))  # query by query
    assert not any(word in " ".join(rows[0]) for word in ("rank", "run", "score", "team"))
    assert rows[0]["title"] == f"Title of {rows[0]['doc']}"
    assert rows[0]["topic_text"] == "A topic"


@pytest.mark.usefixtures("pool")
def test_the_article_is_in_the_first_row_of_each_query(conn: psycopg.Connection, tmp_path: Path) -> None:
    conn.execute(
        "UPDATE st1_topics SET article = E'=One.\\n\\nTwo.', source = 'The Gazette', published = '2019-05-22', url = 'http://a'"
    )
    rows = exported(conn)
    for _, query in itertools.groupby(rows, key=lambda row: row["query"]):
        cells = [(row["article"], row["article_origin"]) for row in query]
        assert cells == [("'=One. Two.", "The Gazette, 2019-05-22, http://a"), *[("", "")] * (len(cells) - 1)]
    rows[0]["grade"], rows[1]["grade"] = "2", "1"
    assert import_sheet(conn, "p", returned(tmp_path, rows), annotator="anna").graded == 2
    out = io.BytesIO()
    export_sheet(conn, "p", out, annotator="anna", layout="jsonl")
    assert json.loads(out.getvalue().split(b"\n")[0])["article"] == "=One. Two."
    conn.execute("UPDATE st1_topics SET article = repeat('word ', 10000)")
    cell = exported(conn)[0]["article"]
    assert len(cell) <= 32_000
    assert cell.endswith("word…")


@pytest.mark.usefixtures("pool")
def test_a_long_text_of_the_topic_is_its_article(conn: psycopg.Connection) -> None:
    assert exported(conn)[0]["article"] == ""
    conn.execute("UPDATE st1_topics SET text = repeat('A long story. ', 30)")
    assert exported(conn)[0]["article"].startswith("A long story. A")
    conn.execute("UPDATE st1_topics SET text = 'A short story.', title = 'Stories'")
    assert exported(conn)[0]["article"] == "A short story."


def test_the_sheet_is_shared_evenly_and_the_overlap_goes_to_pairs(conn: psycopg.Connection) -> None:
    docs = [f"d{number:03}" for number in range(40)]
    put_documents(conn, {doc: (doc, None) for doc in docs})
    put_queries(conn, {f"q{number}": "x" for number in range(5)})
    put_run(conn, "r", {f"q{number}": docs for number in range(5)})
    make_pool(conn, "p", rules=PoolRules(depth=40))
    for people, overlap in (
        (["a"], "0"),
        (["a", "b"], "0.2"),
        (["a", "b", "c"], "0.33"),
        (["a", "b", "c", "d"], "1"),
        (["b", "a"], "0"),
    ):
        share_pool(conn, "p", annotators=people, overlap=Decimal(overlap))
        tokens = {one: {row["token"] for row in exported(conn, one)} for one in people}
        counts = Counter(token for one in people for token in tokens[one])
        assert len(counts) == 200
        assert sum(count == 2 for count in counts.values()) == int(200 * Decimal(overlap))
        assert max(counts.values()) <= 2
        sizes = [len(tokens[one]) for one in people]
        assert max(sizes) - min(sizes) <= 2
        pairs = [len(tokens[one] & tokens[other]) for one, other in itertools.combinations(people, 2)]
        assert not pairs or max(pairs) - min(pairs) <= len(people)
    with pytest.raises(BadArgument, match=r"'p' is not shared with 'zoe'") as error:
        exported(conn, "zoe")
    assert error.value.hint == "Its annotators are b, a."
    for bad, overlap in (([], "0"), (["a", "a"], "0"), ([" "], "0")):
        with pytest.raises(BadArgument, match="is not a list of annotators"):
            share_pool(conn, "p", annotators=bad, overlap=Decimal(overlap))
    for people, overlap in ((["a"], "0.1"), (["a", "b"], "1.1"), (["a", "b"], "-0.1"), (["a", "b"], "NaN")):
        with pytest.raises(BadArgument, match="an overlap of"):
            share_pool(conn, "p", annotators=people, overlap=Decimal(overlap))


@pytest.mark.usefixtures("pool")
def test_grades_come_back_blank_is_not_judged_yet_and_again_changes_nothing(conn: psycopg.Connection, tmp_path: Path) -> None:
    rows = exported(conn)
    rows[0]["grade"], rows[1]["grade"], rows[1]["note"], rows[2]["note"] = "2", "0", "=off topic", "-unsure"
    path = returned(tmp_path, rows)
    assert import_sheet(conn, "p", path, annotator="anna") == Filled(graded=2, regraded=0, unchanged=0, blank=len(rows) - 2)
    stored = grades(conn)
    assert stored == {
        ("anna", rows[0]["query"], rows[0]["doc"]): (2, None),
        ("anna", rows[1]["query"], rows[1]["doc"]): (0, "=off topic"),
        ("anna", rows[2]["query"], rows[2]["doc"]): (None, "-unsure"),
    }
    assert import_sheet(conn, "p", path, annotator="anna") == Filled(graded=0, regraded=0, unchanged=2, blank=len(rows) - 2)
    again = exported(conn)
    assert again[1]["note"] == "'=off topic"  # guarded on export, so it is imported unchanged
    again[0]["grade"], again[1]["grade"] = "1.0", ""
    assert import_sheet(conn, "p", returned(tmp_path, again), annotator="anna").regraded == 1
    assert grades(conn) == {**stored, ("anna", rows[0]["query"], rows[0]["doc"]): (1, None)}


@pytest.mark.usefixtures("pool")
def test_what_a_spreadsheet_does_to_a_sheet_does_no_harm(conn: psycopg.Connection, tmp_path: Path) -> None:
    """Reordered rows, mangled ids, dropped columns, semicolons, a byte order mark, blank lines at the end."""
    rows = [
        {"grade": "1", "token": row["token"], "query": "1.10", "doc": "1.23E+15", "title": "x\ny", "note": ""}
        for row in reversed(exported(conn))
    ]
    path = returned(tmp_path, rows, delimiter=";", encoding="utf-8-sig")
    with path.open("a") as file:
        file.write(";;;;;\n\n")
    assert import_sheet(conn, "p", path, annotator="anna").graded == len(rows)
    out = io.BytesIO()
    export_sheet(conn, "p", out, annotator="ben", layout="jsonl")
    lines = [json.loads(line) for line in out.getvalue().decode().splitlines()]
    for line in lines:
        assert line["grade"] is None
        line["grade"] = 2
    (tmp_path / "ben.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert import_sheet(conn, "p", tmp_path / "ben.jsonl", annotator="ben").graded == len(lines)


@pytest.mark.usefixtures("pool")
def test_every_fault_is_told_by_its_line_and_nothing_is_stored(conn: psycopg.Connection, tmp_path: Path) -> None:
    rows = exported(conn)
    for row, grade in zip(rows, ["2", "3", "x", "1", "-1"], strict=False):
        row["grade"] = grade
    rows[3]["title"] = "over\ntwo lines"
    stranger = exported(conn, pool="decoy")[0] | {"grade": "1"}
    path = returned(tmp_path, [*rows[:5], rows[0], stranger])
    with path.open("a") as file:
        file.write("a,b\n")
    with pytest.raises(BadSheet) as error:
        import_sheet(conn, "p", path, annotator="anna")
    assert [fault.line for fault in error.value.faults] == [3, 4, 7, 8, 9, 10]
    told = [fault.what for fault in error.value.faults]
    for got, wanted in zip(
        told,
        [
            "3 is not a grade of the pool (0, 1, 2)",
            "'x' is not a grade",
            "'-1' is not a grade",
            "is already on line 2",
            "is not a document on the sheet of anna",
            f"2 columns, not the {len(COLUMNS)}",
        ],
        strict=True,
    ):
        assert wanted in got
    assert error.value.message.startswith(f"{path}:3: 3 is not a grade") and "5 more faults" in error.value.message  # noqa: PT018
    assert grades(conn) == {}
    share_pool(conn, "p", annotators=["anna", "ben"])
    path = returned(tmp_path, [exported(conn)[0] | {"grade": "1"}])
    with pytest.raises(BadSheet, match="is not a document on the sheet of ben"):
        import_sheet(conn, "p", path, annotator="ben")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty"),
        (b"query,doc\nq,d\n", "columns token and grade"),
        (b"\xff\xfe", "not UTF-8"),
        (b"a\0b", r"U\+0000"),
    ],
)
@pytest.mark.usefixtures("pool")
def test_what_is_no_sheet(conn: psycopg.Connection, tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "no.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=what):
        import_sheet(conn, "p", path, annotator="anna")


def test_lines_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_text('{"token": "k1", "grade": 1}\n{"token": \n[1]\n{"token": "", "grade": 1}\n{"token": "k2", "grade": null}\n')
    lines, faults = read_sheet(path)
    assert [(line.token, line.rel) for line in lines] == [("k1", 1), ("k2", None)]
    assert [fault.line for fault in faults] == [2, 3, 4]


def test_what_would_be_a_formula_is_guarded_and_nothing_is_obeyed(conn: psycopg.Connection, tmp_path: Path) -> None:
    put_documents(conn, {"-7": (HOSTILE, "+1 \x9b31m\u2066"), "'=1": ("@SUM(A1)", "\tx"), "c": (None, None)})
    put_queries(conn, {"1.10": "=+women +computer -games"}, topic="=T", topic_text="-x")
    put_run(conn, "r", {"1.10": ["-7", "'=1", "c"]})
    make_pool(conn, "p")
    rows = exported(conn)
    for row in rows:
        for cell in row.values():
            assert not cell.startswith(tuple("=+-@\t\r\n"))
            assert not any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 or sign in "\u202e\u2066" for sign in cell)
        assert row["query_text"] == "'=+women +computer -games"
    by_doc = {unguarded(row["doc"]): row for row in rows}
    assert by_doc.keys() == {"-7", "'=1", "c"}
    assert (
        unguarded(by_doc["-7"]["title"])
        == plain(HOSTILE)
        == ('=HYPERLINK("http://evil.example","click") [2J , said \'she\' and "he"')
    )
    assert import_sheet(conn, "p", returned(tmp_path, [row | {"grade": "1"} for row in rows]), annotator="anna").graded == 3


@given(st.text())
def test_a_guard_comes_off_as_it_went_on(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell


@pytest.mark.usefixtures("pool")
def test_submitted_grades_are_judgments_once_and_stay(conn: psycopg.Connection, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="has no grade to submit"):
        submit_pool(conn, "p", edition="2025")
    for annotator, grade in (("anna", "2"), ("ben", "1")):
        rows = exported(conn, annotator)
        for row in rows[:-1]:
            row["grade"], row["note"] = grade, "so it is"
        import_sheet(conn, "p", returned(tmp_path, rows), annotator=annotator)
    count = len(rows) - 1
    done = submit_pool(conn, "p", edition="2025", annotators=["anna"])
    assert (done.judgments, done.added, done.unchanged, done.left_open) == (count, count, 0, 1)
    assert submit_pool(conn, "p", edition="2025", annotators=["anna"]).added == 0
    assert set(says(conn, "2025").values()) == {2}
    done = submit_pool(conn, "p", edition="2025")
    assert (done.added, done.unchanged, done.left_open) == (count, count, 2)
    stored = conn.execute("SELECT DISTINCT origin, annotator, rel, note FROM qrels_judgments ORDER BY annotator").fetchall()
    assert stored == [("human", "anna", 2, "so it is"), ("human", "ben", 1, "so it is")]

    rows = exported(conn, "ben")
    next(row for row in rows if row["grade"])["grade"] = "0"
    with pytest.raises(BadSheet, match="was submitted as 1 and can no longer be changed"):
        import_sheet(conn, "p", returned(tmp_path, rows), annotator="ben")
    assert drop_pool(conn, "p") > 0  # what was submitted stays
    assert len(says(conn, "2025")) >= count


@pytest.mark.usefixtures("pool")
def test_a_conflict_with_what_is_stored_is_named_and_nothing_is_submitted(conn: psycopg.Connection, tmp_path: Path) -> None:
    rows = [row | {"grade": "2"} for row in exported(conn)]
    import_sheet(conn, "p", returned(tmp_path, rows), annotator="anna")
    first = min((row["query"], row["doc"]) for row in rows)
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('2025')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator) SELECT e.id, q.id, d.id, 0, 'anna'"
        "  FROM qrels_editions e, st1_queries q, dblp d WHERE q.query = %s AND d.docno = %s",
        first,
    )
    with pytest.raises(
        BadInput,
        match=f"1 judgment differs from those in '2025': query {first[0]}, document {first[1]} is 2 by anna here and 0 there",
    ):
        submit_pool(conn, "p", edition="2025")
    assert len(says(conn, "2025")) == 1
    assert conn.execute("SELECT count(submitted) FROM stc_all.qrels_assessments").fetchone() == (0,)
    assert conn.execute("SELECT * FROM pool_conflicts('p', '2025')").fetchall() == [(*first, "anna", 2, 0)]
    assert submit_pool(conn, "p", edition="2026").added == len(rows)


@pytest.mark.usefixtures("pool")
def test_what_would_lose_grades_is_refused(conn: psycopg.Connection, tmp_path: Path) -> None:
    rows = [row | {"grade": "2"} for row in exported(conn)]
    import_sheet(conn, "p", returned(tmp_path, rows), annotator="anna")
    with pytest.raises(BadArgument, match=r"pool 'p' has .* never submitted"):
        drop_pool(conn, "p")
    with pytest.raises(BadArgument, match="anna has given the grade 2, which the scale lacks"):
        set_scale(conn, "p", {"0": "no", "1": "yes"})
    set_scale(conn, "p", {"0": "no", "1": "yes", "2": "very", "3": "perfect"})
    with pytest.raises(BadArgument, match="is already being assessed"):
        share_pool(conn, "p", annotators=["anna", "ben"])
    for call in (
        lambda: exported(conn, pool="q"),
        lambda: submit_pool(conn, "q", edition="e"),
        lambda: import_sheet(conn, "q", returned(tmp_path, rows), annotator="anna"),
    ):
        with pytest.raises(UnknownObject, match="there is no pool 'q'"):
            call()
    with pytest.raises(BadArgument, match="'ben' has judged nothing"):
        submit_pool(conn, "p", edition="e", annotators=["ben"])
    assert drop_pool(conn, "p", drafts=True) == len(rows)


@pytest.mark.usefixtures("pool")
def test_the_commands_from_a_pool_to_an_edition(settings: Settings, conn: psycopg.Connection, tmp_path: Path) -> None:
    stc = runner(settings)
    refused = stc("qrels", "pool", "make", "mine", *POOLED, "--exclude", "none")
    assert (refused.returncode, "there is no edition 'none'" in refused.stderr) == (2, True)
    assert "9 documents for 2 queries" in stc("qrels", "pool", "make", "mine", *POOLED, "--depth", "2").stdout
    done = stc("qrels", "pool", "export", "mine", "--annotators", "anna,b/n", "--overlap", "0.5", "--out", tmp_path / "sheets")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "sheets").iterdir()) == ["anna.csv", "b_n.csv"]
    path = tmp_path / "sheets" / "anna.csv"
    rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    for grade in ("7", "1"):
        path = returned(tmp_path, [row | {"grade": grade} for row in rows])
        done = stc("qrels", "pool", "import", "mine", path, "--annotator", "anna")
        assert done.returncode == (3 if grade == "7" else 0)
        if grade == "7":
            faults = [line for line in done.stderr.splitlines() if f"{path}:" in line]
            assert len(faults) == len(rows)
    assert f"{len(rows)} new grades by anna; 0 not judged yet" in done.stdout
    assert f"2025: {len(rows)} judgments added" in stc("qrels", "pool", "submit", "mine", "--edition", "2025").stdout
    for by, column in (("runs", "unique relevant"), ("queries", "judged"), ("teams", "(free)"), ("depth", "relevant")):
        shown = stc("qrels", "pool", "show", "mine", "--by", by, "--edition", "2025", "--format", "json")
        assert column in json.loads(shown.stdout)[0], shown.stderr
    every = [row["query"] for row in json.loads(stc("qrels", "pool", "show", "mine", "--by", "queries", "--format", "json").stdout)]
    assert len(every) == 2
    of_set = stc("qrels", "pool", "show", "mine", "--by", "queries", "--queries", f"all-{every[0]}", "--format", "json")
    assert [row["query"] for row in json.loads(of_set.stdout)] == every[1:], of_set.stderr
    unknown = stc("qrels", "pool", "show", "mine", "--by", "queries", "--queries", "nothing")
    assert (unknown.returncode, "nothing" in unknown.stderr) == (2, True)
    refused = stc("qrels", "pool", "show", "mine", "--queries", every[0])
    assert (refused.returncode, "Add --by queries" in refused.stderr) == (2, True)
    listed = json.loads(stc("qrels", "pool", "list", "--format", "json").stdout)
    assert {one["pool"]: one["submitted"] for one in listed}["mine"] == len(rows)
    assert "mine" in stc("qrels", "pool", "list").stdout
    assert stc("qrels", "pool", "drop", "mine", "--yes").returncode == 0
