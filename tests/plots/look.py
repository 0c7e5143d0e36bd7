"""Inspect figures: parts by id, title, texts, and whether the texts are legible."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from matplotlib.text import Text

from stcollection.plots.canvas import Figure, style


def part(figure: Figure, gid: str) -> Any:
    [found] = figure.findobj(lambda artist: artist.get_gid() == gid)
    return found


def parts(figure: Figure, start: str) -> list[Any]:
    return list(figure.findobj(lambda artist: (artist.get_gid() or "").startswith(start)))


def title(figure: Figure) -> str:
    return " ".join(text.get_text() for text in figure.texts)


def shown(figure: Figure) -> list[Text]:
    """Return the visible texts of a drawn figure; ticks beyond an axis have labels that are not shown."""
    texts = list(figure.texts)
    for axes in figure.axes:
        texts += axes.texts
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            low, high = sorted(axis.get_view_interval())
            ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            texts += [axis.label, *(label for tick in ticks for label in (tick.label1, tick.label2))]
    return [text for text in texts if text.get_visible()]


def check_texts(figure: Figure, *, least: int = 5) -> None:
    """Check that no text leaves the figure or overlaps another; text boxes may touch, as they reserve room for accents."""
    with style():
        figure.canvas.draw()
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown(figure) if text.get_text().strip()]
    assert len(boxes) >= least
    for told, box in boxes:
        assert box.x0 >= -1, told
        assert box.y0 >= -1, told
        assert box.x1 <= figure.bbox.x1 + 1, told
        assert box.y1 <= figure.bbox.y1 + 1, told
    for (told, box), (other, its) in combinations(boxes, 2):
        across = min(box.x1, its.x1) - max(box.x0, its.x0)
        down = min(box.y1, its.y1) - max(box.y0, its.y0)
        assert across <= 1 or down <= 4, (told, other)
