"""Agreement among people's grades of documents, and the mean of each measure at each grade.

The values come from SQL functions (sql/complexity/). This module adds the bootstrap interval of alpha, and returns the grades as
arrays to the analyses that need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg

from stcollection.analysis.document_measures import Aspect
from stcollection.analysis.records import AnnotationMean as AnnotationMean
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import translate
from stcollection.qrels.resampling import resample_clusters

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
ALL = "all"  # the name shown for all groups together
GRADES = 3


class AnnotationAgreement(NamedTuple):
    """One row of annotation_agreement.

    :param group_a, group_b: equal for agreement within a group; None for all annotators together.
    :param low, high: interval of alpha; None if fewer than two documents have a pair of grades, or alpha is not defined.
    """

    aspect: str
    group_a: str | None
    group_b: str | None
    annotators: int
    documents: int
    pairs: int
    accuracy: float | None
    kappa: float | None
    kappa_linear: float | None
    kappa_quadratic: float | None
    alpha_ordinal: float | None
    low: float | None = None
    high: float | None = None


class AnnotatorPair(NamedTuple):
    """One row of annotator_agreement: two annotators. :param documents: number of documents that both graded."""

    aspect: str
    group_a: str
    annotator_a: str
    group_b: str
    annotator_b: str
    documents: int
    accuracy: float
    kappa: float | None
    kappa_linear: float | None
    kappa_quadratic: float | None


GradedAspect = Annotated[Aspect, Option(help="Aspect that was graded.")]
GradedMeasures = Annotated[
    Sequence[str],
    Option(
        "-m",
        each="measure",
        metavar="MEASURE",
        help="Measure: textstat_fkgl, citations, … Repeatable.",
        default="the 20 of readability; for credibility those of citations",
    ),
]
Groups = Annotated[Sequence[str], Option("-g", each="group", help="Group of annotators. Repeatable.", default="all")]
Confidence = Annotated[float, AllowedRange(gt=0, lt=1), Option(each="confidence", help="Confidence level of the intervals.")]


@dataclass(frozen=True, kw_only=True)
class AnnotationBootstrap:
    """Percentile intervals from documents drawn with replacement, each with all its grades (Efron & Tibshirani, 1993).

    The draws are the same on every machine.

    :param resamples: Bootstrap resamples of the documents.
    :param seed: Seed of the bootstrap.
    :param level: Confidence level of the intervals.
    """

    resamples: Annotated[int, AllowedRange(ge=1)] = 1000
    seed: Annotated[int, AllowedRange(ge=0)] = 1
    level: Confidence = 0.95

    def __post_init__(self) -> None:
        check_fields(self)

    def interval(self, values: Floats) -> tuple[float, float] | tuple[None, None]:
        """Return the percentile interval of the values, ignoring NaN; (None, None) if no value is left."""
        finite = values[np.isfinite(values)]
        if not finite.size:
            return None, None
        low, high = np.percentile(finite, [50 * (1 - self.level), 50 * (1 + self.level)])
        return float(low), float(high)


THOUSAND = AnnotationBootstrap()


@dataclass(frozen=True, kw_only=True)
class AspectGrades:
    """The grades of one aspect, and the values of the measures for the graded documents, as arrays.

    :param doc, group, grade: int64[grades]: the document's row in ``values``, the group's index in ``groups``, and the grade, 0
        to 2.
    :param values: float64[documents, measures], NaN where a document has no value.
    """

    aspect: str
    groups: list[str]
    measures: list[str]
    doc: Ints
    group: Ints
    grade: Ints
    values: Floats
    simulated: str | None = None

    def empty(self) -> list[str]:
        """Return the measures that no graded document has."""
        return [name for name, column in zip(self.measures, self.values.T, strict=True) if np.isnan(column).all()]

    def counts(self, group: int | None) -> Floats:
        """Return float64[documents, 3]: how often each document was given each grade, by one group or by all."""
        of = slice(None) if group is None else self.group == group
        cells = self.doc[of] * GRADES + self.grade[of]
        return np.bincount(cells, minlength=len(self.values) * GRADES).reshape(-1, GRADES).astype(np.float64)


@declare
@note_simulated(annotations=True)
@translate()
def graded(
    conn: psycopg.Connection, *, aspect: GradedAspect = "complexity", measures: GradedMeasures = (), groups: Groups = ()
) -> AspectGrades:
    """Load the grades of an aspect with the values of measures.

    :raises UnknownObject: a group or measure does not exist.
    :raises BadArgument: the aspect does not exist.
    :raises StateError: nobody graded the aspect.
    """
    [[group_names]] = conn.execute("SELECT stc.annotation_groups(%s, %s)", [aspect, list(groups)]).fetchall()
    named = measures_of(conn, aspect=aspect, measures=measures)
    rows = conn.execute(
        "SELECT a.doc, array_position(%(groups)s::text[], w.annotator_group) - 1, a.grade FROM stc_all.annotations a"
        " JOIN stc_all.annotators w USING (annotator) WHERE a.aspect = %(aspect)s AND w.annotator_group = ANY (%(groups)s)"
        " ORDER BY a.doc, a.annotator",
        {"groups": group_names, "aspect": aspect},
    ).fetchall()
    doc, group, grade = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    ids, doc = np.unique(doc, return_inverse=True)
    by_doc: dict[int, list[float | None]] = dict(
        conn.execute("SELECT * FROM stc.annotated_documents(%s, %s)", [aspect, named]).fetchall()
    )
    values = np.array([by_doc[doc_id] for doc_id in ids.tolist()], dtype=np.float64).reshape(len(ids), len(named))
    return AspectGrades(
        aspect=aspect,
        groups=group_names,
        measures=named,
        doc=doc.astype(np.int64),
        group=group,
        grade=grade,
        values=np.where(np.isfinite(values), values, np.nan),
    )


@translate()
def measures_of(conn: psycopg.Connection, *, aspect: str, measures: Sequence[str] = ()) -> list[str]:
    """Return the named measures without duplicates, or those of the aspect. :raises UnknownObject: a measure does not exist."""
    [[named]] = conn.execute("SELECT stc.annotation_measures(%s, %s)", [aspect, list(measures)]).fetchall()
    return list(named)


@declare
@note_simulated(annotations=True)
@translate()
def means(
    conn: psycopg.Connection, *, aspect: GradedAspect = "complexity", measures: GradedMeasures = (), groups: Groups = ()
) -> list[AnnotationMean]:
    """Return the mean of each measure at each grade, per group and over all, sorted by measure, group and grade.

    :raises UnknownObject, BadArgument, StateError: as for :func:`graded`.
    """
    rows = conn.execute("SELECT * FROM stc.annotation_means(%s, %s, %s)", [aspect, list(measures), list(groups)]).fetchall()
    return [AnnotationMean(*row) for row in rows]


@declare
@note_simulated(annotations=True)
@translate()
def agreement(
    conn: psycopg.Connection,
    *,
    aspect: GradedAspect = "complexity",
    groups: Groups = (),
    bootstrap: AnnotationBootstrap | None = None,
) -> list[AnnotationAgreement]:
    """Measure agreement within each group, between each two groups and over all annotators, with an interval of alpha.

    :raises UnknownObject: a group does not exist.
    :raises BadArgument: the aspect does not exist.
    :raises StateError: nobody graded the aspect.
    """
    table = conn.execute("SELECT * FROM stc.annotation_agreement(%s, %s)", [aspect, list(groups)]).fetchall()
    rows = [AnnotationAgreement(aspect, *row) for row in table]
    if bootstrap is None:
        return rows
    grades = graded(conn, aspect=aspect, measures=["citations"], groups=groups)
    return [_with_interval(row, grades, bootstrap) for row in rows]


@note_simulated(annotations=True)
@translate()
def annotator_agreement(conn: psycopg.Connection, *, aspect: str = "complexity", groups: Sequence[str] = ()) -> list[AnnotatorPair]:
    """Measure the agreement of each two annotators, sorted by group and name. Raises the errors of :func:`agreement`."""
    rows = conn.execute("SELECT * FROM stc.annotator_agreement(%s, %s)", [aspect, list(groups)]).fetchall()
    return [AnnotatorPair(aspect, *row) for row in rows]


def _with_interval(row: AnnotationAgreement, grades: AspectGrades, bootstrap: AnnotationBootstrap) -> AnnotationAgreement:
    if row.alpha_ordinal is None:
        return row
    a, b = (None if name is None else grades.groups.index(name) for name in (row.group_a, row.group_b))
    together = within(grades.counts(a)) if a == b else between(grades.counts(a), grades.counts(b))
    together = together[together.any(axis=1)]
    if len(together) < 2:
        return row
    drawn = resample_clusters(together, resamples=bootstrap.resamples, seed=bootstrap.seed)
    low, high = bootstrap.interval(alpha_ordinal(drawn))
    return row._replace(low=low, high=high)


def within(counts: Floats) -> Floats:
    """Return each document's contribution to the coincidence matrix of its grades: float64[documents, 9].

    See sql/qrels/coincidences.sql.

    :param counts: float64[documents, 3].
    """
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(GRADES)
    others = counts.sum(axis=1) - 1
    return pairs.reshape(-1, GRADES**2) / np.where(others > 0, others, 1)[:, None]


def between(a: Floats, b: Floats) -> Floats:
    """Return the same for pairs of grades from two different groups, counting both halves of the matrix."""
    pairs = a[:, :, None] * b[:, None, :]
    return (pairs + pairs.transpose(0, 2, 1)).reshape(-1, GRADES**2)


def alpha_ordinal(coincidences: Floats) -> Floats:
    """Compute Krippendorff's ordinal alpha of many coincidence matrices: float64[matrices], NaN where it is undefined.

    Equal to sql/qrels/coincidence_alpha.sql.

    :param coincidences: float64[matrices, 9].
    """
    cells = coincidences.reshape(-1, GRADES, GRADES)
    grades = cells.sum(axis=2)
    at = np.cumsum(grades, axis=1) - grades / 2
    distance = (at[:, :, None] - at[:, None, :]) ** 2
    seen = (cells * distance).sum(axis=(1, 2))
    chance = (grades[:, :, None] * grades[:, None, :] * distance).sum(axis=(1, 2))
    alpha: Floats = 1 - (grades.sum(axis=1) - 1) * seen / np.where(chance > 0, chance, np.nan)
    return alpha
