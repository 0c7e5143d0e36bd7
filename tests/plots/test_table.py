"""The data of each figure as a table."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from stcollection.cli.options.figures import write_csv
from stcollection.plots.canvas import record_of
from stcollection.plots.table import table_of
from tests.plots.test_records import RECORDS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", RECORDS)
def test_a_figure_gives_its_data(name: str) -> None:
    draw, record = RECORDS[name]
    figure = draw(record)
    assert record_of(figure) is record
    found = table_of(figure)
    assert found.rows
    assert found.simulated == record.simulated
    assert all(len(row) == len(found.columns) for row in found.rows)
    assert len(set(found.columns)) == len(found.columns)
    assert all(cell is None or (type(cell) in (str, int, float, bool) and cell == cell) for row in found.rows for cell in row)


def test_the_values_are_those_of_the_record() -> None:
    draw, record = RECORDS["differences"]
    assert table_of(draw(record)).rows == [["q1", 0.5], ["q2", 0.0], ["q3", -0.1]]
    draw, record = RECORDS["match"]
    assert table_of(draw(record)).rows[:2] == [["target", 3, 1, 4], ["target", 5, 2, 2]]


def test_a_cell_that_a_spreadsheet_would_run_is_escaped(tmp_path: Path) -> None:
    with CliRunner().isolation():
        write_csv(tmp_path / "data.csv", ["run", "mean"], [["=1+1", None]])
        write_csv(tmp_path / "made-up.csv", ["run"], [["a"]], "Simulated: all of it.")
    assert list(csv.reader((tmp_path / "data.csv").open())) == [["run", "mean"], ["'=1+1", ""]]
    assert (tmp_path / "made-up.csv").read_text() == "run,simulated\na,True\n"
