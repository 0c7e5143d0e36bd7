"""Exported scores, for any stored scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.io.runs.scores import in_order, single, to_unit

FINITE = st.floats(allow_nan=False, allow_infinity=False)
CLOSE = st.sampled_from([1.0, 1.0000001, 1.00000001, 0.9999999, 1e30, 1e-30, -1e-45, 3e38, -3e38, 0.0])
DESCENDING = st.lists(FINITE | CLOSE, min_size=1, max_size=40).map(lambda scores: sorted(scores, reverse=True))


@given(scores=DESCENDING)
def test_mapped_scores_keep_their_order_and_their_ties_and_make_no_new_ones(scores: list[float]) -> None:
    mapped = to_unit(scores)
    assert all(0 <= value <= 1 for value in mapped)
    before, after = np.asarray(single(scores)), np.asarray(single(mapped))
    assert list(after[:-1] > after[1:]) == list(before[:-1] > before[1:])
    assert list(after[:-1] == after[1:]) == list(before[:-1] == before[1:])
    assert mapped[0] == 1


def test_linear_where_it_can_be() -> None:
    assert to_unit([30.0, 20.0, 20.0, 10.0]) == [1.0, 0.5, 0.5, 0.0]
    assert to_unit([5.0]) == [1.0]
    assert to_unit([2.0, 2.0]) == [1.0, 1.0]


def test_evenly_spaced_where_it_cannot() -> None:
    assert to_unit([1e38, 3e-8, 2e-8, 2e-8, 0.0]) == pytest.approx([1, 2 / 3, 1 / 3, 1 / 3, 0])
    assert to_unit([1e300, 1.0]) == [1.0, 0.0]


@given(rows=st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1, max_size=3), FINITE | CLOSE, min_size=1, max_size=30))
def test_scores_of_a_ranking_stay_as_they_are(rows: dict[str, float]) -> None:
    ranked = sorted(rows, key=lambda docno: (single([rows[docno]])[0], docno.encode()), reverse=True)
    scores = [rows[docno] for docno in ranked]
    assert in_order(scores, ranked) == scores


@given(
    rows=st.dictionaries(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=3), st.floats(-1e9, 1e9) | CLOSE, min_size=1, max_size=30
    )
)
def test_any_ranks_come_back(rows: dict[str, float]) -> None:
    """For any scores, trec_eval's rule reproduces the given order."""
    told = single(in_order(list(rows.values()), list(rows)))
    assert sorted(rows, key=lambda docno: (told[list(rows).index(docno)], docno.encode()), reverse=True) == list(rows)


@pytest.mark.parametrize(("value", "expected"), [(1e300, np.inf), (-1e300, -np.inf), (1e-300, 0.0), (0.1, float(np.float32(0.1)))])
def test_single_precision(value: float, expected: float) -> None:
    assert float(single([value])[0]) == expected
