"""The lattice of concepts as a plotly figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stcollection.analysis.coverage.lattice import covers
from stcollection.analysis.coverage.records import Topic

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

NODE, LINE = "#3b82c4", "#8a8a8a"


def draw(concepts: Sequence[Topic], *, documents: int) -> Figure:
    """Concepts by extent from the top down, lines where one lies directly above another; a word is written where it comes in.

    :param concepts: of one coverage. :param documents: abstracts, the extent of the top.
    """
    from plotly.graph_objects import Figure, Scatter

    rows = sorted(concepts, key=lambda one: one.place)
    edges = covers([one.words for one in rows])
    above = defaultdict(set)
    for high, low in edges:
        above[low].add(high)
    sizes = [round(one.weight * documents) for one in rows]
    across = _spread([len(one.words) for one in rows])
    points = {at: (across[at], size) for at, size in enumerate(sizes)}
    if any(high < 0 for high, _ in edges):
        points[-1] = (0.0, documents)
    lines: tuple[list[float | None], list[float | None]] = ([], [])
    for high, low in edges:
        lines[0].extend((points[high][0], points[low][0], None))
        lines[1].extend((points[high][1], points[low][1], None))

    def told(at: int) -> tuple[str, str]:
        if at < 0:
            return "all", f"all {documents:,} abstracts"
        inherited = {word for high in above[at] if high >= 0 for word in rows[high].words}
        own = [word for word in rows[at].words if word not in inherited]
        return ", ".join(own), f"{', '.join(rows[at].words)}<br>{sizes[at]:,} abstracts, {rows[at].count:,} documents"

    names, hovers = zip(*(told(at) for at in points), strict=True) if points else ((), ())
    return Figure(
        [
            Scatter(x=lines[0], y=lines[1], mode="lines", line={"color": LINE, "width": 1}, hoverinfo="skip"),
            Scatter(
                x=[x for x, _ in points.values()], y=[y for _, y in points.values()], mode="markers+text", text=names,
                textposition="top center", hovertext=hovers, hoverinfo="text", marker={"color": NODE, "size": 10},
            ),
        ],
        {
            "showlegend": False, "margin": {"t": 24, "r": 24},
            "xaxis": {"visible": False, "fixedrange": False},
            "yaxis": {"title": {"text": "abstracts with all words"}},
        },
    )  # fmt: skip


def _spread(layers: Sequence[int]) -> list[float]:
    """Where nodes stand across: those of a layer (as many words) side by side around 0, in turn, so that few stand on each other."""
    seen: dict[int, int] = defaultdict(int)
    totals: dict[int, int] = defaultdict(int)
    for layer in layers:
        totals[layer] += 1
    places = []
    for layer in layers:
        half = seen[layer] + 1
        places.append((half // 2) * (1 if half % 2 else -1) * 2.0 / max(totals[layer], 1) + 0.07 * layer)
        seen[layer] += 1
    return places
