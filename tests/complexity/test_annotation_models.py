"""Models that predict grades equal our own likelihood; models that cannot be fitted give the reason."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from scipy import optimize, special

from stcollection.analysis.annotation_models import predict, vif
from stcollection.analysis.annotations import AspectGrades
from stcollection.db.settings import Settings
from stcollection.errors import StateError
from tests.complexity.grading import BSC, HUM, grade, put_documents
from tests.groups import annotations_


def world(documents: int = 150, *, groups: int = 2, seed: int = 2, **columns: Any) -> AspectGrades:
    """Three grades per document from a measure ``good``, a group's shift and noise; further columns by name."""
    random = np.random.default_rng(seed)
    good, bad = random.normal(5, 3, documents), random.normal(size=documents)
    doc = np.repeat(np.arange(documents), 3)
    group = random.integers(0, groups, len(doc))
    grades = np.digitize(0.4 * (good[doc] - 5) + 0.8 * group + random.logistic(size=len(doc)), [-0.5, 1.5]).astype(np.int64)
    values = {"good": good, "bad": bad} | {name: make(good, bad) for name, make in columns.items()}
    return AspectGrades(
        aspect="complexity",
        groups=["A", "B", "C"][:groups],
        measures=list(values),
        doc=doc,
        group=group,
        grade=grades,
        values=np.column_stack(list(values.values())),
    )


def by_hand(columns: Any, grades: Any, doc: Any) -> tuple[Any, Any, float]:
    """Return coefficients, clustered standard errors and log likelihood of the proportional-odds model, with scipy only."""
    many = columns.shape[1]

    def likelihoods(at: Any) -> Any:
        cuts = np.concatenate([[-np.inf], [at[many], at[many] + np.exp(at[many + 1])], [np.inf]])
        line = columns @ at[:many]
        share = special.expit(cuts[grades + 1] - line) - special.expit(cuts[grades] - line)
        return np.log(np.maximum(share, 1e-300))  # the search may try points with a probability of 0

    best = optimize.minimize(lambda at: -likelihoods(at).sum(), np.zeros(many + 2), method="BFGS", options={"gtol": 1e-6}).x
    step = 1e-4 * np.eye(len(best))
    scores = np.array([(likelihoods(best + h) - likelihoods(best - h)) / 2e-4 for h in step]).T
    by_doc = np.array([scores[doc == one].sum(axis=0) for one in np.unique(doc)])

    def slope(at: Any) -> Any:
        return np.array([(likelihoods(at + h).sum() - likelihoods(at - h).sum()) / 2e-4 for h in step])

    hessian = np.array([(slope(best + h) - slope(best - h)) / 2e-4 for h in step])
    bread = np.linalg.inv(hessian)
    documents, rows = len(by_doc), len(grades)
    meat = by_doc.T @ by_doc * documents / (documents - 1) * (rows - 1) / (rows - len(best))
    return best[:many], np.sqrt(np.diag(bread @ meat @ bread))[:many], float(likelihoods(best).sum())


def test_a_model_of_one_measure_equals_its_likelihood() -> None:
    some = world()
    one = predict(some).single[0]
    good = some.values[some.doc, 0]
    shift = (some.group == 1).astype(float)
    coefficients, errors, likelihood = by_hand(np.column_stack([(good - good.mean()) / good.std(), shift]), some.grade, some.doc)
    _, _, without = by_hand(shift[:, None], some.grade, some.doc)
    share = np.bincount(some.grade) / len(some.grade)
    assert (one.n, one.documents, one.note) == (450, 150, None)
    assert one.odds_ratio == pytest.approx(np.exp(coefficients[0]), rel=1e-3)
    assert (one.low, one.high) == pytest.approx(tuple(np.exp(coefficients[0] + np.array([-1.96, 1.96]) * errors[0])), rel=2e-2)
    assert one.aic == pytest.approx(2 * 4 - 2 * likelihood, abs=1e-3)
    assert one.aic_gain == pytest.approx(2 * (likelihood - without) - 2, abs=1e-3)
    assert one.pseudo_r2 == pytest.approx(1 - likelihood / (len(some.grade) * (share * np.log(share)).sum()), abs=1e-6)


def test_predictive_measures_are_separated_from_others() -> None:
    found = predict(world())
    good, bad = found.single
    assert good.p_holm is not None
    assert bad.p_holm is not None
    assert good.p_holm < 0.001 < 0.05 < bad.p_holm
    assert good.low is not None
    assert good.low > 1
    assert (bad.aic_gain or 0) < 2
    assert [one.measure for one in found.joint] == ["good", "bad"]
    assert found.joint[0].odds_ratio == pytest.approx(good.odds_ratio, rel=0.1)
    assert len({one.aic for one in found.joint}) == 1


def test_collinear_measures_are_left_out_and_named() -> None:
    found = predict(
        world(twice=lambda good, bad: 2 * good + 1, near=lambda good, bad: good + 0.01 * bad, sum=lambda good, bad: good + bad)
    )
    kept, dropped = {one.measure for one in found.joint}, {one.measure: one.because for one in found.dropped}
    assert len(kept) == 2
    assert kept | dropped.keys() == {"good", "bad", "twice", "near", "sum"}
    assert all(because.startswith("collinear: variance inflation ") for because in dropped.values())
    assert any("inf" in because for because in dropped.values())


def test_the_variance_inflation_factor_equals_the_inverse_correlations() -> None:
    random = np.random.default_rng(5)
    columns = random.normal(size=(80, 4)) @ random.normal(size=(4, 4)) + 100
    assert vif(columns) == pytest.approx(np.diag(np.linalg.inv(np.corrcoef(columns.T))))
    assert vif(columns[:, :1]) == pytest.approx([1.0])
    assert np.isinf(vif(np.column_stack([columns, columns[:, 0] - columns[:, 1]]))[[0, 1, 4]]).all()


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"values": lambda w: np.full((150, 2), np.nan)}, "no graded document has a value"),
        ({"values": lambda w: np.ones((150, 2))}, "all values are equal"),
        ({"grade": lambda w: np.ones(450, dtype=np.int64)}, "all grades are 1"),
        ({"grade": lambda w: np.digitize(w.values[w.doc, 0], [4.0, 6.0])}, "it separates grades below 1 from the others"),
        ({"grade": lambda w: np.where(w.group == 1, 2, w.grade)}, "group B always gives the grade 2"),
        ({"values": lambda w: np.where(np.arange(150)[:, None] < 13, w.values, np.nan)}, "39 grades are too few for 4 parameters"),
    ],
)
def test_a_model_that_cannot_be_fitted_has_a_note(change: dict[str, Any], note: str) -> None:
    some = world()
    parts = {name: getattr(some, name) for name in ("aspect", "groups", "measures", "doc", "group", "grade", "values")}
    found = predict(AspectGrades(**(parts | {name: make(some) for name, make in change.items()})))
    assert (found.single[0].note or "").startswith(note)
    assert found.single[0].odds_ratio is None
    assert found.joint == []


def test_two_grades_alone_are_a_logistic_regression() -> None:
    some = world(groups=1)
    parts = {name: getattr(some, name) for name in ("aspect", "groups", "measures", "doc", "group", "values")}
    one = predict(AspectGrades(**parts, grade=np.where(some.grade == 2, 2, 0))).single[0]
    x, y = some.values[some.doc, 0], some.grade == 2
    z = (x - x.mean()) / x.std()
    best = optimize.minimize(lambda at: np.logaddexp(0, np.where(y, -1, 1) * (at[0] + at[1] * z)).sum(), [0.0, 0.0]).x
    assert one.odds_ratio == pytest.approx(np.exp(best[1]), rel=1e-4)


def test_without_statsmodels_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    for name in [name for name in sys.modules if name.startswith("statsmodels.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(StateError, match="ordinal regression needs the Python package statsmodels") as error:
        predict(world())
    assert "stcollection[stats]" in (error.value.hint or "")


def test_the_command(conn: psycopg.Connection, settings: Settings) -> None:
    some = world(60)
    names = [f"d{at}" for at in range(60)]
    put_documents(
        conn,
        names,
        read_tok=dict(zip(names, some.values[:, 0], strict=True)),
        read_syl=dict(zip(names, some.values[:, 0] * 3, strict=True)),
    )
    grade(
        conn,
        [
            (f"d{d}", f"{'hb'[g]}{at % 3}", (HUM, BSC)[g], int(v), None)
            for at, (d, g, v) in enumerate(zip(some.doc, some.group, some.grade, strict=True))
        ],
    )
    measures = ["-m", "read_tok", "-m", "read_syl", "-m", "nltk_sent"]
    done = CliRunner().invoke(annotations_, ["predict", *measures], obj=settings)
    assert done.exit_code == 0, done.output
    assert "no graded document has a value" in done.stdout
    assert "not in the joint model: nltk_sent: no graded document has a value" in done.stderr
    assert f"controlling for the group of annotators ({BSC}, {HUM})" in done.stderr
    done = CliRunner().invoke(annotations_, ["predict", *measures, "--format", "csv"], obj=settings)
    assert [line.split(",")[:2] for line in done.stdout.splitlines()[1:]] == [
        ["one", "read_tok"],
        ["one", "read_syl"],
        ["one", "nltk_sent"],
        ["dropped", "nltk_sent"],
        ["dropped", "read_syl"],
    ]
