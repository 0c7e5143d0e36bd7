"""Arguments of functions, tools and routes, made from their names and types: typical, hostile and huge ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import psycopg

from tests.security.model.catalogue import Catalogue, Routine

# Names of the world by kind of argument: of what is open, of what is hidden, and of another team.
Names = Mapping[str, str]
_COMMON: dict[str, str] = {
    "measure": "ndcg", "measures": "ndcg", "model": "toy", "field": "title", "docno": "d31", "docnos": "d31", "system": "boolean",
    "systems": "boolean", "pool": "x", "study": "x", "set": "set1", "config": "simple", "engine": "portable", "norm": "minmax",
    "level": "query", "split": "test", "query_set": "all", "topic": "T1", "topics": "T1", "origin": "human", "name": "new",
    "annotator": "x", "annotators": "x", "reviewer": "x", "kind": "title", "method": "depth", "text": "paper", "q": "paper",
    "path": "test.qrels", "source": "human", "relation": "dblp", "function_name": "leaderboard", "decision": "x", "choice": "left",
    "query_text": "paper", "words": "paper", "term": "paper", "coverage": "x", "licence": "CC0", "rules": "trec_eval 9",
    "on_duplicate": "skip", "unknown_queries": "skip", "unknown_documents": "skip", "missing": "skip", "engines": "portable",
    "sides": "human", "origins": "human", "by": "origin", "statement": "SELECT 1", "step": "x", "action": "keep",
}  # fmt: skip
_EDITIONS = (
    "edition", "editions", "against_edition", "only_edition", "like_edition", "subtopic_edition", "with_edition", "without_edition",
    "judged", "reference", "day", "earlier", "later", "train",
)  # fmt: skip
_RUNS = ("run", "runs", "run_id", "baseline", "against", "others", "other", "a", "b", "x", "y", "run_ids", "file", "tag", "names")


class Story(NamedTuple):
    """Values that belong together. :param edition: and its id; ids of a query and a document judged in it, and of a run."""

    name: str
    edition: tuple[str, int]
    query: tuple[str, int]
    doc: int
    run: tuple[str, int]
    team: str


OPEN = Story("open", ("train", 1), ("a5", 5), 151, ("red1", 2), "red")
HIDDEN = Story("hidden", ("test", 2), ("b1", 13), 431, ("red1", 2), "red")
OTHER = Story("other team", ("test", 2), ("b1", 13), 451, ("blue1", 3), "blue")
STORIES = (OPEN, HIDDEN, OTHER)

_NUMBERS = {"integer", "bigint", "smallint", "numeric", "double precision", "real", "oid"}
HOSTILE = (
    "'x''); DROP TABLE public.st1_runs; --'",
    "E'\\\\x00 %s %n $1 {} \\u202e'",
    "'stc.qrels_judgments_hidden'",
    "'pg_temp.mine'",
    "'../../../../etc/passwd'",
    "'http://127.0.0.1:1/'",
)
_HUGE = {
    "text": ("repeat('x', 10000000)", "repeat('(', 10000)", "''"),
    "name": ("repeat('x', 10000000)",),
    "integer": ("1000000000", "-1000000000", "0", "2147483647"),
    "bigint": ("1000000000", "-9223372036854775808", "9223372036854775807", "0"),
    "smallint": ("32767", "-32768"),
    "double precision": ("'NaN'", "'Infinity'", "'-Infinity'", "1e308", "0"),
    "real": ("'NaN'", "'Infinity'"),
    "numeric": ("'NaN'", "1e1000"),
    "jsonb": ("(repeat('[', 10000) || repeat(']', 10000))", "'{\"a\": 1e1000}'", "'[]'", "'null'", '\'{"": {"": ""}}\''),
    "boolean": ("true", "false"),
    "date": ("'infinity'", "'4713-01-01 BC'", "'5874897-12-31'"),
    "timestamp with time zone": ("'infinity'", "'-infinity'"),
    "bytea": ("decode(repeat('00', 1000000), 'hex')",),
    "vector": ("(SELECT array_agg(1e38)::vector FROM generate_series(1, 16000))", "'[1]'"),
}


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def typical(name: str, kind: str, story: Story) -> str:
    """A value that a caller would give, as an SQL expression."""
    if kind.endswith("[]"):
        return f"ARRAY[{typical(name, kind.removesuffix('[]'), story)}]"
    numbers = {"edition": story.edition[1], "query": story.query[1], "run": story.run[1], "doc": story.doc}
    if kind in _NUMBERS:
        for word, number in numbers.items():
            if word in name or (word == "query" and name == "queries"):
                return str(number)
        return "0.5" if kind in ("double precision", "real") else "5"
    if kind in ("text", "name", "character varying"):
        if name in _EDITIONS or "edition" in name:
            return _literal(story.edition[0])
        if name in ("query", "queries", "query_id", "only_query"):
            return _literal(story.query[0])
        if name == "doc":
            return _literal(f"d{story.doc}")
        if name == "team":
            return _literal(story.team)
        if name in _COMMON:
            return _literal(_COMMON[name])
        return _literal(story.run[0] if name in _RUNS else "x")
    if kind == "regclass":
        return "'public.dblp'"
    if kind == "regconfig":
        return "'simple'"
    if kind == "vector":
        return "(SELECT array_agg(0.05)::vector FROM generate_series(1, 384))"
    plain = {"boolean": "true", "jsonb": "'{}'", "date": "'2020-02-02'", "timestamp with time zone": "'2020-02-02'"}
    return plain.get(kind, "'\\x00'" if kind == "bytea" else "'paper'" if kind in ("tsquery", "tsvector") else "NULL")


def _huge(kind: str) -> tuple[str, ...]:
    if not kind.endswith("[]"):
        return _HUGE.get(kind, ())
    element = kind.removesuffix("[]")
    first = _huge(element)[:1] or ("NULL",)
    size = 1_000_000 if element in _NUMBERS else 100_000
    small = {"boolean": "true", "smallint": "1"}.get(element, f"g::text::{element}" if element in {*_NUMBERS, "text"} else "NULL")
    nested = "'{{},{}}'" if element == "jsonb" else f"ARRAY[ARRAY[{first[0]}::{element}], ARRAY[NULL]]"
    return (f"(SELECT array_agg(({small})::{element}) FROM generate_series(1, {size}) g)", "'{}'", "'{NULL}'", nested)


def huge(kind: str) -> tuple[str, ...]:
    """Values beyond every sensible limit, as SQL expressions. Those that take time to make are columns of a temporary table."""
    return tuple(f"(SELECT {_column(one)} FROM pg_temp.huge)" if _is_made(one) else one for one in _huge(kind))


def _is_made(expression: str) -> bool:
    return "repeat(" in expression or "generate_series(" in expression


def _column(expression: str) -> str:
    return "h" + hashlib.md5(expression.encode()).hexdigest()[:12]  # noqa: S324


def make_huge(conn: psycopg.Connection, catalogue: Catalogue) -> None:
    """Create the temporary table with large values of the types of all arguments."""
    kinds = {kind for one in catalogue.callable for kind in one.types}
    made = {one for kind in kinds for one in _huge(kind) if _is_made(one)}
    conn.execute(f"CREATE TEMP TABLE huge AS SELECT {', '.join(f'{one} AS {_column(one)}' for one in sorted(made))}".encode())


class Call(NamedTuple):
    """A call of a function. :param mood: what is special about it."""

    routine: Routine
    mood: str
    statement: str


def calls(one: Routine) -> Iterator[Call]:
    """Typical calls of a function: one for each story, and one with NULL for everything."""
    pairs = list(zip(one.names, one.types, strict=True))
    seen = set()
    for story in STORIES:
        statement = one.call(tuple(typical(name, kind, story) for name, kind in pairs))
        if statement not in seen:
            seen.add(statement)
            yield Call(one, story.name, statement)
    if one.optional:
        for story in STORIES:
            yield Call(one, f"{story.name}, defaults", one.call(tuple(typical(*pair, story) for pair in pairs[: -one.optional])))
    if pairs:
        yield Call(one, "NULL", one.call(("NULL",) * len(pairs)))


def hostile_calls(one: Routine) -> Iterator[Call]:
    """Calls with a hostile text for each text."""
    pairs = list(zip(one.names, one.types, strict=True))
    if not any(kind.removesuffix("[]") in ("text", "name") for kind in one.types):
        return
    for number, value in enumerate(HOSTILE):
        given = {"text": value, "name": value, "text[]": f"ARRAY[{value}]"}
        yield Call(
            one, f"hostile {number}", one.call(tuple(given.get(kind) or typical(name, kind, HIDDEN) for name, kind in pairs))
        )


def huge_calls(one: Routine) -> Iterator[Call]:
    """Calls with values beyond every limit for all arguments, and, of functions that users call, for each alone."""
    pairs = list(zip(one.names, one.types, strict=True))
    for number in range(2):
        given = [(huge(kind) or (typical(name, kind, OPEN),)) for name, kind in pairs]
        yield Call(one, f"all huge {number}", one.call(tuple(values[number % len(values)] for values in given)))
    if one.schema != "public" and not one.definer:
        return
    for place, (name, kind) in enumerate(pairs):
        for number, value in enumerate(huge(kind)[:3]):
            others = [typical(*pair, OPEN) for pair in pairs]
            others[place] = value
            yield Call(one, f"huge {name} {number}", one.call(tuple(others)))
