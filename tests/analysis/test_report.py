"""The report of a study: it shows what was computed, tells what is missing, lets nothing hostile through; all or nothing."""

from __future__ import annotations

import csv
import io
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis import report_files
from stcollection.analysis.report import SECTIONS, study_report
from stcollection.analysis.report_files import files_of, write_report
from stcollection.analysis.report_html import html
from stcollection.analysis.report_markdown import MARK, code, markdown
from stcollection.analysis.report_parts import Asked, Missing, Report, Section, Table, counted, listed, shown
from stcollection.analysis.report_sections import standings
from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs

HOSTILE = '<script>alert("x")</script> | `code` | [a](javascript:b) *b* &amp; $x$ \u202e \\'
ORIGINS = {"human": ("q1", "q2", "q3"), "t5": ("q4", "q5", "q6")}
RUNS: dict[str, Callable[[int], str]] = {
    "x": lambda at: "d1 d2 d3 d4"[: 3 + 3 * (at % 4)],
    "y": lambda at: "d9 d1 d8 d2" if at % 2 else "d1 d3 d2",
    "z": lambda at: "d9 d8 d7 d1",
    "half": lambda at: "d3 d1" if at < 4 else "",
}
VOID = {"meta", "br", "img", "hr", "link", "input"}


@pytest.fixture
def world(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    """Six judged queries of two origins, four runs of two families and of none; the texts and a family are hostile."""
    queries = [query for names in ORIGINS.values() for query in names]
    (tmp_path / "qrels").write_text(
        "".join(f"{query} 0 d{doc} {(doc + at) % 3}\n" for at, query in enumerate(queries) for doc in range(1, 8))
    )
    import_qrels(conn, tmp_path / "qrels", edition="both")
    for name, docs in RUNS.items():
        path = tmp_path / f"{name}.run"
        path.write_text(
            "".join(
                f"{query} Q0 {doc} {rank} {-rank} t\n"
                for at, query in enumerate(queries)
                for rank, doc in enumerate(docs(at).split(), 1)
            )
        )
        list(import_runs(conn, [path]))
    conn.execute("UPDATE st1_queries SET text = %s || query", [HOSTILE])
    for origin, names in ORIGINS.items():
        conn.execute("UPDATE st1_queries SET origin = %s WHERE query = ANY (%s)", [origin, list(names)])
    conn.execute("UPDATE st1_runs SET family = CASE run WHEN 'x' THEN 'A' WHEN 'y' THEN %s WHEN 'z' THEN 'A' END", [HOSTILE])
    return conn


class Page(HTMLParser):
    """Whether the tags are balanced, and all that the page would fetch, run or name twice."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[str] = []
        self.outside: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "srcset", "data", "action") and not (value or "").startswith("#"):
                self.outside.append(f"{tag} {name} {value}")
            elif name in ("href", "xlink:href"):
                self.links.append((value or "")[1:])
            if name == "id":
                self.ids.append(value or "")
            assert not name.startswith("on"), (tag, name)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def checked(text: str) -> Page:
    page = Page(text)
    assert page.open == []
    assert page.outside == []
    assert "script" not in page.seen
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    assert "url(http" not in text.replace(" ", "")
    return page


def section(report: Report, name: str) -> Section:
    [found] = [one for one in report.sections if one.name == name]
    return found


def told(report: Report) -> str:
    """All that the last section says cannot be told."""
    return "\n".join(str(row[1]) for table in section(report, "limits").tables for row in table.rows)


def test_a_report_has_every_section_its_tables_and_its_figures(world: psycopg.Connection, tmp_path: Path) -> None:
    report = study_report(world, Asked(edition="both", resamples=200))
    files = write_report(report, tmp_path / "out")
    names = {path.relative_to(tmp_path / "out").as_posix() for path in files}
    assert {"report.md", "report.html", "tables/systems-means.csv", "figures/systems-means.svg"} <= names
    assert names == {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    page = checked((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert [one.name for one in report.sections] == [*(name for name, _, _ in SECTIONS), "limits"]
    for one in report.sections:
        assert one.title in page.text
        assert f"## {one.title}" in text
    linked = set(re.findall(r"\]\(((?:figures|tables)/[^)]*)\)", text))
    assert linked == {name for name in names if "/" in name}


def test_every_cell_stands_in_html_in_markdown_and_in_full_in_csv(world: psycopg.Connection) -> None:
    report = study_report(world, Asked(edition="both", resamples=200))
    files = files_of(report)
    page = checked(files["report.html"].decode())
    for one in report.sections:
        for table in one.tables:
            rows = list(csv.reader(io.StringIO(files[f"tables/{one.name}-{table.name}.csv"].decode(), newline="")))
            assert rows[0] == list(table.headers)
            assert [[None if cell == "" else cell for cell in row] for row in rows[1:]] == [
                [None if cell is None else str(cell) for cell in row] for row in table.rows
            ]
            for row in table.shown():
                assert all(cell.strip().split("\u202e")[0].strip() in page.text for cell in row)


def test_the_numbers_of_the_leaderboard_are_those_of_the_scores(world: psycopg.Connection) -> None:
    [table] = section(study_report(world, Asked(edition="both", resamples=200)), "systems").tables
    assert table.headers == ("run", "family", "all", "rank, all", "human", "rank, human", "t5", "rank, t5")
    for run, _, all_, _, human, _, t5, _ in table.rows:
        for shown_, origins in ((all_, ["human", "t5"]), (human, ["human"]), (t5, ["t5"])):
            [(mean,)] = world.execute(
                "SELECT avg(s.value ORDER BY s.query) FROM ndcg(%s::text[], 'both', 10) s JOIN st1_queries USING (query)"
                " WHERE origin = ANY (%s)",
                [[run], origins],
            ).fetchall()
            assert shown_ == pytest.approx(mean, abs=1e-12)
    means = {one.run: one.values["all"] for one in standings(world, edition="both", measure="nDCG@10")}
    assert [row[3] for row in table.rows] == [1 + sum(other > means[str(row[0])] for other in means.values()) for row in table.rows]


def test_hostile_texts_are_texts(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_runs SET run = run || %s WHERE run = 'z'", [HOSTILE])
    report = study_report(world, Asked(edition="both", resamples=200), command=f"stc {HOSTILE}")
    page, text = html(report), markdown(report)
    assert 'alert("x")' in checked(page).text
    assert "<script" not in page
    assert "<script" not in text
    for line in text.splitlines():
        if line.startswith("| "):  # a row has as many cells as its table's header
            assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) in {1 + len(t.headers) for s in report.sections for t in s.tables}
    assert "\u202e" not in page + text
    assert not re.search(r"(?<!\\)\]\(javascript", text)


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a``b`c", "plain"])
def test_code_is_fenced_by_more_backticks_than_it_holds(text: str) -> None:
    fenced = code(text)
    [fence] = re.findall(r"^`+", fenced)[:1] if not text.startswith("`") else re.findall(r"^(`+) ", fenced)
    assert fence not in text
    assert fenced.removeprefix(fence).removesuffix(fence).strip() == text.strip()


@pytest.mark.parametrize("start", ["# a", "- a", "+ a", "1. a", "12) a", "=== a", "> a", "~~~ a"])
def test_a_paragraph_never_begins_a_list_or_a_heading(start: str) -> None:
    text = markdown(Report(title="t", about="a", sections=(Section(name="s", title="S", paragraphs=(start,)),)))
    assert f"\n{start}\n" not in text
    assert not re.search(rf"^{re.escape(start.split()[0])}\s", text.split("## S")[1], re.MULTILINE)


def test_one_origin_only_is_told(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_queries SET origin = 'human'")
    report = study_report(world, Asked(edition="both", resamples=200))
    assert "all judged queries of both are human" in told(report)
    assert "all" not in section(report, "systems").tables[0].headers
    checked(html(report))


def test_what_the_data_lack_is_counted_not_averaged_over(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_queries SET text = NULL WHERE query = 'q5'")
    (edition,) = world.execute("SELECT id FROM qrels_editions WHERE edition = 'both'").fetchone() or (0,)
    world.execute(
        "INSERT INTO query_cuts (edition, query, reason) SELECT %s, id, 'many' FROM st1_queries WHERE query = 'q6'", [edition]
    )
    found = told(study_report(world, Asked(edition="both", resamples=200)))
    assert "1 system has no family and is in no comparison of families: half" in found
    assert "1 family is one system each" in found
    assert "1 of 3 queries of the origin t5 without a text" in found
    assert "3 of 3 queries of the origin t5 without a source document" in found
    assert "1 query of the origin t5 cut by the assessors: many" in found
    assert "1 system has nothing for some queries, which count 0 (half: 2)" in found
    assert "3 queries are human, fewer than 25" in found


def test_queries_without_a_relevant_document_are_told(world: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "more").write_text("q7 0 d1 0\n")
    import_qrels(world, tmp_path / "more", edition="both")
    assert "1 of 4 queries of the origin human without a relevant document" in told(
        study_report(world, Asked(edition="both", resamples=200))
    )


def test_without_runs_the_sections_say_so(conn: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d1 0\n")
    import_qrels(conn, tmp_path / "qrels", edition="bare")
    report = study_report(conn, Asked(edition="bare", resamples=200))
    [missing, *_] = section(report, "systems").missing
    assert missing == Missing(what="no run has anything for the queries of bare", command="stc retrieval run --all")
    assert "no run has anything" in told(report)
    assert "no run has anything" in checked(html(report)).text
    assert "**Missing.** no run has anything" in markdown(report)


def test_a_section_that_fails_says_why_and_the_others_stand(world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(conn: psycopg.Connection, asked: Asked) -> Section:
        conn.execute("SELECT ndcg('{nosuch}', 'both')")
        raise AssertionError("the query above fails")

    name, title, _ = SECTIONS[0]
    monkeypatch.setattr("stcollection.analysis.report.SECTIONS", ((name, title, fails), *SECTIONS[1:]))
    report = study_report(world, Asked(edition="both", resamples=200))
    [missing] = section(report, name).missing
    assert "nosuch" in missing.what
    assert section(report, "systems").tables
    assert missing.what in told(report)


def test_an_error_that_is_no_error_of_ours_is_not_swallowed(world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(conn: psycopg.Connection, asked: Asked) -> Section:
        raise ZeroDivisionError

    monkeypatch.setattr("stcollection.analysis.report.SECTIONS", (("studied", "What", fails),))
    with pytest.raises(ZeroDivisionError):
        study_report(world, Asked(edition="both"))


@pytest.mark.parametrize("wrong", [{"edition": "bth"}, {"edition": "both", "llm": "no"}, {"edition": "both", "sparse": "no"}])
def test_an_edition_typed_wrong_is_an_error_not_a_report(world: psycopg.Connection, wrong: dict[str, str]) -> None:
    with pytest.raises(UnknownObject):
        study_report(world, Asked(**wrong))  # type: ignore[arg-type]


def test_a_run_or_a_study_typed_wrong_is_an_error(world: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="nosuch"):
        study_report(world, Asked(edition="both", runs=("nosuch",)))
    with pytest.raises(UnknownObject, match="there is no study 'nosuch'"):
        study_report(world, Asked(edition="both", study="nosuch"))


def test_the_same_data_are_the_same_bytes(world: psycopg.Connection) -> None:
    first, second = (files_of(study_report(world, Asked(edition="both", resamples=200))) for _ in range(2))
    assert first == second


def test_another_folder_or_a_file_is_left_alone(world: psycopg.Connection, tmp_path: Path) -> None:
    report = study_report(world, Asked(edition="both", resamples=200))
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
    assert sorted(path.name for path in mine.iterdir()) == ["thesis.tex"]


def test_a_report_is_replaced_only_when_asked_for(world: psycopg.Connection, tmp_path: Path) -> None:
    report = study_report(world, Asked(edition="both", resamples=200))
    out = tmp_path / "out"
    out.mkdir()
    write_report(report, out)
    (out / "tables" / "systems-old.csv").write_text("left by an older version\n")
    with pytest.raises(StateError, match="holds a report"):
        write_report(report, out)
    write_report(report, out, replace=True)
    assert not (out / "tables" / "systems-old.csv").exists()
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_what_fails_while_writing_leaves_what_was_there(
    world: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = study_report(world, Asked(edition="both", resamples=200))
    write_report(report, tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    real, left = Path.write_bytes, iter(range(3))

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
from stcollection.analysis.report_files import write_report
from stcollection.analysis.report_parts import Report, Section, Table
real, left = Path.write_bytes, iter(range(2))
def slow(self, content):
    if next(left, None) is None:
        os.kill(os.getpid(), int(sys.argv[2]))
    return real(self, content)
Path.write_bytes = slow
table = Table(name="t", caption="c", headers=("a",), rows=((1,),))
write_report(Report(title="t", about="a", sections=(Section(name="s", title="S", tables=(table,)),)), Path(sys.argv[1]))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_in_the_middle_there_is_no_half_report(tmp_path: Path, how: signal.Signals) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path / "out"), str(int(how))], capture_output=True, check=False)
    assert done.returncode in (-how, 130, 1)
    assert not (tmp_path / "out").exists()
    report = Report(title="t", about="a", sections=(Section(name="s", title="S"),))
    write_report(report, tmp_path / "out")
    assert (tmp_path / "out" / "report.md").read_text().startswith(MARK)


def test_two_at_once_one_of_them_is_told(world: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report(title="t", about="a", sections=(Section(name="s", title="S"),))
    real = report_files._take

    def meanwhile(part: Path, out: Path) -> None:
        monkeypatch.setattr(report_files, "_take", real)
        write_report(report, out)
        real(part, out)

    monkeypatch.setattr(report_files, "_take", meanwhile)
    with pytest.raises(StateError, match="was written meanwhile"):
        write_report(report, tmp_path / "out")
    assert (tmp_path / "out" / "report.html").is_file()
    assert list(tmp_path.glob(".*")) == []


def test_the_command_writes_it_and_tells_what_is_missing(world: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    arguments = ["analysis", "study", "both", "--out", str(tmp_path / "out"), "--resamples", "100"]
    done = CliRunner().invoke(stc, arguments, obj=settings, env=_environment(settings), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "sections," in done.output
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"stc --db {settings.db} analysis study both" in text


def _environment(settings: Settings) -> dict[str, str]:
    return {"STC_DB": settings.db, "STC_HOME": str(settings.home), **({"STC_DSN": settings.dsn} if settings.dsn else {})}


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


def test_a_column_is_numeric_where_it_holds_numbers_alone() -> None:
    table = Table(name="t", caption="c", headers=("a", "b", "c", "d"), rows=(("x", 1, None, 1), ("y", None, None, "1")))
    assert table.numeric() == (False, True, False, False)


def test_counts_and_lists_read_as_sentences() -> None:
    assert counted(1, "query", "queries") == "1 query"
    assert counted(2000, "query", "queries") == "2,000 queries"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([str(at) for at in range(10)]).endswith("and 2 more")
    assert listed([]) == ""
