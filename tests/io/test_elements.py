"""Elements of a JSON array that are not objects do not affect other records: the loader reads all that json.loads reads."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.conftest import read
from tests.io.conftest import Write

pytestmark = pytest.mark.slow

GOOD = {"id": "a", "title": "One"}, {"id": "b", "title": "Two"}, {"id": "c", "title": "Three"}
LAYOUTS: dict[str, dict[str, Any]] = {
    "pretty": {"indent": 2}, "minified": {"separators": (",", ":")}, "blanks": {}, "no indentation": {"indent": 0},
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("odd", [None, 7, 'a } " [ {', True, [], [1, [2]], [{"id": "x", "title": "inside"}], -1.5e3])
@pytest.mark.parametrize("place", range(4))
def test_an_element_that_is_no_object_costs_no_record(write: Write, layout: str, odd: Any, place: int) -> None:
    elements = [*GOOD[:place], odd, *GOOD[place:]]
    documents, rejects = read(write("a.json", json.dumps(elements, **LAYOUTS[layout])))
    assert [one.docno for one in documents] == ["a", "b", "c"]
    assert len(rejects) == 1 or odd == []  # an empty array contains nothing that could be lost


def test_an_object_a_line_with_another_element(write: Write) -> None:
    text = "[\n" + ",\n".join(map(json.dumps, [GOOD[0], None, GOOD[1], [GOOD[0], {"id": "x", "title": "x"}], GOOD[2]])) + "\n]"
    documents, rejects = read(write("a.json", text))
    assert [one.docno for one in documents] == ["a", "b", "c"]
    assert [one.line for one in rejects] == [3, 5]


def test_the_rejected_element_has_its_line(write: Write) -> None:
    _, [reject] = read(write("a.json", json.dumps([GOOD[0], None, GOOD[1]], indent=1)))
    assert (reject.line, reject.record, reject.reason) == (6, "null", "it is JSON, but not an object")


def test_a_broken_object_costs_only_itself_in_lines(write: Write) -> None:
    text = f'[\n{json.dumps(GOOD[0])},\n{{"id": "x", "title": \n,{json.dumps(GOOD[1])},\n{json.dumps(GOOD[2])}]'
    documents, rejects = read(write("a.json", text))
    assert [one.docno for one in documents] == ["a", "b", "c"]
    assert [one.line for one in rejects] == [3]


def test_arrays_one_after_another_are_read(write: Write) -> None:
    documents, rejects = read(write("a.json", "".join(f"[{json.dumps(one)}]\n" for one in GOOD)))
    assert [one.docno for one in documents] == ["a", "b", "c"]
    assert rejects == []


blanks = st.text(st.sampled_from(" \n\t\r"), max_size=3)
strings = st.text(st.sampled_from('{}[]",\\ \n:a'), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | strings,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3),
    max_leaves=6,
)
objects = st.fixed_dictionaries({"id": st.integers(0, 10**6), "title": st.just("T"), "more": values})
elements = st.lists(objects | st.none() | st.integers() | strings | st.lists(objects | values, max_size=3), max_size=8)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Return a value as JSON, with spaces anywhere or formatted by json.dumps."""
    if draw(st.booleans()):
        return json.dumps(value, indent=draw(st.sampled_from([None, 0, 1, 2, "\t"])))
    inner: list[str]
    if isinstance(value, dict):
        inner = [f"{json.dumps(key)}{draw(blanks)}:{draw(written(part))}" for key, part in value.items()]
        around = "{}"
    elif isinstance(value, list):
        inner, around = [draw(written(part)) for part in value], "[]"
    else:
        return draw(blanks) + json.dumps(value) + draw(blanks)
    return draw(blanks) + around[0] + ",".join(inner) + draw(blanks) + around[1] + draw(blanks)


@given(st.data())
def test_any_array_gives_the_objects_that_json_reads(data: st.DataObject) -> None:
    wanted = data.draw(elements.filter(lambda all_: any(isinstance(one, dict) for one in all_)))
    text = data.draw(written(wanted)).lstrip()
    assert json.loads(text) == wanted
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_bytes(text.encode())
        documents, _ = read(path)
    first: dict[str, Any] = {}
    for one in wanted:
        if isinstance(one, dict):
            first.setdefault(str(one["id"]), one)
    assert {one.docno: json.loads(one.doc) for one in documents} == first


@pytest.mark.parametrize(
    "text", ['[{"id": 1, "title": "T",\n"more":\n{"x": null}\n}]', '{"id": 1, "title": "T",\n"more":\n{"": null}\n}\n']
)
def test_an_object_on_a_line_of_its_own_is_a_part_of_the_record(write: Write, text: str) -> None:
    [document], rejects = read(write("a.json", text.encode()))
    assert (document.docno, rejects) == ("1", [])


def test_ten_thousand_broken_records_cost_only_themselves(write: Write) -> None:
    broken = b'{"id": 1, "title": "' + b"x" * 60 + b'", "more": [{\n'
    content = json.dumps(GOOD[0]).encode() + b"\n" + broken * 10_000 + json.dumps(GOOD[1]).encode()
    documents, rejects = read(write("a.jsonl", content))
    assert [one.docno for one in documents] == ["a", "b"]
    assert len(rejects) == 10_000
