"""Tables fit the given width: long texts wrap, and columns that do not fit move to another table."""

from __future__ import annotations

import pytest

from stcollection.analysis.rendering import render

TITLE = "On the persistence of tables that are wider than the window in which somebody wants to read them"
ROWS = [("d1", TITLE, 3, None), ("d2", None, 1200, "short")]
HEADERS = ["docno", "title", "cited", "note"]


def lines(width: int | None, rows: list[tuple[object, ...]] = ROWS, headers: list[str] = HEADERS) -> list[str]:  # type: ignore[assignment]
    return render(rows, headers, style="table", width=width).splitlines()


def test_without_a_width_a_row_is_a_line() -> None:
    assert len(lines(None)) == 4
    assert lines(300) == lines(None)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_long_texts_wrap(width: int) -> None:
    table = lines(width)
    assert max(map(len, table)) <= width
    start, end = table[0].index("title"), table[0].index("cited")
    words = " ".join(line[start:end].strip() for line in table[2:-1])
    assert words == TITLE
    assert table[-1].startswith("d2")
    assert "1,200" in table[-1]


def test_columns_that_do_not_fit_follow_with_the_first_column_repeated() -> None:
    names = [f"nDCG@{number}" for number in range(1, 13)]
    rows: list[tuple[object, ...]] = [("bm25", *(number / 100 for number in range(12))), ("dense", *(0.5 for _ in names))]
    table = lines(60, rows, ["run", *names])
    assert max(map(len, table)) <= 60
    heads = [line.split() for line in table if line.startswith("run")]
    assert len(heads) == 3
    assert [name for head in heads for name in head[1:]] == names
    values = [cell for line in table if line.startswith("bm25") for cell in line.split()[1:]]
    assert values == [f"{number / 100:.4f}" for number in range(12)]


def test_a_column_that_is_too_wide_alone_is_kept() -> None:
    assert any(len(line) > 20 for line in lines(20))
    assert {head for line in lines(20) for head in line.split() if head in HEADERS} == set(HEADERS)


def test_other_styles_are_not_cut() -> None:
    assert TITLE in render(ROWS, HEADERS, style="csv", width=40)
    assert TITLE in render(ROWS, HEADERS, style="markdown", width=40)
