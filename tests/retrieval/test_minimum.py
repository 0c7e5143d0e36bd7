"""Long queries: minimum number of matching words, scores of documents, and how they are found."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import psycopg
import pytest

from stcollection.errors import BadArgument, from_postgres
from tests.text.documents import REAL, Row, build, by_docno, found, ids, put, real

pytestmark = pytest.mark.slow

WORDS = [f"w{n}x" for n in range(30)]
Texts = dict[int, tuple[str, str]]


def texts(documents: int = 300, seed: int = 1) -> Texts:
    """Generate documents of few words, some rare and some in half of the documents."""
    dice = random.Random(seed)
    return {
        doc: tuple(" ".join(w for n, w in enumerate(WORDS) if dice.random() < share / (n + 2)) for share in (0.5, 2.0))  # type: ignore[misc]
        for doc in range(1, documents + 1)
    }


def expected(documents: Texts, words: list[str], at_least: int, times: int = 1) -> dict[int, float]:
    """Return scores by the formula in sql/retrieval/minimum_search.sql, with ``times`` the counts of documents."""
    held = {doc: (set(title.split()), set(title.split()) | set(abstract.split())) for doc, (title, abstract) in documents.items()}
    count = sum(1 for _, every in held.values() if every)
    scores = {}
    for doc, (title, every) in held.items():
        mine = [w for w in words if w in every]
        if len(mine) >= at_least:
            frequency = {w: times * sum(1 for _, other in held.values() if w in other) for w in mine}
            idf = {w: math.log(1 + (times * count - frequency[w] + 0.5) / (frequency[w] + 0.5)) for w in mine}
            scores[doc] = sum(idf[w] * (1.0 if w in title else 0.4) for w in mine)
    return scores


def search(conn: psycopg.Connection, query: str, k: int = 1000, minimum: int | None = None, filter: str | None = None) -> list[Row]:  # noqa: A002
    try:
        return found(conn, "boolean_search", query, k, filter, minimum)
    except psycopg.Error as error:
        raise from_postgres(error) from error


def inflate(conn: psycopg.Connection) -> None:
    """Let the index say that the collection is large, so that a search reads a part of the documents."""
    conn.execute("UPDATE stc.text_lexemes SET documents = 1000 * documents")
    conn.execute("UPDATE stc.text_index SET documents = 1000 * documents")


@pytest.fixture
def filled(conn: psycopg.Connection) -> Texts:
    documents = texts()
    put(conn, documents)
    build(conn, "portable")
    return documents


@pytest.mark.parametrize(
    ("n", "wanted"),
    [(0, (0, 0)), (1, (1, 1)), (4, (4, 4)), (5, (5, 2)), (20, (20, 2)), (21, (21, 3)), (40, (40, 4)), (90, (40, 4))],
)
def test_the_rule(conn: psycopg.Connection, n: int, wanted: tuple[int, int]) -> None:
    assert conn.execute("SELECT * FROM stc.words_wanted(%s)", [n]).fetchone() == wanted


@pytest.mark.parametrize("minimum", [1, 2, 5, 9, 11])
def test_scores_are_those_of_the_formula_whichever_way_the_documents_are_found(
    conn: psycopg.Connection, filled: Texts, minimum: int
) -> None:
    words = WORDS[:12]
    rows = search(conn, " ".join(words), minimum=minimum)
    scores = expected(filled, words, minimum)
    assert {doc: score for doc, score, _ in rows} == pytest.approx(scores, rel=1e-6)
    order = np.array([score for _, score, _ in rows])
    assert (np.diff(order) <= 0).all()
    assert scores if minimum < 9 else True
    for k in (1, 3, 10):
        assert search(conn, " ".join(words), k, minimum) == rows[:k]


@pytest.mark.parametrize(("words", "minimum"), [(12, 0), (25, 3), (8, 7)])
def test_documents_of_high_sums_are_searched_first_and_none_of_the_best_is_missed(
    conn: psycopg.Connection, words: int, minimum: int
) -> None:
    """In a large collection the search looks for a part of the documents; here the index says that it is large."""
    documents = texts(2000, seed=words)
    put(conn, documents)
    build(conn, "portable")
    inflate(conn)
    scores = expected(documents, WORDS[2 : 2 + words], max(minimum, 1), 1000)
    best = sorted(scores.values(), reverse=True)
    every = search(conn, " ".join(WORDS[2 : 2 + words]), 2000, minimum)
    assert {doc: score for doc, score, _ in every} == pytest.approx(scores, rel=1e-6)
    for k in (1, 5, 50, 400):
        rows = search(conn, " ".join(WORDS[2 : 2 + words]), k, minimum)
        assert [score for _, score, _ in rows] == pytest.approx(best[:k], rel=1e-6)
        assert rows == every[:k]


@pytest.mark.parametrize("seed", range(3))
def test_titles_and_ties_of_random_collections(conn: psycopg.Connection, seed: int) -> None:
    """Equal texts, words in few or most titles, and every k: the rows are those of a search that reads all documents."""
    dice = random.Random(100 + seed)
    titled = dice.choice((0.05, 0.3, 1.5))
    made = [
        tuple(" ".join(w for n, w in enumerate(WORDS[:14]) if dice.random() < share / (n + 2) ** 0.7) for share in (titled, 1.2))
        for _ in range(150)
    ]
    put(conn, {doc: dice.choice(made) for doc in range(1, 1201)})  # type: ignore[misc]
    build(conn, "portable")
    inflate(conn)
    for words in (5, 9, 14):
        question = " ".join(dice.sample(WORDS[:14], words))
        for more in ("", f" +{WORDS[1]}", f" -{WORDS[2]}"):
            every = search(conn, question + more, 1200)
            for k in (1, 2, 7, 40, 200, 700):
                assert search(conn, question + more, k) == every[:k]


@pytest.mark.parametrize("name", REAL)
def test_real_collections(conn: psycopg.Connection, dsn: str, data: Path, name: str) -> None:
    real(conn, dsn, data, name)
    inflate(conn)
    documents = conn.execute("SELECT count(*) FROM dblp").fetchone()[0]  # type: ignore[index]
    queries = conn.execute("SELECT text FROM st1_queries WHERE text IS NOT NULL ORDER BY hashtext(text) LIMIT 10").fetchall()
    for (query,) in queries:
        every = search(conn, query, documents)
        for k in (1, 10, 100):
            assert search(conn, query, k) == every[:k]


@pytest.mark.usefixtures("dsn")
def test_rows_without_a_word_in_the_title_are_not_read(conn: psycopg.Connection) -> None:
    words = [f"w{n}x" for n in range(6)]
    dice = random.Random(3)
    documents = {doc: ("other", " ".join(dice.sample(words, 2))) for doc in range(1, 4001)}
    documents |= {doc: (" ".join(dice.sample(words, 3)), "other") for doc in range(4001, 4051)}
    put(conn, documents)
    build(conn, "portable")
    inflate(conn)
    conn.execute("SET enable_seqscan = off")

    def rows_read() -> int:
        conn.execute("SELECT pg_stat_force_next_flush()")
        return int(conn.execute("SELECT pg_stat_get_tuples_fetched('dblp_text'::regclass)").fetchone()[0])  # type: ignore[index]

    before = rows_read()
    assert {doc > 4000 for doc in ids(search(conn, " ".join(words), 20))} == {True}
    assert rows_read() - before < 1000


def test_some_of_the_terms(conn: psycopg.Connection) -> None:
    for n, at_least in ((1, 1), (2, 1), (5, 2), (6, 3), (7, 7), (7, 5)):
        wanted = conn.execute(
            "SELECT stc.some_of(array_agg(('w' || i)::tsquery), %s) FROM generate_series(0, %s - 1) i", [at_least, n]
        ).fetchone()
        for mask in range(2**n):
            held = " ".join(f"w{i}" for i in range(n) if mask >> i & 1)
            [matches] = conn.execute("SELECT %s::tsvector @@ %s::tsquery", [held, wanted[0]]).fetchone()  # type: ignore[index, misc]
            assert matches == (mask.bit_count() >= at_least), (n, at_least, held)
    assert conn.execute("SELECT stc.some_of(ARRAY['a'::tsquery], 2), numnode(stc.some_of(ARRAY['a'::tsquery], 0))").fetchone() == (
        None,
        0,
    )


@pytest.mark.parametrize("deep", [1, 2, 3, 5])
@pytest.mark.parametrize("at_least", [0, 1, 3, 7])
def test_no_document_worth_enough_is_left_out(conn: psycopg.Connection, deep: int, at_least: int) -> None:
    """All sets of seven words, by their weights."""
    weights = [7.4, 6.3, 4.7, 4.2, 3.4, 3.2, 0.9]
    left_out = 0
    for worth in (0.0, 0.5, 5.0, 7.9, 10.8, 14.0, 20.0, 29.9, 31.0):
        rows = conn.execute(
            "SELECT m.mask, v.held @@ w.wanted FROM stc.words_worth("
            "  (SELECT array_agg(('w' || i)::tsquery) FROM generate_series(0, 6) i), %s, %s, %s, %s) w (wanted),"
            " generate_series(0, 127) m (mask),"
            " LATERAL (SELECT coalesce(string_agg('w' || i, ' '), '')::tsvector AS held FROM generate_series(0, 6) i"
            "           WHERE m.mask >> i & 1 = 1) v WHERE numnode(w.wanted) > 0",
            [weights, worth, at_least, deep],
        ).fetchall()
        for mask, matches in rows:
            held = [weight for i, weight in enumerate(weights) if mask >> i & 1]
            assert matches or sum(held) < worth or len(held) < at_least, (worth, held)
            left_out += not matches
    assert left_out > 100  # the conditions exclude many


def test_the_rarest_words_alone_are_looked_up_where_that_is_cheaper(conn: psycopg.Connection) -> None:
    """Two rare words and ten that every document has; eleven of twelve must match."""
    common = [f"c{n}x" for n in range(10)]
    documents = {n: ("", " ".join(common + [["rare", "seldom"][n % 2]] * (n <= 4))) for n in range(1, 1001)}
    put(conn, documents)
    build(conn, "portable")
    rows = search(conn, " ".join([*common, "rare", "seldom"]), minimum=11)
    assert set(ids(rows)) == {1, 2, 3, 4}
    assert {doc: score for doc, score, _ in rows} == pytest.approx(expected(documents, [*common, "rare", "seldom"], 11), rel=1e-5)
    assert by_docno(conn, rows) == ["4", "3", "2", "1"]  # all tied


def test_a_long_question_is_relaxed_and_a_short_one_is_not(conn: psycopg.Connection, filled: Texts) -> None:
    question = " ".join(WORDS[:15])
    assert {doc: score for doc, score, _ in search(conn, question)} == pytest.approx(expected(filled, WORDS[:15], 2), rel=1e-6)
    short = search(conn, " ".join(WORDS[:4]))
    assert short == search(conn, " ".join(WORDS[:4]), minimum=4) == search(conn, " ".join(WORDS[:4]), minimum=400)
    assert set(ids(short)) == set(expected(filled, WORDS[:4], 4))
    [(doc, score)] = conn.execute(
        "SELECT id, ts_rank(tsv, stc.parse_query(%s))::float8 FROM dblp_text WHERE id = %s", [" ".join(WORDS[:4]), short[0][0]]
    )
    assert short[0][:2] == (doc, score)


def test_of_very_many_words_the_rarest_count(conn: psycopg.Connection) -> None:
    many = [f"word{n}x" for n in range(60)]
    documents = {n: ("", " ".join(many[:n])) for n in range(1, 61)}  # word0x is in all, word59x in one
    put(conn, documents)
    build(conn, "portable")
    assert {doc: score for doc, score, _ in search(conn, " ".join(many))} == pytest.approx(
        expected(documents, many[20:], 4), rel=1e-6
    )


def test_signs_and_phrases_stay_what_they_are(conn: psycopg.Connection, filled: Texts) -> None:
    question = " ".join(WORDS[5:15])
    with_must = set(ids(search(conn, f"{question} +{WORDS[0]} -{WORDS[1]}")))
    plain = set(ids(search(conn, question)))
    has = {doc: set((title + " " + abstract).split()) for doc, (title, abstract) in filled.items()}
    assert with_must == {doc for doc in plain if WORDS[0] in has[doc] and WORDS[1] not in has[doc]}
    assert with_must
    assert with_must < plain


def test_no_word_need_be_there_where_something_else_must(conn: psycopg.Connection, filled: Texts) -> None:
    has = {doc: set((title + " " + abstract).split()) for doc, (title, abstract) in filled.items()}
    rows = search(conn, f"+{WORDS[0]} {WORDS[3]} {WORDS[4]}", minimum=0)
    assert set(ids(rows)) == {doc for doc, words in has.items() if WORDS[0] in words}
    assert rows[-1][1] == 0 < rows[0][1]
    assert search(conn, f"{WORDS[3]} {WORDS[4]}", minimum=0) == search(conn, f"{WORDS[3]} {WORDS[4]}", minimum=1)
    assert search(conn, f"{WORDS[3]} {WORDS[4]} -{WORDS[0]}", minimum=0) == search(
        conn, f"{WORDS[3]} {WORDS[4]} -{WORDS[0]}", minimum=1
    )


def test_a_filter_keeps_scores_and_fills_k(conn: psycopg.Connection, filled: Texts) -> None:
    question = " ".join(WORDS[:15])
    few = [doc for doc in filled if doc % 7 == 0]
    rows = search(conn, question, filter=f'{{"docs": {few}}}')
    every = [row for row in search(conn, question) if row[0] in few]
    assert [row[:2] for row in rows] == [row[:2] for row in every]
    assert search(conn, question, 5, filter=f'{{"docs": {few}}}') == rows[:5]


def test_before_there_is_an_index_every_word_weighs_one(conn: psycopg.Connection) -> None:
    put(conn, {1: ("voice one", "two three"), 2: ("five", "six voice"), 3: ("voice", None)})
    rows = search(conn, "voice one two three four five six")
    assert {doc: score for doc, score, _ in rows} == pytest.approx({1: 2.8, 2: 1.8})


def test_a_minimum_below_zero(conn: psycopg.Connection) -> None:
    with pytest.raises(BadArgument, match="minimum is -1") as error:
        search(conn, "voice", minimum=-1)
    assert error.value.sqlstate == "IR202"
    assert error.value.hint
