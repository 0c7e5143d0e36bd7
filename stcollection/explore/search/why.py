"""The explanation of a result, as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from htmltools import Tag, TagList
from shiny import ui

from stcollection.explore.markup import Html, el, join
from stcollection.explore.pieces import table
from stcollection.explore.search.asking import SearchRequest
from stcollection.retrieval.explain import Explanation
from stcollection.texts import later
from stcollection.web.words import n, t

_RANKINGS = {"bm25": "BM25", "document": later("embedding (abstract, or title without one)")}
_MOST_WORDS = 7  # named in a bar
_ABOUT = ("year", "citations", "references", "citations_per_year", "citation_percentile", "age")


def reasons(asked: SearchRequest, why: Explanation) -> TagList:
    """Draw bars of what adds to the score; then fused rankings, words, cosines and measures.

    Parts without data are omitted or labelled as missing.
    """
    readability = {name: value for name, value in why.measures.items() if name not in (*_ABOUT, "id")}
    credibility = {name: value for name, value in why.measures.items() if name in _ABOUT}
    return TagList(
        ui.HTML(_bars(asked, why)),
        _parts(asked, why),
        _words(why),
        table(
            (t("field"), t("cosine with the query")),
            [(one.field, f"{one.cosine:.4f}") for one in why.cosines],
            caption=t("Similarity of embeddings"),
            numbers=(1,),
        )
        if why.cosines
        else None,
        ui.p(ui.strong(t("Nearest passage:"), " "), why.passage) if why.passage else None,
        _pairs(t("Readability"), readability)
        if readability
        else ui.p(t("No readability: run {command}.", command="'stc complexity compute'")),
        _pairs(t("Year and citations"), credibility) if credibility else None,
    )


def _bars(asked: SearchRequest, why: Explanation) -> Html:
    """Draw what adds to the score: for hybrid its rankings, else and also the words of BM25."""
    names = {"bm25": t("BM25 words"), "document": t("embedding")}
    parts = [(names.get(one.ranking, one.ranking), float(one.added)) for one in why.parts] if asked.system == "hybrid" else []
    words = sorted(((str(one.word), float(one.added)) for one in why.words), key=lambda one: (-one[1], one[0]))
    if len(words) > _MOST_WORDS:
        rest = words[_MOST_WORDS - 1 :]
        words = [
            *words[: _MOST_WORDS - 1],
            (n("{count} other word", "{count} other words", len(rest)), sum(added for _, added in rest)),
        ]
    return join(_bar(t("Score"), parts), _bar(t("BM25 words") if parts else t("Words"), words))


def _bar(title: str, parts: Sequence[tuple[str, float]]) -> Html | None:
    """Draw a stacked bar with its numbers. The numbers are in the order of the bar, so colours are not needed to read it."""
    total = sum(max(added, 0) for _, added in parts)
    if not total > 0:
        return None
    pieces = [
        el(
            "span",
            style=f"width:{100 * max(added, 0) / total:.1f}%",
            class_=f"stc-piece stc-piece-{place % 4}",
            title=f"{name}: {added:.2f}",
        )
        for place, (name, added) in enumerate(parts)
    ]
    legend = (
        el("li", el("span", class_=f"stc-key stc-piece-{place % 4}", aria_hidden="true"), f"{name} ", el("strong", f"{added:.2f}"))
        for place, (name, added) in enumerate(parts)
    )
    return el(
        "div",
        el("div", f"{title} ", el("strong", f"{sum(added for _, added in parts):.2f}"), class_="stc-bar-title"),
        el("div", *pieces, class_="stc-bar", aria_hidden="true"),
        el("ul", *legend, class_="stc-legend"),
        class_="stc-bars",
    )


def _parts(asked: SearchRequest, why: Explanation) -> Tag | None:
    if asked.system != "hybrid":
        return None
    if not why.parts:
        return ui.p(t("None of the fused rankings contains this document."))
    names = {name: t(said) for name, said in _RANKINGS.items()}
    rows = [(names.get(one.ranking, one.ranking), one.rank, f"{one.score:.4f}", f"{one.added:.4f}") for one in why.parts]
    total = sum(one.added for one in why.parts)
    return table(
        (t("ranking"), t("rank"), t("score"), t("contribution")),
        [*rows, (t("sum"), None, None, f"{total:.4f}")],
        caption=t("Fused rankings. Contribution: score minus the ranking's lowest score, in standard deviations"),
        numbers=(1, 2, 3),
    )


def _words(why: Explanation) -> Tag | None:
    if not why.words:
        return None
    rows = [(one.word, one.tf, one.df, f"{one.added:.4f}") for one in why.words]
    total = sum(one.added for one in why.words)
    return table(
        (t("word"), t("occurrences"), t("documents with the word"), t("BM25 contribution")),
        [*rows, (t("sum"), None, None, f"{total:.4f}")],
        caption=t("Words of the query in this document"),
        numbers=(1, 2, 3),
    )


def _pairs(heading: str, values: dict[str, float]) -> TagList:
    return TagList(
        ui.h4(heading, class_="h6"),
        ui.tags.dl(
            *(ui.div(ui.tags.dt(name), ui.tags.dd(f"{value:.2f}".removesuffix(".00"))) for name, value in values.items()),
            class_="stc-measures",
        ),
    )
