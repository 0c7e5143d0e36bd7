"""Why a document stands where it does, as HTML."""

from __future__ import annotations

from htmltools import Tag, TagList
from shiny import ui

from stcollection.explore.pieces import table
from stcollection.explore.search.asking import SearchRequest, Why
from stcollection.explore.search.results import marked

_RANKINGS = {"bm25": "BM25", "document": "embedding (abstract, or title without one)"}
_ABOUT = ("year", "citations", "references", "citations_per_year", "citation_percentile", "age")


def reasons(asked: SearchRequest, why: Why) -> TagList:
    """Its parts with ranks and scores, words, cosines, its abstract and its measures; what is not there is left out or said."""
    readability = {name: value for name, value in why.measures.items() if name not in (*_ABOUT, "id")}
    credibility = {name: value for name, value in why.measures.items() if name in _ABOUT}
    return TagList(
        _parts(asked, why),
        _words(why),
        table(
            ("field", "cosine with the query"),
            [(one.field, f"{one.cosine:.4f}") for one in why.cosines],
            caption="By embeddings",
            numbers=(1,),
        )
        if why.cosines
        else None,
        ui.p(ui.strong("Nearest passage: "), why.passage) if why.passage else None,
        ui.h4("Abstract", class_="h6"),
        ui.p(ui.HTML(marked(why.abstract))) if why.abstract else ui.p("There is none."),
        _pairs("Readability", readability) if readability else ui.p("Its readability is not computed: stc complexity compute."),
        _pairs("Year and citations", credibility) if credibility else None,
    )


def _parts(asked: SearchRequest, why: Why) -> Tag | None:
    if asked.system != "hybrid":
        return None
    if not why.parts:
        return ui.p("It is in none of the fused rankings.")
    rows = [(_RANKINGS.get(one.ranking, one.ranking), one.rank, f"{one.score:.4f}", f"{one.added:.4f}") for one in why.parts]
    total = sum(one.added for one in why.parts)
    return table(
        ("ranking", "rank there", "score there", "adds"),
        [*rows, ("sum", None, None, f"{total:.4f}")],
        caption="The rankings that are fused: each adds its score above its lowest, in standard deviations",
        numbers=(1, 2, 3),
    )


def _words(why: Why) -> Tag | None:
    if not why.words:
        return None
    rows = [(one.word, one.tf, one.df, f"{one.added:.4f}") for one in why.words]
    total = sum(one.added for one in why.words)
    return table(
        ("word", "times in it", "documents with it", "adds to BM25"),
        [*rows, ("sum", None, None, f"{total:.4f}")],
        caption="Words of the query that it holds",
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
