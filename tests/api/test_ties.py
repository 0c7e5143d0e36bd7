"""Rankings that admit ties, from the demo: Python, the command, the figure and SQL."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from stcollection.analysis.systems import system_scores
from stcollection.analysis.tie_groups import ranked_groups
from stcollection.analysis.ties import TieRules, tied_ranking
from stcollection.api.collection import Collection
from stcollection.cli.evaluation.leaderboard import command as leaderboard
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import AP
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


def test_in_sql_by_the_tests_of_compare_runs(demo_settings: Settings) -> None:
    with Collection(demo_settings) as collection:
        conn = collection.connection
        found = conn.execute("SELECT * FROM tied_ranking('train', 'nDCG@10')").fetchall()
        worse = conn.execute(
            "SELECT CASE WHEN difference > 0 THEN run ELSE against END, CASE WHEN difference > 0 THEN against ELSE run END"
            " FROM compare_runs('train', 'nDCG@10') WHERE p_holm < 0.05"
        ).fetchall()
        assert worse
        expected = tied_ranking(conn, edition="train", rules=TieRules(resamples=100))
        assert [row[0] for row in found] == [one.run for one in expected.runs]
        assert [row[1] for row in found] == pytest.approx([one.mean for one in expected.runs])
        for run, _, rank, low, high, _ in found:
            assert low == 1 + sum(loser == run for _, loser in worse) <= rank
            assert high == 5 - sum(winner == run for winner, _ in worse) >= rank
        beats = [[(row[0], other[0]) in worse for other in found] for row in found]
        assert [row[5] for row in found] == ranked_groups(beats)
        with pytest.raises(BadArgument, match="alpha is 1"), translate():
            conn.execute("SELECT * FROM tied_ranking('train', alpha => 1)")


def test_the_figure_has_the_ranks(demo_settings: Settings) -> None:
    with Collection(demo_settings) as collection:
        table = table_of(collection.plot.ranks("train", measure="AP"))
        assert [row[4] for row in table.rows] == [1, 2, 3, 4, 5]
