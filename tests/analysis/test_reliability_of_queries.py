"""Rankings of systems by one query set versus another: tau, intervals, growth and figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result
from scipy import stats

from stcollection import figures
from stcollection.analysis import rankings
from stcollection.analysis.records import NO_FAMILY
from stcollection.analysis.reliability import Draws, growth, reliability, score_matrix
from stcollection.cli.analysis.reliability import reliability_command as reliability_
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.evaluation.imported import import_scores, read_families
from stcollection.evaluation.measures import AP, nDCG
from stcollection.plots.canvas import GREY, Figure, write
from stcollection.qrels.load import import_qrels
from stcollection.topics.load import load
from stcollection.topics.origins import set_origins
from tests.groups import plot

pytestmark = pytest.mark.slow

SYSTEMS = 6
ORIGINS = ["human"] * 8 + ["t5"] * 5 + ["gpt-4"] * 1
QUERIES = [f"q{at:02}" for at in range(len(ORIGINS))]
TEXTS = ["what is this", "apatite definition"]


@pytest.fixture
def scores() -> np.ndarray[Any, Any]:
    """float[systems, queries], in tenths, so that ties are common."""
    generator = np.random.default_rng(7)
    return np.clip(np.round(np.linspace(0.2, 0.7, SYSTEMS)[:, None] + generator.normal(0, 0.2, (SYSTEMS, len(QUERIES))), 1), 0, 1)


@pytest.fixture
def world(conn: psycopg.Connection, tmp_path: Path, scores: np.ndarray[Any, Any]) -> psycopg.Connection:
    """Six systems, five with a family, with imported AP scores on queries of three origins."""
    (tmp_path / "queries").write_text("".join(f"{query}\t{TEXTS[at % 2]} {query}\n" for at, query in enumerate(QUERIES)))
    load(conn, [tmp_path / "queries"], layout="tsv")
    (tmp_path / "qrels").write_text("".join(f"{query} 0 d1 1\n" for query in QUERIES))
    import_qrels(conn, tmp_path / "qrels", edition="e")
    (tmp_path / "origins").write_text("".join(f"{query}\t{origin}\n" for query, origin in zip(QUERIES, ORIGINS, strict=True)))
    set_origins(conn, tmp_path / "origins")
    lines = [f"s{run} map {query} {scores[run, at]}\n" for run in range(SYSTEMS) for at, query in enumerate(QUERIES)]
    (tmp_path / "scores").write_text("".join(lines))
    families = {f"s{run}": "GPT" if run % 2 else "T5" for run in range(SYSTEMS - 1)}
    import_scores(conn, tmp_path / "scores", edition="e", families=families)
    return conn


def of(*names: str) -> list[int]:
    return [at for at, origin in enumerate(ORIGINS) if origin in names]


ALL = of(*ORIGINS)
EACH = {"all": ALL, "human": of("human"), "t5": of("t5"), "gpt-4": of("gpt-4"), "synthetic": of("t5", "gpt-4")}


def test_many_rankings_at_once_equal_one_by_one(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    x, y = (generator.integers(0, 5, (7, 40)) / 10 for _ in range(2))
    y[:, 0] = 0.3
    for cells in (1 << 22, 100):  # in one block, and in several
        monkeypatch.setattr(rankings, "_CELLS", cells)
        taus, aps, pearsons = (how(x, y) for how in (rankings.kendall_tau, rankings.tau_ap, rankings.pearson))
        assert math.isnan(taus[0])
        assert math.isnan(pearsons[0])
        assert taus[1:] == pytest.approx([stats.kendalltau(x[:, at], y[:, at]).statistic for at in range(1, 40)])
        assert pearsons[1:] == pytest.approx([stats.pearsonr(x[:, at], y[:, at]).statistic for at in range(1, 40)])
        for at in range(40):
            row = conn.execute("SELECT stc.tau_ap(%s::float8[], %s::float8[])", [x[:, at].tolist(), y[:, at].tolist()]).fetchone()
            assert row is not None
            assert aps[at] == pytest.approx(math.nan if row[0] is None else row[0], nan_ok=True)
    assert rankings.kendall_tau(np.array([[0.1 + 0.2], [0.3]]), np.array([[1.0], [2.0]]))[0] != 1  # equal except for rounding


def test_pairs_of_sets(world: psycopg.Connection, scores: np.ndarray[Any, Any]) -> None:
    found = reliability(world, edition="e", measure=AP, bootstrap=50)
    assert [(one.a, one.b) for one in found] == [("all", "human"), ("human", "gpt-4"), ("human", "t5"), ("human", "synthetic")]
    for one in found:
        x, y = (np.round(scores[:, EACH[name]].mean(axis=1), 12) for name in (one.a, one.b))
        assert one.tau == pytest.approx(stats.kendalltau(x, y).statistic)
        assert one.pearson == pytest.approx(stats.pearsonr(x, y).statistic)
        assert (one.queries_a, one.queries_b, one.systems) == (len(EACH[one.a]), len(EACH[one.b]), SYSTEMS)
        assert one.shared == len(set(EACH[one.a]) & set(EACH[one.b]))
        shifts = [int(np.sum(y > y[at]) - np.sum(x > x[at])) for at in range(SYSTEMS)]
        assert abs(one.max_shift) == max(map(abs, shifts))
        assert one.shifted == (f"s{shifts.index(one.max_shift)}" if one.max_shift else "")
    assert [one.tau_low is None for one in found] == [False, True, False, False]  # gpt-4 has one query


def test_sets_by_form_and_both(world: psycopg.Connection, scores: np.ndarray[Any, Any]) -> None:
    [one] = reliability(world, edition="e", measure=AP, pairs=[("human/question-word", "t5+gpt-4/keyword")], bootstrap=0)
    asked, typed = ([at for at in EACH["human"] if at % 2 == 0], [at for at in EACH["synthetic"] if at % 2])
    assert (one.queries_a, one.queries_b) == (len(asked), len(typed))
    means = (np.round(scores[:, side].mean(axis=1), 12) for side in (asked, typed))
    assert one.tau == pytest.approx(stats.kendalltau(*means).statistic)


def test_intervals_draw_shared_queries_once(world: psycopg.Connection, scores: np.ndarray[Any, Any]) -> None:
    same, part, apart = reliability(
        world, edition="e", measure=AP, pairs=[("human", "human"), ("all", "human"), ("human", "t5")], bootstrap=2000
    )
    assert (same.tau, same.tau_low, same.tau_high) == pytest.approx((1, 1, 1))  # both sets use the same draw
    for one in (part, apart):
        assert one.tau is not None
        assert one.tau_low is not None
        assert one.tau_high is not None
        assert one.tau_low < one.tau_high <= 1
        assert one.tau_low <= one.tau
    generator, taus = np.random.default_rng(99), []
    for _ in range(2000):
        human, t5 = (generator.choice(EACH[name], len(EACH[name])) for name in ("human", "t5"))
        means = (np.round(scores[:, drawn].mean(axis=1), 12) for drawn in (human, t5))
        taus.append(stats.kendalltau(*means).statistic)
    expected = np.nanpercentile(taus, [2.5, 97.5])
    assert [apart.tau_low, apart.tau_high] == pytest.approx(expected, abs=0.08)
    again, other = (reliability(world, edition="e", measure=AP, pairs=[("human", "t5")], seed=seed)[0] for seed in (0, 1))
    assert again == reliability(world, edition="e", measure=AP, pairs=[("human", "t5")])[0]
    assert again.pearson_low != other.pearson_low
    [none] = reliability(world, edition="e", measure=AP, pairs=[("human", "t5")], bootstrap=0)
    assert none.tau_low is none.tau_high is none.pearson_low is None


def test_errors(world: psycopg.Connection) -> None:
    with pytest.raises(StateError, match=r"only one system \(s1\) has a value of AP"):
        reliability(world, edition="e", measure=AP, runs=["s1"])
    with pytest.raises(UnknownObject, match="no run 's9'"):
        reliability(world, edition="e", measure=AP, runs=["s1", "s9"])
    with pytest.raises(UnknownObject, match="no edition 'f'"):
        reliability(world, edition="f", measure=AP)
    with pytest.raises(StateError, match="no system has a value of nDCG@10"):
        reliability(world, edition="e", measure=nDCG @ 10)
    for pair, told in ((("human", "t5/essay"), "'essay'"), (("human", "t5/yes-no"), "'t5/yes-no'")):
        with pytest.raises(BadArgument, match=told) as error:
            reliability(world, edition="e", measure=AP, pairs=[pair])
        assert error.value.hint
    with pytest.raises(UnknownObject, match="'t6'"):
        reliability(world, edition="e", measure=AP, pairs=[("human", "t6")])
    with pytest.raises(BadArgument, match="seed is -1"):
        reliability(world, edition="e", measure=AP, seed=-1)
    world.execute("UPDATE st1_queries SET origin = 'human'")
    with pytest.raises(StateError, match="queries of only one origin, human"):
        reliability(world, edition="e", measure=AP)


def test_growth_is_the_mean_over_draws(world: psycopg.Connection, scores: np.ndarray[Any, Any]) -> None:
    rows = growth(world, edition="e", measure=AP, of="t5", against="human")
    assert [one.size for one in rows] == [1, 2, 3, 4, 5]
    truth = np.round(scores[:, EACH["human"]].mean(axis=1), 12)
    for one in rows:  # t5 has five queries: compare with all possible draws
        taus = [
            stats.kendalltau(np.round(scores[:, list(drawn)].mean(axis=1), 12), truth).statistic
            for drawn in combinations(EACH["t5"], one.size)
        ]
        assert one.tau == pytest.approx(np.mean(taus), abs=0.02)
        assert one.low is not None
        assert one.high is not None
        assert min(taus) - 1e-9 <= one.low <= one.high <= max(taus) + 1e-9
        assert (one.against_size, one.shared, one.draws) == (8, 0, 1000)
    assert rows[-1].low == rows[-1].high == pytest.approx(rows[-1].tau)


def test_growth_against_the_same_set_holds_out_drawn_queries(world: psycopg.Connection, scores: np.ndarray[Any, Any]) -> None:
    rows = growth(world, edition="e", measure=AP, draws=Draws(3000))
    assert [one.size for one in rows] == [1, 2, 3, 4]  # half of the queries remain to rank by
    human = EACH["human"]
    taus = []
    for drawn in combinations(human, 3):
        sides = (list(drawn), [at for at in human if at not in drawn])
        taus.append(stats.kendalltau(*(np.round(scores[:, side].mean(axis=1), 12) for side in sides)).statistic)
    assert rows[2].tau == pytest.approx(np.nanmean(taus), abs=0.02)
    assert rows[2].shared == 8
    assert rows == growth(world, edition="e", measure=AP, draws=Draws(3000))
    assert rows != growth(world, edition="e", measure=AP, draws=Draws(3000, 1))
    for sizes, told in (([9], "9 queries from 'human'"), ([0], "0 queries"), ([8], "may leave none of 'human'")):
        with pytest.raises(BadArgument, match=told):
            growth(world, edition="e", measure=AP, draws=Draws(sizes=sizes))
    [one] = growth(world, edition="e", measure=AP, of="all", against="human", draws=Draws(times=10, sizes=[7]))
    assert (one.size, one.shared, one.against_size) == (7, 8, 8)
    with pytest.raises(BadArgument, match="times is 0"):
        Draws(0)


def test_the_scatter_has_each_system_by_its_family(world: psycopg.Connection, scores: np.ndarray[Any, Any]) -> None:
    figure: Any = figures.scatter(world, edition="e", pair=("human", "t5"), measure=AP)
    texts = [text.get_text() for text in figure.texts]
    [one] = reliability(world, edition="e", measure=AP, pairs=[("human", "t5")], bootstrap=0)
    assert one.tau is not None
    assert any(f"tau {one.tau:.3f}" in text for text in texts)
    assert "1 of the systems has no family" in texts
    assert texts[-3:] == ["GPT", "T5", NO_FAMILY]
    for at, runs in enumerate(([1, 3], [0, 2, 4], [5])):
        [points] = figure.findobj(lambda artist, gid=f"family-{at}": artist.get_gid() == gid)
        assert list(points.get_xdata()) == pytest.approx(scores[runs][:, EACH["human"]].mean(axis=1))
        assert list(points.get_ydata()) == pytest.approx(scores[runs][:, EACH["t5"]].mean(axis=1))
        assert (points.get_color() == GREY) == (at == 2)
    world.execute("UPDATE st1_runs SET family = NULL")
    bare = figures.scatter(world, edition="e", pair=("human", "t5"), measure=AP)
    assert [text.get_text() for text in bare.texts][-1] == NO_FAMILY


def test_the_curves_are_the_growth(world: psycopg.Connection) -> None:
    figure: Any = figures.curves(world, edition="e", measure=AP, draws=Draws(50))
    assert [text.get_text() for text in figure.texts][-3:] == ["human", "gpt-4", "t5"]
    for at, name in enumerate(("human", "gpt-4", "t5")):
        rows = growth(world, edition="e", measure=AP, of=name, draws=Draws(50))
        [line] = figure.findobj(lambda artist, gid=f"tau-{at}": artist.get_gid() == gid)
        assert list(line.get_xdata()) == [one.size for one in rows]
        assert list(line.get_ydata()) == pytest.approx([one.tau for one in rows])
    assert any(text.get_text() == "against the queries not drawn: human" for text in figure.texts)


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_data_make_the_same_bytes_and_texts_stay_on_the_sheet(
    world: psycopg.Connection, tmp_path: Path, kind: str
) -> None:
    draws: list[Callable[[], Figure]] = [
        lambda: figures.scatter(world, edition="e", pair=("human", "synthetic"), measure=AP),
        lambda: figures.curves(world, edition="e", of=[*EACH, "human/keyword"], measure=AP, draws=Draws(20)),
    ]
    for draw in draws:
        files = [tmp_path / f"{at}.{kind}" for at in range(2)]
        for file in files:
            figure = draw()
            write(figure, file)
        assert files[0].read_bytes() == files[1].read_bytes()
        sheet, renderer = figure.bbox, figure.canvas.get_renderer()
        boxes = [text.get_window_extent(renderer) for text in figure.texts]
        assert all(sheet.x0 <= box.x0 and box.x1 <= sheet.x1 and sheet.y0 <= box.y0 and box.y1 <= sheet.y1 for box in boxes)
        assert not any(one.overlaps(other) for one, other in combinations([box.padded(-1) for box in boxes], 2))


def invoke(settings: Settings, command: Any, *arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), obj=settings, catch_exceptions=False)


def test_the_commands(world: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    done = invoke(settings, reliability_, "e", "-m", "map", "--resamples", "20", "--format", "csv")
    head, *rows = done.stdout.splitlines()
    assert head.startswith("a,b,queries_a,queries_b,shared,systems,tau,tau_low,tau_high,tau_ap,")
    assert rows[0].split(",")[:5] == ["all", "human", "14", "8", "8"]
    assert "human:gpt-4: gpt-4 has one query" in done.stderr
    assert " … " in invoke(settings, reliability_, "e", "-m", "map", "--pairs", "human:t5,t5:human").stdout
    done = invoke(settings, reliability_, "e", "-m", "map", "--growth", "--queries", "t5", "--sizes", "2,5", "--format", "csv")
    assert [row.split(",")[:4] for row in done.stdout.splitlines()] == [
        ["of", "against", "size", "against_size"],
        ["t5", "human", "2", "8"],
        ["t5", "human", "5", "8"],
    ]
    out = tmp_path / "a.svg"
    assert "inches" in invoke(settings, plot, "reliability", "e", "-m", "map", "--pair", "human:t5", "--out", str(out)).stdout
    assert "inches" in invoke(settings, plot, "growth", "e", "-m", "map", "--draws", "5", "--out", str(out)).stdout
    for wrong in (["--pairs", "human"], ["--growth", "--pairs", "a:b"], ["--queries", "t5"], ["--growth", "--sizes", "1,x"]):
        with pytest.raises(BadArgument):
            invoke(settings, reliability_, "e", "-m", "map", *wrong)


def test_the_published_taus_of_35_systems(conn: psycopg.Connection, data: Path) -> None:
    folder = data / "trec-dl" / "dl23"
    load(conn, [folder / "queries.tsv"])
    import_qrels(conn, folder / "gpt4.qrels", edition="gpt4")
    set_origins(conn, folder / "query_info.tsv")
    import_scores(conn, folder / "systems.gpt4.ndcgeval", edition="gpt4", families=read_families(folder / "systems.tsv"))
    found = {(one.a, one.b): one for one in reliability(conn, edition="gpt4", bootstrap=200)}
    published = {("all", "human"): 0.976, ("human", "t5"): 0.882, ("human", "gpt-4"): 0.865}
    for pair, tau in published.items():
        assert round(found[pair].tau or 0, 3) == tau
        assert found[pair].systems == 35
    grid = score_matrix(conn, edition="gpt4")
    assert grid.scores.shape == (35, 82)
    rows = growth(conn, edition="gpt4", of="gpt-4", draws=Draws(200))
    assert (rows[-1].size, round(rows[-1].tau or 0, 3)) == (18, 0.865)
    assert (rows[0].tau or 1) < 0.7
