"""combine_tune: every point equals evaluate and document_means of that combination; the choice; the report."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli.retrieval.combination import combine_tune_command as tune_command
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StcError, UnknownObject
from stcollection.retrieval.combine import combine
from stcollection.retrieval.combine_tune import CombinationTuning, TradeOff, trade_offs, tune_combination
from stcollection.retrieval.fuse import NewRun
from tests.retrieval.combining import combined, put_facts, world
from tests.retrieval.fusing import by_rank, put_run, stored
from tests.text.documents import clone

pytestmark = pytest.mark.slow

MEASURES = ("textstat_fkgl", "citation_percentile")
QUERIES = {"train": ["q1", "q2", "q3", "not in the run"], "test": ["q4", "q5", "q6", "q7"]}
FACTS = world(8, docs=40)


def run_scores() -> dict[str, dict[int, float]]:
    rng = np.random.default_rng(5)
    return {
        f"q{n}": {int(doc): float(rng.integers(0, 9)) for doc in rng.choice(range(1, 41), 12 + n, replace=False)}
        for n in range(1, 8)
    }


@pytest.fixture(scope="module")
def filled(server: Settings, admin: psycopg.Connection, template: str) -> Iterator[psycopg.Connection]:
    """Return a run of seven queries with many ties, two editions, and an edition opposite to train."""
    with clone(server, admin, template, "combinetune") as conn:
        put_facts(conn, FACTS)
        put_run(conn, run_scores(), "base")
        rng = np.random.default_rng(6)
        for edition, queries in QUERIES.items():
            conn.execute("INSERT INTO qrels_editions (edition) VALUES (%s), (%s)", [edition, f"~{edition}"])
            for query in queries:
                conn.execute("INSERT INTO stc.st1_queries (query) VALUES (%s) ON CONFLICT DO NOTHING", [query])
                for doc in rng.choice(range(1, 41), 15, replace=False):
                    rel = int(rng.integers(-1, 3)) if query != "q2" else 0
                    for name, value in ((edition, rel), (f"~{edition}", 2 - max(rel, 0))):
                        conn.execute(
                            "INSERT INTO qrels_judgments (edition, query, doc, rel)"
                            " SELECT e.id, q.id, %s, %s FROM qrels_editions e, st1_queries q WHERE e.edition = %s AND q.query = %s",
                            [int(doc), value, name, query],
                        )
        yield conn


@pytest.mark.parametrize("transforms", [{}, {"relevance": "reciprocal(5)", "textstat_fkgl": "percentile"}], ids=["own", "stated"])
def test_each_point_is_what_is_said_of_that_run(filled: psycopg.Connection, transforms: dict[str, str]) -> None:
    points = trade_offs(filled, run="base", edition="train", tuning=CombinationTuning(transforms=transforms, steps=4, cutoff=5))
    assert len({json.dumps(point.weights, sort_keys=True) for point in points}) == len(points) == 15
    for point in points:
        combine(filled, run="base", name="new", weights=point.weights, transforms=transforms, replace=True)
        value = filled.execute("SELECT avg(ndcg) FROM evaluate('{new}', 'train', '{5}')").fetchone()
        assert value is not None
        assert point.ndcg == pytest.approx(value[0], abs=1e-12)
        means = filled.execute(
            "SELECT measure, avg(value) FROM document_means('{new}', 'train', %s, 5) GROUP BY 1", [list(MEASURES)]
        ).fetchall()
        assert point.means == pytest.approx(dict(means), abs=1e-9)
    assert len({round(point.ndcg, 9) for point in points}) > 5
    assert [point.ndcg for point in points] == sorted((point.ndcg for point in points), reverse=True)


def test_gain_and_means_apart_from_sql(filled: psycopg.Connection) -> None:
    how = {"relevance": "minmax", "textstat_fkgl": "linear(20,8)", "citation_percentile": "linear(0,100)"}
    for point in trade_offs(filled, run="base", edition="train", tuning=CombinationTuning(steps=3, cutoff=4)):
        gains, grades = [], []
        for query in QUERIES["train"][:3]:
            ranking = run_scores()[query]
            scores = combined(ranking, FACTS, weights=point.weights, transforms=how)
            first = by_rank({doc: float(np.float32(round(score, 12))) for doc, score in scores.items()})[:4]
            parts = [combined(ranking, FACTS, weights={measure: 1}, transforms={measure: how[measure]}) for measure in MEASURES]
            gains.append(np.mean([part[doc] for part in parts for doc in first]))
            known = [grade for doc in first if (grade := FACTS[doc]["textstat_fkgl"]) is not None]
            grades.append(np.mean(known))
        assert point.gain == pytest.approx(np.mean(gains), abs=1e-9)
        assert point.means["textstat_fkgl"] == pytest.approx(np.mean(grades), abs=1e-9)


def chosen(points: list[TradeOff]) -> TradeOff:
    [one] = [point for point in points if point.chosen]
    return one


def gain_of(point: TradeOff) -> float:
    assert point.gain is not None
    return point.gain


@pytest.mark.parametrize("give_up", [0.0, 0.02, 0.3, 1.0])
def test_the_choice_and_the_curve(filled: psycopg.Connection, give_up: float) -> None:
    points = trade_offs(filled, run="base", edition="train", tuning=CombinationTuning(give_up=give_up))
    assert len(points) == 66
    best = max(point.ndcg for point in points)
    allowed = [point for point in points if point.ndcg >= (1 - give_up) * best - 1e-9]
    one = chosen(points)
    assert one in allowed
    assert gain_of(one) == pytest.approx(max(map(gain_of, allowed)), abs=1e-9)
    assert one.curve
    for point in points:
        beaten = any(
            (other.ndcg > point.ndcg + 1e-9 and gain_of(other) >= gain_of(point) - 1e-9)
            or (other.ndcg >= point.ndcg - 1e-9 and gain_of(other) > gain_of(point) + 1e-9)
            for other in points
        )
        assert point.curve is not beaten
    assert 1 < sum(point.curve for point in points) < 66


def test_giving_up_more_gains_more(filled: psycopg.Connection) -> None:
    gains = [
        gain_of(chosen(trade_offs(filled, run="base", edition="train", tuning=CombinationTuning(give_up=share))))
        for share in (0.0, 0.05, 0.5, 1.0)
    ]
    assert gains == sorted(gains)
    assert gains[0] < gains[-1]


def test_the_chosen_is_stored_and_test_reported(filled: psycopg.Connection) -> None:
    done = tune_combination(
        filled, run="base", into=NewRun(name="best"), train="train", test="test", tuning=CombinationTuning(give_up=0.1, cutoff=5)
    )
    one = chosen(done.points)
    assert chosen(trade_offs(filled, run="base", edition="train", tuning=CombinationTuning(give_up=0.1, cutoff=5))) == one
    assert sum(weight > 0 for weight in one.weights.values()) > 1
    combine(filled, run="base", name="again", weights=one.weights)
    assert stored(filled, "best") == stored(filled, "again")
    [(params,)] = filled.execute("SELECT params FROM st1_runs WHERE run = 'best'").fetchall()
    assert params["tuned"] == {
        "edition": "train",
        "cutoff": 5,
        "steps": 10,
        "points": 66,
        "give_up": 0.1,
        "ndcg": pytest.approx(one.ndcg),
        "gain": pytest.approx(one.gain),
    }
    assert params["weights"] == {measure: weight for measure, weight in one.weights.items() if weight > 0}

    stats: Any = importlib.import_module("scipy.stats")
    assert (done.queries, done.shared) == (4, 0)
    assert [contrast.what for contrast in done.test] == ["nDCG@5", *MEASURES]
    for contrast in done.test:
        values: dict[str, list[float]] = {}
        for run in ("base", "best"):
            statement = (
                "SELECT query, ndcg FROM evaluate(ARRAY[%(run)s], 'test', '{5}') ORDER BY 1"
                if contrast.what == "nDCG@5"
                else "SELECT query, value FROM document_means(ARRAY[%(run)s], 'test', ARRAY[%(what)s], 5) ORDER BY 1"
            )
            rows = filled.execute(statement, {"run": run, "what": contrast.what}).fetchall()
            assert [query for query, _ in rows] == QUERIES["test"]
            values[run] = [value for _, value in rows]
        assert contrast.queries == 4
        assert contrast.source == pytest.approx(np.mean(values["base"]))
        assert contrast.combined == pytest.approx(np.mean(values["best"]))
        assert contrast.p == pytest.approx(stats.ttest_rel(values["best"], values["base"]).pvalue, nan_ok=True)


def test_means_by_hand(filled: psycopg.Connection) -> None:
    first = [doc for doc, _ in stored(filled, "base")["q4"]][:3]
    known = [grade for doc in first if (grade := FACTS[doc]["textstat_fkgl"]) is not None]
    rows = filled.execute("SELECT value FROM document_means('{base}', 'test', '{textstat_fkgl}', 3) WHERE query = 'q4'").fetchall()
    assert rows == [(pytest.approx(np.mean(known)),)]
    with pytest.raises(psycopg.Error) as error:
        filled.execute("SELECT * FROM document_means('{base}', 'test', '{relevance}')")
    assert error.value.sqlstate == "IR202"


def test_all_or_nothing(filled: psycopg.Connection) -> None:
    with pytest.raises(UnknownObject, match="tset"):
        tune_combination(filled, run="base", into=NewRun(name="none"), train="train", test="tset")
    with pytest.raises(BadArgument, match="same edition") as error:
        tune_combination(filled, run="base", into=NewRun(name="none"), train="train", test="train")
    assert error.value.sqlstate == "IR202"
    with pytest.raises(BadArgument, match="one of its sources"):
        tune_combination(filled, run="base", into=NewRun(name="base", replace=True), train="train")
    with pytest.raises(BadArgument, match="transform but no weight"):
        tune_combination(
            filled, run="base", into=NewRun(name="none"), train="train", tuning=CombinationTuning(transforms={"age": "linear(0,1)"})
        )
    assert filled.execute("SELECT 1 FROM st1_runs WHERE run = 'none'").fetchall() == []


@pytest.mark.parametrize(
    ("state", "arguments", "what"),
    [
        ("IR101", {"run": "bsae"}, "no run 'bsae'"),
        ("IR102", {"edition": "trian"}, "no edition 'trian'"),
        ("IR108", {"measures": ["fkgl"]}, "no measure fkgl"),
        ("IR201", {"cutoff": 0}, "cutoff is 0"),
        ("IR202", {"measures": []}, "no measure is given"),
        ("IR202", {"measures": ["relevance"]}, "always part of the combination"),
        ("IR202", {"measures": ["age", "age"]}, "twice"),
        ("IR202", {"steps": 0}, "steps is 0"),
        ("IR202", {"steps": 1000}, "points"),
        ("IR202", {"give_up": 1.5}, "give_up is"),
        ("IR202", {"give_up": float("nan")}, "give_up is"),
        ("IR202", {"missing": "median"}, "median"),
        ("IR405", {"measures": ["cmu_fkgl"]}, "cmu_fkgl"),
    ],
)
def test_errors(filled: psycopg.Connection, state: str, arguments: dict[str, Any], what: str) -> None:
    arguments = dict(arguments)
    where: dict[str, Any] = {
        "run": "base",
        "edition": "train",
        **{name: arguments.pop(name) for name in ("run", "edition") if name in arguments},
    }
    with pytest.raises(StcError, match=what) as error:
        trade_offs(filled, **where, tuning=CombinationTuning(**arguments))
    assert error.value.sqlstate == state
    assert error.value.hint


def test_the_command(filled: psycopg.Connection, settings: Settings) -> None:
    here = replace(settings, db=filled.info.dbname)

    def run(*arguments: str, code: int = 0) -> tuple[str, str]:
        done = CliRunner().invoke(tune_command, ["base", "--replace", *arguments], obj=here)
        assert done.exit_code == code, done.output
        return done.stdout, done.stderr

    out, err = run("--train", "train", "--test", "test", "--steps", "4", "--max-loss", "0.2", "--format", "json")
    report = json.loads(out)
    assert [row["mean of"] for row in report] == ["nDCG@10", *MEASURES]
    assert all(row.keys() == {"mean of", "base", "tuned-readable", "difference", "queries", "p"} for row in report)
    assert "of 15 points on train" in err
    assert "tuned-readable: comb_score = " in err
    assert "train" not in out
    out, _ = run("--train", "train", "--measure", "textstat_fkgl", "--steps", "5", "--all", "--cutoff", "3", "--format", "csv")
    lines = out.splitlines()
    assert lines[0] == "relevance,textstat_fkgl,nDCG@3,gain@3,mean textstat_fkgl,chosen"
    assert len(lines) == 1 + 6
    assert sum(line.endswith("←") for line in lines) == 1
    run("--train", "train", "--test", "train", code=1)  # not as click prints it: main prints the error and exits with 2
    run("--test", "test", code=2)
    run("--train", "train", "--max-loss", "2", code=2)
