"""rm3_terms and rm3_search: by hand, compared with RM3 in Python, filters, both engines, states of the index, errors."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, from_postgres
from tests.retrieval.test_bm25 import assert_alike
from tests.text.documents import ENGINES, Row, bm25, build, clone, found, ids, put, put_decoys, real, scans
from tests.text.typed import HOSTILE

pytestmark = pytest.mark.slow

# "voice" finds 1, 2 and 4; kitchens lead to 3. 100 more documents keep a word in three documents below a tenth of all.
TEXTS: dict[int, tuple[str | None, str | None]] = {
    1: ("Voice assistants", "voice in kitchens, 3.5 times"),
    2: ("Voice", "kitchen kitchen robots"),
    3: ("Kitchen robots", "cooking"),
    4: ("Voice, common", "filling words anew"),
} | {doc: (f"common filling{doc}", None) for doc in range(110, 210)}
WORDS = {
    1: ["voic", "assist", "voic", "kitchen", "3.5", "time"],
    2: ["voic", "kitchen", "kitchen", "robot"],
    3: ["kitchen", "robot", "cook"],
    4: ["voic", "common", "fill", "word", "anew"],
} | {doc: ["common", f"filling{doc}"] for doc in range(110, 210)}
Terms = dict[str, tuple[str, float, bool]]


@pytest.fixture(scope="module")
def small(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    """Return the texts above, indexed, with decoys, for tests that only read."""
    with clone(server, admin, template, "rm3") as conn:
        put(conn, TEXTS)
        put_decoys(conn)
        build(conn)
        yield conn


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def terms(conn: psycopg.Connection, query: str | None, **options: object) -> Terms:
    return {row[0]: row[1:] for row in call(conn, "stc.rm3_terms", query, **options)}  # type: ignore[misc]


def search(conn: psycopg.Connection, query: str | None, k: object = 100, **options: object) -> list[Row]:
    return call(conn, "rm3_search", query, k=k, **options)  # type: ignore[return-value]


def call(conn: psycopg.Connection, function: str, query: str | None, **options: object) -> list[tuple[object, ...]]:
    given = "".join(f", {name} => %s" for name in options)
    try:
        return conn.execute(f"SELECT * FROM {function}(%s{given})", [query, *options.values()]).fetchall()
    except psycopg.Error as error:
        raise from_postgres(error) from error


def expanded(
    documents: Mapping[int, Sequence[str]],
    query: Sequence[str],
    docs: Sequence[tuple[int, float]],
    *,
    estimate: str,
    fb_terms: int = 10,
    original_weight: float = 0.5,
) -> dict[str, float]:
    """Compute RM3 by the formulas in sql/retrieval/rm3_terms.sql. :param docs: feedback documents with their scores."""
    n = sum(1 for words in documents.values() if words)
    held = Counter(word for words in documents.values() for word in set(words))
    model: defaultdict[str, float] = defaultdict(float)
    for doc, score in docs:
        tf = {
            word: times
            for word, times in Counter(documents[doc]).items()
            if 2 <= len(word) <= 20 and re.fullmatch(r"[^\W_]+", word) and held[word] <= n / 10
        }
        if estimate == "anserini":
            tf = {word: tf[word] for word in sorted(tf, key=lambda word: (-tf[word], word.encode()))[:fb_terms]}
        for word, times in tf.items():
            idf = math.log(1 + (n - held[word] + 0.5) / (held[word] + 0.5))
            model[word] += score * (times / sum(tf.values()) if estimate == "anserini" else times * idf)
    best = sorted(model, key=lambda word: (-model[word], word.encode()))[:fb_terms]
    mass = sum(model[word] for word in best)
    share = original_weight if best else 1.0
    weights: defaultdict[str, float] = defaultdict(float)
    for word in query:
        weights[word] += share / len(query)
    for word in best:
        weights[word] += (1 - share) * model[word] / mass
    return {word: weight for word, weight in weights.items() if weight > 0}


def weighted(documents: Mapping[int, Sequence[str]], weights: Mapping[str, float]) -> dict[int, float]:
    """Return scores above 0 for weighted words."""
    scores: defaultdict[int, float] = defaultdict(float)
    for word, weight in weights.items():
        for doc, score in bm25(documents, [word]).items():
            scores[doc] += weight * score
    return dict(scores)


# by hand -------------------------------------------------------------


def test_weights_of_the_tfidf_estimate_by_hand(small: psycopg.Connection, engine: str) -> None:
    """voic and kitchen occur in three documents each and have the same idf; 1 has them 2 and 1 times, 2 the reverse."""
    scores = bm25(WORDS, ["voic"])
    a, b = scores[1], scores[2]
    got = terms(small, "voices", fb_docs=2, fb_terms=2, engine=engine)
    assert list(got) == ["voic", "kitchen"]
    assert [(word, original) for word, _, original in got.values()] == [("voice", True), ("kitchen", False)]
    assert [weight for _, weight, _ in got.values()] == pytest.approx(
        [0.5 + 0.5 * (2 * a + b) / (3 * a + 3 * b), 0.5 * (a + 2 * b) / (3 * a + 3 * b)], rel=1e-5
    )


def test_weights_of_anserinis_estimate_by_hand(small: psycopg.Connection, engine: str) -> None:
    """Each document keeps three words: 1 voic 2, assist, kitchen (time is cut, "3.5" cannot be added); 2 kitchen 2, robot, voic."""
    scores = bm25(WORDS, ["voic"])
    a, b = scores[1], scores[2]
    assert a > b
    model = {"voic": a * 2 / 4 + b / 4, "kitchen": a / 4 + b * 2 / 4, "assist": a / 4}  # robot, b / 4, is the fourth
    mass = sum(model.values())
    got = terms(small, "voices", fb_docs=2, fb_terms=3, original_weight=0.8, estimate="anserini", engine=engine)
    assert {lexeme: weight for lexeme, (_, weight, _) in got.items()} == pytest.approx(
        {
            "voic": 0.8 + 0.2 * model["voic"] / mass,
            "kitchen": 0.2 * model["kitchen"] / mass,
            "assist": 0.2 * model["assist"] / mass,
        },
        rel=1e-5,
    )


@pytest.mark.parametrize("estimate", ["tfidf", "anserini"])
def test_scores_are_bm25_of_the_weighted_words(small: psycopg.Connection, engine: str, estimate: str) -> None:
    feedback = sorted(bm25(WORDS, ["voic", "robot"]).items(), key=lambda item: -item[1])
    weights = expanded(WORDS, ["voic", "robot"], feedback, estimate=estimate, original_weight=0.3)
    got = terms(small, "robot voices", original_weight=0.3, estimate=estimate, engine=engine)
    assert {lexeme: weight for lexeme, (_, weight, _) in got.items()} == pytest.approx(weights, rel=1e-5)
    rows = search(small, "robot voices", original_weight=0.3, estimate=estimate, engine=engine)
    expected = weighted(WORDS, weights)
    assert {doc: score for doc, score, _ in rows} == pytest.approx(expected, rel=1e-5)
    assert 3 in expected  # which does not contain voice
    assert [rank for _, _, rank in rows] == list(range(1, len(rows) + 1))
    assert [score for _, score, _ in rows] == sorted((score for _, score, _ in rows), reverse=True)


def test_words_everywhere_and_words_with_signs_are_not_added(small: psycopg.Connection, engine: str) -> None:
    got = terms(small, "voice", fb_terms=100, engine=engine)
    assert set(got) == {"voic", "assist", "kitchen", "time", "robot", "fill", "word", "anew"}  # no common, no 3.5
    got = terms(small, "voice 3.5 common", fb_terms=100, engine=engine)
    assert {"3.5", "common"} < set(got)  # the query's own


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_weights_sum_to_one_and_all_are_above_zero(small: psycopg.Connection, engine: str, weight: float) -> None:
    got = terms(small, "voice voice robots zebra", original_weight=weight, engine=engine)
    assert math.fsum(one for _, one, _ in got.values()) == pytest.approx(1)
    assert all(one > 0 for _, one, _ in got.values())
    assert [one for _, one, _ in got.values()] == sorted((one for _, one, _ in got.values()), reverse=True)
    if weight == 1:
        assert {lexeme: one for lexeme, (_, one, _) in got.items()} == pytest.approx({"voic": 0.5, "robot": 0.25, "zebra": 0.25})
    assert {lexeme for lexeme, (*_, original) in got.items() if original} <= {"voic", "robot", "zebra"}
    assert [word for word, _, _ in got.values() if word is None] == []


# contract ------------------------------------------------------------


@pytest.mark.parametrize("query", ["voice", "robots for kitchens", "voice voice robot kitchen", "common voices"])
def test_all_weight_to_the_query_is_the_order_of_bm25(small: psycopg.Connection, engine: str, query: str) -> None:
    rows = search(small, query, original_weight=1, engine=engine)
    plain = found(small, "bm25_search", query, 100, None, "portable")
    assert ids(rows) == ids(plain)
    ratios = [score / other for (_, score, _), (_, other, _) in zip(rows, plain, strict=True)]
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-6)


@pytest.mark.parametrize("query", ["", "zebra", "the of", None])
def test_without_a_word_that_occurs_no_rows(small: psycopg.Connection, engine: str, query: str | None) -> None:
    assert search(small, query, engine=engine) == []
    assert {(lexeme, weight) for lexeme, (_, weight, _) in terms(small, query, engine=engine).items()} == (
        {("zebra", 1.0)} if query == "zebra" else set()
    )


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: query[:12])
def test_anything_is_a_query(small: psycopg.Connection, engine: str, query: str) -> None:
    search(small, query, engine=engine)
    terms(small, query, engine=engine)


def test_equal_scores_by_docno_also_at_the_cut(conn: psycopg.Connection) -> None:
    put(conn, dict.fromkeys(range(1, 7), ("voice", None)) | {doc: (f"other{doc}", None) for doc in range(10, 90)})
    build(conn)
    for one in ENGINES:
        assert ids(search(conn, "voice", engine=one)) == [6, 5, 4, 3, 2, 1]
        assert ids(search(conn, "voice", 2, engine=one)) == [6, 5]


@pytest.mark.usefixtures("dsn")
def test_the_index_is_used_and_settings_are_left_as_they_were(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    build(conn)
    before = scans(conn, "dblp_text_bm25")
    search(conn, "voice")
    assert scans(conn, "dblp_text_bm25") == before + 2  # feedback, candidates
    assert conn.execute("SHOW enable_seqscan").fetchone() == ("on",)


def test_a_filter_holds_for_feedback_and_for_what_is_found(small: psycopg.Connection, engine: str) -> None:
    only: dict[str, object] = {"filter": '{"docs": [2, 3, 4, 110, 111]}', "engine": engine}
    assert not {"assist", "time"} & set(terms(small, "voice", **only))
    rows = search(small, "voice", **only)
    weights = {lexeme: weight for lexeme, (_, weight, _) in terms(small, "voice", **only).items()}
    expected = {doc: score for doc, score in weighted(WORDS, weights).items() if doc in {2, 3, 4, 110, 111}}
    assert {doc: score for doc, score, _ in rows} == pytest.approx(expected, rel=1e-5)
    assert search(small, "voice", k=2, **only) == rows[:2]
    assert search(small, "voice", filter='{"docs": [999]}', engine=engine) == []


def test_a_filter_of_many_documents_gives_exactly_k(conn: psycopg.Connection) -> None:
    """3,600 documents contain the word and every third matches the filter, too many to score all.

    Documents outside the filter score higher. Ten have distinct scores, so that the feedback is unique; the rest are tied.
    """
    put(conn, {n: ("voice " * (1 + n % 3 + max(0, 60 - n)) + "of people", f"number{n}") for n in range(1, 3601)})
    build(conn)
    conn.execute("UPDATE dblp_facts SET year = 2000 + id % 3")
    rows = [search(conn, "voices", 50, filter='{"year": 2000}', engine=engine) for engine in ENGINES]
    assert ids(rows[0]) == ids(rows[1])
    assert len(rows[0]) == 50
    assert all(doc % 3 == 0 for doc in ids(rows[0]))


@pytest.mark.parametrize(
    ("options", "sqlstate", "said"),
    [
        ({"k": 0}, "IR201", "k is 0"),
        ({"k": None}, "IR201", "k is NULL"),
        ({"fb_docs": 0}, "IR201", "fb_docs is 0"),
        ({"fb_terms": None}, "IR201", "fb_terms is NULL"),
        ({"original_weight": 1.5}, "IR202", "original_weight is 1.5"),
        ({"original_weight": float("nan")}, "IR202", "original_weight is NaN"),
        ({"engine": "lucene"}, "IR202", "lucene"),
        ({"estimate": "rocchio"}, "IR202", "rocchio"),
        ({"filter": '{"colour": 1}'}, "IR202", "colour"),
    ],
)
def test_arguments_out_of_range(small: psycopg.Connection, options: dict[str, object], sqlstate: str, said: str) -> None:
    with pytest.raises(BadArgument, match=said) as error:
        call(small, "rm3_search", "voice", **options)
    assert error.value.sqlstate == sqlstate
    assert error.value.hint


def test_without_an_index_or_with_a_stale_one(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    with pytest.raises(StateError, match="no text index") as error:
        search(conn, "voice")
    assert error.value.sqlstate == "IR402"
    live = search(conn, "voice", engine="portable")
    build(conn)
    assert_alike(search(conn, "voice"), live)
    put(conn, {5: ("Voice of the voice", "kitchens")})
    with pytest.raises(StateError, match="stale") as error:
        search(conn, "voice")
    assert error.value.sqlstate == "IR401"
    live = search(conn, "voice", engine="portable")
    assert 5 in ids(live)
    build(conn)
    assert_alike(search(conn, "voice"), live)


def test_a_broken_or_missing_index_is_stood_in_for(conn: psycopg.Connection) -> None:
    put(conn, TEXTS)
    build(conn)
    expected = search(conn, "voice assistants")
    conn.execute("DROP INDEX dblp_text_bm25")
    assert search(conn, "voice assistants") == expected


# real collections ----------------------------------------------------


@pytest.mark.parametrize("estimate", ["tfidf", "anserini"])
def test_it_is_rm3_computed_apart_on_a_real_collection(conn: psycopg.Connection, dsn: str, data: Path, estimate: str) -> None:
    real(conn, dsn, data, "cranfield")
    words: dict[int, list[str]] = {doc: [] for (doc,) in conn.execute("SELECT id FROM dblp_text")}
    for doc, lexeme, times in conn.execute("SELECT t.id, u.lexeme, cardinality(u.positions) FROM dblp_text t, unnest(t.tsv) u"):
        words[doc] += [lexeme] * times
    for (text,) in conn.execute("SELECT text FROM st1_queries ORDER BY id LIMIT 15").fetchall():
        query = [
            lexeme
            for lexeme, times in conn.execute("SELECT lexeme, qtf FROM stc.query_words('english', stc.scored_words(%s))", [text])
            for _ in range(times)
        ]
        feedback = [(doc, score) for doc, score, _ in found(conn, "bm25_search", text, 10)]
        weights = expanded(words, query, feedback, estimate=estimate)
        got = {lexeme: weight for lexeme, (_, weight, _) in terms(conn, text, estimate=estimate).items()}
        assert got == pytest.approx(weights, rel=1e-6)
        scores = weighted(words, weights)
        rows = search(conn, text, 200, estimate=estimate)
        best = sorted(scores, key=lambda doc: -scores[doc])[:200]
        assert [score for _, score, _ in rows] == pytest.approx([scores[doc] for doc in best], rel=1e-6)
        assert [scores[doc] for doc in ids(rows)] == pytest.approx([score for _, score, _ in rows], rel=1e-6)


@pytest.mark.parametrize("k", [10, 1000])
def test_both_engines_agree_on_a_real_collection(conn: psycopg.Connection, dsn: str, data: Path, k: int) -> None:
    real(conn, dsn, data, "cacm")
    for (text,) in conn.execute("SELECT text FROM st1_queries ORDER BY id LIMIT 20").fetchall():
        assert_alike(search(conn, text, k), search(conn, text, k, engine="portable"))
