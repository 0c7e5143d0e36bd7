"""May we stop? Relevant documents of a pool that are probably missing, and what stopping now would do to the ranking of runs.

:mod:`~stcollection.analysis.pool_model` estimates the chances of unjudged documents. The expected number of missing relevant
documents is their sum, as in the rule of Yang, Lewis & Frieder (DocEng 2021). Its interval is that of the beta-binomial
distribution with this mean, the variance of the model, and the unjudged documents as its number of trials.

The order of two runs turns with a probability that follows from z, the expected difference of their final scores in standard
deviations (:mod:`~stcollection.analysis.pool_scores`). The expected tau is the mean over the pairs of
sign(present difference) (2 Φ(z) - 1).
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import psycopg

from stcollection.analysis.paired import Floats
from stcollection.analysis.pool_model import Booleans, chances, read_evidence
from stcollection.analysis.pool_scores import ExpectedScores, expected_scores
from stcollection.db.simulated import note_simulated
from stcollection.declared import Option, declare
from stcollection.errors import translate
from stcollection.evaluation.measures import AP
from stcollection.evaluation.parameters import OneMeasure, only_measure
from stcollection.qrels.parameters import JudgedIn, PoolName, RelevantFrom
from stcollection.texts import later

#: An edition whose labels help to estimate the chances of documents.
ModelLabels = Annotated[
    str | None,
    Option("--labels", metavar="EDITION", help="Edition with labels, for example of a language model.", default="none"),
]
ONLY_RELEVANT = later(
    "If the judgments list relevant documents only, import those judged not relevant too, with grade 0:"
    " 'stc load --as qrels FILE --edition NAME'."
)
_TAIL, _OPEN, _ONLY = 0.025, 0.05, 10


class QueryYield(NamedTuple):
    """Relevant documents of a query.

    :param documents: of the pool. :param relevant: those among the judged ones.
    :param missing: expected number of relevant documents among the unjudged ones; ``low`` and ``high`` are its 95 % interval. None
        without an estimate.
    """

    query: str
    documents: int
    judged: int
    relevant: int
    missing: float | None
    low: int
    high: int


class ExpectedRun(NamedTuple):
    """The mean of a run now, where unjudged documents count as not relevant, and expected once all documents are judged.

    :param low, high: 95 % interval of the expected mean, for these queries.
    """

    run: str
    now: float
    rank: int
    expected: float
    expected_rank: int
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class PoolProgress:
    """Relevant documents found and missing, and what stopping now would do to the ranking of runs.

    :param documents: of the pool, with those that a sampled pool did not draw. :param judged, relevant: as in QueryYield.
    :param missing, low, high: of all queries, as in QueryYield.
    :param tau: expected tau between the ranking of runs now and that by complete judgments; None with fewer than two runs.
    :param pairs: pairs of runs. :param open_pairs: those whose order will turn with a probability of 5 % or more.
    :param batches: whether assessors see the documents in batches (``stc pool order``); ``missing`` is then less certain.
    :param only_relevant: whether all judged documents, ten or more, are relevant. Then nothing is estimated, because judgments that
        omit the other documents say nothing about the chances of unjudged ones.
    """

    documents: int
    judged: int
    relevant: int
    missing: float | None
    low: int
    high: int
    measure: str
    tau: float | None
    pairs: int
    open_pairs: int | None
    batches: bool
    only_relevant: bool
    queries: list[QueryYield]
    runs: list[ExpectedRun]
    simulated: str | None = None


@declare
@note_simulated("edition", "labels")
@translate()
def pool_progress(
    conn: psycopg.Connection,
    name: PoolName,
    *,
    edition: JudgedIn = None,
    relevant: RelevantFrom = 1,
    labels: ModelLabels = None,
    measure: OneMeasure = AP,
) -> PoolProgress:
    """Estimate how many relevant documents of a pool are missing, and whether the ranking of runs would change.

    :param measure: Measure of the ranking: AP or nDCG@k.
    :raises UnknownObject: the pool or an edition does not exist. :raises BadArgument: another measure.
    :raises StateError: the labels judge no document of the pool.
    """
    evidence = read_evidence(conn, name, edition=edition, labels=labels)
    [[batches]] = conn.execute("SELECT p.params ? 'order' FROM stc_all.qrels_pools p WHERE p.pool = %s", [name]).fetchall()
    judged, good = evidence.judged, evidence.relevant(relevant)
    model = chances(evidence, good)
    ones = np.ones(len(judged))
    counts = np.stack([evidence.per_query(ones, which) for which in (ones > 0, judged, good)], axis=1)
    only_relevant = judged.sum() >= _ONLY and bool(good[judged].all())
    known = bool(judged.any()) and not only_relevant

    def row(counted: Floats, missing: float, variance: float) -> tuple[Any, ...]:
        total, seen, hits = (int(number) for number in counted)
        low, high = interval(total - seen, missing, variance) if known else (0, total - seen)
        return total, seen, hits, float(missing) if known else None, low, high

    every = row(counts.sum(axis=0), model.missing.sum(), model.variance.sum() + model.shared_variance)
    columns = zip(evidence.names, counts, model.missing, model.variance, strict=True)
    scores = expected_scores(evidence, model, only_measure(measure), good)
    tau, unsettled = stopping_now(scores) if known and len(evidence.runs) > 1 else (None, None)
    return PoolProgress(
        **dict(zip(("documents", "judged", "relevant", "missing", "low", "high"), every, strict=True)),
        measure=str(only_measure(measure)),
        tau=tau,
        pairs=len(evidence.runs) * (len(evidence.runs) - 1) // 2,
        open_pairs=None if unsettled is None else int(unsettled.sum()),
        batches=batches,
        only_relevant=only_relevant,
        queries=[QueryYield(query, *row(*values)) for query, *values in columns],
        runs=_runs(evidence.runs, scores) if known else [],
    )


def interval(trials: int, mean: float, variance: float) -> tuple[int, int]:
    """Return the 95 % interval of the beta-binomial distribution with a mean and a variance.

    A variance that is too small for it is replaced by that of the binomial distribution, nearly.
    """
    if trials < 1:
        return 0, 0
    share = min(max(mean / trials, 1e-9), 1 - 1e-9)
    excess = variance / (trials * share * (1 - share)) - 1
    size = 1 / min(max(excess / max(trials - 1, 1), 1e-7), 0.999) - 1
    special: Any = importlib.import_module("scipy.special")
    k = np.arange(trials + 1)
    log = special.betaln(k + share * size, trials - k + (1 - share) * size) - special.betaln(share * size, (1 - share) * size)
    log += special.gammaln(trials + 1) - special.gammaln(k + 1) - special.gammaln(trials - k + 1)
    below = np.cumsum(np.exp(log))
    low, high = np.minimum(np.searchsorted(below, [_TAIL, 1 - _TAIL]), trials).tolist()
    return low, high


def stopping_now(scores: ExpectedScores) -> tuple[float, Booleans]:
    """Return the expected tau, and which pairs of runs (in the order of ``numpy.triu_indices``) can turn."""
    z, _ = scores.pairs()
    first, other = np.triu_indices(len(scores.now), 1)
    present = np.sign(np.round(scores.now[first] - scores.now[other], 12))
    ahead: Floats = importlib.import_module("scipy.special").ndtr(present * z[first, other])
    return float(np.where(present == 0, 0, 2 * ahead - 1).mean()), 1 - ahead >= _OPEN


def _runs(names: list[str], scores: ExpectedScores) -> list[ExpectedRun]:
    margin = 1.959964 * np.sqrt(np.maximum(np.diag(scores.covariance), 0))
    now, expected = (1 + (np.round(values[:, None] - values[None], 12) < 0).sum(axis=1) for values in (scores.now, scores.expected))
    low, high = np.maximum(scores.expected - margin, 0), np.minimum(scores.expected + margin, 1)
    columns = [column.tolist() for column in (scores.now, now, scores.expected, expected, low, high)]
    return sorted((ExpectedRun(*row) for row in zip(names, *columns, strict=True)), key=lambda row: (row.rank, row.run))
