"""The measures of a model of agreement equal scikit-learn's, over all pairs and by unit."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from sklearn import metrics

from stcollection.errors import BadArgument, StateError
from stcollection.studies.answers.agreement.check import check, measure
from stcollection.studies.answers.agreement.model import RELATIONS, LearningOptions
from stcollection.studies.answers.agreement.relate import relate, train
from tests.studies.answers.answer_pairs import questions
from tests.studies.answers.answer_worlds import put

pytestmark = pytest.mark.slow


def test_measures_by_hand() -> None:
    found = measure(np.array([1, 1, 0, 0]), np.array([0.9, 0.4, 0.6, 0.1]), threshold=0.5)
    assert (found.precision, found.recall, found.f1, found.auc) == (0.5, 0.5, 0.5, 0.75)
    assert found.brier == pytest.approx((0.01 + 0.36 + 0.36 + 0.01) / 4)
    assert found.ece == pytest.approx((0.1 + 0.6 + 0.6 + 0.1) / 4)
    assert measure(np.array([0, 0]), np.array([0.1, 0.2]), threshold=0.5).auc is None


@pytest.fixture
def world(conn: psycopg.Connection) -> psycopg.Connection:
    put(conn, questions()[:40], split="train")
    put(conn, questions()[40:], split="dev")
    train(conn, "m", set="world", options=LearningOptions(kinds=["overlap", "length"]))
    relate(conn, "m", set="world", split="dev")
    return conn


def test_measures_of_a_split_equal_scikit_learn(world: psycopg.Connection) -> None:
    rows = world.execute(
        "SELECT p.relation, r.support, r.oppose FROM answer_pairs p JOIN stc.answer_relations r USING (a, b)"
    ).fetchall()
    label = np.array([row[0] == "support" for row in rows])
    support, oppose = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
    found = check(world, "m", set="world", split="dev")
    [(unit, got, table)] = found.rows
    assert unit == "all"
    assert got.auc == pytest.approx(metrics.roc_auc_score(label, support))
    assert got.ap == pytest.approx(metrics.average_precision_score(label, support))
    assert got.brier == pytest.approx(metrics.brier_score_loss(label, support))
    assert got.f1 == pytest.approx(metrics.f1_score(label, support >= found.threshold))
    most = [RELATIONS[i] for i in np.argmax(np.column_stack([support, 1 - support - oppose, oppose]), axis=1)]
    truth = [row[0] for row in rows]
    assert table is not None
    assert table.tolist() == metrics.confusion_matrix(truth, most, labels=RELATIONS).tolist()
    assert got.accuracy == pytest.approx(metrics.accuracy_score(truth, most))


def test_units_partition_the_pairs(world: psycopg.Connection) -> None:
    for by in ("template", "language"):
        whole, *parts = check(world, "m", set="world", split="dev", by=by).rows
        assert sum(one.measures.pairs for one in parts) == whole.measures.pairs == 200
    assert {"all", "polarity differs", "numbers differ"} <= {
        one.unit for one in check(world, "m", set="world", split="dev", by="type").rows
    }


def test_missing_relations_and_training_pairs_are_reported(world: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no relations for 400 of the 400") as told:
        check(world, "m", set="world", split="train")
    assert "relate world --split train" in (told.value.hint or "")
    relate(world, "m", set="world", split="train")
    assert "trained on these pairs" in check(world, "m", set="world", split="train").notes[0]
    with pytest.raises(BadArgument):
        check(world, "m", set="world", split="dev", by="page")
