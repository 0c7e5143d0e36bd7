"""Measures of subtopics: by hand, and equal to ndeval."""

from __future__ import annotations

import math
import re

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.board import BoardRequest, board
from stcollection.analysis.significance import compare
from stcollection.analysis.ties import TieRules, tied_ranking
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import ScoreRules, judge, leaderboard, score
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.evaluation.ndeval import Subtopics, expected, made, store_subtopics
from tests.groups import analysis, evaluation

pytestmark = pytest.mark.slow

#: The judgments by hand: d1 has subtopics 1 and 2, d2 has 2, d3 has none, d4 has 3.
HAND: Subtopics = (
    ("q", "1", "d1", 1), ("q", "2", "d1", 1), ("q", "2", "d2", 2), ("q", "3", "d4", 1), ("q", "1", "d3", 0), ("q", "4", "d3", -2),
)  # fmt: skip
CUT = ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "P_IA", "StRecall")


def _values(conn: psycopg.Connection, run: str, edition: str, *names: str, complete: bool = True) -> dict[tuple[str, str], float]:
    found = score(conn, runs=[run], edition=edition, measures=[parse_measure(name) for name in names], complete=complete)
    return {(one.query, str(one.measure)): one.value for one in found}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # d2, d1, d9, d4: the gains are 1, 1 + 1/2, 0, 1; the ideal ranking d1, d4, d2 has 2, 1, 1/2
        ("alpha_nDCG@2", (1 + 1.5 / math.log2(3)) / (2 + 1 / math.log2(3))),
        ("alpha_nDCG@4", (1 + 1.5 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3) + 0.5 / 2)),
        ("alpha_nDCG(alpha=0)@2", (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))),
        ("alpha_nDCG(rel=2)@2", 1),
        ("alpha_DCG@2", (1 + 1.5 / math.log2(3)) / (3 + 1.5 / math.log2(3))),
        ("ERR_IA@2", (1 + 1.5 / 2) / (3 + 1.5 / 2)),
        ("nERR_IA@4", (1 + 1.5 / 2 + 1 / 4) / (2 + 1 / 2 + 0.5 / 3)),
        ("NRBP", (1 - 0.25) / 3 * (1 + 1.5 / 2 + 1 / 8)),
        ("nNRBP(beta=0.8)", (1 + 1.5 * 0.8 + 0.8**3) / (2 + 0.8 + 0.5 * 0.8**2)),
        ("StRecall@2", 2 / 3),
        ("P_IA@2", 3 / 6),
        ("AP_IA", (1 / 2 + (1 + 2 / 2) / 2 + 1 / 4) / 3),
        ("strec_5", 1),
    ],
)
def test_by_hand(conn: psycopg.Connection, store_run: StoreRun, name: str, value: float) -> None:
    run = store_run({"q": {"d2": 4.0, "d1": 3.0, "d9": 2.0, "d4": 1.0}})
    [found] = _values(conn, run, store_subtopics(conn, HAND), name).values()
    assert found == pytest.approx(value)


@pytest.mark.parametrize("seed", range(3))
def test_equal_to_ndeval(conn: psycopg.Connection, store_run: StoreRun, seed: int) -> None:
    run, judged = made(seed, queries=12, documents=120, depth=100, judged=60)
    stored, edition = store_run(run), store_subtopics(conn, judged)
    checked = 0
    for level in (1, 2):
        theirs = {
            f"{name}(rel={level})@{k}": expected(name, run, judged, cutoff=k, level=level) for name in CUT for k in (1, 2, 5, 20)
        }
        theirs[f"AP_IA(rel={level})"] = expected("AP_IA", run, judged, level=level)
        for alpha in (0.0, 0.3, 0.5, 1.0):
            for name in ("alpha_DCG", "alpha_nDCG"):
                theirs[f"{name}(rel={level},alpha={alpha})@20"] = expected(name, run, judged, cutoff=20, level=level, alpha=alpha)
            for beta in (0.0, 0.5, 0.9):
                for name in ("NRBP", "nNRBP"):
                    theirs[f"{name}(rel={level},alpha={alpha},beta={beta})"] = expected(
                        name, run, judged, level=level, alpha=alpha, beta=beta
                    )
        ours = _values(conn, stored, edition, *theirs)
        names = {str(parse_measure(name)): name for name in theirs}
        for (query, measure), value in ours.items():
            other = theirs[names[measure]][query]
            assert value == pytest.approx(0 if math.isnan(other) else other, abs=1e-9), (query, measure)
            checked += value > 0
    assert checked > 500


def test_parameters_of_a_call(conn: psycopg.Connection, store_run: StoreRun) -> None:
    """Only judged documents, few ranks, and another level count as for other measures; so does trec_eval 10."""
    run, judged = made(7, queries=8, documents=80, depth=60, judged=30)
    stored, edition = store_run(run), store_subtopics(conn, judged)
    known = {(query, doc) for query, _, doc, _ in judged}
    wanted = [parse_measure(name) for name in ("alpha_nDCG@20", "NRBP", "P_IA@10", "AP_IA")]
    for rules, docs, level in (
        (ScoreRules(judged_only=True), {q: {d: s for d, s in run[q].items() if (q, d) in known} for q in run}, 1),
        (ScoreRules(max_rank=7), {q: dict(sorted(run[q].items(), key=lambda one: -one[1])[:7]) for q in run}, 1),
        (ScoreRules(min_grade=2), run, 2),
        (ScoreRules(version="trec_eval 10"), run, 1),
    ):
        found = score(conn, runs=[stored], edition=edition, measures=wanted, rules=rules)
        for one in found:
            theirs = expected(one.measure.name, docs, judged, cutoff=one.measure.cutoff, level=level)
            assert one.value == pytest.approx(theirs.get(one.query, 0.0), abs=1e-9, nan_ok=False) or math.isnan(theirs[one.query])
        assert sum(one.value > 0 for one in found) > 10


def test_long_rankings_do_not_underflow(conn: psycopg.Connection, store_run: StoreRun) -> None:
    docs = [f"d{number}" for number in range(1500)]
    run = store_run({"q": {doc: -float(rank) for rank, doc in enumerate(docs)}}, decoy=False)
    edition = store_subtopics(conn, [("q", "1", doc, 1) for doc in docs])
    names = ["alpha_nDCG(alpha=0.99)@1500", "alpha_DCG@1500", "ERR_IA@1500", "NRBP(beta=0.1)", "nNRBP"]
    assert _values(conn, run, edition, *names) == {("q", name): pytest.approx(1) for name in map(str, map(parse_measure, names))}


def test_ties_are_in_trec_evals_order(conn: psycopg.Connection, store_run: StoreRun) -> None:
    """pyndeval puts the smaller docno first, ndeval -traditional and trec_eval the larger one."""
    run = store_run({"q": {"d1": 1.0, "d4": 1.0}}, decoy=False)
    assert _values(conn, run, store_subtopics(conn, HAND), "P_IA@1") == {("q", "P_IA@1"): pytest.approx(1 / 3)}
    assert expected("P_IA", {"q": {"d1": 2.0, "d4": 1.0}}, HAND, cutoff=1) == {"q": pytest.approx(2 / 3)}


def test_beside_measures_of_documents(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    """Each measure has the queries of its own judgments, in one call."""
    run = store_run({"q": {"d1": 1.0}, "p": {"d1": 1.0}})
    edition = store_qrels({"q": {"d1": 1}, "p": {"d1": 1}, "o": {"d1": 1}})
    store_subtopics(conn, HAND, edition)
    measures = [parse_measure(name) for name in ("StRecall@5", "P@1", "alpha_DCG@5", "P_5")]
    found = score(conn, runs=[run], edition=edition, measures=measures)
    assert [(one.query, str(one.measure)) for one in found if str(one.measure) == "StRecall@5"] == [("q", "StRecall@5")]
    assert sorted(one.query for one in found if str(one.measure) == "P@1") == ["o", "p", "q"]
    [standing] = leaderboard(conn, runs=[run], edition=edition, measures=measures)
    assert standing.values[:2] == pytest.approx((1 / 3 * 2, 2 / 3))


def test_edition_without_subtopics(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run, edition = store_run({"q": {"d1": 1.0}}), store_qrels({"q": {"d1": 1}}, "plain")
    with pytest.raises(StateError, match="alpha_nDCG@20 needs subtopic judgments, and edition 'plain' has none") as error:
        _values(conn, run, edition, "P@1", "alpha_nDCG@20")
    assert error.value.sqlstate == "IR405"
    assert error.value.hint == "Import them: stc load --as subtopics FILE --edition 'plain'."


def test_edition_with_only_subtopics(conn: psycopg.Connection, store_run: StoreRun) -> None:
    run, edition = store_run({"q": {"d1": 1.0}}), store_subtopics(conn, HAND, "aspects")
    for names in (("nDCG@10",), ("StRecall@5", "nDCG@10")):
        with pytest.raises(StateError, match="nDCG@10 needs judgments of documents, and edition 'aspects' has only") as error:
            _values(conn, run, edition, *names)
        assert error.value.sqlstate == "IR405"
        assert error.value.hint == (
            "Use a measure of subtopics, such as alpha_nDCG@10, or import judgments: stc load --as qrels FILE --edition 'aspects'."
        )
    assert _values(conn, run, edition, "StRecall@5") == {("q", "StRecall@5"): pytest.approx(2 / 3)}


def test_sets_of_queries_do_not_hide_the_reason(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    run = store_run({"q": {"d1": 1.0}})
    plain, aspects = store_qrels({"q": {"d1": 1}}), store_subtopics(conn, HAND)
    with pytest.raises(StateError, match="alpha_nDCG@10 needs subtopic judgments"):
        score(conn, runs=[run], edition=plain, measures=[parse_measure("alpha_nDCG@10")], queries="origin:human")
    with pytest.raises(BadArgument, match="has no judged queries in the set") as error:
        score(conn, runs=[run], edition=aspects, measures=[parse_measure("nDCG@10")], queries="origin:human")
    assert error.value.hint == "It has only subtopic judgments: use a measure of subtopics, such as alpha_nDCG@10."


STORED = ("alpha_nDCG@20", "NRBP", "AP_IA", "strec_5", "nDCG@10", "num_ret", "P_5")
MIXED = (*STORED, "alpha_nDCG(alpha=0.3)@20", "alpha_nDCG(rel=2)@20", "alpha_nDCG@7", "NRBP(beta=0.8)")


def _stored(
    conn: psycopg.Connection, edition: str, names: tuple[str, ...] = STORED, *, complete: bool = True
) -> dict[tuple[str, str, str], float]:
    """Return the values that SQL reads; it stores nothing."""
    query = "SELECT run, query, measure, value FROM scores('{}', %s, %s, %s)"
    return {(run, query, one): value for run, query, one, value in conn.execute(query, [edition, list(names), complete])}


@pytest.mark.parametrize("complete", [True, False])
def test_values_are_stored(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, complete: bool) -> None:
    """Queries with both kinds of judgments, with one, and without documents in a run."""
    run, judged = made(2, queries=8, documents=80, depth=60, judged=40)
    edition = store_qrels({query: dict.fromkeys(docs, 1) for query, docs in run.items() if query > "q4"} | {"p": {"d1": 1}})
    store_subtopics(conn, [row for row in judged if row[0] < "q7"], edition)
    store_run({query: docs for query, docs in run.items() if query not in ("q1", "q5")})
    store_run({"q0": {"d1": 1.0}})
    before, mixed = (_stored(conn, edition, names, complete=complete) for names in (STORED, MIXED))
    assert {query for _, query, one in before if one == "NRBP"} == {f"q{number}" for number in range(7)} - (
        set() if complete else {"q1", "q5"}
    )
    assert judge(conn, edition=edition) == 4
    assert _stored(conn, edition, complete=complete) == before
    assert _stored(conn, edition, MIXED, complete=complete) == mixed
    means = "SELECT run, measure, value FROM mean_scores('{}', %s, %s, %s) ORDER BY 1, 2"
    stored = conn.execute(means, [edition, list(STORED), complete]).fetchall()
    conn.execute("UPDATE stc_all.judged_scores SET scores = array_fill(0.125::double precision, ARRAY[cardinality(scores)])")
    assert set(_stored(conn, edition).values()) == {0.125}
    for one in MIXED[len(STORED) :]:  # values with other parameters are computed
        assert 0.125 not in _stored(conn, edition, (one,)).values()
    conn.execute("DELETE FROM stc_all.judged_runs")
    assert conn.execute(means, [edition, list(STORED), complete]).fetchall() == stored


def test_stored_values_are_outdated_by_new_judgments(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    run = store_run({"q": {"d2": 4.0, "d1": 3.0, "d9": 2.0, "d4": 1.0}})
    edition = store_qrels({"q": {"d1": 1}})
    assert judge(conn, edition=edition) == 2
    store_subtopics(conn, HAND, edition)
    assert _values(conn, run, edition, "P_IA@2") == {("q", "P_IA@2"): pytest.approx(3 / 6)}
    assert judge(conn, edition=edition) == 1, "only the other run"
    store_subtopics(conn, [("q", "5", "d9", 1)], edition)
    assert _values(conn, run, edition, "P_IA@4", "strec_5") == {("q", "P_IA@4"): pytest.approx(5 / 16), ("q", "StRecall@5"): 1}
    assert judge(conn, edition=edition) == 1
    only = store_subtopics(conn, HAND)
    assert judge(conn, edition=only) == 2
    assert _values(conn, run, only, "strec_5") == {("q", "StRecall@5"): 1}


def test_what_compares_runs_takes_them(conn: psycopg.Connection, settings: Settings, store_run: StoreRun) -> None:
    """Tests, rankings with ties, SQL and commands, on an edition that has only subtopics."""
    run, judged = made(6, queries=12, documents=80, depth=60, judged=40)
    first, second = store_run(run), store_run({query: {doc: -value for doc, value in docs.items()} for query, docs in run.items()})
    edition, measure = store_subtopics(conn, judged), parse_measure("alpha_nDCG@10")
    theirs = expected("alpha_nDCG", run, judged, cutoff=10)
    mean = sum(0 if math.isnan(value) else value for value in theirs.values()) / len({query for query, *_ in judged})
    [tested] = compare(conn, edition=edition, measures=[measure], runs=[first, second])
    assert mean in (pytest.approx(tested.mean, abs=1e-9), pytest.approx(tested.mean_against, abs=1e-9))
    ranked = tied_ranking(conn, edition=edition, measure=measure, runs=[first, second], rules=TieRules(resamples=200))
    assert {one.run: one.mean for one in ranked.runs}[first] == pytest.approx(mean, abs=1e-9)
    in_sql = "SELECT p FROM compare_runs(%s, 'alpha_nDCG@10', %s)"
    assert conn.execute(in_sql, [edition, [first, second]]).fetchone() == (pytest.approx(tested.p, abs=1e-9),)
    for command, words in (
        (evaluation, ["leaderboard", "-m", "alpha_nDCG@10"]),
        (evaluation, ["leaderboard", "-m", "alpha_nDCG@10", "--ties", "--resamples", "200"]),
        (evaluation, ["score", first, "-m", "alpha_nDCG@10"]),
        (analysis, ["compare", first, second, "-m", "alpha_nDCG@10"]),
    ):
        done = CliRunner().invoke(command, [*words, "--edition", edition, "--format", "csv"], obj=settings)
        assert done.exit_code == 0, done.output
        cells = {round(float(cell), 3) for cell in re.findall(r"\d\.\d+", done.stdout)}
        assert any(abs(cell - mean) < 0.001 for cell in cells), words
    trec = CliRunner().invoke(
        evaluation, ["score", first, "-m", "alpha_nDCG@10", "--edition", edition, "--format", "trec"], obj=settings
    )
    assert f"all\t{mean:.4f}" in trec.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-m", "alpha_nDCG@10", "--edition", "plain"], "stc load --as subtopics FILE --edition 'plain'"),
        (["-m", "nDCG@10", "--edition", "aspects"], "such as alpha_nDCG@10"),
        (["--edition", "aspects", "-q"], "such as alpha_nDCG@10"),
        (["-m", "nDCG@10", "--edition", "aspects", "--format", "trec"], "such as alpha_nDCG@10"),
    ],
)
def test_commands_report_missing_judgments(
    conn: psycopg.Connection, settings: Settings, store_run: StoreRun, store_qrels: StoreQrels, arguments: list[str], text: str
) -> None:
    run = store_run({"q": {"d1": 1.0}})
    store_qrels({"q": {"d1": 1}}, "plain")
    store_subtopics(conn, HAND, "aspects")
    for command in (["score", run], ["leaderboard"])[: 1 if {"-q", "--format"} & set(arguments) else 2]:
        done = CliRunner().invoke(evaluation, [*command, *arguments], obj=settings)
        assert done.exit_code == 1
        assert isinstance(done.exception, StateError)
        assert text in str(done.exception.hint)
        assert not done.stdout


@pytest.mark.slow
def test_the_leaderboard_of_the_page_reports_missing_judgments(
    conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    store_run({"q": {"d1": 1.0}})
    plain, aspects = store_qrels({"q": {"d1": 1}}), store_subtopics(conn, HAND)
    for edition, measure, text in ((plain, "alpha_nDCG@10", "Import them"), (aspects, "nDCG@10", "Use a measure of subtopics")):
        asked = BoardRequest(edition=edition, measures=(parse_measure(measure),))
        with pytest.raises(StateError) as error:
            board(conn, asked)
        assert text in f"{error.value} {error.value.hint}"
    done = board(conn, BoardRequest(edition=aspects, measures=(parse_measure("StRecall@5"),)))
    assert len(done.marked.lines) >= 1


def test_refused_parameters(conn: psycopg.Connection, store_run: StoreRun) -> None:
    run, edition = store_run({"q": {"d1": 1.0}}), store_subtopics(conn, HAND)
    with pytest.raises(BadArgument, match="the relevance level of P_IA\\(rel=0\\)@5 is 0"):
        _values(conn, run, edition, "P_IA(rel=0)@5")
    with pytest.raises(BadArgument, match="alpha"):
        _values(conn, run, edition, "alpha_nDCG(alpha=2)@5")
