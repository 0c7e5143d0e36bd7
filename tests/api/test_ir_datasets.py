"""ir_datasets: the collection as one of its datasets, and its datasets as collections.

There are no downloads in these tests: the datasets are made of local files, by ir_datasets' own classes. ``cranfield`` is the one
of its catalogue, which finds the files it would fetch where it would have put them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
import ir_measures
import psycopg
import pyterrier as pt
import pytest
from click.testing import CliRunner
from ir_datasets.formats import BaseDocs, BaseQueries, TrecQuery
from ir_measures import AP, nDCG

from stcollection.api.collection import Collection
from stcollection.api.records import Document
from stcollection.cli import stc
from stcollection.corpus.load import load
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.io.irdatasets import json_line
from stcollection.io.topics.queries import read_queries
from stcollection.text.index import index


def test_the_collection_as_a_dataset(small: Collection) -> None:
    small.run("bm25")
    dataset = small.as_ir_dataset("train", run="bm25")
    assert isinstance(dataset, ir_datasets.Dataset)
    assert dataset.docs_count() == len(dataset.docs) == 5
    assert [one.doc_id for one in dataset.docs_iter()[1:3]] == ["X-2", "3"]
    assert dataset.docs.type is Document
    assert dataset.docs_store().get("4").title == "Graphs"
    assert list(dataset.docs.lookup(["4", "no"])) == ["4"]
    assert dataset.docs_store().get("4", "title") == "Graphs"
    assert dataset.queries.lookup("q1").default_text() == "voice assistants"
    assert len(dataset.queries) == 2
    assert dataset.qrels.asdict() == {"q1": {"1": 2, "3": 1, "X-2": 0}, "q2": {"3": 2, "5": 1}}
    assert sorted(dataset.qrels.defs) == [0, 1, 2]
    assert {one.query_id for one in dataset.scoreddocs_iter()} == {"q1", "q2"}
    got = ir_measures.calc_aggregate([nDCG @ 10, AP], dataset.qrels_iter(), dataset.scoreddocs_iter())
    own = small.score("bm25", edition="train").iloc[0]
    assert got == pytest.approx({nDCG @ 10: own["nDCG@10"], AP: own["AP"]})
    assert not small.as_ir_dataset().has_qrels()
    with pytest.raises(UnknownObject):
        list(small.as_ir_dataset("no").qrels_iter())


def test_by_name_also_for_pyterrier(small: Collection) -> None:
    small.run("bm25", depth=2)
    for _ in range(2):  # a cell is run again
        small.as_ir_dataset("train", run="bm25", name="stc-small/train")
    dataset = pt.get_dataset("irds:stc-small/train")
    assert dataset.get_topics()["qid"].tolist() == ["q1", "q2"]
    assert dataset.get_qrels()["label"].tolist() == [2, 1, 0, 2, 1]
    assert [one["docno"] for one in dataset.get_corpus_iter(verbose=False)] == ["1", "X-2", "3", "4", "5"]
    assert dataset.get_results().groupby("qid").size().to_dict() == {"q1": 2, "q2": 2}
    text = (small.terrier("bm25") % 1 >> dataset.text_loader(["title", "abstract"])).search("graphs")
    assert text["title"].tolist() == ["Graphs"]
    with pytest.raises(BadArgument, match="already has a dataset 'cranfield'"):
        small.as_ir_dataset(name="cranfield")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {
        "docs_tsv": "a1\tVoice assistants at home\n7\tgraphs, theory & practice\n",
        "queries_tsv": "q1\tvoice\nq2\tgraph theory\n",
        "qrels_trec": "q1 0 a1 2\nq2 0 7 1\nq2 0 a1 0\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name: str(tmp_path / name) for name in texts}


@pytest.mark.long
@pytest.mark.slow
def test_loading_a_dataset(conn: psycopg.Connection, settings: Settings, files: dict[str, str]) -> None:
    with Collection(settings) as collection:
        with pytest.raises(BadArgument, match="the dataset has no name"):
            collection.corpus.load_ir_dataset(ir_datasets.create_dataset(**files))
        for _ in range(2):  # the second time it is all there
            done = collection.corpus.load_ir_dataset(ir_datasets.create_dataset(**files), name="mine", edition="all")
            assert done == {"documents": 2, "rejects": 0, "queries": 2, "judgments": 3}
        assert collection.sql("SELECT docno, id < 2^40 AS numbered, doc FROM dblp ORDER BY docno").values.tolist() == [
            ["7", True, {"doc_id": "7", "text": "graphs, theory & practice"}],
            ["a1", False, {"doc_id": "a1", "text": "Voice assistants at home"}],
        ]
        assert collection.sql("SELECT path, format, state FROM stc.corpus_files").values.tolist() == [
            ["irds:mine", "jsonl", "loaded"]
        ]
        assert collection.qrels("all").values.tolist() == [["q1", "a1", 2], ["q2", "7", 1], ["q2", "a1", 0]]
        index(conn)
        collection.run("bm25")
        assert collection.score(edition="all", measures=["RR"])["RR"].tolist() == [1.0]


class Big(BaseDocs):  # type: ignore[misc]  # ir_datasets is not typed
    """Enough documents for several chunks; the second reading, which is that of the load, can be made to fail."""

    count = 30_000

    def __init__(self, broken: bool) -> None:
        self.broken = broken
        self.readings = 0

    def docs_iter(self) -> Iterator[Document]:
        self.readings += 1
        for number in range(self.count):
            if self.broken and self.readings == 2 and number == self.count - 10:
                raise RuntimeError("the disk is gone")
            yield Document(str(number), f"Document number {number}", "words " * 20, "", None)


@pytest.mark.long
@pytest.mark.slow
def test_a_load_that_breaks_off_resumes(conn: psycopg.Connection, settings: Settings) -> None:
    with Collection(settings) as collection:
        with pytest.raises(BadInput, match="irds:big: ir_datasets cannot read it: the disk is gone"):
            collection.corpus.load_ir_dataset(ir_datasets.Dataset(Big(broken=True)), name="big")
        row = conn.execute(
            "SELECT state, (SELECT count(*) FROM stc.corpus_chunks), (SELECT count(*) FROM dblp) FROM stc.corpus_files"
        ).fetchone()
        assert row is not None
        assert row[0] == "loading"
        assert row[1] >= 3
        assert 0 < row[2] < Big.count
        done = collection.corpus.load_ir_dataset(ir_datasets.Dataset(Big(broken=False)), name="big")
        assert done == {"documents": Big.count, "rejects": 0}
        [(files, duplicates)] = conn.execute("SELECT count(*), sum(duplicates) FROM stc.corpus_files").fetchall()
        assert (files, duplicates) == (1, 0)


@pytest.mark.slow
def test_there_and_back_again(
    small: Collection, settings: Settings, server: Settings, admin: psycopg.Connection, template: str
) -> None:
    small.as_ir_dataset("train", name="stc-there")
    name = f"{settings.db}_back"
    admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
    try:
        with Collection(Settings(db=name, home=server.home, dsn=server.dsn)) as back:
            back.corpus.load_ir_dataset("stc-there", edition="train")
            assert list(back.qrels_iter("train")) == list(small.qrels_iter("train"))
            assert list(back.queries_iter()) == list(small.queries_iter("train"))
            assert {one.doc_id: one for one in back.docs_iter()} == {one.doc_id: one for one in small.docs_iter()}
    finally:
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


class Section(NamedTuple):
    heading: str
    text: bytes


class Nested(NamedTuple):
    doc_id: str
    id: str
    title: str
    body: str
    sections: tuple[Section, ...]

    def default_text(self) -> str:
        return f"{self.title} {self.body}"


class Odd(NamedTuple):
    doc_id: str
    title: str
    summary: str
    text: tuple[str, ...]

    def default_text(self) -> str:
        return f"{self.title} {self.summary}"


def test_fields_of_other_collections() -> None:
    nested = json_line(Nested("d1", "other", "A title", "A body.", (Section("one", b"\xffbytes"),)))
    assert (
        nested
        == (
            '{"doc_id":"d1","id_":"other","title":"A title","body":"A body.","sections":[{"heading":"one","text":"\ufffdbytes"}],'
            '"text":"A body."}'
        ).encode()
    )
    assert (
        json_line(Odd("d2", "T", "A summary.", ("a", "b")))
        == b'{"doc_id":"d2","title":"T","summary":"A summary.","text_":["a","b"],"text":"A summary."}'
    )
    assert b'"text": "half \\ud800"' in json_line(ir_datasets.formats.GenericDoc("d", "half \ud800"))


class Topics(BaseQueries):  # type: ignore[misc]
    def queries_iter(self) -> Iterator[Any]:
        yield TrecQuery("401", "foreign minorities", "What languages?", "Relevant documents …")

    def queries_cls(self) -> type[Any]:
        cls: type[Any] = TrecQuery
        return cls


def test_fields_of_topics() -> None:
    ir_datasets.registry.register("stc-topics", ir_datasets.Dataset(Topics()))
    path = Path("irds:stc-topics")
    how, [query] = read_queries(path)
    assert (how, query.query, query.text, query.topic, query.topic_text) == (
        "ir_datasets",
        "401",
        "foreign minorities",
        "401",
        "foreign minorities",
    )
    assert read_queries(path, field="title+desc")[1][0].text == "foreign minorities What languages?"
    with pytest.raises(BadInput, match="provides no docs"):
        load("", ["irds:stc-topics"])


def test_errors(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownObject, match="has no collection 'cranfeild'") as error:
        load("", ["irds:cranfeild"])
    assert "irds:cranfield" in str(error.value.hint)
    ir_datasets.registry.register("stc-plain", ir_datasets.Dataset(_Plain()))
    with pytest.raises(BadInput, match="has no desc; it has text"):
        read_queries(Path("irds:stc-plain"), field="desc")
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(StateError, match="needs the Python package ir-datasets, which is not installed") as missing:
        load("", ["irds:cranfield"])
    assert "stcollection[ir-datasets]" in str(missing.value.hint)


class _Plain(BaseQueries):  # type: ignore[misc]
    def queries_iter(self) -> Iterator[Any]:
        yield ir_datasets.formats.GenericQuery("1", "some text")


@pytest.mark.long
@pytest.mark.slow
def test_cranfield_by_its_name(settings: Settings, conn: psycopg.Connection, data: Path) -> None:
    """As test_real_collections has it, but from ir_datasets' catalogue and by the command line."""
    folder = Path(os.environ["IR_DATASETS_HOME"]) / "cranfield"
    folder.mkdir(exist_ok=True)
    for ours, theirs in {"cran.all.1400": "docs.txt", "cran.qry": "queries.txt", "cranqrel": "qrels.txt"}.items():
        shutil.copy(data / "cranfield" / ours, folder / theirs)

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(stc, arguments, obj=settings, env=_environment(settings), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    assert run("corpus", "load", "irds:cranfield").startswith("irds:cranfield: 1,398 documents (jsonl)")
    assert run("corpus", "load", "irds:cranfield") == "irds:cranfield: loaded already, nothing changed\n"
    # Two documents are empty, and so no document of JSON lines; one of them is judged.
    assert conn.execute("SELECT docno FROM stc.corpus_rejects ORDER BY line").fetchall() == [("471",), ("995",)]
    assert "225 queries, 225 added" in run("topics", "load", "irds:cranfield")
    judged = run("qrels", "import", "irds:cranfield", "--edition", "all", "--map", "1=4,2=3,3=2,4=1,-1=0")
    assert "1,837 judgments on 225 queries, 1,837 added" in judged
    index(conn)
    with Collection(settings) as collection:
        collection.run("bm25")
        [standing] = collection.score(edition="all", measures=["nDCG@10", "AP", "R@100"]).values.tolist()
        # The reference of pg_textsearch and of the portable BM25 alike (CONTRIBUTING.md names the collection's own load).
        assert standing[1:] == pytest.approx([0.365, 0.298, 0.744], abs=0.012)
        dataset = collection.as_ir_dataset("all", run="bm25")
        theirs = ir_measures.calc_aggregate([nDCG @ 10, AP], dataset.qrels_iter(), dataset.scoreddocs_iter())
        assert [theirs[nDCG @ 10], theirs[AP]] == pytest.approx(standing[1:3], abs=1e-6)


def _environment(settings: Settings) -> dict[str, str]:
    server = {"STC_HOME": str(settings.home)} if settings.dsn is None else {"STC_DSN": settings.dsn}
    return {**server, "STC_DB": settings.db}
