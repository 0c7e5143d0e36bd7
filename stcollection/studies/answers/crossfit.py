"""The study with each query held out once: its model has seen neither the query nor any other of its kind.

Three splits leave few queries to evaluate on. Here question kinds are distributed over folds, a model trained on the other folds
predicts the pairs of each fold, and every query counts. Nothing is tuned: relations are calibrated, and groups use the threshold
.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.db.roles import rows_schema
from stcollection.errors import StateError, translate
from stcollection.io.files import Progress
from stcollection.studies.answers.agreement.check import measure
from stcollection.studies.answers.agreement.relate import QueryFolds, train
from stcollection.studies.answers.agreement.store import models
from stcollection.studies.answers.baselines import BaselineOptions, baseline
from stcollection.studies.answers.endorse import METHODS, ClusterOptions, cluster
from stcollection.studies.answers.scores import AnswerPlace, AnswerSampling, places, scores
from stcollection.studies.answers.study import MODELS, PUBLISHED, AnswerStudy, RelationQuality, learning_of, run_steps
from stcollection.vectors.model import Encoder


@translate()
def crossfit(
    conn: psycopg.Connection,
    *,
    set: str,  # noqa: A002
    folds: int = 5,
    by: str = "template",
    seed: int = 1,
    embed: Encoder | None = None,
    progress: Progress | None = None,
) -> AnswerStudy:
    """Cross-fit the models over all splits with labels and gold, and evaluate every method on every query of them.

    Models are stored as ``study-SET-cross-MODEL``, runs as ``study-SET-cross-RUN-SPLIT``; existing ones are replaced.

    :param by: unit that is held out together, ``template`` or ``query``.
    :param embed: as for :func:`.study.study`.
    :raises UnknownObject: the set does not exist.
    :raises StateError: none of its splits has labels and gold.
    """
    splits = _splits(conn, set)
    runs: dict[str, dict[str, str]] = {}  # run -> split -> stored name
    run_steps(list(_steps(conn, set, splits, folds, by, seed, embed, runs)), progress)
    qualities = [_quality(conn, set, splits, model) for model in MODELS]
    qualities.sort(key=lambda quality: -(quality.measures.auc or 0.0))
    return AnswerStudy(
        qualities,
        _pooled(conn, runs, seed),
        [
            f"every query of {', '.join(splits)} is held out once, in {counted(folds, 'fold')} by {by}; nothing is"
            " tuned; the threshold is .5",
            "all: every document; tfidf: as published; labels: perfect relations",
            "expected-length: a model that knows only the length of answers; expected-shuffled: a model trained on shuffled labels",
        ],
    )


def _splits(conn: psycopg.Connection, set: str) -> list[str]:  # noqa: A002
    rows = conn.execute(
        sql.SQL(
            "SELECT s.split FROM stc.answer_sets s WHERE s.set = %s"
            " AND EXISTS (SELECT FROM {rows}.answer_pairs p JOIN stc.answer_queries q ON q.id = p.query"
            "             WHERE q.set = s.id AND p.label IS NOT NULL)"
            " AND EXISTS (SELECT FROM {rows}.answer_gold g JOIN stc.answer_queries q ON q.id = g.query WHERE q.set = s.id)"
            " ORDER BY array_position(ARRAY['train', 'dev', 'test'], s.split)"
        ).format(rows=rows_schema(conn)),
        [set],
    ).fetchall()
    if not rows:
        conn.execute("SELECT stc.answer_set_key(%s, 'train')", [set])
        hint = "Load both with 'stc load --as answers'."
        raise StateError(f"no split of {set} has both labels and gold", hint=hint, sqlstate="IR405")
    return [split for (split,) in rows]


def _steps(
    conn: psycopg.Connection,
    set: str,  # noqa: A002
    splits: list[str],
    folds: int,
    by: str,
    seed: int,
    embed: Encoder | None,
    runs: dict[str, dict[str, str]],
) -> Iterator[Callable[[], object]]:
    def learn(model: str) -> None:
        train(
            conn,
            _name(set, model),
            set=set,
            split=splits,
            options=learning_of(model, seed, embed),
            folds=QueryFolds(folds=folds, by=by),
            replace=True,
        )

    def stored(run: str, split: str) -> str:
        return runs.setdefault(run, {}).setdefault(split, f"{_name(set, run)}-{split}")

    def base(run: str, method: str) -> None:
        for split in splits:
            baseline(conn, set=set, split=split, run=stored(run, split), options=BaselineOptions(method=method), replace=True)

    def group(run: str, method: str, model: str | None) -> None:
        for split in splits:
            name = None if model is None else _name(set, model)
            cluster(
                conn, set=set, split=split, run=stored(run, split), options=ClusterOptions(method=method, model=name), replace=True
            )

    for model in MODELS:
        yield lambda model=model: learn(model)  # type: ignore[misc]
    yield lambda: base("all", "all")
    yield lambda: base(PUBLISHED, "tfidf")
    for method in METHODS:
        yield lambda method=method: group(method, method, "full")  # type: ignore[misc]
    yield lambda: group("expected-length", "expected", "length")
    yield lambda: group("expected-shuffled", "expected", "shuffled")
    yield lambda: group("labels", "correlation", None)


def _name(set: str, what: str) -> str:  # noqa: A002
    return f"study-{set}-cross-{what}"


def _quality(conn: psycopg.Connection, set: str, splits: list[str], model: str) -> RelationQuality:  # noqa: A002
    """Return how well the held-out relations of a model predict support, over all pairs."""
    rows = conn.execute(
        sql.SQL(
            "SELECT p.label, r.support FROM stc.answer_relations r JOIN {}.answer_pairs p ON p.a = r.a AND p.b = r.b"
            " JOIN stc.answer_queries q ON q.id = p.query JOIN stc.answer_sets s ON s.id = q.set"
            " WHERE r.model = stc.answer_model_key(%s) AND s.set = %s AND s.split = ANY(%s) AND p.label IS NOT NULL"
            " ORDER BY r.a, r.b"
        ).format(rows_schema(conn)),
        [_name(set, model), set, splits],
    ).fetchall()
    [threshold] = [float(stored.params["threshold"]) for stored in models(conn) if stored.model == _name(set, model)]
    label, support = (np.array(column) for column in zip(*rows, strict=True))
    return RelationQuality(model, measure(label.astype(np.int64), support.astype(np.float64), threshold=threshold))


def _pooled(conn: psycopg.Connection, runs: dict[str, dict[str, str]], seed: int) -> list[AnswerPlace]:
    """Return the runs over all splits as one run per method, best first."""
    rows: list[tuple[Any, ...]] = []
    values: dict[tuple[str | None, str], list[float]] = {}
    for run, parts in runs.items():
        of = [score for name in parts.values() for score in scores(conn, name)]
        gold = [score for score in of if score.gold]
        values[None, run] = [score.f1 for score in gold]
        means = (float(np.mean([getattr(score, what) for score in gold])) for what in ("precision", "recall", "f1"))
        abstained = sum(score.predicted == 0 for score in of)
        method, params = _made_by(conn, next(iter(parts.values())))
        rows.append((None, run, method, params, len(gold), abstained, len(of) - len(gold), *means))
    rows.sort(key=lambda row: (-row[-1], row[1]))
    return places(rows, values, PUBLISHED, AnswerSampling(seed=seed))


def _made_by(conn: psycopg.Connection, run: str) -> tuple[str, dict[str, object]]:
    [(method, params)] = conn.execute("SELECT method, params FROM stc.answer_runs WHERE run = %s", [run]).fetchall()
    return method, params
