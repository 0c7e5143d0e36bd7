"""The measures of agreement: by hand, and equal to scikit-learn, scipy and the package krippendorff on any grades."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import krippendorff
import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix

from stcollection.qrels.agreement import MEASURES, agreement, confusion
from stcollection.qrels.agreement import alpha as several
from stcollection.qrels.agreement import grades as by_grade
from tests.examples import examples

pytestmark = pytest.mark.slow

PAIRS = [(query, doc) for query in ("q1", "q2") for doc in ("a", "b", "c", "d", "e")]
Labels = dict[tuple[str, str], int]
LEVELS = ("nominal", "ordinal", "interval")

rels = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
labels = st.dictionaries(st.sampled_from(PAIRS), rels, max_size=10)
every_example = examples(60)


def one(conn: psycopg.Connection, statement: str, *values: object) -> Any:
    row = conn.execute(statement, values).fetchone()
    assert row is not None
    return row[0]


def store(conn: psycopg.Connection, edition: str, given: Labels, *, origin: str = "human", annotator: str = "") -> None:
    conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s) ON CONFLICT DO NOTHING", [edition])
    conn.execute("INSERT INTO stc.st1_queries (query) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING", [["q1", "q2"]])
    conn.execute(
        "INSERT INTO dblp (id, docno, doc, stub) SELECT nextval('dblp_id_seq'), d, '{}', true FROM unnest(%s::text[]) d"
        " ON CONFLICT DO NOTHING",
        [list("abcde")],
    )
    for (query, doc), rel in given.items():
        conn.execute(
            "INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator) SELECT e.id, q.id, d.id, %s, %s, %s"
            " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = %s AND q.query = %s AND d.docno = %s",
            [rel, origin, annotator, edition, query, doc],
        )


def number(value: float) -> Any:
    """Return the expected value of SQL: the value, or None if the reference library says it is undefined."""
    return pytest.approx(value, abs=1e-12) if math.isfinite(value) else None


def alpha_of(table: Iterable[Iterable[float]], level: str) -> float:
    """Return alpha of a table [annotators, documents] with NaN for missing grades."""
    data = np.array(list(map(list, table)), dtype=float)
    pairable = (~np.isnan(data)).sum(axis=0) > 1 if data.size else np.zeros(0, bool)
    if len(np.unique(data[:, pairable][~np.isnan(data[:, pairable])])) < 2 if pairable.any() else True:
        return math.nan
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))


@pytest.mark.slow
@every_example
@given(labels, labels)
def test_two_sides_are_measured_as_others_measure_them(conn: psycopg.Connection, truth: Labels, told: Labels) -> None:
    with conn.transaction(force_rollback=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for edition, judged in (("truth", truth), ("told", told), ("decoy", dict.fromkeys(PAIRS, 1))):
            store(conn, edition, judged)
        [got] = agreement(conn, "truth", ["told"], binary_from=2)
        common = [pair for pair in PAIRS if truth.get(pair, -1) >= 0 and told.get(pair, -1) >= 0]
        x, y = [truth[pair] for pair in common], [told[pair] for pair in common]
        assert (got.pairs, got.queries, got.grades) == (len(common), len({q for q, _ in common}), len({*x, *y}))
        if not common:
            assert got.note == "no document is graded by both"
            assert all(got.value(measure) is None for measure in MEASURES)
            return
        assert got.accuracy == number(accuracy_score(x, y))
        assert got.binary_accuracy == number(accuracy_score([g >= 2 for g in x], [g >= 2 for g in y]))
        scale = [0, 1, 2, 3]
        for measure, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
            assert got.value(measure) == number(cohen_kappa_score(x, y, labels=scale, weights=weights)), measure
        assert got.binary_kappa == number(cohen_kappa_score([g >= 2 for g in x], [g >= 2 for g in y], labels=[False, True]))
        assert got.tau == number(kendalltau(x, y).statistic)
        assert got.rho == number(spearmanr(x, y).statistic if len(x) > 1 else math.nan)
        for level in LEVELS:
            assert got.value(f"alpha_{level}") == number(alpha_of([x, y], level)), level
        assert got.mae == number(float(np.mean(np.abs(np.subtract(y, x)))))
        assert got.bias == number(float(np.mean(np.subtract(y, x))))
        table = np.zeros((4, 4), dtype=int)
        for cell in confusion(conn, "truth", ["told"]):
            table[cell.reference_rel, cell.other_rel] += cell.pairs
        assert (table == confusion_matrix(x, y, labels=scale)).all()
        for grade in by_grade(conn, "truth", ["told"]):
            assert (grade.in_reference, grade.in_other) == (x.count(grade.rel), y.count(grade.rel))
            assert grade.in_both == table[grade.rel, grade.rel]
            assert grade.rel_recall == (grade.in_both / grade.in_reference if grade.in_reference else None)
            assert grade.rel_precision == (grade.in_both / grade.in_other if grade.in_other else None)


@pytest.mark.slow
@every_example
@given(st.lists(labels, min_size=3, max_size=4), st.sampled_from(["all", "query"]))
def test_alpha_of_several_who_did_not_judge_the_same(conn: psycopg.Connection, judged: list[Labels], by: str) -> None:
    with conn.transaction(force_rollback=True):
        for place, given_labels in enumerate(judged):
            store(conn, "mine", given_labels, origin="human" if place else "llm", annotator=f"a{place}")
            store(conn, f"edition{place}", given_labels)
        store(conn, "decoy", dict.fromkeys(PAIRS, 1))
        expected = {}
        for unit in [None] if by == "all" else ["q1", "q2"]:
            pairs = [pair for pair in PAIRS if unit in (None, pair[0])]
            table = [[g if (g := side.get(pair, -1)) >= 0 else math.nan for pair in pairs] for side in judged]
            if any(sum(not math.isnan(row[at]) for row in table) > 1 for at in range(len(pairs))):
                expected[unit] = table
        if sum(bool(side) for side in judged) > 1:
            found = several(conn, ["mine"], by=by)
            assert [row.unit for row in found] == list(expected)
            for row in found:
                for level in LEVELS:
                    assert getattr(row, f"alpha_{level}") == number(alpha_of(expected[row.unit], level)), level
            for row, other in zip(found, several(conn, [f"edition{place}" for place in range(len(judged))], by=by), strict=True):
                assert [number(value) if isinstance(value, float) else value for value in other] == list(row)


@pytest.mark.slow
@every_example
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8))
def test_counts_stand_for_repetitions(conn: psycopg.Connection, pairs: list[tuple[int, int]]) -> None:
    cells = sorted(set(pairs))
    x, y = [[p[side] for p in pairs] for side in (0, 1)]
    cx, cy, n = [c[0] for c in cells], [c[1] for c in cells], [pairs.count(c) for c in cells]
    for function in ("stc.grade_tau", "stc.grade_rho"):
        whole = one(conn, f"SELECT {function}(%s::int[], %s::int[])", x, y)
        assert one(conn, f"SELECT {function}(%s::int[], %s::int[], %s::bigint[])", cx, cy, n) == whole
    assert one(conn, "SELECT stc.grade_tau(%s::int[], %s::int[])", x, y) == pytest.approx(
        one(conn, "SELECT stc.kendall_tau(%s::float8[], %s::float8[])", x, y), abs=1e-12
    )
    for weighting in ("none", "linear", "quadratic"):
        whole = one(conn, "SELECT stc.cohen_kappa(%s::int[], %s::int[], %s)", x, y, weighting)
        assert one(conn, "SELECT stc.cohen_kappa(%s::int[], %s::int[], %s, %s::bigint[])", cx, cy, weighting, n) == whole


def test_kappa_by_hand(conn: psycopg.Connection) -> None:
    # observed disagreement 3 of 10; by chance rows 5, 5 and columns 6, 4 differ in (5·4 + 5·6) / 100 of the pairs
    x, y = [0] * 5 + [1] * 5, [0] * 4 + [1] + [0] * 2 + [1] * 3
    assert one(conn, "SELECT stc.cohen_kappa(%s::int[], %s::int[])", x, y) == pytest.approx(1 - 0.3 / 0.5)
    # grades 0 and 2, and 0 and 4: a distance counts even if the grades between do not occur
    x, y = [0, 0, 2, 4], [0, 2, 2, 0]
    assert one(conn, "SELECT stc.cohen_kappa(%s::int[], %s::int[], 'linear')", x, y) == pytest.approx(
        1 - 4 * 6 / (2 * 4 + 2 * 2 + 4 * 2 + 2 * 2)
    )


def test_alpha_by_hand(conn: psycopg.Connection) -> None:
    # Two annotators, four units (0,0) (0,1) (1,1) (1,1): o = [[2, 1], [1, 4]], margins 3 and 5 of 8
    units, given_grades = [1, 1, 2, 2, 3, 3, 4, 4], [0, 0, 0, 1, 1, 1, 1, 1]
    assert one(conn, "SELECT stc.krippendorff_alpha(%s::bigint[], %s::int[], 'nominal')", units, given_grades) == pytest.approx(
        1 - 7 * 2 / (2 * 3 * 5)
    )


def test_places_with_null_are_left_out(conn: psycopg.Connection) -> None:
    x, y = "'{1,2,NULL,3}'::int[]", "'{1,2,9,3,7}'::int[]"
    assert one(conn, f"SELECT stc.cohen_kappa({x}, {y})") == 1
    assert one(conn, f"SELECT stc.grade_tau({x}, {y})") == 1
    assert one(conn, f"SELECT stc.grade_rho({x}, {y})") == 1
    assert one(conn, "SELECT stc.krippendorff_alpha('{1,1,2,2,NULL,3}', '{0,0,1,1,9,NULL}')") == 1


@pytest.mark.parametrize(
    "call",
    [
        "stc.cohen_kappa('{1}', '{1}', 'cubic')",
        "stc.cohen_kappa('{1}', '{1}', NULL)",
        "stc.krippendorff_alpha('{1,1}', '{0,1}', 'ratio')",
        "agreement('a', '{a}', by => 'year')",
        "agreement('a', '{a}', NULL)",
        "agreement_alpha('{a}', 'year')",
    ],
)
def test_a_wrong_choice_is_named(conn: psycopg.Connection, call: str) -> None:
    store(conn, "a", {("q1", "a"): 1})
    with pytest.raises(psycopg.Error) as error:
        conn.execute(f"SELECT {call}")
    assert error.value.sqlstate == "IR202"
    assert error.value.diag.message_hint


@pytest.mark.parametrize("function", ["stc.cohen_kappa", "stc.grade_tau", "stc.grade_rho"])
def test_nothing_to_measure_is_null(conn: psycopg.Connection, function: str) -> None:
    for x, y in (("{}", "{}"), ("{1}", "{1}"), ("{2,2}", "{2,2}"), ("{NULL}", "{1}")):
        assert one(conn, f"SELECT {function}(%s::int[], %s::int[])", x, y) is None
