"""Figures that do not move, as marks that ``charts.html`` writes as SVG: on the page with its colours, and as files."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from starlette.responses import Response

from stcollection.cells import spreadsheet_cell
from stcollection.explore.templates import render
from stcollection.web.words import whole

SERIES = ("#8a8a8a", "#7cc47f", "#1c6b2a", "#3b82c4", "#d9661f")  # used in turn
_BLUE = SERIES[3]
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 800.0, 56.0, 12.0, 12.0, 26.0
_HEIGHT = 240.0  # of a column chart
_ROW, _NAMES, _LEGEND = 26.0, 170.0, 24.0  # of a bar chart
_TICKS = 4  # approximate number of them on an axis
_LETTERS = 24  # of the label to the left of a bar


class ChartBar(NamedTuple):
    """A rectangle. :param title: its tooltip."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    title: str


class ChartDot(NamedTuple):
    x: float
    y: float
    radius: float
    colour: str
    title: str


class ChartLine(NamedTuple):
    """A line of the grid, or between dots."""

    x1: float
    y1: float
    x2: float
    y2: float


class ChartText(NamedTuple):
    """A text. :param anchor: start, middle or end. :param title: its tooltip, or ''."""

    x: float
    y: float
    text: str
    anchor: str = "middle"
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A figure. :param label: its name for screen readers and files."""

    label: str
    width: float = _WIDTH
    height: float
    lines: list[ChartLine] = field(default_factory=list)
    bars: list[ChartBar] = field(default_factory=list)
    dots: list[ChartDot] = field(default_factory=list)
    texts: list[ChartText] = field(default_factory=list)


def column_chart(rows: Sequence[tuple[int, int]], *, label: str) -> Chart:
    """Draw a column for each number, such as a year, at its place. :param rows: number and count, ascending."""
    first, last, most = rows[0][0], rows[-1][0], max(count for _, count in rows)
    step, bottom = (_WIDTH - _LEFT - _RIGHT) / (last - first + 1), _HEIGHT - _BOTTOM
    scale = (bottom - _TOP) / most
    bars = [
        ChartBar(
            _LEFT + step * (at - first),
            bottom - scale * count,
            max(step * 0.85, 0.5),
            scale * count,
            _BLUE,
            f"{at}: {whole(count)}",
        )
        for at, count in rows
    ]
    heights = [(tick, bottom - scale * tick) for tick in ticks(0, most)]
    texts = [ChartText(_LEFT + step * (tick - first + 0.42), _HEIGHT - 8, str(tick)) for tick in ticks(first, last, about=10)]
    texts += [ChartText(_LEFT - 6, y + 4, whole(tick), "end") for tick, y in heights]
    lines = [ChartLine(_LEFT, y, _WIDTH - _RIGHT, y) for _, y in heights]
    return Chart(label=label, height=_HEIGHT, lines=lines, bars=bars, texts=texts)


def stacked_chart(rows: Mapping[str, Sequence[int]], names: Sequence[str], *, label: str) -> Chart:
    """Draw a stacked bar for each name. :param rows: the counts of its parts. :param names: of the parts, for the legend."""
    most = max((sum(counts) for counts in rows.values()), default=0) or 1
    scale, height = (_WIDTH - _NAMES - _RIGHT) / most, _LEGEND + _ROW * len(rows) + _BOTTOM
    places = [(tick, _NAMES + scale * tick) for tick in ticks(0, most)]
    lines = [ChartLine(x, _LEGEND, x, height - _BOTTOM) for _, x in places]
    texts = [ChartText(x, height - 8, whole(tick)) for tick, x in places]
    bars, x = [], _NAMES
    for at, name in enumerate(names):
        bars.append(ChartBar(x, 4, 12, 12, SERIES[at % len(SERIES)], name))
        texts.append(ChartText(x + 16, 14, name, "start"))
        x += 16 + 7.5 * len(name) + 16
    for number, (name, counts) in enumerate(rows.items()):
        y, x = _LEGEND + _ROW * number + 3, _NAMES
        short = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
        texts.append(ChartText(_NAMES - 8, y + 14, short, "end", name))
        for at, count in enumerate(counts):
            if count:
                title = f"{name}, {names[at]}: {whole(count)}"
                bars.append(ChartBar(x, y, scale * count, _ROW - 6, SERIES[at % len(SERIES)], title))
            x += scale * count
    return Chart(label=label, height=height, lines=lines, bars=bars, texts=texts)


def ticks(first: int, last: int, *, about: int = _TICKS) -> list[int]:
    """Return round numbers in a range, with a step of 1, 2 or 5 times a power of ten."""
    rough = max((last - first) / about, 1)
    power = 10 ** int(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    return list(range(-(-first // step) * step, last + 1, step))


def svg_file(chart: Chart) -> Response:
    """Answer with a figure as a file."""
    return Response(render("chart.svg", chart=chart), media_type="image/svg+xml")


def csv_file(
    name: str,
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    cell: Callable[[object], object] = spreadsheet_cell,
) -> Response:
    """Answer with a table as a file. :param name: of the file, without its suffix. :param cell: makes a value safe."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(headers)
    writer.writerows([cell(value) for value in row] for row in rows)
    return text_file(f"{name}.csv", out.getvalue())


def text_file(name: str, text: str) -> Response:
    """Answer with a CSV or LaTeX file."""
    kind = "text/csv" if name.endswith(".csv") else "application/x-tex"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{kind}; charset=utf-8", headers=headers)
