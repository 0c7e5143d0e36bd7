"""A real cross-encoder of natural language inference with few weights: three labels, both directions."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.studies.answers.agreement.nli import Nli, labels_of
from stcollection.studies.answers.agreement.relate import register, relate
from stcollection.vectors.model import FOLDERS
from tests.crossencoders import save
from tests.studies.answers.answer_worlds import WORKED, put

pytestmark = pytest.mark.slow
_LABELS = {0: "CONTRADICTION", 1: "entailment", 2: "neutral"}


def make(folder: Path, labels: dict[int, str], *, seed: int = 1) -> Path:
    """Save a cross-encoder that reads characters, with three labels."""
    return save(folder, WORKED.query + "".join(answer for doc in WORKED.docs for answer in doc.answers), labels=labels, seed=seed)


def test_both_directions_are_scored(tmp_path: Path) -> None:
    folder = make(tmp_path / "nli", _LABELS)
    a, b = "偶尔喝冰的可以", "备孕时不可以喝冰的"
    oracle: Any = importlib.import_module("sentence_transformers").CrossEncoder(str(folder), local_files_only=True)
    there, back = (oracle.predict([pair], apply_softmax=True)[0] for pair in ((a, b), (b, a)))
    support, oppose = max(there[1], back[1]), (there[0] + back[0]) / 2
    whole = max(1.0, support + oppose)
    model = Nli.load(str(folder))
    said = model.predict(["q"], [a], [b])
    assert said.support == pytest.approx([support / whole], abs=1e-5)
    assert said.oppose == pytest.approx([oppose / whole], abs=1e-5)
    other = model.predict(["q"], [b], [a])
    assert (said.support == other.support).all()
    assert (said.oppose == other.oppose).all()
    assert not np.allclose(there, back)


def test_a_registered_model_relates_a_split_and_a_changed_model_is_noticed(
    conn: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    put(conn, [WORKED])
    folder = make(tmp_path / "nli", _LABELS)
    register(conn, "nli", name=str(folder))
    assert relate(conn, "nli", set="world", split="dev") == (1, 3, 0)
    with pytest.raises(BadArgument, match="already"):
        register(conn, "nli", name=str(folder))
    conn.execute("DELETE FROM stc.answer_relations")
    (folder / "config.json").write_text((folder / "config.json").read_text().replace("neutral", "neutral "))
    with pytest.raises(StateError, match=r"but .* is registered"):
        relate(conn, "nli", set="world", split="dev")


def test_folders_without_a_usable_model(conn: psycopg.Connection, tmp_path: Path) -> None:
    with pytest.raises(UnknownObject, match="cannot be loaded"):
        register(conn, "nli", name="nobody/has-this")
    with pytest.raises(BadArgument, match="not a natural language inference model"):
        register(conn, "nli", name=str(make(tmp_path / "other", {0: "bad", 1: "good", 2: "best"})))
    with pytest.raises(BadArgument):
        labels_of({}, "none")
