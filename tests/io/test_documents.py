"""Conversion of a record to a document: inverted abstracts, ids, text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.io.corpus.documents import MAX_ID, MAX_TEXT, RefusedRecord, identity, make, rebuild_text, storable, text_of
from tests.corpus.conftest import inverted

words = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=4)


@given(st.lists(words, min_size=1, max_size=60))
def test_an_inverted_abstract_is_rebuilt(text: list[str]) -> None:
    assert rebuild_text(inverted(" ".join(text))) == " ".join(" ".join(text).split())


@given(st.lists(words, min_size=1, max_size=60, unique=True), st.sets(st.integers(0, 59)), st.integers(0, 1000))
def test_holes_are_closed_and_the_order_stays(text: list[str], holes: set[int], offset: int) -> None:
    kept = [(at, word) for at, word in enumerate(text) if at not in holes]
    index = {word: [at + offset] for at, word in reversed(kept)}
    assert (rebuild_text({"IndexLength": len(text), "InvertedIndex": index}) or "") == " ".join(word for _, word in kept)


def test_two_words_at_one_position_both_stay() -> None:
    assert rebuild_text({"IndexLength": 2, "InvertedIndex": {"b": [0], "a": [0], "c": [1]}}) == "a b c"


def test_a_huge_length_takes_no_memory() -> None:
    assert rebuild_text({"IndexLength": 10**15, "InvertedIndex": {"far": [10**14], "near": [0]}}) == "near far"


@pytest.mark.parametrize(
    "wrong", [{"a": [0]}, {"InvertedIndex": {"a": 0}}, {"InvertedIndex": ["a"]}, [1], "{", {"InvertedIndex": {"a": ["0"]}}]
)
def test_an_inverted_abstract_of_another_shape_is_refused(wrong: object) -> None:
    with pytest.raises(RefusedRecord, match="inverted abstract"):
        rebuild_text(wrong)


@pytest.mark.parametrize(
    ("name", "docno", "number"),
    [
        (0, "0", 0),
        (1091, "1091", 1091),
        (MAX_ID, str(MAX_ID), MAX_ID),
        (-5, "-5", None),
        ("1091", "1091", 1091),
        (str(MAX_ID), str(MAX_ID), MAX_ID),
        (str(MAX_ID + 1), str(MAX_ID + 1), None),
        ("007", "007", None),
        ("-5", "-5", None),
        ("+5", "+5", None),
        ("٣", "٣", None),
        (" d1\n", "d1", None),
        ("53e99784b7602d9701f3e3f5", "53e99784b7602d9701f3e3f5", None),
    ],
)
def test_the_id_is_docno_where_that_is_a_number(name: object, docno: str, number: int | None) -> None:
    assert identity(name) == (docno, number)


@pytest.mark.parametrize("name", [None, "", "  ", "\0", True, 1.5, 1e20, ["x"], {}])
def test_what_names_no_document_is_refused(name: object) -> None:
    with pytest.raises(RefusedRecord):
        identity(name)


def test_an_id_over_bigint_is_named() -> None:
    with pytest.raises(RefusedRecord, match=str(MAX_ID + 1)):
        identity(MAX_ID + 1)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Q&amp;A", "Q&A"),
        ("N&lt;1,000 &#233; &#xE9;", "N<1,000 é é"),
        ("R&D, AT&T, a&copy", "R&D, AT&T, a&copy"),
        ("&amp;lt;", "&lt;"),
        ("nul\0 lone\ud800 pair\ud83d\ude00", "nul lone pair😀"),
        (" two\n lines ", "two\n lines"),
        ("\0", None),
        ("   ", None),
        (None, None),
    ],
)
def test_text_to_read(raw: str | None, text: str | None) -> None:
    assert text_of(raw) == text


def test_a_title_is_on_one_line() -> None:
    assert text_of(" two\n  lines&nbsp;\tof it ", one_line=True) == "two lines of it"


@given(st.text(st.characters(codec=None, exclude_categories=[])))
def test_storable_text_is_utf8_without_nul(text: str) -> None:
    clean = storable(text)
    assert "\0" not in clean
    assert clean.encode().decode() == clean
    assert clean == text or any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)


def test_a_text_too_long_to_index_is_cut_and_said_to_be() -> None:
    made = make(line=1, name="x", doc=b"{}", title="t" * 100, abstract="a" * MAX_TEXT)
    assert len(made.title or "") + len(made.abstract or "") == MAX_TEXT
    assert made.cut
    assert not make(line=1, name="x", doc=b"{}", title="t" * 100, abstract="a" * (MAX_TEXT - 100)).cut
