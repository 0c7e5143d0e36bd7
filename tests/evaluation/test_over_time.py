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

from stcollection.analysis.orderings import rank_biased_overlap, tau_union
from stcollection.analysis.overtime import Seen, compare_with_first, over_time, rankings_as_of
from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.score import leaderboard
from stcollection.figures import snapshots
from tests.evaluation.test_as_of import DAYS, World, filled, world
from tests.groups import evaluation as evaluation_group
from tests.groups import plot as plot_group
from tests.plots.look import check_texts, part, title

pytestmark = pytest.mark.slow
_ = filled, world

# Output of repro_eval 0.5.0 (https://pypi.org/project/repro_eval/) for the scores that the test draws: ER, DRI, RMSE, nRMSE, ttest
# with rpd=False and rpd=True, and arp_scores of the run at first and later, and of the baseline later.
ER, DRI, RMSE, P_VALUE = 0.14960680256444092, -0.14307459074734485, 0.4241640082574537, 0.7295673037636125
NRMSE, PAIRED_P_VALUE = 0.562425049614906, 0.7271646224878372
ARP_FIRST, ARP, ARP_BASELINE = 0.5160117357753168, 0.48832232549264, 0.5047733975994391
# Output for the rankings that the test draws: KTU (rounded to 14 digits there) and RBO with p 0.95 and depth 1000 by topic, RBO of
# rankings that are shorter later, RBO of equal rankings, and KTU of the first 25 documents.
KTU = [0.08700564971751, 0.06666666666667, 0.0271186440678, -0.04519774011299]
RBO = [0.3035186853163228, 0.3629349003614823, 0.3130218207424882, 0.38167263926373146]
RBO_SHORT, RBO_SAME, KTU_CUT = 0.31232881477391805, 0.9900731790192001, 0.0366666666666675


def test_the_values_are_those_of_repro_eval() -> None:
    draw = random.Random(3)
    run_first, base_first, run, base = ({f"q{number}": draw.random() for number in range(30)} for _ in range(4))
    found = compare_with_first(Seen("2024-01-15", run_first, base_first, {}), Seen("2024-06-30", run, base, {}))
    assert found.effect_ratio == pytest.approx(ER, abs=1e-12)
    assert found.delta_ri == pytest.approx(DRI, abs=1e-12)
    assert found.rmse == pytest.approx(RMSE, abs=1e-12)
    assert found.nrmse == pytest.approx(NRMSE, abs=1e-12)
    assert found.p_value == pytest.approx(P_VALUE, abs=1e-12)
    assert found.paired_p_value == pytest.approx(PAIRED_P_VALUE, abs=1e-12)
    assert (found.day, found.queries) == ("2024-06-30", 30)
    assert [str(value) for value in (found.tau_union, found.rbo)] == ["nan", "nan"]  # no ranking
    assert (found.arp, found.baseline_arp) == pytest.approx((ARP, ARP_BASELINE), abs=1e-12)
    assert found.result_delta == pytest.approx((ARP_FIRST - ARP) / ARP_FIRST, abs=1e-12)
    start = Seen("2024-01-15", run_first, base_first, {"q1": ["a", "b"], "q2": ["c"], "unjudged": ["d", "e"]})
    same = compare_with_first(start, start)
    assert list(same[4:]) == pytest.approx(
        [0, 1, 0, 0, 0, 1, 1, 1, (rank_biased_overlap("ab", "ab") + rank_biased_overlap("c", "c")) / 2]
    )


def test_the_similarity_of_rankings_is_that_of_repro_eval() -> None:
    draw = random.Random(5)
    docs = [f"d{number:03}" for number in range(120)]
    first = {f"q{number}": draw.sample(docs, 60) for number in range(4)}
    now = {
        query: [*draw.sample(ranked[:40], 30), *draw.sample([doc for doc in docs if doc not in ranked], 30)]
        for query, ranked in first.items()
    }
    assert [tau_union(first[query], now[query]) for query in first] == pytest.approx(KTU, abs=1e-12)
    assert [rank_biased_overlap(first[query], now[query]) for query in first] == pytest.approx(RBO, abs=1e-12)
    assert sum(rank_biased_overlap(first[query], now[query][:25]) for query in first) / 4 == pytest.approx(RBO_SHORT, abs=1e-12)
    assert rank_biased_overlap(first["q0"], first["q0"]) == pytest.approx(RBO_SAME, abs=1e-12)
    assert tau_union(first["q0"], first["q0"]) == 1
    # repro_eval refuses rankings of different lengths; here the longer one is cut.
    assert sum(tau_union(first[query], now[query][:25]) for query in first) / 4 == pytest.approx(KTU_CUT, abs=1e-12)
    assert str(tau_union(["a"], ["a", "b"])) == "nan"
    scores = dict.fromkeys(first, 0.5)
    found = compare_with_first(Seen("2024-01-15", scores, scores, first), Seen("2024-06-30", scores, scores, now))
    assert (found.tau_union, found.rbo) == pytest.approx((sum(KTU) / 4, sum(RBO) / 4), abs=1e-12)


def test_rankings_have_the_documents_of_the_snapshot(world: World, conn: psycopg.Connection) -> None:
    for index, day in enumerate(DAYS):
        expected = {
            query: sorted(docs, key=lambda doc: -docs[doc]) for query, docs in world.only(world.runs["one"], index).items() if docs
        }
        assert rankings_as_of(conn, "one", day) == expected
    shallow = conn.execute("SELECT max(cardinality(docnos)) FROM stc.rankings_as_of('one', %s, 3)", [DAYS[0]]).fetchone()
    assert shallow == (3,)
    with pytest.raises(psycopg.Error, match="the depth is 0"):
        conn.execute("SELECT stc.rankings_as_of('one', %s, 0)", [DAYS[0]])


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
    own = [f"{day}=all {day}" for day in DAYS]  # each day with its own judgments
    assert over_time(conn, run="one", baseline="two", edition="all", measure=measure, days=[DAYS[0], *own[1:]]).days == rows
    with pytest.raises(UnknownObject, match="no edition 'none'"):
        over_time(conn, run="one", baseline="two", edition="all", measure=measure, days=[DAYS[0], f"{DAYS[1]}=none"])
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
    assert "tau union" in title(figure)
    leads = [row.arp - row.baseline_arp for row in rows]
    days = [date.fromisoformat(day).toordinal() for day in DAYS]
    drawn = (
        ("run", [row.arp for row in rows]),
        ("baseline", [row.baseline_arp for row in rows]),
        ("lead", leads),
        ("rbo", [row.rbo for row in rows]),
        ("tau", [row.tau_union for row in rows]),
    )
    for name, values in drawn:
        assert list(part(figure, name).get_xdata()) == days
        assert list(part(figure, name).get_ydata()) == pytest.approx(values, abs=1e-12)
    assert list(part(figure, "first").get_ydata()) == [leads[0], leads[0]]
    check_texts(figure)
    words = ["snapshots", "one", "two", "--edition", "all", "-m", "AP", "--out", str(tmp_path / "a.svg")]
    shown = CliRunner().invoke(plot_group, [*words, "--out", str(tmp_path / "a.csv")], obj=settings)
    assert shown.exit_code == 0, shown.output
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    assert [row["day"] for row in read] == list(DAYS)
    assert [float(row["lead"]) for row in read] == pytest.approx(leads)
    assert [float(row["rbo"]) for row in read] == pytest.approx([row.rbo for row in rows])
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
