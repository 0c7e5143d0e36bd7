"""All pairs of runs: a matrix of differences by one measure, or each run against the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stcollection.analysis.significance import RunComparison
from stcollection.explore.board.marks import digits, written
from stcollection.explore.board.pair import p_value
from stcollection.explore.board.request import address
from stcollection.web.words import t


class PairCell(NamedTuple):
    """The run of the row against the run of the column.

    :param kind: ``better`` or ``worse`` if the difference is significant, else ``same``. :param said: for screen readers.
    :param href: compares the two by query; only above the diagonal, so that the keyboard passes each pair once.
    """

    text: str
    kind: str
    said: str
    href: str | None


class PairTable(NamedTuple):
    """The matrix; empty with a baseline, where ``rows`` lists the comparisons."""

    runs: list[str]
    matrix: list[list[PairCell | None]]
    rows: list[tuple[RunComparison, list[str], str, str]]
    significant: int


def pair_table(tests: Sequence[RunComparison], given: Mapping[str, str], *, alpha: float, baseline: str | None) -> PairTable:
    """Return what the page shows of the tests by one measure. :param tests: best run first, as ``compare`` returns them."""
    places = digits(pair.high - pair.low for pair in tests)
    significant = sum(pair.corrected < alpha for pair in tests)
    if baseline is not None:
        rows = [(pair, _texts(pair, places), _kind(pair, alpha), _href(given, pair.run, pair.against)) for pair in tests]
        return PairTable([], [], rows, significant)
    by_pair = {(pair.run, pair.against): pair for pair in tests}
    runs = list(dict.fromkeys(name for pair in tests for name in (pair.run, pair.against)))
    by_pair |= {(pair.against, pair.run): _turned(pair) for pair in tests}
    matrix = [
        [
            None if run == other else _cell(by_pair[run, other], places, alpha, _href(given, run, other) if at < place else None)
            for place, other in enumerate(runs)
        ]
        for at, run in enumerate(runs)
    ]
    return PairTable(runs, matrix, [], significant)


def _turned(pair: RunComparison) -> RunComparison:
    return pair._replace(run=pair.against, against=pair.run, difference=-pair.difference)


def _kind(pair: RunComparison, alpha: float) -> str:
    if not pair.corrected < alpha or pair.difference == 0:
        return "same"
    return "better" if pair.difference > 0 else "worse"


def _cell(pair: RunComparison, places: int, alpha: float, href: str | None) -> PairCell:
    kind = _kind(pair, alpha)
    spoken = {"better": t("significantly better"), "worse": t("significantly worse"), "same": t("no significant difference")}
    return PairCell(written(pair.difference, places, sign=True), kind, f"{spoken[kind]}, p {p_value(pair.corrected)}", href)


def _texts(pair: RunComparison, places: int) -> list[str]:
    return [
        written(pair.mean, places),
        written(pair.difference, places, sign=True),
        f"{written(pair.low, places, sign=True)} … {written(pair.high, places, sign=True)}",
        written(pair.g, 2, sign=True),
        f"{pair.wins} / {pair.ties} / {pair.losses}",
        p_value(pair.p).removeprefix("= "),
        p_value(pair.corrected).removeprefix("= "),
    ]


def _href(given: Mapping[str, str], run: str, other: str) -> str:
    return address(given, "/compare", pair=run, against=other)
