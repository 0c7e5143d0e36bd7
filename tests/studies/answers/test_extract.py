"""Extraction: terms, sentences and windows by hand; storing, evaluating and tuning."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from hypothesis import strategies as st

from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.studies.answers.extract import ExtractOptions, character_f1, extract, quality, tune
from tests.groups import answers
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, put

pytestmark = pytest.mark.slow


def value(conn: psycopg.Connection, statement: str, *arguments: object) -> object:
    row = conn.execute(statement, arguments).fetchone()
    assert row is not None
    return row[0]


TERMS = {
    "可以喝冰": ["以喝", "可以", "喝冰"],
    "吃 15天，3.5克": ["15", "3.5", "克", "吃", "天"],
    "Ｎｏｔ SAFE weeks": ["not", "safe", "week"],
    "a&nbsp;b &amp; c&d": ["a", "b", "c", "d"],
    "ご飯 한국어 Ünïted": ["ünïted", "ご飯", "국어", "한국"],
    "": [],
    "…？!": [],
    "𠮷野家": ["野家", "𠮷野"],
}


def test_terms_are_pairs_of_characters_and_stems_of_words(conn: psycopg.Connection) -> None:
    rows = conn.execute("SELECT t, tsvector_to_array(stc.answer_terms(t)) FROM unnest(%s::text[]) t", [[*TERMS]]).fetchall()
    assert {text: sorted(terms) for text, terms in rows} == {text: sorted(terms) for text, terms in TERMS.items()}


@how(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
def test_no_text_is_too_odd(conn: psycopg.Connection, text: str) -> None:
    conn.execute("SELECT stc.answer_terms(%s), stc.answer_sentences_of(%s), stc.answer_is_question(%s)", [text, text, text])


def test_a_huge_text_has_terms_and_sentences(conn: psycopg.Connection) -> None:
    assert value(conn, "SELECT length(stc.answer_terms(repeat('汉字和', 400000) || repeat('x', 100000)))") == 3
    assert value(conn, "SELECT max(length(lexeme)) FROM unnest(stc.answer_terms(repeat('x', 19999)))") == 100
    long = "SELECT tsvector_to_array(stc.answer_terms(repeat('ab ', 6665) || %s))"
    for end, terms in {"cdef ghij": ["ab", "cdef"], "cdefghij": ["ab"], "cdefg": ["ab", "cdefg"], "cdef": ["ab", "cdef"]}.items():
        assert conn.execute(long, [end]).fetchone() == (terms,), end  # the 20,000th character is g or a blank after cdef
    assert value(conn, "SELECT cardinality(stc.answer_sentences_of(repeat('汉', 8000)))") == 100


SENTENCES = {
    "可以喝。不要多喝！\n首页\t导航": ["可以喝。", "不要多喝！", "首页 导航"],
    "能喝吗?可以的；少喝": ["能喝吗?", "可以的；", "少喝"],
    "It is 3.5 km. Not far.\r\nReally?": ["It is 3.5 km.", "Not far.", "Really?"],
    "汉" * 50 + "，" + "字" * 50: ["汉" * 50 + "，", "字" * 50],
    "，" + "字" * 90: ["字" * 80, "字" * 10],
    "word " * 60: [("word " * 48).strip(), ("word " * 12).strip()],
    "": [],
    " \n。\n": [],
}


def test_sentences_end_at_line_ends_punctuation_and_length_limits(conn: psycopg.Connection) -> None:
    rows = conn.execute("SELECT t, stc.answer_sentences_of(t) FROM unnest(%s::text[]) t", [[*SENTENCES]]).fetchall()
    assert dict(rows) == SENTENCES


ASKS = {"可以喝吗": True, "能不能喝呢。": True, "Is it safe?”": True, "可以喝的。": False, "不能喝！": False, "": False}


def test_a_question_is_recognised_by_its_end(conn: psycopg.Connection) -> None:
    rows = conn.execute("SELECT t, stc.answer_is_question(t) FROM unnest(%s::text[]) t", [[*ASKS]]).fetchall()
    assert dict(rows) == ASKS


def windows(conn: psycopg.Connection, key: int, *arguments: object) -> list[tuple[object, ...]]:
    conn.execute("SELECT stc.answer_index(s.set, s.split) FROM stc.answer_sets s WHERE s.id = %s", [key])
    call = "stc.answer_windows(%s" + ", %s" * len(arguments) + ")"
    return conn.execute(
        f"SELECT d.doc_id, w.first, w.last, w.text, w.score, w.rank FROM {call} w JOIN stc.answer_documents d ON d.id = w.document",
        [key, *arguments],
    ).fetchall()


def test_a_window_score_equals_the_formula(conn: psycopg.Connection) -> None:
    key = put(
        conn, [Question("red fox", [Doc("a", "animals", "A red fox runs far. Cats sleep."), Doc("b", "", "A fox? It is red.")])]
    )
    # Sentences: animals | a red fox run far | cat sleep | '' | a fox | it is red. red and fox each occur in two of six.
    # Their idf is equal, so each weighs 1/2. The mean length is (1 + 5 + 2 + 0 + 2 + 3) / 6.
    mean = 13 / 6

    def brevity(terms: int) -> float:
        return 2.2 / (1 + 1.2 * (0.25 + 0.75 * terms / mean))

    got = windows(conn, key, 1)
    # The first sentence of a contains all terms of the query, so it counts as the question; the second follows it.
    assert [row[:4] for row in got] == [("a", 2, 2, "Cats sleep."), ("b", 2, 2, "It is red.")]
    assert [row[4] for row in got] == pytest.approx([0.5 * brevity(2), (0.5 + 0.5 * 0.5) * brevity(3)])
    assert windows(conn, key, 1, 1, 0.0, 0.0)[0][1:5] == (1, 1, "A red fox runs far.", pytest.approx(0.25 * brevity(5)))


def test_idf_is_over_the_sentences_of_the_query(conn: psycopg.Connection) -> None:
    key = put(conn, [Question("red fox cave", [Doc("a", "", "Red one. Red two. Fox three.")])])
    put(conn, [Question("red fox cave", [Doc("a", "", "Fox fox. Fox.")])], set="decoy")
    windows(conn, key)
    red, fox = (
        math.log(1 + 2.5 / 2.5),
        math.log(1 + 3.5 / 1.5),
    )  # of 4 sentences, with the title; cave does not occur and has no weight
    rows = conn.execute("SELECT place, before, weight FROM stc.answer_sentence_matches(%s) ORDER BY place", [key]).fetchall()
    assert [row[:2] for row in rows] == [(1, None), (2, 1), (3, None)]
    assert [row[2] for row in rows] == pytest.approx([red / (red + fox)] * 2 + [fox / (red + fox)])


def test_a_single_character_of_a_pair_counts_a_quarter(conn: psycopg.Connection) -> None:
    key = put(conn, [Question("冰水", [Doc("a", "", "冰块好。冰水好。水好。")])])
    windows(conn, key)
    pair, character = math.log(1 + 3.5 / 1.5), math.log(1 + 2.5 / 2.5) / 4  # of 4 sentences, with the title
    rows = conn.execute("SELECT place, whole, weight FROM stc.answer_sentence_matches(%s) ORDER BY 1, 2", [key]).fetchall()
    assert [row[:2] for row in rows] == [(1, False), (2, False), (2, True)]
    both = pair + character
    assert [row[2] for row in rows] == pytest.approx([character / both, character / both, pair / both])


def test_two_extractions_at_once_keep_the_first(dsn: str) -> None:
    with open_session(dsn) as first, open_session(dsn, autocommit=True) as second, ThreadPoolExecutor(1) as other:
        with first.transaction():
            put(first, [WORKED])
        extraction = {"set": "world", "split": "dev", "source": "w"}
        with first.transaction():
            extract(first, **extraction)  # type: ignore[arg-type]
            waits = other.submit(extract, second, **extraction)  # type: ignore[arg-type]
        with pytest.raises(BadArgument, match="already has extracted answers 'w'"):
            waits.result(timeout=60)
        assert quality(first, set="world", split="dev", source="w").answered == 3


def test_the_worked_example_is_answered(conn: psycopg.Connection) -> None:
    key = put(conn, [WORKED])
    assert [row[0:4:3] for row in windows(conn, key)] == [
        ("d1", "备孕期间偶尔喝一点冰的是可以的，不要过量。"),
        ("d2", "偶尔喝冰的可以，对怀孕没有影响。"),
        ("d3", "备孕时不可以喝冰的，会引起宫寒。"),
    ]


def test_windows_of_a_document_do_not_overlap_and_stop_at_its_end(conn: psycopg.Connection) -> None:
    text = "".join(f"第{n}种鱼要冷藏三天。" for n in range(9))
    key = put(conn, [Question("鱼冷藏几天", [Doc("a", "", text)])])
    got = windows(conn, key, 3, 5)
    places = [place for _, first, last, *_ in got for place in range(int(str(first)), int(str(last)) + 1)]
    assert len(places) == len({*places})
    assert [row[5] for row in got] == list(range(1, len(got) + 1))
    assert 1 < len(got) <= 5
    assert max(places) <= 9
    assert [row[4] for row in got] == sorted((row[4] for row in got), key=float, reverse=True)  # type: ignore[arg-type]


def test_documents_without_a_good_window_abstain(conn: psycopg.Connection) -> None:
    questions = [
        Question("猫能吃葡萄吗", [Doc("empty", "猫能吃葡萄吗", ""), Doc("blank", "", " \n "), Doc("other", "", "今天下雨。")]),
        Question("？？", [Doc("x", "", "什么都没有问。")]),
        Question("没有文档", []),
    ]
    assert windows(conn, put(conn, questions)) == []
    assert extract(conn, set="world", split="dev", source="w")[3:7] == (4, 0, 4, 0)


def test_five_hundred_documents_of_one_query(conn: psycopg.Connection) -> None:
    docs = [Doc(str(n), "标题", f"第{n}家店说鱼可以冷藏{n}天。") for n in range(500)]
    assert len(windows(conn, put(conn, [Question("鱼可以冷藏几天", docs)]))) == 500


def test_indexing_again_adds_only_new_documents(conn: psycopg.Connection) -> None:
    put(conn, [WORKED])
    assert value(conn, "SELECT stc.answer_index('world', 'dev')") == 3 + 2 + 2 + 1
    assert value(conn, "SELECT stc.answer_index('world', 'dev')") == 0
    conn.execute(
        "INSERT INTO stc.answer_documents (query, place, doc_id, url, title, text)"
        " SELECT id, 9, 'n', 'u', 't', '一。二。' FROM stc.answer_queries"
    )
    assert value(conn, "SELECT stc.answer_index('world', 'dev')") == 3


def test_answers_are_stored_by_name_and_replaced_entirely(conn: psycopg.Connection) -> None:
    put(conn, [WORKED])
    put(conn, [WORKED], set="decoy")
    made = extract(conn, set="world", split="dev", source="w")
    assert made == ("w", 2, 0.0, 3, 3, 0, 3, None, None, None)
    with pytest.raises(BadArgument, match="already has extracted answers 'w'"):
        extract(conn, set="world", split="dev", source="w")
    extract(conn, set="decoy", split="dev", source="w")
    fewer = extract(conn, set="world", split="dev", source="w", options=ExtractOptions(at_least=99), replace=True)
    assert (fewer.answered, fewer.abstained) == (0, 3)
    assert value(conn, "SELECT count(*) FROM stc.answers WHERE source = 'w'") == 3
    assert value(conn, "SELECT count(*) FROM stc.answers WHERE source = 'given'") == 6


def test_quality_by_hand(conn: psycopg.Connection) -> None:
    docs = [
        Doc("same", "", "鱼要冷藏三天。", {"鱼要冷藏三天": "3"}),
        Doc("missed", "", "无关的话。", {"别的说法": "x"}),
        Doc("wrong", "", "鱼要洗。"),
        Doc("right", "", "无关的话。"),
    ]
    put(conn, [Question("鱼要冷藏几天", docs)])
    extract(conn, set="world", split="dev", source="w")
    got = quality(conn, set="world", split="dev", source="w")
    f1 = 2 * 5 / (5 + 6)  # the full stop adds one pair
    assert got[:4] == ("w", 4, 2, 1)
    assert got[4:] == pytest.approx((f1, 0.5, 2, 1, 0.5, (f1 + 1) / 4))


def test_tuning_finds_the_score_that_separates_answers(conn: psycopg.Connection) -> None:
    good = [Doc(f"g{n}", "", f"鱼要冷藏{n}天。", {f"鱼要冷藏{n}天。": str(n)}) for n in range(1, 4)]
    bad = [Doc(f"b{n}", "", f"本店{n}号卖鱼要现金，地址在市场东门口，停车方便。") for n in range(1, 4)]
    put(conn, [Question("鱼要冷藏几天", [*good, *bad])])
    put(conn, [Question("鱼要冷藏多久", [*good, *bad])], split="test")
    tuned = tune(conn, set="world", split="dev")
    assert (tuned.width, tuned.value) == (1, 1)
    made = extract(conn, set="world", split="test", source="w", options=ExtractOptions(tune_on="dev"))
    assert (made.at_least, made.answered, made.abstained, made.value) == (tuned.at_least, 3, 3, 1)


@given(st.text("可以不喝ab ", max_size=8), st.text("可以不喝ab ", max_size=8))
def test_character_f1_is_symmetric_and_one_for_the_same(a: str, b: str) -> None:
    assert character_f1(a, a) == 1
    assert character_f1(a, b) == character_f1(b, a)
    assert 0 <= character_f1(a, b) <= 1


def test_sentences_are_found_with_the_index(conn: psycopg.Connection) -> None:
    key = put(conn, [WORKED, Question("鱼", [Doc("a", "鱼", "鱼要冷藏。It's \\ odd'.")])])
    put(conn, [WORKED], set="decoy")
    windows(conn, key)
    conn.execute("SELECT stc.answer_index('decoy', 'dev')")
    rows = conn.execute("SELECT text, rank, score FROM stc.answer_sentence_search('world', 'dev', '偶尔喝冰的', 3)").fetchall()
    found = ["偶尔喝冰的可以，对怀孕没有影响。", "备孕期间偶尔喝一点冰的是可以的，不要过量。", "备孕时不可以喝冰的，会引起宫寒。"]
    assert [row[:2] for row in rows] == [(text, rank) for rank, text in enumerate(found, start=1)]
    assert rows[0][2] > rows[1][2] > rows[2][2] > 0
    for query in ("", "!!", "it's \\ '"):
        conn.execute("SELECT * FROM stc.answer_sentence_search('world', 'dev', %s)", [query])
    with conn.transaction():
        conn.execute("SET LOCAL enable_seqscan = off")
        plan = conn.execute("EXPLAIN SELECT * FROM stc.answer_sentences WHERE terms @@ '''喝冰'''::tsquery").fetchall()
    assert any("answer_sentences_terms_idx" in row[0] for row in plan)


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"set": "wolrd"}, UnknownObject, "no data set 'wolrd'"),
    ({"source": "given"}, BadArgument, "'given' is not a valid name"),
    ({"source": " "}, BadArgument, "is not a valid name"),
    ({"width": 0}, BadArgument, "width is 0"),
    ({"per_document": 0}, BadArgument, "per_document is 0"),
    ({"at_least": float("nan")}, BadArgument, "at_least is nan"),
    ({"at_least": 0.1, "tune_on": "dev"}, BadArgument, "together with --tune-on"),
    ({"tune_on": "test"}, StateError, "the split test of world has no given answers"),
]


def test_errors(conn: psycopg.Connection) -> None:
    put(conn, [WORKED])
    put(conn, [Question("无", [Doc("a", "", "x")])], split="test")
    for wrong, kind, match in WRONG:
        options = dict(wrong)
        with pytest.raises(kind, match=match):
            extract(
                conn,
                set=options.pop("set", "world"),
                split="dev",
                source=options.pop("source", "w"),
                options=ExtractOptions(**options),
            )
    assert value(conn, "SELECT count(*) FROM stc.answers WHERE source <> 'given'") == 0
    with pytest.raises(StateError, match="no answers 'none'"):
        quality(conn, set="world", split="dev", source="none")


def test_the_commands_print_extraction_and_quality(conn: psycopg.Connection, settings: Settings) -> None:
    put(conn, [WORKED])
    run = CliRunner()
    done = run.invoke(answers, ["extract", "world", "--split", "dev", "--as", "w", "--tune-on", "dev"], obj=settings)
    assert done.exit_code == 0, done.output
    assert "tuned on dev: value" in done.output
    told = run.invoke(answers, ["extracted", "world", "--split", "dev", "--source", "w", "--format", "json"], obj=settings)
    assert '"answerable": 3' in told.output
