"""Significance of differences between runs: paired tests of all pairs, or of each run with a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal, NamedTuple, get_args

import numpy as np
import psycopg

from stcollection.analysis import paired
from stcollection.analysis.corrections import CORRECTIONS
from stcollection.analysis.paired import Floats
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, RecordTable, check_fields, columns_of, declare
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.parameters import Edition, Measures, QuerySet, Runs, edition_of, measures_of, runs_of, set_of
from stcollection.topics.sets import ALL

Test = Literal["t", "wilcoxon", "randomisation", "bootstrap"]
Correction = Literal["holm", "bh", "none", "hsd"]
Family = Literal["measure", "all"]
Missing = Literal["zero", "drop"]
TESTS: tuple[str, ...] = get_args(Test)
Grid = Mapping[str, Floats]
MOST = 10_000_000  # maximum number of permutations; more would not fit in memory and add no precision

_GRID = 'SELECT run, array_agg(value ORDER BY query COLLATE "C") FROM stc.score_grid(%s::text[], %s, %s, %s, %s) GROUP BY run'


@dataclass(frozen=True, kw_only=True)
class PairedTest:
    """How the difference of two runs is tested, and how p is corrected for multiple tests.

    :param kind: Two-sided test on the differences by query.
    :param permutations: Number of permutations (randomisation) or resamples (bootstrap).
    :param seed: Seed of the randomisation and the bootstrap.
    :param correction: Correction for multiple tests: Holm, Benjamini-Hochberg, none, or randomised Tukey HSD (hsd; needs the
        randomisation test and all pairs).
    :param family: Tests that the correction covers: those of one measure, or all.
    :param alpha: Significance level of the marks; intervals have confidence 1 − alpha.
    :param missing: Value of a query without documents in a run: 0 (trec_eval -c), or drop it from the pairs of the run.
    :raises BadArgument: a value is outside its range.
    """

    kind: Annotated[Test, Option(each="test")] = "t"
    permutations: Annotated[int, AllowedRange(ge=1, le=MOST)] = 100_000
    seed: Annotated[int, AllowedRange(ge=0)] = 0
    correction: Correction = "holm"
    family: Family = "measure"
    alpha: Annotated[float, AllowedRange(gt=0, lt=1)] = 0.05
    missing: Missing = "zero"

    def __post_init__(self) -> None:
        check_fields(self)

    def of(self, differences: Floats) -> tuple[Floats, Floats, Floats]:
        """Return p of float[queries, pairs], and the ends of the interval of the mean difference."""
        if self.kind == "bootstrap":
            return paired.bootstrap(differences, resamples=self.permutations, seed=self.seed, alpha=self.alpha)
        low, high = paired.t_interval(differences, alpha=self.alpha)
        if self.kind == "randomisation":
            return paired.randomisation(differences, permutations=self.permutations, seed=self.seed), low, high
        return (paired.t_test if self.kind == "t" else paired.wilcoxon)(differences), low, high


STUDENT_TEST = PairedTest()


class RunComparison(NamedTuple):
    """The comparison of a run with another by one measure, over the queries for which both have a value.

    :param mean, mean_against: NaN if they have no query in common, as are all fields that follow.
    :param difference: mean − mean_against; ``low`` and ``high`` are its interval with confidence 1 − alpha, not corrected.
    :param d: Cohen's d of the paired differences; ``g`` is Hedges' correction of it for few queries.
    :param p: two-sided; NaN if there are too few queries for the test.
    :param corrected: p corrected for the number of tests in the family; tests with p NaN are not counted.
    """

    measure: str
    run: str
    against: str
    queries: int
    mean: float
    mean_against: float
    difference: float
    low: float
    high: float
    d: float
    g: float
    wins: int
    ties: int
    losses: int
    p: float
    corrected: float


@declare
@note_simulated()
@translate()
def compare(
    conn: psycopg.Connection,
    runs: Runs = (),
    *,
    edition: Edition = None,
    measures: Measures = (nDCG @ 10,),
    baseline: Annotated[str | None, Option(metavar="RUN", default="compare all pairs")] = None,
    queries: QuerySet = ALL,
    test: PairedTest = STUDENT_TEST,
) -> RecordTable[RunComparison]:
    """Test runs for significant differences: all pairs, or each run against a baseline.

    Values are paired by query name (sql/analysis/score_grid.sql).

    :param baseline: Compare each run with RUN.
    :returns: by measure, then best run first; of a pair, the better run first.
    :raises UnknownObject: a run, the edition or a measure does not exist.
    :raises BadArgument: hsd is used with a baseline, with dropped queries, or with a test other than randomisation; the runs that
        are named are no pair.
    """
    _check_family(test, baseline)
    edition, names, members = edition_of(conn, edition), runs_of(runs), set_of(queries)
    if baseline is not None:
        conn.execute("SELECT stc.run_keys(%s)", [[baseline]])  # raises if it does not exist
    named = [*names, baseline] if names and baseline is not None else names
    grids: list[tuple[str, Grid]] = []
    for measure in map(str, measures_of(measures)):
        rows = conn.execute(_GRID, [named, edition, measure, test.missing, members])
        grids.append((measure, {run: np.array(values, dtype=np.float64) for run, values in rows}))
    if len(set(named)) == 1:
        hint = "Name two runs, or one run and `baseline`; 'stc show runs' lists the stored runs."
        raise BadArgument("there is nothing to compare", hint=hint)
    compared = compare_grids(grids, baseline=baseline, test=test)
    return RecordTable(compared, columns=columns_of(RunComparison), editions=[edition])


def _check_family(test: PairedTest, baseline: str | None) -> None:
    if test.correction == "hsd" and (test.kind != "randomisation" or baseline is not None or test.missing != "zero"):
        hint = "It is a randomisation test of all pairs: use it without a baseline and without dropping queries."
        raise BadArgument("correction hsd requires `kind=randomisation` over all pairs", hint=hint)


def compare_grids(grids: Sequence[tuple[str, Grid]], *, baseline: str | None, test: PairedTest) -> list[RunComparison]:
    """Test pairs of runs by their values.

    :param grids: for each measure, the values of each run by query, float[queries]; NaN where a run has no value.
    :param baseline: the run that all others are compared with; None: all pairs, better run first.
    :returns: by measure, then best run first.
    :raises BadArgument: as for :func:`compare`.
    """
    _check_family(test, baseline)
    comparisons = [comparison for measure, grid in grids for comparison in _compare(measure, grid, baseline, test)]
    if test.correction == "hsd":
        return comparisons
    measures = dict.fromkeys(measure for measure, _ in grids)
    families = [comparisons] if test.family == "all" else [[row for row in comparisons if row.measure == name] for name in measures]
    return [
        row._replace(corrected=float(corrected))
        for members in families
        for row, corrected in zip(members, CORRECTIONS[test.correction]([member.p for member in members]), strict=True)
    ]


def _compare(measure: str, grid: Grid, baseline: str | None, test: PairedTest) -> Iterator[RunComparison]:
    """Yield the comparisons by one measure; only hsd is corrected already."""
    means = {run: float(paired.summarise(values[:, None]).mean[0]) for run, values in grid.items()}
    best = sorted(grid, key=lambda run: (np.isnan(means[run]), -means[run], run.encode()))
    pairs = list(combinations(best, 2)) if baseline is None else [(run, baseline) for run in best if run != baseline]
    if not pairs:
        return
    left, right = (np.stack([grid[pair[side]] for pair in pairs], axis=1) for side in (0, 1))
    differences: Floats = np.round(left - right, 12)
    p, low, high = test.of(differences)
    corrected = np.full(len(pairs), np.nan)
    if test.correction == "hsd":
        values = np.stack([grid[run] for run in best], axis=1)
        table = paired.honest_difference(values, permutations=test.permutations, seed=test.seed)
        corrected = table[np.triu_indices(len(best), 1)]
    summary = paired.summarise(differences)
    d, g = paired.effect_sizes(summary)
    scored = ~np.isnan(differences)
    for at, (run, against) in enumerate(pairs):
        both, moves = scored[:, at], differences[:, at]
        yield RunComparison(
            measure,
            run,
            against,
            int(summary.n[at]),
            _mean(left[both, at]),
            _mean(right[both, at]),
            float(summary.mean[at]),
            float(low[at]),
            float(high[at]),
            float(d[at]),
            float(g[at]),
            int(np.sum(moves > 0)),
            int(np.sum(moves == 0)),
            int(np.sum(moves < 0)),
            float(p[at]),
            float(corrected[at]),
        )


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


class RunPlace(NamedTuple):
    """One run's place on a leaderboard, tested against the best run.

    :param p: corrected p of the difference from the best run; NaN for that run itself, and without a test.
    :param best: not significantly different from the best run at alpha.
    """

    measure: str
    run: str
    mean: float
    p: float
    best: bool


def places(comparisons: Sequence[RunComparison], *, alpha: float) -> list[RunPlace]:
    """Return the runs of all-pairs comparisons, best first by measure, and mark those that do not differ from the best.

    No significant difference does not mean equality: more queries may show one.
    """
    ranked: list[RunPlace] = []
    for measure in dict.fromkeys(row.measure for row in comparisons):
        pairs = [row for row in comparisons if row.measure == measure]
        top = [row for row in pairs if row.run == pairs[0].run]
        ranked.append(RunPlace(measure, top[0].run, top[0].mean, float("nan"), True))
        ranked.extend(RunPlace(measure, row.against, row.mean_against, row.corrected, not row.corrected < alpha) for row in top)
    return ranked
