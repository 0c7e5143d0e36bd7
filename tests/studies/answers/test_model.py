"""The model of agreement: it learns from labels, learns nothing from shuffled labels, and survives storage unchanged."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from stcollection.errors import BadArgument, StateError
from stcollection.studies.answers.agreement.model import CLASH, NO_CLASH, AgreementModel, LearningOptions, best_threshold, fit
from tests.studies.answers.answer_pairs import questions

pytestmark = pytest.mark.slow


def pairs() -> tuple[list[str], list[str], list[str], list[str]]:
    rows = []
    for question in questions():
        answers = [one for doc in question.docs for one in doc.answers.items()]
        for (a, left), (b, right) in combinations(answers, 2):
            told = "support" if left == right else "neutral" if "aside" in (left, right) else "oppose"
            rows.append((question.query, a, b, told))
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows]


@pytest.fixture(scope="module")
def parts() -> tuple[list[str], list[str], list[str], list[str], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    queries, a, b, truth = pairs()
    held = np.array([hash_place % 4 == 0 for hash_place in [list(dict.fromkeys(queries)).index(one) // 3 for one in queries]])
    return queries, a, b, truth, held


def taken(column: list[str], mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[str]:
    return [one for one, there in zip(column, mask, strict=True) if there]


def trained(parts: tuple[object, ...], **options: Any) -> tuple[AgreementModel, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    *columns, held = parts
    queries, a, b, truth = (taken(one, ~held) for one in columns)  # type: ignore[operator, arg-type]
    model = fit(queries, a, b, truth, options=LearningOptions(**options))
    return model, model.predict(*(taken(one, held) for one in columns[:3])).support  # type: ignore[arg-type]


def test_it_beats_length_and_shuffled_labels_on_held_out_queries(parts: tuple[object, ...]) -> None:
    *columns, held = parts
    support = np.array(taken(columns[3], held)) == "support"  # type: ignore[arg-type]
    _, full = trained(parts)
    _, length = trained(parts, kinds=["length"])
    _, shuffled = trained(parts, shuffle=True)
    aucs = [roc_auc_score(support, one) for one in (full, length, shuffled)]
    assert aucs[0] > 0.9
    assert aucs[0] > max(aucs[1:]) + 0.1


def test_it_is_symmetric_and_gives_probabilities(parts: tuple[object, ...]) -> None:
    queries, a, b, _ = pairs()
    model, _ = trained(parts)
    one, other = model.predict(queries, a, b), model.predict(queries, b, a)
    assert (one.support == other.support).all()
    assert (one.oppose == other.oppose).all()
    assert ((one.support >= 0) & (one.oppose >= 0) & (one.support + one.oppose <= 1 + 1e-12)).all()
    assert model.predict([], [], []).support.shape == (0,)


def test_the_same_seed_gives_the_same_model(parts: tuple[object, ...]) -> None:
    assert (trained(parts, seed=3)[1] == trained(parts, seed=3)[1]).all()


def test_with_labels_only_opposition_is_inferred() -> None:
    queries, a, b, truth = pairs()
    model = fit(queries, a, b, [int(one == "support") for one in truth])
    assert model.classes == ("other", "support")
    said = model.predict(["能喝吗"] * 2, ["可以喝"] * 2, ["不可以喝", "产自南方"])
    assert said.oppose == pytest.approx((1 - said.support) * [CLASH, NO_CLASH])


def test_the_threshold_is_optimal() -> None:
    generator = np.random.default_rng(2)
    for _ in range(20):
        probability = generator.integers(0, 8, 30) / 8
        support = generator.random(30) < probability
        if support.any():
            found = f1_score(support, probability >= best_threshold(support, probability))
            assert found == max(f1_score(support, probability >= cut / 16) for cut in range(17))


@pytest.mark.parametrize(
    ("truth", "error", "told"),
    [(["support"] * 3, StateError, "all 3 labelled pairs are support"),
     (["neutral", "oppose", "oppose"], StateError, "no labelled pair is support"),
     (["support", "maybe", "oppose"], BadArgument, "'maybe'"), ([], StateError, "no labelled pairs to learn from")],
)  # fmt: skip
def test_training_data_that_cannot_be_used(truth: list[str], error: type[Exception], told: str) -> None:
    texts = [f"answer {n}" for n in range(len(truth))]
    with pytest.raises(error, match=told):
        fit(["q"] * len(truth), texts, texts, truth)


def test_a_single_query_is_learnt_without_calibration() -> None:
    model = fit(["q"] * 2, ["yes", "yes"], ["yes", "no"], ["support", "oppose"])
    assert model.calibrator is None
    assert model.threshold == 0.5


def test_agreement_transfers_to_unseen_words() -> None:
    """Trained on questions of need and tested on questions of harm: stances transfer between them."""
    queries, a, b, truth = [], [], [], []
    for thing in ("雨伞", "手套", "证件", "帽子", "护照", "现金"):
        yes, no = [f"{thing}需要带", "必须的", "要的"], [f"{thing}不用带", "没必要", "用不着"]
        for left, right, told in [
            *((x, y, "support") for side in (yes, no) for x in side for y in side if x < y),
            *((x, y, "oppose") for x in yes for y in no),
        ]:
            queries.append(f"要不要带{thing}")
            a.append(left)
            b.append(right)
            truth.append(told)
    model = fit(queries, a, b, truth)
    said = model.predict(["熬夜会伤肝吗"] * 3, ["不会", "会伤的", "没什么坏处"], ["没什么坏处", "确实有危害", "确实有危害"])
    assert said.support[2] < 0.5 < min(said.support[:2])
