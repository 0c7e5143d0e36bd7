"""Effectiveness over time: the values of repro_eval, and the scores of each snapshot."""

from __future__ import annotations

import csv
import json
import random
from datetime import date
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.overtime import compare_with_first, over_time
from stcollection.api.collection import Collection
from stcollection.cli.analysis.plot import command as plot_group
from stcollection.cli.evaluation import command as evaluation_group
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import leaderboard
from stcollection.figures import snapshots
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.evaluation.test_as_of import DAYS, World
from tests.plots.look import check_texts, part, title

pytestmark = pytest.mark.slow

# Output of repro_eval 0.5.0 (https://pypi.org/project/repro_eval/) for the scores that the test draws: ER, DRI, RMSE, ttest with
# rpd=False, and arp_scores of the run at first and later, and of the baseline later.
ER, DRI, RMSE, P_VALUE = 0.14960680256444092, -0.14307459074734485, 0.4241640082574537, 0.7295673037636125
ARP_FIRST, ARP, ARP_BASELINE = 0.5160117357753168, 0.48832232549264, 0.5047733975994391


def test_the_values_are_those_of_repro_eval() -> None:
    draw = random.Random(3)
    run_first, base_first, run, base = ({f"q{number}": draw.random() for number in range(30)} for _ in range(4))
    found = compare_with_first("2024-06-30", (run_first, base_first), (run, base))
    assert found.effect_ratio == pytest.approx(ER, abs=1e-12)
    assert found.delta_ri == pytest.approx(DRI, abs=1e-12)
    assert found.rmse == pytest.approx(RMSE, abs=1e-12)
    assert found.p_value == pytest.approx(P_VALUE, abs=1e-12)
    assert (found.arp, found.baseline_arp) == pytest.approx((ARP, ARP_BASELINE), abs=1e-12)
    assert found.result_delta == pytest.approx((ARP_FIRST - ARP) / ARP_FIRST, abs=1e-12)
    same = compare_with_first("2024-01-15", (run_first, base_first), (run_first, base_first))
    assert list(same[4:]) == pytest.approx([0, 1, 0, 0, 1])


@pytest.fixture
def world(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> World:
    return World(conn, store_run, store_qrels)


def test_a_row_for_each_snapshot(world: World, conn: psycopg.Connection, settings: Settings) -> None:
    measure = parse_measure("AP")
    rows = over_time(conn, run="one", baseline="two", edition="all", measure=measure).days
    assert [row.day for row in rows] == list(DAYS)
    for row in rows:
        means = {one.run: one.values[0] for one in leaderboard(conn, edition="all", measures=[measure], as_of=row.day)}
        assert (row.arp, row.baseline_arp) == pytest.approx((means["one"], means["two"]), abs=1e-12)
    assert [row.queries for row in rows] == [6, 5, 5]
    assert rows[0].effect_ratio == pytest.approx(1)
    some = over_time(conn, run="one", baseline="two", edition="all", measure=measure, days=[DAYS[2], DAYS[0]]).days
    assert some == [rows[0], rows[2]]
    conn.commit()
    words = ["over-time", "one", "two", "--edition", "all", "-m", "AP", "--format", "json"]
    shown = CliRunner().invoke(evaluation_group, words, obj=settings)
    assert shown.exit_code == 0, shown.output
    assert [row["arp"] for row in json.loads(shown.stdout)] == pytest.approx([row.arp for row in rows], abs=1e-4)


def test_the_figure(world: World, conn: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    conn.commit()
    measure = parse_measure("AP")
    rows = over_time(conn, run="one", baseline="two", edition="all", measure=measure).days
    figure = snapshots(conn, "one", "two", edition="all", measure=measure)
    assert "AP on all: one against two" in title(figure)
    assert "3 days, 5 to 6 queries" in title(figure)
    leads = [row.arp - row.baseline_arp for row in rows]
    days = [date.fromisoformat(day).toordinal() for day in DAYS]
    for name, values in (("run", [row.arp for row in rows]), ("baseline", [row.baseline_arp for row in rows]), ("lead", leads)):
        assert list(part(figure, name).get_xdata()) == days
        assert list(part(figure, name).get_ydata()) == pytest.approx(values, abs=1e-12)
    assert list(part(figure, "first").get_ydata()) == [leads[0], leads[0]]
    check_texts(figure)
    words = ["snapshots", "one", "two", "--edition", "all", "-m", "AP", "--out", str(tmp_path / "a.svg")]
    shown = CliRunner().invoke(plot_group, [*words, "--csv", str(tmp_path / "a.csv")], obj=settings)
    assert shown.exit_code == 0, shown.output
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    assert [row["day"] for row in read] == list(DAYS)
    assert [float(row["lead"]) for row in read] == pytest.approx(leads)
    refused = CliRunner().invoke(plot_group, [*words, "--days", DAYS[0]], obj=settings)
    assert isinstance(refused.exception, BadArgument)
    assert "only one day: 2024-01-15" in str(refused.exception)


def test_wrong_input(world: World, conn: psycopg.Connection) -> None:
    measure = parse_measure("AP")
    with pytest.raises(BadArgument, match="the run one is its own baseline"):
        over_time(conn, run="one", baseline="one", edition="all", measure=measure)
    with pytest.raises(BadArgument, match="only one day: 2024-01-15"):
        over_time(conn, run="one", baseline="two", edition="all", measure=measure, days=[DAYS[0]])
    with pytest.raises(BadArgument, match="is not a date"):
        over_time(conn, run="one", baseline="two", edition="all", measure=measure, days=[DAYS[0], "June 2024"])
    conn.execute("DELETE FROM stc.corpus_snapshots")
    with pytest.raises(StateError, match="the collection has no snapshots"):
        over_time(conn, run="one", baseline="two", edition="all", measure=measure)


def test_in_python(world: World, conn: psycopg.Connection, settings: Settings) -> None:
    conn.commit()
    measure = parse_measure("AP")
    rows = over_time(conn, run="one", baseline="two", edition="all", measure=measure).days
    with Collection(settings) as c:
        found = c.over_time("one", "two", edition="all", measure="AP")
        assert found["day"].tolist() == list(DAYS)
        assert found.values.tolist() == [list(row) for row in rows]
        some = c.over_time("one", "two", edition="all", measure="AP", days=[DAYS[0], DAYS[2]], queries=["q0", "q1"], frame="polars")
        assert some["queries"].to_list() == [2, 2]
        for day in (DAYS[0], DAYS[2]):
            expected = leaderboard(conn, edition="all", measures=[measure], as_of=day)
            ranked = c.leaderboard("all", measures=["AP"], as_of=day)
            assert ranked.values.tolist() == [[one.run, *one.values] for one in expected]
            assert ranked.values.tolist() != c.leaderboard("all", measures=["AP"]).values.tolist()
        with pytest.raises(BadArgument, match="'June 2024' is not a date"):
            c.leaderboard("all", as_of="June 2024")
        with pytest.raises(BadArgument, match="the run one is its own baseline"):
            c.over_time("one", "one", edition="all")
        with pytest.raises(UnknownObject, match="no run 'other'"):
            c.over_time("one", "other", edition="all")
