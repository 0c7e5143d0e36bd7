"""tune_fusion: every point of the grid equals evaluate of that fusion; the report on another edition."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner
from psycopg.rows import class_row

from stcollection.cli.retrieval.fusion import tune_command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StcError, UnknownObject, translate
from stcollection.retrieval.fuse import FusionRule, NewRun, fuse
from stcollection.retrieval.tune import TENTHS, FusionTuning, Point, paired_t_test, tune_run
from tests import databases
from tests.retrieval.fusing import METHODS, put_documents, put_run, stored

pytestmark = pytest.mark.slow

MEASURES = ("ndcg", "precision_at", "recall_at", "reciprocal_rank", "average_precision")
QUERIES = {"train": ["q1", "q2", "q3", "unjudged by runs"], "test": ["q4", "q5", "q6", "q7"]}
RUNS = ("a", "b", "c")


@databases.world
def filled(conn: psycopg.Connection) -> psycopg.Connection:
    """Return three runs of seven queries with many ties, two editions, and an edition opposite to train."""
    rng = np.random.default_rng(5)
    docs = range(1, 41)
    put_documents(conn, docs)
    for run in RUNS:
        put_run(
            conn,
            {
                f"q{query}": {int(doc): float(rng.integers(0, 9)) for doc in rng.choice(docs, 12 + query, replace=False)}
                for query in range(1, 8)
                if (run, query) != ("b", 3)
            },
            run,
        )
    for edition, queries in QUERIES.items():
        conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s), (%s)", [edition, f"~{edition}"])
        for query in queries:
            conn.execute("INSERT INTO stc.st1_queries (query) VALUES (%s) ON CONFLICT DO NOTHING", [query])
            for doc in rng.choice(docs, 15, replace=False):
                rel = int(rng.integers(-1, 3)) if query != "q2" else 0
                for name, value in ((edition, rel), (f"~{edition}", 2 - max(rel, 0))):
                    conn.execute(
                        "INSERT INTO qrels_judgments (edition, query, doc, rel)"
                        " SELECT e.id, q.id, %s, %s FROM qrels_editions e, st1_queries q WHERE e.edition = %s AND q.query = %s",
                        [int(doc), value, name, query],
                    )
    return conn


@translate()
def tune(
    conn: psycopg.Connection, *, runs: Sequence[str], edition: str, tuning: FusionTuning = TENTHS, depth: int = 1000
) -> list[Point]:
    """Return the points of the SQL function tune_fusion."""
    tried = [tuning.measure, tuning.cutoff, tuning.method, tuning.norm, tuning.steps, list(tuning.constants)]
    with conn.transaction(), conn.cursor(row_factory=class_row(Point)) as cursor:
        return cursor.execute(
            "SELECT * FROM tune_fusion(%s, %s, %s, %s, %s, %s, %s, %s, %s)", [list(runs), edition, *tried, depth]
        ).fetchall()


def evaluated(conn: psycopg.Connection, run: str, edition: str, measure: str, cutoff: int) -> float:
    row = conn.execute(f"SELECT {measure} FROM stc.evaluate_runs(ARRAY[%s], %s, ARRAY[%s])", [run, edition, cutoff]).fetchone()
    assert row is not None
    return float(row[0])


@pytest.mark.parametrize("how", METHODS, ids=" ".join)
def test_each_point_is_what_evaluate_says_of_that_fusion(filled: psycopg.Connection, how: tuple[str, str]) -> None:
    method, norm = how
    for depth, cutoff in ((1000, 5), (7, 10)):
        points = {
            measure: tune(
                filled,
                runs=RUNS,
                edition="train",
                tuning=FusionTuning(measure=measure, cutoff=cutoff, method=method, norm=norm, steps=3, constants=[0, 60]),
                depth=depth,
            )
            for measure in MEASURES
        }
        settings = {(tuple(point.weights[run] for run in RUNS), point.constant) for point in points["ndcg"]}
        assert len(settings) == 10 * (2 if method == "rrf" else 1)
        for weights, constant in settings:
            fuse(
                filled,
                name="new",
                runs=RUNS,
                rule=FusionRule(method=method, norm=norm, constant=constant or 0),
                weights=dict(zip(RUNS, weights, strict=True)),
                depth=depth,
                replace=True,
            )
            for measure, found in points.items():
                [value] = [
                    point.value
                    for point in found
                    if (tuple(point.weights[run] for run in RUNS), point.constant) == (weights, constant)
                ]
                assert value == pytest.approx(evaluated(filled, "new", "train", measure, cutoff), abs=1e-12), (measure, weights)
        for found in points.values():
            values = [round(point.value, 9) for point in found]
            assert values == sorted(values, reverse=True)
            assert len({*values}) > 1


def test_by_hand(conn: psycopg.Connection) -> None:
    """One relevant document is first in b and last in a; by weighted minmax sums it is first from weight 1/2 of b on."""
    put_documents(conn, range(1, 4))
    put_run(conn, {"q": {1: 3.0, 2: 2.0, 3: 1.0}}, "a")
    put_run(conn, {"q": {3: 3.0, 2: 2.0, 1: 1.0}}, "b")
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('e')")
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, 3, 1 FROM qrels_editions e, st1_queries q"
    )
    points = tune(conn, runs=["a", "b"], edition="e", tuning=FusionTuning(method="sum", steps=4))
    # At weight 1/2 all three have .5, and 3 is the first docno. At equal values, the most equal weights come first.
    assert [(point.weights["a"], point.value) for point in points] == [
        (0.5, 1.0),
        (0.25, 1.0),
        (0.0, 1.0),
        (0.75, pytest.approx(1 / math.log2(4))),
        (1.0, pytest.approx(1 / math.log2(4))),
    ]
    assert {point.constant for point in points} == {None}


@pytest.mark.parametrize(("runs", "steps", "points"), [(2, 10, 11), (3, 10, 66), (4, 10, 286), (3, 1, 3), (1, 5, 1)])
def test_the_grid(conn: psycopg.Connection, runs: int, steps: int, points: int) -> None:
    grid = [tuple(weights) for (weights,) in conn.execute("SELECT weights FROM stc.tune_grid(%s, %s)", [runs, steps])]
    assert len({*grid}) == len(grid) == points
    assert {len(weights) for weights in grid} == {runs}
    assert all(sum(weights) == pytest.approx(1) and min(weights) >= 0 for weights in grid)
    assert all(weight * steps == pytest.approx(round(weight * steps)) for weights in grid for weight in weights)


def test_the_best_of_train_is_stored_and_test_reported(filled: psycopg.Connection) -> None:
    done = tune_run(
        filled,
        into=NewRun(name="best"),
        runs=RUNS,
        train="train",
        test="test",
        tuning=FusionTuning(method="sum", measure="average_precision"),
    )
    best = tune(filled, runs=RUNS, edition="train", tuning=FusionTuning(method="sum", measure="average_precision"))[0]
    assert done.points[0] == best
    assert sum(weight > 0 for weight in best.weights.values()) > 1
    assert (done.queries, done.shared) == (4, 0)
    fuse(filled, name="again", runs=RUNS, rule=FusionRule(method="sum"), weights=best.weights)
    assert stored(filled, "best") == stored(filled, "again")
    [(params,)] = filled.execute("SELECT params FROM st1_runs WHERE run = 'best'").fetchall()
    assert params["tuned"] == {
        "edition": "train",
        "measure": "average_precision",
        "cutoff": 10,
        "steps": 10,
        "points": 66,
        "value": pytest.approx(best.value),
        "queries": 4,
        "folds": 5,
        "validated": done.validated[0].value,
    }
    assert {one["run"]: one["weight"] for one in params["runs"]} == best.weights

    def values(run: str) -> list[float]:
        rows = filled.execute("SELECT average_precision FROM evaluate(ARRAY[%s], 'test') ORDER BY query", [run]).fetchall()
        assert len(rows) == 4
        return [row[0] for row in rows]

    stats: Any = importlib.import_module("scipy.stats")
    assert [one.run for one in done.test] == ["best", *RUNS]
    for one in done.test:
        assert one.value == pytest.approx(float(np.mean(values(one.run))))
        if one.run == "best":
            assert one.difference is None
            assert one.p is None
        else:
            assert one.difference == pytest.approx(done.test[0].value - one.value)
            assert one.p == pytest.approx(stats.ttest_rel(values("best"), values(one.run)).pvalue)


def test_cross_validation_leaves_out_whole_topics(filled: psycopg.Connection) -> None:
    """Each query has the value of the best point of the queries in other folds, in numpy."""
    for query, topic in {"q1": "x", "q2": "x", "q3": "y", "unjudged by runs": "z", "q4": "y"}.items():
        filled.execute("INSERT INTO st1_topics (topic) VALUES (%s) ON CONFLICT DO NOTHING", [topic])
        filled.execute(
            "UPDATE stc.st1_queries SET topic = (SELECT id FROM st1_topics WHERE topic = %s) WHERE query = %s", [topic, query]
        )
    filled.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT (SELECT id FROM qrels_editions WHERE edition = 'train'),"
        " query, doc, rel FROM qrels_judgments j JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = 'test'"
    )
    given = [[*RUNS], "train", "average_precision", 10, "sum", "minmax", 3, [60], 1000]
    values = "stc.fusion_values(%s, %s, %s, %s, %s, %s, %s, %s, %s)"
    rows = filled.execute(
        f"SELECT q.query, v.weights, v.value FROM {values} v JOIN stc.st1_queries q ON q.id = v.query", given
    ).fetchall()
    points = sorted({tuple(weights) for _, weights, _ in rows}, key=lambda w: (sum(x * x for x in w), [-x for x in w]))
    value = {(query, tuple(weights)): one for query, weights, one in rows}
    queries = sorted({query for query, _, _ in rows})
    for folds in (2, 3, 50):
        found = filled.execute(
            "SELECT query, fold, value, even FROM stc.fusion_folds(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) WHERE query IS NOT NULL",
            [*given, folds],
        ).fetchall()
        fold = {query: number for query, number, _, _ in found}
        assert [*fold] == queries
        assert fold["q1"] == fold["q2"]
        assert fold["q3"] == fold["q4"]
        assert len({*fold.values()}) == min(folds, 6)
        for query, number, ours, even in found:
            rest = [other for other in queries if fold[other] != number]
            means = [round(float(np.mean([value[other, point] for other in rest])), 9) for point in points]
            assert ours == pytest.approx(value[query, points[int(np.argmax(means))]])
            assert even == pytest.approx(value[query, min(points, key=np.ptp)])
    with pytest.raises(psycopg.Error, match="folds is 1"):
        filled.execute("SELECT * FROM stc.fusion_folds(%s, %s, %s, %s, %s, %s, %s, %s, %s, 1)", given)


def test_the_paired_t_test_by_hand() -> None:
    # Differences .1 .2 .3: mean .2, standard error .1 / sqrt(3), t = 3.4641 with 2 degrees of freedom; p = 1 - t / sqrt(t² + 2).
    t = 0.2 / (0.1 / math.sqrt(3))
    assert paired_t_test([0.6, 0.6, 0.6], [0.5, 0.4, 0.3]) == pytest.approx(1 - t / math.sqrt(t**2 + 2))
    assert paired_t_test([0.5], [0.1]) is None
    assert paired_t_test([0.5, 0.5], [0.5, 0.5]) is None
    assert paired_t_test([0.3, 0.5], [0.1 + 0.2, 0.5]) is None


def test_all_or_nothing(filled: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="tset"):
        tune_run(filled, into=NewRun(name="best"), runs=RUNS, train="train", test="tset")
    with pytest.raises(BadArgument, match="same edition") as error:
        tune_run(filled, into=NewRun(name="best"), runs=RUNS, train="train", test="train")
    assert error.value.sqlstate == "IR202"
    with pytest.raises(BadArgument, match="one of its sources"):
        tune_run(filled, into=NewRun(name="a", replace=True), runs=RUNS, train="train")
    assert filled.execute("SELECT 1 FROM st1_runs WHERE run = 'best'").fetchall() == []
    tune_run(filled, into=NewRun(name="best"), runs=RUNS, train="train")
    with pytest.raises(BadArgument, match="best already"):
        tune_run(filled, into=NewRun(name="best"), runs=RUNS, train="train")


def test_queries_of_both_editions_are_counted(filled: psycopg.Connection) -> None:
    filled.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel)"
        " SELECT e.id, q.id, 1, 1 FROM qrels_editions e, st1_queries q WHERE e.edition = 'test' AND q.query IN ('q1', 'q2')"
    )
    done = tune_run(filled, into=NewRun(name="best"), runs=RUNS, train="train", test="test", tuning=FusionTuning(steps=2))
    assert (done.queries, done.shared) == (6, 2)


@pytest.mark.parametrize(
    ("state", "arguments", "what"),
    [
        ("IR101", {"runs": ["a", "d"]}, "no run 'd'"),
        ("IR102", {"edition": "trian"}, "no edition 'trian'"),
        ("IR108", {"measure": "bpref"}, "bpref"),
        ("IR108", {"measure": "ndcg FROM st1_runs; --"}, "no measure"),
        ("IR201", {"cutoff": 0}, "cutoff is 0"),
        ("IR201", {"depth": 0}, "depth is 0"),
        ("IR202", {"runs": ["a"]}, "a single run"),
        ("IR202", {"runs": []}, "no runs"),
        ("IR202", {"runs": ["a", "a"]}, "twice"),
        ("IR202", {"steps": 0}, "steps is 0"),
        ("IR202", {"steps": 1000}, "points"),
        ("IR202", {"constants": []}, "constants is empty"),
        ("IR202", {"constants": [60, -1]}, "-1"),
        ("IR202", {"method": "borda"}, "borda"),
        ("IR202", {"norm": "max"}, "max"),
        ("IR405", {"edition": "empty"}, "edition 'empty' has no judgments"),
    ],
)
def test_errors(filled: psycopg.Connection, state: str, arguments: dict[str, Any], what: str) -> None:
    arguments = dict(arguments)
    where: dict[str, Any] = {
        "runs": RUNS,
        "edition": "train",
        **{name: arguments.pop(name) for name in ("runs", "edition", "depth") if name in arguments},
    }
    filled.execute("INSERT INTO qrels_editions (edition) VALUES ('empty')")
    with pytest.raises(StcError, match=what) as error:
        tune(filled, **where, tuning=FusionTuning(**arguments))
    assert error.value.sqlstate == state
    assert error.value.hint


def test_a_score_beyond_single_precision(filled: psycopg.Connection) -> None:
    filled.execute("UPDATE stc.st1_rankings SET rel_score = 1e39 WHERE rank = 1")
    with pytest.raises(BadArgument, match=r"1e\+39"):
        tune(filled, runs=RUNS, edition="train", tuning=FusionTuning(method="sum"))
    assert tune(filled, runs=RUNS, edition="train", tuning=FusionTuning(method="rrf"))


def test_the_command(filled: psycopg.Connection, settings: Settings) -> None:
    def run(*arguments: str, code: int = 0) -> tuple[str, str]:
        done = CliRunner().invoke(tune_command, [*RUNS, *arguments], obj=settings)
        assert done.exit_code == code, done.output
        return done.stdout, done.stderr

    out, err = run("--train", "train", "--test", "test", "--method", "sum", "--steps", "4", "--format", "json")
    report = json.loads(out)
    assert [row["run"] for row in report] == ["tuned", *RUNS]
    assert all(row.keys() == {"run", "nDCG@10", "tuned − run", "p"} for row in report)
    assert "5 best of 15 on train" in err
    assert "train" not in out
    out, err = run("--train", "train", "-m", "MAP", "--constant", "0", "--constant", "60", "--name", "other", "--steps", "2")
    assert out.splitlines()[0].split() == ["a", "b", "c", "constant", "AP"]
    assert len(out.splitlines()) == 2 + 5
    [(params,)] = filled.execute("SELECT params FROM st1_runs WHERE run = 'other'").fetchall()
    assert (params["tuned"]["measure"], params["tuned"]["points"]) == ("average_precision", 12)
    run("--train", "train", "--test", "train", code=1)  # not as click prints it: main prints the error and exits with 2
    run("--train", "train", "--measure", "nonsense", code=1)
    run("--test", "test", code=2)


def test_weights_by_name_not_by_place(filled: psycopg.Connection) -> None:
    one = {
        json.dumps(p.weights, sort_keys=True): p.value
        for p in tune(filled, runs=["a", "b"], edition="train", tuning=FusionTuning(steps=4))
    }
    other = {
        json.dumps(p.weights, sort_keys=True): p.value
        for p in tune(filled, runs=["b", "a"], edition="train", tuning=FusionTuning(steps=4))
    }
    assert one == pytest.approx(other)
