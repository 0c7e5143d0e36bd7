"""Scores by labels, corrected with the judgments of people, compared with the formulas in numpy and scipy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest
import pytrec_eval
from click.testing import CliRunner
from scipy import stats

from stcollection.analysis.corrected import CorrectedScore, cautions, corrected_scores
from stcollection.cli.score import command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401
from tests.evaluation.test_sampled import Pool, store_pool  # noqa: F401

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
        "labelled": len(every), "worth": y.var(ddof=1) / se**2, "unit": "query",
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


def test_scores_to_be_careful_with_are_named() -> None:
    good = CorrectedScore("good", 0.5, 0.4, 0.6, 0.05, 0.7, 0.5, 0.5, 0.1, 9, 24, 36.0, "query")
    assert cautions([good]) == []
    [useless] = cautions([good, good._replace(run="bad", weight=0.0)])
    assert useless.startswith("The labels do not help, because they are the same everywhere or do not agree with people: bad.")
    [constant] = cautions([good._replace(run="flat", se=0.0, worth=None)])
    assert constant.startswith("Every judged query has the same value")
    assert "flat" in constant
    [complete] = cautions([good._replace(weight=0.0, labelled=9)])
    assert complete.startswith("People judged everything that has a label")


@pytest.fixture
def sampled(store_pool: Callable[..., str], grades: tuple[Judged, Judged]) -> tuple[str, dict[str, Pool]]:  # noqa: F811
    """Strata of four documents each, of which people judged all or two, for their queries."""
    pools: dict[str, Pool] = {
        query: {doc: (f"s{at // 4}", grade if at < 4 or at % 2 else -1) for at, (doc, grade) in enumerate(judged.items())}
        for query, judged in grades[0].items()
    }
    return store_pool(pools), pools


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(("measure", "baseline"), [("DCG@3", None), ("P@3", None), ("DCG@3", "other")])
def test_a_sample_of_documents_gives_the_weighted_mean_over_pairs(
    conn: psycopg.Connection,
    grades: tuple[Judged, Judged],
    rankings: dict[str, Any],
    sampled: tuple[str, dict[str, Pool]],
    measure: str,
    baseline: str | None,
) -> None:
    """As ppi_mean_pointestimate of ppi-python with weights, for which the weights of benchmarks/corrected.py are compared."""
    people, pools = sampled

    def weight(run: str, query: str, doc: str) -> float:
        ranked = [*rankings[run].get(query, {})][:3]
        return (1 / np.log2(ranked.index(doc) + 2) if measure[0] == "D" else 1 / 3) if doc in ranked else 0.0

    def gain(grade: int) -> float:
        return float(grade) if measure[0] == "D" else float(grade > 0)

    rows = corrected_scores(conn, labels="llm", people=people, measure=measure, baseline=baseline)
    assert {row.run for row in rows} == {*RUNS} - {baseline}
    for row in rows:
        human, excess, every, slopes = [], [], [], []
        for query, labels in grades[1].items():
            of = {doc: weight(row.run, query, doc) - (weight(baseline, query, doc) if baseline else 0) for doc in labels}
            every.append(sum(of[doc] * gain(labels[doc]) for doc in labels))
            if query not in pools:
                continue
            y, f = [], []
            for stratum in ("s0", "s1"):
                docs = [doc for doc, (own, _) in pools[query].items() if own == stratum]
                drawn = [doc for doc in docs if pools[query][doc][1] >= 0]
                y.append((len(docs) / len(drawn), [of[doc] * gain(pools[query][doc][1]) for doc in drawn]))
                f.append((len(docs) / len(drawn), [of[doc] * gain(labels[doc]) for doc in drawn]))
            human.append(sum(share * sum(column) for share, column in y))
            excess.append(sum(share * sum(column) for share, column in f) - every[-1])
            slopes.append(np.cov(y[1][1], f[1][1]))  # only of the stratum that is a sample
        cov, var = sum(one[0, 1] for one in slopes), sum(one[1, 1] for one in slopes)
        tuned = float(np.clip(cov / var, 0, 1)) if var else 0.0
        estimates = dict(zip(pools, np.array(human) - tuned * np.array(excess), strict=True))
        of_people = expected(estimates, dict(zip(grades[1], every, strict=True)), 0.05)
        assert row._asdict() == pytest.approx(
            of_people
            | {"run": row.run, "weight": tuned, "by_people": np.mean(human), "n": 6 * PEOPLE, "labelled": 8 * QUERIES}
            | {"people_se": (people_se := np.std(human, ddof=1) / np.sqrt(PEOPLE)), "unit": "pair"}
            | {"worth": 6 * PEOPLE * (people_se / of_people["se"]) ** 2}
        )


@pytest.mark.usefixtures("stored")
def test_a_sample_of_documents_has_no_other_measures_and_no_empty_stratum(
    conn: psycopg.Connection,
    sampled: tuple[str, dict[str, Pool]],
    store_pool: Callable[..., str],  # noqa: F811
) -> None:
    with pytest.raises(BadArgument, match="nDCG@10 is not a mean over judged documents") as error:
        corrected_scores(conn, labels="llm", people=sampled[0])
    assert "DCG@k or P@k" in str(error.value.hint)
    lacking = store_pool({"q1": {"q1d1": ("deep", -1), "q1d2": ("top", 1)}, "q2": {"q2d1": ("top", 1)}}, "lacking")
    with pytest.raises(StateError, match="stratum 'deep' of query 'q1' has no judgment"):
        corrected_scores(conn, labels="llm", people=lacking, measure="DCG@3")


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
