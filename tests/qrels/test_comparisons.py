"""Comparisons of two documents: the order that follows, few comparisons, each stored once, undo, and preferences of an edition."""

from __future__ import annotations

import json
import math
import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from stcollection.db.connection import conninfo
from stcollection.db.sessions import open_session
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.explore.access.audit import Audit
from stcollection.explore.judging.comparisons import SentComparison, store
from stcollection.qrels.comparisons import (
    Choice,
    DocumentPair,
    compare_pair,
    next_pair,
    pair_progress,
    submit_pairs,
    undo_comparison,
)
from stcollection.qrels.hiding import hide
from stcollection.qrels.pools import PoolRules, drop_pool, make_pool, share_pool
from tests.acceptance.conftest import runner
from tests.examples import examples
from tests.qrels.pooled import put_documents, put_queries, put_run

pytestmark = pytest.mark.slow

DOCS = [f"d{number:02}" for number in range(24)]
FLIPPED = {"better": "worse", "worse": "better", "equal": "equal", "neither": "neither", "undecided": "undecided"}
Judge = Callable[[str, str], Choice]


@pytest.fixture
def pool(conn: psycopg.Connection) -> str:
    put_documents(conn, {doc: (f"Title {doc}", None) for doc in DOCS})
    put_queries(conn, {"q1": "one", "q2": "two", "q3": "a single document"})
    put_run(conn, "r", {"q1": DOCS[:16], "q2": DOCS[16:23], "q3": DOCS[23:]})
    make_pool(conn, "p", rules=PoolRules(depth=20))
    return "p"


def docnos(conn: psycopg.Connection, annotator: str) -> dict[str, str]:
    """Docno of each token on a sheet."""
    return dict(conn.execute("SELECT token, docno FROM stc.pool_sheet('p', %s)", [annotator]).fetchall())


def by_grade(grades: dict[str, int], *, relevant: int = 1) -> Judge:
    """An assessor who knows the grade of each document; two documents below ``relevant`` are both not relevant."""

    def judge(left: str, right: str) -> Choice:
        if max(grades[left], grades[right]) < relevant:
            return "neither"
        return "equal" if grades[left] == grades[right] else "left" if grades[left] > grades[right] else "right"

    return judge


def compare_all(conn: psycopg.Connection, annotator: str, judge: Judge, *, query: str | None = None) -> list[tuple[str, str, str]]:
    """Compare until nothing is left. Returns (query, left, right)."""
    names, made = docnos(conn, annotator), []
    while (pair := next_pair(conn, "p", annotator, query=query)) is not None:
        left, right = names[pair.left_token], names[pair.right_token]
        assert compare_pair(conn, "p", annotator, pair, judge(left, right))
        made.append((pair.query, left, right))
    return made


def most(documents: int) -> int:
    """Comparisons of a binary insertion sort in the worst case."""
    return sum(math.ceil(math.log2(one)) for one in range(2, documents + 1))


def sort(conn: psycopg.Connection, docs: Sequence[int], judge: Callable[[int, int], str]) -> tuple[dict[int, int], list[int], int]:
    """Ask ``pair_order`` for pairs until the order is complete. Returns levels, documents set aside, and comparisons."""
    choices: dict[str, str] = {}
    bound = None
    while True:
        row = conn.execute("SELECT * FROM stc.pair_order(%s, %s)", [list(docs), Jsonb(choices)]).fetchone()
        assert row is not None
        placed, levels, aside, doc, other, remaining = row
        made = len(choices) // 2
        bound = made + remaining if bound is None else bound
        assert made + remaining <= bound
        if doc is None:
            assert remaining == 0
            return dict(zip(placed, levels, strict=True)), aside, made
        assert f"{doc}:{other}" not in choices
        choice = judge(doc, other)
        choices |= {f"{doc}:{other}": choice, f"{other}:{doc}": FLIPPED[choice]}


@examples(60)
@given(grades=st.lists(st.integers(0, 5), min_size=1, max_size=14))
def test_the_levels_are_those_of_the_grades(conn: psycopg.Connection, grades: list[int]) -> None:
    docs = range(1, len(grades) + 1)

    def judge(doc: int, other: int) -> str:
        one, two = grades[doc - 1], grades[other - 1]
        if one == two == 0:
            return "neither"
        return "equal" if one == two else "better" if one > two else "worse"

    levels, aside, made = sort(conn, docs, judge)
    assert aside == []
    assert levels.keys() == set(docs)
    for doc in docs:
        for other in docs:
            assert (levels[doc] > levels[other]) == (grades[doc - 1] > grades[other - 1])
    if grades.count(0) > 1:  # a single one is only known to be worse than the others
        assert {doc for doc in docs if levels[doc] == 0} == {doc for doc in docs if grades[doc - 1] == 0}
    assert made <= most(len(grades))
    assert len(grades) < 2 or made <= len(grades) * math.log2(len(grades))


@examples(100)
@given(answers=st.lists(st.sampled_from(list(FLIPPED)), min_size=60, max_size=60), size=st.integers(1, 12))
def test_every_answer_leads_to_an_order(conn: psycopg.Connection, answers: list[str], size: int) -> None:
    """Also answers that contradict each other: no pair comes twice, and no comparison can form a cycle."""
    made: dict[tuple[int, int], str] = {}
    rest = iter(answers)

    def judge(doc: int, other: int) -> str:
        made[doc, other] = next(rest)
        return made[doc, other]

    levels, aside, count = sort(conn, range(size), judge)
    assert {*levels, *aside} == set(range(size))
    assert not {*levels} & {*aside}
    assert count <= most(size)
    for (doc, other), choice in made.items():
        if choice == "undecided":
            assert doc in aside
        elif choice == "neither":
            assert levels[doc] == levels[other] == 0
        elif choice == "equal":
            assert levels[doc] == levels[other]
        elif choice == "better":
            assert doc in aside or levels[doc] > levels[other] or levels[doc] == levels[other] == 0
        else:
            assert doc in aside or levels[doc] < levels[other] or levels[doc] == levels[other] == 0
    assert {*levels.values()} - {0} == set(range(1, max(levels.values(), default=0) + 1))


def test_both_not_relevant_includes_what_is_worse(conn: psycopg.Connection) -> None:
    order = {(2, 1): "worse", (3, 2): "worse", (4, 2): "neither"}
    assert sort(conn, [1, 2, 3, 4], lambda doc, other: order[doc, other]) == ({1: 1, 2: 0, 3: 0, 4: 0}, [], 3)


def test_sixteen_documents_in_few_comparisons(conn: psycopg.Connection, pool: str) -> None:
    grades = {doc: number for number, doc in enumerate(random.Random(1).sample(DOCS, len(DOCS)))}
    made = compare_all(conn, "anna", by_grade(grades, relevant=0))
    assert {query for query, _, _ in made} == {"q1", "q2"}
    assert len({(query, frozenset(pair)) for query, *pair in made}) == len(made)
    assert [query for query, _, _ in made] == sorted((query for query, _, _ in made), reverse=made[0][0] == "q2")
    for query, documents in (("q1", 16), ("q2", 7)):
        assert sum(one == query for one, _, _ in made) <= most(documents)
    assert most(16) == 49
    progress = {one.query: one for one in pair_progress(conn, "p", "anna")}
    assert [(one.placed, one.remaining, one.submitted) for one in map(progress.get, ("q1", "q2", "q3")) if one] == [
        (16, 0, False),
        (7, 0, False),
        (1, 0, False),
    ]
    sides = [left for query, left, _ in made if query == "q1"]
    assert 5 < len(set(sides)) < len(sides)  # a document stays on its side, and not all are on one


def test_each_annotator_has_an_order_of_the_seed(conn: psycopg.Connection, pool: str) -> None:
    first = [next_pair(conn, "p", annotator, query="q1") for annotator in ("anna", "ben", "carl", "dora")]
    assert first == [next_pair(conn, "p", annotator, query="q1") for annotator in ("anna", "ben", "carl", "dora")]
    assert len(set(first)) == 4
    compare_all(conn, "anna", by_grade(dict.fromkeys(DOCS, 1)))
    assert [one.compared for one in pair_progress(conn, "p", "ben")] == [0, 0, 0]
    assert {one.annotator for one in pair_progress(conn, "p")} == {"anna"}
    with pytest.raises(UnknownObject, match="no query 'q9' on the sheet of anna"):
        next_pair(conn, "p", "anna", query="q9")
    with pytest.raises(UnknownObject, match="no pool 'x'"):
        next_pair(conn, "x", "anna")


def test_a_decision_that_is_sent_twice_is_stored_once(conn: psycopg.Connection, pool: str) -> None:
    pair = next_pair(conn, "p", "anna")
    assert pair is not None
    assert pair.number == 1
    assert compare_pair(conn, "p", "anna", pair, "left", seconds=12.5, decision="first000")
    assert compare_pair(conn, "p", "anna", pair, "left", seconds=99, decision="first000")
    assert not compare_pair(conn, "p", "anna", pair, "right", decision="other000")  # another page, which has not seen it
    swapped = DocumentPair(pair.query, 1, pair.right_token, pair.left_token)
    assert not compare_pair(conn, "p", "anna", swapped, "right")
    rows = conn.execute("SELECT number, choice, seconds FROM stc_all.qrels_comparisons").fetchall()
    assert rows == [(1, "left", 12.5)]
    following = next_pair(conn, "p", "anna", query=pair.query)
    assert following is not None
    assert (following.query, following.number) == (pair.query, 2)
    assert compare_pair(conn, "p", "anna", following, "equal", seconds=5000)
    assert conn.execute("SELECT seconds FROM stc_all.qrels_comparisons WHERE number = 2").fetchone() == (600,)
    with pytest.raises(BadArgument, match="'maybe' is not a choice"):
        compare_pair(conn, "p", "anna", pair, "maybe")  # type: ignore[arg-type]
    other = next_pair(conn, "p", "anna", passed=[pair.query])
    assert other is not None
    mixed = DocumentPair(pair.query, 1, pair.left_token, other.left_token)
    for strange in (mixed, DocumentPair(pair.query, 1, pair.left_token, pair.left_token), DocumentPair("q1", 1, "k0", "k1")):
        with pytest.raises(BadArgument, match="not two documents of a query on the sheet of anna"):
            compare_pair(conn, "p", "anna", strange, "left")


@pytest.mark.usefixtures("dsn")
def test_two_windows_never_store_a_pair_twice(conn: psycopg.Connection, settings: Settings, pool: str) -> None:
    """Both compare without knowing of each other; each pair is stored by one of them."""
    grades = {doc: number % 6 for number, doc in enumerate(DOCS)}
    names, judge, start = docnos(conn, "anna"), by_grade(grades), threading.Barrier(3)

    def window(number: int) -> int:
        stored = 0
        with open_session(conninfo(settings), autocommit=True) as own:
            start.wait()
            while (pair := next_pair(own, "p", "anna")) is not None:
                choice = judge(names[pair.left_token], names[pair.right_token])
                stored += compare_pair(own, "p", "anna", pair, choice, decision=f"window{number}x{pair.number}{pair.query}")
        return stored

    with ThreadPoolExecutor(3) as threads:
        stored = sum(threads.map(window, range(3)))
    row = conn.execute(
        "SELECT count(*), count(DISTINCT (query, least(left_doc, right_doc), greatest(left_doc, right_doc))), count(DISTINCT"
        " (query, number)) FROM stc_all.qrels_comparisons"
    ).fetchone()
    assert row == (stored, stored, stored)
    assert stored <= most(16) + most(7)
    assert submit_pairs(conn, "p", edition="e").levels == 23


def test_undo_and_going_on(conn: psycopg.Connection, pool: str) -> None:
    pairs = []
    for _ in range(5):
        pair = next_pair(conn, "p", "anna", query="q2")
        assert pair is not None
        pairs.append(pair)
        assert compare_pair(conn, "p", "anna", pair, "right")
    for pair in reversed(pairs):
        assert undo_comparison(conn, "p", "anna") == "q2"
        assert next_pair(conn, "p", "anna", query="q2") == pair
    assert undo_comparison(conn, "p", "anna") is None
    for query in ("q2", "q1"):
        pair = next_pair(conn, "p", "anna", query=query)
        assert pair is not None
        compare_pair(conn, "p", "anna", pair, "left")
    assert undo_comparison(conn, "p", "anna", query="q2") == "q2"
    assert undo_comparison(conn, "p", "ben") is None
    assert undo_comparison(conn, "p", "anna") == "q1"


def test_orders_become_preferences_that_are_scored(conn: psycopg.Connection, pool: str) -> None:
    grades = {doc: 15 - number for number, doc in enumerate(DOCS[:16])} | dict.fromkeys(DOCS[16:], 0)
    compare_all(conn, "anna", by_grade(grades), query="q1")
    done = submit_pairs(conn, "p", edition="e")
    assert (done.queries, done.levels, done.added, done.unchanged, done.incomplete) == (1, 16, 16, 0, 1)
    levels: dict[str, float] = dict(
        conn.execute(
            "SELECT d.docno, p.rel FROM qrels_preferences p JOIN dblp d ON d.id = p.doc"
            " WHERE p.annotator = 'anna' AND p.subgroup = 'p'"
        ).fetchall()
    )
    assert levels == {doc: 16 - number for number, doc in enumerate(DOCS[:16])}
    assert scores(conn, "r") == {"q1": 1.0}
    put_run(conn, "backwards", {"q1": DOCS[15::-1]})
    assert scores(conn, "backwards") == {"q1": 0.0}
    assert undo_comparison(conn, "p", "anna") is None  # submitted
    compare_all(conn, "anna", by_grade(grades))
    again = submit_pairs(conn, "p", edition="e", annotators=["anna"])
    assert (again.queries, again.added, again.unchanged, again.incomplete) == (2, 7, 16, 0)
    assert conn.execute(
        "SELECT DISTINCT rel FROM qrels_preferences p JOIN st1_queries q ON q.id = p.query WHERE q.query = 'q2'"
    ).fetchall() == [(0,)]
    assert submit_pairs(conn, "p", edition="e").added == 0
    compare_all(conn, "ben", by_grade({doc: -rel for doc, rel in grades.items()}, relevant=-99), query="q1")
    assert submit_pairs(conn, "p", edition="e").added == 16
    assert scores(conn, "r", "prefs_avgjg")["q1"] == pytest.approx(0.5)
    with pytest.raises(BadArgument, match="'carl' has compared nothing in the pool 'p'"):
        submit_pairs(conn, "p", edition="e", annotators=["carl"])


def scores(conn: psycopg.Connection, run: str, measure: str = "prefs_simp") -> dict[str, float]:
    rows = conn.execute("SELECT query, value FROM preference_scores(%s, 'e', 'prefs') WHERE measure = %s", [[run], measure])
    return dict(rows.fetchall())


def test_equal_documents_have_no_preference_and_undecided_ones_no_level(conn: psycopg.Connection, pool: str) -> None:
    def judge(left: str, right: str) -> Choice:
        return "undecided" if "d16" in (left, right) else "equal"

    compare_all(conn, "anna", judge, query="q2")
    [progress] = [one for one in pair_progress(conn, "p", "anna") if one.query == "q2"]
    assert progress.placed + progress.aside == 7
    assert progress.aside == 1 or progress.placed == 1  # the first document represents its level
    if progress.placed == 1:
        with pytest.raises(StateError, match="no complete order to submit"):
            submit_pairs(conn, "p", edition="e")
        return
    assert submit_pairs(conn, "p", edition="e").levels == 6
    assert scores(conn, "r") in ({}, {"q2": 0.0})
    pairs = conn.execute(
        "SELECT count(*) FROM qrels_editions e, st1_queries q, stc.preference_pairs(e.id, q.id, 'prefs')"
        " WHERE e.edition = 'e' AND q.query = 'q2'"
    ).fetchone()
    assert pairs == (0,)


def test_a_hidden_edition_stays_hidden_and_a_sealed_one_closed(conn: psycopg.Connection, pool: str) -> None:
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('e'), ('closed')")
    hide(conn, "e")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d.id, 1"
        " FROM qrels_editions e, st1_queries q, dblp d WHERE e.edition = 'closed' AND q.query = 'q1' AND d.docno = 'd00'"
    )
    conn.execute("SELECT seal_edition('closed')")
    compare_all(conn, "anna", by_grade(dict.fromkeys(DOCS, 1)))
    with pytest.raises(StateError, match="sealed"):
        submit_pairs(conn, "p", edition="closed")
    assert conn.execute("SELECT count(submitted) FROM stc_all.qrels_comparisons").fetchone() == (0,)
    conn.execute("UPDATE stc_all.qrels_pools SET simulated = true")
    submit_pairs(conn, "p", edition="e")
    assert conn.execute("SELECT bool_and(hidden) FROM qrels_preferences").fetchone() == (True,)
    assert conn.execute("SELECT simulated FROM qrels_editions WHERE edition = 'e'").fetchone() == (True,)


def test_comparisons_belong_to_their_pool(conn: psycopg.Connection, pool: str) -> None:
    share_pool(conn, "p", annotators=["anna", "ben"])
    compare_all(conn, "anna", by_grade(dict.fromkeys(DOCS, 1)))
    anna, ben = (sum(one.documents for one in pair_progress(conn, "p", name)) for name in ("anna", "ben"))
    assert anna + ben == 24
    with pytest.raises(BadArgument, match="not shared with 'carl'"):
        next_pair(conn, "p", "carl")
    with pytest.raises(BadArgument, match="already being assessed"):
        share_pool(conn, "p", annotators=["anna", "ben", "carl"])
    with pytest.raises(BadArgument, match=r"pool 'p' has .* never submitted"):
        drop_pool(conn, "p")
    assert drop_pool(conn, "p", drafts=True) == 24
    assert conn.execute("SELECT count(*) FROM stc_all.qrels_comparisons").fetchone() == (0,)


def test_the_audit_log_has_a_line_for_each_comparison(conn: psycopg.Connection, pool: str, tmp_path: Path) -> None:
    pair = next_pair(conn, "p", "anna")
    assert pair is not None
    audit, names = Audit(tmp_path / "audit.jsonl"), docnos(conn, "anna")
    assert audit.audited("olga", compare_pair)(conn, "p", "anna", pair, "left", decision="first000")
    sent = SentComparison(id="first000", pool="p", annotator="anna", pair=pair, choice="left", seconds=None)
    assert audit.audited("olga", store)(conn, [sent]) == (1, ["first000"])  # it was stored already
    assert audit.audited("olga", undo_comparison)(conn, "p", "anna", query=pair.query) == pair.query
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert [(line["old"], line["new"]) for line in lines] == [(None, "left"), ("left", None)]
    for line in lines:
        assert (line["role"], line["annotator"], line["pool"], line["query"]) == ("olga", "anna", "p", pair.query)
        assert (line["left"], line["right"]) == (names[pair.left_token], names[pair.right_token])


@pytest.mark.usefixtures("dsn")
def test_only_the_queries_of_a_set(conn: psycopg.Connection, settings: Settings, pool: str) -> None:
    """A set restricts the next pair and the progress; orders of other queries stay as they are."""
    conn.execute("SELECT stc.store_query_set('later', 'q2+q3')")
    judge = by_grade(dict.fromkeys(DOCS, 1))
    pair = next_pair(conn, pool, "anna", queries="later")
    assert pair is not None
    assert pair.query == "q2"
    other = next_pair(conn, pool, "anna", queries="q*-q2-q3")
    assert other is not None
    assert other.query == "q1"
    compare_all(conn, "anna", judge, query="q2")
    assert next_pair(conn, pool, "anna", queries="later") is None
    assert next_pair(conn, pool, "anna") is not None
    assert {one.query: one.remaining for one in pair_progress(conn, pool, "anna", queries="later")} == {"q2": 0, "q3": 0}
    assert {one.query for one in pair_progress(conn, pool, "anna")} == {"q1", "q2", "q3"}
    put_queries(conn, {"q9": "in no pool"})
    with pytest.raises(UnknownObject, match="the pool 'p' has no query of the set 'q9'"):
        next_pair(conn, pool, "anna", queries="q9")
    with pytest.raises(UnknownObject, match="no query or set of queries 'nothing'"):
        pair_progress(conn, pool, "anna", queries="nothing")


def test_commands(conn: psycopg.Connection, settings: Settings, pool: str) -> None:
    compare_all(conn, "anna", by_grade({doc: number for number, doc in enumerate(DOCS)}), query="q2")
    run: Callable[..., Any] = runner(settings)
    listed = run("qrels", "pool", "pairs", "p").stdout
    assert next(line.split() for line in listed.splitlines() if "q2" in line)[:5] == ["anna", "q2", "7", "7", "0"]
    listed = run("qrels", "pool", "pairs", "p", "--queries", "q1+q2-q1").stdout
    assert [line.split()[1] for line in listed.splitlines()[2:]] == ["q2"]
    refused = run("qrels", "pool", "pairs", "p", "--queries", "hard")
    assert (refused.returncode, "no query or set of queries 'hard'" in refused.stderr) == (2, True)
    told = run("qrels", "pool", "submit", "p", "--pairs", "--edition", "e").stdout
    assert told == "e: 7 preference levels added for 1 query and annotators; 1 order not complete yet\n"


def test_the_query_of_the_last_comparison_comes_first_until_its_order_is_complete(conn: psycopg.Connection, pool: str) -> None:
    first = next_pair(conn, pool, "anna")
    assert first is not None
    [other] = {"q1", "q2"} - {first.query}
    pair = next_pair(conn, pool, "anna", near=other)
    assert pair is not None
    assert (pair.query, pair.number) == (other, 1)
    assert pair.remaining == {row.query: row.remaining for row in pair_progress(conn, pool, "anna")}[other]
    assert next_pair(conn, pool, "anna", near=other, passed=[other]) == first
    assert next_pair(conn, pool, "anna", near="q3") == first  # a single document
    assert next_pair(conn, pool, "anna", near="unknown") == first
    assert next_pair(conn, pool, "anna", near=other, query=first.query) == first
    compare_all(conn, "anna", by_grade(dict.fromkeys(DOCS, 1)), query=other)
    assert next_pair(conn, pool, "anna", near=other) == first
    with pytest.raises(BadArgument, match="are not two documents of a query"):  # of another query
        compare_pair(conn, pool, "anna", first._replace(query=other), "left")
    assert compare_pair(conn, pool, "anna", first._replace(query=""), "left")
