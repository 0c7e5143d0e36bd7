"""``stc analysis plot``."""

from __future__ import annotations

import importlib

import click

from stcollection.cli.folder import Folder
from stcollection.cli.options.everywhere import add_everywhere

_STUDIES = "stcollection.studies"
#: The function that draws each figure.
_FIGURES = {name: ("stcollection.figures", name) for name in (
    "bias", "depth", "differences", "distribution", "grades", "history", "labels", "measures", "ranks", "readable", "slopes",
    "snapshots", "systems", "years",
)} | {
    "annotations": ("stcollection.figures", "grades_given"),
    "correlations": ("stcollection.figures", "correlation"),
    "coverage": (f"{_STUDIES}.coverage.figure", "plot_coverage"),
    "growth": ("stcollection.figures", "curves"),
    "match": (f"{_STUDIES}.synth.match_figure", "plot_match"),
    "queries": (f"{_STUDIES}.synth.query_figure", "plot_queries"),
    "reliability": ("stcollection.figures", "scatter"),
}  # fmt: skip


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
