"""Store small data sets of answer verification without files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import psycopg


class Doc(NamedTuple):
    """A document and its answers. :param answers: text to stance; two answers of the same stance support each other."""

    doc_id: str
    title: str
    text: str
    answers: Mapping[str, str] = {}


class Question(NamedTuple):
    """A query with its documents. :param gold: doc_ids. :param neutral: stances that neither support nor oppose any other."""

    query: str
    docs: Sequence[Doc]
    gold: Sequence[str] = ()
    template: str | None = None
    neutral: Sequence[str] = ()


WORKED = Question(
    "备孕偶尔喝冰的可以吗",
    [
        Doc(
            "d1",
            "备孕能喝冰水吗",
            "很多人问这个问题。备孕期间偶尔喝一点冰的是可以的，不要过量。",
            {"偶尔喝一点冰的是可以的": "yes"},
        ),
        Doc("d2", "备孕饮食", "饮食要清淡。偶尔喝冰的可以，对怀孕没有影响。", {"偶尔喝冰的可以，对怀孕没有影响": "yes"}),
        Doc("d3", "备孕注意事项", "备孕时不可以喝冰的，会引起宫寒。", {"备孕时不可以喝冰的": "no"}),
    ],
    gold=["d1", "d2"],
    template="may",
)


def put(conn: psycopg.Connection, questions: Sequence[Question], *, set: str = "world", split: str = "dev") -> int:  # noqa: A002
    """Store a split with labels for all pairs of a query's answers. :returns: its key in answer_sets."""
    (key,) = one(conn, "INSERT INTO stc.answer_sets (set, split) VALUES (%s, %s) RETURNING id", [set, split])
    for place, question in enumerate(questions, start=1):
        (query,) = one(
            conn,
            "INSERT INTO stc.answer_queries (set, place, text, template) VALUES (%s, %s, %s, %s) RETURNING id",
            [key, place, question.query, question.template],
        )
        told: list[tuple[int, str]] = []
        for number, doc in enumerate(question.docs, start=1):
            url = f"https://example.org/{place}/{doc.doc_id}"
            (document,) = one(
                conn,
                "INSERT INTO stc.answer_documents (query, place, doc_id, url, title, text)"
                " VALUES (%s, %s, %s, %s, %s, %s) RETURNING id",
                [query, number, doc.doc_id, url, doc.title, doc.text],
            )
            if doc.doc_id in question.gold:
                conn.execute("INSERT INTO answer_gold (document, query) VALUES (%s, %s)", [document, query])
            for text, stand in doc.answers.items():
                (answer,) = one(
                    conn,
                    "INSERT INTO stc.answers (query, document, url, text) VALUES (%s, %s, %s, %s) RETURNING id",
                    [query, document, url, text],
                )
                told.append((answer, stand))
        for number, (a, left) in enumerate(told):
            for b, right in told[number + 1 :]:
                relation = "support" if left == right else "neutral" if {left, right} & {*question.neutral} else "oppose"
                conn.execute(
                    "INSERT INTO answer_pairs (a, b, query, label, relation) VALUES (%s, %s, %s, %s, %s)",
                    [a, b, query, int(relation == "support"), relation],
                )
    return int(key)


def one(conn: psycopg.Connection, statement: str, values: Sequence[object]) -> tuple[int, ...]:
    row = conn.execute(statement, values).fetchone()
    assert row is not None
    return tuple(row)
