"""Which labels next? An order of the unjudged documents of a pool by what their labels would do for the ranking of runs.

A wrong order of two runs costs their difference. The expected loss is σ φ(z) - |μ| Φ(-|z|), where μ is the expected difference of
their final scores, σ its standard deviation and z = μ / σ: the linear loss of ranking and selection (Chick & Inoue, Operations
Research 49, 2001). Its derivative by σ^2 is φ(z) / (2 σ). A label removes the part of its document from σ^2, so the loss over all
pairs of runs falls by about

    Var[x_i] Σ_{a < b} φ(z_ab) / (2 σ_ab) (c_a(i) - c_b(i))^2

with x and c of :mod:`~stcollection.analysis.pool_scores`. Minimal test collections have the same sum without the weights of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

from stcollection.analysis.paired import Floats
from stcollection.analysis.pool_model import chances, read_evidence
from stcollection.analysis.pool_scores import ExpectedScores, expected_scores
from stcollection.analysis.stopping import ModelLabels
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import BadArgument, StateError, UnknownObject, translate
from stcollection.evaluation.measures import AP
from stcollection.evaluation.parameters import OneMeasure, only_measure
from stcollection.qrels.parameters import JudgedIn, PoolName, RelevantFrom


class PoolOrder(NamedTuple):
    """The order of a pool. :param documents: unjudged ones, which were ordered. :param batches: their number; 0: no order.

    :param first: queries of the first batch.
    """

    pool: str
    documents: int
    batches: int
    first: int


@declare
@translate()
def order_pool(
    conn: psycopg.Connection,
    name: PoolName,
    runs: Annotated[Sequence[str], Option("RUN", each="run", listed="show runs")] = (),
    *,
    edition: JudgedIn = None,
    relevant: RelevantFrom = 1,
    labels: ModelLabels = None,
    measure: OneMeasure = AP,
    batch: Annotated[int, AllowedRange(ge=1)] = 50,
    random: Annotated[bool, Option("--random")] = False,
) -> PoolOrder:
    """Let assessors judge the documents of a pool first whose labels say most about the ranking of runs.

    The order is computed from the judgments so far: repeat it after a batch.

    :param runs: Runs of the pool to separate; all if omitted.
    :param measure: Measure of the ranking: AP or nDCG@k.
    :param batch: Number of documents in a batch. Within a batch, each assessor sees a random order.
    :param random: Restore the random order of the whole pool.
    :raises UnknownObject: the pool, a run or an edition does not exist. :raises BadArgument: another measure, or one run.
    :raises StateError: all documents are judged.
    """
    with conn.transaction():
        if random:
            conn.execute("SELECT stc.order_pool(%s, '{}', '{}', '{}', NULL)", [name])
            return PoolOrder(name, 0, 0, 0)
        evidence = read_evidence(conn, name, edition=edition, labels=labels)
        chosen = _chosen(name, evidence.runs, runs)
        good = evidence.relevant(relevant)
        scores = expected_scores(evidence, chances(evidence, good), only_measure(measure), good)
        worth = loss_saved(scores, chosen)
        open_ = np.flatnonzero(~evidence.judged & evidence.sheet)
        if len(open_) == 0:
            raise StateError(f"all documents of the pool {name!r} are judged", hint="Make a deeper pool.", sqlstate="IR405")
        ordered = open_[np.argsort(-worth[open_], kind="stable")]
        batches = 1 + np.arange(len(ordered)) // batch
        rule = {
            "runs": [evidence.runs[at] for at in chosen],
            "measure": str(only_measure(measure)),
            "labels": labels,
            "size": batch,
        }
        queries = evidence.keys[evidence.query[ordered]]
        conn.execute(
            "SELECT stc.order_pool(%s, %s::integer[], %s::bigint[], %s::integer[], %s)",
            [name, queries.tolist(), evidence.doc[ordered].tolist(), batches.tolist(), Jsonb(rule)],
        )
    return PoolOrder(name, len(ordered), int(batches[-1]), len(set(queries[:batch].tolist())))


def loss_saved(scores: ExpectedScores, runs: Sequence[int]) -> Floats:
    """Return what a label of each document saves of the expected loss of wrongly ordered pairs of runs. :param runs: indexes."""
    z, deviations = scores.pairs()
    weights = np.exp(-0.5 * z**2) / (2 * np.sqrt(2 * np.pi) * deviations)
    chosen = np.zeros(len(weights), bool)
    chosen[list(runs)] = True
    weights[~np.outer(chosen, chosen)] = 0
    np.fill_diagonal(weights, 0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    worth: Floats = scores.variance * np.einsum("ij,ij->i", scores.effects @ laplacian, scores.effects)
    return worth


def _chosen(pool: str, known: Sequence[str], runs: Sequence[str]) -> list[int]:
    """Return the indexes of some runs of the pool, or all."""
    if unknown := sorted(set(runs) - set(known)):
        raise UnknownObject(
            f"{unknown[0]!r} is no run of the pool {pool!r}", hint=f"Its runs are {', '.join(known)}.", sqlstate="IR101"
        )
    chosen = [at for at, run in enumerate(known) if not runs or run in runs]
    if len(chosen) < 2:
        hint = "Name two or more runs, or make a pool of several."
        raise BadArgument("at least two runs are needed to compare them", hint=hint)
    return chosen
