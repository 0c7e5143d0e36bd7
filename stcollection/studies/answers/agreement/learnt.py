"""A stance learnt from pairs: one number per answer, so that answers support each other if their stances have the same sign.

An answer's stance is t = tanh(w·c) of its counts of wording c (stances.py). For two answers with a stance,
P(support) = σ(β₀ + β t_a t_b), a bilinear form of rank one, fitted by maximum likelihood (L-BFGS). The initial w follows from the
meaning of the wording classes, and λ‖w − w₀‖² keeps w near it unless thousands of pairs disagree. The counts of a pair are
replaced by t_a t_b and similar columns, used for yes/no and choice questions; quantities are used for all others; other columns
stay unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from stcollection.studies.answers.agreement.forms import KINDS
from stcollection.studies.answers.agreement.stances import COLUMNS, PRIOR

_PENALTY = 100.0
_START = 0.5  # scale of the prior: a single word of weight 1 gives the stance tanh ½
_STRONG = 0.35
_POLAR = ("polar", "choice")

_Floats = npt.NDArray[np.float64]


class Stands(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn stances, and replace the counts of a pair by values of its stances.

    :param columns: names of the input columns, those of features.names.
    :param support: the class of pairs that support each other.
    :param neutral: a class to exclude from learning, or −1.
    """

    def __init__(self, columns: Sequence[str] = (), support: int = 1, neutral: int = -1) -> None:
        self.columns, self.support, self.neutral = columns, support, neutral

    def fit(self, X: Any, y: Any) -> Stands:  # noqa: N803
        """Learn the weights of the wording classes.

        :param X: float[n, len(columns)].
        :param y: the class of each pair.
        """
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)  # noqa: N806
        first, second, gates = self._parts(X)
        polar = sum(gates[kind] for kind in _POLAR)
        usable = (polar > 0) & (y != self.neutral) & (np.abs(first).sum(axis=1) > 0) & (np.abs(second).sum(axis=1) > 0)
        self.weights_, self.slope_ = _learn(first[usable], second[usable], (y[usable] == self.support).astype(np.float64))
        return self

    def transform(self, X: Any) -> _Floats:  # noqa: N803
        """Return the features of pairs of answers.

        :returns: float64[n, …].
        """
        X = np.asarray(X, dtype=np.float64)  # noqa: N806
        first, second, gates = self._parts(X)
        a, b = np.tanh(first @ self.weights_), np.tanh(second @ self.weights_)
        polar = sum(gates[kind] for kind in _POLAR)
        product, weaker, stronger = a * b, np.minimum(np.abs(a), np.abs(b)), np.maximum(np.abs(a), np.abs(b))
        stands = [
            polar * product, polar * np.sign(product) * np.sqrt(np.abs(product)), polar * np.abs(a - b), polar * weaker,
            polar * stronger, polar * (weaker > _STRONG), polar * ((weaker > _STRONG) & (product < 0)),
            polar * (stronger < _STRONG), polar * (a + b) * np.sign(a + b), gates["choice"] * product, (1.0 - polar) * product,
        ]  # fmt: skip
        stands += [polar, gates["choice"], gates["quantity"] + gates["time"], gates["other"]]
        rest = [number for number, name in enumerate(self.columns) if not name.startswith(("stand.", "numbers."))]
        # In a yes/no question 一口 and 一杯 are not quantities that can agree, and other numbers are irrelevant.
        measured = [number for number, name in enumerate(self.columns) if name.startswith("numbers.")]
        table: _Floats = np.column_stack([*stands, X[:, rest], (1.0 - gates["polar"])[:, None] * X[:, measured]])
        return table

    def _parts(self, X: _Floats) -> tuple[_Floats, _Floats, dict[str, _Floats]]:  # noqa: N803
        """Return the counts of the two answers, and for each kind of question whether it applies."""
        first = list(self.columns).index(f"stand.high_{COLUMNS[0]}")
        size = len(COLUMNS)
        kinds = first + 2 * size
        gates = {kind: X[:, kinds + number] for number, kind in enumerate(KINDS)}
        return X[:, first : first + size], X[:, first + size : kinds], gates


def contrary(columns: npt.NDArray[Any], names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return whether two answers to a yes/no question take opposite sides, by the meaning of words without learning.

    :param columns: float[n, len(names)].
    :returns: bool[n].
    """
    first, second, gates = Stands(columns=names)._parts(np.asarray(columns, dtype=np.float64))
    a, b = np.tanh(_START * first @ PRIOR), np.tanh(_START * second @ PRIOR)
    opposed: npt.NDArray[np.bool_] = (
        (gates["polar"] + gates["choice"] > 0) & (a * b < 0) & (np.minimum(np.abs(a), np.abs(b)) > _STRONG)
    )
    return opposed


def _learn(first: _Floats, second: _Floats, support: _Floats) -> tuple[_Floats, float]:
    """Return the weights of the wording classes, and β."""
    from scipy.optimize import minimize

    prior = _START * PRIOR
    if not len(support):
        return prior, 1.0

    def loss(point: _Floats) -> tuple[float, _Floats]:
        weights, base, slope = point[:-2], point[-2], point[-1]
        a, b = np.tanh(first @ weights), np.tanh(second @ weights)
        score = base + slope * a * b
        value = np.logaddexp(0.0, score) - support * score
        off = 1.0 / (1.0 + np.exp(-score)) - support
        towards = first.T @ (off * slope * (1 - a * a) * b) + second.T @ (off * slope * (1 - b * b) * a)
        apart = weights - prior
        gradient = np.concatenate(
            [towards + 2 * _PENALTY * apart, [off.sum() + 0.2 * base], [(off * a * b).sum() + 0.2 * (slope - 2.0)]]
        )
        return float(value.sum() + _PENALTY * (apart @ apart) + 0.1 * base**2 + 0.1 * (slope - 2.0) ** 2), gradient

    start = np.concatenate([prior, [0.0, 2.0]])
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return solution[:-2], float(solution[-1])
