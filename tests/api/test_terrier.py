"""PyTerrier: frames in and out, pipelines, and experiments whose numbers are the collection's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RR, Bpref, P, nDCG

from stcollection.api.collection import Collection
from stcollection.retrieval import PUBLISHED


@pytest.mark.slow
def test_ranks_count_from_0(small: Collection) -> None:
    got = small.terrier("bm25").search("voice assistants")
    own = small.search("voice assistants", "bm25")
    assert list(got.columns) == ["qid", "query", "docno", "score", "rank"]
    assert got["docno"].tolist() == own["docno"].tolist()
    assert got["score"].tolist() == own["score"].tolist()
    assert got["rank"].tolist() == [rank - 1 for rank in own["rank"]] == [0, 1, 2, 3]


def test_frames_keep_their_columns(small: Collection) -> None:
    queries = pd.DataFrame({"qid": ["b", "a"], "query": ["graphs", "voice"], "query_0": ["Graphs!", "Voice!"]}, index=[7, 3])
    got = small.terrier("bm25", depth=2)(queries)
    assert got.loc[0, ["qid", "query_0", "docno"]].tolist() == ["b", "Graphs!", "4"]
    assert got.groupby("qid").size().to_dict() == {"a": 2, "b": 1}
    for nothing in (queries[:0], queries.assign(query="xyzzy")):
        empty = small.terrier("bm25")(nothing)
        assert (len(empty), set(empty.columns)) == (0, {"qid", "query", "query_0", "docno", "score", "rank"})
    with pytest.raises(pt.validate.InputValidationError):
        small.terrier("bm25")(pd.DataFrame({"qid": ["1"]}))
    assert small.terrier("bm25", filter={"year": 2021}).search("voice")["docno"].tolist() == ["1"]


def test_pipelines(small: Collection) -> None:
    bm25: Any = small.terrier("bm25")
    pipeline = bm25 % 2 >> small.text_loader() >> pt.apply.doc_score(lambda row: len(row["abstract"]))
    got = pipeline.search("voice assistants")
    assert len(got) == 2
    assert got.sort_values("rank")["score"].tolist() == sorted(got["score"], reverse=True)
    loaded = (bm25 >> small.text_loader()).search("voice assistants").set_index("docno")
    assert loaded.loc["X-2", "title"] == "Voice assistants"
    assert loaded.loc["X-2", "abstract"] == ""
    assert len((2 * bm25 + small.terrier("boolean")).search("voice")) == 4


def test_a_cutoff_goes_down_to_the_database(small: Collection) -> None:
    bm25: Any = small.terrier("bm25", depth=50)
    assert repr((bm25 % 10).compile()).endswith("depth=10)")
    assert repr((bm25 % 100).compile()).endswith("depth=50)")
    cut = (bm25 >> small.text_loader()) % 2
    pd.testing.assert_frame_equal(cut.compile().search("voice"), cut.search("voice"))


@pytest.mark.slow
def test_an_experiment_gives_the_scores_of_the_collection(demo: Collection) -> None:
    measures = [nDCG @ 10, AP, RR, P @ 10, Bpref]
    for edition in ("train", "test"):
        theirs = pt.Experiment(
            [demo.terrier(system) for system in PUBLISHED],
            demo.queries(edition),
            demo.qrels(edition),
            eval_metrics=measures,
            names=list(PUBLISHED),
        ).set_index("name")
        ours = demo.score(PUBLISHED, edition=edition, measures=measures).set_index("run")
        for system in PUBLISHED:
            for measure in map(str, measures):
                assert theirs.loc[system, measure] == pytest.approx(ours.loc[system, measure], abs=1e-6), (edition, system, measure)
    each = pt.Experiment(
        [demo.terrier("hybrid")], demo.queries("test"), demo.qrels("test"), eval_metrics=["ndcg_cut_10"], perquery=True
    )
    own = demo.score("hybrid", edition="test", measures=["ndcg_cut_10"], per_query=True)
    assert dict(zip(each["qid"], each["value"], strict=True)) == pytest.approx(dict(zip(own["qid"], own["value"], strict=True)))


@pytest.mark.slow
def test_no_java_is_started_nor_needed(demo: Collection, tmp_path: Path) -> None:
    code = """
import sys
import pyterrier as pt
import stcollection
with stcollection.open(sys.argv[1], home=sys.argv[2] or None, dsn=sys.argv[3] or None) as c:
    print(len((c.terrier("bm25") % 3 >> c.text_loader()).search("fake news")))
    print(len(pt.Experiment([c.terrier("bm25")], c.queries("test"), c.qrels("test"), eval_metrics=["map"])))
    assert not pt.java.started()
"""
    env = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": str(tmp_path)}
    where = demo.settings
    done = subprocess.run(
        [sys.executable, "-c", code, where.db, str(where.home), where.dsn or ""],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["3", "1"]
