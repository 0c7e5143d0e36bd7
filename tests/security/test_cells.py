"""Text of others cannot control a terminal, split a table, or run as a formula in a spreadsheet."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import orjson
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.rendering import render
from stcollection.cells import shown, spreadsheet_cell
from stcollection.db.settings import Settings
from stcollection.studies.synth.report.parts import ReportTable
from tests.groups import runs
from tests.roles.worlds import Login, collection

_ = collection
HOSTILE = "a\x1b[2J\nb\u202egpj.exe\x9b31m\u2028c|d"
FORMULAS = ["=1+1", "+1+1", "-1-1", "@SUM(A1)", "\t=1", "\n=1", "＝1+1", "- 1", "-1 ", "=cmd|' /C calc'!A0"]
HARMLESS = ["x", "-1", "+1.5", "-1e-9", "-", "+", "@", "", "a=b", 1, -2.5, None, True]


def test_a_terminal_gets_nothing_that_it_obeys() -> None:
    assert shown(HOSTILE) == r"a\x1b[2J\nb\u202egpj.exe\x9b31m\u2028c|d"
    assert shown("größe\u3000検索\u00a0x می‌روم 👩‍🔬") == "größe\u3000検索\u00a0x می‌روم 👩‍🔬"
    for style in ("table", "markdown", "latex"):
        printed = render([[HOSTILE, 1.5], ["y", 2]], ["name", HOSTILE], style=style)
        assert all(sign.isprintable() or sign == "\n" for sign in printed)
        assert len(printed.splitlines()) == len(render([["x", 1.5], ["y", 2]], ["name", "x"], style=style).splitlines())
    assert r"c\|d" in render([[HOSTILE]], ["name"], style="markdown")
    assert r"a\|b" in render([[r"a\|b"]], ["name"], style="markdown")


def test_json_says_what_is_there() -> None:
    assert orjson.loads(render([[HOSTILE, "=1+1"]], ["name", "other"], style="json")) == [{"name": HOSTILE, "other": "=1+1"}]


def test_a_spreadsheet_gets_no_formula() -> None:
    for cell in FORMULAS:
        assert spreadsheet_cell(cell) == f"'{cell}"
    for harmless in HARMLESS:
        assert spreadsheet_cell(harmless) == harmless
    assert spreadsheet_cell("\r=1\r\nx") == "'\n=1\nx"
    table = ReportTable(name="t", caption="", headers=("a",), rows=(("=1+1",), (-1.5,)))
    assert table.as_csv() == "a\n'=1+1\n-1.5\n"


def test_raw_leaves_cells_as_they_are() -> None:
    rows = [[cell, -1] for cell in FORMULAS]
    for raw in (False, True):
        printed = render(rows, ["=x", "n"], style="csv", raw=raw) + "\n"
        head, *read = csv.reader(io.StringIO(printed, newline=""))
        assert head == ["=x" if raw else "'=x", "n"]
        assert read == [[cell if raw else f"'{cell}", "-1"] for cell in FORMULAS]


def test_a_participants_run_in_the_owners_table(
    collection: psycopg.Connection, login: Login, settings: Settings, tmp_path: Path
) -> None:
    login().execute("INSERT INTO st1_runs (run, source) VALUES ('=1+1', E'a\\x1b[2J\\nb')")
    for words, expected in ((["csv"], "'=1+1,"), (["csv-raw"], "\n=1+1,"), (["csv", "--raw"], "\n=1+1,")):
        done = CliRunner().invoke(runs, ["list", "--format", *words], obj=settings)
        assert done.exit_code == 0, done.output
        assert expected in done.output
    for style in ("table", "markdown", "latex"):
        done = CliRunner().invoke(runs, ["list", "--format", style], obj=settings)
        assert "\x1b" not in done.output
    # Files for our own importers are written unchanged.
    done = CliRunner().invoke(runs, ["export", "red1", "--out", str(tmp_path / "out.run")], obj=settings)
    assert done.exit_code == 0, done.output
    assert "'" not in (tmp_path / "out.run").read_text()


@pytest.mark.parametrize("value", ["x\x1b]0;owned\x07", "x\ry"])
def test_an_error_is_one_line(value: str) -> None:
    assert shown(value).isprintable()
