"""Sides of agreement: their names, the default comparisons, and sides that cannot be compared."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.agreement import Bootstrap, agreement, alpha, confusion, grades, ranked, side_name
from tests.groups import qrels
from tests.qrels.conftest import Judge

pytestmark = pytest.mark.slow

ANNA = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 a 0\nq2 0 b 2\n"
BEN = "q1 0 a 2\nq1 0 b 0\nq1 0 c 0\nq2 0 a 1\n"
QWEN = "q1 0 a 1\nq1 0 b 1\nq1 0 c 1\n"
LLAMA = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 b -1\n"


@pytest.fixture
def judged(conn: psycopg.Connection, judge: Judge) -> psycopg.Connection:
    """Store two people, two models and an expansion in one edition, the models also in separate editions, and a decoy."""
    for text, origin, annotator in (
        (ANNA, "human", "anna"),
        (BEN, "human", "ben"),
        (QWEN, "llm", "qwen/3"),
        (LLAMA, "llm", "llama"),
    ):
        judge(text, "mine", origin=origin, annotator=annotator)
    judge("q1 0 z 2\n", "mine", origin="knn")
    judge(QWEN, "theirs:llm", origin="human", annotator="qwen/3")
    return conn


def compared(conn: psycopg.Connection, *names: str, **options: Any) -> list[tuple[str, str, int]]:
    return [(one.reference, one.other, one.pairs) for one in agreement(conn, names[0], names[1:], **options)]


def stc(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(qrels, ["agreement", *arguments], obj=settings)


def test_models_against_people_is_one_call(judged: psycopg.Connection) -> None:
    assert compared(judged, "mine") == [
        ("mine:human", "mine:llm/llama", 3),
        ("mine:human", "mine:llm/qwen/3", 3),
        ("mine:human", "mine:knn", 0),
    ]


def test_annotators_of_one_origin_each_against_each(judged: psycopg.Connection, judge: Judge) -> None:
    assert compared(judged, "mine:human/anna") == [
        ("mine:human/anna", "mine:human/ben", 4),
        ("mine:human/anna", "mine:llm/llama", 3),
        ("mine:human/anna", "mine:llm/qwen/3", 3),
        ("mine:human/anna", "mine:knn", 0),
    ]
    for name in ("x", "y", "z"):
        judge(BEN, "three", annotator=name)
    pairs = [("x", "y"), ("x", "z"), ("y", "z")]
    assert compared(judged, "three") == [(f"three:human/{a}", f"three:human/{b}", 4) for a, b in pairs]
    assert len(compared(judged, "mine", every=True)) == 10
    assert compared(judged, "mine:human/ben", "three", "mine:llm/llama", every=True) == [
        ("mine:human/ben", "three", 4),
        ("mine:human/ben", "mine:llm/llama", 3),
        ("three", "mine:llm/llama", 3),
    ]


def test_an_edition_is_what_it_says(judged: psycopg.Connection) -> None:
    # anna judged first, so her grades count in the edition; ben's are reached only by name
    [whole] = agreement(judged, "mine", ["mine:human/anna"])
    assert (whole.pairs, whole.accuracy) == (5, 1)
    [ben] = agreement(judged, "mine:/ben", ["mine:human"])
    assert (ben.pairs, ben.accuracy, ben.bias) == (4, 0.5, 0)
    [nobody] = agreement(judged, "decoy", ["mine"])
    assert (nobody.pairs, nobody.accuracy) == (6, 0)


def test_the_edition_ends_where_a_stored_one_does(judged: psycopg.Connection) -> None:
    assert compared(judged, "theirs:llm", "mine:llm/qwen/3") == [("theirs:llm", "mine:llm/qwen/3", 3)]
    assert compared(judged, "theirs:llm:human/qwen/3", "mine") == [("theirs:llm:human/qwen/3", "mine", 3)]
    assert side_name(judged, "theirs:llm", origin="human") == "theirs:llm:human"


def test_an_ambiguous_name_has_another_form(judged: psycopg.Connection, judge: Judge) -> None:
    judge(BEN, "mine:human", annotator="cleo")
    assert compared(judged, "mine:human", "mine:/anna") == [("mine:human", "mine:/anna", 4)]  # the edition with exactly this name
    judge(BEN, "mine:human/b", origin="llm", annotator="x")
    judge(BEN, "mine", origin="human", annotator="b:llm/x")
    with pytest.raises(BadArgument, match="'mine:human/b:llm/x' is ambiguous") as error:
        agreement(judged, "mine:human/b:llm/x", ["mine"])
    assert '{"edition": ' in (error.value.hint or "")
    assert compared(judged, side_name(judged, "mine:human/b", origin="llm", annotator="x"), "mine:human") == [
        ('{"origin": "llm", "edition": "mine:human/b", "annotator": "x"}', "mine:human", 4)
    ]
    name = side_name(judged, "mine", origin="human")
    assert json.loads(name) == {"edition": "mine", "origin": "human"}
    assert compared(judged, name, "mine:/anna") == [(name, "mine:/anna", 5)]
    assert {one[0] for one in compared(judged, "mine")} == {name}


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("mines", "there is no edition 'mines'", "Did you mean 'mine'"),
        ("", "there is no edition ''", "editions"),
        ("mine:", "there is no edition 'mine:'", "Did you mean 'mine'"),
        ("mine:/ana", "has no judgments by 'ana'", "Did you mean 'anna'"),
        ("mine:human/", "of the origin human by ''", "mine:human/anna, mine:human/ben"),
        ('{"edition": "nime"}', "there is no edition 'nime'", "editions"),
        ("{}", "there is no edition NULL", "editions"),
        ("{mine", "there is no edition '{mine'", "editions"),
    ],
)
def test_unknown_names_are_told_with_a_way_on(judged: psycopg.Connection, name: str, message: str, hint: str) -> None:
    for arguments in ((name, ["mine"]), ("mine", [name])):
        with pytest.raises(UnknownObject, match=message) as error:
            agreement(judged, *arguments)
        assert error.value.sqlstate == "IR102"
        assert hint in (error.value.hint or "")


def test_an_origin_that_is_none(judged: psycopg.Connection) -> None:
    with pytest.raises(BadArgument, match=r"'humans' in .* is not an origin") as error:
        agreement(judged, "mine:humans/anna")
    assert "EDITION:human" in (error.value.hint or "")


def test_nobody_to_compare_with(judged: psycopg.Connection, judge: Judge) -> None:
    judge(BEN, "alone")
    for reference in ("alone", "alone:human", "alone:human/"):
        with pytest.raises(StateError, match="edition alone has only one annotator") as error:
            agreement(judged, reference)
        assert error.value.sqlstate == "IR405"
    with pytest.raises(StateError, match="one annotator"):
        alpha(judged, ["alone"])


def test_what_is_not_defined_says_why(judged: psycopg.Connection) -> None:
    qwen, reverse, single, nothing = (
        agreement(judged, a, [b])[0]
        for a, b in (
            ("mine:/anna", "mine:/qwen/3"),
            ("mine:/qwen/3", "mine:/anna"),
            ("mine:knn", "decoy"),
            ("mine:knn", "mine:llm"),
        )
    )
    assert (qwen.tau, qwen.kappa, qwen.note) == (None, 0, "the other side always gives the same grade")
    assert (reverse.rho, reverse.alpha_nominal is None, reverse.note) == (None, False, "the reference always gives the same grade")
    assert (single.pairs, single.accuracy, single.kappa, single.note) == (1, 0, 0, "one document is graded by both")
    assert (nothing.pairs, nothing.accuracy, nothing.note) == (0, None, "no document is graded by both")
    [same] = agreement(judged, "mine:/qwen/3", ["theirs:llm"])
    assert (same.accuracy, same.kappa, same.alpha_nominal, same.note) == (1, None, None, "each side always gives the same grade")


def test_by_query_and_by_topic(judged: psycopg.Connection) -> None:
    judged.execute("INSERT INTO st1_topics (topic) VALUES ('t')")
    rows = agreement(judged, "mine:/anna", ["mine:/ben"], by="query")
    assert [(one.unit, one.pairs, one.queries, one.accuracy) for one in rows] == [("q1", 3, 1, 2 / 3), ("q2", 1, 1, 0)]
    rows = agreement(judged, "mine:/anna", ["mine:/ben"], by="topic")
    assert [(one.unit, one.pairs) for one in rows] == [("q1", 3), ("q2", 1)]  # queries without a topic
    judged.execute("UPDATE stc.st1_queries SET topic = (SELECT id FROM st1_topics) WHERE query = 'q1'")
    rows = agreement(judged, "mine:/anna", ["mine:/ben"], by="topic")
    assert [(one.unit, one.pairs) for one in rows] == [("q2", 1), ("t", 3)]
    judged.execute("UPDATE stc.st1_queries SET topic = (SELECT id FROM st1_topics)")
    assert [(one.unit, one.queries, one.pairs) for one in agreement(judged, "mine:/anna", ["mine:/ben"], by="topic")] == [
        ("t", 2, 4)
    ]


def test_only_the_queries_of_a_set(judged: psycopg.Connection, settings: Settings) -> None:
    sides = "mine:/anna", "mine:/ben"
    judged.execute("UPDATE st1_queries SET text = repeat('How are answers verified? ', 20) WHERE query = 'q2'")
    for queries, unit, pairs, accuracy in (("q1", "q1", 3, 2 / 3), ("long", "q2", 1, 0), ("all-long", "q1", 3, 2 / 3)):
        [whole] = agreement(judged, sides[0], sides[1:], queries=queries)
        assert (whole.queries, whole.pairs, whole.accuracy) == (1, pairs, accuracy)
        assert [(one.unit, one.pairs) for one in agreement(judged, sides[0], sides[1:], by="query", queries=queries)] == [
            (unit, pairs)
        ]
        assert {one.query for one in confusion(judged, sides[0], sides[1:], queries=queries)} == {unit}
        assert sum(one.in_reference for one in grades(judged, sides[0], sides[1:], queries=queries)) == pairs
        [together] = alpha(judged, sides, queries=queries)
        assert (together.documents, together.judgments) == (pairs, 2 * pairs)
    [bounded] = agreement(judged, sides[0], sides[1:], queries="q1", bootstrap=Bootstrap(resamples=9, of="pair"))
    assert bounded.pairs == 3
    assert bounded.intervals is not None
    assert bounded.intervals["accuracy"] != (None, None)
    [row] = json.loads(stc(settings, *sides, "--queries", "q1,q2", "--format", "json").stdout)
    assert row["pairs"] == 4
    assert judged.execute("SELECT pairs FROM agreement('mine:/anna', '{mine:/ben}', query_set => 'q1')").fetchall() == [(3,)]


def test_queries_without_a_document_that_both_graded(judged: psycopg.Connection, settings: Settings) -> None:
    sides = "mine:/anna", "mine:/qwen/3", "--queries", "q2"
    note = "no document of these queries is graded by both"
    assert note in stc(settings, *sides).stdout
    for table in ("--alpha", "--grades", "--confusion"):
        for style in ("table", "json"):
            done = stc(settings, *sides, table, "--format", style)
            assert done.exit_code == 0
            assert note in done.stderr
    for queries, problem in (("q9", "q9"), ("q1-q1", "contains no query"), ("q1+", "a name is missing")):
        for table in ("--per-query", "--alpha", "--grades", "--confusion"):
            done = stc(settings, *sides[:2], "--queries", queries, table)
            assert done.exit_code != 0
            assert problem in str(done.exception)
    judged.execute("INSERT INTO qrels_editions (edition) VALUES ('empty')")
    with pytest.raises(UnknownObject, match="q9"):
        agreement(judged, "empty", ["empty"], queries="q9")


def test_ranked_best_first_undefined_last(judged: psycopg.Connection) -> None:
    rows = agreement(judged, "mine")
    assert [one.other for one in ranked(rows, "tau")] == ["mine:llm/llama", "mine:knn", "mine:llm/qwen/3"]
    assert [one.other for one in ranked(rows, "mae")] == ["mine:llm/llama", "mine:llm/qwen/3", "mine:knn"]


@pytest.mark.parametrize("style", ["table", "markdown", "latex", "csv", "json"])
def test_the_command_prints(judged: psycopg.Connection, settings: Settings, style: str) -> None:
    done = stc(settings, "mine", "--resamples", "50", "--format", style)
    assert done.exit_code == 0
    assert "llama" in done.stdout
    assert ("against mine:human" in done.stderr) == (style not in ("csv", "json"))
    if style == "json":
        rows = json.loads(done.stdout)
        assert [row["other"] for row in rows] == ["mine:llm/llama", "mine:knn", "mine:llm/qwen/3"]
        assert rows[0]["tau"] == rows[0]["accuracy"] == 1
        assert rows[1]["tau"] is rows[1]["tau_low"] is None


def test_the_other_tables(judged: psycopg.Connection, settings: Settings) -> None:
    done = stc(settings, "mine", "--origin", "human", "--annotator", "anna", "mine:/ben", "--confusion", "--format", "csv")
    assert done.stdout.splitlines() == [
        "reference,other,reference_rel,other_rel,pairs",
        *(f"mine:human/anna,mine:/ben,{x},{y},1" for x, y in ((0, 0), (0, 1), (1, 0), (2, 2))),
    ]
    done = stc(settings, "mine:/anna", "mine:/ben", "--confusion", "--per-query")
    assert "mine:/anna (rows), mine:/ben (columns), q1" in done.stdout
    assert [line.split() for line in done.stdout.splitlines()[2:7]] == [
        ["0", "1", "2"],
        ["--", "---", "---", "---"],
        ["0", "1", "0", "0"],
        ["1", "1", "0", "0"],
        ["2", "0", "0", "1"],
    ]
    [row] = json.loads(stc(settings, "mine:human", "--alpha", "--format", "json").stdout)
    assert (row["annotators"], row["documents"], row["judgments"]) == (2, 4, 8)
    rows = json.loads(stc(settings, "mine:/anna", "mine:/ben", "--grades", "--format", "json").stdout)
    assert [(row["rel"], row["in_both"], row["rel_recall"]) for row in rows] == [(0, 1, 0.5), (1, 0, 0), (2, 1, 1)]


@pytest.mark.parametrize(
    "arguments",
    [("--confusion", "--alpha"), ("--alpha", "-m", "tau"), ("--grades", "--resamples", "9"), ("--grades", "--per-topic"),
     ("-m", "nonsense"), ("--resamples", "0"), ("--seed", "-1"), ("--confidence", "1")],
)  # fmt: skip
def test_options_that_make_no_sense(judged: psycopg.Connection, settings: Settings, arguments: tuple[str, ...]) -> None:
    done = stc(settings, "mine", *arguments)
    assert done.exit_code == 2
    assert "Error:" in done.stderr
