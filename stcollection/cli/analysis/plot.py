"""``stc analysis plot``."""

from __future__ import annotations

import importlib

import click

from stcollection.cli.folder import Folder
from stcollection.cli.options.everywhere import add_everywhere

_LIBRARY, _STUDIES = "stcollection.figures", "stcollection.studies"
_SAME_NAME = (
    "bias", "depth", "differences", "distribution", "grades", "history", "labels", "measures", "ranks", "readable", "slopes",
    "snapshots", "systems", "years",
)  # fmt: skip
#: The function that draws each figure.
_FIGURES = {name: (_LIBRARY, name) for name in _SAME_NAME} | {
    "annotations": (_LIBRARY, "grades_given"),
    "correlations": (_LIBRARY, "correlation"),
    "coverage": (f"{_STUDIES}.coverage.figure", "plot_coverage"),
    "growth": (_LIBRARY, "curves"),
    "match": (f"{_STUDIES}.synth.match_figure", "plot_match"),
    "queries": (f"{_STUDIES}.synth.query_figure", "plot_queries"),
    "reliability": (_LIBRARY, "scatter"),
}


class FigureCommands(Folder):
    """A group whose commands are declared by the functions that draw figures."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_FIGURES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _FIGURES:
            return None
        from stcollection.cli.options.figures import figure_command  # not at module level: help of the group needs no figure

        figure = getattr(importlib.import_module(self.module(name)), self._function(name))
        return add_everywhere(figure_command(name, figure))

    def module(self, name: str) -> str:
        return _FIGURES[name][0]

    def _function(self, name: str) -> str:
        return _FIGURES[name][1]


@click.group("plot", cls=FigureCommands)
def command() -> None:
    """Draw figures as SVG, PNG or PDF; the suffix of --out selects the format. Equal data give equal files."""
