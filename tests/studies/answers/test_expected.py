"""The documents with the best expected score: against brute force over all sets and groupings, and as a run."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.studies.answers.clusters import AnswerPairs, Floats
from stcollection.studies.answers.endorse import ClusterOptions, cluster
from stcollection.studies.answers.expected import ALL, best_set, expected, partitions
from tests.examples import examples
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, put


def complete(n: int, support: Floats) -> AnswerPairs:
    """Return all pairs of n answers, with the upper triangle of ``support``."""
    a, b = np.triu_indices(n, 1)
    told = support[a, b]
    return AnswerPairs(n, a, b, told, 1 - told, np.zeros(len(a), dtype=np.bool_))


@pytest.mark.parametrize(("n", "count"), [(0, 1), (1, 1), (2, 2), (3, 5), (4, 15), (7, 877), (8, 4140)])  # Bell numbers
def test_all_groupings_are_returned_once(n: int, count: int) -> None:
    every = {tuple(one) for one in partitions(n).tolist()}
    assert len(every) == len(partitions(n)) == count


@given(st.integers(1, 6), st.integers(1, 12), st.integers(0, 2**32 - 1))
@examples(60)
def test_the_best_set_equals_brute_force(n: int, m: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    sets = chance.random((m, n)) < 0.5
    weight = chance.dirichlet(np.ones(m))
    chosen, f1 = best_set(sets, weight)

    def mean(members: tuple[int, ...]) -> float:
        held = np.isin(np.arange(n), members)
        return float(weight @ (2 * (sets & held).sum(axis=1) / (sets.sum(axis=1) + len(members))))

    best = max(mean(members) for size in range(1, n + 1) for members in combinations(range(n), size))
    assert f1 == pytest.approx(best, abs=1e-9)
    assert mean(tuple(chosen.tolist())) == pytest.approx(best, abs=1e-9)


@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
@examples(40)
def test_probabilities_equal_those_over_all_groupings(n: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    support, documents = chance.uniform(0.02, 0.98, (n, n)), chance.integers(0, n, n)
    documents = np.unique(documents, return_inverse=True)[1]
    total, behind = 0.0, np.zeros(documents.max() + 1)
    for grouping in partitions(n).tolist():
        odds = np.prod(
            [support[i, j] / (1 - support[i, j]) for i in range(n) for j in range(i + 1, n) if grouping[i] == grouping[j]]
        )
        groups = [[i for i in range(n) if grouping[i] == g] for g in range(max(grouping) + 1)]
        best = max(groups, key=lambda one: (len({documents[i] for i in one}), len(one), -min(documents[i] for i in one)))
        total += odds
        behind[sorted({documents[i] for i in best})] += odds
    assert expected(complete(n, support), documents, threshold=0.5).chance == pytest.approx(behind / total)


@pytest.mark.slow
def test_sampled_groupings_approximate_all_groupings(monkeypatch: pytest.MonkeyPatch) -> None:
    support = np.random.default_rng(3).uniform(0.1, 0.9, (6, 6))
    every = expected(complete(6, support), np.arange(6), threshold=0.5)
    monkeypatch.setattr("stcollection.studies.answers.expected.ALL", 2)
    monkeypatch.setattr("stcollection.studies.answers.expected.SAMPLES", 20_000)
    drawn = expected(complete(6, support), np.arange(6), threshold=0.5)
    assert drawn.chance == pytest.approx(every.chance, abs=0.03)
    assert drawn.chosen.tolist() == every.chosen.tolist()


@pytest.mark.slow
def test_many_answers_are_grouped_by_their_relations() -> None:
    n = 200
    support = np.where(np.arange(n)[:, None] % 4 == np.arange(n)[None, :] % 4, 0.9, 0.1)
    support[:, 0] = support[0] = 0.1  # so that only the group of 1, 5, 9 … is the largest
    assert n > ALL
    found = expected(complete(n, support), np.arange(n), threshold=0.5)
    assert len(found.chosen) == 50
    assert len(set(found.groups[found.chosen].tolist())) == 1
    assert expected(complete(n, support), np.arange(n), threshold=0.5).chance.tolist() == found.chance.tolist()


def test_uncertain_pairs_return_more_than_the_likeliest_group(conn: psycopg.Connection) -> None:
    """If agreement is uncertain, all documents with an answer are worth returning, but none without an answer."""
    docs = [Doc(f"d{number}", "t", f"says {number}", {f"says {number}": "yes"}) for number in range(4)]
    put(conn, [Question("q", [*docs, Doc("silent", "t", "")], gold=["d0", "d1"])])
    conn.execute("INSERT INTO stc.answer_models (model, kind) VALUES ('unsure', 'classifier')")
    conn.execute(
        "INSERT INTO stc.answer_relations (model, a, b, support, oppose)"
        " SELECT m.id, a.id, b.id, .4, .3 FROM stc.answer_models m, stc.answers a JOIN stc.answers b ON a.id < b.id"
    )
    found = {}
    for method in ("correlation", "expected"):
        cluster(conn, set="world", split="dev", run=method, options=ClusterOptions(method=method, model="unsure"))
        found[method] = [
            doc
            for (doc,) in conn.execute(
                "SELECT d.doc_id FROM stc.answer_predictions p JOIN stc.answer_runs r ON r.id = p.run"
                " JOIN stc.answer_documents d ON d.id = p.document WHERE r.run = %s ORDER BY d.place",
                [method],
            )
        ]
    assert found["correlation"] == ["d0"]
    assert found["expected"] == ["d0", "d1", "d2", "d3"]


def test_the_worked_example_and_its_explanation(conn: psycopg.Connection) -> None:
    put(conn, [WORKED])
    cluster(conn, set="world", split="dev", run="r", options=ClusterOptions(method="expected", model=None))
    told = conn.execute("SELECT stc.answer_explanation('r', %s)", [WORKED.query]).fetchone()
    assert told is not None
    assert told[0]["returned"] == ["d1", "d2"]
    assert told[0]["endorsement"] == 2
    assert [one["probability"] for one in told[0]["documents"]] == [pytest.approx(0.99, abs=0.01)] * 2 + [None]
