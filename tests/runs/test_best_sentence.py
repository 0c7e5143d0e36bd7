"""best_sentence splits a text into sentences and returns the one with the most of the words."""

from __future__ import annotations

import psycopg
import pytest

CITED = 'As shown (cf. Smith et al. [12]), see Fig. 3 in e.g. Berlin. Networks learn. "Do they?" (Yes!) 7 of them do.'


@pytest.mark.parametrize(
    ("content", "lexemes", "sentence"),
    [
        ("One cat. Two dogs and a cat! Three?", ["dog", "cat"], "Two dogs and a cat!"),
        ("One cat. Two dogs. Three cats.", ["cat"], "One cat."),
        ("One cat. Two dogs.", [], "One cat."),
        ("One cat. two dogs. Three.", ["dog"], "One cat. two dogs."),
        (CITED, ["berlin"], "As shown (cf. Smith et al. [12]), see Fig. 3 in e.g. Berlin."),
        (CITED, ["learn"], "Networks learn."),
        (CITED, ["yes"], "(Yes!)"),
        (CITED, ["7"], "7 of them do."),
        ("A cat.\n\n  Many dogs.  ", ["dog"], "Many dogs."),
        ("A cat\x1e of No. 7. Many dogs\x1e here.", ["dog"], "Many dogs  here."),
        ("...  ", ["dog"], None),
        (None, ["dog"], None),
    ],
)
def test_sentences_end_at_a_mark_before_a_capital_a_digit_or_a_bracket(
    conn: psycopg.Connection, content: str | None, lexemes: list[str], sentence: str | None
) -> None:
    assert conn.execute("SELECT stc.best_sentence(%s::text, %s::text[])", [content, lexemes]).fetchone() == (sentence,)
