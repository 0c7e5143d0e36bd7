"""The leaderboard of the page shows the values that the command prints, and the comparison of two runs that SQL returns."""

from __future__ import annotations

import csv
import io
import shlex
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Locator, Page, expect

from stcollection.analysis.board import BoardRequest, board
from stcollection.analysis.drill import query_scores, retrieved
from stcollection.analysis.marks import MOST
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import OFFICIAL, nDCG
from stcollection.evaluation.readability import readability
from stcollection.explore.board.pair import against_all
from stcollection.explore.board.request import baseline_of, choices, command, draws_of, measures_of, runs_of, statements
from stcollection.topics.sets import store_set
from tests.acceptance.conftest import runner

pytestmark = pytest.mark.slow

OFFICIAL_NAMES = [str(measure) for measure in OFFICIAL]


@pytest.fixture
def table(page: Page) -> Locator:
    page.get_by_role("tab", name="Leaderboard").click()
    found = page.get_by_role("table", name="Leaderboard of edition test")
    found.wait_for()
    return found


def column(table: Locator, name: str) -> list[str]:
    """The texts of a column, marks left out."""
    heads = [text.strip() for text in table.locator("thead th").all_inner_texts()]
    cells = table.locator(f"tbody tr > :nth-child({heads.index(name) + 1})")
    found: list[str] = cells.evaluate_all("all => all.map(cell => (cell.firstElementChild ?? cell).textContent.trim())")
    return found


def printed(demo: Settings, *arguments: str) -> str:
    done = runner(demo)("analysis", "leaderboard", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def opened(page: Page) -> None:
    """Open the part of the form that is folded at first."""
    page.locator("summary", has_text="More measures, runs and significance test").click()


def downloaded(page: Page, name: str) -> str:
    with page.expect_download() as waiting:
        page.get_by_role("link", name=name).click()
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def names(*, style: str) -> list[str]:
    return ["--edition", "test", *(part for name in OFFICIAL_NAMES for part in ("-m", name)), "--format", style]


def test_the_downloads_are_what_the_command_prints(page: Page, table: Locator, demo: Settings) -> None:
    assert downloaded(page, "Download as CSV") == printed(demo, *names(style="csv"))
    page.get_by_label("Baseline").select_option("bm25")
    page.get_by_text("worse than bm25").wait_for()
    latex = downloaded(page, "Download as LaTeX")
    assert latex == printed(demo, *names(style="latex"), "--baseline", "bm25")
    assert r"\dagger" in latex


def test_the_table_shows_the_commands_numbers_and_marks(page: Page, table: Locator, demo: Settings) -> None:
    rows = list(csv.DictReader(io.StringIO(printed(demo, *names(style="csv")))))
    for name in OFFICIAL_NAMES:
        assert column(table, name) == [f"{float(row[name]):.4f}" for row in rows], name
    for at, row in enumerate(rows):
        mark = table.locator("tbody tr").nth(at).locator("td", has=page.locator("sup")).first
        if row["nDCG@10 mark"]:
            expect(mark.locator("sup")).to_have_text(row["nDCG@10 mark"])


def test_any_column_sorts_by_the_keyboard(page: Page, table: Locator) -> None:
    before = column(table, "RR")
    head = table.get_by_role("columnheader", name="RR")
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    assert [float(one) for one in column(table, "RR")] == sorted(map(float, before), reverse=True)
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert [float(one) for one in column(table, "RR")] == sorted(map(float, before))
    expect(table.get_by_role("columnheader", name="nDCG@10")).to_have_attribute("aria-sort", "none")


def test_readability_stands_beside_relevance(page: Page, table: Locator, demo_conn: psycopg.Connection) -> None:
    expect(table.get_by_role("columnheader", name="FKGL", exact=False)).to_have_count(0)
    opened(page)
    page.get_by_label("Show readability").check()
    table.get_by_role("columnheader", name="FKGL median").wait_for()
    read = {one.run: one for one in readability(demo_conn, edition="test")}
    for run, value in zip(column(table, "run"), column(table, "citations"), strict=True):
        assert value == f"{read[run].citations:.1f}"


def test_a_query_is_picked_and_both_lists_come(page: Page, table: Locator, demo_conn: psycopg.Connection) -> None:
    page.get_by_label("Run", exact=True).select_option("bm25")
    page.get_by_label("Compare with", exact=True).select_option("boolean")
    scores = page.get_by_role("table", name="bm25 against boolean")
    scores.wait_for()
    expected = demo_conn.execute(
        "SELECT query, difference FROM paired_scores('{bm25}', 'test', 'nDCG@10', 'boolean')"
        ' ORDER BY difference DESC, query COLLATE "C"'
    ).fetchall()
    assert column(scores, "query") == [query for query, _ in expected]
    assert column(scores, "difference") == [f"{difference:+.4f}" for _, difference in expected]
    query = expected[0][0]
    scores.get_by_role("button", name=query, exact=True).press("Enter")
    page.get_by_role("heading", name=f"{query}:").wait_for()
    lists = page.locator("ol.stc-ranked")
    for at, run in enumerate(("bm25", "boolean")):
        documents = [
            (docno, "not judged" if rel is None else f"grade {rel}")
            for docno, rel in demo_conn.execute(
                "SELECT k.docno, e.rel FROM rankings k LEFT JOIN stc.edition_judgments('test') e USING (query, docno)"
                " WHERE k.run = %s AND k.query = %s AND k.rank <= 10 ORDER BY k.rank",
                [run, query],
            )
        ]
        assert (
            list(
                zip(
                    lists.nth(at).locator("code").all_inner_texts(),
                    lists.nth(at).locator(".stc-grade").all_inner_texts(),
                    strict=True,
                )
            )
            == documents
        )
    page.get_by_label("Ranks to show").select_option("20")
    shown = demo_conn.execute("SELECT count(*) FROM rankings WHERE run = 'bm25' AND query = %s AND rank <= 20", [query]).fetchone()
    assert shown is not None
    expect(lists.first.locator("li")).to_have_count(shown[0])


def test_wrong_measures_and_filters_are_sentences(page: Page, table: Locator) -> None:
    opened(page)
    typed = page.get_by_label("More measures")
    typed.fill("nDGC@10")
    typed.press("Tab")
    page.get_by_role("alert").get_by_text("There is no measure nDGC@10").wait_for()
    typed.fill("")
    typed.press("Tab")
    table.wait_for()
    level = page.get_by_label("Level")
    level.fill("7")
    level.press("Tab")
    page.get_by_role("alert").get_by_text("Alpha is 7").wait_for()
    expect(table).to_have_count(0)
    level.fill("0.05")
    level.press("Tab")
    table.wait_for()
    words = page.get_by_label("Rank only runs")
    words.fill("<b>nothing</b>")
    words.press("Tab")
    page.get_by_text("No run name contains <b>nothing</b>").wait_for()
    words.fill("dense")
    words.press("Tab")
    expect(table.locator("tbody tr")).to_have_count(2)


def test_a_typed_set_of_queries_restricts_the_table(page: Page, table: Locator, demo_conn: psycopg.Connection) -> None:
    [(name,)] = demo_conn.execute(
        "SELECT min(q.query) FROM unnest(stc.edition_queries('test')) s (id) JOIN st1_queries q ON q.id = s.id"
    ).fetchall()
    best = board(demo_conn, BoardRequest(edition="test", queries=f"all-{name}")).marked.lines[0]
    opened(page)
    typed = page.get_by_role("textbox", name="Typed query set")
    typed.fill(f"all-{name}")
    typed.press("Tab")
    page.wait_for_url(f"**set=all-{name}**")
    expect(table.locator("tbody tr").first).to_contain_text(best.run)
    expect(table.locator("tbody tr").first).to_contain_text(f"{best.cells[0].value:.4f}")
    typed.fill("topic:D0*-")
    typed.press("Tab")
    page.get_by_role("alert").wait_for()
    typed.fill("@/etc/passwd")
    typed.press("Tab")
    page.get_by_role("alert").get_by_text("Only the command line and Python read files").wait_for()
    typed.fill("")
    typed.press("Tab")
    table.wait_for()


def test_nothing_scrolls_sideways_on_a_phone(page: Page, table: Locator) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page)
    page.get_by_label("Show readability").check()
    table.get_by_role("columnheader", name="FKGL median").wait_for()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_the_figures_have_the_runs(page: Page, table: Locator) -> None:
    runs = column(table, "run")
    page.wait_for_function(
        "count => [...document.querySelectorAll('.stc-figure')].some(one => one.data && one.data[0].y.length === count"
        " && one.data[0].orientation === 'h')",
        arg=len(runs),
    )
    drawn = page.evaluate(
        "() => [...document.querySelectorAll('.stc-figure')].find(one => one.data && one.data[0].orientation === 'h').data[0].y"
    )
    assert drawn == runs


def test_the_words_for_a_shell_and_for_psql_are_what_was_asked(demo: Settings, demo_conn: psycopg.Connection) -> None:
    asked = BoardRequest(edition="test", measures=OFFICIAL, runs=("bm25", "hybrid"), baseline="bm25")
    words = shlex.split(command(asked, style="csv"))
    assert words[:3] == ["stc", "analysis", "leaderboard"]
    rows = {row["run"]: row for row in csv.DictReader(io.StringIO(printed(demo, *words[3:])))}
    [of_means, of_tests] = statements(asked).split("\n")
    for run, measure, value, _ in demo_conn.execute(of_means.encode()):
        assert float(rows[run][measure]) == pytest.approx(value, abs=1e-12)
    assert demo_conn.execute(of_tests.encode()).rowcount == 1
    part = BoardRequest(edition="test", runs=("bm25",), queries="human")
    assert {row[0] for row in demo_conn.execute(statements(part).encode())} == {"bm25"}
    hostile = BoardRequest(edition="it's", runs=("a'; DROP TABLE dblp; --",))
    with pytest.raises(psycopg.Error, match=r"no run|no edition"):
        demo_conn.execute(statements(hostile).split("\n")[0].encode())


def test_a_set_of_queries_has_the_means_of_its_queries(demo_conn: psycopg.Connection) -> None:
    """All queries of the demo are people's: the set is all of them, and its leaderboard the same."""
    all_, human = (board(demo_conn, BoardRequest(edition="train", queries=queries)) for queries in ("all", "human"))
    assert [line.run for line in all_.marked.lines] == [line.run for line in human.marked.lines]
    for line, other in zip(all_.marked.lines, human.marked.lines, strict=True):
        assert [cell.value for cell in line.cells] == pytest.approx([cell.value for cell in other.cells], abs=1e-12)
        assert [cell.mark for cell in line.cells] == [cell.mark for cell in other.cells]
    with pytest.raises(UnknownObject, match="'t5'"):
        board(demo_conn, BoardRequest(edition="train", queries="t5"))


def test_what_there_is_to_choose(demo_conn: psycopg.Connection) -> None:
    found = choices(demo_conn)
    assert found.edition() == "test"
    assert found.sets("test") == ["all"]
    assert found._replace(origins={"test": ["human", "t5", "gpt"]}).sets("test") == ["all", "human", "synthetic", "t5", "gpt"]
    with demo_conn.transaction(force_rollback=True):  # a set that names nothing any more is not offered
        store_set(demo_conn, "some", "topic:D*")
        store_set(demo_conn, "none", "type:long")
        demo_conn.execute("UPDATE stc.query_sets SET expression = 'nothing' WHERE name = 'none'")
        assert choices(demo_conn).sets("test") == ["all", "some"]
        of_set, every = (board(demo_conn, BoardRequest(edition="test", queries=queries)) for queries in ("some", "all"))
        assert of_set.marked == every.marked
        for statement in statements(BoardRequest(edition="test", queries="some", runs=("bm25", "boolean"))).split("\n"):
            assert demo_conn.execute(statement.encode()).fetchall()
    assert runs_of(found.runs, "dense, BM25") == ("bm25", "dense-abstract", "dense-title")
    many = [f"run{at:02}" for at in range(MOST + 1)]
    assert baseline_of(many, (), "") == "run00"
    assert baseline_of(many, tuple(many[:5]), "") is None
    assert draws_of(None) == 10_000
    with pytest.raises(BadArgument, match="at most 100,000 permutations; got 200,000"):
        draws_of(200_000)
    with pytest.raises(BadArgument, match="no measure is selected"):
        measures_of((), " ")


def test_what_two_runs_retrieved(demo_conn: psycopg.Connection) -> None:
    query = query_scores(demo_conn, run="bm25", against="boolean", edition="test", measure=nDCG @ 10)[0].query
    documents = retrieved(demo_conn, runs=("bm25", "boolean"), query=query, edition="test", depth=50)
    for one in documents:
        other = "boolean" if one.run == "bm25" else "bm25"
        row = demo_conn.execute(
            "SELECT rank FROM rankings WHERE run = %s AND query = %s AND doc = %s", [other, query, one.doc]
        ).fetchone()
        assert one.elsewhere == (row[0] if row else None)
    assert None in {one.elsewhere for one in documents}
    for wrong, code in (
        ({"runs": ("bm52",)}, "IR101"),
        ({"edition": "tset"}, "IR102"),
        ({"query": "D99"}, "IR103"),
        ({"depth": 0}, "IR201"),
    ):
        with pytest.raises((UnknownObject, BadArgument)) as error:
            retrieved(demo_conn, **({"runs": ("bm25",), "query": query, "edition": "test", "depth": 10} | wrong))  # type: ignore[arg-type]
        assert error.value.sqlstate == code
        assert error.value.hint


def test_a_run_against_the_mean_of_all(demo_conn: psycopg.Connection) -> None:
    rows = against_all(query_scores(demo_conn, run="bm25", against="bm25", edition="test", measure=nDCG @ 10))
    [mean] = demo_conn.execute(
        "SELECT avg(value) FROM stc.score_grid('{}', 'test', 'nDCG@10') WHERE query = %s", [rows[0].query]
    ).fetchone() or [None]
    assert rows[0].value_against == pytest.approx(mean)
    moves = [row.difference or 0 for row in rows]
    assert moves == sorted(moves, reverse=True)
