"""Figures draw the computed values, with reproducible bytes; no text leaves the figure or overlaps another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result
from IPython.core.formatters import DisplayFormatter
from matplotlib import rc_context
from matplotlib.colors import to_hex
from scipy import stats

from stcollection import figures
from stcollection.analysis.impact import impact
from stcollection.analysis.intervals import Interval
from stcollection.analysis.judgments import grade_counts
from stcollection.analysis.labels import labels
from stcollection.analysis.systems import ranking_changes, system_scores
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.evaluation.measures import AP, RR, P, nDCG
from stcollection.evaluation.score import leaderboard, score
from stcollection.plots import canvas
from stcollection.plots.canvas import BLUE, GREY, VERMILION, Figure, write
from stcollection.plots.table import table_of
from stcollection.qrels.load import import_qrels
from stcollection.qrels.pools import PoolRules, depths, make_pool
from stcollection.runs.load import import_runs
from tests import databases
from tests.groups import plot
from tests.plots.look import check_texts, part, parts, title

pytestmark = pytest.mark.slow

QUERIES = [f"q{number}" for number in range(1, 6)]
LONG = "a-run-with-all-of-its-parameters-in-its-name-k1=1.2-b=0.75-rm3-10-20-0.5-reranked-by-monoT5-base"
RUNS: dict[str, Callable[[int], str]] = {
    "x": lambda at: "d1 d2 d3 d4"[: 3 + 3 * (at % 4)],
    "y": lambda at: "d9 d1 d8 d2" if at % 2 else "d1 d3 d2",
    "z": lambda at: "d9 d8 d7 d1",
    "z-again": lambda at: "d9 d8 d7 d1",
    f"{LONG}-1": lambda at: "d3 d1 d9",
    f"{LONG}-2": lambda at: "d2 d9 d1",
    "pays_$5_or_$6&<more>": lambda at: "d4 d3 d2 d1",
}

GRADES: dict[str, Callable[[int, int], int]] = {"a": lambda at, doc: (doc + at) % 3, "b": lambda at, doc: (doc * 7 + at) % 4 - 1}


def _store(conn: psycopg.Connection, folder: Path, name: str, run: Mapping[str, str]) -> None:
    path = folder / f"{name}.run"
    path.write_text(
        "".join(f"{query} Q0 {doc} {rank} {-rank} t\n" for query, docs in run.items() for rank, doc in enumerate(docs.split(), 1))
    )
    list(import_runs(conn, [path]))


@databases.world
def world(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    """Store two editions and seven runs, two of them equal, and an edition that judges another query."""
    for edition, grade in GRADES.items():
        (tmp_path / "qrels").write_text(
            "".join(f"{query} 0 d{doc} {grade(at, doc)}\n" for at, query in enumerate(QUERIES) for doc in range(1, 8))
        )
        import_qrels(conn, tmp_path / "qrels", edition=edition)
    (tmp_path / "qrels").write_text("other 0 d1 1\n")
    import_qrels(conn, tmp_path / "qrels", edition="decoy")
    for name, docs in RUNS.items():
        _store(conn, tmp_path, name, {query: docs(at) for at, query in enumerate(QUERIES)})
    return conn


def test_systems_equal_the_leaderboard_with_student_intervals(world: psycopg.Connection) -> None:
    figure = figures.systems(world, edition="a", measure=P @ 2, queries=True)
    standings = leaderboard(world, edition="a", measures=[P @ 2])
    [axes] = figure.axes
    means = part(figure, "means")
    assert list(means.get_xdata()) == pytest.approx([one.values[0] for one in standings])
    assert list(means.get_ydata()) == list(range(len(RUNS)))
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the best is on top
    drawn = [label.get_text() for label in axes.get_yticklabels()]
    assert [name.split("…")[0] for name in drawn] == [
        one.run[: len(name.split("…")[0])] for one, name in zip(standings, drawn, strict=True)
    ]
    assert len(set(drawn)) == len(RUNS)
    values: dict[str, list[float]] = {}
    for one in score(world, runs=[], edition="a", measures=[P @ 2]):
        values.setdefault(one.run, []).append(one.value)
    for place, ((left, right), standing) in enumerate(
        zip((path.vertices[:, 0] for path in part(figure, "intervals").get_paths()), standings, strict=True)
    ):
        of_run = values[standing.run]
        assert list(part(figure, f"queries-{place}").get_xdata()) == pytest.approx(of_run)
        spread = stats.sem(of_run)
        expected = stats.t.interval(0.95, len(of_run) - 1, np.mean(of_run), spread) if spread else (np.mean(of_run),) * 2
        assert (left, right) == pytest.approx(expected)
    assert "over 5" in title(figures.systems(world, edition="a"))


def test_the_bootstrap_interval_differs(world: psycopg.Connection) -> None:
    found = system_scores(world, edition="a", interval=Interval("bootstrap", resamples=2000), runs=["x", "z"])
    student = system_scores(world, edition="a", runs=["x", "z"])
    assert [one.mean for one in found] == [one.mean for one in student]
    assert [one.low for one in found] != [one.low for one in student]
    assert all(one.low <= one.mean <= one.high for one in found)


def test_a_run_without_values_is_last_and_noted(world: psycopg.Connection, tmp_path: Path) -> None:
    _store(world, tmp_path, "away", {"other": "d1"})
    _store(world, tmp_path, "once", {"q2": "d1 d2"})
    figure = figures.systems(world, edition="a", missing="drop")
    means = list(part(figure, "means").get_xdata())
    assert np.isnan(means[-1])
    assert not np.isnan(means[:-1]).any()
    assert [text.get_text() for text in figure.axes[0].texts] == ["no value"]
    assert "over 0 to 5 queries" in title(figure)
    [once] = system_scores(world, edition="a", missing="drop", runs=["once"])
    assert np.isnan([once.low, once.high]).all()
    assert "without an interval, over 1 query" in title(figures.systems(world, edition="a", missing="drop", runs=["once"]))


def test_differences_equal_the_scores(world: psycopg.Connection) -> None:
    figure = figures.differences(world, "x", "y", edition="a", measure=P @ 2)
    values = {(one.run, one.query): one.value for one in score(world, runs=["x", "y"], edition="a", measures=[P @ 2])}
    moves = {query: values["x", query] - values["y", query] for query in QUERIES}
    order = sorted(QUERIES, key=lambda query: (-moves[query], query))
    [axes] = figure.axes
    assert [bar.get_height() for bar in axes.containers[0]] == pytest.approx([moves[query] for query in order])
    assert [label.get_text() for label in axes.get_xticklabels()] == order
    won, tied, lost = (sum(np.sign(move) == sign for move in moves.values()) for sign in (1, 0, -1))
    assert min(won + lost, tied) > 0
    assert f"{won} won, {tied} tied, {lost} lost" in title(figure)
    assert part(figure, "mean").get_ydata()[0] == pytest.approx(np.mean(list(moves.values())))
    colours = [to_hex(bar.get_facecolor()).upper() for bar in axes.containers[0]]
    assert colours == [BLUE if moves[query] > 0 else VERMILION if moves[query] < 0 else GREY for query in order]
    assert len(part(figure, "ties").get_xdata()) == tied


def test_slopes_between_editions_equal_the_impact(world: psycopg.Connection) -> None:
    figure = figures.slopes(world, edition="a", against="b", measures=[P @ 2])
    done = impact(world, "a", "b", measure=P @ 2)
    assert done.kendall_tau is not None
    assert done.tau_ap is not None
    assert f"tau {canvas.number(done.kendall_tau)}, tau_ap {canvas.number(done.tau_ap)}" in title(figure)
    found = ranking_changes(world, edition="a", against="b", measures=[P @ 2]).runs
    moved = {one.run: one for one in done.runs}
    for at, one in enumerate(found):
        line = part(figure, f"run-{at}")
        assert (one.left, one.right) == (moved[one.run].value_a, moved[one.run].value_b)
        shift = moved[one.run].rank_a - moved[one.run].rank_b
        assert line.get_color() == (BLUE if shift > 0 else VERMILION if shift < 0 else GREY)
        assert line.get_ydata()[0] == at
    by_place = sorted(found, key=lambda one: int(part(figure, f"run-{found.index(one)}").get_ydata()[1]))
    assert [one.right for one in by_place] == sorted((one.right for one in found), reverse=True)
    assert {int(part(figure, f"run-{at}").get_ydata()[1]) for at in range(len(found))} == set(range(len(RUNS)))


def test_slopes_between_measures_equal_scipy_and_ties_do_not_cross(world: psycopg.Connection) -> None:
    changes = ranking_changes(world, edition="a", measures=[nDCG @ 10, AP])
    found, tau, tau_ap = changes.runs, changes.kendall_tau, changes.tau_ap
    assert tau == pytest.approx(stats.kendalltau([one.left for one in found], [one.right for one in found]).statistic)
    assert tau_ap is not None
    means = {one.run: one.values for one in leaderboard(world, edition="a", measures=[nDCG @ 10, AP])}
    assert all((one.left, one.right) == pytest.approx(means[one.run]) for one in found)
    figure = figures.slopes(world, edition="a", measures=[nDCG @ 10, AP])
    alike = [part(figure, f"run-{at}").get_ydata() for at, one in enumerate(found) if one.run.startswith("z")]
    assert len(alike) == 2
    assert np.sign(alike[0][0] - alike[1][0]) == np.sign(alike[0][1] - alike[1][1])


def test_slopes_need_two_rankings(world: psycopg.Connection) -> None:
    wrong: list[dict[str, Any]] = [{}, {"against": "b", "measures": [AP, RR]}, {"against": "a"}]
    for options in wrong:
        with pytest.raises(BadArgument) as error:
            figures.slopes(world, edition="a", **options)
        assert "--against" in (error.value.hint or "")
    with pytest.raises(BadArgument, match="3 measures in one figure"):
        figures.slopes(world, edition="a", measures=[AP, RR, P @ 5])
    with pytest.raises(StateError, match="no run has a score on a query that both"):
        figures.slopes(world, edition="a", against="decoy")
    assert len(parts(figures.slopes(world, edition="a", against="decoy", every=True), "run-")) == len(RUNS)


def test_depth_equals_the_pool(world: psycopg.Connection) -> None:
    make_pool(world, "pool", rules=PoolRules(depth=4))
    figure = figures.depth(world, "pool", edition="a", relevant=2)
    found = depths(world, "pool", edition="a", relevant=2)
    assert [int(value) for value in part(figure, "documents").get_ydata()] == [one.documents for one in found]
    assert [int(value) for value in part(figure, "judged").get_ydata()] == [one.judged for one in found]
    assert [int(value) for value in part(figure, "relevant").get_ydata()] == [one.found for one in found]
    added = [int(bar.get_height()) for bar in figure.axes[1].containers[0]]
    assert list(np.cumsum(added)) == [one.found for one in found]
    assert found[-1].found > found[0].found
    with pytest.raises(UnknownObject, match="no pool 'pol'"):
        figures.depth(world, "pol")


def test_grades_equal_the_shares_of_the_edition(world: psycopg.Connection) -> None:
    world.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel, origin)"
        " SELECT e.id, q.id, d.id, 3, 'llm' FROM qrels_editions e, st1_queries q, dblp d"
        " WHERE e.edition = 'b' AND q.query IN ('q1', 'q2') AND d.docno = 'd9'"
    )
    found = grade_counts(world, ["b", "a"])
    assert [(one.edition, one.origin) for one in found] == [("b", "human"), ("b", "llm"), ("a", "")]
    assert found[1].counts == {3: 2}
    grades = [GRADES["b"](at, doc) for at in range(len(QUERIES)) for doc in range(1, 8)]
    assert found[0].counts == {grade: grades.count(grade) for grade in set(grades)}
    figure = figures.grades(world, "b", "a")
    for row, one in enumerate(found):
        for grade, count in one.counts.items():
            assert part(figure, f"row-{row}-grade-{grade}").get_width() == pytest.approx(count / one.total)
    counted = figures.grades(world, "b", "a", counts=True)
    assert part(counted, "row-1-grade-3").get_width() == pytest.approx(2 / 35)
    assert [one.edition for one in grade_counts(world)] == ["a", "b", "b", "decoy"]


def test_grades_by_origin_of_the_queries(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_queries SET origin = 't5' WHERE query IN ('q1', 'q2')")
    found = grade_counts(world, ["a"], by="query")
    assert [(one.edition, one.origin, one.total) for one in found] == [("a", "human", 21), ("a", "t5", 14)]
    assert sum(one.counts.get(2, 0) for one in found) == grade_counts(world, ["a"])[0].counts[2]
    assert table_of(figures.grades(world, "a", by="query")).rows[-1][:3] == ["a", "t5", 2]
    assert [one.counts for one in grade_counts(world, ["a"], query_set="origin:t5")] == [found[1].counts]
    assert "judgments (origin:t5)" in title(figures.grades(world, "a", query_set="origin:t5"))
    with pytest.raises(UnknownObject, match="no query or set of queries 'nothing'"):
        grade_counts(world, ["a"], query_set="nothing")
    with pytest.raises(BadArgument, match="unknown value 'origin'"):
        grade_counts(world, by="origin")


def test_systems_by_two_editions_equal_their_comparison(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_runs SET family = 'late' WHERE run LIKE 'z%%'")
    [compared] = labels(world, human="a", others=["b"], measure=AP)
    means = {one.run: [one.value_human, one.value_other] for one in compared.systems}
    figure = figures.labels(world, "a", "b", measure=AP)
    rows = table_of(figure).rows
    assert {row[0]: row[2:] for row in rows} == means
    assert {row[0] for row in rows if row[1] == "late"} == {"z", "z-again"}
    assert len(part(figure, "family-0").get_xdata()) == 2
    assert "7 systems, 5 queries that both judge" in title(figure)
    check_texts(figure)
    with pytest.raises(BadArgument, match="cannot compare 'a' with itself"):
        figures.labels(world, "a", "a")
    with pytest.raises(StateError, match="no system has a value of nDCG@10"):
        figures.labels(world, "a", "decoy")
    with pytest.raises(UnknownObject, match="no edition 'c'"):
        figures.grades(world, "c")


def every(conn: psycopg.Connection) -> list[Figure]:
    return [
        figures.systems(conn, edition="a", queries=True), figures.differences(conn, "x", f"{LONG}-1", edition="a"),
        figures.slopes(conn, edition="a", against="b"), figures.depth(conn, "pool", edition="a"),
        figures.grades(conn), figures.grades(conn, counts=True),
        figures.differences(conn, "z", "z-again", edition="a"), figures.systems(conn, edition="decoy", runs=["z"]),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[] if kind == "svg" else pytest.mark.long) for kind in canvas.KINDS])
def test_the_same_data_make_the_same_bytes_whatever_the_users_own_style(
    world: psycopg.Connection, tmp_path: Path, kind: str
) -> None:
    make_pool(world, "pool", rules=PoolRules(depth=4))
    once, again = tmp_path / f"once.{kind}", tmp_path / f"again.{kind.upper()}"
    first = every(world)
    with rc_context({"font.size": 20, "axes.facecolor": "red", "svg.hashsalt": "mine", "text.parse_math": True}):
        for one, other in zip(first, every(world), strict=True):
            write(one, once)
            write(other, again)
            assert once.read_bytes() == again.read_bytes()
    assert once.read_bytes().startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[kind])


def test_svg_texts_stay_text(world: psycopg.Connection, tmp_path: Path) -> None:
    write(figures.systems(world, edition="a"), tmp_path / "a.svg")
    texts = {element.text for element in ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")}  # noqa: S314
    assert {"x", "y", "z", "z-again", "pays_$5_or_$6&<more>", "nDCG@10"} <= texts


def test_a_notebook_shows_a_figure_without_pyplot(world: psycopg.Connection) -> None:
    figure = figures.systems(world, edition="a")
    formatter: Any = DisplayFormatter
    data, how = formatter().format(figure)
    assert data["image/png"].startswith(b"\x89PNG")
    assert how["image/png"]["width"] == round(120 * figure.get_size_inches()[0])


def test_no_text_leaves_the_figure_or_overlaps(world: psycopg.Connection) -> None:
    make_pool(world, "pool", rules=PoolRules(depth=4))
    for figure in every(world):
        check_texts(figure)


def test_labels_are_shortened_and_stay_distinct() -> None:
    assert canvas.fitted("short", 1) == "short"
    assert canvas.extent(canvas.fitted(LONG, 1)) <= 1
    assert "…" in canvas.fitted(LONG, 1)
    assert canvas.fitted("a\x00b\n", 1) == "a\ufffdb\ufffd"
    one, other = f"{'a' * 20}1{'b' * 20}", f"{'a' * 20}2{'b' * 20}"
    assert canvas.labels_of([one, other], 1) == [one, other]  # otherwise both would read the same
    places = canvas.apart([0.0, 0.0, 5.0, 5.1, 0.0], 1.0)
    assert places[0] > places[1] > places[4] >= 0
    assert all(above - below >= 1 - 1e-9 for below, above in pairwise(sorted(places)))
    assert sum(places[2:4]) / 2 == pytest.approx(5.05)
    assert canvas.thinned([5, 4, 1, 0, 9], distance=2.5) == [1, 5, 9]
    assert [canvas.number(value, sign=True) for value in (0.5, -0.5, -0.0001, None)] == ["+0.500", "−0.500", "0.000", "–"]


def test_many_runs_fit_a_page_without_overlapping_labels(world: psycopg.Connection, tmp_path: Path) -> None:
    for at in range(70):
        _store(world, tmp_path, f"run-{at:02}", dict.fromkeys(QUERIES, f"d{1 + at % 9} n{at % 7}"))
    for figure in (figures.systems(world, edition="a"), figures.slopes(world, edition="a", against="b")):
        assert figure.get_size_inches()[1] < 9.5
        assert "of 77 runs named" in title(figure)
    assert len(part(figures.systems(world, edition="a"), "means").get_xdata()) == 77


def stc(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(plot, list(arguments), obj=settings)


def test_the_commands(settings: Settings, world: psycopg.Connection, tmp_path: Path) -> None:
    make_pool(world, "pool", rules=PoolRules(depth=4))
    out = tmp_path / "a.svg"
    for arguments in (
        ["systems", "x", "y", "--edition", "a", "--per-query"],
        ["differences", "x", "y", "--edition", "a", "-m", "P@2"],
        ["slopes", "--edition", "a", "--against", "b"],
        ["slopes", "--edition", "a", "-m", "nDCG@10,AP"],
        ["slopes", "--edition", "a", "--against", "decoy", "--all"],
        ["depth", "pool", "--edition", "a"],
        ["grades", "--counts"],
        ["grades", "a", "b"],
        ["grades", "--by", "query"],
        ["labels", "a", "b", "-m", "AP"],
        ["history", "--out", str(tmp_path / "a.csv")],
    ):
        out.unlink(missing_ok=True)
        done = stc(settings, *arguments, "--out", str(out))
        assert done.exit_code == 0, done.output
        assert "inches" in done.output
        assert out.read_bytes().startswith(b"<?xml")
    assert sorted(path.name for path in tmp_path.glob("a.svg*")) == ["a.svg"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.gif", "unknown kind of figure '.gif'"),
        ("a", "'a' has no file extension"),
        ("none/a.svg", "none does not exist"),
    ],
)
def test_an_invalid_file_name_is_rejected_first(settings: Settings, tmp_path: Path, name: str, told: str) -> None:
    done = stc(settings, "grades", "--out", str(tmp_path / name))
    assert isinstance(done.exception, BadArgument)
    assert told in done.exception.message
    assert done.exception.hint
    assert not (tmp_path / name).exists()


def test_errors(settings: Settings, world: psycopg.Connection, tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "a.svg")]
    kinds: Sequence[tuple[list[str], type[Exception], str]] = [
        (["systems", "--edition", "aa"], UnknownObject, "no edition 'aa'"),
        (["systems", "w", "--edition", "a"], UnknownObject, "no run 'w'"),
        (["differences", "x", "x", "--edition", "a"], BadArgument, "cannot compare 'x' with itself"),
        (["differences", "x", "w", "--edition", "a"], UnknownObject, "no run 'w'"),
        (["systems", "--edition", "a", "-m", "AP,RR"], BadArgument, "2 measures in one figure"),
        (["systems", "--edition", "a", "--width", "2"], BadArgument, "a width of 2 inches"),
    ]
    for arguments, kind, told in kinds:
        done = stc(settings, *arguments, *out)
        assert isinstance(done.exception, kind), (arguments, done.exception)
        assert told in str(done.exception)
    assert not list(tmp_path.glob("a.svg*"))
    world.execute("DELETE FROM stc.st1_rankings")
    world.execute("DELETE FROM st1_runs")
    for arguments in (["systems", "--edition", "a"], ["slopes", "--edition", "a", "-m", "AP,RR"]):
        done = stc(settings, *arguments, *out)
        assert isinstance(done.exception, StateError)
        assert "no run is stored" in done.exception.message


def test_without_an_edition_there_are_no_grades(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no edition is stored"):
        figures.grades(conn)


def test_without_matplotlib_the_extra_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = stc(settings, "grades", "--out", str(tmp_path / "a.svg"))
    assert isinstance(done.exception, StateError)
    assert "stcollection[plot]" in (done.exception.hint or "")
