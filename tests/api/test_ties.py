"""Rankings that admit ties, from the demo: Python, the command, the page and the figure."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from stcollection.analysis.board import BoardRequest, board, ranking
from stcollection.analysis.systems import system_scores
from stcollection.analysis.ties import TieRules, tied_ranking
from stcollection.api.collection import Collection
from stcollection.cli.evaluation.scores import leaderboard_command as leaderboard
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StcError, translate
from stcollection.evaluation.measures import AP, nDCG, parse_measure
from stcollection.plots.table import table_of

pytestmark = pytest.mark.slow


def test_the_ranking_of_the_demo(demo_settings: Settings) -> None:
    with Collection(demo_settings) as collection:
        conn = collection.connection
        found = tied_ranking(conn, edition="train", measure=AP, rules=TieRules(resamples=2000))
        expected = system_scores(conn, edition="train", measure=AP)
        assert [(one.run, one.mean, one.low, one.high) for one in found.runs] == [
            (one.run, one.mean, one.low, one.high) for one in expected
        ]
        assert [one.rank for one in found.runs] == [1, 2, 3, 4, 5]
        assert all(one.rank_low <= one.rank <= one.rank_high for one in found.runs)
        for pair in found.pairs:
            assert (pair.p < 0.05) == (pair.low > 0 or pair.high < 0)
        for one in found.runs:
            worse = sum(pair.p < 0.05 for pair in found.pairs if pair.run == one.run)
            assert one.rank_high == 5 - worse
        frame = collection.analysis.ties("train", measure="AP", rules=TieRules(resamples=2000))
        assert frame["rank_high"].tolist() == [one.rank_high for one in found.runs]
        pairs = collection.analysis.ties("train", measure="AP", pairs=True, frame="polars")
        assert pairs.columns == list(found.pairs[0]._fields)
        with pytest.raises(BadArgument, match="not a mean"):
            collection.analysis.ties("train", measure="num_rel")


def test_the_command(demo_settings: Settings) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(leaderboard, ["--edition", "train", *words], obj=demo_settings)
        return done.stdout + done.stderr

    assert "ranks" in run("--ties", "-m", "AP")
    assert run("--ties", "--pairs", "--format", "csv", "--resamples", "200").startswith("run,against,difference,low,high,p,")
    assert "--seed needs --ties" in run("--seed", "3")
    assert "--ties takes one measure" in run("--ties", "-m", "AP,nDCG@10")


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_the_page_has_the_intervals_of_the_command(demo_settings: Settings, correction: str) -> None:
    words = ["--edition", "train", "--ties", "-m", "AP", "--alpha", "0.1", "--format", "json"]
    done = CliRunner().invoke(leaderboard, words, obj=demo_settings)
    printed = {row["run"]: (row["rank_low"], row["rank_high"]) for row in json.loads(done.stdout)}
    with Collection(demo_settings) as collection:
        conn = collection.connection
        asked = BoardRequest(edition="train", measures=(AP, nDCG @ 10), correction=correction, alpha=0.1)
        assert ranking(conn, board(conn, asked), AP).spans == printed
        assert len(set(printed.values())) > 1
        other = replace(asked, alpha=0.01, runs=("bm25", "hybrid"))
        chosen = tied_ranking(conn, edition="train", measure=nDCG @ 10, runs=other.runs, rules=TieRules(alpha=0.01))
        assert ranking(conn, board(conn, other), nDCG @ 10).spans == {one.run: (one.rank_low, one.rank_high) for one in chosen.runs}


def test_the_page_has_no_intervals_of_ranks_with_a_baseline_or_for_one_query(demo_settings: Settings) -> None:
    with Collection(demo_settings) as collection:
        conn = collection.connection
        [query] = conn.execute("SELECT min(query) FROM judgments WHERE edition = 'train'").fetchone() or [""]
        for asked in (
            BoardRequest(edition="train", measures=(AP,), baseline="bm25"),
            BoardRequest(edition="train", measures=(AP,), queries=query),
            BoardRequest(edition="train", measures=(parse_measure("num_rel_ret"),)),
        ):
            assert ranking(conn, board(conn, asked), asked.measures[0]).spans == {}


@pytest.mark.parametrize(
    ("rules", "message"),
    [({"alpha": 1}, "alpha is 1"), ({"power": 0}, "power is 0"), ({"resamples": 99}, "resamples is 99")],
)
def test_rules_outside_their_range_are_refused(rules: dict[str, float], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        TieRules(**rules)  # type: ignore[arg-type]


@pytest.mark.parametrize(("arguments", "message"), [("0.5, level => 0", "the level is 0"), ("0.5, power => NULL", "power is NULL")])
def test_sql_refuses_wrong_arguments(demo_settings: Settings, arguments: str, message: str) -> None:
    with Collection(demo_settings) as collection, pytest.raises(StcError, match=message) as error, translate():
        collection.connection.execute(f"SELECT queries_needed({arguments})")
    assert error.value.hint


def test_the_figure_has_the_ranks(demo_settings: Settings) -> None:
    with Collection(demo_settings) as collection:
        table = table_of(collection.plot.ranks("train", measure="AP"))
        assert [row[4] for row in table.rows] == [1, 2, 3, 4, 5]
