"""Cues for an answer's stance: its polarity and negations, by rules for Chinese and English.

Polarity is counted clause by clause. A verdict (可以, safe: +1; 避免, dangerous: −1) changes sign with each preceding negation, so
不可以 is −1 and 不是不能 is +1. A negation without a following verdict counts as "no". Fixed phrases are matched first:
没问题 is not a negation.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

# Longest first within each language; the words of a matched phrase are not matched again.
_YES = (
    "没有问题 没问题 没关系 没有关系 不要紧 没事 无妨 不妨 不碍事 无碍 无害 没坏处 没有坏处 没影响 没有影响 不影响"
    " 无影响 不必担心 不用担心 无需担心 别担心"
    " 不担心 放心 不可避免 不得不 不能不 不可不 少不了 不可缺少 必不可少 差不了 毫无疑问 没错 不错 不假 不限 无毒 没毒"
    " 没毛病 无所谓 尽管 可以 可行 允许 能够"
    " 应该 应当 必须 务必 需要 得要 有必要 有用 有效 有益 有好处 有助 正确 正常 安全 属实 真的 事实 确实 的确 当然 肯定"
    " 没说错 合法 免费 适合 推荐 支持 是的"
    " 对的 行的 能 行 会 得 是 有 要"
    "|no problem|no harm|not a problem|no doubt|no worries|nothing wrong|nothing to worry about|not harmful|cannot help"
    " but|can't help but"
    "|no need to worry|don't worry|not only|not just|harmless|of course|go ahead|by all means|all right|it's fine|yes|yep|yeah|sure"
    "|certainly|indeed|true|correct|right|safe|safely|fine|okay|ok|normal|allowed|permitted|legal|necessary|essential|required|mandatory"
    "|must|need|needs|needed|should|recommended|advisable|worth|useful|effective|works|helps|beneficial|can|could|may|will|does|do|is"
    "|are|has|have"
)
_NO = (
    "最好不要 最好别 禁止 严禁 避免 切忌 忌 戒掉 戒 慎 拒绝 远离 停掉 少碰 有害 伤害 危害 危险 有毒 风险 错误 错的 谣言"
    " 谣传 误区 误解 迷信 胡说 瞎说 骗人"
    " 假的 虚假 夸大 荒谬 以讹传讹 无稽之谈 多余 白费 没用 无用 无效 没必要 无必要 不必 不用 无需 无须 毋须 用不着"
    " 犯不着 不需要 免了 违法 违规 异常 不良 不适合"
    " 不宜 不建议 不推荐 不提倡 可选 自愿 算了吧"
    "|better not|had better not|by no means|far from|rather than|instead of|no need|not necessary|unnecessary|needless|optional"
    "|avoid|avoided|refrain|stay away|keep away|leave it|skip it|give up|forbidden|prohibited|banned|illegal|unsafe|dangerous"
    "|danger|harmful|harm|toxic|poisonous|risky|risk|wrong|false|myth|nonsense|rubbish|fiction|untrue|incorrect|mistaken"
    "|misconception|legend|hoax|useless|pointless|abnormal|impossible|fail|fails|refuse|stop"
)
_NOTHING = (
    "不过 不仅 不但 不光 不管 不论 无论 不同 不少 不断 不久 不一 不一定 不等 不超过 不到 不足 不低于 不少于 不多于"
    " 不高于 不止 差不多 非常 除非 莫非 特别 分别 区别 别的 别人"
    " 个别 级别 性别 未来 未必 是否 能否 可否 是不是 能不能 可不可以 要不要 会不会 有没有 对不对 不好说 说不准 不知道"
    " 不清楚 不然 不如 要不 没准 无数 不怎么 能量 功能 可能 性能 只能 才能"
    " 会议 机会 社会 一会 银行 进行 流行 旅行 行为 行李 执行 自行 得到 觉得 获得 记得 取得 值得 有些 有的 有时 还有 所有"
    " 没有 只有 拥有 含有 具有 重要 主要 只要 要是 需求 总是 但是"
    " 还是 就是 而是 或是 于是 不是"
    "|not necessarily|no more than|no less than|no later than|nothing but|no matter|not sure|whether or not|no one knows"
)
_NEGATIONS = (
    "不 没有 没 无 非 别 勿 未 莫 否 并非 绝非 从未 从不 毫无 不是 不曾 不再 难以 谈不上 算不上 称不上 缺乏 免"
    "|not|no|never|none|nothing|nobody|neither|nor|without|cannot|hardly|scarcely|barely|nowhere|isn't|aren't|wasn't|weren't|don't"
    "|doesn't|didn't|can't|couldn't|won't|wouldn't|shouldn't|mustn't|needn't|hasn't|haven't|hadn't|ain't"
)
_WEAK_WORDS = "能 行 会 得 是 有 要 can could may will does do is are has have need needs right"
_WEAK = frozenset(_WEAK_WORDS.split())
_LIFTED = frozenset(("没有", "不是"))  # negations, although they are listed among the neutral phrases


class Cues(NamedTuple):
    """Cues of an answer's stance.

    :param polarity: mean over verdicts, in [−1, 1]; 0 without verdicts.
    :param lead: polarity of the first clause with a verdict.
    :param negations: number of negating words.
    :param verdicts: total weight of the verdicts.
    """

    polarity: float
    lead: float
    negations: int
    verdicts: float


_CLAUSES = re.compile(r"[,，。.!！?？;；:：\n\t、]+(?!\d)|但是|但|不过|然而|\bbut\b|\bhowever\b")
_HAN = re.compile(r"[\u3400-\u9fff]")


def _split(words: str) -> list[str]:
    chinese, _, english = words.partition("|")
    return [*chinese.split(), *filter(None, english.split("|"))]


def pattern(words: list[str]) -> str:
    """Return an alternation, longest first; English words match whole words, Chinese words match anywhere."""
    ordered = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))
    return "|".join(rf"(?<![a-z']){re.escape(word)}(?![a-z'])" if word.isascii() else re.escape(word) for word in ordered)


_SIGNS = (
    dict.fromkeys(_split(_YES), 1)
    | dict.fromkeys(_split(_NO), -1)
    | dict.fromkeys((word for word in _split(_NOTHING) if word not in _LIFTED), 0)
)
_FLIPS = frozenset(_split(_NEGATIONS))
_READ = re.compile(pattern([*_SIGNS, *_FLIPS]))


def plain(text: str) -> str:
    """Normalise full-width forms and case, and ’ to '.

    >>> plain("Ｄon’t")
    "don't"
    """
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def is_chinese(text: str) -> bool:
    return _HAN.search(text) is not None


def read(text: str) -> Cues:
    """Return the cues of an answer.

    >>> [read(one).lead for one in ("可以喝", "不可以喝", "It is not unsafe", "Never do that")]
    [1.0, -1.0, 1.0, -1.0]
    """
    text = plain(text)
    total = weight = lead = 0.0
    negations = 0
    for clause in _CLAUSES.split(text):
        value, heavy, count = _clause(clause)
        negations += count
        if heavy:
            total, weight = total + value, weight + heavy
            lead = lead or (value > 0) - (value < 0)
    return Cues(
        polarity=total / weight if weight else 0.0,
        lead=float(lead),
        negations=negations,
        verdicts=weight,
    )


def _clause(clause: str) -> tuple[float, float, int]:
    """Return the sum of signs, their weight, and the number of negations of a clause."""
    total = weight = 0.0
    turned, negations, end = 1, 0, 0
    open_ = False  # a negation not yet followed by a verdict
    for match in _READ.finditer(clause):
        word = match[0]
        if word in _FLIPS and word not in _SIGNS:
            turned, negations, open_ = -turned, negations + 1, True
            end = match.end()
            continue
        sign = _SIGNS[word]
        if sign == 0:
            continue
        heavy = 0.4 if word in _WEAK else 1.0
        if open_ and word in _WEAK and match.start() - end > 6:
            continue  # too far away for the negation to apply
        if word in _WEAK and not open_ and _negated_next(clause, match.end()):
            continue  # 是不对的, is not: the following word decides
        total, weight = total + sign * turned * (1.0 if open_ else heavy), weight + (1.0 if open_ else heavy)
        turned, open_ = 1, False
    if open_:
        total, weight = total + turned, weight + 1.0
    return total, weight, negations


def _negated_next(clause: str, start: int) -> bool:
    following = _READ.match(clause, start) or (_READ.match(clause, start + 1) if clause[start : start + 1] == " " else None)
    return following is not None and following[0] in _FLIPS
