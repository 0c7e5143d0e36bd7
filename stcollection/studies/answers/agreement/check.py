"""Evaluate a model of agreement: its predictions for labelled pairs compared with their labels and relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg

from stcollection.counts import counted
from stcollection.db.rows import only_value
from stcollection.declared import Option
from stcollection.errors import BadArgument, StateError, translate
from stcollection.studies.answers.agreement.cues import is_chinese
from stcollection.studies.answers.agreement.features import features, names
from stcollection.studies.answers.agreement.model import RELATIONS
from stcollection.studies.answers.parameters import AgreementName, AnswerSet, Split

BY = ("all", "template", "type", "language")
BINS = 10
# Jaccard similarity of character n-grams (2, 3, 4) below and above which two answers look unlike and alike.
UNLIKE, ALIKE = 0.1, 0.4

_Floats = npt.NDArray[np.float64]
_Labels = npt.NDArray[np.int64]


class PairMeasures(NamedTuple):
    """Measures over some pairs. A value is None if undefined: AUC without both labels, accuracy without relations.

    :param support: share of pairs that support each other.
    :param precision, recall, f1: of support, from the threshold on.
    :param auc: area under the ROC curve.
    :param ap: average precision.
    :param brier: Brier score of support.
    :param log_loss: log loss of support.
    :param ece: expected calibration error of support over ten bins of equal width.
    :param accuracy: accuracy over the three relations, with the most probable relation of each pair.
    """

    pairs: int
    support: float
    precision: float
    recall: float
    f1: float
    auc: float | None
    ap: float | None
    brier: float
    log_loss: float
    ece: float
    accuracy: float | None


class CheckedUnit(NamedTuple):
    """The quality of a model of agreement on some pairs.

    :param unit: ``all``, a template, a type of pair, or a language.
    :param confusion: counts [truth, predicted] in the order of RELATIONS, or None.
    """

    unit: str
    measures: PairMeasures
    confusion: npt.NDArray[np.int64] | None


class AgreementCheck(NamedTuple):
    """The quality of a model of agreement, overall and by part.

    :param notes: caveats on these figures.
    """

    rows: list[CheckedUnit]
    threshold: float
    notes: list[str]


def measure(label: _Labels, support: _Floats, *, threshold: float, right: npt.NDArray[np.bool_] | None = None) -> PairMeasures:
    """Compute the measures of some pairs, as scikit-learn does; precision is 0 if no pair is predicted to support.

    :param label: 1 support, 0 not.
    :param right: True where the most probable of three relations is the true one.
    """
    from sklearn import metrics

    predicted = support >= threshold
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(label, predicted, average="binary", zero_division=0.0)
    both = 0 < label.sum() < len(label)
    bins = np.minimum((support * BINS).astype(int), BINS - 1)
    sizes = np.bincount(bins, minlength=BINS)
    apart = np.abs(np.bincount(bins, weights=support - label, minlength=BINS))  # each bin's |confidence − share|, times its size
    return PairMeasures(
        pairs=len(label),
        support=float(label.mean()),
        precision=float(precision),
        recall=float(recall),
        f1=float(f1),
        auc=float(metrics.roc_auc_score(label, support)) if both else None,
        ap=float(metrics.average_precision_score(label, support)) if both else None,
        brier=float(np.mean((support - label) ** 2)),
        log_loss=float(metrics.log_loss(label, support, labels=[0, 1])),
        ece=float(apart.sum() / sizes.sum()),
        accuracy=None if right is None else float(right.mean()),
    )


def check(
    conn: psycopg.Connection,
    model: AgreementName,
    *,
    set: AnswerSet,  # noqa: A002
    split: Split,
    by: Annotated[str, Option(choices=BY)] = "all",
) -> AgreementCheck:
    """Compare a model's predictions for a split with its labels, over all pairs and by unit.

    By type, a pair counts in every type it belongs to: *polarity differs* (leading verdicts of opposite sign), *numbers differ*,
    *paraphrase* (support, few characters in common), *lookalike* (no support, many in common).

    :param by: Evaluate all pairs together, or per kind of question, kind of pair, or language.
    :raises UnknownObject: the model or split does not exist.
    :raises BadArgument: ``by`` is another word.
    :raises StateError: there is no labelled pair, or the model has no predictions for some pairs.
    """
    if by not in BY:
        raise BadArgument(f"unknown value {by!r} of 'by'", hint=f"Use one of {', '.join(BY)}.")
    return compared(conn, model, set=set, splits=[split], by=by)


@translate()
def compared(conn: psycopg.Connection, model: str, *, set: str, splits: Sequence[str], by: str = "all") -> AgreementCheck:  # noqa: A002
    """Compare a model's predictions for one or more splits with their labels; see :func:`check`."""
    statement = "SELECT * FROM stc.answer_relate_told(stc.answer_model_key(%s), stc.answer_set_key(%s, %s))"
    rows = [row for split in splits for row in conn.execute(statement, [model, set, split]).fetchall()]
    params = only_value(conn, "SELECT m.params FROM stc.answer_models m WHERE m.id = stc.answer_model_key(%s)", [model])
    split = " ".join(splits)
    lacking = sum(row[6] is None for row in rows)
    if not rows or lacking:
        raise StateError(
            f"{model} has no relations for {lacking:,} of the {counted(len(rows), 'labelled pair')} of {set} {split}"
            if rows
            else f"{set} {split} has no labelled pair",
            hint=f"Compute them with 'stc answers relate {set} --split {split} --model {model}'."
            if rows
            else "Use a split with labelled pairs.",
            sqlstate="IR405",
        )
    label = np.array([row[4] for row in rows], dtype=np.int64)
    support, oppose = (np.array([row[i] for row in rows], dtype=np.float64) for i in (6, 7))
    truth = [row[5] or ("support" if row[4] else None) for row in rows]
    # Of equal probabilities, take the first of RELATIONS.
    most = np.argmax(np.column_stack([support, 1.0 - support - oppose, oppose]), axis=1)
    units: dict[str, Any] = {"all": np.ones(len(rows), dtype=bool)} | _units(rows, label, by)
    checked = []
    for unit, mask in units.items():
        if not mask.any():
            continue
        here = np.flatnonzero(mask)
        table = _confusion([truth[i] for i in here], most[here])
        right = None if table is None else np.array([RELATIONS[most[i]] == truth[i] for i in here])
        checked.append(CheckedUnit(unit, measure(label[here], support[here], threshold=params["threshold"], right=right), table))
    return AgreementCheck(checked, params["threshold"], _notes(params, set, splits))


def _units(rows: Sequence[Any], label: _Labels, by: str) -> dict[str, npt.NDArray[np.bool_]]:
    if by == "all":
        return {}
    if by == "type":
        return _types([row[0] for row in rows], [row[2] for row in rows], [row[3] for row in rows], label)
    grouped: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        name = (
            (row[1] or "no template") if by == "template" else ("Chinese" if is_chinese(row[2] + row[3]) else "other than Chinese")
        )
        grouped[name].append(number)
    return {unit: np.isin(np.arange(len(rows)), numbers) for unit, numbers in sorted(grouped.items())}


def _types(queries: Sequence[str], a: Sequence[str], b: Sequence[str], label: _Labels) -> dict[str, npt.NDArray[np.bool_]]:
    kinds = ("overlap", "cues", "numbers")
    columns = dict(zip(names(kinds), features(queries, a, b, kinds=kinds).T, strict=True))
    alike = columns["overlap.character_jaccard"]
    return {
        "polarity differs": columns["cues.lead_product"] < 0,
        "numbers differ": columns["numbers.disagree"] > 0.5,
        "paraphrase": (label == 1) & (alike < UNLIKE),
        "lookalike": (label == 0) & (alike > ALIKE),
    }


def _confusion(truth: Sequence[str | None], predicted: npt.NDArray[np.intp]) -> npt.NDArray[np.int64] | None:
    if None in truth:
        return None
    table = np.zeros((3, 3), dtype=np.int64)
    for relation, other in zip(truth, predicted.tolist(), strict=True):
        table[RELATIONS.index(str(relation)), other] += 1
    return table


def _notes(params: dict[str, Any], set: str, splits: Sequence[str]) -> list[str]:  # noqa: A002
    notes = []
    if params.get("set") == set and {*splits} & {*params.get("splits", ())} and not params.get("folds"):
        notes.append(
            "the model was trained on these pairs, so the figures show only how well it remembers them; train with --folds"
        )
    if params.get("shuffled"):
        notes.append("the model was trained on shuffled labels: a baseline")
    return notes
