"""Models of agreement in the database: trained, cross-fitted, applied, and stored so that a hostile file runs no code."""

from __future__ import annotations

import io
import zipfile

import psycopg
import pytest

from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.studies.answers.agreement import store
from stcollection.studies.answers.agreement.model import AgreementModel, LearningOptions
from stcollection.studies.answers.agreement.relate import QueryFolds, labelled, relate, train
from tests.studies.answers.answer_pairs import questions
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, put

pytestmark = pytest.mark.slow


@pytest.fixture
def world(conn: psycopg.Connection) -> psycopg.Connection:
    found = questions()
    put(conn, found[:45], split="train")
    put(
        conn,
        [*found[45:], Question("空的", [Doc("e", "", "")]), Question("一个", [Doc("s", "", "好", {"好": "yes"})])],
        split="dev",
    )
    return conn


def told(conn: psycopg.Connection, model: str) -> list[tuple[object, ...]]:
    return conn.execute(
        "SELECT r.a, r.b, r.support, r.oppose FROM stc.answer_relations r WHERE r.model = stc.answer_model_key(%s) ORDER BY 1, 2",
        [model],
    ).fetchall()


def test_all_pairs_get_relations_once_and_missing_ones_are_added(world: psycopg.Connection) -> None:
    done = train(world, "m", set="world", split="train")
    assert (done.pairs, done.queries, done.relations) == (450, 45, 0)
    assert relate(world, "m", set="world", split="dev") == (15, 150, 0)
    first = told(world, "m")
    assert relate(world, "m", set="world", split="dev") == (0, 0, 150)
    world.execute("DELETE FROM stc.answer_relations WHERE a = %s", [first[0][0]])
    again = relate(world, "m", set="world", split="dev")
    assert (again.queries, again.added + again.stored) == (1, 150)
    assert told(world, "m") == first
    model = store.load(world, "m")
    pairs = labelled(world, set="world", split="dev")
    said = model.predict([one.query for one in pairs], [one.text_a for one in pairs], [one.text_b for one in pairs])
    assert [row[2] for row in first] == pytest.approx(said.support, abs=1e-6)


@pytest.mark.long
def test_five_hundred_answers_of_one_query(world: psycopg.Connection) -> None:
    key = put(world, [Question("多久", [])], set="large")
    world.execute(
        "INSERT INTO stc.answers (query, url, text) SELECT q.id, 'https://example.org/' || n, n || '号说要' || n %% 9 || '天'"
        " FROM stc.answer_queries q, generate_series(1, 500) n WHERE q.set = %s",
        [key],
    )
    train(world, "m", set="world")
    assert relate(world, "m", set="large", split="dev").added == 124_750


def test_a_cross_fitted_model_has_not_seen_the_template(world: psycopg.Connection) -> None:
    done = train(world, "m", set="world", split=["train", "dev"], folds=QueryFolds(folds=3))
    assert done.relations == 600
    before = told(world, "m")
    pairs = {(one.a, one.b): one for split in ("train", "dev") for one in labelled(world, set="world", split=split)}
    world.execute(
        "UPDATE answer_pairs p SET relation = 'neutral', label = 0 FROM stc.answer_queries q"
        " WHERE q.id = p.query AND q.template = 'need' AND p.relation = 'support' AND p.a % 2 = 0"
    )
    train(
        world,
        "m",
        set="world",
        split=["train", "dev"],
        folds=QueryFolds(folds=3),
        replace=True,
    )
    changed = {pairs[one[0], one[1]].template for one, other in zip(before, told(world, "m"), strict=True) if one != other}  # type: ignore[index]
    assert changed == {"may", "howlong"}
    assert relate(world, "m", set="world", split="dev").added == 0


def test_folds_by_query_do_not_depend_on_keys(world: psycopg.Connection) -> None:
    options, folds = LearningOptions(), QueryFolds(folds=3, by="query")
    train(world, "first", set="world", options=options, folds=folds)
    put(world, questions()[:10], set="earlier", split="train")  # takes keys
    put(world, questions()[:45], set="again", split="train")
    train(world, "second", set="again", options=options, folds=folds)
    assert [row[2] for row in told(world, "first")] == [row[2] for row in told(world, "second")]


def test_the_fingerprint_depends_on_pairs_but_not_on_keys(world: psycopg.Connection) -> None:
    put(world, questions()[:45], set="again", split="train")
    one = train(world, "one", set="world")
    assert one.fingerprint == train(world, "two", set="again", options=LearningOptions(seed=2)).fingerprint
    world.execute("UPDATE answer_pairs SET label = 1 - label, relation = NULL WHERE a = (SELECT min(a) FROM answer_pairs)")
    assert one.fingerprint != train(world, "three", set="world").fingerprint


def test_a_stored_model_equals_the_trained_one(world: psycopg.Connection) -> None:
    train(world, "m", set="world")
    one, other = store.load(world, "m"), store.load(world, "m")
    assert isinstance(one, AgreementModel)
    assert isinstance(other, AgreementModel)
    columns = (["能喝吗"] * 2, ["可以喝", "3天"], ["不可以喝", "72小时"])
    assert (one.predict(*columns).support == other.predict(*columns).support).all()


def test_untrusted_models_are_rejected(world: psycopg.Connection) -> None:
    import skops.io

    train(world, "m", set="world")
    hostile = skops.io.dumps({"estimator": zipfile.ZipFile, "calibrator": None})
    broken = io.BytesIO(b"no archive").getvalue()
    for content in (hostile, broken):
        world.execute("UPDATE stc.answer_models SET content = %s", [content])
        with pytest.raises(StateError, match="'m' cannot be read") as refused:
            store.load(world, "m")
        assert refused.value.sqlstate == "IR409"
    world.execute("UPDATE stc.answer_models SET params = params || '{\"features\": 0}'")
    with pytest.raises(StateError, match="version 0 of the features"):
        store.load(world, "m")


def test_wrong_arguments(world: psycopg.Connection) -> None:
    train(world, "m", set="world")
    with pytest.raises(BadArgument, match="already"):
        train(world, "m", set="world")
    with pytest.raises(UnknownObject, match="no data set 'wolrd'"):
        train(world, "n", set="wolrd")
    with pytest.raises(BadArgument, match="folds is 1"):
        train(world, "n", set="world", folds=QueryFolds(folds=1))
    with pytest.raises(UnknownObject, match="no agreement model 'n'"):
        relate(world, "n", set="world", split="dev")
    with pytest.raises(StateError, match="no answers of the source 'windows'"):
        relate(world, "m", set="world", split="dev", source="windows")
    put(world, [WORKED], set="single", split="train")
    with pytest.raises(StateError, match="cannot make folds of 1 group"):
        train(world, "n", set="single", folds=QueryFolds(folds=2))
    assert [one.model for one in store.models(world)] == ["m"]
    store.drop(world, "m")
    assert store.models(world) == []
