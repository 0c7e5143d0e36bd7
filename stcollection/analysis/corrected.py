"""Scores by the labels of a machine, corrected by the judgments of people for a sample of the queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import psycopg
from psycopg.rows import class_row

from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, columns_of, declare
from stcollection.errors import translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import OneMeasure, QuerySet, only_measure, set_of
from stcollection.topics.sets import ALL


class CorrectedScore(NamedTuple):
    """The mean of a run over the queries, estimated from two kinds of judgments (sql/analysis/corrected_scores.sql).

    :param corrected: the estimate; ``low`` and ``high`` are its interval, ``se`` is its standard error.
    :param weight: of the labels, from 0 (they do not help) to 1.
    :param by_labels: mean by the labels. :param by_people: mean by people, over their queries; ``people_se`` is its standard error.
    :param n: number of queries that people judged. :param labelled: number of queries with labels, those included.
    :param worth: number of queries that people would have to judge for an interval as narrow; None if ``se`` is 0.
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

    The interval is valid for any labels, if the queries of people are a random sample (prediction-powered inference).

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
    with conn.cursor(row_factory=class_row(CorrectedScore)) as cursor:
        rows = cursor.execute("SELECT * FROM stc.corrected_scores(%s, %s, %s, %s, %s, %s, %s)", arguments).fetchall()
    return RecordTable(rows, columns=columns_of(CorrectedScore), editions=[labels, people])
