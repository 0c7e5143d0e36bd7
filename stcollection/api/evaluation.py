"""The methods of a collection that make, score and compare runs; ``collection.retrieval`` and ``collection.evaluation``."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from stcollection.analysis.corrected import corrected_scores
from stcollection.analysis.overtime import score_over_time
from stcollection.analysis.significance import compare
from stcollection.analysis.worst import worst_queries
from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Framed, Stage
from stcollection.evaluation import asks
from stcollection.evaluation.incoming import make_run
from stcollection.evaluation.own import add_measures, drop_measure
from stcollection.evaluation.readability import read_readability
from stcollection.evaluation.sampled import sampled_scores
from stcollection.evaluation.score import leaderboard, score_runs
from stcollection.evaluation.zscores import zscores
from stcollection.retrieval.combine import combine
from stcollection.retrieval.combine_tune import tune_combination
from stcollection.retrieval.fuse import fuse
from stcollection.retrieval.pareto import pareto
from stcollection.retrieval.rerank import rerank_run
from stcollection.retrieval.search import search
from stcollection.retrieval.systems import add_system, drop_system, systems
from stcollection.retrieval.tune import tune_run

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

    score = framed(score_runs, several=True)
    leaderboard = framed(leaderboard)
    over_time = framed(score_over_time)
    compare = framed(compare, several=True)
    worst_queries = framed(worst_queries)
    corrected = framed(corrected_scores)
    sampled = framed(sampled_scores, several=True)
    readability = framed(read_readability)
    search = framed(search)
    run = called(make_run, bar=("search", "queries"))
    add_measures = called(add_measures)
    drop_measure = called(drop_measure)
    systems = framed(systems)
    add_system = called(add_system)
    drop_system = called(drop_system)
    rerank = called(rerank_run, bar=("rerank", "pairs"))
    tune = called(tune_run)


class EvaluationStage(Stage[Frame]):
    """``collection.evaluation``: scores, leaderboards and their analyses."""

    score = RunScores.score
    leaderboard = RunScores.leaderboard
    over_time = RunScores.over_time
    worst = RunScores.worst_queries
    corrected = RunScores.corrected
    sampled = RunScores.sampled
    readability = RunScores.readability
    zscores = framed(zscores)
    ask = called(asks.ask)


class RetrievalStage(Stage[Frame]):
    """``collection.retrieval``: the commands of ``stc retrieval``."""

    search = RunScores.search
    run = RunScores.run
    rerank = RunScores.rerank
    tune = RunScores.tune
    fuse = called(fuse)
    combine = called(combine)
    combine_tune = called(tune_combination)
    pareto = framed(pareto)
