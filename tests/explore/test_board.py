"""The leaderboard over HTTP: numbers of the commands and of SQL, groups, pairs, two runs by query, a run, hard queries, files."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterator
from html import unescape
from typing import Any

import httpx
import psycopg
import pytest
from starlette.testclient import TestClient

from stcollection.analysis.board import BoardRequest, board, ranking, standings
from stcollection.analysis.corrected import corrected_scores
from stcollection.analysis.drill import hard_queries, query_scores, retrieved
from stcollection.analysis.run_card import run_card
from stcollection.analysis.significance import compare
from stcollection.analysis.systems import system_scores
from stcollection.analysis.variation import run_variation, topic_variation
from stcollection.analysis.worst import worst_queries
from stcollection.db.connection import conninfo
from stcollection.db.members import add_member
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import AP, OFFICIAL, Judged, nDCG
from stcollection.evaluation.readability import readability
from stcollection.evaluation.score import leaderboard
from stcollection.explore.board.marks import digits
from stcollection.explore.board.pair import against_all
from stcollection.explore.board.request import choices, command, statements
from stcollection.site.app import make_app
from stcollection.topics.sets import store_set
from stcollection.web.desk import Desk
from tests.acceptance.conftest import runner
from tests.qrels.pooled import judged, put_documents, put_queries

pytestmark = pytest.mark.slow

NAMES = [str(measure) for measure in OFFICIAL]
FORM = ["--edition", "test", *(part for name in NAMES for part in ("-m", name))]


@pytest.fixture(scope="module")
def http(explorer: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=explorer, timeout=60) as client:
        yield client


def opened(http: httpx.Client, place: str, *, code: int = 200) -> str:
    answer = http.get(f"/leaderboard{place}")
    assert answer.status_code == code, answer.text[:2000]
    return answer.text


def record(http: httpx.Client, place: str) -> Any:
    answer = http.get(f"/leaderboard{place}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def rows(html: str, kind: str = "board") -> list[list[str]]:
    """The texts of the cells of a table, without those that only screen readers have."""
    [table] = re.findall(rf'<table class="{kind}[" ].*?</table>', html, re.DOTALL)
    shown = re.sub(r'<(span|caption) class="hidden">.*?</\1>|<sup.*?</sup>|<title>.*?</title>', "", table, flags=re.DOTALL)
    return [
        [text(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr.*?</tr>", shown, re.DOTALL)
    ]


def text(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html.replace("<wbr>", ""))).split())


def printed(demo: Settings, *arguments: str) -> str:
    done = runner(demo)("score", "--significance", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_table_has_the_numbers_of_the_command_with_the_digits_that_intervals_justify(
    http: httpx.Client, demo: Settings, demo_conn: psycopg.Connection
) -> None:
    expected = list(csv.DictReader(io.StringIO(printed(demo, *FORM, "--format", "csv"))))
    head, *lines = rows(opened(http, "?edition=test"))
    assert head == ["rank", "run", "nDCG@10", "95% interval", "group", "rank interval", *NAMES[1:]]
    scores = {score.run: score for score in system_scores(demo_conn, edition="test", measure=nDCG @ 10)}
    for line, row in zip(lines, expected, strict=True):
        score = scores[row["run"]]
        assert line[1].split()[0] == row["run"]
        assert [line[2], *line[6:]] == [f"{float(row[name]):.2f}" for name in NAMES]
        assert line[3] == f"{score.low:.2f}–{score.high:.2f}"
    assert [line[0] for line in lines] == ["1", "2", "3", "4", "5"]


def test_its_record_has_all_digits_and_the_groups_of_the_marked_leaderboard(
    http: httpx.Client, demo_conn: psycopg.Connection
) -> None:
    made = record(http, ".json?edition=train&by=AP")
    request = BoardRequest(edition="train")
    expected = ranking(demo_conn, board(demo_conn, request), AP)
    assert [row["run"] for row in made["runs"]] == [line.run for line in expected.runs]
    assert made["measure"] == "AP"
    assert made["queries"] == 16
    for row, line in zip(made["runs"], expected.runs, strict=True):
        assert list(row["means"].values()) == [cell.value for cell in line.cells]
        assert row["group"] == expected.groups[line.run]
        assert row["rank"] == expected.ranks[line.run]
        assert (row["rank_low"], row["rank_high"]) == expected.spans[line.run]
    assert made["simulated"] == "Simulated: judgments of the edition train."


def test_a_baseline_marks_runs_as_the_command_does(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    request = BoardRequest(edition="train", baseline="bm25")
    marked = board(demo_conn, request)
    made = standings(demo_conn, request, nDCG @ 10)
    signs = {
        (line.run, name): cell.mark
        for line in marked.marked.lines
        for name, cell in zip(NAMES, line.cells, strict=True)
        if cell.mark
    }
    assert signs
    assert made.marks == signs
    expected = ranking(demo_conn, marked, nDCG @ 10)
    assert made.groups == expected.groups
    assert made.spans == {}
    html = opened(http, "?edition=train&baseline=bm25")
    assert html.count('<sup aria-hidden="true">') == len(signs)
    assert "† better, ‡ worse than bm25." in unescape(html)
    only = standings(demo_conn, BoardRequest(edition="train", runs=("hybrid",), baseline="bm25"), nDCG @ 10)
    assert set(only.means) == {"hybrid", "bm25"}


def test_a_column_heading_ranks_or_sorts_and_a_second_click_turns_the_order(http: httpx.Client) -> None:
    html = opened(http, "?edition=test")
    [by_recall] = [unescape(href) for href in re.findall(r'<th [^>]*><a href="([^"]*)">RR</a>', html)]
    html = http.get(by_recall).text
    _, *lines = rows(html)
    values = [float(line[2]) for line in lines]
    assert values == sorted(values, reverse=True)
    assert 'aria-sort="descending"' in html
    [turned] = [unescape(href) for href in re.findall(r'<th [^>]*><a href="([^"]*)">RR</a>', html)]
    _, *lines = rows(http.get(turned).text)
    assert [float(line[2]) for line in lines] == values[::-1]
    _, *lines = rows(opened(http, "?edition=test&sort=run&order=up"))
    names = [line[1].split()[0] for line in lines]
    assert names == sorted(names)
    assert "The table has no column &#39;zz&#39; to sort by" in opened(http, "?edition=test&sort=zz", code=400)


def test_the_filter_and_the_choice_of_runs(http: httpx.Client) -> None:
    html = opened(http, "?edition=test&filter=DENSE+title")
    assert [line[1].split()[0] for line in rows(html)[1:]] == ["dense-title"]
    assert "Runs shown: 1 of 5" in html
    assert len(rows(opened(http, "?edition=test&family=dense"))) == 3
    assert "No run matches the filter" in opened(http, "?edition=test&filter=zzz")
    only = record(http, ".json?edition=test&runs=dense")
    assert sorted(row["run"] for row in only["runs"]) == ["dense-abstract", "dense-title"]
    assert "No run name contains zzz" in opened(http, "?edition=test&runs=zzz", code=400)


def test_readability_and_other_measures_are_columns(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    head, *lines = rows(opened(http, "?edition=test&readable=yes&measures=AP,RBP(p=0.8)"))
    assert head[2] == "AP"
    assert "RBP(p=0.8)" in head
    read = {row.run: row for row in readability(demo_conn, edition="test")}
    for line in lines:
        assert line[head.index("citations")] == f"{read[line[1].split()[0]].citations:.1f}"
    head, *lines = rows(opened(http, "?edition=test&measures=num_rel_ret&by=num_rel_ret"))
    assert "95% interval" not in head
    [value] = {row["means"]["num_rel_ret"] for row in record(http, ".json?edition=test&measures=num_rel_ret")["runs"][:1]}
    assert lines[0][2] in (f"{value:.3f}", f"{value:,.0f}")


def test_an_unknown_name_is_refused_and_never_replaced(http: httpx.Client) -> None:
    for place, said in (
        ("?edition=nope", "no edition 'nope'"),
        ("?edition=test&baseline=nope", "no run 'nope'"),
        ("?edition=test&set=nope", "'nope'"),
        ("?edition=test&set=@/etc/passwd", "@/etc/passwd"),
        ("?edition=test&by=nDGC@10", "nDGC@10"),
        ("/compare?edition=nope", "no edition 'nope'"),
        ("/compare?edition=test&pair=nope", "no run 'nope'"),
        ("/compare?edition=test&pair=bm25&against=hybrid&on=nope", "no judged query 'nope'"),
        ("/run?edition=test&run=nope", "no run 'nope'"),
        ("/pairs?edition=nope", "no edition 'nope'"),
        ("/hard?edition=nope", "no edition 'nope'"),
        ("/figures?edition=test&document=nope", "no document measure 'nope'"),
    ):
        html = opened(http, place, code=404)
        assert 'role="alert"' in html
        assert said in unescape(html), place
        assert 'name="edition"' in html, "the form shows what to correct"
        assert "<table" not in html
        path, _, query = place.partition("?")
        wrong = http.get(f"/leaderboard{path}.json?{query}")
        assert (wrong.status_code, said in wrong.json()["error"]["message"]) == (404, True), place
    for place in ("?alpha=7", "?test=z", "?draws=1000000", "/compare?pair=bm25&against=bm25", "/hard?below=x"):
        assert 'role="alert"' in opened(http, place, code=400), place


def test_a_set_of_queries_restricts_all(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    [(name,)] = demo_conn.execute(
        "SELECT min(q.query) FROM unnest(stc.edition_queries('test')) s (id) JOIN st1_queries q ON q.id = s.id"
    ).fetchall()
    best = board(demo_conn, BoardRequest(edition="test", queries=f"all-{name}")).marked.lines[0]
    made = record(http, f".json?edition=test&set=all-{name}")
    assert (made["runs"][0]["run"], made["runs"][0]["means"]["nDCG@10"]) == (best.run, best.cells[0].value)
    assert made["queries"] == 7
    assert name not in {row["query"] for row in record(http, f"/compare.json?edition=test&set=all-{name}")["queries"]}


def test_the_files_are_what_the_command_prints(http: httpx.Client, demo: Settings) -> None:
    assert http.get("/leaderboard.csv?edition=test").text == printed(demo, *FORM, "--format", "csv")
    latex = http.get("/leaderboard.tex?edition=test&baseline=bm25")
    assert latex.text == printed(demo, *FORM, "--baseline", "bm25", "--format", "latex")
    assert r"\dagger" in latex.text
    assert latex.headers["content-disposition"] == 'attachment; filename="leaderboard.tex"'


def test_all_pairs_are_those_of_compare(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    tests = compare(demo_conn, edition="train", measures=[nDCG @ 10])
    made = record(http, "/pairs.json?edition=train")["pairs"]
    assert [(pair["run"], pair["against"], pair["p"]) for pair in made] == [(pair.run, pair.against, pair.p) for pair in tests]
    html = opened(http, "/pairs?edition=train")
    significant = sum(pair.corrected < 0.05 for pair in tests)
    assert 0 < significant < len(tests)
    assert f"{significant} of {len(tests)} pairs differ significantly" in html
    assert (html.count("▲</span>"), html.count("▼</span>")) == (significant, significant)
    matrix = rows(html)
    order = matrix[0][1:]
    places = digits(pair.high - pair.low for pair in tests)
    for pair in tests:
        cell = matrix[1 + order.index(pair.run)][1 + order.index(pair.against)]
        assert cell.removeprefix("▲").strip() == f"{pair.difference:+.{places}f}"
    head, *lines = rows(opened(http, "/pairs?edition=train&baseline=bm25"))
    assert len(lines) == 4
    assert head[0] == "run"
    file = list(csv.DictReader(io.StringIO(http.get("/leaderboard/pairs.csv?edition=train").text)))
    assert [float(row["corrected"]) for row in file] == [pair.corrected for pair in tests]


def test_two_runs_by_query_down_to_the_documents(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    scores = query_scores(demo_conn, run="bm25", against="boolean", edition="test", measure=nDCG @ 10)
    place = "/compare?edition=test&pair=bm25&against=boolean"
    html = opened(http, place)
    _, *lines = rows(html)
    assert [line[0] for line in lines] == [score.query for score in scores]
    assert [line[4] for line in lines] == [f"{score.difference:+.3f}" for score in scores]
    counts = [int(count) for count in re.findall(r'class="board-count"[^>]*>(\d+)<', html)]
    assert sum(counts) == len(scores), "each query is in one bar"
    won = sum((score.difference or 0) > 0 for score in scores)
    assert f"<strong>{won}</strong> wins of bm25" in html
    [tested] = compare(demo_conn, ["bm25", "boolean"], edition="test", measures=[nDCG @ 10])
    comparison = record(http, "/compare.json?edition=test&pair=bm25&against=boolean")["comparison"]
    assert comparison["difference"] == pytest.approx(tested.difference if tested.run == "bm25" else -tested.difference)
    assert comparison["p"] == pytest.approx(tested.p)

    # A bar lists its queries.
    bar = next(unescape(href) for href in re.findall(r'<a href="([^"]*low=[^"]*)" class="board-bin', html))
    shown = re.search(r"low=([^&]*)&high=([^&]*)", bar)
    assert shown is not None
    low, high = float(shown[1]), float(shown[2])
    zoomed = http.get(bar).text
    assert {line[0] for line in rows(zoomed)[1:]} == {score.query for score in scores if low <= (score.difference or 0) < high}
    assert "board-chosen" in zoomed

    # A query shows both rankings.
    query = scores[0].query
    documents = retrieved(demo_conn, runs=("bm25", "boolean"), query=query, edition="test", depth=20)
    html = opened(http, f"{place}&on={query}&depth=20")
    assert re.findall(r'<li value="(\d+)"', html) == [str(row.rank) for row in documents]
    assert re.findall(r"<code>([^<]*)</code></li>", html) == [row.docno for row in documents]
    grades = re.findall(r'stc-badge[^"]*">([^<]*)<', html)
    assert grades == ["not judged" if row.rel is None else f"grade {row.rel}" for row in documents]
    alone = [row for row in documents if row.elsewhere is None or row.elsewhere > 20]
    assert html.count('class="board-only"') == len(alone)
    file = list(csv.DictReader(io.StringIO(http.get(f"/leaderboard{place.replace('?', '.csv?')}").text)))
    assert [float(row["difference"]) for row in file] == [score.difference for score in scores]


def test_a_run_against_the_mean_of_all(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    expected = against_all(query_scores(demo_conn, run="bm25", against="bm25", edition="test", measure=nDCG @ 10))
    made = record(http, "/compare.json?edition=test&pair=bm25")
    assert made["against"] is None
    assert [(row["query"], row["difference"]) for row in made["queries"]] == [(row.query, row.difference) for row in expected]
    [(mean,)] = demo_conn.execute(
        "SELECT avg(value) FROM stc.score_grid('{}', 'test', 'nDCG@10') WHERE query = %s", [expected[0].query]
    ).fetchall()
    assert expected[0].value_against == pytest.approx(mean)
    best = record(http, "/compare.json?edition=test")
    ranked = [row.run for row in leaderboard(demo_conn, edition="test", measures=[nDCG @ 10])]
    assert [best["run"], best["against"]] == ranked[:2]


def test_the_page_of_a_run(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    html = opened(http, "/run?edition=test&run=hybrid")
    shown = text(html)
    assert "depth=1000" in shown
    for edition in ("test", "train"):
        [mean] = leaderboard(demo_conn, edition=edition, measures=[nDCG @ 10], runs=["hybrid"])
        [share] = leaderboard(demo_conn, edition=edition, measures=[Judged @ 10], runs=["hybrid"])
        assert re.search(rf"{edition} \d+ {mean.values[0]:.3f} .* {1 - share.values[0]:.0%}", shown)
    worst = worst_queries(demo_conn, "hybrid", edition="test", measure=nDCG @ 10)
    made = record(http, "/run.json?edition=test&run=hybrid")
    assert [(row["query"], row["value"], row["missed"]) for row in made["worst"]] == [
        (row.query, row.value, row.missed) for row in worst
    ]
    assert worst[0].text is not None
    assert worst[0].text in unescape(html)
    assert "/search?q=" in html
    assert http.get("/leaderboard?run=hybrid&edition=test").url.path == "/leaderboard", "httpx follows no redirect"
    assert http.get("/leaderboard?run=hybrid&edition=test").headers["location"].startswith("/leaderboard/run?")


def test_queries_on_which_all_runs_fail(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    assert "at least one run has nDCG@10 of 0.1 or more" in opened(http, "/hard?edition=test")
    failed = hard_queries(demo_conn, edition="test", below=0.8)
    values = demo_conn.execute(
        "SELECT query, max(value) FROM stc.score_grid('{}', 'test', 'nDCG@10') GROUP BY query HAVING max(value) < .8"
    ).fetchall()
    assert {(row.query, row.best) for row in failed} == set(values)
    made = record(http, "/hard.json?edition=test&below=0.8")
    assert [(row["query"], row["best"]) for row in made["queries"]] == [(row.query, row.best) for row in failed]
    assert len(rows(opened(http, "/hard?edition=test&below=0.8"), "board-queries")) == 1 + len(failed) > 1


def test_scores_by_labels_are_corrected_with_judgments_of_people(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    place = "corrected?edition=train&people=train&by=AP&baseline=bm25&alpha=0.1"
    html, made = opened(http, f"/{place}"), record(http, f"/{place.replace('?', '.json?')}")
    scores = corrected_scores(demo_conn, labels="train", people="train", measure=AP, alpha=0.1)
    others = corrected_scores(demo_conn, labels="train", people="train", measure=AP, alpha=0.1, baseline="bm25")
    assert made["runs"] == [score._asdict() for score in scores]
    assert made["differences"] == [score._asdict() for score in others]
    head, *lines = rows(html)
    assert head[:4] == ["run", "corrected", "90% interval", "difference from bm25"]
    assert [line[0] for line in lines] == [score.run for score in scores]
    by_run = {line[0]: line for line in lines}
    assert by_run["bm25"][3] == "–"
    assert [by_run[score.run][3].split()[0] for score in others] == [f"{score.corrected:+.2f}" for score in others]
    assert [line[-1] for line in lines] == [f"{score.worth:.0f}" for score in scores]
    assert "16 queries with labels, 16 of them judged by people." in html
    assert "nothing is left to correct" in html
    assert "stc score --labels train --correct-with train -m AP --baseline bm25 --alpha 0.1" in unescape(html)
    [statement] = re.findall(r"SELECT \* FROM stc.corrected_scores.*;", unescape(html))
    assert demo_conn.execute(statement).fetchall() == [tuple(score) for score in others]
    assert "Choose the edition with judgments by people" in opened(http, "/corrected?edition=train")


@pytest.mark.parametrize(
    ("place", "code", "message"),
    [
        ("people=test", 409, "is judged by 'test' but not by 'train'"),
        ("people=train&set=D01.1", 409, "'train' judges 1 query"),
        ("people=nothing", 404, "'nothing'"),
        ("people=train&baseline=nothing", 404, "'nothing'"),
    ],
)
def test_labels_that_cannot_be_corrected_are_explained(http: httpx.Client, place: str, code: int, message: str) -> None:
    assert message in unescape(opened(http, f"/corrected?edition=train&{place}", code=code))


def test_runs_and_topics_by_variation(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    place = "variation?edition=train&by=AP&baseline=bm25&run=hybrid"
    html, made = opened(http, f"/{place}"), record(http, f"/{place.replace('?', '.json?')}")
    runs = run_variation(demo_conn, "train", measure="AP", baseline="bm25")
    topics = topic_variation(demo_conn, "train", measure="AP", runs="hybrid")
    assert made["runs"] == [run._asdict() for run in runs]
    assert made["topics"] == [row._asdict() for row in sorted(topics, key=lambda row: -row.variance)]
    first, second = ([line[0] for line in rows(part)[1:]] for part in html.split('id="topics"'))
    assert first == [run.run for run in runs]
    assert second == [row["topic"] for row in made["topics"]]
    assert f"{runs[0].robustness:.2f}" in html
    assert "there is no run &#39;nothing&#39;" in opened(http, "/variation?edition=train&run=nothing", code=404).lower()


def test_figures_are_svg_with_their_numbers_as_csv(http: httpx.Client, demo_conn: psycopg.Connection) -> None:
    html = opened(http, "/figures?edition=test")
    assert html.count('class="board-drawing"') == 2
    scores = system_scores(demo_conn, edition="test", measure=nDCG @ 10)
    file = list(csv.DictReader(io.StringIO(http.get("/leaderboard/means.csv?edition=test").text)))
    assert [(row["run"], float(row["mean"]), float(row["low"])) for row in file] == [
        (score.run, score.mean, score.low) for score in scores
    ]
    for name in ("means", "reading", "histogram"):
        answer = http.get(f"/leaderboard/{name}.svg?edition=test")
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.text.strip().startswith("<svg xmlns=")
        assert " href=" not in answer.text, "a file has no links"
    assert "dense-abstract" in http.get("/leaderboard/means.svg?edition=test").text
    assert len(list(csv.reader(io.StringIO(http.get("/leaderboard/reading.csv?edition=test").text)))) == 6


def test_pages_need_no_inline_style_and_are_small(http: httpx.Client) -> None:
    for place in (
        "",
        "/pairs",
        "/compare?pair=bm25&against=hybrid&on=D01.1&edition=train",
        "/run?run=bm25",
        "/hard?below=1",
        "/figures",
    ):
        html = opened(http, place)
        assert not re.search(r"\sstyle=|\son\w+=|<script>", html), place
        assert len(html) < 50_000, place


def test_the_note_is_that_of_the_edition(http: httpx.Client) -> None:
    """Real judgments must not be labelled by what another edition has."""
    for place in ("?edition=test", "/pairs?edition=test", "/compare?edition=test", "/hard?edition=test", "/figures?edition=test"):
        html = opened(http, place)
        assert re.findall(r'<p role="note">([^<]*)', html) == ["Simulated: judgments of the edition test."], place
    assert 'role="note"' not in opened(http, "?edition=nope", code=404)


def test_a_collection_without_judgments_or_runs_says_how_to_begin(settings: Settings, conn: psycopg.Connection) -> None:
    with TestClient(make_app(Desk(conninfo(settings)), title="new"), base_url="http://127.0.0.1:8766") as client:
        for page in ("", "/pairs", "/compare", "/hard", "/figures"):
            assert "<code>stc load --as qrels</code>" in client.get(f"/leaderboard{page}").text, page
        put_documents(conn, {"d1": ("A title", None)})
        put_queries(conn, {"q1": "a query"})
        judged(conn, "first", {("q1", "d1"): 1})
        answer = client.get("/leaderboard?edition=first")
        assert answer.status_code == 409
        assert "No runs are stored." in answer.text
        assert "first, 1 query" in answer.text, "a new edition is offered at once"


def test_the_words_for_a_shell_and_for_psql_are_what_was_asked(demo: Settings, demo_conn: psycopg.Connection) -> None:
    asked = BoardRequest(edition="test", measures=OFFICIAL, runs=("bm25", "hybrid"), baseline="bm25")
    words = shlex.split(command(asked, style="csv"))
    assert words[:3] == ["stc", "score", "--significance"]
    lines = {row["run"]: row for row in csv.DictReader(io.StringIO(printed(demo, *words[3:])))}
    [of_means, of_tests] = statements(asked).split("\n")
    for run, measure, value, _ in demo_conn.execute(of_means.encode()):
        assert float(lines[run][measure]) == pytest.approx(value, abs=1e-12)
    assert demo_conn.execute(of_tests.encode()).rowcount == 1
    part = BoardRequest(edition="test", runs=("bm25",), queries="human")
    assert {row[0] for row in demo_conn.execute(statements(part).encode())} == {"bm25"}
    hostile = BoardRequest(edition="it's", runs=("a'; DROP TABLE dblp; --",))
    with pytest.raises(psycopg.Error, match=r"no run|no edition"):
        demo_conn.execute(statements(hostile).split("\n")[0].encode())


def test_a_set_of_queries_has_the_means_of_its_queries(demo_conn: psycopg.Connection) -> None:
    """All queries of the demo are people's: the set is all of them, and its leaderboard the same."""
    every, human = (standings(demo_conn, BoardRequest(edition="train", queries=queries), AP) for queries in ("all", "human"))
    assert list(every.means) == list(human.means)
    for run, values in every.means.items():
        assert human.means[run] == pytest.approx(values, abs=1e-12)
    assert every.groups == human.groups
    with pytest.raises(UnknownObject, match="'t5'"):
        standings(demo_conn, BoardRequest(edition="train", queries="t5"), AP)


def test_stored_sets_with_judged_queries_are_offered(demo_conn: psycopg.Connection) -> None:
    with demo_conn.transaction(force_rollback=True):  # a set that names nothing any more is not offered
        store_set(demo_conn, "some", "topic:D*")
        store_set(demo_conn, "none", "type:long")
        demo_conn.execute("UPDATE stc.query_sets SET expression = 'nothing' WHERE name = 'none'")
        assert choices(demo_conn).sets("test") == ["all", "some"]
        for statement in statements(BoardRequest(edition="test", queries="some", runs=("bm25", "boolean"))).split("\n"):
            assert demo_conn.execute(statement.encode()).fetchall()


def test_what_two_runs_retrieved(demo_conn: psycopg.Connection) -> None:
    query = query_scores(demo_conn, run="bm25", against="boolean", edition="test", measure=nDCG @ 10)[0].query
    documents = retrieved(demo_conn, runs=("bm25", "boolean"), query=query, edition="test", depth=50)
    for row in documents:
        other = "boolean" if row.run == "bm25" else "bm25"
        rank = demo_conn.execute(
            "SELECT rank FROM rankings WHERE run = %s AND query = %s AND doc = %s", [other, query, row.doc]
        ).fetchone()
        assert row.elsewhere == (rank[0] if rank else None)
    assert None in {row.elsewhere for row in documents}
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


def test_a_card_has_the_visible_editions_only(demo_conn: psycopg.Connection) -> None:
    found = run_card(demo_conn, "bm25", measures=[AP, Judged @ 10])
    assert [scores.edition for scores in found.scores] == ["test", "train"]
    assert found.receipts == []
    with demo_conn.transaction(force_rollback=True):
        add_member(demo_conn, "card_reader", kind="reader", password="x")  # noqa: S106
        demo_conn.execute("SET LOCAL ROLE card_reader")
        hidden = run_card(demo_conn, "bm25")
        assert [scores.edition for scores in hidden.scores] == ["train"]
        assert hidden.receipts is None
    with pytest.raises(UnknownObject, match="no run 'bm52'"):
        run_card(demo_conn, "bm52")
