"""Calibrate the grades of a machine on judgments by people: map each grade to the one that people would give."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import NamedTuple

import psycopg

from stcollection.counts import counted
from stcollection.errors import StateError, translate

_PAIRS = """
SELECT m.query, m.rel, p.rel FROM stc.agreement_labels(ARRAY[%(labels)s, %(people)s]) m
  JOIN stc.agreement_labels(ARRAY[%(labels)s, %(people)s]) p ON p.place = 2 AND p.query = m.query AND p.doc = m.doc
 WHERE m.place = 1 ORDER BY m.query, m.doc
"""
_AGREEMENT = (
    "SELECT avg((g.x = g.y)::int)::float, stc.cohen_kappa(array_agg(g.x), array_agg(g.y), 'quadratic'),"
    " avg(abs(g.x - g.y))::float, avg(g.y - g.x)::float FROM unnest(%s::int[], %s::int[]) AS g (x, y)"
)
PRIOR = 1.0  # pseudo-count: each grade begins with one judgment by people of the mean grade
FOLDS = 10

Grades = tuple[int, int, int]  # query, machine's grade, people's grade


class CalibratedGrade(NamedTuple):
    """A grade of the machine. :param expected: mean grade by people, smoothed and monotone. :param rel: the grade it becomes."""

    label: int
    pairs: int
    expected: float
    rel: int


class LabelAgreement(NamedTuple):
    """Agreement of grades with people. :param bias: mean difference, machine minus people."""

    accuracy: float
    kappa_quadratic: float | None
    mae: float
    bias: float


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """A mapping of grades, and how well it does on queries that it was not fitted to.

    :param before, after: agreement with people of the grades and of the mapped grades. Those of a query are mapped by the other
        queries (cross-validation).
    :param unused: number of judgments by people on documents that the machine has not judged.
    """

    grades: list[CalibratedGrade]
    queries: int
    pairs: int
    unused: int
    before: LabelAgreement
    after: LabelAgreement

    @property
    def scale(self) -> dict[int, int]:
        return {grade.label: grade.rel for grade in self.grades}


def fit(pairs: Sequence[Grades], labels: Sequence[int]) -> list[CalibratedGrade]:
    """Map labels to grades of people: those of the non-decreasing maps that has the largest quadratic kappa.

    Labels are first merged to blocks of non-decreasing means of people's grades (isotonic regression, by pooling adjacent
    violators; Robertson, Wright & Dykstra, 1988). Rounding these means would draw all grades to the middle; the largest kappa does
    not.

    :param labels: all grades of the machine; one without a judgment by people begins with the mean grade.
    """
    mean = sum(people for _, _, people in pairs) / len(pairs)
    counts = Counter(label for _, label, _ in pairs)
    sums: Counter[int] = Counter()
    for _, label, people in pairs:
        sums[label] += people
    blocks: list[_Block] = []
    for label in sorted(labels):
        blocks.append(_Block(counts[label], sums[label], (sums[label] + PRIOR * mean) / (counts[label] + PRIOR), [label]))
        while len(blocks) > 1 and blocks[-2].mean > blocks[-1].mean:
            low, high = blocks[-2:]
            light, heavy = (block.pairs + PRIOR * len(block.labels) for block in (low, high))
            pooled = (low.mean * light + high.mean * heavy) / (light + heavy)
            blocks[-2:] = [_Block(low.pairs + high.pairs, low.total + high.total, pooled, low.labels + high.labels)]
    grades = _largest_kappa(blocks, [people for _, _, people in pairs])
    return [
        CalibratedGrade(label, counts[label], block.mean, rel)
        for block, rel in zip(blocks, grades, strict=True)
        for label in block.labels
    ]


class _Block(NamedTuple):
    """Labels that are mapped together. :param total: sum of people's grades. :param mean: smoothed."""

    pairs: int
    total: int
    mean: float
    labels: list[int]


def _largest_kappa(blocks: Sequence[_Block], people: Sequence[int]) -> tuple[int, ...]:
    """Return the grade of each block. With a single block or grade, where kappa is not defined: the nearest to the mean."""
    total, squares = sum(people), sum(grade * grade for grade in people)

    def kappa(grades: Sequence[int]) -> float:
        own = sum(block.pairs * grade * grade for block, grade in zip(blocks, grades, strict=True))
        linear = sum(block.pairs * grade for block, grade in zip(blocks, grades, strict=True))
        observed = own + squares - 2 * sum(block.total * grade for block, grade in zip(blocks, grades, strict=True))
        expected = own + squares - 2 * linear * total / len(people)
        return 1 - observed / expected if expected else -math.inf

    choices = combinations_with_replacement(sorted(set(people)), len(blocks))
    best = max(choices, key=lambda grades: round(kappa(grades), 12))
    return best if kappa(best) > 0 else tuple(math.ceil(block.mean - 0.5) for block in blocks)


@translate()
def calibration(conn: psycopg.Connection, labels: str, people: str) -> Calibration:
    """Fit the grades of one edition to those of people, and estimate by cross-validation over queries what that gains.

    :param labels, people: sides of an agreement, such as the names of editions.
    :raises UnknownObject: an edition does not exist.
    :raises StateError: people and machine have judged the same documents for fewer than two queries.
    """
    names = {"labels": labels, "people": people}
    pairs: list[Grades] = conn.execute(_PAIRS, names).fetchall()
    queries = sorted({query for query, _, _ in pairs})
    if len(queries) < 2:
        raise StateError(
            f"{people} and {labels} judge the same documents for {counted(len(queries), 'query')}",
            hint="Calibration needs documents of two queries that both judge, and some ten for each grade to be useful.",
            sqlstate="IR405",
        )
    sides = conn.execute("SELECT place, rel FROM stc.agreement_labels(ARRAY[%(labels)s, %(people)s])", names).fetchall()
    known = sorted({rel for place, rel in sides if place == 1})
    folds = min(FOLDS, len(queries))
    fold = {query: at % folds for at, query in enumerate(queries)}
    mapped: list[int] = []
    for held_out in range(folds):
        scale = _scale([pair for pair in pairs if fold[pair[0]] != held_out], known)
        mapped += [scale[label] for query, label, _ in pairs if fold[query] == held_out]
    ordered = [pair for held_out in range(folds) for pair in pairs if fold[pair[0]] == held_out]
    return Calibration(
        grades=fit(pairs, known),
        queries=len(queries),
        pairs=len(pairs),
        unused=sum(place == 2 for place, _ in sides) - len(pairs),
        before=_agreement(conn, ordered, [label for _, label, _ in ordered]),
        after=_agreement(conn, ordered, mapped),
    )


def _scale(pairs: Sequence[Grades], labels: Sequence[int]) -> Mapping[int, int]:
    return {grade.label: grade.rel for grade in fit(pairs, labels)}


def _agreement(conn: psycopg.Connection, pairs: Sequence[Grades], labels: Sequence[int]) -> LabelAgreement:
    [row] = conn.execute(_AGREEMENT, [[people for _, _, people in pairs], list(labels)]).fetchall()
    return LabelAgreement(*row)
