"""A collection built from Python, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import stcollection
from stcollection import demo
from stcollection.api.collection import Collection
from stcollection.db.collections import drop
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.qrels.editions import EditionFacts

pytestmark = pytest.mark.slow
NAME = "stc_test_built"


@pytest.fixture
def built(server: Settings) -> Iterator[Collection]:
    with stcollection.create(NAME, dsn=server.dsn, home=server.home) as collection:
        yield collection
    drop(collection.settings)


def test_from_files_to_scores(built: Collection, server: Settings, tmp_path: Path) -> None:
    [loaded] = built.corpus.load(demo.CORPUS)
    assert loaded.documents == built.corpus.count() > 200
    assert built.text.index(k1=0.9, b=0.4).documents == loaded.documents
    assert built.topics.add(demo.QUERIES).queries == 24
    [judged] = built.qrels.add(demo.qrels("test"), edition="test", facts=EditionFacts(split="test"))
    assert judged.added == len(built.qrels("test")) > 100
    assert built.qrels.editions()[["edition", "hidden"]].values.tolist() == [["test", True]]

    built.run("bm25")
    built.runs.export("bm25", tmp_path / "again.run", layout="trec")
    built.runs.load(tmp_path / "again.run")
    scores = built.score(edition="test", measures=["nDCG@10"])
    assert scores["run"].tolist() == ["again", "bm25"]
    assert scores["nDCG@10"].iloc[0] == scores["nDCG@10"].iloc[1] > 0.3

    best = built.runs.frame("bm25", depth=1).iloc[0]
    (tmp_path / "web.qrels").write_text(f"{best['qid']} 1 {best['docno']} 1\n{best['qid']} 2 {best['docno']} 1\n")
    assert built.qrels.add_subtopics(tmp_path / "web.qrels", edition="web").subtopics == 2
    assert built.score(edition="web", measures=["alpha_nDCG@20"])["alpha_nDCG@20"].tolist() == [1.0, 1.0]

    with pytest.raises(BadArgument, match="already exists"):
        stcollection.create(NAME, dsn=server.dsn, home=server.home)
    with stcollection.create(NAME, dsn=server.dsn, home=server.home, exist_ok=True) as again:
        assert again.runs()["run"].tolist() == ["again", "bm25"]
        assert again.qrels.drop("test") == judged.added
    with pytest.raises(UnknownObject):
        built.qrels("test")


def test_what_is_not_there(built: Collection) -> None:
    with pytest.raises(AttributeError, match="no attribute 'add_runs'"):
        _ = built.add_runs


def test_a_password_is_not_shown(built: Collection) -> None:
    assert "password" not in repr(replace(built.runs, dsn="host=h user=u password=secret"))
