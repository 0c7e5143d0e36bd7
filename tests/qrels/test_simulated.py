"""Simulated judgments and grades are marked where they are stored, and editions made from them inherit the mark."""

from __future__ import annotations

import io

import psycopg
import pytest

from stcollection.complexity.annotations import load_annotations
from stcollection.qrels.derive import derive
from stcollection.qrels.editions import editions, export_qrels, seal
from tests.qrels.conftest import Judge

pytestmark = pytest.mark.slow


def marked(conn: psycopg.Connection) -> set[str]:
    return {one.edition for one in editions(conn) if one.simulated}


def note(conn: psycopg.Connection, *names: str, annotations: bool = False) -> str | None:
    [(told,)] = conn.execute("SELECT stc.simulated_note(%s, %s)", [list(names) if names else None, annotations]).fetchall()
    assert told is None or isinstance(told, str)
    return told


def test_an_edition_is_marked_when_its_judgments_were_made_up(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q1 0 d1 1\n", "real")
    judge("q1 0 d1 1\n", "made-up", simulated=True)
    judge("q1 0 d2 1\n", "made-up")  # another file does not remove the mark
    assert marked(conn) == {"made-up"}
    assert note(conn, "real") is None
    assert note(conn, "real", "made-up", "no such edition") == note(conn) == "Simulated: judgments of the edition made-up."
    judge("q1 0 d3 1\n", "real", simulated=True, annotator="invented")
    assert note(conn) == "Simulated: judgments of the editions made-up, real."


def test_what_is_made_of_a_simulated_edition_is_simulated(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q1 0 d1 1\nq2 0 d1 0\n", "real")
    judge("q1 0 d1 1\nq2 0 d2 1\n", "made-up", simulated=True)
    derive(conn, "both", ["real", "made-up"])
    derive(conn, "again", ["both"])
    derive(conn, "alone", ["real"])
    conn.execute("SELECT * FROM stc.kept_edition('cut', 'made-up')")
    conn.execute(
        "CREATE TEMPORARY TABLE near (query integer, doc bigint, source bigint, rel smallint, similarity real, place integer)"
    )
    for source in ("made-up", "real"):
        conn.execute("SELECT stc.expand_near(stc.edition_key(%s), %s, 10, .8, NULL, 'near')", [source, f"{source}-knn"])
    assert marked(conn) == {"made-up", "both", "again", "cut", "made-up-knn"}


def test_a_sealed_edition_can_be_marked_and_nothing_else_changes(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q1 0 d1 1\n")
    seal(conn, "mine")
    conn.execute("SELECT stc.mark_simulated('mine')")
    assert marked(conn) == {"mine"}
    with pytest.raises(psycopg.Error, match="has been sealed"):
        conn.execute("UPDATE qrels_editions SET simulated = false, year = 2020 WHERE edition = 'mine'")


def test_a_stand_in_for_a_language_model_is_marked(conn: psycopg.Connection) -> None:
    for edition in ("machine", "other"):
        conn.execute("SELECT stc.llm_begin(%s, 'model', 'prompt', 'template')", [edition])
    [(key,)] = conn.execute(
        "SELECT g.id FROM stc_all.llm_judges g JOIN qrels_editions e ON e.id = g.edition WHERE e.edition = 'machine'"
    )
    conn.execute("SELECT stc.mark_simulated('machine', %s)", [key])
    assert conn.execute("SELECT simulated FROM stc_all.llm_judges ORDER BY id").fetchall() == [(True,), (False,)]
    assert marked(conn) == {"machine"}
    for statement, message in (
        ("stc.mark_simulated('other', %s)", "has no judge"),
        ("stc.mark_simulated('none', %s)", "no edition 'none'"),
    ):
        with pytest.raises(psycopg.Error, match=message), conn.transaction():
            conn.execute(f"SELECT {statement}", [key])


def test_invented_annotators_are_marked(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    sheet = "doc_id,annotator,group,complexity\n1,{},students,2\n"
    load_annotations(conn, sheet.format("ada"), source="real.csv")
    assert note(conn, "none", annotations=True) is None
    load_annotations(conn, sheet.format("bob"), source="made-up.csv", simulated=True)
    assert conn.execute("SELECT annotator FROM stc_all.annotators WHERE simulated").fetchall() == [("bob",)]
    assert note(conn, "none", annotations=True) == "Simulated: grades by 1 annotator."
    assert note(conn, "none") is None


@pytest.mark.parametrize(
    ("cell", "simulated"), [("True", True), ("yes", True), ("1", True), ("false", False), ("", False), ("0", False)]
)
def test_a_file_that_says_so_marks_its_edition(conn: psycopg.Connection, judge: Judge, cell: str, simulated: bool) -> None:
    judge(f"query,doc,rel,simulated\nq1,d1,1,false\nq1,d2,1,{cell}\nq1,d3,0,\n")
    assert marked(conn) == ({"mine"} if simulated else set())


def test_an_export_comes_back_marked(conn: psycopg.Connection, judge: Judge) -> None:
    for edition in ("made-up", "real"):
        judge("q1 0 d1 1\nq2 0 d1 0\n", edition, simulated=edition == "made-up")
        out = io.BytesIO()
        export_qrels(conn, edition, out, layout="csv")
        judge(out.getvalue().decode(), f"{edition}-again")
    judge("query,doc,rel,simulated\nq1,d1,1,True\n", "aside", columns="query,doc,rel,_")
    assert marked(conn) == {"made-up", "made-up-again"}
