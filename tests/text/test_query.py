"""The query language: parsing of each element (parse_query, scored_words), without errors for any input."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from tests.examples import examples
from tests.text.documents import build, clone, ids, put
from tests.text.documents import found as rows_of
from tests.text.typed import HOSTILE, TYPED

TEXTS = {
    1: ("Computers and privacy", "Machine learning for everyone."),
    2: ("Computing without limits", "The privacy of the learning machine."),
    3: ("Compilers", "Galaxies of computers; a survey of surveys. State-of-the-art."),
    4: ("A survey of privacy", None),
}


@pytest.fixture(scope="module")
def small(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    with clone(server, admin, template, "query") as conn:
        put(conn, TEXTS)
        build(conn, "portable")
        yield conn


def one(conn: psycopg.Connection, expression: str, query: str) -> object:
    row = conn.execute(f"SELECT {expression}", [query]).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("voice assistants", "'voic' & 'assist'"),
        ('"voice assistants" home', "'voic' <-> 'assist' & 'home'"),
        ("+voice -games", "'voic' & !'game'"),
        ('home -"video games"', "!('video' <-> 'game') & 'home'"),
        ("voice OR speech home", "('voic' | 'speech') & 'home'"),
        ("voice or speech|talk", "'voic' | 'speech' | 'talk'"),
        ("voice OR -games", "'voic' | !'game'"),
        ("or voice OR OR home or", "'voic' | 'home'"),
        ("the OR voice", "'voic'"),
        ("voice AND home", "'voic' & 'home'"),
        ("(voice home) OR speech", "'voic' & 'home' | 'speech'"),
        ("-(voice OR speech) home", "!('voic' | 'speech') & 'home'"),
        ("(voice (home) OR", "'voic' & 'home'"),
        (")voice( home))", "'voic' & 'home'"),
        ("comput*", "'comput' | 'comput':*"),
        ("computing*", "'comput' | 'computing':*"),
        ("Privacy*", "'privaci' | 'privacy':*"),
        ("the*", "'the':*"),
        ("*", ""),
        ("-comput* home", "!('comput' | 'comput':*) & 'home'"),
        ("o'reill*", "'o' & ('reill' | 'reill':*)"),
        ("title:voices", "'voic':A"),
        ('TITLE:"the voice of games"', "'voic':A <2> 'game':A"),
        ("abstract:comput*", "'comput':B | 'comput':*B"),
        ("-title:voice home", "!'voic':A & 'home'"),
        ("title:(voice OR speech home)", "('voic':A | 'speech':A) & 'home':A"),
        ("title:o'neil", "'o':A <-> 'neil':A"),
        ("title: voice", "'titl' & 'voic'"),
        ("author:voice 12:30", "'author' & 'voic' & '12' & '30'"),
        ("subtitle:voice", "'subtitl' & 'voic'"),
        ("state-of-the-art", "'state-of-the-art' <-> 'state' <3> 'art'"),
        ("http://a.b/c", "'a.b/c'"),
        ("games--women", "'game' & 'women'"),
        ("x & !y <-> z:*", "'x' & 'y' & 'z'"),
        ('"it\'s a \\ voice"', "'voic'"),
        ("", ""),
        ("the of", ""),
    ],
)
def test_a_query_means(small: psycopg.Connection, query: str, meant: str) -> None:
    [got, expected] = small.execute("SELECT stc.parse_query(%s)::text, %s::tsquery::text", [query, meant]).fetchone() or ("", "")
    # As sets of conjuncts, since order does not matter.
    assert {part.strip() for part in got.split(" & ")} == {part.strip() for part in expected.split(" & ")}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("comput*", {1, 2, 3}),
        ("computing*", {1, 2, 3}),  # at least what the word finds
        ("comp*", {1, 2, 3}),
        ("galax*", {3}),
        ("title:comput*", {1, 2}),
        ("abstract:privacy", {2}),
        ("title:privacy", {1, 4}),
        ("title:survey OR abstract:survey", {3, 4}),
        ('"machine learning"', {1}),
        ('privacy -"machine learning"', {2, 4}),
        ("privacy machine OR survey", {1, 2, 4}),
        ("privacy -(machine OR survey)", set()),
        ("(machine privacy) OR compilers", {1, 2, 3}),
    ],
)
def test_what_it_finds(small: psycopg.Connection, query: str, expected: set[int]) -> None:
    assert set(ids(rows_of(small, "boolean_search", query))) == expected


def test_in_a_long_question_or_and_quotes_are_words_and_marks(small: psycopg.Connection) -> None:
    long = 'what is it that the people who write of "voice assistants" or of games say about their own work at home'
    assert one(small, "numnode((stc.read_query(%s)).required)", long) == 0
    assert one(small, "(stc.read_query(%s)).required::text", long.replace('"voice', '+"voice')) == "'voic' <-> 'assist'"
    assert one(small, "numnode((stc.read_query(%s)).required)", long.replace(" or of ", " OR ")) == 3


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("voices " * 2000, "voices " * 1428),
        ("a" * 9998 + " bc", "a" * 9998 + " "),
        ("a" * 9997 + " bc d", "a" * 9997 + " bc "),
        ("b" * 10_000, "b" * 10_000),
        ("b" * 10_001, "b" * 10_000),  # a single word
    ],
)
def test_a_long_query_is_cut_at_the_end_of_a_word(small: psycopg.Connection, typed: str, read: str) -> None:
    assert one(small, "stc.tidy_query(%s)", typed) == read


@pytest.mark.parametrize(
    ("query", "scored"),
    [
        ("title:voice comput*", "voice comput"),
        ("voice OR speech | talk AND home", "voice speech talk home"),
        ('+voice +"of games" -women -"men at home" -title:screen', 'voice "of games"'),
        ("home -(voice OR games)", "home"),
        ("title:(voice games)", "(voice games)"),
        ("abstract:comput*", "comput"),
    ],
)
def test_bm25_scores_the_words_without_the_syntax(small: psycopg.Connection, query: str, scored: str) -> None:
    assert str(one(small, "stc.scored_words(%s)", query)).split() == scored.split()


DEEP = "(" * 3000 + "voice" + ")" * 3000
WILD = [
    DEEP, "-" + DEEP.replace("(", "-("), "(a OR " * 1500, "title:(" * 1000 + "voice", "voice " * 20000, "x" * 100_000,
    "the of and " * 9000,
    " ".join(f"w{n}" for n in range(3000)), " OR ".join(f"w{n}*" for n in range(900)), "title:" * 1600, "x" * 9990 + "*",
    "é" * 3000 + "*", "'" * 4000 + "*", "\\" * 4000 + "*", ":*" * 4000, "<->" * 3000, "+" * 9000 + "x", "|" * 9000, "a|" * 4000,
    '"' * 9001, '+"' * 4000, 'title:"' * 1400, "\u00a0voice\u3000OR\u2028speech", "\x01\x02\x1f voice\x7f",
    "-(" * 4000 + "a" + ")" * 900,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("query", WILD + HOSTILE, ids=lambda query: query[:12])
def test_anything_is_a_query(small: psycopg.Connection, query: str) -> None:
    said: list[str | None] = []
    small.add_notice_handler(lambda notice: said.append(notice.message_primary))
    one(small, "stc.parse_query(%s)::text", query)
    for minimum in (None, 0, 1, 2**31 - 1):
        rows_of(small, "boolean_search", query, 10, None, minimum)
    one(small, "stc.scored_words(%s)", query)
    assert said == []


SYNTAX = st.lists(
    st.sampled_from(
        [
            "(",
            ")",
            '"',
            "+",
            "-",
            "|",
            "OR",
            " or ",
            "title:",
            "abstract:",
            "*",
            " ",
            "'",
            "\\",
            ":*",
            "<->",
            "!",
            "&",
            "privacy",
            "comput",
            "the",
            "survey",
            "x@y.z",
            "a-b",
            "é",
            "\x01",
            ":A",
            "''",
        ]
    ),
    max_size=60,
).map("".join)


@pytest.mark.slow
@given(query=st.one_of(SYNTAX, TYPED), minimum=st.one_of(st.none(), st.integers(0, 20)))
@examples(500)
def test_whatever_is_typed_nothing_raises_and_words_are_found_by_what_they_mean(
    small: psycopg.Connection, query: str, minimum: int | None
) -> None:
    rows_of(small, "boolean_search", query, 10, None, minimum)
    everything = set(ids(rows_of(small, "boolean_search", query, 10, None, 2**31 - 1)))
    direct = {doc for (doc,) in small.execute("SELECT id FROM dblp_text WHERE tsv @@ stc.parse_query(%s)", [query])}
    assert everything in (direct, set())  # none if the query only excludes words
    if minimum is None:
        assert everything <= set(ids(rows_of(small, "boolean_search", query, 10)))


def parses(conn: psycopg.Connection) -> int:
    """Return the number of queries parsed that are not yet in pg_stat_user_functions; needs track_functions."""
    row = conn.execute("SELECT calls FROM pg_stat_xact_user_functions WHERE funcname = 'read_query'").fetchone()
    return 0 if row is None else int(row[0])


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT id FROM dblp_text WHERE tsv @@ stc.parse_query('privacy -survey')",
        "SELECT count(*) FILTER (WHERE tsv @@ stc.parse_query('privacy')) FROM dblp_text",
        "SELECT id FROM dblp_text WHERE tsv @@ stc.parse_query('title:\"computers and privacy\"')",
    ],
)
@pytest.mark.parametrize("scan", ["enable_seqscan", "enable_bitmapscan"])
def test_a_query_in_a_condition_is_parsed_once(small: psycopg.Connection, statement: str, scan: str) -> None:
    with small.transaction():
        small.execute("SET LOCAL track_functions = 'all'")
        small.execute(f"SET LOCAL {scan} = off")
        before = parses(small)
        small.execute(statement)
        assert parses(small) == before + 1


def test_a_query_in_a_condition_uses_the_index(small: psycopg.Connection) -> None:
    with small.transaction():
        small.execute("SET LOCAL enable_seqscan = off")
        plan = small.execute("EXPLAIN SELECT id FROM dblp_text WHERE tsv @@ stc.parse_query('privacy OR maps')").fetchall()
    found = "\n".join(line for (line,) in plan)
    assert "Bitmap Index Scan on dblp_text_tsv_gin" in found
    assert "Index Cond: (tsv @@ '''privaci'' | ''map'''::tsquery)" in found


def test_a_prepared_statement_follows_the_configuration(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    build(conn, "portable")
    conn.execute("PREPARE s AS SELECT id FROM dblp_text WHERE tsv @@ stc.parse_query('computer') ORDER BY id")
    for _ in range(7):  # PostgreSQL keeps a generic plan from the sixth on
        assert conn.execute("EXECUTE s").fetchall() == [(1,), (2,), (3,)]
    conn.execute("CALL stc.index_text(config => 'simple', engine => 'portable')")
    assert conn.execute("EXECUTE s").fetchall() == []
    conn.execute("DEALLOCATE s")
