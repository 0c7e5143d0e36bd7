"""Compare a model with itself after training, by cross-validation over the queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import psycopg

from stcollection.analysis import paired
from stcollection.declared import declare
from stcollection.vectors.store import DocumentField, StoredModel
from stcollection.vectors.train import AS_USUAL, Progress, TrainingOptions, cross_validate

_RESAMPLES = 10_000


@dataclass(frozen=True, kw_only=True)
class TrainingGain:
    """nDCG@10 on queries that the model was not trained on.

    :param before, after: means over the queries. :param low, high: 95 % BCa bootstrap interval of the gain. :param p: of no gain.
    """

    queries: int
    folds: int
    before: float
    after: float
    gain: float
    low: float
    high: float
    p: float


@declare
def training_gain(
    conn: psycopg.Connection,
    edition: str,
    *,
    model: StoredModel = None,
    field: DocumentField | str = "abstract",
    folds: int = 5,
    options: TrainingOptions = AS_USUAL,
    progress: Progress | None = None,
) -> TrainingGain:
    """Estimate the gain of training by cross-validation. Errors are those of :func:`stcollection.vectors.train.cross_validate`.

    :param edition: Edition to train on. :param field: Field to train on. :param folds: Number of folds.
    """
    before, after = cross_validate(conn, edition=edition, model=model, field=field, folds=folds, options=options, progress=progress)
    differences = np.round(np.array(after, dtype=np.float64) - np.array(before, dtype=np.float64), 12)[:, None]
    p, low, high = paired.bootstrap(differences, resamples=_RESAMPLES, seed=options.seed, alpha=0.05)
    means = float(np.mean(before)), float(np.mean(after))
    return TrainingGain(
        queries=len(before),
        folds=folds,
        before=means[0],
        after=means[1],
        gain=means[1] - means[0],
        low=float(low[0]),
        high=float(high[0]),
        p=float(p[0]),
    )
