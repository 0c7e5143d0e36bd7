"""Grades are read from answers by stated rules, and never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.llm.grades import read_grade

GRADES = (0, 1, 2)
STRICT = {"2": 2, " 1\n": 1, "0": 0, "\t2 \n\n": 2}
DECORATED = {
    "Score: 2": 2, "score:1": 1, "Rating = 2": 2, "Final score: 0": 0, "The relevance score is 1.": 1, "2.": 2, "**2**": 2,
    "`1`": 1, "(1)": 1, "[2]": 2, '"2"': 2, "2/2": 2, "1 / 2": 1, "1 out of 2": 1, "two": 2, "Zero.": 0, "2 - very relevant": 2,
    "2 (very relevant)": 2, "2: very relevant": 2, "2, since it is on the topic": 2, "```\n2\n```": 2,
}  # fmt: skip
JSON = {'{"score": 1}': 1, '```json\n{"grade": 2, "why": "on topic, 1 of 3"}\n```': 2, '{"rel": "0"}': 0, '{"relevance": 1.0}': 1}
THOUGHT = {"<think>0 or 2? 2/2</think>2": 2, "1 is too low</think>\n\n2": 2, "<think></think> Score: 0": 0}
STATED = {
    "The answer is 1 because there are 2 topics in it.": 1, "Final answer: **0**\nThe paper has 10 pages": 0,
    "2\n\nThe paper is on the topic.": 2, "The paper is about something else.\n\n0": 0, "It is good; my score is 2/2.": 2,
    'Here it is: {"score": 1}': 1,
}  # fmt: skip
MALFORMED = [
    "", " ", "1.5", "Score: 1.5", "-1", "3", "10", "2/5", "Score: 2/5", "1 or 2", "Score: 1 or 2", "Score: 1-2", "1-2", "0, 1 or 2",
    "1\n2", "2 2", "1, not 2", "two, not one", "2 papers are relevant", "zero-shot learning", "the answer is zero-shot",
    "one could say so",
    "I would say 2", "very relevant", "I cannot judge this paper. Score: 2", "I'm sorry, but I can't help with a score of 2",
    "As an AI, 2",
    "Score: 0 not relevant, 1 relevant, 2 very relevant", "0 is not really relevant, 1 relevant, 2 very relevant: 1",
    "the score is 2 and the score is 1", "2\nScore: 1", "The paper\n1\nand more", "<think>it is 2", "<think>2", '{"score": 1.5}',
    '{"score": true}', '{"score": 1, "rating": 2}', '{"a": 2}', '{"score": [2]}', '{"score": 2', "２", "²", "½", "2nd",
    "Score: 2nd",
    "Score: 50%", "Score: -1", "<html><body>502</body></html>", "٢",
]  # fmt: skip


@pytest.mark.parametrize(("answer", "grade"), (STRICT | DECORATED | JSON | THOUGHT | STATED).items())
def test_a_grade_that_is_stated_is_read(answer: str, grade: int) -> None:
    assert read_grade(answer, GRADES) == grade


@pytest.mark.parametrize("answer", MALFORMED)
def test_none_is_guessed(answer: str) -> None:
    assert read_grade(answer, GRADES) is None


@pytest.mark.parametrize("answer", ["3", "Score: 3", "3/3", "three", '{"score": 3}'])
def test_the_scale_is_the_prompts(answer: str) -> None:
    assert read_grade(answer, (0, 1, 2, 3)) == 3
    assert read_grade(answer, GRADES) is None


@given(st.text() | st.text(alphabet='012 .,:/-()\nscoreiantw<>{}"'))
def test_any_text_gives_a_grade_of_the_scale_or_none(answer: str) -> None:
    assert read_grade(answer, GRADES) in (*GRADES, None)


@pytest.mark.parametrize("piece", ["the final ", "score is ", "1 ", "(", "2 - ", "score: 1 or 2 ", "{", "<think>", "*", "\n"])
def test_long_answers_are_read_too(piece: str) -> None:
    assert read_grade(piece * 100_000, GRADES) is None
    assert read_grade(piece * 100_000 + "</think>2", GRADES) == 2
