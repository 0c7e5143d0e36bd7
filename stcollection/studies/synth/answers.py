"""Parse a score, a query or a list of queries from a model's answer: strictly, without guessing.

All first remove a thinking block (everything before the last ``</think>``; an unclosed block leaves nothing), code fences and
emphasis.

A score, from 0 to 100, is the number in one of these:

1. an answer that is only a number: ``85``, ``85.5``, ``85.``
2. a JSON object with one member named score, rating, …: ``{"score": 85}``
3. a single line: ``Score: 85/100``, ``85 out of 100``, ``My score is 85%``, ``85 - clear and complete``
4. a longer text whose statements (``the score is 85``, ``85/100``, a first or last line as in 3) all agree

Everything else is malformed: two scores, a range, another scale (``8/10``), a number out of range.

A query is the only line of an answer, or the line under a heading (``Here is a query:``), without bullet, label and quotation
marks. Of several lines the first is taken, unless they are several queries, numbered or in a list. A refusal, a text of more than
LONGEST words, and JSON other than one member named query are malformed.

A list of queries is a JSON array of texts, alone or as the only array of an object; the lines with a bullet or number; or, without
any, two lines or more under an optional heading, none of which ends like a sentence. Prose, refusals, and lists with a text of more
than LONGEST words are malformed.
"""

from __future__ import annotations

import re
from typing import Literal

import orjson

from stcollection.llm.grades import THINKING, after_thinking, only_member

LONGEST = 50  # maximum number of words of a query

Dropped = Literal["empty", "malformed"]

_FENCE = re.compile(r"^\s*```[A-Za-z]*\s*$", re.MULTILINE)

_NAMES = r"score|rating|grade|answer|verdict|assessment"
_NUMBER = r"(?<![\w.,-])(?P<score>[0-9]{1,3}(?:\.[0-9]{1,4})?)"
_OF = r"(?:\s*(?:/|out\s+of)\s*(?P<of>[0-9]+(?:\.[0-9]+)?)|\s*%)?"
_LABEL = rf"(?:(?:my|the|final|overall|passage)\s+)*(?:(?:{_NAMES})(?:\s+(?:is|of|would\s+be))?\s*[:=]?\s*)?"
_LINE = re.compile(
    rf"{_LABEL}[(\[\"']?{_NUMBER}{_OF}[)\]\"']?\s*(?:[.!]?|(?:[:,;–—(]|(?<=\s)-\s)(?P<tail>[^0-9\n]*))", re.IGNORECASE
)
_STATED = re.compile(
    rf"\b(?:{_NAMES})[\"']?\s*(?:is|of|would\s+be|should\s+be|[:=])\s*[(\[\"']?{_NUMBER}{_OF}(?P<after>\s*(?:or|to|and|[-–—~])\s*[0-9])?",
    re.IGNORECASE,
)
_FRACTION = re.compile(rf"{_NUMBER}\s*(?:/|out\s+of)\s*(?P<of>[0-9]+)(?P<after>\s*(?:or|to|and|[-–—~])\s*[0-9])?", re.IGNORECASE)

_REFUSAL = re.compile(
    r"(?:(?:i['’]?m|i am) (?:very )?sorry|sorry, |i apologi[sz]e|as an ai\b|"
    r"i(?:\s+(?:cannot|can['’]?t|can not|won['’]?t)|(?:['’]m|\s+am)\s+(?:unable|not able)\s+to)"
    r"\s+(?:write|generate|create|provide|produce|help|assist|comply|fulfil|do)\b)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*•]\s+|\(?[0-9]{1,2}[.)]\s+)")
_PREFIX = re.compile(r"(?:(?:search\s+|the\s+|my\s+|generated\s+|user\s+)*(?:query|question|answer)\s*[:：=]\s*)", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "“", "‘": "’", "«": "»", "`": "`"}


def read_score(answer: str) -> float | None:
    """Return the score that an answer states, by the rules above; None if it states none or several."""
    text = _bare(answer)
    if text.startswith("{"):
        return _score_from_json(text)
    if "\n" not in text and (match := _LINE.fullmatch(text)):
        return _within(match["score"], match["of"])
    values: set[float | None] = set()
    for statement in (*_STATED.finditer(text), *_FRACTION.finditer(text)):
        values.add(None if statement["after"] else _within(statement["score"], statement["of"]))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    alone = [match for line in lines if (match := _LINE.fullmatch(line))]
    if len(alone) > 1 or (alone and alone[0].string not in (lines[0], lines[-1])):
        return None
    values |= {_within(match["score"], match["of"]) for match in alone}
    return values.pop() if len(values) == 1 else None


def read_query(answer: str) -> tuple[str | None, Dropped | None]:
    """Return the query in an answer, by the rules above, or the reason why it has no query.

    :returns: the query on one line and None; or None and ``empty`` or ``malformed``.
    """
    if not answer.strip():
        return None, "empty"
    text = _bare(answer)
    if text.startswith(("{", "[")):
        named = _query_from_json(text)
        if named is None:
            return None, "malformed"
        text = named
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and (lines[0].endswith((":", "：")) or _PREFIX.fullmatch(lines[0])):
        del lines[0]
    if not lines:
        return None, "malformed" if THINKING.search(answer) else "empty"
    if len(lines) > 1 and (
        sum(bool(_BULLET.match(line)) for line in lines) > 1 or sum(bool(_PREFIX.match(line)) for line in lines) > 1
    ):
        return None, "malformed"
    query = _unwrapped(lines[0])
    if not re.search(r"\w", query):
        return None, "empty"
    if _REFUSAL.match(query) or len(query.split()) > LONGEST:
        return None, "malformed"
    return query, None


def read_queries(answer: str) -> tuple[list[str], Dropped | None]:
    """Return the list of queries in an answer, by the rules above, or the reason why it has none.

    Repeated queries are returned as often as they occur.

    :returns: the queries, each on one line, and None; or an empty list and ``empty`` or ``malformed``.
    """
    if not answer.strip():
        return [], "empty"
    text = _bare(answer)
    if not text:
        return [], "malformed" if THINKING.search(answer) else "empty"
    items = _array(text) if text.startswith(("{", "[")) else _listed(text)
    if items is None:
        return [], "malformed"
    queries = [_unwrapped(item) for item in items]
    queries = [query for query in queries if re.search(r"\w", query)]
    if any(_REFUSAL.match(query) or len(query.split()) > LONGEST for query in queries):
        return [], "malformed"
    return queries, None if queries else "empty"


def _listed(text: str) -> list[str] | None:
    """Return the items of a list in lines of text; None for prose."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if bullets := [line for line in lines if _BULLET.match(line)]:
        return bullets
    if lines[0].endswith((":", "：")):
        del lines[0]
    return None if len(lines) < 2 or any(line.endswith((".", "!", ":", "。")) for line in lines) else lines


def _array(text: str) -> list[str] | None:
    """Return the texts of a JSON array, alone or the only array of an object; None for other JSON."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    arrays = [member for member in value.values() if isinstance(member, list)] if isinstance(value, dict) else [value]
    if len(arrays) != 1:
        return None
    return arrays[0] if all(isinstance(item, str) for item in arrays[0]) else None


def _bare(answer: str) -> str:
    text = re.sub(r"\*\*|__", "", _FENCE.sub("", after_thinking(answer))).strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "*`" else text


def _within(number: str, of: str | None) -> float | None:
    if of is not None and float(of) != 100:
        return None
    value = float(number)
    return value if value <= 100 else None


def _score_from_json(text: str) -> float | None:
    value = only_member(text, rf"(?:\w+[ _])?(?:{_NAMES})(?:[ _]\w+)?")
    if isinstance(value, str) and (match := _LINE.fullmatch(value.strip())):
        return _within(match["score"], match["of"])
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 100:
        return float(value)
    return None


def _query_from_json(text: str) -> str | None:
    value = only_member(text, r"(?:\w+[ _])?(?:query|question)")
    return value if isinstance(value, str) else None


def _unwrapped(line: str) -> str:
    """Return a line without bullet, label and quotation marks, in any nesting; unprintable characters become spaces."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in line).split())
    while True:
        before = text
        for wrapping in (_BULLET, _PREFIX):
            if match := wrapping.match(text):
                text = text[match.end() :]
        if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
            text = text[1:-1]
        text = text.strip()
        if text == before:
            return text
