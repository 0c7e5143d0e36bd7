"""Leaderboards with marks: each mark matches a comparison, in any order of the runs; and the printed output."""

from __future__ import annotations

import csv
import io
import json
import math
import re

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.marks import BETTER, WORSE, marked_leaderboard
from stcollection.analysis.significance import compare
from stcollection.cli.analysis.comparisons import leaderboard_command as command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import AP, nDCG
from stcollection.evaluation.score import leaderboard
from tests.evaluation.conftest import StoreQrels, StoreRun, store_qrels, store_run  # noqa: F401

pytestmark = pytest.mark.slow

MEASURES = [nDCG @ 10, AP]
RUNS = ["good_run", "fair", "poor", "poor|twin", "bad"]


@pytest.fixture
def edition(store_run: StoreRun, store_qrels: StoreQrels) -> str:  # noqa: F811
    """40 queries with ten documents each; the runs differ in how often they rank the three relevant ones on top."""
    rng = np.random.default_rng(11)
    quality = {"good_run": 0.9, "fair": 0.6, "poor": 0.3, "bad": 0.0}
    runs: dict[str, dict[str, dict[str, float]]] = {run: {} for run in quality}
    judged = {}
    for query in range(40):
        docs = [f"q{query}d{doc}" for doc in range(10)]
        judged[f"q{query}"] = {doc: 1 if at < 3 else 0 for at, doc in enumerate(docs)}
        for run, share in quality.items():
            runs[run][f"q{query}"] = {doc: float(rng.normal(2 * share if at < 3 else 0)) for at, doc in enumerate(docs)}
    runs["poor|twin"] = runs["poor"]
    for run, ranking in runs.items():
        store_run(ranking, run, decoy=False)
    return store_qrels(judged)


def test_letters_are_the_comparisons_of_all_pairs(conn: psycopg.Connection, edition: str) -> None:
    marked = marked_leaderboard(conn, edition=edition, measures=MEASURES)
    standings = leaderboard(conn, edition=edition, measures=MEASURES)
    assert [line.run for line in marked.lines] == [one.run for one in standings]
    for line, standing in zip(marked.lines, standings, strict=True):
        assert [cell.value for cell in line.cells] == pytest.approx(standing.values, abs=1e-12)
    assert [line.letter for line in marked.lines] == list("abcde")
    named = {line.letter: line.run for line in marked.lines}
    beaten = {
        (str(measure), line.run, named[letter])
        for line in marked.lines
        for measure, cell in zip(MEASURES, line.cells, strict=True)
        for letter in cell.mark
    }
    expected = set()
    for one in compare(conn, edition=edition, measures=MEASURES):
        if one.corrected < 0.05:
            better, worse = (one.run, one.against) if one.difference > 0 else (one.against, one.run)
            expected.add((one.measure, better, worse))
    assert beaten == expected
    assert 2 < len(beaten) < 20
    assert marked.queries == 40
    assert marked.tests == 2 * 10


@pytest.mark.parametrize("baseline", ["fair", "poor", "bad"])
def test_marks_are_the_comparisons_with_the_baseline(conn: psycopg.Connection, edition: str, baseline: str) -> None:
    marked = marked_leaderboard(conn, edition=edition, measures=MEASURES, baseline=baseline)
    told = {(one.measure, one.run): one for one in compare(conn, edition=edition, measures=MEASURES, baseline=baseline)}
    marks = set()
    for line in marked.lines:
        assert line.letter == ""
        for measure, cell in zip(MEASURES, line.cells, strict=True):
            if line.run == baseline:
                assert cell.mark == ""
                assert math.isnan(cell.p)
                continue
            one = told[str(measure), line.run]
            assert cell.p == one.corrected
            assert cell.mark == ("" if one.corrected >= 0.05 else BETTER if one.difference > 0 else WORSE)
            marks.add(cell.mark)
    assert BETTER in marks or WORSE in marks


def test_the_baseline_is_included_even_if_only_other_runs_are_named(conn: psycopg.Connection, edition: str) -> None:
    marked = marked_leaderboard(conn, edition=edition, measures=MEASURES, runs=["bad"], baseline="good_run")
    assert [(line.run, line.cells[0].mark, line.cells[0].best) for line in marked.lines] == [
        ("good_run", "", True),
        ("bad", WORSE, False),
    ]


def test_all_tied_best_runs_are_marked(conn: psycopg.Connection, edition: str) -> None:
    marked = marked_leaderboard(conn, edition=edition, measures=MEASURES, runs=["poor", "poor|twin"])
    assert [[cell.best for cell in line.cells] for line in marked.lines] == [[True, True], [True, True]]


def test_errors(conn: psycopg.Connection, edition: str) -> None:
    with pytest.raises(UnknownObject, match="farr"):
        marked_leaderboard(conn, edition=edition, measures=MEASURES, baseline="farr")
    conn.execute("INSERT INTO st1_runs (run) SELECT 'more' || n FROM generate_series(1, 30) n")
    with pytest.raises(BadArgument, match="at most 26 runs can be marked with letters; got 35"):
        marked_leaderboard(conn, edition=edition, measures=MEASURES)
    assert len(marked_leaderboard(conn, edition=edition, measures=MEASURES, baseline="fair").lines) == 35


def printed(settings: Settings, *arguments: str) -> str:
    done = CliRunner().invoke(command, arguments, obj=settings, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_what_is_printed(settings: Settings, conn: psycopg.Connection, edition: str) -> None:
    options = ("--edition", edition, "-m", "nDCG@10,AP")
    latex = printed(settings, *options, "--baseline", "fair", "--format", "latex")
    assert re.search(r"good\\_run +& \\textbf\{0\.\d{4}\}\$\^\{\\dagger\}\$", latex)
    assert [latex.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\hline")] == [1, 1, 1, 0]
    assert latex.startswith("% † better, ‡ worse than fair; paired t test, 40 queries, corrected by holm, p < 0.05\n")
    markdown = printed(settings, *options, "--format", "markdown")
    assert re.search(r"^\| d +\| poor\\\|twin|^\| c +\| poor\\\|twin", markdown, flags=re.MULTILINE)
    assert re.search(r"\*\*0\.\d{4}\*\*<sup>[b-e]+</sup>", markdown)
    [first, *_] = json.loads(printed(settings, *options, "--format", "json"))
    assert (first["run"], first["letter"], first["measures"]["AP"]["best"], first["measures"]["AP"]["p"]) == (
        "good_run",
        "a",
        True,
        None,
    )
    rows = list(csv.DictReader(io.StringIO(printed(settings, *options, "--baseline", "fair", "--format", "csv"))))
    assert {row["run"] for row in rows} == set(RUNS)
    assert rows[0]["nDCG@10 mark"] == BETTER
    assert float(rows[0]["nDCG@10 p"]) < 0.05
