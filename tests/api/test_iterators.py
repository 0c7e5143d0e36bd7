"""Documents, queries, judgments and runs in the manner of ir_datasets."""

from __future__ import annotations

import time

import pytest

from stcollection.api.collection import Collection
from stcollection.api.records import Document, Qrel, Query, ScoredDoc
from stcollection.errors import BadArgument, UnknownObject

pytestmark = pytest.mark.slow


def test_documents(small: Collection) -> None:
    documents = list(small.docs_iter())
    assert [one.doc_id for one in documents] == ["1", "X-2", "3", "4", "5"]
    assert small.docs_count() == 5
    assert documents[1] == Document("X-2", "Voice assistants", "", "", None)
    assert (documents[0].year, documents[0].venue) == (2021, "SIGIR")
    assert documents[3].default_text() == "Graphs Nothing of that kind."
    assert documents[1].default_text() == "Voice assistants"


@pytest.mark.parametrize(
    "cut",
    [slice(1, 3), slice(None, None, 2), slice(-2, None), slice(1, -1, 3), slice(3, 1), slice(2, 100), slice(5, None), slice(None)],
)
def test_slices_are_those_of_a_list(small: Collection, cut: slice) -> None:
    everything = list(small.docs_iter())
    part = small.docs_iter()[cut]
    assert part.count() == len(everything[cut])
    assert list(part) == everything[cut]
    assert list(small.docs_iter()[1:][::2]) == everything[1:][::2]


def test_one_by_its_place(small: Collection) -> None:
    assert small.docs_iter()[-1].doc_id == "5"
    assert small.docs_iter()[1].doc_id == "X-2"
    for place in (5, -6):
        with pytest.raises(IndexError):
            small.docs_iter()[place]
    with pytest.raises(BadArgument, match="the step is -1"):
        small.docs_iter()[::-1]


def test_they_are_streamed_and_leave_the_connection_free(small: Collection) -> None:
    small.sql("INSERT INTO dblp (id, docno, doc) SELECT n, n, '{}' FROM generate_series(1000, 8000) n")
    documents = small.docs_iter()
    next(documents)
    others = (
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'FETCH%'"
    )
    assert small.sql(others)["query"].tolist() == ['FETCH FORWARD 2000 FROM "rows"']
    small.runs.add({"qid": ["q1"], "docno": ["1"], "score": [1]}, "meanwhile")
    assert sum(1 for _ in documents) == 5 + 7001 - 1
    unfinished = small.docs_iter()
    next(unfinished)
    del unfinished
    deadline = time.monotonic() + 10  # the server takes note of a closed connection in its own time
    while len(small.sql(others)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert small.sql(others)["query"].tolist() == []


def test_the_store(small: Collection) -> None:
    store = small.docs_store()
    assert store.get("X-2").title == "Voice assistants"
    assert list(store.get_many(["5", "no", "1", "5", "stub"])) == ["5", "1"]
    assert [one.doc_id for one in store.get_many_iter(iter(["3", "1"]))] == ["3", "1"]
    with pytest.raises(KeyError):
        store.get("no")


def test_queries_and_judgments(small: Collection) -> None:
    assert list(small.queries_iter()) == [
        Query("q1", "voice assistants"),
        Query("q2", "privacy at home"),
        Query("q3", "graphs"),
    ]
    assert [one.query_id for one in small.queries_iter("train")] == ["q1", "q2"]
    assert list(small.qrels_iter("train")) == [
        Qrel("q1", "1", 2, "0"),
        Qrel("q1", "3", 1, "0"),
        Qrel("q1", "X-2", 0, "0"),
        Qrel("q2", "3", 2, "0"),
        Qrel("q2", "5", 1, "0"),
    ]
    assert small.qrels("train").columns.tolist() == ["qid", "docno", "label"]
    assert small.queries("decoy").values.tolist() == [["q3", "graphs"]]
    for ask in (small.qrels_iter, small.queries_iter, small.qrels):
        with pytest.raises(UnknownObject, match="no edition 'test'") as error:
            ask("test")
        assert error.value.hint == "Editions: decoy, train."


def test_a_run(small: Collection) -> None:
    small.runs.add({"qid": ["q3", "q1", "q1"], "docno": ["4", "1", "3"], "score": [1, 2, 3]}, "mine")
    small.runs.add({"qid": ["q1"], "docno": ["5"], "score": [1]}, "decoy")
    assert list(small.scoreddocs_iter("mine")) == [ScoredDoc("q1", "3", 3.0), ScoredDoc("q1", "1", 2.0), ScoredDoc("q3", "4", 1.0)]
    assert small.scoreddocs_iter("mine", "train").count() == 2
    with pytest.raises(UnknownObject):
        small.scoreddocs_iter("no")
