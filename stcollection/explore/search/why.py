"""The explanation of a result: contributions to its score, as bars and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from stcollection.explore.measures import title_of
from stcollection.retrieval.explain import Explanation
from stcollection.texts import later
from stcollection.web.words import n, t

_SHARED = (
    later("term"), later("in the query"), later("in the document"),
    later("weight in the query"), later("weight in the document"), later("contribution"),
)  # fmt: skip
_RANKINGS = {"bm25": "BM25", "document": later("embedding (abstract, or title without one)")}
_MOST_WORDS = 7  # named in a bar
_ABOUT = ("year", "citations", "references", "citations_per_year", "citation_percentile", "age")
_GAP = 0.4  # between the pieces of a bar, in per cent of its width


class BarPiece(NamedTuple):
    """A piece of a bar. :param start: in per cent of the width."""

    name: str
    value: float
    start: float
    width: float


class Bar(NamedTuple):
    """A stacked bar. The numbers below it are in its order, so colours are not needed to read it."""

    title: str
    total: float
    pieces: list[BarPiece]


class ReasonTable(NamedTuple):
    """A table; all columns but the first are numbers."""

    caption: str
    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]


def bars(why: Explanation) -> list[Bar]:
    """Return what adds to the score: the rankings of a fusion, and for all systems the words of BM25 or the terms of the model."""
    names = {"bm25": t("BM25 words"), "document": t("embedding")}
    parts = [(names.get(part.ranking, part.ranking), part.added) for part in why.parts]
    added = [(word.word, word.added) for word in why.words] or [(term.term, term.added) for term in why.terms]
    words = sorted(added, key=lambda pair: (-pair[1], pair[0]))
    if len(words) > _MOST_WORDS:
        rest = words[_MOST_WORDS - 1 :]
        words = [
            *words[: _MOST_WORDS - 1],
            (n("{count} other word", "{count} other words", len(rest)), sum(added for _, added in rest)),
        ]
    drawn = (_bar(t("Score"), parts), _bar(t("BM25 words") if parts else t("Words"), words))
    return [bar for bar in drawn if bar is not None]


def _bar(title: str, parts: Sequence[tuple[str, float]]) -> Bar | None:
    positive = sum(max(added, 0) for _, added in parts)
    if not positive > 0:
        return None
    pieces: list[BarPiece] = []
    start = 0.0
    for name, added in parts:
        width = 100 * max(added, 0) / positive
        pieces.append(BarPiece(name, added, round(start, 1), round(max(width - _GAP, 0), 1)))
        start += width
    return Bar(title, sum(added for _, added in parts), pieces)


def tables(why: Explanation) -> list[ReasonTable]:
    """Return fused rankings, words and cosines, those that have data."""
    made = []
    if why.parts:
        rows: list[Sequence[Any]] = [
            (t(_RANKINGS.get(part.ranking, part.ranking)), part.rank, f"{part.score:.4f}", f"{part.added:.4f}")
            for part in why.parts
        ]
        total = (t("sum"), None, None, f"{sum(part.added for part in why.parts):.4f}")
        caption = t("Fused rankings. Contribution: weight times normalised score, or reciprocal rank")
        made.append(ReasonTable(caption, (t("ranking"), t("rank"), t("score"), t("contribution")), [*rows, total]))
    if why.words:
        rows = [(word.word, word.tf, word.df, f"{word.added:.4f}") for word in why.words]
        total = (t("sum"), None, None, f"{sum(word.added for word in why.words):.4f}")
        headers = (t("word"), t("occurrences"), t("documents with the word"), t("BM25 contribution"))
        made.append(ReasonTable(t("Words of the query in this document"), headers, [*rows, total]))
    if why.terms:
        side = {True: t("yes"), False: t("added by the model"), None: None}
        numbers = ((term, (term.query_weight, term.document_weight, term.added)) for term in why.terms)
        rows = [(term.term, side[term.in_query], side[term.in_document], *map("{:.4f}".format, of)) for term, of in numbers]
        whole: Sequence[Any] = (t("sum"), *[None] * 4, f"{sum(term.added for term in why.terms):.4f}")
        made.append(ReasonTable(t("Terms that query and document share"), tuple(map(t, _SHARED)), [*rows, whole]))
    if why.cosines:
        rows = [(pair.field, f"{pair.cosine:.4f}") for pair in why.cosines]
        made.append(ReasonTable(t("Similarity of embeddings"), (t("field"), t("cosine with the query")), rows))
    return made


def measures(why: Explanation) -> tuple[dict[str, str], dict[str, str]]:
    """Return readability, and year and citations, as texts by title."""
    texts = {name: f"{value:.2f}".removesuffix(".00") for name, value in why.measures.items() if name != "id"}
    about = {title_of(name): text for name, text in texts.items() if name in _ABOUT}
    return {title_of(name): text for name, text in texts.items() if name not in _ABOUT}, about
