"""Facets of a search: counts of values that are links to the search with that filter, and the active filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any, NamedTuple

from stcollection.explore.search.asking import SearchRequest
from stcollection.explore.search.request import address, lines
from stcollection.retrieval.explain import FacetCount
from stcollection.texts import later
from stcollection.web.words import n, t

_TITLES = {
    "year": later("Year"), "venue": later("Venue"), "type": later("Type"),
    "grade": later("Reading grade"), "judged": later("Judged"),
}  # fmt: skip
# lowest grade of a band of search_facets, exclusive, and its highest
_BANDS = {"": "9", "9": "12", "12": "15", "15": ""}
_LISTS = {"venue": "venues", "type": "types"}
_SINGLE = ("cited", "venue", "judged", "author", "excluded_for")
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
        return t("no year") if value == "0" else f"{value}–{int(value) + 9}"
    if facet == "grade":
        return _first_upper(_band(value, _BANDS.get(value, "")))
    if facet == "judged":
        return t("Judged") if value == "yes" else t("Not judged")
    return unescape(value)


def _change(facet: str, value: str) -> dict[str, str]:
    """Return the parameters that a value of a facet sets, without lists. An unknown facet sets nothing."""
    if facet == "year" and value == "0":  # some sources write 0 where the year is unknown
        return {"first": "0", "last": "0"}
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
    return bool(change) and all(_same(state.get(name), value) for name, value in change.items())


def _same(given: Any, value: str) -> bool:
    text = "" if given is None else str(given)
    try:
        return text == value or float(text) == float(value)
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
    return {**state, **{name: "" if on else set_to for name, set_to in change.items()}}


def without(state: State, name: str, value: str) -> dict[str, Any]:
    """Return the state without an active filter; see :func:`filters`. 'all' removes every filter."""
    if name == "all":
        return {
            **state,
            **dict.fromkeys(("first", "last", "grade", "above", *_SINGLE, *_LISTS.values()), ""),
        }
    if name in _LISTS.values():
        return {**state, name: "\n".join(one for one in lines(state.get(name)) if one != value)}
    pairs = {"year": ("first", "last"), "grade": ("above", "grade")}
    return {**state, **dict.fromkeys(pairs.get(name, (name,) if name in _SINGLE else ()), "")}


def filters(state: State) -> list[tuple[str, str, str]]:
    """Return the active filters: name for :func:`without`, value, and text."""

    def text(name: str) -> str:
        value = state.get(name)
        return "" if value is None else str(value).strip()

    first, last = text("first"), text("last")
    years = (
        t("no year")
        if first == last == "0"
        else f"{first}–{last}"
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
    made += [("venues", one, t("Venue: {value}", value=unescape(one))) for one in lines(state.get("venues"))]
    made += [("types", one, t("Type: {value}", value=one)) for one in lines(state.get("types"))]
    if text("author"):
        made.append(("author", "", t("Author: {value}", value=text("author"))))
    if text("judged"):
        made.append(("judged", "", label("judged", text("judged"))))
    if text("excluded_for"):
        made.append(("excluded_for", "", t("Without documents excluded for {query}", query=text("excluded_for"))))
    return made


class FilterLink(NamedTuple):
    """An active filter. :param href: the search without it."""

    text: str
    href: str


class FacetValue(NamedTuple):
    """A value of a facet. :param href: the search with this filter, or without it if it is set."""

    label: str
    documents: int
    chosen: bool
    href: str


class Facet(NamedTuple):
    """A facet with its values."""

    name: str
    title: str
    values: list[FacetValue]


def filter_links(state: State) -> list[FilterLink]:
    """Return the active filters; after several, a link that removes all."""
    links = [FilterLink(text, address(without(state, name, value))) for name, value, text in filters(state)]
    return links + ([FilterLink(t("Clear all filters"), address(without(state, "all", "")))] if len(links) > 1 else [])


def facets(state: State, counted: Sequence[FacetCount]) -> list[Facet]:
    """Return the facets that have values."""
    made = [
        Facet(
            name,
            t(title),
            [
                FacetValue(
                    label(name, row.value),
                    row.documents,
                    chosen(state, name, row.value),
                    address(toggled(state, name, row.value)),
                )
                for row in counted
                if row.facet == name
            ],
        )
        for name, title in _TITLES.items()
    ]
    return [facet for facet in made if facet.values]


def basis(asked: SearchRequest, counted: Sequence[FacetCount]) -> str:
    """Return which documents are counted."""
    row = next((row for row in counted if row.facet == "documents"), None)
    if row is None:
        return ""
    if row.value == "first":
        return n(
            "Counts are of the first {count:,} document by {system}.",
            "Counts are of the first {count:,} documents by {system}.",
            row.documents,
            system=asked.system,
        )
    return n(
        "{count:,} document matches the query. Counts are of all of them.",
        "{count:,} documents match the query. Counts are of all of them.",
        row.documents,
    )
