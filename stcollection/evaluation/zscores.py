"""Standardised scores: deviations from the mean of reference runs, per query and measure, in standard deviations.

(Webber, Moffat & Zobel, Score standardization for inter-collection comparison of retrieval systems, SIGIR 2008)

Mean and deviation come from a file in the format of trec_eval -Z (``query measure mean deviation``), or from stored runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from stcollection.counts import counted
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, declare
from stcollection.errors import BadInput, translate
from stcollection.evaluation.measures import OFFICIAL, Measure
from stcollection.evaluation.parameters import Edition, Measures, QuerySet, Runs, edition_of, measures_of, runs_of, set_of
from stcollection.io.files import bad_line, clip, lines
from stcollection.io.runs.simpletext import number
from stcollection.topics.sets import ALL

if TYPE_CHECKING:
    import psycopg

#: Printed by trec_eval for a score without mean and deviation.
MISSING = -1_000_000.0
_COLUMNS = 4
_HINT = "Expected: query measure mean deviation."
_NORMS = "SELECT query, measure, mean, deviation, runs_used AS runs FROM stc.zscore_norms(%s::text[], %s, %s::text[], %s, %s)"
_ZSCORES = "SELECT run, query, measure, value FROM zscores(%s::text[], %s, %s::text[], %s::text[], %s, %s)"


class Norm(NamedTuple):
    """The mean and standard deviation of reference runs.

    :param deviation: 0 or more.
    """

    mean: float
    deviation: float


class StoredNorm(NamedTuple):
    """A computed mean and standard deviation of reference runs on one query.

    :param runs: number of runs.
    """

    query: str
    measure: str
    mean: float
    deviation: float
    runs: int


class ZScore(NamedTuple):
    """One standardised value.

    :param value: None if the reference runs all score alike and this run differs.
    """

    run: str
    query: str
    measure: str
    value: float | None


Norms = Mapping[tuple[str, str], Norm]


def read_zscores(path: Path) -> dict[tuple[str, str], Norm]:
    """Read mean and deviation by (query, measure) from a file for trec_eval -Z; lines that begin with ``#`` are comments.

    :raises BadInput: a line cannot be read or repeats an earlier one, or the file has no line.
    """
    norms: dict[tuple[str, str], Norm] = {}
    for line, text in lines(path):
        if text.startswith("#"):
            continue
        cells = text.split()
        if len(cells) != _COLUMNS:
            raise bad_line(path, line, f"{counted(len(cells), 'column')} instead of {_COLUMNS}", hint=_HINT)
        mean, deviation = (_finite(path, line, cell) for cell in cells[2:])
        if deviation < 0:
            raise bad_line(path, line, f"the deviation {clip(cells[3])} is below 0", hint=_HINT)
        key = (cells[0], cells[1])
        if key in norms:
            raise bad_line(
                path,
                line,
                f"query {cells[0]} already has a line for {cells[1]}",
                hint="Keep one line per query and measure.",
                sqlstate="IR302",
            )
        norms[key] = Norm(mean, deviation)
    if not norms:
        raise BadInput(f"{path}: no mean and deviation found", hint=_HINT)
    return norms


def _finite(path: Path, line: int, cell: str) -> float:
    value = number(cell)
    if not math.isfinite(value):
        raise bad_line(path, line, f"{clip(cell)} is not a finite number", hint=_HINT)
    return value


def zscore(value: float, norm: Norm | None) -> float:
    """Standardise one score; MISSING without a norm, or if the deviation is 0 and the score is not the mean."""
    if norm is None:
        return MISSING
    if norm.deviation:
        return (value - norm.mean) / norm.deviation
    return 0.0 if value == norm.mean else MISSING


@note_simulated("edition")
@translate()
def zscore_norms(
    conn: psycopg.Connection,
    *,
    edition: str,
    measures: Iterable[Measure],
    runs: Sequence[str] = (),
    complete: bool = True,
    queries: str = ALL,
) -> list[StoredNorm]:
    """Compute mean and deviation of the scores of stored runs, by query (sorted as bytes) and measure (in the given order).

    :param runs: names in st1_runs, at least two; if empty, all runs with rankings or scores for the edition.
    :param complete: score a query for which a run has nothing as 0; otherwise leave it out.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: a run, the edition, a measure or the set does not exist.
    :raises StateError: there are fewer than two runs.
    """
    names = [measure.checked().trec_eval for measure in measures]
    from psycopg.rows import class_row

    with conn.cursor(row_factory=class_row(StoredNorm)) as cursor:
        norms = cursor.execute(_NORMS, [list(runs), edition, names, complete, queries]).fetchall()
    return sorted(norms, key=lambda norm: (norm.query.encode(), names.index(norm.measure)))


@declare
@note_simulated("edition")
@translate()
def zscores(
    conn: psycopg.Connection,
    *,
    runs: Runs = (),
    edition: Edition = None,
    measures: Measures = OFFICIAL,
    queries: QuerySet = ALL,
    reference: Annotated[Sequence[str], Option(metavar="RUN", default="all runs")] = (),
    complete: Annotated[bool, Option("--complete/--retrieved")] = True,
) -> list[ZScore]:
    """Standardise the scores of runs query by query. Without runs, use all runs with documents for the edition.

    A z-score is the deviation from the mean of all runs, so that hard and easy queries have equal weight. If all reference runs
    have the same score and this run another, there is no z-score (–), and the mean leaves the query out.

    :param measures: Measure: nDCG@10, AP, … Repeatable, or comma-separated.
    :param reference: Run to compute the means and deviations from. Repeatable.
    :param complete: Count a query without documents in a run as 0 (trec_eval -c), or leave it out.
    :returns: by run, query and measure (in the given order), with trec_eval's names of measures.
    :raises StcError: as for :func:`zscore_norms`.
    """
    names = [measure.checked().trec_eval for measure in measures_of(measures)]
    edition = edition_of(conn, edition)
    from psycopg.rows import class_row

    with conn.cursor(row_factory=class_row(ZScore)) as cursor:
        scores = cursor.execute(_ZSCORES, [runs_of(runs), edition, names, list(reference), complete, set_of(queries)]).fetchall()
    return sorted(scores, key=lambda score: (score.run.encode(), score.query.encode(), names.index(score.measure)))
