"""Documents, topics and judgments from frames and iterators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from stcollection.api.collection import Collection
from stcollection.api.records import Qrel, Query
from stcollection.errors import BadArgument, BadInput

pytestmark = pytest.mark.slow

PAPERS: dict[str, list[Any]] = {
    "docno": ["n1", "n2"],
    "title": ["Voice", None],
    "text": ["At home.", "No title."],
    "year": [2016, 2020],
}


def stored(small: Collection) -> list[tuple[Any, ...]]:
    rows = small.sql(
        "SELECT docno, title, abstract, doc ->> 'year' AS year FROM dblp JOIN dblp_text USING (id)"
        " WHERE docno ~ '^n' ORDER BY docno"
    )
    return [tuple(None if value is None or value != value else value for value in row) for row in rows.itertuples(index=False)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict, lambda columns: iter(pd.DataFrame(columns).to_dict("records"))])
def test_a_frame_becomes_documents(small: Collection, make: Any) -> None:
    [done] = small.corpus.load(make(PAPERS))
    assert (done.documents, done.rejects, done.path) == (2, 0, "frame")
    assert stored(small) == [("n1", "Voice", "At home.", "2016"), ("n2", None, "No title.", "2020")]
    assert small.corpus.load(make(PAPERS))[0].state == "already loaded"
    assert len(stored(small)) == 2


def test_columns_of_other_names(small: Collection) -> None:
    frame = pl.DataFrame({"key": ["n1"], "headline": ["Voice"], "body": ["At home."]})
    small.corpus.load(frame, name="articles", map="docno=key,title=headline,text=body")
    assert stored(small) == [("n1", "Voice", "At home.", None)]


def test_what_is_no_documents(small: Collection) -> None:
    with pytest.raises(BadInput, match="frame:1: a int, not a mapping"):
        small.corpus.load([1, 2])
    with pytest.raises(BadInput, match="contains no document"):
        small.corpus.load([])
    with pytest.raises(BadArgument, match="does not name a field"):
        small.corpus.load(PAPERS, map="headline")
    with pytest.raises(BadInput, match="no field for the title or text of documents; the fields are docno, body") as error:
        small.corpus.load({"docno": ["n1"], "body": ["x"]})
    assert 'map="text=body"' in (error.value.hint or "")
    with pytest.raises(BadArgument, match="no data to load"):
        small.corpus.load()
    with pytest.raises(BadArgument, match="3 is not a frame or iterable"):
        small.corpus.load(3)


def test_paths_and_frames_in_one_call(small: Collection, tmp_path: Path) -> None:
    (tmp_path / "more.jsonl").write_text('{"id": "n3", "title": "Drones", "text": "They fly."}\n')
    loaded = small.corpus.load([str(tmp_path / "more.jsonl")], pd.DataFrame(PAPERS), format="jsonl")
    assert [one.documents for one in loaded] == [1, 2]
    html = loaded._repr_html_()
    assert html.count("<tr>") == 3
    assert "more.jsonl" in html


@pytest.mark.parametrize(
    "topics",
    [
        {"t1": "drones <b>", "t2": "robots"},
        {"qid": ["t1", "t2"], "query": ["drones <b>", "robots"]},
        pd.DataFrame({"qid": ["t1", "t2"], "query": ["drones <b>", "robots"]}),
        pl.DataFrame({"query_id": ["t1", "t2"], "text": ["drones <b>", "robots"]}),
        [Query("t1", "drones <b>"), Query("t2", "robots")],
        ({"qid": name, "query": text} for name, text in (("t1", "drones <b>"), ("t2", "robots"))),
    ],
    ids=["texts", "columns", "pandas", "polars", "tuples", "iterator"],
)
def test_topics(small: Collection, topics: Any) -> None:
    done = small.topics.add(topics)
    assert (done.queries, done.added) == (2, 2)
    assert small.queries().set_index("qid")["query"].loc[["t1", "t2"]].tolist() == ["drones <b>", "robots"]


@pytest.mark.parametrize(
    "judgments",
    [
        {"q1": {"1": 2, "4": 0}},
        {"qid": ["q1", "q1"], "docno": ["1", "4"], "label": [2, 0]},
        pd.DataFrame({"qid": ["q1", "q1"], "docno": [1, 4], "label": [2.0, 0.0]}),
        pl.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["1", "4"], "relevance": [2, 0]}),
        [Qrel("q1", "1", 2, "0"), Qrel("q1", "4", 0, "0")],
    ],
    ids=["nested", "columns", "pandas", "polars", "tuples"],
)
def test_judgments(small: Collection, judgments: Any) -> None:
    [done] = small.qrels.add(judgments, edition="mine")
    assert (done.judgments, done.new_documents) == (2, 0)
    assert small.qrels("mine").values.tolist() == [["q1", "1", 2], ["q1", "4", 0]]
    assert small.sql("SELECT path, sha256 FROM edition_files WHERE edition = 'mine'").values.tolist() == [["frame", None]]


def test_a_data_set(small: Collection, tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "n1", "title": "Drones", "text": "They fly."}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "t1", "text": "drones"}\n')
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nt1\tn1\t1\n")
    files = small.load(tmp_path)
    assert [(one.role, one.records) for one in files] == [("corpus", 1), ("topics", 1), ("qrels", 1)]
    assert small.qrels("dev").values.tolist() == [["t1", "n1", 1]]


class RanxRun:
    """A frame as ranx returns it, with its own names of columns."""

    def to_dataframe(self) -> pd.DataFrame:
        return pd.DataFrame({"q_id": ["q1", "q1"], "doc_id": ["3", "1"], "score": [2.0, 1.5]})


@pytest.mark.parametrize("run", [RanxRun(), {"q1": {"3": 2.0, "1": 1.5}}])
def test_runs_of_ranx(small: Collection, run: Any) -> None:
    assert small.runs.add(run, "mine").ranked == 2
    assert small.runs.frame("mine")["docno"].tolist() == ["3", "1"]
