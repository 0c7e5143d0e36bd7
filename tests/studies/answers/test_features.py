"""Features of pairs of answers are exactly symmetric, finite, and match their names."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.errors import BadArgument
from stcollection.studies.answers.agreement.features import ALL, FAST, features, names

_TEXTS = st.text(alphabet="不可以喝三天3个月isnot safe，。\n\u0000😀", max_size=20)


def value(query: str, a: str, b: str, name: str) -> float:
    return float(features([query], [a], [b])[0, names().index(name)])


@pytest.mark.slow
@given(st.lists(st.tuples(_TEXTS, _TEXTS, _TEXTS), min_size=1, max_size=5))
def test_exactly_symmetric_and_finite(pairs: list[tuple[str, str, str]]) -> None:
    queries, a, b = ([one[i] for one in pairs] for i in range(3))
    found = features(queries, a, b)
    assert found.shape == (len(pairs), len(names()))
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert found.tobytes() == features(queries, b, a).tobytes()


def test_values_of_columns() -> None:
    assert value("保质期多久", "放半个月", "能放15天", "numbers.agree") == 1
    assert value("保质期多久", "放3天", "放30天", "numbers.disagree") == 1
    assert value("3个月宝宝多重", "3个月宝宝12斤", "6公斤", "numbers.agree") == 1
    assert value("能喝吗", "可以喝", "不可以喝", "cues.lead_product") == -1
    assert value("when did it open", "1969", "1972", "numbers.near") == 0
    assert value("", "same words", "same words", "overlap.unit_jaccard") == 1
    # Words of the query that both repeat are removed: nothing is left in common.
    assert value("谁发明了电话", "电话是贝尔发明的", "电话是梅乌奇发明的", "query.rest_shared") == 0
    assert value("谁发明了电话", "电话是贝尔发明的", "贝尔", "query.rest_contained") == 1


def test_opposed_stances() -> None:
    pairs = [
        ("牙疼能不能吃冰淇淋", "可以吃", "不建议吃"),
        ("牙疼能不能吃冰淇淋", "可以吃", "没问题"),
        ("酸奶能放多久", "可以放三天", "不能放"),
    ]
    assert [value(*pair, "stand.opposed") for pair in pairs] == [1, 0, 0]
    assert value("能喝吗", "能喝3杯", "能喝5杯", "numbers.disagree") == 0  # of a yes/no question


def test_pairs_of_many_answers_equal_single_pairs() -> None:
    texts = [f"第{number}个答案 {number % 7} days" for number in range(250)]
    pairs = list(combinations(texts, 2))
    found = features(["多久"] * len(pairs), [a for a, _ in pairs], [b for _, b in pairs])
    for place in (0, 19_999, 20_000, len(pairs) - 1):
        assert (found[place] == features(["多久"], [pairs[place][0]], [pairs[place][1]])[0]).all()


class _Letters:
    """An embedding model with two letters."""

    name = "letters"

    def encode(self, texts: object, *, query: bool = False) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        assert isinstance(texts, list)
        made = np.array([[1.0 + text.count("a"), text.count("b")] for text in texts], dtype=np.float32)
        unit: np.ndarray[tuple[int, int], np.dtype[np.float32]] = made / np.linalg.norm(made, axis=1, keepdims=True)
        return unit


def test_embeddings_use_the_given_model() -> None:
    found = features(["q"], ["aa"], ["b"], kinds=["embedding"], embed=_Letters())
    assert found[0, 0] == pytest.approx(1 / np.sqrt(2))
    assert found.tobytes() == features(["q"], ["b"], ["aa"], kinds=["embedding"], embed=_Letters()).tobytes()


def test_none_and_wrong_arguments() -> None:
    assert features([], [], []).shape == (0, len(names(FAST)))
    for kinds in (["lenght"], [], list(ALL)):
        with pytest.raises(BadArgument) as told:
            features(["q"], ["a"], ["b"], kinds=kinds)
        assert told.value.hint
    with pytest.raises(BadArgument, match="1 query with 1 and 2"):
        features(["q"], ["a"], ["b", "c"])
