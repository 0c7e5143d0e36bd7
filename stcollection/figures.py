"""Figures of a collection: each function queries it and returns a matplotlib Figure.

Notebooks show the figure; :func:`~stcollection.plots.canvas.write` writes it to a file. The queries are functions of
:mod:`stcollection.analysis`, the drawings functions of :mod:`stcollection.plots`. Each ``width`` is in inches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import psycopg

from stcollection.analysis.bias import THOUSAND as RESAMPLED
from stcollection.analysis.bias import Resampling
from stcollection.analysis.bias import bias as family_bias
from stcollection.analysis.document_measures import READABILITY
from stcollection.analysis.edition_means import edition_means
from stcollection.analysis.history import collection_history, document_years
from stcollection.analysis.intervals import STUDENT, Interval
from stcollection.analysis.judgments import grade_counts as grade_counts
from stcollection.analysis.judgments import grade_distributions, pool_depths
from stcollection.analysis.measured import GRADE_LEVEL, SAMPLE, Reading, bins, correlations, readable_runs, spreads
from stcollection.analysis.measured import grades_given as means_given
from stcollection.analysis.overtime import over_time
from stcollection.analysis.records import Distribution as Distribution
from stcollection.analysis.records import Slope as Slope
from stcollection.analysis.records import SystemScore as SystemScore
from stcollection.analysis.reliability import THOUSAND, Draws, growth_curves, set_means
from stcollection.analysis.systems import query_differences, ranking_changes, system_means
from stcollection.analysis.systems import slope_scores as slope_scores
from stcollection.analysis.systems import system_scores as system_scores
from stcollection.analysis.ties import USUAL, TieRules, tied_ranking
from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.plots.bias import draw_bias
from stcollection.plots.canvas import Figure, needed
from stcollection.plots.documents import ROWS, draw_correlations, draw_distribution, draw_grade_means, draw_measures
from stcollection.plots.history import draw_history, draw_years
from stcollection.plots.judgments import draw_depth, draw_grades
from stcollection.plots.ranks import draw_ranks
from stcollection.plots.readable import draw_readable
from stcollection.plots.reliability import draw_editions, draw_growth, draw_scatter, draw_snapshots
from stcollection.plots.systems import draw_differences, draw_slopes, draw_systems
from stcollection.topics.sets import ALL

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

_P = ParamSpec("_P")


def _with_matplotlib(figure: Callable[_P, Any]) -> Callable[_P, MatplotlibFigure]:
    """Raise StateError before the first query if matplotlib is not installed."""

    @wraps(figure)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> MatplotlibFigure:
        needed("matplotlib")
        drawn: MatplotlibFigure = figure(*args, **kwargs)
        return drawn

    return checked


@_with_matplotlib
def systems(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    queries: bool = False,
    interval: Interval = STUDENT,
    missing: str = "zero",
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw the mean of each run with its interval over queries, best on top.

    :param queries: also draw the value of each query, as a faint line.
    :param query_set: a set of queries (:func:`~stcollection.topics.sets.members`); also a parameter of other figures.

    The other parameters are those of :func:`~stcollection.analysis.systems.system_scores`.
    """
    means = system_means(conn, edition=edition, measure=measure, runs=runs, interval=interval, missing=missing, queries=query_set)
    return draw_systems(means, queries=queries, width=width)


@_with_matplotlib
def ranks(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    rules: TieRules = USUAL,
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw the rank of each run with its interval; see :func:`~stcollection.analysis.ties.tied_ranking`."""
    return draw_ranks(tied_ranking(conn, edition=edition, measure=measure, runs=runs, rules=rules, queries=query_set), width=width)


@_with_matplotlib
def differences(
    conn: psycopg.Connection,
    run: str,
    against: str,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    interval: Interval = STUDENT,
    missing: str = "zero",
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw the difference between two runs on each query.

    See :func:`~stcollection.analysis.systems.query_differences`.
    """
    moves = query_differences(
        conn, run, against, edition=edition, measure=measure, interval=interval, missing=missing, queries=query_set
    )
    return draw_differences(moves, width=width)


@_with_matplotlib
def slopes(
    conn: psycopg.Connection,
    *,
    edition: str,
    against: str | None = None,
    measures: Sequence[Measure] = (nDCG @ 10,),
    runs: Sequence[str] = (),
    every: bool = False,
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw one ranking of runs against another; see :func:`~stcollection.analysis.systems.slope_scores`."""
    changes = ranking_changes(conn, edition=edition, against=against, measures=measures, runs=runs, every=every, queries=query_set)
    return draw_slopes(changes, width=width)


@_with_matplotlib
def depth(
    conn: psycopg.Connection, pool: str, *, edition: str | None = None, relevant: int = 1, width: float | None = None
) -> Figure:
    """Draw the yield of a pool by depth; see :func:`~stcollection.analysis.judgments.pool_depths`."""
    return draw_depth(pool_depths(conn, pool, edition=edition, relevant=relevant), width=width)


@_with_matplotlib
def grades(
    conn: psycopg.Connection,
    editions: Sequence[str] = (),
    *,
    by: str = "judge",
    counts: bool = False,
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw the grades of editions, or of all; see :func:`~stcollection.analysis.judgments.grade_counts`.

    :param counts: draw bars as long as their number of judgments; otherwise all bars are 100%.
    """
    return draw_grades(grade_distributions(conn, editions, by=by, query_set=query_set), counts=counts, width=width)


@_with_matplotlib
def distribution(
    conn: psycopg.Connection,
    measure: str = "textstat_fkgl",
    *,
    by: str = "year",
    smallest: int = 10,
    most: int = 20,
    width: float | None = None,
) -> Figure:
    """Draw the distribution of a measure by year, venue, …; see :func:`~stcollection.analysis.measured.spreads`.

    :param most: number of groups to show, the largest first; at most ROWS. All years are shown.
    """
    if not 1 <= most <= ROWS:
        raise BadArgument(f"{counted(most, 'box', 'boxes')} in one figure", hint=f"Give 1 to {ROWS}.", sqlstate="IR202")
    groups = spreads(conn, measure, by=by, smallest=smallest, most=None if by == "year" else most)
    return draw_distribution(groups, width=width)


@_with_matplotlib
def measures(
    conn: psycopg.Connection,
    x: str,
    y: str,
    *,
    size: int | None = None,
    beyond: float = 0.005,
    most: int = SAMPLE,
    seed: int = 0,
    width: float | None = None,
) -> Figure:
    """Draw one measure of documents against another; see :func:`~stcollection.analysis.measured.bins`."""
    return draw_measures(bins(conn, x, y, size=size, beyond=beyond, most=most, seed=seed), width=width)


@_with_matplotlib
def correlation(
    conn: psycopg.Connection, names: Sequence[str] = READABILITY, *, most: int = SAMPLE, seed: int = 0, width: float | None = None
) -> Figure:
    """Draw Spearman's rho of each pair of measures; see :func:`~stcollection.analysis.measured.correlations`."""
    return draw_correlations(correlations(conn, names, most=most, seed=seed), width=width)


@_with_matplotlib
def grades_given(
    conn: psycopg.Connection,
    *,
    measure: str = "textstat_fkgl",
    aspect: str = "complexity",
    everyone: bool = False,
    width: float | None = None,
) -> Figure:
    """Draw a measure by the grades that annotators gave; see :func:`~stcollection.analysis.measured.grade_means`."""
    return draw_grade_means(means_given(conn, measure=measure, aspect=aspect, everyone=everyone), width=width)


@_with_matplotlib
def readable(
    conn: psycopg.Connection,
    runs: Sequence[str] = (),
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    reading: Reading = GRADE_LEVEL,
    interval: Interval = STUDENT,
    missing: str = "zero",
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw runs by relevance and by readability of their top documents.

    See :func:`~stcollection.analysis.measured.readable_runs`.
    """
    points = readable_runs(
        conn, edition=edition, measure=measure, reading=reading, runs=runs, interval=interval, missing=missing, queries=query_set
    )
    return draw_readable(points, width=width)


@_with_matplotlib
def scatter(
    conn: psycopg.Connection,
    *,
    edition: str,
    pair: tuple[str, str],
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    width: float | None = None,
) -> Figure:
    """Draw systems by their means over two sets of queries; see :func:`~stcollection.analysis.reliability.set_means`."""
    return draw_scatter(set_means(conn, edition=edition, pair=pair, measure=measure, runs=runs), width=width)


@_with_matplotlib
def curves(
    conn: psycopg.Connection,
    *,
    edition: str,
    of: Sequence[str] = (),
    against: str = "human",
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    draws: Draws = THOUSAND,
    width: float | None = None,
) -> Figure:
    """Draw how tau grows with the number of queries; see :func:`~stcollection.analysis.reliability.growth_curves`."""
    growth = growth_curves(conn, edition=edition, of=of, against=against, measure=measure, runs=runs, draws=draws)
    return draw_growth(growth, width=width)


@_with_matplotlib
def bias(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    reference: str = "human",
    runs: Sequence[str] = (),
    bootstrap: Resampling = RESAMPLED,
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw how far each family of systems shifts; see :func:`~stcollection.analysis.bias.bias`."""
    shifts = family_bias(
        conn, edition=edition, measure=measure, reference=reference, runs=runs, bootstrap=bootstrap, queries=query_set
    )
    return draw_bias(shifts, width=width)


@_with_matplotlib
def years(conn: psycopg.Connection, *, width: float | None = None) -> Figure:
    """Draw the documents by year of publication; see :func:`~stcollection.analysis.history.document_years`."""
    return draw_years(document_years(conn), width=width)


@_with_matplotlib
def history(conn: psycopg.Connection, editions: Sequence[str] = (), *, width: float | None = None) -> Figure:
    """Draw the topics, queries and judgments of editions; see :func:`~stcollection.analysis.history.edition_history`."""
    return draw_history(collection_history(conn, editions), width=width)


@_with_matplotlib
def labels(
    conn: psycopg.Connection,
    human: str,
    other: str,
    *,
    measure: Measure = nDCG @ 10,
    runs: Sequence[str] = (),
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw systems by their means by two editions; see :func:`~stcollection.analysis.edition_means.edition_means`."""
    return draw_editions(edition_means(conn, human, other, measure=measure, runs=runs, queries=query_set), width=width)


@_with_matplotlib
def snapshots(
    conn: psycopg.Connection,
    run: str,
    baseline: str,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    days: Sequence[str] = (),
    query_set: str = ALL,
    width: float | None = None,
) -> Figure:
    """Draw the scores of a run and a baseline over snapshots; see :func:`~stcollection.analysis.overtime.over_time`."""
    effect = over_time(conn, run=run, baseline=baseline, edition=edition, measure=measure, days=days, queries=query_set)
    return draw_snapshots(effect, width=width)
