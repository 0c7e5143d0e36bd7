"""Quantities in Chinese and English text, in one unit per kind: 半个月 and "15 days" are 15 days; "a fortnight" and 两周 are 14.

The rules serve to compare answers. Numbers written in digits always count; number words count only before a unit.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple


class Quantity(NamedTuple):
    """A quantity in an answer.

    :param kind: one of KINDS.
    :param low, high: equal unless a range is given. Units: days, metres, grams, millilitres, °C …
    """

    kind: str
    low: float
    high: float


KINDS = (
    "time", "clock", "date", "month", "weekday", "year", "length", "mass", "volume", "temperature", "percent", "energy", "cny",
    "usd", "eur", "gbp", "order", "count",
)  # fmt: skip

_DAY = 86_400.0
# Spellings, kind, factor. Longer spellings are tried first.
_UNITS: tuple[tuple[str, str, float], ...] = (
    ("秒钟 秒 seconds second secs sec", "time", 1 / _DAY),
    ("分钟 minutes minute mins min", "time", 60 / _DAY),
    ("刻钟", "time", 900 / _DAY),
    ("个小时 小时 个钟头 钟头 hours hour hrs hr h", "time", 1 / 24),
    ("天 日 days day", "time", 1),
    ("个星期 星期 个礼拜 礼拜 周 weeks week wks", "time", 7),
    ("fortnights fortnight", "time", 14),
    ("个月 months month", "time", 30),
    ("个季度 季度", "time", 91),
    ("周岁 岁半 岁 年 years year yrs yr", "time", 365),
    ("decades decade", "time", 3650),
    ("世纪 个世纪 centuries century", "time", 36_500),
    ("毫米 mm millimetres millimeters", "length", 0.001),
    ("厘米 公分 cm centimetres centimeters", "length", 0.01),
    ("公里 千米 km kilometres kilometers kilometre kilometer", "length", 1000),
    ("里路", "length", 500),
    ("米 metres meters metre meter m", "length", 1),
    ("miles mile 英里", "length", 1609.344),
    ("feet foot ft 英尺", "length", 0.3048),
    ("inches inch 英寸", "length", 0.0254),
    ("毫克 mg milligrams", "mass", 0.001),
    ("千克 公斤 kg kilos kilo kilograms kilogram", "mass", 1000),
    ("克 grams gram g", "mass", 1),
    ("斤", "mass", 500),
    ("两重", "mass", 50),
    ("吨 tonnes tonne tons ton", "mass", 1e6),
    ("pounds pound lbs lb 磅", "mass", 453.592),
    ("ounces ounce oz 盎司", "mass", 28.3495),
    ("毫升 ml millilitres milliliters", "volume", 1),
    ("升 litres liters litre liter", "volume", 1000),
    ("摄氏度 ℃ °c 度 °", "temperature", 1),
    ("% 个百分点 percent", "percent", 1),
    ("千卡 大卡 kcal calories calorie", "energy", 1),
    ("元 块钱 块 rmb yuan 人民币", "cny", 1),
    ("美元 美金 dollars dollar usd bucks", "usd", 1),
    ("欧元 euros euro eur", "eur", 1),
    ("英镑 gbp quid", "gbp", 1),
    (
        "次 个 片 粒 颗 杯 勺 瓶 位 人 名 口 支 根 条 张 份 顿 遍 滴 袋 盒 碗 步 圈 公顷 种 届 节 座 层 cups cup times time tablets"
        " tablet pills pill people spoonfuls teaspoons teaspoon tablespoons tablespoon glasses slices drops visits steps",
        "count",
        1,
    ),
)
_KIND = {word: (kind, factor) for words, kind, factor in _UNITS for word in words.split()}
_LONGEST = sorted(_KIND, key=lambda word: (-len(word), word))
# A Latin unit ends at a word boundary: "3 minutes", not "3 m inutes".
_UNIT = "(?:" + "|".join(re.escape(word) + (r"(?![a-z])" if word.isascii() and word.isalpha() else "") for word in _LONGEST) + ")"

_ZH = "零〇一二两三四五六七八九十百千万亿"
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_POWERS = {"十": 10, "百": 100, "千": 1000}
_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_TO_TWENTY.split())}
_SMALL |= {word: 10 * tens for tens, word in enumerate(_TENS.split(), start=3)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_MONTH_NAMES = (
    "january jan|february feb|march|april apr|may|june|july|august aug|september sept sep|october oct|november nov|december dec"
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split("|"), start=1) for name in names.split()}
_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
_WEEKDAYS = {name: number for number, name in enumerate(_DAY_NAMES.split(), start=1)}
_TO = r"\s*(?:-|–|—|~|到|至|to|or|或)\s*"
_N = r"\d+(?:\.\d+)?"

_WORDS = re.compile(
    rf"\b(?:(?:{'|'.join(_SMALL)}|an?(?=\s+(?:hundred|thousand|million|dozen)))"
    rf"(?:[\s-]+(?:and[\s-]+)?(?:{'|'.join([*_SMALL, *_SCALES])}))*)\b"
)
_PLAIN = (
    (re.compile(r"(?<=\d),(?=\d{3}(?!\d))"), ""),
    (re.compile(r"\b(?:a )?couple of\b"), "2"),
    (re.compile(r"\b(?:half|1/2)\s+(?:an?|of an?)\b|\bhalf(?=[\s-](?:hour|day|year|month|litre|liter|mile|kilo))"), "0.5"),
    (re.compile(r"\b(?:a )?quarter of an\b"), "0.25"),
    (re.compile(r"\bonce\b(?! (?:you|it|the|they|we|he|she))"), "1 time"),
    (re.compile(r"\btwice\b"), "2 times"),
    (re.compile(r"\bovernight\b"), "1 night"),
)
_ARTICLE = re.compile(rf"\b(?:an?|per)\s+(?=(?:{'|'.join(w for w in _LONGEST if w.isascii() and len(w) > 3)})\b)")
_AND_A_HALF = re.compile(rf"({_N})(\s+(?:{_UNIT}))?\s+and\s+a\s+half\b")
_FRACTION = re.compile(rf"([{_ZH}]+|\d+)分之([{_ZH}]+|{_N})")
_PARTS = re.compile(rf"([{_ZH}]|{_N})成(?![年人功为长分熟都就])")
_NUMERAL = re.compile(
    rf"(?<!第)(?<![{_ZH}半\d.])([{_ZH}]+)(多|几|余)?"
    rf"(?=(?:{_TO})?[{_ZH}]*个?半?(?:{_UNIT})|月|号|(?<!一)点|(?<=十一)点|点[半钟整])"
)
_ORDER = re.compile(rf"第\s*([{_ZH}]+|\d+)|\b(\d+)(?:st|nd|rd|th)\b")
_HALF = re.compile(rf"(?<![{_ZH}\d一])半(?=个?(?:{_UNIT}))")
_AND_HALF = re.compile(rf"({_N})(个半)(?=(?:{_UNIT}|月|小时|钟头|星期))")
_CLOCKS = (
    re.compile(r"()\b(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b"),
    re.compile(r"(上午|早上|凌晨|清晨|中午|下午|晚上|傍晚|晚)?\s*(\d{1,2})(?::|点)(\d{2}|半)?(?!\d)()"),
)
_DATE = re.compile(r"(\d{1,2})月(\d{1,2})[日号]?")
_MONTH = re.compile(r"(?<![\d.个])(\d{1,2})月(?:份)?")
_YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d{2})(?=年|\s*(?:ad|ce)\b|(?!\s*[\d.]|\s*(?:%s)))" % _UNIT)  # noqa: UP031
_NAMED = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+({'|'.join(_MONTHS)})\b|\b({'|'.join(_MONTHS)})\b(?:\s+(\d{{1,2}})(?!\d))?"
)
_WEEKDAY = re.compile(rf"(?:周|星期|礼拜)([一二三四五六日天])(?!天|年|个)|\b({'|'.join(_WEEKDAYS)})s?\b")
_PRICE = re.compile(rf"([$€£¥])\s*({_N})(?:{_TO}[$€£¥]?\s*({_N}))?")
_CURRENCY = {"$": "usd", "€": "eur", "£": "gbp", "¥": "cny"}
_AMOUNT = re.compile(rf"({_N})(万|千|百|亿)?(?:{_TO}({_N})(万|千|百|亿)?)?\s*-?\s*({_UNIT})?(半(?!天|个|年|小))?")
_BIG = {"百": 100.0, "千": 1000.0, "万": 10_000.0, "亿": 1e8, None: 1.0}


def chinese(text: str) -> float:
    """Parse a Chinese numeral: 三十五, 一百二十, 二〇〇八.

    >>> chinese("三百零五"), chinese("两万"), chinese("二〇〇八")
    (305.0, 20000.0, 2008.0)
    """
    if not any(char in _POWERS or char in "万亿" for char in text):
        return float("".join(str(_DIGITS[char]) for char in text) or 0)
    whole = part = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _POWERS:
            part += (digit or 1) * _POWERS[char]
            digit = 0
        else:
            whole = (whole + part + digit or 1) * (10_000 if char == "万" else 100_000_000)
            part = digit = 0
    return float(whole + part + digit)


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text, sorted by kind as found; empty if it has none.

    >>> quantities("两到三周就好") == quantities("14-21 days")
    True
    """
    collected: list[Quantity] = []

    def keep(kind: str, low: float, high: float | None = None) -> str:
        high = low if high is None else high
        collected.append(Quantity(kind, min(low, high), max(low, high)))
        return " ; "

    rest = _written(unicodedata.normalize("NFKC", text).casefold())
    rest = _FRACTION.sub(lambda m: keep("percent", _fraction(m[1], m[2])), rest)
    rest = _PARTS.sub(lambda m: keep("percent", 10 * _number(m[1])), rest)
    rest = _WEEKDAY.sub(lambda m: keep("weekday", _WEEKDAYS[m[2]] if m[2] else min("一二三四五六日天".index(m[1]), 6) + 1), rest)
    rest = _ORDER.sub(lambda m: m[0] if m[2] else keep("order", _number(m[1])), rest)
    rest = _DATE.sub(lambda m: keep("date", 31 * float(m[1]) + float(m[2])), rest)
    rest = _NAMED.sub(lambda m: _named(m, keep), rest)
    rest = _ORDER.sub(lambda m: keep("order", _number(m[1] or m[2])), rest)
    rest = _MONTH.sub(lambda m: keep("month", float(m[1])) if 1 <= int(m[1]) <= 12 else m[0], rest)
    rest = _YEAR.sub(lambda m: keep("year", float(m[1])), rest)
    for clock in _CLOCKS:
        rest = clock.sub(lambda m: _clock(m, keep), rest)
    rest = _PRICE.sub(lambda m: keep(_CURRENCY[m[1]], float(m[2]), float(m[3]) if m[3] else None), rest)
    for amount in _AMOUNT.finditer(rest):
        kind, factor = _KIND.get(amount[5] or "", ("count", 1.0))
        half = 0.5 if amount[6] else 0.0
        last_scale = _BIG[amount[4]] if amount[3] else _BIG[amount[2]]
        low = float(amount[1]) * (_BIG[amount[2]] if amount[2] else last_scale) + half
        high = float(amount[3]) * last_scale + half if amount[3] else low
        keep(kind, round(low * factor, 6), round(high * factor, 6))
    return collected


def _written(text: str) -> str:
    """Replace number words by digits if a unit follows."""
    text = _WORDS.sub(lambda m: f"{_english(m[0]):g}", text)
    text = _AND_A_HALF.sub(_one_half, text)
    for pattern, by in _PLAIN:
        text = pattern.sub(by, text)
    text = _AND_A_HALF.sub(_one_half, _ARTICLE.sub("1 ", text))
    text = text.replace("一半", "50%")
    text = _NUMERAL.sub(lambda m: _numeral(m[1], bool(m[2])), text)
    text = _AND_HALF.sub(lambda m: f"{float(m[1]) + 0.5:g}个", text)
    return _HALF.sub("0.5", text)


def _one_half(match: re.Match[str]) -> str:
    return f"{float(match[1]) + 0.5:g}{match[2] or ''}"


def _numeral(text: str, more: bool) -> str:
    if text == "一" and not more:
        return "1"
    if len(text) == 2 and all(char in _DIGITS for char in text) and _DIGITS[text[0]] < _DIGITS[text[1]]:
        return f"{_DIGITS[text[0]]}-{_DIGITS[text[1]]}"  # 两三天
    value = chinese(text)
    return f"{value:.0f}"


def _number(text: str) -> float:
    return float(text) if text[0].isdecimal() and text.isascii() else chinese(text)


def _fraction(below: str, above: str) -> float:
    return 100 * _number(above) / (_number(below) or 1)


def _english(text: str) -> float:
    whole = part = 0
    for word in re.split(r"[\s-]+", text):
        if word in _SMALL:
            part += _SMALL[word]
        elif word in ("hundred", "dozen"):
            part = (part or 1) * _SCALES[word]
        elif word in _SCALES:
            whole += (part or 1) * _SCALES[word]
            part = 0
    return float(whole + part)


def _named(match: re.Match[str], keep: object) -> str:
    day, month = (match[1], match[2]) if match[2] else (match[4], match[3])
    if month == "may" and not day:  # usually the modal verb
        return match[0]
    assert callable(keep)  # noqa: S101
    return str(keep("date", 31.0 * _MONTHS[month] + float(day)) if day else keep("month", float(_MONTHS[month])))


def _clock(match: re.Match[str], keep: object) -> str:
    hour, part = int(match[2]), match[1] or match[4] or ""
    if hour > 24 or (hour == 1 and not part and not match[3]):  # 一点, a little
        return match[0]
    if hour < 12 and part in ("下午", "晚上", "傍晚", "晚", "p"):
        hour += 12
    assert callable(keep)  # noqa: S101
    return str(keep("clock", hour + (0.5 if match[3] == "半" else int(match[3] or 0) / 60)))
