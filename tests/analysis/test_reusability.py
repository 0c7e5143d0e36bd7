"""Reusability equals trec_eval on judgments without a run's contributions; bounds for unjudged documents, by brute force."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

import psycopg
import pytest
import pytrec_eval
import scipy.stats
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stcollection.analysis.reusability import pool_of, reusability, summarise, unjudged
from stcollection.cli.analysis.unjudged import reusability_command as command
from stcollection.cli.analysis.unjudged import unjudged_command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.evaluation.measures import AP, RR, Bpref, Measure, P, R, nDCG
from tests.evaluation import conftest as stored
from tests.evaluation.test_trec_eval import read_qrels, read_run
from tests.examples import examples

pytestmark = pytest.mark.slow

store_run, store_qrels = stored.store_run, stored.store_qrels  # fixtures

MEASURES = (nDCG @ 3, P @ 2, R @ 2, RR, AP, Bpref)
Runs = dict[str, dict[str, dict[str, float]]]
Qrels = dict[str, dict[str, int]]


def mean(run: stored.Run, qrels: stored.Judged, measure: Measure, *, queries: Iterable[str], condensed: bool = False) -> float:
    """Return pytrec_eval's mean over these queries; a query without a ranking or judgments counts 0."""
    judged = {query: dict(by_doc) for query, by_doc in qrels.items() if any(rel >= 0 for rel in by_doc.values())}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {measure.trec_eval}, judged_docs_only_flag=condensed)
    values = evaluator.evaluate({query: dict(docs) for query, docs in run.items()})
    wanted = list(queries)
    return float(sum(values.get(query, {}).get(measure.trec_eval, 0.0) for query in wanted) / len(wanted))


def without(runs: stored.Judged | Runs, qrels: Qrels, group: Iterable[str], depth: int) -> Qrels:
    """Return the judgments without documents that only these runs rank within ``depth``."""
    members, left = set(group), {query: dict(by_doc) for query, by_doc in qrels.items()}
    for query, by_doc in qrels.items():
        for doc in by_doc:
            owners = {name for name, run in runs.items() if doc in stored.ranked(run.get(query, {}))[:depth]}  # type: ignore[arg-type]
            if owners and owners <= members:
                del left[query][doc]
    return left


docs = st.sampled_from("abcdefgh")
lists = st.dictionaries(docs, st.integers(0, 20).map(float), min_size=1, max_size=7)
systems = st.lists(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), lists, min_size=1), min_size=2, max_size=4)
grades = st.dictionaries(docs, st.integers(-1, 3), min_size=1)
judgments = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), grades, min_size=1)
SLOW = examples(40)


@SLOW
@given(systems=systems, judged=judgments, depth=st.integers(1, 4), by=st.sampled_from(["run", "team"]))
def test_leaving_out_equals_scoring_by_the_remaining_judgments(
    conn: psycopg.Connection,
    store_run: stored.StoreRun,
    store_qrels: stored.StoreQrels,
    systems: list[dict[str, dict[str, float]]],
    judged: Qrels,
    depth: int,
    by: str,
) -> None:
    conn.execute("DELETE FROM st1_runs")
    runs: Runs = {store_run(run): run for run in systems}
    names = list(runs)
    edition = store_qrels(judged)
    teams = {name: f"team{at // 2}" if by == "team" else name for at, name in enumerate(names)}
    if by == "team":
        for name, team in teams.items():
            conn.execute("UPDATE st1_runs SET team = %s WHERE run = %s", [team, name])
    for measure in MEASURES:
        rows = conn.execute("SELECT * FROM leave_out(%s, %s, %s, %s, %s)", [edition, str(measure), depth, by, names]).fetchall()
        assert len(rows) == len(set(teams.values())) * len(names)
        for left_out, run, own, before, after in rows:
            members = [name for name, team in teams.items() if team == left_out]
            left = without(runs, judged, members, depth)
            assert own == (run in members)
            assert before == pytest.approx(mean(runs[run], judged, measure, queries=judged), abs=1e-9)
            assert after == pytest.approx(mean(runs[run], left, measure, queries=judged), abs=1e-9), (measure, left_out, run)


@pytest.mark.long
def test_real_runs(conn: psycopg.Connection, data: Path, store_run: stored.StoreRun, store_qrels: stored.StoreQrels) -> None:
    """Leave the passage runs of TREC 2021 out of a pool of depth 10."""
    folder = data / "trec-dl" / "dl21"
    judged = read_qrels(folder / "nist.qrels")
    paths = sorted((folder / "runs").glob("*.gz"))
    runs = {store_run(read_run(path), path.stem, decoy=False): read_run(path) for path in paths}
    edition = store_qrels(judged)
    tops = {name: {query: set(stored.ranked(by_doc)[:10]) for query, by_doc in run.items()} for name, run in runs.items()}
    owners: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, by_query in tops.items():
        for query, documents in by_query.items():
            for doc in documents:
                owners[query, doc].add(name)
    chosen = ["p_f10_mdt5base", "uogTrPCP", "watpfp"]
    for measure in (nDCG @ 10, Bpref):
        found = {row.run: row for row in reusability(conn, edition=edition, measure=measure)}
        assert set(found) == set(runs)
        full = {name: mean(run, judged, measure, queries=judged) for name, run in runs.items()}
        for name in chosen:
            sole = [pair for pair, having in owners.items() if having == {name} and judged.get(pair[0], {}).get(pair[1], -1) >= 0]
            left = {
                query: {doc: rel for doc, rel in by_doc.items() if (query, doc) not in set(sole)}
                for query, by_doc in judged.items()
            }
            after = {one: mean(run, left, measure, queries=judged) for one, run in runs.items()}
            row = found[name]
            assert (row.sole, row.sole_relevant) == (len(sole), sum(judged[query][doc] > 0 for query, doc in sole))
            assert (row.before, row.after) == pytest.approx((full[name], after[name]), abs=1e-9)
            assert row.rank_before == 1 + sum(value > full[name] + 1e-10 for value in full.values())
            assert row.rank_after == 1 + sum(value > after[name] + 1e-10 for value in after.values())
            assert row.tau == pytest.approx(scipy.stats.kendalltau(list(full.values()), list(after.values())).statistic)
            drops = [
                sum(value > after[one] + 1e-10 for value in after.values())
                - sum(value > full[one] + 1e-10 for value in full.values())
                for one in runs
            ]
            assert row.max_drop == max(drops)


def test_documents_that_only_one_run_contributes(
    conn: psycopg.Connection, store_run: stored.StoreRun, store_qrels: stored.StoreQrels
) -> None:
    store_run({"q1": {"a": 3, "b": 2, "c": 1}}, "one", decoy=False)
    store_run({"q1": {"b": 3, "d": 2, "a": 1}}, "two", decoy=False)
    edition = store_qrels({"q1": {"a": 2, "b": 1, "c": 1, "d": 0, "e": 1}})
    asked = "SELECT left_out, docno FROM sole_contributions(%s, %s) JOIN dblp d ON d.id = sole_contributions.doc ORDER BY docno"
    assert conn.execute(asked, [edition, 1]).fetchall() == [("one", "a"), ("two", "b")]
    assert conn.execute(asked, [edition, 2]).fetchall() == [("one", "a"), ("two", "d")]
    assert conn.execute(asked, [edition, 3]).fetchall() == [("one", "c"), ("two", "d")]

    rows = reusability(conn, edition=edition, measure=P @ 1, depth=2)
    assert [(one.run, one.sole, one.sole_relevant, one.before, one.after) for one in rows] == [
        ("one", 1, 1, 1, 0),
        ("two", 1, 0, 1, 1),
    ]
    assert [(one.rank_before, one.rank_after, one.max_drop) for one in rows] == [(1, 2, 1), (1, 1, 0)]
    done = summarise(rows)
    assert (done.left_out, done.max_drop, done.lost, done.most_lost) == (2, 1, 0.5, 1)


def test_runs_of_a_team_are_left_out_together(
    conn: psycopg.Connection, store_run: stored.StoreRun, store_qrels: stored.StoreQrels
) -> None:
    for name in ("x1", "x2"):
        store_run({"q1": {"a": 2, "b": 1}}, name, decoy=False)
    store_run({"q1": {"b": 2, "c": 1}}, "y", decoy=False)
    conn.execute("UPDATE st1_runs SET team = 'x' WHERE run LIKE 'x_'")
    edition = store_qrels({"q1": {"a": 1, "b": 1, "c": 1}})
    assert {one.run: one.sole for one in reusability(conn, edition=edition, measure=AP)} == {"x1": 0, "x2": 0, "y": 1}
    by_team = reusability(conn, edition=edition, measure=AP, by="team")
    assert {(one.left_out, one.run): one.sole for one in by_team} == {("x", "x1"): 1, ("x", "x2"): 1, ("y", "y"): 1}
    assert summarise(by_team).left_out == 2


def test_nothing_is_written(conn: psycopg.Connection, store_run: stored.StoreRun, store_qrels: stored.StoreQrels) -> None:
    store_run({"q1": {"a": 1}}, "one")
    edition = store_qrels({"q1": {"a": 1}})
    with conn.transaction():
        conn.execute("SET TRANSACTION READ ONLY")
        assert reusability(conn, edition=edition, measure=AP)
        assert unjudged(conn, edition=edition, measure=AP)


# Unjudged documents ------------------------------------------------------------------------------------------------------------


def value(measure: Measure, order: Sequence[str], rels: dict[str, int]) -> float:
    """Compute a measure of one ranking from its definition."""
    gains = [rels.get(doc, 0) for doc in order]
    relevant = sum(rel > 0 for rel in rels.values())
    k = measure.cutoff or len(gains)
    found = [rank for rank, gain in enumerate(gains[:k], 1) if gain > 0]
    if measure.name == "P":
        return len(found) / k
    if not relevant:
        return 0.0
    if measure.name == "nDCG":
        ideal = sorted((rel for rel in rels.values() if rel > 0), reverse=True)[:k]
        return sum(g / math.log2(r + 1) for r, g in enumerate(gains[:k], 1)) / sum(
            g / math.log2(r + 1) for r, g in enumerate(ideal, 1)
        )
    if measure.name == "R":
        return len(found) / relevant
    if measure.name == "RR":
        return 1 / found[0] if found else 0.0
    return sum(i / rank for i, rank in enumerate(found, 1)) / relevant


@SLOW
@given(run=lists, judged=grades, measure=st.sampled_from([nDCG @ 2, nDCG @ 4, nDCG @ 10, P @ 3, R @ 3, RR, AP]))
def test_bounds_are_the_extremes_over_all_grades(
    conn: psycopg.Connection,
    store_run: stored.StoreRun,
    store_qrels: stored.StoreQrels,
    run: dict[str, float],
    judged: dict[str, int],
    measure: Measure,
) -> None:
    name, edition = store_run({"q": run}), store_qrels({"q": judged})
    order = stored.ranked(run)
    known = {doc: rel for doc, rel in judged.items() if rel >= 0}
    top = max(1, *judged.values())
    asked = [doc for doc in order[: measure.cutoff or len(order)] if doc not in known]
    levels = range(top + 1) if measure.name == "nDCG" else range(2)
    reached = [value(measure, order, known | dict(zip(asked, some, strict=True))) for some in product(levels, repeat=len(asked))]
    [found] = unjudged(conn, edition=edition, measure=measure, runs=[name])
    assert (found.unjudged, found.retrieved) == (len(asked), len(order[: measure.cutoff or len(order)]))
    assert found.value == pytest.approx(value(measure, order, known), abs=1e-9)
    assert (found.worst, found.best) == pytest.approx((min(reached), max(reached)), abs=1e-9)


@SLOW
@given(systems=systems, judged=judgments)
def test_condensed_lists_equal_trec_eval(
    conn: psycopg.Connection,
    store_run: stored.StoreRun,
    store_qrels: stored.StoreQrels,
    systems: list[dict[str, dict[str, float]]],
    judged: Qrels,
) -> None:
    name, edition = store_run(systems[0]), store_qrels(judged)
    for measure in MEASURES:
        [found] = unjudged(conn, edition=edition, measure=measure, runs=[name])
        assert found.value == pytest.approx(mean(systems[0], judged, measure, queries=judged), abs=1e-9)
        assert found.condensed == pytest.approx(mean(systems[0], judged, measure, queries=judged, condensed=True), abs=1e-9)
        if measure is Bpref:
            assert (found.worst, found.best) == (None, None)


def test_share_is_one_minus_judged_at(conn: psycopg.Connection, store_run: stored.StoreRun, store_qrels: stored.StoreQrels) -> None:
    run = store_run({"q1": {"a": 4, "b": 3, "c": 2, "d": 1}, "q2": {"a": 1}})
    edition = store_qrels({"q1": {"a": 1, "b": -1, "d": 0}, "q2": {"a": 0}, "q3": {"a": 1}})
    rows = conn.execute(
        "SELECT query, retrieved, unjudged, share FROM unjudged_at(%s, %s, 3) ORDER BY query", [[run], edition]
    ).fetchall()
    assert rows == [("q1", 3, 2, pytest.approx(2 / 3)), ("q2", 1, 0, 0), ("q3", 0, 0, None)]
    judged: dict[str, float] = dict(conn.execute("SELECT query, value FROM judged_at(%s, %s, 3)", [[run], edition]).fetchall())
    assert all(share == pytest.approx(1 - judged[query]) for query, _, _, share in rows if share is not None)
    [one] = unjudged(conn, edition=edition, measure=P @ 3, runs=[run])
    assert (one.retrieved, one.unjudged) == (4, 2)
    assert one.share == pytest.approx(1 / 3)
    assert len(unjudged(conn, edition=edition, measure=P @ 3, runs=[run], per_query=True)) == 3


# Errors -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "state"),
    [
        ("reusability('none')", "IR102"), ("reusability(%(edition)s, runs => '{none}')", "IR101"),
        ("reusability(%(edition)s, 'ERR@10')", "IR108"), ("reusability(%(edition)s, 'nDCG@0')", "IR201"),
        ("reusability(%(edition)s, depth => 0)", "IR201"), ("reusability(%(edition)s, depth => NULL)", "IR201"),
        ("reusability(%(edition)s, by => 'country')", "IR202"), ("reusability(%(edition)s, NULL)", "IR108"),
        ("stc.score_bounds('{}', 'none')", "IR102"), ("stc.score_bounds('{}', %(edition)s, 'nDCG')", "IR108"),
        ("unjudged_at('{}', %(edition)s, 0)", "IR201"), ("stc.score_grid('{}', %(edition)s, 'AP', 'one')", "IR202"),
    ],
)  # fmt: skip
def test_refused(
    conn: psycopg.Connection, store_run: stored.StoreRun, store_qrels: stored.StoreQrels, call: str, state: str
) -> None:
    store_run({"q1": {"a": 1}})
    with pytest.raises(psycopg.Error) as error:
        conn.execute(f"SELECT * FROM {call}".encode(), {"edition": store_qrels({"q1": {"a": 1}})})
    assert error.value.sqlstate == state
    assert error.value.diag.message_hint


def test_a_stored_pool_provides_depth_and_runs(conn: psycopg.Connection) -> None:
    conn.execute("""INSERT INTO stc_all.qrels_pools (pool, method, params)
    VALUES ('p', 'depth', '{"depth": 7, "runs": ["one", "two"]}'),
                    ('s', 'strata', '{"seed": 1}')""")
    assert pool_of(conn, pool="p", depth=None, runs=()) == (7, ["one", "two"])
    assert pool_of(conn, pool="p", depth=3, runs=()) == (3, ["one", "two"])
    assert pool_of(conn, pool=None, depth=None, runs=["one"]) == (10, ["one"])
    with pytest.raises(UnknownObject, match="no pool 'q'"):
        pool_of(conn, pool="q", depth=None, runs=())
    with pytest.raises(StateError, match="depth"):
        pool_of(conn, pool="s", depth=None, runs=())
    with pytest.raises(BadArgument):
        pool_of(conn, pool="p", depth=None, runs=["one"])


def test_the_commands(
    settings: Settings, conn: psycopg.Connection, store_run: stored.StoreRun, store_qrels: stored.StoreQrels
) -> None:
    edition = store_qrels({"q1": {"a": 1, "b": 1}})
    with pytest.raises(StateError, match="no run with a ranking"):
        CliRunner().invoke(command, ["--edition", edition], obj=settings, catch_exceptions=False)
    for name, order in (("one", {"a": 2, "c": 1}), ("two", {"b": 2, "a": 1})):
        store_run({"q1": order}, name, decoy=False)
    done = CliRunner().invoke(command, ["--edition", edition, "-m", "AP,P@1", "--depth", "1"], obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    assert "AP: 2 runs left out, one at a time, of a pool of depth 1" in done.output
    done = CliRunner().invoke(unjudged_command, ["one", "--edition", edition, "-q"], obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    assert "q1" in done.output
