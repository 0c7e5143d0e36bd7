"""Leaderboards, comparisons and figures over the queries of one origin use only its queries."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.bias import Bias, bias
from stcollection.analysis.bias_model import mixed_model
from stcollection.analysis.drill import query_scores
from stcollection.analysis.findings import Draw, findings
from stcollection.analysis.impact import impact, impact_queries
from stcollection.analysis.labels import labels, shape
from stcollection.analysis.marks import marked_leaderboard
from stcollection.analysis.origins import origin_statistics
from stcollection.analysis.readability import compare_readability
from stcollection.analysis.reliability import reliability
from stcollection.analysis.significance import compare
from stcollection.analysis.systems import system_scores
from stcollection.cli.analysis.comparisons import leaderboard_command as command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import AP, nDCG, parse_measure
from stcollection.evaluation.score import score
from stcollection.evaluation.zscores import zscore_norms, zscores
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401
from tests.groups import Prefixed

pytestmark = pytest.mark.slow

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
    printed = CliRunner().invoke(command, ["--edition", edition, "--queries", "t5", "-m", "AP"], obj=settings)
    assert printed.exit_code == 0, printed.output
    assert "12 queries (t5)" in printed.output
    as_csv = CliRunner().invoke(command, ["--edition", edition, "--queries", "t5", "-m", "AP", "--format", "csv"], obj=settings)
    marked = marked_leaderboard(conn, edition=edition, measures=[AP], queries="t5")
    rows = list(csv.DictReader(io.StringIO(as_csv.output)))
    assert [(row["run"], float(row["AP"])) for row in rows] == [(line.run, line.cells[0].value) for line in marked.lines]


def test_sums_and_geometric_means_of_a_set(conn: psycopg.Connection, edition: str) -> None:
    by_query = score(conn, runs=["good"], edition=edition, measures=[parse_measure("num_rel_ret"), AP], queries="t5")
    assert len({one.query for one in by_query}) == 12
    marked = marked_leaderboard(
        conn, edition=edition, measures=[parse_measure("num_rel_ret"), parse_measure("gm_map")], baseline="poor", queries="t5"
    )
    [line] = [line for line in marked.lines if line.run == "good"]
    values = {name: [one.value for one in by_query if one.measure.trec_eval == name] for name in ("map", "num_rel_ret")}
    logarithms = np.log(np.maximum(values["map"], 1e-5))
    assert [cell.value for cell in line.cells] == pytest.approx([sum(values["num_rel_ret"]), float(np.exp(logarithms.mean()))])


def test_a_set_that_names_nothing_and_one_that_is_not_judged(conn: psycopg.Connection, edition: str) -> None:
    with pytest.raises(UnknownObject, match="'gpt-4'"):
        marked_leaderboard(conn, edition=edition, measures=[AP], queries="gpt-4")
    conn.execute("INSERT INTO st1_queries (query, origin) VALUES ('other', 'gpt-4')")
    with pytest.raises(BadArgument, match="no judged queries in the set 'gpt-4'") as error:
        marked_leaderboard(conn, edition=edition, measures=[AP], queries="gpt-4")
    assert error.value.hint == "Origins of its judged queries: human, t5."


SET = "q0*+q2*"  # 20 queries of both origins


@pytest.fixture
def part(conn: psycopg.Connection, edition: str) -> str:
    """An edition with the judgments of SET alone; and the editions ``other`` and ``other-part``, which grade differently."""
    conn.execute(
        "UPDATE st1_runs SET family = upper(run);"
        "INSERT INTO qrels_editions (edition) VALUES ('part'), ('other'), ('other-part');"
        "UPDATE st1_queries SET text = query"
    )
    copied = (
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin)"
        " SELECT (SELECT id FROM qrels_editions WHERE edition = %(into)s), j.query, j.doc,"
        "        CASE WHEN %(same)s THEN j.rel ELSE (j.rel + j.doc + j.query) %% 3 END, 'human'"
        "   FROM qrels j JOIN st1_queries q ON q.id = j.query"
        "  WHERE j.edition = stc.edition_key(%(of)s) AND (%(every)s OR q.query IN (SELECT query FROM query_set(%(set)s)))"
    )
    for into, same, every in (("part", True, False), ("other", False, True), ("other-part", False, False)):
        conn.execute(copied, {"into": into, "same": same, "every": every, "of": edition, "set": SET})
    return edition


def rows_of(found: Any) -> Any:
    """Return a result without the name of its edition."""
    return replace(found, edition="") if isinstance(found, Bias) else found


def test_results_of_a_set_are_those_of_an_edition_that_judges_only_it(conn: psycopg.Connection, part: str) -> None:
    by: dict[str, Any] = {"measure": nDCG @ 5}
    for queries, whole, other in ((SET, part, "other"), ("all", "part", "other-part")):
        found = [
            rows_of(bias(conn, edition=whole, **by, queries=queries)),
            zscores(conn, edition=whole, measures=[nDCG @ 5], queries=queries),
            zscore_norms(conn, edition=whole, measures=[nDCG @ 5], queries=queries),
            impact(conn, whole, other, **by, queries=queries),
            impact_queries(conn, whole, other, **by, queries=queries),
            [replace(one, human="", other="") for one in labels(conn, human=whole, others=[other], by="origin", queries=queries)],
            shape(conn, other, queries=queries),
            reliability(conn, edition=whole, **by, queries=queries, pairs=[("all", "t5")]),
            [
                (one.id, one.ours, one.low, one.high, one.verdict)
                for one in findings(conn, human=whole, llm=other, draw=Draw(20), queries=queries)
            ],
            origin_statistics(conn, edition=whole, by=("origin", "type"), queries=queries),
        ]
        if queries == SET:
            of_set = found
    assert of_set == found
    assert of_set[1] != zscores(conn, edition=part, measures=[nDCG @ 5])
    assert len(of_set[4]) == 40
    assert [one.queries for one in of_set[0].difficulty] == [10, 10]
    assert [one.queries for one in of_set[9]] == [10, 10]


def test_the_mixed_model_of_a_set(conn: psycopg.Connection, part: str) -> None:
    pytest.importorskip("statsmodels")
    assert mixed_model(conn, edition=part, queries=SET) == mixed_model(conn, edition="part")


def test_readability_of_a_set(conn: psycopg.Connection, part: str) -> None:
    conn.execute(
        "UPDATE dblp SET stub = false; INSERT INTO st1_complexity_metrics (id, read_tok, textstat_fkgl) SELECT id, 5, id FROM dblp"
    )
    whole = compare_readability(conn, run="good", against="poor", edition="part")
    assert str(compare_readability(conn, run="good", against="poor", queries=SET)) == str(whole)  # nan differs from nan
    assert whole[0].queries == 0  # no references
    assert whole[4].queries == 20


@pytest.mark.parametrize(
    "words",
    [
        "analysis bias {0}", "analysis bias {0} --show systems", "analysis labels {0} other{1} --table rankings",
        "analysis labels {0} other{1} --table confusion", "analysis findings --human {0} --llm other{1} --resamples 20",
        "qrels impact {0} other{1}", "qrels impact {0} other{1} --per-query", "evaluation zscores --edition {0}",
        "evaluation zscores --edition {0} --norms", "evaluation readability --edition {0}",
    ],
)  # fmt: skip
def test_commands_take_a_set(conn: psycopg.Connection, part: str, settings: Settings, words: str) -> None:
    conn.execute(
        "UPDATE dblp SET stub = false; INSERT INTO st1_complexity_metrics (id, read_tok, textstat_fkgl) SELECT id, 5, id FROM dblp"
    )

    def printed(edition: str, other: str, *more: str) -> str:
        group, *command = words.format(edition, other).split()
        style = (
            [] if "--norms" in command else ["--format", "csv"] + (["--show", "families"] if command == ["bias", edition] else [])
        )
        done = CliRunner().invoke(Prefixed(group), [*command, *style, *more], obj=settings)
        assert done.exit_code == 0 or "--queries" in more, (done.output, done.exception)
        return str(done.exception) if done.exception else done.stdout.replace(f"other{other}", "other").replace(edition, "edition")

    of_set = printed(part, "", "--queries", SET)
    assert of_set == printed("part", "-part")
    assert of_set != printed(part, "")
    assert "no query or set of queries 'nope'" in printed(part, "", "--queries", "nope")
