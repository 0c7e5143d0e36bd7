"""Train the embedding model on the demo: refusals, and the trained model with its recipe."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.derive import derive
from stcollection.vectors.store import registered
from stcollection.vectors.train import TrainingOptions, train
from tests.homes import demo_collection

pytestmark = pytest.mark.slow


@pytest.fixture
def demo(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    with demo_collection(server, made_demo, "training") as settings:
        yield settings


def test_what_cannot_be_trained_on(demo: Settings, tmp_path: Path) -> None:
    with connect(demo) as conn:
        with conn.transaction():
            [[query]] = conn.execute(
                "SELECT min(q.query) FROM st1_queries q JOIN qrels_judgments j ON j.query = q.id"
                " JOIN qrels_editions e ON e.id = j.edition WHERE e.edition = 'train' AND j.rel > 0"
            ).fetchall()
        derive(conn, "single", ["train"], queries=query)
        folder = tmp_path / "m"
        with pytest.raises(UnknownObject, match="no edition"):
            train(conn, edition="nowhere", folder=folder)
        with pytest.raises(BadArgument, match="test is a test edition"):
            train(conn, edition="test", folder=folder)
        with pytest.raises(StateError, match="single has 1 query with a relevant document"):
            train(conn, edition="single", folder=folder)
        with pytest.raises(StateError, match="exists already"):
            train(conn, edition="train", folder=tmp_path)
        with pytest.raises(StateError, match="a model minilm exists already"):
            train(conn, edition="train", folder=folder, short="minilm")
    assert not folder.exists()


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("accelerate") is None, reason="the extra train is not installed")
def test_a_trained_model_is_stored_with_its_recipe(demo: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    with connect(demo) as conn:
        done = train(conn, edition="train", folder=folder, field="title", options=TrainingOptions(epochs=1))
        space = registered(conn, "trained")
        [[vectors, old]] = conn.execute(
            "SELECT (SELECT count(title_v) FROM dblp_v_trained), (SELECT count(title_v) FROM dblp_v)"
        ).fetchall()
    recipe = json.loads((folder / "training.json").read_text())
    assert (len(recipe["queries"]), len(recipe["held_out"])) == (done.queries, done.held_out)
    assert recipe["ndcg"] == done.ndcg
    assert not {*recipe["queries"]} & {*recipe["held_out"]}
    assert any(one.startswith("trained from minilm") for one in space.made_by)
    assert vectors == old > 0
    assert [one.name for one in tmp_path.iterdir()] == ["m"]
