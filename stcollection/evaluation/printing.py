"""Print the scores of one run exactly as trec_eval does, character by character."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from stcollection.errors import BadArgument, translate
from stcollection.evaluation.kinds import GROUPS, KINDS
from stcollection.evaluation.measures import Measure, parse_measures
from stcollection.evaluation.preferences import score_judgments, trec_eval_line, trec_eval_lines
from stcollection.evaluation.score import USUAL, ScoreRules, score
from stcollection.evaluation.zscores import Norms, read_zscores, standardise, z_lines
from stcollection.runs.listing import tag_of
from stcollection.topics.sets import ALL

_PLACES = {name: place for place, name in enumerate(KINDS)}
_SINGLE = {"num_q", *(kind.name for kind in KINDS.values() if kind.mean == "geometric")}  # printed only in the summary
_TEXTS = ("runid", "relstring")


@dataclass(frozen=True)
class Printed:
    """The output for one run, before it is formatted as lines.

    :param rows: ``(measure, query, value)`` of the queries, in printing order; the value of relstring is a text.
    :param runid: None if not requested.
    :param measures: measures of the summary, with their names there.
    :param totals: values of the summary, in the same order.
    """

    rows: list[tuple[str, str, float | str]]
    runid: str | None
    measures: list[tuple[str, Measure]]
    totals: list[float]


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


def trec_eval_output(
    conn: psycopg.Connection, *, run: str, edition: str, output: OutputOptions, rules: ScoreRules = USUAL
) -> list[str]:
    """Return the lines that trec_eval prints for a stored run.

    :raises UnknownObject: the run, the edition or a measure does not exist.
    :raises BadArgument: a parameter is out of range.
    """
    if output.judgments != "qrels":
        found = score_judgments(conn, run=run, edition=edition, judgments=output.judgments, complete=output.complete)
        return list(trec_eval_lines(found, per_query=output.per_query))
    names = output.names or ["official"]
    what = printed(conn, run=run, edition=edition, names=names, complete=output.complete, rules=rules, queries=output.queries)
    if output.zscores is None:
        return list(lines(what, per_query=output.per_query))
    standardised = standardised_lines(what, read_zscores(output.zscores))
    return [line for line in standardised if output.per_query or "\tall\t" in line]


@dataclass(frozen=True, kw_only=True)
class WantedOutput:
    """The output that names of measures request, in trec_eval's order.

    :param relstring: the length of the relstring and its printed name; None if not requested.
    :param runid: True if the line ``runid`` is requested.
    """

    measures: list[Measure]
    relstring: tuple[int, str] | None
    runid: bool


def wanted_of(names: Sequence[str]) -> WantedOutput:
    """Parse names of measures as for trec_eval's -m (``all_trec``, ``P.5,10``, ``relstring.20``, ``runid``) or ir_measures.

    :raises UnknownObject: a measure does not exist.
    :raises BadArgument: a parameter is out of range.
    """
    relstring, runid = _texts(names)
    measures = [one for name in names if name.partition(".")[0].partition("_")[0] not in _TEXTS for one in parse_measures(name)]
    measures.sort(key=lambda one: (_PLACES[one.kind.name], one.share or one.cutoff or 0))
    return WantedOutput(measures=list(dict.fromkeys(measures)), relstring=relstring, runid=runid)


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
    wanted = wanted_of(names)
    values: dict[str, dict[Measure, float]] = defaultdict(dict)
    for one in score(conn, runs=[run], edition=edition, measures=wanted.measures, complete=complete, rules=rules, queries=queries):
        values[one.query][one.measure] = one.value
    length = wanted.relstring
    texts = dict(_relstrings(conn, run, edition, length[0], complete, rules, queries)) if length is not None else {}
    return arrange(wanted, values, texts, tag=tag_of(conn, run) if wanted.runid else "")


def arrange(
    wanted: WantedOutput, values: Mapping[str, Mapping[Measure, float]], relstrings: Mapping[str, str], *, tag: str
) -> Printed:
    """Sort the values of one run in trec_eval's order.

    :param values: by query and measure.
    :param relstrings: by query.
    :param tag: printed as runid.
    """
    shown = {m: m.trec_eval for m in wanted.measures}
    queries = sorted(values.keys() | relstrings.keys(), key=str.encode)
    rows: list[tuple[str, str, float | str]] = []
    places = {m: _PLACES[m.kind.name] for m in shown if m.kind.name not in _SINGLE}
    before = [m for m, place in places.items() if place <= _PLACES["P"]]
    after = [m for m, place in places.items() if place > _PLACES["P"]]
    for query in queries:
        rows.extend((shown[m], query, values[query][m]) for m in before)
        if wanted.relstring is not None:
            rows.append((wanted.relstring[1], query, f"'{relstrings[query]}'"))
        rows.extend((shown[m], query, values[query][m]) for m in after)
    totals = [summary_value(m, [values[query][m] for query in queries]) for m in shown]
    return Printed(rows, tag if wanted.runid else None, [(name, m) for m, name in shown.items()], totals)


def summary_value(measure: Measure, values: Sequence[float]) -> float:
    """Return the sum, mean or geometric mean of the queries' values, added in their order as trec_eval does."""
    total = 0.0
    for value in values:
        total += value
    if measure.kind.mean != "sum" and values:
        total /= len(values)
    return math.exp(total) if measure.kind.mean == "geometric" and values else total


def lines(what: Printed, *, per_query: bool = False, summary: bool = True) -> Iterator[str]:
    """Yield trec_eval's lines, without line breaks. ``per_query`` is its -q; ``summary=False`` is its -n."""
    sums = {name for name, measure in what.measures if measure.kind.mean == "sum"}
    if per_query:
        yield from (trec_eval_line(name, query, value, counts=sums) for name, query, value in what.rows)
    if not summary:
        return
    if what.runid is not None:
        yield trec_eval_line("runid", "all", what.runid)
    for (name, _), total in zip(what.measures, what.totals, strict=True):
        yield trec_eval_line(name, "all", total, counts=sums)


def standardised_lines(what: Printed, norms: Norms) -> list[str]:
    """Return the lines of ``trec_eval -q -Z``: each value as deviations from the mean of its query and measure."""
    summary = [name for name, measure in what.measures if measure.kind.name != "num_q"]
    return z_lines(standardise(what.rows, norms), runid=what.runid or "", summary=summary)


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
