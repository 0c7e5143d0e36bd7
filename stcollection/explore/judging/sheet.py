"""HTML of the judging tab: one document, and the progress of a sheet. No database access; htmltools escapes texts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence, Set

from htmltools import TagChild
from shiny import ui

from stcollection.explore.pieces import table
from stcollection.qrels.judging import BlindDocument, OfSheet
from stcollection.qrels.pools import OfQuery, PoolOverview
from stcollection.qrels.sheets import plain
from stcollection.texts import later
from stcollection.topics.sets import ALL
from stcollection.web.words import meant, n, t

_WORDS = re.compile(r"\w+|\W+")
_MAKE = "stc pool make first --depth 10"
SHORT_ARTICLE = 600  # characters that are shown at once
KEYS = (
    (later("p, ← or Backspace"), later("go back to the previous document, to review or correct it")),
    ("u", later("undo the last decision; press it again to undo the one before")),
    ("c", later("cannot decide; the document does not come back")),
    ("s", later("skip; the document comes back after the others")),
    ("n", later("write a note; press Esc to leave the field")),
    ("?", later("show or hide this list")),
)
_SCALE = {0: later("not relevant"), 1: later("relevant"), 2: later("very relevant")}  # the default of sql/qrels/make_pool.sql
_STATES = {"skipped": later("skipped before"), "undecided": later("you could not decide")}


def scale(grades: Mapping[int, str]) -> dict[int, str]:
    """Return the grades of a pool with their meanings. Those of the default scale are in the reader's language."""
    return {grade: t(meaning) if meaning == _SCALE.get(grade) else meaning for grade, meaning in grades.items()}


def entry(pools: Sequence[PoolOverview], *, pool: str, annotator: str) -> ui.Tag:
    """Draw the form that starts judging. :param pool: the selected one. :param annotator: the name in its field."""
    names = {
        one.pool: n("{pool}, {count:,} document", "{pool}, {count:,} documents", one.documents, pool=plain(one.pool))
        for one in pools
    }
    return ui.tags.form(
        ui.input_select("pool", t("Pool"), names, selected=pool),
        ui.input_text("annotator", t("Your name"), value=annotator),
        ui.tags.button(t("Start"), type="submit", class_="btn btn-primary"),
        class_="stc-begin",
    )


def no_pools() -> ui.Tag:
    """Show how to make the first pool."""
    return ui.div(
        ui.p(t("No pools yet. A pool contains documents of runs to be judged. Create one, then reload this page:")),
        ui.pre(ui.tags.code(_MAKE)),
    )


def document(paper: BlindDocument, *, pool: str, annotator: str, grades: Mapping[int, str], serial: int) -> ui.Tag:
    """Draw a document with its judging buttons. The data- attributes identify it; the script sends them with each key.

    :param serial: number of this rendering; keys pressed for an older one are ignored.
    """
    fixed = paper.state == "submitted"
    return ui.tags.article(
        ui.div(
            ui.p(
                t("Query {query}, document {number} of {of}", query=plain(paper.query), number=paper.number, of=paper.of),
                ui.span(f" · {said(paper)}", class_="stc-state") if paper.state != "open" else None,
                class_="text-body-secondary mb-1",
            ),
            query_line(paper),
            class_="stc-asked",
        ),
        article(paper),
        ui.h2(*marked(plain(paper.title) or t("(no title)"), paper.words), dir="auto", tabindex="-1"),
        ui.p(*marked(plain(paper.abstract) or t("(no abstract)"), paper.words), dir="auto", class_="stc-abstract"),
        ui.p(labelled(paper), class_="stc-label", role="note") if paper.label else None,
        ui.tags.label(
            meant("Note", "of an assessor") + " ",
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
        aria_label=t("Document {number} of {of}", number=paper.number, of=paper.of),
        data_pool=pool,
        data_annotator=annotator,
        data_query=paper.query,
        data_token=paper.token,
        data_seen=paper.changed.isoformat() if paper.changed else "",
        data_serial=str(serial),
        data_grades="".join(map(str, grades)),
    )


def query_line(paper: BlindDocument) -> ui.Tag:
    """Draw the query and the title of the article it comes from."""
    title = plain(paper.article_title)
    return ui.p(
        ui.strong(plain(paper.query_text) or plain(paper.query), dir="auto"),
        ui.span(" · ", title, dir="auto", class_="text-body-secondary") if title else None,
        class_="mb-0",
    )


def article(paper: BlindDocument) -> ui.Tag | None:
    """Draw the article that the topic comes from, collapsed if it is long; None without one."""
    if not paper.article:
        return None
    return ui.tags.details(
        ui.tags.summary(t("Article")),
        *article_text(paper.article_origin, paper.article),
        open="" if len(paper.article) <= SHORT_ARTICLE else None,
        class_="stc-article",
    )


def article_text(origin: str | None, text: str) -> list[ui.Tag]:
    """Draw the origin of an article and its paragraphs."""
    shown = [ui.p(plain(origin), class_="text-body-secondary small mb-1")] if origin else []
    return shown + [ui.p(plain(paragraph), dir="auto") for paragraph in text.split("\n\n") if plain(paragraph)]


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
            for key, press, meaning in (*outcomes, ("c", "undecided", t("cannot decide")))
        ),
        _button_of("s", t("Skip") if paper.state in ("open", "skipped") else t("Keep"), "skip"),
        *_ways_back(),
        class_="stc-press",
        role="group",
        aria_label=t("Your judgment"),
    )


def _ways_back() -> tuple[ui.Tag, ui.Tag]:
    return _button_of("p", t("Previous"), "back"), _button_of("u", t("Undo"), "undo")


def _button_of(key: str, text: str, press: str) -> ui.Tag:
    return ui.tags.button(ui.tags.kbd(key), " ", text, type="button", data_press=press, class_="btn btn-outline-secondary")


def said(paper: BlindDocument) -> str:
    """Return the state of a document on its sheet, in words."""
    if paper.state == "submitted":
        return t("submitted with grade {grade}, which can no longer be changed", grade=paper.rel)
    if paper.rel is not None:
        return t("graded {grade}", grade=paper.rel)
    return t(_STATES[paper.state]) if paper.state in _STATES else t("not judged yet")


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
            ui.tags.summary(t("Guidelines")),
            ui.div("\n".join(lines), dir="auto", class_="stc-guidelines"),
            open="",
            class_="stc-guide",
        ),
        ui.tags.details(
            ui.tags.summary(t("Grades and keys")),
            ui.tags.dl(
                *(
                    piece
                    for key, meaning in (
                        *((str(grade), plain(meaning)) for grade, meaning in grades.items()),
                        *((t(key), t(meaning)) for key, meaning in KEYS),
                    )
                    for piece in (ui.tags.dt(ui.tags.kbd(key)), ui.tags.dd(meaning))
                )
            ),
            ui.p(
                t(
                    "Each decision is stored immediately. If the connection is lost, the browser keeps decisions and sends them "
                    "later."
                )
            ),
            class_="stc-help",
        ),
    )


def pace(rows: Sequence[OfSheet], seconds: float | None) -> ui.Tag:
    """Show progress and speed. :param seconds: mean time of a decision."""
    judged, documents = sum(row.judged for row in rows), sum(row.documents for row in rows)
    left, undecided = sum(row.open for row in rows), sum(row.undecided for row in rows)
    skipped = sum(row.skipped for row in rows)
    done = n("{judged:,} of {count:,} document judged", "{judged:,} of {count:,} documents judged", documents, judged=judged)
    said = [done]
    said += [t("{count:,} cannot be decided", count=undecided)] if undecided else []
    said += [t("{count:,} skipped", count=skipped)] if skipped else []
    return ui.div(
        ui.p(f"{', '.join(said)}.{_speed(seconds, left)}", class_="mb-1"),
        ui.tags.progress(
            value=str(judged),
            max=str(max(documents, 1)),
            aria_label=done,
        ),
        class_="stc-pace",
    )


def _speed(seconds: float | None, left: int) -> str:
    if not seconds or seconds < 1:
        return ""
    speed = 3600 / seconds
    if not left:
        return " " + t("{speed:,.0f} an hour.", speed=speed)
    return " " + t("{speed:,.0f} an hour; about {duration} left.", speed=speed, duration=_duration(left * seconds))


def _duration(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return n("{count} minute", "{count} minutes", minutes) if minutes < 100 else t("{hours:.1f} hours", hours=minutes / 60)


def how_far(rows: Sequence[OfSheet], *, chosen: str | None) -> ui.Tag:
    """Show progress by query. :param chosen: the only query being judged; None for all."""
    return ui.div(
        table(
            (t("query"), t("text"), t("documents"), t("judged"), t("cannot decide"), t("skipped"), meant("open", "documents")),
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
            caption=t("Your progress by query"),
            numbers=(2, 3, 4, 5, 6),
        ),
        _button(t("Judge all queries"), None, chosen=chosen is None),
    )


def of_pool(pool: PoolOverview, rows: Sequence[OfQuery]) -> ui.Tag:
    """Show a pool, before an annotator starts to judge it."""
    shares = pool.params.get("shares")
    among = t("Every annotator judges the whole pool.")
    if shares:
        people, overlap = ", ".join(map(plain, shares["annotators"])), float(shares.get("overlap", 0))
        among = (
            t("Shared among {people}: {overlap:.0%} of it is judged by two of them.", people=people, overlap=overlap)
            if overlap
            else t("Shared among {people}: each judges a part.", people=people)
        )
    return ui.div(
        ui.p(among),
        table(
            (t("query"), t("text"), t("documents"), t("judged"), meant("open", "documents")),
            [(plain(row.query), plain(row.query_text), row.documents, row.judged, row.documents - row.judged) for row in rows],
            caption=t("Pool {pool}: judgments of all annotators", pool=plain(pool.pool)),
            numbers=(2, 3, 4),
        ),
    )


def simulated(pools: Sequence[PoolOverview]) -> ui.Tag | None:
    """Name the pools whose grades are invented; None if there are none."""
    names = [f"{plain(one.pool)} ({', '.join(map(plain, one.annotators))})" for one in pools if one.simulated]
    if not names:
        return None
    return ui.p(t("Simulated grades: pool {pools}.", pools="; ".join(names)), role="note", class_="text-body-secondary small")


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


def finished(rows: Sequence[OfSheet], *, pool: str, query: str | None, serial: int, queries: str = ALL) -> ui.Tag:
    """Show that no document is left to judge, and the next step. :param queries: the set of queries that is judged."""
    left = sum(row.open for row in rows if query is None or row.query == query)
    others = sum(row.open for row in rows)
    undecided = sum(row.undecided for row in rows)
    if left:
        told = n(
            "The remaining document is open in another tab or terminal of yours.",
            "The remaining {count:,} documents are open in another tab or terminal of yours.",
            left,
        )
    elif not any(row.documents for row in rows):
        told = t("You have no documents to judge in this pool.")
    elif others:
        told = t("All documents of query {query} are judged.", query=plain(query))
        told += " " + n(
            "{count:,} document of another query remains: select the query below.",
            "{count:,} documents of other queries remain: select one below.",
            others,
        )
    elif queries != ALL:
        told = n(
            "The only document of the set {set} is judged.",
            "All {count:,} documents of the set {set} are judged.",
            sum(row.documents for row in rows),
            set=plain(queries),
        )
        told += " " + t("Clear the field of the query set to judge the others.")
    else:
        told = n(
            "The only document is judged. Thank you!",
            "All {count:,} documents are judged. Thank you!",
            sum(row.documents for row in rows),
        )
        told += " " + t("{count:,} of them could not be decided.", count=undecided) if undecided else ""
    submit = f"stc pool submit {shlex.quote(pool)} --edition …"
    return ui.div(
        ui.h2(t("Nothing left to judge here") if left or others or queries != ALL else t("Done"), tabindex="-1"),
        ui.p(told),
        None
        if left or others or queries != ALL
        else ui.p(t("Submit the judgments to make them final:"), " ", ui.tags.code(submit)),
        ui.div(*_ways_back(), class_="stc-press", role="group", aria_label=t("Earlier documents")),
        class_="stc-paper stc-finished",
        data_pool=pool,
        data_query="",
        data_token="",
        data_serial=str(serial),
        data_grades="",
    )
