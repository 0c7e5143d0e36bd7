"""bm25_search: the formula, both engines compared with each other and with bm25s, ties, user input, states of the index."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import bm25s
import numpy as np
import psycopg
import pytest
from hypothesis import given, settings

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, from_postgres
from tests.text.documents import ENGINES, REAL, Row, bm25, build, by_docno, clone, found, gains, ids, put, put_decoys, real, scans
from tests.text.typed import HOSTILE, TYPED

# Stemmed by hand; "the" is a stop word; title and abstract form one text.
TEXTS = {
    1: ("Voice assistants", "the assistant listens"),
    2: ("Listening", "voice voice voice"),
    3: ("Networks of sensors", None),
    4: (None, "An assistant for the voice of " + "many " * 60 + "people"),
    5: ("the", "of"),
}
WORDS = {
    1: ["voic", "assist", "assist", "listen"],
    2: ["listen", "voic", "voic", "voic"],
    3: ["network", "sensor"],
    4: ["assist", "voic", *["mani"] * 60, "peopl"],
    5: [],
}


@pytest.fixture(scope="module")
def small(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    """Return the texts above, indexed, with decoys (a stub, a document without text), for tests that only read."""
    with clone(server, admin, template, "bm25") as conn:
        put(conn, TEXTS)
        put_decoys(conn)
        build(conn)
        yield conn


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def search(conn: psycopg.Connection, query: str | None, k: int | None = 100, engine: str | None = None) -> list[Row]:
    try:
        return found(conn, "bm25_search", query, k, None, engine)
    except psycopg.Error as error:
        raise from_postgres(error) from error


def test_scores_are_those_of_the_formula(small: psycopg.Connection, engine: str) -> None:
    rows = search(small, "Assistants for voices", engine=engine)
    expected = bm25(WORDS, ["assist", "voic"])
    assert {doc: score for doc, score, _ in rows} == pytest.approx(expected, rel=1e-6)
    assert ids(rows) == sorted(expected, key=expected.__getitem__, reverse=True)
    assert [rank for _, _, rank in rows] == [1, 2, 3]


def test_one_score_by_hand(small: psycopg.Connection, engine: str) -> None:
    # 4 documents have 73 words; "network" occurs once, in a document of two words.
    [(doc, score, rank)] = search(small, "networks", engine=engine)
    assert (doc, rank) == (3, 1)
    assert score == pytest.approx(math.log(1 + 3.5 / 1.5) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / (73 / 4))), rel=1e-6)


def test_a_repeated_word_of_the_query_counts_as_often(small: psycopg.Connection, engine: str) -> None:
    rows = search(small, "voice assistants, voice, VOICES", engine=engine)
    assert {doc: score for doc, score, _ in rows} == pytest.approx(bm25(WORDS, ["voic", "assist", "voic", "voic"]), rel=1e-6)


def test_other_parameters_and_configuration(conn: psycopg.Connection) -> None:
    put(conn, {1: ("The voices", "of voices"), 2: ("the voice", None)})
    words = {1: ["the", "voices", "of", "voices"], 2: ["the", "voice"]}
    for one in ENGINES:
        conn.execute("CALL stc.index_text(config => 'simple', k1 => 2, b => 0.3, engine => %s)", [one])
        got = {doc: score for doc, score, _ in search(conn, "the voices", engine=one)}
        assert got == pytest.approx(bm25(words, ["the", "voices"], k1=2, b=0.3), rel=1e-6)


def test_fewer_than_k_and_exactly_k(small: psycopg.Connection, engine: str) -> None:
    assert len(search(small, "voice", 2**31 - 1, engine)) == 3
    assert search(small, "voice", 2, engine) == search(small, "voice", 3, engine)[:2]


@pytest.mark.parametrize("query", ["", "   ", "the of and", "zebra", "!", '"', None])
def test_no_word_that_occurs_no_rows(small: psycopg.Connection, engine: str, query: str | None) -> None:
    assert search(small, query, engine=engine) == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("=+voice +assistant -networks", "voice assistant"),
        ('"voice assistant" -"sensor networks"', "voice assistant"),
        ("voice - assistant", "voice assistant"),
        ("<b>voice</b> <assistant", "voice assistant"),
        ("voice* assistant~2 AND (NOT)", "voice assistant"),
        ("--networks", ""),
    ],
)
def test_syntax_is_not_words(small: psycopg.Connection, engine: str, typed: str, meant: str) -> None:
    assert search(small, typed, engine=engine) == search(small, meant, engine=engine)


def test_texts_of_stop_words_alone(conn: psycopg.Connection) -> None:
    put(conn, {1: ("the", "of"), 2: ("a", None)})
    for engine in ENGINES:
        build(conn, engine)
        assert search(conn, "the voice", engine=engine) == search(conn, "of", engine=engine) == []


def test_equal_scores_are_ordered_by_docno_as_bytes(conn: psycopg.Connection) -> None:
    docnos = {1: "a", 2: "B", 3: "10", 4: "9", 5: "é", 6: "Z"}
    put(conn, dict.fromkeys(docnos, ("voice", None)) | {7: ("voice voice", None)}, docnos | {7: "0"})
    build(conn)
    for one in ENGINES:
        rows = search(conn, "voice", engine=one)
        assert by_docno(conn, rows) == ["0", "é", "a", "Z", "B", "9", "10"]
        assert [rank for _, _, rank in rows] == [1, 2, 3, 4, 5, 6, 7]
        for k in range(1, 7):
            assert search(conn, "voice", k, one) == rows[:k]


def test_all_documents_of_the_last_score_are_looked_at(conn: psycopg.Connection) -> None:
    """There are many more than the extra documents fetched beyond k, with and without a filter."""
    put(conn, dict.fromkeys(range(1, 2600), ("voice", None)) | dict.fromkeys(range(2600, 2610), ("voice voice", None)))
    conn.execute("UPDATE dblp SET doc = jsonb_build_object('year', 2000 + id % 2)")
    build(conn)
    for narrow in (None, '{"year": 2001}'):
        expected = ids(found(conn, "bm25_search", "voice", 3000, narrow, "portable"))
        assert len(expected) == (2609 if narrow is None else 1305)
        for k in (1, 12, 40, 1304):
            assert ids(found(conn, "bm25_search", "voice", k, narrow, "pg_textsearch")) == expected[:k]


@pytest.mark.usefixtures("dsn")
def test_the_index_is_used_and_settings_are_left_as_they_were(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    build(conn)
    conn.execute("SET enable_indexscan = off")
    before = scans(conn, "dblp_text_bm25")
    assert {doc: score for doc, score, _ in search(conn, "voice")} == pytest.approx(bm25(WORDS, ["voic"]), rel=1e-6)
    assert scans(conn, "dblp_text_bm25") == before + 1
    assert conn.execute("SHOW enable_indexscan").fetchone() == ("off",)
    assert conn.execute("SHOW enable_seqscan").fetchone() == ("on",)


@pytest.mark.parametrize("k", [0, -1, None])
def test_k_below_one(small: psycopg.Connection, engine: str, k: int | None) -> None:
    with pytest.raises(BadArgument, match="k is") as error:
        search(small, "voice", k, engine)
    assert error.value.sqlstate == "IR201"


def test_an_engine_that_is_none(small: psycopg.Connection, engine: str) -> None:
    with pytest.raises(BadArgument, match="lucene") as error:
        search(small, "voice", engine="lucene")
    assert error.value.sqlstate == "IR202"


def test_without_an_index(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    for engine in (None, "pg_textsearch"):
        with pytest.raises(StateError, match="no text index") as error:
            search(conn, "voice", engine=engine)
        assert error.value.sqlstate == "IR402"
    said = notices(conn)
    assert {doc: score for doc, score, _ in search(conn, "voice", engine="portable")} == pytest.approx(
        bm25(WORDS, ["voic"]), rel=1e-6
    )
    assert "missing" in said[-1]


def test_a_stale_index_answers_by_the_rows_or_not_at_all(conn: psycopg.Connection, engine: str) -> None:
    put(conn, TEXTS)
    build(conn, engine)
    put(conn, {6: ("Voice of networks", None)})
    for wanted in (None, "pg_textsearch"):
        with pytest.raises(StateError, match="stale") as error:
            search(conn, "voice", engine=wanted)
        assert error.value.sqlstate == "IR401"
        assert "stc index" in str(error.value.hint)
    said = notices(conn)
    live = {doc: score for doc, score, _ in search(conn, "voice networks", engine="portable")}
    assert live == pytest.approx(bm25(WORDS | {6: ["voic", "network"]}, ["voic", "network"]), rel=1e-6)
    assert "stale" in said[-1]
    conn.execute("CALL stc.index_text(engine => %s)", [engine])
    assert {doc: score for doc, score, _ in search(conn, "voice networks")} == pytest.approx(live, rel=1e-6)


def test_an_index_that_is_gone_is_stood_in_for(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    build(conn)
    expected = search(conn, "voice assistants", engine="portable")
    conn.execute("DROP INDEX dblp_text_bm25")
    said = notices(conn)
    assert search(conn, "voice assistants") == expected
    assert "portable BM25 answers" in said[-1]
    with pytest.raises(StateError) as error:
        search(conn, "voice", engine="pg_textsearch")
    assert error.value.sqlstate == "IR402"


def test_a_broken_index_is_never_silent(conn: psycopg.Connection, dsn: str) -> None:
    put(conn, TEXTS)
    build(conn)
    expected = search(conn, "voice")
    with conn.transaction(force_rollback=True):
        conn.execute("TRUNCATE dblp_text CASCADE")
    with psycopg.connect(dsn, autocommit=True) as fresh:
        [sound] = fresh.execute("SELECT sound FROM stc.text_status()").fetchone() or (None,)
        if sound:  # a pg_textsearch that survives the rollback
            assert search(fresh, "voice") == expected
        else:
            with pytest.raises(StateError) as error:
                search(fresh, "voice")
            assert error.value.sqlstate == "IR401"
        fresh.execute("CALL stc.index_text()")
        assert search(fresh, "voice") == expected


def notices(conn: psycopg.Connection) -> list[str]:
    said: list[str] = []
    conn.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
    return said


# user input ------- ---------------------------------------------


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: query[:12])
def test_anything_is_a_query(small: psycopg.Connection, engine: str, query: str) -> None:
    search(small, query, engine=engine)


@pytest.mark.slow
@given(query=TYPED)
@settings(max_examples=300, deadline=None)
def test_whatever_is_typed_both_engines_agree(small: psycopg.Connection, query: str) -> None:
    fast, portable = (search(small, query, engine=engine) for engine in ENGINES)
    assert_alike(fast, portable)


# real collections ----------------------------------------------------


def assert_alike(fast: list[Row], portable: list[Row]) -> None:
    """Compare rankings; scores within 1e-6 may be in any order, with any choice at the end."""
    assert len(fast) == len(portable)
    a, b = (np.array([score for _, score, _ in rows]) for rows in (fast, portable))
    np.testing.assert_allclose(a, b, rtol=1e-6)
    missing = set(ids(portable)) - set(ids(fast))
    assert all(score <= portable[-1][1] * (1 + 1e-6) for doc, score, _ in portable if doc in missing)
    place = {doc: rank for doc, _, rank in fast}
    for doc, score, rank in portable:
        if doc in place:
            assert abs(fast[place[doc] - 1][1] - score) <= 1e-6 * score, (doc, rank, place[doc])


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.long if name == "npl" else []) for name in REAL])
def name(request: pytest.FixtureRequest, conn: psycopg.Connection, dsn: str, data: Path) -> str:
    real(conn, dsn, data, request.param)
    return str(request.param)


@pytest.mark.slow
def test_both_engines_rank_real_collections_alike_and_well(conn: psycopg.Connection, data: Path, name: str) -> None:
    judged, values = gains(data, name), []
    for query, text in conn.execute("SELECT query, text FROM st1_queries").fetchall():
        fast = search(conn, text, 1000)
        assert_alike(fast, search(conn, text, 1000, "portable"))
        if query in judged:
            values.append(ndcg(by_docno(conn, fast[:10]), judged[query]))
    assert len(values) == len(judged)
    assert sum(values) / len(values) >= REAL[name].ndcg


def ndcg(ranked: list[str], gains: dict[str, int], cutoff: int = 10) -> float:
    discounts = [1 / math.log2(rank + 1) for rank in range(1, cutoff + 1)]
    ideal = sorted((gain for gain in gains.values() if gain > 0), reverse=True)
    best = sum(gain * discount for gain, discount in zip(ideal, discounts, strict=False))
    return sum(gains.get(doc, 0) * discount for doc, discount in zip(ranked, discounts, strict=False)) / (best or 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cacm"], indirect=True)
def test_scores_are_those_of_bm25s(conn: psycopg.Connection, name: str) -> None:
    """Both get the same lexemes; documents have fewer than 40 tokens, lengths that Lucene's byte represents exactly."""
    conn.execute("DELETE FROM dblp_text USING stc.text_lengths l WHERE l.id = dblp_text.id AND l.tokens >= 40")
    conn.execute("CALL stc.index_text()")
    docs, words = zip(
        *conn.execute(
            "SELECT t.id, array_agg(u.lexeme) FROM dblp_text t, unnest(tsv) u, unnest(u.positions) GROUP BY t.id ORDER BY t.id"
        ),
        strict=True,
    )
    oracle = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    oracle.index([list(one) for one in words], show_progress=False)
    for (text,) in conn.execute("SELECT text FROM st1_queries").fetchall():
        lexemes = [
            lexeme
            for lexeme, times in conn.execute("SELECT lexeme, qtf FROM stc.query_words('english', stc.indexed_words(%s))", [text])
            if lexeme in oracle.vocab_dict
            for _ in range(times)
        ]
        # bm25s omits the factor k1 + 1.
        expected = dict(zip(docs, oracle.get_scores(lexemes) * 2.2, strict=True))
        rows = search(conn, text, len(docs))
        assert len(rows) == np.count_nonzero(list(expected.values()))
        np.testing.assert_allclose([score for _, score, _ in rows], [expected[doc] for doc, _, _ in rows], rtol=2e-6)
