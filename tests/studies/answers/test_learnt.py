"""Stances learnt from pairs: they start from the meaning of words, and follow pairs that contradict it."""

from __future__ import annotations

import numpy as np
import pytest

from stcollection.studies.answers.agreement.features import FAST, features, names
from stcollection.studies.answers.agreement.learnt import Stands, contrary
from stcollection.studies.answers.agreement.model import LearningOptions, fit
from stcollection.studies.answers.agreement.stances import COLUMNS, PRIOR

_QUERY = "牙疼能不能吃冰淇淋"


def learnt(pairs: list[tuple[str, str, int]]) -> Stands:
    columns = features([_QUERY] * len(pairs), [one[0] for one in pairs], [one[1] for one in pairs])
    return Stands(columns=names(), support=1).fit(columns, np.array([one[2] for one in pairs]))


def test_without_training_words_keep_their_prior_meaning() -> None:
    found = learnt([("", "", 1)])
    assert found.weights_ == pytest.approx(0.5 * PRIOR)


def test_training_changes_the_weight_of_a_word() -> None:
    first = learnt([("可以", "没事", 1), ("可以", "不可以", 0)])
    many = [("可以", "没事", 0), ("不可以", "没事", 1), ("没事", "没关系", 1)] * 2000
    harmless = COLUMNS.index("harmless")
    assert first.weights_[harmless] > 0
    assert learnt(many).weights_[harmless] < 0


def test_the_order_of_a_pair_does_not_matter() -> None:
    model = learnt([("可以", "没事", 1), ("可以", "别吃", 0)])
    one, other = (model.transform(features([_QUERY], [a], [b])) for a, b in (("可以", "别吃"), ("别吃", "可以")))
    assert one.tobytes() == other.tobytes()


def test_contrary_stands() -> None:
    queries = [_QUERY, _QUERY, "酸奶能放多久"]
    columns = features(queries, ["可以吃", "可以吃", "可以放三天"], ["不建议吃", "没问题", "不能放"], kinds=FAST)
    assert contrary(columns, names()).tolist() == [True, False, False]


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
    model = fit(queries, a, b, truth, options=LearningOptions(classifier="logistic"))
    said = model.predict(["熬夜会伤肝吗"] * 3, ["不会", "会伤的", "没什么坏处"], ["没什么坏处", "确实有危害", "确实有危害"])
    assert said.support[2] < 0.5 < min(said.support[:2])
