"""The study on the sample data: stored models and runs, results, and errors."""

from __future__ import annotations

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.studies.answers.agreement.relate import QueryFolds
from stcollection.studies.answers.commands.training import study_command as study_
from stcollection.studies.answers.load import SAMPLE, find, load
from stcollection.studies.answers.study import StudySplits, study
from tests.studies.answers.answer_worlds import WORKED, put

pytestmark = pytest.mark.slow


@pytest.mark.long
@pytest.mark.slow
def test_our_method_beats_the_published_baseline_on_unseen_queries(conn: psycopg.Connection) -> None:
    for split, files in find(SAMPLE).items():
        load(conn, set="sample", split=split, files=files)
    done = study(conn, set="sample")
    runs = {one.run: one for one in done.runs}
    models = {one.model: one.measures for one in done.models}
    assert runs["labels"].f1 == 1.0
    assert runs["tfidf"].p is None
    assert runs["expected"].f1 is not None
    assert runs["tfidf"].f1 is not None
    assert runs["tfidf"].f1 == pytest.approx(0.586, abs=0.0005)  # as in docs/howto/verify-answers.md
    assert runs["expected"].f1 > runs["tfidf"].f1 + 0.14
    assert runs["expected"].f1 > (runs["all"].f1 or 1)
    assert (models["full"].auc or 0) > max(models["length"].auc or 1, models["shuffled"].auc or 1)
    for run in ("components", "correlation", "expected"):
        told = conn.execute("SELECT stc.answer_explanation(%s, %s)", [f"study-sample-{run}", WORKED.query]).fetchone()
        assert told is not None
        assert (run, told[0]["returned"], told[0]["endorsement"]) == (run, ["d1", "d2"], 2)
    again = study(conn, set="sample")
    assert [(one.run, one.f1) for one in again.runs] == [(one.run, one.f1) for one in done.runs]


def test_three_existing_splits_are_required(conn: psycopg.Connection, settings: Settings) -> None:
    put(conn, [WORKED], split="train")
    with pytest.raises(BadArgument, match="train on dev, tune on dev"):
        study(conn, set="world", splits=StudySplits(train_on="dev"))
    done = CliRunner().invoke(study_, ["world"], obj=settings)
    assert isinstance(done.exception, UnknownObject)
    assert "has no split" in done.exception.message


@pytest.mark.long
@pytest.mark.slow
def test_cross_fitted_our_method_beats_uninformed_baselines(conn: psycopg.Connection) -> None:
    for split, files in find(SAMPLE).items():
        load(conn, set="sample", split=split, files=files)
    done = study(conn, set="sample", folds=QueryFolds(folds=5))
    runs = {one.run: one for one in done.runs}
    models = {one.model: one.measures for one in done.models}
    assert {one.queries for one in done.runs} == {197}
    assert (models["full"].auc or 0) > max(models["length"].auc or 1, models["shuffled"].auc or 1) + 0.1
    assert runs["labels"].f1 == 1.0
    assert runs["tfidf"].f1 == pytest.approx(0.602, abs=0.0005)  # as in docs/howto/verify-answers.md
    assert (runs["expected"].f1 or 0) > (runs["tfidf"].f1 or 1) + 0.15
    for nothing in ("all", "expected-length", "expected-shuffled"):
        assert (runs["expected"].low or 0) > (runs[nothing].f1 or 1), nothing


def test_a_set_without_labels_and_gold(conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO stc.answer_sets (set, split) VALUES ('bare', 'train')")
    with pytest.raises(StateError, match="both labels and gold"):
        study(conn, set="bare", folds=QueryFolds(folds=5))
    with pytest.raises(UnknownObject, match="no data set"):
        study(conn, set="none", folds=QueryFolds(folds=5))
