"""The leaderboard's state in its address, its numbers and its marks, without a database."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from starlette.datastructures import QueryParams

from stcollection.analysis.marks import MOST
from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.evaluation.measures import OFFICIAL
from stcollection.explore.board.marks import AxisScale, bins, digits, interval_mark, nice, within, written
from stcollection.explore.board.request import (
    BoardState,
    Choices,
    address,
    baseline_of,
    board_state,
    count,
    draws_of,
    measure_names,
    measures_of,
    read_state,
    runs_of,
)
from stcollection.explore.templates import breakable
from stcollection.qrels.editions import EditionOverview

MADE = datetime(2026, 1, 1, tzinfo=UTC)


def edition(name: str, split: str) -> EditionOverview:
    return EditionOverview(name, None, 5, 50, {}, {}, 50, MADE, split, None, None, None, None, False, None, False)


KNOWN = Choices(
    [edition("test", "test"), edition("train", "train")],
    dict.fromkeys(["a", "b", "c"], (None, None)),
    {"train": ["human", "t5"]},
    {"train": ["mine"]},
)


def read(query: str) -> BoardState:
    given = read_state(QueryParams(query))
    given["edition"] = given["edition"] or KNOWN.edition() or ""
    return board_state(given, KNOWN)


def test_an_empty_address_has_default_values() -> None:
    here = read("")
    assert (here.request.edition, here.request.measures, here.by) == ("test", OFFICIAL, OFFICIAL[0])
    assert (here.request.runs, here.request.baseline, here.request.queries) == ((), None, "all")
    assert address(here.given) == "/leaderboard?edition=test"


def test_what_is_written_is_read_again() -> None:
    here = read(
        "edition=train&queries=t5&measures=AP,R@100&measures=RBP(p=0.8),+nDCG(dcg='exp-log2')@5&by=R@100&baseline=b&runs=a,+b"
        "&test=randomisation&correction=bh&alpha=0.01&draws=500&readable=yes"
    )
    assert [str(measure) for measure in here.request.measures] == ["AP", "R@100", "RBP(p=0.8)", "nDCG(dcg='exp-log2')@5"]
    assert (str(here.by), here.request.runs, here.request.baseline) == ("R@100", ("a", "b"), "b")
    assert (here.request.test, here.request.correction, here.request.alpha) == ("randomisation", "bh", 0.01)
    assert (here.request.permutations, here.request.readable, here.request.queries) == (500, True, "t5")
    again = read(address(here.given, "/compare", pair="a").partition("?")[2])
    assert (again.request, again.by) == (here.request, here.by)


def test_a_typed_set_of_queries_comes_first() -> None:
    assert read("queries=t5&set=type:long-topic:G1*").request.queries == "type:long-topic:G1*"


def test_the_measure_to_rank_by_is_shown_even_if_it_is_not_listed() -> None:
    assert [str(measure) for measure in read("measures=AP&by=P@5").request.measures] == ["AP", "P@5"]


@pytest.mark.parametrize(
    ("query", "kind", "said"),
    [
        ("test=z", BadArgument, "the test is 'z'"),
        ("correction=z", BadArgument, "the correction is 'z'"),
        ("alpha=much", BadArgument, "the significance level is 'much'"),
        ("alpha=7", BadArgument, "alpha is 7"),
        ("alpha=nan", BadArgument, "the significance level is 'nan'"),
        ("draws=1000000", BadArgument, "at most 100,000 permutations"),
        ("by=nDGC@10", UnknownObject, "nDGC@10"),
        ("measures=AP,nDGC@10", UnknownObject, "nDGC@10"),
        ("runs=zzz", BadArgument, "no run name contains zzz"),
    ],
)
def test_wrong_values_are_errors_with_a_next_step(query: str, kind: type[StcError], said: str) -> None:
    with pytest.raises(kind, match=said) as error:
        read(query)
    assert error.value.hint


def test_hostile_values_stay_values() -> None:
    here = read("edition=%3Cscript%3E%00&baseline=';+DROP&set=@/etc/passwd")
    assert (here.request.edition, here.request.baseline, here.request.queries) == ("<script>", "'; DROP", "@/etc/passwd")
    assert len(read("edition=" + "x" * 100_000).request.edition) == 1000
    for wrong in ("-1", "1e3", "٣٤٥٦٧٨٩٠١٢", "x" * 100):
        with pytest.raises(BadArgument, match="the first row is"):
            count("the first row is {value!r}", wrong, 0)


def test_what_the_form_ticks() -> None:
    assert measure_names("") == ([str(measure) for measure in OFFICIAL], [])
    assert measure_names("ndcg@10, RBP(p=0.8)") == (["nDCG@10"], ["RBP(p=0.8)"])
    assert measure_names("AP, nDGC@10") == (["AP"], ["nDGC@10"])


def test_runs_baselines_and_draws() -> None:
    assert runs_of(["bm25", "dense-title"], "TITLE, x") == ("dense-title",)
    many = [f"run{at:02}" for at in range(MOST + 1)]
    assert baseline_of(many, (), "") == "run00"
    assert baseline_of(many, tuple(many[:5]), "") is None
    assert baseline_of(many, (), "nobody") == "nobody", "the database refuses it"
    assert draws_of(10.0) == 10
    assert measures_of(" ") == OFFICIAL


def test_sets_of_an_edition() -> None:
    assert KNOWN.edition() == "test"
    assert KNOWN.sets("test") == ["all"]
    assert KNOWN.sets("train") == ["all", "human", "t5", "mine"]
    assert KNOWN._replace(origins={"test": ["human", "t5", "gpt"]}).sets("test") == ["all", "human", "synthetic", "t5", "gpt"]


def test_digits_follow_the_interval() -> None:
    assert [digits([half]) for half in (0.3, 0.1, 0.09, 0.02, 0.002, 0.00001, math.nan)] == [2, 2, 3, 3, 3, 3, 3]
    assert digits([0.2, 0.05]) == 3, "the narrowest decides"
    assert [written(value, 2) for value in (0.456, None, math.nan, 123.4, 5321.0)] == ["0.46", "–", "–", "123", "5,321"]
    assert written(0.0123, 3, sign=True) == "+0.012"


def test_names_break_after_separators() -> None:
    assert breakable("team_run-v1.bm25+<b>") == "team_<wbr>run-<wbr>v1.<wbr>bm25+&lt;b&gt;"
    assert breakable("plain") == "plain"


def test_marks_lie_on_their_scale() -> None:
    scale = AxisScale.over([0.2, 0.5], start=0, end=100, zero=True)
    mark = interval_mark(scale, 0.25, 0.2, 0.3)
    assert mark == (0.0, 50.0, 50.0, 40.0, 60.0)
    assert interval_mark(scale, math.nan, math.nan, math.nan) is None
    assert interval_mark(scale, 0.25, math.nan, math.nan) == (0.0, 50.0, 50.0, None, None)
    ticks = AxisScale.over([-1.0, 1.0], start=0, end=100).ticks()
    assert ticks == [(0.0, "-1.0"), (25.0, "-0.5"), (50.0, "0.0"), (75.0, "0.5"), (100.0, "1.0")]
    assert [nice(step) for step in (0.011, 0.02, 0.3, 0.9, 7)] == [0.02, 0.02, 0.5, 1.0, 10.0]


def test_every_difference_is_in_one_bar() -> None:
    values = [-1.0, -0.35, -0.3, -0.1, 0.0, 0.0, 0.05, 0.1, 0.2, 0.3, 0.95, 1.0]
    bars = bins(values)
    assert sum(bar.queries for bar in bars) == len(values)
    assert [bar.queries for bar in bars if bar.low == bar.high] == [2]
    assert len(bars) == 21
    assert all(sum(within(value, bar.low, bar.high) for bar in bars) == 1 for value in values)
    assert [bar.queries for bar in bins([0.0, 0.0])] == [0, 2, 0]
    assert within(0.1, -0.1, 0.1), "a range about 0 includes its ends"
