"""A model of agreement: from features of a pair of answers to probabilities that they support or oppose each other.

A logistic regression of scikit-learn, strongly regularised. It is calibrated on probabilities of held-out groups (a group is a
query, or a template of queries) by a multinomial logistic regression of their logarithms (Dirichlet calibration: Kull et al.,
NeurIPS 2019). The threshold for support is the one with the best F1 on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stcollection.counts import counted
from stcollection.declared import INTERNAL, AllowedRange, Option, check_fields
from stcollection.errors import BadArgument, StateError
from stcollection.studies.answers.agreement.features import ALL as KINDS
from stcollection.studies.answers.agreement.features import FAST, AnswerEncoder, Matrix, checked_kinds, features, names

RELATIONS = ("support", "neutral", "oppose")

# With labels only, opposition cannot be learnt. Of the pairs that do not support each other, these shares count as opposed: the
# first if the answers clash (opposite stances, different numbers), the second if not.
CLASH, NO_CLASH = 0.8, 0.2

_FOLDS = 5
_COMPARED = 20_000  # maximum number of pairs that a held-out group is predicted from
_LEAST = 1e-4  # lower bound of a probability before its logarithm is taken

_Floats = npt.NDArray[np.float64]
_Groups = npt.NDArray[np.intp]


class Relations(NamedTuple):
    """Probabilities of the relations of pairs of answers.

    :param support, oppose: float64[n], probabilities; the rest up to 1 is neutral.
    """

    support: _Floats
    oppose: _Floats


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """How a model of agreement is trained.

    :param seed: Seed of folds, shuffling and fitting.
    :param kinds: Kind of features to use. Repeatable.
    :param shuffle: Shuffle the labels before training: a baseline that learns nothing.
    """

    kinds: Annotated[Sequence[str], Option("--features", choices=KINDS, default="all; embedding only with --embed")] = FAST
    shuffle: Annotated[bool, Option("--shuffle-labels")] = False
    seed: Annotated[int, AllowedRange(ge=0)] = 1
    embed: Annotated[AnswerEncoder | None, INTERNAL] = None

    def __post_init__(self) -> None:
        check_fields(self)


USUAL_LEARNING = LearningOptions()


@dataclass(frozen=True)
class AgreementModel:
    """A trained model, made by :func:`fit` and stored by store.py.

    :ivar classes: RELATIONS in order, or "other" and "support" for labels 0 and 1.
    :ivar calibrator: None if there were too few groups to hold one out.
    :ivar threshold: pairs with at least this probability of support count as supporting each other.
    """

    estimator: Any
    calibrator: Any
    classes: tuple[str, ...]
    kinds: tuple[str, ...]
    threshold: float
    seed: int
    pairs: int
    shuffled: bool = False
    embed: AnswerEncoder | None = None

    def predict(self, queries: Sequence[str], a: Sequence[str], b: Sequence[str]) -> Relations:
        """Predict the relations of pairs of answers; the order of the two answers does not matter."""
        return self.judge(features(queries, a, b, kinds=self.kinds, embed=self.embed), queries, a, b)

    def judge(self, columns: Matrix, queries: Sequence[str], a: Sequence[str], b: Sequence[str]) -> Relations:
        """Predict from computed features. :param columns: float32[n, d], of this model's kinds."""
        if not len(columns):
            return Relations(np.zeros(0), np.zeros(0))
        with _one_thread():
            shares = _calibrated(self.calibrator, _spread(self.estimator, columns, len(self.classes)))
        return relations_of(shares, self.classes, queries, a, b)


def relations_of(
    shares: _Floats, classes: tuple[str, ...], queries: Sequence[str], a: Sequence[str], b: Sequence[str]
) -> Relations:
    """Return the relations of pairs from the probabilities of classes; opposition is inferred if it is not a class.

    :param shares: float64[n, classes].
    """
    support = shares[:, classes.index("support")]
    if "oppose" in classes:
        return Relations(support, shares[:, classes.index("oppose")])
    return Relations(support, (1.0 - support) * np.where(clashes(queries, a, b), CLASH, NO_CLASH))


def softmax(logits: _Floats, temperature: float = 1.0) -> _Floats:
    """Return the softmax of logits divided by a temperature, by row."""
    raised: _Floats = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperature)
    shares: _Floats = raised / raised.sum(axis=1, keepdims=True)
    return shares


def clashes(queries: Sequence[str], a: Sequence[str], b: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return whether two answers take opposite stances on a yes/no question, or have different numbers of one kind."""
    kinds = ("numbers", "stand")
    columns = dict(zip(names(kinds), features(queries, a, b, kinds=kinds).T, strict=True))
    clash: npt.NDArray[np.bool_] = (columns["numbers.disagree"] > 0.5) | (columns["stand.opposed"] > 0)
    return clash


def fit(
    queries: Sequence[str],
    a: Sequence[str],
    b: Sequence[str],
    truth: Sequence[str] | Sequence[int],
    *,
    groups: Sequence[str] | None = None,
    options: LearningOptions = USUAL_LEARNING,
    columns: Matrix | None = None,
) -> AgreementModel:
    """Train on labelled pairs.

    :param truth: relations, or labels 1 (support) and 0. With labels, support is learnt and opposition inferred
        (:func:`clashes`).
    :param groups: groups of pairs that are held out together; None: by query.
    :param columns: the features, if already computed.
    :raises BadArgument: a relation or kind is unknown.
    :raises StateError: the pairs do not contain two classes.
    """
    options = replace(options, kinds=checked_kinds(options.kinds))
    classes, target = target_of(truth)
    if options.shuffle:
        target = np.random.default_rng(options.seed).permutation(target)
    if columns is None:
        columns = features(queries, a, b, kinds=options.kinds, embed=options.embed)
    with _one_thread():
        return _fit(columns, target, queries if groups is None else groups, classes, options)


def _fit(
    columns: Matrix,
    target: _Groups,
    groups: Sequence[str],
    classes: tuple[str, ...],
    options: LearningOptions,
) -> AgreementModel:
    seed, kinds = options.seed, tuple(options.kinds)
    folds = _folds(np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)[1], seed)
    calibrator, threshold = None, 0.5
    if folds:
        shares = _held_out(columns, target, folds, classes, seed=seed)
        calibrator = _calibrator(shares, target)
        threshold = best_threshold(target == classes.index("support"), _calibrated(calibrator, shares)[:, classes.index("support")])
    return AgreementModel(
        estimator=_estimator(seed).fit(columns, target),
        calibrator=calibrator,
        classes=classes,
        kinds=kinds,
        threshold=threshold,
        seed=seed,
        pairs=len(target),
        shuffled=options.shuffle,
        embed=options.embed,
    )


@cache
def _threads() -> Any:
    import sklearn.ensemble  # noqa: F401, that its libraries are loaded when they are counted
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _one_thread() -> AbstractContextManager[Any]:
    """Limit OpenMP to one thread: its threads spin while waiting, so on a busy machine several are much slower than one."""
    limited: AbstractContextManager[Any] = _threads().limit(limits=1)
    return limited


def best_threshold(support: npt.NDArray[np.bool_], probability: _Floats) -> float:
    """Return the threshold of support with the best F1, the highest if several are equal; 0.5 if nothing is support."""
    if not support.any():
        return 0.5
    order = np.argsort(-probability, kind="stable")
    hits = np.cumsum(support[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + support.sum())
    ends = np.append(np.diff(probability[order]) != 0, True)  # equal probabilities are on the same side
    place = int(np.argmax(np.where(ends, f1, -1.0)))
    # Halfway to the next lower probability, so that rounding to the tables' single precision changes nothing.
    following = probability[order][place + 1] if place + 1 < len(order) else 0.0
    return float((probability[order][place] + following) / 2)


def target_of(truth: Sequence[str] | Sequence[int]) -> tuple[tuple[str, ...], npt.NDArray[np.intp]]:
    """Return the classes, and the class of each pair."""
    relations = [{0: "other", 1: "support"}.get(label, label) if isinstance(label, int) else label for label in truth]
    if unknown := sorted({str(relation) for relation in relations} - {*RELATIONS, "other"}):
        raise BadArgument(f"unknown relation {unknown[0]!r}", hint=f"Use {', '.join(RELATIONS)}, or 1 and 0.")
    classes = tuple(relation for relation in ("other", *RELATIONS) if relation in set(relations))
    if len(classes) < 2 or "support" not in classes:
        raise StateError(
            f"all {counted(len(relations), 'labelled pair is', 'labelled pairs are')} {classes[0]}"
            if len(classes) == 1
            else "no labelled pair is support"
            if relations
            else "there are no labelled pairs to learn from",
            hint="A model needs pairs that support each other and pairs that do not; load a split with both.",
            sqlstate="IR405",
        )
    return classes, np.array([classes.index(str(relation)) for relation in relations], dtype=np.intp)


def _folds(groups: _Groups, seed: int) -> list[_Groups]:
    """Return the pairs of each fold, with each group in one fold; empty if there are fewer than two groups."""
    from sklearn.model_selection import GroupKFold

    count = min(_FOLDS, len(np.unique(groups)))
    if count < 2:
        return []
    return [held for _, held in GroupKFold(count, shuffle=True, random_state=seed).split(groups, groups=groups)]


def _held_out(columns: Matrix, target: _Groups, folds: list[_Groups], classes: tuple[str, ...], *, seed: int) -> _Floats:
    """Return each pair's probabilities by a classifier trained without its group; float64[n, classes]."""
    shares = np.zeros((len(target), len(classes)))
    for held in folds:
        others = np.ones(len(target), dtype=bool)
        others[held] = False
        seen = np.flatnonzero(others)
        if len(seen) > _COMPARED:
            seen = np.sort(np.random.default_rng(seed).choice(seen, _COMPARED, replace=False))
        if len(np.unique(target[seen])) < 2:
            shares[held] = 1.0 / len(classes)
            continue
        shares[held] = _spread(_estimator(seed).fit(columns[seen], target[seen]), columns[held], len(classes))
    return shares


def _spread(estimator: Any, columns: Matrix, classes: int) -> _Floats:
    """Return probabilities with one column per class, including classes that this classifier has not seen."""
    shares = np.zeros((len(columns), classes))
    shares[:, estimator.classes_] = estimator.predict_proba(columns)
    return shares


def _calibrator(shares: _Floats, target: _Groups) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, max_iter=1000).fit(_logarithms(shares), target)


def _calibrated(calibrator: Any, shares: _Floats) -> _Floats:
    chances: _Floats = shares if calibrator is None else calibrator.predict_proba(_logarithms(shares))
    return chances


def _logarithms(shares: _Floats) -> _Floats:
    logarithms: _Floats = np.log(np.clip(shares, _LEAST, 1.0))
    return logarithms


def _estimator(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(C=0.005, max_iter=2000, random_state=seed))
