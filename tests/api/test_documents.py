"""Documents from frames and iterators."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest

from stcollection.api.collection import Collection
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
    done = small.corpus.add(make(PAPERS))
    assert (done.documents, done.rejects, done.path) == (2, 0, "frame")
    assert stored(small) == [("n1", "Voice", "At home.", "2016"), ("n2", None, "No title.", "2020")]
    assert small.corpus.add(make(PAPERS)).state == "already loaded"
    assert len(stored(small)) == 2


def test_columns_of_other_names(small: Collection) -> None:
    frame = pl.DataFrame({"key": ["n1"], "headline": ["Voice"], "body": ["At home."]})
    small.corpus.add(frame, name="articles", map="docno=key,title=headline,text=body")
    assert stored(small) == [("n1", "Voice", "At home.", None)]


def test_what_is_no_documents(small: Collection) -> None:
    with pytest.raises(BadInput, match="frame:1: a int, not a mapping"):
        small.corpus.add([1, 2])
    with pytest.raises(BadInput, match="holds no document"):
        small.corpus.add([])
    with pytest.raises(BadArgument, match="does not name a field"):
        small.corpus.add(PAPERS, map="headline")
    assert small.corpus.add({"docno": ["n1"], "body": ["x"]}).all_rejected


class RanxRun:
    """What ranx gives: a frame with names of its own."""

    def to_dataframe(self) -> pd.DataFrame:
        return pd.DataFrame({"q_id": ["q1", "q1"], "doc_id": ["3", "1"], "score": [2.0, 1.5]})


@pytest.mark.parametrize("run", [RanxRun(), {"q1": {"3": 2.0, "1": 1.5}}])
def test_runs_of_ranx(small: Collection, run: Any) -> None:
    assert small.runs.add(run, "mine").ranked == 2
    assert small.runs.frame("mine")["docno"].tolist() == ["3", "1"]
