"""HTML of the judging tab: one document, and the progress of a sheet. No database access; htmltools escapes texts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence, Set

from htmltools import TagChild
from shiny import ui

from stcollection.explore.judging.work import BlindDocument, OfSheet
from stcollection.explore.pieces import table
from stcollection.explore.words import t
from stcollection.qrels.pools import OfQuery, PoolOverview
from stcollection.qrels.sheets import plain

_WORDS = re.compile(r"\w+|\W+")
KEYS = (
    ("p, ← or Backspace", "go back to the previous document, to review or correct it"),
    ("u", "undo the last decision; press it again to undo the one before"),
    ("c", "cannot decide; the document does not come back"),
    ("s", "skip; the document comes back after the others"),
    ("n", "write a note; press Esc to leave the field"),
    ("?", "show or hide this list"),
)


def document(paper: BlindDocument, *, pool: str, annotator: str, grades: Mapping[int, str], serial: int) -> ui.Tag:
    """Draw a document with its judging buttons. The data- attributes identify it; the script sends them with each key.

    :param serial: number of this rendering; keys pressed for an older one are ignored.
    """
    fixed = paper.state == "submitted"
    return ui.tags.article(
        ui.div(
            ui.p(
                f"Query {plain(paper.query)}, document {paper.number} of {paper.of}",
                ui.span(f" · {said(paper)}", class_="stc-state") if paper.state != "open" else None,
                class_="text-body-secondary mb-1",
            ),
            ui.p(
                ui.strong(plain(paper.query_text) or plain(paper.query), dir="auto"),
                ui.span(" · ", plain(paper.topic_text), dir="auto", class_="text-body-secondary") if paper.topic_text else None,
                class_="mb-0",
            ),
            class_="stc-asked",
        ),
        ui.h2(*marked(plain(paper.title) or "(no title)", paper.words), dir="auto", tabindex="-1"),
        ui.p(*marked(plain(paper.abstract) or "(no abstract)", paper.words), dir="auto", class_="stc-abstract"),
        ui.p(labelled(paper), class_="stc-label", role="note") if paper.label else None,
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
        _buttons(paper, grades, fixed=fixed),
        class_="stc-paper",
        aria_label=f"Document {paper.number} of {paper.of}",
        data_pool=pool,
        data_annotator=annotator,
        data_query=paper.query,
        data_token=paper.token,
        data_seen=paper.changed.isoformat() if paper.changed else "",
        data_serial=str(serial),
        data_grades="".join(map(str, grades)),
    )


def _buttons(paper: BlindDocument, grades: Mapping[int, str], *, fixed: bool) -> ui.Tag:
    """Draw the bar with the buttons. It stays at the bottom of the window, so that no button moves between documents."""
    chosen = "undecided" if paper.state == "undecided" else str(paper.rel)
    outcomes = [(str(grade), str(grade), plain(meaning)) for grade, meaning in grades.items()]
    return ui.div(
        *(
            ui.tags.button(
                ui.tags.kbd(key),
                " ",
                meaning,
                type="button",
                data_press=press,
                class_="btn btn-primary" if press == chosen else "btn btn-outline-primary",
                aria_pressed="true" if press == chosen else "false",
                disabled="" if fixed else None,
            )
            for key, press, meaning in (*outcomes, ("c", "undecided", "cannot decide"))
        ),
        _button_of("s", "Skip" if paper.state in ("open", "skipped") else "Keep", "skip"),
        *_ways_back(),
        class_="stc-press",
        role="group",
        aria_label="Your judgment",
    )


def _ways_back() -> tuple[ui.Tag, ui.Tag]:
    return _button_of("p", "Previous", "back"), _button_of("u", "Undo", "undo")


def _button_of(key: str, text: str, press: str) -> ui.Tag:
    return ui.tags.button(ui.tags.kbd(key), " ", text, type="button", data_press=press, class_="btn btn-outline-secondary")


def said(paper: BlindDocument) -> str:
    """Return the state of a document on its sheet, in words."""
    if paper.state == "submitted":
        return f"submitted with grade {paper.rel}, which can no longer be changed"
    if paper.rel is not None:
        return f"graded {paper.rel}"
    return {"skipped": "skipped before", "undecided": "you could not decide"}.get(paper.state, "not judged yet")


def labelled(paper: BlindDocument) -> str:
    """Return the label of a language model in words; '' if none is shown."""
    label = paper.label
    return t("Label of a language model ({judge}): {grade}", judge=plain(label.judge), grade=label.rel) if label else ""


def marked(text: str, words: Set[str]) -> list[TagChild]:
    """Return the text with some words in <mark> elements."""
    return [ui.tags.mark(piece) if piece in words else piece for piece in _WORDS.findall(text)]


def guidance(text: str, grades: Mapping[int, str]) -> ui.TagList:
    """Show the guidelines, the grades and the keys, which stay next to the document. :param text: shown as it is written."""
    lines = map(plain, text.split("\n"))
    return ui.TagList(
        ui.tags.details(
            ui.tags.summary("Guidelines"),
            ui.div("\n".join(lines), dir="auto", class_="stc-guidelines"),
            open="",
            class_="stc-guide",
        ),
        ui.tags.details(
            ui.tags.summary("Grades and keys"),
            ui.tags.dl(
                *(
                    piece
                    for key, meaning in (*((str(grade), plain(meaning)) for grade, meaning in grades.items()), *KEYS)
                    for piece in (ui.tags.dt(ui.tags.kbd(key)), ui.tags.dd(meaning))
                )
            ),
            ui.p(
                "Each decision is stored immediately. If the connection is lost, the browser keeps decisions and sends them later."
            ),
            class_="stc-help",
        ),
    )


def pace(rows: Sequence[OfSheet], seconds: float | None) -> ui.Tag:
    """Show progress and speed. :param seconds: mean time of a decision."""
    judged, documents = sum(row.judged for row in rows), sum(row.documents for row in rows)
    left, undecided = sum(row.open for row in rows), sum(row.undecided for row in rows)
    skipped = sum(row.skipped for row in rows)
    said = [f"{judged:,} of {documents:,} documents judged"]
    said += [f"{undecided:,} cannot be decided"] if undecided else []
    said += [f"{skipped:,} skipped"] if skipped else []
    speed = f" {3600 / seconds:,.0f} an hour" if seconds and seconds >= 1 else ""
    speed += f"; about {_duration(left * seconds)} left." if seconds and speed and left else "." if speed else ""
    return ui.div(
        ui.p(f"{', '.join(said)}.{speed}", class_="mb-1"),
        ui.tags.progress(value=str(judged), max=str(max(documents, 1)), aria_label=f"{judged} of {documents} documents judged"),
        class_="stc-pace",
    )


def _duration(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return f"{minutes} minute{'s' if minutes > 1 else ''}" if minutes < 100 else f"{minutes / 60:.1f} hours"


def how_far(rows: Sequence[OfSheet], *, chosen: str | None) -> ui.Tag:
    """Show progress by query. :param chosen: the only query being judged; None for all."""
    return ui.div(
        table(
            ("query", "text", "documents", "judged", "cannot decide", "skipped", "open"),
            [
                (
                    plain(row.query),
                    _choose(row, chosen=row.query == chosen),
                    row.documents,
                    row.judged,
                    row.undecided,
                    row.skipped,
                    row.open,
                )
                for row in rows
            ],
            caption="Your progress by query",
            numbers=(2, 3, 4, 5, 6),
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


def simulated(pools: Sequence[PoolOverview]) -> ui.Tag | None:
    """Name the pools whose grades are invented; None if there are none."""
    names = [f"{plain(one.pool)} ({', '.join(map(plain, one.annotators))})" for one in pools if one.simulated]
    return ui.p(f"Simulated grades: pool {'; '.join(names)}.", role="note", class_="text-body-secondary small") if names else None


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
    left = sum(row.open for row in rows if query is None or row.query == query)
    others = sum(row.open for row in rows)
    undecided = sum(row.undecided for row in rows)
    if left:
        told = f"The remaining {left:,} documents are open in another tab or terminal of yours."
    elif not any(row.documents for row in rows):
        told = "You have no documents to judge in this pool."
    elif others:
        told = f"All documents of query {plain(query)} are judged. {others:,} documents of other queries remain: select one below."
    else:
        told = f"All {sum(row.documents for row in rows):,} documents are judged. Thank you!"
        told += f" {undecided:,} of them could not be decided." if undecided else ""
    submit = f"stc qrels pool submit {shlex.quote(pool)} --edition …"
    return ui.div(
        ui.h2("Nothing left to judge here" if left or others else "Done", tabindex="-1"),
        ui.p(told),
        ui.p("Submit the judgments to make them final: ", ui.tags.code(submit)) if not others and not left else None,
        ui.div(*_ways_back(), class_="stc-press", role="group", aria_label="Earlier documents"),
        class_="stc-paper stc-finished",
        data_pool=pool,
        data_query="",
        data_token="",
        data_serial=str(serial),
        data_grades="",
    )
