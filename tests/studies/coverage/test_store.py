"""Stored coverages, and the commands."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject
from stcollection.studies.coverage.records import Coverage, CoverageOptions
from stcollection.studies.coverage.store import (
    CoverageRequest,
    drop_coverage,
    get_coverage,
    list_coverages,
    load_coverage,
    long_queries,
    make_request,
)
from stcollection.topics.load import load as load_topics
from tests.at_once import at_once
from tests.groups import coverage
from tests.studies.coverage.coverage_worlds import TEXT, remember, world

pytestmark = pytest.mark.slow

FEW = CoverageOptions(documents=12, topics=3)
LONG = ("do machines at home hear more than their owners know", "who pays when a car without a driver breaks something")


@pytest.fixture
def queries(conn: psycopg.Connection, tmp_path: Path) -> None:
    world(conn)
    path = tmp_path / "queries.csv"
    rows = [("T1", "T1.1", "voice privacy"), ("T1", "T1.C1", LONG[0]), ("T2", "T2.C1", LONG[1])]
    path.write_text(
        "topic_id;topic_text;topic_url;query_id;query_text\n"
        + "".join(f"{t};An article;http://x.example;{q};{text}\n" for t, q, text in rows)
    )
    load_topics(conn, [path])
    for *_, text in rows:
        remember(conn, text)


@pytest.mark.usefixtures("queries")
def test_a_stored_coverage_is_reused_while_nothing_changes(conn: psycopg.Connection) -> None:
    asked = CoverageRequest("mine", "T1.C1", LONG[0])
    first = get_coverage(conn, asked, options=FEW)
    again = get_coverage(conn, asked, options=FEW)
    assert (first.stored, again.stored) == (False, True)
    assert sorted(again.topics) == sorted(first.topics)
    assert (again.docs, again.support, again.notes, again.state) == (first.docs, first.support, first.notes, first.state)
    assert not get_coverage(conn, asked, options=FEW, again=True).stored
    assert not get_coverage(conn, asked, options=CoverageOptions(documents=12, topics=2)).stored  # other options, now stored
    assert not get_coverage(conn, asked, options=FEW).stored


@pytest.mark.usefixtures("queries")
def test_a_coverage_stored_before_stop_words_were_left_out_is_recomputed(conn: psycopg.Connection) -> None:
    asked = CoverageRequest("mine", None, TEXT)
    get_coverage(conn, asked, options=FEW)
    conn.execute("UPDATE stc.coverages SET params = params - 'stop_words' - 'max_df'")
    assert load_coverage(conn, "mine").options == replace(FEW, stop_words=False, max_df=1.0)
    assert not get_coverage(conn, asked, options=FEW).stored


@pytest.mark.usefixtures("queries")
def test_a_changed_corpus_is_recounted(conn: psycopg.Connection) -> None:
    asked = make_request(TEXT)
    first = get_coverage(conn, asked, options=FEW)
    best = first.of("lda")[0]
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (5000, '5000', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (5000, %s)", [" ".join(best.words)])
    stale = get_coverage(conn, asked, options=FEW)
    assert (stale.stored, stale.state) == (False, None)
    assert not get_coverage(conn, asked, options=FEW).stored  # stale indexes cannot be distinguished
    [counted] = [one for one in stale.topics if (one.kind, one.place) == (best.kind, best.place)]
    assert counted == replace(best, count=best.count + 1)
    conn.execute("CALL stc.index_text()")
    assert not get_coverage(conn, asked, options=FEW).stored
    assert get_coverage(conn, asked, options=FEW).stored
    conn.execute("UPDATE dblp_v SET abstract_v = NULL WHERE id = 3")  # different vectors give different neighbours
    assert not get_coverage(conn, asked, options=FEW).stored


@pytest.mark.usefixtures("queries")
def test_one_coverage_is_stored_per_name_and_can_be_dropped(conn: psycopg.Connection) -> None:
    get_coverage(conn, CoverageRequest("mine", "T1.C1", LONG[0]), options=FEW)
    get_coverage(conn, CoverageRequest("mine", None, TEXT), options=FEW)
    get_coverage(conn, make_request(TEXT), options=FEW, store=False)
    [one] = list_coverages(conn)
    assert (one.coverage, one.query, one.text, one.documents, one.options, one.topics) == ("mine", None, TEXT, 12, FEW, 3)
    assert load_coverage(conn, "mine").text == TEXT
    drop_coverage(conn, "mine")
    assert conn.execute("SELECT count(*) FROM stc.coverage_topics").fetchone() == (0,)
    for call in (drop_coverage, load_coverage):
        with pytest.raises(UnknownObject, match="no coverage 'mine'"):
            call(conn, "mine")


@pytest.mark.usefixtures("queries")
def test_two_at_once_store_one(conn: psycopg.Connection, dsn: str) -> None:
    done: list[Coverage | StcError] = []

    def work() -> None:
        with psycopg.connect(dsn, autocommit=True) as own:
            for _ in range(3):
                try:
                    done.append(get_coverage(own, CoverageRequest("both", None, TEXT), options=FEW, again=True))
                except StcError as error:
                    done.append(error)

    at_once(lambda _: work(), range(2))
    assert [type(one) for one in done] == [Coverage] * 6
    assert len(list_coverages(conn)) == 1
    assert len(load_coverage(conn, "both").of("lda")) == 3


@pytest.mark.usefixtures("queries")
def test_long_queries_are_recognised_by_name_or_length(conn: psycopg.Connection) -> None:
    assert [one.query for one in long_queries(conn)] == ["T1.C1", "T2.C1"]
    conn.execute("UPDATE st1_queries SET query = replace(query, '.C', '.L')")
    conn.execute("UPDATE st1_queries SET text = 'ten words are a long query one two three four' WHERE query = 'T2.L1'")
    assert [one.query for one in long_queries(conn)] == ["T1.L1", "T2.L1"]
    conn.execute("UPDATE st1_queries SET text = 'nine words are no query one two three four' WHERE query = 'T2.L1'")
    assert [one.query for one in long_queries(conn)] == ["T1.L1"]


@pytest.mark.usefixtures("queries")
def test_a_coverage_survives_its_query(conn: psycopg.Connection) -> None:
    get_coverage(conn, CoverageRequest("T1.C1", "T1.C1", LONG[0]), options=FEW)
    conn.execute("DELETE FROM st1_queries WHERE query = 'T1.C1'")
    assert [(one.coverage, one.query) for one in list_coverages(conn)] == [("T1.C1", None)]


@pytest.mark.usefixtures("queries")
def test_the_commands(settings: Settings) -> None:
    def stc(*arguments: str) -> str:
        return CliRunner().invoke(coverage, list(arguments), obj=settings, catch_exceptions=False).stdout

    few = ("--documents", "12", "--topics", "3")
    told = stc("compute", *few)
    assert "T1.C1: 12 abstracts" in told
    assert "T2.C1: 12 abstracts" in told
    assert "T1.1:" not in told
    assert ", as stored" not in told
    assert stc("compute", *few).count(", as stored") == 2
    rows = json.loads(stc("compute", "T1.C1", *few, "--kind", "all", "--format", "json"))
    assert {row["kind"] for row in rows} == {"lda", "itemset", "concept"}
    assert [row["count"] for row in rows if row["kind"] == "lda"] == sorted(
        (row["count"] for row in rows if row["kind"] == "lda"), reverse=True
    )
    counts = [row["count"] for row in rows if row["kind"] == "lda"]
    ends = json.loads(stc("compute", *few, "--extremes", "--format", "json"))
    assert [row["coverage"] for row in ends] == ["T1.C1", "T2.C1"]
    assert (ends[0]["frequent_count"], ends[0]["rare_count"]) == (counts[0], counts[-1])
    assert json.loads(stc("show", "T1.C1", "--extremes", "--format", "json")) == ends[:1]
    flat = list(csv.DictReader(stc("compute", "--text", TEXT, *few, "--as", "apart", "--format", "csv").splitlines()))
    assert [row["coverage"] for row in flat] == ["apart"] * 3
    assert r"\toprule" in stc("compute", "T1.C1", *few, "--format", "latex")
    listed = stc("list")
    assert all(name in listed for name in ("T1.C1", "T2.C1", "apart"))
    assert "apart: 12 abstracts" in stc("show", "apart")
    assert stc("drop", "apart") == "apart: dropped\n"
    assert "apart" not in stc("list")


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (["T1.C2"], UnknownObject, "no query 'T1.C2'"),
        (["T1.C1", "--text", "more"], BadArgument, "both a text and stored queries"),
        (["--text", "  "], BadArgument, "the text is empty"),
        (["--as", "one"], BadArgument, "one name is given for 2 queries"),
        (["T1.C1", "--documents", "3", "--topics", "4"], StateError, "3 abstracts are too few for 4 topics"),
        (["T1.C1", "--model", "nowhere"], UnknownObject, "no vectors of a model nowhere"),
    ],
)
@pytest.mark.usefixtures("queries")
def test_errors_of_the_command(settings: Settings, arguments: list[str], kind: type[StcError], said: str) -> None:
    with pytest.raises(kind, match=said):
        CliRunner().invoke(coverage, ["compute", *arguments], obj=settings, catch_exceptions=False)


def test_a_collection_without_long_queries(settings: Settings) -> None:
    with pytest.raises(StateError, match="no long queries"):
        CliRunner().invoke(coverage, ["compute"], obj=settings, catch_exceptions=False)
