"""Audit of expansions: counts by definition, effects equal to those of a stored expansion, and nothing left behind."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest

from stcollection.analysis.expansion import sweep
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.measures import nDCG
from stcollection.evaluation.score import leaderboard
from stcollection.qrels.expand import expand
from tests.qrels.test_expand import judge
from tests.vectors.worlds import clustered, put_vectors

pytestmark = pytest.mark.slow

SIZE = 200
NEIGHBOURS, THRESHOLDS = (3, 8), (0.35, 0.5)
Judged = dict[tuple[str, int], int]


@pytest.fixture
def world(conn: psycopg.Connection) -> tuple[psycopg.Connection, Judged, Judged]:
    """Documents in clusters, judgments, later judgments, and three runs."""
    rng = np.random.default_rng(4)
    put_vectors(conn, title=dict(enumerate(clustered(SIZE, seed=4, clusters=12))))
    train: Judged = {(f"q{rng.integers(4)}", int(rng.integers(SIZE))): int(rng.integers(-1, 3)) for _ in range(120)}
    later: Judged = {(f"q{rng.integers(4)}", int(rng.integers(SIZE))): int(rng.integers(-1, 3)) for _ in range(400)}
    judge(conn, [(*pair, rel, "human") for pair, rel in train.items()])
    conn.execute("UPDATE qrels_editions SET made = made - interval '1 hour'")
    judge(conn, [(*pair, rel, "human") for pair, rel in later.items()], edition="later")
    judge(conn, [("q1", doc, 2, "llm") for doc in range(50)], edition="by a model")  # not a human judgment
    for run in range(3):
        conn.execute("INSERT INTO st1_runs (run) VALUES (%s)", [f"run{run}"])
        for query in range(4):
            conn.execute(
                "INSERT INTO stc.st1_rankings (run, query, doc, rank, rel_score) SELECT n.id, q.id, d, place, -place"
                " FROM st1_runs n, st1_queries q, unnest(%s::bigint[]) WITH ORDINALITY AS r (d, place)"
                " WHERE n.run = %s AND q.query = %s",
                [rng.permutation(SIZE)[:60].tolist(), f"run{run}", f"q{query}"],
            )
    return conn, train, later


def labels(train: Judged, neighbours: int, threshold: float) -> Judged:
    """Return each (query, near document) pair with its nearest source's grade, whether or not the pair is judged."""
    table = clustered(SIZE, seed=4, clusters=12).astype(np.float64)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    cosines = table @ table.T
    best: dict[tuple[str, int], tuple[float, int]] = {}
    for (query, source), rel in train.items():
        if rel == 2:
            others = [int(doc) for doc in np.argsort(-cosines[source]) if doc != source][:neighbours]
            for doc in others:
                if cosines[source, doc] >= threshold:
                    best[query, doc] = max(best.get((query, doc), (-2.0, 0)), (float(cosines[source, doc]), rel))
    return {pair: rel for pair, (_, rel) in best.items()}


def test_counts_follow_the_definitions(world: tuple[psycopg.Connection, Judged, Judged]) -> None:
    conn, train, later = world
    cells = sweep(conn, edition="train", neighbours=NEIGHBOURS, thresholds=THRESHOLDS, against=["later", "by a model"])
    assert [(c.labels.neighbours, c.labels.threshold) for c in cells] == [
        (n, t) for n in NEIGHBOURS for t in sorted(THRESHOLDS, reverse=True)
    ]
    for cell in cells:
        told = labels(train, cell.labels.neighbours, cell.labels.threshold)
        added = {pair: rel for pair, rel in told.items() if pair not in train}
        judged = {pair: later[pair] for pair in added if later.get(pair, -1) >= 0}
        relevant = sum(rel > 0 for rel in judged.values())
        assert (cell.labels.added, cell.labels.later, cell.labels.relevant) == (len(added), len(judged), relevant)
        assert cell.labels.same == sum(added[pair] == rel for pair, rel in judged.items())
        assert cell.labels.agreeing == sum(train.get(pair, -1) > 0 for pair in told)
        assert cell.labels.conflicting == sum(train.get(pair, -1) == 0 for pair in told)
        assert cell.labels.right_share == pytest.approx(relevant / len(judged))
        assert min(cell.labels.added, cell.labels.later, cell.labels.agreeing, cell.labels.conflicting) > 0


def test_effects_equal_those_of_a_stored_expansion(world: tuple[psycopg.Connection, Judged, Judged]) -> None:
    conn, *_ = world
    cells = sweep(conn, edition="train", neighbours=NEIGHBOURS, thresholds=THRESHOLDS, measure=nDCG @ 5)
    before = {one.run: one.values[0] for one in leaderboard(conn, edition="train", measures=[nDCG @ 5])}
    moved = False
    for cell in cells:
        name = f"{cell.labels.neighbours} {cell.labels.threshold}"
        done = expand(conn, edition="train", into=name, neighbours=cell.labels.neighbours, threshold=cell.labels.threshold)
        assert done.added == cell.labels.added
        after = {one.run: one.values[0] for one in leaderboard(conn, edition=name, measures=[nDCG @ 5])}
        assert cell.impact is not None
        assert {one.run: one.value_a for one in cell.impact.runs} == pytest.approx(before)
        assert {one.run: one.value_b for one in cell.impact.runs} == pytest.approx(after)
        moved |= any(abs(one.value_b - one.value_a) > 1e-9 for one in cell.impact.runs)
    assert moved


def test_nothing_is_stored(world: tuple[psycopg.Connection, Judged, Judged]) -> None:
    conn, *_ = world
    count = "SELECT (SELECT count(*) FROM qrels_editions), (SELECT count(*) FROM qrels_judgments), to_regclass('pg_temp.near')"
    before = conn.execute(count).fetchone()
    assert len(sweep(conn, edition="train", neighbours=[3], thresholds=[0.4])) == 1
    assert conn.execute(count).fetchone() == before


@pytest.mark.long
def test_later_editions_are_the_default(world: tuple[psycopg.Connection, Judged, Judged]) -> None:
    conn, *_ = world
    [all_later] = sweep(conn, edition="train", neighbours=[8], thresholds=[0.35])
    [named] = sweep(conn, edition="train", neighbours=[8], thresholds=[0.35], against=["later"])
    [earlier] = sweep(conn, edition="later", neighbours=[8], thresholds=[0.35])
    assert all_later.labels == named.labels
    assert earlier.labels.later == 0
    assert earlier.labels.right_share is None
    conn.execute(
        "UPDATE qrels_editions SET year = CASE edition WHEN 'train' THEN 2024 ELSE 2023 END WHERE edition IN ('train', 'later')"
    )
    assert sweep(conn, edition="later", neighbours=[8], thresholds=[0.35])[0].labels.later > 0


def test_without_runs_there_is_no_effect(world: tuple[psycopg.Connection, Judged, Judged]) -> None:
    conn, *_ = world
    conn.execute("DELETE FROM st1_runs")
    [cell] = sweep(conn, edition="train", neighbours=[3], thresholds=[0.4])
    assert (cell.impact, cell.mean_shift, cell.largest_move) == (None, None, None)
    assert cell.labels.added > 0


def test_errors(world: tuple[psycopg.Connection, Judged, Judged]) -> None:
    conn, *_ = world
    with pytest.raises(BadArgument, match="nothing to sweep"):
        sweep(conn, edition="train", neighbours=[])
    with pytest.raises(UnknownObject, match="no edition 'latr'"):
        sweep(conn, edition="train", against=["latr"])
    with pytest.raises(BadArgument, match="number of neighbours is 0"):
        sweep(conn, edition="train", neighbours=[0])
    with pytest.raises(BadArgument, match="threshold"):
        sweep(conn, edition="train", thresholds=[1.5])
