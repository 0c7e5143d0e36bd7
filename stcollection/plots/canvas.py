"""The paper that figures are drawn on: one style, places in inches, texts measured before they are set, the same bytes each time.

matplotlib is imported when a figure is drawn. Figures are made without pyplot, so no display is ever asked for and none stays open.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, ParamSpec

from stcollection.errors import BadArgument, StateError

Figure = Any  # matplotlib.figure.Figure
Axes = Any  # matplotlib.axes.Axes
_P = ParamSpec("_P")

KINDS = ("svg", "png", "pdf")
COLUMN, PAGE = 3.35, 7.0  # inches: a column, and the text, of a two-column paper
LINE = 0.15  # inches from a line of text to the next
EDGE = 0.05  # inches that stay white at the edges
DPI = 300  # of PNG
_NARROWEST = 0.5  # inches of axes
_SHOWN = 120  # pixels an inch in a notebook

# Okabe & Ito's colours, which the colour-blind tell apart.
BLUE, SKY, GREEN, ORANGE, VERMILION = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00"
BLACK, DARK, GREY, PALE = "#000000", "#555555", "#8C8C8C", "#E3E3E3"

_STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.labelpad": 3,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": DPI,
    "figure.dpi": 150,
    "svg.fonttype": "none",
    "svg.hashsalt": "stcollection",
    "pdf.fonttype": 42,
}
_MISSING = r"Glyph (\d+) .*missing from"
_ANONYMOUS = {  # what the writers would add by themselves: the time, and their versions
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def needed(module: str) -> Any:
    """A module of matplotlib.

    :raises StateError: it is not installed; the hint names the extra that brings it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise StateError(
            "figures take matplotlib, which is not installed", hint="pip install 'stcollection[plot]'", sqlstate="IR404"
        ) from error


@contextlib.contextmanager
def style() -> Iterator[None]:
    """The style of all figures, whatever the user's own is. Of signs that the font has not it is :func:`write` that tells."""
    with needed("matplotlib.style").context(["default", _STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", _MISSING)
        yield


def styled(draw: Callable[_P, Figure]) -> Callable[_P, Figure]:
    """Give the figures that a function draws the style of all figures."""

    @wraps(draw)
    def in_style(*args: _P.args, **kwargs: _P.kwargs) -> Figure:
        with style():
            return draw(*args, **kwargs)

    return in_style


def kind_of(path: Path) -> str:
    """One of KINDS, by the ending of a file's name; case does not count.

    :raises BadArgument: another ending, or none.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        told = f"no kind of figure ends in {path.suffix!r}" if kind else f"{path.name!r} has no ending that tells its kind"
        raise BadArgument(told, hint="End the file's name in .svg, .png or .pdf.", sqlstate="IR202")
    return kind


def write(figure: Figure, file: BinaryIO | Path, *, kind: str | None = None) -> str:
    """Write a figure; the same data make the same bytes, with the same version of matplotlib.

    :returns: the signs for which a box stands, as the font has not got them; in SVG the viewer's fonts have a say.
    :param kind: one of KINDS; None: the ending of the file's name tells.
    :raises BadArgument: the ending does not tell.
    """
    if kind is None:
        if not isinstance(file, Path):
            raise BadArgument("an open file has no ending", hint="Give kind='svg', 'png' or 'pdf'.", sqlstate="IR202")
        kind = kind_of(file)
    with style(), warnings.catch_warnings(record=True) as told:
        warnings.filterwarnings("always", _MISSING)
        figure.savefig(file, format=kind, metadata=_ANONYMOUS[kind])
    missing = [re.match(_MISSING, str(one.message)) for one in told]
    return "" if kind == "svg" else "".join(dict.fromkeys(chr(int(found[1])) for found in missing if found))


def _for_notebook(figure: Figure) -> tuple[bytes, dict[str, int]]:
    """PNG and the pixels it is shown at: what IPython asks of a figure that pyplot does not know."""
    png = BytesIO()
    write(figure, png, kind="png")
    width, height = figure.get_size_inches()
    return png.getvalue(), {"width": round(width * _SHOWN), "height": round(height * _SHOWN)}


def extent(text: str) -> float:
    """How wide a text is set, in inches."""
    properties = needed("matplotlib.font_manager").FontProperties(size=_STYLE["font.size"])
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)  # which the font has not
    text = "".join(sign for sign in text if unicodedata.east_asian_width(sign) not in "WF")
    width, _, _ = needed("matplotlib.textpath").text_to_path.get_text_width_height_descent(text, properties, False)
    return (float(width) + wide * float(str(_STYLE["font.size"]))) / 72


def fitted(text: str, inches: float) -> str:
    """A text without signs that cannot be printed, its middle left out where it is wider than there is room."""
    text = "".join(sign if sign.isprintable() else "\ufffd" for sign in text)
    if extent(text) <= inches:
        return text
    for kept in range(len(text) - 1, 1, -1):
        head = (kept + 1) // 2
        short = f"{text[:head]}…{text[len(text) - kept + head :]}"
        if extent(short) <= inches:
            return short
    return f"{text[:1]}…"


def labels_of(names: Iterable[str], inches: float) -> list[str]:
    """Names fitted to some room; whole where two would read the same."""
    names = list(names)
    labels = [fitted(name, inches) for name in names]
    return labels if len(set(labels)) == len(set(names)) else [fitted(name, 100) for name in names]


def widest(texts: Iterable[str]) -> float:
    """In inches; 0 for none."""
    return max((extent(text) for text in texts), default=0.0)


def wrapped(texts: Sequence[str], inches: float) -> list[str]:
    """Lines no wider than some room, broken between words; each text begins one."""
    lines: list[str] = []
    for text in texts:
        line = ""
        for word in text.split():
            longer = f"{line} {word}" if line else fitted(word, inches)
            if line and extent(longer) > inches:
                lines.append(line)
                longer = fitted(word, inches)
            line = longer
        lines.append(line)
    return lines


def number(value: float | None, *, digits: int = 3, sign: bool = False) -> str:
    """As axes write it, with a minus that is one; a dash for None."""
    if value is None:
        return "–"
    rounded = round(value, digits) or 0.0  # no sign before zero
    return f"{rounded:{'+' if sign and rounded else ''}.{digits}f}".replace("-", "\N{MINUS SIGN}")


class TitledFigure:
    """A figure with its title set, left aligned at the top; places are inches from its lower left corner.

    :param height: without the title. :param note: on simulated data, the last line of the title. :ivar top: where the title ends.
    """

    def __init__(self, width: float, height: float, title: Sequence[str], *, note: str | None = None) -> None:
        title = [*title, note] if note else title
        lines, first = (wrapped(texts, width - 2 * EDGE) for texts in (title, title[:1]))
        self.width, self.top = width, height
        self.height = height + LINE * len(lines) + 2 * EDGE
        self.figure = needed("matplotlib.figure").Figure(figsize=(self.width, self.height))
        needed("matplotlib.backends.backend_agg").FigureCanvasAgg(self.figure)
        self.figure._repr_png_ = partial(_for_notebook, self.figure)
        for row, line in enumerate(lines):
            self.text(EDGE, self.height - EDGE - row * LINE, line, va="top", color=BLACK if row < len(first) else DARK)

    def axes(self, left: float, bottom: float, right: float, top: float, **keywords: Any) -> Axes:
        """Axes between these, in inches.

        :raises BadArgument: they would be too narrow to show anything.
        """
        if right - left < _NARROWEST:
            told = f"a width of {self.width:g} inches leaves none for the figure beside its labels"
            hint = f"It takes {self.width + _NARROWEST - right + left:.2f}, or shorter names."
            raise BadArgument(told, hint=hint, sqlstate="IR202")
        place = (left / self.width, bottom / self.height, (right - left) / self.width, (top - bottom) / self.height)
        return self.figure.add_axes(place, **keywords)

    def text(self, x: float, y: float, text: str, **keywords: Any) -> None:
        """A text at a place in inches."""
        self.figure.text(x / self.width, y / self.height, text, **keywords)

    def subplots(self, rows: int = 1, columns: int = 1, **ratios: Sequence[float]) -> Any:
        """A grid for axes whose places :meth:`laid_out` finds. :param ratios: ``height_ratios``, ``width_ratios``."""
        engine = needed("matplotlib.layout_engine").ConstrainedLayoutEngine(w_pad=EDGE, h_pad=EDGE, wspace=0, hspace=0)
        self.figure.set_layout_engine(engine)
        return self.figure.add_gridspec(rows, columns, **ratios)

    def laid_out(self, *, top: float | None = None) -> Figure:
        """Give the axes of the grid the room that their labels leave, by matplotlib's constrained layout; places stay from then on.

        :param top: inches from the lower edge; None: the title.
        :raises BadArgument: they would be too narrow to show anything.
        """
        engine = self.figure.get_layout_engine()
        engine.set(rect=(0, 0, 1, (self.top if top is None else top) / self.height))
        self.figure.align_ylabels()
        narrowest = 0.0
        with warnings.catch_warnings(), contextlib.suppress(UserWarning):
            warnings.filterwarnings("error", "constrained_layout not applied")  # there is no room at all
            engine.execute(self.figure)
            widths = (axes.get_position().width for axes in self.figure.axes if axes.get_label() != "<colorbar>")
            narrowest = self.width * min(widths)
        if narrowest < _NARROWEST:
            told = f"a width of {self.width:g} inches leaves none for the figure beside its labels"
            raise BadArgument(told, hint="Make it wider, or names shorter.", sqlstate="IR202")
        self.figure.set_layout_engine("none")
        return self.figure


def apart(wanted: Sequence[float], distance: float, *, lowest: float = 0.0) -> list[float]:
    """Places at least a distance apart, each group that is too close spread around its middle, none below the lowest.

    In the order given; of equal ones the first is the highest.
    """
    order = sorted(range(len(wanted)), key=lambda at: (wanted[at], -at))
    groups: list[tuple[list[int], float]] = []  # members, and the middle of where they want to be
    for at in order:
        members, middle = [at], wanted[at]
        while groups and middle - distance * (len(members) - 1) / 2 < (
            groups[-1][1] + distance * (len(groups[-1][0]) - 1) / 2 + distance
        ):
            below, centre = groups.pop()
            middle = (middle * len(members) + centre * len(below)) / (len(members) + len(below))
            members = below + members
        groups.append((members, middle))
    places = [0.0] * len(wanted)
    for members, middle in groups:
        for row, at in enumerate(members):
            places[at] = max(lowest, middle + distance * (row - (len(members) - 1) / 2))
            lowest = places[at] + distance
    return places


def thinned(wanted: Sequence[int], *, distance: float) -> list[int]:
    """Those of the rows wanted, most wanted first, that stand no closer than a distance (in rows) to one kept before; sorted."""
    kept: list[int] = []
    for row in wanted:
        if all(abs(row - other) >= distance for other in kept):
            kept.append(row)
    return sorted(kept)
