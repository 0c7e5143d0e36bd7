"""Scores by labels, corrected with the judgments of people, compared with the formulas in numpy and scipy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import psycopg
import pytest
import pytrec_eval
from click.testing import CliRunner
from scipy import stats

from stcollection.analysis.corrected import CorrectedScore, corrected_scores
from stcollection.cli.score import command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401

pytestmark = pytest.mark.slow

Judged = dict[str, dict[str, int]]
QUERIES, PEOPLE, RUNS = 24, 9, ("mine", "other", "third")


@pytest.fixture
def grades() -> tuple[Judged, Judged]:
    """Judgments of people on nine queries, and labels on all that mostly agree with them."""
    draw = np.random.default_rng(5)
    true = draw.integers(0, 3, (QUERIES, 8))
    wrong = draw.random(true.shape) < 0.2
    labels = np.where(wrong, draw.integers(0, 3, true.shape), true)

    def edition(rows: Any) -> Judged:
        return {f"q{query}": {f"q{query}d{doc}": int(grade) for doc, grade in enumerate(row)} for query, row in enumerate(rows)}

    return edition(true[:PEOPLE]), edition(labels)


@pytest.fixture
def rankings() -> dict[str, dict[str, dict[str, float]]]:
    draw = np.random.default_rng(6)
    return {
        run: {
            f"q{query}": {f"q{query}d{doc}": float(6 - rank) for rank, doc in enumerate(draw.permutation(10)[:6])}
            for query in range(QUERIES)
            if (run, query) != ("third", 2)  # no results for a query that people judged
        }
        for run in RUNS
    }


@pytest.fixture
def stored(
    store_run: StoreRun,  # noqa: F811
    store_qrels: StoreQrels,  # noqa: F811
    grades: tuple[Judged, Judged],
    rankings: dict[str, Any],
) -> None:
    for run, ranking in rankings.items():
        store_run(ranking, run, decoy=False)
    store_qrels(grades[0], "human")
    store_qrels(grades[1], "llm")


def values(judged: Judged, ranking: dict[str, Any]) -> dict[str, float]:
    scores = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"}).evaluate(ranking)
    return {query: scores.get(query, {}).get("ndcg_cut_10", 0.0) for query in judged}


def expected(people: dict[str, float], labels: dict[str, float], alpha: float) -> dict[str, float]:
    """Return the estimates, from the formulas of Angelopoulos, Duchi & Zrnic (2023)."""
    y, f = np.array([*people.values()]), np.array([labels[query] for query in people])
    rest = np.array([value for query, value in labels.items() if query not in people])
    every = np.concatenate([f, rest])
    slope = np.cov(y, f, ddof=0)[0, 1] / ((1 + len(y) / len(rest)) * every.var(ddof=1)) if every.var() else 0.0
    weight = float(np.clip(slope, 0, 1))
    corrected = weight * rest.mean() + (y - weight * f).mean()
    se = np.sqrt((y - weight * f).var(ddof=1) / len(y) + weight**2 * rest.var(ddof=1) / len(rest))
    half = stats.t(len(y) - 1).ppf(1 - alpha / 2) * se
    return {
        "corrected": corrected, "low": corrected - half, "high": corrected + half, "se": se, "weight": weight,
        "by_labels": every.mean(), "by_people": y.mean(), "people_se": y.std(ddof=1) / np.sqrt(len(y)), "n": len(y),
        "labelled": len(every), "worth": y.var(ddof=1) / se**2,
    }  # fmt: skip


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(("baseline", "alpha"), [(None, 0.05), ("other", 0.2)])
def test_the_estimates_are_those_of_the_formulas(
    conn: psycopg.Connection, grades: tuple[Judged, Judged], rankings: dict[str, Any], baseline: str | None, alpha: float
) -> None:
    scored = [{run: values(judged, ranking) for run, ranking in rankings.items()} for judged in grades]
    if baseline:
        less = [of.pop(baseline) for of in scored]
        scored = [
            {run: {query: value - base[query] for query, value in row.items()} for run, row in of.items()}
            for of, base in zip(scored, less, strict=True)
        ]
    rows = corrected_scores(conn, labels="llm", people="human", baseline=baseline, alpha=alpha)
    assert {row.run for row in rows} == set(scored[0])
    assert [row.corrected for row in rows] == sorted((row.corrected for row in rows), reverse=True)
    for row in rows:
        found = {name: value for name, value in row._asdict().items() if name != "run"}
        assert found == pytest.approx(expected(scored[0][row.run], scored[1][row.run], alpha), abs=1e-9)
    named = corrected_scores(conn, ["mine"], labels="llm", people="human", baseline=baseline, alpha=alpha)
    assert [*named] == [row for row in rows if row.run == "mine"]


@pytest.mark.usefixtures("stored")
def test_labels_without_information_leave_the_mean_of_people(
    conn: psycopg.Connection,
    store_qrels: StoreQrels,  # noqa: F811
    rankings: dict[str, Any],
) -> None:
    """A judge that always says 1, about every document of every run."""
    always = {query: {f"{query}d{doc}": 1 for doc in range(10)} for query in rankings["mine"]}
    store_qrels(always, "ones")
    [row] = corrected_scores(conn, ["mine"], labels="ones", people="human", measure="P@5")
    assert (row.weight, row.by_labels) == pytest.approx((0, 1))
    assert (row.corrected, row.se) == pytest.approx((row.by_people, row.people_se))
    assert row.worth == pytest.approx(PEOPLE)


@pytest.mark.usefixtures("stored")
def test_all_queries_judged_by_people(conn: psycopg.Connection) -> None:
    [row] = corrected_scores(conn, ["mine"], labels="human", people="human")
    assert (row.corrected, row.se, row.weight) == pytest.approx((row.by_people, row.people_se, 0))


@pytest.mark.usefixtures("stored")
def test_the_quantiles_are_scipys(conn: psycopg.Connection) -> None:
    for df in (1, 2, 3, 8, 29, 200):
        for p in (0.5, 0.6, 0.9, 0.975, 0.9999):
            [(found,)] = conn.execute("SELECT stc.student_t_quantile(%s, %s)", [p, df]).fetchall()
            assert found == pytest.approx(stats.t(df).ppf(p), rel=1e-9, abs=1e-9), (df, p)
    for outside in ((0.4, 5), (1.0, 5), (None, 5), (0.9, 0)):
        assert conn.execute("SELECT stc.student_t_quantile(%s, %s)", outside).fetchall() == [(None,)]


@pytest.mark.usefixtures("stored")
def test_the_command_prints_the_rows(settings: Settings, conn: psycopg.Connection) -> None:
    def run(*arguments: str) -> Any:
        typed = ["--labels", "llm", "--correct-with", "human", *arguments]
        return CliRunner().invoke(command, typed, obj=settings, catch_exceptions=False)

    rows = corrected_scores(conn, labels="llm", people="human")
    assert [{name: row[name] for name in CorrectedScore._fields} for row in json.loads(run("--format", "json").stdout)] == [
        row._asdict() for row in rows
    ]
    printed = run("mine")
    assert "24 queries with labels, 9 of them judged by people" in printed.stderr
    assert run("--labels", "llm", "--worst", "3").exit_code == 2


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"labels": "human", "people": "llm"}, StateError, "judged by 'llm' but not by 'human'"),
        ({"queries": "q1"}, StateError, "'human' judges 1 query"),
        ({"labels": "nothing"}, UnknownObject, "nothing"),
        ({"baseline": "nobody"}, UnknownObject, "nobody"),
        ({"alpha": 1.0}, BadArgument, "alpha"),
    ],
)
def test_wrong_arguments_are_refused(
    conn: psycopg.Connection, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        corrected_scores(conn, **{"labels": "llm", "people": "human", **options})
