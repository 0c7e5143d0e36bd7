"""Scores of one run as trec_eval prints them, line by line, character by character."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import psycopg

from stcollection.errors import BadArgument, translate
from stcollection.evaluation.kinds import GROUPS, KINDS
from stcollection.evaluation.measures import Measure, parse_measures
from stcollection.evaluation.score import USUAL, Rules, score

_PLACES = {name: place for place, name in enumerate(KINDS)}
_SINGLE = {"num_q", "gm_map", "gm_bpref"}  # told in the summary alone
_TEXTS = ("runid", "relstring")


def lines(
    conn: psycopg.Connection,
    *,
    run: str,
    edition: str,
    names: Sequence[str],
    complete: bool = False,
    per_query: bool = False,
    rules: Rules = USUAL,
) -> Iterator[str]:
    """The lines of ``trec_eval -m … [-q] [-c] [-l] [-J] [-M]``, without line breaks: queries ordered as bytes, then ``all``.

    :param names: of measures, as trec_eval's -m takes them (``all_trec``, ``P.5,10``, ``relstring.20``, ``runid``), or ir_measures.
    :raises UnknownObject: the run, the edition or a measure is not there. :raises BadArgument: a parameter is out of range.
    """
    length, runid = _texts(names)
    measures = [one for name in names if name.partition(".")[0].partition("_")[0] not in _TEXTS for one in parse_measures(name)]
    measures.sort(key=lambda one: (_PLACES[one.kind.name], one.share or one.cutoff or 0))
    printed = {m: m.trec_eval for m in measures}
    values: dict[str, dict[Measure, float]] = defaultdict(dict)
    for one in score(conn, runs=[run], edition=edition, measures=measures, complete=complete, rules=rules):
        values[one.query][one.measure] = one.value
    texts = dict(_relstrings(conn, run, edition, length[0], complete, rules)) if length is not None else {}
    queries = sorted(values.keys() | texts.keys(), key=str.encode)
    if per_query:
        before = [m for m in printed if _PLACES[m.kind.name] <= _PLACES["P"]]
        for query in queries:
            for group in (before, [m for m in printed if m not in before]):
                yield from (_line(printed[m], query, m, values[query][m]) for m in group if m.kind.name not in _SINGLE)
                if group is before and length is not None:
                    yield f"{length[1]:<22}\t{query}\t'{texts[query]}'"
    if runid:
        yield f"{'runid':<22}\tall\t{_tag(conn, run)}"
    for m, name in printed.items():
        total = 0.0
        for query in queries:
            total += values[query][m]
        if m.kind.mean != "sum" and queries:
            total /= len(queries)
        yield _line(name, "all", m, math.exp(total) if m.kind.mean == "geometric" and queries else total)


def _line(name: str, query: str, measure: Measure, value: float) -> str:
    return f"{name:<22}\t{query}\t" + (f"{int(value)}" if measure.kind.mean == "sum" else f"{value:6.4f}")


def _texts(names: Sequence[str]) -> tuple[tuple[int, str] | None, bool]:
    """Of relstring the length and the name it is printed under, if it is asked for, and whether runid is."""
    length: tuple[int, str] | None = None
    for name in names:
        kind, _, listed = name.replace("relstring_", "relstring.").partition(".")
        if kind == "relstring" and listed:
            if not listed.isdigit() or int(listed) < 1:
                raise BadArgument(f"{name} has a length of {listed}", hint="It is 1 or more: relstring.20.", sqlstate="IR201")
            length = int(listed), f"relstring_{listed}"
        elif length is None and (kind == "relstring" or kind == "all_trec"):
            length = 10, "relstring"
    return length, any(name == "runid" or name in GROUPS for name in names)


@translate()
def _relstrings(
    conn: psycopg.Connection, run: str, edition: str, length: int, complete: bool, rules: Rules
) -> Iterator[tuple[str, str]]:
    statement = "SELECT query, relstring FROM relevance_strings(%s, %s, %s, %s, %s, %s, %s)"
    yield from conn.execute(
        statement, [[run], edition, length, complete, rules.judged_only, rules.max_rank, rules.version]
    ).fetchall()


def _tag(conn: psycopg.Connection, run: str) -> str:
    [tag] = conn.execute("SELECT coalesce(tag, run) FROM st1_runs WHERE run = %s", [run]).fetchone() or [run]
    return str(tag)
