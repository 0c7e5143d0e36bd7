"""Significance tests between run files, without a collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from stcollection.analysis.significance import STUDENT_TEST, Grid, PairedTest, RunComparison, compare_grids
from stcollection.db.settings import Settings
from stcollection.declared import Option
from stcollection.errors import UnknownObject
from stcollection.evaluation.files.score import FileScores, RunFiles, score_files
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.evaluation.own import learn_measures
from stcollection.evaluation.parameters import Measures, measures_of


def compare_files(
    settings: Settings,
    files: RunFiles,
    *,
    measures: Measures = (nDCG @ 10,),
    baseline: Annotated[str | None, Option(metavar="RUN", default="compare all pairs")] = None,
    test: PairedTest = STUDENT_TEST,
) -> tuple[list[RunComparison], FileScores]:
    """Test run files for significant differences, without a collection: all pairs, or each run against a baseline.

    As :func:`~stcollection.analysis.significance.compare` does for stored runs.

    :param baseline: Compare each run with RUN, a file or its name.
    :returns: the comparisons by measure, then best run first; and the scores, whose notes list missing queries.
    :raises UnknownObject: no file matches the baseline.
    :raises StcError: as for ``compare`` and ``score_files``.
    """
    learn_measures(settings)
    chosen = measures_of(measures)
    scores = score_files(settings, files, measures=chosen, complete=test.missing == "zero")
    if baseline is not None:
        named = [run.name for run, path in zip(scores.runs, files.runs, strict=True) if baseline in (run.name, str(path))]
        if not named:
            raise UnknownObject(
                f"no run is called {baseline!r}",
                hint=f"The runs are {', '.join(run.name for run in scores.runs)}.",
                sqlstate="IR101",
            )
        baseline = named[0]
    queries = list(dict.fromkeys(query for run in scores.runs for query in run.values))
    grids: list[tuple[str, Grid]] = [(str(measure), _grid(scores, queries, measure)) for measure in chosen]
    return compare_grids(grids, baseline=baseline, test=test), scores


def _grid(scores: FileScores, queries: Sequence[str], measure: Measure) -> Grid:
    """Return the values of each run in the order of the queries."""
    return {
        run.name: np.array([run.values[query][measure] if query in run.values else np.nan for query in queries])
        for run in scores.runs
    }
