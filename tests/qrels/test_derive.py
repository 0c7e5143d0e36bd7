"""Derived editions: by origin, by a rule for several annotators, with another scale."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.io.qrels.judgments import SCALES
from stcollection.qrels.agreement import agreement
from stcollection.qrels.derive import RULES, derive
from stcollection.qrels.editions import EditionFacts, describe, drop_edition, editions, seal
from stcollection.qrels.sources import sources, state
from tests.examples import examples
from tests.groups import qrels
from tests.qrels.conftest import Judge, says

pytestmark = pytest.mark.slow


def stored(conn: psycopg.Connection, edition: str) -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT q.query, d.docno, j.rel, j.origin, j.annotator, j.note FROM qrels_judgments j"
        " JOIN qrels_editions e ON e.id = j.edition JOIN st1_queries q ON q.id = j.query JOIN dblp d ON d.id = j.doc"
        " WHERE e.edition = %s ORDER BY 1, 2",
        [edition],
    ).fetchall()


@pytest.fixture
def decided(conn: psycopg.Connection, judge: Judge) -> Judge:
    """Three annotators and, for one document, a final decision in the edition mine."""
    judge("q 0 a 2\nq 0 b 0\n", annotator="ada")
    judge("q 0 a 2\n", annotator="bob")
    judge("q 0 a 0\n", annotator="eve")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, annotator, note, final)"
        " SELECT DISTINCT edition, query, doc, 1, 'chair', 'off topic', true FROM qrels_judgments WHERE annotator = 'bob'"
    )
    return judge


def test_the_rules_by_hand(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q 0 a 0\nq 0 b 2\nq 0 c -1\nq 0 d 1\n", annotator="ada")
    judge("q 0 a 2\nq 0 b 1\nq 0 c 2\n", annotator="bob")
    judge("q 0 a 2\nq 0 b 0\n", annotator="eve")
    judge("q 0 a 0\nq 0 e 2\n", origin="llm")
    grades = {
        "first": (0, 2, -1, 1, 2), "majority": (2, 0, 2, 1, 2), "median": (2, 1, 2, 1, 2), "max": (2, 2, 2, 1, 2),
        "min": (0, 0, 2, 1, 2), "mean": (1, 1, 2, 1, 2),
    }  # fmt: skip
    for rule in RULES:
        done = derive(conn, rule, ["mine"], rule=rule)
        assert tuple(says(conn, rule).values()) == grades[rule]
        assert (done.queries, done.judgments, done.combined, done.differing) == (1, 5, 3, 3)
    assert stored(conn, "median") == [
        ("q", "a", 2, "human", "median", "ada 0, bob 2, eve 2"),
        ("q", "b", 1, "human", "median", "ada 2, bob 1, eve 0"),
        ("q", "c", 2, "human", "median", "ada -1, bob 2"),
        ("q", "d", 1, "human", "ada", None),
        ("q", "e", 2, "llm", "", None),
    ]


def test_a_final_decision_wins_in_every_rule(conn: psycopg.Connection, decided: Judge) -> None:
    for rule in RULES:
        done = derive(conn, rule, ["mine"], rule=rule)
        assert says(conn, rule) == {("q", "a"): 1, ("q", "b"): 0}, rule
        assert (done.combined, done.differing, done.final) == (0, 0, 1)
    assert stored(conn, "max")[0] == ("q", "a", 1, "human", "chair", "off topic")
    assert says(conn, "mine") == {("q", "a"): 1, ("q", "b"): 0}  # scores, exports and fingerprints too
    assert conn.execute("SELECT rel FROM qrels WHERE edition = stc.edition_key('mine') ORDER BY rel").fetchall() == [(0,), (1,)]
    decided("q 0 a 2\n", "late", annotator="zoe")
    derive(conn, "both", ["late", "max"], rule="max")  # a final decision of a derived edition stays one
    assert says(conn, "both") == {("q", "a"): 1, ("q", "b"): 0}
    derive(conn, "again", ["late", "both"], rule="majority")
    assert says(conn, "again")["q", "a"] == 1
    derive(conn, "without", ["mine"], rule="majority", annotators=["ada", "bob", "eve"])
    assert says(conn, "without")["q", "a"] == 2
    decided("q 0 a 0\n", "robot", origin="llm")
    derive(conn, "robots", ["robot", "mine"], rule="min")
    assert says(conn, "robots")["q", "a"] == 1


def test_final_decisions_are_no_side_of_an_agreement(conn: psycopg.Connection, decided: Judge) -> None:
    assert {(one.reference, one.other) for one in agreement(conn, "mine")} == {
        ("mine:human/ada", "mine:human/bob"),
        ("mine:human/ada", "mine:human/eve"),
        ("mine:human/bob", "mine:human/eve"),
    }
    [same] = agreement(conn, "mine", ["mine:human/chair"])
    assert (same.pairs, same.accuracy) == (1, 1)


def test_a_part_of_the_queries(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq3 0 c 7\n", "all")
    conn.execute("SELECT stc.hide_edition('decoy')")
    done = derive(conn, "some", ["all"], queries="q1+q2", grades={0: 0, 1: 1, 2: 2})
    assert (done.queries, done.judgments) == (2, 3)
    assert says(conn, "some") == {("q1", "a"): 1, ("q1", "b"): 0, ("q2", "a"): 2}
    derive(conn, "rest", ["all"], queries="all-q1-q2")
    assert says(conn, "rest") == {("q3", "c"): 7}
    found = {one.edition: one for one in editions(conn)}
    assert found["some"].description == 'all; queries: q1+q2; of several annotators: first; grades by {"0": 0, "1": 1, "2": 2}'
    with pytest.raises(UnknownObject, match="q9"):
        derive(conn, "none", ["all"], queries="q9")
    with pytest.raises(StateError, match="queries"):
        derive(conn, "none", ["rest"], queries="q1")
    assert "none" not in {one.edition for one in editions(conn)}


def test_a_test_part_is_hidden_from_the_start(conn: psycopg.Connection, judge: Judge, settings: Settings) -> None:
    judge("q1 0 a 1\nq2 0 a 2\n", "all", hidden=True)
    hidden = "SELECT bool_and(hidden) FROM stc_all.qrels_judgments WHERE edition = stc.edition_key(%s)"
    derive(conn, "test", ["all"], queries="q2", facts=EditionFacts(split="test"))
    assert conn.execute(hidden, ["test"]).fetchone() == (True,)
    judge("q3 0 a 1\nq4 0 a 2\n", "open")
    derive(conn, "shown", ["open"], queries="q3", facts=EditionFacts(split="test"), hidden=False)
    assert conn.execute(hidden, ["shown"]).fetchone() == (False,)
    derive(conn, "train", ["open"], queries="q3", facts=EditionFacts(split="train"))
    assert conn.execute(hidden, ["train"]).fetchone() == (False,)
    done = CliRunner().invoke(qrels, ["derive", "official test", "open", "--queries", "q4", "--split", "test"], obj=settings)
    assert done.exit_code == 0, done.output
    assert "official test: hidden; to show it: stc publish release 'official test'" in done.output
    assert "open editions judge some of its documents, which reveals part of it: decoy, open" in done.output
    assert conn.execute(hidden, ["official test"]).fetchone() == (True,)
    assert conn.execute("SELECT edition FROM public.qrels_editions WHERE hidden OR edition ~ 'test'").fetchall() == []


def test_several_editions(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q 0 a 0\nq 0 b 1\n", "new", annotator="ada")
    judge("q 0 a 2\nq 0 c 2\n", "old", annotator="ada")
    judge("q 0 a 2\n", "old", annotator="bob")
    judge("q 0 c 0\nq 0 b 0\n", "robot", origin="llm")
    derive(conn, "first", ["old", "new", "robot"])
    assert says(conn, "first") == {("q", "a"): 2, ("q", "b"): 1, ("q", "c"): 2}
    derive(conn, "turned", ["robot", "new", "old"])
    assert says(conn, "turned") == {("q", "a"): 0, ("q", "b"): 1, ("q", "c"): 2}  # people before models in any edition
    derive(conn, "min", ["old", "new"], rule="min")
    assert says(conn, "min")["q", "a"] == 2  # ada has one vote, from the edition named first
    derive(conn, "models", ["old", "new", "robot"], origins=["llm"])
    assert says(conn, "models") == {("q", "b"): 0, ("q", "c"): 0}
    derive(conn, "bobs", ["old", "new"], annotators=["bob"])
    assert says(conn, "bobs") == {("q", "a"): 2}
    assert [(one.path, one.judgments, one.added, state(one)) for one in sources(conn, "first")] == [
        ("edition:old", 2, 2, "same"),
        ("edition:new", 2, 1, "same"),
        ("edition:robot", 2, 0, "same"),
    ]
    judge("q 0 z 1\n", "new")
    assert [state(one) for one in sources(conn, "first")] == ["same", "changed", "same"]
    drop_edition(conn, "robot")
    assert state(sources(conn, "first")[2]) == "gone"


def test_what_the_sources_agree_on_is_kept(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q 0 a 5\n", "x", grades=SCALES["simpletext-2022"], split="train", year=2022)
    judge("q 0 b 3\n", "y", grades=SCALES["simpletext-2022"], split="train", year=2023)
    derive(conn, "both", ["x", "y"])
    [both] = [one for one in editions(conn) if one.edition == "both"]
    assert (both.split, both.year, both.grades, both.description) == (
        "train",
        None,
        {"1": 1, "2": 1},
        "x, y; of several annotators: first",
    )
    assert both.scale == {"0": 0, "1": 0, "2": 1, "3": 1, "4": 2, "5": 2}
    derive(conn, "mine", ["x", "y"], facts=EditionFacts(split="test", year=2024, description="mine"))
    [mine] = [one for one in editions(conn) if one.edition == "mine"]
    assert (mine.split, mine.year, mine.description, mine.sealed) == ("test", 2024, "mine", None)


def test_a_scale_of_six_grades_held_and_mapped(conn: psycopg.Connection, judge: Judge) -> None:
    judge("".join(f"q 0 d{rel} {rel}\n" for rel in range(6)), "held")
    seal(conn, "held")
    derive(conn, "mapped", ["held"], grades=SCALES["simpletext-2022"])
    assert list(says(conn, "mapped").values()) == [0, 0, 1, 1, 2, 2]
    assert list(says(conn, "held").values()) == [0, 1, 2, 3, 4, 5]
    with pytest.raises(BadArgument, match="the grade 3 is not in the mapping"):
        derive(conn, "not", ["held"], grades={0: 0, 1: 0, 2: 1, 4: 2, 5: 2})


def test_grades_are_mapped_before_they_are_counted(conn: psycopg.Connection, judge: Judge) -> None:
    for annotator, rel in (("ada", 0), ("bob", 1), ("eve", 5), ("kim", 5), ("lou", 0), ("max", 1)):
        judge(f"q 0 d {rel}\n", annotator=annotator)
    derive(conn, "mapped", ["mine"], rule="majority", grades=SCALES["simpletext-2022"])
    assert says(conn, "mapped") == {("q", "d"): 0}


def test_what_is_refused(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q 0 a 1\n")
    for arguments, word in (
        (("decoy", ["mine"]), "edition 'decoy' already exists"),
        (("x", ["mine", "mine"]), "named twice"),
        (("x", []), "no source edition is named"),
    ):
        with pytest.raises(BadArgument, match=word):
            derive(conn, arguments[0], arguments[1])
    with pytest.raises(BadArgument, match="unknown rule 'mode'"):
        derive(conn, "x", ["mine"], rule="mode")
    with pytest.raises(UnknownObject, match="no edition 'mime'"):
        derive(conn, "x", ["mine", "mime"])
    with pytest.raises(StateError, match="no judgment of these origins"):
        derive(conn, "x", ["mine"], annotators=["nobody"])
    assert {one.edition for one in editions(conn)} == {"mine", "decoy"}


votes = st.dictionaries(
    st.tuples(st.sampled_from("ab"), st.sampled_from(["human", "llm"]), st.sampled_from(["ada", "bob", "eve", "kim"])),
    st.integers(-1, 3),
    min_size=1,
)


@pytest.mark.slow
@examples(25)
@given(told=votes)
def test_the_rules_by_another_way(conn: psycopg.Connection, judge: Judge, told: dict[tuple[str, str, str], int]) -> None:
    for edition in ("mine", *RULES):
        if any(one.edition == edition for one in editions(conn)):
            drop_edition(conn, edition)
    judge(
        "query,doc,rel,origin,annotator\n" + "".join(f"q,{doc},{rel},{origin},{who}\n" for (doc, origin, who), rel in told.items())
    )
    by: dict[str, Callable[[list[int]], int]] = {
        "majority": lambda grades: min(one for one in grades if Counter(grades)[one] == max(Counter(grades).values())),
        "median": statistics.median_low, "max": max, "min": min,
        "mean": lambda grades: round(statistics.fmean(grades) - 1e-9),
    }  # fmt: skip
    for rule in RULES:
        derive(conn, rule, ["mine"], rule=rule)
        for doc in {doc for doc, _, _ in told}:
            best = "human" if any(key[:2] == (doc, "human") for key in told) else "llm"
            grades = [rel for key, rel in told.items() if key[:2] == (doc, best)]
            expected = grades[0] if rule == "first" else by[rule]([grade for grade in grades if grade >= 0] or grades)
            assert says(conn, rule)["q", doc] == expected
    assert says(conn, "first") == says(conn)


@pytest.mark.slow
def test_double_annotation_becomes_an_edition(conn: psycopg.Connection, judge: Judge, settings: Settings, data: Path) -> None:
    from stcollection import demo

    def stc(*arguments: str) -> str:
        return CliRunner().invoke(qrels, list(arguments), obj=settings, catch_exceptions=False).stdout

    folder = Path(demo.__file__).parent / "data"
    stc("import", str(folder / "demo.train.qrels"), "--edition", "raw", "--annotator", "first")
    stc("import", str(folder / "demo.train.second.qrels"), "--edition", "raw", "--annotator", "second")
    told = stc("derive", "train", "raw", "--rule", "max", "--split", "train", "--year", "2024")
    assert told.startswith("train: 307 judgments on 16 queries from raw; 82 with several annotators, 19 with different grades: max")
    assert "train" in stc("editions")
    with pytest.raises(BadArgument, match="the year of edition 'train' is 2024, not 2023"):
        describe(conn, "train", year=2023, anew=False)
