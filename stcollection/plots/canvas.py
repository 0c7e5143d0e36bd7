"""The canvas of all figures: one style, positions in inches, text measured before placement, reproducible bytes.

matplotlib is imported when a figure is drawn. Figures are made without pyplot, so they need no display and leave none open.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ParamSpec

from stcollection.counts import counted
from stcollection.declared import AllowedRange, Option
from stcollection.errors import BadArgument
from stcollection.extras import load_module

Width = Annotated[
    float | None,
    AllowedRange(ge=1.5, le=40),
    Option(
        metavar="INCHES",
        help="Width of the figure in inches.",
        default="one column of a paper, 3.35, or as wide as its labels need",
    ),
]
Figure = Any  # matplotlib.figure.Figure
Axes = Any  # matplotlib.axes.Axes
_P = ParamSpec("_P")
_RECORD = "_stcollection_record"  # attribute of a figure

KINDS = ("svg", "png", "pdf")
COLUMN, PAGE = 3.35, 7.0  # inches: column width and text width of a two-column paper
LINE = 0.15  # inches between lines of text
EDGE = 0.05  # white margin in inches
DPI = 300  # resolution of PNG files
_NARROWEST = 0.5  # minimum width of axes in inches
_SHOWN = 120  # pixels per inch in a notebook

# Okabe & Ito's colours, which colour-blind readers can distinguish.
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
_ANONYMOUS = {  # suppress what the writers add: time and version
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def needed(module: str) -> Any:
    """Import a module of matplotlib.

    :raises StateError: it is not installed; the hint names the extra that installs it.
    """
    return load_module(module, what="a figure")


@contextlib.contextmanager
def style() -> Iterator[None]:
    """Apply the style of all figures, whatever the user's style. :func:`write` reports characters that the font lacks."""
    with needed("matplotlib.style").context(["default", _STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", _MISSING)
        yield


def styled(draw: Callable[_P, Figure]) -> Callable[_P, Figure]:
    """Decorate a drawing function: its figures have the style of all figures, and keep the record that they were drawn from."""

    @wraps(draw)
    def in_style(*args: _P.args, **kwargs: _P.kwargs) -> Figure:
        with style():
            figure = draw(*args, **kwargs)
        setattr(figure, _RECORD, args[0])
        return figure

    return in_style


def record_of(figure: Figure) -> Any:
    """Return the record that a figure was drawn from; None for a figure of another origin."""
    return getattr(figure, _RECORD, None)


def kind_of(path: Path, kinds: Sequence[str] = KINDS) -> str:
    """Return the kind of a figure by the extension of its file's name; case is ignored.

    :raises BadArgument: the extension is missing or unknown.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in kinds:
        fault = f"unknown kind of figure {path.suffix!r}" if kind else f"{path.name!r} has no file extension"
        raise BadArgument(fault, hint=f"Use the extension {', '.join(f'.{kind}' for kind in kinds)}.")
    return kind


def write(figure: Figure, file: BinaryIO | Path, *, kind: str | None = None) -> str:
    """Write a figure. The same data and version of matplotlib produce the same bytes.

    :param kind: one of KINDS; None: by the extension of the file's name.
    :returns: the characters that the font lacks, which are drawn as boxes; in SVG the result also depends on the viewer's fonts.
    :raises BadArgument: the kind is unknown.
    """
    if kind is None:
        if not isinstance(file, Path):
            raise BadArgument(
                "the kind of figure is missing: an open file has no extension", hint="Set kind='svg', 'png' or 'pdf'."
            )
        kind = kind_of(file)
    with style(), warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", _MISSING)
        figure.savefig(file, format=kind, metadata=_ANONYMOUS[kind])
    missing = [re.match(_MISSING, str(warning.message)) for warning in caught]
    return "" if kind == "svg" else "".join(dict.fromkeys(chr(int(match[1])) for match in missing if match))


def _for_notebook(figure: Figure) -> tuple[bytes, dict[str, int]]:
    """Return a PNG and its size in pixels, as IPython needs for a figure that was made without pyplot."""
    png = BytesIO()
    write(figure, png, kind="png")
    width, height = figure.get_size_inches()
    return png.getvalue(), {"width": round(width * _SHOWN), "height": round(height * _SHOWN)}


def extent(text: str) -> float:
    """Return the width of a text in inches."""
    properties = needed("matplotlib.font_manager").FontProperties(size=_STYLE["font.size"])
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)  # wide characters are not in the font
    text = "".join(sign for sign in text if unicodedata.east_asian_width(sign) not in "WF")
    width, _, _ = needed("matplotlib.textpath").text_to_path.get_text_width_height_descent(text, properties, False)
    return (float(width) + wide * float(str(_STYLE["font.size"]))) / 72


def fitted(text: str, inches: float) -> str:
    """Return a text without unprintable characters, with its middle replaced by … if it is wider than ``inches``."""
    text = "".join(sign if sign.isprintable() else "\ufffd" for sign in text)
    if extent(text) <= inches:
        return text
    for count in range(len(text) - 1, 1, -1):
        head = (count + 1) // 2
        short = f"{text[:head]}…{text[len(text) - count + head :]}"
        if extent(short) <= inches:
            return short
    return f"{text[:1]}…"


def labels_of(names: Iterable[str], inches: float) -> list[str]:
    """Shorten names to a width; keep them whole if two would become equal."""
    names = list(names)
    labels = [fitted(name, inches) for name in names]
    return labels if len(set(labels)) == len(set(names)) else [fitted(name, 100) for name in names]


def widest(texts: Iterable[str]) -> float:
    """Return the width of the widest text in inches; 0 without texts."""
    return max((extent(text) for text in texts), default=0.0)


def wrapped(texts: Sequence[str], inches: float) -> list[str]:
    """Wrap texts between words to lines of at most this width; each text starts a new line."""
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
    """Format a number as axes do, with a real minus sign; a dash for None."""
    if value is None:
        return "–"
    rounded = round(value, digits) or 0.0  # no sign before zero
    return f"{rounded:{'+' if sign and rounded else ''}.{digits}f}".replace("-", "\N{MINUS SIGN}")


class TitledFigure:
    """A figure with its title at the top left; positions are inches from the lower left corner.

    :param height: without the title.
    :param note: note on simulated data, the last line of the title.
    :ivar top: lower edge of the title.
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
        """Add axes between these positions, in inches.

        :raises BadArgument: they would be too narrow to show anything.
        """
        if right - left < _NARROWEST:
            fault = f"a width of {counted(self.width, 'inch', 'inches')} leaves no room for the figure next to its labels"
            hint = f"Use at least {self.width + _NARROWEST - right + left:.2f} inches, or shorter names."
            raise BadArgument(fault, hint=hint)
        place = (left / self.width, bottom / self.height, (right - left) / self.width, (top - bottom) / self.height)
        return self.figure.add_axes(place, **keywords)

    def text(self, x: float, y: float, text: str, **keywords: Any) -> None:
        """Add a text at a position in inches."""
        self.figure.text(x / self.width, y / self.height, text, **keywords)

    def subplots(self, rows: int = 1, columns: int = 1, **ratios: Sequence[float]) -> Any:
        """Add a grid of axes that :meth:`laid_out` positions. :param ratios: ``height_ratios``, ``width_ratios``."""
        engine = needed("matplotlib.layout_engine").ConstrainedLayoutEngine(w_pad=EDGE, h_pad=EDGE, wspace=0, hspace=0)
        self.figure.set_layout_engine(engine)
        return self.figure.add_gridspec(rows, columns, **ratios)

    def laid_out(self, *, top: float | None = None) -> Figure:
        """Fit the axes of the grid around their labels with matplotlib's constrained layout, and fix their positions.

        :param top: upper edge in inches from the lower edge of the figure; None: the title.
        :raises BadArgument: they would be too narrow to show anything.
        """
        engine = self.figure.get_layout_engine()
        engine.set(rect=(0, 0, 1, (self.top if top is None else top) / self.height))
        self.figure.align_ylabels()
        narrowest = 0.0
        with warnings.catch_warnings(), contextlib.suppress(UserWarning):
            warnings.filterwarnings("error", "constrained_layout not applied")  # the axes do not fit at all
            engine.execute(self.figure)
            widths = (axes.get_position().width for axes in self.figure.axes if axes.get_label() != "<colorbar>")
            narrowest = self.width * min(widths)
        if narrowest < _NARROWEST:
            fault = f"a width of {counted(self.width, 'inch', 'inches')} leaves no room for the figure next to its labels"
            raise BadArgument(fault, hint="Use a larger width, or shorter names.")
        self.figure.set_layout_engine("none")
        return self.figure


def apart(positions: Sequence[float], distance: float, *, lowest: float = 0.0) -> list[float]:
    """Move positions at least a distance apart: spread each crowded group around its middle, with no position below the lowest.

    The order is kept; the first of equal positions becomes the highest.
    """
    order = sorted(range(len(positions)), key=lambda at: (positions[at], -at))
    groups: list[tuple[list[int], float]] = []  # members, and the mean of their wanted positions
    for at in order:
        members, middle = [at], positions[at]
        while groups and middle - distance * (len(members) - 1) / 2 < (
            groups[-1][1] + distance * (len(groups[-1][0]) - 1) / 2 + distance
        ):
            below, centre = groups.pop()
            middle = (middle * len(members) + centre * len(below)) / (len(members) + len(below))
            members = below + members
        groups.append((members, middle))
    places = [0.0] * len(positions)
    for members, middle in groups:
        for row, at in enumerate(members):
            places[at] = max(lowest, middle + distance * (row - (len(members) - 1) / 2))
            lowest = places[at] + distance
    return places


def thinned(rows: Sequence[int], *, distance: float) -> list[int]:
    """Return the wanted rows that keep a distance (in rows) from those kept before, most wanted first; sorted."""
    chosen: list[int] = []
    for row in rows:
        if all(abs(row - other) >= distance for other in chosen):
            chosen.append(row)
    return sorted(chosen)
