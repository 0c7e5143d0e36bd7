"""Stands learnt from pairs: they start from what words mean, and follow pairs that say otherwise."""

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


def test_with_nothing_to_learn_from_words_mean_what_they_mean() -> None:
    found = learnt([("", "", 1)])
    assert found.weights_ == pytest.approx(0.5 * PRIOR)


def test_pairs_change_what_a_word_means() -> None:
    first = learnt([("可以", "没事", 1), ("可以", "不可以", 0)])
    many = [("可以", "没事", 0), ("不可以", "没事", 1), ("没事", "没关系", 1)] * 2000
    harmless = COLUMNS.index("harmless")
    assert first.weights_[harmless] > 0
    assert learnt(many).weights_[harmless] < 0


def test_sides_of_a_pair_do_not_tell_which_came_first() -> None:
    model = learnt([("可以", "没事", 1), ("可以", "别吃", 0)])
    one, other = (model.transform(features([_QUERY], [a], [b])) for a, b in (("可以", "别吃"), ("别吃", "可以")))
    assert one.tobytes() == other.tobytes()


def test_contrary_stands() -> None:
    queries = [_QUERY, _QUERY, "酸奶能放多久"]
    columns = features(queries, ["可以吃", "可以吃", "可以放三天"], ["不建议吃", "没问题", "不能放"], kinds=FAST)
    assert contrary(columns, names()).tolist() == [True, False, False]


def test_agreement_of_other_words_is_learnt_without_having_seen_them() -> None:
    """Trained on whether a thing is needed, asked whether it is harmful: what a stand is carries over."""
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
