"""Check the published findings on synthetic queries (:mod:`stcollection.analysis.published`) against this collection.

The set of systems is fixed; intervals come from resampling queries with replacement within each origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import psycopg

from stcollection.analysis import rankings
from stcollection.analysis.bias import NO_FAMILY, Bias, Resampling, bias
from stcollection.analysis.labels import labels, shape
from stcollection.analysis.paired import Floats
from stcollection.analysis.published import CLAIMS, CLOSE, MARGIN, MEASURE, SYSTEMS, Claim, of_the_study
from stcollection.analysis.reliability import Grid, reliability, score_matrix
from stcollection.counts import counted
from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.evaluation.measures import Measure, nDCG
from stcollection.evaluation.parameters import Grade, OneMeasure, QuerySet, only_measure, set_of
from stcollection.topics.sets import ALL

AGREES, DIFFERS, UNDETERMINED = "agrees", "does not", "undetermined"
MOST = 100_000  # maximum number of resamples; all are in memory at once
_TAILS = (2.5, 97.5)
Flags = npt.NDArray[np.bool_]


class Finding(NamedTuple):
    """One published claim and the result for this collection.

    :param published, ours: the study's figure and the one computed here; None if missing.
    :param low, high: 95 % interval of ``ours``.
    :param labels: the edition that ``ours`` is computed with.
    :param verdict: AGREES, DIFFERS or UNDETERMINED.
    :param why: reason for the verdict.
    :param sentence: summary in words, derived from the verdict and the figures by :func:`sentence`.
    """

    id: str
    claim: str
    published: float | None
    ours: float | None
    low: float | None
    high: float | None
    labels: str | None
    verdict: str
    why: str
    rule: str
    source: str
    sentence: str


@dataclass(frozen=True)
class _Value:
    """A figure with its interval, or the reason why it is missing. :param note: the reason, or a remark on the figure."""

    ours: float | None = None
    low: float | None = None
    high: float | None = None
    labels: str | None = None
    note: str = ""


class _Queries(NamedTuple):
    """The judged queries of an edition as arrays: name, origin, number of judged and of relevant documents."""

    names: list[str]
    origins: npt.NDArray[np.str_]
    judged: Floats
    relevant: Floats


@dataclass(frozen=True)
class _Scores:
    """The scores that findings about one edition are computed from.

    :param grid: scores by the edition; if empty, ``why`` says what is missing.
    :param origins: the origin of each query. :param queries: the set that they belong to.
    """

    edition: str
    grid: Grid
    origins: npt.NDArray[np.str_]
    queries: str
    why: str = ""

    def of(self, which: str) -> Flags:
        """Return which queries are in a set: all, synthetic, or an origin."""
        if which == "all":
            return np.ones(len(self.origins), dtype=np.bool_)
        mask: Flags = self.origins != "human" if which == "synthetic" else self.origins == which
        return mask


@dataclass(frozen=True)
class Draw:
    """How queries are resampled.

    :param resamples: Bootstrap resamples of the queries.
    :param seed: Seed of the bootstrap.
    :raises BadArgument: a value is outside its range.
    """

    resamples: Annotated[int, AllowedRange(ge=1, le=MOST)] = 10_000
    seed: Annotated[int, AllowedRange(ge=0)] = 0

    def __post_init__(self) -> None:
        check_fields(self)

    def times(self, origins: npt.NDArray[np.str_]) -> Floats:
        """Return the weight of each query, float[queries, 1 + resamples]: first 1 each, then as resampled within its origin."""
        generator = np.random.default_rng(self.seed)
        times = np.ones((len(origins), 1 + self.resamples))
        for origin in np.unique(origins):
            at = np.flatnonzero(origins == origin)
            times[at, 1:] = generator.multinomial(len(at), np.full(len(at), 1 / len(at)), size=self.resamples).T
        return times


USUAL = Draw()


@declare
@note_simulated("human", "llm", "sparse")
@translate()
def findings(
    conn: psycopg.Connection,
    *,
    human: Annotated[str, Option(listed="show editions")],
    llm: str | None = None,
    sparse: str | None = None,
    measure: OneMeasure = nDCG @ 10,
    level: Annotated[int, Grade, Option(each="min_grade")] = 1,
    queries: QuerySet = ALL,
    draw: Draw = USUAL,
) -> list[Finding]:
    """Check each published finding. Nothing is written.

    Directions are checked with the human labels if systems have scores by them, else with the labels of the language model.
    Findings that need an edition that is not named get the verdict UNDETERMINED.

    :param human: Edition with judgments by people.
    :param llm: Edition with judgments by a language model. The study used GPT-4.
    :param sparse: Edition with sparse labels: one relevant document per query.
    :param measure: Measure that ranks the systems. The study used nDCG@10.
    :param level: Lowest grade that counts as relevant.
    :returns: in the order of CLAIMS.
    :raises UnknownObject: an edition, the measure or the set does not exist.
    :raises BadArgument: two of the editions are the same, or one judges no query of the set.
    """
    ranked_by, of_queries = only_measure(measure), set_of(queries)
    named = [edition for edition in (human, llm, sparse) if edition is not None]
    if len(set(named)) < len(named):
        raise BadArgument(
            f"the same edition is given for two of {', '.join(named)}",
            hint="Give three different editions: human labels, a language model's labels and sparse labels.",
        )
    for name in named:
        conn.execute("SELECT stc.edition_queries(%s, %s)", [name, of_queries])  # reports an unknown set, or one that is not judged
    judged = _queries(conn, human, level, of_queries)
    by_human = _scores(conn, human, ranked_by, of_queries)
    by_llm = None if llm is None else _scores(conn, llm, ranked_by, of_queries)
    ranked = by_llm if by_human.why and by_llm is not None and not by_llm.why else by_human
    values = {
        **_relevant(judged, human),
        **_taus(conn, by_human, "human", ranked_by, draw),
        **_taus(conn, by_llm, "llm", ranked_by, draw),
        **_agreement(conn, human, llm, level, of_queries),
        "all-as-real": _tau(conn, ranked, "all", "human", ranked_by, draw),
        **_biases(conn, ranked, ranked_by, draw),
        "t5-non-relevant": _non_relevant(judged, human, "t5", draw),
        "sparse-unreliable": _sparse(conn, by_human, sparse, ranked_by, level, draw),
    }
    study = of_the_study(judged.names)
    return [
        _judged(claim, values[claim], study=study, measure=ranked_by, level=level, ranked=by_llm if "-llm" in claim else by_human)
        for claim in CLAIMS
    ]


def _judged(name: str, value: _Value, *, study: bool, measure: Measure, level: int, ranked: _Scores | None) -> Finding:
    """Return a finding with its verdict by the claim's rule."""
    claim = CLAIMS[name]
    ours, low, high = value.ours, value.low, value.high
    if ours is None:
        verdict, why = UNDETERMINED, value.note
    elif claim.published is not None:
        systems = 0 if ranked is None else len(ranked.grid.runs)
        if not study:
            verdict, why = UNDETERMINED, "the judged queries are not the study's 82"
        elif level != 1 and (name.startswith("relevant-") or name == "agreement-binary"):
            verdict, why = UNDETERMINED, f"the published figure counts grades of 1 or more as relevant, not {level}"
        elif name.startswith("tau-") and (str(measure) != MEASURE or systems != SYSTEMS):
            verdict, why = UNDETERMINED, f"the published figure is for {SYSTEMS} systems by {MEASURE}, not {systems} by {measure}"
        else:
            verdict = AGREES if claim.holds(ours) else DIFFERS
            why = f"{ours:.{claim.places}f}, published {claim.published:.{claim.places}f}"
    elif low is None or high is None:
        verdict, why = UNDETERMINED, value.note
    else:
        verdict = _direction(name, ours, low, high)
        sign = "" if name in ("all-as-real", "sparse-unreliable") else "+"  # a tau, or a difference
        why = f"{ours:{sign}.3f}, 95 % from {low:{sign}.3f} to {high:{sign}.3f}" + (f"; {value.note}" if value.note else "")
    return Finding(
        name,
        claim.claim,
        claim.published,
        ours,
        low,
        high,
        value.labels,
        verdict,
        why,
        claim.rule,
        claim.source,
        sentence(claim, ours, verdict, why),
    )


def sentence(claim: Claim, ours: float | None, verdict: str, why: str) -> str:
    """Summarise a finding. The verdict alone decides the wording: a direction is stated only where it is certain.

    :param ours: the figure; None if it could not be computed.
    :param why: the reason for the verdict, with the figures.
    """
    if ours is None:
        return f"Not computed: {why}."
    if claim.published is not None:
        if verdict == UNDETERMINED:
            return f"The figure is {ours:.{claim.places}f} here; it cannot be compared: {why}."
        return f"The figure is {'the published one' if verdict == AGREES else 'not the published one'}: {why}."
    sentences = {
        AGREES: claim.affirmed[:1].upper() + claim.affirmed[1:],
        DIFFERS: claim.denied[:1].upper() + claim.denied[1:],
        UNDETERMINED: f"These data do not show whether {claim.affirmed}",
    }
    return f"{sentences[verdict]}: {why or 'no interval can be computed'}."


def _direction(name: str, ours: float, low: float, high: float) -> str:
    """Return the verdict on a direction. An interval that ends at 0 shows no direction. Rounding only removes errors of floats."""
    ours, low, high = round(ours, 9), round(low, 9), round(high, 9)
    if name == "all-as-real":
        yes, no = low >= CLOSE, high < CLOSE
    elif name == "sparse-unreliable":
        yes, no = high < CLOSE, low >= CLOSE
    elif name == "t5-unbiased":
        yes, no = low >= -MARGIN and high <= MARGIN, low > 0 or high < 0
    elif name in ("gpt-favoured", "t5-non-relevant"):
        yes, no = min(ours, low) > 0, max(ours, high) < 0
    else:
        yes, no = max(ours, high) < 0, min(ours, low) > 0
    return AGREES if yes else DIFFERS if no else UNDETERMINED


def _queries(conn: psycopg.Connection, edition: str, level: int, queries: str) -> _Queries:
    rows = conn.execute(
        "SELECT query, origin, judged, relevant FROM stc.label_queries(%s, %s, %s)", [edition, level, queries]
    ).fetchall()
    counts = np.array([row[2:] for row in rows], dtype=np.float64).reshape(-1, 2)
    return _Queries([row[0] for row in rows], np.array([row[1] for row in rows], dtype=np.str_), counts[:, 0], counts[:, 1])


def _scores(conn: psycopg.Connection, edition: str, measure: Measure, queries: str) -> _Scores:
    try:
        grid = score_matrix(conn, edition=edition, measure=measure, queries=queries)
    except StateError:  # fewer than two systems: report it as the reason
        why = f"fewer than two systems have a value of {measure} under {edition} (from rankings or imported scores)"
        return _Scores(edition, Grid([], [], [], np.empty((0, 0))), np.array([], dtype=np.str_), queries, why)
    origins: dict[str, str] = dict(
        conn.execute("SELECT query, origin FROM st1_queries WHERE query = ANY (%s)", [grid.queries]).fetchall()
    )
    return _Scores(edition, grid, np.array([origins[query] for query in grid.queries], dtype=np.str_), queries)


def _relevant(judged: _Queries, edition: str) -> dict[str, _Value]:
    return {f"relevant-{origin}": _mean_relevant(judged, edition, origin) for origin in ("human", "t5", "gpt-4")}


def _mean_relevant(judged: _Queries, edition: str, origin: str) -> _Value:
    at = judged.origins == origin
    return _Value(float(judged.relevant[at].mean()), labels=edition) if at.any() else _Value(note=_none_of(edition, origin))


def _none_of(edition: str, origin: str) -> str:
    return f"{edition} judges no {origin} queries; set origins with 'stc load --as origins'"


def _agreement(conn: psycopg.Connection, human: str, llm: str | None, level: int, queries: str) -> dict[str, _Value]:
    names = ("agreement-grades", "agreement-binary")
    if llm is None:
        return dict.fromkeys(names, _Value(note="no edition with a language model's labels is given"))
    row = conn.execute(
        "SELECT accuracy, binary_accuracy FROM label_agreement(%s, %s, %s, %s) WHERE origin = 'all'", [human, llm, level, queries]
    ).fetchone()
    none = f"no document is judged by both {human} and {llm}"
    return {
        name: _Value(value, labels=llm) if value is not None else _Value(note=none)
        for name, value in zip(names, row or (None, None), strict=True)
    }


def _taus(conn: psycopg.Connection, scores: _Scores | None, kind: str, measure: Measure, draw: Draw) -> dict[str, _Value]:
    pairs = (("all", "human"), ("human", "t5"), ("human", "gpt-4"))
    if scores is None:
        return {f"tau-{a}-{b}-{kind}": _Value(note="no edition with a language model's labels is given") for a, b in pairs}
    return {f"tau-{a}-{b}-{kind}": _tau(conn, scores, a, b, measure, draw) for a, b in pairs}


def _tau(conn: psycopg.Connection, scores: _Scores, a: str, b: str, measure: Measure, draw: Draw) -> _Value:
    if lacking := _lacks(scores, a, b):
        return _Value(note=lacking)
    [row] = reliability(
        conn,
        edition=scores.edition,
        measure=measure,
        pairs=[(a, b)],
        bootstrap=draw.resamples,
        seed=draw.seed,
        queries=scores.queries,
    )
    if row.tau is None:
        return _Value(note="one of the two query sets scores all systems alike", labels=scores.edition)
    return _Value(row.tau, row.tau_low, row.tau_high, scores.edition, _few(scores, a, b))


def _lacks(scores: _Scores, *sets: str) -> str:
    """Return why systems cannot be compared on some sets of queries, or ''."""
    if scores.why:
        return scores.why
    missing = [name for name in sets if not scores.of(name).any()]
    if not missing and "all" in sets and not scores.of("synthetic").any():
        missing = ["synthetic"]
    return _none_of(scores.edition, " or ".join(missing)) if missing else ""


def _spread(values: Floats, labels_of: str, note: str = "") -> _Value:
    """Return the first value, with percentiles of the others as its interval. Undefined values are ignored."""
    if np.isnan(values[0]):
        return _Value(note="one of the two rankings scores all systems alike", labels=labels_of)
    drawn = values[1:][~np.isnan(values[1:])]
    low, high = np.percentile(drawn, _TAILS) if drawn.size else (None, None)
    return _Value(float(values[0]), None if low is None else float(low), None if high is None else float(high), labels_of, note)


def _few(scores: _Scores, *sets: str) -> str:
    few = [name for name in sets if scores.of(name).sum() < 2]
    return f"only one query in {' and in '.join(few)}: no interval" if few else ""


def _biases(conn: psycopg.Connection, scores: _Scores, measure: Measure, draw: Draw) -> dict[str, _Value]:
    need = {"other-underestimated": "synthetic", "gpt-favoured": "gpt-4", "t5-unbiased": "t5", "t5-harder": "t5"}
    if _lacks(scores, "synthetic", "human"):
        return {name: _Value(note=_lacks(scores, origin, "human")) for name, origin in need.items()}
    shifts = bias(
        conn, edition=scores.edition, measure=measure, bootstrap=Resampling(draw.resamples, draw.seed), queries=scores.queries
    )
    return dict(
        zip(
            need,
            (
                _pooled(scores, "Other", draw),
                _family(shifts, scores, "GPT", "gpt-4"),
                _family(shifts, scores, "T5", "t5"),
                _harder(shifts, scores, "t5"),
            ),
            strict=True,
        )
    )


def _family(shifts: Bias, scores: _Scores, family: str, origin: str) -> _Value:
    """Return the shift of a family from human queries to those of an origin, minus the shift of all systems."""
    if lacking := _lacks(scores, origin, "human") or _no_family(scores, family):
        return _Value(note=lacking)
    [row] = [shift for shift in shifts.families if (shift.family, shift.origin) == (family, origin)]
    note = "; ".join(filter(None, [_sizes(scores, family), _few(scores, origin, "human")]))
    return _Value(row.relative, row.relative_low, row.relative_high, scores.edition, note)


def _pooled(scores: _Scores, family: str, draw: Draw) -> _Value:
    """Return the same shift for the synthetic queries of all origins pooled, with equal weight for each query."""
    if lacking := _no_family(scores, family):
        return _Value(note=lacking)
    times = draw.times(scores.origins)
    means = [scores.grid.scores[:, at] @ times[at] / times[at].sum(axis=0) for at in (scores.of("synthetic"), scores.of("human"))]
    shift = means[0] - means[1]
    relative = shift[np.array(scores.grid.families) == family].mean(axis=0) - shift.mean(axis=0)
    if few := _few(scores, "synthetic", "human"):
        return _Value(float(relative[0]), labels=scores.edition, note=few)
    return _spread(relative, scores.edition, _sizes(scores, family))


def _no_family(scores: _Scores, family: str) -> str:
    """Return why a family cannot be compared with all systems, or ''."""
    members = scores.grid.families.count(family)
    if 0 < members < len(scores.grid.families):
        return ""
    lacks = f"all systems belong to the family {family}" if members else f"no system belongs to the family {family}"
    return f"{lacks}; set families with 'stc load --as families'"


def _sizes(scores: _Scores, family: str) -> str:
    unknown = scores.grid.families.count(None)
    note = f"{scores.grid.families.count(family)} of {counted(len(scores.grid.runs), 'system')} belong to the family {family}"
    return note + (f", {unknown} of {NO_FAMILY}" if unknown else "")


def _harder(shifts: Bias, scores: _Scores, origin: str) -> _Value:
    if lacking := _lacks(scores, origin, "human"):
        return _Value(note=lacking)
    [row] = [part for part in shifts.difficulty if part.origin == origin]
    return _Value(row.difference, row.difference_low, row.difference_high, scores.edition, _few(scores, origin, "human"))


def _non_relevant(judged: _Queries, edition: str, which: str, draw: Draw) -> _Value:
    """Compare the share of judged documents that are not relevant between queries of one origin and human queries."""
    times = draw.times(judged.origins)
    shares = []
    for origin in (which, "human"):
        at = judged.origins == origin
        if at.sum() < 2:
            return _Value(note=f"only one {origin} query: no interval" if at.any() else _none_of(edition, origin))
        shares.append(1 - (judged.relevant[at] @ times[at]) / (judged.judged[at] @ times[at]))
    return _spread(shares[0] - shares[1], edition, f"{shares[0][0]:.1%} versus {shares[1][0]:.1%}")


def _sparse(conn: psycopg.Connection, by_human: _Scores, sparse: str | None, measure: Measure, level: int, draw: Draw) -> _Value:
    """Compute Kendall's tau between the rankings by human and by sparse labels, on the queries that both editions judge."""
    if sparse is None:
        return _Value(note="no edition with sparse labels is given")
    formed = shape(conn, sparse, level=level, queries=by_human.queries)
    if not formed.sparse:
        return _Value(note=f"{sparse} is not sparse: {counted(formed.judgments, 'judgment')} on {counted(formed.queries, 'query')}")
    other = _scores(conn, sparse, measure, by_human.queries)
    if by_human.why or other.why:
        return _Value(note=by_human.why or other.why)
    runs = [run for run in by_human.grid.runs if run in other.grid.runs]
    shared = [query for query in by_human.grid.queries if query in other.grid.queries]
    if len(runs) < 2 or len(shared) < 2:
        return _Value(note=f"{counted(len(runs), 'system')} and {counted(len(shared), 'query')} have scores by both editions")
    origins = dict(zip(by_human.grid.queries, by_human.origins, strict=True))
    times = draw.times(np.array([origins[query] for query in shared], dtype=np.str_))
    sides = [_cut(grid, runs, shared) @ times for grid in (by_human.grid, other.grid)]
    [held] = labels(conn, human=by_human.edition, others=[sparse], measure=measure, level=level, queries=by_human.queries)
    relevant = held.relevant_sources()
    note = f"people judged {0 if relevant is None else relevant:.1%} of its documents relevant"
    return _spread(rankings.kendall_tau(*sides), sparse, note)


def _cut(grid: Grid, runs: Sequence[str], queries: Sequence[str]) -> Floats:
    """Return the scores of some runs on some queries, in the given order."""
    rows, columns = ({name: at for at, name in enumerate(names)} for names in (grid.runs, grid.queries))
    scores: Floats = grid.scores[np.ix_([rows[run] for run in runs], [columns[query] for query in queries])]
    return scores
