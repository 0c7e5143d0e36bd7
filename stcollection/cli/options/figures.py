"""Options of figures, and how to draw and write a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import click
import psycopg

from stcollection.analysis.intervals import INTERVALS, Interval
from stcollection.analysis.rendering import render
from stcollection.cli.options import packed, together
from stcollection.cli.options.completion import complete_measures
from stcollection.cli.options.files import OutputPath
from stcollection.cli.options.measures import measures_named
from stcollection.cli.output import output
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.plots.canvas import Figure, kind_of, needed, write
from stcollection.plots.table import table_of

_P = ParamSpec("_P")


def in_folder(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Reject a file without a folder before any work is done."""
    if path is not None and not path.parent.is_dir():
        raise BadArgument(
            f"the folder {path.parent} does not exist", hint="Create the folder, or write to another one.", sqlstate="IR202"
        )
    return path


def default_figure(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Use the command's name as the name of the figure if none is given, but never overwrite a file that was not named."""
    if path is None and not ctx.resilient_parsing:
        path = Path(f"{ctx.info_name}.svg")
        if path.exists():
            raise BadArgument(
                f"{path} exists in this folder",
                hint=f"Name a file with --out; '--out {path}' replaces the old one.",
                sqlstate="IR202",
            )
    return in_folder(ctx, parameter, path)


def _out(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    path = default_figure(ctx, parameter, path)
    if path is not None:
        kind_of(path)
        needed("matplotlib")
    return path


def svg_option(help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # noqa: A002
    """``--out`` of a figure that is always SVG."""

    def check(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
        if path is not None and path.suffix.lower() != ".svg":
            raise BadArgument(f"{path.name!r} is not an SVG file", hint="Use the extension .svg.", sqlstate="IR202")
        return default_figure(ctx, parameter, path)

    return click.option("--out", type=OutputPath(), callback=check, help=f"{help}  [default: COMMAND.svg, if it does not exist]")


@dataclass(frozen=True, kw_only=True)
class FigureFile:
    """The files of a figure.

    :param width: inches; None for the figure's default.
    :param csv: file for the data of the figure; None: do not write them.
    """

    out: Path
    width: float | None = None
    csv: Path | None = None


def draw(
    settings: Settings,
    file: FigureFile,
    figure: Callable[Concatenate[psycopg.Connection, _P], Figure],
    /,
    *arguments: _P.args,
    **named: _P.kwargs,
) -> None:
    """Draw a figure of the collection, write it and its data, and print their sizes."""
    with connect(settings) as conn:
        done = figure(conn, *arguments, **named)
    with output(file.out) as written:
        boxes = write(done, written, kind=kind_of(file.out))
    width, height = done.get_size_inches()
    click.echo(f"{file.out}: {width:.2f} × {height:.2f} inches, {counted(file.out.stat().st_size, 'byte')}")
    if file.csv is not None:
        write_csv(file.csv, *table_of(done))
    if boxes:
        click.echo(f"the font has no glyph for {boxes!r}, drawn as boxes; SVG leaves the font to the viewer", err=True)


def write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]], simulated: str | None = None) -> None:
    """Write the data of a figure, and print their number. :param simulated: if set, a column ``simulated`` is added."""
    with output(path) as written:
        written.write(f"{render(rows, columns, style='csv', simulated=simulated)}\n".encode())
    click.echo(f"{path}: {counted(len(rows), 'row')}")


csv_option = click.option(
    "--csv",
    "csv",
    type=OutputPath(),
    callback=in_folder,
    metavar="FILE",
    help="Also write the data of the figure to FILE, as CSV.",
)
_file_options = together(
    click.option(
        "--out",
        type=OutputPath(),
        callback=_out,
        is_eager=True,
        help="Write the figure to FILE: .svg, .png or .pdf.  [default: COMMAND.svg, if it does not exist]",
    ),
    click.option(
        "--width",
        type=click.FloatRange(1.5, 40),
        metavar="INCHES",
        help="Width of the figure in inches.  [default: one column of a paper, 3.35, or as wide as its labels need]",
    ),
    csv_option,
)


def file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the file, passed to the command as ``file``."""
    return _file_options(packed(FigureFile, "file")(command))


def measures_option(most: int) -> Callable[..., Any]:
    """``-m`` of a figure that shows one measure, or one or two."""

    def check(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> Measure | list[Measure]:
        measures = measures_named(names) or [nDCG @ 10]
        if len(measures) > most:
            many = f"{counted(len(measures), 'measure')} in one figure"
            raise BadArgument(many, hint=f"Name {'one' if most == 1 else 'one, or two'}: -m nDCG@10.", sqlstate="IR202")
        return measures[0] if most == 1 else measures

    name = "measure" if most == 1 else "measures"
    told = "Measure: nDCG@10, AP, …" if most == 1 else "Measure: nDCG@10, AP, … Repeat it to compare two measures."
    return click.option(
        "-m", "--measure", name, multiple=True, callback=check, shell_complete=complete_measures, help=f"{told}  [default: nDCG@10]"
    )


_spread_options = together(
    click.option(
        "--interval",
        type=click.Choice(list(INTERVALS)),
        default="t",
        show_default=True,
        help="Interval of the mean over queries: Student's t, or BCa bootstrap.",
    ),
    click.option(
        "--alpha",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help="The interval has confidence 1 − alpha.",
    ),
    click.option("--resamples", type=click.IntRange(min=1), default=100_000, show_default=True, help="Bootstrap resamples."),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap."),
    click.option(
        "--missing",
        type=click.Choice(["zero", "drop"]),
        default="zero",
        show_default=True,
        help="Value of a query without documents in a run: 0 (trec_eval -c), or leave it out.",
    ),
)


def spread_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of an interval, passed to the command as ``interval``, and of queries without a value."""
    return _spread_options(packed(Interval, "interval", interval="kind")(command))
