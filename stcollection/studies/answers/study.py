"""Evaluate the methods on unseen queries, together with baselines that reveal what the scores are worth.

Self-written data make any model look good. So models are trained on one split, thresholds are tuned on another, and both are
evaluated on a third, whose kinds of question neither has seen. The study also includes the published baseline, returning
everything, a model that knows only lengths, and a model trained on shuffled labels.

Three splits leave few queries to evaluate on. With folds, kinds of question are distributed over them, a model trained on the
other folds predicts the pairs of each fold, and every query of all splits counts. Nothing is tuned then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import psycopg
from psycopg import sql

from stcollection.counts import counted
from stcollection.db.roles import rows_schema
from stcollection.db.rows import only_row
from stcollection.declared import INTERNAL, AllowedRange, Option, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.io.files import Progress
from stcollection.studies.answers.agreement.check import PairMeasures, compared
from stcollection.studies.answers.agreement.features import ALL, FAST
from stcollection.studies.answers.agreement.model import LearningOptions
from stcollection.studies.answers.agreement.relate import NO_FOLDS, QueryFolds, relate, train
from stcollection.studies.answers.baselines import BaselineOptions, baseline
from stcollection.studies.answers.endorse import METHODS, ClusterOptions, cluster
from stcollection.studies.answers.extract import ExtractOptions, extract
from stcollection.studies.answers.files import SPLITS
from stcollection.studies.answers.parameters import AnswerSet
from stcollection.studies.answers.scores import AnswerPlace, AnswerSampling, places, scores
from stcollection.vectors.model import Encoder

MODELS = ("full", "length", "shuffled")
PUBLISHED = "tfidf"  # the published baseline, which the other methods are tested against
_WINDOWS = "study"  # name of the extraction
_NOTES = (
    "expected-length: a model that knows only the length of answers; expected-shuffled: a model trained on shuffled labels",
    "labels: perfect relations",
)


@dataclass(frozen=True, kw_only=True)
class StudySplits:
    """The splits for training, tuning and testing.

    :param train_on: Split to train models on. :param tune_on: Split to tune thresholds on. :param test_on: Split to evaluate on.
    :raises BadArgument: two of them are the same.
    """

    train_on: Annotated[str, Option("--train", choices=SPLITS)] = "train"
    tune_on: Annotated[str, Option("--tune", choices=SPLITS)] = "dev"
    test_on: Annotated[str, Option("--test", choices=SPLITS)] = "test"

    def __post_init__(self) -> None:
        if len({self.train_on, self.tune_on, self.test_on}) < 3:
            splits = f"train on {self.train_on}, tune on {self.tune_on}, test on {self.test_on}"
            raise BadArgument(splits, hint="Give three splits without common queries.")


TRAIN_DEV_TEST = StudySplits()


class RelationQuality(NamedTuple):
    """How well a model predicts which answers support each other, on the queries that are evaluated."""

    model: str
    measures: PairMeasures


class AnswerStudy(NamedTuple):
    """The results of a study of answer verification.

    :param models: best AUC first.
    :param runs: best F1 first.
    :param notes: remarks on them.
    """

    models: list[RelationQuality]
    runs: list[AnswerPlace]
    notes: list[str]


@declare
@translate()
def study(
    conn: psycopg.Connection,
    *,
    set: AnswerSet,  # noqa: A002
    splits: StudySplits = TRAIN_DEV_TEST,
    folds: QueryFolds = NO_FOLDS,
    seed: Annotated[int, AllowedRange(ge=0)] = 1,
    embed: Annotated[Encoder | None, INTERNAL] = None,
    progress: Progress | None = None,
) -> AnswerStudy:
    """Train, tune and evaluate; models and runs are stored as ``study-SET-…`` and replace those of an earlier study.

    :param folds: Cross-fit with N folds over all splits instead, so that every query is tested.
    :param seed: Seed of the folds, the training and the tests.
    :param embed: an embedding model, for the features and the baseline ``embedding``; None leaves both out.
    :raises UnknownObject: a split does not exist.
    :raises StateError: there are no labelled pairs to learn from, or no gold to tune on or score by.
    """
    tested = [splits.test_on] if folds.folds is None else _complete_splits(conn, set)
    work = _Work(conn, set, tested, splits, folds, seed, embed, {})
    steps = list(work.steps())
    for number, step in enumerate(steps, start=1):
        step()
        if progress is not None:
            progress(number, len(steps))
    qualities = [
        RelationQuality(model, compared(conn, work.name(model), set=set, splits=tested).rows[0].measures) for model in MODELS
    ]
    qualities.sort(key=lambda quality: -(quality.measures.auc or 0.0))
    if folds.folds is None:
        notes = [*_seen(conn, set, splits), f"all: every document; tfidf: as published; tuned on {splits.tune_on} where noted"]
        notes += ["length-of-documents: by their length; expected-extracted: answers are windows of the documents' sentences"]
    else:
        notes = [
            f"every query of {', '.join(tested)} is held out once, in {counted(folds.folds, 'fold')} by {folds.by}; nothing is"
            " tuned; the threshold is .5",
            "all: every document; tfidf: as published",
        ]
    return AnswerStudy(qualities, _pooled(conn, work.runs, seed), [*notes, *_NOTES])


@translate()
def _complete_splits(conn: psycopg.Connection, set: str) -> list[str]:  # noqa: A002
    """Return the splits with labels and gold. :raises StateError: there is none."""
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


@dataclass(frozen=True)
class _Work:
    """The steps of a study. :ivar tested: splits to evaluate on. :ivar runs: the stored runs, by split, of each run created."""

    conn: psycopg.Connection
    set: str
    tested: list[str]
    splits: StudySplits
    folds: QueryFolds
    seed: int
    embed: Encoder | None
    runs: dict[str, dict[str, str]]

    @property
    def crossed(self) -> bool:
        return self.folds.folds is not None

    def name(self, what: str) -> str:
        """Return the stored name of a model or run."""
        return f"study-{self.set}-{'cross-' if self.crossed else ''}{what}"

    def steps(self) -> Iterator[Callable[[], object]]:
        """Yield the steps, in order."""
        for model in MODELS:
            yield lambda model=model: self._learn(model)  # type: ignore[misc]
        yield lambda: self._base("all", "all")
        yield lambda: self._base(PUBLISHED, "tfidf")
        if not self.crossed:
            yield lambda: self._base("tfidf-tuned", "tfidf", tuned=True)
            yield lambda: self._base("length-of-documents", "length", tuned=True)
            if self.embed is not None:
                yield lambda: self._base("embedding", "embedding", tuned=True)
        for method in METHODS:
            yield lambda method=method: self._group(method, method, tuned=method != "expected")  # type: ignore[misc]
        yield lambda: self._group("expected-length", "expected", model="length")
        yield lambda: self._group("expected-shuffled", "expected", model="shuffled")
        if not self.crossed:
            yield self._extracted
        yield lambda: self._group("labels", "correlation", model=None)

    def _learn(self, model: str) -> None:
        kinds = {"full": FAST if self.embed is None else ALL, "length": ("length",), "shuffled": FAST}[model]
        embed = self.embed if model == "full" else None
        train(
            self.conn,
            self.name(model),
            set=self.set,
            split=self.tested if self.crossed else self.splits.train_on,
            options=LearningOptions(kinds=kinds, shuffle=model == "shuffled", seed=self.seed, embed=embed),
            folds=self.folds,
            replace=True,
        )
        for split in () if self.crossed else (self.splits.tune_on, self.splits.test_on):
            relate(self.conn, self.name(model), set=self.set, split=split)

    def _stored(self, run: str) -> Iterator[tuple[str, str]]:
        """Yield each tested split with the name of the run on it."""
        for split in self.tested:
            yield split, self.runs.setdefault(run, {}).setdefault(split, self.name(run) + (f"-{split}" if self.crossed else ""))

    def _base(self, run: str, method: str, *, tuned: bool = False) -> None:
        tune_on, embed = self.splits.tune_on if tuned else None, self.embed if method == "embedding" else None
        options = BaselineOptions(method=method, tune_on=tune_on, model=embed)
        for split, name in self._stored(run):
            baseline(self.conn, set=self.set, split=split, run=name, options=options, replace=True)

    def _group(self, run: str, method: str, *, model: str | None = "full", tuned: bool = False, source: str = "given") -> None:
        tune_on = self.splits.tune_on if tuned and not self.crossed else None
        relations = None if model is None else self.name(model)
        options = ClusterOptions(method=method, model=relations, tune_on=tune_on, source=source)
        for split, name in self._stored(run):
            cluster(self.conn, set=self.set, split=split, run=name, options=options, replace=True)

    def _extracted(self) -> None:
        options, split = ExtractOptions(tune_on=self.splits.tune_on), self.splits.test_on
        extract(self.conn, set=self.set, split=split, source=_WINDOWS, options=options, replace=True)
        relate(self.conn, self.name("full"), set=self.set, split=split, source=_WINDOWS)
        self._group("expected-extracted", "expected", source=_WINDOWS)


def _pooled(conn: psycopg.Connection, runs: dict[str, dict[str, str]], seed: int) -> list[AnswerPlace]:
    """Return each run over all its splits, best first."""
    rows: list[tuple[Any, ...]] = []
    values: dict[tuple[str | None, str], list[float]] = {}
    for run, parts in runs.items():
        of = [score for name in parts.values() for score in scores(conn, name)]
        gold = [score for score in of if score.gold]
        values[None, run] = [score.f1 for score in gold]
        means = (float(np.mean([getattr(score, what) for score in gold])) for what in ("precision", "recall", "f1"))
        abstained = sum(score.predicted == 0 for score in gold)
        made_by = only_row(conn, "SELECT method, params FROM stc.answer_runs WHERE run = %s", [next(iter(parts.values()))])
        rows.append((None, run, *made_by, len(gold), abstained, len(of) - len(gold), *means))
    rows.sort(key=lambda row: (-row[-1], row[1]))
    return places(rows, values, PUBLISHED, AnswerSampling(seed=seed))


def _seen(conn: psycopg.Connection, set: str, splits: StudySplits) -> Iterator[str]:  # noqa: A002
    """Yield notes on how much of the test split was seen in training or tuning."""
    for split, what in ((splits.train_on, "learnt from"), (splits.tune_on, "tuned on")):
        queries, same, kind = only_row(
            conn,
            "SELECT count(*),"
            " count(*) FILTER (WHERE EXISTS (SELECT FROM stc.answer_queries o WHERE o.set = s.seen AND o.text = q.text)),"
            " count(*) FILTER (WHERE EXISTS (SELECT FROM stc.answer_queries o WHERE o.set = s.seen AND o.template = q.template))"
            " FROM stc.answer_queries q, (SELECT stc.answer_set_key(%(set)s, %(seen)s) AS seen) s"
            " WHERE q.set = stc.answer_set_key(%(set)s, %(test)s)",
            {"set": set, "seen": split, "test": splits.test_on},
        )
        yield (
            f"of {counted(queries, 'query')} of {splits.test_on}, {same:,} were {what} ({split}), {kind:,} have another of"
            " their kind there"
        )
