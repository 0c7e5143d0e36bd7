"""Translation of ElasticSearch's query bodies into queries of sql/retrieval/lucene_search.sql."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stcollection.errors import BadArgument
from stcollection.http.limits import CLAUSES, NESTING, checked_text, refused, unreadable
from stcollection.http.lucene import DOCNOS, FACTS, NONE, Node, QueryReading, between, exists, field_list, leaf, read


def query(body: object, reading: QueryReading, depth: int = 0) -> Node:
    """Translate the query of a body: ``{"match": {"title": "privacy"}}``.

    :raises BadArgument: the query is malformed or not supported.
    """
    if depth > NESTING:
        raise refused("the query is nested too deeply", f"Use at most {NESTING} levels.")
    kind, inner = _only(body, "a query")
    reader = _READERS.get(kind)
    if reader is None:
        raise unreadable(f"unknown query [{kind[:80]}]", f"Supported queries: {', '.join(_READERS)}.")
    node = reader(inner, reading, depth)
    reading.clauses += 1
    if reading.clauses > CLAUSES:
        raise refused(f"the query has more than {CLAUSES} clauses", "Split it into smaller queries.")
    return node


def _query_string(inner: object, reading: QueryReading, _: int) -> Node:
    asked = _object(inner, "query_string", {"query", "default_field", "default_operator", "fields", "boost", *_IGNORED})
    fields = asked.get("fields", [asked["default_field"]] if "default_field" in asked else None)
    own = replace(
        reading,
        fields=reading.fields if fields is None else field_list(_texts(fields, "fields")),
        every=operator(asked["default_operator"]) if "default_operator" in asked else reading.every,
    )
    node = read(_text(asked.get("query"), "query"), own)
    reading.clauses = own.clauses
    return _boost({"should": [node]} if "boost" in asked else node, asked)


def _match(inner: object, reading: QueryReading, _: int, kind: str = "word") -> Node:
    name, asked = _of_field(inner, "match", {"query", "operator", "boost", *_IGNORED})
    return _boost(_matching([(name, 1.0)], asked, kind), asked)


def _multi_match(inner: object, reading: QueryReading, _: int) -> Node:
    asked = _object(inner, "multi_match", {"query", "fields", "type", "operator", "boost", *_IGNORED})
    kind = {"phrase": "phrase"}.get(str(asked.get("type")), "word")
    return _boost(_matching(field_list(_texts(asked.get("fields", ["*"]), "fields")) or [("content", 1.0)], asked, kind), asked)


def _matching(fields: Sequence[tuple[str, float]], asked: Mapping[str, Any], kind: str) -> Node:
    """Match words in any of the fields. A text is split into words; any word matches unless the operator is ``and``."""
    text = checked_text(_text(asked.get("query"), "query"))
    words = text.split() if kind == "word" else [text]
    if len(words) * len(fields) > CLAUSES:
        raise refused(f"the query has more than {CLAUSES} clauses", "Split it into smaller queries.")
    key = "must" if operator(asked.get("operator", "or")) else "should"
    found = []
    for name, factor in fields:
        whole = name in (*FACTS, *DOCNOS, "doc_type")
        parts = [{**leaf(name, word, kind), "boost": factor} for word in ([text] if whole else words)]
        found.append(parts[0] if len(parts) == 1 else {key: parts} if parts else NONE)
    return found[0] if len(found) == 1 else {"should": found}


def _term(inner: object, reading: QueryReading, _: int, kind: str = "word") -> Node:
    name, asked = _of_field(inner, "term", {"value", "boost", "case_insensitive"})
    value = asked.get("value")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise refused(f"the term {str(value)[:80]!r} is not text or a number", 'Example: {"term": {"year": 2020}}.')
    return _boost(leaf(_known(name), checked_text(str(value)), "phrase" if kind == "word" else kind), asked)


def _prefix(inner: object, reading: QueryReading, depth: int) -> Node:
    return _term(inner, reading, depth, "prefix")


def _phrase(inner: object, reading: QueryReading, depth: int) -> Node:
    return _match(inner, reading, depth, "phrase")


def _terms(inner: object, reading: QueryReading, _: int) -> Node:
    asked = dict(_object(inner, "terms", None))
    boost = {"boost": asked.pop("boost")} if "boost" in asked else {}
    name, values = _only(asked, "terms")
    if not isinstance(values, list) or len(values) > CLAUSES:
        raise refused(
            f"the terms of {name[:80]!r} are not a list of at most {CLAUSES}", 'Example: {"terms": {"year": [2019, 2020]}}.'
        )
    return _boost({"should": [_term({name: value}, reading, 0) for value in values] or [NONE]}, boost)


def _range(inner: object, reading: QueryReading, _: int) -> Node:
    name, asked = _of_field(inner, "range", {"gt", "gte", "lt", "lte", "boost", *_IGNORED})
    low, high = asked.get("gte", asked.get("gt")), asked.get("lte", asked.get("lt"))
    above, below = asked.get("gte") is None and low is not None, asked.get("lte") is None and high is not None
    return _boost(between(name, low, high, above=above, below=below), asked)


def _ids(inner: object, reading: QueryReading, _: int) -> Node:
    asked = _object(inner, "ids", {"values", "type", "boost"})
    values = asked.get("values")
    if not isinstance(values, list) or not all(isinstance(one, str | int) for one in values) or len(values) > 10_000:
        raise refused("the values of ids are not a list of at most 10,000 ids", 'Example: {"ids": {"values": ["1234"]}}.')
    return _boost({"docnos": [checked_text(str(one), "id") for one in values]}, asked)


def _bool(inner: object, reading: QueryReading, depth: int) -> Node:
    kinds = ("must", "filter", "should", "must_not")
    asked = _object(inner, "bool", {*kinds, "minimum_should_match", "boost", "adjust_pure_negative"})
    node: Node = {}
    for key in kinds:
        inside = asked.get(key, [])
        parts = [query(one, reading, depth + 1) for one in (inside if isinstance(inside, list) else [inside])]
        if parts:
            node[key] = parts
    minimum = asked.get("minimum_should_match")
    if minimum is not None and str(minimum) not in ("0", "1"):
        raise refused(f"minimum_should_match is {str(minimum)[:40]!r}", "Only 0 and 1 are supported.")
    if node and minimum is not None:
        node["minimum"] = int(minimum)
    return _boost(node or {"all": True}, asked)


def _constant(inner: object, reading: QueryReading, depth: int) -> Node:
    asked = _object(inner, "constant_score", {"filter", "boost"})
    return {"must": [_boost({"all": True}, asked)], "filter": [query(asked.get("filter"), reading, depth + 1)]}


def _exists(inner: object, reading: QueryReading, _: int) -> Node:
    asked = _object(inner, "exists", {"field", "boost"})
    return _boost(exists(_text(asked.get("field"), "field"), reading), asked)


def _match_all(inner: object, reading: QueryReading, _: int) -> Node:
    return _boost({"all": True}, _object(inner, "match_all", {"boost"}))


def _match_none(inner: object, reading: QueryReading, _: int) -> Node:
    return NONE


# Parameters without effect here, such as those on the analysis of words, which the text index determines.
_IGNORED = frozenset({
    "analyzer", "lenient", "analyze_wildcard", "allow_leading_wildcard", "auto_generate_synonyms_phrase_query", "zero_terms_query",
    "enable_position_increments", "escape", "fuzziness", "fuzzy_max_expansions", "fuzzy_prefix_length", "fuzzy_transpositions",
    "max_determinized_states", "max_expansions", "phrase_slop", "slop", "prefix_length", "quote_analyzer", "quote_field_suffix",
    "rewrite", "tie_breaker", "time_zone", "type", "format", "relation",
})  # fmt: skip

_READERS: dict[str, Callable[[object, QueryReading, int], Node]] = {
    "query_string": _query_string, "match": _match, "match_phrase": _phrase, "multi_match": _multi_match, "term": _term,
    "terms": _terms, "prefix": _prefix, "range": _range, "ids": _ids, "bool": _bool, "constant_score": _constant, "exists": _exists,
    "match_all": _match_all, "match_none": _match_none,
}  # fmt: skip


def operator(value: object) -> bool:
    """Return True if the operator is AND. :raises BadArgument: it is neither AND nor OR."""
    if str(value).upper() not in ("AND", "OR"):
        raise refused(f"the operator is {str(value)[:40]!r}", "Use AND or OR.")
    return str(value).upper() == "AND"


def _known(name: str) -> str:
    listed = field_list([name])
    return listed[0][0] if listed else "content"


def _only(body: object, what: str) -> tuple[str, Any]:
    if not isinstance(body, dict) or len(body) != 1:
        raise unreadable(
            f"{what} must be an object with one key; got {str(body)[:80]}", 'Example: {"match": {"title": "privacy"}}.'
        )
    [(key, inner)] = body.items()
    return str(key), inner


def _object(inner: object, what: str, keys: set[str] | None) -> Mapping[str, Any]:
    if not isinstance(inner, dict):
        raise unreadable(f"[{what}] must be an object; got {str(inner)[:80]}")
    unknown = [] if keys is None else [key for key in inner if key not in keys]
    if unknown:
        raise unreadable(f"[{what}] does not support [{unknown[0][:80]}]")
    return inner


def _of_field(inner: object, what: str, keys: set[str]) -> tuple[str, Mapping[str, Any]]:
    name, asked = _only(inner, f"[{what}]")
    simple = "value" if what == "term" else "query"
    return _known(name) if what != "range" else name, _object(asked if isinstance(asked, dict) else {simple: asked}, what, keys)


def _text(value: object, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise refused(f"{name} is {str(value)[:80]!r}", "Use a string.")
    return checked_text(str(value), name)


def _texts(value: object, name: str) -> list[str]:
    if isinstance(value, str):
        value = re.split(r"\s*,\s*", value)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value) or len(value) > 20:
        raise refused(f"{name} are {str(value)[:80]!r}", "Use a list of at most 20 names.")
    return value


def _boost(node: Node, asked: Mapping[str, Any]) -> Node:
    """Multiply the scores of a node by its boost."""
    if "boost" not in asked:
        return node
    factor = asked["boost"]
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not math.isfinite(factor) or not 0 <= factor <= 1e6:
        raise BadArgument(f"the boost is {str(factor)[:40]!r}", hint="Use a number from 0 to 1,000,000.")
    return _times(node, factor)


def _times(node: Node, factor: float) -> Node:
    if any(key in node for key in ("must", "filter", "should", "must_not")):
        return {key: [_times(one, factor) for one in value] if key in ("must", "should") else value for key, value in node.items()}
    return {**node, "boost": node.get("boost", 1.0) * factor}
