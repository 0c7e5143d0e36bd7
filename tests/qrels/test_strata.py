"""Strata of sampled pools: import and export of five columns, and pools whose judgments become an edition."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import psycopg
import pytest

from stcollection.errors import BadInput, StateError
from stcollection.evaluation.sampled import sampled_scores
from stcollection.qrels.derive import derive
from stcollection.qrels.editions import drop_edition, export_qrels, seal, verify
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.qrels.pools import PoolRules, make_pool
from tests.qrels.conftest import Judge, says
from tests.qrels.pooled import put_documents, put_queries, put_run

SAMPLED = "q 0 d1 1 2\nq 0 d2 1 0\nq 0 d3 deep -1\nq 0 d4 deep 1\nq 0 d5 deep -2\nr 0 d1 1 0\n"
STRATA = """
SELECT q.query, d.docno, s.stratum, s.drawn
  FROM stc_all.qrels_strata s JOIN dblp d ON d.id = s.doc JOIN st1_queries q ON q.id = s.query ORDER BY 1, 2
"""


def exported(conn: psycopg.Connection, edition: str = "mine", **how: str) -> str:
    out = io.BytesIO()
    export_qrels(conn, edition, out, layout="strata", **how)
    return out.getvalue().decode()


def test_five_columns_are_read_and_written(conn: psycopg.Connection, judge: Judge) -> None:
    imported = judge(SAMPLED)
    assert (imported.judgments, imported.added, imported.queries) == (4, 4, 2)
    assert says(conn) == {("q", "d1"): 2, ("q", "d2"): 0, ("q", "d4"): 1, ("r", "d1"): 0}
    assert [row[1:] for row in conn.execute(STRATA).fetchall()][:3] == [("d1", "1", True), ("d2", "1", True), ("d3", "deep", False)]
    assert exported(conn) == SAMPLED.replace("-2", "-1")
    assert exported(conn, queries="r") == "r 0 d1 1 0\n"
    again = judge(SAMPLED)
    assert (again.added, again.unchanged) == (0, 4)
    # A judgment of a document that was not drawn is no part of the sample.
    judge("q 0 d3 2\n", annotator="somebody")
    assert "q 0 d3 deep -1\n" in exported(conn)
    with pytest.raises(StateError, match="this export needs judgments of a sampled pool"):
        exported(conn, "decoy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 0 d1 1 2\nq 0 d1 2 2\n", "line 2|:2: query q, document d1 is in stratum 2 here and in 1 on line 1"),
        ("q 0 d1 1 2\nq 0 d1 1 -1\n", "query q, document d1 is -1 here and 2 on line 1"),
        ("q 0 d1 1 2\nq 0 d2 1\n", "4 columns, not the 5 of the others"),
        ("q 0 d1 1 2\nq 0 d2 1 x\n", "grade"),
        (f"q 0 d1 {'x' * 201} 2\n", "cannot be the name of a stratum"),
    ],
)
def test_a_wrong_file_is_refused_whole(conn: psycopg.Connection, judge: Judge, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        judge(text)
    assert conn.execute(STRATA).fetchall() == []


def test_the_columns_can_be_named_and_a_header_means_nothing(conn: psycopg.Connection, judge: Judge, tmp_path: Path) -> None:
    judge("q x d1 1 2\nq x d2 1 -1\n", columns="query,_,doc,stratum,rel")
    assert exported(conn) == "q 0 d1 1 2\nq 0 d2 1 -1\n"
    # A list of judged documents with strata, without the documents that were not drawn, gives no sizes.
    (tmp_path / "sheet.csv").write_text("query,doc,stratum,rel\nq,d1,1,2\n")
    import_qrels(conn, tmp_path / "sheet.csv", edition="sheet")
    with pytest.raises(StateError, match="'sheet' has no strata"):
        exported(conn, "sheet")


def test_a_file_without_undrawn_documents_is_noted(judge: Judge) -> None:
    notes: list[str] = []
    judge("q 0 d1 1 2\nq 0 d2 2 0\n", warn=notes.append)
    assert ["each stratum counts as judged whole" in note for note in notes] == [True]


def test_an_edition_has_one_sample_of_a_query(conn: psycopg.Connection, judge: Judge) -> None:
    judge(SAMPLED)
    for other in ("q 0 d1 1 2\nq 0 d2 2 0\n", "q 0 d1 1 2\nq 0 d9 1 -1\n", "q 0 d3 deep 1\n"):
        with pytest.raises(BadInput, match="the edition has another sample for query q"):
            judge(other)
    judge("s 0 d1 1 2\ns 0 d3 2 -1\n")
    assert len(conn.execute(STRATA).fetchall()) == 8
    seal(conn, "mine")
    with pytest.raises(StateError, match="sealed"):
        judge("t 0 d1 1 2\n")
    drop_edition(conn, "mine", even_sealed=True)
    assert conn.execute(STRATA).fetchall() == []


def test_documents_are_not_skipped_because_strata_would_shrink(conn: psycopg.Connection, tmp_path: Path) -> None:
    put_documents(conn, {"d1": ("x", None), "d2": ("x", None)})
    (tmp_path / "f.qrels").write_text("q 0 d1 1 2\nq 0 d9 1 -1\n")
    with pytest.raises(BadInput, match="without its 1 unknown document the strata would have wrong sizes"):
        import_qrels(conn, tmp_path / "f.qrels", edition="mine", options=JudgmentOptions(unknown_documents="skip"))


def test_copies_have_the_strata(conn: psycopg.Connection, judge: Judge) -> None:
    judge(SAMPLED)
    conn.execute("SELECT stc.copy_edition('copy', 'mine', NULL)")
    assert exported(conn, "copy") == exported(conn)


def test_a_derived_edition_has_the_strata_of_the_same_sample(conn: psycopg.Connection, judge: Judge) -> None:
    judge(SAMPLED)
    assert derive(conn, "same", ["mine"]).unsampled == 0
    assert exported(conn, "same") == exported(conn)
    queries = sorted({line.split()[0] for line in SAMPLED.splitlines()})
    part = derive(conn, "part", ["mine"], queries=queries[0])
    assert part.unsampled == 0
    assert exported(conn, "part") == "".join(line for line in exported(conn).splitlines(True) if line.startswith(queries[0]))
    judge(SAMPLED, edition="labels", origin="llm")
    judge("q 0 d1 2\nr 0 d1 1\n", edition="labels")  # a person judged one of three drawn documents of q, and the only one of r
    assert derive(conn, "people", ["labels"], origins=["human"]).unsampled == 1
    assert exported(conn, "people") == "r 0 d1 1 1\n"
    derive(conn, "person", ["labels"], origins=["human"], queries="q")
    with pytest.raises(StateError, match="has no strata"):
        exported(conn, "person")


def test_a_seal_covers_the_strata(conn: psycopg.Connection, judge: Judge) -> None:
    judge(SAMPLED)
    sealed = seal(conn, "mine")
    lines = "".join(f"{q} 0 {doc} {rel}\n" for q, _, doc, _, rel in map(str.split, exported(conn).splitlines()) if rel != "-1")
    assert sealed.fingerprint == hashlib.sha256((lines + exported(conn)).encode()).hexdigest()
    [intact] = verify(conn, "mine")
    assert intact.intact
    conn.execute("UPDATE stc_all.qrels_strata SET stratum = 'other' WHERE stratum = 'deep'")
    [changed] = verify(conn, "mine")
    assert not changed.intact


def graded_pool(conn: psycopg.Connection) -> None:
    docs = [f"d{number:02}" for number in range(40)]
    put_documents(conn, {doc: (doc, None) for doc in docs})
    put_queries(conn, {"q1": "x", "q2": "y"})
    put_run(conn, "r", {"q1": docs, "q2": docs[::-1]})
    make_pool(conn, "p", rules=PoolRules(strata="1-10:1.0,11-40:0.2"))
    conn.execute(
        "INSERT INTO stc_all.qrels_assessments (pool, query, doc, annotator, rel)"
        " SELECT d.pool, d.query, d.doc, 'ann', d.best_rank % 2 FROM stc_all.qrels_pool_documents d"
    )


def test_a_pool_gives_its_strata_to_the_edition(conn: psycopg.Connection) -> None:
    graded_pool(conn)
    for _ in range(2):  # submitting again changes nothing
        conn.execute("SELECT stc.submit_pool('p', 'mine')")
    lines = [line.split() for line in exported(conn).splitlines()]
    by_stratum = {("1-10", "-1"): 0, ("11-40", "-1"): 48}  # 6 of 30 are drawn for each of two queries
    for key, number in by_stratum.items():
        assert sum((line[3], line[4]) == key for line in lines) == number
    assert len(lines) == 80
    [row] = sampled_scores(conn, edition="mine", measures="ipw_P@10")
    assert row.value == pytest.approx(0.5)
    assert row.standard_error == 0
    [row] = sampled_scores(conn, edition="mine", measures="ipw_P@40")
    assert 0.3 < row.value < 0.7
    assert (row.standard_error or 0) > 0


def test_a_pool_of_an_earlier_version_gives_no_strata(conn: psycopg.Connection) -> None:
    """Without the documents that were not drawn, the weights do not sum to the number of documents."""
    graded_pool(conn)
    conn.execute("DELETE FROM stc_all.qrels_pool_undrawn")
    conn.execute("SELECT stc.submit_pool('p', 'mine')")
    with pytest.raises(StateError, match="'mine' has no strata"):
        sampled_scores(conn, edition="mine")
