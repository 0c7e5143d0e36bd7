"""HTML of the panel for pairs: two documents, the buttons to compare them, and progress. htmltools escapes texts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from shiny import ui

from stcollection.explore.judging.sheet import article, marked, query_line
from stcollection.explore.pieces import table
from stcollection.qrels.comparisons import PairProgress
from stcollection.qrels.judging import BlindDocument, JudgingSession, ShownPair
from stcollection.qrels.sheets import plain
from stcollection.texts import later
from stcollection.topics.sets import ALL
from stcollection.web.words import n, t

# Key, choice, and text of each button.
CHOICES = (
    ("1", "left", later("Document 1 is better")),
    ("2", "right", later("Document 2 is better")),
    ("0", "equal", later("Both equal")),
    ("b", "neither", later("Both not relevant")),
    ("c", "undecided", later("Cannot decide")),
)
KEYS = (
    ("1, ←", later("document 1 answers the query better")),
    ("2, →", later("document 2 answers the query better")),
    ("0, =", later("both are equally good: neither is preferred")),
    ("b", later("both are not relevant, and so is each document that was worse than one of them")),
    ("c", later("cannot decide: the document that is being placed is left out of the order")),
    ("u", later("undo the last comparison; press it again to undo the one before")),
    ("?", later("show or hide this list")),
)


def two(shown: ShownPair, *, pool: str, annotator: str, serial: int) -> ui.Tag:
    """Draw two documents and the buttons. :param serial: number of this rendering; keys pressed for an older one are ignored."""
    query = shown.left
    return ui.tags.article(
        ui.div(
            ui.p(t("Query {query}", query=plain(query.query)), class_="text-body-secondary mb-1"),
            query_line(query),
            class_="stc-asked",
            tabindex="-1",
        ),
        article(query),
        ui.div(*(_document(number, one) for number, one in ((1, shown.left), (2, shown.right))), class_="stc-two"),
        _buttons(),
        class_="stc-comparison",
        aria_label=t("Two documents to compare"),
        data_pool=pool,
        data_annotator=annotator,
        data_query=shown.pair.query,
        data_left=shown.pair.left_token,
        data_right=shown.pair.right_token,
        data_serial=str(serial),
    )


def _document(number: int, one: BlindDocument) -> ui.Tag:
    return ui.tags.section(
        ui.p(t("Document {number}", number=number), class_="text-body-secondary mb-1"),
        ui.h2(*marked(plain(one.title) or t("(no title)"), one.words), dir="auto"),
        ui.p(*marked(plain(one.abstract) or t("(no abstract)"), one.words), dir="auto", class_="stc-abstract"),
        data_token=one.token,
    )


def _buttons(*, done: bool = False) -> ui.Tag:
    """Draw the bar with the buttons, which stays at the bottom of the window. :param done: no pair is left, only undo."""
    return ui.div(
        *(
            ui.tags.button(ui.tags.kbd(key), " ", t(text), type="button", data_compare=choice, class_="btn btn-outline-primary")
            for key, choice, text in (() if done else CHOICES)
        ),
        ui.tags.button(ui.tags.kbd("u"), " ", t("Undo"), type="button", data_compare="undo", class_="btn btn-outline-secondary"),
        class_="stc-press",
        role="group",
        aria_label=t("Your comparison"),
    )


def compared(rows: Sequence[PairProgress], here: JudgingSession, *, query: str | None, elsewhere: bool, serial: int) -> ui.Tag:
    """Show that no pair is left, and the next step. :param elsewhere: pairs are left that other windows show."""
    others = any(one.remaining for one in rows)
    more = elsewhere or others or here.queries != ALL
    submit = f"stc pool submit {shlex.quote(here.pool)} --pairs --edition …"
    if elsewhere:
        told = t("The remaining pairs are open in another window of yours.")
    elif others:
        told = t("All documents of query {query} are in order. Select another query below.", query=plain(query))
    elif not any(one.documents > 1 for one in rows):
        told = t("You have no documents to compare in this pool.")
    elif here.queries != ALL:
        told = t("All documents of the set {set} are in order.", set=plain(here.queries))
        told += " " + t("Clear the field of the query set to compare the others.")
    else:
        told = t("All documents are in order. Thank you!")
    return ui.tags.article(
        ui.h2(t("Nothing left to compare here") if more else t("Done"), tabindex="-1", class_="stc-asked"),
        ui.p(told),
        None if more else ui.p(t("Submit the orders to store them as preferences:"), " ", ui.tags.code(submit)),
        _buttons(done=True),
        class_="stc-comparison stc-finished",
        data_serial=str(serial),
    )


def instructions(guidelines: str) -> ui.TagList:
    """Show how to compare, the pool's guidelines, and the keys. :param guidelines: shown without formatting."""
    lines = "\n".join(map(plain, guidelines.split("\n")))
    return ui.TagList(
        ui.tags.details(
            ui.tags.summary(t("Guidelines")),
            ui.p(
                t(
                    "Which document answers the query better? Compare by title and abstract only. Choose by content, not by "
                    "length, author or place on the screen. The side of a document says nothing about it."
                )
            ),
            ui.div(lines, dir="auto", class_="stc-guidelines"),
            open="",
            class_="stc-guide",
        ),
        ui.tags.details(
            ui.tags.summary(t("Keys")),
            ui.tags.dl(*(piece for key, text in KEYS for piece in (ui.tags.dt(ui.tags.kbd(key)), ui.tags.dd(t(text))))),
            class_="stc-help",
        ),
    )


def pairs_left(rows: Sequence[PairProgress]) -> ui.Tag:
    """Show progress and speed."""
    made, left = sum(one.compared for one in rows), sum(one.remaining for one in rows)
    said = n("{count:,} comparison made", "{count:,} comparisons made", made)
    said += "; " + t("at most {left:,} left.", left=left) if left else "."
    return ui.div(
        ui.p(said, class_="mb-1"),
        ui.tags.progress(value=str(made), max=str(max(made + left, 1)), aria_label=said),
        class_="stc-pace",
    )


def by_query(rows: Sequence[PairProgress], *, chosen: str | None) -> ui.Tag:
    """Show progress by query. :param chosen: the only query that is compared; None for all."""
    return ui.div(
        table(
            (t("query"), t("text"), t("documents"), t("in order"), t("left out"), t("comparisons"), t("left, at most")),
            [
                (
                    plain(one.query),
                    _choose(plain(one.query_text) or plain(one.query), one.query, chosen=one.query == chosen),
                    one.documents,
                    one.placed,
                    one.aside,
                    one.compared,
                    one.remaining,
                )
                for one in rows
            ],
            caption=t("Your comparisons by query"),
            numbers=(2, 3, 4, 5, 6),
        ),
        _choose(t("Compare all queries"), None, chosen=chosen is None),
    )


def _choose(text: str, query: str | None, *, chosen: bool) -> ui.Tag:
    return ui.tags.button(
        text,
        type="button",
        dir="auto",
        class_="btn btn-link btn-sm text-start p-0",
        data_pairs=query or "",
        aria_pressed="true" if chosen else "false",
    )


def by_annotator(rows: Sequence[PairProgress]) -> ui.Tag | None:
    """Show the comparisons of each annotator to the organiser; None without comparisons."""
    if not rows:
        return None
    people = {one.annotator: [other for other in rows if other.annotator == one.annotator] for one in rows}
    return ui.div(
        ui.h2(t("Comparisons")),
        table(
            (t("assessor"), t("queries"), t("in order"), t("submitted"), t("comparisons"), t("left, at most")),
            [
                (
                    plain(name),
                    len(own),
                    sum(not one.remaining for one in own),
                    sum(one.submitted for one in own),
                    sum(one.compared for one in own),
                    sum(one.remaining for one in own),
                )
                for name, own in people.items()
            ],
            caption=t("Comparisons by assessor"),
            numbers=(1, 2, 3, 4, 5),
        ),
    )
