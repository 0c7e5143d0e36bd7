"""Derived editions: by origin, by a rule for several annotators, with another scale."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stcollection.cli.qrels import command as qrels
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.io.qrels.judgments import SCALES
from stcollection.qrels.derive import RULES, derive
from stcollection.qrels.editions import EditionFacts, describe, drop_edition, editions, seal
from stcollection.qrels.sources import sources, state
from tests.qrels.conftest import Judge, says

pytestmark = pytest.mark.slow


def stored(conn: psycopg.Connection, edition: str) -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT q.query, d.docno, j.rel, j.origin, j.annotator, j.note FROM qrels_judgments j"
        " JOIN qrels_editions e ON e.id = j.edition JOIN st1_queries q ON q.id = j.query JOIN dblp d ON d.id = j.doc"
        " WHERE e.edition = %s ORDER BY 1, 2",
        [edition],
    ).fetchall()


def test_the_rules_by_hand(conn: psycopg.Connection, judge: Judge) -> None:
    judge("q 0 a 0\nq 0 b 2\nq 0 c -1\nq 0 d 1\n", annotator="ada")
    judge("q 0 a 2\nq 0 b 1\nq 0 c 2\n", annotator="bob")
    judge("q 0 a 2\nq 0 b 0\n", annotator="eve")
    judge("q 0 a 0\nq 0 e 2\n", origin="llm")
    grades = {
        "first": (0, 2, -1, 1, 2), "majority": (2, 0, 2, 1, 2), "median": (2, 1, 2, 1, 2), "max": (2, 2, 2, 1, 2),
        "min": (0, 0, 2, 1, 2),
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
    with pytest.raises(BadArgument, match="unknown rule 'mean'"):
        derive(conn, "x", ["mine"], rule="mean")
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
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
