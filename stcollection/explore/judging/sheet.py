"""HTML of the judging tab: one document, and the progress of a sheet. No database access; htmltools escapes texts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence, Set

from htmltools import TagChild
from shiny import ui

from stcollection.explore.judging.work import BlindDocument, OfSheet
from stcollection.explore.pieces import table
from stcollection.qrels.pools import OfQuery, PoolOverview
from stcollection.qrels.sheets import plain

_WORDS = re.compile(r"\w+|\W+")
KEYS = (
    ("Backspace or ←", "go back to the previous document, to review or correct it"),
    ("s", "skip; the document comes back after the others"),
    ("n", "write a note; press Esc to leave the field"),
    ("?", "show or hide this list"),
)


def document(paper: BlindDocument, *, pool: str, grades: Mapping[int, str], serial: int) -> ui.Tag:
    """Draw a document with its judging buttons. The data- attributes identify it; the script sends them with each key.

    :param serial: number of this rendering; keys pressed for an older one are ignored.
    """
    fixed = paper.state == "submitted"
    return ui.tags.article(
        ui.p(
            f"Query {plain(paper.query)}, document {paper.number} of {paper.of}",
            ui.span(f" · {said(paper)}", class_="stc-state") if paper.state != "open" else None,
            class_="text-body-secondary mb-1",
        ),
        ui.p(
            ui.strong(plain(paper.query_text) or plain(paper.query), dir="auto"),
            ui.span(" · ", plain(paper.topic_text), dir="auto", class_="text-body-secondary") if paper.topic_text else None,
            class_="stc-asked",
        ),
        ui.h2(*marked(plain(paper.title) or "(no title)", paper.words), dir="auto", tabindex="-1"),
        ui.p(*marked(plain(paper.abstract) or "(no abstract)", paper.words), dir="auto", class_="stc-abstract"),
        ui.div(
            *(
                ui.tags.button(
                    ui.tags.kbd(str(grade)),
                    " ",
                    plain(meaning),
                    type="button",
                    data_press=str(grade),
                    class_="btn btn-primary" if grade == paper.rel else "btn btn-outline-primary",
                    aria_pressed="true" if grade == paper.rel else "false",
                    disabled="" if fixed else None,
                )
                for grade, meaning in grades.items()
            ),
            ui.tags.button(ui.tags.kbd("←"), " Back", type="button", data_press="back", class_="btn btn-outline-secondary"),
            ui.tags.button(
                ui.tags.kbd("s"),
                " Skip" if paper.rel is None else " Keep grade",
                type="button",
                data_press="skip",
                class_="btn btn-outline-secondary",
            ),
            class_="stc-press",
            role="group",
            aria_label="Your judgment",
        ),
        ui.tags.label(
            "Note ",
            ui.tags.input(
                type="text",
                class_="form-control stc-note",
                value=plain(paper.note),
                maxlength="1000",
                autocomplete="off",
                disabled="" if fixed else None,
            ),
            class_="d-block mt-3",
        ),
        class_="stc-paper",
        aria_label=f"Document {paper.number} of {paper.of}",
        data_pool=pool,
        data_query=paper.query,
        data_token=paper.token,
        data_serial=str(serial),
        data_grades="".join(map(str, grades)),
    )


def said(paper: BlindDocument) -> str:
    """Return the state of a document on its sheet, in words."""
    if paper.state == "submitted":
        return f"submitted with grade {paper.rel}, which can no longer be changed"
    if paper.rel is not None:
        return f"graded {paper.rel}"
    return "skipped before" if paper.state == "skipped" else "not judged yet"


def marked(text: str, words: Set[str]) -> list[TagChild]:
    """Return the text with some words in <mark> elements."""
    return [ui.tags.mark(piece) if piece in words else piece for piece in _WORDS.findall(text)]


def guidance(grades: Mapping[int, str]) -> ui.Tag:
    """Explain the grades and keys."""
    return ui.tags.details(
        ui.tags.summary("Grades and keys"),
        ui.tags.dl(
            *(
                piece
                for key, meaning in (*((str(grade), plain(meaning)) for grade, meaning in grades.items()), *KEYS)
                for piece in (ui.tags.dt(ui.tags.kbd(key)), ui.tags.dd(meaning))
            )
        ),
        ui.p("Judge the text of the document for the query and its topic. Each decision is stored immediately."),
        class_="stc-help",
    )


def how_far(rows: Sequence[OfSheet], *, chosen: str | None) -> ui.Tag:
    """Show progress, in total and by query. :param chosen: the only query being judged; None for all."""
    judged, documents = sum(row.judged for row in rows), sum(row.documents for row in rows)
    skipped = sum(row.skipped for row in rows)
    return ui.div(
        ui.p(f"{judged:,} of {documents:,} documents judged" + (f", {skipped:,} skipped" if skipped else "") + "."),
        ui.tags.progress(value=str(judged), max=str(max(documents, 1)), aria_label=f"{judged} of {documents} documents judged"),
        table(
            ("query", "text", "documents", "judged", "skipped", "open"),
            [
                (
                    plain(row.query),
                    _choose(row, chosen=row.query == chosen),
                    row.documents,
                    row.judged,
                    row.skipped,
                    row.documents - row.judged,
                )
                for row in rows
            ],
            caption="Your progress by query",
            numbers=(2, 3, 4, 5),
        ),
        _button("Judge all queries", None, chosen=chosen is None),
    )


def of_pool(pool: PoolOverview, rows: Sequence[OfQuery]) -> ui.Tag:
    """Show a pool, before an annotator starts to judge it."""
    shares = pool.params.get("shares")
    among = "Every annotator judges the whole pool."
    if shares:
        people, overlap = ", ".join(map(plain, shares["annotators"])), float(shares.get("overlap", 0))
        among = f"Shared among {people}: " + (
            f"{overlap:.0%} of it is judged by two of them." if overlap else "each judges a part."
        )
    return ui.div(
        ui.p(among),
        table(
            ("query", "text", "documents", "judged", "open"),
            [(plain(row.query), plain(row.query_text), row.documents, row.judged, row.documents - row.judged) for row in rows],
            caption=f"Pool {plain(pool.pool)}: judgments of all annotators",
            numbers=(2, 3, 4),
        ),
    )


def _choose(row: OfSheet, *, chosen: bool) -> ui.Tag:
    return _button(plain(row.query_text) or plain(row.query), row.query, chosen=chosen)


def _button(text: str, query: str | None, *, chosen: bool) -> ui.Tag:
    return ui.tags.button(
        text,
        type="button",
        dir="auto",
        class_="btn btn-link btn-sm text-start p-0 stc-choose",
        data_choose=query or "",
        aria_pressed="true" if chosen else "false",
    )


def finished(rows: Sequence[OfSheet], *, pool: str, query: str | None, serial: int) -> ui.Tag:
    """Show that no document is left to judge, and the next step."""
    left = sum(row.documents - row.judged for row in rows if query is None or row.query == query)
    others = sum(row.documents - row.judged for row in rows)
    if left:
        told = f"The remaining {left:,} documents are open in another tab or terminal of yours."
    elif not any(row.documents for row in rows):
        told = "You have no documents to judge in this pool."
    elif others:
        told = f"All documents of query {plain(query)} are judged. {others:,} documents of other queries remain: select one below."
    else:
        told = f"All {sum(row.documents for row in rows):,} documents are judged. Thank you!"
    submit = f"stc qrels pool submit {shlex.quote(pool)} --edition …"
    return ui.div(
        ui.h2("Nothing left to judge here" if left or others else "Done", tabindex="-1"),
        ui.p(told),
        ui.p("Submit the judgments to make them final: ", ui.tags.code(submit)) if not others and not left else None,
        ui.tags.button(ui.tags.kbd("←"), " Back", type="button", data_press="back", class_="btn btn-outline-secondary"),
        class_="stc-paper stc-finished",
        data_pool=pool,
        data_query="",
        data_token="",
        data_serial=str(serial),
        data_grades="",
    )
