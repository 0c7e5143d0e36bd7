"""What a search found, as HTML. Texts are escaped by htmltools; marks are put where the database said, never taken from a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from htmltools import Tag, TagList
from shiny import ui

from stcollection.explore.search_asking import Asked, Found, Judged, Shown

_MARKED = re.compile("\ue000(.*?)\ue001", re.DOTALL)
_AUTHORS = 6


def marked(text: str | None) -> TagList:
    """A text with <mark> around what stands between U+E000 and U+E001."""
    pieces = _MARKED.split(text or "")
    return TagList(*(ui.tags.mark(piece) if place % 2 else piece for place, piece in enumerate(pieces) if piece))


def results(asked: Asked, found: Found, *, ns: str) -> Tag:
    """The page of a search. :param ns: of the tab's inputs, as search.js wants it."""
    return ui.div(
        ui.tags.ol(*(_result(row, found.judged.get(row.doc, ())) for row in found.rows), class_="stc-results")
        if found.rows
        else ui.p("No document has it. Fewer words, another system or no filter may find more."),
        _statement(asked, found.statement, ns=ns),
        data_ns=ns,
        class_="stc-found",
    )


def near(title: str, rows: Sequence[Shown], *, ns: str) -> Tag:
    """The neighbours of a document."""
    return ui.div(
        ui.h2("Neighbours of ", ui.tags.q(title), class_="h5"),
        ui.tags.ol(*(_result(row, (), of_query=False) for row in rows), class_="stc-results") if rows else ui.p("There are none."),
        data_ns=ns,
        class_="stc-found",
    )


def _result(row: Shown, judged: Sequence[Judged], *, of_query: bool = True) -> Tag:
    heading = f"stc-result-{row.doc}"
    shown = marked(row.title) if row.title else ui.tags.em(f"document {row.docno}, without a title")
    score = ui.tags.span("score " if of_query else "cosine ", f"{row.score:.4f}", class_="stc-score")
    more = (
        ui.tags.details(
            ui.tags.summary("Why it is there", ui.span(f", document {row.rank}", class_="visually-hidden")),
            ui.div(ui.p("…"), class_="stc-why-body", aria_live="polite"),
            class_="stc-why",
            data_doc=str(row.doc),
        )
        if of_query
        else None
    )
    return ui.tags.li(
        ui.h3(ui.span(f"{row.rank}. ", class_="stc-rank"), shown, id=heading, class_="h6"),
        ui.p(TagList(*_joined(_about(row), " · ")), " · ", score, class_="stc-about"),
        ui.p(marked(row.snippet), class_="stc-snippet") if row.snippet else None,
        ui.p(*(_badge(one) for one in judged), class_="stc-judged") if judged else None,
        ui.tags.button(
            "Neighbours", type="button", class_="btn btn-sm btn-outline-secondary stc-near", data_doc=str(row.doc),
            aria_describedby=heading,
        ),
        more,
        class_="stc-result",
        value=str(row.rank),
    )  # fmt: skip


def _about(row: Shown) -> list[str | Tag]:
    names = row.authors or []
    authors = ", ".join(names) + (f" and {row.author_count - _AUTHORS} more" if row.author_count > _AUTHORS else "")
    cited = None if row.citations is None else f"{row.citations:,} citation{'s' if row.citations != 1 else ''}"
    parts: list[str | None] = [authors, None if row.year is None else str(row.year), row.venue, cited]
    return [*(part for part in parts if part), ui.tags.code(row.docno or str(row.doc))]


def _joined(parts: Sequence[str | Tag], between: str) -> list[str | Tag]:
    return [one for place, part in enumerate(parts) for one in ([between, part] if place else [part])]


def _badge(one: Judged) -> Tag:
    colour = "text-bg-success" if one.rel > 0 else "text-bg-secondary"
    return ui.tags.span(
        f"{one.edition}: {grade(one.rel)} for {one.query}" + ("" if one.origin == "human" else f", by {one.origin}"),
        class_=f"badge {colour} stc-badge",
    )


def grade(rel: int) -> str:
    """A grade in words: it is not told by colour alone."""
    return f"relevant ({rel})" if rel > 0 else "not relevant (0)" if rel == 0 else f"unjudgeable ({rel})"


def _statement(asked: Asked, statement: str, *, ns: str) -> Tag:
    return ui.tags.details(
        ui.tags.summary("The SQL behind this page"),
        ui.p("Copy it into ", ui.tags.code("stc db psql"), ": it gives the same rows."),
        ui.tags.pre(ui.tags.code(statement, id="stc-statement"), tabindex="0", aria_label="SQL statement"),
        ui.tags.button("Copy", type="button", class_="btn btn-sm btn-outline-secondary stc-copy", data_copies="stc-statement"),
        ui.div(
            ui.p("It ranks by the vector of the query, which is being remembered for it …") if asked.dense else None,
            class_="stc-sql-note", aria_live="polite",
        ),
        class_="stc-sql",
    )  # fmt: skip
