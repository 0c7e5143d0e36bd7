"""Scores and pools as of a day, compared with those of runs and judgments that have only the documents of the snapshot."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import ScoreRules, leaderboard, score
from stcollection.qrels.pools import PoolRules, make_pool
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.evaluation.ndeval import expected as expected_by_ndeval
from tests.evaluation.ndeval import store_subtopics
from tests.groups import evaluation as evaluation_group

pytestmark = pytest.mark.slow

Value = TypeVar("Value")
DAYS = ("2024-01-15", "2024-03-01", "2024-06-30")
DOCS = [f"d{number:02}" for number in range(40)]
MEASURES = [
    parse_measure(name) for name in ("nDCG@10", "P@5", "AP", "RR", "Bpref", "R@20", "Judged@10", "num_rel", "gm_map", "infAP")
]


class World:
    """Three runs and an edition over documents with the snapshots that contain them; None: on every day."""

    def __init__(self, conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
        draw = random.Random(7)
        spans = [None, (0,), (0, 1), (0, 1, 2), (1,), (1, 2), (2,), (0, 2)]
        self.dates = {doc: draw.choice(spans) for doc in DOCS}
        queries = [f"q{number}" for number in range(6)]
        self.runs = {
            name: {query: {doc: draw.random() for doc in draw.sample(DOCS, 25)} for query in queries[: 5 + (name != "short")]}
            for name in ("one", "two", "short")
        }
        self.judged = {query: {doc: draw.choice([-1, 0, 0, 1, 2]) for doc in draw.sample(DOCS, 20)} for query in queries}
        # a query that has judgments in the first snapshot only
        self.judged["q5"] = {doc: 1 for doc, span in self.dates.items() if span == (0,)}
        for name, run in self.runs.items():
            store_run(run, name, decoy=False)
        store_qrels(self.judged, "all")
        for index, day in enumerate(DAYS):
            for name, run in self.runs.items():
                store_run(self.only(run, index), f"{name} {day}", decoy=False)
            store_qrels({query: docs for query, docs in self.only(self.judged, index).items() if docs}, f"all {day}")
        conn.execute(
            "INSERT INTO stc.corpus_files (path, sha256, bytes, format) SELECT d, d, 1, 'jsonl' FROM unnest(%s::text[]) d",
            [list(DAYS)],
        )
        conn.execute("INSERT INTO stc.corpus_snapshots (day, file) SELECT path::date, id FROM stc.corpus_files")
        conn.execute("UPDATE dblp SET stub = false")
        for doc, span in self.dates.items():
            first, last = (DAYS[span[0]], DAYS[span[-1]]) if span else (None, None)
            conn.execute(
                "UPDATE dblp_facts SET first_date = %s, last_date = %s, absent = %s::date[]"
                " WHERE id = (SELECT id FROM dblp WHERE docno = %s)",
                [first, last, [DAYS[1]] if span == (0, 2) else None, doc],
            )

    def only(self, docs: Mapping[str, Mapping[str, Value]], index: int) -> dict[str, dict[str, Value]]:
        return {query: {doc: value for doc, value in found.items() if self.contains(doc, index)} for query, found in docs.items()}

    def contains(self, doc: str, index: int) -> bool:
        """Return whether the snapshot with this index contains the document."""
        span = self.dates[doc]
        return span is None or index in span


@pytest.fixture
def world(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> World:
    return World(conn, store_run, store_qrels)


@pytest.mark.parametrize("rules", [ScoreRules(), ScoreRules(min_grade=2), ScoreRules(judged_only=True), ScoreRules(max_rank=4)])
@pytest.mark.parametrize("complete", [True, False])
def test_scores_are_those_of_the_snapshot(complete: bool, rules: ScoreRules, world: World, conn: psycopg.Connection) -> None:
    names = list(world.runs)
    whole = score(conn, runs=names, edition="all", measures=MEASURES, complete=complete, rules=rules)
    for day in DAYS:
        expected = [
            one._replace(run=one.run.removesuffix(f" {day}"))
            for one in score(
                conn,
                runs=[f"{name} {day}" for name in names],
                edition=f"all {day}",
                measures=MEASURES,
                complete=complete,
                rules=rules,
            )
        ]
        found = score(conn, runs=names, edition="all", measures=MEASURES, complete=complete, rules=rules, as_of=day)
        assert [one[:3] for one in found] == [one[:3] for one in expected]
        assert [one.value for one in found] == pytest.approx([one.value for one in expected], abs=1e-12)
        assert found != whole
        means = {
            one.run.removesuffix(f" {day}"): one.values
            for one in leaderboard(
                conn,
                runs=[f"{name} {day}" for name in names],
                edition=f"all {day}",
                measures=MEASURES,
                complete=complete,
                rules=rules,
            )
        }
        ranked = leaderboard(conn, runs=names, edition="all", measures=MEASURES, complete=complete, rules=rules, as_of=day)
        assert len(ranked) == len(names)
        for one in ranked:
            assert one.values == pytest.approx(means[one.run], abs=1e-12)
    assert {one.query for one in score(conn, runs=names, edition="all", measures=MEASURES, as_of=DAYS[2])} == {
        f"q{number}" for number in range(5)
    }


def test_a_later_day_has_the_last_snapshot(world: World, conn: psycopg.Connection) -> None:
    assert leaderboard(conn, edition="all", runs=list(world.runs), as_of="2024-05-31") == leaderboard(
        conn, edition="all", runs=list(world.runs), as_of=DAYS[1]
    )


def test_scores_in_a_read_only_transaction(world: World, conn: psycopg.Connection) -> None:
    expected = score(conn, runs=list(world.runs), edition="all", measures=MEASURES, as_of=DAYS[1])
    ranked = leaderboard(conn, edition="all", runs=list(world.runs), as_of=DAYS[1])
    with conn.transaction():
        conn.execute("SET TRANSACTION READ ONLY")
        assert score(conn, runs=list(world.runs), edition="all", measures=MEASURES, as_of=DAYS[1]) == expected != []
        assert leaderboard(conn, edition="all", runs=list(world.runs), as_of=DAYS[1]) == ranked != []


ASPECTS = (
    "alpha_nDCG@10", "alpha_nDCG(alpha=0.3)@20", "alpha_DCG@5", "ERR_IA@10", "nERR_IA@20", "NRBP", "nNRBP", "StRecall@5", "P_IA@10",
    "AP_IA",
)  # fmt: skip


def aspects(world: World, conn: psycopg.Connection) -> list[tuple[str, str, str, int]]:
    """Store an edition of subtopic judgments, and one for each day that has only the documents of its snapshot."""
    draw = random.Random(11)
    rows = [
        (query, subtopic, doc, draw.choice([-2, 0, 1, 1, 2]))
        for query, docs in world.judged.items()
        for doc in docs
        for subtopic in draw.sample(["1", "2", "10", "b"], draw.randint(0, 3))
    ]
    store_subtopics(conn, rows, "aspects")
    for index, day in enumerate(DAYS):
        store_subtopics(conn, [row for row in rows if world.contains(row[2], index)], f"aspects {day}")
    return rows


@pytest.mark.parametrize("rules", [ScoreRules(), ScoreRules(min_grade=2), ScoreRules(judged_only=True), ScoreRules(max_rank=4)])
@pytest.mark.parametrize("complete", [True, False])
def test_measures_of_subtopics_are_those_of_the_snapshot(
    complete: bool, rules: ScoreRules, world: World, conn: psycopg.Connection
) -> None:
    aspects(world, conn)
    measures, names = [parse_measure(name) for name in ASPECTS], list(world.runs)
    whole = score(conn, runs=names, edition="aspects", measures=measures, complete=complete, rules=rules)
    for day in DAYS:
        then = [f"{name} {day}" for name in names]
        expected = score(conn, runs=then, edition=f"aspects {day}", measures=measures, complete=complete, rules=rules)
        found = score(conn, runs=names, edition="aspects", measures=measures, complete=complete, rules=rules, as_of=day)
        assert {(one.run, one.query, one.measure): one.value for one in found} == {
            (one.run.removesuffix(f" {day}"), one.query, one.measure): pytest.approx(one.value, abs=1e-12) for one in expected
        }
        assert found != whole
        board = leaderboard(conn, runs=then, edition=f"aspects {day}", measures=measures, complete=complete, rules=rules)
        means = leaderboard(conn, runs=names, edition="aspects", measures=measures, complete=complete, rules=rules, as_of=day)
        assert {one.run: one.values for one in means} == {
            one.run.removesuffix(f" {day}"): pytest.approx(one.values, abs=1e-12) for one in board
        }


def test_measures_of_subtopics_equal_ndeval_on_the_files_of_the_snapshot(world: World, conn: psycopg.Connection) -> None:
    rows, checked = aspects(world, conn), 0
    for index, day in enumerate(DAYS):
        there = [row for row in rows if world.contains(row[2], index)]
        for name in ASPECTS:
            measure = parse_measure(name)
            found = {one.query: one.value for one in score(conn, runs=["one"], edition="aspects", measures=[measure], as_of=day)}
            run = {query: docs for query, docs in world.only(world.runs["one"], index).items() if docs}
            theirs = expected_by_ndeval(measure.name, run, there, cutoff=measure.cutoff, alpha=0.3 if "0.3" in name else 0.5)
            for query, value in theirs.items():
                assert found[query] == pytest.approx(0 if math.isnan(value) else value, abs=1e-9), (day, name, query)
                checked += value > 0
            assert found.keys() == {row[0] for row in there}
    assert checked > 100


def test_both_kinds_of_judgments_as_of_a_day(world: World, conn: psycopg.Connection) -> None:
    rows = aspects(world, conn)
    store_subtopics(conn, [row for row in rows if row[0] < "q4"], "all")
    both = [parse_measure(name) for name in ("nDCG@10", "alpha_nDCG@10", "num_rel", "alpha_nDCG@10")]
    found = score(conn, runs=["one"], edition="all", measures=both, as_of=DAYS[1])
    alone = [one for measure in both[:3] for one in score(conn, runs=["one"], edition="all", measures=[measure], as_of=DAYS[1])]
    assert set(found) == set(alone)
    assert {one.query for one in found if one.measure == both[1]} < {one.query for one in found if one.measure == both[0]}
    [means] = leaderboard(conn, runs=["one"], edition="all", measures=both, as_of=DAYS[1])
    values = [[one.value for one in alone if one.measure == measure] for measure in both]
    assert means.values == pytest.approx(
        [sum(v) / (1 if m.kind.mean == "sum" else len(v)) for m, v in zip(both, values, strict=True)]
    )
    in_sql = conn.execute(
        "SELECT measure, value, queries FROM stc.mean_scores_as_of('{one}', 'all', '{num_rel,num_rel,\"P.5,10\",strec_5}', %s)",
        [DAYS[1]],
    ).fetchall()
    assert {name for name, _, _ in in_sql} == {"num_rel", "P_5", "P_10", "strec_5"}
    assert {(value, queries) for name, value, queries in in_sql if name == "num_rel"} == {(means.values[2], len(values[2]))}


def test_wrong_measures_of_subtopics(world: World, conn: psycopg.Connection) -> None:
    aspects(world, conn)

    def scored(edition: str, name: str, day: str = DAYS[0]) -> None:
        score(conn, runs=["one"], edition=edition, measures=[parse_measure(name)], as_of=day)

    with pytest.raises(StateError, match="StRecall@10 needs subtopic judgments, and edition 'all' has none") as error:
        scored("all", "StRecall@10")
    assert error.value.hint == "Import them: stc load --as subtopics FILE --edition 'all'."
    with pytest.raises(StateError, match="nDCG@10 needs judgments of documents, and edition 'aspects' has only"):
        scored("aspects", "nDCG@10")
    with pytest.raises(BadArgument, match=r"the relevance level of P_IA\(rel=0\)@5 is 0"):
        scored("aspects", "P_IA(rel=0)@5")
    conn.execute("UPDATE dblp_facts SET first_date = %s, last_date = %s", [DAYS[2], DAYS[2]])
    with pytest.raises(StateError, match="edition 'aspects' judges no document of the snapshot of 2024-01-15"):
        scored("aspects", "StRecall@10")
    scored("aspects", "StRecall@10", DAYS[2])


def test_wrong_days_and_rules(world: World, conn: psycopg.Connection) -> None:
    for bad in ("30.06.2024", "06/30/2024", "2024-6-30", "June 30, 2024", "20240630"):
        with pytest.raises(BadArgument, match=f"'{bad}' is not a date"):
            leaderboard(conn, edition="all", as_of=bad)
    with pytest.raises(BadArgument, match="the date 2999-01-01 is in the future"):
        score(conn, runs=[], edition="all", measures=MEASURES, as_of="2999-01-01")
    with pytest.raises(BadArgument, match="there is no snapshot up to 2023-01-01"):
        leaderboard(conn, edition="all", as_of="2023-01-01")
    with pytest.raises(BadArgument, match="use the ranks of trec_eval 9, not trec_eval 10"):
        leaderboard(conn, edition="all", rules=ScoreRules(version="trec_eval 10"), as_of=DAYS[0])
    conn.execute("UPDATE dblp_facts SET first_date = %s, last_date = %s", [DAYS[2], DAYS[2]])
    with pytest.raises(StateError, match="edition 'all' judges no document of the snapshot of 2024-01-15"):
        leaderboard(conn, edition="all", as_of=DAYS[0])


def test_the_commands(world: World, conn: psycopg.Connection, settings: Settings) -> None:
    aspects(world, conn)
    conn.commit()
    for words in (
        ["score", "one", "--edition", "all", "-m", "AP"],
        ["leaderboard", "--edition", "all", "-m", "AP"],
        ["leaderboard", "--edition", "aspects", "-m", "alpha_nDCG@10"],
    ):
        shown = CliRunner().invoke(evaluation_group, [*words, "--as-of", DAYS[0], "--format", "json"], obj=settings)
        assert shown.exit_code == 0, shown.output
        assert '"one"' in shown.stdout
    refused = CliRunner().invoke(evaluation_group, ["leaderboard", "--edition", "all", "--ties", "--as-of", DAYS[0]], obj=settings)
    assert refused.exit_code == 2
    assert "--as-of cannot be combined" in refused.output


def pooled(conn: psycopg.Connection, name: str) -> list[tuple[str, str, int, int]]:
    return conn.execute(
        "SELECT q.query, d.docno, p.best_rank, p.runs FROM stc_all.qrels_pool_documents p JOIN stc_all.qrels_pools n"
        " ON n.id = p.pool"
        " JOIN st1_queries q ON q.id = p.query JOIN dblp d ON d.id = p.doc WHERE n.pool = %s ORDER BY q.query, p.position",
        [name],
    ).fetchall()


def test_pools_are_those_of_the_snapshot(world: World, conn: psycopg.Connection) -> None:
    for rules in (PoolRules(depth=5), PoolRules(depth=8, teams=2), PoolRules(strata="1-3:1,4-12:0.5")):
        make_pool(conn, "whole", runs=list(world.runs), rules=rules)
        for day in DAYS:
            made = make_pool(conn, "now", runs=list(world.runs), rules=replace(rules, as_of=day))
            assert made == make_pool(conn, "then", runs=[f"{name} {day}" for name in world.runs], rules=rules)
            assert pooled(conn, "now") == pooled(conn, "then") != pooled(conn, "whole")
            conn.execute("SELECT stc.drop_pool('now'), stc.drop_pool('then')")
        conn.execute("SELECT stc.drop_pool('whole')")
    left = make_pool(conn, "left", runs=["one"], rules=PoolRules(depth=30, as_of=DAYS[1]), without="all")
    assert left == make_pool(conn, "left then", runs=[f"one {DAYS[1]}"], rules=PoolRules(depth=30), without=f"all {DAYS[1]}")
    with pytest.raises(BadArgument, match="a pool by effect cannot be as of a day"):
        make_pool(conn, "p", rules=PoolRules(effect=5, as_of=DAYS[0]))
    with pytest.raises(BadArgument, match=r"'1\.1\.2024' is not a date"):
        make_pool(conn, "p", rules=PoolRules(as_of="1.1.2024"))
