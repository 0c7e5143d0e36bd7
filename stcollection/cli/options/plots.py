"""The option ``--plot`` of commands that print the numbers of a figure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from stcollection.cli.options.files import OutputPath
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.settings import Settings
from stcollection.declared import arguments, call, parameters
from stcollection.io.writing import output


def _drawable(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a file that cannot be drawn before any work is done."""
    if path is not None:
        from stcollection.plots.canvas import kind_of, needed  # few commands draw

        kind_of(path)
        needed("matplotlib")
    return path


plot_option = click.option(
    "--plot", type=OutputPath(), callback=_drawable, metavar="FILE", help="Also draw the figure of this table: .svg, .png or .pdf."
)


def draw(settings: Settings, path: Path, name: str, values: Mapping[str, Any]) -> None:
    """Draw a figure of :mod:`stcollection.figures` with the values of a command's options, and write it."""
    from stcollection import figures
    from stcollection.db.connection import connect
    from stcollection.evaluation.parameters import measures_of
    from stcollection.plots.canvas import kind_of, write

    figure = getattr(figures, name)
    offered = {parameter.name for parameter in parameters(figure)}
    named = {name: value for name, value in values.items() if name in offered and name != "queries"}
    if "queries" in values:
        named["query_set"] = values["queries"]
    if values.get("measures"):
        named["measure"] = measures_of(values["measures"])[0]
    with connect(settings) as conn, output(path) as written:
        write(call(figure, conn, arguments(figure, named, local=True)), written, kind=kind_of(path))
    aside(f"{path}: {counted(path.stat().st_size, 'byte')}; 'stc plot' draws it with more options")
