"""Facets of a search: counts of values that filter when they are clicked, and the active filters, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stcollection.explore.markup import Html, el, join
from stcollection.explore.search.asking import FacetValue, SearchRequest
from stcollection.explore.search.request import lines

_TITLES = {"year": "Year", "venue": "Venue", "type": "Type", "grade": "Reading grade", "judged": "Judged"}
# lowest grade of a band of search_facets, exclusive, and its highest
_BANDS = {"": "9", "9": "12", "12": "15", "15": ""}
_LISTS = {"venue": "venues", "type": "types"}
State = Mapping[str, Any]


def _band(above: str, most: str) -> str:
    """Return a range of grades in words."""
    return " ".join(part for part in (f"over {above}" if above else "", f"up to {most}" if most else "") if part).replace(
        " up to", ", up to"
    )


def label(facet: str, value: str) -> str:
    """Return a value of search_facets in words."""
    if facet == "year":
        return f"{value}–{int(value) + 9}"
    if facet == "grade":
        return _band(value, _BANDS.get(value, "")).capitalize()
    if facet == "judged":
        return "Judged" if value == "yes" else "Not judged"
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
    years = f"{first}–{last}" if first and last else f"from {first}" if first else f"to {last}" if last else ""
    made = [("year", "", f"Year: {years}")] if years else []
    if band := _band(text("above"), text("grade")):
        made.append(("grade", "", f"Reading grade: {band}"))
    if text("cited"):
        made.append(("cited", "", f"Citations: at least {text('cited')}"))
    if text("venue"):
        made.append(("venue", "", f"Venue: {text('venue')}"))
    made += [("venues", one, f"Venue: {one}") for one in lines(state.get("venues"))]
    made += [("types", one, f"Type: {one}") for one in lines(state.get("types"))]
    if text("author"):
        made.append(("author", "", f"Author: {text('author')}"))
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
        drawn.append(el("li", el("button", "Clear all filters", type="button", class_="stc-chip", data_chip="all", data_value="")))
    return el("ul", *drawn, class_="stc-chips", data_ns=ns, aria_label="Active filters")


def _chip(name: str, value: str, text: str) -> Html:
    button = el(
        "button",
        el("span", "Remove filter ", class_="visually-hidden"),
        text,
        el("span", " ×", aria_hidden="true"),
        type="button",
        class_="stc-chip",
        data_chip=name,
        data_value=value,
    )
    return el("li", button)


def facets(asked: SearchRequest, state: State, counted: Sequence[FacetValue], *, ns: str) -> Html:
    """Draw the facets with their counts. A value is a button that sets or removes the filter."""
    basis = next((one for one in counted if one.facet == "documents"), None)
    blocks = [_block(state, name, [one for one in counted if one.facet == name]) for name in _TITLES]
    return el("div", el("p", _basis(asked, basis), class_="stc-about"), *blocks, data_ns=ns, class_="stc-facets")


def _basis(asked: SearchRequest, basis: FacetValue | None) -> str:
    """Say which documents are counted."""
    if basis is None:
        return ""
    documents = f"{basis.documents:,} document{'s' if basis.documents != 1 else ''}"
    if basis.value == "first":
        return f"Counts are of the first {documents} by {asked.system}."
    return f"{documents} match{'es' if basis.documents == 1 else ''} the query. Counts are of all of them."


def _block(state: State, facet: str, values: Sequence[FacetValue]) -> Html | None:
    if not values:
        return None
    buttons = (
        el(
            "li",
            el(
                "button",
                el("span", label(facet, one.value), class_="stc-facet-name"),
                " ",
                el("span", f"{one.documents:,}", class_="stc-facet-count"),
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
        "section", el("h3", _TITLES[facet], id=f"stc-facet-{facet}"), join(el("ul", *buttons, aria_labelledby=f"stc-facet-{facet}"))
    )
