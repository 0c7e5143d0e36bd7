"""The chance that an unjudged document of a pool is relevant, estimated from the judged ones.

A document's chance is that of a logistic regression on the square root of its support: the mean over the runs of
(1 + ln(depth / rank)) / (1 + ln depth), 0 if a run does not rank it (the weights of ranks of Aslam, Pavlu & Yilmaz, SIGIR 2006).
The labels of a language model are a further variable, so their errors are calibrated by the judgments of people. The coefficients
have normal priors with standard deviation 2 around :data:`PRIOR`, which decide only while few documents are judged.

Queries differ: a query's chances are multiplied by a ratio with a gamma prior of mean 1. Given the relevant documents found, the
relevant documents that are missing then follow a Cox process, a Poisson process with a random rate, over the ranks (Stevenson &
Bin-Hezam, ACM TOIS 42(3), 2023). With E the expected and f the actual number of relevant documents among the judged ones, the ratio
has the mean (a + f) / (a + E) and the variance (a + f) / (a + E)^2. The moments of f - E over the queries estimate a.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stcollection.analysis.paired import Floats

if TYPE_CHECKING:
    import psycopg

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

#: Intercept, and coefficients of the root of the support, of a label from 0 to 1, and of having no label. The first two are near
#: those of Cranfield, CACM and TREC 2021, which are -4.9 and 5.8, -3.9 and 6.0, -1.9 and 5.1.
PRIOR = (-4.0, 5.5, 2.0, 1.0)
_PRECISION = 0.25  # of the priors
_USUAL_SPREAD, _WORTH = 0.5, 5  # 1 / a before any judgment, and the number of queries that it counts for
_STEPS, _LARGEST_STEP = 50, 3.0


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The documents of a pool, ordered by query.

    :param query: index of each document's query in ``names``. :param doc: key. :param sheet: whether assessors judge it.
    :param grade: NaN if not judged. :param label: from 0 to 1; NaN without one; None if no labels are used.
    :param ranks: rank of each document in each of the runs; 0 if it is not within the depth.
    """

    names: list[str]
    keys: Integers
    query: Integers
    doc: Integers
    sheet: Booleans
    grade: Floats
    label: Floats | None
    runs: list[str]
    ranks: Integers
    depth: int

    @property
    def judged(self) -> Booleans:
        return ~np.isnan(self.grade)

    @property
    def highest(self) -> float:
        """The highest grade of the judged documents, at least 1."""
        return float(np.nan_to_num(self.grade).max(initial=1))

    def relevant(self, lowest: int) -> Booleans:
        """Return which documents are judged relevant. :param lowest: grade that counts as relevant."""
        good: Booleans = np.nan_to_num(self.grade, nan=-1) >= lowest
        return good

    def per_query(self, values: Floats, which: Booleans) -> Floats:
        """Return the sum of the values of some documents by query."""
        sums: Floats = np.bincount(self.query[which], values[which], len(self.names)).astype(float)
        return sums


@dataclass(frozen=True, kw_only=True)
class Chances:
    """Chances of relevance. :param chance: of each document, for judged ones as if they were not.

    :param ratio_variance: relative variance of the ratio of each query.
    :param missing, variance: expected number of unjudged relevant documents of each query, and its variance.
    :param shared_variance: that of the sum over the queries because of the coefficients, which all queries share.
    """

    chance: Floats
    ratio_variance: Floats
    missing: Floats
    variance: Floats
    shared_variance: float


def read_evidence(conn: psycopg.Connection, pool: str, *, edition: str | None, labels: str | None) -> Evidence:
    """Read the documents of a pool. :raises UnknownObject: the pool or an edition does not exist."""
    rows = conn.execute("SELECT * FROM stc.pool_evidence(%s, %s, %s)", [pool, edition, labels]).fetchall()
    lists = conn.execute("SELECT * FROM stc.pool_lists(%s)", [pool]).fetchall()
    [[params]] = conn.execute("SELECT p.params FROM stc_all.qrels_pools p WHERE p.pool = %s", [pool]).fetchall()
    columns = list(zip(*rows, strict=True)) or [()] * 5
    keys, query = np.unique(np.array(columns[0], np.int64), return_inverse=True)
    doc = np.array(columns[1], np.int64)
    names: dict[int, str] = dict(
        conn.execute("SELECT id, query FROM stc.st1_queries WHERE id = ANY (%s)", [keys.tolist()]).fetchall()
    )
    runs = sorted({run for run, *_ in lists})
    places, first = {run: place for place, run in enumerate(runs)}, np.searchsorted(query, np.arange(len(keys) + 1))
    index = {key: number for number, key in enumerate(keys.tolist())}
    ranks = np.zeros((len(doc), len(runs)), np.int64)
    for run, of, top, docs in lists:
        start, stop = first[index[of]], first[index[of] + 1]
        at = start + np.searchsorted(doc[start:stop], docs)
        known = at < stop
        known[known] = doc[at[known]] == np.array(docs)[known]
        ranks[at[known], places[run]] = top + np.flatnonzero(known)
    return Evidence(
        names=[names[key] for key in keys.tolist()],
        keys=keys,
        query=query,
        doc=doc,
        sheet=np.array(columns[2], bool),
        grade=np.array(columns[3], float),
        label=None if labels is None else np.array(columns[4], float),
        runs=runs,
        ranks=ranks,
        depth=int(params.get("depth") or ranks.max(initial=1)),
    )


def chances(evidence: Evidence, relevant: Booleans) -> Chances:
    """Estimate the chances of the documents. :param relevant: of the judged documents."""
    judged, open_ = evidence.judged, ~evidence.judged
    variables, prior = _variables(evidence)
    coefficients, spread = _regression(variables, relevant.astype(float), evidence.query, judged, prior)
    p = _logistic(variables @ coefficients)
    relevant_judged = evidence.per_query(relevant.astype(float), judged)
    expected = evidence.per_query(p, judged)
    noise = evidence.per_query(p * (1 - p), judged)
    squares = (expected**2).sum()
    usual = _WORTH * squares / max((expected > 0).sum(), 1) + 1e-9
    over = (((relevant_judged - expected) ** 2 - noise).sum() + usual * _USUAL_SPREAD) / (squares + usual)
    a = 1 / np.clip(over, 0.05, 5)
    ratio = (a + relevant_judged) / (a + expected)
    chance = np.minimum(p * ratio[evidence.query], 0.999)
    relative = 1 / (a + relevant_judged)
    missing = evidence.per_query(chance, open_)
    variance = evidence.per_query(chance * (1 - chance), open_) + missing**2 * relative
    # The ratio of a query with many judgments makes up for an error of the coefficients.
    slope = (chance * (1 - chance) * (a / (a + expected))[evidence.query])[open_] @ variables[open_]
    return Chances(
        chance=chance,
        ratio_variance=relative,
        missing=missing,
        variance=variance,
        shared_variance=float(slope @ spread @ slope),
    )


def _variables(evidence: Evidence) -> tuple[Floats, Floats]:
    """Return the variables of the regression, and the means of their priors."""
    weights = (1 + np.log(evidence.depth / np.maximum(evidence.ranks, 1))) / (1 + np.log(evidence.depth))
    support = np.where(evidence.ranks > 0, weights, 0).sum(axis=1) / max(len(evidence.runs), 1)
    columns = [np.ones(len(support)), np.sqrt(support)]
    if evidence.label is not None:
        columns += [np.nan_to_num(evidence.label), np.isnan(evidence.label).astype(float)]
    return np.column_stack(columns), np.array(PRIOR[: len(columns)])


def _logistic(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))


def _regression(variables: Floats, y: Floats, query: Integers, judged: Booleans, prior: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients by Newton's method, and their covariance.

    The covariance is that of the posterior plus that of the scores of queries (the sandwich of Liang & Zeger, Biometrika 73, 1986),
    because the documents of a query are alike. The latter is larger by the square of the quantiles of Student's t and the normal
    distribution, because few queries show little of their variance.
    """
    x, y, query = variables[judged], y[judged], query[judged]
    coefficients, precision = prior.copy(), np.eye(len(prior)) * _PRECISION
    for _ in range(_STEPS):
        p = _logistic(x @ coefficients)
        information = (x * (p * (1 - p))[:, None]).T @ x + precision
        step = np.linalg.solve(information, x.T @ (y - p) - precision @ (coefficients - prior))
        coefficients = coefficients + step * min(1.0, _LARGEST_STEP / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < 1e-9:
            break
    p = _logistic(x @ coefficients)
    inverse = np.linalg.inv((x * (p * (1 - p))[:, None]).T @ x + precision)
    scores = np.zeros((int(query.max(initial=-1)) + 1, len(prior)))
    np.add.at(scores, query, x * (y - p)[:, None])
    queries = len(np.unique(query))
    freedom = max(queries - 1, 1)
    wider = (importlib.import_module("scipy.special").stdtrit(freedom, 0.975) / 1.959964) ** 2
    between = inverse @ (scores.T @ scores) @ inverse * queries / freedom * wider
    return coefficients, inverse + between
