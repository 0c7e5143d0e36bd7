"""Topics with several turns (CAsT, iKAT) and with narratives and backgrounds (tracks of TREC 2025)."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stcollection.errors import BadInput
from stcollection.io.corpus.fields import read_map
from stcollection.io.records import QueryRecord
from stcollection.io.roles import recognise
from stcollection.io.topics.queries import read_queries
from tools.formats import EXAMPLES

IKAT = EXAMPLES / "topics/conversations.json"
CAST: list[dict[str, Any]] = [
    {
        "number": 31,
        "title": "Throat cancer",
        "description": "Causes and cures.",
        "turn": [
            {
                "number": number,
                "raw_utterance": raw,
                "manual_rewritten_utterance": manual,
                "automatic_rewritten_utterance": raw,
                "manual_canonical_result_id": "x",
                "canonical_result_id": "x",
            }
            for number, raw, manual in (
                (1, "What is it?", "What is cancer?"),
                (2, "Is it  treatable?", "Is cancer treatable?"),
                (10, "And he?", "And the smoker?"),
            )
        ],
    }
]
TREE: list[dict[str, Any]] = [
    {
        "number": 132,
        "title": "Glaciers",
        "turn": [
            {"number": "1-1", "participant": "User", "utterance": "Why?", "manual_rewritten_utterance": "Why do glaciers melt?"},
            {"number": "1-2", "parent": "1-1", "participant": "System", "response": "Do you ask about the Alps?"},
            {"number": "1-3", "participant": "User", "utterance": "Yes", "manual_rewritten_utterance": "In the Alps?"},
            {"number": "3-1", "participant": "User", "utterance": "No", "manual_rewritten_utterance": "On Iceland?"},
        ],
    }
]


def put(folder: Path, records: object) -> Path:
    path = folder / "topics.json"
    path.write_text(json.dumps(records))
    return path


def read(path: Path, text: str | None = None, **options: Any) -> list[QueryRecord]:
    named: dict[str, Any] = {} if text is None else {"fields": read_map(f"text={text}")}
    _, queries = read_queries(path, **options, **named)
    assert recognise(path).roles == {"topics"}
    return queries


@pytest.mark.parametrize(
    ("year", "records", "text"),
    [
        ("2019", CAST, "raw_utterance"),
        ("2020", CAST, "manual_rewritten_utterance"),
        ("2021", CAST, "automatic_rewritten_utterance"),
        ("2022", TREE, "raw_utterance"),
        ("2022", TREE, "manual_rewritten_utterance"),
    ],
)
def test_turns_of_cast_are_those_of_ir_datasets(tmp_path: Path, year: str, records: list[dict[str, Any]], text: str) -> None:
    trec_cast = pytest.importorskip("ir_datasets.datasets.trec_cast")

    class File:
        @contextmanager
        def stream(self) -> Any:
            yield io.StringIO(json.dumps(records))

    theirs = list(trec_cast.CastQueries(File(), getattr(trec_cast, f"Cast{year}Query")).queries_iter())
    mine = read(put(tmp_path, records), text.replace("raw_", "") if year == "2022" else text)
    said = [(query.query_id, getattr(query, text), str(query.topic_number)) for query in theirs if getattr(query, text)]
    assert [(query.query, query.text, query.topic) for query in mine] == said


def test_a_conversation_of_ikat(tmp_path: Path) -> None:
    asked, article = ["What does a voice assistant record?", "Can they start it?"], read(IKAT)[0].article
    assert [(query.query, query.text) for query in read(IKAT)] == list(zip(["9-1_1", "9-1_2"], asked, strict=True))
    assert [query.text for query in read(IKAT, "resolved_utterance")] == [asked[0], "Can children start a voice assistant?"]
    assert {(query.topic, query.topic_text, query.article) for query in read(IKAT)} == {
        ("9-1", "Voice assistants at home", article)
    }
    assert article is not None
    assert article.split("\n\n") == [
        "I rent a flat.\nI have two children.",
        asked[0],
        "It records what follows a wake word.",
        asked[1],
        "Yes, without a setting for children.",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda turns: turns.reverse(), "turn 2 of conversation 31 follows turn 10"),
        (lambda turns: turns.insert(1, turns[0]), "turn 1 of conversation 31 follows turn 1"),
        (lambda turns: turns[1].pop("number"), "a turn of conversation 31 without turn_id"),
        (lambda turns: turns[1].update(raw_utterance=""), "no field for the text of queries"),
        (lambda turns: turns.append("And?"), "conversation 31 has no list of turns"),
    ],
)
def test_turns_that_cannot_be_read(tmp_path: Path, change: Any, message: str) -> None:
    records = json.loads(json.dumps(CAST))
    change(records[0]["turn"])
    with pytest.raises(BadInput, match=message):
        read_queries(put(tmp_path, records))


def test_the_word_turns_in_an_inverted_index(tmp_path: Path) -> None:
    abstract = {"IndexLength": 2, "InvertedIndex": {"Taking": [0], "turns": [1]}}
    path = put(tmp_path, [{"id": 4, "title": "Dialogue", "indexed_abstract": abstract}])
    assert recognise(path).roles == {"corpus"}


def test_a_conversation_twice(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"topics\.json:1: conversation 31 is repeated"):
        read_queries(put(tmp_path, CAST * 2))


RAGTIME = {
    "topic_id": "2001",
    "title": "Rail strikes",
    "background": "I edit a paper.",
    "problem_statement": "Who struck?",
    "limit": 2,
}
BIOGEN = {"id": 117, "topic": "sleep", "question": "Does coffee delay sleep?", "narrative": "A patient asks."}


@pytest.mark.parametrize(
    ("record", "field", "query"),
    [
        ({"id": "1", "narrative": "I want to know how it began."}, "title", ("1", "I want to know how it began.", None)),  # RAG
        ({"query_id": "1", "query": "A film about a boat"}, "title", ("1", "A film about a boat", None)),  # Tip of the tongue
        (RAGTIME, "title", ("2001", "Rail strikes", "I edit a paper.\n\nWho struck?")),
        (RAGTIME, "title+desc", ("2001", "Rail strikes Who struck?", "I edit a paper.\n\nWho struck?")),
        (RAGTIME, "narr", ("2001", "I edit a paper.", "I edit a paper.\n\nWho struck?")),
        (BIOGEN, "title", ("117", "Does coffee delay sleep?", "A patient asks.")),
    ],
)
@pytest.mark.parametrize("lines", [True, False])
def test_narratives_are_kept(
    tmp_path: Path, record: dict[str, Any], field: str, query: tuple[str, str, str | None], lines: bool
) -> None:
    [only] = read(put(tmp_path, record if lines else [record]), field=field)
    assert (only.query, only.text, only.article) == query
    assert only.topic == (None if only.article is None else only.query)
