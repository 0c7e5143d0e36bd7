"""boolean_search: all words, web search syntax, order and ties, user input."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, from_postgres
from tests.examples import examples
from tests.text.documents import Row, build, by_docno, clone, found, ids, put, put_decoys, scans
from tests.text.typed import HOSTILE, TYPED

TEXTS = {
    1: ("Women in computing", "How games shape the careers of women and men."),
    2: ("Computers", "Women program computers."),
    3: ("Computer games", "Men and their machines."),
    4: ("Voice assistants", "Computers that listen to women; video games without a screen. State-of-the-art."),
    5: ("Games of video", "1990 was the year of women."),
    6: (None, None),
}


@pytest.fixture(scope="module")
def small(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    """Return the texts above, indexed, with decoys (a stub, a document without text), for tests that only read."""
    with clone(server, admin, template, "boolean") as conn:
        put(conn, TEXTS)
        put_decoys(conn)
        build(conn, "portable")
        yield conn


def search(conn: psycopg.Connection, query: str | None, k: int | None = 100) -> list[Row]:
    try:
        return found(conn, "boolean_search", query, k)
    except psycopg.Error as error:
        raise from_postgres(error) from error


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("women computer", {1, 2, 4}),
        ("the women of computing", {1, 2, 4}),
        ("=+women +computer -games", {2}),
        ('women -"video games"', {1, 2, 5}),
        ('"video games"', {4}),
        ('"games of video"', {5}),
        ('"games video"', set()),
        ("machines or screen", {3, 4}),
        ("women - games", {1, 4, 5}),
        ("games--women", {1, 4, 5}),
        ("--men women", {2, 4, 5}),
        ("+1990", {5}),
        ("state-of-the-art", {4}),
        ("<b>women</b> <computer", set()),  # the parser returns /b as a word
        ("<women> computer", {1, 2, 4}),
        ('"women computer', {1, 2, 4}),
        ('screen 5"', set()),
        ("women computer zebra", set()),
    ],
)
def test_what_a_query_asks_for(small: psycopg.Connection, query: str, expected: set[int]) -> None:
    assert set(ids(search(small, query))) == expected


@pytest.mark.parametrize("query", ["", "  ", "the of", "!", '"', "-games", "-games -women", "women or -men", None])
def test_what_names_nothing_that_must_be_there_has_no_rows(small: psycopg.Connection, query: str | None) -> None:
    assert search(small, query) == []


def test_a_word_of_the_title_counts_more(small: psycopg.Connection) -> None:
    rows = search(small, "computers")
    assert set(ids(rows[:3])) == {1, 2, 3}
    assert ids(rows)[0] == 2  # in title and abstract
    assert ids(rows)[-1] == 4  # in the abstract alone


def test_scores_are_ts_rank(small: psycopg.Connection) -> None:
    expected: list[tuple[int, float]] = small.execute(
        "SELECT id, ts_rank(tsv, 'women & comput')::float8 FROM dblp_text WHERE tsv @@ 'women & comput'"
        ' ORDER BY 2 DESC, id::text COLLATE "C" DESC'
    ).fetchall()
    rows = search(small, "women computers")
    assert [row[:2] for row in rows] == expected
    assert [rank for _, _, rank in rows] == [1, 2, 3]


def test_the_top_k_is_exact_and_ties_are_ordered_by_docno_as_bytes(conn: psycopg.Connection) -> None:
    docnos = {1: "a", 2: "B", 3: "10", 4: "9", 5: "é", 6: "Z"}
    put(conn, dict.fromkeys(docnos, ("voice", None)) | {7: ("voice voice", None)}, docnos | {7: "0"})
    build(conn, "portable")
    ranking = ["0", "é", "a", "Z", "B", "9", "10"]
    for k in range(1, 9):
        rows = search(conn, "voice", k)
        assert by_docno(conn, rows) == ranking[:k]
        assert [rank for _, _, rank in rows] == list(range(1, len(rows) + 1))


@pytest.mark.usefixtures("dsn")
def test_the_index_is_used_and_a_write_needs_no_new_one(conn: psycopg.Connection) -> None:
    put(conn, {n: ("filler", f"words and words {n}") for n in range(1, 2001)} | {5000: ("voice assistants", None)})
    build(conn, "portable")
    before = scans(conn, "dblp_text_tsv_gin")
    assert ids(search(conn, "voice assistant")) == [5000]
    assert scans(conn, "dblp_text_tsv_gin") == before + 1
    put(conn, {5001: ("the voice of assistants", "")})
    assert set(ids(search(conn, "voice assistant"))) == {5000, 5001}


def test_it_works_before_there_is_an_index_and_by_the_configuration_of_the_index(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    assert set(ids(search(conn, "the computers"))) == {1, 2, 3, 4}
    conn.execute("CALL stc.index_text(config => 'simple', engine => 'portable')")
    assert set(ids(search(conn, "the computers"))) == {4}  # which has both words unchanged


@pytest.mark.parametrize("k", [0, -1, None])
def test_k_below_one(small: psycopg.Connection, k: int | None) -> None:
    with pytest.raises(BadArgument, match="k is") as error:
        search(small, "women", k)
    assert error.value.sqlstate == "IR201"


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: query[:12])
def test_anything_is_a_query_and_nothing_is_said_about_it(small: psycopg.Connection, query: str) -> None:
    said: list[str | None] = []
    small.add_notice_handler(lambda notice: said.append(notice.message_primary))
    search(small, query)
    assert said == []


@pytest.mark.slow
@given(query=TYPED, more=st.sampled_from(["women", "computer", "-games", '"video games"']))
@examples(300)
def test_one_more_word_finds_no_more(small: psycopg.Connection, query: str, more: str) -> None:
    def every(text: str) -> set[int]:
        return set(ids(found(small, "boolean_search", text, 100, None, 2**31 - 1)))  # for any length

    assert every(f"women {more} {query.replace('or', '')}") <= every(f"women {more}") or "OR" in query.upper() or "|" in query
