"""Lucene's query strings, as ElasticSearch takes them, as queries of sql/retrieval/lucene_search.sql.

Where it differs from ElasticSearch, docs/programs.md says so; what is taken otherwise than it was meant is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from luqum import tree
from luqum.exceptions import ParseError
from luqum.thread import parse

from stcollection.errors import BadArgument
from stcollection.explore.programs.limits import CLAUSES, NESTING, PREFIX, checked_text, refused, unreadable

Node = dict[str, Any]

TEXTS = {"title": "title", "abstract": "abstract", "content": "content", "_all": "content"}
NAMES = {
    "venue": "venue", "venue.raw": "venue", "authors": "authors", "authors.name": "authors", "fos": "fos", "fos.name": "fos",
    "doc_type": "doc_type",
}  # fmt: skip
FACTS = {"year": "year", "n_citation": "citations", "citations": "citations", "references": "references"}
DOCNOS = ("id", "_id", "docno")
KNOWN = (*TEXTS, *NAMES, *FACTS, *DOCNOS)
NONE: Node = {"none": True}

_INTEGER = 2**31 - 1
# What luqum takes for a part of a word: && || ! at its beginning; an apostrophe there it cannot read. Escapes and phrases are
# passed over.
_ELSEWHERE = re.compile(r"""\\.|"(?:[^\\"]|\\.)*"|&&|\|\||(?<![^\s(:+\-])!(?=[^\s)])|(?<![^\s(:+\-!])'""", re.DOTALL)
_WRITTEN = {"&&": " AND ", "||": " OR ", "!": " NOT ", "'": " "}


@dataclass
class QueryReading:
    """How a query string is read.

    :param fields: what words without a field are looked for in, with boosts; empty: title and abstract together.
    :param every: the operator between words is AND. :param told: sentences on what is taken otherwise than it was meant.
    """

    fields: Sequence[tuple[str, float]] = ()
    every: bool = False
    told: list[str] = field(default_factory=list)
    clauses: int = 0


def read(text: str, reading: QueryReading) -> Node:
    """A query string as a query. A blank one finds nothing.

    :raises BadArgument: it cannot be read, or is out of bounds.
    """
    checked_text(text)
    if not text.strip():
        return NONE
    if _nesting(text) > NESTING:
        raise refused("the query is nested too deeply", f"{NESTING} parentheses within each other are read at most.")
    try:
        parsed = parse(_ELSEWHERE.sub(lambda found: _WRITTEN.get(found[0], found[0]), text))
    except (ParseError, ArithmeticError, ValueError) as error:
        told = str(error).rstrip("!. ")
        raise unreadable(f"Failed to parse query [{text[:200]}]: {told}", 'Write \\" or \\( for the sign itself.') from error
    if parsed is None:
        return NONE
    return _node(parsed, None, 1.0, reading)


def _nesting(text: str) -> int:
    deepest = depth = 0
    for one in re.findall(r"\\.|[()\[\]{}]", text):
        depth += {"(": 1, ")": -1}.get(one, 0)
        deepest = max(deepest, depth)
    # Each field, sign or operator is a level too: so are many of them in a row.
    return max(deepest, max((run.count(":") for run in re.findall(r"(?:[^\s:\\()]+:)+", text)), default=0))


def _node(item: Any, name: str | None, boost: float, reading: QueryReading) -> Node:
    """Translate one node of a Lucene query.

    :param name: the field that is asked, None for none. :param boost: of what the item is within.
    """
    match item:
        case tree.SearchField():
            return _field(item, boost, reading)
        case tree.BaseGroup():
            return _node(item.expr, name, boost, reading)
        case tree.Boost():
            return _node(item.expr, name, boost * _force(item.force), reading)
        case tree.BaseOperation():
            return _operation(item, name, boost, reading)
        case tree.Plus():
            return {"must": [_node(item.a, name, boost, reading)]}
        case tree.Not() | tree.Prohibit():
            return {"must_not": [_node(item.a, name, boost, reading)]}
        case tree.BaseApprox():
            _tell(reading, f"{item} is taken for {item.term}: words are compared by their stems, phrases word by word")
            return _node(item.term, name, boost, reading)
    if reading.clauses >= CLAUSES:
        raise refused(f"the query has more than {CLAUSES} clauses", "Ask for less at once.")
    reading.clauses += 1
    match item:
        case tree.Phrase():
            return _leaf(name, reading, boost, lambda one: leaf(one, _plain(item.value[1:-1]), "phrase"))
        case tree.Word():
            return _word(item.value, name, boost, reading)
        case tree.Range():
            return _range(name, item.low, item.high, boost, above=not item.include_low, below=not item.include_high)
        case tree.From():
            return _range(name, item.a, None, boost, above=not item.include)
        case tree.To():
            return _range(name, None, item.a, boost, below=not item.include)
    raise refused(f"{str(item)[:80]} is not read here", "There are words, phrases, prefix*, ranges, fields, AND, OR, NOT, + and -.")


def _force(force: Any) -> float:
    number = float(force)
    if not 0 <= number <= 1e6:
        raise refused(f"a boost of {str(force)[:40]}", "It is a number from 0 to 1,000,000.")
    return number


def _operation(item: Any, name: str | None, boost: float, reading: QueryReading) -> Node:
    every = isinstance(item, tree.AndOperation) or (reading.every and isinstance(item, tree.UnknownOperation))
    parts: dict[str, list[Node]] = {"must": [], "should": [], "must_not": []}
    for operand in item.operands:
        match operand:
            case tree.Not() | tree.Prohibit():
                parts["must_not"].append(_node(operand.a, name, boost, reading))
            case tree.Plus():
                parts["must"].append(_node(operand.a, name, boost, reading))
            case _:
                parts["must" if every else "should"].append(_node(operand, name, boost, reading))
    parts["must_not"] = [one for one in parts["must_not"] if one != NONE]
    if len(parts["should"]) > 1:  # what nothing holds makes no difference among others
        parts["should"] = [one for one in parts["should"] if one != NONE] or [NONE]
    return {key: nodes for key, nodes in parts.items() if nodes} or {"all": True}


def _field(item: Any, boost: float, reading: QueryReading) -> Node:
    name = _plain(item.name).removesuffix(".keyword")
    if name == "*" and str(item.expr).strip() == "*":
        return _boosted({"all": True}, boost)
    if name == "_exists_":
        return _boosted(exists(_plain(str(item.expr)).strip(), reading), boost)
    if name not in KNOWN:
        # As in ElasticSearch: "Privacy: a survey" is no error.
        _tell(reading, f"there is no field {name[:80]!r}, so nothing holds it; fields are {', '.join(KNOWN)}")
        return NONE
    return _node(item.expr, name, boost, reading)


def exists(name: str, reading: QueryReading) -> Node:
    """Documents that say something of a field."""
    for known in (TEXTS, NAMES, FACTS):
        if name in known:
            return {"exists": known[name]}
    if name in DOCNOS:
        return {"all": True}
    _tell(reading, f"there is no field {name[:80]!r}, so nothing holds it; fields are {', '.join(KNOWN)}")
    return NONE


def _word(written: str, name: str | None, boost: float, reading: QueryReading) -> Node:
    if written == "*":
        return _boosted({"all": True} if name is None else exists(name, reading), boost)
    bare = written.rstrip("?")
    if bare != written and not bare.endswith("\\"):
        _tell(reading, f"the question mark of {written[:80]} is taken for one, not for any character")
        written = bare
    kind = "word"
    if re.search(r"(?<!\\)(?:\\\\)*[*?]", written):
        stem = written[:-1]
        if not written.endswith("*") or re.search(r"(?<!\\)(?:\\\\)*[*?]", stem) or len(_plain(stem)) < PREFIX:
            raise refused(
                f"the wildcard {written[:80]!r} is not read here", f"A word may end in *, after {PREFIX} letters: comput*."
            )
        written, kind = stem, "prefix"
    return _leaf(name, reading, boost, lambda one: leaf(one, _plain(written), kind))


def _leaf(name: str | None, reading: QueryReading, boost: float, make: Callable[[str], Node]) -> Node:
    if name is not None or not reading.fields:
        return _boosted(make(name or "content"), boost)
    return {"should": [_boosted(make(one), boost * factor) for one, factor in reading.fields]}


def leaf(name: str, text: str, kind: str = "word") -> Node:
    """A text in a known field. :param kind: word, phrase, prefix.

    :raises BadArgument: the field holds numbers, and this is none.
    """
    if name in FACTS:
        return {"fact": FACTS[name], "from": _number(name, text), "to": _number(name, text)}
    if name in DOCNOS:
        return {"docnos": [text]}
    return {"text": text, "kind": kind, "field": TEXTS.get(name) or NAMES[name]}


def _range(name: str | None, low: Any, high: Any, boost: float, *, above: bool = False, below: bool = False) -> Node:
    def bound(end: Any) -> str | None:
        text = None if end is None else _plain(str(end).strip().strip('"'))
        return None if text == "*" else text

    return _boosted(between(name or "", bound(low), bound(high), above=above, below=below), boost)


def between(name: str, low: object, high: object, *, above: bool = False, below: bool = False) -> Node:
    """Documents with a number in a range, None for an open end. :param above, below: the ends are not within.

    :raises BadArgument: the field has no ranges, or an end is no number.
    """
    if name not in FACTS:
        raise refused(f"a range of {name or 'text'!r}", f"Ranges are of {', '.join(FACTS)}: year:[2010 TO 2020].")
    node: Node = {"fact": FACTS[name]}
    if low is not None:
        node["from"] = min(_number(name, low) + above, _INTEGER)
    if high is not None:
        node["to"] = max(_number(name, high) - below, -_INTEGER)
    return node


def _number(name: str, value: object) -> int:
    text = str(value)
    if isinstance(value, bool) or re.fullmatch(r"-?\d{1,15}(\.0+)?", text, re.ASCII) is None:
        raise refused(f"{name} is {text[:80]!r}", "It is a whole number.")
    return max(-_INTEGER, min(_INTEGER, int(text.partition(".")[0])))


def _plain(written: str) -> str:
    return re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)


def _boosted(node: Node, boost: float) -> Node:
    return node if boost == 1 or node == NONE else {**node, "boost": boost}


def _tell(reading: QueryReading, sentence: str) -> None:
    if sentence not in reading.told and len(reading.told) < 10:
        reading.told.append(sentence)


def field_list(names: Sequence[str]) -> list[tuple[str, float]]:
    """Fields as ElasticSearch lists them: ``title^2``.

    :returns: with their boosts; empty for title and abstract alike, which are asked as one text.
    :raises BadArgument: there is no such field.
    """
    listed = []
    for one in names:
        name, _, factor = one.partition("^")
        name = name.removesuffix(".keyword")
        if name == "*":
            return []
        if name not in KNOWN:
            raise refused(f"there is no field {name[:80]!r}", f"Fields are {', '.join(KNOWN)}.")
        try:
            listed.append((name, _force(factor or 1)))
        except ValueError as error:
            raise BadArgument(f"{one[:80]!r} has no boost", hint="As title^2.", sqlstate="IR202") from error
    return [] if sorted(listed) == [("abstract", 1.0), ("title", 1.0)] or listed == [("content", 1.0)] else listed
