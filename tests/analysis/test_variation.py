"""Scores on several queries of a topic: beside statsmodels, pandas and pytrec_eval, on unequal numbers of queries."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import pytest
import pytrec_eval
import scipy.stats
from click.testing import CliRunner
from statsmodels.formula.api import ols

from stcollection.analysis.variation import RunVariation, run_variation, topic_variation, variance_sources
from stcollection.cli.analysis.variation import variation_command as command
from stcollection.db.settings import Settings
from stcollection.errors import StateError, UnknownObject
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401

pytestmark = pytest.mark.slow

TOPICS = {"T1": 4, "T2": 2, "T3": 3, "T4": 1}  # the last one has no other formulation
RUNS = ("mine", "other", "third")
QUERIES = {f"{topic}.{number}": topic for topic, many in TOPICS.items() for number in range(many)}


@pytest.fixture
def values(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> pd.DataFrame:  # noqa: F811
    """Three runs and their nDCG@10 by pytrec_eval. A run has nothing for a query, and a query without topic is judged too."""
    draw = np.random.default_rng(5)
    judged = {query: {f"{query}d{doc}": int(draw.integers(0, 3)) for doc in range(8)} for query in [*QUERIES, "lone"]}
    rows = []
    for run in RUNS:
        ranking = {
            query: {f"{query}d{doc}": float(6 - rank) for rank, doc in enumerate(draw.permutation(10)[:6])}
            for query in judged
            if (run, query) != ("third", "T1.2")
        }
        store_run(ranking, run, decoy=False)
        scores = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"}).evaluate(ranking)
        rows += [(run, topic, query, scores.get(query, {}).get("ndcg_cut_10", 0.0)) for query, topic in QUERIES.items()]
    store_qrels(judged, "e")
    for topic in TOPICS:
        conn.execute("INSERT INTO st1_topics (topic) VALUES (%s)", [topic])
    conn.execute("UPDATE stc.st1_queries q SET topic = t.id FROM st1_topics t WHERE t.topic = split_part(q.query, '.', 1)")
    table = pd.DataFrame(rows, columns=["run", "topic", "query", "value"])
    return table[table.topic != "T4"]


def test_topics_are_those_of_pandas(conn: psycopg.Connection, values: pd.DataFrame) -> None:
    rows = {(row.run, row.topic): row for row in topic_variation(conn, "e")}
    assert len(rows) == len(RUNS) * 3
    for (run, topic), group in values.groupby(["run", "topic"]):
        row = rows[run, topic]
        assert (row.queries, row.mean, row.variance) == pytest.approx((len(group), group.value.mean(), group.value.var()))
        assert (row.best, row.worst) == pytest.approx((group.value.max(), group.value.min()))
        by_query = group.set_index("query").value
        assert (by_query[row.best_query], by_query[row.worst_query]) == pytest.approx((row.best, row.worst))
    assert [*topic_variation(conn, "e", runs="mine", queries="topic:T1")] == [rows["mine", "T1"]]


def test_runs_are_those_of_pandas(conn: psycopg.Connection, values: pd.DataFrame) -> None:
    rows = run_variation(conn, "e", baseline="other")
    assert [row.worst for row in rows] == sorted((row.worst for row in rows), reverse=True)
    wide = values.pivot_table(index="query", columns="run", values="value")
    for row in rows:
        own = values[values.run == row.run]
        topics = own.groupby("topic").value
        within = ((own.value - topics.transform("mean")) ** 2).sum()
        assert (row.topics, row.queries) == (3, 9)
        assert (row.mean, row.best, row.worst) == pytest.approx((topics.mean().mean(), topics.max().mean(), topics.min().mean()))
        assert row.deviation == pytest.approx(np.sqrt(within / (9 - 3)))
        assert row.share == pytest.approx(within / ((own.value - own.value.mean()) ** 2).sum())
        assert row.robustness == pytest.approx(np.sign((wide[row.run] - wide["other"]).round(12)).mean())
    for name, rank in (("mean", "rank"), ("worst", "worst_rank")):
        ranks = pd.Series({row.run: getattr(row, name) for row in rows}).rank(ascending=False, method="min")
        assert {row.run: getattr(row, rank) for row in rows} == ranks.to_dict()
    assert {row.robustness for row in run_variation(conn, "e")} == {None}
    assert [row.run for row in run_variation(conn, "e", runs=["mine"], baseline="other")] == [
        row.run for row in rows if row.run != "third"
    ]


def test_the_sources_of_variance_are_those_of_statsmodels(conn: psycopg.Connection, values: pd.DataFrame) -> None:
    """Each source is what it explains beyond those before it: nested models, because queries are nested in topics."""
    rows = {row.source: row for row in variance_sources(conn, "e")}
    terms = {
        "topic": "C(topic)", "formulation": "C(query)", "system": "C(query) + C(run)",
        "system x topic": "C(query) + C(run) + C(run):C(topic)",
    }  # fmt: skip
    with warnings.catch_warnings(action="ignore"):  # a query determines its topic, so columns of the last model are redundant
        fits = [ols(f"value ~ {term}", values).fit() for term in ("1", *terms.values())]
    whole, residual = fits[-1], rows["system x formulation"]
    assert residual.squares == pytest.approx(whole.ssr)
    assert (residual.df, residual.f, residual.p) == (12, None, None)
    assert sum(row.share or 0 for row in rows.values()) == pytest.approx(1)
    for source, less, more in zip(terms, fits, fits[1:], strict=False):
        row, squares, df = rows[source], less.ssr - more.ssr, less.df_resid - more.df_resid
        f = squares / df / (whole.ssr / whole.df_resid)
        assert (row.df, row.squares, row.share) == pytest.approx((df, squares, squares / fits[0].ssr))
        assert (row.f, row.p) == pytest.approx((f, scipy.stats.f.sf(f, df, whole.df_resid)))
        assert row.omega == pytest.approx(df * (f - 1) / (df * (f - 1) + len(values)))


@pytest.mark.usefixtures("values")
def test_one_run_and_equal_values(conn: psycopg.Connection, store_qrels: StoreQrels) -> None:  # noqa: F811
    """One run has no residual; if no document is relevant, nothing varies."""
    rows = {row.source: row for row in variance_sources(conn, "e", runs="mine")}
    assert (rows["system"].df, rows["system"].f, rows["topic"].f, rows["topic"].p) == (0, None, None, None)
    assert rows["topic"].share is not None
    assert rows["formulation"].share is not None
    assert rows["topic"].share + rows["formulation"].share == pytest.approx(1)
    store_qrels({query: {f"{query}d0": 0} for query in QUERIES}, "nothing")
    assert {(row.squares, row.share, row.f) for row in variance_sources(conn, "nothing")} == {(0, None, None)}
    assert {(row.mean, row.deviation, row.share) for row in run_variation(conn, "nothing")} == {(0, 0, None)}


@pytest.mark.usefixtures("values")
def test_the_command_prints_the_rows(settings: Settings, conn: psycopg.Connection) -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(command, ["--edition", "e", *arguments], obj=settings, catch_exceptions=False)

    rows = run_variation(conn, "e", runs=["mine", "other"])
    printed = json.loads(run("mine", "other", "--format", "json").stdout)
    assert [{name: row[name] for name in RunVariation._fields} for row in printed] == [row._asdict() for row in rows]
    assert "3 topics with several judged queries, 9 queries" in run().stderr
    assert len(run("--by", "topic", "--format", "csv").stdout.splitlines()) == 1 + 9
    assert "system x formulation" in run("--by", "source").stdout
    with pytest.raises(Exception, match="--baseline with --by topic"):
        run("--by", "topic", "--baseline", "mine")


@pytest.mark.usefixtures("values")
def test_what_cannot_be_compared_is_refused(conn: psycopg.Connection) -> None:
    for queries in ("lone", "topic:T4", "T1.0+T2.0"):
        with pytest.raises(StateError, match="no topic has two queries that 'e' judges"):
            run_variation(conn, "e", queries=queries)
    wrong: list[dict[str, Any]] = [{"baseline": "nobody"}, {"runs": ["nobody"]}, {"runs": ["mine"], "baseline": "nobody"}]
    for options in (*wrong, {"edition": "nothing"}):
        with pytest.raises(UnknownObject, match=r"nobody|nothing"):
            run_variation(conn, options.pop("edition", "e"), **options)
