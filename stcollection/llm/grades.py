"""Read the grade in a model's answer: strictly, then leniently, without guessing.

First, thinking blocks (all text before the last ``</think>``; everything if the block is not closed), code fences and emphasis are
removed. Then the first matching rule applies:

1. strict: the answer is a grade and nothing else: ``2``, `` 1\\n``
2. a JSON object whose only grade-like member (score, rel, grade, …) is an integer: ``{"score": 1}``
3. a decorated grade on a single line: ``Score: 2``, ``2.``, ``(1)``, ``2/2``, ``two``, ``2 - very relevant``
4. a grade in a longer text: on its first or last line as in rule 3, or stated, ``The answer is 1 because …``. All grades found must
   agree, none may be a range (``1 or 2``) or a fraction, and the text must not mention all grades of the scale

Refusals (``I cannot …``), grades outside the scale, ``1.5`` and all other answers have no grade: they are malformed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import orjson

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NAMES = "score|rel|relevance|relevance[ _]score|grade|rating|label|judge?ment|answer|verdict"
_LONGEST = 20_000  # characters examined, from the end

_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
THINKING = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"```[A-Za-z]*")
_REFUSAL = re.compile(
    r"(?:i['’]?m sorry|i am sorry|sorry\b|i apologi[sz]e|unfortunately|as an ai\b|i\s+(?:cannot|can['’]?t|can not|won['’]?t|"
    r"will not|am unable|am not able|refuse|decline)|i['’]m (?:unable|not able))",
    re.IGNORECASE,
)
_NUMBER = r"[0-9]+|" + "|".join(_NUMBERS)
_WORDS = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.IGNORECASE)
_DECORATED = re.compile(
    rf"(?:(?:my|the|final|overall|relevance)\s+)*(?:(?:{_NAMES})(?:\s+(?:score|grade|is|of|would be))*\s*[:=]?\s*)?[(\[\"']?"
    rf"(?P<grade>{_NUMBER})[)\]\"']?(?:\s*(?:/|out of)\s*(?P<of>[0-9]+))?\s*(?:[.!]?|(?:[:,–—(]|(?<=\s)-\s)(?P<tail>[^0-9\n]*))",
    re.IGNORECASE,
)
_STATED = re.compile(
    rf"\b(?:{_NAMES})\b[\"']?\s*(?:is|of|would be|should be|[:=])\s*[(\[\"']?(?P<grade>(?:{_NUMBER})\b(?!-\w))"
    r"(?P<after>\s*(?:/|out of)\s*[0-9]+|\s*(?:or|to|and|[-–—~])\s*(?:[0-9]|zero|one|two|three)|[.,/][0-9]|\s*%)?",
    re.IGNORECASE,
)


def read_grade(answer: str, grades: Collection[int]) -> int | None:
    """Return the grade stated in an answer, by the rules above; None if it states no grade.

    :param grades: the grades of the scale.
    """
    text = _bare(answer)
    if re.fullmatch(r"[0-9]{1,3}", text):
        return _known(text, grades)
    if text.startswith("{"):
        return _from_json(text, grades)
    if _REFUSAL.match(text):
        return None
    return _decorated(text, grades) if "\n" not in text and _DECORATED.fullmatch(text) else _stated(text, grades)


def after_thinking(answer: str) -> str:
    """Return the text after the last thinking block; nothing if a block is not closed."""
    text = _THOUGHT.split(answer[-_LONGEST:])[-1]
    return "" if THINKING.search(text) else text


def only_member(text: str, name: str) -> Any:
    """Return the only member of a JSON object whose name matches a pattern; None if no member or several match."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    members = value.items() if isinstance(value, dict) else ()
    named = [member for key, member in members if re.fullmatch(name, key.strip(), re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


def _bare(answer: str) -> str:
    return re.sub(r"[*_`]+", "", _FENCE.sub("", after_thinking(answer))).strip()


def _known(word: str, grades: Collection[int]) -> int | None:
    value = int(word) if word.isdecimal() else _NUMBERS.index(word.lower())
    return value if value in grades else None


def _from_json(text: str, grades: Collection[int]) -> int | None:
    grade = only_member(text, _NAMES)
    if isinstance(grade, bool):
        return None
    if isinstance(grade, str) and re.fullmatch(r"\s*[0-9]{1,3}\s*", grade):
        grade = int(grade)
    if isinstance(grade, float) and grade.is_integer():
        grade = int(grade)
    return grade if isinstance(grade, int) and grade in grades else None


def _decorated(line: str, grades: Collection[int]) -> int | None:
    match = _DECORATED.fullmatch(line)
    if match is None or match["of"] not in (None, str(max(grades))) or _WORDS.search(match["tail"] or ""):
        return None
    return _known(match["grade"], grades)


def _stated(text: str, grades: Collection[int]) -> int | None:
    if {int(word) for word in re.findall(r"(?<![0-9.])[0-9]{1,3}(?![0-9.]*[0-9])", text)} >= set(grades):
        return None
    values: set[int | None] = set()
    for match in _STATED.finditer(text):
        after = (match["after"] or "").replace(" ", "")
        if after and not re.fullmatch(rf"(?:/|outof){max(grades)}", after):
            return None
        values.add(_known(match["grade"], grades))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    alone = [line for line in lines if _DECORATED.fullmatch(line)]
    if len(alone) > 1 or (alone and alone[0] not in (lines[0], lines[-1])):
        return None
    values |= {_decorated(line, grades) for line in alone}
    return values.pop() if len(values) == 1 else None
