"""Topics of a text: the nearest abstracts, their words, LDA, and counts equal to boolean_search."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import psycopg
import pytest

from stcollection.errors import BadArgument, StateError, StcError
from stcollection.studies.coverage import lda
from stcollection.studies.coverage.cover import STEPS, count_documents, cover, find_documents
from stcollection.studies.coverage.near import Words, nearest, words_of
from stcollection.studies.coverage.records import KINDS, CoverageOptions, marks
from tests.studies.coverage.coverage_worlds import TEXT, remember, world

pytestmark = pytest.mark.slow


def test_the_nearest_come_first(conn: psycopg.Connection) -> None:
    world(conn)
    assert nearest(conn, TEXT, documents=12)[1] == list(range(1, 13))
    assert len(nearest(conn, TEXT, documents=1000)[1]) == 30  # documents without a vector are not neighbours


def test_words_come_only_from_abstracts(conn: psycopg.Connection) -> None:
    world(conn, texts={1: ("Zebra", "The cats and a cat met 42 real-time dogs."), 2: (None, "Dog, universal UNIVERSITY 3D x")})
    found = words_of(conn, [2, 1])
    held = {word: found.times[:, at].tolist() for at, word in enumerate(found.words)}
    # cat is indexed for both words and shown by the alphabetically first; 42, the compound real-time, x and stop words are missing
    assert held == {
        "3d": [1, 0],
        "cat": [0, 2],
        "dog": [1, 1],
        "met": [0, 1],
        "real": [0, 1],
        "time": [0, 1],
        "universal": [2, 0],
    }


COMMON = "This paper presents results of one method"


def test_common_words_are_left_out(conn: psycopg.Connection) -> None:
    texts = {n: (f"Paper {n}", f"{COMMON} on {theme}") for n, theme in enumerate(("voices", "robots", "voices and robots"), 1)}
    world(conn, texts=texts)
    assert words_of(conn, [1, 2, 3]).words == ("robots", "voices")
    every = words_of(conn, [1, 2, 3], options=CoverageOptions(stop_words=False)).words
    assert set(every) == {"method", "one", "paper", "presents", "results", "robots", "voices"}  # the index omits "this" and "on"
    done = cover(conn, TEXT, options=CoverageOptions(topics=2, words=2))
    assert {word for one in done.topics for word in one.words} == {"robots", "voices"}


def test_words_of_many_documents_are_left_out(conn: psycopg.Connection) -> None:
    """Of 40 documents, "voices" is in 20 and "robots" in 11; 10 documents are never too many."""
    subjects = [("voices " if n % 2 else "") + ("robots " if n < 11 else "") + f"zebra{n % 10}" for n in range(40)]
    world(conn, texts={n: (None, subject) for n, subject in enumerate(subjects, 1)})
    expected = {1.0: (True, True), 0.5: (True, True), 0.49: (False, True), 0.01: (False, False)}
    for share, (voices, robots) in expected.items():
        words = words_of(conn, range(1, 41), options=CoverageOptions(max_df=share)).words
        assert ("voices" in words, "robots" in words, "zebra1" in words) == (voices, robots, True), share


def test_nothing_but_common_words(conn: psycopg.Connection) -> None:
    world(conn, texts={1: ("One", COMMON)})
    with pytest.raises(StateError, match="contain no words") as error:
        cover(conn, TEXT, options=CoverageOptions(topics=1))
    assert error.value.hint == "Use more documents, or leave out fewer words."


def test_a_count_equals_boolean_search(conn: psycopg.Connection) -> None:
    world(conn)
    done = cover(conn, TEXT, options=CoverageOptions(documents=30, topics=3))
    assert {one.kind for one in done.topics} == set(KINDS)
    for one in done.topics:
        typed = " ".join(f"+{word}" for word in one.words)
        found = conn.execute("SELECT count(*) FROM boolean_search(%s, 1000000)", [typed]).fetchone()
        assert found == (one.count,), one
        assert one.count > 0
    plain = [one for one in done.topics if len(one.words) == 3]  # with so few words, all are required even without operators
    assert plain
    for one in plain:
        found = conn.execute("SELECT count(*) FROM boolean_search(%s, 1000000)", [" ".join(one.words)]).fetchone()
        assert found == (one.count,)


def test_within_abstracts_only(conn: psycopg.Connection) -> None:
    world(conn)
    [text], [abstract] = count_documents(conn, [["voice"]]), count_documents(conn, [["voice"]], within="abstract")
    assert (text, abstract) == conn.execute(
        "SELECT count(*) FILTER (WHERE content ~* '\\mvoices?\\M'), count(*) FILTER (WHERE abstract ~* '\\mvoices?\\M')"
        " FROM dblp_text"
    ).fetchone()
    assert 0 < abstract < text


def test_sets_without_words_match_no_document(conn: psycopg.Connection) -> None:
    world(conn)
    assert count_documents(conn, [[], ["the", "of"], ["voice"], ["voice"], ["voice", "the"], ["nowhere"]]) == [
        0,
        0,
        10 + 20,
        10 + 20,
        10 + 20,
        0,
    ]  # abstracts of the theme, and titles
    assert count_documents(conn, []) == []


@pytest.mark.parametrize("words", ["a'b", "voice)", "", "+voice", "a b", "x\\y"])
def test_strings_that_are_not_words_are_rejected(conn: psycopg.Connection, words: str) -> None:
    with pytest.raises(BadArgument, match="is not a word"):
        count_documents(conn, [["voice", words]])


@pytest.mark.parametrize("sets", ["{}", '["voice"]', "[[1]]", "null", '{"a": []}', "[[null]]"])
def test_sets_of_another_shape_are_rejected(conn: psycopg.Connection, sets: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        conn.execute("SELECT * FROM stc.coverage_counts(%s)", [sets])
    assert error.value.sqlstate == "IR202"


@pytest.mark.usefixtures("dsn")
def test_counts_come_from_the_index(conn: psycopg.Connection) -> None:
    world(conn)
    conn.execute("SELECT pg_stat_force_next_flush()")
    statement = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'dblp_text_tsv_gin'"
    before = conn.execute(statement).fetchone()
    count_documents(conn, [["voice", "home"], ["robots"], ["home", "voice"]])
    conn.execute("SELECT pg_stat_force_next_flush()")
    after = conn.execute(statement).fetchone()
    assert before is not None
    assert after == (before[0] + 2,)  # equal sets are counted once


def test_the_same_seed_gives_the_same_topics(conn: psycopg.Connection) -> None:
    world(conn)
    options = CoverageOptions(documents=30, topics=4)
    first, again = (cover(conn, TEXT, options=options) for _ in range(2))
    assert first.topics == again.topics
    assert [one.place for one in first.of("lda")] != []
    other = cover(conn, TEXT, options=replace(options, seed=2))
    assert [one for one in other.topics if one.kind == "lda"] != [one for one in first.topics if one.kind == "lda"]
    assert [one for one in other.topics if one.kind != "lda"] == [one for one in first.topics if one.kind != "lda"]


def test_lda_separates_themes() -> None:
    times = np.zeros((40, 6), dtype=np.int64)
    times[:25, :3] = (5, 4, 3)
    times[25:, 3:] = (5, 4, 3)
    found = lda.topics(Words(times, ("a", "b", "c", "d", "e", "f")), topics=2, words=3, seed=1)
    assert [words for words, _ in found] == [("a", "b", "c"), ("d", "e", "f")]
    assert [weight for _, weight in found] == pytest.approx([25 / 40, 15 / 40], abs=0.01)


def test_marks_equal_numpy_quartiles() -> None:
    counts = [40, 30, 20, 10, 5]
    first, third = np.quantile(counts, (0.25, 0.75))
    assert (first, third) == (10, 30)
    assert marks(counts) == ["frequent", "frequent", "", "rare", "rare"]
    assert marks([7, 7, 7]) == ["", "", ""]
    assert marks([]) == []
    assert marks([5]) == [""]


def test_topics_are_sorted_by_count(conn: psycopg.Connection) -> None:
    world(conn)
    done = cover(conn, TEXT, options=CoverageOptions(documents=30, topics=3))
    for kind in KINDS:
        counts = [one.count for one in done.of(kind)]
        assert counts == sorted(counts, reverse=True)


def test_steps_are_reported_and_can_be_interrupted(conn: psycopg.Connection) -> None:
    world(conn)
    told: list[str] = []
    done = cover(conn, TEXT, options=CoverageOptions(topics=3), on_step=told.append)
    assert tuple(told) == STEPS == tuple(done.seconds)
    left = threading.Event()

    def tell(step: str) -> None:
        if step == "LDA":
            left.set()
            raise StcError("left")

    with pytest.raises(StcError, match="left"):
        cover(conn, TEXT, options=CoverageOptions(topics=3), on_step=tell)
    assert left.is_set()


def test_the_documents_of_a_topic(conn: psycopg.Connection) -> None:
    world(conn, texts={1: ("On voices <&", "A voice & a home."), 2: ("Other", "No home here"), 3: ("Voice", None)})
    [one] = find_documents(conn, ["voice", "home"])
    assert (one.docno, one.total, one.title, one.abstract) == (
        "1",
        1,
        "On voices <&",
        "voice & a home",  # fragments begin and end with the requested words
    )
    assert [one.docno for one in find_documents(conn, ["voice"], within="abstract")] == ["1"]
    some = find_documents(conn, ["voice"], k=1)
    assert [(row.rank, row.total) for row in some] == [(1, 2)]
    assert find_documents(conn, ["nowhere"]) == []


# Errors ---------------------------------------------------------------------------------------------------------------------


def test_an_empty_corpus(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="the corpus is empty"):
        cover(conn, TEXT)


def test_no_vectors(conn: psycopg.Connection) -> None:
    world(conn)
    conn.execute("DELETE FROM dblp_v")
    with pytest.raises(StateError, match=r"no .*vectors"):
        cover(conn, TEXT)


def test_fewer_documents_than_topics(conn: psycopg.Connection) -> None:
    world(conn, texts={1: ("One", "A single voice at home, a voice.")})
    with pytest.raises(StateError, match="1 abstract is too few for 10 topics") as error:
        cover(conn, TEXT)
    assert error.value.hint == "Request fewer topics, or more documents."


def test_one_document(conn: psycopg.Connection) -> None:
    world(conn, texts={1: ("One", "A single voice at home, a voice.")})
    done = cover(conn, TEXT, options=CoverageOptions(topics=1, words=2))
    [one] = done.of("lda")
    assert (one.words[0], one.weight, one.count) == ("voice", 1.0, 1)
    assert [set(concept.words) for concept in done.of("concept")] == [{"home", "voice"}]  # "single" is a common word


def test_only_stop_words(conn: psycopg.Connection) -> None:
    world(conn, texts={1: ("One", "the of and"), 2: ("Two", "12 34")})
    with pytest.raises(StateError, match="contain no words"):
        cover(conn, TEXT, options=CoverageOptions(topics=1))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"documents": 0}, "documents is 0"), ({"topics": 0}, "topics is 0"), ({"words": 7}, "words is 7"),
        ({"seed": -1}, "seed is -1"),
        ({"support": 0.0}, "support is 0"), ({"support": 1.5}, "support is 1.5"), ({"support": float("nan")}, "support is nan"),
        ({"max_df": 0.0}, "max_df is 0"), ({"max_df": 1.1}, "max_df is 1.1"),
        ({"within": "title"}, "within is 'title'"),
    ],
)  # fmt: skip
def test_options_out_of_range(conn: psycopg.Connection, wrong: dict[str, int], said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        cover(conn, TEXT, options=CoverageOptions(**wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "  \n", "a\x00b"])
def test_no_text(conn: psycopg.Connection, text: str) -> None:
    world(conn)
    with pytest.raises(BadArgument, match="the text"):
        cover(conn, text)


def test_another_configuration(conn: psycopg.Connection) -> None:
    """The configuration simple has no stop words and no stems; words are counted as in the current index."""
    world(conn, texts=dict.fromkeys(range(1, 4), ("One", "the voices or a voice")))
    conn.execute("CALL stc.index_text(config => 'simple')")
    remember(conn, TEXT)
    done = cover(conn, TEXT, options=CoverageOptions(topics=1, words=6, stop_words=False))
    [one] = done.of("lda")
    assert set(one.words) == {"the", "voices", "or", "voice"}  # "a" has only one character
    assert one.count == 3
