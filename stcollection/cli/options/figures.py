"""``--out`` of figures, and how to draw and write a figure and its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from stcollection.analysis.rendering import render
from stcollection.cli.declared import Call, command
from stcollection.cli.options.files import OutputPath
from stcollection.cli.output import output
from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.plots.canvas import KINDS, Figure, kind_of, needed, write
from stcollection.plots.table import table_of

_DATA = ".csv"


class FigureFiles(NamedTuple):
    """The files of ``--out``. :param data: for the data of the figure, as CSV."""

    figure: Path | None
    data: Path | None


def _file(paths: Sequence[Path]) -> Path | None:
    """Return the file of one kind, after checking its folder before any work is done."""
    if len(paths) > 1:
        fault = f"--out names {counted(len(paths), 'file')} of one kind: {', '.join(map(str, paths))}"
        raise BadArgument(fault, hint="Name one figure, and one .csv for its data.")
    for path in paths:
        if not path.parent.is_dir():
            hint = "Create the folder, or write to another one."
            raise BadArgument(f"the folder {path.parent} does not exist", hint=hint)
    return paths[0] if paths else None


def _default(name: str) -> Path:
    """Return the file named after the command, but never overwrite a file that was not named."""
    path = Path(f"{name}.svg")
    if path.exists():
        hint = f"Name a file with --out; '--out {path}' replaces the old one."
        raise BadArgument(f"{path} exists in this folder", hint=hint)
    return path


def figure_option(*kinds: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--out`` of a figure, passed to a command as the FigureFiles ``files``. :param kinds: the kinds that can be drawn."""

    def read(ctx: click.Context, _: click.Parameter, paths: Sequence[Path]) -> FigureFiles:
        if ctx.resilient_parsing:
            return FigureFiles(None, None)
        figure, data = (_file([path for path in paths if (path.suffix.lower() == _DATA) is is_data]) for is_data in (False, True))
        if figure is None and data is None:
            figure = _default(ctx.info_name or "figure")
        if figure is not None:
            kind_of(figure, kinds)
        return FigureFiles(figure, data)

    return click.option(
        "--out",
        "files",
        multiple=True,
        type=OutputPath(),
        callback=read,
        is_eager=True,
        help=f"Write the figure to FILE ({', '.join(f'.{kind}' for kind in kinds)}), or its data ({_DATA}). Repeatable.  "
        "[default: COMMAND.svg, if it does not exist]",
    )


def _write(call: Call[Figure]) -> None:  # no docstring: the help of a figure is that of its function
    files: FigureFiles = click.get_current_context().params["files"]
    needed("matplotlib")
    drawn = call.once()
    if files.figure is not None:
        with output(files.figure) as written:
            boxes = write(drawn, written, kind=kind_of(files.figure))
        width, height = drawn.get_size_inches()
        click.echo(f"{files.figure}: {width:.2f} × {height:.2f} inches, {counted(files.figure.stat().st_size, 'byte')}")
        if boxes:
            click.echo(f"the font has no glyph for {boxes!r}, drawn as boxes; SVG leaves the font to the viewer", err=True)
    if files.data is not None:
        write_csv(files.data, *table_of(drawn))


def write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]], simulated: str | None = None) -> None:
    """Write the data of a figure, and print their number. :param simulated: if set, a column ``simulated`` is added."""
    with output(path) as written:
        written.write(f"{render(rows, columns, style='csv', simulated=simulated)}\n".encode())
    click.echo(f"{path}: {counted(len(rows), 'row')}")


def figure_command(name: str, figure: Callable[..., Figure]) -> click.Command:
    """Return the command that draws a figure of the collection, writes it and its data, and prints their sizes."""
    made = command(figure, omit=("power",))(_write)  # power: of a table of runs, not in its figure
    made.name = name
    figure_option(*KINDS)(made)
    return made
