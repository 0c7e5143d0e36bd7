"""Figures: ``collection.plot``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stcollection import figures
from stcollection.api.declared import called
from stcollection.api.face import Stage
from stcollection.studies.coverage.figure import plot_coverage
from stcollection.studies.synth.query_figure import plot_queries

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Plots(Stage[Any]):
    """``collection.plot``: figures of matplotlib, which notebooks display; see docs/howto/figures.md.

    >>> c.plot.systems("test")
    >>> c.plot.differences("hybrid", "bm25", edition="test").savefig("differences.pdf")

    Each method corresponds to a command of ``stc plot``. ``width`` is in inches.

    :raises StateError: matplotlib is not installed.
    """

    systems = called(figures.systems)
    ranks = called(figures.ranks)
    differences = called(figures.differences)
    slopes = called(figures.slopes)
    depth = called(figures.depth)
    grades = called(figures.grades)
    history = called(figures.history)
    years = called(figures.years)
    labels = called(figures.labels)
    distribution = called(figures.distribution)
    measures = called(figures.measures)
    correlations = called(figures.correlation)
    readable = called(figures.readable)
    annotations = called(figures.grades_given)
    snapshots = called(figures.snapshots)
    reliability = called(figures.scatter)
    growth = called(figures.curves)
    bias = called(figures.bias)
    queries = called(plot_queries)
    coverage = called(plot_coverage)

    def match(self, study: str, *, width: float | None = None) -> Figure:
        """Plot how a study's selected queries match the target; see :func:`~stcollection.studies.synth.match_figure.plot_match`."""
        from stcollection.studies.synth import match_figure  # imports scikit-learn, which no other figure needs

        drawn: Figure = match_figure.plot_match(self.connection, study, width=width)
        return drawn
