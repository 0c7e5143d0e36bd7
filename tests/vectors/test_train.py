"""Train the embedding model on the demo: refusals, and the trained model with its recipe."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

import stcollection
from stcollection.analysis.training import training_gain
from stcollection.api.stages import VectorsStage
from stcollection.cli import stc
from stcollection.cli.vectors.train import train_command as command
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.qrels.derive import derive
from stcollection.vectors.embed import embed
from stcollection.vectors.store import registered
from stcollection.vectors.train import TrainingOptions, train
from tests.homes import demo_collection

pytestmark = pytest.mark.slow
needs_trainer = pytest.mark.skipif(importlib.util.find_spec("accelerate") is None, reason="the extra train is not installed")


@pytest.fixture
def demo(server: Settings, made_demo: Callable[[], Path]) -> Iterator[Settings]:
    with demo_collection(server, made_demo, "training") as settings:
        yield settings


def environment(settings: Settings) -> dict[str, str]:
    """The environment of a command that uses this server."""
    return {"STC_HOME": str(settings.home)} if settings.dsn is None else {"STC_DSN": settings.dsn}


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


def test_editions_without_enough_relevant_documents(demo: Settings, tmp_path: Path) -> None:
    with connect(demo) as conn:
        folder = tmp_path / "m"
        with conn.transaction():
            conn.execute("INSERT INTO stc_all.qrels_editions (edition) VALUES ('empty'), ('zeros')")
            conn.execute(
                "INSERT INTO stc_all.qrels_judgments (edition, query, doc, rel, origin)"
                " SELECT z.id, j.query, min(j.doc), 0, 'human' FROM stc_all.qrels_judgments j"
                "  JOIN stc_all.qrels_editions e ON e.id = j.edition, stc_all.qrels_editions z"
                " WHERE e.edition = 'train' AND z.edition = 'zeros' GROUP BY 1, 2"
            )
        for edition in ("empty", "zeros"):
            with pytest.raises(StateError, match=f"{edition} has 0 queries with a relevant document that has abstract"):
                train(conn, edition=edition, folder=folder)
        with pytest.raises(BadArgument, match="no field 'body'"):
            train(conn, edition="train", folder=folder, field="body")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs is 0"),
        ({"batch": 1}, "batch is 1"),
        ({"rate": 0.0}, "rate is"),
        ({"held_out": 0.9}, "held_out is"),
    ],
)
def test_options_outside_their_range(options: dict[str, float], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        TrainingOptions(**options)  # type: ignore[arg-type]


def test_the_python_methods_have_the_options_of_the_command() -> None:
    assert stcollection.TrainingOptions is TrainingOptions
    parameters = {one.name for one in command.params} - {"folder", "edition", "folds", "db", "quiet", "debug"}
    assert parameters == {*TrainingOptions.__dataclass_fields__, "model", "short", "field"}
    assert {"model", "short", "field", "options"} <= {*inspect.signature(VectorsStage.train).parameters}  # type: ignore[arg-type]
    defaults = {one.name: one.default for one in command.params if one.name in TrainingOptions.__dataclass_fields__}
    assert TrainingOptions(**defaults) == TrainingOptions()  # type: ignore[arg-type]


def test_one_fold_leaves_nothing_to_train_on(conn: psycopg.Connection) -> None:
    with pytest.raises(BadArgument, match="folds is 1"):
        training_gain(conn, edition="train", folds=1)


@needs_trainer
def test_a_name_or_a_folder_that_cannot_be_used_is_refused_before_training(demo: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    with connect(demo) as conn:
        for short in ("Mine", "my-model", ""):
            with pytest.raises(BadArgument, match="cannot be the short name"):
                train(conn, edition="train", folder=tmp_path / "m", short=short)
        for folder in (tmp_path / "file" / "m", Path("/proc/m"), tmp_path / "file" / "deep" / "m"):
            with pytest.raises(StateError, match=f"the model cannot be saved in {folder}") as refused:
                train(conn, edition="train", folder=folder)
            assert "--out" in (refused.value.hint or "")
        for folder in (tmp_path / "file", tmp_path):
            with pytest.raises(StateError, match="exists already"):
                train(conn, edition="train", folder=folder)
        assert conn.execute("SELECT model FROM stc.vector_models").fetchall() == [("minilm",)]
    assert {one.name for one in tmp_path.iterdir()} == {"file", "link"}


@needs_trainer
def test_a_static_model_is_refused(demo: Settings, tmp_path: Path, static: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STC_MODEL_FOLDERS", str(static))
    with connect(demo) as conn:
        embed(conn, model=str(static), short="still", fields=["title"])
        with pytest.raises(StateError, match="still is a static model") as refused:
            train(conn, edition="train", folder=tmp_path / "m", model="still", field="title")
    assert "--model SHORT" in (refused.value.hint or "")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.long
@needs_trainer
def test_a_trained_model_is_stored_with_its_recipe(demo: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    options = TrainingOptions(epochs=1, seed=7)
    with connect(demo, autocommit=True) as conn:
        done = train(conn, edition="train", folder=folder, field="title", options=options)
        space = registered(conn, "trained")
        [[vectors, old, recipe, sha256, kept]] = conn.execute(
            "SELECT (SELECT count(title_v) FROM dblp_v_trained), (SELECT count(title_v) FROM dblp_v), m.recipe,"
            " edition_fingerprint('train'), (m.recipe -> 'kept_epoch')::int FROM stc.vector_models m WHERE model = 'trained'"
        ).fetchall()
        assert recipe == json.loads((folder / "training.json").read_text())
        assert (len(recipe["queries"]), len(recipe["held_out"]), recipe["ndcg"]) == (done.queries, done.held_out, done.ndcg)
        assert not {*recipe["queries"]} & {*recipe["held_out"]}
        assert recipe["edition"] == {"edition": "train", "sha256": sha256, "sealed": None}
        assert (recipe["base"]["model"], recipe["field"], recipe["options"]["seed"], kept) == ("minilm", "title", 7, 1)
        assert recipe["libraries"]["torch"] == version("torch")
        assert not any("trained" in one for one in space.made_by)
        assert vectors == old > 0
        assert [one.name for one in tmp_path.iterdir()] == ["m"]

        shown = CliRunner().invoke(stc, ["--db", demo.db, "vectors", "models"], env=environment(demo)).output
        assert f"title of train (sha256 {sha256[:12]}): {done.queries} queries, {done.held_out} held out" in shown

        assert train(conn, edition="train", folder=folder, field="title", options=options) == done  # nothing left to do
        given = {"edition": "train", "folder": folder, "field": "title", "options": options}
        for changed in (
            {"options": TrainingOptions(epochs=1)},
            {"field": "content"},
            {"short": "other"},
            {"folder": tmp_path / "n"},
        ):
            with pytest.raises(StateError, match="exists already"):
                train(conn, **{**given, **changed})  # type: ignore[arg-type]

        again = train(conn, edition="train", folder=tmp_path / "n", short="again", field="title", options=options)
        assert again.ndcg == done.ndcg
        assert registered(conn, "again").revision == space.revision  # the same weights
        [[held_out, differ]] = conn.execute(
            "SELECT m.recipe -> 'held_out', (SELECT count(*) FROM dblp_v_trained a JOIN dblp_v_again b USING (id)"
            "  WHERE a.title_v IS DISTINCT FROM b.title_v) FROM stc.vector_models m WHERE m.model = 'again'"
        ).fetchall()
        assert (held_out, differ) == (recipe["held_out"], 0)


# The command; a callback interrupts it at the first step of the training, or before the embedding.
INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from stcollection.vectors import train
stop = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)
if sys.argv.pop(1) == "training":
    plain = train.fine_tune
    train.fine_tune = lambda *given: plain(*given[:4], stop)
else:
    train.embed = stop
from stcollection.__main__ import main
main()
"""


@pytest.mark.long
@needs_trainer
def test_an_interrupted_command_can_be_repeated(demo: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "m"
    words = ["vectors", "train", "--edition", "train", "--out", str(folder), "--field", "title", "--epochs", "1", "--folds", "0"]

    def interrupted(at: str) -> None:
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, at, "--db", demo.db, *words],
            env={**os.environ, **environment(demo)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "run the same command again" in done.stderr) == (130, True), done.stderr

    interrupted("training")
    assert [*tmp_path.iterdir()] == []
    with connect(demo) as conn:
        assert conn.execute("SELECT model FROM stc.vector_models").fetchall() == [("minilm",)]
        assert conn.execute("SELECT to_regclass('dblp_v_trained')").fetchall() == [(None,)]
    interrupted("embedding")
    assert [one.name for one in folder.parent.iterdir()] == ["m"]
    written = (folder / "training.json").stat().st_mtime_ns
    done = CliRunner().invoke(stc, ["--db", demo.db, *words], env=environment(demo))
    assert (done.exit_code, f"saved in {folder}" in done.output) == (0, True), done.output
    assert (folder / "training.json").stat().st_mtime_ns == written
    ndcg = json.loads((folder / "training.json").read_text())["ndcg"]
    assert ("did not raise" in done.output) == (max(ndcg[1:]) <= ndcg[0])
    with connect(demo) as conn:
        [[missing, indexes]] = conn.execute(
            "SELECT stc.count_unembedded('trained', '{title}'), (SELECT count(*) FROM stc.vector_indexes WHERE model = 'trained')"
        ).fetchall()
    assert (missing, indexes) == (0, 1)
