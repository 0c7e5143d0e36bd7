"""Bootstrap intervals: measures equal SQL's, percentiles equal scipy's, and draws are the same on every machine."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import bootstrap as scipy_bootstrap
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import accuracy_score, cohen_kappa_score

from stcollection.errors import BadArgument
from stcollection.qrels.agreement import MEASURES, Agreement, Bootstrap, agreement
from stcollection.qrels.resampling import Floats, draw, estimates, resample_clusters, resample_pairs
from tests.examples import examples
from tests.qrels.conftest import Judge

GRADES = [(x, y) for x in (0, 1, 3) for y in (0, 1, 3)]
X, Y = (np.array(side) for side in zip(*GRADES, strict=True))
COUNTS = np.array(
    [[5, 1, 0, 2, 3, 1, 0, 1, 4], [2, 2, 1, 1, 1, 0, 3, 0, 1], [9, 0, 0, 1, 2, 2, 0, 2, 1], [0, 1, 1, 0, 4, 0, 1, 1, 6]], float
)


def test_the_draws_are_these() -> None:
    # other draws would change published intervals
    assert draw(np.random.PCG64(1), 2, 10).tolist() == [[5, 9, 1, 9, 3, 4, 8, 4, 5, 0], [7, 5, 3, 7, 3, 4, 1, 4, 2, 2]]
    raw = [int(number) for number in np.random.PCG64(1).random_raw(12)]
    places = np.array([(number >> 32) * 4 >> 32 for number in raw]).reshape(3, 4)
    assert (resample_clusters(COUNTS, resamples=3, seed=1) == COUNTS[places].sum(axis=1)).all()


@pytest.mark.parametrize("n", [1, 2, 7, 82])
def test_every_place_is_drawn_alike(n: int) -> None:
    drawn = np.bincount(draw(np.random.PCG64(3), 500, n).ravel(), minlength=n)
    assert len(drawn) == n
    assert np.abs(drawn - 500).max() <= 5.5 * np.sqrt(500)  # binomial: exceeded about once in 100,000 seeds


def test_a_resample_keeps_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resample_clusters(COUNTS, resamples=50, seed=7), resample_pairs(COUNTS, resamples=50, seed=7)
    assert (whole[1].sum(axis=1) == COUNTS.sum()).all()
    sizes = COUNTS.sum(axis=1)
    assert set(whole[0].sum(axis=1)) <= {float(sum(c)) for c in np.stack(np.meshgrid(*[sizes] * 4), -1).reshape(-1, 4)}
    monkeypatch.setattr("stcollection.qrels.resampling._CHUNK", 100)
    parts = resample_clusters(COUNTS, resamples=50, seed=7), resample_pairs(COUNTS, resamples=50, seed=7)
    assert all((a == b).all() for a, b in zip(whole, parts, strict=True))


@pytest.mark.slow
@examples(100)
@given(arrays(np.int64, (1, 9), elements=st.integers(0, 6)).filter(lambda table: bool(table.sum())))
def test_estimates_are_those_of_others(table: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    x, y = np.repeat(X, table[0]), np.repeat(Y, table[0])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = {
            "accuracy": accuracy_score(x, y),
            "kappa": cohen_kappa_score(x, y, labels=range(4)),
            "kappa_linear": cohen_kappa_score(x, y, labels=range(4), weights="linear"),
            "kappa_quadratic": cohen_kappa_score(x, y, labels=range(4), weights="quadratic"),
            "binary_kappa": cohen_kappa_score(x >= 1, y >= 1, labels=[False, True]),
            "tau": kendalltau(x, y).statistic,
            "rho": spearmanr(x, y).statistic if len(x) > 1 else np.nan,
        }
    got = estimates(table.astype(float), X, Y, binary_from=1)
    assert set(got) == set(MEASURES)
    for measure, value in expected.items():
        assert got[measure][0] == pytest.approx(value, abs=1e-12, nan_ok=True), measure


@pytest.fixture
def pair(judge: Judge) -> None:
    for annotator, column in (("anna", 0), ("ben", 1)):
        text = "".join(
            f"q{query} 0 d{query}.{cell}.{copy} {GRADES[cell][column]}\n"
            for query, row in enumerate(COUNTS.astype(int))
            for cell, n in enumerate(row)
            for copy in range(n)
        )
        judge(text, annotator=annotator)


def compare(conn: psycopg.Connection, **options: Any) -> Agreement:
    [row] = agreement(conn, "mine", bootstrap=Bootstrap(**options))
    return row


@pytest.mark.usefixtures("pair")
def test_the_measures_of_the_whole_are_those_of_sql(conn: psycopg.Connection) -> None:
    for binary_from in (1, 2):
        [row] = agreement(conn, "mine", binary_from=binary_from)
        got = estimates(COUNTS.sum(axis=0, keepdims=True), X, Y, binary_from=binary_from)
        assert {measure: got[measure][0] for measure in MEASURES} == pytest.approx({m: row.value(m) for m in MEASURES}, abs=1e-12)


class _Drawn(np.random.RandomState):
    """Generator that makes scipy draw the same resamples as ours."""

    def randint(self, low: int, high: int, size: tuple[int, int], **_: object) -> Any:  # type: ignore[override]
        assert low == 0
        return draw(np.random.PCG64(5), size[0], high)


@pytest.mark.usefixtures("pair")
@pytest.mark.parametrize("of", ["query", "pair"])
def test_percentiles_are_scipys(conn: psycopg.Connection, of: str) -> None:
    row = compare(conn, resamples=300, seed=5, of=of, level=0.9)
    assert row.intervals
    units = COUNTS if of == "query" else np.eye(9)[np.repeat(np.arange(9), COUNTS.sum(axis=0).astype(int))]
    for measure in MEASURES:

        def statistic(places: Floats, axis: int = -1, measure: str = measure) -> Floats:
            return estimates(units[places].sum(axis=-2).reshape(-1, 9), X, Y, binary_from=1)[measure].reshape(places.shape[:-1])

        result = scipy_bootstrap(
            (np.arange(len(units)),), statistic, n_resamples=300, confidence_level=0.9, method="percentile", random_state=_Drawn(0)
        )
        assert row.intervals[measure] == pytest.approx(tuple(result.confidence_interval), abs=1e-12), measure


@pytest.mark.usefixtures("pair")
def test_the_seed_decides(conn: psycopg.Connection) -> None:
    assert compare(conn, seed=4) == compare(conn, seed=4)
    assert compare(conn, seed=4) != compare(conn, seed=5)
    row, narrow = compare(conn), compare(conn, level=0.5)
    for measure in MEASURES:
        (low, high), (inner_low, inner_high) = (one.intervals[measure] for one in (row, narrow) if one.intervals)
        value = row.value(measure)
        assert None not in (low, high, inner_low, inner_high, value)
        assert low <= inner_low <= inner_high <= high  # type: ignore[operator]
        assert low <= value <= high  # type: ignore[operator]


@pytest.mark.usefixtures("pair")
def test_no_interval_says_why(conn: psycopg.Connection, judge: Judge) -> None:
    [topic] = agreement(conn, "mine", bootstrap=Bootstrap(of="topic", resamples=9))
    assert topic.note is None  # a query without topic counts as a topic
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('t')")
    conn.execute("UPDATE stc.st1_queries SET topic = (SELECT id FROM st1_topics)")
    [topic] = agreement(conn, "mine", bootstrap=Bootstrap(of="topic", resamples=9))
    assert topic.note == "no interval: one topic"
    assert topic.intervals == dict.fromkeys(MEASURES, (None, None))
    judge("q0 0 z 1\nq1 0 z 1\nq1 0 y 0\n", "few")
    judge("q0 0 z 1\nq1 0 z 1\nq1 0 y 2\n", "others")
    [few] = agreement(conn, "few", ["others"], bootstrap=Bootstrap(resamples=40), measures=["kappa"])
    drawn = resample_clusters(np.array([[1.0, 0], [1, 1]]), resamples=40, seed=1)
    undefined = int((drawn[:, 1] == 0).sum())
    assert few.note == f"undefined in {undefined} of 40 resamples: kappa"
    [none] = agreement(conn, "mine", ["few"], bootstrap=Bootstrap(resamples=9))
    assert (none.note, none.intervals) == ("no document is graded by both", dict.fromkeys(MEASURES, (None, None)))


@pytest.mark.parametrize("options", [{"resamples": 0}, {"seed": -1}, {"level": 1.0}, {"level": 0.0}, {"of": "run"}])
def test_a_bootstrap_that_cannot_be(options: dict[str, Any]) -> None:
    with pytest.raises(BadArgument) as error:
        Bootstrap(**options).check("all")
    assert error.value.hint


def test_draws_are_within_a_unit() -> None:
    for by, of in (("query", "query"), ("query", "topic"), ("topic", "topic")):
        with pytest.raises(BadArgument, match="cannot come from"):
            Bootstrap(of=of).check(by)
    for by, of in (("query", "pair"), ("topic", "query"), ("all", "topic")):
        Bootstrap(of=of).check(by)
