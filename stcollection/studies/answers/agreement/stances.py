"""The stance of an answer to a question: counts of wording classes (wording.py), and of repeated words of the question.

Direct replies to the question (yes, 没错, 不是真的, its predicate repeated plain or negated) lie on the side that the question
leans to: "yes" to 有害吗 is on the side of harm. In choice questions (A还是B, A or B) the first option is +1, the second −1.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from stcollection.studies.answers.agreement.cues import plain
from stcollection.studies.answers.agreement.forms import Options, question
from stcollection.studies.answers.agreement.wording import CLASSES, CLAUSES, REPLIES, SIDES, read, stems

# axis: the question's own classes, repeated. echo: its auxiliary. said, unsaid: its words plain, negated. negated: a negation of a
# word in no class. Each with its weight in a stance.
_EXTRA = {"axis": 1.0, "option": 2.0, "echo": 1.0, "said": 0.2, "unsaid": 1.0, "negated": -0.4}
COLUMNS = (*CLASSES, *_EXTRA)
WEIGHTS = np.array([*(side for side, _ in CLASSES.values()), *_EXTRA.values()], dtype=np.float64)

# Related classes. Classes outside the question's own group weigh less; all weigh less if the question has no class.
_GROUPS = tuple(
    frozenset(names.split())
    for names in (
        "permit forbid harmless harm normal abnormal",
        "need needless forbid useless worth worthless",
        "useful useless worth worthless needless",
        "enough lacking",
        "same different",
    )
)
_BESIDE, _NO_AXIS = 0.3, 0.5
_HEDGED, _SUPPOSING = 0.4, 0.3

_AUXILIARY = re.compile(
    r"^\s*(?P<no>不|没|并不)?(?P<word>会|能|要|是|有|行|成|用|该|算|好|必|对|可)(?:的|啊|呀|了|吧|哦|哈|呢|滴|哒|嘛|得)*\s*$"
)
_REPLY = (
    r"^\s*(?:well |oh |but |and |so |yes |no )?(?:it|they|he|she|we|you|i|that|this|there|mine|ours|some)"
    r"(?: really| certainly| sure)? "
)
_SHORT_YES = re.compile(_REPLY + r"(?:do|does|did|is|are|was|can|will|has|have|should|must)(?: indeed| so| too| really)?\s*$")
_SHORT_NO = re.compile(
    _REPLY
    + r"(?:(?:do|does|did|is|are|was|ca|wo|has|have|should|must)n't|(?:do|does|did|is|are|was|can|will|should|must) ?not)\s*$"
)
_NEVER = re.compile(r"^\s*never\b(?!theless)")
# "not without it" means that it is necessary.
_WITHOUT = re.compile(
    r"非[^,，。]{1,8}不可|[不没未](?!用|必|需|会|能|过|但|仅|管)[^,，。不]{1,10}?"
    r"(?:不行|不可以|不成|不给|不能|不让|不许|不准|[进过出开办走用上]不了|[进过出]不去)"
    r"|(?:can't|cannot|not|never|nobody|no one|won't)\b[^.]{0,60} without\b|\bnot\b[^.]{0,60}\bunless\b"
)
_DEPENDS = re.compile(
    r"看情况|因人而异|视情况|取决于|看个人|不好说|说不准|分情况|各不相同|要看|得看|先看|难说|看是什么|一概而论|看你|各有各|有利有弊|随各人"
    r"|\bdepend|\bvar(?:y|ies)\b|hard to say|up to you|case by case|hinges|matter of taste|either way|some do|both have"
    r"|opinions differ"
)
# Suppositions weigh less; of reported claims only a statement that they are true or false counts.
_SUPPOSED = re.compile(r"^\s*(?:如果|要是|假如|假设|万一|除非|if\b|unless\b|when\b|in case\b|whether\b)|的话\s*$")
_CLAIMED = re.compile(
    r"^\s*(?:至于说|所谓|说它|说什么|有人说|有人怕|有人担心|很多人|不少人|都说|听说|据说|网传|传言|老人说|别听"
    r"|people (?:say|think|believe)|some (?:say|people)|many (?:say|people|believe)|they say|the claim|the idea|the story)"
)
_FORMER = {"前者": 1, "the former": 1, "后者": -1, "the latter": -1}
_HELD = "[不没只主重需想快将社机开约才功可性节应本活价数足]"  # after one of these, an auxiliary is part of another word


def stand(query: str, text: str) -> npt.NDArray[np.float64]:
    """Return the counts of an answer in the order of COLUMNS, negative if negated, limited to ±2.

    >>> dict(zip(COLUMNS, stand("能喝吗", "不可以喝").tolist()))["axis"]
    -1.0
    """
    form, text = question(query), plain(text)
    counts = dict.fromkeys(COLUMNS, 0.0)
    unable = "permit" not in form.axis
    for place, clause in enumerate(CLAUSES.split(text)):
        if (reply := _reply(clause, place)) is not None:
            counts[reply] += 1.0
            continue
        if _NEVER.match(clause):
            counts["deny"] += 1.0
        before = dict(counts)
        read(clause, counts, form.words, scope=10, unable=unable)
        share = _SUPPOSING if _SUPPOSED.search(clause) else 0.0 if _CLAIMED.match(clause) else 1.0
        for name in counts.keys() - REPLIES.keys():
            counts[name] = before[name] + share * (counts[name] - before[name])
    if _DEPENDS.search(text):
        counts = {name: _HEDGED * count for name, count in counts.items()}
    if form.auxiliary:
        counts["echo"] = _echo(form.auxiliary, text)
    for name in (*REPLIES, "echo", "said", "unsaid"):
        counts[name] *= form.lean * (1 if name in REPLIES else form.turned)
    counts["axis"] = sum(SIDES[name][0] * counts[name] for name in sorted(form.axis))
    near = {name for group in _GROUPS if group & form.axis for name in group}
    for name in SIDES.keys() - near:
        counts[name] *= _BESIDE if near else _NO_AXIS
    if form.options:
        counts["option"] = _option(form.options, text)
    stance: npt.NDArray[np.float64] = np.clip(np.array([counts[name] for name in COLUMNS]), -2.0, 2.0)
    return stance


def _reply(clause: str, place: int) -> str | None:
    """Return the class of a clause that is entirely a reply: 不会的, it does, not without it."""
    if place < 2 and (short := _AUXILIARY.match(clause)):
        return "deny" if short["no"] else "affirm"
    if _SHORT_NO.match(clause):
        return "deny"
    if _SHORT_YES.match(clause):
        return "affirm"
    return "need" if _WITHOUT.search(clause) else None


@lru_cache(maxsize=64)
def _echoes(word: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(rf"(?:不|没|不太|并不|未必){word}"), re.compile(rf"(?<!{_HELD}){word}(?![不议员是么够量力])")


def _echo(word: str, text: str) -> float:
    """Return how an answer repeats the auxiliary of the question: plain 1, negated −1."""
    no, yes = _echoes(word)
    return -1.0 if no.search(text) else 1.0 if yes.search(text) else 0.0


def _option(options: Options, text: str) -> float:
    """Return which option an answer prefers, in [−1, 1]: the one it mentions more, or first if it compares both."""
    for word, side in _FORMER.items():
        if word in text:
            return float(side)
    first, second = options
    units = stems(text)
    sides = [1 if unit in first else -1 for unit in units if unit in first or unit in second]
    if not sides:
        return 0.0
    first_share, second_share = len(first & {*units}) / len(first), len(second & {*units}) / len(second)
    if first_share and second_share:
        return 0.6 * sides[0] * (-1 if "不如" in text or "worse than" in text else 1)
    return first_share if first_share else -second_share
