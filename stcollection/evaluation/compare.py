"""The output of trec_eval against what this collection computes: every difference by name."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psycopg

from stcollection.errors import BadArgument, BadInput, StcError, translate
from stcollection.evaluation.imported import ALL, TheirScore, TrecEvalFile, read_output
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.preferences import GROUPS, PREFERENCES, is_count, score_judgments
from stcollection.evaluation.score import USUAL, ScoreRules

_SCORES = "SELECT query, measure, value FROM scores(ARRAY[%s], %s, %s::text[], %s, %s, %s, %s, %s)"
_RETRIEVED = (
    "SELECT q.query FROM st1_queries q JOIN st1_runs n ON n.run = %s"
    " WHERE EXISTS (SELECT FROM st1_rankings k WHERE k.run = n.id AND k.query = q.id)"
)
_OTHERS = {**dict.fromkeys(PREFERENCES, "prefs"), **dict.fromkeys(GROUPS, "qrels_jg")}  # measures of other forms of judgments


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One value that differs between trec_eval's output and ours.

    :param line: of the file; None for a query it has not. :param theirs, ours: as printed; None where there is none.
    """

    line: int | None
    measure: str
    query: str
    theirs: str | None
    ours: str | None


@dataclass(frozen=True, kw_only=True)
class OutputComparison:
    """The values of an output of trec_eval compared with ours.

    :param equal: how many values are the same, digit for digit.
    :param uncompared: how many lines, by measure, are of measures that are not computed here.
    :param texts: lines of text: runid, relstring.
    """

    run: str
    equal: int
    differences: list[Difference]
    uncompared: dict[str, int]
    texts: int


@translate()
def compare_output(
    conn: psycopg.Connection,
    path: Path,
    *,
    run: str,
    edition: str,
    judgments: str = "prefs",
    complete: bool = False,
    rules: ScoreRules = USUAL,
    tolerance: float = 0.0,
) -> OutputComparison:
    """Compare trec_eval's output for a stored run with our values, each rounded as theirs is.

    :param judgments: where preferences come from, if the file has measures of them: ``prefs`` or ``qrels_prefs``.
    :param complete: the output was made with -c: a query the run has nothing for counts as 0. Not every version of trec_eval
        prints such a query, so it is not missed.
    :param rules: those of the version that printed it: 9 and 10 round shares of recall otherwise.
    :param tolerance: by how much values may differ and still be the same.
    :returns: the values the file has, and those of its measures that it should have: each query we have a value for.
    :raises BadInput: a line that cannot be read; no measure that is computed here.
    :raises UnknownObject: the run or the edition is not stored.
    """
    if not tolerance >= 0:
        raise BadArgument(f"a tolerance of {tolerance}", hint="It is 0 or more.")
    output = read_output(path, run=run)
    lines = [*output.scores, *output.summary]
    names = list(dict.fromkeys(one.measure for one in lines))
    ours = _ours(conn, names, run=run, edition=edition, judgments=judgments, complete=complete, rules=rules)
    known = {measure for measure, _ in ours}
    if not known - {"num_q"}:
        raise BadInput(
            f"{path}: none of its measures is computed here",
            hint=f"It has {', '.join(names[:5])}{', …' * (len(names) > 5)}.",
            sqlstate="IR301",
        )
    equal, differences = 0, []
    uncompared: Counter[str] = Counter()
    for one in lines:
        value = ours.get((one.measure, one.query))
        if one.measure not in known:
            uncompared[one.measure] += 1
        elif value is not None and _same(value, one, tolerance):
            equal += 1
        else:
            shown = None if value is None else _as_theirs(value, one.text)
            differences.append(Difference(line=one.line, measure=one.measure, query=one.query, theirs=one.text, ours=shown))
    retrieved = {query for (query,) in conn.execute(_RETRIEVED, [run])}
    differences += _absent(output, {key: value for key, value in ours.items() if key[1] in retrieved})
    return OutputComparison(run=run, equal=equal, differences=differences, uncompared=dict(uncompared), texts=output.texts)


def _ours(
    conn: psycopg.Connection, names: list[str], *, run: str, edition: str, judgments: str, complete: bool, rules: ScoreRules
) -> dict[tuple[str, str], float]:
    """Our values by (measure, query), the summary's query being ``all``; of the measures that are computed here, and num_q."""
    values: dict[str, dict[str, float]] = {}  # by measure and query
    plain = [name for name in names if name not in _OTHERS and _computed(name)]
    for query, measure, value in conn.execute(_SCORES, [run, edition, plain, complete, *rules.arguments]) if plain else ():
        values.setdefault(measure, {})[query] = value
    for form in {_OTHERS[name] for name in names if name in _OTHERS}:
        found = score_judgments(conn, run=run, edition=edition, judgments=judgments if form == "prefs" else form, complete=complete)
        for query, by_measure in found.queries.items():
            for measure in by_measure.keys() & set(names):
                values.setdefault(measure, {})[query] = by_measure[measure]
    ours = {(measure, query): value for measure, by_query in values.items() for query, value in by_query.items()}
    for measure, by_query in values.items():
        total = sum(by_query.values()) / (1 if is_count(measure) else len(by_query))
        ours[measure, ALL] = math.exp(total) if measure.startswith("gm_") else total  # of a query, gm_ is the logarithm
        ours["num_q", ALL] = len(by_query)
    return ours


def _computed(name: str) -> bool:
    """Whether a measure of this name, in trec_eval, is computed here."""
    try:
        return parse_measure(name).trec_eval == name
    except StcError:
        return False


def _as_theirs(value: float, text: str) -> str:
    """Our value with as many decimals as theirs."""
    return f"{value:.{len(text.partition('.')[2])}f}" if "e" not in text.lower() else f"{value:.6g}"


def _same(value: float, theirs: TheirScore, tolerance: float) -> bool:
    if "e" in theirs.text.lower():
        return math.isclose(value, theirs.value, rel_tol=1e-6, abs_tol=tolerance)
    return abs(float(_as_theirs(value, theirs.text)) - theirs.value) <= tolerance * (1 + 1e-9)


def _absent(output: TrecEvalFile, ours: dict[tuple[str, str], float]) -> list[Difference]:
    """The queries we have a value for and the file has not, of the measures it has for other queries; ours without the summary."""
    have = {(one.measure, one.query) for one in output.scores}
    per_query = {measure for measure, _ in have}
    return [
        Difference(
            line=None, measure=measure, query=query, theirs=None, ours=f"{value:.0f}" if is_count(measure) else f"{value:.4f}"
        )
        for (measure, query), value in ours.items()
        if measure in per_query and (measure, query) not in have
    ]
