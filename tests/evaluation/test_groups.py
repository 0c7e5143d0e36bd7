"""Judgment groups equal trec_eval's output, and a plain computation of the definitions."""

from __future__ import annotations

import math
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.evaluation.preferences import GROUPS, score_judgments, trec_eval_lines
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.load import ImportOptions, import_run
from tests.evaluation.conftest import Run, StoreRun, ranked
from tests.examples import examples


@pytest.mark.slow
@pytest.mark.parametrize("qrels", ["qrels.123", "qrels.comments.123"])
def test_equal_to_trec_eval_output(conn: psycopg.Connection, data: Path, qrels: str) -> None:
    files = data / "trec_eval"
    import_run(conn, files / "results.test", name="run", options=ImportOptions())
    import_qrels(conn, files / qrels, edition="groups", options=JudgmentOptions(columns="query,annotator,doc,rel"))
    import_qrels(conn, files / "qrels.test", edition="another", options=JudgmentOptions(annotator="0"))
    found = score_judgments(conn, run="run", edition="groups", judgments="qrels_jg")
    assert [*trec_eval_lines(found)] == (files / "out.test.qrels_jg").read_text().splitlines()


def expected(docs: list[str], judged: dict[str, dict[str, int]], cutoffs: list[int], multiples: list[float]) -> dict[str, float]:
    """Compute the measures of one query by definition. :param docs: in the order of the run. :param judged: by annotator."""
    values = dict.fromkeys(
        ["map_avgjg", *(f"P_avgjg_{k}" for k in cutoffs), *(f"Rprec_mult_avgjg_{m:.2f}" for m in multiples)], 0.0
    )
    for by_doc in judged.values():
        gains = [by_doc.get(doc, 0) > 0 for doc in docs]
        relevant = sum(rel > 0 for rel in by_doc.values())
        if relevant:
            values["map_avgjg"] += sum(sum(gains[:rank]) / rank for rank, hit in enumerate(gains, 1) if hit) / relevant
        for k in cutoffs:
            values[f"P_avgjg_{k}"] += sum(gains[:k]) / k
        for multiple in multiples:
            cutoff = math.floor(multiple * relevant + 0.9)
            values[f"Rprec_mult_avgjg_{multiple:.2f}"] += sum(gains[:cutoff]) / cutoff if cutoff else 0
    return {measure: total / len(judged) for measure, total in values.items()}


DOCS = ("a", "B", "é", "d10", "d9", "x")
runs = st.dictionaries(
    st.sampled_from(["q", "r", "s"]), st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3).map(float), min_size=1), min_size=1
)
graded = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 2), min_size=1)
by_annotators = st.dictionaries(st.sampled_from(["", "ann", "Bob"]), graded, min_size=1)
judgments = st.dictionaries(st.sampled_from(["q", "r"]), by_annotators, min_size=1)


@pytest.mark.slow
@examples(30)
@given(run=runs, judged=judgments, complete=st.booleans(), cutoffs=st.lists(st.integers(1, 8), min_size=1, unique=True))
def test_by_definition(
    conn: psycopg.Connection,
    store_run: StoreRun,
    run: Run,
    judged: dict[str, dict[str, dict[str, int]]],
    complete: bool,
    cutoffs: list[int],
) -> None:
    name = store_run({**run, "other": dict.fromkeys(DOCS, 1.0)})
    conn.execute("INSERT INTO stc.st1_queries (query) VALUES ('q'), ('r') ON CONFLICT DO NOTHING")
    conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s)", [name])
    for query, by_annotator in judged.items():
        for annotator, by_doc in by_annotator.items():
            for doc, rel in by_doc.items():
                conn.execute(
                    "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator) SELECT e.id, q.id, d.id, %s, %s"
                    " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = %s AND q.query = %s AND d.docno = %s",
                    [rel, annotator, name, query, doc],
                )
    multiples = [0.2, 0.5, 1.0, 1.7]
    found: dict[str, dict[str, float]] = {}
    for query, measure, value in conn.execute(
        "SELECT query, measure, value FROM group_scores(ARRAY[%s], %s, %s, %s, %s)", [name, name, complete, cutoffs, multiples]
    ):
        found.setdefault(query, {})[measure] = value
    wanted = {
        query: expected(ranked(run.get(query, {})), by_annotator, cutoffs, multiples)
        for query, by_annotator in judged.items()
        if complete or query in run
    }
    assert found.keys() == wanted.keys()
    for query, values in wanted.items():
        assert found[query] == pytest.approx(values, abs=1e-12)


def test_one_annotator_equals_the_plain_measure(conn: psycopg.Connection, data: Path) -> None:
    files = data / "trec_eval"
    import_run(conn, files / "results.test", name="run", options=ImportOptions())
    import_qrels(conn, files / "qrels.test", edition="one")
    found = score_judgments(conn, run="run", edition="one", judgments="qrels_jg")
    assert found.measures == GROUPS
    plain = {
        (query, measure): float(value)
        for measure, query, value in map(str.split, (files / "out.test.aq").read_text().splitlines())
        if measure != "relstring" and measure != "runid"
    }
    for query, values in [*found.queries.items(), ("all", found.means)]:
        for measure, value in values.items():
            assert value == pytest.approx(plain[query, measure.replace("_avgjg", "")], abs=5.1e-5)


def test_an_annotator_has_one_grade_across_origins(conn: psycopg.Connection, tmp_path: Path, store_run: StoreRun) -> None:
    run = store_run({"q": {"a": 2.0, "b": 1.0}})
    path = tmp_path / "qrels"
    for text, origin in (("q 0 a 0\n", "human"), ("q 0 a 1\nq 0 b 1\n", "knn")):
        path.write_text(text)
        import_qrels(conn, path, edition="mine", options=JudgmentOptions(origin=origin))
    found = score_judgments(conn, run=run, edition="mine", judgments="qrels_jg")
    assert found.queries["q"]["map_avgjg"] == 1 / 2


@pytest.mark.parametrize(
    ("arguments", "sqlstate"),
    [
        ("'{}', 'mine', true, '{0}'", "IR201"),
        ("'{}', 'mine', true, '{}'", "IR201"),
        ("'{}', 'mine', true, '{1}', '{0}'", "IR202"),
        ("'{}', 'mine', true, '{1}', '{NaN}'", "IR202"),
        ("'{}', 'yours'", "IR102"),
        ("'{nobody}', 'mine'", "IR101"),
    ],
)
def test_errors(conn: psycopg.Connection, arguments: str, sqlstate: str) -> None:
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('mine')")
    with pytest.raises(psycopg.Error) as error:
        conn.execute(f"SELECT * FROM group_scores({arguments})")
    assert error.value.sqlstate == sqlstate
