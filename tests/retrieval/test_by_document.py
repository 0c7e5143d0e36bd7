"""Passages counted for their documents: runs by the best passage, judgments by the highest grade."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import ir_measures
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stcollection.api.collection import Collection
from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StcError
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import score
from stcollection.qrels.derive import derive
from stcollection.qrels.load import import_qrels
from stcollection.retrieval.fuse import fuse
from stcollection.runs.load import ImportOptions, import_run
from stcollection.topics.excluded import exclude
from tests.examples import examples

pytestmark = pytest.mark.slow
MEASURES = ["nDCG@3", "AP", "RR", "P@2", "R@5"]
Table = Mapping[str, Mapping[str, float]]
SCORES: Table = {
    "q1": {"b#1": 9.0, "a#0": 8.0, "a#10": 8.5, "c": 8.5, "b#2": 1.0, "x#y#3": 0.5},
    "q2": {"a#2": 2.0, "a#1": 2.0, "b#0": 2.0},
}
GRADES: Table = {"q1": {"a#0": 0, "a#1": 2, "b#7": -1, "b#1": 1, "c": 1, "x#y#3": 1}, "q2": {"a#2": 0, "b#3": 1}}


def store(conn: psycopg.Connection, folder: Path, scores: Table, grades: Table) -> None:
    run, qrels = folder / "p.run", folder / "p.qrels"
    run.write_text("".join(f"{query} Q0 {docno} 0 {value} t\n" for query, of in scores.items() for docno, value in of.items()))
    qrels.write_text("".join(f"{query} 0 {docno} {rel}\n" for query, of in grades.items() for docno, rel in of.items()))
    import_run(conn, run, name="passages", options=ImportOptions())
    import_qrels(conn, qrels, edition="passages")


def collapsed(table: Table) -> dict[str, dict[str, float]]:
    """Return the largest value of each document, as scripts do it with files."""
    made: dict[str, dict[str, float]] = {}
    for query, values in table.items():
        for docno, value in values.items():
            document = docno.rsplit("#", 1)[0]
            kept = made.setdefault(query, {})
            kept[document] = max(value, kept.get(document, value))
    return made


def ranking(conn: psycopg.Connection, name: str) -> list[tuple[object, ...]]:
    return conn.execute("SELECT query, docno, rank, score FROM rankings WHERE run = %s ORDER BY query, rank", [name]).fetchall()


def test_by_hand_and_by_command(conn: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    store(conn, tmp_path, SCORES, GRADES)
    invoke = CliRunner().invoke
    done = invoke(stc, ["fuse", "passages", "--by-document", "#", "--name", "docs"], obj=settings, catch_exceptions=False)
    assert done.stdout == "docs: 6 documents for 2 queries\n"
    assert "1 of them is no passage: kept as documents" in done.stderr
    assert ranking(conn, "docs") == [
        ("q1", "b", 1, 9.0),
        ("q1", "c", 2, 8.5),
        ("q1", "a", 3, 8.5),
        ("q1", "x#y", 4, 0.5),
        ("q2", "b", 1, 2.0),
        ("q2", "a", 2, 2.0),
    ]
    done = invoke(stc, ["publish", "derive", "docs", "passages", "--by-document", "#"], obj=settings, catch_exceptions=False)
    assert done.stdout == "docs: 6 judgments on 2 queries from passages\n"
    assert "1 judgment is of whole documents" in done.stderr
    judged = conn.execute("SELECT query, docno, rel FROM judgments WHERE edition = 'docs' ORDER BY 1, 2").fetchall()
    assert judged == [("q1", "a", 2), ("q1", "b", 1), ("q1", "c", 1), ("q1", "x#y", 1), ("q2", "a", 0), ("q2", "b", 1)]
    [(params, note)] = conn.execute(
        "SELECT params ->> 'delimiter', (SELECT path FROM qrels_files f JOIN qrels_editions e ON e.id = f.edition"
        " WHERE e.edition = 'docs') FROM st1_runs WHERE run = 'docs'"
    ).fetchall()
    assert (params, note) == ("#", "edition:passages")
    again = Collection(settings).fuse("docs", ["passages"], by_document="#", replace=True, depth=1)
    assert (again.queries, again.ranked, again.whole) == (2, 2, 0)


lists = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(
        st.builds("{}#{}".format, st.sampled_from("abcd"), st.integers(0, 12)),
        st.integers(0, 3).map(float),
        min_size=1,
        max_size=12,
    ),
    min_size=1,
)


@examples(15)
@given(scores=lists, grades=lists)
def test_scores_are_those_of_ir_measures_on_collapsed_files(
    conn: psycopg.Connection, tmp_path_factory: pytest.TempPathFactory, scores: Table, grades: Table
) -> None:
    with conn.transaction(force_rollback=True):
        store(conn, tmp_path_factory.mktemp("files"), scores, {q: {d: int(v) for d, v in of.items()} for q, of in grades.items()})
        fuse(conn, name="docs", runs=["passages"], by_document="#")
        derive(conn, "docs", ["passages"], by_document="#")
        ours = score(conn, runs=["docs"], edition="docs", measures=[parse_measure(name) for name in MEASURES])
        judged = {query: {docno: int(rel) for docno, rel in of.items()} for query, of in collapsed(grades).items()}
        theirs = ir_measures.iter_calc([ir_measures.parse_measure(name) for name in MEASURES], judged, collapsed(scores))
        expected = {(row.query_id, str(row.measure)): row.value for row in theirs}
        assert {(row.query, str(row.measure)): row.value for row in ours} == pytest.approx(expected, abs=1e-9)


def test_excluded_documents_stay_out(conn: psycopg.Connection, tmp_path: Path) -> None:
    store(conn, tmp_path, SCORES, GRADES)
    fuse(conn, name="docs", runs=["passages"], by_document="#")
    exclude(conn, [("q1", "b", "x:1")])
    fuse(conn, name="later", runs=["passages"], by_document="#")
    assert ranking(conn, "docs") == ranking(conn, "later")
    assert [row[1] for row in ranking(conn, "later") if row[0] == "q1"] == ["c", "a", "x#y"]


@pytest.mark.parametrize(
    ("scores", "delimiter", "message"),
    [
        (SCORES, "_p", "no docno contains '_p', the first is '"),
        (SCORES, "", "no docno contains ''"),
        ({"q1": {"#3": 1.0, "a#1": 2.0}}, "#", "the passage '#3' has no document before '#'"),
    ],
)
def test_what_is_no_passage(conn: psycopg.Connection, tmp_path: Path, scores: Table, delimiter: str, message: str) -> None:
    store(conn, tmp_path, scores, {query: dict.fromkeys(of, 1) for query, of in scores.items()})
    for make in (
        lambda: fuse(conn, name="docs", runs=["passages"], by_document=delimiter),
        lambda: derive(conn, "docs", ["passages"], by_document=delimiter),
    ):
        with pytest.raises(StcError) as refused:
            make()
        assert refused.value.message.startswith(message)
    assert conn.execute("SELECT count(*) FROM st1_runs").fetchone() == (1,)


def test_one_source_and_nothing_else(conn: psycopg.Connection, tmp_path: Path) -> None:
    store(conn, tmp_path, SCORES, GRADES)
    with pytest.raises(BadArgument, match="by-document '#' cannot be combined with 2 sources"):
        fuse(conn, name="docs", runs=["passages", "other"], by_document="#")
    with pytest.raises(BadArgument, match="with other options that change scores or grades"):
        derive(conn, "docs", ["passages"], by_document="#", rule="max")
