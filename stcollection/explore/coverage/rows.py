"""Topics as rows of a table, and the documents with the words of a topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shiny import ui

from stcollection.explore.marks import MARKED
from stcollection.explore.pieces import table
from stcollection.studies.coverage.records import FREQUENT, RARE, Coverage, Kind, Topic, WordDocument
from stcollection.texts import later
from stcollection.web.words import n, t

KINDS: dict[Kind, tuple[str, str]] = {
    "lda": (later("LDA"), later("Topics of latent Dirichlet allocation")),
    "itemset": (later("Itemsets"), later("Frequent itemsets of the abstracts")),
    "concept": (later("Concepts"), later("Formal concepts of the abstracts")),
}
_SIGNS = {FREQUENT: later("▲ frequent"), RARE: later("▽ rare")}


def topics(found: Coverage, kind: Kind, *, send_to: str, chosen: str) -> ui.Tag:
    """Draw the topics of a kind. :param send_to: input that receives the selected topic. :param chosen: it, as KIND PLACE."""
    marked = found.marked(kind)
    if not marked:
        return ui.p(t("No topics of this kind."))
    most = max(topic.weight for topic, _ in marked)
    signs = {mark: t(said) for mark, said in _SIGNS.items()}
    lines = [
        (
            _button(topic, send_to, pressed=f"{kind} {topic.place}" == chosen),
            _bar(topic.weight, most),
            topic.count,
            signs.get(mark, ""),
        )
        for topic, mark in marked
    ]
    share = t("share of words") if kind == "lda" else t("share of abstracts")
    return table(
        (t("words"), share, t("documents"), t("quartile")),
        lines,
        numbers=(2,),
        caption=t(
            "{topics}, sorted by the number of documents with all words; ▲ top quartile, ▽ bottom quartile",
            topics=t(KINDS[kind][1]),
        ),
    )


def _button(one: Topic, send_to: str, *, pressed: bool) -> ui.Tag:
    return ui.tags.button(
        ", ".join(one.words),
        type="button",
        class_="btn btn-link btn-sm p-0 text-start stc-topic",
        aria_pressed="true" if pressed else "false",
        data_input=send_to,
        data_kind=one.kind,
        data_place=str(one.place),
        title=t("Show documents with these words"),
    )


def _bar(share: float, most: float) -> ui.Tag:
    """Draw a share as a bar and a number. :param most: the share whose bar has full length."""
    width = 100 * share / most if most > 0 else 0
    bar = ui.span(class_="stc-share-bar", style=f"inline-size: {width:.1f}%", aria_hidden="true")
    return ui.span(ui.span(bar, class_="stc-share-space"), f"{share:.1%}", class_="stc-share")


def documents(words: Sequence[str], rows: Sequence[WordDocument], ids: Mapping[str, int]) -> ui.Tag:
    """Draw the documents with some words. :param ids: dblp.id of each docno."""
    total = rows[0].total if rows else 0
    heading = n("{count:,} document with {words}", "{count:,} documents with {words}", total, words=" + ".join(words))
    if total > len(rows):
        heading += t(", the first {count:,}", count=len(rows))
    return ui.div(
        ui.h2(heading, class_="h5 mt-4"),
        ui.tags.ol(*(ui.tags.li(_document(one, ids.get(one.docno))) for one in rows))
        if rows
        else ui.p(t("No document contains all of these words: the topic is a gap in the corpus, or joins different subjects.")),
    )


def _document(one: WordDocument, doc: int | None) -> ui.Tag:
    title = _marked(one.title or t("Document {name}", name=one.docno))
    return ui.div(
        ui.h3(ui.a(*title, href=f"/search?near={doc}&field=title") if doc is not None else title, class_="h6 mb-0"),
        ui.div(", ".join(str(part) for part in (one.year, one.docno) if part is not None), class_="small text-body-secondary"),
        ui.p(*_marked(one.abstract or ""), class_="mb-2"),
    )


def _marked(text: str) -> list[Any]:
    """Return the text with marked words as <mark> elements. The rest is plain text, which htmltools escapes."""
    parts = MARKED.split(text)
    return [ui.tags.mark(part) if at % 2 else part for at, part in enumerate(parts)]
