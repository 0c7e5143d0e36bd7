"""Reports as pages and files: pages contain nothing hostile or external; a folder contains a complete report or none."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stcollection.counts import counted
from stcollection.errors import BadArgument, StateError
from stcollection.studies.synth.report import files as report_files
from stcollection.studies.synth.report.files import files_of, write_report
from stcollection.studies.synth.report.html import html
from stcollection.studies.synth.report.markdown import MARK, code, markdown
from stcollection.studies.synth.report.parts import Missing, Picture, Report, ReportTable, Section, listed, shown
from tests.studies.synth.report_pages import HOSTILE, SVG, checked


def test_a_long_table_is_shown_in_part_and_complete_in_its_file() -> None:
    table = ReportTable(
        name="t", caption="Rows.", headers=("a", "p"), rows=tuple((at, 0.0001 * at) for at in range(5)), brief=(0, 4)
    )
    report = Report(title="t", about="a", sections=(Section(name="s", title="S", tables=(table,)),))
    assert table.shown() == [("0", "<0.001"), ("4", "<0.001")]
    assert "3 further rows in the file" in html(report)
    assert "3 further rows in the file" in markdown(report)
    assert files_of(report)["tables/s-t.csv"].decode().count("\n") == 6


def test_the_tables_of_a_simulated_report_are_marked() -> None:
    table = ReportTable(name="t", caption="Rows.", headers=("a", "p"), rows=((1, 0.5), (2, None)))
    sections = (Section(name="s", title="S", tables=(table,)),)
    for simulated, wanted in ((False, b"a,p\n1,0.5\n2,\n"), (True, b"a,p,simulated\n1,0.5,True\n2,,True\n")):
        report = Report(title="t", about="a", sections=sections, simulated=simulated)
        assert files_of(report)["tables/s-t.csv"] == wanted


def test_figures_have_unique_ids_and_no_external_resources() -> None:
    svg = (
        b'<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        b' width="10pt" viewBox="0 0 1 1" onload="x()"><script>x()</script><style>*{color:red}</style><defs><path id="p"/></defs>'
        b'<use xlink:href="#p"/><g clip-path="url(#p)"/>'
        b'<image xlink:href="http://a.example/b.png"/><text>&lt;b&gt; id="p"</text></svg>'
    )
    twice = tuple(Picture(name=name, caption=HOSTILE, svg=svg) for name in ("one", "two"))
    page = html(Report(title="t", about="a", sections=(Section(name="s", title="S", figures=twice),)))
    assert {"s-one-p", "s-two-p"} <= set(checked(page).ids)
    assert 'clip-path="url(#s-two-p)"' in page
    assert '&lt;b&gt; id="p"' in page
    assert "a.example" not in page
    assert "color:red" not in page


def test_texts_are_not_template_code() -> None:
    told = "{{ 7 * 7 }} {% raw %} <b> & \"q\" 's'"
    missing = (Missing(what=told, hint=told, command=told),)
    section = Section(name="s", title=told, paragraphs=(told,), notes=(told,), missing=missing)
    page = html(Report(title=told, about=told, sections=(section,)))
    assert page.count("{{ 7 * 7 }} {% raw %} &lt;b&gt; &amp; &#34;q&#34; &#39;s&#39;") == 10
    assert "<b> &" not in page


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a``b`c", "plain"])
def test_code_is_fenced_by_more_backticks_than_it_contains(text: str) -> None:
    fenced = code(text)
    [fence] = re.findall(r"^`+", fenced)[:1] if not text.startswith("`") else re.findall(r"^(`+) ", fenced)
    assert fence not in text
    assert fenced.removeprefix(fence).removesuffix(fence).strip() == text.strip()


@pytest.mark.parametrize("start", ["# a", "- a", "+ a", "1. a", "12) a", "=== a", "> a", "~~~ a"])
def test_a_paragraph_never_begins_a_list_or_a_heading(start: str) -> None:
    text = markdown(Report(title="t", about="a", sections=(Section(name="s", title="S", paragraphs=(start,)),)))
    assert f"\n{start}\n" not in text
    assert not re.search(rf"^{re.escape(start.split()[0])}\s", text.split("## S")[1], re.MULTILINE)


@pytest.mark.parametrize(
    ("cell", "digits", "as_shown"),
    [
        (None, 3, "–"),
        (float("nan"), 3, "–"),
        (-0.0001, 3, "0.000"),
        (-1.5, 1, "−1.5"),
        (12345, 3, "12,345"),
        (True, 3, "yes"),
        ("a", 3, "a"),
    ],
)
def test_a_cell_is_shown(cell: str | float | None, digits: int, as_shown: str) -> None:
    assert shown(cell, digits) == as_shown


def test_a_column_is_numeric_if_it_contains_only_numbers() -> None:
    table = ReportTable(name="t", caption="c", headers=("a", "b", "c", "d"), rows=(("x", 1, None, 1), ("y", None, None, "1")))
    assert table.numeric() == (False, True, False, False)


def test_counts_and_lists_read_as_sentences() -> None:
    assert counted(1, "query", "queries") == "1 query"
    assert counted(2000, "query", "queries") == "2,000 queries"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([str(at) for at in range(10)]).endswith("and 2 more")
    assert listed([]) == ""


@pytest.fixture
def plain() -> Report:
    """A report of one table and one figure, for tests that do not depend on the sections."""
    table = ReportTable(name="means", caption="c", headers=("a",), rows=((1,),))
    section_ = Section(name="systems", title="S", tables=(table,), figures=(Picture(name="f", caption="c", svg=SVG),))
    return Report(title="t", about="a", sections=(section_,))


def test_other_folders_and_files_are_not_changed(plain: Report, tmp_path: Path) -> None:
    report = plain
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("x")
    with pytest.raises(BadArgument, match=r"thesis\.tex"):
        write_report(report, mine, replace=True)
    (tmp_path / "like" / "tables").mkdir(parents=True)
    (tmp_path / "like" / "tables" / "mine.csv").write_text("a,b\n")
    with pytest.raises(BadArgument, match="tables"):
        write_report(report, tmp_path / "like", replace=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadArgument, match="is a file"):
        write_report(report, tmp_path / "file")
    with pytest.raises(BadArgument, match="cannot be created: Not a directory"):
        write_report(report, tmp_path / "file" / "out")
    assert sorted(path.name for path in mine.iterdir()) == ["thesis.tex"]


def test_a_report_is_replaced_only_on_request(plain: Report, tmp_path: Path) -> None:
    report = plain
    out = tmp_path / "out"
    out.mkdir()
    write_report(report, out)
    (out / "tables" / "systems-old.csv").write_text("left by an older version\n")
    with pytest.raises(StateError, match="already contains a report"):
        write_report(report, out)
    write_report(report, out, replace=True)
    assert not (out / "tables" / "systems-old.csv").exists()
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_a_failed_write_keeps_the_old_report(plain: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = plain
    write_report(report, tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    real, left = Path.write_bytes, iter(range(1))

    def full(self: Path, content: bytes) -> int:
        if next(left, None) is None:
            raise OSError(28, "No space left on device", str(self))
        return real(self, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    for name, replace in (("out", True), ("new", False)):
        with pytest.raises(OSError, match="No space"):
            write_report(report, tmp_path / name, replace=replace)
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*")} == before
    assert not (tmp_path / "new").exists()
    assert list(tmp_path.glob(".*")) == []


_KILLED = """
import os, signal, sys
from pathlib import Path
from stcollection.studies.synth.report.files import write_report
from stcollection.studies.synth.report.parts import Report, ReportTable, Section
real, left = Path.write_bytes, iter(range(2))
def slow(self, content):
    if next(left, None) is None:
        os.kill(os.getpid(), int(sys.argv[2]))
    return real(self, content)
Path.write_bytes = slow
table = ReportTable(name="t", caption="c", headers=("a",), rows=((1,),))
write_report(Report(title="t", about="a", sections=(Section(name="s", title="S", tables=(table,)),)), Path(sys.argv[1]))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_process_leaves_no_half_report(tmp_path: Path, how: signal.Signals) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path / "out"), str(int(how))], capture_output=True, check=False)
    assert done.returncode in (-how, 130)
    assert not (tmp_path / "out").exists()
    report = Report(title="t", about="a", sections=(Section(name="s", title="S"),))
    write_report(report, tmp_path / "out")
    assert (tmp_path / "out" / "report.md").read_text().startswith(MARK)


def test_of_two_writers_one_gets_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report(title="t", about="a", sections=(Section(name="s", title="S"),))
    real = report_files._take

    def meanwhile(part: Path, out: Path) -> None:
        monkeypatch.setattr(report_files, "_take", real)
        write_report(report, out)
        real(part, out)

    monkeypatch.setattr(report_files, "_take", meanwhile)
    with pytest.raises(StateError, match="was written by another process"):
        write_report(report, tmp_path / "out")
    assert (tmp_path / "out" / "report.html").is_file()
    assert list(tmp_path.glob(".*")) == []
