"""The worst queries of a run: beside pytrec_eval and a search through the rankings in Python."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import psycopg
import pytest
import pytrec_eval
from click.testing import CliRunner

from stcollection.analysis.worst import WorstQuery, worst_queries
from stcollection.cli.evaluation.worst import worst_command as command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401

pytestmark = pytest.mark.slow

CUTOFF = 3


@pytest.fixture
def judged() -> dict[str, dict[str, int]]:
    grades = np.random.default_rng(5).integers(-1, 3, (9, 8))
    return {f"q{query}": {f"q{query}d{doc}": int(grade) for doc, grade in enumerate(row)} for query, row in enumerate(grades)}


@pytest.fixture
def rankings() -> dict[str, dict[str, dict[str, float]]]:
    """Three runs of six documents of ten; the last two are not judged."""
    draw = np.random.default_rng(6)
    return {
        run: {
            f"q{query}": {f"q{query}d{doc}": float(6 - rank) for rank, doc in enumerate(draw.permutation(10)[:6])}
            for query in range(9)
        }
        for run in ("mine", "other", "third")
    }


@pytest.fixture
def edition(
    store_run: StoreRun,  # noqa: F811
    store_qrels: StoreQrels,  # noqa: F811
    judged: dict[str, dict[str, int]],
    rankings: dict[str, dict[str, dict[str, float]]],
) -> str:
    for run, ranking in rankings.items():
        store_run(ranking, run, decoy=False)
    return store_qrels(judged)


def expected(query: str, judged: dict[str, dict[str, int]], rankings: dict[str, Any], values: dict[str, Any]) -> WorstQuery:
    """Return the row of a query, read from the rankings."""
    places = {run: {doc: rank + 1 for rank, doc in enumerate(ranking[query])} for run, ranking in rankings.items()}
    value = values["mine"][query]
    others = {run: values[run][query] for run in ("other", "third")}
    best = max(others.values())
    first = [doc for doc, rank in places["mine"].items() if rank <= CUTOFF]

    def elsewhere(doc: str) -> tuple[float, str]:
        return min((places[run].get(doc, np.inf), run) for run in others)

    relevant = [doc for doc, grade in judged[query].items() if grade > 0 and doc not in first]
    missed = min(relevant, key=lambda doc: (-judged[query][doc], elsewhere(doc)[0], doc), default=None)
    rank, run = elsewhere(missed) if missed else (np.inf, "")
    return WorstQuery(
        query=query,
        text=None,
        value=value,
        best=best,
        best_run=min(run for run, other in others.items() if other == best),
        margins={run: round(other - value, 12) for run, other in others.items()},
        judged=sum(judged[query].get(doc, -1) >= 0 for doc in first) / CUTOFF,
        missed=missed,
        missed_title=None,
        missed_rel=judged[query][missed] if missed else None,
        missed_rank=places["mine"].get(missed) if missed else None,
        missed_elsewhere=None if rank == np.inf else int(rank),
        missed_run=None if rank == np.inf else run,
    )


def test_all_columns_are_those_read_from_the_rankings(
    conn: psycopg.Connection, edition: str, judged: dict[str, dict[str, int]], rankings: dict[str, Any]
) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {f"ndcg_cut.{CUTOFF}"})
    values = {
        run: {query: scores[f"ndcg_cut_{CUTOFF}"] for query, scores in evaluator.evaluate(ranking).items()}
        for run, ranking in rankings.items()
    }
    rows = worst_queries(conn, "mine", edition=edition, measure=f"nDCG@{CUTOFF}", limit=20)
    wanted = [expected(query, judged, rankings, values) for query in judged if any(grade >= 0 for grade in judged[query].values())]
    wanted.sort(key=lambda row: (round(row.value, 9), row.query))
    assert [row.query for row in rows] == [row.query for row in wanted]
    assert any(row.missed_rank is None for row in rows)
    assert any(row.missed_rank is not None for row in rows)
    for row, other in zip(rows, wanted, strict=True):
        assert row.margins == pytest.approx(other.margins)
        assert (row.value, row.best, row.judged) == pytest.approx((other.value, other.best, other.judged))
        assert (row.best_run, *row[7:8], *row[9:]) == (other.best_run, *other[7:8], *other[9:])


def test_only_the_named_runs_are_compared_and_the_limit_counts(conn: psycopg.Connection, edition: str) -> None:
    rows = worst_queries(conn, "mine", ["third"], edition=edition, limit=2)
    assert [set(row.margins) for row in rows] == [{"third"}] * 2
    assert [row.best_run for row in rows] == ["third"] * 2
    alone = worst_queries(conn, "mine", ["mine"], edition=edition, limit=1)
    assert (alone[0].margins, alone[0].best, alone[0].missed_run) == ({}, None, None)


def test_the_command_prints_the_rows(settings: Settings, conn: psycopg.Connection, edition: str) -> None:
    def run(*arguments: str) -> str:
        return CliRunner().invoke(command, ["mine", "--edition", edition, *arguments], obj=settings, catch_exceptions=False).stdout

    [row] = json.loads(run("-n", "1", "--format", "json"))
    [same] = worst_queries(conn, "mine", edition=edition, limit=1)
    assert {name: row[name] for name in WorstQuery._fields} == same._asdict()
    assert same.query in run("-n", "1")


@pytest.mark.parametrize(
    ("run", "options", "error"),
    [
        ("nobody", {}, UnknownObject),
        ("mine", {"others": ["nobody"]}, UnknownObject),
        ("mine", {"measure": "official"}, BadArgument),
        ("mine", {"limit": 0}, BadArgument),
        ("mine", {"queries": "q99"}, UnknownObject),
    ],
)
def test_wrong_arguments_are_refused(
    conn: psycopg.Connection, edition: str, run: str, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        worst_queries(conn, run, edition=edition, **options)
