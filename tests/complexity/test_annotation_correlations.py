"""Correlations of measures with grades equal scipy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stcollection.analysis.annotation_correlations import coefficients, correlate
from stcollection.analysis.annotations import AnnotationBootstrap, AspectGrades, graded
from stcollection.db.settings import Settings
from tests.complexity.grading import HUM, MSC, grade, put_documents
from tests.groups import annotations_

MEASURES = ["even", "tied", "holes", "noise", "flat", "none"]


def world(documents: int = 50, seed: int = 4) -> AspectGrades:
    """Documents with up to four grades from two groups; measures: distinct, tied, with gaps, empty, constant, unknown."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=documents)
    doc = np.repeat(np.arange(documents), random.integers(1, 5, documents))
    group = random.integers(0, 2, len(doc))
    values = np.column_stack([
        hidden + random.normal(size=documents), np.round(hidden * 2), np.where(random.random(documents) < 0.3, np.nan, -hidden),
        random.normal(size=documents), np.full(documents, 7.0), np.full(documents, np.nan),
    ])  # fmt: skip
    noisy = hidden[doc] + random.normal(size=len(doc))
    grades = np.digitize(noisy, [-0.5, 0.8]).astype(np.int64)
    return AspectGrades(
        aspect="complexity", groups=["A", "B"], measures=MEASURES, doc=doc, group=group, grade=grades, values=values
    )


def pairs(world: AspectGrades, measure: str, group: int | None) -> tuple[Any, Any]:
    x = world.values[world.doc, world.measures.index(measure)]
    told = ~np.isnan(x) & (True if group is None else world.group == group)
    return x[told], world.grade[told]


def test_values_equal_scipy() -> None:
    some = world()
    rows = correlate(some, bootstrap=AnnotationBootstrap(resamples=5))
    assert [(one.measure, one.group) for one in rows[:4]] == [("even", "A"), ("even", "B"), ("even", None), ("tied", "A")]
    for one in rows:
        x, y = pairs(some, one.measure, None if one.group is None else some.groups.index(one.group))
        assert one.n == len(x)
        if one.measure in ("flat", "none"):
            assert one.spearman.value is None
            assert one.kendall.p is None
            assert one.note == ("all values are equal" if one.measure == "flat" else "no graded document has a value")
            continue
        assert one.note is None
        assert one.spearman.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
        assert one.kendall.value == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=2, max_size=30))
def test_any_table_equals_scipy(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows).T
    table = np.zeros((3, 1, 5))
    np.add.at(table, (y, 0, x), 1)
    rho, tau = coefficients(table[0], table[1], table[2])
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan([rho[0], tau[0]]).all()
    else:
        assert rho[0] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
        assert tau[0] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_large_counts_stay_exact() -> None:
    random = np.random.default_rng(1)
    x, y = random.normal(size=40_000), random.integers(0, 3, 40_000)
    table = np.eye(3)[y][np.argsort(x)].T[:, None, :]
    rho, tau = coefficients(table[0], table[1], table[2])
    assert rho[0] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert tau[0] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.slow
def test_intervals_and_p_equal_documents_drawn_by_hand() -> None:
    """Documents keep their grades together when drawn and permuted; scipy gives about the same, one draw at a time."""
    some = world(30)
    by_measure = {one.measure: one for one in correlate(some, bootstrap=AnnotationBootstrap(resamples=4000)) if one.group == "A"}
    random = np.random.default_rng(9)
    place, of = MEASURES.index("holes"), some.group == 0
    documents = [doc for doc in np.unique(some.doc[of]) if not np.isnan(some.values[doc, place])]
    grades = [some.grade[of & (some.doc == doc)] for doc in documents]
    values = some.values[documents, place]
    found: list[list[float]] = []
    for _ in range(1000):
        drawn, mixed = random.integers(0, len(documents), len(documents)), random.permutation(len(documents))
        x = np.concatenate([np.full(len(grades[at]), values[at]) for at in drawn])
        y = np.concatenate([grades[at] for at in drawn])
        z = np.concatenate([np.full(len(grades[at]), values[to]) for at, to in enumerate(mixed)])
        found.append(
            [f(a, b).statistic for f in (stats.spearmanr, stats.kendalltau) for a, b in ((x, y), (z, np.concatenate(grades)))]
        )
    rho, rho_null, tau, tau_null = np.array(found).T
    for value, drawn, null in ((by_measure["holes"].spearman, rho, rho_null), (by_measure["holes"].kendall, tau, tau_null)):
        assert value.value is not None
        assert (value.low, value.high) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])), abs=0.06)
        assert value.p == pytest.approx(np.mean(np.abs(null) >= abs(value.value)), abs=0.03)
    assert by_measure["noise"].spearman.p is not None
    assert by_measure["noise"].spearman.p > 0.05


def test_p_are_corrected_over_the_measures_of_a_group() -> None:
    rows = [one for one in correlate(world(), bootstrap=AnnotationBootstrap(resamples=99)) if one.group is None]
    told = sorted((one.kendall.p, one.kendall.p_holm) for one in rows if one.kendall.p is not None)
    worst = 0.0
    for left, (p, corrected) in zip(range(len(told), 0, -1), told, strict=True):
        assert p is not None
        worst = max(worst, min(1.0, left * p))
        assert corrected == pytest.approx(worst)
    assert len(told) == 4


def test_the_same_seed_gives_the_same() -> None:
    some = world()
    assert correlate(some, bootstrap=AnnotationBootstrap(resamples=50)) == correlate(
        some, bootstrap=AnnotationBootstrap(resamples=50)
    )
    assert correlate(some, bootstrap=AnnotationBootstrap(resamples=50, seed=2)) != correlate(
        some, bootstrap=AnnotationBootstrap(resamples=50)
    )


@pytest.fixture
def stored(conn: psycopg.Connection) -> psycopg.Connection:
    docnos = [f"d{at}" for at in range(30)]
    put_documents(
        conn, docnos, textstat_fkgl={docno: float(at) for at, docno in enumerate(docnos)}, nltk_sent={"d1": 3, "d2": 4, "d3": 2}
    )
    rows = [
        (docno, who, group, (at + len(who)) // 11 % 3, 1)
        for at, docno in enumerate(docnos)
        for who, group in (("h", HUM), ("m2", MSC))
    ]
    grade(conn, rows)
    return conn


def test_grades_are_read_unchanged(stored: psycopg.Connection) -> None:
    got = graded(stored, measures=["textstat_fkgl", "citations"], groups=[MSC])
    assert (got.groups, got.measures, got.empty()) == ([MSC], ["textstat_fkgl", "citations"], ["citations"])
    assert got.values[got.doc, 0].tolist() == [float(at) for at in range(30)]
    assert got.grade.tolist() == [(at + 2) // 11 % 3 for at in range(30)]


def test_one_group_or_one_grade(stored: psycopg.Connection, settings: Settings) -> None:
    [one] = correlate(graded(stored, measures=["textstat_fkgl"], groups=[HUM]), bootstrap=AnnotationBootstrap(resamples=20))
    assert (one.group, one.n, one.documents) == (HUM, 30, 30)
    done: Any = CliRunner().invoke(annotations_, ["correlate", "--aspect", "credibility", "-m", "textstat_fkgl"], obj=settings)
    assert done.exit_code == 0
    assert done.stdout.count("all grades are equal") == 3
    done = CliRunner().invoke(annotations_, ["correlate", "--resamples", "20", "--format", "csv"], obj=settings)
    assert done.stdout.splitlines()[0].startswith(
        "measure,group,n,documents,spearman,spearman_low,spearman_high,spearman_p,spearman_p_holm,"
    )
    assert "no graded document has nltk_tok" in done.stderr
