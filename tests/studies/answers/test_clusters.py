"""Answers grouped by agreement: the algorithms against brute force and scipy, the stored runs by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.studies.answers.clusters import AnswerPairs, Floats, Groups, average, correlation, exact, greedy
from stcollection.studies.answers.endorse import GRID, METHODS, ClusterOptions, cluster
from tests.groups import answers
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, one, put

pytestmark = pytest.mark.slow

Rows = list[tuple[str, str]]


def pairs(n: int, told: Sequence[tuple[int, int, float, float]], same: Sequence[tuple[int, int]] = ()) -> AnswerPairs:
    rows = [*((a, b, support, oppose, False) for a, b, support, oppose in told), *((a, b, 1.0, 0.0, True) for a, b in same)]
    a, b, support, oppose, alike = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    return AnswerPairs(
        n,
        np.array(a, dtype=np.int64),
        np.array(b, dtype=np.int64),
        np.array(support, dtype=np.float64),
        np.array(oppose, dtype=np.float64),
        np.array(alike, dtype=np.bool_),
    )


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """Yield all groupings of n, as growth strings."""

    def grow(head: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(head) == n:
            yield head
            return
        for number in range(max(head, default=-1) + 2):
            yield from grow((*head, number))

    return grow(())


def within(weights: Floats, groups: Sequence[int]) -> float:
    n = len(weights)
    return sum(float(weights[a, b]) for a in range(n) for b in range(a + 1, n) if groups[a] == groups[b])


def symmetric(n: int, seed: int) -> Floats:
    weights = np.random.default_rng(seed).normal(size=(n, n)).round(1)
    return np.triu(weights, 1) + np.triu(weights, 1).T


@given(n=st.integers(1, 7), seed=st.integers(0, 10_000))
@hypothesis_settings(max_examples=40, deadline=None)
def test_the_exact_grouping_is_the_best_of_all(n: int, seed: int) -> None:
    weights = symmetric(n, seed)
    best = max(within(weights, groups) for groups in partitions(n))
    assert within(weights, exact(weights).tolist()) == pytest.approx(best)
    assert within(weights, greedy(weights).tolist()) <= best + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_moving_one_answer_does_not_improve_the_greedy_grouping(seed: int) -> None:
    weights = symmetric(60, seed)
    groups = greedy(weights).tolist()
    reached = within(weights, groups)
    assert reached > 0
    assert groups == greedy(weights).tolist()
    for place in range(60):
        for target in [*set(groups), 60]:
            moved = [*groups[:place], target, *groups[place + 1 :]]
            assert within(weights, moved) <= reached + 1e-6


def test_greedy_finds_clear_groups() -> None:
    sizes = [30, 20, 10]
    truth = np.repeat(range(3), sizes)
    weights = np.where(truth[:, None] == truth, 1.0, -1.0)
    assert greedy(weights).tolist() == truth.tolist()


def test_contradictions_are_never_grouped() -> None:
    told = [(0, 1, 0.95, 0.0), (1, 2, 0.95, 0.0), (0, 2, 0.3, 0.6)]  # a chain whose ends contradict each other
    groups = correlation(pairs(3, told), threshold=0.5)
    assert groups[0] != groups[2]
    assert len(set(groups.tolist())) == 2
    many = [(a, b, 0.95, 0.0) for a in range(30) for b in range(a + 1, 30) if (a, b) != (0, 29)]
    groups = correlation(pairs(30, [*many, (0, 29, 0.4, 0.5)]), threshold=0.5)
    assert groups[0] != groups[29]


def test_equal_texts_are_always_grouped() -> None:
    told = [(0, 2, 0.0, 1.0), (1, 2, 0.0, 1.0)]
    for grouping in (average, correlation):
        assert grouping(pairs(3, told, same=[(0, 1)]), threshold=0.5).tolist() == [0, 0, 1]


@pytest.mark.parametrize("grouping", [average, correlation])
def test_few_or_no_answers(grouping: Callable[..., Groups]) -> None:
    assert grouping(pairs(0, []), threshold=0.5).tolist() == []
    assert grouping(pairs(1, []), threshold=0.5).tolist() == [0]
    assert grouping(pairs(3, []), threshold=0.5).tolist() == [0, 1, 2]


def test_average_linkage_by_hand() -> None:
    told = [(0, 1, 0.9, 0.0), (0, 2, 0.8, 0.0), (1, 2, 0.2, 0.0)]  # 2 joins {0, 1} at mean support .5
    assert average(pairs(3, told), threshold=0.5).tolist() == [0, 0, 0]
    assert average(pairs(3, told), threshold=0.55).tolist() == [0, 0, 1]


@pytest.mark.parametrize("method", METHODS)
def test_the_worked_example(conn: psycopg.Connection, method: str) -> None:
    put(conn, [WORKED, Question("另一个问题", [Doc("d1", "", "")])])
    done = cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method=method, model=None))
    assert (done.queries, done.answered, done.answers, done.clusters, done.unjudged) == (2, 1, 3, 2, 0)
    assert predictions(conn) == [(WORKED.query, "d1"), (WORKED.query, "d2")]
    told = conn.execute("SELECT rank, documents, answers, support, step FROM stc.answer_endorsement(stc.answer_run_key('r'))")
    assert told.fetchall() == [
        (1, 2, 2, 1.0, 1),
        (2, 1, 1, None, None),
    ]


def test_a_model_is_used_and_unjudged_pairs_are_counted(conn: psycopg.Connection) -> None:
    put(conn, [WORKED])
    model(conn, "m", {(1, 2): (0.7, 0.1)})
    model(conn, "decoy", {(1, 3): (0.99, 0.0)})
    for method in METHODS:
        done = cluster(
            conn,
            set="world",
            split="dev",
            run=method,
            options=ClusterOptions(method=method, model="m", threshold=0.69 if method == "correlation" else 0.7),
        )
        assert done.unjudged == 2
        assert predictions(conn, method) == [(WORKED.query, "d1"), (WORKED.query, "d2")], (
            method
        )  # .7 is not below .7; at the threshold a pair has no weight
        cluster(
            conn,
            set="world",
            split="dev",
            run=method,
            options=ClusterOptions(method=method, model="m", threshold=0.71),
            replace=True,
        )
        assert predictions(conn, method) == [(WORKED.query, "d1")], method


@pytest.mark.parametrize(
    ("docs", "returned", "step"),
    [
        ([Doc("a", "", "", {"x": "1", "y": "1"}), Doc("b", "", "", {"z": "2"}), Doc("c", "", "", {"w": "2"})], ["b", "c"], 1),
        ([Doc("a", "", "", {"x": "1"}), Doc("b", "", "", {"y": "2", "z": "2"})], ["b"], 2),
        ([Doc("a", "", "", {"x": "1"}), Doc("b", "", "", {"y": "2"})], ["a"], 4),
        ([Doc("a", "", "", {"x": "1", "y": "2"})], ["a"], 5),
        ([Doc("a", "", "", {"Yes. ": "1"}), Doc("b", "", "", {"no": "2"}), Doc("c", "", "", {"ＹＥＳ": "3"})], ["a", "c"], 1),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_ties_are_broken_by_the_rule(
    conn: psycopg.Connection, docs: list[Doc], returned: list[str], step: int, method: str
) -> None:
    put(conn, [Question("q", docs)])
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method=method, model=None))
    assert [doc for _, doc in predictions(conn)] == returned
    assert one(conn, "SELECT step FROM stc.answer_endorsement(stc.answer_run_key('r')) WHERE rank = 1", []) == (step,)


def test_more_support_comes_before_an_earlier_document(conn: psycopg.Connection) -> None:
    put(conn, [Question("q", [Doc(name, "", "", {name: name}) for name in "abcd"])])
    model(conn, "m", {(1, 2): (0.8, 0.0), (3, 4): (0.9, 0.0)})
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="components", model="m"))
    assert [doc for _, doc in predictions(conn)] == ["c", "d"]
    assert one(conn, "SELECT step FROM stc.answer_endorsement(stc.answer_run_key('r')) WHERE rank = 1", []) == (3,)


def test_answers_without_document_or_text_do_not_vote(conn: psycopg.Connection) -> None:
    put(conn, [Question("q", [Doc("a", "", "", {"x": "1"}), Doc("b", "", "", {" 。": "2"})])])
    conn.execute("INSERT INTO stc.answers (query, document, url, text) SELECT id, NULL, 'elsewhere', 'x' FROM stc.answer_queries")
    done = cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="components", model=None))
    assert done.answers == 1
    assert [doc for _, doc in predictions(conn)] == ["a"]


def test_at_least_two_documents_or_none(conn: psycopg.Connection) -> None:
    put(conn, [WORKED, Question("all contradict", [Doc(name, "", "", {name: name}) for name in "abc"])])
    done = cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="correlation", model=None, at_least=2))
    assert done.answered == 1
    assert predictions(conn) == [(WORKED.query, "d1"), (WORKED.query, "d2")]


@given(edges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.sampled_from([0.2, 0.5, 0.8])), max_size=20))
@hypothesis_settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_components_equal_scipy(conn: psycopg.Connection, edges: list[tuple[int, int, float]]) -> None:
    with conn.transaction(force_rollback=True):
        key = put(conn, [Question(f"q{q}", [Doc(str(at), "", "", {f"a{at}": "1"}) for at in range(6)]) for q in range(2)], set="w")
        ids = [row[0] for row in conn.execute("SELECT a.id FROM stc.answers a ORDER BY a.id")]
        told = {(min(a, b), max(a, b)): support for a, b, support in edges if a != b and a // 6 == b // 6}
        m = model(conn, "m", {(ids[a], ids[b]): (support, 0.0) for (a, b), support in told.items()})
        found: dict[int, int] = dict(
            conn.execute("SELECT answer, component FROM stc.answer_components(%s, %s, 'given', .5)", [key, m]).fetchall()
        )
    near = [pair for pair, support in told.items() if support >= 0.5]
    graph = coo_array(([1] * len(near), ([a for a, _ in near], [b for _, b in near])), shape=(12, 12))
    _, labels = connected_components(graph, directed=False)
    assert found == {ids[at]: ids[min(np.flatnonzero(labels == labels[at]))] for at in range(12)}


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
def test_five_hundred_documents(conn: psycopg.Connection, method: str) -> None:
    docs = [Doc(f"d{at}", "", "", {f"says {at}": ""}) for at in range(500)]
    put(conn, [Question("q", [doc._replace(answers={}) for doc in docs])])
    conn.execute(
        "INSERT INTO stc.answers (query, document, url, text) SELECT d.query, d.id, d.url, 'says ' || d.place"
        " FROM stc.answer_documents d"
        " ORDER BY d.place"
    )
    m = model(conn, "m", {})
    conn.execute(  # the first 300 agree with each other, and so do the others
        "INSERT INTO stc.answer_relations SELECT %s, a.id, b.id, CASE WHEN (a.id <= 300) = (b.id <= 300) THEN .9 ELSE .1 END, 0"
        " FROM stc.answers a JOIN stc.answers b ON a.id < b.id",
        [m],
    )
    done = cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method=method, model="m"))
    assert (done.clusters, done.answered) == (2, 1)
    assert predictions(conn) == sorted(("q", f"d{at}") for at in range(300))


def test_the_threshold_is_tuned_on_another_split(conn: psycopg.Connection) -> None:
    put(conn, [WORKED], split="dev")
    put(conn, [WORKED], split="test")
    model(conn, "m", {(1, 2): (0.7, 0.0), (1, 3): (0.6, 0.4), (4, 5): (0.7, 0.0), (4, 6): (0.6, 0.4)})
    done = cluster(conn, set="world", split="test", run="r", options=ClusterOptions(method="components", model="m", tune_on="dev"))
    assert done.threshold == 0.65  # .6 includes d3, .75 excludes d2
    assert [*done.tuned] == [*GRID]
    assert done.tuned[0.65] == 1.0
    assert conn.execute("SELECT run, set, params ->> 'tuned_on' FROM stc.answer_runs").fetchall() == [("r", 2, "dev")]


def test_errors(conn: psycopg.Connection) -> None:
    put(conn, [WORKED])
    put(conn, [Question("q", [Doc("a", "", "")])], split="test")
    model(conn, "idle", {})

    def make(*, split: str = "dev", run: str = "r", **options: Any) -> None:
        cluster(conn, set="world", split=split, run=run, options=ClusterOptions(**{"method": "average", "model": None, **options}))

    with pytest.raises(StateError, match="'idle' has judged none of world dev, which has 3 pairs"):
        make(model="idle")
    with pytest.raises(StateError, match="no answers of source 'given'"):
        make(split="test")
    with pytest.raises(StateError, match="no answers of source 'windows'"):
        make(source="windows")
    with pytest.raises(UnknownObject, match="no agreement model 'm'"):
        make(model="m")
    with pytest.raises(UnknownObject, match="has no split 'train'"):
        make(split="train")
    for wrong in ({"threshold": 0.0}, {"threshold": 1.0}, {"at_least": 0}, {"method": "magic"}, {"run": " "}):
        with pytest.raises(BadArgument):
            make(**wrong)
    make()
    with pytest.raises(BadArgument, match="run 'r' already exists"):
        make()
    assert one(conn, "SELECT count(*) FROM stc.answer_runs", []) == (1,)


def test_the_commands(conn: psycopg.Connection, settings: Settings) -> None:
    put(conn, [WORKED])

    def run(*words: str) -> str:
        return CliRunner().invoke(answers, [*words], obj=settings, catch_exceptions=False).output

    told = run("cluster", "world", "--split", "dev", "--name", "r", "--labels", "--method", "average")
    assert "run r: 3 answers in 2 clusters; 1 of 1 query answered" in told
    assert "average" in run("runs")
    with pytest.raises(BadArgument, match="--model or --labels"):
        run("cluster", "world", "--name", "s")
    assert "run r removed" in run("drop-run", "r")
    assert one(conn, "SELECT count(*) FROM stc.answer_clusters", []) == (0,)
    with pytest.raises(UnknownObject, match="no run 'r'"):
        run("drop-run", "r")


def model(conn: psycopg.Connection, name: str, relations: dict[tuple[int, int], tuple[float, float]]) -> int:
    (key,) = one(conn, "INSERT INTO stc.answer_models (model, kind) VALUES (%s, 'classifier') RETURNING id", [name])
    for (a, b), (support, oppose) in relations.items():
        conn.execute("INSERT INTO stc.answer_relations VALUES (%s, %s, %s, %s, %s)", [key, a, b, support, oppose])
    return key


def predictions(conn: psycopg.Connection, run: str = "r") -> Rows:
    return conn.execute(
        "SELECT q.text, d.doc_id FROM stc.answer_predictions p JOIN stc.answer_queries q ON q.id = p.query"
        " JOIN stc.answer_documents d ON d.id = p.document WHERE p.run = stc.answer_run_key(%s) ORDER BY q.place, d.doc_id",
        [run],
    ).fetchall()


def test_several_answers_of_one_document_endorse_once(conn: psycopg.Connection) -> None:
    talkative = {"x": "x", "y": "y", "z": "z"}
    put(conn, [Question("q", [Doc("a", "", "", talkative), *(Doc(name, "", "", {name: name}) for name in "bc")])])
    model(conn, "m", {(1, 2): (0.9, 0.0), (1, 3): (0.9, 0.0), (2, 3): (0.9, 0.0), (4, 5): (0.8, 0.0)})
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="components", model="m"))
    found = conn.execute("SELECT documents, answers FROM stc.answer_endorsement(stc.answer_run_key('r')) ORDER BY rank").fetchall()
    assert found == [(2, 2), (1, 3)]
    assert [doc for _, doc in predictions(conn)] == ["b", "c"]
