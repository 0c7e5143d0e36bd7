"""Frequent itemsets and formal concepts of abstracts, against all combinations and the whole lattice of ``concepts``."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from concepts import Context
from hypothesis import assume, given
from hypothesis import strategies as st

from stcollection.errors import BadArgument
from stcollection.studies.coverage import itemsets as grown
from stcollection.studies.coverage import lattice
from stcollection.studies.coverage.itemsets import itemsets
from stcollection.studies.coverage.lattice import DRAWN, concepts, covers, diagram
from stcollection.studies.coverage.lattice_drawing import lattice_points
from stcollection.studies.coverage.near import Words
from stcollection.studies.coverage.records import Topic

pytestmark = pytest.mark.slow

tables = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 2), min_size=width, max_size=width), min_size=1, max_size=12)
)


def made(rows: list[list[int]]) -> Words:
    return Words(np.array(rows, dtype=np.int64), tuple("abcdef"[: len(rows[0])]))


def share(found: Words, words: tuple[str, ...]) -> float:
    return float(found.held[:, [found.words.index(word) for word in words]].all(axis=1).mean())


@given(rows=tables, least=st.integers(1, 6), most=st.integers(1, 4))
def test_itemsets_equal_all_frequent_combinations(rows: list[list[int]], least: int, most: int) -> None:
    found = made(rows)
    support = min(least / len(rows), 1.0)
    got, taken, _ = itemsets(found, words=most, support=support)
    wanted = {
        frozenset(some)
        for size in range(min(2, most), most + 1)
        for some in combinations(found.words, size)
        if share(found, some) >= support - 1e-9
    }
    assert taken == pytest.approx(support)
    assert {frozenset(words) for words, _ in got} == wanted
    assert len(got) == len(wanted)
    for words, value in got:
        assert value == pytest.approx(share(found, words))
    assert [value for _, value in got] == sorted((value for _, value in got), reverse=True)


@given(rows=tables, least=st.integers(1, 6))
def test_concepts_equal_the_iceberg_of_the_lattice(rows: list[list[int]], least: int) -> None:
    found = made(rows)
    support = min(least / len(rows), 1.0)
    got, notes = concepts(found, support=support)
    names = [str(n) for n in range(len(rows))]
    frequent = [at for at in range(len(found.words)) if found.held[:, at].mean() >= support - 1e-9]
    wanted = {}
    if frequent:
        whole = Context(
            names, [found.words[at] for at in frequent], [tuple(map(bool, row)) for row in found.held[:, frequent]]
        ).lattice
        wanted = {
            frozenset(one.intent): len(one.extent) / len(rows)
            for one in whole
            if one.intent and len(one.extent) >= support * len(rows) - 1e-9
        }
    assume(not notes)  # more than fifty
    assert {frozenset(words): value for words, value in got} == pytest.approx(wanted)
    assert len(got) == len(wanted)


@given(rows=tables)
def test_every_itemset_is_within_a_concept_of_its_support(rows: list[list[int]]) -> None:
    found = made(rows)
    support = 1 / len(rows)
    closed, cut = concepts(found, support=support)
    assume(not cut)
    for words, value in itemsets(found, words=6, support=support)[0]:
        assert max((other for intent, other in closed if set(words) <= set(intent)), default=0) == pytest.approx(value)


@given(rows=tables)
def test_covers_equal_the_order(rows: list[list[int]]) -> None:
    intents = [intent for intent, _ in concepts(made(rows), support=1 / len(rows))[0]]
    sets = [frozenset(one) for one in intents]
    direct = {
        (high, low)
        for high in range(len(sets))
        for low in range(len(sets))
        if sets[high] < sets[low] and not any(sets[high] < between < sets[low] for between in sets)
    }
    got = covers(intents)
    assert {(high, low) for high, low in got if high >= 0} == direct
    tops = {low for low, one in enumerate(sets) if not any(other < one for other in sets)}
    assert {low for high, low in got if high < 0} == (tops if len(tops) > 1 else set())


def _dense() -> Words:
    """200 abstracts with 40 random words: too many concepts to compute."""
    rng = np.random.default_rng(1)
    return Words((rng.random((200, 40)) < 0.6).astype(np.int64), tuple(f"w{n:02}" for n in range(40)))


def test_a_support_with_too_many_itemsets_is_rejected() -> None:
    with pytest.raises(BadArgument, match=r"a support of 0\.01 may give [0-9,]+ itemsets") as error:
        itemsets(_dense(), words=4, support=0.01)
    assert error.value.hint == "Use a greater support, or fewer words."


def test_too_many_concepts_reduce_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    found, notes = concepts(_dense(), support=0.02)
    assert len(found) == lattice.SHOWN
    assert notes[0].startswith("concepts use the ")
    assert "most frequent words of 30" in notes[0]
    assert "only the 50 largest of" in notes[1]
    monkeypatch.setattr(lattice, "CONCEPTS", 10**9)
    few, none = concepts(made([[1, 1, 0], [1, 0, 1], [0, 1, 1]]), support=0.3)
    assert (len(few), none) == (6, [])


def test_the_default_support_gives_tens() -> None:
    rng = np.random.default_rng(3)
    weights = np.linspace(0.5, 0.02, 80)
    found = Words((rng.random((100, 80)) < weights).astype(np.int64), tuple(f"w{n:02}" for n in range(80)))
    rows, support, _ = itemsets(found, words=3, support=None)
    assert grown.WANTED <= len(rows) <= grown.SHOWN
    assert all(value >= support - 1e-9 for _, value in rows)


def test_nothing_is_frequent() -> None:
    rows, support, notes = itemsets(made([[1, 0], [0, 1]]), words=3, support=1.0)
    assert (rows, support, notes) == ([], 1.0, [])
    assert concepts(made([[1, 0], [0, 1]]), support=1.0) == ([], [])


def test_the_figure_has_one_point_per_concept_and_one_line_per_cover() -> None:
    found = made([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0]])
    rows = [Topic("concept", at, words, share_, 7) for at, (words, share_) in enumerate(concepts(found, support=0.25)[0], 1)]
    drawn = diagram(rows, abstracts=4)
    points = lattice_points(drawn)
    assert len(points) == len(rows) + 1  # one more for the top
    assert len(drawn.edges) == len(covers([one.words for one in rows]))
    assert [points[at].label for at in (-1, 0, 1, 2)] == ["all 4", "a 3", "b 2", "c 2"]
    assert (points[0].words, points[0].about) == ("a", "3 abstracts, 7 documents of the corpus")
    assert points[-1].y > points[0].y
    assert [point.label for point in lattice_points(diagram([], abstracts=4)).values()] == ["all 4"]
    assert DRAWN >= 20
