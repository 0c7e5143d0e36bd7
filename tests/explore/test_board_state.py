"""The leaderboard's state in the URL: what is written is read again, and hostile values change nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stcollection.analysis.board import BoardRequest
from stcollection.evaluation.measures import AP, OFFICIAL, RR
from stcollection.explore.board.hard import BELOW, threshold
from stcollection.explore.board.pair import pair_of
from stcollection.explore.board.request import Choices, measures_of
from stcollection.explore.board.state import TICKED, form_values, parameters
from stcollection.qrels.editions import EditionOverview

MADE = datetime(2026, 1, 1, tzinfo=UTC)
RUNS = ["a", "b", "c"]


def edition(name: str, split: str) -> EditionOverview:
    return EditionOverview(name, None, 5, 50, {}, {}, 50, MADE, split, None, None, None, None, False, None, False)


FOUND = Choices([edition("test", "test"), edition("train", "train")], RUNS, {"train": ["human", "t5"]}, {"train": ["mine"]})


def test_default_values_are_omitted() -> None:
    state = parameters(BoardRequest(edition="test"), by=TICKED[0], words="", found=FOUND)
    assert {name: value for name, value in state.items() if value is not None} == {"edition": "test"}


def test_what_is_written_is_read_again() -> None:
    measures = measures_of(("AP", "R@100"), "RBP(p=0.8), nDCG(dcg='exp-log2')@5")
    asked = BoardRequest(
        edition="train",
        measures=measures,
        runs=("a", "b"),
        baseline="b",
        queries="t5",
        test="randomisation",
        correction="bh",
        alpha=0.01,
        permutations=500,
        readable=True,
    )
    place = {name: value for name, value in parameters(asked, by="R@100", words="a, b", found=FOUND).items() if value}
    values = form_values(place, FOUND)
    assert measures_of(values.ticked, values.typed) == measures
    assert (values.edition, values.queries, values.baseline, values.by, values.words) == ("train", "t5", "b", "R@100", "a, b")
    assert (values.test, values.correction, values.alpha, values.draws) == ("randomisation", "bh", 0.01, 500)
    assert values.readable


def test_a_typed_set_is_read_again() -> None:
    asked = BoardRequest(edition="train", queries="type:long-topic:G1*")
    place = {name: value for name, value in parameters(asked, by=TICKED[0], words="", found=FOUND).items() if value}
    assert place == {"edition": "train", "set": "type:long-topic:G1*"}
    values = form_values(place, FOUND)
    assert (values.queries, values.expression) == ("all", "type:long-topic:G1*")


@pytest.mark.parametrize(
    "hostile", ["", "'; DROP TABLE dblp; --", "<script>alert(1)</script>", "\x00", "x" * 100_000, "ᚠ", "nan", "-1"]
)
def test_unknown_values_are_ignored(hostile: str) -> None:
    names = ("edition", "queries", "by", "baseline", "test", "correction", "alpha", "draws", "readable")
    assert form_values(dict.fromkeys(names, hostile), FOUND) == form_values({}, FOUND)
    assert threshold(hostile) == BELOW


def test_unknown_measures_are_reported_later() -> None:
    values = form_values({"measures": "AP,nDGC@10"}, FOUND)
    assert (values.ticked, values.typed) == (("AP",), "nDGC@10")


def test_two_runs_to_compare() -> None:
    assert pair_of(RUNS, None) == ("a", "b")
    assert pair_of(RUNS, ("b", "c")) == ("b", "c")
    assert pair_of(RUNS, ("b", "")) == ("b", "")
    assert pair_of(RUNS, ("b", "b")) == ("b", "a")
    assert pair_of(RUNS, ("<b>", "c")) == ("a", "b")
    assert pair_of(["a"], ("a", "b")) == ("a", "")


def test_measures_in_order() -> None:
    assert form_values({"measures": "RR,AP"}, FOUND).names == tuple(str(one) for one in OFFICIAL if one in (RR, AP))
