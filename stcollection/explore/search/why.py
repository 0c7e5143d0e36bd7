"""The explanation of a result, as HTML."""

from __future__ import annotations

from htmltools import Tag, TagList
from shiny import ui

from stcollection.explore.pieces import table
from stcollection.explore.search.asking import SearchRequest, Why
from stcollection.explore.search.results import marked

_RANKINGS = {"bm25": "BM25", "document": "embedding (abstract, or title without one)"}
_ABOUT = ("year", "citations", "references", "citations_per_year", "citation_percentile", "age")


def reasons(asked: SearchRequest, why: Why) -> TagList:
    """Draw fused rankings, words, cosines, abstract and measures. Parts without data are omitted or labelled as missing."""
    readability = {name: value for name, value in why.measures.items() if name not in (*_ABOUT, "id")}
    credibility = {name: value for name, value in why.measures.items() if name in _ABOUT}
    return TagList(
        _parts(asked, why),
        _words(why),
        table(
            ("field", "cosine with the query"),
            [(one.field, f"{one.cosine:.4f}") for one in why.cosines],
            caption="Similarity of embeddings",
            numbers=(1,),
        )
        if why.cosines
        else None,
        ui.p(ui.strong("Nearest passage: "), why.passage) if why.passage else None,
        ui.h4("Abstract", class_="h6"),
        ui.p(ui.HTML(marked(why.abstract))) if why.abstract else ui.p("This document has no abstract."),
        _pairs("Readability", readability) if readability else ui.p("No readability: run 'stc complexity compute'."),
        _pairs("Year and citations", credibility) if credibility else None,
    )


def _parts(asked: SearchRequest, why: Why) -> Tag | None:
    if asked.system != "hybrid":
        return None
    if not why.parts:
        return ui.p("None of the fused rankings contains this document.")
    rows = [(_RANKINGS.get(one.ranking, one.ranking), one.rank, f"{one.score:.4f}", f"{one.added:.4f}") for one in why.parts]
    total = sum(one.added for one in why.parts)
    return table(
        ("ranking", "rank", "score", "contribution"),
        [*rows, ("sum", None, None, f"{total:.4f}")],
        caption="Fused rankings. Contribution: score minus the ranking's lowest score, in standard deviations",
        numbers=(1, 2, 3),
    )


def _words(why: Why) -> Tag | None:
    if not why.words:
        return None
    rows = [(one.word, one.tf, one.df, f"{one.added:.4f}") for one in why.words]
    total = sum(one.added for one in why.words)
    return table(
        ("word", "occurrences", "documents with the word", "BM25 contribution"),
        [*rows, ("sum", None, None, f"{total:.4f}")],
        caption="Words of the query in this document",
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
