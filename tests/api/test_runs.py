"""Runs from frames and as frames, their scores, and users' own tables."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import polars as pl
import pytest

from stcollection.api.collection import Collection
from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.evaluation.measures import AP, nDCG
from tests.api.conftest import JUDGMENTS

pytestmark = pytest.mark.slow

RANKED = {"qid": ["q1", "q1", "q1", "q2"], "docno": ["3", "1", "X-2", "4"], "score": [3.0, 3.0, 9.5, 1]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_a_frame_becomes_a_run(small: Collection, make: Any) -> None:
    counts = small.runs.add(make(RANKED), "mine", team="us")
    assert (counts.queries, counts.ranked, counts.new_documents) == (2, 4, 0)
    got = small.runs.frame("mine")
    # Equal scores by docno descending, as trec_eval has it; ranks from 1.
    assert list(got.itertuples(index=False, name=None)) == [
        ("q1", "X-2", 1, 9.5),
        ("q1", "3", 2, 3.0),
        ("q1", "1", 3, 3.0),
        ("q2", "4", 1, 1.0),
    ]
    assert small.runs.frame("mine", depth=1)["docno"].tolist() == ["X-2", "4"]
    assert small.runs(frame="polars").select("run", "team", "queries", "ranked").rows() == [("mine", "us", 2, 4)]


def test_the_columns_of_ir_measures_do_as_well(small: Collection) -> None:
    small.runs.add([ir_measures.ScoredDoc("q1", "1", 2.0)], "one")
    small.runs.add(pd.DataFrame({"query_id": ["q2"], "doc_id": [3], "score": [2], "rank": [0]}), "two")
    assert small.runs.frame("two").values.tolist() == [["q2", "3", 1, 2.0]]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"score": [1.0, None, 2, 3]}, BadInput, "frame:2: the score NaN is not a finite number"),
        ({"score": [1.0, float("inf"), 2, 3]}, BadInput, "frame:2: the score Infinity"),
        ({"score": ["a", "b", "c", "d"]}, BadInput, "row 1: the score is 'a'"),
        ({"docno": ["3", "1", "3", "4"]}, BadInput, "frame:3: query q1 has document 3 already, on line 1"),
        ({"qid": ["q1", None, "q1", "q2"]}, BadInput, "row 2: qid is None"),
        ({"score": None}, BadArgument, "no column score"),
    ],
)
def test_a_frame_is_checked(small: Collection, change: dict[str, Any], error: type[Exception], said: str) -> None:
    columns = {name: values for name, values in {**RANKED, **change}.items() if values is not None}
    with pytest.raises(error, match=said):
        small.runs.add(columns, "mine")
    assert len(small.runs()) == 0


def test_names_and_policies(small: Collection) -> None:
    small.runs.add(RANKED, "mine")
    with pytest.raises(BadArgument, match="run mine already exists"):
        small.runs.add(RANKED, "mine")
    small.runs.add({"qid": ["q1"], "docno": ["4"], "score": [1]}, "mine", replace=True)
    assert small.runs.frame("mine")["docno"].tolist() == ["4"]
    unknown = {"qid": ["q1", "q9"], "docno": ["nowhere", "4"], "score": [2, 1]}
    with pytest.raises(BadInput, match="document nowhere is not stored"):
        small.runs.add(unknown, "other", unknown_documents="error", unknown_queries="stub")
    assert small.runs.add(unknown, "other", unknown_queries="stub").new_documents == 1
    small.runs.drop("mine", "other")
    with pytest.raises(UnknownObject, match="no run 'mine'"):
        small.runs.frame("mine")


def test_scores_are_those_of_ir_measures(small: Collection) -> None:
    small.runs.add(RANKED, "mine")
    small.run("bm25", depth=3)
    names = ["nDCG@10", "AP", "RR", "P@5"]
    judged = [ir_measures.Qrel(query, docno, rel) for query, docs in JUDGMENTS.items() for docno, rel in docs.items()]
    parsed = [ir_measures.parse_measure(name) for name in names]
    expected = {run: ir_measures.calc_aggregate(parsed, judged, small.scoreddocs_iter(run)) for run in ("mine", "bm25")}
    for measures in (names, parsed):
        got = small.score(edition="train", measures=measures).set_index("run")
        assert list(got.columns) == names
        for run, values in expected.items():
            assert got.loc[run].tolist() == pytest.approx([values[one] for one in parsed])
    assert got.index.tolist() == sorted(expected, key=lambda run: -expected[run][parsed[0]])
    each = small.score("mine", edition="train", measures=[nDCG @ 10, AP], per_query=True)
    assert list(each.columns) == ["run", "qid", "measure", "value"]
    assert each.groupby("measure")["value"].mean()["AP"] == pytest.approx(expected["mine"][ir_measures.AP])
    assert set(each["run"]) == {"mine"}
    assert small.leaderboard("train", frame="polars").columns[:2] == ["run", "nDCG@10"]
    for bad in ({"runs": "no"}, {"edition": "no"}, {"measures": ["no"]}):
        asked: dict[str, Any] = {"edition": "train", **bad}
        with pytest.raises(UnknownObject):
            small.score(**asked)


def test_export(small: Collection, tmp_path: Path) -> None:
    small.runs.add(RANKED, "mine")
    assert small.runs.export("mine", tmp_path / "mine.run", layout="trec").ranked == 4
    assert (tmp_path / "mine.run").read_text().splitlines()[0] == "q1 Q0 X-2 1 9.5 mine"
    with pytest.raises(BadArgument, match="no run format 'xml'"):
        small.runs.export("mine", tmp_path / "mine.xml", layout="xml")
    with pytest.raises(UnknownObject):
        small.runs.export("no", tmp_path / "no.run")
    assert not (tmp_path / "no.run").exists()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_becomes_a_table(small: Collection, make: Any) -> None:
    mine = {
        "docno": ["X-2", "1", "a\tb\\N"], "n": [1, 2, 3], "x": [0.5, None, 2], "yes": [True, False, True],
        "none": [None, None, None],
        "at": [datetime.datetime(2024, 1, day, tzinfo=datetime.UTC) for day in (1, 2, 3)],
    }  # fmt: skip
    assert small.register("mine", make(mine)) == 3
    got = small.sql("SELECT m.*, d.id FROM mine m LEFT JOIN dblp d USING (docno) ORDER BY m.docno")
    assert got["docno"].tolist() == ["1", "X-2", "a\tb\\N"]
    assert got["id"].tolist()[:2] == [1, 2]
    assert got["x"].isna().tolist() == [True, False, False]
    columns = ", ".join(f"pg_typeof({name})::text AS {name}" for name in ("n", "x", "yes", "at"))
    types = small.sql(f"SELECT {columns} FROM mine LIMIT 1")
    assert types.iloc[0].tolist() == ["bigint", "double precision", "boolean", "timestamp with time zone"]
    small.register("mine", [{"lists": [1, 2]}])
    assert small.sql("SELECT * FROM mine")["lists"].tolist() == [[1, 2]]


def test_a_table_of_the_collection_is_not_hidden(small: Collection) -> None:
    with pytest.raises(BadArgument, match="dblp is a table of the collection"):
        small.register("dblp", {"a": [1]})
    with pytest.raises(BadArgument, match="the column a contains bigint and text"):
        small.register("mine", {"a": [1, "b"]})
    with pytest.raises(BadArgument, match="has no columns"):
        small.register("mine", {})
    assert small.register('"; DROP TABLE dblp; --', {'a"b': [1]}) == 1
    assert small.docs_count() == 5
