"""Effect of another edition on the ranking of systems: by hand, and against single scores, scipy and the published runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

import psycopg
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

from stcollection.analysis.impact import impact, impact_queries
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.evaluation.measures import P, nDCG
from stcollection.evaluation.score import score
from stcollection.qrels.load import import_qrels
from stcollection.runs.load import import_runs
from tests.groups import qrels

pytestmark = pytest.mark.slow

# q1 is judged by both editions, q2 only by a, q3 only by b.
A = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\n"
B = "q1 0 d1 0\nq1 0 d2 1\nq1 0 d3 1\nq3 0 d3 1\n"
RUNS = {"x": {"q1": "d1 d3", "q2": "d1"}, "y": {"q1": "d2 d9", "q3": "d3 d1"}, "z": {"q1": "d9 d3"}}


@pytest.fixture
def world(conn: psycopg.Connection, tmp_path: Path) -> None:
    for edition, text in (("a", A), ("b", B)):
        path = tmp_path / f"{edition}.qrels"
        path.write_text(text)
        import_qrels(conn, path, edition=edition)
    for name, run in RUNS.items():
        _store(conn, tmp_path, name, run)


def _store(conn: psycopg.Connection, folder: Path, name: str, run: Mapping[str, str]) -> None:
    path = folder / f"{name}.run"
    path.write_text(
        "".join(f"{query} Q0 {doc} {rank} {-rank} t\n" for query, docs in run.items() for rank, doc in enumerate(docs.split(), 1))
    )
    list(import_runs(conn, [path]))


@pytest.mark.usefixtures("world")
def test_by_hand(conn: psycopg.Connection) -> None:
    done = impact(conn, "a", "b", measure=P @ 2)
    assert [tuple(one) for one in done.runs] == [
        ("x", 1.0, 0.5, -0.5, 1, 1, 1, 1),
        ("y", 0.0, 0.5, 0.5, 3, 1, 1, 1),
        ("z", 0.5, 0.5, 0.0, 2, 1, 1, 1),
    ]
    assert done.kendall_tau is None  # b gives all runs equal scores
    assert done.tau_ap is None
    assert done.rbo == pytest.approx((1 - 0.9) / 0.9 * (0.9 + 1 / 2 * 0.9**2 + 0.9**3) + 0.9**3)  # rankings x z y and x y z
    for edition in ("a", "b"):
        same = impact(conn, edition, edition, measure=P @ 1)
        assert sorted(one.rank_a for one in same.runs) == [1, 2, 2]
        assert same.kendall_tau == pytest.approx(1)
        assert same.tau_ap == 1
    [moved] = impact_queries(conn, "a", "b", measure=P @ 2, runs=["y"])
    assert tuple(moved) == ("y", "q1", 0.0, 0.5, 0.5)


@pytest.mark.usefixtures("world")
def test_all_queries(conn: psycopg.Connection) -> None:
    done = impact(conn, "a", "b", measure=P @ 1, every=True)
    values = {one.run: (one.value_a, one.value_b, one.queries_a, one.queries_b) for one in done.runs}
    assert values == {"x": (1.0, 0.0, 2, 2), "y": (0.0, 1.0, 2, 2), "z": (0.0, 0.0, 2, 2)}
    rows = {(one.run, one.query): one[2:] for one in impact_queries(conn, "a", "b", measure=P @ 1, every=True)}
    assert (rows["x", "q2"], rows["y", "q3"]) == ((1.0, None, None), (None, 1.0, None))


@pytest.mark.usefixtures("world")
def test_equal_runs_stay_equal(conn: psycopg.Connection, tmp_path: Path) -> None:
    _store(conn, tmp_path, "twin", RUNS["x"])
    ranks = {one.run: (one.rank_a, one.rank_b, one.shift) for one in impact(conn, "a", "b").runs}
    assert ranks["twin"] == ranks["x"]
    assert impact(conn, "a", "a").kendall_tau == pytest.approx(1)
    assert {one.shift for one in impact(conn, "a", "a").runs} == {0.0}


@pytest.mark.usefixtures("world")
def test_errors(conn: psycopg.Connection, tmp_path: Path) -> None:
    with pytest.raises(UnknownObject, match="no edition 'c'"):
        impact(conn, "a", "c")
    with pytest.raises(UnknownObject, match="no run 'w'"):
        impact(conn, "a", "b", runs=["w"])
    with pytest.raises(BadArgument, match="p is 1"):
        impact(conn, "a", "b", p=1.0)
    (tmp_path / "c.qrels").write_text("q4 0 d1 1\n")
    import_qrels(conn, tmp_path / "c.qrels", edition="c")
    with pytest.raises(StateError, match="no run has a score on a query that both 'a' and 'c' judge") as error:
        impact(conn, "a", "c")
    assert "--all" in (error.value.hint or "")
    conn.execute("DELETE FROM st1_runs")
    with pytest.raises(StateError, match="no run is stored"):
        impact(conn, "a", "b")


@pytest.mark.usefixtures("world")
def test_the_command(settings: Settings) -> None:
    def stc(*arguments: str) -> str:
        return CliRunner().invoke(qrels, ["impact", *arguments], obj=settings, catch_exceptions=False).stdout

    told = stc("a", "b", "-m", "P@2")
    assert "3 runs on 1 query: Kendall's tau-b –, tau_ap –, RBO" in told
    assert "moved most: y 3 → 1, z 2 → 1" in told
    found = json.loads(stc("a", "b", "-m", "P_2", "--format", "json"))
    assert (found["measure"], found["kendall_tau"], found["runs"][0]["run"]) == ("P@2", None, "x")
    assert stc("a", "b", "-m", "P@2", "--format", "csv").startswith(
        "run,value_a,value_b,shift,rank_a,rank_b,queries_a,queries_b\nx,"
    )
    assert stc("a", "b", "-q", "--format", "csv", "-r", "z").startswith("run,query,value_a,value_b,shift\nz,q1,")


@pytest.mark.long
def test_the_runs_of_dl21(conn: psycopg.Connection, data: Path, tmp_path: Path) -> None:
    """Compare NIST's judgments with a copy in which each seventh grade is lowered and each eleventh query is missing."""
    rows = [line.split() for line in (data / "trec-dl/dl21/nist.qrels").read_text().splitlines()]
    left = set(sorted({row[0] for row in rows})[::11])
    lowered = tmp_path / "lowered.qrels"
    lowered.write_text(
        "".join(
            f"{query} 0 {doc} {max(int(rel) - (number % 7 == 0), 0)}\n"
            for number, (query, _, doc, rel) in enumerate(rows)
            if query not in left
        )
    )
    import_qrels(conn, data / "trec-dl/dl21/nist.qrels", edition="nist")
    import_qrels(conn, lowered, edition="lowered")
    list(import_runs(conn, sorted((data / "trec-dl/dl21/runs").glob("*.gz"))))

    done = impact(conn, "nist", "lowered")
    assert len(done.runs) == 32
    values: dict[str, dict[str, list[float]]] = {"nist": {}, "lowered": {}}
    for edition, by_run in values.items():
        for one in score(conn, runs=[], edition=edition, measures=[nDCG @ 10]):
            if one.query not in left:
                by_run.setdefault(one.run, []).append(one.value)
    for found in done.runs:
        assert found.value_a == pytest.approx(fmean(values["nist"][found.run]), abs=1e-12)
        assert found.value_b == pytest.approx(fmean(values["lowered"][found.run]), abs=1e-12)
        assert found.rank_a == 1 + sum(fmean(other) > found.value_a + 1e-12 for other in values["nist"].values())
        assert found.queries_a == found.queries_b == 53 - len(left)
    expected = kendalltau([one.value_a for one in done.runs], [one.value_b for one in done.runs]).statistic
    assert done.kendall_tau == pytest.approx(expected, abs=1e-12)
    assert done.kendall_tau is not None
    assert 0.5 < done.kendall_tau < 1
    assert [one.value_b for one in done.runs] == sorted((one.value_b for one in done.runs), reverse=True)
