"""Blocks split at once have the columns and numbers that a reader line by line finds."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stcollection.errors import BadInput
from stcollection.io.columns import columns_of, numbers_of, parts_of
from stcollection.io.runs import trec

SIGNS = st.sampled_from(
    [b" ", b"\t", b"\n", b"\n", b"\v", b"\f", b"\r", b"\x01", b"\x1c", b"a", b"b", b"#", b",", "\xa0\u2028é".encode()]
)
DIGITS = st.text("0123456789+-.eE", min_size=1, max_size=12).map(str.encode)
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(lambda value: repr(value).encode())
INTEGERS = st.integers(-(10**30), 10**30).map(lambda value: b"%d" % value)
FORMS = st.sampled_from(
    [b"1.", b".5", b"-.5", b"+1", b"007", b"-0", b"0", b"-0.0", b"1e5", b"1E+5", b"1e400", b"-1e400", b"1e-400", b"5e-324", b"1_0",
     b"nan", b"inf", b"-Infinity", b"true", b"null", b"1,2", b"[1", b"2]", b'"1"', b"0x10", b"1e", b"--1", "١".encode(),
     b"18446744073709551616", b"9007199254740993", b"2.2250738585072011e-308", b"1" * 400]
)  # fmt: skip


def bits(values: list[float]) -> list[bytes]:
    return [struct.pack("d", value) for value in values]


@given(st.lists(SIGNS, max_size=60).map(b"".join), st.integers(1, 4))
@example(b"a b\na b", 2)
@example(b"a\nb c d\n", 2)
@example(b"a \x01 b\n", 3)
def test_fields_of_each_line(block: bytes, number: int) -> None:
    lines = [line.split() for line in block.removesuffix(b"\n").split(b"\n")]
    found = columns_of(block, number)
    if any(len(line) != number for line in lines) or b"\x01" in block:
        assert found is None
    else:
        assert found == [list(column) for column in zip(*lines, strict=True)]


@given(st.lists(FLOATS | INTEGERS | DIGITS | FORMS, min_size=1, max_size=6))
@example([b"[1", b"2]", b"3,4"])
def test_numbers_equal_those_of_float(fields: list[bytes]) -> None:
    found = numbers_of(fields)
    try:
        expected = [float(field) for field in fields]
    except ValueError:
        assert found is None
        return
    if found is not None:
        assert bits(list(found)) == bits(expected)
    else:
        assert any(b"_" in field or not math.isfinite(value) for field, value in zip(fields, expected, strict=True))


@given(st.lists(FLOATS, min_size=1, max_size=20))
def test_usual_numbers_are_read(fields: list[bytes]) -> None:
    assert numbers_of(fields) is not None


def test_parts_are_whole_lines() -> None:
    block = b"".join(b"%d %s\n" % (number, b"x" * (number % 700)) for number in range(2000)) + b"without an end"
    parts = list(parts_of(block))
    assert len(parts) > 1
    assert b"".join(parts) == block
    assert all(part.endswith(b"\n") for part in parts[:-1])


NAMES = st.sampled_from([b"q1", b"q2", b"#q", "é\xa0".encode(), b"a,b", b"\\N", b"x" * 2001])
FIELDS = st.tuples(NAMES, st.just(b"Q0"), NAMES, st.sampled_from([b"1", b"12", b"0", b"-", b"1234567890"]), FLOATS | FORMS, NAMES)
LINES = st.one_of(
    FIELDS.map(b" ".join),
    FIELDS.map(lambda fields: b" \t".join([*fields, b"more"])),
    st.sampled_from([b"", b"  ", b"# note", b" # a b c d e f", b"q1 Q0 d1 1 2.0", b"\x01 Q0 d 1 1 t", b"q\x01 Q0 d 1 1 t\r"]),
)


@given(lines=st.lists(LINES, max_size=6), end=st.sampled_from([b"", b"\n", b"\r\n"]))
def test_columns_of_a_run_are_its_rows(tmp_path: Path, lines: list[bytes], end: bytes) -> None:
    path = tmp_path / "mine.run"
    path.write_bytes(b"\n".join(lines) + end)
    found = trec.columns(path)
    try:
        rows = [row[1:] for row in trec.rows(path)]
    except BadInput:
        assert found is None
        return
    if found is None:
        assert not rows or any(not rank.isdigit() or len(rank) > 9 for _, _, rank, _ in rows)
        return
    assert [found.queries[code] for code in found.query] == [row[0] for row in rows]
    assert [found.docnos[code] for code in found.doc] == [row[1] for row in rows]
    assert found.rank.tolist() == [int(row[2]) for row in rows]
    assert bits(found.score.tolist()) == bits([row[3] for row in rows])


@pytest.mark.parametrize(
    ("text", "tag"), [("a Q0 d 1 1 first\n\n# c\nq Q0 d 1 1 last\n# a b c d e f\n  \n", "last"), ("# a\n", None), ("", None)]
)
def test_tag_of_the_last_row(tmp_path: Path, text: str, tag: str | None) -> None:
    path = tmp_path / "mine.run"
    path.write_text(text)
    assert trec.tag(path) == tag
