"""Search results as HTML. Texts are escaped (:mod:`markup`); the database marks the query's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stcollection.explore.markup import Html, el, join
from stcollection.explore.search.asking import JudgedResults, SearchPage, SearchRequest, Shown

_MARKED = re.compile("\ue000(.*?)\ue001", re.DOTALL)


def marked(text: str | None) -> Html:
    """Return a text with <mark> elements instead of U+E000 and U+E001."""
    pieces = _MARKED.split(text or "")
    return join(*(el("mark", piece) if place % 2 else piece for place, piece in enumerate(pieces)))


def results(asked: SearchRequest, found: SearchPage, *, ns: str) -> Html:
    """Draw a page of results. :param ns: prefix of the tab's input names, for search.js."""
    return el(
        "div",
        el("ol", *(_result(row, found.judged.get(row.doc, ())) for row in found.rows), class_="stc-results")
        if found.rows
        else el("p", "No documents found. Try fewer words, another system or no filters."),
        _statement(asked, found.statement),
        data_ns=ns,
        class_="stc-found",
    )


def near(title: str, rows: Sequence[Shown], *, doc: int, field: str, fields: Sequence[str], ns: str) -> Html:
    """Draw the neighbours of a document by one field, with buttons for the other fields."""
    ways = (
        el(
            "button",
            f"By {one}",
            type="button",
            class_="btn btn-sm btn-outline-secondary stc-near",
            data_doc=doc,
            data_field=one,
            aria_pressed="true" if one == field else "false",
        )
        for one in fields
    )
    return el(
        "div",
        el("h2", "Neighbours of ", el("q", title), class_="h5"),
        el("p", *ways, class_="stc-ways"),
        el("ol", *(_result(row, (), of_query=False) for row in rows), class_="stc-results")
        if rows
        else el("p", "No neighbours found."),
        data_ns=ns,
        class_="stc-found",
    )


def _result(row: Shown, judged: Sequence[JudgedResults], *, of_query: bool = True) -> Html:
    heading = f"stc-result-{row.doc}"
    shown = marked(row.title) if row.title else el("em", f"document {row.docno} (no title)")
    why = el(
        "details",
        el("summary", "Why this result", el("span", f", document {row.rank}", class_="visually-hidden")),
        el("div", el("p", "…"), class_="stc-why-body", aria_live="polite"),
        class_="stc-why",
        data_doc=row.doc,
    )
    return el(
        "li",
        el("h3", el("span", f"{row.rank}. ", class_="stc-rank"), shown, id=heading, class_="h6"),
        el("p", join(*_about(row, "score" if of_query else "cosine"), between=" · "), class_="stc-about"),
        el("p", marked(row.snippet), class_="stc-snippet") if row.snippet else None,
        el("p", *map(_badge, judged), class_="stc-judged") if judged else None,
        el(
            "button",
            "Neighbours",
            type="button",
            class_="btn btn-sm btn-outline-secondary stc-near",
            data_doc=row.doc,
            aria_describedby=heading,
        ),
        why if of_query else None,
        class_="stc-result",
        value=row.rank,
    )


def _about(row: Shown, what: str) -> list[str]:
    names = row.authors or []
    authors = ", ".join(names) + (f" and {row.author_count - len(names)} more" if row.author_count > len(names) else "")
    cited = None if row.citations is None else f"{row.citations:,} citation{'s' if row.citations != 1 else ''}"
    parts = [authors, None if row.year is None else str(row.year), row.venue, cited]
    return [*(part for part in parts if part), el("code", row.docno or row.doc), f"{what} {row.score:.4f}"]


def _badge(one: JudgedResults) -> Html:
    colour = "text-bg-success" if one.rel > 0 else "text-bg-secondary"
    by = "" if one.origin == "human" else f", by {one.origin}"
    return el("span", f"{one.edition}: {grade(one.rel)} for {one.query}{by}", class_=f"badge {colour} stc-badge")


def grade(rel: int) -> str:
    """Return a grade in words, so that colour is not the only sign."""
    return f"relevant ({rel})" if rel > 0 else "not relevant (0)" if rel == 0 else f"unjudgeable ({rel})"


def _statement(asked: SearchRequest, statement: str) -> Html:
    note = "Storing the vector of the query for psql …" if asked.dense else None
    return el(
        "details",
        el("summary", "Show SQL"),
        el("p", "Run it in ", el("code", "stc db psql"), " to get the same rows."),
        el("pre", el("code", statement, id="stc-statement"), tabindex=0, role="region", aria_label="SQL statement"),
        el("button", "Copy", type="button", class_="btn btn-sm btn-outline-secondary stc-copy", data_copies="stc-statement"),
        el("div", el("p", note) if note else None, class_="stc-sql-note", aria_live="polite"),
        class_="stc-sql",
    )
