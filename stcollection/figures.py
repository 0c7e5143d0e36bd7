"""Figures of a collection: each function queries it and returns a matplotlib Figure.

Notebooks show the figure; :func:`~stcollection.plots.canvas.write` writes it to a file. The queries are functions of
:mod:`stcollection.analysis`, the drawings functions of :mod:`stcollection.plots`. Each function is the declaration of a command
of ``stc plot`` and of a method of ``collection.plot``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec

import psycopg

from stcollection.analysis.annotations import GradedAspect
from stcollection.analysis.bias import THOUSAND as RESAMPLED
from stcollection.analysis.bias import ReferenceOrigin, Resampling
from stcollection.analysis.bias import bias as family_bias
from stcollection.analysis.document_measures import Grouping
from stcollection.analysis.edition_means import edition_means
from stcollection.analysis.history import collection_history, document_years
from stcollection.analysis.intervals import STUDENT, Interval
from stcollection.analysis.judgments import JudgedBy, grade_distributions, pool_depths
from stcollection.analysis.measured import (
    GRADE_LEVEL,
    SAMPLE,
    Reading,
    Sample,
    SampleSeed,
    bins,
    correlations,
    readable_runs,
    spreads,
)
from stcollection.analysis.measured import grades_given as means_given
from stcollection.analysis.overtime import over_time
from stcollection.analysis.reliability import THOUSAND, DrawnSets, Draws, ReferenceSet, growth_curves, pair_of, set_means
from stcollection.analysis.systems import query_differences, ranking_changes, system_means
from stcollection.analysis.ties import USUAL, TieRules, tied_ranking
from stcollection.analysis.variation import variation_means
from stcollection.declared import AllowedRange, Option, declare
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.evaluation.parameters import (
    ChosenRuns,
    EditionArgument,
    NamedEdition,
    OneMeasure,
    QueriesOption,
    Runs,
    measures_shown,
    only_measure,
    runs_of,
    set_of,
)
from stcollection.plots.bias import draw_bias
from stcollection.plots.canvas import Figure, Width, needed
from stcollection.plots.documents import ROWS, draw_correlations, draw_distribution, draw_grade_means, draw_measures
from stcollection.plots.history import draw_history, draw_years
from stcollection.plots.judgments import draw_depth, draw_grades
from stcollection.plots.ranks import draw_ranks
from stcollection.plots.readable import draw_readable
from stcollection.plots.reliability import draw_editions, draw_growth, draw_scatter, draw_snapshots
from stcollection.plots.systems import draw_differences, draw_slopes, draw_systems
from stcollection.topics.sets import ALL, Queries

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

_P = ParamSpec("_P")
Missing = Annotated[
    Literal["zero", "drop"], Option(help="Value of a query without documents in a run: 0 (trec_eval -c), or leave it out.")
]
DocumentMeasure = Annotated[
    str, Option(help="One of the 20 measures of readability, citations, references, or citation_percentile.")
]
RunArgument = Annotated[str, Option("RUN")]
EditionArguments = Annotated[str, Option("EDITION")]


def _figure(figure: Callable[_P, Any]) -> Callable[_P, MatplotlibFigure]:
    """Declare a figure. Raise StateError before the first query if matplotlib is not installed."""

    @wraps(figure)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> MatplotlibFigure:
        needed("matplotlib")
        drawn: MatplotlibFigure = figure(*args, **kwargs)
        return drawn

    return declare(checked)


def _scored(edition: str, measure: Any, query_set: Queries) -> dict[str, Any]:
    """Return the arguments of a function that scores runs by one measure."""
    return {"edition": edition, "measure": only_measure(measure), "queries": set_of(query_set)}


@_figure
def systems(
    conn: psycopg.Connection,
    edition: NamedEdition,
    *,
    runs: Runs = (),
    measure: OneMeasure = nDCG @ 10,
    queries: Annotated[bool, Option("-q", "--per-query")] = False,
    query_set: QueriesOption = ALL,
    interval: Interval = STUDENT,
    missing: Missing = "zero",
    width: Width = None,
) -> Figure:
    """Plot the mean of each run with its interval over queries, best on top. Without RUN, plot all.

    Overlapping intervals do not show that runs are equal: 'stc compare' tests them query by query.

    :param queries: Also draw the value of each query, as a faint line.
    """
    means = system_means(conn, **_scored(edition, measure, query_set), runs=runs_of(runs), interval=interval, missing=missing)
    return draw_systems(means, queries=queries, width=width)


@_figure
def variation(
    conn: psycopg.Connection,
    edition: NamedEdition,
    *,
    runs: Runs = (),
    measure: OneMeasure = nDCG @ 10,
    query_set: QueriesOption = ALL,
    width: Width = None,
) -> Figure:
    """Plot the mean of runs over topics with several queries, from the worst to the best query. Without RUN, plot all."""
    means = variation_means(conn, **_scored(edition, measure, query_set), runs=runs_of(runs))
    return draw_systems(means, width=width)


@_figure
def ranks(
    conn: psycopg.Connection,
    edition: NamedEdition,
    *,
    runs: Runs = (),
    measure: OneMeasure = nDCG @ 10,
    query_set: QueriesOption = ALL,
    rules: TieRules = USUAL,
    width: Width = None,
) -> Figure:
    """Plot the rank of each run with its interval over queries, and groups of runs that do not differ significantly.

    Without RUN, plot all. The numbers are those of 'stc score --ties'.
    """
    ranking = tied_ranking(conn, **_scored(edition, measure, query_set), runs=runs_of(runs), rules=rules)
    return draw_ranks(ranking, width=width)


@_figure
def differences(
    conn: psycopg.Connection,
    run: RunArgument,
    against: Annotated[str, Option("AGAINST")],
    *,
    edition: NamedEdition,
    measure: OneMeasure = nDCG @ 10,
    query_set: QueriesOption = ALL,
    interval: Interval = STUDENT,
    missing: Missing = "zero",
    width: Width = None,
) -> Figure:
    """Plot the difference between RUN and AGAINST on each query, with the mean difference and its interval."""
    moves = query_differences(conn, run, against, **_scored(edition, measure, query_set), interval=interval, missing=missing)
    return draw_differences(moves, width=width)


@_figure
def slopes(
    conn: psycopg.Connection,
    edition: NamedEdition,
    *,
    runs: Runs = (),
    against: Annotated[str | None, Option(metavar="EDITION", default="none; compare two measures instead")] = None,
    measures: Annotated[Iterable[Any] | str | Measure, Option("-m", each="measure")] = (nDCG @ 10,),
    every: Annotated[bool, Option("--all")] = False,
    query_set: QueriesOption = ALL,
    width: Width = None,
) -> Figure:
    """Plot one ranking of runs against another: two editions, or two measures (-m nDCG@10 -m AP). Without RUN, plot all.

    :param against: Edition on the right.
    :param measures: Measure: nDCG@10, AP, … Repeat it to compare two measures.
    :param every: Average over all queries of each edition, not only those that both judge.
    """
    changes = ranking_changes(
        conn,
        edition=edition,
        against=against,
        measures=measures_shown(measures, most=2),
        runs=runs_of(runs),
        every=every,
        queries=set_of(query_set),
    )
    return draw_slopes(changes, width=width)


@_figure
def depth(
    conn: psycopg.Connection,
    pool: Annotated[str, Option("POOL")],
    *,
    edition: Annotated[str | None, Option(default="the grades on the pool's own sheets")] = None,
    relevant: Annotated[int, AllowedRange(ge=1), Option(each="min_grade")] = 1,
    width: Width = None,
) -> Figure:
    """Plot the yield of POOL by depth: documents, judged and relevant ones, and the relevant documents that each depth added.

    :param edition: Edition whose judgments count.
    :param relevant: Lowest grade that counts as relevant.
    """
    return draw_depth(pool_depths(conn, pool, edition=edition, relevant=relevant), width=width)


@_figure
def grades(
    conn: psycopg.Connection,
    *editions: EditionArguments,
    by: JudgedBy = "judge",
    counts: Annotated[bool, Option(default="all bars are 100%")] = False,
    query_set: QueriesOption = ALL,
    width: Width = None,
) -> Figure:
    """Plot how often each edition gives each grade, with one bar per origin if it has several. Without EDITION, plot all.

    :param by: Bars by who judged (human, llm, knn), or by origin of the queries (human, t5, …).
    :param counts: Draw bars as long as their number of judgments.
    """
    return draw_grades(grade_distributions(conn, editions, by=by, query_set=set_of(query_set)), counts=counts, width=width)


@_figure
def distribution(
    conn: psycopg.Connection,
    measure: Annotated[str, Option("MEASURE")] = "textstat_fkgl",
    *,
    by: Grouping = "year",
    smallest: Annotated[int, AllowedRange(ge=1), Option(each="min_documents", metavar="N")] = 10,
    most: Annotated[int, AllowedRange(ge=1, le=ROWS), Option(each="limit")] = 20,
    width: Width = None,
) -> Figure:
    """Plot the distribution of MEASURE (default: textstat_fkgl) by year, venue, document type or field of study.

    MEASURE is one of the 20 measures of readability, citations, references or citation_percentile.

    :param by: Grouping of the documents.
    :param smallest: Leave out groups with fewer documents.
    :param most: Number of groups to show, the largest first. All years are shown.
    """
    groups = spreads(conn, measure, by=by, smallest=smallest, most=None if by == "year" else most)
    return draw_distribution(groups, width=width)


@_figure
def measures(
    conn: psycopg.Connection,
    x: Annotated[str, Option("X")],
    y: Annotated[str, Option("Y")],
    *,
    size: Annotated[int | None, AllowedRange(ge=1, le=200), Option(each="bins", default="2 ∛documents, at most 40")] = None,
    beyond: Annotated[float, AllowedRange(ge=0, lt=0.5)] = 0.005,
    most: Sample = SAMPLE,
    seed: SampleSeed = 0,
    width: Width = None,
) -> Figure:
    """Plot measure Y against measure X: the number of documents with each pair of values, and Spearman's rho.

    :param size: Approximate number of bins per axis.
    :param beyond: Largest share of documents to leave out at either end of an axis.
    """
    return draw_measures(bins(conn, x, y, size=size, beyond=beyond, most=most, seed=seed), width=width)


@_figure
def correlation(
    conn: psycopg.Connection,
    *names: Annotated[str, Option("[MEASURE]...")],
    most: Sample = SAMPLE,
    seed: SampleSeed = 0,
    width: Width = None,
) -> Figure:
    """Plot Spearman's rho between measures. Without MEASURE: the 20 of readability; 'all' adds those of credibility."""
    return draw_correlations(correlations(conn, names, most=most, seed=seed), width=width)


@_figure
def grades_given(
    conn: psycopg.Connection,
    *,
    measure: DocumentMeasure = "textstat_fkgl",
    aspect: GradedAspect = "complexity",
    everyone: bool = False,
    width: Width = None,
) -> Figure:
    """Plot the mean of a measure, with its standard error, over the documents of each grade, by group of annotators.

    :param everyone: Treat all annotators as one group.
    """
    return draw_grade_means(means_given(conn, measure=measure, aspect=aspect, everyone=everyone), width=width)


@_figure
def readable(
    conn: psycopg.Connection,
    edition: NamedEdition,
    *runs: RunArgument,
    measure: OneMeasure = nDCG @ 10,
    reading: Reading = GRADE_LEVEL,
    query_set: QueriesOption = ALL,
    interval: Interval = STUDENT,
    missing: Missing = "zero",
    width: Width = None,
) -> Figure:
    """Plot relevance against readability of the top documents of runs; a line joins the best trade-offs. Without RUN, plot all.

    :param prefer: Whether low or high values of --readability are better.
    """
    subject = _scored(edition, measure, query_set)
    points = readable_runs(conn, **subject, reading=reading, runs=runs, interval=interval, missing=missing)
    return draw_readable(points, width=width)


@_figure
def scatter(
    conn: psycopg.Connection,
    edition: EditionArgument,
    *,
    pair: Annotated[str | tuple[str, str], Option(metavar="A:B")],
    measure: OneMeasure = nDCG @ 10,
    runs: ChosenRuns = (),
    width: Width = None,
) -> Figure:
    """Plot the mean score of each system on one set of EDITION's queries against another set, by family.

    :param pair: Two sets of queries: all, human, synthetic, t5, gpt-4, …, a+b; human/keyword are those of a type.
    """
    means = set_means(conn, edition=edition, pair=pair_of(pair), measure=only_measure(measure), runs=runs)
    return draw_scatter(means, width=width)


@_figure
def curves(
    conn: psycopg.Connection,
    edition: EditionArgument,
    *,
    measure: OneMeasure = nDCG @ 10,
    of: DrawnSets = (),
    against: ReferenceSet = "human",
    draws: Draws = THOUSAND,
    runs: ChosenRuns = (),
    width: Width = None,
) -> Figure:
    """Plot how Kendall's tau grows with the number of queries drawn from EDITION, one curve per set of queries."""
    growth = growth_curves(conn, edition=edition, of=of, against=against, measure=only_measure(measure), runs=runs, draws=draws)
    return draw_growth(growth, width=width)


@_figure
def bias(
    conn: psycopg.Connection,
    edition: EditionArgument,
    *,
    measure: OneMeasure = nDCG @ 10,
    reference: ReferenceOrigin = "human",
    query_set: QueriesOption = ALL,
    runs: ChosenRuns = (),
    bootstrap: Resampling = RESAMPLED,
    width: Width = None,
) -> Figure:
    """Plot how far each family of systems shifts on the queries of each origin: mean, interval, and one dot per system."""
    shifts = family_bias(conn, **_scored(edition, measure, query_set), reference=reference, runs=runs, bootstrap=bootstrap)
    return draw_bias(shifts, width=width)


@_figure
def years(conn: psycopg.Connection, *, width: Width = None) -> Figure:
    """Plot the number of documents by year of publication, and how many have an abstract.

    Documents without a year, or with one that cannot be right such as 0, are left out and counted in the title.
    """
    return draw_years(document_years(conn), width=width)


@_figure
def history(conn: psycopg.Connection, *editions: EditionArguments, width: Width = None) -> Figure:
    """Plot the topics, queries and judgments of each edition, oldest first. Without EDITION, plot all."""
    return draw_history(collection_history(conn, editions), width=width)


@_figure
def labels(
    conn: psycopg.Connection,
    human: Annotated[str, Option("HUMAN")],
    other: Annotated[str, Option("OTHER")],
    *,
    measure: OneMeasure = nDCG @ 10,
    query_set: QueriesOption = ALL,
    runs: ChosenRuns = (),
    width: Width = None,
) -> Figure:
    """Plot the mean score of each system by the edition OTHER (sparse, or of a language model) against HUMAN, by family.

    Scores are over the queries that both editions judge. 'stc analysis labels' prints the same comparison.
    """
    means = edition_means(conn, human, other, measure=only_measure(measure), runs=runs, queries=set_of(query_set))
    return draw_editions(means, width=width)


@_figure
def snapshots(
    conn: psycopg.Connection,
    run: RunArgument,
    baseline: Annotated[str, Option("BASELINE")],
    *,
    edition: NamedEdition,
    measure: OneMeasure = nDCG @ 10,
    days: Annotated[Sequence[str], Option(metavar="LIST", default="all snapshots", separated=True)] = (),
    query_set: QueriesOption = ALL,
    width: Width = None,
) -> Figure:
    """Plot the scores of RUN and BASELINE on the snapshots of the collection, and the lead of RUN over BASELINE.

    The lowest part shows how similar the rankings of RUN are to those on the first day.

    'stc analysis over-time' prints the same comparison.

    :param days: Days YYYY-MM-DD, separated by commas.
    """
    effect = over_time(conn, run=run, baseline=baseline, edition=edition, measure=measure, days=days, queries=query_set)
    return draw_snapshots(effect, width=width)
