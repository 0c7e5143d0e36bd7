"""The scores that runs have now, and those expected once a pool is judged completely, with the effect of each label on them.

Judging document i changes the score of run a by c_a(i) x_i, where x_i is the gain of the document, so that the difference of two
runs has the variance Σ (c_a(i) - c_b(i))^2 Var[x_i], to which queries with an uncertain ratio add theirs. As in minimal test
collections (Carterette, Allan & Sitaraman, SIGIR 2006),

- AP: c(i) = (1 + Σ_{r_j < r_i} E[x_j]) / r_i + Σ_{r_j > r_i} E[x_j] / r_j, divided by the expected number of relevant
  documents, at least 1
- nDCG@k: c(i) = 1 / log2(r_i + 1) up to k, divided by the ideal DCG of the expected sum of gains

The gain is 1 for relevant documents, for nDCG the grade as a share of the highest.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from stcollection.analysis.paired import Floats
from stcollection.analysis.pool_model import Booleans, Chances, Evidence
from stcollection.errors import BadArgument
from stcollection.evaluation.measures import Measure

_SMALLEST = 1e-9  # standard deviation of a difference


@dataclass(frozen=True, kw_only=True)
class ExpectedScores:
    """Means of the runs over the queries, float[runs].

    :param now: unjudged documents count as not relevant. :param expected: once all are judged.
    :param effects: float[documents, runs]: change of the mean by a gain of 1; 0 for judged documents.
    :param variance: of the gain of each document; 0 if judged.
    :param covariance: float[runs, runs]: of the means, because of unjudged documents.
    """

    now: Floats
    expected: Floats
    effects: Floats
    variance: Floats
    covariance: Floats

    def pairs(self) -> tuple[Floats, Floats]:
        """Return expected differences of the runs in standard deviations, and these deviations, as float[runs, runs]."""
        own = np.diag(self.covariance)
        deviations = np.sqrt(np.maximum(own[:, None] + own[None] - 2 * self.covariance, _SMALLEST**2))
        return (self.expected[:, None] - self.expected[None]) / deviations, deviations


def expected_scores(evidence: Evidence, chances: Chances, measure: Measure, relevant: Booleans) -> ExpectedScores:
    """Return the scores of the runs by AP or nDCG@k, where the gain of the highest grade is 1.

    :param relevant: of the judged documents.
    :raises BadArgument: another measure.
    """
    if measure.name not in ("AP", "nDCG") or measure.parameters or (measure.name == "nDCG") == (measure.cutoff is None):
        raise BadArgument(f"cannot estimate effects on the measure {str(measure)!r}", hint="Use AP or nDCG@k.")
    judged = evidence.judged
    grades = np.where(judged, np.nan_to_num(evidence.grade), 0).clip(min=0)
    gain, square = relevant.astype(float), 1.0
    mean = 1.0
    if measure.name == "nDCG":
        gain = grades / evidence.highest
        of_relevant = gain[judged & relevant]
        mean = float((of_relevant.sum() + 0.5) / (len(of_relevant) + 1))
        square = float(((of_relevant**2).sum() + 0.25) / (len(of_relevant) + 1))
    chance = np.where(judged, 0, chances.chance)
    variance = chance * square - (chance * mean) ** 2
    now, _ = _scores(evidence, np.where(judged, gain, 0), measure)
    expected, effects = _scores(evidence, np.where(judged, gain, chance * mean), measure)
    effects[judged] = 0
    by_query = np.zeros((len(evidence.names), len(evidence.runs)))
    np.add.at(by_query, evidence.query, effects * (chance * mean)[:, None])
    shared = (by_query * chances.ratio_variance[:, None]).T @ by_query
    return ExpectedScores(
        now=now,
        expected=expected,
        effects=effects,
        variance=variance,
        covariance=(effects * variance[:, None]).T @ effects + shared,
    )


def _scores(evidence: Evidence, gain: Floats, measure: Measure) -> tuple[Floats, Floats]:
    """Return the means of the runs, and the effects of documents on them."""
    rank = np.arange(1, evidence.depth + 1)[:, None]
    means, effects = np.zeros(len(evidence.runs)), np.zeros(evidence.ranks.shape)
    first = np.searchsorted(evidence.query, np.arange(len(evidence.names) + 1))
    for start, stop in pairwise(first):
        document, run = np.nonzero(evidence.ranks[start:stop])
        place = evidence.ranks[start + document, run] - 1
        at_rank = np.zeros((evidence.depth, len(evidence.runs)))
        at_rank[place, run] = gain[start + document]
        total = gain[start:stop].sum()
        if measure.name == "AP":
            above, shares = np.cumsum(at_rank, axis=0) - at_rank, at_rank / rank
            value = (shares * (1 + above)).sum(axis=0) / max(total, 1)
            slope = ((1 + above) / rank + shares.sum(axis=0) - np.cumsum(shares, axis=0)) / max(total, 1)
        else:
            cutoff = measure.cutoff or evidence.depth
            discount = np.where(rank <= cutoff, 1 / np.log2(rank + 1), 0)
            ideal = (1 / np.log2(np.arange(2, 2 + max(1, min(cutoff, int(np.ceil(total))))))).sum()
            value = (at_rank * discount).sum(axis=0) / ideal
            slope = np.broadcast_to(discount / ideal, at_rank.shape)
        means += value
        effects[start + document, run] = slope[place, run]
    queries = max(len(evidence.names), 1)
    return means / queries, effects / queries
