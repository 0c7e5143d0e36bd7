"""Measures of subtopics for run files: equal to ndeval, to stored runs, and to ir_measures; and wrong files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
import ir_measures
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli.compare import command as compare_command
from stcollection.cli.score import command as score_command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StcError
from stcollection.evaluation.files.editions import preview_scores
from stcollection.evaluation.files.score import RunFiles, score_files
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import ScoreRules, leaderboard, score
from tests.evaluation.conftest import Run, StoreQrels, StoreRun
from tests.evaluation.ndeval import Subtopics, expected, made, store_subtopics

NAMES = ("alpha_nDCG@10", "alpha_DCG(alpha=0.3)@5", "ERR_IA@20", "nERR_IA@20", "NRBP", "nNRBP", "StRecall@5", "P_IA@10", "AP_IA")


def files(folder: Path, run: Run, judged: Subtopics) -> RunFiles:
    """Write a run and judgments. The judgments are shuffled by name, since their order has no meaning."""
    lines = [f"{query} Q0 {doc} 0 {value} mine\n" for query, docs in run.items() for doc, value in docs.items()]
    (folder / "mine.run").write_text("".join(lines))
    (folder / "web.qrels").write_text("".join(f"{' '.join(map(str, row))}\n" for row in sorted(judged, key=str, reverse=True)))
    return RunFiles(runs=[folder / "mine.run"], qrels=folder / "web.qrels")


def values(settings: Settings, given: RunFiles, *names: str, **how: Any) -> dict[tuple[str, str], float]:
    [found] = score_files(settings, given, measures=map(parse_measure, names), **how).runs
    return {(query, str(one)): value for query, by_measure in found.values.items() for one, value in by_measure.items()}


@pytest.mark.parametrize("seed", range(2))
def test_equal_to_ndeval(server: Settings, tmp_path: Path, seed: int) -> None:
    run, judged = made(seed, queries=12, documents=120, depth=100, judged=60)
    found = values(server, files(tmp_path, run, judged), *NAMES)
    checked = 0
    for name in NAMES:
        one = parse_measure(name)
        alpha = 0.3 if "0.3" in name else 0.5
        for query, value in expected(one.name, run, judged, cutoff=one.cutoff, alpha=alpha).items():
            assert found[query, str(one)] == pytest.approx(0 if math.isnan(value) else value, abs=1e-9), (query, name)
            checked += value > 0
    assert checked > 60


def test_equal_to_ir_measures(server: Settings, tmp_path: Path) -> None:
    run, judged = made(5, queries=10, documents=120, depth=100, judged=60)
    found = values(server, files(tmp_path, run, judged), *NAMES)
    qrels = [ir_measures.Qrel(query, doc, rel, subtopic) for query, subtopic, doc, rel in judged]
    # one measure a call: with several values of alpha in a call, ir_measures mixes them up
    theirs = [one for name in NAMES for one in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)]
    assert len(theirs) >= 80
    for one in theirs:
        ours = found[one.query_id, str(parse_measure(str(one.measure)))]
        assert ours == pytest.approx(0 if math.isnan(one.value) else one.value, abs=1e-9), one


@pytest.mark.parametrize(
    ("rules", "complete"),
    [
        (ScoreRules(), True),
        (ScoreRules(judged_only=True), False),
        (ScoreRules(max_rank=7), True),
        (ScoreRules(min_grade=2), True),
        (ScoreRules(version="trec_eval 10"), False),
    ],
)
def test_equal_to_stored_runs(
    conn: psycopg.Connection, settings: Settings, tmp_path: Path, store_run: StoreRun, rules: ScoreRules, complete: bool
) -> None:
    run, judged = made(8, queries=8, documents=80, depth=60, judged=30)
    run = {query: docs for query, docs in run.items() if query != "q3"}
    stored, edition = store_run(run), store_subtopics(conn, judged)
    measures = [parse_measure(name) for name in NAMES]
    ours = score(conn, runs=[stored], edition=edition, measures=measures, complete=complete, rules=rules)
    found = values(settings, files(tmp_path, run, judged), *NAMES, complete=complete, rules=rules)
    assert found == {(one.query, str(one.measure)): pytest.approx(one.value, abs=1e-12) for one in ours}
    assert ("q3", "NRBP") not in found or complete


def test_some_queries(server: Settings, tmp_path: Path) -> None:
    run, judged = made(3, queries=5, documents=50, depth=30, judged=20)
    given = files(tmp_path, run, judged)
    some = values(server, RunFiles(runs=given.runs, qrels=given.qrels, queries="q1,q4"), "alpha_nDCG@10", "AP_IA")
    every = values(server, given, "alpha_nDCG@10", "AP_IA")
    assert some == {key: value for key, value in every.items() if key[0] in ("q1", "q4")}


@pytest.mark.parametrize(
    ("text", "names", "error", "message", "hint"),
    [
        ("q 0 d 1\nq 0 e 0\n", ["alpha_nDCG@10"], BadInput, "names no subtopics", "query subtopic document grade"),
        (
            "q 1 d 1\nq 1 d 2\n",
            ["P_IA@5"],
            BadInput,
            "subtopic '1', document 'd' has grade 2, but 1",
            "one grade",
        ),
        ("q 1 d\n", ["P_IA@5"], BadInput, "web.qrels:1: 3 columns, not 4", "query subtopic document grade"),
        ("q 1 d 1\n", ["P_IA@5", "AP"], BadArgument, "P_IA@5 needs subtopic judgments, and AP needs", "separate commands"),
        ("q 1 d 1\n", ["P_IA(rel=0)@5"], BadArgument, "the relevance level of P_IA\\(rel=0\\)@5 is 0", "1 or more"),
        ("q 1 d 1\nq 2 d 0\n", ["AP"], BadInput, "query 'q', document 'd' has grade 0, but 1", "measures of subtopics"),
        ("p 1 d 1\n", ["P_IA@5"], BadInput, "no query in common", "same topics"),
    ],
)
def test_wrong_files(
    server: Settings, tmp_path: Path, text: str, names: list[str], error: type[StcError], message: str, hint: str
) -> None:
    (tmp_path / "web.qrels").write_text(text)
    (tmp_path / "mine.run").write_text("q Q0 d 1 2.0 mine\n")
    given = RunFiles(runs=[tmp_path / "mine.run"], qrels=tmp_path / "web.qrels")
    with pytest.raises(error, match=message) as found:
        values(server, given, *names)
    assert hint in (found.value.hint or "")


def test_reversed_grades_are_refused(server: Settings, tmp_path: Path) -> None:
    run, judged = made(3, queries=2, documents=50, depth=30, judged=20)
    given = files(tmp_path, run, judged)
    with pytest.raises(BadArgument, match="--best-grade does not apply"):
        values(server, RunFiles(runs=given.runs, qrels=given.qrels, best_grade=1), "AP_IA")


def test_commands(server: Settings, tmp_path: Path) -> None:
    """``stc score`` in its formats, and ``stc compare``."""
    run, judged = made(4, queries=6, documents=60, depth=40, judged=30)
    given = files(tmp_path, run, judged)
    other = {query: {doc: -value for doc, value in docs.items()} for query, docs in run.items()}
    (tmp_path / "other").mkdir()
    second = files(tmp_path / "other", other, judged).runs[0].rename(tmp_path / "other.run")
    paths = [str(given.runs[0]), str(second), str(given.qrels)]

    def stc(command: click.Command, *words: str) -> str:
        done = CliRunner().invoke(command, list(words), obj=server)
        assert done.exit_code == 0, done.output
        return done.stdout

    found = values(server, given, "alpha_nDCG@10")
    mean = sum(found.values()) / len(found)
    assert f"{mean:.4f}" in stc(score_command, *paths, "-m", "alpha_nDCG@10")
    printed = stc(score_command, paths[0], paths[2], "-m", "alpha_nDCG@10", "--format", "trec")
    assert f"alpha_ndcg_10         \tall\t{mean:.4f}" in printed
    assert "mine" in stc(compare_command, *paths, "-m", "alpha_nDCG@10")
    mixed = CliRunner().invoke(score_command, [*paths, "-m", "alpha_nDCG@10", "-m", "AP"], obj=server)
    assert isinstance(mixed.exception, BadArgument)


@pytest.mark.usefixtures("dsn")
def test_a_preview_equals_the_scores_of_the_stored_run(
    conn: psycopg.Connection, tmp_path: Path, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    """On editions with both kinds of judgments, with one, with unjudged queries, and not on a hidden one."""
    run, judged = made(9, queries=8, documents=80, depth=60, judged=30)
    run = {query: docs for query, docs in run.items() if query != "q3"}
    both = store_qrels({query: dict.fromkeys(list(docs)[::2], 1) for query, docs in run.items() if query > "q4"}, "both")
    store_subtopics(conn, [row for row in judged if row[0] < "q7"], both)
    aspects, hidden = store_subtopics(conn, judged, "aspects"), store_subtopics(conn, judged, "secret")
    store_subtopics(conn, [("other", "1", "d1", 1)], "unanswered")
    conn.execute("SELECT stc.hide_edition(%s)", [hidden])
    measures = [parse_measure(name) for name in ("P@5", *NAMES, "AP")]
    found = preview_scores(conn, files(tmp_path, run, judged).runs[0], measures=measures)
    assert [(one.edition, one.queries, one.answered, len(one.measures)) for one in found if one.edition[0] != "~"] == [
        ("both", 3, 3, 2),
        ("aspects", 8, 7, 9),
        ("both", 7, 6, 9),
    ]
    stored = store_run(run, decoy=False)
    for one in found:
        [standing] = leaderboard(conn, runs=[stored], edition=one.edition, measures=one.measures)
        assert one.means == pytest.approx(standing.values, abs=1e-12)
        assert all(one.means)
    only = preview_scores(conn, tmp_path / "mine.run", measures=[parse_measure("alpha_nDCG@10")])
    assert [one.edition for one in only] == [aspects, both]
    with pytest.raises(BadArgument, match="the relevance level of P_IA\\(rel=0\\)@5 is 0"):
        preview_scores(conn, tmp_path / "mine.run", measures=[parse_measure("P_IA(rel=0)@5")])
