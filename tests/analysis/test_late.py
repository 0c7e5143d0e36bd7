"""A run submitted after the judgments: its unjudged share, and the ranks that queries and unjudged documents allow."""

from __future__ import annotations

import json

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.late import late_runs
from stcollection.analysis.reusability import unjudged
from stcollection.analysis.ties import tied_ranking
from stcollection.cli.analysis.unjudged import late_command as command
from stcollection.db.settings import Settings
from stcollection.errors import StateError, UnknownObject
from stcollection.evaluation.measures import Bpref, P, nDCG
from tests.qrels.conftest import judge as stored_judge
from tests.qrels.pooled import put_run

pytestmark = pytest.mark.slow

judge = stored_judge


@pytest.fixture
def runs(conn: psycopg.Connection, judge: object) -> None:
    """Three pooled runs on three queries, and a late one whose first document nobody judged."""
    assert callable(judge)
    judge("".join(f"q{n} 0 a 1\nq{n} 0 b 0\n" for n in (1, 2, 3)), "e")
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (90, 'x', '{}'), (91, 'y', '{}')")
    queries = ("q1", "q2", "q3")
    put_run(conn, "best", {query: ["a", "b"] for query in queries})
    put_run(conn, "half", {"q1": ["a"], "q2": ["b"], "q3": ["b"]})
    put_run(conn, "worst", {query: ["b"] for query in queries})
    put_run(conn, "late", {"q1": ["x"], "q2": ["x"], "q3": ["b"]})


@pytest.mark.usefixtures("runs")
def test_by_hand(conn: psycopg.Connection) -> None:
    [late] = late_runs(conn, ["late"], edition="e", measure=P @ 1)
    assert (late.retrieved, late.unjudged) == (3, 2)
    assert late.share == pytest.approx(2 / 3)
    assert (late.value, late.rank) == (0, 3)  # best, half; worst is equal
    assert late.worst == 0
    assert late.best == pytest.approx(2 / 3)
    assert (late.rank_best, late.rank_worst) == (2, 3)
    [of_run] = [one for one in tied_ranking(conn, edition="e", measure=P @ 1).runs if one.run == "late"]
    assert (late.rank_low, late.rank_high) == (of_run.rank_low, of_run.rank_high)
    assert late.rank_low <= late.rank <= late.rank_high
    [bounds] = unjudged(conn, edition="e", measure=nDCG @ 10, runs=["late"])
    [ndcg] = late_runs(conn, ["late"], edition="e")
    assert (ndcg.value, ndcg.worst, ndcg.best) == (bounds.value, bounds.worst, bounds.best)
    [bpref] = late_runs(conn, ["late"], edition="e", measure=Bpref)
    assert (bpref.worst, bpref.rank_best) == (None, None)
    assert [one.run for one in late_runs(conn, ["late", "half"], edition="e", measure=P @ 1)] == ["half", "late"]


@pytest.mark.usefixtures("runs")
def test_what_is_refused(conn: psycopg.Connection) -> None:
    for name, edition in (("lat", "e"), ("late", "f")):
        with pytest.raises(UnknownObject):
            late_runs(conn, [name], edition=edition)
    with pytest.raises(StateError, match="1 judged query"):
        late_runs(conn, ["late"], edition="e", measure=P @ 1, queries="q1")
    conn.execute("DELETE FROM st1_runs WHERE run <> 'late'")
    with pytest.raises(StateError, match="no other run"):
        late_runs(conn, ["late"], edition="e")


@pytest.mark.usefixtures("runs", "dsn")
def test_the_command(conn: psycopg.Connection, settings: Settings) -> None:
    done = CliRunner().invoke(command, ["late", "--edition", "e", "-m", "P@1"], obj=settings)
    assert done.exit_code == 0, done.output
    assert "To judge the 2 documents: stc pool make late late --depth 1 --exclude e" in done.output
    [row] = json.loads(CliRunner().invoke(command, ["late", "--edition", "e", "--format", "json"], obj=settings).stdout)
    assert (row["measure"], row["run"], row["rank_worst"]) == ("nDCG@10", "late", 3)
