"""Counting query words and near-copies in SQL; parsing scores, queries and lists of queries from answers."""

from __future__ import annotations

import psycopg
import pytest

from stcollection.studies.synth.answers import LONGEST, read_queries, read_query, read_score


@pytest.mark.parametrize(
    ("query", "passage", "length", "found"),
    [
        ("what is BM25", "BM25 is a formula", 3, 2),
        ("the the privacy", "The law", 3, 2),  # a repeated word counts each time
        ("running", "run runs", 1, 0),  # words are not stemmed
        ("Größe?!", "die GRÖSSE und die größe", 1, 1),
        ("don't", "don", 2, 1),
        ("ﬁne-tuning", "fine TUNING", 2, 2),
        ("art", "party", 1, 0),  # whole words only
        ("", "words", 0, 0),
        (None, "words", 0, 0),
        ("words", None, 1, 0),
        ("?!", "?!", 0, 0),
    ],
)
def test_words_and_those_found(conn: psycopg.Connection, query: str | None, passage: str | None, length: int, found: int) -> None:
    assert conn.execute("SELECT * FROM stc.query_word_counts(%s, %s)", [query, passage]).fetchone() == (length, found)


@pytest.mark.parametrize(
    ("query", "title", "passage", "copy"),
    [
        ("a b: C", "A B c", "", True),  # the title
        ("a b", "A B c", "a b c", False),  # a short part of it
        ("1 2 3 4 5 6 7 8", None, "0 1 2 3 4 5 6 7 8 9", True),
        ("1 2 3 4 5 6 7 8 x y", None, "0 1 2 3 4 5 6 7 8 9", True),  # 8 of 10 are four fifths
        ("1 2 3 4 5 6 7 8 x y z", None, "0 1 2 3 4 5 6 7 8 9", False),
        ("1 2 3 4 5 6 7", None, "1 2 3 4 5 6 7", False),  # below 8 words
        ("1 2 3 4 5 6 7 8", None, "1 2 3 4 5 6 7 80", False),  # whole words only
        ("1 2 3 4 5 6 7 8", "1 2 3 4", "5 6 7 8", False),  # a run does not continue from title into passage
        ("", "", "", False),
        (None, None, None, False),
    ],
)
def test_near_copies(conn: psycopg.Connection, query: str | None, title: str | None, passage: str | None, copy: bool) -> None:
    assert conn.execute("SELECT stc.query_is_copy(%s, %s, %s)", [query, title, passage]).fetchone() == (copy,)


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("85", 85), (" 85.5\n", 85.5), ("85.", 85), ("0", 0), ("100", 100), ("Score: 85/100", 85), ("85 out of 100", 85),
        ("85%", 85),
        ("**85**", 85), ('{"score": 85}', 85), ('{"score": "85/100", "why": "clear"}', 85),
        ("```json\n{\"rating\": 7}\n```", 7),
        ("85 - clear and complete", 85), ("It is clear. The score is 85 because it says all.", 85),
        ("<think>40 or 50</think>90", 90),
        ("It has three parts.\n85", 85),
        ("101", None), ("-5", None), ("8/10", None), ("70-80", None), ("Score: 70 or 80", None), ("Score: 85\nScore: 60", None),
        ('{"score": 85, "rating": 2}', None), ('{"score": true}', None), ("<think>40", None), ("", None), ("I cannot", None),
        ("1,000", None), ("The score is 85. That is 60/100.", None), ("about 3 things and 4 more", None),
    ],
)  # fmt: skip
def test_a_score_is_read_or_malformed(answer: str, score: float | None) -> None:
    assert read_score(answer) == score


@pytest.mark.parametrize(
    ("answer", "query"),
    [
        ("what is bm25", "what is bm25"), ('"what is bm25"', "what is bm25"), ('Query: "what is bm25"', "what is bm25"),
        ('"Query: what is bm25"', "what is bm25"), ("Here is a query:\nwhat is bm25", "what is bm25"),
        ("what is bm25\n\nIt asks for a formula.", "what is bm25"), ("**Search query:** bm25", "bm25"), ("1. bm25", "bm25"),
        ("```\nbm25\n```", "bm25"), ("“bm25”", "bm25"), ('{"query": "bm25"}', "bm25"), ("<think>hm</think>bm25", "bm25"),
        ("2 factor authentication", "2 factor authentication"), ('what is "bm25"', 'what is "bm25"'), ("bm25\x1b[2Jf", "bm25 [2Jf"),
        ("I can't sleep, what helps?", "I can't sleep, what helps?"),
    ],
)  # fmt: skip
def test_a_query_is_read(answer: str, query: str) -> None:
    assert read_query(answer) == (query, None)


@pytest.mark.parametrize(
    ("answer", "dropped"),
    [
        ("", "empty"), (" \n", "empty"), ('""', "empty"), ("???", "empty"), ("Query:", "empty"),
        ("1. one\n2. two", "malformed"), ("Query: one\nQuery: two", "malformed"), ("I'm sorry, I can't.", "malformed"),
        ("I cannot write that.", "malformed"), ("<think>never ends", "malformed"), ("[1]", "malformed"),
        ('{"a": "b"}', "malformed"),
        ("word " * (LONGEST + 1), "malformed"),
    ],
)  # fmt: skip
def test_no_query_is_guessed(answer: str, dropped: str) -> None:
    assert read_query(answer) == (None, dropped)


@pytest.mark.parametrize(
    ("answer", "queries"),
    [
        ("- a b\n- c", ["a b", "c"]), ("1. a\n2) b\n(3) c", ["a", "b", "c"]), ("* a\n\n* a", ["a", "a"]),
        ("a b\nc d", ["a b", "c d"]),
        ("Here are the subtopics:\na b\nc d", ["a b", "c d"]), ("Sure!\n\n- **a b**\n- \"c\"\n\nI hope this helps.", ["a b", "c"]),
        ('["a b", "c"]', ["a b", "c"]), ('```json\n{"subtopics": ["a", "b"], "topic": "x"}\n```', ["a", "b"]), ("- a", ["a"]),
        ("<think>- no\n- nor this</think>- a\n- b", ["a", "b"]), ("- Query: a\n- \u202e", ["a"]),
    ],
)  # fmt: skip
def test_a_list_of_queries_is_read(answer: str, queries: list[str]) -> None:
    assert read_queries(answer) == (queries, None)


@pytest.mark.parametrize(
    ("answer", "dropped"),
    [
        ("", "empty"), (" \n", "empty"), ("[]", "empty"), ("- ?", "empty"),
        ("privacy of voice assistants", "malformed"), ("The article is on privacy.\nIt asks who listens.", "malformed"),
        ("I'm sorry, I can't.", "malformed"), ("- I cannot write that", "malformed"),
        ("- a\n- " + "word " * (LONGEST + 1), "malformed"),
        ("<think>- a\n- b", "malformed"),
        ('[{"query": "a"}]', "malformed"), ('{"a": ["b"], "c": ["d"]}', "malformed"), ('["a", 1]', "malformed"),
        ("{a", "malformed"),
        ("Subtopics:", "malformed"), ('{"query": "a"}', "malformed"),
    ],
)  # fmt: skip
def test_no_list_of_queries_is_guessed(answer: str, dropped: str) -> None:
    assert read_queries(answer) == ([], dropped)
