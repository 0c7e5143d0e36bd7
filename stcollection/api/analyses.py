"""The analyses as frames, for notebooks: ``collection.analysis``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any, get_type_hints

from stcollection.analysis.impact import impact
from stcollection.analysis.records import RankedRun, RunPair
from stcollection.analysis.reusability import Bounds, reusability, unjudged
from stcollection.analysis.significance import STUDENT_TEST, PairedTest, RunComparison, compare
from stcollection.analysis.ties import USUAL, TieRules, tied_ranking
from stcollection.api.declared import framed
from stcollection.api.face import Frame, Stage
from stcollection.api.plots import Plots
from stcollection.evaluation.typed import measure_of
from stcollection.qrels.agreement import MEASURES, Agreement, Bootstrap, agreement
from stcollection.qrels.diff import GradeMove, diff
from stcollection.topics.sets import ALL, Queries, expression

_KINDS = {"str": str, "int": int, "float": float}


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
        wanted = [measure_of(one) for one in measures]
        found = compare(
            self.connection, edition=edition, measures=wanted, runs=runs, baseline=baseline, test=test, queries=expression(queries)
        )
        return self._records(RunComparison, found, frame, found.simulated)

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
        found = tied_ranking(
            self.connection, edition=edition, measure=measure_of(measure), runs=runs, rules=rules, queries=expression(queries)
        )
        if pairs:
            return self._records(RunPair, found.pairs, frame, found.simulated)
        return self._records(RankedRun, found.runs, frame, found.simulated)

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
        found = impact(self.connection, a, b, measure=measure_of(measure), runs=runs, every=every, queries=expression(queries))
        types = {"run": str, "value_a": float, "value_b": float, "shift": float, "rank_a": int, "rank_b": int, "queries_a": int,
                 "queries_b": int, "kendall_tau": float, "tau_ap": float, "rbo": float}  # fmt: skip
        rows = [(*one, found.kendall_tau, found.tau_ap, found.rbo) for one in found.runs]
        return self._frame(list(types), rows, frame, types=types, simulated=found.simulated)

    def diff(self, a: str, b: str, *, frame: str | None = None) -> Frame:
        """Return the differences between editions a and b, by query and grade; see :func:`~stcollection.qrels.diff.diff`."""
        found = diff(self.connection, a, b)
        return self._records(GradeMove, found, frame, found.simulated)

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
        drawn = None if bootstrap is None else Bootstrap(resamples=bootstrap)
        found = agreement(
            self.connection,
            reference,
            others,
            binary_from=binary_from,
            by=by,
            every=every,
            queries=expression(queries),
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
        return self._frame(names, rows, frame, types=types, simulated=found.simulated)

    reusability = framed(reusability)

    def unjudged(
        self,
        edition: str,
        *,
        measure: Any = "nDCG@10",
        runs: Sequence[str] = (),
        per_query: bool = False,
        queries: Queries = ALL,
        frame: str | None = None,
    ) -> Frame:
        """Bound the effect of unjudged documents on a measure; see :func:`~stcollection.analysis.reusability.unjudged`."""
        found = unjudged(
            self.connection,
            edition=edition,
            measure=measure_of(measure),
            runs=runs,
            per_query=per_query,
            queries=expression(queries),
        )
        return self._records(Bounds, found, frame, found.simulated)

    def _records(self, kind: type, rows: Iterable[Any], frame: str | None, simulated: str | None) -> Frame:
        names, types = _columns(kind)
        cells = ([getattr(row, name) for name in names] for row in rows)
        return self._frame(names, cells, frame, types=types, simulated=simulated)


def _columns(kind: type) -> tuple[list[str], dict[str, type]]:
    """Return the names of a record's fields, and the types of those that are text or numbers, or None."""
    names = [one.name for one in fields(kind)] if is_dataclass(kind) else list(kind._fields)  # type: ignore[attr-defined]
    hints = get_type_hints(kind)
    told = {name: str(hints[name]).removeprefix("<class '").removesuffix("'>").removesuffix(" | None") for name in names}
    return names, {name: _KINDS[of] for name, of in told.items() if of in _KINDS}
