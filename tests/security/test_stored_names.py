"""Names in a collection, which a dump or an organiser chose, become no path, module or command of the reader's machine."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from stcollection.errors import StateError, UnknownObject
from stcollection.qrels.sources import EditionFile, state
from stcollection.studies.answers.agreement import store
from stcollection.vectors import model as module
from stcollection.vectors.embed import embed
from stcollection.vectors.model import DEFAULT_NAME, FOLDERS, check_library, load, stored_folder
from stcollection.vectors.passages import embed_passages
from stcollection.vectors.queries import encoder_of, query_vector
from stcollection.vectors.store import registered

# A path that a hub name cannot be, and names that are a folder in the current one.
PATHS = [
    "./evil",
    "../evil",
    "evil/..",
    "a/b/evil",
    "/evil",
    "~/evil",
    "file:evil",
    "evil evil",
    "",
    "..",
    "C:\\evil",
    "\\\\host\\evil",
]
NAMES = ["evil", "org/evil"]


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with models that contain a Python file. :returns: the file that it would write."""
    struck = tmp_path / "struck"
    code = f"open({str(struck)!r}, 'w').close()\nfrom sentence_transformers.models import Transformer as Evil\n"
    here = tmp_path / "here" / "inner"
    for name in ("evil", "org/evil", "a/b/evil", "../evil"):
        folder = here / name
        folder.mkdir(parents=True)
        (folder / "evil.py").write_text(code)
        (folder / "config.json").write_text(json.dumps({"auto_map": {"AutoModel": "evil.Evil", "AutoConfig": "evil.Evil"}}))
        (folder / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}]))
    monkeypatch.chdir(here)
    monkeypatch.delenv(FOLDERS, raising=False)
    return struck


def _register(conn: psycopg.Connection, name: str) -> None:
    conn.execute("INSERT INTO dblp (id, docno, doc) VALUES (1, '1', '{}')")
    conn.execute("INSERT INTO dblp_text (id, title) VALUES (1, 'voice')")
    conn.execute("INSERT INTO dblp_passages (doc, position, text) VALUES (1, 1, 'voice')")
    conn.execute("SELECT stc.add_vector_model('m', %s, 8, 16)", [name])


@pytest.mark.parametrize("name", [*PATHS, *NAMES])
def test_a_model_of_the_collection_is_no_folder(conn: psycopg.Connection, planted: Path, name: str) -> None:
    _register(conn, name)
    message = FOLDERS if name in PATHS else "cannot be loaded from this machine"
    for attempt in (
        lambda: query_vector(conn, "voice", model="m"),
        lambda: encoder_of(registered(conn, "m")),
        lambda: embed(conn, model="m"),
        lambda: embed_passages(conn, model="m"),
    ):
        with pytest.raises(UnknownObject, match=message) as error:
            attempt()
        assert error.value.hint
    assert not planted.exists()


@pytest.mark.parametrize("name", [*PATHS, *NAMES])
@pytest.mark.parametrize("params", [{}, {"task": "answer agreement"}])
def test_a_cross_encoder_of_the_collection_is_no_folder(
    conn: psycopg.Connection, planted: Path, name: str, params: dict[str, str]
) -> None:
    stored = {"name": name, "revision": "x", **params}
    store.save(conn, "m", kind="crossencoder", params=stored)
    with pytest.raises(UnknownObject, match=FOLDERS if name in PATHS else "cannot be loaded from this machine"):
        store.load(conn, "m")
    assert not planted.exists()


def test_folders_of_the_environment_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    (tmp_path / "models" / "link").symlink_to(tmp_path)
    monkeypatch.setenv(FOLDERS, f"/nowhere:{tmp_path / 'models'}")
    assert stored_folder(str(tmp_path / "models" / "mine")) == tmp_path / "models" / "mine"
    assert stored_folder(DEFAULT_NAME) is None
    for outside in (tmp_path, tmp_path / "models" / "link" / "other", f"{tmp_path}/models/../other", tmp_path / "models2"):
        with pytest.raises(UnknownObject, match="names a folder as a model"):
            stored_folder(str(outside))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownObject):
        stored_folder("models/mine/.")


def test_a_command_in_a_name_is_quoted_in_the_next_step() -> None:
    with pytest.raises(UnknownObject) as error:
        stored_folder("/x; touch struck")
    assert f"export {FOLDERS}='/x; touch struck'" in str(error.value.hint)


def test_a_library_that_runs_files_of_a_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version", lambda _: "5.6.1")
    with pytest.raises(StateError, match=r"sentence-transformers 5\.6\.1 runs Python files of a model's folder") as error:
        check_library("embedding")
    assert "sentence-transformers>=6" in str(error.value.hint)
    module._weights.cache_clear()
    module._load.cache_clear()
    with pytest.raises(StateError, match="needs version 6"):
        load()


def test_no_code_of_a_model_is_trusted() -> None:
    for path in Path(module.__file__).parents[1].rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"trust_remote_code\W+(\w+)", text)) <= {"False"}, path
        for call in re.finditer(r"\.from_pretrained\(", text):
            assert re.search(r"trust_remote_code=False|\*\*safely", text[call.end() : call.end() + 150]), path


def test_a_ledger_opens_no_pipe_and_no_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        assert state(EditionFile("e", str(path), 1, 1, "0" * 64, datetime.now(UTC), None)) == "gone"
