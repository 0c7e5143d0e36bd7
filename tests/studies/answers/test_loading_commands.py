"""``stc load --as answers`` and the commands for data sets, as typed."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from stcollection.errors import UnknownObject
from stcollection.studies.answers import load as loading
from tests.groups import answers
from tests.studies.answers.answer_files import asked, doc, pair, write


def typed(settings: Settings, *words: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(answers, [*words], obj=settings, input=answer)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for split in ("train", "dev"):
        write(tmp_path, "documents", asked("q", doc("d1"), doc("d2")), split=split)
        write(
            tmp_path,
            "pairs",
            pair("q", "u/d1", "x", "u/d2", "y"),
            pair("q", "\x1b[2J", "x", "u/d2", "y", 0),
            "\x1b[2J",
            split=split,
        )
    return tmp_path


@pytest.mark.slow
def test_from_loading_to_dropping(settings: Settings, conn: psycopg.Connection, folder: Path) -> None:
    done = typed(settings, "load", "mine", str(folder))
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        f"{split}: {told}"
        for split in ("train", "dev")
        for told in ("documents: 1 of 1 line stored", "pairs: 2 of 3 lines stored; 1 unknown, 1 rejects")
    ]
    assert typed(settings, "load", "mine", str(folder)).stdout.count("loaded already, nothing changed") == 4
    [train, dev] = json.loads(typed(settings, "status", "mine", "--format", "json").stdout)
    assert (train["split"], dev["documents"], dev["answers"], dev["unplaced"], dev["label_0"]) == ("train", 2, 3, 1, 1)
    assert len(json.loads(typed(settings, "files", "--format", "json").stdout)) == 4
    rejects = json.loads(typed(settings, "rejects", "mine", "--split", "dev", "--format", "json").stdout)
    assert [(one["line"], one["problem"]) for one in rejects] == [(2, "unknown"), (3, "reject")]
    assert rejects[0]["reason"] == r"no document of the query has the address '\x1b[2J'"
    out = folder / "out"
    assert typed(settings, "unload", "mine", str(out)).exit_code == 0
    assert len([*out.iterdir()]) == 4
    assert "already exists" in str(typed(settings, "unload", "mine", str(out)).exception)
    assert typed(settings, "drop", "mine", "--split", "dev", answer="n\n").exit_code == 1
    assert typed(settings, "drop", "mine", "--split", "dev", "--yes").stdout == "mine: 1 split removed, 0 runs with them\n"
    assert typed(settings, "drop", "mine", answer="y\n").exit_code == 0
    assert conn.execute("SELECT count(*) FROM stc.answer_sets").fetchone() == (0,)


def test_files_can_be_named_one_by_one(settings: Settings, conn: psycopg.Connection, folder: Path) -> None:
    done = typed(settings, "load", "mine", "--split", "test", "--documents", str(folder / "dev_query_doc.json"))
    assert done.stdout == "test: documents: 1 of 1 line stored\n"
    assert conn.execute("SELECT set, split FROM stc.answer_sets").fetchall() == [("mine", "test")]


def test_the_sample_has_its_name(
    settings: Settings, conn: psycopg.Connection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "SAMPLE", folder)
    assert typed(settings, "load", "--sample", "--split", "dev").exit_code == 0
    assert conn.execute("SELECT set, split FROM stc.answer_sets").fetchall() == [("sample", "dev")]


@pytest.mark.parametrize(
    "words",
    [["load"], ["load", "mine"], ["load", "mine", "--sample", "--split", "dev", "--gold", "HERE"], ["load", "m", "--gold", "HERE"]],
)
def test_contradictory_options_are_usage_errors(settings: Settings, folder: Path, words: list[str]) -> None:
    (folder / "HERE").touch()
    assert typed(settings, *(str(folder / word) if word == "HERE" else word for word in words)).exit_code == 2


@pytest.mark.parametrize("words", [["status", "minne"], ["rejects", "minne"], ["unload", "minne", "x"], ["drop", "minne", "--yes"]])
def test_an_unknown_name_has_a_hint(settings: Settings, folder: Path, words: list[str]) -> None:
    typed(settings, "load", "mine", str(folder))
    error = typed(settings, *words).exception
    assert isinstance(error, UnknownObject)
    assert "Did you mean 'mine'?" in str(error.hint)
