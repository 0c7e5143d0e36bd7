"""Evaluate the methods on unseen queries, together with baselines that reveal what the scores are worth.

Self-written data make any model look good. So models are trained on one split, thresholds are tuned on another, and both are
evaluated on a third, whose kinds of question neither has seen. The study also includes the published baseline, returning
everything, a model that knows only lengths, and a model trained on shuffled labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import psycopg

from stcollection.counts import counted
from stcollection.db.rows import only_row
from stcollection.declared import INTERNAL, AllowedRange, Option, declare
from stcollection.errors import BadArgument
from stcollection.io.files import Progress
from stcollection.studies.answers.agreement.check import PairMeasures, check
from stcollection.studies.answers.agreement.features import ALL, FAST
from stcollection.studies.answers.agreement.model import LearningOptions
from stcollection.studies.answers.agreement.relate import relate, train
from stcollection.studies.answers.baselines import BaselineOptions, baseline
from stcollection.studies.answers.endorse import ClusterOptions, cluster
from stcollection.studies.answers.extract import ExtractOptions, extract
from stcollection.studies.answers.files import SPLITS
from stcollection.studies.answers.parameters import AnswerSet
from stcollection.studies.answers.scores import AnswerPlace, leaderboard
from stcollection.vectors.model import Encoder

MODELS = ("full", "length", "shuffled")
PUBLISHED = "tfidf"  # the published baseline, which the other methods are tested against
_WINDOWS = "study"  # name of the extraction


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
            raise BadArgument(splits, hint="Give three splits without common queries.", sqlstate="IR202")


TRAIN_DEV_TEST = StudySplits()


class RelationQuality(NamedTuple):
    """How well a model predicts which answers support each other, on the test split."""

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
def study(
    conn: psycopg.Connection,
    *,
    set: AnswerSet,  # noqa: A002
    splits: StudySplits = TRAIN_DEV_TEST,
    seed: Annotated[int, AllowedRange(ge=0)] = 1,
    embed: Annotated[Encoder | None, INTERNAL] = None,
    progress: Progress | None = None,
) -> AnswerStudy:
    """Train, tune and evaluate; models and runs are stored as ``study-SET-…`` and replace those of an earlier study.

    :param seed: Seed of the folds, the training and the tests.
    :param embed: an embedding model, for the features and the baseline ``embedding``; None leaves both out.
    :raises UnknownObject: a split does not exist.
    :raises StateError: there are no labelled pairs to learn from, or no gold to tune on or score by.
    """
    runs: list[str] = []
    run_steps(list(_steps(conn, set, splits, seed, embed, runs)), progress)
    qualities = [
        RelationQuality(model, check(conn, _name(set, model), set=set, split=splits.test_on).rows[0].measures) for model in MODELS
    ]
    qualities.sort(key=lambda quality: -(quality.measures.auc or 0.0))
    ours = [_name(set, run) for run in runs]
    places = leaderboard(conn, set=set, split=splits.test_on, baseline=_name(set, PUBLISHED), runs=ours)
    places = [place._replace(run=place.run.removeprefix(_name(set, ""))) for place in places]
    return AnswerStudy(qualities, places, _notes(conn, set, splits))


def _steps(
    conn: psycopg.Connection,
    set: str,  # noqa: A002
    splits: StudySplits,
    seed: int,
    embed: Encoder | None,
    runs: list[str],
) -> Iterator[Callable[[], object]]:
    """Yield the steps, in order. :param runs: names of the runs created; appended to."""
    tune_on, test_on = splits.tune_on, splits.test_on

    def learn(model: str) -> None:
        name = _name(set, model)
        train(
            conn,
            name,
            set=set,
            split=splits.train_on,
            options=learning_of(model, seed, embed),
            replace=True,
        )
        for split in (tune_on, test_on):
            relate(conn, name, set=set, split=split)

    def base(run: str, method: str, *, tuned: bool) -> None:
        runs.append(run)
        baseline(
            conn,
            set=set,
            split=test_on,
            run=_name(set, run),
            options=BaselineOptions(
                method=method, tune_on=tune_on if tuned else None, model=embed if method == "embedding" else None
            ),
            replace=True,
        )

    def group(run: str, method: str, *, model: str | None = "full", tuned: bool = False, source: str = "given") -> None:
        runs.append(run)
        cluster(
            conn,
            set=set,
            split=test_on,
            run=_name(set, run),
            options=ClusterOptions(
                method=method, model=None if model is None else _name(set, model), tune_on=tune_on if tuned else None, source=source
            ),
            replace=True,
        )

    def windows() -> None:
        extract(conn, set=set, split=test_on, source=_WINDOWS, options=ExtractOptions(tune_on=tune_on), replace=True)
        relate(conn, _name(set, "full"), set=set, split=test_on, source=_WINDOWS)
        group("expected-extracted", "expected", source=_WINDOWS)

    for model in MODELS:
        yield lambda model=model: learn(model)  # type: ignore[misc]
    yield lambda: base("all", "all", tuned=False)
    yield lambda: base(PUBLISHED, "tfidf", tuned=False)
    yield lambda: base("tfidf-tuned", "tfidf", tuned=True)
    yield lambda: base("length-of-documents", "length", tuned=True)
    if embed is not None:
        yield lambda: base("embedding", "embedding", tuned=True)
    for method in ("components", "average", "correlation"):
        yield lambda method=method: group(method, method, tuned=True)  # type: ignore[misc]
    yield lambda: group("expected", "expected")
    yield lambda: group("expected-length", "expected", model="length")
    yield lambda: group("expected-shuffled", "expected", model="shuffled")
    yield windows
    yield lambda: group("labels", "correlation", model=None)


def run_steps(steps: Sequence[Callable[[], object]], progress: Progress | None) -> None:
    """Run the steps in order, and report progress."""
    for number, step in enumerate(steps, start=1):
        step()
        if progress is not None:
            progress(number, len(steps))


def learning_of(model: str, seed: int, embed: Encoder | None) -> LearningOptions:
    """Return how a model of MODELS is trained."""
    kinds = {"full": FAST if embed is None else ALL, "length": ("length",), "shuffled": FAST}[model]
    return LearningOptions(kinds=kinds, shuffle=model == "shuffled", seed=seed, embed=embed if model == "full" else None)


def _name(set: str, what: str) -> str:  # noqa: A002
    return f"study-{set}-{what}"


def _notes(conn: psycopg.Connection, set: str, splits: StudySplits) -> list[str]:  # noqa: A002
    """Return notes: how much of the test split was seen in training or tuning, and what the baseline rows are."""
    tune_on, test_on = splits.tune_on, splits.test_on
    notes = []
    for split, what in ((splits.train_on, "learnt from"), (tune_on, "tuned on")):
        queries, same, kind = only_row(
            conn,
            "SELECT count(*),"
            " count(*) FILTER (WHERE EXISTS (SELECT FROM stc.answer_queries o WHERE o.set = s.seen AND o.text = q.text)),"
            " count(*) FILTER (WHERE EXISTS (SELECT FROM stc.answer_queries o WHERE o.set = s.seen AND o.template = q.template))"
            " FROM stc.answer_queries q, (SELECT stc.answer_set_key(%(set)s, %(seen)s) AS seen) s"
            " WHERE q.set = stc.answer_set_key(%(set)s, %(test)s)",
            {"set": set, "seen": split, "test": test_on},
        )
        notes.append(
            f"of {counted(queries, 'query')} of {test_on}, {same:,} were {what} ({split}), {kind:,} have another of"
            " their kind there"
        )
    return [
        *notes,
        "all: every document; tfidf: as published; length-of-documents: by their length; tuned on " + tune_on + " where noted",
        "expected-length: a model that knows only the length of answers; expected-shuffled: a model trained on shuffled labels",
        "labels: perfect relations",
        "expected-extracted: answers extracted as windows of the documents' sentences",
    ]
