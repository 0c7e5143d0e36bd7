"""The analyses as frames, for notebooks: ``collection.analysis``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from stcollection.analysis.bias import bias
from stcollection.analysis.cluster_hypothesis import neighbour_shares
from stcollection.analysis.expansion import sweep
from stcollection.analysis.findings import findings
from stcollection.analysis.history import edition_history
from stcollection.analysis.impact import Shift, impact
from stcollection.analysis.labels import labels
from stcollection.analysis.late import late_runs
from stcollection.analysis.marks import marked_leaderboard
from stcollection.analysis.origins import origin_statistics
from stcollection.analysis.predictors import predictor_quality, query_predictors
from stcollection.analysis.records import RankedRun, RunPair
from stcollection.analysis.reliability import reliability
from stcollection.analysis.reusability import reusability, unjudged
from stcollection.analysis.significance import STUDENT_TEST, PairedTest, compare
from stcollection.analysis.ties import USUAL, TieRules, tied_ranking
from stcollection.analysis.variation import run_variation, topic_variation, variance_sources
from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage
from stcollection.api.plots import Plots
from stcollection.declared import columns_of
from stcollection.evaluation.compare import compare_output
from stcollection.evaluation.judging import judging_runs
from stcollection.evaluation.typed import measure_of
from stcollection.qrels.agreement import MEASURES, Agreement, Bootstrap, agreement
from stcollection.qrels.diff import diff
from stcollection.topics.sets import ALL, Queries, expression


class Analyses(Stage[Frame]):
    """``collection.analysis``: comparisons of scores and of judgments.

    Measures are names or objects, as for ``Collection.score``. Except for :attr:`plot`, methods return a frame of the
    collection's kind; ``frame`` requests the other kind.
    """

    @cached_property
    def plot(self) -> Plots:
        """Figures, the same as ``Collection.plot``."""
        return Plots(*self._stage())

    def compare(
        self,
        edition: str,
        *,
        measures: Iterable[Any] = ("nDCG@10",),
        runs: Sequence[str] = (),
        baseline: str | None = None,
        test: PairedTest = STUDENT_TEST,
        queries: Queries = ALL,
        frame: str | None = None,
    ) -> Frame:
        """Test all pairs of runs, or each run against a baseline; see :func:`~stcollection.analysis.significance.compare`."""
        rows = compare(self.connection, runs, edition=edition, measures=measures, baseline=baseline, queries=queries, test=test)
        return self._frame(rows.columns, rows.table(), frame, simulated=rows.simulated)

    def ties(
        self,
        edition: str,
        *,
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        pairs: bool = False,
        rules: TieRules = USUAL,
        queries: Queries = ALL,
        frame: str | None = None,
    ) -> Frame:
        """Rank runs with intervals of ranks and groups of ties; see :func:`~stcollection.analysis.ties.tied_ranking`.

        :param pairs: return all pairs of runs instead, with corrected p, the probability to win, and the queries needed.
        """
        ranking = tied_ranking(
            self.connection, edition=edition, measure=measure_of(measure), runs=runs, rules=rules, queries=expression(queries)
        )
        columns = columns_of(RunPair if pairs else RankedRun)
        rows = [[getattr(row, name) for name in columns] for row in (ranking.pairs if pairs else ranking.runs)]
        return self._frame(columns, rows, frame, simulated=ranking.simulated)

    def impact(
        self,
        a: str,
        b: str,
        *,
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        every: bool = False,
        queries: Queries = ALL,
        frame: str | None = None,
    ) -> Frame:
        """Compare the scores of each run under edition b with those under a: values, shift, ranks.

        Each row repeats the rank correlations tau, tau_ap and rbo. See :func:`~stcollection.analysis.impact.impact`.
        """
        moved = impact(self.connection, a, b, measure=measure_of(measure), runs=runs, every=every, queries=expression(queries))
        agreed = {"kendall_tau": moved.kendall_tau, "tau_ap": moved.tau_ap, "rbo": moved.rbo}
        columns = columns_of(Shift) | dict.fromkeys(agreed, float)
        return self._frame(columns, [(*row, *agreed.values()) for row in moved.runs], frame, simulated=moved.simulated)

    def agreement(
        self,
        reference: str,
        *others: str,
        binary_from: int = 1,
        by: str = "all",
        every: bool = False,
        queries: Queries = ALL,
        bootstrap: int | None = None,
        measures: Sequence[str] = tuple(MEASURES),
        frame: str | None = None,
    ) -> Frame:
        """Measure the agreement of judgments; see :func:`~stcollection.qrels.agreement.agreement`.

        :param bootstrap: number of resamples; adds columns ``…_low`` and ``…_high`` with 95 % intervals.
        """
        rows = agreement(
            self.connection,
            reference,
            others,
            binary_from=binary_from,
            by=by,
            every=every,
            queries=expression(queries),
            bootstrap=None if bootstrap is None else Bootstrap(resamples=bootstrap),
            measures=measures,
        )
        columns = columns_of(Agreement)
        del columns["intervals"]
        cells = [[getattr(row, name) for name in columns] for row in rows]
        for name in dict.fromkeys(name for row in rows for name in row.intervals or ()):
            columns |= {f"{name}_low": float, f"{name}_high": float}
            for line, row in zip(cells, rows, strict=True):
                line += (row.intervals or {}).get(name, (None, None))
        return self._frame(columns, cells, frame, simulated=getattr(rows, "simulated", None))

    bias = called(bias)
    cluster_hypothesis = framed(neighbour_shares)
    compare_output = called(compare_output)
    diff = framed(diff)
    expansion = called(sweep, bar=("expansions", "cells"))
    findings = framed(findings)
    history = framed(edition_history, several=True)
    judging_runs = framed(judging_runs)
    labels = framed(labels)
    late = framed(late_runs, several=True)
    leaderboard = called(marked_leaderboard)
    origins = framed(origin_statistics)
    predictions = framed(query_predictors)
    predictors = framed(predictor_quality)
    reliability = framed(reliability)
    reusability = framed(reusability)
    unjudged = framed(unjudged)
    topic_variation = framed(topic_variation)
    variance_sources = framed(variance_sources)
    variation = framed(run_variation)
