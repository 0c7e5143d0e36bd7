"""The methods of a collection that evaluate stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stcollection.analysis.collection_records import SnapshotScore
from stcollection.analysis.overtime import over_time
from stcollection.analysis.significance import compare
from stcollection.analysis.worst import worst_queries
from stcollection.api.declared import framed
from stcollection.api.face import Frame, Framed
from stcollection.evaluation.measures import Measure
from stcollection.evaluation.readability import QueryReadability, Readability, query_readability, readability
from stcollection.evaluation.score import leaderboard, score_runs
from stcollection.evaluation.typed import measure_of
from stcollection.qrels.editions import only_edition
from stcollection.topics.sets import ALL, Queries, expression

if TYPE_CHECKING:
    from stcollection.api.analyses import Analyses
    from stcollection.api.plots import Plots

Measures = Iterable[Any]  # names, our measures, or those of ir_measures


class RunScores(Framed[Frame]):
    """The methods of a collection that score and compare runs."""

    @cached_property
    def analysis(self) -> Analyses[Frame]:
        """Significance, impact of editions, agreement, reusability; see :class:`~stcollection.api.analyses.Analyses`."""
        from stcollection.api.analyses import Analyses

        return Analyses(*self._stage())

    @cached_property
    def plot(self) -> Plots:
        """Figures: ``systems``, ``differences``, ``slopes``, …; see :class:`~stcollection.api.plots.Plots`."""
        from stcollection.api.plots import Plots

        return Plots(*self._stage())

    score = framed(score_runs)
    leaderboard = framed(leaderboard)

    def over_time(
        self,
        run: str,
        baseline: str,
        *,
        edition: str | None = None,
        measure: Any = "nDCG@10",
        days: Sequence[str] = (),
        queries: Queries = ALL,
        frame: str | None = None,
    ) -> Frame:
        """Score a run and a baseline on the snapshots of the collection, and compare each snapshot with the first.

        >>> c.over_time("hybrid", "bm25", edition="test")

        Each row is a day, with the fields of :class:`~stcollection.analysis.collection_records.SnapshotScore`.

        :param edition: optional if only one edition exists. :param days: YYYY-MM-DD, two or more; all snapshots if empty.
        :param queries: as for :meth:`score`.
        :raises UnknownObject: a run, the edition, the measure or the set does not exist.
        :raises BadArgument: the run is its own baseline, there are fewer than two days, or a day is not a date.
        :raises StateError: there are no snapshots.
        """
        chosen = edition or only_edition(self.connection)
        found = over_time(
            self.connection,
            run=run,
            baseline=baseline,
            edition=chosen,
            measure=measure_of(measure),
            days=days,
            queries=expression(queries),
        )
        types = {**dict.fromkeys(SnapshotScore._fields, float), "day": str, "queries": int}
        return self._frame(list(types), found.days, frame, types=types, simulated=found.simulated)

    compare = framed(compare)
    worst_queries = framed(worst_queries)

    def readability(
        self,
        runs: str | Sequence[str] | None = None,
        *,
        k: int = 10,
        edition: str | None = None,
        measure: str = "textstat_fkgl",
        per_query: bool = False,
        queries: Queries = ALL,
        frame: str | None = None,
    ) -> Frame:
        """Return the readability and credibility of each run's first k documents per query.

        Each row is a run, with the fields of :class:`~stcollection.evaluation.readability.Readability`.

        :param runs: one or more names; None for all. :param edition: use only the queries it judges.
        :param measure: the Flesch-Kincaid grade level to use: ``textstat_fkgl`` or ``cmu_fkgl``.
        :param per_query: return one row per run and qid instead. :param queries: a set of queries, or names.
        :raises UnknownObject: a run, the edition, the measure or the set does not exist. :raises BadArgument: k is below 1.
        :raises StateError: no readability is computed.
        """
        names = _several(runs)
        fields = ["run", "qid" if per_query else "queries", *Readability._fields[2:]]
        read = query_readability if per_query else readability
        found: Sequence[Readability | QueryReadability] = read(
            self.connection, runs=names, k=k, edition=edition, measure=measure, queries=expression(queries)
        )
        types = {**dict.fromkeys(fields[1:5], int), **dict.fromkeys(fields[5:], float), "run": str, "qid": str}
        return self._frame(fields, found, frame, types=types)


def _several(given: Any) -> list[Any]:
    """Return a list of the given value or values; empty for None."""
    return [] if given is None else [given] if isinstance(given, str | Measure) else list(given)
