"""Translation of Lucene query strings, as ElasticSearch reads them, into queries of sql/retrieval/lucene_search.sql.

docs/howto/programs.md lists the differences from ElasticSearch. Responses carry a warning if part of a query is read differently.
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
from stcollection.http.limits import CLAUSES, NESTING, PREFIX, checked_text, refused, unreadable

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
# luqum reads && || ! at the start of a word as part of the word, and fails on an apostrophe there. Replace them outside escapes
# and phrases.
_ELSEWHERE = re.compile(r"""\\.|"(?:[^\\"]|\\.)*"|&&|\|\||(?<![^\s(:+\-])!(?=[^\s)])|(?<![^\s(:+\-!])'""", re.DOTALL)
_WRITTEN = {"&&": " AND ", "||": " OR ", "!": " NOT ", "'": " "}


@dataclass
class QueryReading:
    """Options and warnings of reading a query string.

    :param fields: default fields with boosts; empty: title and abstract together.
    :param every: the default operator is AND. :param told: warnings about parts that are read differently.
    """

    fields: Sequence[tuple[str, float]] = ()
    every: bool = False
    told: list[str] = field(default_factory=list)
    clauses: int = 0


def read(text: str, reading: QueryReading) -> Node:
    """Translate a query string. A blank one finds nothing.

    :raises BadArgument: it is malformed or too large.
    """
    checked_text(text)
    if not text.strip():
        return NONE
    if _nesting(text) > NESTING:
        raise refused("the query is nested too deeply", f"Use at most {NESTING} levels of parentheses.")
    try:
        parsed = parse(_ELSEWHERE.sub(lambda found: _WRITTEN.get(found[0], found[0]), text))
    except (ParseError, ArithmeticError, ValueError) as error:
        told = str(error).rstrip("!. ")
        raise unreadable(
            f"Failed to parse query [{text[:200]}]: {told}", 'To search for a special character, escape it: \\" or \\(.'
        ) from error
    if parsed is None:
        return NONE
    return _node(parsed, None, 1.0, reading)


def _nesting(text: str) -> int:
    deepest = depth = 0
    for one in re.findall(r"\\.|[()\[\]{}]", text):
        depth += {"(": 1, ")": -1}.get(one, 0)
        deepest = max(deepest, depth)
    # Each field name is a level too, also in a sequence of several.
    return max(deepest, max((run.count(":") for run in re.findall(r"(?:[^\s:\\()]+:)+", text)), default=0))


def _node(item: Any, name: str | None, boost: float, reading: QueryReading) -> Node:
    """Translate one node of a Lucene query.

    :param name: the enclosing field, or None. :param boost: of the enclosing node.
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
            _tell(reading, f"{item} is read as {item.term}: fuzzy and proximity searches are not supported")
            return _node(item.term, name, boost, reading)
    if reading.clauses >= CLAUSES:
        raise refused(f"the query has more than {CLAUSES} clauses", "Split it into smaller queries.")
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
    raise refused(f"{str(item)[:80]} is not supported", "Use words, phrases, prefix*, ranges, fields, AND, OR, NOT, + and -.")


def _force(force: Any) -> float:
    number = float(force)
    if not 0 <= number <= 1e6:
        raise refused(f"the boost is {str(force)[:40]}", "Use a number from 0 to 1,000,000.")
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
    if len(parts["should"]) > 1:  # a part that matches nothing has no effect among others
        parts["should"] = [one for one in parts["should"] if one != NONE] or [NONE]
    return {key: nodes for key, nodes in parts.items() if nodes} or {"all": True}


def _field(item: Any, boost: float, reading: QueryReading) -> Node:
    name = _plain(item.name).removesuffix(".keyword")
    if name == "*" and str(item.expr).strip() == "*":
        return _boosted({"all": True}, boost)
    if name == "_exists_":
        return _boosted(exists(_plain(str(item.expr)).strip(), reading), boost)
    if name not in KNOWN:
        # Not an error, as in ElasticSearch: "Privacy: a survey".
        _tell(reading, f"there is no field {name[:80]!r}, so it matches nothing; fields are {', '.join(KNOWN)}")
        return NONE
    return _node(item.expr, name, boost, reading)


def exists(name: str, reading: QueryReading) -> Node:
    """Return a query for documents that have a value in a field."""
    for known in (TEXTS, NAMES, FACTS):
        if name in known:
            return {"exists": known[name]}
    if name in DOCNOS:
        return {"all": True}
    _tell(reading, f"there is no field {name[:80]!r}, so it matches nothing; fields are {', '.join(KNOWN)}")
    return NONE


def _word(written: str, name: str | None, boost: float, reading: QueryReading) -> Node:
    if written == "*":
        return _boosted({"all": True} if name is None else exists(name, reading), boost)
    bare = written.rstrip("?")
    if bare != written and not bare.endswith("\\"):
        _tell(reading, f"the question mark in {written[:80]} is read as punctuation, not as a wildcard")
        written = bare
    kind = "word"
    if re.search(r"(?<!\\)(?:\\\\)*[*?]", written):
        stem = written[:-1]
        if not written.endswith("*") or re.search(r"(?<!\\)(?:\\\\)*[*?]", stem) or len(_plain(stem)) < PREFIX:
            raise refused(
                f"the wildcard {written[:80]!r} is not supported", f"Use * at the end of a word, after {PREFIX} letters: comput*."
            )
        written, kind = stem, "prefix"
    return _leaf(name, reading, boost, lambda one: leaf(one, _plain(written), kind))


def _leaf(name: str | None, reading: QueryReading, boost: float, make: Callable[[str], Node]) -> Node:
    if name is not None or not reading.fields:
        return _boosted(make(name or "content"), boost)
    return {"should": [_boosted(make(one), boost * factor) for one, factor in reading.fields]}


def leaf(name: str, text: str, kind: str = "word") -> Node:
    """Return a query for a text in a known field. :param kind: word, phrase, prefix.

    :raises BadArgument: the field is numeric, and the text is not a number.
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
    """Return a query for documents with a number in a range. None: no bound. :param above, below: exclude the bound.

    :raises BadArgument: the field is not numeric, or a bound is not a number.
    """
    if name not in FACTS:
        raise refused(f"{name or 'text'!r} has no ranges", f"Ranges need one of {', '.join(FACTS)}: year:[2010 TO 2020].")
    node: Node = {"fact": FACTS[name]}
    if low is not None:
        node["from"] = min(_number(name, low) + above, _INTEGER)
    if high is not None:
        node["to"] = max(_number(name, high) - below, -_INTEGER)
    return node


def _number(name: str, value: object) -> int:
    text = str(value)
    if isinstance(value, bool) or re.fullmatch(r"-?\d{1,15}(\.0+)?", text, re.ASCII) is None:
        raise refused(f"{name} is {text[:80]!r}", "Use an integer.")
    return max(-_INTEGER, min(_INTEGER, int(text.partition(".")[0])))


def _plain(written: str) -> str:
    return re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)


def _boosted(node: Node, boost: float) -> Node:
    return node if boost == 1 or node == NONE else {**node, "boost": boost}


def _tell(reading: QueryReading, sentence: str) -> None:
    if sentence not in reading.told and len(reading.told) < 10:
        reading.told.append(sentence)


def field_list(names: Sequence[str]) -> list[tuple[str, float]]:
    """Read fields as ElasticSearch writes them: ``title^2``.

    :returns: fields with boosts; empty for title and abstract with equal boosts, which are searched as one text.
    :raises BadArgument: a field does not exist.
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
            raise BadArgument(f"the boost in {one[:80]!r} is not a number", hint="Example: title^2.") from error
    return [] if sorted(listed) == [("abstract", 1.0), ("title", 1.0)] or listed == [("content", 1.0)] else listed
