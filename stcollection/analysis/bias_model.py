"""Bias of query origins as one linear mixed model, fitted by statsmodels (extra ``stats``).

    value = origin x family + system + query [+ query x family] + residual

Origin and family are fixed effects; systems and queries are crossed random effects, as every system is scored on every query
(Baayen, Davidson & Bates, Journal of Memory and Language 59(4), 2008). statsmodels expresses crossed effects as variance components
of a single group with all rows. Estimates and standard errors use REML. The interaction as a whole is tested by the likelihood
ratio of two ML fits.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import psycopg

from stcollection.analysis.bias import Scores, name_systems, scores
from stcollection.counts import counted
from stcollection.db.simulated import note_simulated
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.extras import load_module
from stcollection.topics.sets import ALL

BASELINE = "Other"  # the baseline family, if it exists
_NOTHING = 1e-6  # share of the residual variance; a variance below it is reported as 0
_LARGEST = 50_000_000  # rows times levels of systems and queries passed to statsmodels: 400 MB
# By gradients first, which is fast; where a variance is near 0 that may say it has converged and has not, so it is checked, and
# done again without gradients, which is slow.
_METHODS = ("lbfgs", "powell")


class FixedEffect(NamedTuple):
    """A fixed effect; the first row is the mean of the baseline family on the reference. :param p: two-sided z test."""

    effect: str
    estimate: float
    error: float | None
    z: float | None
    p: float | None
    low: float | None
    high: float | None


class Variance(NamedTuple):
    """A variance component.

    :param levels: number of systems, queries, pairs or rows it has.
    :param share: share of the sum of all components.
    """

    component: str
    levels: int
    variance: float
    deviation: float
    share: float


class Interaction(NamedTuple):
    """Test of the interaction as a whole: 2 x the difference of log likelihoods, chi-squared with df degrees of freedom."""

    statistic: float
    df: int
    p: float


@dataclass(frozen=True, kw_only=True)
class MixedModel:
    """A fitted mixed-effects model of scores, or the reason why none could be fitted.

    :param effects, variances: empty without a model.
    :param interaction: None if no interaction can be tested.
    :param notes: reasons and warnings, in words.
    """

    observations: int
    systems: int
    queries: int
    converged: bool
    effects: list[FixedEffect]
    variances: list[Variance]
    interaction: Interaction | None
    notes: list[str]
    simulated: str | None = None


class _FitError(Exception):
    """Raised if a model cannot be fitted; the message says why."""


class _Design(NamedTuple):
    """The design matrix of the mixed-effects model.

    :param y: float64[rows].
    :param columns: float64[rows, effects], and the names of the effects.
    :param crossed: number of effects that are interactions.
    """

    y: Any
    columns: Any
    names: list[str]
    crossed: int
    components: dict[str, Any]


@dataclass(frozen=True)
class ModelOptions:
    """How a mixed model is fitted.

    :param baseline: the family that others are compared with; None: 'Other' if it exists, else the largest.
    :param by_query: add a random effect query x family, so that single queries may favour families. Without it the model assumes
        that all queries of an origin treat families alike; if they do not, the p of the interaction is too small. Slower.
    :param alpha: intervals have confidence 1 - alpha.
    :raises BadArgument: alpha is outside its range.
    """

    baseline: str | None = None
    by_query: bool = False
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise BadArgument(f"alpha is {self.alpha}", hint="It must lie between 0 and 1; .05 is usual.")


USUAL = ModelOptions()


@note_simulated("edition")
@translate()
def mixed_model(
    conn: psycopg.Connection,
    *,
    edition: str,
    measure: Measure = nDCG @ 10,
    reference: str = "human",
    runs: Sequence[str] = (),
    options: ModelOptions = USUAL,
    queries: str = ALL,
) -> MixedModel:
    """Fit the model to the scores of runs that have a family.

    :param runs: names; all if empty.
    :param queries: a set of queries (:func:`~stcollection.topics.sets.members`).
    :raises UnknownObject: a run, the edition, the measure, or the set does not exist.
    :raises BadArgument: no query has the reference origin, or no system is in the baseline family.
    :raises StateError: no run has a score, or statsmodels is not installed.
    """
    library = load_module("statsmodels.regression.mixed_linear_model", what="a mixed model")
    grid = scores(conn, edition=edition, measure=measure, runs=runs, queries=queries)
    [(baseline,)] = conn.execute("SELECT stc.family_name(%s)", [options.baseline])
    return model(library, grid, reference, baseline, options.by_query, options.alpha)


def model(library: Any, grid: Scores, reference: str, baseline: str | None, by_query: bool, alpha: float) -> MixedModel:
    """Fit the model to a matrix of scores; see :func:`mixed_model`. :param library: statsmodels.regression.mixed_linear_model."""
    kept = [at for at, family in enumerate(grid.families) if family is not None]
    notes = []
    if without := [run for run, family in zip(grid.runs, grid.families, strict=True) if family is None]:
        notes.append(f"{name_systems(without)} without a family: not in the model")
    families = _levels([grid.families[at] or "" for at in kept], baseline, "family", grid)
    origins = _levels(grid.origins, reference, "origin", grid)
    if families and baseline is None and families[0] != BASELINE:
        notes.append(f"no system belongs to the family {BASELINE}: the baseline is {families[0]}, the largest family")
    empty = MixedModel(
        observations=len(kept) * len(grid.queries),
        systems=len(kept),
        queries=len(grid.queries),
        converged=False,
        effects=[],
        variances=[],
        interaction=None,
        notes=notes,
    )
    for levels, what in ((origins, "queries have one origin"), (families, "systems belong to one family")):
        if len(levels) == 1:
            notes.append(f"all {what}, {levels[0]}: there is no interaction to test")
    try:
        design = _design(grid, kept, families, origins, by_query, notes)
        fit = _fit(library, design, reml=True)
        interaction = _tested(library, design) if design.crossed else None
    except _FitError as why:
        notes.append(f"no model: {why}")
        return empty
    variances = _variances(fit, design)
    for part in variances:
        if part.variance <= _NOTHING * float(fit.scale):
            notes.append(
                f"the variance of {part.component} is estimated as 0: the fit is singular, as if the component were left out"
            )
    if not fit.converged:
        notes.append(f"the fit did not converge with {' or '.join(_METHODS)}: do not trust it")
    if not by_query and interaction is not None:
        notes.append(
            "the model assumes that queries of one origin treat families alike; if they do not, p is too small: add query x family"
        )
    effects = _effects(fit, design, alpha)
    if any(effect.error is None for effect in effects):
        notes.append("some standard errors are not defined")
    return MixedModel(
        observations=len(design.y),
        systems=len(kept),
        queries=len(grid.queries),
        converged=bool(fit.converged),
        effects=effects,
        variances=variances,
        interaction=interaction,
        notes=notes,
    )


def _levels(names: Sequence[str], first: str | None, what: str, grid: Scores) -> list[str]:
    """Return the levels of a factor, the baseline first and the others by name.

    The baseline is ``first`` if given, else BASELINE if it exists, else the most frequent level.
    """
    levels = sorted(set(names))
    if not levels:
        return []
    if first is None:
        first = BASELINE if BASELINE in levels else max(levels, key=names.count)
    if first not in levels:
        which = "system belongs to the family" if what == "family" else "query has the origin"
        raise BadArgument(f"no {which} {first!r}", hint=f"Use one of {', '.join(levels)}.")
    return [first, *(level for level in levels if level != first)]


def _design(grid: Scores, kept: list[int], families: list[str], origins: list[str], by_query: bool, notes: list[str]) -> _Design:
    """Build the design matrix.

    :raises _FitError: there is nothing to fit, or there are no more rows than effects.
    """
    if not kept:
        raise _FitError("no system has a family")
    values = grid.values[kept]
    systems, queries = values.shape
    y = values.ravel()
    if y.size * (systems + queries * (1 + by_query * len(families))) > _LARGEST:
        raise _FitError(
            f"{counted(y.size, 'value is', 'values are')} too many for statsmodels, which stores a column for each system and query"
        )
    if np.ptp(y) <= 1e-12 * max(1.0, float(np.abs(y).max())):
        raise _FitError(f"all values are {y[0]:g}: they do not vary")
    row_system, row_query = np.repeat(np.arange(systems), queries), np.tile(np.arange(queries), systems)
    of_family = np.array([families.index(grid.families[at] or "") for at in kept])[row_system]
    of_origin = np.array([origins.index(label) for label in grid.origins])[row_query]
    columns, names = [np.ones(len(y))], ["(intercept)"]
    for at, origin in enumerate(origins[1:], 1):
        columns, names = [*columns, of_origin == at], [*names, f"origin {origin}"]
    for at, family in enumerate(families[1:], 1):
        columns, names = [*columns, of_family == at], [*names, f"family {family}"]
    main = len(columns)
    for at, origin in enumerate(origins[1:], 1):
        for place, family in enumerate(families[1:], 1):
            columns.append((of_origin == at) & (of_family == place))
            names.append(f"origin {origin} : family {family}")
    components = {}
    for what, count, levels, rows in (("system", systems, families, row_system), ("query", queries, origins, row_query)):
        if count > len(levels):
            components[what] = _indicators(rows)
        else:
            effect = "family" if what == "system" else "origin"
            notes.append(
                f"one {what} per {effect}: the {what} effect cannot be separated from the {effect} effect, and is not in the model"
            )
    if by_query:
        if queries > len(origins) and systems > len(families) and len(families) > 1:
            components["query x family"] = _indicators(row_query * len(families) + of_family)
        else:
            notes.append("query x family cannot be separated from the residual here, and is not in the model")
    if not components or len(y) - len(columns) < 2:
        raise _FitError("too few systems and queries per family and origin")
    return _Design(y, np.column_stack(columns).astype(np.float64), names, len(columns) - main, components)


def _indicators(level: Any) -> Any:
    """Return float64[rows, levels]: 1 where a row has that level."""
    _, place = np.unique(level, return_inverse=True)
    return np.eye(int(place.max()) + 1)[place]


def _fit(library: Any, design: _Design, *, reml: bool, main: bool = False) -> Any:
    """Fit the mixed-effects model.

    :param main: leave the interaction out.
    :raises _FitError: statsmodels cannot fit it.
    """
    columns = design.columns[:, : design.columns.shape[1] - design.crossed] if main else design.columns
    components = list(design.components)
    spec = library.VCSpec(
        components,
        [[[f"{what}[{at}]" for at in range(design.components[what].shape[1])]] for what in components],
        [[design.components[what]] for what in components],
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the result is checked instead; 'on the boundary' is warned of at any variance below .01
        try:
            fitted = library.MixedLM(design.y, columns, groups=np.zeros(len(design.y)), exog_vc=spec)
            for method in _METHODS:
                fit = fitted.fit(reml=reml, method=method, maxiter=500)
                if fit.converged and _is_maximum(library, fit):
                    break
        except (np.linalg.LinAlgError, ValueError, ZeroDivisionError) as error:
            raise _FitError(f"it cannot be estimated: {error}") from error
    if not np.isfinite(fit.fe_params).all() or not math.isfinite(fit.llf) or not fit.scale > 1e-12 * float(np.var(design.y)):
        raise _FitError("it predicts every value exactly, or has no likelihood")
    return fit


def _is_maximum(library: Any, fit: Any) -> bool:
    """Return True if the likelihood falls when any variance component changes by a tenth."""
    shares = np.asarray(fit.vcomp) / fit.scale
    for at in range(len(shares)):
        for factor in (0.9, 1.1):
            beside = shares.copy()
            beside[at] *= factor
            params = library.MixedLMParams.from_components(fe_params=fit.fe_params, vcomp=beside)
            if not fit.model.loglike(params) <= fit.llf:
                return False
    return True


def _tested(library: Any, design: _Design) -> Interaction:
    whole, main = _fit(library, design, reml=False), _fit(library, design, reml=False, main=True)
    statistic = max(0.0, 2 * float(whole.llf - main.llf))
    if not (whole.converged and main.converged):
        raise _FitError("the fits by maximum likelihood did not converge")
    special: Any = importlib.import_module("scipy.special")
    return Interaction(statistic, design.crossed, float(special.chdtrc(design.crossed, statistic)))


def _effects(fit: Any, design: _Design, alpha: float) -> list[FixedEffect]:
    special: Any = importlib.import_module("scipy.special")
    half = float(special.ndtri(1 - alpha / 2))
    effects = []
    for name, estimate, error in zip(design.names, map(float, fit.fe_params), map(float, fit.bse_fe), strict=True):
        if not math.isfinite(error) or error <= 0:
            effects.append(FixedEffect(name, estimate, None, None, None, None, None))
            continue
        z = estimate / error
        p = float(2 * special.ndtr(-abs(z)))
        effects.append(FixedEffect(name, estimate, error, z, p, estimate - half * error, estimate + half * error))
    return effects


def _variances(fit: Any, design: _Design) -> list[Variance]:
    components = [
        (what, design.components[what].shape[1], float(variance))
        for what, variance in zip(design.components, fit.vcomp, strict=True)
    ]
    components.append(("residual", len(design.y), float(fit.scale)))
    total = sum(variance for *_, variance in components)
    return [
        Variance(what, levels, variance, math.sqrt(max(0.0, variance)), variance / total) for what, levels, variance in components
    ]
