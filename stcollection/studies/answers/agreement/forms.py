"""Classify queries: yes/no, choice, quantity, time or other; and the side on which a "yes" lies."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from stcollection.studies.answers.agreement.cues import plain
from stcollection.studies.answers.agreement.wording import AXES, CLASSES, CLAUSES, SIDES, read, stems

KINDS = ("polar", "choice", "quantity", "time", "other")

_A_NOT_A = re.compile(r"([\u3400-\u9fff]{1,2})[不没]\1")
# Markers that turn a statement into a question.
_FORMS = re.compile(
    r"是不是|是否|能否|可否|有没有|(?:是|到底是)?真的(?:吗|么|假的|还是假的)|真假|吗|么|呢|请问|对吗|对不对|是真是假|有道理|靠谱"
    r"|\bor not\b|is (?:it|that) (?:really )?(?:true|a fact)(?: that)?|true or (?:not|false)|is that true|is it okay|or no\b"
)
_TRUE = re.compile(r"[是对]?(?:是不是|不是)?真的(?:吗|么)?$")
_POLAR = re.compile(
    r"吗|([\u3400-\u9fff])[\u3400-\u9fff]?[不没]\1|是否|能否|可否|有没有|真假"
    r"|(?:^|[,.:;?] *)(?:so |and |hi,? |please:? )?(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would"
    r"|has|have|am|true or)\b|\bis (?:that|this|it) \w+\s*\??$|\bok(?:ay)?\s*\?|\bor not\b"
)
_WH = (
    ("time", re.compile(
        r"什么时候|何时|几点|几月|几号|哪年|哪天|哪一年|哪个月|什么时间|多早|多大(?:起|开始|可以|能)"
        r"|\bwhen\b|what time|what year|which year|which month|what age|how (?:early|late|soon)"
    )),
    ("quantity", re.compile(
        r"多久|多长|多少|几[天个次年岁周颗瓶片斤杯克升米度块元里秒分小种名人位顿粒]|多大|多重|多高|多远|多深|多快|多长时间"
        r"|how (?:long|many|much|often|far|big|heavy|tall|deep|old|fast|high|hot)|what amount|expectancy"
    )),
    ("other", re.compile(
        r"为什么|为啥|为何|怎么|怎样|如何|哪|谁|什么|咋"
        r"|\b(?:why|how|where|who|whom|whose|what|which)\b"
    )),
)  # fmt: skip
# Classes that a question belongs to, whatever class its other words indicate.
_FRAMES = ("need", "normal", "useful", "worth", "enough", "same")
_ASKED = (
    (re.compile(r"(要|用|需|该|必|应)要?不\1|(?<![不没])(?:要|用|该|得)[^,，。是]{1,8}吗|必须|应该|\bmust\b|\bshould\b"), "need"),
    (re.compile(r"(该|应)不\1|应该|(?:^|[,:.] ?)should\b"), "permit"),
    (re.compile(r"(能|可|行|成|好)以?不\1|(?<![不没])(?:能|行|成)[^,，。]{0,8}吗|\bis it (?:ok|okay|all right|bad)\b"), "permit"),
    (re.compile(r"(值)不\1|值吗"), "worth"),
    (re.compile(r"(够)不\1|够[^,，。]{0,4}吗"), "enough"),
    (re.compile(r"正常"), "normal"),
    (re.compile(r"(?:管|有|起)(?:不管|没有|没)?(?:用|效)"), "useful"),
)
# Chinese question words that a short answer repeats: 会抢的, 不会.
_ECHOED = re.compile(r"会(?=不会)|会|能(?=不能)|能|要(?=不要)|要|该(?=不该)|该|算(?=不算)|算|够|值|有(?=没有)")
_OR = re.compile(r"还是|或者是|\bor\b|\bvs\.?(?!\w)")
_PAUSE = re.compile(r"[,，。.?？;；:：、]")
_OPTION = 6  # maximum number of stems of an option

Options = tuple[frozenset[str], frozenset[str]]


class QuestionForm(NamedTuple):
    """The form of a query.

    :param kind: one of KINDS.
    :param lean: the side of a "yes", 1 or −1; for 有害吗 the side of harm.
    :param axis: the classes of wording in the question.
    :param words: stems of its content words.
    :param options: stems that only the first option has, and that only the second has.
    :param turned: −1 if it asks whether something is not the case.
    :param auxiliary: the word that a short Chinese answer repeats, or ''.
    """

    kind: str
    lean: int
    axis: frozenset[str]
    words: frozenset[str]
    options: Options | None
    turned: int
    auxiliary: str


@lru_cache(maxsize=4096)
def question(query: str) -> QuestionForm:
    """Classify a query.

    >>> question("隔夜茶会不会致癌").lean, question("do I need a visa").kind, question("how long do eggs keep").kind
    (-1, 'polar', 'quantity')
    """
    text = plain(query).strip(" ?？。!！")
    bare = _A_NOT_A.sub(r"\1", _FORMS.sub(" ", text))
    clauses, words = CLAUSES.split(bare), frozenset(stems(bare))
    counts = dict.fromkeys(CLASSES, 0.0)
    own = dict.fromkeys((*CLASSES, "said", "unsaid"), 0.0)
    for clause in clauses:
        read(clause, counts, frozenset(), scope=1, unable=False)
        read(clause, own, words, scope=10, unable=False)
    axis = {label for name in SIDES if counts[name] for label in AXES[name]}
    # The question's own verb decides: 要不要去检查 is in the class of 要, whatever class 检查 indicates.
    leaning = sum(counts[name] for name in _FRAMES) or sum(side * counts[name] for name, (side, _) in SIDES.items())
    statement = _TRUE.sub("", text)
    for form, name in _ASKED:
        if form.search(statement):
            axis |= AXES[name]
            leaning = 1.0 if "harm" not in axis else leaning
    options = None if axis & {"normal", "same"} else _options(bare)
    echoed = _ECHOED.findall(text)
    return QuestionForm(
        kind=_kind(text, options is not None, bool(axis)),
        lean=-1 if leaning < 0 else 1,
        axis=frozenset(axis),
        words=words,
        options=options,
        turned=-1 if -own["unsaid"] > own["said"] else 1,
        auxiliary=echoed[-1] if echoed else "",
    )


def _kind(text: str, choice: bool, axis: bool) -> str:
    """Return the kind: of several question words the first counts (what time: a time); a final 吗 takes precedence."""
    if choice:
        return "choice"
    if text.endswith(("吗", "么")) and not text.endswith(("什么", "怎么")):
        return "polar"
    starts = [(match.start(), kind) for kind, form in (*_WH, ("polar", _POLAR)) if (match := form.search(text))]
    return min(starts, key=lambda start: start[0])[1] if starts else "polar" if axis else "other"


def _options(text: str) -> Options | None:
    parts = _OR.split(text)
    if len(parts) != 2 or not all(part.strip() for part in parts):
        return None
    left, right = stems(_PAUSE.split(parts[0])[-1]), stems(_PAUSE.split(parts[1])[0])
    both = {*left} & {*right}
    second = right[:_OPTION]
    first = left[-max(len(second), 1) :]
    options = frozenset(first) - both, frozenset(second) - both
    return options if all(options) else None
