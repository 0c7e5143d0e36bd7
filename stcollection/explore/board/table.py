"""The rows of the leaderboard: sorted, filtered, and one page of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stcollection.analysis.board import Standings
from stcollection.analysis.intervals import Interval
from stcollection.analysis.marks import BETTER, MOST, WORSE
from stcollection.errors import BadArgument
from stcollection.explore.board.marks import AxisScale, IntervalMark, digits, interval_mark, written
from stcollection.explore.board.request import address, count
from stcollection.texts import later
from stcollection.topics.sets import ALL, titled
from stcollection.web.words import n, t

PAGE = 50  # rows
READABLE = (
    ("refs", later("references"), 2), ("vocabulary", later("different words"), 1), ("long_ratio", later("long words"), 4),
    ("complex_ratio", later("complex words"), 4), ("fkgl", "FKGL", 2), ("fkgl_median", later("FKGL median"), 2),
    ("citations", later("citations"), 1), ("citation_percentile", later("citation percentile"), 1),
)  # fmt: skip


class BoardHeading(NamedTuple):
    """The heading of a column. :param href: sorts by it. :param order: ``ascending`` or ``descending`` if it is sorted by it."""

    title: str
    href: str | None
    order: str | None = None
    kind: str = "number"


class BoardCell(NamedTuple):
    """A mean. :param mark: BETTER or WORSE than the baseline. :param spoken: the mark in words."""

    text: str
    best: bool
    mark: str
    spoken: str | None


class BoardRow(NamedTuple):
    """A run. :param about: team and family. :param group: letter; ``opens``: the first run of the group on the page."""

    run: str
    about: str
    rank: str
    mean: BoardCell
    bar: IntervalMark | None
    interval: str
    group: str
    opens: bool
    ranks: str
    cells: list[BoardCell]
    readable: list[str]


class BoardTable(NamedTuple):
    """A page of the table.

    :param matching: number of runs that match the filter. :param total: of all runs. :param start: place of the first row.
    """

    caption: str
    headings: list[BoardHeading]
    rows: list[BoardRow]
    matching: int
    total: int
    start: int
    legend: list[str]


def board_table(made: Standings, given: Mapping[str, str]) -> BoardTable:
    """Return the rows that an address shows. :raises BadArgument: it sorts by a column that does not exist."""
    by, asked = made.measure, made.asked
    others = [(at, measure) for at, measure in enumerate(asked.measures) if measure != by]
    matching = filtered(made, given)
    start = count(later("the first row is {value!r}"), given["start"], 0)
    shown = matching[start : start + PAGE]
    places = digits(score.high - score.low for score in made.scores.values())
    ends = [end for score in made.scores.values() for end in (score.mean, score.low, score.high)]
    scale = AxisScale.over(ends, start=0, end=100, zero=True)
    columns = zip(*made.means.values(), strict=True)
    best = [max((value for value in column if not math.isnan(value)), default=math.nan) for column in columns]

    def cell(run: str, at: int) -> BoardCell:
        value, mark = made.means[run][at], made.marks.get((run, str(asked.measures[at])), "")
        signs = {BETTER: t("better than the baseline"), WORSE: t("worse than the baseline")}
        return BoardCell(written(value, places), math.isclose(value, best[at], abs_tol=1e-12), mark, signs.get(mark))

    rows: list[BoardRow] = []
    for run in shown:
        score, group = made.scores.get(run), made.groups.get(run, "")
        known = score is not None and not math.isnan(score.low)
        span = made.spans.get(run)
        readable = made.readable.get(run)
        rows.append(
            BoardRow(
                run=run,
                about=" · ".join(filter(None, made.origins.get(run, ()))),
                rank=str(made.ranks.get(run, "–")),
                mean=cell(run, asked.measures.index(by)),
                bar=interval_mark(scale, score.mean, score.low, score.high) if score else None,
                interval=f"{written(score.low, places)}–{written(score.high, places)}" if score and known else "–",
                group=group,
                opens=not rows or rows[-1].group != group,
                ranks="–" if span is None else str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}",
                cells=[cell(run, at) for at, _ in others],
                readable=[written(getattr(readable, field, None), digits_) for field, _, digits_ in READABLE if made.readable],
            )
        )
    return BoardTable(
        t("Leaderboard of edition {edition}", edition=titled(asked.edition, asked.queries)),
        _headings(made, given),
        rows,
        len(matching),
        len(made.means),
        start,
        legend(made),
    )


def filtered(made: Standings, given: Mapping[str, str]) -> list[str]:
    """Return the runs that match the filter, in the order of the address."""
    words = given["filter"].lower().split()
    runs = [
        run
        for run, (team, family) in ((run, made.origins.get(run, (None, None))) for run in made.means)
        if all(word in " ".join(filter(None, (run, team, family))).lower() for word in words)
        and given["team"] in ("", team)
        and given["family"] in ("", family)
    ]
    if not given["sort"]:
        return runs if given["order"] != "up" else runs[::-1]
    keys = _keys(made)
    if given["sort"] not in keys:
        raise BadArgument(
            later("the table has no column {name!r} to sort by", name=given["sort"][:80]),
            hint=later("Use one of {names}.", names=", ".join(keys)),
        )
    column = keys[given["sort"]]
    there = [run for run in runs if column.get(run) is not None]
    there.sort(key=lambda run: column[run], reverse=given["order"] != "up")
    return there + [run for run in runs if column.get(run) is None]


def _keys(made: Standings) -> dict[str, dict[str, Any]]:
    """Return the columns that rows can be sorted by: the value of each run."""
    keys: dict[str, dict[str, Any]] = {"run": {run: run for run in made.means}, "ranks": {}}
    keys["ranks"] = {run: (-first, -last) for run, (first, last) in made.spans.items()}
    for at, measure in enumerate(made.asked.measures):
        keys[str(measure)] = {run: values[at] for run, values in made.means.items() if not math.isnan(values[at])}
    for field, _, _ in READABLE if made.readable else ():
        keys[field] = {run: getattr(row, field) for run, row in made.readable.items()}
    return keys


def _headings(made: Standings, given: Mapping[str, str]) -> list[BoardHeading]:
    kept = {name: given[name] for name in ("filter", "team", "family")}

    def sorts(title: str, name: str, kind: str = "number", *, first: str = "") -> BoardHeading:
        current = given["sort"] == name
        order = ("up" if given["order"] != "up" else None) if current else first or None
        said = ("ascending" if given["order"] == "up" else "descending") if current else None
        return BoardHeading(title, address(given, sort=name, order=order, **kept), said, kind)

    def ranks(measure: str) -> BoardHeading:
        current = measure == str(made.measure) and not given["sort"]
        up = current and given["order"] != "up"
        said = ("ascending" if given["order"] == "up" else "descending") if current else None
        return BoardHeading(measure, address(given, by=measure, order="up" if up else None, **kept), said)

    interval = Interval(alpha=made.asked.alpha)
    return [
        BoardHeading(t("rank"), None, kind="number board-rank"),
        sorts(t("run"), "run", "board-run", first="up"),
        ranks(str(made.measure)),
        *([BoardHeading(interval_name(interval.alpha), None, kind="board-interval")] if made.scores else []),
        *([BoardHeading(t("group"), None, kind="board-group")] if made.groups else []),
        *([sorts(t("rank interval"), "ranks")] if made.spans else []),
        *(ranks(str(measure)) for measure in made.asked.measures if measure != made.measure),
        *(sorts(t(title), field) for field, title, _ in READABLE if made.readable),
    ]


def interval_name(alpha: float) -> str:
    """Return the name of an interval of means, as :class:`Interval` has it."""
    return t("{level:.6g}% interval", level=100 * (1 - alpha))


def legend(made: Standings) -> list[str]:
    """Explain groups, marks and intervals."""
    asked = made.asked
    test, level = asked.paired, 100 * (1 - asked.alpha)
    said = []
    tested = t(
        "Test: paired, {test}, correction {correction}, p < {alpha:g}.",
        test=test.kind,
        correction=test.correction,
        alpha=test.alpha,
    )
    if asked.baseline is not None:
        said.append(t("{better} better, {worse} worse than {baseline}.", better=BETTER, worse=WORSE, baseline=asked.baseline))
    if asked.baseline is not None and len(made.means) > MOST:
        said.append(t("With more than {most} runs, only {measure} is tested.", most=MOST, measure=made.measure))
    if made.groups and asked.baseline is None:
        said.append(
            t(
                "Group A: the best run by {measure}, and every run that it does not beat significantly."
                " Group B: the same for the remaining runs, and so on. Runs of a group can still differ from each other:"
                " see all pairs.",
                measure=made.measure,
            )
        )
    elif made.groups:
        said.append(
            t(
                "Group A: the best run by {measure}, and every run that it does not beat significantly in the same test, corrected"
                " for all comparisons with the best run.",
                measure=made.measure,
            )
        )
    said += [tested, t("No significant difference does not mean that runs are equal. Bold: best mean.")]
    if made.spans:
        said.append(
            t(
                "Rank interval: the ranks that a test of all pairs together allows each run, by a bootstrap over queries, whatever"
                " test marks the runs; all intervals are right together with confidence {level:.6g}%.",
                level=level,
            )
        )
    if made.scores:
        said.append(
            t(
                "Bars: mean {measure}. Lines: {interval} of the mean over queries (Student's t).",
                measure=made.measure,
                interval=interval_name(asked.alpha),
            )
        )
    if made.readable:
        measured, documents = (sum(getattr(row, name) for row in made.readable.values()) for name in ("measured", "documents"))
        said.append(
            n(
                "Readability: means over the first 10 documents of all queries of {edition}; the abstracts of"
                " {measured:,} of {count:,} document are measured. FKGL is a grade level (years of school).",
                "Readability: means over the first 10 documents of all queries of {edition}; the abstracts of"
                " {measured:,} of {count:,} documents are measured. FKGL is a grade level (years of school).",
                documents,
                edition=asked.edition,
                measured=measured,
            )
        )
    return said


def board_record(made: Standings, runs: Sequence[str]) -> dict[str, Any]:
    """Return the leaderboard for programs, with unrounded values. :param runs: of the page, in its order."""
    names = [str(measure) for measure in made.asked.measures]
    rows = []
    for run in runs:
        team, family = made.origins.get(run, (None, None))
        score, span = made.scores.get(run), made.spans.get(run, (None, None))
        rows.append(
            {
                "run": run,
                "team": team,
                "family": family,
                "rank": made.ranks.get(run),
                "low": score.low if score else None,
                "high": score.high if score else None,
                "group": made.groups.get(run),
                "rank_low": span[0],
                "rank_high": span[1],
                "means": dict(zip(names, made.means[run], strict=True)),
                "marks": {name: mark for name in names if (mark := made.marks.get((run, name)))},
                "readability": made.readable.get(run),
            }
        )
    queries = None if made.asked.queries == ALL else made.asked.queries
    about = {"edition": made.asked.edition, "query_set": queries, "measure": str(made.measure), "baseline": made.asked.baseline}
    return {
        **about,
        "queries": made.queries,
        "simulated": made.simulated,
        "judging": made.judging,
        "count": len(made.means),
        "runs": rows,
    }
