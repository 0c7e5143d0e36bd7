"""Features of two answers to a query: the columns that a model of agreement learns from.

Each answer is analysed once; pairs are then compared one column at a time. Every column is exactly symmetric: it is computed from
values that do not change when the answers are swapped (min, max, |a - b|, a·b, counts of common items).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.studies.answers.agreement import cues, forms, stances
from stcollection.studies.answers.agreement.numbers import KINDS as QUANTITIES
from stcollection.studies.answers.agreement.numbers import quantities

# Increased whenever the meaning of a column changes; models trained on another version are rejected.
VERSION = 3

ALL = ("overlap", "embedding", "cues", "numbers", "length", "query", "stand")
FAST = tuple(kind for kind in ALL if kind != "embedding")

Matrix = npt.NDArray[np.float32]
_Floats = npt.NDArray[np.float64]
_Columns = dict[str, _Floats]

_PAIRS = 20_000  # pairs compared at once
_POLAR = ("polar", "choice")
_SCALE = 0.5  # a single word of weight 1 gives the stance tanh ½
_CLEAR = 0.35  # the least size of a clear stance
_HASHED = 2**20
_UNITS = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:\.\d+)?|[\u3400-\u9fff]")
# Function words, and words that cues.py reads: neither describe the content of an answer.
_STOP_WORDS = (
    "的 了 着 过 是 在 和 与 及 就 都 也 很 还 又 吗 呢 吧 啊 呀 么 这 那 个 一 之 其 把 被 给 对 从 到 以 为 于"
    " 而 但 或 所 会 能 可 要 不 没 有 无 别 我 你 他 她 它 们 什 怎 多 少 最 更"
    " the a an of to in on at for and or but is are was were be been being it its this that these those there with as by"
    " from not no do does did have has had will would can could may might should must you your i we they he she my our"
    " their"
    " so if then than very just about what which who how when where why any some one"
)
_STOP = frozenset(_STOP_WORDS.split())


class AnswerEncoder(Protocol):
    """An embedding model: rows of length 1. :ivar name: the name it is registered under."""

    name: str

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]: ...


class _Answers(NamedTuple):
    """The distinct (query, answer) combinations, and the two that each pair consists of."""

    queries: list[str]
    texts: list[str]
    a: npt.NDArray[np.intp]
    b: npt.NDArray[np.intp]


def features(
    queries: Sequence[str], a: Sequence[str], b: Sequence[str], *, kinds: Sequence[str] = FAST, embed: AnswerEncoder | None = None
) -> Matrix:
    """Compute the columns of pairs of answers, in the order of :func:`names`.

    :param queries, a, b: the query and the two answers of each pair.
    :param kinds: kinds of ALL.
    :param embed: model for the kind embedding.
    :returns: float32[len(a), len(names(kinds))], finite; bitwise identical if a and b are swapped.
    :raises BadArgument: a kind is unknown, none is given, embedding has no model, or the columns differ in length.
    """
    kinds = checked_kinds(kinds)
    if not len(queries) == len(a) == len(b):
        raise BadArgument(
            f"{counted(len(queries), 'query')} with {len(a)} and {counted(len(b), 'answer')}",
            hint="Give one query and two answers per pair.",
        )
    if "embedding" in kinds and embed is None:
        raise BadArgument("the features 'embedding' need a model", hint="Name one with --embed MODEL.")
    if not len(a):
        return np.zeros((0, len(names(kinds))), dtype=np.float32)
    answers = _distinct(queries, a, b)
    comparisons = [_KINDS[kind](answers, embed) for kind in kinds]
    parts = []
    for begin in range(0, len(a), _PAIRS):
        left, right = answers.a[begin : begin + _PAIRS], answers.b[begin : begin + _PAIRS]
        columns = [column for compare in comparisons for column in compare(left, right).values()]
        parts.append(np.column_stack(columns).astype(np.float32))
    return np.concatenate(parts)


def checked_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return kinds of features in the order of ALL, each once. :raises BadArgument: a kind is unknown, or none is given."""
    if unknown := [kind for kind in kinds if kind not in ALL]:
        raise BadArgument(f"unknown features {unknown[0]!r}", hint=f"Use one or more of {', '.join(ALL)}.")
    if not kinds:
        raise BadArgument("no features are given", hint=f"Use one or more of {', '.join(ALL)}.")
    return tuple(kind for kind in ALL if kind in kinds)


def names(kinds: Sequence[str] = FAST) -> list[str]:
    """Return the column names of some kinds, as kind.column."""
    return [name for kind in checked_kinds(kinds) for name in _names(kind)]


def _distinct(queries: Sequence[str], a: Sequence[str], b: Sequence[str]) -> _Answers:
    place: dict[tuple[str, str], int] = {}
    left = np.fromiter((place.setdefault(pair, len(place)) for pair in zip(queries, a, strict=True)), np.intp, len(a))
    right = np.fromiter((place.setdefault(pair, len(place)) for pair in zip(queries, b, strict=True)), np.intp, len(b))
    return _Answers([query for query, _ in place], [text for _, text in place], left, right)


_Pairs = npt.NDArray[np.intp]
_Compare = Callable[[_Pairs, _Pairs], _Columns]


def units(text: str) -> list[str]:
    """Split a text into Latin words, numbers and single Chinese characters, in order.

    >>> units("喝2杯 Warm water")
    ['喝', '2', '杯', 'warm', 'water']
    """
    return _UNITS.findall(cues.plain(text))


def _grams(words: Sequence[str], most: int) -> list[str]:
    return [" ".join(words[i : i + n]) for n in range(1, most + 1) for i in range(len(words) - n + 1)]


def _characters(text: str) -> list[str]:
    joined = "".join(units(text))
    return [joined[i : i + n] for n in (2, 3, 4) for i in range(len(joined) - n + 1)]


def _stem(unit: str) -> str:
    """Return a crude stem: the first five letters of an English word, so that melts and melted match."""
    return unit[:5] if unit.isascii() and unit.isalpha() and len(unit) > 5 else unit.removesuffix("s") if len(unit) > 3 else unit


def content(query: str, text: str) -> list[str]:
    """Return the content units of an answer: without function words and without the words of the query."""
    of_query = {_stem(unit) for unit in units(query)}
    return [stem for unit in units(text) if unit not in _STOP and (stem := _stem(unit)) not in of_query]


def _sets(documents: Sequence[Sequence[str]]) -> Any:
    """Return sets of terms as rows of ones, float64[n, 2^20], sparse; the columns of a row are sorted."""
    from sklearn.feature_extraction.text import HashingVectorizer

    vectoriser = HashingVectorizer(
        analyzer=_same, n_features=_HASHED, norm=None, alternate_sign=False, binary=True, dtype=np.float64
    )
    matrix = vectoriser.transform(documents)
    matrix.sort_indices()
    return matrix


def _same(terms: Sequence[str]) -> Sequence[str]:
    return terms


def _shared(matrix: Any, left: _Pairs, right: _Pairs) -> tuple[_Floats, _Floats, _Floats]:
    """Return the number of common terms, and the smaller and the larger number of terms of the two."""
    both = np.asarray(matrix[left].multiply(matrix[right]).sum(axis=1)).ravel()
    sizes = np.diff(matrix.indptr).astype(np.float64)
    return both, np.minimum(sizes[left], sizes[right]), np.maximum(sizes[left], sizes[right])


def _ratios(prefix: str, matrix: Any, left: _Pairs, right: _Pairs) -> _Columns:
    both, fewer, more = _shared(matrix, left, right)
    return {
        f"{prefix}_jaccard": both / np.maximum(fewer + more - both, 1.0),
        f"{prefix}_contained": both / np.maximum(fewer, 1.0),
    }


def _overlap(answers: _Answers, _: AnswerEncoder | None) -> _Compare:
    matrices = {
        "unit": _sets([units(text) for text in answers.texts]),
        "pair": _sets([_grams(units(text), 2)[len(units(text)) :] for text in answers.texts]),
        "character": _sets([_characters(text) for text in answers.texts]),
    }

    def compare(left: _Pairs, right: _Pairs) -> _Columns:
        columns: _Columns = {}
        for name, matrix in matrices.items():
            columns |= _ratios(f"overlap.{name}", matrix, left, right)
        return columns

    return compare


def _query(answers: _Answers, _: AnswerEncoder | None) -> _Compare:
    both = [*zip(answers.queries, answers.texts, strict=True)]
    rests = [content(query, text) for query, text in both]
    rest, pairs = _sets(rests), _sets([_grams(words, 3)[len(words) :] for words in rests])
    sizes = np.array([len(words) for words in rests], dtype=np.float64)
    repeated = np.array([_repeated(query, text) for query, text in both])
    chinese = np.array([float(cues.is_chinese(query)) for query in answers.queries])

    def compare(left: _Pairs, right: _Pairs) -> _Columns:
        shared, fewer, _more = _shared(rest, left, right)
        return {
            **_ratios("query.rest", rest, left, right),
            **_ratios("query.rest_pair", pairs, left, right),
            "query.rest_shared": shared,
            "query.rest_fewer": fewer,
            "query.rest_none": (np.minimum(sizes[left], sizes[right]) == 0).astype(np.float64),
            "query.repeated_low": np.minimum(repeated[left], repeated[right]),
            "query.repeated_high": np.maximum(repeated[left], repeated[right]),
            "query.chinese": chinese[left],
        }

    return compare


def _repeated(query: str, text: str) -> float:
    """Return the share of the query's content words that an answer repeats."""
    of_query = {_stem(unit) for unit in units(query) if unit not in _STOP}
    return len(of_query & {_stem(unit) for unit in units(text)}) / len(of_query) if of_query else 0.0


def _cues(answers: _Answers, _: AnswerEncoder | None) -> _Compare:
    read = [cues.read(text) for text in answers.texts]
    polarity, lead, negations, verdicts = (np.array(column, dtype=np.float64) for column in zip(*read, strict=True))

    def compare(left: _Pairs, right: _Pairs) -> _Columns:
        return {
            "cues.polarity_product": polarity[left] * polarity[right],
            "cues.polarity_apart": np.abs(polarity[left] - polarity[right]),
            "cues.polarity_low": np.minimum(polarity[left], polarity[right]),
            "cues.polarity_high": np.maximum(polarity[left], polarity[right]),
            "cues.lead_product": lead[left] * lead[right],
            "cues.lead_apart": np.abs(lead[left] - lead[right]),
            "cues.verdicts_fewer": np.minimum(verdicts[left], verdicts[right]),
            "cues.negations_apart": np.abs(negations[left] - negations[right]),
            "cues.negations_odd": (negations[left] + negations[right]) % 2,
            "cues.negated": ((negations[left] > 0) & (negations[right] > 0)).astype(np.float64),
        }

    return compare


def _numbers(answers: _Answers, _: AnswerEncoder | None) -> _Compare:
    low = np.full((len(answers.texts), len(QUANTITIES)), np.inf)
    high = np.full_like(low, -np.inf)
    tokens: list[list[str]] = []
    in_query = {query: set(quantities(query)) for query in dict.fromkeys(answers.queries)}
    for row, (query, text) in enumerate(zip(answers.queries, answers.texts, strict=True)):
        # Numbers in the query itself are not part of the answer: a baby of 3 months stays 3 months old.
        own = [quantity for quantity in quantities(text) if quantity not in in_query[query]]
        tokens.append([f"{quantity.kind} {value:.4g}" for quantity in own for value in (quantity.low, quantity.high)])
        for quantity in own:
            kind = QUANTITIES.index(quantity.kind)
            low[row, kind], high[row, kind] = min(low[row, kind], quantity.low), max(high[row, kind], quantity.high)
    # In a yes/no question 一口 and 一杯 are not quantities that can agree, and other numbers are irrelevant.
    measured = np.array([float(forms.question(query).kind != "polar") for query in answers.queries])
    has = np.isfinite(low)
    any_, digits = has.any(axis=1), _sets(tokens)

    def compare(left: _Pairs, right: _Pairs) -> _Columns:
        shared = has[left] & has[right]
        gap = _gap(low, high, left, right, shared)
        agree, near = shared & (gap <= 0.0), shared & (gap <= np.log(1.1))
        first, second = any_[left], any_[right]
        exact, fewer, _more = _shared(digits, left, right)
        counts = shared.sum(axis=1).astype(np.float64)
        widest = np.where(shared, gap, 0.0)
        columns = {
            "numbers.kinds_shared": counts,
            "numbers.agree": agree.sum(axis=1) / np.maximum(counts, 1.0),
            "numbers.near": near.sum(axis=1) / np.maximum(counts, 1.0),
            "numbers.disagree": (counts - near.sum(axis=1)) / np.maximum(counts, 1.0),
            "numbers.all_agree": ((counts > 0) & (agree.sum(axis=1) == counts)).astype(np.float64),
            "numbers.gap_least": np.where(counts > 0, np.where(shared, gap, np.inf).min(axis=1, initial=9.0), 0.0),
            "numbers.gap_most": widest.max(axis=1, initial=0.0),
            "numbers.exact": exact / np.maximum(fewer, 1.0),
            "numbers.both": (first & second).astype(np.float64),
            "numbers.one": (first ^ second).astype(np.float64),
        }
        return {name: measured[left] * column for name, column in columns.items()}

    return compare


# For these kinds a difference of a tenth is a different answer: the gap is the difference itself.
_POINTS = np.array([kind in ("clock", "date", "month", "weekday", "year", "order") for kind in QUANTITIES])


def _gap(low: _Floats, high: _Floats, left: _Pairs, right: _Pairs, shared: npt.NDArray[np.bool_]) -> _Floats:
    """Return the distance of two ranges as the log ratio of their nearest ends; 0 if they overlap, at most 9."""
    above = np.where(shared, np.maximum(low[left], low[right]), 1.0)
    below = np.where(shared, np.minimum(high[left], high[right]), 1.0)
    apart = np.maximum(above - below, 0.0)
    gap: _Floats = np.minimum(np.where(_POINTS, apart, np.log1p(apart / np.maximum(np.abs(below), 1e-6))), 9.0)
    return gap


def _length(answers: _Answers, _: AnswerEncoder | None) -> _Compare:
    sizes = np.log1p(np.array([len(units(text)) for text in answers.texts], dtype=np.float64))
    clauses = np.log1p(np.array([len(re.findall(r"[,，。.!！?？;；]", text)) for text in answers.texts], dtype=np.float64))

    def compare(left: _Pairs, right: _Pairs) -> _Columns:
        return {
            "length.shorter": np.minimum(sizes[left], sizes[right]),
            "length.longer": np.maximum(sizes[left], sizes[right]),
            "length.apart": np.abs(sizes[left] - sizes[right]),
            "length.clauses_apart": np.abs(clauses[left] - clauses[right]),
        }

    return compare


def _embedding(answers: _Answers, embed: AnswerEncoder | None) -> _Compare:
    assert embed is not None  # noqa: S101
    texts, queries = list(dict.fromkeys(answers.texts)), list(dict.fromkeys(answers.queries))
    of_text = dict(zip(texts, embed.encode(texts).astype(np.float64), strict=True))
    of_query = dict(zip(queries, embed.encode(queries, query=True).astype(np.float64), strict=True))
    vectors = np.array([of_text[text] for text in answers.texts])
    near = np.array([of_text[text] @ of_query[query] for query, text in zip(answers.queries, answers.texts, strict=True)])

    def compare(left: _Pairs, right: _Pairs) -> _Columns:
        first, second = vectors[left], vectors[right]
        apart = np.abs(first - second)
        return {
            "embedding.cosine": (first * second).sum(axis=1),
            "embedding.apart_mean": apart.mean(axis=1),
            "embedding.apart_most": apart.max(axis=1),
            "embedding.query_low": np.minimum(near[left], near[right]),
            "embedding.query_high": np.maximum(near[left], near[right]),
        }

    return compare


def _stand(answers: _Answers, _: AnswerEncoder | None) -> _Compare:
    """Compare stances in yes/no and choice questions; a stance is the tanh of the weighted counts of wording, in (−1, 1)."""
    counts = np.array([stances.stand(query, text) for query, text in zip(answers.queries, answers.texts, strict=True)])
    stance = np.tanh(_SCALE * counts @ stances.WEIGHTS)
    kinds = [forms.question(query).kind for query in answers.queries]
    polar, choice, other = (np.array([kind in of for kind in kinds], dtype=np.float64) for of in (_POLAR, _POLAR[1:], ("other",)))

    def compare(left: _Pairs, right: _Pairs) -> _Columns:
        a, b, of = stance[left], stance[right], polar[left]
        product, weaker, stronger = a * b, np.minimum(np.abs(a), np.abs(b)), np.maximum(np.abs(a), np.abs(b))
        return {
            "stand.product": of * product,
            "stand.root": of * np.sign(product) * np.sqrt(np.abs(product)),
            "stand.apart": of * np.abs(a - b),
            "stand.weaker": of * weaker,
            "stand.stronger": of * stronger,
            "stand.clear": of * (weaker > _CLEAR),
            "stand.opposed": of * ((weaker > _CLEAR) & (product < 0)),
            "stand.unclear": of * (stronger < _CLEAR),
            "stand.together": of * np.abs(a + b),
            "stand.choice_product": choice[left] * product,
            "stand.other_product": (1.0 - of) * product,
            "stand.polar": of,
            "stand.choice": choice[left],
            "stand.measured": 1.0 - of - other[left],
            "stand.other": other[left],
        }

    return compare


_KINDS: dict[str, Callable[[_Answers, AnswerEncoder | None], _Compare]] = {
    "overlap": _overlap, "embedding": _embedding, "cues": _cues, "numbers": _numbers, "length": _length, "query": _query,
    "stand": _stand,
}  # fmt: skip


class _NoModel:
    """A placeholder for an embedding model, to list the names of its columns."""

    name = ""

    def encode(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        return np.ones((len(texts), 1), dtype=np.float32)


@cache
def _names(kind: str) -> tuple[str, ...]:
    pair = np.zeros(1, dtype=np.intp)
    return tuple(_KINDS[kind](_Answers([""], [""], pair, pair), _NoModel())(pair, pair))
