"""The layouts of the Glasgow collections: SMART fields that start again, and TIME."""

from __future__ import annotations

from pathlib import Path

import pytest

from stcollection.errors import BadInput
from stcollection.io.datasets import DataOptions, recognise
from stcollection.io.qrels import time
from stcollection.io.qrels.judgments import stream_qrels
from stcollection.io.qrels.table import Table
from stcollection.io.topics.queries import read_queries
from tests.corpus.conftest import read
from tests.io.conftest import Write

TIME = {
    "TIME.ALL": "*TEXT 017 01/04/63 PAGE 020\n\nTHE ALLIES.\nNOTHING.\n\n*TEXT 018 01/04/63 PAGE 021\n\nA SECOND.\n\n*STOP\n",
    "TIME.QUE": "*FIND    1\n\nWHAT HAPPENED\nIN DECEMBER\n\n*FIND   02\n\nTHE SECOND REPORT\n\n*STOP\n",
    "TIME.REL": "1   17\n\n02   018 17\n",
}


def documents(file: Path) -> list[tuple[str, str | None, str | None]]:
    return [(one.docno, one.title, one.abstract) for one in read(file)[0]]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_time(ends: str, write: Write) -> None:
    files = [write(name, text.replace("\n", ends)) for name, text in TIME.items()]
    assert documents(files[0]) == [("17", None, "THE ALLIES. NOTHING."), ("18", None, "A SECOND.")]
    assert read(files[0])[1] == []
    how, queries = read_queries(files[1])
    assert (how, [(one.query, one.text) for one in queries]) == (
        "time",
        [("1", "WHAT HAPPENED IN DECEMBER"), ("2", "THE SECOND REPORT")],
    )
    assert [(one.query, one.doc, one.rel) for one in stream_qrels(files[2])] == [("1", "17", 1), ("2", "18", 1), ("2", "17", 1)]
    data = recognise([str(files[0].parent)], DataOptions())
    assert [(one.role, one.format, one.records) for one in data.files] == [
        ("corpus", "time", 2),
        ("topics", "time", 2),
        ("qrels", "time", 3),
    ]


def test_text_of_time_that_is_no_document(write: Write) -> None:
    (one,) = read(write("TIME.ALL", TIME["TIME.ALL"] + "more\n"))[1]
    assert (one.line, one.reason) == (10, "it does not begin with *TEXT and a number")
    for text, what in (("*FIND 1\na\n*FIND\nb\n", "without a number"), ("*FIND 1\na\n*FIND 2\n*STOP\n", "query 2 has no text")):
        with pytest.raises(BadInput, match=what):
            read_queries(write("TIME.QUE", text))


@pytest.mark.parametrize(
    "judged",
    [
        "1 184 2\n2 29 1\n",  # Cranfield
        "1 17 0 5\n2 18 0\n",  # a grade is missing
        "1 5 17\n1 6\n",
        "2 17\n1 18 17\n",
        "1 17\n2 18\n",
        "1 17 x\n2 18\n",
    ],
)
def test_other_judgments_are_not_those_of_time(judged: str, write: Write) -> None:
    assert time.FORMAT.sniff(Table(write("a.rel", judged))) is None


@pytest.mark.parametrize(
    ("record", "title", "abstract"),
    [
        (".T\nA title\n.A\nAuthor, B.\n.T\nits second line\n.W\nThe abstract.\n", "A title its second line", "The abstract."),
        (".T\nA\n.W\none\n.B\nx\n.W\ntwo\n", "A", "one two"),
        (".T\nA\n.A\nB, C.\n.W\none\n.A\ntwo\n", "A", "one two"),  # as in Cranfield's document 240
        (".T On the same line\n.W one\ntwo\n", "On the same line", "one two"),
        ("one\n.T\nA\n", "A", "one"),
    ],
)
def test_fields_that_start_again(record: str, title: str, abstract: str, write: Write) -> None:
    file = write("a.all", f".I 1\n{record}.I 2\n.W\nother\n")
    assert documents(file) == [("1", title, abstract), ("2", None, "other")]
    _, queries = read_queries(file)
    assert [one.text for one in queries] == [f"{title} {abstract}", "other"]


def test_a_record_without_a_number_is_refused(write: Write) -> None:
    file = write("a.all", ".I 1\n.W\none\n.I\n.W\ntwo\n.I 3\n.W\nthree\n")
    assert documents(file) == [("1", None, "one"), ("3", None, "three")]
    assert [(one.line, one.reason) for one in read(file)[1]] == [(4, "it does not begin with .I and a number")]
