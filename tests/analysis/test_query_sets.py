"""Leaderboards, comparisons and figures over the queries of one origin use only its queries."""

from __future__ import annotations

import csv
import io

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.drill import query_scores
from stcollection.analysis.marks import marked_leaderboard
from stcollection.analysis.significance import compare
from stcollection.analysis.systems import system_scores
from stcollection.cli.analysis.leaderboard import command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import AP, nDCG, parse_measure
from stcollection.evaluation.score import score
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401

RUNS = ["good", "poor"]


@pytest.fixture
def edition(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> str:  # noqa: F811
    """30 queries, the last 12 with the origin t5; the poor run is better only on those."""
    rng = np.random.default_rng(3)
    runs: dict[str, dict[str, dict[str, float]]] = {run: {} for run in RUNS}
    judged = {}
    for query in range(30):
        docs = [f"q{query}d{doc}" for doc in range(8)]
        judged[f"q{query:02}"] = {doc: int(at < 2) for at, doc in enumerate(docs)}
        for run in RUNS:
            lift = 2.0 if (run == "good") == (query < 18) else 0.3
            runs[run][f"q{query:02}"] = {doc: float(rng.normal(lift if at < 2 else 0)) for at, doc in enumerate(docs)}
    for run, ranking in runs.items():
        store_run(ranking, run, decoy=False)
    name = store_qrels(judged)
    conn.execute("UPDATE st1_queries SET origin = 't5' WHERE query >= 'q18'")
    return name


def test_means_and_tests_use_only_the_set(conn: psycopg.Connection, edition: str) -> None:
    by_query = {(one.run, one.query): one.value for one in score(conn, runs=RUNS, edition=edition, measures=[nDCG @ 5])}
    queries = sorted({query for _, query in by_query})
    for which, members in (("all", queries), ("human", queries[:18]), ("t5", queries[18:]), ("human+t5", queries)):
        marked = marked_leaderboard(conn, edition=edition, measures=[nDCG @ 5], baseline="poor", queries=which)
        means = {run: np.mean([by_query[run, query] for query in members]) for run in RUNS}
        assert {line.run: line.cells[0].value for line in marked.lines} == pytest.approx(means)
        assert marked.lines[0].run == max(means, key=lambda run: means[run])
        assert marked.queries == len(members)
        [pair] = compare(conn, edition=edition, measures=[nDCG @ 5], runs=["good"], baseline="poor", queries=which)
        assert pair.queries == len(members)
        assert pair.difference == pytest.approx(means["good"] - means["poor"])
        for one in system_scores(conn, edition=edition, measure=nDCG @ 5, queries=which):
            assert len(one.values) == len(members)
            assert one.mean == pytest.approx(means[one.run])
        scores = query_scores(conn, run="good", against="poor", edition=edition, measure=nDCG @ 5, queries=which)
        assert sorted(one.query for one in scores) == members
        for row in scores:
            assert row.difference == pytest.approx(by_query["good", row.query] - by_query["poor", row.query])
            assert row.mean == pytest.approx((by_query["good", row.query] + by_query["poor", row.query]) / 2)
    assert marked_leaderboard(conn, edition=edition, measures=[nDCG @ 5], queries="t5").lines[0].run == "poor"


def test_the_command_ranks_by_a_set_and_notes_it(edition: str, conn: psycopg.Connection, settings: Settings) -> None:
    printed = CliRunner().invoke(command, ["--edition", edition, "--query-set", "t5", "-m", "AP"], obj=settings)
    assert printed.exit_code == 0, printed.output
    assert "12 t5 queries" in printed.output
    as_csv = CliRunner().invoke(command, ["--edition", edition, "--query-set", "t5", "-m", "AP", "--format", "csv"], obj=settings)
    marked = marked_leaderboard(conn, edition=edition, measures=[AP], queries="t5")
    rows = list(csv.DictReader(io.StringIO(as_csv.output)))
    assert [(row["run"], float(row["AP"])) for row in rows] == [(line.run, line.cells[0].value) for line in marked.lines]


def test_an_unknown_origin_and_a_measure_that_is_not_a_mean(conn: psycopg.Connection, edition: str) -> None:
    with pytest.raises(BadArgument, match="'gpt-4'") as error:
        marked_leaderboard(conn, edition=edition, measures=[AP], queries="gpt-4")
    assert "t5" in (error.value.hint or "")
    with pytest.raises(BadArgument, match="gm_map is not a mean"):
        marked_leaderboard(conn, edition=edition, measures=[parse_measure("gm_map")], queries="t5")
