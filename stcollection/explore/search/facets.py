"""Facets of a search: counts of values that filter when they are clicked, and the active filters, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stcollection.explore.markup import Html, el, join
from stcollection.explore.search.asking import SearchRequest
from stcollection.explore.search.request import lines
from stcollection.retrieval.explain import FacetCount
from stcollection.texts import later
from stcollection.web.words import n, t, whole

_TITLES = {
    "year": later("Year"), "venue": later("Venue"), "type": later("Type"),
    "grade": later("Reading grade"), "judged": later("Judged"),
}  # fmt: skip
# lowest grade of a band of search_facets, exclusive, and its highest
_BANDS = {"": "9", "9": "12", "12": "15", "15": ""}
_LISTS = {"venue": "venues", "type": "types"}
State = Mapping[str, Any]


def _band(above: str, most: str) -> str:
    """Return a range of grades in words."""
    if above and most:
        return t("over {above}, up to {most}", above=above, most=most)
    return t("over {above}", above=above) if above else t("up to {most}", most=most) if most else ""


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def label(facet: str, value: str) -> str:
    """Return a value of search_facets in words."""
    if facet == "year":
        return f"{value}–{int(value) + 9}"
    if facet == "grade":
        return _first_upper(_band(value, _BANDS.get(value, "")))
    if facet == "judged":
        return t("Judged") if value == "yes" else t("Not judged")
    return value


def _change(facet: str, value: str) -> dict[str, str]:
    """Return the parameters that a value of a facet sets, without lists. An unknown facet sets nothing."""
    if facet == "year" and value.isdecimal():
        return {"first": value, "last": str(int(value) + 9)}
    if facet == "grade" and value in _BANDS:
        return {"above": value, "grade": _BANDS[value]}
    if facet == "judged" and value in ("yes", "no"):
        return {"judged": value}
    if facet == "author":
        return {"author": value}
    return {}


def chosen(state: State, facet: str, value: str) -> bool:
    """Return True if the state filters by a value of a facet."""
    if facet in _LISTS:
        return value in lines(state.get(_LISTS[facet]))
    change = _change(facet, value)
    return bool(change) and all(_same(state.get(name), wanted) for name, wanted in change.items())


def _same(given: Any, wanted: str) -> bool:
    text = "" if given is None else str(given)
    try:
        return text == wanted or float(text) == float(wanted)
    except ValueError:
        return False


def toggled(state: State, facet: str, value: str) -> dict[str, Any]:
    """Return the state with a value of a facet set, or removed if it was set."""
    if facet in _LISTS:
        kept = lines(state.get(_LISTS[facet]))
        kept = [one for one in kept if one != value] if value in kept else [*kept, value]
        # A venue that was clicked is one of those that a typed pattern matched.
        return {**state, _LISTS[facet]: "\n".join(kept), **({"venue": ""} if facet == "venue" else {})}
    change = _change(facet, value)
    on = chosen(state, facet, value)
    return {**state, **{name: "" if on else wanted for name, wanted in change.items()}}


def without(state: State, name: str, value: str) -> dict[str, Any]:
    """Return the state without an active filter; see :func:`filters`. 'all' removes every filter."""
    if name == "all":
        return {
            **state,
            **dict.fromkeys(("first", "last", "grade", "above", "cited", "venue", "judged", "author", *_LISTS.values()), ""),
        }
    if name in _LISTS.values():
        return {**state, name: "\n".join(one for one in lines(state.get(name)) if one != value)}
    pairs = {"year": ("first", "last"), "grade": ("above", "grade")}
    return {**state, **dict.fromkeys(pairs.get(name, (name,) if name in ("cited", "venue", "judged", "author") else ()), "")}


def filters(state: State) -> list[tuple[str, str, str]]:
    """Return the active filters: name for :func:`without`, value, and text."""

    def text(name: str) -> str:
        value = state.get(name)
        return "" if value is None else str(value).strip()

    first, last = text("first"), text("last")
    years = (
        f"{first}–{last}"
        if first and last
        else t("from {year}", year=first)
        if first
        else t("to {year}", year=last)
        if last
        else ""
    )
    made = [("year", "", t("Year: {value}", value=years))] if years else []
    if band := _band(text("above"), text("grade")):
        made.append(("grade", "", t("Reading grade: {value}", value=band)))
    if text("cited"):
        made.append(("cited", "", t("Citations: at least {value}", value=text("cited"))))
    if text("venue"):
        made.append(("venue", "", t("Venue: {value}", value=text("venue"))))
    made += [("venues", one, t("Venue: {value}", value=one)) for one in lines(state.get("venues"))]
    made += [("types", one, t("Type: {value}", value=one)) for one in lines(state.get("types"))]
    if text("author"):
        made.append(("author", "", t("Author: {value}", value=text("author"))))
    if text("judged"):
        made.append(("judged", "", label("judged", text("judged"))))
    return made


def chips(state: State, *, ns: str) -> Html | None:
    """Draw the active filters, each with a button that removes it."""
    active = filters(state)
    if not active:
        return None
    drawn = [_chip(name, value, text) for name, value, text in active]
    if len(active) > 1:
        drawn.append(
            el("li", el("button", t("Clear all filters"), type="button", class_="stc-chip", data_chip="all", data_value=""))
        )
    return el("ul", *drawn, class_="stc-chips", data_ns=ns, aria_label=t("Active filters"))


def _chip(name: str, value: str, text: str) -> Html:
    button = el(
        "button",
        el("span", t("Remove filter"), " ", class_="visually-hidden"),
        text,
        el("span", " ×", aria_hidden="true"),
        type="button",
        class_="stc-chip",
        data_chip=name,
        data_value=value,
    )
    return el("li", button)


def facets(asked: SearchRequest, state: State, counted: Sequence[FacetCount], *, ns: str) -> Html:
    """Draw the facets with their counts. A value is a button that sets or removes the filter."""
    basis = next((one for one in counted if one.facet == "documents"), None)
    blocks = [_block(state, name, [one for one in counted if one.facet == name]) for name in _TITLES]
    return el("div", el("p", _basis(asked, basis), class_="stc-about"), *blocks, data_ns=ns, class_="stc-facets")


def _basis(asked: SearchRequest, basis: FacetCount | None) -> str:
    """Say which documents are counted."""
    if basis is None:
        return ""
    if basis.value == "first":
        return n(
            "Counts are of the first {count:,} document by {system}.",
            "Counts are of the first {count:,} documents by {system}.",
            basis.documents,
            system=asked.system,
        )
    return n(
        "{count:,} document matches the query. Counts are of all of them.",
        "{count:,} documents match the query. Counts are of all of them.",
        basis.documents,
    )


def _block(state: State, facet: str, values: Sequence[FacetCount]) -> Html | None:
    if not values:
        return None
    buttons = (
        el(
            "li",
            el(
                "button",
                el("span", label(facet, one.value), class_="stc-facet-name"),
                " ",
                el("span", whole(one.documents), class_="stc-facet-count"),
                type="button",
                class_="stc-facet",
                data_facet=facet,
                data_value=one.value,
                aria_pressed="true" if chosen(state, facet, one.value) else "false",
            ),
        )
        for one in values
    )
    return el(
        "section",
        el("h3", t(_TITLES[facet]), id=f"stc-facet-{facet}"),
        join(el("ul", *buttons, aria_labelledby=f"stc-facet-{facet}")),
    )
