"""Streams are split into the same records for any layout and any chunk ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.io.corpus import chunks as module
from stcollection.io.corpus.chunks import chunks
from stcollection.io.corpus.detect import detect
from stcollection.io.corpus.split import Headed, LineRecords, Nested, Pretty, Splitter, Tagged
from stcollection.io.streams import Source
from tests.io.conftest import Write

Records = list[dict[str, Any]]

LAYOUTS: dict[str, tuple[Callable[[Records], str], type[Splitter]]] = {
    "comma ends the line": (lambda records: "[\n" + ",\n".join(map(json.dumps, records)) + "\n]", LineRecords),
    "comma begins the line": (lambda records: "[\n" + "\n,".join(map(json.dumps, records)) + "\n]\n", LineRecords),
    "brackets on the lines": (lambda records: "[" + ",\n".join(map(json.dumps, records)) + "]", LineRecords),
    "carriage returns": (lambda records: "[\r\n" + ",\r\n".join(map(json.dumps, records)) + "\r\n]\r\n", LineRecords),
    "json lines": (lambda records: "\n".join(map(json.dumps, records)) + "\n", LineRecords),
    "no last line break, blank lines": (lambda records: "\n\n".join(map(json.dumps, records)), LineRecords),
    "pretty": (lambda records: json.dumps(records, indent=2), Pretty),
    "pretty, by tabs": (lambda records: json.dumps(records, indent="\t"), Pretty),
    "pretty, flush": (lambda records: "[\n" + ",\n".join(json.dumps(one, indent=1) for one in records) + "\n]", Pretty),
    "pretty, joined": (lambda records: "[" + ", ".join(json.dumps(one, indent=4) for one in records) + "]", Pretty),
    "pretty, no array": (lambda records: "\n".join(json.dumps(one, indent=2) for one in records), Pretty),
    "minified": (lambda records: json.dumps(records, separators=(",", ":")), Nested),
    "no indentation": (lambda records: json.dumps(records, indent=0), Nested),
}

# Difficult cases for a splitter: braces, quotes and backslashes inside strings; nested objects and arrays.
nasty = st.text(st.sampled_from('{}[]",\\ \n:ab'), max_size=12)
records = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers(0, 99),
            "title": nasty,
            "venue": st.dictionaries(nasty, nasty, max_size=2),
            "authors": st.lists(st.fixed_dictionaries({"name": nasty}), max_size=2),
        }
    ),
    min_size=1,
    max_size=8,
)


def cut_up(content: bytes, size: int) -> tuple[Splitter, list[tuple[int, bytes]]]:
    """Return the detected splitter, and the records with their lines from chunks of this size."""
    splitter = detect(content, path="x").splitter
    found = []
    start = 0
    line = 1
    while len(content) - start > size:
        window = size
        while not (end := splitter.cut(content[start:], window)) and window < len(content):
            window *= 2
        end = end or len(content) - start
        data = content[start : start + end]
        found += [(line + before, record) for before, record in splitter.records(data)]
        line += data.count(b"\n")
        start += end
    found += [(line + before, record) for before, record in splitter.records(content[start:])]
    return splitter, found


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@given(wanted=records, size=st.integers(1, 200))
def test_every_layout_gives_its_records(layout: str, wanted: Records, size: int) -> None:
    content = LAYOUTS[layout][0](wanted).encode()
    splitter, found = cut_up(content, size)
    assert [json.loads(record) for _, record in found] == wanted
    lines = content.split(b"\n")
    for line, record in found:
        assert record.split(b"\n")[0].strip() in lines[line - 1]
    assert splitter.finished(content)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_is_recognised(layout: str) -> None:
    write, kind = LAYOUTS[layout]
    content = write([{"id": number, "title": "x", "venue": {"raw": "y"}} for number in range(3)]).encode()
    assert isinstance(detect(content, path="x").splitter, kind)


def test_a_broken_line_does_not_take_its_neighbours_along() -> None:
    for content in ('{"id":1,"title":"a\n{"id":2,"title":"b"}\n', '[\n{"id":1,"title":"a\n,{"id":2,"title":"b"}\n]'):
        _, found = cut_up(content.encode(), 10**6)
        assert len(found) == 2
        assert json.loads(found[1][1]) == {"id": 2, "title": "b"}


def test_a_broken_object_of_a_pretty_file_does_not_take_its_neighbours_along() -> None:
    content = '[\n{\n\t"id" : 1,\n\t"title" : "a\n},\n{\n\t"id" : 2,\n\t"title" : "b"\n}\n]\n'
    _, found = cut_up(('[\n{\n\t"id" : 0,\n\t"title" : "z"\n},\n' + content[2:]).encode(), 10**6)
    assert [line for line, _ in found] == [2, 6, 10]
    assert json.loads(found[2][1]) == {"id": 2, "title": "b"}


@given(size=st.integers(1, 300), texts=st.lists(st.text(st.sampled_from("ab.\n<>I T"), max_size=30), min_size=1, max_size=6))
def test_trec_and_smart_records(size: int, texts: list[str]) -> None:
    texts = [" " + text.replace("\n.", "\n,").replace("<", "(") for text in texts]  # none of their lines starts a record
    trec = "".join(f"<DOC>\n<DOCNO>{n}</DOCNO>\n{text}\n</DOC>\n" for n, text in enumerate(texts)).encode()
    splitter, found = cut_up(trec, size)
    assert isinstance(splitter, Tagged)
    assert len(found) == len(texts)
    assert all(record.startswith(b"<DOC>") and record.endswith(b"</DOC>") for _, record in found)
    assert not splitter.finished(trec[:-8])
    smart = "".join(f".I {n}\n.W\n{text}\n" for n, text in enumerate(texts)).encode()
    splitter, found = cut_up(smart, size)
    assert isinstance(splitter, Headed)
    assert [record.split()[1] for _, record in found] == [str(n).encode() for n in range(len(texts))]


@pytest.mark.parametrize("size", [40, 64, 1000])
def test_chunks_are_numbered_and_know_their_line(size: int, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_BYTES", size)
    file = write(
        "x.json", "[\n" + ",\n".join(json.dumps({"id": number, "title": "t" * (number % 7)}) for number in range(50)) + "\n]\n"
    )
    cut = list(chunks(Source(str(file)), format=None))
    assert [one.number for one in cut] == list(range(len(cut)))
    assert b"".join(one.data for one in cut) == file.read_bytes()
    lines = file.read_bytes().split(b"\n")
    for chunk in cut:
        assert lines[chunk.line - 1] == chunk.data.split(b"\n")[0]
    assert cut == list(chunks(Source(str(file)), format=None))
