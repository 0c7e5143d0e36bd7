"""Rankings of several systems side by side, as HTML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from stcollection.explore.markup import Html, el, join
from stcollection.explore.search.asking import JudgedResults, SearchPage, SearchRequest, Shown
from stcollection.explore.search.results import grade, marked, statement
from stcollection.web.words import n, t


def moved(ranks: Mapping[str, int], system: str, first: str) -> str:
    """Return how a document's rank differs from the first system's.

    :param ranks: rank of the document by system. :returns: '▲ 3' if it is three ranks higher than in the first system.
    """
    if len(ranks) == 1:
        return t("only here")
    if system == first:
        return ""
    if first not in ranks:
        return t("not in {system}", system=first)
    change = ranks[first] - ranks[system]
    return f"▲ {change}" if change > 0 else f"▼ {-change}" if change < 0 else t("same rank")


def columns(asked: SearchRequest, found: SearchPage, *, ns: str) -> Html:
    """Draw a column for each system. Documents that moved are marked in words and signs."""
    ranks: dict[int, dict[str, int]] = defaultdict(dict)
    for one in found.beside:
        ranks[one.doc][one.system] = one.rank
    return el(
        "div",
        el("p", _overlap(asked, ranks), class_="stc-about"),
        el("div", *(_column(asked, found, name, ranks) for name in asked.systems), class_="stc-columns"),
        statement(asked, found.statement),
        data_ns=ns,
        class_="stc-found",
    )


def _overlap(asked: SearchRequest, ranks: Mapping[int, Mapping[str, int]]) -> str:
    everywhere = sum(len(one) == len(asked.systems) for one in ranks.values())
    return (
        n(
            "In every ranking: {everywhere} of {count} document.",
            "In every ranking: {everywhere} of {count} documents.",
            len(ranks),
            everywhere=everywhere,
        )
        + " "
        + t("▲ and ▼: ranks higher or lower than by {system}.", system=asked.system)
        + " "
        + t("Only here: in no other ranking's first {count}.", count=asked.k)
    )


def _column(asked: SearchRequest, found: SearchPage, name: str, ranks: Mapping[int, Mapping[str, int]]) -> Html:
    rows = [one for one in found.beside if one.system == name]
    heading = f"stc-column-{name}"
    listed = (
        el("ol", *(_row(one, ranks[one.doc], asked.system, found.judged.get(one.doc, ())) for one in rows), aria_labelledby=heading)
        if rows
        else el("p", t("No documents found."))
    )
    return el("section", el("h3", name, id=heading), listed)


def _row(one: Shown, ranks: Mapping[str, int], first: str, judged: Sequence[JudgedResults]) -> Html:
    change = moved(ranks, one.system, first)
    kind = "up" if change.startswith("▲") else "down" if change.startswith("▼") else "alone" if len(ranks) == 1 else None
    facts = [str(one.year) if one.year is not None else None, one.venue]
    return el(
        "li",
        el("span", f"{one.rank}.", class_="stc-rank"),
        el(
            "div",
            el(
                "div",
                marked(one.title) if one.title else el("em", t("document {name} (no title)", name=one.docno)),
                class_="stc-title",
            ),
            el(
                "div",
                el("span", _spoken(change), class_=f"stc-move stc-move-{kind}" if kind else "stc-move") if change else None,
                el("span", join(*(fact for fact in facts if fact), between=" · ")),
                *(el("span", f"{each.edition}: {grade(each.rel)}", class_="stc-move") for each in judged[:1]),
                class_="stc-about",
            ),
        ),
        value=one.rank,
    )


def _spoken(change: str) -> Html | str:
    """Return a change with words for screen readers instead of the sign."""
    if change[:1] not in "▲▼":
        return change
    number = change[2:]
    spoken = t("up {number}", number=number) if change.startswith("▲") else t("down {number}", number=number)
    return join(el("span", change, aria_hidden="true"), el("span", spoken, class_="visually-hidden"))
