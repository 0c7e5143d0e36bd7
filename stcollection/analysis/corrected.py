"""Scores by the labels of a machine, corrected by the judgments of people for a sample of the queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import psycopg

from stcollection.db.rows import records
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, columns_of, declare
from stcollection.errors import translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import OneMeasure, QuerySet, only_measure, set_of
from stcollection.texts import later
from stcollection.topics.sets import ALL


class CorrectedScore(NamedTuple):
    """The mean of a run over the queries, estimated from two kinds of judgments (sql/analysis/corrected_scores.sql).

    :param corrected: the estimate; ``low`` and ``high`` are its interval, ``se`` is its standard error.
    :param weight: of the labels, from 0 (they do not help) to 1.
    :param by_labels: mean by the labels. :param by_people: mean by people, over their queries; ``people_se`` is its standard error.
    :param n: number of queries, or of pairs of query and document, that people judged. :param labelled: with labels.
    :param worth: number that people would have to judge for an interval as narrow; None if ``se`` is 0.
    :param unit: of ``n``, ``labelled`` and ``worth``: ``query`` or ``pair``.
    """

    run: str
    corrected: float
    low: float
    high: float
    se: float
    weight: float
    by_labels: float
    by_people: float
    people_se: float
    n: int
    labelled: int
    worth: float | None
    unit: str


@declare
@note_simulated()
@translate()
def corrected_scores(
    conn: psycopg.Connection,
    runs: Annotated[Sequence[str], Option("RUN", each="run", listed="show runs")] = (),
    *,
    labels: Annotated[str, Option("--labels", metavar="EDITION", listed="show editions")],
    people: Annotated[str, Option("--correct-with", metavar="EDITION", listed="show editions")],
    measure: OneMeasure = nDCG @ 10,
    baseline: Annotated[str | None, Option("--baseline", metavar="RUN", listed="show runs")] = None,
    alpha: Annotated[float, AllowedRange(gt=0, lt=1)] = 0.05,
    queries: QuerySet = ALL,
) -> RecordTable[CorrectedScore]:
    """Estimate the means of runs from labels of many queries and judgments by people for a sample of them.

    The interval is valid for any labels, if the queries of people are a random sample (prediction-powered inference). If people
    judged a sampled pool, the sample is one of documents: use DCG@k or P@k.

    :param runs: Runs to score; all if omitted.
    :param labels: Edition with the labels, for example of a language model.
    :param people: Edition with judgments by people for some of these queries.
    :param baseline: Estimate the differences to this run instead of the means.
    :param alpha: The interval has confidence 1 − alpha.
    :returns: the highest corrected value first, ties by name.
    :raises UnknownObject: a run, an edition, the measure or the set does not exist.
    :raises BadArgument: there are several measures, or an argument is outside its range.
    :raises StateError: people judged fewer than two queries, or one without labels.
    """
    arguments = [labels, people, str(only_measure(measure)), list(runs), baseline, alpha, set_of(queries)]
    rows = records(conn, CorrectedScore, "SELECT * FROM stc.corrected_scores(%s, %s, %s, %s, %s, %s, %s)", arguments)
    return RecordTable(rows, columns=columns_of(CorrectedScore), editions=[labels, people])


def cautions(scores: Sequence[CorrectedScore]) -> list[str]:
    """Return sentences about scores that the correction cannot improve, or whose intervals are not to be trusted."""
    notes = []
    constant = [score.run for score in scores if score.se == 0]
    if constant:
        notes.append(
            later(
                "Every judged query has the same value, so that there is no variance to estimate and the interval has no width:"
                " {runs}. Judge more queries.",
                runs=", ".join(constant),
            )
        )
    useless = [score.run for score in scores if score.weight == 0]
    if useless and all(score.n == score.labelled for score in scores):
        notes.append(later("People judged everything that has a label: nothing is left to correct, and these are their scores."))
    elif useless:
        notes.append(
            later(
                "The labels do not help, because they are the same everywhere or do not agree with people: {runs}."
                " These scores and intervals are those of people alone.",
                runs=", ".join(useless),
            )
        )
    return notes
