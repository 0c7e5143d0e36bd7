"""Predict people's grades from measures by proportional-odds regression, with statsmodels (extra ``stats``).

    log(P(grade <= j) / P(grade > j)) = threshold_j - (sum of coefficients x measures + the group's shift)

(McCullagh, JRSS B 42(2), 1980). Measures are standardised over the rows of the model, so exp(coefficient) is the factor by which
the odds of a higher grade grow per standard deviation. A document may have several grades, so standard errors are clustered by
document (sandwich estimator; White, Econometrica 50(1), 1982).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stcollection.analysis.annotations import AspectGrades, Floats, Ints
from stcollection.analysis.corrections import holm
from stcollection.counts import counted
from stcollection.extras import load_module

Mask = npt.NDArray[np.bool_]

_ROWS_EACH = 10  # minimum number of rows per parameter
_APART = 1e-8  # log likelihood per row; closer to 0 than this, the model predicts every grade perfectly


class MeasureEffect(NamedTuple):
    """The effect of one measure in a model.

    :param model: ``one``: the measure and the groups; ``joint``: with the other measures too.
    :param odds_ratio: odds of a higher grade, per standard deviation; ``low`` and ``high`` are its interval.
    :param aic_gain: decrease in AIC compared with a model of the groups alone; in the joint model, of all its measures together.
    :param pseudo_r2: McFadden's, 1 - log likelihood / log likelihood of a model with thresholds only.
    :param note: why there is no value.
    """

    model: str
    measure: str
    n: int
    documents: int
    odds_ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    aic: float | None = None
    aic_gain: float | None = None
    pseudo_r2: float | None = None
    note: str | None = None


class DroppedMeasure(NamedTuple):
    """A measure that the joint model leaves out, and the reason in words."""

    measure: str
    because: str


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Which measures predict the grades of each group of annotators.

    :param single: one model per measure.
    :param joint: the measures of the joint model, in the order they entered it.
    :param dropped: the measures left out of the joint model.
    """

    groups: list[str]
    single: list[MeasureEffect]
    joint: list[MeasureEffect]
    dropped: list[DroppedMeasure]


class _Fit(NamedTuple):
    coefficients: Floats
    errors: Floats
    p: Floats
    aic: float
    log_likelihood: float


class _Models:
    """Fits models, and caches the model of the groups alone per set of rows.

    :param library: statsmodels.miscmodels.ordinal_model.
    """

    def __init__(self, library: Any) -> None:
        self.library = library
        self.bare: dict[bytes, float] = {}


class _FitError(Exception):
    """Raised if a model cannot be fitted; the message says why."""


def predict(grades: AspectGrades, *, level: float = 0.95, most_vif: float = 5.0) -> Prediction:
    """Fit one model per measure, and one joint model of all measures that are not collinear. Both include the annotators' groups.

    The joint model adds measures in order of AIC, best first. It skips a measure that would raise the variance inflation factor
    of any measure in the model, or of a group's shift, above ``most_vif``. It stops when fewer than 10 rows per parameter remain.

    :param level: confidence level of the intervals.
    :raises StateError: statsmodels is not installed.
    """
    models = _Models(load_module("statsmodels.miscmodels.ordinal_model", what="ordinal regression"))
    single = [_single(models, grades, place, level) for place in range(len(grades.measures))]
    corrected = holm(_numbers(effect.p for effect in single))
    single = [effect if effect.p is None else effect._replace(p_holm=float(p)) for effect, p in zip(single, corrected, strict=True)]
    joint, dropped = _joint(models, grades, single, level, most_vif)
    return Prediction(groups=grades.groups, single=single, joint=joint, dropped=dropped)


def _numbers(p: Iterable[float | None]) -> list[float]:
    return [np.nan if value is None else value for value in p]


def _single(models: _Models, grades: AspectGrades, place: int, level: float) -> MeasureEffect:
    rows = ~np.isnan(grades.values[grades.doc, place])
    empty = MeasureEffect("one", grades.measures[place], int(rows.sum()), len(np.unique(grades.doc[rows])))
    try:
        fit, gain, pseudo = _fitted(models, grades, [place], rows)
    except _FitError as why:
        return empty._replace(note=str(why))
    return _effect(empty, fit, 0, level)._replace(aic_gain=gain, pseudo_r2=pseudo)


def _joint(
    models: _Models, grades: AspectGrades, single: list[MeasureEffect], level: float, most_vif: float
) -> tuple[list[MeasureEffect], list[DroppedMeasure]]:
    ready = sorted(
        (place for place, effect in enumerate(single) if effect.aic_gain is not None), key=lambda at: -(single[at].aic_gain or 0)
    )
    dropped = [DroppedMeasure(effect.measure, effect.note) for effect in single if effect.note]
    complete: Mask = np.asarray(~np.isnan(grades.values[grades.doc][:, ready]).any(axis=1))
    rows, documents = int(complete.sum()), len(np.unique(grades.doc[complete]))
    shifts = _shifts(grades, complete)
    kept: list[int] = []
    for place in ready:
        name = grades.measures[place]
        if (len(kept) + 1 + shifts.shape[1] + 2) * _ROWS_EACH > rows:
            dropped.append(DroppedMeasure(name, f"{counted(rows, 'row is', 'rows are')} too few for one more measure"))
            continue
        inflation = vif(np.column_stack([grades.values[grades.doc[complete]][:, [*kept, place]], shifts]))
        if inflation.max() > most_vif:
            dropped.append(DroppedMeasure(name, _collinear(grades, kept, place, complete, inflation, most_vif)))
        else:
            kept.append(place)
    empty = [MeasureEffect("joint", grades.measures[place], rows, documents) for place in kept]
    if len(kept) < 2:
        return [], dropped
    try:
        fit, gain, pseudo = _fitted(models, grades, kept, complete)
    except _FitError as why:
        return [effect._replace(note=str(why)) for effect in empty], dropped
    effects = [_effect(effect, fit, at, level)._replace(aic_gain=gain, pseudo_r2=pseudo) for at, effect in enumerate(empty)]
    return [
        effect._replace(p_holm=float(p)) for effect, p in zip(effects, holm(_numbers(effect.p for effect in effects)), strict=True)
    ], dropped


def _collinear(grades: AspectGrades, kept: list[int], place: int, rows: Mask, inflation: Floats, most: float) -> str:
    if not kept:
        return f"collinear with the groups: variance inflation {inflation.max():.3g}, above {most:g}"
    values = grades.values[grades.doc[rows]]
    with np.errstate(invalid="ignore", divide="ignore"):
        likeness = [float(np.corrcoef(values[:, other], values[:, place])[0, 1]) for other in kept]
    at = int(np.argmax(np.abs(likeness)))
    like = f"most like {grades.measures[kept[at]]} (r = {likeness[at]:.3f})"
    return f"collinear: variance inflation {inflation.max():.3g}, above {most:g}; {like}"


def vif(columns: Floats) -> Floats:
    """Return the variance inflation factor of each column: 1 / (1 - R²) of its regression on the other columns and a constant.

    The factor is infinite if the other columns determine the column.

    :param columns: float64[rows, columns].
    """
    centred = columns - columns.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(size > 0, size, 1)
    factors = np.full(columns.shape[1], np.inf)
    for at in np.flatnonzero(size > 0):
        others = np.delete(unit, at, axis=1)
        rest = unit[:, at] - others @ np.linalg.lstsq(others, unit[:, at], rcond=None)[0] if others.shape[1] else unit[:, at]
        left = float((rest**2).sum())
        factors[at] = 1 / left if left > 1e-10 else np.inf
    return factors


def _shifts(grades: AspectGrades, rows: Mask) -> Floats:
    """Return float64[rows, groups - 1]: 1 where the grade comes from the group. The first group with a row is the baseline."""
    group = grades.group[rows]
    shifts: Floats = (group[:, None] == np.unique(group)[None, 1:]).astype(np.float64)
    return shifts


def _fitted(models: _Models, grades: AspectGrades, places: list[int], mask: Mask) -> tuple[_Fit, float, float]:
    """Fit a model of some measures and the groups; return it, its gain in AIC over the groups alone, and McFadden's pseudo R².

    :raises _FitError: no such model can be fitted.
    """
    doc, grade, shifts = grades.doc[mask], grades.grade[mask], _shifts(grades, mask)
    if not len(doc):
        raise _FitError("no graded document has a value")
    levels, often = np.unique(grade, return_counts=True)
    if len(levels) < 2:
        raise _FitError(f"all grades are {levels[0]}")
    parameters = len(places) + shifts.shape[1] + len(levels) - 1
    if len(doc) < _ROWS_EACH * parameters:
        raise _FitError(
            f"{counted(len(doc), 'grade is', 'grades are')} too few for {counted(parameters, 'parameter')}: each"
            f" needs at least {_ROWS_EACH}"
        )
    values = grades.values[doc][:, places]
    sd = values.std(axis=0)
    for at, place in enumerate(places):
        if sd[at] <= 1e-12 * np.abs(values[:, at]).max(initial=0.0):
            raise _FitError("all values are equal")
        _apart(values[:, at], grade, grades.measures[place] if len(places) > 1 else "it")
    for group in np.unique(grades.group[mask]):
        of_group = np.unique(grade[grades.group[mask] == group])
        if len(of_group) == 1 and of_group[0] in (levels[0], levels[-1]) and shifts.shape[1]:
            raise _FitError(f"group {grades.groups[group]} always gives the grade {of_group[0]}: leave the group out")
    fit = _fit(models, np.column_stack([(values - values.mean(axis=0)) / sd, shifts]), grade, doc)
    null = float((often * np.log(often / len(doc))).sum())
    rows = mask.tobytes()
    if rows not in models.bare:
        models.bare[rows] = _fit(models, shifts, grade, doc).aic if shifts.shape[1] else 2 * (len(levels) - 1) - 2 * null
    return fit, models.bare[rows] - fit.aic, 1 - fit.log_likelihood / null


def _apart(values: Floats, grade: Ints, name: str) -> None:
    """Check that no value of a measure separates the grades perfectly.

    :raises _FitError: a grade follows from the values alone, so its coefficient has no bound.
    """
    for cut in np.unique(grade)[1:]:
        low, high = values[grade < cut], values[grade >= cut]
        if low.max() < high.min() or high.max() < low.min():
            raise _FitError(f"{name} separates grades below {cut} from the others perfectly: the odds ratio has no bound")


def _fit(models: _Models, columns: Floats, grade: Ints, doc: Ints) -> _Fit:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the checks below detect the same problems in the result
        try:
            result = models.library.OrderedModel(grade, columns, distr="logit").fit(
                method="bfgs", maxiter=1000, gtol=1e-7, disp=0, cov_type="cluster", cov_kwds={"groups": doc}
            )
        except (np.linalg.LinAlgError, ValueError) as error:
            raise _FitError(f"cannot be estimated: {error}") from error
    many = columns.shape[1]
    coefficients, errors = np.asarray(result.params)[:many], np.asarray(result.bse)[:many]
    if not np.isfinite(errors).all() or not np.isfinite(coefficients).all():
        raise _FitError("cannot be estimated: its standard errors are not defined")
    if -result.llf / len(grade) < _APART or np.abs(coefficients).max(initial=0.0) > 30:
        raise _FitError("predicts the grades perfectly: the odds ratio has no bound")
    score = np.abs(result.model.score(np.asarray(result.params))).max() / len(grade)
    if not result.mle_retvals["converged"] and score > 1e-4:
        raise _FitError("did not converge")
    return _Fit(coefficients, errors, np.asarray(result.pvalues)[:many], float(result.aic), float(result.llf))


def _effect(empty: MeasureEffect, fit: _Fit, at: int, level: float) -> MeasureEffect:
    special: Any = importlib.import_module("scipy.special")
    half = float(special.ndtri((1 + level) / 2)) * fit.errors[at]
    ratio, low, high = (float(np.exp(fit.coefficients[at] + shift)) for shift in (0.0, -half, half))
    return empty._replace(odds_ratio=ratio, low=low, high=high, p=float(fit.p[at]), aic=fit.aic)
