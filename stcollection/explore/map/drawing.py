"""Draw the map. Groups differ in colour and in the shape of their marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plotly.graph_objects import Figure, Scatter

from stcollection.analysis.map.documents import Spot
from stcollection.cells import figure_text
from stcollection.web.maps import PageMap
from stcollection.web.words import t

# Okabe & Ito's palette (Color Universal Design, 2008), with grey in place of black; the outlines keep light colours visible.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#999999")
_SHAPES = ("circle", "square", "diamond", "triangle-up", "star", "cross", "triangle-down", "x")
_OUTLINE = {"width": 0.6, "color": "#777777"}
_VENUES = 7  # venues with a colour of their own
# The first three as on the tab Search.
_GRADES = {0: ("#5a5a5a", "x"), 1: ("#b7d9f5", "square"), 2: ("#0b5cad", "star"), 3: ("#e69f00", "diamond")}
_HIGHER = ("#cc79a7", "triangle-up")
_OTHER = {"color": "#999999", "symbol": "circle", "opacity": 0.5}
_QUIET = {"color": "rgba(128,128,128,.25)", "symbol": "circle", "size": 5}


class Group(NamedTuple):
    """Marks of one kind. :param name: in the legend."""

    name: str
    spots: list[Spot]
    marker: dict[str, Any]


def draw(found: PageMap, colour: str, grades: Mapping[int, int], doc: int | None) -> Figure:
    """Draw the documents.

    :param colour: ``cluster``, ``year``, ``venue`` or ``relevance``. :param grades: grade of each judged document.
    :param doc: dblp.id of the open document, which gets a ring.
    """
    groups = {"year": _years, "venue": _venues}.get(colour, _clusters)(found)
    if colour == "relevance":
        groups = _relevance(found, grades)
    size = 11 if len(found.spots) <= 500 else 8 if len(found.spots) <= 2000 else 6
    traces = [
        Scatter(
            x=[float(found.map.places[one.place][0]) for one in group.spots],
            y=[float(found.map.places[one.place][1]) for one in group.spots],
            name=_shortened(group.name, 44),
            mode="markers",
            marker={"size": size, "line": _OUTLINE, "opacity": 0.9} | group.marker,
            customdata=[[one.doc] for one in group.spots],
            text=[_told(one) for one in group.spots],
            hovertemplate="%{text}<extra></extra>",
        )
        for group in groups
        if group.spots
    ]
    hidden = {"visible": False, "fixedrange": False}
    layout = {
        "xaxis": hidden, "yaxis": hidden, "hovermode": "closest", "dragmode": "pan",
        "margin": {"t": 8, "r": 8, "b": 8, "l": 8}, "showlegend": colour != "year",
        "legend": {"orientation": "h", "y": -0.02, "yanchor": "top", "itemsizing": "constant"},
    }  # fmt: skip
    return Figure([*traces, _ring(found, doc)], layout)


def _ring(found: PageMap, doc: int | None) -> Scatter:
    """Return the mark around the open document, always the last trace: map.js moves it."""
    spot = None if doc is None else found.of(doc)
    x, y = ([], []) if spot is None else ([float(one)] for one in found.map.places[spot.place])
    ring = {"symbol": "circle-open", "size": 22, "line": {"width": 3}, "color": "#d55e00"}
    return Scatter(x=x, y=y, name=t("open document"), mode="markers", marker=ring, hoverinfo="skip", showlegend=False)


def _clusters(found: PageMap) -> list[Group]:
    return [
        Group(name, [one for one in found.spots if found.map.clusters[one.place] == at], _marker(at))
        for at, name in enumerate(found.map.names)
    ]


def _venues(found: PageMap) -> list[Group]:
    counts = Counter(one.venue for one in found.spots if one.venue)
    first = [venue for venue, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_VENUES]]
    groups = [Group(venue, [one for one in found.spots if one.venue == venue], _marker(at)) for at, venue in enumerate(first)]
    rest = [one for one in found.spots if one.venue and one.venue not in first]
    without = [one for one in found.spots if not one.venue]
    return [Group(t("other venues"), rest, _OTHER), Group(t("no venue"), without, _QUIET), *groups]


def _years(found: PageMap) -> list[Group]:
    dated = [one for one in found.spots if one.year is not None]
    bar = {"title": {"text": t("year")}, "thickness": 12, "len": 0.8, "outlinewidth": 0, "tickformat": "d"}
    shades = {"color": [one.year for one in dated], "colorscale": "Cividis", "colorbar": bar, "showscale": True}
    return [Group(t("no year"), [one for one in found.spots if one.year is None], _QUIET), Group(t("year"), dated, shades)]


def _relevance(found: PageMap, grades: Mapping[int, int]) -> list[Group]:
    rest = [one for one in found.spots if one.doc not in grades]
    judged = [
        Group(
            t("relevant ({grade})", grade=grade) if grade else t("not relevant (0)"),
            [one for one in found.spots if grades.get(one.doc) == grade],
            {"color": colour, "symbol": shape, "size": 12, "opacity": 1, "line": {"width": 1.5, "color": "#8a8a8a"}},
        )
        for grade in sorted(set(grades.values()))
        for colour, shape in [_GRADES.get(grade, _HIGHER)]
    ]
    return [Group(t("not judged"), rest, _QUIET | {"opacity": 1}), *judged]


def _marker(at: int) -> dict[str, Any]:
    return {"color": _COLOURS[at % len(_COLOURS)], "symbol": _SHAPES[at % len(_SHAPES)]}


def _told(one: Spot) -> str:
    return _shortened(one.title, 90) + (f" ({one.year})" if one.year is not None else "")


def _shortened(text: str, most: int) -> str:
    """Return a text without markup, cut to a number of characters."""
    return figure_text(text if len(text) <= most else f"{text[: most - 1]}…")


def shown(spots: Sequence[Spot], most: int) -> list[Spot]:
    """Return the first documents by title."""
    return sorted(spots, key=lambda one: (one.title.casefold(), one.doc))[:most]
