"""The analyses as frames and figures, for notebooks: ``collection.analysis``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any, get_type_hints

import psycopg

from stcollection import figures
from stcollection.analysis.document_measures import READABILITY
from stcollection.analysis.impact import impact
from stcollection.analysis.intervals import STUDENT, Interval
from stcollection.analysis.measured import GRADE_LEVEL, SAMPLE, Reading
from stcollection.analysis.query_sets import ALL
from stcollection.analysis.reusability import Bounds, LeftOut, reusability, unjudged
from stcollection.analysis.significance import STUDENT_TEST, PairedTest, RunComparison, compare
from stcollection.api.frames import Frame, frame_of, noted
from stcollection.evaluation.measures import Measure, parse_measure
from stcollection.moved import grouped
from stcollection.plots.canvas import Figure
from stcollection.qrels.agreement import MEASURES, Agreement, Bootstrap, agreement
from stcollection.qrels.diff import GradeMove, diff

_KINDS = {"str": str, "int": int, "float": float}


class Analyses:
    """What scores and judgments tell when they are compared. Measures are names or objects, as for ``Collection.score``.

    Each method but those of :attr:`plot` returns a frame of the collection's kind; ``frame`` asks for the other one.
    """

    def __init__(self, connection: psycopg.Connection, *, kind: str) -> None:
        """Bind the methods to a connection.

        :param kind: of frames: ``pandas`` or ``polars``.
        """
        self._connection = connection
        self._kind = kind

    @cached_property
    def plot(self) -> Plots:
        """Figures, which need matplotlib (the extra ``plot``)."""
        return Plots(self._connection)

    @grouped(test=PairedTest)
    def compare(
        self,
        edition: str,
        *,
        measures: Iterable[Any] = ("nDCG@10",),
        runs: Sequence[str] = (),
        baseline: str | None = None,
        test: PairedTest = STUDENT_TEST,
        queries: str = ALL,
        frame: str | None = None,
    ) -> Frame:
        """Tests of all pairs of runs, or of each with a baseline; see :func:`~stcollection.analysis.significance.compare`."""
        wanted = [_measure(one) for one in measures]
        found = compare(
            self._connection, edition=edition, measures=wanted, runs=runs, baseline=baseline, test=test, queries=queries
        )
        return noted(self._frame(RunComparison, found, frame), self._connection, edition)

    def impact(
        self, a: str, b: str, *, measure: Any = "nDCG@10", runs: Sequence[str] = (), every: bool = False, frame: str | None = None
    ) -> Frame:
        """What edition b in the place of a does to every run: values, shift, ranks; tau, tau_ap and rbo in each row.

        See :func:`~stcollection.analysis.impact.impact`.
        """
        found = impact(self._connection, a, b, measure=_measure(measure), runs=runs, every=every)
        types = {"run": str, "value_a": float, "value_b": float, "shift": float, "rank_a": int, "rank_b": int, "queries_a": int,
                 "queries_b": int, "kendall_tau": float, "tau_ap": float, "rbo": float}  # fmt: skip
        rows = [(*one, found.kendall_tau, found.tau_ap, found.rbo) for one in found.runs]
        return noted(frame_of(list(types), rows, frame or self._kind, types=types), self._connection, a, b)

    def diff(self, a: str, b: str, *, frame: str | None = None) -> Frame:
        """What changed from edition a to edition b, by query and grade; see :func:`~stcollection.qrels.diff.diff`."""
        return noted(self._frame(GradeMove, diff(self._connection, a, b), frame), self._connection, a, b)

    def agreement(
        self,
        reference: str,
        *others: str,
        binary_from: int = 1,
        by: str = "all",
        every: bool = False,
        bootstrap: int | None = None,
        measures: Sequence[str] = tuple(MEASURES),
        frame: str | None = None,
    ) -> Frame:
        """How far judgments agree; see :func:`~stcollection.qrels.agreement.agreement`.

        :param bootstrap: that many resamples, and columns ``…_low`` and ``…_high`` of the 95 % intervals.
        """
        drawn = None if bootstrap is None else Bootstrap(resamples=bootstrap)
        found = agreement(
            self._connection,
            reference,
            others,
            binary_from=binary_from,
            by=by,
            every=every,
            bootstrap=drawn,
            measures=measures,
        )
        names, types = _columns(Agreement)
        names.remove("intervals")
        rows = [[getattr(one, name) for name in names] for one in found]
        if drawn is not None:
            bounded = list(dict.fromkeys(name for one in found for name in one.intervals or ()))
            for row, one in zip(rows, found, strict=True):
                row += [bound for name in bounded for bound in (one.intervals or {}).get(name, (None, None))]
            names += [f"{name}_{side}" for name in bounded for side in ("low", "high")]
        types.update({name: float for name in names if name.endswith(("_low", "_high"))})
        sides = [name.partition(":")[0] for name in (reference, *others)]  # EDITION:ORIGIN
        return noted(frame_of(names, rows, frame or self._kind, types=types), self._connection, *sides)

    def reusability(
        self,
        edition: str,
        *,
        measure: Any = "nDCG@10",
        depth: int = 10,
        by: str = "run",
        runs: Sequence[str] = (),
        frame: str | None = None,
    ) -> Frame:
        """Each run, or team, left out of the pool; see :func:`~stcollection.analysis.reusability.reusability`."""
        found = reusability(self._connection, edition=edition, measure=_measure(measure), depth=depth, by=by, runs=runs)
        return noted(self._frame(LeftOut, found, frame), self._connection, edition)

    def unjudged(
        self,
        edition: str,
        *,
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        per_query: bool = False,
        frame: str | None = None,
    ) -> Frame:
        """What is not judged, and what it could make of a measure; see :func:`~stcollection.analysis.reusability.unjudged`."""
        found = unjudged(self._connection, edition=edition, measure=_measure(measure), runs=runs, per_query=per_query)
        return noted(self._frame(Bounds, found, frame), self._connection, edition)

    def _frame(self, kind: type, rows: Iterable[Any], frame: str | None) -> Frame:
        names, types = _columns(kind)
        return frame_of(names, ([getattr(one, name) for name in names] for one in rows), frame or self._kind, types=types)


class Plots:
    """Figures of matplotlib; docs/figures.md shows them. Each ``width`` is in inches."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    @grouped(interval=Interval)
    def systems(
        self,
        edition: str,
        *,
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        queries: bool = False,
        interval: Interval = STUDENT,
        missing: str = "zero",
        width: float | None = None,
    ) -> Figure:
        """Runs with the interval of their mean; see :func:`~stcollection.figures.systems`."""
        return figures.systems(
            self._connection,
            edition=edition,
            measure=_measure(measure),
            runs=runs,
            queries=queries,
            interval=interval,
            missing=missing,
            width=width,
        )

    @grouped(interval=Interval)
    def differences(
        self,
        run: str,
        against: str,
        *,
        edition: str,
        measure: Any = "nDCG@10",
        interval: Interval = STUDENT,
        missing: str = "zero",
        width: float | None = None,
    ) -> Figure:
        """Two runs query by query; see :func:`~stcollection.figures.differences`."""
        return figures.differences(
            self._connection,
            run,
            against,
            edition=edition,
            measure=_measure(measure),
            interval=interval,
            missing=missing,
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
        width: float | None = None,
    ) -> Figure:
        """One ranking of runs against another; see :func:`~stcollection.figures.slopes`."""
        wanted = [_measure(one) for one in measures]
        return figures.slopes(
            self._connection, edition=edition, against=against, measures=wanted, runs=runs, every=every, width=width
        )

    def depth(self, pool: str, *, edition: str | None = None, relevant: int = 1, width: float | None = None) -> Figure:
        """What a deeper pool has found; see :func:`~stcollection.figures.depth`."""
        return figures.depth(self._connection, pool, edition=edition, relevant=relevant, width=width)

    def grades(self, *editions: str, counts: bool = False, width: float | None = None) -> Figure:
        """The grades of editions; see :func:`~stcollection.figures.grades`."""
        return figures.grades(self._connection, editions, counts=counts, width=width)

    def distribution(
        self,
        measure: str = "textstat_fkgl",
        *,
        by: str = "year",
        smallest: int = 10,
        most: int = 20,
        width: float | None = None,
    ) -> Figure:
        """A measure of documents by year, venue, …; see :func:`~stcollection.figures.distribution`."""
        return figures.distribution(self._connection, measure, by=by, smallest=smallest, most=most, width=width)

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
        """One measure of documents against another; see :func:`~stcollection.figures.measures`."""
        return figures.measures(self._connection, x, y, size=size, beyond=beyond, most=most, seed=seed, width=width)

    def correlations(self, *names: str, most: int = SAMPLE, seed: int = 0, width: float | None = None) -> Figure:
        """All measures against all; see :func:`~stcollection.figures.correlation`."""
        return figures.correlation(self._connection, names or READABILITY, most=most, seed=seed, width=width)

    @grouped(interval=Interval, reading=Reading)
    def readable(
        self,
        edition: str,
        *runs: str,
        measure: Any = "nDCG@10",
        reading: Reading = GRADE_LEVEL,
        interval: Interval = STUDENT,
        missing: str = "zero",
        width: float | None = None,
    ) -> Figure:
        """Runs by relevance and readability; see :func:`~stcollection.figures.readable`."""
        return figures.readable(
            self._connection,
            runs,
            edition=edition,
            measure=_measure(measure),
            reading=reading,
            interval=interval,
            missing=missing,
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
        """A measure by the grades that people gave; see :func:`~stcollection.figures.grades_given`."""
        return figures.grades_given(self._connection, measure=measure, aspect=aspect, everyone=everyone, width=width)


def _measure(name: Any) -> Measure:
    """A measure of ours as it is, another one by its name."""
    return name if isinstance(name, Measure) else parse_measure(str(name))


def _columns(kind: type) -> tuple[list[str], dict[str, type]]:
    """The fields of a record, and of those that are text or numbers the type, also where they may be None."""
    names = [one.name for one in fields(kind)] if is_dataclass(kind) else list(kind._fields)  # type: ignore[attr-defined]
    hints = get_type_hints(kind)
    told = {name: str(hints[name]).removeprefix("<class '").removesuffix("'>").removesuffix(" | None") for name in names}
    return names, {name: _KINDS[of] for name, of in told.items() if of in _KINDS}
