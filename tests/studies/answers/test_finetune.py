"""Fine-tuning a real cross-encoder with few weights: it learns, repeats itself, and is read from safetensors only."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import numpy as np
import psycopg
import pytest

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject
from stcollection.studies.answers.agreement import store
from stcollection.studies.answers.agreement.finetune import FinetuneOptions, _divided, finetune
from stcollection.studies.answers.agreement.model import softmax
from stcollection.studies.answers.agreement.reader import Reader, logits_of
from stcollection.studies.answers.agreement.relate import group_of, labelled, relate
from stcollection.vectors.model import FOLDERS
from tests.acceptance.conftest import runner
from tests.studies.answers.answer_pairs import questions
from tests.studies.answers.answer_worlds import Doc, Question, put

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A two-layer BERT with random weights that knows no Chinese character."""
    transformers, torch = (importlib.import_module(name) for name in ("transformers", "torch"))
    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("base")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz0123456789"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    transformers.BertModel(config).save_pretrained(str(folder))
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(str(folder))
    return folder


@pytest.fixture
def world(conn: psycopg.Connection) -> psycopg.Connection:
    found = questions()
    put(conn, found[:45], split="train")
    put(conn, found[45:], split="dev")
    return conn


@pytest.fixture(autouse=True)
def _folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDERS, str(tmp_path))


def options(base: Path, *, epochs: int = 3, seed: int = 1, rate: float = 0.002) -> FinetuneOptions:
    return FinetuneOptions(base=str(base), epochs=epochs, seed=seed, rate=rate, patience=2)


def test_it_learns_and_predicts_the_same_when_loaded_again(world: psycopg.Connection, base: Path, tmp_path: Path) -> None:
    steps: list[tuple[int, int | None]] = []
    made = finetune(
        world,
        "reader",
        set="world",
        folder=tmp_path / "reader",
        options=options(base),
        progress=lambda done, whole: steps.append((done, whole)),
    )
    about = made.about
    assert about.pairs + about.held_out == 450
    assert about.held_out > 0
    assert min(about.losses) < about.losses[0]
    assert about.data == store.fingerprint(labelled(world, set="world", split="train"))
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert {whole for _, whole in steps} == {3 * -(-about.pairs // 16)}
    assert not list(tmp_path.rglob("*.bin"))
    pairs = labelled(world, set="world", split="dev")
    columns = [[getattr(one, name) for one in pairs] for name in ("query", "text_a", "text_b")]
    said = made.predict(*columns)
    again = store.load(world, "reader").predict(*columns)
    assert again.support == pytest.approx(said.support, abs=1e-6)
    assert again.oppose == pytest.approx(said.oppose, abs=1e-6)
    other = made.predict(columns[0], columns[2], columns[1])
    assert other.support == pytest.approx(said.support, abs=1e-6)
    assert relate(world, "reader", set="world", split="dev") == (15, 150, 0)


def test_a_seed_decides_the_weights(world: psycopg.Connection, base: Path, tmp_path: Path) -> None:
    weights = [
        finetune(world, name, set="world", folder=tmp_path / name, options=options(base, epochs=1, seed=seed)).revision
        for name, seed in (("one", 1), ("same", 1), ("other", 2))
    ]
    assert weights[0] == weights[1] != weights[2]


def test_training_ends_early_and_a_model_that_learnt_nothing_is_not_stored(
    world: psycopg.Connection, base: Path, tmp_path: Path
) -> None:
    """At a rate this high the model never improves."""
    steps: list[int] = []
    with pytest.raises(StateError, match=r"log loss 1\.\d+ before, \d+\.\d+ after"):
        finetune(
            world,
            "wild",
            set="world",
            folder=tmp_path / "wild",
            options=options(base, epochs=9, rate=0.9),
            progress=lambda done, whole: steps.append(done),
        )
    assert 0 < len(steps) < 4 * 450 / 16  # two epochs of nine
    assert not list(tmp_path.iterdir())
    assert world.execute("SELECT count(*) FROM stc.answer_models").fetchone() == (0,)


def test_the_best_epoch_is_kept(world: psycopg.Connection, base: Path, tmp_path: Path) -> None:
    """The stored weights have the lowest log loss on the held-out pairs, also if later epochs were worse."""
    given = options(base, epochs=6, rate=0.01)
    made = finetune(world, "m", set="world", folder=tmp_path / "m", options=given)
    pairs = labelled(world, set="world", split="train")
    _, places = _divided([group_of(str(one.query_id), one.template, "template") for one in pairs], given)
    held = [pairs[place] for place in places]
    assert len(held) == made.about.held_out
    loaded = Reader.load(str(tmp_path / "m"))
    columns = ([one.query for one in held], [one.text_a for one in held], [one.text_b for one in held])
    shares = softmax(logits_of(loaded._model, loaded._tokenizer, *columns, tokens=128), 1.0)
    chosen = [share[made.about.classes.index(str(one.relation))] for share, one in zip(shares, held, strict=True)]
    assert -np.log(chosen).mean() == pytest.approx(min(made.about.losses), abs=1e-5)


def test_characters_that_the_base_does_not_know_are_learnt(world: psycopg.Connection, base: Path, tmp_path: Path) -> None:
    made = finetune(world, "m", set="world", folder=tmp_path / "m", options=options(base, epochs=1))
    seen = {one for pair in labelled(world, set="world", split="train") for one in pair.query if "\u4e00" <= one <= "\u9fff"}
    known = {*json.loads((tmp_path / "m" / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]}
    assert not seen & known  # only added tokens
    unknown = [one for one in seen if made._tokenizer.unk_token_id in made._tokenizer(one)["input_ids"]]
    assert len(unknown) < len(seen) / 5  # those that occur once


def test_folders_that_are_no_model_of_agreement(world: psycopg.Connection, base: Path, tmp_path: Path) -> None:
    finetune(world, "m", set="world", folder=tmp_path / "m", options=options(base, epochs=1))
    with pytest.raises(UnknownObject, match=r"no model\.safetensors"):
        Reader.load(str(tmp_path / "nowhere"))
    with pytest.raises(BadArgument, match="not a model of agreement"):
        Reader.load(str(base))
    about = tmp_path / "m" / "stcollection.json"
    whole = json.loads(about.read_text())
    for wrong, told in (
        ({"task": "ranking"}, "its task is 'ranking'"),
        ({"classes": ["good", "bad"]}, "its classes are good, bad"),
        ({"more": 1}, "more"),
    ):
        about.write_text(json.dumps(whole | wrong))
        with pytest.raises(BadArgument, match=told):
            Reader.load(str(tmp_path / "m"))
    about.write_text(json.dumps(whole | {"threshold": 0.01}))
    with pytest.raises(StateError, match=r"but .* is registered"):
        relate(world, "m", set="world", split="dev")
    (tmp_path / "m" / "model.safetensors").rename(tmp_path / "m" / "pytorch_model.bin")
    with pytest.raises(UnknownObject, match=r"no model\.safetensors"):
        relate(world, "m", set="world", split="dev")


def test_a_device_that_is_not_there(
    world: psycopg.Connection, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(importlib.import_module("torch").cuda, "is_available", lambda: False)
    with pytest.raises(StateError, match="the device is 'cuda', but torch finds no GPU"):
        finetune(world, "m", set="world", folder=tmp_path / "m", options=options(base, epochs=1), device="cuda")
    assert not (tmp_path / "m").exists()
    finetune(world, "m", set="world", folder=tmp_path / "m", options=options(base, epochs=1), device="cpu")
    with pytest.raises(StateError, match="the device is 'cuda', but torch finds no GPU"):
        relate(world, "m", set="world", split="dev", device="cuda")
    run = runner(settings)
    done = run("answers", "relate", "world", "--split", "dev", "--model", "m", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    assert run("answers", "relate", "world", "--split", "dev", "--model", "m", "--device", "tpu").returncode == 2


def test_what_cannot_be_trained_leaves_nothing(world: psycopg.Connection, base: Path, tmp_path: Path) -> None:
    def attempt(name: str = "m", folder: Path = tmp_path / "m", *, set_: str = "world", base: str = str(base)) -> None:
        finetune(world, name, set=set_, folder=folder, options=FinetuneOptions(base=base, epochs=1))

    (tmp_path / "taken").mkdir()
    put(
        world,
        [Question("一个", [Doc("s", "", "好不", {"好": "yes", "很好": "yes", "不": "no"})], template="t")],
        set="small",
        split="train",
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    cases: tuple[tuple[dict[str, object], type[StcError], str], ...] = (
        ({"folder": tmp_path / "taken"}, BadArgument, "exists"),
        ({"folder": tmp_path / "no" / "m"}, BadArgument, "there is no folder"),
        ({"set_": "nothing"}, UnknownObject, "nothing"),
        ({"set_": "small"}, StateError, "one kind of question"),
        ({"base": "nobody/has-this"}, UnknownObject, "cannot be loaded"),
        ({"base": str(empty)}, BadArgument, "training cannot start"),
    )
    for given, kind, told in cases:
        with pytest.raises(kind, match=told):
            attempt(**given)  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="epochs is 0"):
        FinetuneOptions(epochs=0)
    with pytest.raises(BadArgument, match=r"rate is 2\.0"):
        FinetuneOptions(rate=2.0)

    class Stop(Exception):
        """An interruption."""

    def stop(done: int, whole: int | None) -> None:
        raise Stop

    with pytest.raises(Stop):
        finetune(world, "m", set="world", folder=tmp_path / "m", options=options(base), progress=stop)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["empty", "taken"]
    assert world.execute("SELECT count(*) FROM stc.answer_models").fetchone() == (0,)
