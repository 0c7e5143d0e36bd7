"""Pools: selected documents, their order, and the contributions of runs."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import namedtuple_row

from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.load import import_qrels
from stcollection.qrels.pools import (
    PoolRules,
    contributions,
    depths,
    drop_pool,
    make_pool,
    overlap,
    pool_queries,
    pools,
    read_scale,
)
from stcollection.runs.load import ImportOptions, import_runs
from tests.qrels.pooled import POOLED, RUNS, documents, judged, put_documents, put_queries, put_run, world


def next_to_judge(conn: psycopg.Connection, runs: Sequence[str] = (), **arguments: object) -> list[Any]:
    named = "".join(f", {name} => %({name})s" for name in arguments)
    with conn.cursor(row_factory=namedtuple_row) as cursor:
        rows = cursor.execute(f"SELECT * FROM next_to_judge(%(runs)s{named})".encode(), {"runs": list(runs), **arguments})
        return rows.fetchall()


def test_depth(conn: psycopg.Connection) -> None:
    world(conn)
    made = make_pool(conn, "p", runs=POOLED, rules=PoolRules(depth=2))
    found = documents(conn, "p")
    wanted = {query: {doc for run in POOLED for doc in RUNS[run][1].get(query, [])[:2]} for query in ("q1", "q2")}
    assert {query: set(docs) for query, docs in found.items()} == wanted
    assert (made.pooled_queries, made.documents, made.without_text) == (2, sum(map(len, wanted.values())), 0)
    rows = conn.execute(
        "SELECT d.docno, p.runs, p.teams, p.best_rank FROM stc_all.qrels_pool_documents p JOIN dblp d ON d.id = p.doc"
        "  JOIN st1_queries q ON q.id = p.query WHERE q.query = 'q1'"
    ).fetchall()
    assert {row[0]: row[1:] for row in rows} == {
        "d1": (3, 2, 1),
        "d2": (2, 1, 1),
        "d3": (1, 1, 1),
        "d7": (2, 2, 1),
        "d9": (1, 1, 1),
    }
    [overview] = pools(conn)
    assert overview.params["runs"] == sorted(POOLED)
    assert (overview.method, overview.documents, overview.grades) == ("depth", made.documents, 0)


def test_a_run_without_team_is_a_team_of_its_own(conn: psycopg.Connection) -> None:
    world(conn)
    make_pool(conn, "p", runs=POOLED, rules=PoolRules(depth=4, teams=2))
    assert {query: set(docs) for query, docs in documents(conn, "p").items()} == {"q1": {"d1", "d3", "d7", "d9"}, "q2": {"d1"}}
    make_pool(conn, "two", runs=["free", "lone", "b1"], rules=PoolRules(depth=4, teams=2), queries=["q1"])
    assert {query: set(docs) for query, docs in documents(conn, "two").items()} == {"q1": {"d7", "d9"}}


def test_the_seed_fixes_order_and_draw_whatever_the_keys(conn: psycopg.Connection) -> None:
    world(conn)
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        make_pool(conn, name, runs=POOLED, rules=PoolRules(strata="1-1:1,2-4:0.5", seed=seed))
    assert documents(conn, "one") == documents(conn, "again") != documents(conn, "other")
    # By names, so that other servers draw the same.
    for query, docs in documents(conn, "one").items():
        assert docs == sorted(docs, key=lambda doc: hashlib.md5(f"show:1:{query}:{doc}".encode()).hexdigest())  # noqa: S324


def test_strata_are_drawn_by_share_and_weighted_by_its_inverse(conn: psycopg.Connection) -> None:
    docs = [f"d{number:03}" for number in range(60)]
    put_documents(conn, {doc: (doc, None) for doc in docs})
    put_queries(conn, {"q1": "x", "q2": "y"})
    put_run(conn, "r", {"q1": docs, "q2": docs[::-1]})
    make_pool(conn, "p", rules=PoolRules(strata="1-10:1.0,11-50:0.18"))
    rows = conn.execute(
        "SELECT query, stratum, count(*), min(best_rank), max(best_rank), min(weight), max(weight) FROM"
        " stc_all.qrels_pool_documents"
        " GROUP BY query, stratum ORDER BY query, stratum"
    ).fetchall()
    for _, stratum, count, low, high, lightest, heaviest in rows:
        share, size, first, last = (1.0, 10, 1, 10) if stratum == "1-10" else (8 / 40, 40, 11, 50)
        assert count == size * share  # 7.2 of 40 is rounded up to 8
        assert first <= low <= high <= last
        assert lightest == heaviest == pytest.approx(1 / share)
    assert len(rows) == 4
    # Each document of a stratum is drawn about as often as any other.
    drawn = dict.fromkeys(docs, 0)
    for seed in range(40):
        make_pool(conn, f"s{seed}", rules=PoolRules(strata="1-60:0.25", seed=seed), queries=["q1"])
        for doc in documents(conn, f"s{seed}")["q1"]:
            drawn[doc] += 1
    assert sum(drawn.values()) == 40 * 15
    assert min(drawn.values()) >= 1
    assert max(drawn.values()) <= 22


def test_what_an_edition_has_judged_is_left_out_but_not_what_it_only_pooled(conn: psycopg.Connection) -> None:
    world(conn)
    judged(conn, "mine", {("q1", "d1"): 0, ("q1", "d2"): 2, ("q2", "d1"): 1, ("q1", "d7"): -1})
    make_pool(conn, "p", runs=POOLED, rules=PoolRules(depth=1), without="mine")
    assert {query: set(docs) for query, docs in documents(conn, "p").items()} == {"q1": {"d3", "d7", "d9"}, "q2": {"d3", "d4"}}


def test_bad_arguments_are_told_and_store_nothing(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no run to pool"):
        make_pool(conn, "p")
    world(conn)
    with pytest.raises(UnknownObject, match="there is no run 'a9'") as error:
        make_pool(conn, "p", runs=["a1", "a9"])
    assert "stc show runs" in (error.value.hint or "")
    with pytest.raises(UnknownObject, match="there is no query 'q9'"):
        make_pool(conn, "p", queries=["q9"])
    with pytest.raises(UnknownObject, match="there is no edition 'no'"):
        make_pool(conn, "p", without="no")
    with pytest.raises(BadArgument, match="the depth is 0"):
        make_pool(conn, "p", rules=PoolRules(depth=0))
    with pytest.raises(BadArgument, match="minimum number of teams is 0"):
        make_pool(conn, "p", rules=PoolRules(teams=0))
    with pytest.raises(StateError, match="would be empty"):
        make_pool(conn, "p", runs=POOLED, rules=PoolRules(teams=9))
    with pytest.raises(BadArgument, match="by effect cannot have strata"):
        make_pool(conn, "p", rules=PoolRules(effect=3, strata="1-2:1"))
    with pytest.raises(BadArgument, match="at least two runs"):
        make_pool(conn, "p", runs=["a1"], rules=PoolRules(effect=3))
    with pytest.raises(BadArgument, match="effects on the measure 'RBP'"):
        make_pool(conn, "p", rules=PoolRules(effect=3, measure="RBP"))
    for strata in ("", "1-10", "10-1:1", "1-10:0", "1-10:1.5", "1-10:1,10-20:1", "1-10:1;11-20:.5", "0-3:1", "1-5:nan"):
        with pytest.raises(BadArgument, match="is not a stratum of ranks"):
            make_pool(conn, "p", rules=PoolRules(strata=strata))
    for scale in ("0", "2-0", "0-12", "a-b", "0=x", "0=a,0=b", ""):
        with pytest.raises(BadArgument, match="is not a scale"):
            read_scale(scale)
    assert pools(conn) == []
    make_pool(conn, "p")
    with pytest.raises(BadArgument, match="pool 'p' already exists"):
        make_pool(conn, "p")
    with pytest.raises(UnknownObject, match="there is no pool 'q'"):
        drop_pool(conn, "q")
    assert drop_pool(conn, "p") > 0
    assert pools(conn) == []


def test_who_contributed_what(conn: psycopg.Connection) -> None:
    world(conn)
    make_pool(conn, "p", runs=POOLED, rules=PoolRules(depth=3))
    judged(conn, "mine", {("q1", "d1"): 2, ("q1", "d2"): 1, ("q1", "d5"): 1, ("q1", "d8"): 0, ("q1", "d9"): 2, ("q2", "d3"): 1})
    found = {one.run: one[2:] for one in contributions(conn, "p", edition="mine")}
    pooled = {run: {(query, doc) for query, docs in RUNS[run][1].items() for doc in docs[:3]} for run in POOLED}
    team = {run: (RUNS[run][0] or "").strip() or run for run in POOLED}
    grades = {("q1", "d1"), ("q1", "d2"), ("q1", "d5"), ("q1", "d9"), ("q2", "d3")}
    for run in POOLED:
        others = set().union(*(pooled[other] for other in POOLED if other != run))
        strangers = set().union(*(pooled[other] for other in POOLED if team[other] != team[run]))
        alone, of_team = pooled[run] - others, pooled[run] - strangers
        assert found[run] == (
            len(pooled[run]),
            len(alone),
            len(of_team),
            len(pooled[run] & (grades | {("q1", "d8")})),
            len(pooled[run] & grades),
            len(alone & grades),
            len(of_team & grades),
        )
    assert found["lone"] == (1, 1, 1, 1, 1, 1, 1)
    assert {one.run: one.found for one in contributions(conn, "p", edition="mine", relevant=2)}["a1"] == 1

    teams, common = overlap(conn, "p")
    assert teams == ["(free)", "(lone)", "A", "B"]
    of = {name: set().union(*(pooled[run] for run in POOLED if team[run] == name.strip("()"))) for name in teams}
    assert common == [[len(of[one] & of[other]) for other in teams] for one in teams]

    everything = set().union(*pooled.values())
    for depth, count, _, relevant, estimate in depths(conn, "p", edition="mine"):
        within = {(q, d) for run in POOLED for q, docs in RUNS[run][1].items() for d in docs[:depth]} & everything
        assert (count, relevant, estimate) == (len(within), len(within & grades), None)
    assert [(one.query, one.documents, one.found) for one in pool_queries(conn, "p", edition="mine")] == [
        ("q1", 7, 4),
        ("q2", 4, 1),
    ]


def test_the_estimate_of_a_stratified_pool_weighs_what_was_drawn(conn: psycopg.Connection) -> None:
    docs = [f"d{number:03}" for number in range(50)]
    put_documents(conn, {doc: (doc, None) for doc in docs})
    put_queries(conn, {"q": "x"})
    put_run(conn, "r", {"q": docs})
    make_pool(conn, "p", rules=PoolRules(strata="1-10:1,11-50:0.25"))
    judged(conn, "mine", {("q", doc): 1 for doc in docs})
    deepest = depths(conn, "p", edition="mine")[-1]
    assert (deepest.depth, deepest.documents, deepest.found) == (50, 20, 20)
    assert deepest.estimate == pytest.approx(50)


def test_the_effect_is_that_of_the_formula(conn: psycopg.Connection) -> None:
    """Compare with a computation in Python, for AP, with some documents judged."""
    world(conn)
    known = {("q1", "d1"): 1, ("q1", "d4"): 0, ("q2", "d4"): 1}
    judged(conn, "mine", known)
    runs, depth = ["a1", "a2", "b1"], 4
    found = {(one.query, one.docno): one for one in next_to_judge(conn, runs=runs, edition="mine", n=100, depth=depth)}
    ranked = {run: {q: RUNS[run][1][q][:depth] for q in ("q1", "q2")} for run in runs}
    pool = {(q, doc) for run in runs for q, docs in ranked[run].items() for doc in docs}
    assert set(found) == pool - set(known)
    chance = {pair: found[pair].chance if pair in found else float(known[pair]) for pair in pool}
    assert all(0 < found[pair].chance < 1 for pair in found)
    for query, doc in found:
        moved = []
        for run in runs:
            docs = ranked[run][query]
            if doc not in docs:
                moved.append(0.0)
                continue
            rank = docs.index(doc) + 1
            above = sum(chance[query, other] for other in docs[: rank - 1])
            below = sum(chance[query, other] / place for place, other in enumerate(docs, 1) if place > rank)
            moved.append((1 + above) / rank + below)
        ideal = max(1.0, sum(chance[pair] for pair in pool if pair[0] == query))
        spread = sum((one - other) ** 2 for one, other in itertools.combinations(moved, 2)) / 3
        x = found[query, doc].chance
        assert found[query, doc].effect == pytest.approx(x * (1 - x) * spread / ideal**2, rel=1e-9, abs=1e-15)
    # Queries take turns: q2 has one judgment after its second turn, q1 two after its third.
    queries = [one.query for one in sorted(found.values(), key=lambda one: one.place)]
    assert queries[0] == "q2"
    assert set(queries[1:3]) == {"q1", "q2"}


@pytest.mark.parametrize("measure", ["AP", "nDCG@3"])
def test_a_pool_by_effect_is_what_is_next_to_judge(conn: psycopg.Connection, measure: str) -> None:
    world(conn)
    judged(conn, "mine", {("q1", "d1"): 2, ("q1", "d4"): 0, ("q2", "d4"): 1})
    ahead = next_to_judge(conn, runs=POOLED, edition="mine", n=4, depth=3, measure=measure)
    assert [one.place for one in ahead] == [1, 2, 3, 4]
    make_pool(conn, "p", runs=POOLED, rules=PoolRules(effect=4, depth=3, measure=measure), without="mine")
    rows = conn.execute(
        "SELECT q.query, d.docno, p.weight FROM stc_all.qrels_pool_documents p"
        "  JOIN st1_queries q ON q.id = p.query JOIN dblp d ON d.id = p.doc"
    ).fetchall()
    assert {row[:2]: row[2] for row in rows} == {(one.query, one.docno): one.effect for one in ahead}


def test_a_document_that_all_runs_rank_alike_has_no_effect(conn: psycopg.Connection) -> None:
    put_documents(conn, {doc: (doc, None) for doc in "abcd"})
    put_queries(conn, {"q": "x"})
    put_run(conn, "r", {"q": list("abc")})
    put_run(conn, "s", {"q": list("abd")})
    effects = {one.docno: one.effect for one in next_to_judge(conn, measure="nDCG@3")}
    assert effects["a"] == effects["b"] == 0 < effects["c"] == pytest.approx(effects["d"])


@pytest.mark.long
@pytest.mark.slow
def test_judging_by_effect_finds_the_ranking_of_systems_with_fewer_judgments(conn: psycopg.Connection, data: Path) -> None:
    """TREC Deep Learning 2021, passages: pools of depth 10 of 32 runs, judged in rounds of 50 by NIST's labels, AP."""
    for path in sorted((data / "trec-dl" / "dl21" / "runs").glob("*.gz")):
        list(import_runs(conn, [path], name=path.name.removesuffix(".gz"), options=ImportOptions(on_duplicate="first")))
    import_qrels(conn, data / "trec-dl" / "dl21" / "nist.qrels", edition="nist")
    rows = conn.execute(
        "SELECT q.query, p.doc, p.best_rank, d.docno, coalesce(j.rel, 0), p.query FROM stc.pool_candidates('{}', 10) p"
        "  JOIN st1_queries q ON q.id = p.query JOIN dblp d ON d.id = p.doc"
        "  LEFT JOIN stc.edition_judgments('nist') j ON j.query = q.query AND j.doc = p.doc"
    ).fetchall()
    pool = {(row[0], row[1]): row for row in rows}
    assert len(pool) == 5667

    def judge(edition: str, chosen: list[tuple[str, int]]) -> None:
        conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s) ON CONFLICT DO NOTHING", [edition])
        with conn.cursor() as cursor:
            [(key,)] = cursor.execute("SELECT id FROM qrels_editions WHERE edition = %s", [edition]).fetchall()
            with cursor.copy("COPY qrels_judgments (edition, query, doc, rel) FROM STDIN") as copy:
                for pair in chosen:
                    copy.write_row((key, pool[pair][5], pair[1], pool[pair][4]))

    def tau(edition: str) -> float:
        row = conn.execute(
            "SELECT stc.kendall_tau(array_agg(f.average_precision), array_agg(e.average_precision))"
            "  FROM stc.evaluate_runs('{}', 'full') f JOIN stc.evaluate_runs('{}', %s) e USING (run)",
            [edition],
        ).fetchone()
        assert row is not None
        return float(row[0])

    judge("full", list(pool))
    conn.execute("ANALYZE qrels_judgments")
    by_depth = sorted(pool, key=lambda pair: (pool[pair][2], pair[0], pool[pair][3]))
    at_random = sorted(pool, key=lambda pair: (pair[0], pool[pair][3]))
    random.Random(1).shuffle(at_random)
    curve: dict[str, list[float]] = {"depth": [], "random": [], "effect": []}
    for done in range(0, 1000, 50):
        judge("depth", by_depth[done : done + 50])
        judge("random", at_random[done : done + 50])
        ahead = next_to_judge(conn, edition="effect" if done else None, n=50, depth=10)
        judge("effect", [(one.query, one.doc) for one in ahead])
        for name, values in curve.items():
            values.append(tau(name))
    means = {name: sum(values) / len(values) for name, values in curve.items()}
    assert means["effect"] > means["depth"] + 0.01 > means["random"] + 0.1
    assert curve["effect"][9] > curve["depth"][19]  # 500 judgments by effect, 1,000 by depth
