"""Forms of queries, and stances of their answers: general wording in both languages, without learning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.studies.answers.agreement.forms import question
from stcollection.studies.answers.agreement.stances import COLUMNS, WEIGHTS, stand
from stcollection.studies.answers.agreement.wording import CLASSES, stems


def side(query: str, text: str) -> float:
    return float(np.sign((WEIGHTS @ stand(query, text)).round(6)))


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("鸡蛋能不能用微波炉热", "polar"), ("晚上洗头好吗", "polar"), ("is it bad to skip breakfast", "polar"),
        ("my cat sneezes all day, is that normal?", "polar"), ("should i wait", "polar"), ("是不是真的要等一周", "polar"),
        ("酸奶能放多久", "quantity"), ("一天喝几杯水", "quantity"), ("how much does it cost", "quantity"),
        ("什么时候种大蒜", "time"), ("in which year was it built", "time"), ("早上几点开门", "time"),
        ("为什么猫会打呼噜", "other"), ("谁写了这首诗", "other"), ("how do I clean a kettle", "other"),
        ("吃不完的饭放哪儿", "other"),
        ("坐火车还是坐飞机", "choice"), ("oil or butter, which is better", "choice"),
    ],
)  # fmt: skip
def test_the_kind_of_question(query: str, kind: str) -> None:
    assert question(query).kind == kind


@pytest.mark.parametrize(
    ("query", "lean"),
    [
        ("喝浓茶有害吗", -1), ("会不会伤胃", -1), ("is it dangerous", -1), ("可以空腹喝吗", 1), ("需要去医院检查吗", 1),
        ("小孩不能喝茶是真的吗", -1), ("is that safe", 1), ("is there any difference between a and b", -1), ("", 1),
    ],
)  # fmt: skip
def test_the_side_of_a_yes(query: str, lean: int) -> None:
    assert question(query).lean == lean


@pytest.mark.parametrize(
    ("query", "yes", "no"),
    [
        ("牙疼能不能吃冰淇淋", ["能吃", "可以少量吃", "没问题", "问题不大"], ["不能", "最好别吃", "不建议吃", "尽量一口都别碰"]),
        ("空腹跑步会伤身吗", ["不会", "并不伤身", "没什么坏处", "谈不上伤身"], ["会的", "会伤身体", "确实有风险", "当然会"]),
        ("出国要不要办公证", ["要的", "必须办", "不办公证不行"], ["不用", "没必要", "用不着办", "何必多此一举"]),
        ("电视买三年够用吗", ["够用", "绰绰有余"], ["不够", "远远不够用"]),
        ("这两种面粉是一样的吗", ["一样", "没区别"], ["不一样", "完全是两码事"]),
        ("can i freeze cooked rice", ["yes", "you can", "sure, no problem"], ["better not", "no, avoid it", "never"]),
        ("is it harmful to the plants", ["it does no harm", "not harmful", "No."], ["yes, it damages them", "very dangerous"]),
        ("do I need a helmet", ["it is required", "you can't ride without one"], ["no need", "you don't have to", "it's optional"]),
        ("does the spray work", ["it works well", "it does"], ["useless", "it doesn't", "it does not help"]),
        ("oil or butter, which is better", ["oil", "the former"], ["butter", "the latter"]),
    ],
)  # fmt: skip
def test_answers_of_both_sides(query: str, yes: list[str], no: list[str]) -> None:
    assert {text: side(query, text) for text in (*yes, *no)} == dict.fromkeys(yes, 1.0) | dict.fromkeys(no, -1.0)


def test_answers_without_a_stance() -> None:
    assert side("牙疼能不能吃冰淇淋", "") == 0
    weak, plain = (abs(WEIGHTS @ stand("出国要不要办公证", text)) for text in ("看情况，有的需要", "需要"))
    assert weak < plain
    claimed = stand("空腹跑步会伤身吗", "有人说会伤肝")
    assert claimed[COLUMNS.index("harm")] == 0


@pytest.mark.slow
@given(st.text(alphabet="不可以喝没能会要别伤好吗，。 notcasf'\n\u0000😀", max_size=60), st.text(max_size=40))
def test_any_text_can_be_read(query: str, text: str) -> None:
    for one, other in ((query, text), (text, query), (query, query)):
        found = stand(one, other)
        assert found.shape == (len(COLUMNS),)
        assert (np.abs(found) <= 2).all()


def test_a_long_text_without_a_full_stop_is_read() -> None:
    assert np.isfinite(stand("can i", "not cannot never " * 2000)).all()


def test_each_word_is_in_one_class() -> None:
    from stcollection.studies.answers.agreement import wording

    told = {name: set(wording._words(table)) for name, (_, table) in CLASSES.items()}
    twice = {word for name, words in told.items() for other, more in told.items() if name < other for word in words & more}
    assert twice == set()
    assert stems("do the lentils need 2 cups 吗") == ["lent", "2", "cups"]
