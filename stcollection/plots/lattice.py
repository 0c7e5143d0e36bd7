"""A concept lattice as a plotly figure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from stcollection.cells import figure_text
from stcollection.counts import counted

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

NODE, LINE = "#3b82c4", "#8a8a8a"
_STEPS = 3  # heights within a layer, so that neighbouring labels do not overlap
_STEP = 0.22  # share of a layer


class Concept(NamedTuple):
    """A set of words and the number of texts that contain all of them.

    :param words: whole words.
    :param abstracts: number of abstracts that contain all words.
    :param documents: number of documents in the whole corpus that contain all words.
    """

    words: tuple[str, ...]
    abstracts: int
    documents: int


@dataclass(frozen=True, kw_only=True)
class Lattice:
    """Concepts, and which concept lies directly above which.

    :param edges: indexes of concepts, the upper one first; -1 is the top, which has no words.
    :param abstracts: total number of abstracts.
    """

    concepts: list[Concept]
    edges: list[tuple[int, int]]
    abstracts: int


def draw_lattice(data: Lattice) -> Figure:
    """Draw concepts in layers from the top down, with lines where one lies directly above another.

    A concept's layer is the length of the longest path from the top; within a layer the largest extents come first. Its label
    shows the words that no concept above it has (all words if every word is above it), and its extent. The size of a point
    follows the extent.
    """
    from plotly.graph_objects import Figure, Scatter

    rows, edges, documents = data.concepts, data.edges, data.abstracts
    above: Mapping[int, set[int]] = defaultdict(set)
    for high, low in edges:
        above[low].add(high)
    sizes = {at: concept.abstracts for at, concept in enumerate(rows)}
    if any(high < 0 for high, _ in edges) or not rows:
        sizes[-1] = documents
    points = _places(sizes, above)
    lines: tuple[list[float | None], list[float | None]] = ([], [])
    for high, low in edges:
        lines[0].extend((points[high][0], points[low][0], None))
        lines[1].extend((points[high][1], points[low][1], None))

    def describe(at: int) -> tuple[str, str]:
        if at < 0:
            return f"all {documents:,}", f"all {counted(documents, 'abstract')}"
        inherited = {word for high in above[at] if high >= 0 for word in rows[high].words}
        own = [word for word in rows[at].words if word not in inherited]
        return (
            f"{figure_text(', '.join(own or rows[at].words))} {sizes[at]:,}",
            f"{figure_text(', '.join(rows[at].words))}<br>{counted(sizes[at], 'abstract')},"
            f" {counted(rows[at].documents, 'document')} of the corpus",
        )

    named = [describe(at) for at in points]
    return Figure(
        [
            Scatter(x=lines[0], y=lines[1], mode="lines", line={"color": LINE, "width": 1}, hoverinfo="skip"),
            Scatter(
                x=[x for x, _ in points.values()],
                y=[y for _, y in points.values()],
                mode="markers+text",
                text=[name for name, _ in named],
                textposition="bottom center",
                textfont={"size": 11},
                hovertext=[hover for _, hover in named],
                hoverinfo="text",
                marker={"color": NODE, "opacity": 1, "size": [6 + 14 * math.sqrt(sizes[at] / documents) for at in points]},
            ),
        ],
        {
            "showlegend": False,
            "margin": {"t": 16, "r": 8, "b": 24, "l": 8},
            "xaxis": {"visible": False, "range": [-0.06, 1.06]},
            "yaxis": {"visible": False},
        },
    )


def _places(sizes: Mapping[int, int], above: Mapping[int, set[int]]) -> dict[int, tuple[float, float]]:
    """Return the positions of points: across in [0, 1], and down."""
    depth: dict[int, int] = {}
    for at in sorted(sizes, key=lambda at: -sizes[at]):  # a concept above has more abstracts
        depth[at] = 1 + max((depth[high] for high in above.get(at, ()) if high in depth), default=-1)
    layers: dict[int, list[int]] = defaultdict(list)
    for at in sorted(sizes, key=lambda at: (-sizes[at], at)):
        layers[depth[at]].append(at)
    places = {}
    for layer, members in sorted(layers.items()):
        for nth, at in enumerate(members):
            places[at] = ((nth + 0.5) / len(members), -layer - (_STEP * (nth % _STEPS) if len(members) > _STEPS else 0.0))
    return places
