"""Figures: ``collection.plot``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from stcollection import figures
from stcollection.api.declared import called
from stcollection.api.face import Stage
from stcollection.plugins import studies


class Plots(Stage[Any]):
    """``collection.plot``: figures of matplotlib, which notebooks display; see docs/howto/figures.md.

    >>> c.plot.systems("test")
    >>> c.plot.differences("hybrid", "bm25", edition="test").savefig("differences.pdf")

    The help of ``stc plot NAME`` describes the method NAME. ``width`` is in inches. Studies add theirs.

    :raises StateError: matplotlib is not installed.
    """

    systems = called(figures.systems)
    ranks = called(figures.ranks)
    variation = called(figures.variation)
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


for _study in studies():
    for _word, _figure in _study.plot.items():
        if not hasattr(Plots, _word):
            Plots.add_method(_word, cast("Callable[..., Any]", called(_study.part(_figure))))
