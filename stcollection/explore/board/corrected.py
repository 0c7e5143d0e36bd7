"""Scores by labels of a machine, corrected with judgments of people, as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stcollection.analysis.corrected import CorrectedScore
from stcollection.explore.board.marks import AxisScale, IntervalMark, digits, interval_mark, written
from stcollection.web.words import n, t, whole


class CorrectedRow(NamedTuple):
    """A run. :param difference: to the baseline, with its interval, or None. :param kind: ``better``, ``worse`` or ``same``."""

    run: str
    mean: str
    bar: IntervalMark | None
    interval: str
    difference: str | None
    kind: str
    cells: list[str]


def corrected_table(scores: Sequence[CorrectedScore], differences: Sequence[CorrectedScore]) -> list[CorrectedRow]:
    """Return what the page shows. :param differences: of the runs from a baseline; empty without one."""
    places = digits(score.high - score.low for score in scores)
    ends = [end for score in scores for end in (score.corrected, score.low, score.high)]
    scale = AxisScale.over(ends, start=0, end=100, zero=True)
    other = {score.run: score for score in differences}
    rows = []
    for score in scores:
        difference = other.get(score.run)
        rows.append(
            CorrectedRow(
                run=score.run,
                mean=written(score.corrected, places),
                bar=interval_mark(scale, score.corrected, score.low, score.high),
                interval=_span(score, places),
                difference=difference and _difference(difference, places),
                kind="same" if difference is None else _kind(difference),
                cells=[
                    written(score.by_labels, places),
                    f"{written(score.by_people, places)} ± {written(score.people_se, places)}",
                    written(score.weight, 2),
                    "–" if score.worth is None else whole(round(score.worth)),
                ],
            )
        )
    return rows


def columns() -> list[str]:
    """Return the headings of the cells."""
    return [t("by labels"), t("by people ± standard error"), t("weight of the labels"), t("worth")]


def size_texts(scores: Sequence[CorrectedScore]) -> dict[str, str]:
    """Return how much people judged, and what ``worth`` counts."""
    if not scores:
        return {}
    first = scores[0]
    if first.unit == "pair":
        return {
            "counted": n(
                "{count:,} document with a label, {people:,} of them judged by people.",
                "{count:,} documents with labels, {people:,} of them judged by people.",
                first.labelled,
                people=first.n,
            ),
            "worth": t("Worth: documents that people would have to judge, drawn in the same way, for an interval as narrow."),
        }
    return {
        "counted": n(
            "{count:,} query with labels, {people:,} of them judged by people.",
            "{count:,} queries with labels, {people:,} of them judged by people.",
            first.labelled,
            people=first.n,
        ),
        "worth": t("Worth: queries that people would have to judge for an interval as narrow."),
    }


def _span(score: CorrectedScore, places: int, *, sign: bool = False) -> str:
    return f"{written(score.low, places, sign=sign)} … {written(score.high, places, sign=sign)}"


def _difference(score: CorrectedScore, places: int) -> str:
    return f"{written(score.corrected, places, sign=True)} ({_span(score, places, sign=True)})"


def _kind(score: CorrectedScore) -> str:
    return "better" if score.low > 0 else "worse" if score.high < 0 else "same"
