"""Missing relevant documents of a pool, what stopping does to the ranking of runs, and the order of the next labels."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import betabinom

from stcollection.analysis.next_labels import loss_saved, order_pool
from stcollection.analysis.paired import Floats
from stcollection.analysis.pool_model import PRIOR, Booleans, Chances, Evidence, chances, read_evidence
from stcollection.analysis.pool_scores import ExpectedScores, expected_scores
from stcollection.analysis.stopping import interval, pool_progress
from stcollection.cli.qrels.pool.progress import progress_command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject
from stcollection.evaluation.measures import AP, Measure, P, nDCG
from stcollection.qrels.judging import following
from stcollection.qrels.pools import PoolRules, make_pool
from tests.qrels.pooled import POOLED, put_documents, put_queries, put_run, world

QUERIES, DOCS = 8, 30


def grow(conn: psycopg.Connection, runs: int = 4) -> dict[tuple[str, str], int]:
    """Store runs that rank relevant documents first, more or less. Return the grades."""
    rng = np.random.default_rng(7)
    put_documents(conn, {f"d{number:02}": ("title", "abstract") for number in range(DOCS)})
    put_queries(conn, {f"q{number}": f"query {number}" for number in range(QUERIES)})
    grades = {(f"q{q}", f"d{d:02}"): int(rng.random() < 0.1 + 0.05 * q) for q in range(QUERIES) for d in range(DOCS)}
    for run in range(runs):
        ranking = {}
        for q in range(QUERIES):
            noise = rng.normal(scale=0.8 + 0.2 * run, size=DOCS)
            order = np.argsort([-grades[f"q{q}", f"d{d:02}"] + noise[d] for d in range(DOCS)])
            ranking[f"q{q}"] = [f"d{d:02}" for d in order]
        put_run(conn, f"r{run}", ranking)
    return grades


def draw(grades: Mapping[tuple[str, str], int], share: float, seed: int = 1) -> dict[tuple[str, str], int]:
    rng = np.random.default_rng(seed)
    return {pair: grade for pair, grade in grades.items() if rng.random() < share}


def store(conn: psycopg.Connection, edition: str, grades: Mapping[tuple[str, str], int]) -> None:
    conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s)", [edition])
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d.id, %s"
            "  FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = %s AND q.query = %s AND d.docno = %s",
            [(rel, edition, *pair) for pair, rel in grades.items()],
        )


def test_the_estimate_covers_what_is_missing(conn: psycopg.Connection) -> None:
    grades = grow(conn)
    make_pool(conn, "p", rules=PoolRules(depth=20))
    store(conn, "mine", draw(grades, 0.3))
    known = pool_progress(conn, "p", edition="mine")
    store(conn, "full", grades)
    full = pool_progress(conn, "p", edition="full")
    assert (full.judged, full.missing, full.low, full.high, full.tau, full.open_pairs) == (full.documents, 0, 0, 0, 1, 0)
    assert known.missing == pytest.approx(sum(row.missing or 0 for row in known.queries))
    assert known.low < full.relevant - known.relevant < known.high < known.documents - known.judged
    assert [row.query for row in known.queries] == [f"q{number}" for number in range(QUERIES)]
    covered = [row.low <= all_.relevant - row.relevant <= row.high for row, all_ in zip(known.queries, full.queries, strict=True)]
    assert sum(covered) >= QUERIES - 1
    assert known.pairs == 6
    assert known.tau is not None
    assert 0 < known.tau < 1
    for run, whole in ((one, other) for one in known.runs for other in full.runs if one.run == other.run):
        assert run.low <= whole.now <= run.high
        assert whole.now == whole.expected == whole.low == whole.high


@pytest.mark.parametrize(("trials", "mean", "variance"), [(40, 6.5, 14.0), (1, 0.3, 0.21), (500, 20.0, 400.0), (30, 29.9, 3.0)])
def test_the_interval_is_that_of_a_beta_binomial_distribution(trials: int, mean: float, variance: float) -> None:
    low, high = interval(trials, mean, variance)
    share = mean / trials
    excess = (variance / (trials * share * (1 - share)) - 1) / max(trials - 1, 1)
    size = 1 / min(max(excess, 1e-7), 0.999) - 1
    assert (low, high) == tuple(betabinom.ppf([0.025, 0.975], trials, share * size, (1 - share) * size))


def test_no_trials_no_interval() -> None:
    assert interval(0, 0.0, 0.0) == (0, 0)
    assert interval(10, 0.0, 0.0) == (0, 0)
    assert interval(10, 10.0, 0.0) == (10, 10)


@pytest.mark.parametrize("labels", [None, "machine"])
def test_the_chances_are_those_of_the_model(conn: psycopg.Connection, labels: str | None) -> None:
    """The coefficients maximise the posterior, found by another optimiser; ratios follow from their gamma prior."""
    grades = grow(conn)
    make_pool(conn, "p", rules=PoolRules(depth=20))
    store(conn, "mine", draw(grades, 0.4))
    store(conn, "machine", draw(grades, 0.8, 2))
    evidence = read_evidence(conn, "p", edition="mine", labels=labels)
    good = np.nan_to_num(evidence.grade) >= 1
    weights = np.where(evidence.ranks > 0, (1 + np.log(20 / np.maximum(evidence.ranks, 1))) / (1 + np.log(20)), 0)
    columns = [np.ones(len(good)), np.sqrt(weights.mean(axis=1))]
    if labels is not None:
        assert evidence.label is not None
        assert 0 < np.isnan(evidence.label).sum() < len(good)
        columns += [np.nan_to_num(evidence.label), np.isnan(evidence.label)]
    x, prior = np.column_stack(columns), np.array(PRIOR[: len(columns)])
    known = evidence.judged

    def loss(b: np.ndarray) -> float:
        z = x[known] @ b
        return float(np.logaddexp(0, z).sum() - z[good[known]].sum() + ((b - prior) ** 2).sum() / 8)

    best = minimize(loss, prior, tol=1e-12).x
    p = 1 / (1 + np.exp(-x @ best))
    expected, found = evidence.per_query(p, known), evidence.per_query(good.astype(float), known)
    noise = evidence.per_query(p * (1 - p), known)
    over = (((found - expected) ** 2 - noise).sum() + 2.5 * (expected**2).mean()) / ((expected**2).sum() + 5 * (expected**2).mean())
    a = 1 / np.clip(over, 0.05, 5)
    model = chances(evidence, good)
    wanted = np.minimum(p * ((a + found) / (a + expected))[evidence.query], 0.999)
    assert model.chance == pytest.approx(wanted, rel=1e-4)
    assert model.missing == pytest.approx(evidence.per_query(wanted, ~known), rel=1e-4)
    assert model.ratio_variance == pytest.approx(1 / (a + found), rel=1e-4)


@pytest.mark.parametrize("measure", [AP, nDCG @ 5])
def test_effects_are_the_changes_of_scores(conn: psycopg.Connection, measure: Measure) -> None:
    grades = grow(conn)
    make_pool(conn, "p", rules=PoolRules(depth=10))
    store(conn, "full", grades)
    evidence = read_evidence(conn, "p", edition="full", labels=None)
    scores, _, good = scored(evidence.grade, evidence, measure)
    rows = conn.execute("SELECT run, value FROM mean_scores('{}', 'full', %s) ORDER BY run", [[f"{measure}"]]).fetchall()
    if measure != AP:  # its ideal has all relevant documents, the pool's has those of the pool
        assert scores.now == pytest.approx([value for _, value in rows], abs=0.02)
    unknown = np.flatnonzero(~good)[::17]
    partly = np.where(np.isin(np.arange(len(good)), unknown), np.nan, evidence.grade)
    scores, model, _ = scored(partly, evidence, measure)
    gain = np.where(np.isnan(partly), model.chance * (1.0 if measure == AP else gain_of_relevant(partly)), partly)
    for at, run in itertools.product(unknown, range(4)):
        own = evidence.query == evidence.query[at]
        rank, ranks = evidence.ranks[at, run], evidence.ranks[:, run]
        effect = 0.0
        if measure == AP and rank:
            above, below = own & (ranks > 0) & (ranks < rank), own & (ranks > rank)
            effect = (1 + gain[above].sum()) / rank + (gain[below] / ranks[below]).sum()
            effect /= max(gain[own].sum(), 1)
        elif 0 < rank <= 5:
            ideal = sum(1 / np.log2(place + 1) for place in range(1, 1 + max(1, min(5, int(np.ceil(gain[own].sum()))))))
            effect = 1 / np.log2(rank + 1) / ideal
        assert scores.effects[at, run] == pytest.approx(effect / QUERIES, abs=1e-12)
    assert not scores.effects[np.setdiff1d(np.arange(len(good)), unknown)].any()


def gain_of_relevant(grade: Floats) -> float:
    return float((np.nansum(grade >= 1) + 0.5) / (np.nansum(grade >= 1) + 1))


def scored(grade: Floats, evidence: Evidence, measure: Measure) -> tuple[ExpectedScores, Chances, Booleans]:
    seen = replace(evidence, grade=grade)
    good = np.nan_to_num(grade) >= 1
    model = chances(seen, good)
    return expected_scores(seen, model, measure, good), model, good


def test_the_worth_of_a_label_is_the_loss_it_saves(conn: psycopg.Connection) -> None:
    """Compare with the fall of the expected loss if a small part of the variance of a document goes."""
    grades = grow(conn)
    make_pool(conn, "p", rules=PoolRules(depth=10))
    store(conn, "mine", draw(grades, 0.2))
    evidence = read_evidence(conn, "p", edition="mine", labels=None)
    scores, _, _ = scored(evidence.grade, evidence, AP)

    def loss(one: ExpectedScores, runs: range) -> float:
        z, deviation = one.pairs()
        mean = abs(z * deviation)
        each = deviation * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) - mean * ndtr(-abs(z))
        return float(sum(each[pair] for pair in itertools.combinations(runs, 2)))

    for runs in (range(4), range(1, 3)):
        worth = loss_saved(scores, runs)
        assert not worth[evidence.judged].any()
        for at in np.flatnonzero(~evidence.judged)[::9]:
            outer = np.outer(scores.effects[at], scores.effects[at]) * scores.variance[at]
            less = replace(scores, covariance=scores.covariance - 1e-4 * outer)
            assert worth[at] == pytest.approx((loss(scores, runs) - loss(less, runs)) / 1e-4, rel=1e-2, abs=1e-9)


def queue(conn: psycopg.Connection, annotator: str = "anna") -> list[tuple[str, int]]:
    """Return query and batch of the documents in the order of a sheet."""
    places = following(conn, "p", annotator, None, [], most=1000, near="q3")
    batch: dict[str, int] = dict(conn.execute("SELECT token, batch FROM stc.pool_share('p', %s)", [annotator]).fetchall())
    return [(place.query, batch[place.token]) for place in places]


def test_assessors_judge_the_batches_in_turn(conn: psycopg.Connection) -> None:
    grow(conn)
    make_pool(conn, "p", rules=PoolRules(depth=10))
    plain = queue(conn)
    assert {batch for _, batch in plain} == {0}
    order = order_pool(conn, "p", batch=20)
    assert (order.documents, order.batches) == (len(plain), -(-len(plain) // 20))
    sheet = queue(conn)
    batches = [batch for _, batch in sheet]
    assert batches == sorted(batches)
    assert batches.count(1) == 20
    for number in range(1, order.batches + 1):  # each query once within a batch, that of the last decision first
        names = [name for name, _ in itertools.groupby(query for query, batch in sheet if batch == number)]
        assert len(names) == len(set(names))
        assert "q3" not in names or names[0] == "q3"
    assert order.first == len({query for query, batch in sheet if batch == 1})
    tokens = [place.token for place in following(conn, "p", "anna", None, [], most=5)]
    assert [row[0] for row in conn.execute("SELECT stc.next_to_assess('p', 'anna')")] == tokens[:1]
    files = [row[0] for row in conn.execute("SELECT token FROM stc.pool_sheet('p', 'anna') ORDER BY place LIMIT 5")]
    assert files == tokens
    conn.execute("SELECT stc.assess('p', 'anna', %s, 1)", tokens[:1])
    again = order_pool(conn, "p", batch=20)
    assert again.documents == order.documents - 1
    assert pool_progress(conn, "p").batches
    assert order_pool(conn, "p", random=True).batches == 0
    assert not pool_progress(conn, "p").batches
    assert len(queue(conn)) == len(plain) - 1


def test_two_runs_are_separated_by_what_they_rank_apart(conn: psycopg.Connection) -> None:
    put_documents(conn, {doc: (doc, None) for doc in "abcdef"})
    put_queries(conn, {"q1": "x", "q2": "y"})
    for run, ranking in {"r": "abcd", "s": "abdc", "t": "feab"}.items():
        put_run(conn, run, {query: list(ranking) for query in ("q1", "q2")})
    make_pool(conn, "p")
    order_pool(conn, "p", ["r", "s"], batch=4)
    rows = conn.execute(
        "SELECT d.docno FROM stc.pool_share('p', 'anna') s JOIN dblp d ON d.id = s.doc WHERE s.batch = 1 ORDER BY 1"
    ).fetchall()
    assert [doc for (doc,) in rows] == ["c", "c", "d", "d"]


@pytest.mark.parametrize(
    "grades", [{}, {("q1", "d1"): 1}, {("q1", "d1"): 0}, {("q1", doc): 1 for doc in ("d1", "d2", "d3", "d7", "d9")}]
)
def test_few_judgments_give_wide_intervals(conn: psycopg.Connection, grades: dict[tuple[str, str], int]) -> None:
    world(conn)
    make_pool(conn, "p", runs=POOLED)
    store(conn, "mine", grades)
    progress = pool_progress(conn, "p", edition="mine")
    rest = progress.documents - progress.judged
    assert progress.judged == len(grades)
    if not grades:
        assert (progress.missing, progress.low, progress.high, progress.tau, progress.runs) == (None, 0, rest, None, [])
    else:
        assert progress.missing is not None
        assert 0 <= progress.low <= progress.missing <= progress.high <= rest
        assert progress.high - progress.low >= rest // 3
    assert order_pool(conn, "p", edition="mine", batch=2).documents == rest


def test_judgments_of_relevant_documents_only_give_no_estimate(settings: Settings, conn: psycopg.Connection) -> None:
    grades = {pair: 1 for pair, grade in grow(conn).items() if grade}
    make_pool(conn, "p")
    store(conn, "relevant", grades)
    progress = pool_progress(conn, "p", edition="relevant")
    assert (progress.judged, progress.only_relevant) == (progress.relevant, True)
    assert (progress.missing, progress.tau, progress.runs) == (None, None, [])
    printed = CliRunner().invoke(progress_command, ["p", "--edition", "relevant"], obj=settings, catch_exceptions=False)
    assert f"all of {progress.judged} judged documents are relevant. If the judgments list relevant documents" in printed.stderr
    assert "stc load --as qrels" in printed.stderr
    store(conn, "both", grades | {("q0", "d00"): 0})
    assert not pool_progress(conn, "p", edition="both").only_relevant


def test_a_pool_of_one_run(conn: psycopg.Connection) -> None:
    world(conn)
    make_pool(conn, "p", runs=["a1"])
    store(conn, "mine", {("q1", "d1"): 1, ("q1", "d2"): 0})
    progress = pool_progress(conn, "p", edition="mine")
    assert (progress.pairs, progress.tau, progress.open_pairs) == (0, None, None)
    assert progress.missing is not None
    with pytest.raises(BadArgument, match="at least two runs are needed"):
        order_pool(conn, "p")
    conn.execute("DELETE FROM st1_runs")
    assert pool_progress(conn, "p", edition="mine").runs == []
    conn.execute("UPDATE stc_all.qrels_pools SET params = params - 'depth'")  # as of a pool stored by hand
    assert pool_progress(conn, "p", edition="mine").runs == []


def test_documents_that_a_sample_left_out_are_missing_too(conn: psycopg.Connection) -> None:
    grades = grow(conn)
    make_pool(conn, "p", rules=PoolRules(strata="1-5:1,6-30:0.2"))
    store(conn, "mine", grades)
    progress = pool_progress(conn, "p", edition="mine")
    assert progress.documents == QUERIES * DOCS > progress.judged
    assert progress.low <= sum(grades.values()) - progress.relevant <= progress.high
    with pytest.raises(StateError, match="all documents of the pool 'p' are judged"):
        order_pool(conn, "p", edition="mine")


def test_documents_of_the_excluded_edition_are_judged(conn: psycopg.Connection) -> None:
    grades = grow(conn)
    store(conn, "old", draw(grades, 0.3))
    make_pool(conn, "rest", rules=PoolRules(depth=20), without="old")
    make_pool(conn, "whole", rules=PoolRules(depth=30))
    rest, whole = pool_progress(conn, "rest"), pool_progress(conn, "whole", edition="old")
    assert (rest.judged, rest.relevant) == (whole.judged, whole.relevant)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda conn: pool_progress(conn, "nope"), UnknownObject, "there is no pool 'nope'"),
        (lambda conn: pool_progress(conn, "p", edition="nope"), UnknownObject, "'nope'"),
        (lambda conn: pool_progress(conn, "p", labels="nope"), UnknownObject, "'nope'"),
        (lambda conn: pool_progress(conn, "p", labels="empty"), StateError, "judges no document of pool 'p'"),
        (lambda conn: pool_progress(conn, "p", measure=P @ 10), BadArgument, "cannot estimate effects on the measure 'P@10'"),
        (lambda conn: pool_progress(conn, "p", measure=nDCG), BadArgument, "the measure 'nDCG'"),
        (lambda conn: pool_progress(conn, "p", measure=AP(rel=2)), BadArgument, "the measure 'AP"),
        (lambda conn: order_pool(conn, "nope"), UnknownObject, "there is no pool 'nope'"),
        (lambda conn: order_pool(conn, "nope", random=True), UnknownObject, "there is no pool 'nope'"),
        (lambda conn: order_pool(conn, "p", ["a1", "decoy"]), UnknownObject, "'decoy' is no run of the pool 'p'"),
        (lambda conn: order_pool(conn, "p", ["a1"]), BadArgument, "at least two runs are needed"),
        (lambda conn: order_pool(conn, "p", batch=0), BadArgument, "batch is 0"),
    ],
)
def test_bad_arguments(
    conn: psycopg.Connection, call: Callable[[psycopg.Connection], object], error: type[StcError], message: str
) -> None:
    world(conn)
    make_pool(conn, "p", runs=POOLED)
    store(conn, "empty", {})
    with pytest.raises(error, match=message):
        call(conn)
    assert conn.execute(
        "SELECT sum(batch), bool_or(params ? 'order') FROM stc_all.qrels_pool_documents, stc_all.qrels_pools"
    ).fetchall() == [(0, False)]
