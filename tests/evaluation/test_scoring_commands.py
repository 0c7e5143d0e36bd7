"""The commands for preferences, standardised scores and imported scores, as users run them."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.groups import evaluation, qrels


@pytest.mark.slow
def test_preferences_from_file_to_score(conn: psycopg.Connection, settings: Settings, tmp_path: Path, store_run: StoreRun) -> None:
    run = store_run({"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    path = tmp_path / "people.prefs"
    path.write_text("q ada 1 a 3\nq ada 1 b 2\nq ada 2 b 2\nq ada 2 c 1\nq bob 1 c 2\nq bob 1 a 1\n")
    for told in ("6 added", "0 added; 6 stored already"):
        done = CliRunner().invoke(qrels, ["import-preferences", str(path), "--edition", "people"], obj=settings)
        assert (done.exit_code, done.output) == (0, f"{path}: 6 levels in 2 groups on 1 query, {told}\n")
    done = CliRunner().invoke(
        evaluation, ["score", run, "--edition", "people", "-q", "-r", "-R", "prefs", "--format", "trec"], obj=settings
    )
    lines = done.output.splitlines()
    assert lines[3] == "prefs_simp            \tq\t0.7500"
    assert lines[14:17] == [
        f"runid                 \tall\t{run}",
        "num_q                 \tall\t1",
        "prefs_num_prefs_poss  \tall\t4",
    ]
    assert len(lines) == 30


@pytest.mark.slow
def test_standardised_scores(conn: psycopg.Connection, settings: Settings, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    edition = store_qrels({"q1": {"a": 1}, "q2": {"a": 1}})
    good = store_run({"q1": {"a": 1.0}, "q2": {"a": 1.0}}, "good", decoy=False)
    half = store_run({"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}, "half", decoy=False)

    def zscores(*arguments: str) -> Result:
        return CliRunner().invoke(
            evaluation, ["zscores", "--edition", edition, "-m", "AP", "--format", "csv", *arguments], obj=settings
        )

    # q1: scores 1 and .5, mean .75, deviation .3536; q2: both score the same
    assert zscores("--norms").output == "q1 map 0.750000 0.353553\nq2 map 1.000000 0.000000\n"
    rows = [line.split(",") for line in zscores().output.splitlines()]
    assert [row[0] for row in rows] == ["run", good, half]
    assert [round(float(row[1]), 4) for row in rows[1:]] == [0.3536, -0.3536]
    assert zscores("-q", half).output.splitlines()[2] == "half,q2,0.0"
    bad = store_run({"q1": {"a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}, "bad", decoy=False)
    assert zscores("-q", bad, "--reference", good, "--reference", half).output.splitlines()[2] == "bad,q2,"


def test_imported_scores(conn: psycopg.Connection, settings: Settings, tmp_path: Path, store_qrels: StoreQrels) -> None:
    edition = store_qrels({"q1": {"a": 1}})
    (tmp_path / "out").write_text("s map q1 0.5\ns map q2 0.25\ns map all 0.375\n")
    (tmp_path / "families").write_text("run\tfamily\ns\tdense\n")
    arguments = ["import", str(tmp_path / "out"), "--edition", edition, "--families", str(tmp_path / "families")]
    done = CliRunner().invoke(evaluation, arguments, obj=settings)
    assert done.output == (
        f"{tmp_path / 'out'}: 2 scores of 1 run on 2 queries, 2 added; 1 line of summaries or text ignored;"
        " 1 new run, without rankings; 1 query not in the collection, stored as a stub\n"
    )
    assert conn.execute("SELECT run, family FROM st1_runs").fetchall() == [("s", "dense")]


@pytest.mark.parametrize("command", ["score", "leaderboard", "score -q"])
def test_json_has_measures_under_the_names_that_were_typed(
    conn: psycopg.Connection, settings: Settings, store_run: StoreRun, store_qrels: StoreQrels, command: str
) -> None:
    run, edition = store_run({"q1": {"a": 2.0, "b": 1.0}}, decoy=False), store_qrels({"q1": {"b": 1}})
    arguments = [*command.split(), "--edition", edition, "-m", "P_10,map", "-m", "nDCG@10"]
    done = CliRunner().invoke(evaluation, [*arguments, "--format", "json"], obj=settings, catch_exceptions=False)
    [row] = [one for one in json.loads(done.output) if one["run"] == run]
    assert row["P_10"] == row["P@10"] == pytest.approx(0.1)
    assert row["map"] == row["AP"] == pytest.approx(0.5)
    assert set(row) - {"run", "query"} == {"P_10", "P@10", "map", "AP", "nDCG@10"}
    shown = CliRunner().invoke(evaluation, [*arguments, "--format", "csv"], obj=settings, catch_exceptions=False)
    assert "P_10" not in shown.output
