"""Figures of readability and credibility equal numpy and scipy, with reproducible bytes and no overlapping texts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import psycopg
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import rc_context
from scipy import stats

from stcollection import figures
from stcollection.analysis import measured
from stcollection.analysis.intervals import Interval
from stcollection.analysis.measured import READABILITY, Reading, pareto
from stcollection.analysis.records import AnnotationMean, ReadRun
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject
from stcollection.evaluation.measures import P
from stcollection.evaluation.score import leaderboard
from stcollection.plots import canvas
from stcollection.plots.canvas import Figure, write
from stcollection.plots.documents import two_places
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs
from tests import databases
from tests.groups import analysis, complexity
from tests.plots.look import check_texts, part, title

pytestmark = pytest.mark.slow

SIZE = 240
VENUES = (
    "SIGIR",
    "sigir",
    "ACL",
    "A Conference with a Name that is Longer than Any Figure has Room for, and its Satellite Workshops",
)
COLUMNS = ["id", *READABILITY]


class World:
    """Documents whose values are known to the test: arrays by document, NaN for NULL."""

    def __init__(self) -> None:
        random = np.random.default_rng(7)
        self.year = np.where(np.arange(SIZE) < 3, 1988, 2010 + np.arange(SIZE) % 9)
        self.venue = [VENUES[at % 4] if at % 7 else "" for at in range(SIZE)]
        self.citations = np.floor(random.lognormal(3, 1.5, SIZE))
        self.citations[:20] = 0
        self.fkgl = np.round(random.normal(14, 3, SIZE) + self.year % 3, 1)
        self.fkgl[10:30] = np.nan
        self.values = {name: random.normal(10, 2, SIZE) for name in READABILITY}
        self.values["nltk_sent"] = np.floor(random.uniform(3, 9, SIZE))
        self.values["textstat_fre"] = np.round(100 - 4 * self.fkgl + random.normal(0, 5, SIZE))
        self.values["textstat_fkgl"] = self.fkgl

    def both(self, *names: str) -> list[np.ndarray[Any, Any]]:
        """Return the measures of the documents that have all of them."""
        columns = [self.citations if name == "citations" else self.values[name] for name in names]
        there = ~np.isnan(np.array(columns)).any(axis=0)
        return [column[there] for column in columns]


WORLD = World()


@databases.world
def world(conn: psycopg.Connection, tmp_path: Path) -> psycopg.Connection:
    """Store the documents of WORLD, an edition, and three runs, one of them without measured documents."""
    with conn.cursor() as cursor:
        with cursor.copy("COPY dblp (id, docno, doc) FROM STDIN") as copy:
            for at in range(SIZE):
                fields = [{"name": "Computing"}, {"name": "Computing"}, {"name": f"field {at % 2}"}]
                record = {"title": f"t{at}", "year": int(WORLD.year[at]), "n_citation": int(WORLD.citations[at]),
                          "doc_type": "Journal" if at % 3 else "Book", "venue": WORLD.venue[at], "fos": fields}  # fmt: skip
                copy.write_row((at + 1, f"d{at + 1}", orjson.dumps(record).decode()))
        with cursor.copy(f"COPY stc.st1_complexity_metrics ({', '.join(COLUMNS)}) FROM STDIN") as copy:
            for at in range(SIZE):
                row = [float(WORLD.values[name][at]) for name in READABILITY]
                copy.write_row((at + 1, *(None if math.isnan(value) else value for value in row)))
    conn.execute(
        "INSERT INTO stc.citation_ranks (id, by_year, percentile) SELECT id, id %% 100, id %% 100 FROM dblp WHERE id > %s", [200]
    )
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (-1, 'stub', '{}', true)")
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 d{doc} {doc % 3}\n" for query in range(1, 6) for doc in range(1, 60)))
    import_qrels(conn, tmp_path / "qrels", edition="a")
    (tmp_path / "qrels").write_text("other 0 d1 1\n")
    import_qrels(conn, tmp_path / "qrels", edition="decoy")
    for name, docs in RUNS.items():
        (tmp_path / f"{name}.run").write_text(
            "".join(f"q{query} Q0 d{doc} 1 {-rank} t\n" for query in range(1, 6) for rank, doc in enumerate(docs(query)))
            + f"other Q0 d{SIZE} 1 1 t\n"
        )
        list(import_runs(conn, [tmp_path / f"{name}.run"]))
    return conn


RUNS: dict[str, Any] = {
    "x": lambda query: [query * 10 + 41, 2, 50, 55],
    "y": lambda query: [11, 5, query + 30],
    "unread": lambda query: [15 + query, 12],
}


def test_the_measures_equal_the_database(conn: psycopg.Connection) -> None:
    columns = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND atttypid = 'float8'::regtype ORDER BY attnum"
    assert [row[0] for row in conn.execute(columns, ["stc.st1_complexity_metrics"])] == list(READABILITY)
    assert [row[0] for row in conn.execute(columns, ["document_measures"])] == list(measured.MEASURES)


def test_quantiles_by_year_equal_numpy_and_small_years_are_omitted(world: psycopg.Connection) -> None:
    found = measured.spreads(world, "textstat_fkgl", by="year", smallest=4)
    assert [one.name for one in found.rows] == [str(year) for year in range(2010, 2019)]
    assert (found.groups, found.grouped) == (10, SIZE - 20)
    for one in found.rows:
        values = WORLD.fkgl[(WORLD.year == int(one.name)) & ~np.isnan(WORLD.fkgl)]
        assert one.documents == len(values)
        assert list(one[2:]) == pytest.approx(list(np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])))
    figure = figures.distribution(world, smallest=4)
    assert "9 of 10 years; without those of fewer than 4 documents (3 documents)" in title(figure)
    assert list(part(figure, "outer").get_data().values) == pytest.approx([one.high for one in found.rows])
    assert list(part(figure, "inner").get_data().baseline) == pytest.approx([one.lower for one in found.rows])
    assert list(part(figure, "documents").get_data().values) == [one.documents for one in found.rows]
    medians = [path.vertices[0, 1] for path in part(figure, "median").get_paths()]
    assert medians == pytest.approx([one.median for one in found.rows])


def test_years_that_are_far_apart_leave_a_gap(world: psycopg.Connection) -> None:
    outer = part(figures.distribution(world, smallest=1), "outer").get_data()
    assert list(outer.edges[[0, -1]]) == [1987.5, 2018.5]
    assert np.isnan(outer.values[1:22]).all()
    assert not np.isnan(outer.values[[0, 22]]).any()


def test_impossible_years_do_not_stretch_the_axis(world: psycopg.Connection) -> None:
    world.execute("UPDATE dblp_facts SET year = CASE WHEN id < 40 THEN 0 ELSE 9999 END WHERE id BETWEEN 31 AND 50")
    figure = figures.distribution(world, smallest=4)
    assert part(figure, "outer").get_data().edges[0] == 2009.5
    world.execute("UPDATE dblp_facts SET year = 2015")
    assert list(part(figures.distribution(world), "outer").get_data().edges) == [2014.5, 2015.5]
    world.execute("UPDATE dblp_facts SET year = 0")
    with pytest.raises(StateError):
        figures.distribution(world)


def test_venues_are_grouped_in_any_case_and_ordered_by_median(world: psycopg.Connection) -> None:
    found = measured.spreads(world, "citations", by="venue")
    wanted = {}
    for venue in ("SIGIR", "ACL", VENUES[3]):
        values = [WORLD.citations[at] for at in range(SIZE) if WORLD.venue[at].lower() == venue.lower()]
        wanted[venue] = (len(values), np.median(values))
    assert {one.name: (one.documents, one.median) for one in found.rows} == wanted
    assert [one.median for one in found.rows] == sorted(one.median for one in found.rows)
    figure = figures.distribution(world, "citations", by="venue", most=2)
    assert "2 of 3 venues" in title(figure)
    assert len(part(figure, "median").get_paths()) == 2


def test_a_document_counts_once_per_field(world: psycopg.Connection) -> None:
    found = measured.spreads(world, "citations", by="field")
    assert {one.name: one.documents for one in found.rows} == {"Computing": SIZE, "field 0": SIZE // 2, "field 1": SIZE // 2}
    assert found.grouped == 2 * SIZE
    assert {one.name for one in measured.spreads(world, "citations", by="doc_type").rows} == {"Book", "Journal"}
    [row] = world.execute(
        "SELECT name, documents, quantiles FROM measure_quantiles('citations', fractions => '{0,.5,1}')"
    ).fetchall()
    assert row == (None, SIZE, [WORLD.citations.min(), np.median(WORLD.citations), WORLD.citations.max()])


@pytest.mark.parametrize(("x", "y"), [("textstat_fkgl", "textstat_fre"), ("nltk_sent", "citations"), ("citations", "read_tok")])
def test_cells_equal_numpy_and_rho_equals_scipy(world: psycopg.Connection, x: str, y: str) -> None:
    found = measured.bins(world, x, y, size=9, beyond=0.02)
    xs, ys = WORLD.both(x, y)
    counts, _, _ = np.histogram2d(xs, ys, bins=[found.x_edges, found.y_edges])
    assert np.array_equal(found.counts, counts)
    assert found.documents == len(xs)
    assert found.outside == len(xs) - counts.sum() > 0
    assert found.rho == pytest.approx(stats.spearmanr(xs, ys).statistic)
    for values, edges in ((xs, found.x_edges), (ys, found.y_edges)):
        inside = np.mean((values >= edges[0]) & (values <= edges[-1]))
        assert inside >= 0.96
    figure = figures.measures(world, x, y, size=9, beyond=0.02)
    drawn = part(figure, "cells").get_array()
    assert np.array_equal(np.ma.filled(drawn, 0), counts.T)
    assert f"{found.outside} " in title(figure)
    assert measured.bins(world, x, y, beyond=0).outside == 0


@given(low=st.integers(0, 10_000), more=st.integers(0, 100_000), size=st.integers(1, 60))
def test_bins_of_counts_widen(low: int, more: int, size: int) -> None:
    edges = measured.edges("citations", low, low + more, size)
    widths = np.diff(edges)
    assert edges[0] == low - 0.5
    assert edges[-1] > low + more
    assert (widths >= 1).all()
    assert (np.diff(widths) >= 0).all()
    whole = measured.edges("read_tok", low, low + more, size)
    assert len(set(np.diff(whole))) == 1
    assert len(whole) <= size + 1
    assert whole[0] < low <= low + more < whole[-1]


def test_correlations_equal_scipy_over_complete_documents(world: psycopg.Connection) -> None:
    names = ["citations", "nltk_sent", "textstat_fkgl", "textstat_fre", "read_tok"]
    found = measured.correlations(world, names)
    columns = WORLD.both(*names)
    assert found.rho == pytest.approx(stats.spearmanr(np.array(columns).T).statistic)
    assert (found.documents, found.complete) == (SIZE - 20, SIZE - 20)
    figure = figures.correlation(world, *names)
    drawn = part(figure, "cells").get_array()
    assert np.ma.getmaskarray(drawn).sum() == 6
    assert drawn[3, 1] == found.rho[4, 1]
    assert f"{canvas.number(found.rho[4, 1], digits=2)}".replace("0.", ".") in [text.get_text() for text in figure.axes[0].texts]


def test_a_sample_is_the_same_for_the_same_seed(world: psycopg.Connection) -> None:
    names = ["textstat_fkgl", "textstat_fre"]
    once, again, other = (measured.correlations(world, names, most=50, seed=seed) for seed in (3, 3, 4))
    assert (once.documents, once.complete) == (50, SIZE - 20)
    assert once.rho[0, 1] == again.rho[0, 1] != other.rho[0, 1]
    assert "a sample of 50 of 220 documents" in title(figures.measures(world, *names, most=50))


def test_a_measure_with_one_value_has_no_correlation(world: psycopg.Connection) -> None:
    world.execute("UPDATE st1_complexity_metrics SET read_tok = 5")
    assert measured.bins(world, "read_tok", "citations").rho is None
    assert "no rank correlation" in title(figures.measures(world, "read_tok", "citations"))
    assert np.isnan(measured.correlations(world, ["read_tok", "citations"]).rho[0, 1])


def test_runs_are_measured_by_their_top_documents(world: psycopg.Connection) -> None:
    found = {one.run: one for one in measured.read_runs(world, edition="a", reading=Reading(k=3), measure=P @ 2)}
    standings = {one.run: one.values[0] for one in leaderboard(world, edition="a", measures=[P @ 2])}
    assert {run: one.relevance for run, one in found.items()} == pytest.approx(standings)
    values = [np.nanmean([WORLD.fkgl[doc - 1] for doc in RUNS["x"](query)[:3]]) for query in range(1, 6)]
    assert found["x"].value == pytest.approx(np.mean(values))
    assert (found["x"].value_low, found["x"].value_high) == pytest.approx(
        stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    )
    assert found["y"].value == pytest.approx(np.mean([(WORLD.fkgl[4] + WORLD.fkgl[query + 29]) / 2 for query in range(1, 6)]))
    assert math.isnan(found["unread"].value)
    rows = world.execute(
        "SELECT query, value, documents FROM document_means('{y}', 'a', '{textstat_fkgl}', 3) ORDER BY query"
    ).fetchall()
    assert [row[0] for row in rows] == ["q1", "q2", "q3", "q4", "q5"]  # without "other", which the edition does not judge
    assert {row[2] for row in rows} == {2}
    figure = figures.readable(world, edition="a", reading=Reading(k=3), measure=P @ 2)
    points = [*part(figure, "runs").get_xydata().tolist(), *part(figure, "best").get_xydata().tolist()]
    assert sorted(points) == sorted([found[run].relevance, found[run].value] for run in ("x", "y"))
    assert "1 run without a value not shown" in title(figure)
    assert {"x", "y"} == {text.get_text() for text in figure.axes[0].texts}


@given(points=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=25), lower=st.booleans())
def test_no_run_beats_the_best_runs(points: list[tuple[int, int]], lower: bool) -> None:
    runs = [ReadRun(f"r{at}", x, math.nan, math.nan, y, math.nan, math.nan, 1) for at, (x, y) in enumerate(points)]
    sign = -1 if lower else 1

    def beaten(one: ReadRun) -> bool:
        at = (one.relevance, sign * one.value)
        others = [(other.relevance, sign * other.value) for other in runs]
        return any(other != at and other[0] >= at[0] and other[1] >= at[1] for other in others)

    best = pareto(runs, lower=lower)
    assert {one.run for one in best} == {one.run for one in runs if not beaten(one)}
    assert [one.relevance for one in best] == sorted((one.relevance for one in best), reverse=True)


def test_the_better_end_is_set_by_the_measure_or_the_user(world: psycopg.Connection) -> None:
    assert (measured.better("textstat_fkgl"), measured.better("textstat_fre"), measured.better("read_tok")) == ("low", "high", None)
    none = figures.readable(world, edition="a", reading=Reading("read_tok"))
    assert "best" not in title(none)
    assert "(high is better)" in title(figures.readable(world, edition="a", reading=Reading("read_tok", prefer="high")))


def annotate(conn: psycopg.Connection, groups: int = 2) -> None:
    for at in range(groups):
        conn.execute("INSERT INTO stc_all.annotators VALUES (%s, %s), (%s, %s)", [f"a{at}", f"group {at}", f"b{at}", f"group {at}"])
        for who, last in (("a", 60), ("b", 39)):
            conn.execute(
                "INSERT INTO stc_all.annotations (doc, aspect, annotator, grade)"
                " SELECT id, 'complexity', %s, mod(id, 3) FROM dblp WHERE id BETWEEN 31 AND %s",
                [f"{who}{at}", last],
            )
    conn.execute("INSERT INTO stc_all.annotations (doc, aspect, annotator, grade) VALUES (100, 'credibility', 'a0', 2)")


def test_grade_means_count_each_document_once(world: psycopg.Connection) -> None:
    annotate(world)
    found = measured.grades_given(world).rows
    assert [(one.group, one.grade) for one in found] == [(f"group {at}", grade) for at in range(2) for grade in range(3)]
    for one in found:
        values = [WORLD.fkgl[doc - 1] for doc in range(31, 61) if doc % 3 == one.grade]
        assert (one.n, one.grades) == (10, 13)  # nine documents have two grades, three per grade
        assert (one.mean, one.se) == pytest.approx((np.mean(values), stats.sem(values)))
    every = measured.grades_given(world, everyone=True).rows
    assert [(one.group, one.n, one.grades) for one in every] == [(None, 10, 26)] * 3
    figure = figures.grades_given(world)
    assert list(part(figure, "means").get_xdata()) == pytest.approx([one.mean for one in found])
    spans = [path.vertices[:, 0].tolist() for path in part(figure, "errors").get_paths()]
    assert [(high - low) / 2 for low, high in spans] == pytest.approx([one.se for one in found])
    [alone] = measured.grades_given(world, aspect="credibility").rows
    assert alone == AnnotationMean("textstat_fkgl", "group 0", 2, 1, 1, WORLD.fkgl[99], None, None)
    assert "1 of one document has no standard error" in title(figures.grades_given(world, aspect="credibility"))


def many(count: int) -> list[ReadRun]:
    random = np.random.default_rng(count)
    runs = []
    for at in range(count):
        x, y = random.uniform(0.2, 0.7), random.normal(14, 1)
        runs.append(ReadRun(f"team{at % 9}_task_1_all-of-its-parameters-{at}", x, x - 0.05, x + 0.05, y, y - 0.6, y + 0.6, 30))
    return sorted(runs, key=lambda one: -one.relevance)


def every(conn: psycopg.Connection) -> list[Figure]:
    return [
        figures.distribution(conn, smallest=4), figures.distribution(conn, "citations", smallest=1),
        figures.distribution(conn, "citation_percentile", by="venue"),
        figures.measures(conn, "textstat_fkgl", "citations", beyond=0.05),
        figures.measures(conn, "citations", "nltk_sent"), figures.correlation(conn),
        figures.correlation(conn, "citations", "textstat_fkgl"), figures.grades_given(conn),
        figures.readable(conn, edition="a", measure=P @ 2), figures.readable(conn, "a", "x", reading=Reading(k=1)),
        figures.readable(conn, edition="a", reading=Reading("citations"), interval=Interval("bootstrap", resamples=500)),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[] if kind == "svg" else pytest.mark.long) for kind in canvas.KINDS])
def test_the_same_data_make_the_same_bytes(world: psycopg.Connection, tmp_path: Path, kind: str) -> None:
    annotate(world)
    first = every(world)
    with rc_context({"font.size": 20, "axes.facecolor": "red", "svg.hashsalt": "mine", "text.parse_math": True}):
        for one, other in zip(first, every(world), strict=True):
            write(one, tmp_path / f"once.{kind}")
            write(other, tmp_path / f"again.{kind}")
            assert (tmp_path / f"once.{kind}").read_bytes() == (tmp_path / f"again.{kind}").read_bytes()


@pytest.mark.parametrize("runs", [2, 8, 9, 30, 200])
def test_no_text_leaves_the_figure_or_overlaps(world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, runs: int) -> None:
    annotate(world)
    drawn = every(world) if runs == 2 else []
    monkeypatch.setattr(measured, "read_runs", lambda *_, **__: many(runs))
    drawn.append(figures.readable(world, edition="a"))
    assert runs == 2 or len(pareto(many(runs), lower=True)) > 1
    for figure in drawn:
        check_texts(figure)


def test_all_best_runs_are_named(world: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "read_runs", lambda *_, **__: many(200))
    figure = figures.readable(world, edition="a")
    names = {text.get_text() for text in figure.axes[0].texts}
    best = pareto(many(200), lower=True)
    assert all(any(name.endswith(one.run[-6:]) for name in names) for one in best)
    assert f"{len(names)} of 200 runs named" in title(figure)
    assert len(part(figure, "upwards").get_paths()) == len(best)


def stc(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(analysis, ["plot", *arguments], obj=settings)


def test_the_commands(settings: Settings, world: psycopg.Connection, tmp_path: Path) -> None:
    annotate(world)
    out = tmp_path / "a.svg"
    for arguments in (
        ["distribution", "--min-documents", "3"],
        ["distribution", "citations", "--by", "venue", "--limit", "2"],
        ["measures", "textstat_fkgl", "citations", "--bins", "20", "--sample", "100"],
        ["correlations"],
        ["correlations", "all", "--seed", "3"],
        ["correlations", "citations", "nltk_sent"],
        ["readable", "--edition", "a", "-m", "P@2", "--cutoff", "2"],
        ["readable", "x", "--edition", "a", "--readability", "citations"],
        ["annotations"],
        ["annotations", "--everyone", "--measure", "citations"],
    ):
        out.unlink(missing_ok=True)
        if arguments[-3:] == ["all", "--seed", "3"]:
            world.execute("UPDATE dblp_facts SET n_reference = id - 3")
        done = stc(settings, *arguments, "--out", str(out))
        assert done.exit_code == 0, (arguments, done.exception)
        assert out.read_bytes().startswith(b"<?xml")


def test_correlations_are_printed(settings: Settings, world: psycopg.Connection) -> None:
    done = CliRunner().invoke(complexity, ["correlations", "citations", "nltk_sent", "textstat_fkgl"], obj=settings)
    rho = measured.correlations(world, ["citations", "nltk_sent", "textstat_fkgl"]).rho
    assert done.output.splitlines()[4].split() == ["3", "textstat_fkgl", *(two_places(x) for x in rho[2])]
    assert "over 220 documents" in done.output
    done = CliRunner().invoke(complexity, ["correlations", "citations", "nltk_sent", "--format", "json"], obj=settings)
    both = measured.correlations(world, ["citations", "nltk_sent"]).rho
    assert orjson.loads(done.output)[1] == {"measure": "nltk_sent", "citations": both[1, 0], "nltk_sent": 1.0}


def test_errors(settings: Settings, world: psycopg.Connection, tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "a.svg")]
    kinds: list[tuple[list[str], type[StcError], str]] = [
        (["distribution", "textsat_fkgl"], UnknownObject, "no document measure 'textsat_fkgl'"),
        (["distribution", "references"], StateError, "no document has references"),
        (["distribution", "--min-documents", "1000"], StateError, "no year has 1,000 or more documents"),
        (["distribution", "--width", "1.5", "--by", "venue"], BadArgument, "a width of 1.5 inches"),
        (["measures", "citations", "citations"], BadArgument, "both measures are citations"),
        (["measures", "citations", "fkgl"], UnknownObject, "no document measure 'fkgl'"),
        (["measures", "citations", "references"], StateError, "no document has both"),
        (["correlations", "citations"], BadArgument, "citations alone"),
        (["correlations", "citations", "citations"], BadArgument, "citations, citations"),
        (["readable", "--edition", "aa"], UnknownObject, "no edition 'aa'"),
        (["readable", "w", "--edition", "a"], UnknownObject, "no run 'w'"),
        (["readable", "unread", "--edition", "a", "--cutoff", "2"], StateError, "none of the first 2 documents"),
        (["annotations"], StateError, "nobody graded complexity"),
    ]
    for arguments, kind, told in kinds:
        done = stc(settings, *arguments, *out)
        assert isinstance(done.exception, kind), (arguments, done.exception)
        assert told in done.exception.message
        assert done.exception.hint, arguments
    assert not list(tmp_path.glob("a.svg*"))
    assert isinstance(stc(settings, "distribution", "--out", str(tmp_path / "a.gif")).exception, BadArgument)
    annotate(world, groups=17)
    assert isinstance(stc(settings, "annotations", *out).exception, BadArgument)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT measure_quantiles('citations', 'author')", "SELECT measure_quantiles('citations', fractions => '{1.5}')",
        "SELECT measure_quantiles('citations', smallest => 0)", "SELECT stc.measure_span('citations', 'read_tok', .5)",
        "SELECT stc.measure_bins('citations', 'read_tok', '{1}', '{1,2}')",
        "SELECT stc.measure_bins('citations', 'read_tok', '{1,2}', '{2,1}')",
        "SELECT stc.measure_bins('citations', 'read_tok', '{1,NULL}', '{2,3}')", "SELECT rank_correlations('{citations}')",
        "SELECT rank_correlations('{citations,read_tok}', 1)", "SELECT document_means('{}', 'a', '{citations}', 0)",
        "SELECT stc.annotation_means('beauty', '{citations}')",
    ],
)  # fmt: skip
def test_arguments_outside_their_range_are_refused(world: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        world.execute(statement)
    assert (error.value.sqlstate or "").startswith("IR2")
    assert error.value.diag.message_hint


def test_a_measure_is_a_name_and_never_sql(world: psycopg.Connection) -> None:
    for measure in ("year", "citations FROM dblp; --", "CITATIONS", ""):
        with pytest.raises(UnknownObject, match="no document measure"):
            measured.spreads(world, measure)
