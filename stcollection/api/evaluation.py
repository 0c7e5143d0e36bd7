"""The methods of a collection that evaluate stored runs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from stcollection.analysis.overtime import score_over_time
from stcollection.analysis.significance import compare
from stcollection.analysis.worst import worst_queries
from stcollection.api.declared import framed
from stcollection.api.face import Frame, Framed
from stcollection.evaluation.readability import read_readability
from stcollection.evaluation.score import leaderboard, score_runs

if TYPE_CHECKING:
    from stcollection.api.analyses import Analyses
    from stcollection.api.plots import Plots


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
    over_time = framed(score_over_time)
    compare = framed(compare)
    worst_queries = framed(worst_queries)
    readability = framed(read_readability)
