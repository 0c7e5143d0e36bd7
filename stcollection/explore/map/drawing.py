"""Groups of marks on the map, which differ in colour and shape. static/map.js draws them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from stcollection.analysis.map.documents import Spot
from stcollection.explore.templates import decoded
from stcollection.web.maps import PageMap
from stcollection.web.words import t

# Okabe & Ito's palette (Color Universal Design, 2008), with grey in place of black; the outlines keep light colours visible.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#999999")
# Outlines of marks as SVG paths, about a point, with a radius of about 1.
_CIRCLE = "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z"
_SQUARE = "M-.9-.9H.9V.9H-.9Z"
_DIAMOND = "M0-1.25L1.1 0L0 1.25L-1.1 0Z"
_UP, _DOWN = "M0-1.2L1.1.8H-1.1Z", "M0 1.2L1.1-.8H-1.1Z"
_STAR = "M0-1.3L.32-.44L1.24-.4L.52.17L.76 1.05L0 .55L-.76 1.05L-.52.17L-1.24-.4L-.32-.44Z"
_PLUS = "M-.35-1.1H.35V-.35H1.1V.35H.35V1.1H-.35V.35H-1.1V-.35H-.35Z"
_CROSS = "M0-.5L.53-1.03L1.03-.53L.5 0L1.03.53L.53 1.03L0 .5L-.53 1.03L-1.03.53L-.5 0L-1.03-.53L-.53-1.03Z"
_SHAPES = (_CIRCLE, _SQUARE, _DIAMOND, _UP, _STAR, _PLUS, _DOWN, _CROSS)
_VENUES = 7  # venues with a colour of their own
# The first three as in Search.
_GRADES = {0: ("#5a5a5a", _CROSS), 1: ("#b7d9f5", _SQUARE), 2: ("#0b5cad", _STAR), 3: ("#e69f00", _DIAMOND)}
_HIGHER = ("#cc79a7", _UP)
_QUIET = "rgba(128,128,128,.35)"
# Cividis (Nuñez et al., PLOS ONE 13(7), 2018) at five places, for years.
_SCALE = ((0, 34, 78), (67, 78, 108), (125, 124, 120), (188, 174, 108), (254, 232, 56))
_SIDE = 10_000  # of the square in which documents have places
_LETTERS = 90  # of a title


class MapGroup(NamedTuple):
    """Marks of one kind. :param shape: an SVG path. :param size: radius in relation to other marks."""

    name: str
    colour: str
    shape: str
    size: float
    spots: list[Spot]


def groups(found: PageMap, colour: str, grades: Mapping[int, int]) -> list[MapGroup]:
    """Return the groups, the lowest first.

    :param colour: ``cluster``, ``year``, ``venue`` or ``relevance``. :param grades: grade of each judged document.
    """
    draw: dict[str, Callable[[PageMap], list[MapGroup]]] = {
        "year": _years,
        "venue": _venues,
        "relevance": partial(_relevance, grades=grades),
    }
    made = draw.get(colour, _clusters)(found)
    return [group for group in made if group.spots]


def points(found: PageMap, drawn: Sequence[MapGroup]) -> dict[str, Any]:
    """Return what map.js draws: the groups, and place, key and group of each document, in the order of the marks."""
    places = found.map.places
    low, high = places.min(axis=0), places.max(axis=0)
    scaled = (places - low) / (high - low).clip(min=1e-9) * _SIDE
    marks = [(spot, at) for at, group in enumerate(drawn) for spot in group.spots]
    return {
        "side": _SIDE,
        "groups": [group._replace(spots=[])._asdict() | {"spots": len(group.spots)} for group in drawn],
        "x": [round(float(scaled[spot.place][0])) for spot, _ in marks],
        "y": [_SIDE - round(float(scaled[spot.place][1])) for spot, _ in marks],
        "doc": [spot.doc for spot, _ in marks],
        "group": [at for _, at in marks],
    }


def titles(found: PageMap) -> dict[int, str]:
    """Return titles with years, by document."""
    return {spot.doc: _title(spot) for spot in found.spots}


def listed(spots: Sequence[Spot], most: int) -> list[Spot]:
    """Return the first documents by title."""
    return sorted(spots, key=lambda spot: (spot.title.casefold(), spot.doc))[:most]


def _title(spot: Spot) -> str:
    text = decoded(spot.title) or ""
    short = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
    return short + (f" ({spot.year})" if spot.year is not None else "")


def _clusters(found: PageMap) -> list[MapGroup]:
    return [
        MapGroup(name, *_mark(at), 1, [spot for spot in found.spots if found.map.clusters[spot.place] == at])
        for at, name in enumerate(found.map.names)
    ]


def _venues(found: PageMap) -> list[MapGroup]:
    counts = Counter(spot.venue for spot in found.spots if spot.venue)
    first = [venue for venue, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_VENUES]]
    made = [
        MapGroup(decoded(venue) or "", *_mark(at), 1, [spot for spot in found.spots if spot.venue == venue])
        for at, venue in enumerate(first)
    ]
    rest = [spot for spot in found.spots if spot.venue and spot.venue not in first]
    without = [spot for spot in found.spots if not spot.venue]
    return [MapGroup(t("other venues"), "#999999", _CIRCLE, 0.8, rest), _quiet(t("no venue"), without), *made]


def _years(found: PageMap) -> list[MapGroup]:
    """Return a group for each year, with a colour between those of the first and the last."""
    known = sorted({spot.year for spot in found.spots if spot.year is not None})
    span = max(known[-1] - known[0], 1) if known else 1
    made = [
        MapGroup(str(year), _shade((year - known[0]) / span), _CIRCLE, 1, [spot for spot in found.spots if spot.year == year])
        for year in known
    ]
    return [_quiet(t("no year"), [spot for spot in found.spots if spot.year is None]), *made]


def _relevance(found: PageMap, grades: Mapping[int, int]) -> list[MapGroup]:
    judged = [
        MapGroup(
            t("relevant ({grade})", grade=grade) if grade else t("not relevant (0)"),
            *_GRADES.get(grade, _HIGHER),
            1.5,
            [spot for spot in found.spots if grades.get(spot.doc) == grade],
        )
        for grade in sorted(set(grades.values()))
    ]
    return [_quiet(t("not judged"), [spot for spot in found.spots if spot.doc not in grades]), *judged]


def _quiet(name: str, spots: list[Spot]) -> MapGroup:
    return MapGroup(name, _QUIET, _CIRCLE, 0.7, spots)


def _mark(at: int) -> tuple[str, str]:
    return _COLOURS[at % len(_COLOURS)], _SHAPES[at % len(_SHAPES)]


def _shade(share: float) -> str:
    """Return a colour of the scale. :param share: in [0, 1]."""
    place = share * (len(_SCALE) - 1)
    low = min(int(place), len(_SCALE) - 2)
    red, green, blue = (round(a + (b - a) * (place - low)) for a, b in zip(_SCALE[low], _SCALE[low + 1], strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"
