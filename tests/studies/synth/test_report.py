"""The report of a study shows the computed values and lists missing parts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection import demo
from stcollection.analysis.bias import Resampling, bias
from stcollection.analysis.bias_model import mixed_model
from stcollection.analysis.findings import Draw, findings
from stcollection.analysis.labels import labels
from stcollection.analysis.origins import origin_statistics
from stcollection.analysis.reliability import Draws, growth, reliability
from stcollection.build.recipe import read_recipe
from stcollection.cells import spreadsheet_cell
from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.imported import import_scores
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.runs.load import import_runs
from stcollection.studies.synth.report.files import files_of, write_report
from stcollection.studies.synth.report.html import html
from stcollection.studies.synth.report.markdown import markdown
from stcollection.studies.synth.report.parts import Cell, Missing, Report, ReportTable, Section, StudySources
from stcollection.studies.synth.report.sections import standings
from stcollection.studies.synth.report.study import SECTIONS, study_report
from tests import databases
from tests.studies.synth.report_pages import HOSTILE, HOSTILE_NAME, checked

pytestmark = pytest.mark.slow

ORIGINS = {"human": ("q1", "q2", "q3"), "t5": ("q4", "q5", "q6")}
RUNS: dict[str, Callable[[int], str]] = {
    "x": lambda at: "d1 d2 d3 d4"[: 3 + 3 * (at % 4)],
    "y": lambda at: "d9 d1 d8 d2" if at % 2 else "d1 d3 d2",
    "z": lambda at: "d9 d8 d7 d1",
    "half": lambda at: "d3 d1" if at < 4 else "",
}


@databases.world
def world(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    """Six judged queries of two origins, four runs of two families and of none; some texts and a family are hostile."""
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
    conn.execute("UPDATE st1_runs SET family = CASE run WHEN 'x' THEN 'A' WHEN 'y' THEN %s WHEN 'z' THEN 'A' END", [HOSTILE_NAME])
    return conn


def section(report: Report, name: str) -> Section:
    [found] = [one for one in report.sections if one.name == name]
    return found


def told(report: Report) -> str:
    """Return the rows of the last section, on the limits of the data, as text."""
    return "\n".join(str(row[1]) for table in section(report, "limits").tables for row in table.rows)


def test_a_report_has_every_section_table_and_figure(world: psycopg.Connection, tmp_path: Path) -> None:
    report = study_report(world, StudySources(edition="both", resamples=200))
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


def test_every_cell_is_in_html_markdown_and_csv(world: psycopg.Connection) -> None:
    report = study_report(world, StudySources(edition="both", resamples=200))
    files = files_of(report)
    page = checked(files["report.html"].decode())
    for one in report.sections:
        for table in one.tables:
            rows = list(csv.reader(io.StringIO(files[f"tables/{one.name}-{table.name}.csv"].decode(), newline="")))
            assert rows[0] == list(table.headers)
            assert [[None if cell == "" else cell for cell in row] for row in rows[1:]] == [
                [None if cell is None else str(spreadsheet_cell(cell)) for cell in row] for row in table.rows
            ]
            for row in table.shown():
                assert all(cell.strip().split("\u202e")[0].strip() in page.text for cell in row)


def test_a_report_on_a_set_is_that_of_an_edition_that_judges_only_it(world: psycopg.Connection) -> None:
    world.execute(
        "INSERT INTO qrels_editions (edition) VALUES ('some');"
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin)"
        " SELECT stc.edition_key('some'), j.query, j.doc, j.rel, j.origin FROM qrels j JOIN st1_queries q ON q.id = j.query"
        "  WHERE j.edition = stc.edition_key('both') AND q.query NOT IN ('q2', 'q6')"
    )

    def tables(of: StudySources) -> dict[str, list[tuple[Cell, ...]]]:
        report = study_report(world, of)
        named = {f"{one.name} {table.name}": list(table.rows) for one in report.sections for table in one.tables}
        named.pop("studied editions")  # of whole editions
        return {name: [tuple(str(cell).replace("both", "some") for cell in row) for row in rows] for name, rows in named.items()}

    of_set = tables(StudySources(edition="both", queries="all-q2-q6", resamples=200))
    assert of_set == tables(StudySources(edition="some", resamples=200))
    assert of_set != tables(StudySources(edition="both", resamples=200))
    report = study_report(world, StudySources(edition="both", queries="all-q2-q6", resamples=200))
    assert "judges 4 queries of the set all-q2-q6: 2 human and 2 t5" in section(report, "studied").paragraphs[0]
    assert "both (all-q2-q6)" in report.about
    with pytest.raises(UnknownObject, match="no query or set of queries 'nope'"):
        study_report(world, StudySources(edition="both", queries="nope"))


def test_the_leaderboard_equals_the_scores(world: psycopg.Connection) -> None:
    [table] = section(study_report(world, StudySources(edition="both", resamples=200)), "systems").tables
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


def values(table: ReportTable, *columns: int) -> list[tuple[Cell, ...]]:
    return [tuple(row[at] for at in columns) for row in table.rows]


def test_each_section_equals_its_function(world: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "llm").write_text("".join(f"q{at} 0 d{doc} {(doc * at) % 3}\n" for at in range(1, 7) for doc in range(1, 8)))
    import_qrels(world, tmp_path / "llm", edition="model", options=JudgmentOptions(origin="llm"))
    report = study_report(world, StudySources(edition="both", llm="model", resamples=200, seed=5))
    queries = {table.name: table for table in section(report, "queries").tables}
    counted_ = origin_statistics(world, edition="both")
    assert values(queries["origins"], 0, 1, 5, 9) == [(row.origin, row.queries, row.pool, row.relevant_a_query) for row in counted_]
    ranked, others = section(report, "reliability").tables
    pairs = reliability(world, edition="both", bootstrap=200, seed=5)
    assert values(ranked, 0, 1, 6, 7, 8) == [(row.a, row.b, row.tau, row.tau_low, row.tau_high) for row in pairs]
    assert values(others, 2, 5) == [(row.tau_ap, row.pearson) for row in pairs]
    [curve] = section(report, "growth").tables
    points = [row for of in ("human", "t5") for row in growth(world, edition="both", of=of, draws=Draws(200, 5))]
    assert values(curve, 0, 2, 6) == [(row.of, row.size, row.tau) for row in points]
    hard, families, systems = section(report, "bias").tables
    found = bias(world, edition="both", bootstrap=Resampling(200, 5))
    assert values(hard, 0, 2, 5) == [(row.origin, row.mean, row.difference) for row in found.difficulty]
    assert values(families, 0, 1, 7) == [(row.family, row.origin, row.relative) for row in found.families]
    assert set(values(systems, 0, 2, 5)) == {(row.run, row.origin, row.relative) for row in found.systems}
    model = mixed_model(world, edition="both")
    assert values(section(report, "model").tables[0], 0, 1) == [(row.effect, row.estimate) for row in model.effects]
    tables = {table.name: table for table in section(report, "labels").tables}
    [held] = labels(world, human="both", others=["model"], by="origin")
    assert values(tables["llm-agreement"], 0, 5) == [(row.origin, row.accuracy) for row in held.agreement]
    assert values(tables["llm-rankings"], 0, 3) == [(row.origin, row.kendall_tau) for row in held.rankings]
    grades = [cell for row in tables["llm-confusion"].rows for cell in row[1:] if isinstance(cell, int)]
    assert sum(grades) == sum(cell.pairs for cell in held.confusion if cell.origin == "all")
    rows = findings(world, human="both", llm="model", draw=Draw(200, 5))
    assert values(section(report, "findings").tables[0], 1, 3, 7) == [(row.verdict, row.ours, row.why) for row in rows]


def test_systems_are_ranked_by_the_model_labels_if_only_those_have_scores(conn: psycopg.Connection, tmp_path: Path) -> None:
    for edition in ("people", "model"):
        (tmp_path / "qrels").write_text("".join(f"q{at} 0 d{doc} {(doc + at) % 2}\n" for at in range(1, 5) for doc in range(1, 4)))
        import_qrels(conn, tmp_path / "qrels", edition=edition)
    conn.execute("UPDATE st1_queries SET origin = 't5' WHERE query > 'q2'")
    (tmp_path / "scores.eval").write_text(
        "".join(f"{run}\tndcg_cut_10\tq{at}\t0.{at + place}\n" for place, run in enumerate("abc") for at in range(1, 5))
    )
    import_scores(conn, tmp_path / "scores.eval", edition="model")
    report = study_report(conn, StudySources(edition="people", llm="model", resamples=200))
    assert len(section(report, "systems").tables[0].rows) == 3
    assert "no system has scores under people: systems are ranked with the labels of model" in told(report)
    assert "with the labels of model, because none has scores under people" in section(report, "studied").paragraphs[0]


def test_generation_is_shown_with_bad_answers(world: psycopg.Connection) -> None:
    world.execute("INSERT INTO stc_all.synth_studies (study, seed) VALUES ('autumn', 3)")
    world.execute(
        "INSERT INTO stc_all.synth_passages (study, doc, place, model, answer, score)"
        " SELECT s.id, d.id, row_number() OVER (ORDER BY d.id), 'm', 'a', CASE WHEN d.docno <> 'd1' THEN 80 END"
        " FROM stc_all.synth_studies s, dblp d WHERE d.docno IN ('d1', 'd2', 'd3')"
    )
    world.execute(
        "INSERT INTO stc_all.synth_candidates (study, doc, origin, model, number, answer, text, dropped)"
        " SELECT p.study, p.doc, 't5', 'g', 1, '', CASE WHEN d.docno = 'd2' THEN 'a query' END,"
        "        CASE WHEN d.docno = 'd3' THEN 'empty' END"
        " FROM stc_all.synth_passages p JOIN dblp d ON d.id = p.doc WHERE p.score = 80"
    )
    report = study_report(world, StudySources(edition="both", resamples=200))
    steps, made = section(report, "making").tables
    assert {row[0]: row[1] for row in steps.rows} == {
        "sampled": 3,
        "not asked about yet": 0,
        "asked, no answer came": 0,
        "answer malformed": 1,
        "score too low": 0,
        "kept": 2,
    }
    assert values(made, 0, 4, 5, 10) == [("t5", 2, 1, 1)]
    assert "1 answer contained no query" in section(report, "making").paragraphs[0]
    [missing] = section(report, "making").missing
    assert missing.what == "no queries of the study 'autumn' were chosen"
    world.execute("INSERT INTO stc_all.synth_studies (study, seed) VALUES ('winter', 3)")
    [missing] = section(study_report(world, StudySources(edition="both", resamples=200)), "making").missing
    assert missing.what == "there are several studies: autumn and winter"


def test_the_demo_is_a_study_of_two_generators(conn: psycopg.Connection, settings: Settings) -> None:
    for step in read_recipe(demo.SYNTHETIC_RECIPE).steps:
        if step.kind.word in ("corpus", "topics", "origins", "qrels"):
            step.kind.run(settings, step.values)
    judged = {row.origin: row for row in origin_statistics(conn, edition="study")}
    assert {origin: row.queries for origin, row in judged.items()} == {"human": 8, "t5": 8, "gpt-4": 8}
    assert all(row.without_text == 0 for row in judged.values())
    [(sourced, relevant)] = conn.execute(
        "SELECT count(q.source), count(*) FILTER (WHERE j.rel = 2) FROM st1_queries q LEFT JOIN qrels_editions e ON e.edition = %s"
        " LEFT JOIN qrels j ON j.edition = e.id AND j.query = q.id AND j.doc = q.source WHERE q.origin <> 'human'",
        ["study"],
    ).fetchall()
    assert (sourced, relevant) == (16, 16)


def test_hostile_texts_are_texts(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_runs SET run = run || %s WHERE run = 'z'", [HOSTILE_NAME])
    report = study_report(world, StudySources(edition="both", resamples=200), command=f"stc {HOSTILE}")
    page, text = html(report), markdown(report)
    assert 'alert("x")' in checked(page).text
    assert "<script" not in page
    assert "<script" not in text
    for line in text.splitlines():
        if line.startswith("| "):  # a row has as many cells as its table's header
            assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) in {1 + len(t.headers) for s in report.sections for t in s.tables}
    assert "\u202e" not in page + text
    assert not re.search(r"(?<!\\)\]\(javascript", text)


def test_a_single_origin_is_reported(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_queries SET origin = 'human'")
    report = study_report(world, StudySources(edition="both", resamples=200))
    assert "all judged queries of both are human" in told(report)
    assert "all" not in section(report, "systems").tables[0].headers
    [missing] = section(report, "reliability").missing
    assert "queries of only one origin, human" in missing.what
    assert missing.what in told(report)
    checked(html(report))


def test_missing_data_are_counted(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_queries SET text = NULL WHERE query = 'q5'")
    (edition,) = world.execute("SELECT id FROM qrels_editions WHERE edition = 'both'").fetchone() or (0,)
    world.execute(
        "INSERT INTO query_cuts (edition, query, reason) SELECT %s, id, 'many' FROM st1_queries WHERE query = 'q6'", [edition]
    )
    found = told(study_report(world, StudySources(edition="both", resamples=200)))
    assert "1 system has no family and is in no comparison of families: half" in found
    assert "1 family has only one system" in found
    assert "1 of 3 queries of the origin t5 without a text" in found
    assert "3 of 3 queries of the origin t5 without a source document" in found
    assert "1 query of the origin t5 cut by the assessors: many" in found
    assert "1 system has no ranking or score for some queries, which count 0 (half: 2)" in found
    assert "3 queries are human, fewer than 25" in found


def test_queries_without_a_relevant_document_are_reported(world: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "more").write_text("q7 0 d1 0\n")
    import_qrels(world, tmp_path / "more", edition="both", options=JudgmentOptions(unknown_queries="stub"))
    assert "1 of 4 queries of the origin human without a relevant document" in told(
        study_report(world, StudySources(edition="both", resamples=200))
    )


@pytest.mark.parametrize("simulated", [False, True])
def test_a_simulated_report_is_marked(conn: psycopg.Connection, tmp_path: Path, simulated: bool) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d1 0\n")
    import_qrels(conn, tmp_path / "qrels", edition="bare", options=JudgmentOptions(simulated=simulated))
    assert study_report(conn, StudySources(edition="bare", resamples=200)).simulated is simulated


def test_sections_without_runs_give_the_reason(conn: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d1 0\n")
    import_qrels(conn, tmp_path / "qrels", edition="bare")
    report = study_report(conn, StudySources(edition="bare", resamples=200))
    [missing, *_] = section(report, "systems").missing
    assert missing == Missing(what="no run has documents or scores for the queries of bare", command="stc run --all")
    assert "no run has documents" in told(report)
    assert "no run has documents" in checked(html(report)).text
    assert "**Missing.** no run has documents" in markdown(report)


def test_a_failing_section_gives_the_reason_and_the_others_remain(
    world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(conn: psycopg.Connection, asked: StudySources) -> Section:
        conn.execute("SELECT ndcg('{nosuch}', 'both')")
        raise AssertionError("the query above fails")

    name, title, _ = SECTIONS[0]
    monkeypatch.setattr("stcollection.studies.synth.report.study.SECTIONS", ((name, title, fails), *SECTIONS[1:]))
    report = study_report(world, StudySources(edition="both", resamples=200))
    [missing] = section(report, name).missing
    assert "nosuch" in missing.what
    assert section(report, "systems").tables
    assert missing.what in told(report)


def test_unexpected_errors_are_raised(world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(conn: psycopg.Connection, asked: StudySources) -> Section:
        raise ZeroDivisionError

    monkeypatch.setattr("stcollection.studies.synth.report.study.SECTIONS", (("studied", "What", fails),))
    with pytest.raises(ZeroDivisionError):
        study_report(world, StudySources(edition="both"))


@pytest.mark.parametrize("wrong", [{"edition": "bth"}, {"edition": "both", "llm": "no"}, {"edition": "both", "sparse": "no"}])
def test_a_mistyped_edition_raises(world: psycopg.Connection, wrong: dict[str, str]) -> None:
    with pytest.raises(UnknownObject):
        study_report(world, StudySources(**wrong))  # type: ignore[arg-type]


def test_a_mistyped_run_or_study_raises(world: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="nosuch"):
        study_report(world, StudySources(edition="both", runs=("nosuch",)))
    with pytest.raises(UnknownObject, match="there is no study 'nosuch'"):
        study_report(world, StudySources(edition="both", study="nosuch"))
    with pytest.raises(BadArgument, match="the same edition is given for two of both, both"):
        study_report(world, StudySources(edition="both", llm="both"))


def test_the_same_data_give_the_same_bytes(world: psycopg.Connection) -> None:
    first, second = (files_of(study_report(world, StudySources(edition="both", resamples=200))) for _ in range(2))
    assert first == second


def test_the_command_writes_a_report_and_lists_missing_parts(world: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    arguments = ["synth", "report", "both", "--out", str(tmp_path / "out"), "--resamples", "100"]
    done = CliRunner().invoke(stc, arguments, obj=settings, env=_environment(settings), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "sections," in done.output
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"stc --db {settings.db} synth report both" in text


def _environment(settings: Settings) -> dict[str, str]:
    return {"STC_DB": settings.db, "STC_HOME": str(settings.home), **({"STC_DSN": settings.dsn} if settings.dsn else {})}
