"""The mixed model: cell means, closed forms for balanced designs, known effects, and notes on models that cannot be fitted."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import psycopg
import pytest
import statsmodels.formula.api as formula
from pandas import DataFrame
from statsmodels.regression import mixed_linear_model as library

from stcollection.analysis import bias_model
from stcollection.analysis.bias import Scores
from stcollection.analysis.bias_model import FixedEffect, MixedModel, mixed_model, model
from stcollection.cli.analysis import bias as command
from stcollection.errors import BadArgument, StateError

CELLS = {("human", "Other"): 0.6, ("human", "GPT"): 0.7, ("gpt", "Other"): 0.5, ("gpt", "GPT"): 0.75}


def made(
    *,
    systems: int = 8,
    queries: int = 16,
    system: float = 0.08,
    query: float = 0.12,
    noise: float = 0.05,
    seed: int = 3,
    families: tuple[str | None, ...] = ("Other", "GPT"),
    origins: tuple[str, ...] = ("human", "gpt"),
    vary: float = 0.0,
) -> Scores:
    """Return scores with CELLS as effects, ``systems`` per family and ``queries`` per origin; the rest are standard deviations."""
    random = np.random.default_rng(seed)
    of_family = [family for family in families for _ in range(systems)]
    of_origin = [origin for origin in origins for _ in range(queries)]
    values = np.array([[CELLS[origin, family or "Other"] for origin in of_origin] for family in of_family])
    values += random.normal(0, 1, (len(of_family), 1)) * system + random.normal(0, 1, (1, len(of_origin))) * query
    for family in families:
        values[[one == family for one in of_family]] += random.normal(0, 1, len(of_origin)) * vary
    values += random.normal(0, 1, values.shape) * noise
    return Scores(
        runs=[f"s{at}" for at in range(len(of_family))],
        queries=[f"q{at}" for at in range(len(of_origin))],
        origins=of_origin,
        families=of_family,
        values=values,
    )


def fitted(grid: Scores, *, baseline: str | None = None, by_query: bool = False) -> MixedModel:
    return model(library, grid, "human", baseline, by_query, 0.05)


def cell(grid: Scores, origin: str, family: str) -> Any:
    return grid.of(origin)[grid.members(family)]


def test_fixed_effects_of_a_balanced_design_are_contrasts_of_cell_means() -> None:
    grid = made()
    means = {key: float(cell(grid, *key).mean()) for key in CELLS}
    got = {one.effect: one.estimate for one in fitted(grid).effects}
    base = means["human", "Other"]
    assert got == pytest.approx(
        {
            "(intercept)": base,
            "origin gpt": means["gpt", "Other"] - base,
            "family GPT": means["human", "GPT"] - base,
            "origin gpt : family GPT": means["gpt", "GPT"] - means["gpt", "Other"] - means["human", "GPT"] + base,
        },
        abs=1e-8,
    )


def test_variances_and_errors_of_a_balanced_design_equal_anova() -> None:
    # REML equals the ANOVA estimator if no estimate is negative (Searle, Casella & McCulloch, 1992, chapter 4).
    grid = made()
    values, (systems, queries) = grid.values, (8, 16)
    rest = values.copy()
    square_systems = square_queries = 0.0
    for origin in ("human", "gpt"):
        there = np.flatnonzero([one == origin for one in grid.origins])
        by_query = values[:, there].mean(axis=0)
        square_queries += float(((by_query - by_query.mean()) ** 2).sum()) * 2 * systems
    for family in ("Other", "GPT"):
        here = grid.members(family)
        by_system = values[here].mean(axis=1)
        square_systems += float(((by_system - by_system.mean()) ** 2).sum()) * 2 * queries
    rest -= values.mean(axis=1, keepdims=True) + values.mean(axis=0, keepdims=True) - values.mean()
    for origin in ("human", "gpt"):
        there = np.flatnonzero([one == origin for one in grid.origins])
        for family in ("Other", "GPT"):
            rest[np.ix_(np.array(grid.members(family)), there)] -= rest[np.ix_(np.array(grid.members(family)), there)].mean()
    degrees = (2 * systems - 1) * (2 * queries - 1) - 1
    residual = float((rest**2).sum()) / degrees
    system = (square_systems / (2 * systems - 2) - residual) / (2 * queries)
    query = (square_queries / (2 * queries - 2) - residual) / (2 * systems)
    done = fitted(grid)
    got = {one.component: one.variance for one in done.variances}
    assert got == pytest.approx({"system": system, "query": query, "residual": residual}, rel=1e-3)
    assert done.effects[-1].error == pytest.approx(2 * (residual / (systems * queries)) ** 0.5, rel=1e-3)
    assert done.effects[1].error == pytest.approx((2 * query / queries + 2 * residual / (systems * queries)) ** 0.5, rel=1e-3)


@pytest.mark.slow
def test_known_effects_are_within_their_errors() -> None:
    done = fitted(made(systems=10, queries=20))
    known = [0.6, -0.1, 0.1, 0.15]
    for one, truth in zip(done.effects, known, strict=True):
        assert one.error is not None
        assert one.low is not None
        assert one.high is not None
        assert abs(one.estimate - truth) < 3 * one.error
        assert one.low < one.estimate < one.high
    assert done.converged
    assert done.interaction is not None
    assert done.interaction.df == 1
    assert done.interaction.p < 1e-6


def test_an_unbalanced_design_equals_a_statsmodels_formula() -> None:
    whole = made()
    kept = [at for at in range(16) if at not in (0, 1, 2)]
    columns = [at for at in range(32) if at % 5]
    grid = Scores(
        runs=[whole.runs[at] for at in kept],
        queries=[whole.queries[at] for at in columns],
        origins=[whole.origins[at] for at in columns],
        families=[whole.families[at] for at in kept],
        values=whole.values[np.ix_(kept, columns)],
    )
    frame = DataFrame(
        [
            (run, family, query, origin, grid.values[at, place], 1)
            for at, (run, family) in enumerate(zip(grid.runs, grid.families, strict=True))
            for place, (query, origin) in enumerate(zip(grid.queries, grid.origins, strict=True))
        ],
        columns=["run", "family", "query", "origin", "value", "one"],
    )
    theirs = formula.mixedlm(
        "value ~ C(origin, Treatment('human')) * C(family, Treatment('Other'))",
        frame,
        groups="one",
        vc_formula={"a system": "0 + C(run)", "b query": "0 + C(query)"},
    ).fit(method="lbfgs")
    ours = fitted(grid)
    assert [one.estimate for one in ours.effects] == pytest.approx(list(theirs.fe_params), rel=1e-4)
    assert [one.error for one in ours.effects] == pytest.approx(list(theirs.bse_fe), rel=1e-3)
    assert [one.p for one in ours.effects] == pytest.approx(list(theirs.pvalues[:4]), rel=0.02, abs=1e-12)


def test_without_variances_it_is_least_squares_and_noted_as_singular() -> None:
    grid = made(systems=4, queries=8, system=0, query=0, seed=1)
    done = fitted(grid)
    told = [note for note in done.notes if "estimated as 0" in note]
    assert len(told) == 2
    assert done.converged
    assert told[0].startswith("the variance of system is estimated as 0: the fit is singular")
    frame = DataFrame({
        "value": grid.values.ravel(), "family": np.repeat(np.array(grid.families), len(grid.queries)),
        "origin": np.tile(grid.origins, len(grid.runs)),
    })  # fmt: skip
    least = formula.ols("value ~ C(origin, Treatment('human')) * C(family, Treatment('Other'))", frame).fit()
    assert [one.estimate for one in done.effects] == pytest.approx(list(least.params), abs=1e-6)
    assert [one.error for one in done.effects] == pytest.approx(list(least.bse), rel=1e-3)


def test_near_a_variance_of_0_it_is_the_maximum_of_the_likelihood() -> None:
    # With gradients only, statsmodels stops short here and reports convergence.
    for seed in (3, 4):
        grid = made(systems=4, queries=8, system=0, query=0, seed=seed)
        design = bias_model._design(grid, list(range(8)), ["Other", "GPT"], ["human", "gpt"], False, [])
        best = bias_model._fit(library, design, reml=True)
        spread = [1e-6, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1]
        around = [_likelihood(best, system, query) for system in spread for query in spread]
        assert max(around) <= best.llf + 1e-4


def _likelihood(fit: Any, system: float, query: float) -> float:
    """Return the likelihood of variances given as shares of the residual variance, instead of the fitted ones."""
    at = library.MixedLMParams.from_components(fe_params=fit.fe_params, vcomp=np.array([system, query]))
    return float(fit.model.loglike(at))


@pytest.mark.slow
def test_queries_that_favour_families_by_chance_are_no_interaction_by_query() -> None:
    # 12 data sets with 6 queries per origin and no interaction: count how often each test finds one at .05.
    flat = dict.fromkeys(CELLS, 0.6)
    found = {False: 0, True: 0}
    for seed in range(12):
        grid = made(systems=4, queries=6, vary=0.1, seed=seed)
        shift = np.array([[flat[o, f or ""] - CELLS[o, f or ""] for o in grid.origins] for f in grid.families])
        grid = Scores(
            runs=grid.runs, queries=grid.queries, origins=grid.origins, families=grid.families, values=grid.values + shift
        )
        for by_query in found:
            interaction = fitted(grid, by_query=by_query).interaction
            assert interaction is not None
            found[by_query] += interaction.p < 0.05
    assert found[False] > 2 * found[True]
    assert found[True] <= 4


@pytest.mark.slow
def test_the_baseline_is_other_or_the_largest_family_unless_given() -> None:
    assert [one.effect for one in fitted(made()).effects][2] == "family GPT"
    assert [one.effect for one in fitted(made(), baseline="GPT").effects][2] == "family Other"
    grid = made()
    renamed = Scores(
        runs=grid.runs,
        queries=grid.queries,
        origins=grid.origins,
        values=grid.values,
        families=["GPT" if one == "GPT" or at else "T5" for at, one in enumerate(grid.families)],
    )
    done = fitted(renamed)
    assert [one.effect for one in done.effects][2] == "family T5"
    assert "no system belongs to the family Other: the baseline is GPT, the largest family" in done.notes
    with pytest.raises(BadArgument, match="no system belongs to the family 'BM25'") as error:
        fitted(grid, baseline="BM25")
    assert error.value.hint == "Use one of GPT, Other."


def test_one_origin_or_one_family_has_no_interaction() -> None:
    done = fitted(made(origins=("human",)))
    assert done.interaction is None
    assert [one.effect for one in done.effects] == ["(intercept)", "family GPT"]
    assert "all queries have one origin, human: there is no interaction to test" in done.notes
    done = fitted(made(families=("GPT",)))
    assert done.interaction is None
    assert [one.effect for one in done.effects] == ["(intercept)", "origin gpt"]


def test_systems_without_a_family_are_left_out_and_noted() -> None:
    done = fitted(made(families=("Other", None, "GPT"), systems=2))
    assert done.systems == 4
    assert done.notes[0] == "2 systems (s2, s3) without a family: not in the model"
    done = fitted(made(families=(None,)))
    assert not done.effects
    assert done.notes[-1] == "no model: no system has a family"


def test_effects_that_cannot_be_separated_are_left_out_and_noted() -> None:
    done = fitted(made(systems=1))
    assert [one.component for one in done.variances] == ["query", "residual"]
    assert any(note.startswith("one system per family") for note in done.notes)
    done = fitted(made(systems=1, queries=1))
    assert not done.effects
    assert done.notes[-1] == "no model: too few systems and queries per family and origin"


@pytest.mark.slow
def test_values_that_do_not_vary_or_leave_nothing_over_have_no_model() -> None:
    grid = made()
    flat = Scores(runs=grid.runs, queries=grid.queries, origins=grid.origins, families=grid.families, values=np.full((16, 32), 0.5))
    done = fitted(flat)
    assert not done.effects
    assert done.notes[-1] == "no model: all values are 0.5: they do not vary"
    exact = fitted(made(system=0, query=0, noise=0))
    assert not exact.effects
    assert exact.notes[-1].startswith("no model: ")


def test_without_statsmodels_the_extra_is_named(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    for name in [name for name in sys.modules if name.startswith("statsmodels.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(StateError, match="a mixed model needs the Python package statsmodels") as error:
        mixed_model(conn, edition="e")
    assert "stcollection[stats]" in (error.value.hint or "")


def test_a_p_value_is_printed_to_four_places() -> None:
    rows = [FixedEffect("a", 0.1, 0.1, 1.0, 0.3173105078629141, 0.0, 0.2), FixedEffect("b", 1.0, 0.1, 9.0, 1e-9, 0.8, 1.2)]
    shown = command._table("effects", rows, "table")
    assert "0.3173" in shown
    assert "0.31731" not in shown
    assert "< .0001" in shown
