"""Searching: the same answers as the SQL functions and the command line, one statement for many queries, filters."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import psycopg
import pytest

from stcollection.api.collection import Collection
from stcollection.api.records import Query
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.retrieval import PUBLISHED
from stcollection.retrieval.search import search, search_many
from tests.api.conftest import QUERIES

pytestmark = pytest.mark.slow


def test_search_is_search(small: Collection, conn: psycopg.Connection) -> None:
    for system in ("boolean", "bm25"):
        for query in ("voice assistants", "homes -privacy", "+", ""):
            frame = small.search(query, system, k=4)
            assert list(frame.columns) == ["rank", "score", "docno", "year", "title", "snippet"]
            expected = [
                (one.rank, one.score, one.docno, one.year, one.title, one.snippet)
                for one in search(conn, query, system=system, k=4)
            ]
            assert frame.astype(object).where(frame.notna(), None).values.tolist() == [list(row) for row in expected]
    polars = small.search("voice assistants", "bm25", frame="polars")
    assert polars["rank"].to_list() == [1, 2, 3, 4]
    assert polars.filter(pl.col("docno") == "1")["snippet"].to_list() == ["Voice assistants listen to all of it, e.g. at night."]


def test_many_queries_are_one_statement(small: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[Any] = []
    execute = small.connection.execute

    def told(*given: Any, **more: Any) -> Any:
        statements.append(given)
        return execute(*given, **more)

    monkeypatch.setattr(small.connection, "execute", told)
    got = small.search_many(small.queries(), "bm25", k=2)
    assert len(statements) == 1
    assert list(got.columns) == ["qid", "docno", "rank", "score"]
    expected = [
        (qid, docno, rank, score)
        for qid, text in QUERIES.items()
        for rank, score, docno in small.search(text, "bm25", k=2)[["rank", "score", "docno"]].itertuples(index=False)
    ]
    assert list(got.itertuples(index=False, name=None)) == expected
    assert [qid for qid, *_ in expected].count("q1") == 2


@pytest.mark.parametrize(
    "given",
    [dict(QUERIES), pl.DataFrame({"qid": list(QUERIES), "query": list(QUERIES.values())}), [Query("7", "graphs")]],
)
def test_what_queries_can_be(small: Collection, given: Any) -> None:
    got = small.search_many(given, "bm25", k=1, frame="polars")
    assert got["docno"].to_list()[-1] == "4"
    assert small.search_many(pd.DataFrame({"qid": [7], "query": ["graphs"]}), "bm25")["qid"].tolist() == ["7"]


def test_no_queries_and_nothing_found(small: Collection) -> None:
    for queries in ({}, {"a": "xyzzy"}):
        got = small.search_many(queries, "bm25")
        assert (len(got), list(got.columns)) == (0, ["qid", "docno", "rank", "score"])


def test_a_filter_narrows(small: Collection) -> None:
    assert small.search("voice assistants", "bm25", filter={"year": [2000, None]})["docno"].tolist() == ["1"]
    assert small.search("assistants", "boolean", filter={"year": [None, 2000]})["docno"].tolist() == ["3"]
    assert set(small.search_many(QUERIES, "bm25", filter={"venue": "sigir"})["docno"]) == {"1"}
    assert len(small.search("voice", "bm25", filter={})) == 4


def test_errors(small: Collection) -> None:
    with pytest.raises(UnknownObject, match="splade"):
        small.search("voice", "splade")
    with pytest.raises(BadArgument, match="k is 0"):
        small.search("voice", "bm25", k=0)
    with pytest.raises(BadArgument, match="the query is None"):
        small.search(None, "bm25")  # type: ignore[call-overload]
    with pytest.raises(BadInput, match="qid 'a' occurs twice"):
        small.search_many(pd.DataFrame({"qid": ["a", "a"], "query": ["voice", "graphs"]}), "bm25")
    with pytest.raises(BadArgument, match="a filter has no key colour"):
        small.search("voice", "bm25", filter={"colour": "red"})
    with pytest.raises(BadArgument, match="no column query or text"):
        small.search_many(pd.DataFrame({"qid": ["1"]}))
    small.sql("UPDATE dblp_text SET title = 'new' WHERE id = 1")
    with pytest.raises(StateError, match="stale"):
        small.search("voice", "bm25")


@pytest.mark.long
def test_every_system_on_the_demo(demo: Collection) -> None:
    query = "how do voice assistants listen"
    for system in PUBLISHED:
        found = demo.search_many({"a": query, "b": "fake news"}, system, k=5)
        assert found[found["qid"] == "a"]["docno"].tolist() == [
            one.docno for one in search(demo.connection, query, system=system, k=5)
        ]
        narrowed = demo.search(query, system, k=5, filter={"year": [2021, None]})
        assert (narrowed["year"] >= 2021).all()
        # A filter that every document passes changes nothing, so systems with and without it return the same.
        everything = demo.search_many({"a": query}, system, k=50, filter={"docnos": [one.doc_id for one in demo.docs_iter()]})
        pd.testing.assert_frame_equal(everything, demo.search_many({"a": query}, system, k=50))
    assert demo.sql("SELECT count(*) AS n FROM query_v WHERE text = 'fake news'")["n"].tolist() == [1]
    with pytest.raises(UnknownObject, match="no such model"):
        demo.search(query, "dense-title", model="no such model")


def test_vectors_are_sent_in_binary_form(demo: Collection) -> None:
    """The documents of a list of queries are those of each query alone, whose vector is sent as text."""
    conn = demo.connection
    first, second, third = (text for (text,) in conn.execute("SELECT text FROM query_v ORDER BY text LIMIT 3"))
    texts = [first, second, first, third]
    for _ in range(2):  # the second call finds the type's number on the connection
        for system in ("dense-title", "hybrid"):
            ranked = search_many(conn, texts, system=system, k=5)
            for place, text in enumerate(texts):
                [known] = conn.execute("SELECT v::text FROM query_v WHERE text = %s", [text]).fetchone() or [None]
                theirs = search(conn, text, system=system, k=5, vector=known)
                assert [(docno, score) for at, docno, _, score in ranked if at == place] == [
                    (one.docno, one.score) for one in theirs
                ]
    assert search_many(conn, [], system="dense-title", k=5) == []
    assert len(search_many(conn, ["voice"], system="bm25", k=2)) == 2
    [kept] = conn.execute("SELECT v FROM query_v LIMIT 1").fetchone() or [None]
    assert isinstance(kept, str), "results have the form that they had"
