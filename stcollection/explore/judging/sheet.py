"""How the judging tab shows one document, and how far a sheet is. Texts are escaped by htmltools; the database is not asked."""

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
    ("Backspace or ←", "back to the one before, to see and correct it"),
    ("s", "skip; it comes back when the others are judged"),
    ("n", "write a note; Esc leaves the field"),
    ("?", "these keys"),
)


def document(paper: BlindDocument, *, pool: str, grades: Mapping[int, str], serial: int) -> ui.Tag:
    """A document with the buttons to judge it. The data- attributes say which one a key is about; the script sends them with it.

    :param serial: of the drawing; keys for an older one are not taken.
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
                " Skip" if paper.rel is None else " Leave as it is",
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
    """What is on the sheet of it."""
    if paper.state == "submitted":
        return f"submitted as {paper.rel}; it can no longer be changed"
    if paper.rel is not None:
        return f"graded {paper.rel}"
    return "skipped before" if paper.state == "skipped" else "not judged yet"


def marked(text: str, words: Set[str]) -> list[TagChild]:
    """A text with some words set off."""
    return [ui.tags.mark(piece) if piece in words else piece for piece in _WORDS.findall(text)]


def guidance(grades: Mapping[int, str]) -> ui.Tag:
    """What grades and keys mean."""
    return ui.tags.details(
        ui.tags.summary("Grades and keys"),
        ui.tags.dl(
            *(
                piece
                for key, meaning in (*((str(grade), plain(meaning)) for grade, meaning in grades.items()), *KEYS)
                for piece in (ui.tags.dt(ui.tags.kbd(key)), ui.tags.dd(meaning))
            )
        ),
        ui.p("Judge what the document says, for the query and its topic. Each decision is stored as you make it."),
        class_="stc-help",
    )


def how_far(rows: Sequence[OfSheet], *, chosen: str | None) -> ui.Tag:
    """Progress in all and query by query. :param chosen: the query that is being judged alone."""
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
            caption="Your sheet, query by query",
            numbers=(2, 3, 4, 5),
        ),
        _button("All queries, one after another", None, chosen=chosen is None),
    )


def of_pool(pool: PoolOverview, rows: Sequence[OfQuery]) -> ui.Tag:
    """A pool, before it is said who judges it."""
    shares = pool.params.get("shares")
    among = "Everybody who judges it gets all of it."
    if shares:
        people, overlap = ", ".join(map(plain, shares["annotators"])), float(shares.get("overlap", 0))
        among = f"It is shared among {people}; " + (f"{overlap:.0%} of it go to two of them." if overlap else "each gets a part.")
    return ui.div(
        ui.p(among),
        table(
            ("query", "text", "documents", "judged", "open"),
            [(plain(row.query), plain(row.query_text), row.documents, row.judged, row.documents - row.judged) for row in rows],
            caption=f"The pool {plain(pool.pool)}, judged by anyone",
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
    """That nothing is left to be judged here, and what then."""
    left = sum(row.documents - row.judged for row in rows if query is None or row.query == query)
    others = sum(row.documents - row.judged for row in rows)
    if left:
        told = f"The {left:,} documents that are left are open in another tab or terminal of yours."
    elif not any(row.documents for row in rows):
        told = "There is nothing for you to judge in this pool."
    elif others:
        told = f"All documents of the query {plain(query)} are judged. {others:,} of other queries are left: choose one below."
    else:
        told = f"All {sum(row.documents for row in rows):,} documents are judged. Thank you!"
    submit = f"stc qrels pool submit {shlex.quote(pool)} --edition …"
    return ui.div(
        ui.h2("Nothing more to judge here" if left or others else "Done", tabindex="-1"),
        ui.p(told),
        ui.p("What is judged can be submitted, and then stays: ", ui.tags.code(submit)) if not others and not left else None,
        ui.tags.button(ui.tags.kbd("←"), " Back", type="button", data_press="back", class_="btn btn-outline-secondary"),
        class_="stc-paper stc-finished",
        data_pool=pool,
        data_query="",
        data_token="",
        data_serial=str(serial),
        data_grades="",
    )
