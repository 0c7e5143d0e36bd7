"""Print the scores of one run exactly as trec_eval does, character by character."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stcollection.db.simulated import note_simulated
from stcollection.errors import BadArgument, translate
from stcollection.evaluation.kinds import GROUPS, KINDS
from stcollection.evaluation.measures import Measure, parse_measures
from stcollection.evaluation.preferences import score_judgments, trec_eval_line, trec_eval_lines
from stcollection.evaluation.score import USUAL, ScoreRules, score
from stcollection.evaluation.zscores import Norms, read_zscores, zscore
from stcollection.runs.listing import tag_of
from stcollection.topics.sets import ALL

if TYPE_CHECKING:
    import psycopg

_PLACES = {name: place for place, name in enumerate(KINDS)}
_SINGLE = {"num_q", *(kind.name for kind in KINDS.values() if kind.mean == "geometric")}  # printed only in the summary
_TEXTS = ("runid", "relstring")
[_NUM_REL] = parse_measures("num_rel")
_LARGEST_EXPONENT = 709.0  # exp of more than this can exceed the range of a float


def _place(measure: Measure) -> int:
    """Return its place in trec_eval's order; measures that organisers added are last."""
    return _PLACES.get(measure.kind.name, len(_PLACES))


@dataclass(frozen=True)
class Printed:
    """The output for one run, before it is formatted as lines.

    :param rows: ``(measure, query, value)`` of the queries, in printing order; the value of relstring is a text.
    :param runid: None if not requested.
    :param measures: measures of the summary, with their names there and their values by query, in printing order.
    :param relevant: num_rel of the summary, if it is not the sum over the queries.
    """

    rows: list[tuple[str, str, float | str]]
    runid: str | None
    measures: list[tuple[str, Measure, list[tuple[str, float]]]]
    relevant: int | None = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Options of the output, as in trec_eval.

    :param names: names of measures, as for :func:`printed`; if empty, the official ones.
    :param queries: a set of queries; preferences use all.
    :param judgments: ``qrels``, or a kind of preferences (``preferences.JUDGMENTS``), which have separate measures.
    :param zscores: a file of means and deviations to standardise by.
    :param complete: its -c.
    :param per_query: its -q.
    :param summary: the lines of the query ``all``; its -n omits them.
    """

    names: Sequence[str] = ()
    judgments: str = "qrels"
    zscores: Path | None = None
    complete: bool = False
    per_query: bool = False
    summary: bool = True
    queries: str = ALL


@note_simulated("edition")
def trec_eval_output(
    conn: psycopg.Connection, *, run: str, edition: str, output: OutputOptions, rules: ScoreRules = USUAL
) -> list[str]:
    """Return the lines that trec_eval prints for a stored run.

    :raises UnknownObject: the run, the edition or a measure does not exist.
    :raises BadArgument: a parameter is out of range.
    """
    if output.judgments != "qrels":
        scores = score_judgments(conn, run=run, edition=edition, judgments=output.judgments, complete=output.complete)
        return list(trec_eval_lines(scores, per_query=output.per_query))
    check_level(rules.min_grade)
    names = output.names or ["official"]
    what = printed(conn, run=run, edition=edition, names=names, complete=output.complete, rules=rules, queries=output.queries)
    norms = None if output.zscores is None else read_zscores(output.zscores)
    return list(lines(what, norms=norms, per_query=output.per_query))


@dataclass(frozen=True, kw_only=True)
class WantedOutput:
    """The output that names of measures request, in trec_eval's order.

    :param relstring: the length of the relstring and its printed name; None if not requested.
    :param runid: True if the line ``runid`` is requested.
    :param ignored: names that trec_eval ignores, each with the name that it uses instead.
    """

    measures: list[Measure]
    relstring: tuple[int, str] | None
    runid: bool
    ignored: dict[str, str]

    @property
    def notes(self) -> list[str]:
        """Return a sentence on each ignored name."""
        return [
            f"trec_eval reads one list per measure: -m {name} is ignored, as -m {used} comes first; separate numbers by commas"
            for name, used in self.ignored.items()
        ]

    @property
    def num_rel(self) -> bool:
        """True if num_rel is requested. With -c, trec_eval's summary counts all grades above 0, whatever its -l is."""
        return _NUM_REL in self.measures


def wanted_of(names: Sequence[str]) -> WantedOutput:
    """Parse names of measures as for trec_eval's -m (``all_trec``, ``P.5,10``, ``relstring.20``, ``runid``) or ir_measures.

    As in trec_eval, a list of numbers replaces the usual ones of its measure, and the first list of a measure counts.

    :raises UnknownObject: a measure does not exist.
    :raises BadArgument: a parameter is out of range.
    """
    lists: dict[str, str] = {}
    for name in names:
        head, dot, _ = name.partition(".")
        if dot and (head in KINDS or head == "relstring"):
            lists.setdefault(head, name)
    ignored = {name: first for name in names if "." in name and (first := lists.get(name.partition(".")[0], name)) != name}
    used = [name for name in names if name not in ignored]
    relstring, runid = _texts(used)
    measures = []
    for name in used:
        if name.partition(".")[0].partition("_")[0] in _TEXTS:
            continue
        defaults = name in GROUPS or name in KINDS
        measures += [measure for measure in parse_measures(name) if not (defaults and measure.kind.name in lists)]
    measures.sort(key=lambda measure: (_place(measure), measure.share or measure.cutoff or 0))
    return WantedOutput(measures=list(dict.fromkeys(measures)), relstring=relstring, runid=runid, ignored=ignored)


def check_level(level: int) -> None:
    """Refuse a level for which trec_eval counts documents without a judgment as relevant.

    :raises BadArgument: it is below 0.
    """
    if level < 0:
        raise BadArgument(
            f"the lowest relevant grade is {level}, and trec_eval counts documents without a judgment as relevant below 0",
            hint="Use -l 0 or more, or omit --format trec.",
        )


def printed(
    conn: psycopg.Connection,
    *,
    run: str,
    edition: str,
    names: Sequence[str],
    complete: bool = False,
    rules: ScoreRules = USUAL,
    queries: str = ALL,
) -> Printed:
    """Compute the output of ``trec_eval -q -m … [-c] [-l] [-J] [-M]``, with queries sorted as bytes.

    :param names: names of measures, as for :func:`wanted_of`.
    :param queries: a set of queries, as for :func:`~stcollection.evaluation.score.score`.
    :raises UnknownObject: the run, the edition, a measure or the set does not exist.
    :raises BadArgument: a parameter is out of range.
    """
    request = wanted_of(names)
    values: dict[str, dict[Measure, float]] = defaultdict(dict)
    for row in score(conn, runs=[run], edition=edition, measures=request.measures, complete=complete, rules=rules, queries=queries):
        values[row.query][row.measure] = row.value
    length = request.relstring
    texts = dict(_relstrings(conn, run, edition, length[0], complete, rules, queries)) if length is not None else {}
    relevant = None
    if complete and request.num_rel:
        every = score(conn, runs=[run], edition=edition, measures=[_NUM_REL], queries=queries)
        relevant = int(sum(row.value for row in every))
    return arrange(request, values, texts, tag=tag_of(conn, run) if request.runid else "", relevant=relevant)


def arrange(
    request: WantedOutput,
    values: Mapping[str, Mapping[Measure, float]],
    relstrings: Mapping[str, str],
    *,
    tag: str,
    relevant: int | None = None,
) -> Printed:
    """Sort the values of one run in trec_eval's order.

    :param values: by query and measure.
    :param relstrings: by query.
    :param tag: printed as runid.
    :param relevant: number of judgments above 0 if the summary prints it as num_rel (``WantedOutput.num_rel``).
    """
    shown = {m: m.trec_eval for m in request.measures}
    queries = sorted(values.keys() | relstrings.keys(), key=str.encode)
    rows: list[tuple[str, str, float | str]] = []
    places = {m: _place(m) for m in shown if m.kind.name not in _SINGLE}
    before = [m for m, place in places.items() if place <= _PLACES["P"]]
    after = [m for m, place in places.items() if place > _PLACES["P"]]
    for query in queries:
        rows.extend((shown[m], query, values[query][m]) for m in before)
        if request.relstring is not None:
            rows.append((request.relstring[1], query, f"'{relstrings[query]}'"))
        rows.extend((shown[m], query, values[query][m]) for m in after)
    measures = [(name, m, [(query, values[query][m]) for query in queries]) for m, name in shown.items()]
    return Printed(rows, tag if request.runid else None, measures, relevant)


def summary_value(measure: Measure, values: Sequence[float]) -> float:
    """Return the sum, mean or geometric mean of the queries' values, added in their order as trec_eval does."""
    total = 0.0
    for value in values:
        total += value
    if measure.kind.mean != "sum" and values:
        total /= len(values)
    if measure.kind.mean != "geometric" or not values:
        return total
    return math.exp(total) if total < _LARGEST_EXPONENT else math.inf


def lines(what: Printed, *, norms: Norms | None = None, per_query: bool = False, summary: bool = True) -> Iterator[str]:
    """Yield trec_eval's lines, without line breaks.

    :param norms: its -Z: print each value as deviations from the mean of its query and measure, with a Z before its name.
    :param per_query: its -q. :param summary: False is its -n.
    """
    sums = {name for name, measure, _ in what.measures if measure.kind.mean == "sum"} if norms is None else ()

    def line(name: str, query: str, value: float | str) -> str:
        sign = "" if norms is None or isinstance(value, str) else "Z"
        return sign + trec_eval_line(name, query, value, counts=sums)

    def standard(name: str, query: str, value: float) -> float:
        return value if norms is None else zscore(value, norms.get((query, name)))

    if per_query:
        for name, query, value in what.rows:
            yield line(name, query, value if isinstance(value, str) else standard(name, query, value))
    if not summary:
        return
    if what.runid is not None:
        yield line("runid", "all", what.runid)
    for name, measure, values in what.measures:
        if measure.kind.name == "num_q":  # counts the queries
            total = float(len(values))
        elif measure == _NUM_REL and what.relevant is not None:
            total = float(what.relevant)
        else:
            total = summary_value(measure, [standard(name, query, value) for query, value in values])
        yield line(name, "all", total)


def _texts(names: Sequence[str]) -> tuple[tuple[int, str] | None, bool]:
    """Return the length and printed name of relstring, if requested, and whether runid is requested."""
    length: tuple[int, str] | None = None
    for name in names:
        kind, _, listed = name.replace("relstring_", "relstring.").partition(".")
        if kind == "relstring" and listed:
            if not listed.isdigit() or int(listed) < 1:
                raise BadArgument(f"{name} has a length of {listed}", hint="Use 1 or more: relstring.20.", sqlstate="IR201")
            length = int(listed), f"relstring_{listed}"
        elif length is None and (kind == "relstring" or kind == "all_trec"):
            length = 10, "relstring"
    return length, any(name == "runid" or name in GROUPS for name in names)


@translate()
def _relstrings(
    conn: psycopg.Connection, run: str, edition: str, length: int, complete: bool, rules: ScoreRules, queries: str
) -> Iterator[tuple[str, str]]:
    statement = "SELECT query, relstring FROM relevance_strings(%s, %s, %s, %s, %s, %s, %s, %s)"
    yield from conn.execute(
        statement, [[run], edition, length, complete, rules.judged_only, rules.max_rank, rules.version, queries]
    ).fetchall()
