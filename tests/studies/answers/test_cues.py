"""Cues of Chinese and English answers: quantities in one unit per kind, and polarity."""

from __future__ import annotations

import pytest

from stcollection.studies.answers.agreement.cues import read
from stcollection.studies.answers.agreement.numbers import chinese, quantities


@pytest.mark.parametrize(
    ("text", "kind", "low", "high"),
    [
        ("半个月", "time", 15, 15),
        ("两周", "time", 14, 14),
        ("a fortnight", "time", 14, 14),
        ("two weeks", "time", 14, 14),
        ("一个半月", "time", 45, 45),
        ("三到五天", "time", 3, 5),
        ("两三天", "time", 2, 3),
        ("3-5 days", "time", 3, 5),
        ("half an hour", "time", 1 / 48, 1 / 48),
        ("an hour and a half", "time", 1.5 / 24, 1.5 / 24),
        ("两个半小时", "time", 2.5 / 24, 2.5 / 24),
        ("72 hours", "time", 3, 3),
        ("1.5万元", "cny", 15_000, 15_000),
        ("$5-10", "usd", 5, 10),
        ("百分之三十", "percent", 30, 30),
        ("三成", "percent", 30, 30),
        ("1,500 metres", "length", 1500, 1500),
        ("1.5公里", "length", 1500, 1500),
        ("两斤", "mass", 1000, 1000),
        ("0.2升", "volume", 200, 200),
        ("下午三点半", "clock", 15.5, 15.5),
        ("3:30 pm", "clock", 15.5, 15.5),
        ("2008年", "year", 2008, 2008),
        ("五月份", "month", 5, 5),
        ("5 March", "date", 98, 98),
        ("星期天", "weekday", 7, 7),
        ("第三次", "order", 3, 3),
        ("a hundred dollars", "usd", 100, 100),
        ("twice a day", "count", 2, 2),
    ],
)
def test_a_quantity_is_read_in_one_unit(text: str, kind: str, low: float, high: float) -> None:
    [found] = [one for one in quantities(text) if one.kind == kind]
    assert found.low == pytest.approx(low, abs=1e-5)
    assert found.high == pytest.approx(high, abs=1e-5)


@pytest.mark.parametrize("text", ["", "一般来说是可以的", "千万不要", "十分安全", "一点都不", "喝一点", "it may rain", "!!!"])
def test_words_that_only_look_like_numbers(text: str) -> None:
    assert quantities(text) == []


def test_chinese_numerals() -> None:
    texts = ("十", "二十五", "一百零三", "三千二百", "两万五千", "二〇〇八")
    assert [chinese(text) for text in texts] == [10, 25, 103, 3200, 25_000, 2008]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("可以喝", 1), ("不可以喝", -1), ("不是不能喝", 1), ("没问题", 1), ("最好戒掉", -1), ("别碰", -1), ("不得不去", 1),
        ("无需办理", -1),
        ("is safe", 1), ("isn't safe", -1), ("isn’t safe", -1), ("not unsafe", 1), ("It never melts", -1), ("better not", -1),
        ("that is a myth", -1), ("no problem", 1), ("sea water", 0), ("", 0),
    ],
)  # fmt: skip
def test_the_polarity_of_an_answer(text: str, sign: int) -> None:
    assert read(text).lead == sign
