"""Layout and rows of text tables, compared with Python's csv module."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stcollection.errors import BadInput
from stcollection.io.tables import TableLayout, layout_of, read_rows
from tests.io.conftest import Write

CELLS = st.text(alphabet='ab ,;\t"\n', max_size=8)
TABLES = st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=8))


def rows(text: str, layout: TableLayout | None = None) -> list[list[str]]:
    found = layout or layout_of(text)
    assert found is not None
    return [row for _, row in found.rows(text)]


def written(table: list[list[str]], delimiter: str, **options: object) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n", **options).writerows(table)  # type: ignore[arg-type]
    return out.getvalue()


@given(table=TABLES, delimiter=st.sampled_from(",;\t"))
@example(table=[["  ", ""]], delimiter=",")
def test_what_the_csv_module_writes_is_read(table: list[list[str]], delimiter: str) -> None:
    text = written(table, delimiter)
    layout = TableLayout(delimiter, len(table[0]), quoted=True)
    assert rows(text, layout) == [row for row in table if any(cell.strip() for cell in row)]


@given(table=TABLES, delimiter=st.sampled_from(",;\t"), size=st.integers(0, 200))
def test_a_cut_is_behind_a_row(table: list[list[str]], delimiter: str, size: int) -> None:
    """Rows do not depend on the position of cuts."""
    data = written(table, delimiter, quoting=csv.QUOTE_ALL).encode()
    layout = TableLayout(delimiter, len(table[0]), quoted=True)
    end = layout.cut(data, min(size, len(data)))
    assert end <= size
    assert rows(data[:end].decode(), layout) + rows(data[end:].decode(), layout) == rows(data.decode(), layout)
    assert layout.cut(data, len(data)) == len(data)
    assert layout.closed(data)


@pytest.mark.parametrize(
    ("text", "delimiter", "expected"),
    [
        ("id,title\n1,a\n", ",", [["id", "title"], ["1", "a"]]),
        ("id;title\r\n1;a, b\r\n", ";", [["id", "title"], ["1", "a, b"]]),
        ('id\ttitle\n1\t"a ""b"""\n', "\t", [["id", "title"], ["1", 'a "b"']]),
        ('1\t"a b\n2\tc" d\n', "\t", [["1", '"a b'], ["2", 'c" d']]),  # TSV with quotes as text
        ('id\ttext\n1\t"two\nlines"\n', "\t", [["id", "text"], ["1", "two\nlines"]]),  # pandas
        ("id;title;;;\n1;a;;;\n2;b\n", ";", [["id", "title"], ["1", "a"], ["2", "b"]]),  # empty columns of a spreadsheet
        ("\n\nid,title\n\n1,a\n,\n", ",", [["id", "title"], ["1", "a"]]),
        (
            'id,title,text\n1,"smart" home,b\n2,5" disk,c\n',
            ",",
            [["id", "title", "text"], ["1", '"smart" home', "b"], ["2", '5" disk', "c"]],
        ),
    ],
)
def test_layouts(text: str, delimiter: str, expected: list[list[str]]) -> None:
    found = layout_of(text)
    assert found is not None
    assert found.delimiter == delimiter
    assert rows(text, found) == expected


@pytest.mark.parametrize("text", ["", "word\nword\n", "Dear all,\nthank you\nfor coming, everybody\nbye\n", "\n\n"])
def test_no_table(text: str) -> None:
    assert layout_of(text) is None


def test_a_quote_that_does_not_close_costs_one_row() -> None:
    layout = TableLayout(",", 3, quoted=True)
    text = '1,"open,a\n' + "".join(f"{n},b,c\n" for n in range(2, 50)) + '50,"x,y",z\n51,d,e\n'
    found = {row[0]: row for row in rows(text, layout)}
    assert found.keys() == {str(n) for n in range(1, 52)}
    assert found["50"] == ["50", "x,y", "z"]
    assert not layout.closed(b'51,"x')


def test_a_row_of_another_width_stays_so() -> None:
    assert rows("a,b,c\n1,2\n1,2,3,4\n", TableLayout(",", 3, quoted=True)) == [["a", "b", "c"], ["1", "2"], ["1", "2", "3", "4"]]


def test_a_file_in_pieces(write: Write) -> None:
    """Rows across the ends of the pieces of a file keep their lines."""
    table = [["id", "text"], *([str(n), f'a "quoted"\ntext, {"x" * 300}'] for n in range(8000))]
    path = write("a.csv", written(table, ","))
    found = list(read_rows(path, TableLayout(",", 2, quoted=True)))
    assert [row for _, row in found] == table
    assert [line for line, _ in found] == [1, *range(2, 16002, 2)]


def test_a_row_without_an_end(write: Write) -> None:
    path = write("a.csv", b'id,text\n1,"' + b"x" * (2**24 + 2**21))
    with pytest.raises(BadInput, match=r"a\.csv:2: a row of more than 16 MB"):
        list(read_rows(path, TableLayout(",", 2, quoted=True)))


@pytest.mark.parametrize(("content", "what"), [(b"id,text\n1,caf\xe9\n", "not UTF-8"), (b"id,text\n1,a\0\n", "U[+]0000")])
def test_bytes_that_are_no_text(write: Write, content: bytes, what: str) -> None:
    with pytest.raises(BadInput, match=rf"a\.csv:2: .*{what}"):
        list(read_rows(write("a.csv", content), TableLayout(",", 2, quoted=True)))
