"""Figures: ``collection.plot``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from stcollection import figures
from stcollection.analysis.bias import THOUSAND as RESAMPLED
from stcollection.analysis.bias import Resampling
from stcollection.analysis.document_measures import READABILITY
from stcollection.analysis.intervals import STUDENT, Interval
from stcollection.analysis.measured import GRADE_LEVEL, SAMPLE, Reading
from stcollection.analysis.reliability import THOUSAND, Draws
from stcollection.analysis.ties import USUAL, TieRules
from stcollection.api.face import Stage
from stcollection.evaluation.typed import measure_of
from stcollection.studies.coverage import figure as coverage_figure
from stcollection.studies.synth import query_figure
from stcollection.topics.sets import ALL, Queries, expression

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stcollection.studies.coverage.records import Kind


class Plots(Stage[Any]):
    """``collection.plot``: figures of matplotlib, which notebooks display; see docs/howto/figures.md.

    >>> c.plot.systems("test")
    >>> c.plot.differences("hybrid", "bm25", edition="test").savefig("differences.pdf")

    Each method corresponds to a command of ``stc analysis plot``. ``width`` is in inches.

    :raises StateError: matplotlib is not installed.
    """

    def systems(
        self,
        edition: str,
        *,
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        queries: bool = False,
        interval: Interval = STUDENT,
        missing: str = "zero",
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Plot the mean of each run with its interval; see :func:`~stcollection.figures.systems`."""
        return figures.systems(
            self.connection,
            edition=edition,
            measure=measure_of(measure),
            runs=runs,
            queries=queries,
            interval=interval,
            missing=missing,
            query_set=expression(query_set),
            width=width,
        )

    def ranks(
        self,
        edition: str,
        *,
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        rules: TieRules = USUAL,
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Plot the rank of each run with its interval; see :func:`~stcollection.figures.ranks`."""
        return figures.ranks(
            self.connection,
            edition=edition,
            measure=measure_of(measure),
            runs=runs,
            rules=rules,
            query_set=expression(query_set),
            width=width,
        )

    def differences(
        self,
        run: str,
        against: str,
        *,
        edition: str,
        measure: Any = "nDCG@10",
        interval: Interval = STUDENT,
        missing: str = "zero",
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Plot the differences of two runs by query; see :func:`~stcollection.figures.differences`."""
        return figures.differences(
            self.connection,
            run,
            against,
            edition=edition,
            measure=measure_of(measure),
            interval=interval,
            missing=missing,
            query_set=expression(query_set),
            width=width,
        )

    def slopes(
        self,
        edition: str,
        *,
        against: str | None = None,
        measures: Iterable[Any] = ("nDCG@10",),
        runs: Sequence[str] = (),
        every: bool = False,
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Compare two rankings of runs; see :func:`~stcollection.figures.slopes`."""
        wanted = [measure_of(one) for one in measures]
        return figures.slopes(
            self.connection,
            edition=edition,
            against=against,
            measures=wanted,
            runs=runs,
            every=every,
            query_set=expression(query_set),
            width=width,
        )

    def depth(self, pool: str, *, edition: str | None = None, relevant: int = 1, width: float | None = None) -> Figure:
        """Plot the relevant documents found by pool depth; see :func:`~stcollection.figures.depth`."""
        return figures.depth(self.connection, pool, edition=edition, relevant=relevant, width=width)

    def grades(
        self,
        *editions: str,
        by: str = "judge",
        counts: bool = False,
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Plot the grades of editions; see :func:`~stcollection.figures.grades`."""
        return figures.grades(self.connection, editions, by=by, counts=counts, query_set=expression(query_set), width=width)

    def history(self, *editions: str, width: float | None = None) -> Figure:
        """Plot topics, queries and judgments by edition; see :func:`~stcollection.figures.history`."""
        return figures.history(self.connection, editions, width=width)

    def years(self, *, width: float | None = None) -> Figure:
        """Plot the documents by year; see :func:`~stcollection.figures.years`."""
        return figures.years(self.connection, width=width)

    def labels(
        self,
        human: str,
        other: str,
        *,
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Plot systems by two editions; see :func:`~stcollection.figures.labels`."""
        return figures.labels(
            self.connection, human, other, measure=measure_of(measure), runs=runs, query_set=expression(query_set), width=width
        )

    def distribution(
        self,
        measure: str = "textstat_fkgl",
        *,
        by: str = "year",
        smallest: int = 10,
        most: int = 20,
        width: float | None = None,
    ) -> Figure:
        """Plot a document measure by year, venue, …; see :func:`~stcollection.figures.distribution`."""
        return figures.distribution(self.connection, measure, by=by, smallest=smallest, most=most, width=width)

    def measures(
        self,
        x: str,
        y: str,
        *,
        size: int | None = None,
        beyond: float = 0.005,
        most: int = SAMPLE,
        seed: int = 0,
        width: float | None = None,
    ) -> Figure:
        """Plot one document measure against another; see :func:`~stcollection.figures.measures`."""
        return figures.measures(self.connection, x, y, size=size, beyond=beyond, most=most, seed=seed, width=width)

    def correlations(self, *names: str, most: int = SAMPLE, seed: int = 0, width: float | None = None) -> Figure:
        """Plot the correlations between all measures; see :func:`~stcollection.figures.correlation`."""
        return figures.correlation(self.connection, names or READABILITY, most=most, seed=seed, width=width)

    def readable(
        self,
        edition: str,
        *runs: str,
        measure: Any = "nDCG@10",
        reading: Reading = GRADE_LEVEL,
        interval: Interval = STUDENT,
        missing: str = "zero",
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Plot runs by relevance and readability; see :func:`~stcollection.figures.readable`."""
        return figures.readable(
            self.connection,
            runs,
            edition=edition,
            measure=measure_of(measure),
            reading=reading,
            interval=interval,
            missing=missing,
            query_set=expression(query_set),
            width=width,
        )

    def annotations(
        self,
        *,
        measure: str = "textstat_fkgl",
        aspect: str = "complexity",
        everyone: bool = False,
        width: float | None = None,
    ) -> Figure:
        """Plot a measure by the grades of annotators; see :func:`~stcollection.figures.grades_given`."""
        return figures.grades_given(self.connection, measure=measure, aspect=aspect, everyone=everyone, width=width)

    def snapshots(
        self,
        run: str,
        baseline: str,
        *,
        edition: str,
        measure: Any = "nDCG@10",
        days: Sequence[str] = (),
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Plot a run and a baseline over the snapshots of the collection; see :func:`~stcollection.figures.snapshots`."""
        return figures.snapshots(
            self.connection,
            run,
            baseline,
            edition=edition,
            measure=measure_of(measure),
            days=days,
            query_set=expression(query_set),
            width=width,
        )

    def reliability(
        self,
        edition: str,
        *,
        pair: tuple[str, str],
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        width: float | None = None,
    ) -> Figure:
        """Plot the means of each system over two sets of queries; see :func:`~stcollection.figures.scatter`."""
        return figures.scatter(self.connection, edition=edition, pair=pair, measure=measure_of(measure), runs=runs, width=width)

    def growth(
        self,
        edition: str,
        *,
        of: Sequence[str] = (),
        against: str = "human",
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        draws: Draws = THOUSAND,
        width: float | None = None,
    ) -> Figure:
        """Plot Kendall's tau by the number of queries; see :func:`~stcollection.figures.curves`."""
        return figures.curves(
            self.connection,
            edition=edition,
            of=of,
            against=against,
            measure=measure_of(measure),
            runs=runs,
            draws=draws,
            width=width,
        )

    def bias(
        self,
        edition: str,
        *,
        measure: Any = "nDCG@10",
        reference: str = "human",
        runs: Sequence[str] = (),
        bootstrap: Resampling = RESAMPLED,
        query_set: Queries = ALL,
        width: float | None = None,
    ) -> Figure:
        """Plot the shift of each system family by origin of queries; see :func:`~stcollection.figures.bias`."""
        return figures.bias(
            self.connection,
            edition=edition,
            measure=measure_of(measure),
            reference=reference,
            runs=runs,
            bootstrap=bootstrap,
            query_set=expression(query_set),
            width=width,
        )

    def match(self, study: str, *, width: float | None = None) -> Figure:
        """Plot how a study's selected queries match the target; see :func:`~stcollection.studies.synth.match_figure.plot_match`."""
        from stcollection.studies.synth import match_figure  # imports scikit-learn, which no other figure needs

        drawn: Figure = match_figure.plot_match(self.connection, study, width=width)
        return drawn

    def queries(
        self, edition: str, *, field: str = "abstract", level: int = 1, query_set: Queries = ALL, width: float | None = None
    ) -> Figure:
        """Plot query lengths and overlap; see :func:`~stcollection.studies.synth.query_figure.plot_queries`."""
        drawn: Figure = query_figure.plot_queries(
            self.connection, edition, field=field, level=level, query_set=expression(query_set), width=width
        )
        return drawn

    def coverage(self, name: str, *, kind: Kind = "lda", width: float | None = None) -> Figure:
        """Plot the topics of a stored coverage; see :func:`~stcollection.studies.coverage.figure.plot_coverage`."""
        drawn: Figure = coverage_figure.plot_coverage(self.connection, name, kind=kind, width=width)
        return drawn
