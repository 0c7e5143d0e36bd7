"""Read conversations, topics with several turns: TREC CAsT and iKAT. Each turn is a query of its conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stcollection.io.files import bad_line, clip
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.records import QueryRecord
from stcollection.io.topics.background import with_topic
from stcollection.io.topics.columns import IDS, TEXTS, query_of
from stcollection.io.topics.jsonl import texts
from stcollection.io.topics.records import records

_HEAD = 100_000  # characters used to detect conversations
_NAMES, _TURN_NAMES = ("number", "topic_id", "id"), ("turn_id", "number", "id")
_USER, _SYSTEM = ("utterance", "raw_utterance"), ("response", "passage")


def _read(path: Path, text: str, options: QueryOptions) -> Iterator[QueryRecord]:
    conversations: set[str] = set()
    for line, record in records(path, text, lower=False):
        name = _name(path, line, record, _NAMES, "a conversation")
        turns = record.get("turns", record.get("turn"))
        if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
            raise bad_line(path, line, f"conversation {name} has no list of turns", hint='Write {"number": 31, "turns": [{…}]}.')
        if name in conversations:
            raise bad_line(path, line, f"conversation {name} is repeated", hint="Remove one of them. Nothing was stored.")
        conversations.add(name)
        title, background = texts(record).get("title"), _article(record, turns)
        before: list[int] = []
        for turn in turns:
            number = _name(path, line, turn, _TURN_NAMES, f"a turn of conversation {name}")
            place = [int(part) for part in re.findall(r"\d+", number)]
            if place <= before and len(place) == 1:
                raise bad_line(
                    path,
                    line,
                    f"turn {number} of conversation {name} follows turn {before[0]}",
                    hint="Sort the turns and give each its own number. Nothing was stored.",
                )
            before = place
            if str(turn.get("participant", "")).lower() == "system":
                continue
            values = texts(turn)
            utterance = next((values[each] for each in _USER if values.get(each)), None)
            named = {IDS[0]: f"{name}_{number}"} | ({} if utterance is None else {TEXTS["title"][0]: utterance})
            query = query_of(path, line, values | named, options)
            yield with_topic(query, name, title, background)


def _name(path: Path, line: int, record: dict[str, Any], names: tuple[str, ...], what: str) -> str:
    name = next((str(record[each]).strip() for each in names if record.get(each) not in (None, "")), "")
    if not name:
        raise bad_line(path, line, f"{what} without {names[0]}: {clip(record)}", hint="Give it a number. Nothing was stored.")
    return name


def _article(record: dict[str, Any], turns: list[dict[str, Any]]) -> str | None:
    """Return the description of a conversation, what is known of its user (ptkb), and what was said, in this order."""
    known = record.get("ptkb")
    facts = known.values() if isinstance(known, dict) else known if isinstance(known, list) else ()
    spoken = [texts(turn).get(name) for turn in turns for name in (*_USER, *_SYSTEM)]
    whole = [texts(record).get("description"), "\n".join(map(str, facts)), *spoken]
    return "\n\n".join(filter(None, whole)) or None


def _sniff(text: str) -> bool:
    head = text.lstrip()[:_HEAD]  # the word "turns" of an inverted index has a list of numbers
    return head[:1] in ("[", "{") and re.search(r'"turns?"\s*:\s*\[\s*\{', head) is not None and '"run_name"' not in head


FORMAT = TopicFormat(
    name="conversations",
    title="conversations of TREC CAsT and iKAT, JSON",
    extensions=(".json", ".jsonl"),
    recognised='JSON objects with a list "turn" or "turns" of objects',
    fields={
        "number, turn_id": "query 31_4 of topic 31, required; turns must be in order",
        "utterance or raw_utterance": "text, required; --map text=resolved_utterance selects another",
        "title": "text of the topic",
        "description, ptkb, utterances, responses": "article of the topic",
    },
    example="topics/conversations.json",
    sniff=_sniff,
    read=_read,
    renamed=True,
)
