"""Search results as HTML. Texts are escaped (:mod:`markup`); the database marks the query's words."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from stcollection.explore.marks import MARKED
from stcollection.explore.markup import Html, el, join
from stcollection.explore.search.asking import JudgedResults, SearchPage, SearchRequest, Shown
from stcollection.io.bibliography import source_link
from stcollection.texts import later
from stcollection.web.words import n, t, woven

_AUTHORS = 3  # named on a result
_BY = {
    "title": later("By title"), "abstract": later("By abstract"), "content": later("By content"),
}  # fmt: skip


def marked(text: str | None) -> Html:
    """Return a text with <mark> elements instead of U+E000 and U+E001."""
    pieces = MARKED.split(text or "")
    return join(*(el("mark", piece) if place % 2 else piece for place, piece in enumerate(pieces)))


def results(asked: SearchRequest, found: SearchPage, *, ns: str) -> Html:
    """Draw a page of results. :param ns: prefix of the tab's input names, for search.js."""
    return el(
        "div",
        el("ol", *(_result(row, found.judged.get(row.doc, ()), asked) for row in found.rows), class_="stc-results")
        if found.rows
        else el("p", t("No documents found. Try fewer words, another system or no filters.")),
        statement(asked, found.statement),
        data_ns=ns,
        class_="stc-found",
    )


def near(title: str, rows: Sequence[Shown], *, doc: int, field: str, fields: Sequence[str], ns: str) -> Html:
    """Draw the neighbours of a document by one field, with buttons for the other fields."""
    ways = (
        el(
            "button",
            t(_BY[one]) if one in _BY else t("By {field}", field=one),
            type="button",
            class_="stc-way stc-near",
            data_doc=doc,
            data_field=one,
            aria_pressed="true" if one == field else "false",
        )
        for one in fields
    )
    return el(
        "div",
        el("h2", *woven("Neighbours of {title}", title=el("q", title)), class_="h5"),
        el("p", *ways, class_="stc-ways"),
        el("ol", *(_result(row, (), None) for row in rows), class_="stc-results") if rows else el("p", t("No neighbours found.")),
        data_ns=ns,
        class_="stc-found",
    )


def like(title: str, rows: Sequence[Shown], *, ns: str) -> Html:
    """Draw the documents most like an article."""
    return el(
        "div",
        el("h2", *woven("Documents like the article {title}", title=el("q", title)), class_="h5"),
        el("ol", *(_result(row, (), None, fused=True) for row in rows), class_="stc-results")
        if rows
        else el("p", t("No documents found. Try fewer words, another system or no filters.")),
        data_ns=ns,
        class_="stc-found",
    )


def _result(row: Shown, judged: Sequence[JudgedResults], asked: SearchRequest | None, *, fused: bool = False) -> Html:
    """Draw a document. :param asked: the search; None if nothing explains the result. :param fused: its score is no cosine."""
    heading = f"stc-result-{row.doc}"
    title = marked(row.title) if row.title else el("em", t("document {name} (no title)", name=row.docno))
    explained = (("why", t("Why")),) if asked else ()
    ways = (("abstract", t("Abstract")), *explained, ("near", t("Like this")), ("cite", t("Cite")))
    return el(
        "li",
        el(
            "div",
            el("h3", el("span", f"{row.rank}. ", class_="stc-rank"), title, id=heading),
            el("div", *(_button(row.doc, name, text, heading) for name, text in ways), class_="stc-ways"),
            class_="stc-line",
        ),
        el("p", join(*_about(row, asked, fused=fused), between=" · "), class_="stc-about"),
        el("p", *map(_badge, judged), marked(row.snippet), class_="stc-snippet") if judged or row.snippet else None,
        el("div", class_="stc-panel", id=f"stc-panel-{row.doc}", data_doc=row.doc, hidden="hidden", aria_live="polite"),
        class_="stc-result",
        value=row.rank,
    )


def _button(doc: int, name: str, text: str, heading: str) -> Html:
    """Draw a button of a result; all but 'Like this' open the panel below it."""
    opens = {} if name == "near" else {"aria_expanded": "false", "aria_controls": f"stc-panel-{doc}"}
    return el(
        "button",
        text,
        type="button",
        class_="stc-way stc-near" if name == "near" else "stc-way stc-reveal",
        data_doc=doc,
        data_what=name,
        aria_describedby=heading,
        **opens,
    )


def _about(row: Shown, asked: SearchRequest | None, *, fused: bool) -> list[str]:
    """Return authors, year, venue, citations, name and score of a document."""
    names = row.authors or []
    authors = join(*(_author(name, asked) for name in names[:_AUTHORS]), between=", ")
    more = row.author_count - min(len(names), _AUTHORS)
    cited = None if row.citations is None else n("{count:,} citation", "{count:,} citations", row.citations)
    parts = [
        join(authors, " " + t("and {count} more", count=more) if more > 0 else None) if names else None,
        None if row.year is None else str(row.year),
        el("span", row.venue, class_="stc-venue") if row.venue else None,
        cited,
    ]
    name = el("code", row.docno or row.doc)
    link = source_link(row.doi, row.url)
    if link:
        name = el("a", name, href=link, target="_blank", rel="noopener noreferrer", title=link)
    score = t("score {value:.4f}", value=row.score) if asked or fused else t("cosine {value:.4f}", value=row.score)
    return [*(part for part in parts if part), name, score]


def _author(name: str, asked: SearchRequest | None) -> Html | str:
    """Draw an author as a link to their documents for the query."""
    if asked is None:
        return name
    address = urlencode({"tab": "search", "q": asked.text, "system": asked.system, "author": name})
    return el("a", name, href=f"?{address}", class_="stc-author", data_facet="author", data_value=name)


def _badge(one: JudgedResults) -> Html:
    colour = "text-bg-success" if one.rel > 0 else "text-bg-secondary"
    by = "" if one.origin == "human" else t(", by {origin}", origin=one.origin)
    told = t("{edition}: {grade} for {query}", edition=one.edition, grade=grade(one.rel), query=one.query)
    return el("span", told + by, class_=f"badge {colour} stc-badge")


def grade(rel: int) -> str:
    """Return a grade in words, so that colour is not the only sign."""
    if rel > 0:
        return t("relevant ({grade})", grade=rel)
    return t("not relevant (0)") if rel == 0 else t("unjudgeable ({grade})", grade=rel)


def statement(asked: SearchRequest, text: str) -> Html:
    """Draw the SQL of a search, folded."""
    note = t("Storing the vector of the query for psql …") if asked.dense else None
    return el(
        "details",
        el("summary", t("Show SQL")),
        el("p", *woven("Run it in {command} to get the same rows.", command=el("code", "stc psql"))),
        el("pre", el("code", text, id="stc-statement"), tabindex=0, role="region", aria_label=t("SQL statement")),
        el("button", t("Copy"), type="button", class_="stc-way stc-copy", data_copies="stc-statement"),
        el("div", el("p", note) if note else None, class_="stc-sql-note", aria_live="polite"),
        class_="stc-sql stc-statement",
    )
