"""Compare the output of trec_eval with the values of this collection, and report every difference."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import psycopg

from stcollection.db.simulated import note_simulated
from stcollection.declared import AllowedRange, Option, declare
from stcollection.errors import BadInput, StcError, translate
from stcollection.evaluation.imported import ALL, TheirScore, TrecEvalFile, read_output
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.parameters import NamedEdition
from stcollection.evaluation.preferences import GROUPS, PREFERENCES, is_count, score_judgments
from stcollection.evaluation.score import USUAL, ScoreRules

_SCORES = "SELECT query, measure, value FROM scores(ARRAY[%s], %s, %s::text[], %s, %s, %s, %s, %s)"
_RETRIEVED = (
    "SELECT q.query FROM st1_queries q JOIN st1_runs n ON n.run = %s"
    " WHERE EXISTS (SELECT FROM stc.st1_rankings k WHERE k.run = n.id AND k.query = q.id)"
)
_OTHERS = {**dict.fromkeys(PREFERENCES, "prefs"), **dict.fromkeys(GROUPS, "qrels_jg")}  # measures of other kinds of judgments


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One value that differs between trec_eval's output and ours.

    :param line: line of the file; None for a query that the file does not have.
    :param theirs, ours: as printed; None if missing.
    """

    line: int | None
    measure: str
    query: str
    theirs: str | None
    ours: str | None


@dataclass(frozen=True, kw_only=True)
class OutputComparison:
    """The comparison of trec_eval's output with our values.

    :param equal: number of values that agree digit for digit.
    :param uncompared: number of lines, by measure, whose measure is not computed here.
    :param texts: number of text lines: runid, relstring.
    """

    run: str
    equal: int
    differences: list[Difference]
    uncompared: dict[str, int]
    texts: int
    simulated: str | None = None


@declare
@note_simulated("edition")
@translate()
def compare_output(
    conn: psycopg.Connection,
    path: Annotated[Path, Option("FILE")],
    *,
    run: str,
    edition: NamedEdition,
    judgments: Literal["prefs", "qrels_prefs"] = "prefs",
    complete: Annotated[bool, Option("--complete/--retrieved")] = False,
    rules: ScoreRules = USUAL,
    tolerance: Annotated[float, AllowedRange(ge=0)] = 0.0,
) -> OutputComparison:
    """Compare trec_eval's output for a stored run with our values, rounded in the same way.

    Some versions of trec_eval do not print queries for which the run has nothing, so their absence is no difference. Versions 9 and
    10 round shares of recall differently.

    :param run: Stored run to compare with. If the file has several systems, compares only the lines of this run.
    :param judgments: Value of trec_eval's -R, if the file has measures of preferences.
    :param complete: The file was made with trec_eval -c: queries without documents in the run count as 0 in the means.
    :param rules: of the version that printed it.
    :param tolerance: Largest difference to ignore.
    :returns: the comparison of all values in the file, and of the values of its measures that it should have: one for each of our
        queries.
    :raises BadInput: a line cannot be read, or no measure of the file is computed here.
    :raises UnknownObject: the run or the edition is not stored.
    """
    output = read_output(path, run=run)
    lines = [*output.scores, *output.summary]
    names = list(dict.fromkeys(score.measure for score in lines))
    ours = _ours(conn, names, run=run, edition=edition, judgments=judgments, complete=complete, rules=rules)
    known = {measure for measure, _ in ours}
    if not known - {"num_q"}:
        raise BadInput(
            f"{path}: none of its measures is computed here",
            hint=f"Its measures are {', '.join(names[:5])}{', …' * (len(names) > 5)}.",
        )
    equal, differences = 0, []
    uncompared: Counter[str] = Counter()
    for score in lines:
        value = ours.get((score.measure, score.query))
        if score.measure not in known:
            uncompared[score.measure] += 1
        elif value is not None and _same(value, score, tolerance):
            equal += 1
        else:
            shown = None if value is None else _as_theirs(value, score.text)
            differences.append(Difference(line=score.line, measure=score.measure, query=score.query, theirs=score.text, ours=shown))
    retrieved = {query for (query,) in conn.execute(_RETRIEVED, [run])}
    differences += _absent(output, {key: value for key, value in ours.items() if key[1] in retrieved})
    return OutputComparison(run=run, equal=equal, differences=differences, uncompared=dict(uncompared), texts=output.texts)


def _ours(
    conn: psycopg.Connection, names: list[str], *, run: str, edition: str, judgments: str, complete: bool, rules: ScoreRules
) -> dict[tuple[str, str], float]:
    """Return our values by (measure, query), with query ``all`` for the summary, of the measures computed here and num_q."""
    values: dict[str, dict[str, float]] = {}  # by measure, then query
    plain = [name for name in names if name not in _OTHERS and _computed(name)]
    for query, measure, value in conn.execute(_SCORES, [run, edition, plain, complete, *rules.arguments]) if plain else ():
        values.setdefault(measure, {})[query] = value
    for form in {_OTHERS[name] for name in names if name in _OTHERS}:
        source = judgments if form == "prefs" else form
        for query, scores in score_judgments(conn, run=run, edition=edition, judgments=source, complete=complete).queries.items():
            for measure in scores.keys() & set(names):
                values.setdefault(measure, {})[query] = scores[measure]
    ours = {(measure, query): value for measure, by_query in values.items() for query, value in by_query.items()}
    for measure, by_query in values.items():
        total = sum(by_query.values()) / (1 if is_count(measure) else len(by_query))
        ours[measure, ALL] = math.exp(total) if measure.startswith("gm_") else total  # a query's gm_ is the logarithm
        ours["num_q", ALL] = len(by_query)
    return ours


def _computed(name: str) -> bool:
    """Return True if the measure is computed here. :param name: name in trec_eval."""
    try:
        return parse_measure(name).trec_eval == name
    except StcError:
        return False


def _as_theirs(value: float, text: str) -> str:
    """Format our value with the same number of decimals as theirs."""
    return f"{value:.{len(text.partition('.')[2])}f}" if "e" not in text.lower() else f"{value:.6g}"


def _same(value: float, theirs: TheirScore, tolerance: float) -> bool:
    if "e" in theirs.text.lower():
        return math.isclose(value, theirs.value, rel_tol=1e-6, abs_tol=tolerance)
    return abs(float(_as_theirs(value, theirs.text)) - theirs.value) <= tolerance * (1 + 1e-9)


def _absent(output: TrecEvalFile, ours: dict[tuple[str, str], float]) -> list[Difference]:
    """Return the values we have and the file lacks, for the measures that the file has; without the summary."""
    have = {(score.measure, score.query) for score in output.scores}
    per_query = {measure for measure, _ in have}
    return [
        Difference(
            line=None, measure=measure, query=query, theirs=None, ours=f"{value:.0f}" if is_count(measure) else f"{value:.4f}"
        )
        for (measure, query), value in ours.items()
        if measure in per_query and (measure, query) not in have
    ]
