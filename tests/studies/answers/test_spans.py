"""Extraction by a trained reader: a small model that was trained here really finds the answers."""

from __future__ import annotations

import importlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.studies.answers.extract import Extracted, ExtractOptions, extract, quality
from stcollection.studies.answers.spans import SpanReader
from stcollection.vectors.model import packaged
from tests.groups import answers
from tests.studies.answers.answer_reading import KINDS, POSITIONS, facts, passage, train
from tests.studies.answers.answer_worlds import WORKED, Doc, Question, put

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("readers") / "reader")


@pytest.fixture(scope="module")
def reader(folder: Path) -> SpanReader:
    return SpanReader.load(str(folder), device="cpu")


def by_hand(folder: Path, query: str, text: str) -> tuple[str | None, float]:
    """Read each window alone, and try every span. Words are tokens here."""
    transformers, torch = (importlib.import_module(name) for name in ("transformers", "torch"))
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(str(folder)).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    words, asked = text.split(), query.split()
    room = POSITIONS - len(asked) - 3
    step = room - min(128, room // 2)
    starts = [0] if len(words) <= room else range(0, len(words) - room + step, step)
    best: tuple[str | None, float] = (None, -1.0)
    none = 1.0
    for begin in starts:
        part = words[begin : begin + room]
        ids = tokenizer.convert_tokens_to_ids(["[CLS]", *asked, "[SEP]", *part, "[SEP]"])
        types = [0] * (len(asked) + 2) + [1] * (len(part) + 1)
        with torch.inference_mode():
            made = model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([types]))
        read = [0, *range(len(asked) + 2, len(asked) + 2 + len(part))]
        shares = []
        for logits in (made.start_logits[0], made.end_logits[0]):
            raised = np.exp(logits.double().numpy()[read])
            shares.append(raised / raised.sum())
        none = min(none, shares[0][0] * shares[1][0])
        for first in range(len(part)):
            for last in range(first, len(part)):
                share = float(shares[0][first + 1] * shares[1][last + 1])
                if share > best[1]:
                    best = " ".join(part[first : last + 1]), share
    return (None, none) if none > best[1] else best


def test_it_finds_answers_and_knows_when_there_is_none(reader: SpanReader, folder: Path) -> None:
    chance = random.Random(99)
    for _ in range(12):
        query = chance.choice([*KINDS])
        known = facts(chance, *KINDS)
        without = {other: answer for other, answer in known.items() if other != query}
        texts = [
            passage(known, chance),
            passage(without, chance),
            f"{passage({}, chance, filler=150)} {passage(known, chance)} {passage({}, chance, filler=150)}",
            passage(without, chance, filler=200),
            " \n",
        ]
        got = reader.read(query, texts)
        assert [span and span.text for span in got] == [known[query], None, known[query], None, None]
        for span, text in zip(got, texts[:4], strict=False):
            expected, confidence = by_hand(folder, query, text)
            assert (span and span.text) == expected
            if span:
                assert span.confidence == pytest.approx(confidence, abs=2e-6)
        assert [reader.read(query, [text])[0] for text in texts] == got


def test_a_query_longer_than_a_window(reader: SpanReader) -> None:
    known = facts(random.Random(1), *KINDS)
    text = passage(known, random.Random(1), filler=200)
    assert reader.read("when built " * 500, [text]) == reader.read("when built " * 10 + "when", [text])
    assert reader.read("", [text])[0] is None or reader.read("", [text])


def world(conn: psycopg.Connection, *, split: str = "test", given: bool = False, queries: int = 6) -> list[tuple[str, str]]:
    """Store queries with a document that answers, one that does not, and one without text. :returns: doc_id and answer."""
    chance = random.Random(split)
    questions, told = [], []
    for number in range(queries):
        query = [*KINDS][number % 3]
        known = facts(chance, *KINDS)
        good, bad = passage(known, chance, filler=90), passage({one: known[one] for one in KINDS if one != query}, chance)
        answer = {known[query]: "yes"} if given else {}
        docs = [Doc(f"bad{number}", "t", bad), Doc(f"good{number}", "t", good, answer), Doc(f"empty{number}", "t", "")]
        if number == queries - 1:
            docs = docs[:1]  # the last query has no answer
        else:
            told.append((f"good{number}", known[query]))
        questions.append(Question(query if number < 3 else query.upper(), docs))  # the model ignores case
    put(conn, questions, split=split)
    return told


def stored(conn: psycopg.Connection, source: str) -> list[tuple[Any, ...]]:
    return conn.execute(
        "SELECT d.doc_id, a.text, a.score FROM stc.answers a JOIN stc.answer_documents d ON d.id = a.document"
        " WHERE a.source = %s ORDER BY d.query, d.place",
        [source],
    ).fetchall()


@pytest.fixture
def read(conn: psycopg.Connection, folder: Path) -> Callable[..., Extracted]:
    def read(source: str = "r", *, split: str = "test", model: Path = folder, **given: Any) -> Extracted:
        options = {name: given.pop(name) for name in ("at_least", "tune_on", "width", "per_document") if name in given}
        chosen = ExtractOptions(reader=str(model), **options)
        return extract(conn, set="world", split=split, source=source, options=chosen, device="cpu", **given)

    return read


def test_answers_are_stored_with_their_confidence(
    conn: psycopg.Connection, reader: SpanReader, read: Callable[..., Extracted]
) -> None:
    told = world(conn)
    steps: list[tuple[int, int | None]] = []
    made = read(progress=lambda done, whole: steps.append((done, whole)))
    assert made == ("r", None, 0.0, 16, 5, 11, 5, None, None, reader.revision)
    assert [row[:2] for row in stored(conn, "r")] == told
    assert all(0.3 < score <= 1 for *_, score in stored(conn, "r"))
    assert steps == [(3, 16), (6, 16), (9, 16), (12, 16), (15, 16), (16, 16)]
    assert quality(conn, set="world", split="test", source="r").documents == 16
    least = sorted(score for *_, score in stored(conn, "r"))
    assert read("sure", at_least=(least[0] + least[1]) / 2).answered == 4


def test_an_interrupted_extraction_continues(conn: psycopg.Connection, read: Callable[..., Extracted], tmp_path: Path) -> None:
    world(conn)
    conn.commit()
    read("whole")

    def stop(done: int, whole: int | None) -> None:
        if done == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read("r", progress=stop)
    conn.rollback()
    assert len(stored(conn, "r")) == 3
    other = train(tmp_path / "other", seed=1, steps=1)
    for given in ({"model": other}, {"at_least": 1.0}):
        with pytest.raises(BadArgument, match="already has extracted answers 'r', which this reader does not give"):
            read("r", **given)
    steps: list[tuple[int, int | None]] = []
    made = read("r", progress=lambda done, whole: steps.append((done, whole)))
    assert steps[0] == (3, 10)  # the last stored query is read again
    assert (made.answered, made.answers) == (5, 5)
    assert stored(conn, "r") == stored(conn, "whole")
    assert read("r") == made  # nothing is left to read
    ids = "SELECT min(id) FROM stc.answers WHERE source = 'r'"
    before = conn.execute(ids).fetchone()
    assert read("r", replace=True) == made
    assert conn.execute(ids).fetchone() != before


def test_answers_of_windows_are_not_mixed_with_those_of_a_reader(
    conn: psycopg.Connection, read: Callable[..., Extracted], folder: Path
) -> None:
    world(conn)
    put(conn, [WORKED], split="train")
    assert extract(conn, set="world", split="train", source="w").answered == 3
    with pytest.raises(BadArgument, match="already has extracted answers 'w', which this reader does not give"):
        read("w", split="train")
    read("r")
    with pytest.raises(BadArgument, match="already has extracted answers 'r'"):
        extract(conn, set="world", split="test", source="r")
    for name in ("given", " "):
        with pytest.raises(BadArgument, match="is not a valid name"):
            read(name)
    [(query,)] = conn.execute("SELECT id FROM stc.answer_queries WHERE place = 2").fetchall()
    with pytest.raises(psycopg.DatabaseError, match="another process extracts"), conn.transaction():
        conn.execute("SELECT stc.answer_store_spans('world', 'test', 'r', %s, '{}', '{}', '{}')", [query])
    for wrong in ({"width": 2}, {"per_document": 2}, {"at_least": 1.5}, {"at_least": float("nan")}):
        with pytest.raises(BadArgument, match=r"a reader gives one answer|the minimum score is|at_least is"):
            ExtractOptions(reader=str(folder), **wrong)


def test_the_minimum_is_tuned_on_given_answers(conn: psycopg.Connection, read: Callable[..., Extracted]) -> None:
    world(conn)
    with pytest.raises(StateError, match="no given answers"):
        read(tune_on="test")
    world(conn, split="dev", given=True)
    made = read(tune_on="dev")
    assert (made.answered, made.tuned_on, made.value) == (5, "dev", 1)
    assert 0 <= made.at_least < min(score for *_, score in stored(conn, "r"))


def test_folders_without_a_reader(conn: psycopg.Connection, folder: Path, read: Callable[..., Extracted], tmp_path: Path) -> None:
    transformers: Any = importlib.import_module("transformers")
    world(conn)
    classes = tmp_path / "classes"
    config = transformers.AutoConfig.from_pretrained(str(folder))
    transformers.BertForSequenceClassification(config).save_pretrained(str(classes))
    shutil.copy(folder / "tokenizer.json", classes)
    shutil.copy(folder / "tokenizer_config.json", classes)
    pickled = shutil.copytree(folder, tmp_path / "pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    broken = shutil.copytree(folder, tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"no weights")
    text = shutil.copytree(folder, tmp_path / "text")
    (text / "config.json").write_text(json.dumps({"model_type": "vit"}))
    (tmp_path / "empty").mkdir()
    for model, reason in (
        (packaged(), r"its weights lack qa_outputs\.bias, qa_outputs\.weight; it was saved as BertModel"),
        (classes, r"saved as BertForSequenceClassification"),
        (pickled, "not an extractive question-answering model"),
        (broken, "not an extractive question-answering model"),
        (text, "not an extractive question-answering model"),
        (tmp_path / "empty", "not an extractive question-answering model"),
    ):
        with pytest.raises(BadArgument, match=reason):
            read(model=model)
    with pytest.raises(UnknownObject, match="cannot be loaded"):
        read(model=tmp_path / "nowhere")
    assert stored(conn, "r") == []


def test_without_transformers_the_command_names_the_extra(
    conn: psycopg.Connection, read: Callable[..., Extracted], monkeypatch: pytest.MonkeyPatch
) -> None:
    world(conn)
    monkeypatch.setitem(importlib.import_module("sys").modules, "transformers", None)
    with pytest.raises(StateError, match="needs the Python package transformers") as error:
        read()
    assert "pip install" in str(error.value.hint)


def test_the_command(conn: psycopg.Connection, settings: Settings, folder: Path) -> None:
    world(conn)
    conn.commit()
    call = ["extract", "world", "--split", "test", "--as", "r", "--reader", str(folder), "--device", "cpu"]
    run = CliRunner()
    done = run.invoke(answers, [*call, "--format", "json"], obj=settings)
    assert done.exit_code == 0, done.output
    [row] = json.loads(done.stdout)
    assert (row["documents"], row["answered"], row["width"], row["reader"][:7]) == (16, 5, None, "sha256:")
    assert done.stderr == ""
    again = run.invoke(answers, call, obj=settings)
    assert again.exit_code == 0, again.output
    assert "16" in again.stdout
    assert isinstance(run.invoke(answers, [*call, "--width", "2"], obj=settings).exception, BadArgument)
