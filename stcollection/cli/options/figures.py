"""Options of figures, and how to draw and write a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from stcollection.analysis.rendering import render
from stcollection.cli.declared import Call, command
from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import output
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.errors import BadArgument
from stcollection.plots.canvas import Figure, kind_of, needed, write
from stcollection.plots.table import table_of


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


def _write(call: Call[Figure]) -> None:  # no docstring: the help of a figure is that of its function
    with connect(call.settings) as conn:
        figure = call(conn)
    files = click.get_current_context().params
    out, csv = files["out"], files["csv"]
    with output(out) as written:
        boxes = write(figure, written, kind=kind_of(out))
    width, height = figure.get_size_inches()
    click.echo(f"{out}: {width:.2f} × {height:.2f} inches, {counted(out.stat().st_size, 'byte')}")
    if csv is not None:
        write_csv(csv, *table_of(figure))
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
_out_option = click.option(
    "--out",
    type=OutputPath(),
    callback=_out,
    is_eager=True,
    help="Write the figure to FILE: .svg, .png or .pdf.  [default: COMMAND.svg, if it does not exist]",
)


def figure_command(name: str, figure: Callable[..., Figure]) -> click.Command:
    """Return the command that draws a figure of the collection, writes it and its data, and prints their sizes."""
    made = command(figure, omit=("power",))(_write)  # power: of a table of runs, not in its figure
    made.name = name
    for option in (_out_option, csv_option):
        option(made)
    return made
