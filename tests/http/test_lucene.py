"""Query strings of Lucene's kind find what they say, by a plain reading of it in Python, and no string breaks anything."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument, StcError, translate
from stcollection.http import elastic
from stcollection.http.lucene import NONE, QueryReading, read
from stcollection.web.faults import timely
from tests.examples import examples

pytestmark = pytest.mark.slow

Holds = Callable[["Text"], bool]


@dataclass
class Text:
    """A document by its lexemes: where each stands, and with which weight (A title, B abstract)."""

    docno: str
    places: dict[str, list[tuple[int, str]]]
    year: int | None
    citations: int | None


@pytest.fixture(scope="module")
def texts(demo: Any) -> list[Text]:
    from stcollection.db.connection import conninfo

    with psycopg.connect(conninfo(demo), autocommit=True) as conn:
        rows = conn.execute(
            "SELECT o.docno,"
            " (SELECT jsonb_object_agg(u.lexeme, ARRAY[to_jsonb(u.positions), to_jsonb(u.weights)]) FROM unnest(t.tsv) u),"
            " d.year, d.n_citation FROM dblp_text t JOIN dblp o USING (id) JOIN dblp_facts d USING (id) ORDER BY 1"
        ).fetchall()
    return [
        Text(docno, {lexeme: list(zip(*both, strict=True)) for lexeme, both in held.items()}, year, cited)
        for docno, held, year, cited in rows
    ]


def _found(conn: psycopg.Connection, query: str) -> list[str]:
    node = Jsonb(read(query, QueryReading()))
    rows = conn.execute("SELECT o.docno FROM lucene_search(%s, 10000) s JOIN dblp o ON o.id = s.doc ORDER BY s.rank", [node])
    found = [docno for (docno,) in rows]
    assert conn.execute("SELECT stc.lucene_count(%s)", [node]).fetchone() == (len(found),)
    return found


class Asker:
    """Makes queries up, each with what it means."""

    def __init__(self, conn: psycopg.Connection, seed: int) -> None:
        self.conn, self.random = conn, random.Random(seed)
        contents = [one for (one,) in conn.execute("SELECT content FROM dblp_text ORDER BY id")]
        words = {word for content in contents for word in content.split() if word.isalpha() and len(word) > 4}
        # A stop word is not a lexeme, so it matches nothing.
        self.lexemes: dict[str, str] = dict(
            conn.execute(
                "SELECT w, v[1] FROM unnest(%s::text[]) w, tsvector_to_array(to_tsvector('english', w)) v WHERE cardinality(v) = 1",
                [sorted(words)],
            ).fetchall()
        )
        self.pairs = [
            pair
            for content in contents
            for pair in zip(content.split(), content.split()[1:], strict=False)
            if all(word in self.lexemes for word in pair)
        ]

    def query(self, depth: int = 0) -> tuple[str, Holds]:
        leaves, nodes = ["word", "word", "word", "field", "phrase", "prefix", "range"], ["and", "or", "not", "signs"]
        kind = self.random.choice(leaves + nodes * (2 if depth < 3 else 0))
        if kind in ("and", "or"):
            parts = [self.query(depth + 1) for _ in range(self.random.randint(2, 3))]
            sign = self.random.choice(["AND", "&&"] if kind == "and" else ["OR", "||"])
            joined = f" {sign} ".join(f"({text})" for text, _ in parts)
            both = all if kind == "and" else any
            return joined, lambda one: both(holds(one) for _, holds in parts)
        if kind == "not":
            (text, holds), (other, holds_other) = self.query(depth + 1), self.query(depth + 1)
            sign = self.random.choice(["NOT ", "!", "-"])
            return f"({text}) AND {sign}({other})", lambda one: holds(one) and not holds_other(one)
        if kind == "signs":
            (must, first), (never, second), (may, _) = (self.query(depth + 1) for _ in range(3))
            return f"+({must}) ({may}) -({never})", lambda one: first(one) and not second(one)
        return self._leaf(kind)

    def _leaf(self, kind: str) -> tuple[str, Holds]:
        first, second = self.random.choice(self.pairs)
        lexeme = self.lexemes[first]
        match kind:
            case "word":
                return first, lambda one: lexeme in one.places
            case "field":
                field, weight = self.random.choice([("title", "A"), ("abstract", "B")])
                return f"{field}:{first}", lambda one: any(at == weight for _, at in one.places.get(lexeme, ()))
            case "phrase":
                then = self.lexemes[second]
                return f'"{first} {second}"', lambda one: bool(
                    {place + 1 for place, _ in one.places.get(lexeme, ())} & {place for place, _ in one.places.get(then, ())}
                )
            case "prefix":
                stem = first[:4].lower()
                row = self.conn.execute("SELECT tsvector_to_array(to_tsvector('english', %s))", [stem]).fetchone()
                own = set() if row is None else set(row[0])  # a prefix also finds documents with the whole word
                return f"{first[:4]}*", lambda one: any(held.startswith(stem) or held in own for held in one.places)
        low = self.random.randint(1990, 2024)
        high = low + self.random.randint(0, 10)
        if self.random.random() < 0.5:
            return f"year:[{low} TO {high}}}", lambda one: one.year is not None and low <= one.year < high
        return f"n_citation:>{high - 1990}", lambda one: one.citations is not None and one.citations > high - 1990


@pytest.mark.parametrize("seed", range(5))
def test_a_query_finds_what_it_says(demo_conn: psycopg.Connection, texts: list[Text], seed: int) -> None:
    asker = Asker(demo_conn, seed)
    some = 0
    for _ in range(40):
        query, holds = asker.query()
        wanted = {one.docno for one in texts if holds(one)}
        assert set(_found(demo_conn, query)) == wanted, query
        some += 0 < len(wanted) < len(texts)
    assert some > 20


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("voice", {"text": "voice", "kind": "word", "field": "content"}),
        ("year:{2010 TO 2020]", {"fact": "year", "from": 2011, "to": 2020}),
        ("year:>=2010", {"fact": "year", "from": 2010}),
        ("id:(1 2)", {"should": [{"docnos": ["1"]}, {"docnos": ["2"]}]}),
        (r"a\:b", {"text": "a:b", "kind": "word", "field": "content"}),
        ("title:comput*^2", {"text": "comput", "kind": "prefix", "field": "title", "boost": 2.0}),
        ("_exists_:abstract", {"exists": "abstract"}),
        ("*:*", {"all": True}),
        ("", NONE),
    ],
)
def test_what_a_string_is_read_as(query: str, tree: dict[str, Any]) -> None:
    assert read(query, QueryReading()) == tree


@pytest.mark.parametrize(
    "query",
    ["(a", 'a "b', "a AND", "te?t", "*ology", "a*", "/re.*/", "title:[a TO b]", "year:soon", "a^1.2.3", "a^9999999",
     "((" * 30 + "a" + "))" * 30, "a " * 1025, "a" * 10_001, "a\0b", "f:" * 40 + "a"],
)  # fmt: skip
def test_what_cannot_be_read_is_told(query: str) -> None:
    with pytest.raises(BadArgument) as told:
        read(query, QueryReading())
    assert told.value.message


def test_an_unknown_field_holds_nothing_and_is_told(demo_conn: psycopg.Connection) -> None:
    reading = QueryReading()
    assert read("privacy: a survey", reading) == {"text": "survey", "kind": "word", "field": "content"} or reading.told
    assert "no field 'privacy'" in reading.told[0]
    assert _found(demo_conn, "privacy: privacy") == []


def test_words_alone_are_bm25(demo_conn: psycopg.Connection) -> None:
    ours = demo_conn.execute(
        "SELECT * FROM lucene_search(%s, 50)", [Jsonb(read("voice assistants privacy", QueryReading()))]
    ).fetchall()
    assert ours
    assert ours == demo_conn.execute("SELECT * FROM bm25_search('voice assistants privacy', 50)").fetchall()


def test_a_boost_multiplies_what_a_word_is_worth(demo_conn: psycopg.Connection) -> None:
    def scores(query: str) -> dict[int, float]:
        rows = demo_conn.execute("SELECT doc, score FROM lucene_search(%s, 300)", [Jsonb(read(query, QueryReading()))])
        return dict(rows.fetchall())

    plain, boosted = scores("privacy"), scores("privacy^3")
    assert boosted == pytest.approx({doc: 3 * score for doc, score in plain.items()})
    held = scores("privacy year:>=2000")
    with_words = {doc: held[doc] for doc in plain}
    dated = scores("+privacy +year:>=2000")
    assert dated == pytest.approx({doc: plain[doc] + 1 for doc in dated})
    assert {doc: score for doc, score in with_words.items() if doc in dated} == pytest.approx(dated)


def _tried(conn: psycopg.Connection, parameters: dict[str, str], body: Any) -> None:
    """A request is answered, or refused as one that cannot be read."""
    try:
        with translate():
            elastic.packed(elastic.search(conn, elastic.request(parameters, body), "dblp1", []), pretty=False)
    except StcError as problem:
        if not isinstance(timely(problem, 30.0), BadArgument):
            raise


_PIECES = st.sampled_from([
    "voice", "privacy", "the", "AND", "OR", "NOT", "TO", "&&", "||", "!", "+", "-", "(", ")", '"', "'", "[", "]",
    "{", "}", ":", "*", "?",
    "~", "^", "^2", "~3", "/", "\\", "<", ">=", "title:", "year:", "id:", "venue.raw:", "authors.name:",
    "_exists_:", "2010", "comput*", "é",
    "漢字", "\n", ".", ",", "a-b", "<b>", "T12:", "nope:", "$1", "%s", "'';", "\u2028", "😀", "x" * 3000,
])  # fmt: skip


@examples(200)
@given(st.one_of(st.text(max_size=40), st.lists(_PIECES, max_size=12).map(" ".join), st.lists(_PIECES, max_size=12).map("".join)))
@example("NOT NOT a")
@example("!!a")
@example("- - a")
@example("title:(year:2010)")
@example("a AND (b OR")
def test_no_string_breaks_anything(demo_conn: psycopg.Connection, text: str) -> None:
    _tried(demo_conn, {"q": text}, None)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "query",
                    "bool",
                    "must",
                    "should",
                    "must_not",
                    "filter",
                    "match",
                    "title",
                    "year",
                    "term",
                    "terms",
                    "range",
                    "gte",
                    "ids",
                    "values",
                    "query_string",
                    "match_all",
                    "exists",
                    "field",
                    "boost",
                    "operator",
                    "size",
                    "_source",
                    "fields",
                    "minimum_should_match",
                    "constant_score",
                    "multi_match",
                    "prefix",
                    "match_phrase",
                    "doc_type",
                    "x",
                ]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=12,
)


@examples(200)
@given(st.one_of(_JSON, _JSON.map(lambda inner: {"query": inner}), _JSON.map(lambda inner: {"query": {"bool": {"must": inner}}})))
def test_no_body_breaks_anything(demo_conn: psycopg.Connection, body: Any) -> None:
    _tried(demo_conn, {}, body)
